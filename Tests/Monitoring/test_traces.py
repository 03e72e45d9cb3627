"""Traces: what a mesh sends to a receiver of OTLP, and that a receiver which is slow, gone or lying costs no request anything."""

import base64
import collections
import http.server
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.append(str(ROOT / "Tests/Bench"))
EXECUTABLES = pathlib.Path(os.environ.get("LATCHKEY_EXECUTABLES", ROOT / ".build/debug")).resolve()
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
PASSWORD = "vellum-otter-7-harbor-Quince"
SERVER, CLIENT, INTERNAL = trace_pb2.Span.SPAN_KIND_SERVER, trace_pb2.Span.SPAN_KIND_CLIENT, trace_pb2.Span.SPAN_KIND_INTERNAL


def message(body):
    """The message of a body. The plain parser of protobuf takes ids as base64; OTLP writes them in hexadecimal."""
    document = json.loads(body)

    def convert(value):
        if isinstance(value, list):
            return [convert(each) for each in value]
        if not isinstance(value, dict):
            return value
        ids = {"traceId": 16, "spanId": 8, "parentSpanId": 8}
        for name in ids.keys() & value.keys():
            assert re.fullmatch(r"[0-9a-f]{%d}" % (ids[name] * 2), value[name]), value
        return {name: base64.b64encode(bytes.fromhex(each)).decode() if name in ids else convert(each)
                for name, each in value.items()}

    return json_format.ParseDict(convert(document), trace_service_pb2.ExportTraceServiceRequest())


class Receiver:
    """A receiver of OTLP whose manners a test chooses. Use it in a `with` statement."""

    def __init__(self):
        self.manner = "works"
        self.requests = collections.Counter()  # By manner.
        self.spans = []  # With the name of their service.
        self.bodies = []
        self.faults = []
        self.released = threading.Event()

    def __enter__(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                receiver.requests[receiver.manner] += 1
                if receiver.manner == "silent":
                    receiver.released.wait(60)
                    return
                if receiver.manner == "lying":
                    self.wfile.write(b"\x00\xff garbage \r\n\r\n" * 100)
                    self.close_connection = True
                    return
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.accept(self.path, self.headers["Content-Type"], body)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def accept(self, path, kind, body):
        try:
            assert (path, kind) == ("/v1/traces", "application/json")
            for resource in message(body).resource_spans:
                attributes = {each.key: each.value.string_value for each in resource.resource.attributes}
                assert attributes["service.namespace"] == "latchkey" and attributes["service.version"]
                for scope in resource.scope_spans:
                    self.spans += [(attributes["service.name"], span) for span in scope.spans]
            self.bodies.append(body)
        except Exception as error:  # The server would only print it.
            self.faults.append(f"{error!r}: {body[:2000]!r}")

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def __exit__(self, *failure):
        self.released.set()
        self.close()

    def find(self, what, predicate):
        """The first span for which the predicate holds."""
        deadline = time.monotonic() + 120
        while True:
            assert not self.faults, self.faults
            for service, span in list(self.spans):
                if predicate(service, span):
                    return span
            assert time.monotonic() < deadline, (what, sorted({(name, span.name) for name, span in self.spans}))
            time.sleep(0.1)


def attributes(span):
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


class Mesh:
    def __init__(self, origin):
        self.origin = origin

    def post(self, operation, headers={}, **body):
        """The status and the seconds of a call."""
        request = urllib.request.Request(
            f"{self.origin}/identitytoolkit.googleapis.com/v1/accounts:{operation}?key=any", json.dumps(body).encode(),
            {"Content-Type": "application/json", **headers})
        began = time.monotonic()
        try:
            with direct.open(request, timeout=30) as response:
                response.read()
                status = response.status
        except urllib.error.HTTPError as error:
            status = error.code
        return status, time.monotonic() - began

    def metric(self, name):
        with direct.open(f"{self.origin}/metrics", timeout=30) as response:
            text = response.read().decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name))


@pytest.fixture(scope="module")
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def mesh(receiver):
    from ports import free_port
    from sms import Provider

    with tempfile.TemporaryDirectory(prefix="lk-", dir="/tmp") as folder, Provider(0) as provider:
        address = f"127.0.0.1:{free_port()}"
        environment = {
            "PATH": os.environ["PATH"], "LATCHKEY_LIFELINE": "stdin", "LATCHKEY_TRUSTED_PROXIES": "127.0.0.1",
            "LATCHKEY_OTLP_URL": f"http://127.0.0.1:{receiver.port}", **provider.settings()}
        with open(f"{folder}/log", "wb") as log:
            process = subprocess.Popen(
                [EXECUTABLES / "latchkey", "up", "--dev", "--data", f"{folder}/data", "--listen", address],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment, text=True)
        try:
            assert any(line.startswith("ready ") for line in process.stdout), pathlib.Path(f"{folder}/log").read_text()
            yield Mesh(f"http://{address}")
        finally:
            process.terminate()
            assert process.wait(timeout=60) == 0, pathlib.Path(f"{folder}/log").read_text()


