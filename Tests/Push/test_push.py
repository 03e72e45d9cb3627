"""Pushes from a real mesh to a fake APNs server over HTTP/2 and TLS.

    LATCHKEY_EXECUTABLES=.build/debug pytest Tests/Push
"""

import os
import subprocess
import time
import uuid

import jwt
import pytest
from apns import Answer
from conftest import KEY_ID, TEAM_ID, TOKEN, TOPIC, make_certificate
from mesh import EXECUTABLES, wait_for


def test_push_has_documented_format(make_mesh, apns, team_key):
    mesh = make_mesh(apns)
    before = time.time()
    message = mesh.push()
    assert mesh.record(message)["state"] == "sent"
    push, = apns.received()
    assert push.headers[":method"] == "POST" and push.headers[":path"] == f"/3/device/{TOKEN}"
    assert push.headers["apns-topic"] == TOPIC
    assert push.headers["apns-push-type"] == "background" and push.headers["apns-priority"] == "5"
    assert uuid.UUID(push.headers["apns-id"]).hex == message
    assert before + 55 < int(push.headers["apns-expiration"]) < time.time() + 61
    assert push.json == {"aps": {"content-available": 1},
                         "com.google.firebase.auth": {"receipt": "receipt-0", "secret": "the-secret-0"}}
    assert jwt.get_unverified_header(push.token) == {"alg": "ES256", "kid": KEY_ID}
    claims = jwt.decode(push.token, team_key[1], algorithms=["ES256"])
    assert claims["iss"] == TEAM_ID and before - 1 <= claims["iat"] <= time.time() and len(claims) == 2
    record = mesh.record(message)
    assert record["channel"] == "push" and record["maskedRecipient"] == "•••0A08" and record["attempts"] == 1
    assert mesh.stop() == 0
    for secret in ["the-secret-0", TOKEN, push.token]:
        assert secret not in mesh.log + mesh.output


def test_pushes_share_connection_and_token(make_mesh, apns):
    mesh = make_mesh(apns, LATCHKEY_APNS_CONNECTIONS="1")
    messages = {mesh.push(number) for number in range(60)}
    wait_for("all arrived", lambda: len(apns.received()) == 60)
    assert {uuid.UUID(push.headers["apns-id"]).hex for push in apns.received()} == messages
    assert apns.connections == 1
    assert len({push.token for push in apns.received()}) == 1


def test_connections_are_limited(make_mesh, apns):
    mesh = make_mesh(apns, LATCHKEY_APNS_CONNECTIONS="4")
    for number in range(40):
        mesh.push(number)
    wait_for("all arrived", lambda: len(apns.received()) == 40)
    assert apns.connections <= 4


@pytest.mark.parametrize("status, reason, problem", [
    (410, "Unregistered", "deviceGone 410"), (400, "BadDeviceToken", "recipientRefused 400"),
    (400, "DeviceTokenNotForTopic", "recipientRefused 400"), (413, "PayloadTooLarge", "contentRefused 413")])
def test_rejection_fails_only_its_push(make_mesh, apns, status, reason, problem):
    apns.answer = lambda push: Answer(status, reason) if push.json["com.google.firebase.auth"]["receipt"] == "bad" else Answer()
    mesh = make_mesh(apns)
    message = mesh.push(receipt="bad")
    record = mesh.record(message)
    assert (record["state"], record["problem"], record["attempts"]) == ("failed", problem, 1)
    assert mesh.record(mesh.push(1))["state"] == "sent"
    assert reason not in mesh.log


def test_expired_token_is_renewed_once(make_mesh, apns):
    mesh = make_mesh(apns, LATCHKEY_APNS_CONNECTIONS="1")
    assert mesh.record(mesh.push(1))["state"] == "sent"
    old = apns.received()[0].token
    apns.answer = lambda push: Answer(403, "ExpiredProviderToken") if push.token == old else Answer()
    record = mesh.record(mesh.push(2))
    assert record["state"] == "sent" and record["attempts"] == 1
    assert mesh.record(mesh.push(3))["state"] == "sent"
    tokens = [push.token for push in apns.received()]
    assert tokens[1] == old and tokens[2] == tokens[3] != old and len(tokens) == 4


