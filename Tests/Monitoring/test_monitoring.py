"""Alerts and boards: what they say about series that are written down, and that a real mesh has every metric they ask for."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import pytest
import yaml

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.append(str(ROOT / "Tests/Bench"))
EXECUTABLES = pathlib.Path(os.environ.get("LATCHKEY_EXECUTABLES", ROOT / ".build/debug")).resolve()
ALERTS = ROOT / "deploy/prometheus/alerts.yaml"
RULES = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
BOARDS = sorted((ROOT / "deploy/grafana").glob("*.json"))
# They exist after a first outage or refusal only.
ABSENT = ["latchkey_component_outage_seconds", "latchkey_broker_refused_requests_total"]
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def test_alerts_fire_when_they_should():
    end = subprocess.run(["promtool", "test", "rules", ALERTS.parent / "alerts-test.yaml"], capture_output=True, text=True)
    assert end.returncode == 0, end.stdout + end.stderr


def test_each_alert_has_a_firing_and_a_quiet_series():
    tests = yaml.safe_load((ALERTS.parent / "alerts-test.yaml").read_text())["tests"]
    cases = sorted((rule["alertname"], bool(rule.get("exp_alerts"))) for test in tests for rule in test["alert_rule_test"])
    assert cases == sorted((rule["alert"], fires) for rule in RULES for fires in [False, True])


def test_each_alert_says_what_to_do():
    for rule in RULES:
        assert len(rule["annotations"]["action"].split()) > 10, rule["alert"]
        assert rule["labels"]["severity"] in ["warning", "critical"]


def expressions():
    """Every expression of the boards, and the measured side of every alert."""
    for board in BOARDS:
        for panel in json.loads(board.read_text())["panels"]:
            for target in panel["targets"]:
                yield f"{board.name}: {panel['title']}", target["expr"].replace("$__rate_interval", "10s")
    for rule in RULES:
        for part in re.split(r"\s+or (?=max)", rule["expr"]):
            yield rule["alert"], re.split(r"\s+[<>]\s", part)[0]


def post(origin, operation, **body):
    request = urllib.request.Request(
        f"{origin}/identitytoolkit.googleapis.com/v1/accounts:{operation}?key=any", json.dumps(body).encode(),
        {"Content-Type": "application/json"})
    with contextlib.suppress(urllib.error.HTTPError):
        direct.open(request, timeout=30).read()


def load(origin, stop):
    """Users who sign up, sign in well and badly, and get messages."""
    for number in range(1_000_000):
        if stop.is_set():
            return
        email = f"user-{number}@shop.test"
        post(origin, "signUp", email=email, password="vellum-otter-7-harbor-Quince")
        post(origin, "signInWithPassword", email=email, password="vellum-otter-7-harbor-Quince")
        post(origin, "signInWithPassword", email=email, password="another")
        post(origin, "sendOobCode", requestType="PASSWORD_RESET", email=email)
        post(origin, "sendVerificationCode", phoneNumber=f"+4915112{number:06}")


@pytest.fixture(scope="module")
def mesh():
    """The address of a mesh under load."""
    from ports import free_port
    from sms import Provider

    # Short, because the path of a socket is.
    with tempfile.TemporaryDirectory(prefix="lk-", dir="/tmp") as folder, Provider(0) as provider:
        address = f"127.0.0.1:{free_port()}"
        environment = {"PATH": os.environ["PATH"], "LATCHKEY_LIFELINE": "stdin", **provider.settings()}
        with open(f"{folder}/log", "wb") as log:
            process = subprocess.Popen(
                [EXECUTABLES / "latchkey", "up", "--dev", "--data", f"{folder}/data", "--listen", address],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment, text=True)
        stop = threading.Event()
        try:
            assert any(line.startswith("ready ") for line in process.stdout), pathlib.Path(f"{folder}/log").read_text()
            worker = threading.Thread(target=load, args=(f"http://{address}", stop))
            worker.start()
            yield address
            stop.set()
            worker.join()
        finally:
            stop.set()
            process.terminate()
            process.wait(timeout=60)


@pytest.fixture(scope="module")
def prometheus(mesh):
    """A function that evaluates an expression over what Prometheus has read."""
    from ports import free_port

    with tempfile.TemporaryDirectory(prefix="latchkey-prometheus-") as folder:
        address = f"127.0.0.1:{free_port()}"
        pathlib.Path(folder, "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s"}, "rule_files": [str(ALERTS)],
            "scrape_configs": [{"job_name": "latchkey", "static_configs": [{"targets": [mesh]}]}]}))
        with open(f"{folder}/log", "wb") as log:
            process = subprocess.Popen(
                ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                 f"--web.listen-address={address}"], stdout=log, stderr=log)

        def query(expression):
            url = f"http://{address}/api/v1/query?{urllib.parse.urlencode({'query': expression})}"
            while True:
                try:
                    with direct.open(url, timeout=30) as response:
                        return json.loads(response.read())["data"]["result"]
                except urllib.error.HTTPError as error:
                    # 503 while it starts.
                    assert error.code == 503, (expression, error.read())
                except urllib.error.URLError:
                    assert process.poll() is None, pathlib.Path(folder, "log").read_text()
                time.sleep(0.1)

        try:
            yield query
        finally:
            process.terminate()
            process.wait(timeout=60)


def test_every_expression_has_an_answer(prometheus):
    asked = [(place, expression) for place, expression in expressions()
             if "vector" in expression or not any(name in expression for name in ABSENT)]
    assert len(asked) > 50
    deadline = time.monotonic() + 300
    while empty := [each for each in asked if not prometheus(each[1])]:
        assert time.monotonic() < deadline, "\n".join(f"{place}: {expression}" for place, expression in empty)
        time.sleep(1)