def test_spans_form_one_trace_from_the_proxy_to_the_worker(mesh, receiver):
    trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    headers = {"traceparent": f"00-{trace}-{parent}-01", "tracestate": "vendor=1"}
    assert mesh.post("signUp", headers, email="ann@shop.test", password=PASSWORD)[0] == 200
    gateway = receiver.find("gateway", lambda service, span: service == "gateway" and span.trace_id.hex() == trace)
    assert gateway.parent_span_id.hex() == parent and gateway.kind == SERVER and gateway.trace_state == "vendor=1"
    assert attributes(gateway) == {
        "http.request.method": "POST", "http.route": "/v1/accounts:signUp", "http.response.status_code": 200,
        "url.scheme": "http", "latchkey.project": "demo-latchkey"}
    assert gateway.name == "POST /v1/accounts:signUp" and gateway.start_time_unix_nano < gateway.end_time_unix_nano
    worker = receiver.find("identity", lambda service, span: service == "identity" and span.trace_id.hex() == trace
                           and span.name == "identity/signUp")
    assert worker.parent_span_id == gateway.span_id and worker.kind == SERVER and worker.trace_state == "vendor=1"
    assert worker.status.code == trace_pb2.Status.STATUS_CODE_UNSET


def test_trace_that_the_proxy_does_not_record_is_not_recorded(mesh, receiver):
    trace = "5bf92f3577b34da6a3ce929d0e0e4736"
    mesh.post("signUp", {"traceparent": f"00-{trace}-00f067aa0ba902b7-00"}, email="ben@shop.test", password=PASSWORD)
    later = "6bf92f3577b34da6a3ce929d0e0e4736"
    mesh.post("signUp", {"traceparent": f"00-{later}-00f067aa0ba902b7-01"}, email="eve@shop.test", password=PASSWORD)
    receiver.find("the later one", lambda service, span: service == "identity" and span.trace_id.hex() == later)
    assert not [span for _, span in receiver.spans if span.trace_id.hex() == trace]


def test_attempt_of_the_outbox_has_a_link_to_its_request_and_a_request_to_the_provider(mesh, receiver):
    trace, number = "7bf92f3577b34da6a3ce929d0e0e4736", "+4915112000001"
    headers = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
    assert mesh.post("sendVerificationCode", headers, phoneNumber=number)[0] == 200
    attempt = receiver.find("attempt", lambda service, span: service == "notifier" and span.name == "deliver sms")
    assert [link.trace_id.hex() for link in attempt.links] == [trace] and attempt.kind == INTERNAL
    assert attempt.trace_id.hex() != trace and not attempt.parent_span_id
    request = receiver.find("request", lambda service, span: span.kind == CLIENT and span.parent_span_id == attempt.span_id)
    assert request.trace_id == attempt.trace_id
    found = attributes(request)
    assert found.pop("server.port") > 0 and found == {
        "http.request.method": "POST", "server.address": "127.0.0.1", "url.scheme": "http",
        "http.response.status_code": 201}


def test_errors_of_callers_are_no_errors_and_values_are_absent(mesh, receiver):
    trace = "8bf92f3577b34da6a3ce929d0e0e4736"
    headers = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
    assert mesh.post("signInWithPassword", headers, email="ann@shop.test", password="another")[0] == 400
    gateway = receiver.find("gateway", lambda service, span: service == "gateway" and span.trace_id.hex() == trace)
    assert attributes(gateway)["http.response.status_code"] == 400 and gateway.status.code == 0
    worker = receiver.find("identity", lambda service, span: span.name == "identity/signInWithPassword"
                           and span.trace_id.hex() == trace)
    assert attributes(worker)["rpc.response.status_code"] and worker.status.code == 0
    for secret in [b"shop.test", b"4915112", PASSWORD.encode(), b"key=any"]:
        assert not [body for body in receiver.bodies if secret in body], secret


def test_receiver_costs_no_request_anything(mesh, receiver):
    """The medians are printed for a reader; a machine under load gives no bound to compare them with."""
    def measured(manner, count):
        receiver.manner = manner
        calls = [mesh.post("signInWithPassword", email="ann@shop.test", password=PASSWORD) for _ in range(count)]
        assert {status for status, _ in calls} == {200}, manner
        return statistics.median(seconds for _, seconds in calls)

    medians = {"works": measured("works", 20)}
    for manner in ["silent", "lying"]:
        medians[manner] = measured(manner, 20)
        deadline = time.monotonic() + 120
        while not receiver.requests[manner]:
            assert time.monotonic() < deadline, manner
            time.sleep(0.1)
        # The span of each call counts sooner or later, and no call fails meanwhile.
        dropped = mesh.metric("latchkey_traces_dropped_spans_total")
        while mesh.metric("latchkey_traces_dropped_spans_total") == dropped:
            assert time.monotonic() < deadline, manner
            assert mesh.post("signInWithPassword", email="ann@shop.test", password=PASSWORD)[0] == 200
    receiver.released.set()
    receiver.close()
    medians["gone"] = measured("gone", 20)
    print({manner: f"{seconds * 1000:.1f} ms" for manner, seconds in medians.items()})