def test_invalid_token_is_transport_outage(make_mesh, apns):
    apns.answer = lambda push: Answer(403, "InvalidProviderToken")
    mesh = make_mesh(apns)
    message = mesh.push()
    wait_for("it was told", lambda: "delivery.transport-failed channel=push reason=\"authentication 403\"" in mesh.log)
    apns.answer = lambda push: Answer()
    assert mesh.record(message)["state"] == "sent"


@pytest.mark.parametrize("answer", [
    Answer(429, "TooManyRequests"), Answer(503, "ServiceUnavailable"), Answer(500, "InternalServerError"),
    Answer(503, "Shutdown", goes_away=True), Answer(503, body=b"\xff<html>")])
def test_deferred_push_is_retried(make_mesh, apns, answer):
    answers = [answer]
    apns.answer = lambda push: answers.pop() if answers else Answer()
    mesh = make_mesh(apns)
    record = mesh.record(mesh.push())
    assert record["state"] == "sent" and record["attempts"] == 2
    assert len({push.headers["apns-id"] for push in apns.received()}) == 1


def test_hanging_server_does_not_block_notifier(make_mesh, apns):
    apns.answer = lambda push: None
    mesh = make_mesh(apns, LATCHKEY_APNS_TIMEOUT="500ms", LATCHKEY_APNS_CONNECTIONS="1")
    message = mesh.push()
    mesh.problem(message, "noAnswer")
    assert mesh.ask("listDeliveries", {"project": "demo-latchkey", "limit": 1}, within=10)["result"]
    apns.answer = lambda push: Answer()
    assert mesh.record(message)["state"] == "sent"


def test_hanging_server_does_not_delay_shutdown(make_mesh, apns):
    apns.answer = lambda push: None
    mesh = make_mesh(apns, LATCHKEY_APNS_TIMEOUT="55s")
    message = mesh.push()
    wait_for("it was tried", apns.received)
    assert mesh.stop() == 0
    apns.answer = lambda push: Answer()
    mesh = make_mesh(apns)
    record = mesh.record(message)
    assert record["state"] == "sent" and record["attempts"] == 2


def test_notifiers_share_pushes(make_mesh, apns):
    apns.answer = lambda push: time.sleep(0.02) or Answer()
    mesh = make_mesh(apns, "--scale", "notifier=2", LATCHKEY_APNS_CONNECTIONS="2")
    messages = {mesh.push(number) for number in range(60)}
    wait_for("all arrived", lambda: len(apns.received()) >= 60)
    assert sorted(uuid.UUID(push.headers["apns-id"]).hex for push in apns.received()) == sorted(messages)
    assert len({push.token for push in apns.received()}) == 2


def test_lost_connection_is_replaced(make_mesh, apns):
    mesh = make_mesh(apns, LATCHKEY_APNS_CONNECTIONS="1")
    for number in range(3):
        assert mesh.record(mesh.push(number))["state"] == "sent"
        apns.cut()
    assert apns.connections == 3


def test_client_certificate_replaces_token(make_mesh, make_apns, directory):
    file, key = make_certificate(directory, "client")
    both = directory / "both.pem"
    both.write_text(file.read_text() + key.read_text())
    both.chmod(0o400)
    apns = make_apns(clients=file)
    unset = {f"LATCHKEY_APNS_{name}": "" for name in ["KEY_FILE", "KEY_ID", "TEAM_ID"]}
    mesh = make_mesh(apns, **unset, LATCHKEY_APNS_CERT_FILE=str(both))
    assert mesh.record(mesh.push())["state"] == "sent"
    push, = apns.received()
    assert "authorization" not in push.headers


def test_untrusted_server_gets_no_push(make_mesh, apns, directory):
    other_authority, _ = make_certificate(directory, "stranger")
    mesh = make_mesh(apns, LATCHKEY_APNS_CA_FILE=str(other_authority))
    mesh.problem(mesh.push(), "tls")
    wait_for("it was told", lambda: "delivery.transport-failed channel=push reason=tls" in mesh.log)
    assert apns.received() == [] and apns.connections == 0


def test_server_with_another_name_gets_no_push(make_mesh, apns):
    mesh = make_mesh(apns, LATCHKEY_APNS_BASE_URL=f"https://127.0.0.1:{apns.port}")
    mesh.problem(mesh.push(), "tls")
    assert apns.received() == []


def test_server_without_http2_is_refused(make_mesh, make_apns):
    mesh = make_mesh(make_apns(protocols=["http/1.1"]))
    message = mesh.push()
    mesh.problem(message, "tls")
    assert mesh.record(message, "pending")


def test_accepted_pushes_survive_killed_notifier(make_mesh, apns):
    mesh = make_mesh(apns)
    apns.answer = lambda push: Answer(503, "ServiceUnavailable")
    messages = {mesh.push(number) for number in range(10)}
    mesh.kill("notifier.1")
    apns.answer = lambda push: Answer()
    assert {mesh.record(message)["state"] for message in messages} == {"sent"}


def test_inbox_is_used_without_apns(make_mesh, apns):
    unset = {f"LATCHKEY_APNS_{name}": "" for name in ["BASE_URL", "KEY_FILE", "KEY_ID", "TEAM_ID", "CA_FILE"]}
    mesh = make_mesh(apns, **unset)
    message = mesh.push()
    assert mesh.record(message)["state"] == "sent"
    message_in_inbox, = mesh.ask("listInboxMessages", {"limit": 1})["result"]["messages"]
    assert message_in_inbox["channel"] == "push" and '"secret":"the-secret-0"' in message_in_inbox["text"]
    assert apns.received() == []


@pytest.mark.parametrize("mode", [0o440, 0o404])
def test_readable_key_file_is_refused(directory, team_key, mode):
    team_key[0].chmod(mode)
    program = subprocess.run(
        [EXECUTABLES / "latchkey", "up", "--dev", "--data", directory / "data", "--listen", "127.0.0.1:0",
         "--only", "gateway,identity,notifier"],
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "LATCHKEY_APNS_KEY_FILE": str(team_key[0]), "LATCHKEY_APNS_KEY_ID": KEY_ID,
             "LATCHKEY_APNS_TEAM_ID": TEAM_ID})
    assert program.returncode == 78
    assert f"{team_key[0]} can be read by others" in program.stderr


def test_projects_send_with_their_own_keys(make_mesh, apns, directory):
    def key(name):
        private, public = directory / f"{name}.p8", directory / f"{name}.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", private],
                       check=True, capture_output=True)
        subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
        return private.read_text(), public.read_text()

    unset = {f"LATCHKEY_APNS_{name}": "" for name in ["KEY_FILE", "KEY_ID", "TEAM_ID"]}
    mesh = make_mesh(apns, **unset)
    public = {}
    for number, project in enumerate(["shop", "bank"]):
        private, public[project] = key(project)
        added = wait_for("it was added", lambda: (mesh.ask("addAPNsKey", {
            "project": project, "bundleID": TOPIC, "environment": "BOTH", "keyID": f"KEY000000{number}", "teamID": TEAM_ID,
            "privateKey": private, "client": {}}) or {}).get("result"))
        assert "privateKey" not in added and private not in mesh.log + mesh.output
    assert mesh.ask("addAPNsKey", {
        "project": "shop", "bundleID": TOPIC, "environment": "BOTH", "keyID": "KEY0000009", "teamID": TEAM_ID,
        "privateKey": "no key", "client": {}})["error"]["code"] == "invalidAPNsKey"

    def refuse_shop(push):
        return Answer(403, "InvalidProviderToken") if jwt.get_unverified_header(push.token)["kid"] == "KEY0000000" else Answer()

    apns.answer = refuse_shop
    messages = {project: mesh.push(project=project) for project in public}

    def record(project):
        return wait_for(f"the push of {project} ended", lambda: next(
            (r for r in mesh.ask("listDeliveries", {"project": project, "limit": 5})["result"]["deliveries"]
             if r["messageID"] == messages[project] and r["state"] != "pending"), None))

    shop, bank = record("shop"), record("bank")
    assert (shop["state"], shop["problem"], bank["state"]) == ("failed", "authentication 403", "sent")
    assert "delivery.transport-failed" not in mesh.log
    for push in apns.received():
        project = "shop" if jwt.get_unverified_header(push.token)["kid"] == "KEY0000000" else "bank"
        assert jwt.decode(push.token, public[project], algorithms=["ES256"])["iss"] == TEAM_ID
    # An application without a key of its project: the inbox of dev mode.
    other = mesh.push(bundleID="com.example.other")
    assert mesh.record(other)["state"] == "sent"
    assert len(apns.received()) == 2
