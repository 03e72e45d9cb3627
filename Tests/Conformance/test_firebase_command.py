"""The requests of `firebase auth:import` and `firebase auth:export`, from lib/firebase-command.json."""
import json
import os
import uuid
from pathlib import Path

import pytest

from lib.client import PASSWORD, fresh_email
from test_admin_accounts import SCRYPT, hashed, latchkey

REQUESTS = json.loads((Path(__file__).parent / "lib/firebase-command.json").read_text())
TOKEN = "owner"


def filled(value, **values):
    """The value with `{name}` replaced in its texts."""
    if isinstance(value, dict):
        return {key: filled(member, **values) for key, member in value.items()}
    if isinstance(value, list):
        return [filled(member, **values) for member in value]
    if isinstance(value, str) and value.startswith("{") and value[1:-1] in values:
        return values[value[1:-1]]
    return value


def web(text: str) -> str:
    """As the command writes base64."""
    return text.replace("/", "_").replace("+", "-")


def send(service, name, bearer=TOKEN, body=None, **values):
    request = REQUESTS[name]
    return service.raw(request["method"], request["path"], admin=True,
                       headers={**REQUESTS["headers"], "Authorization": f"Bearer {bearer}"},
                       json=body or filled(request["body"], project=service.project, **values))


@latchkey("a refresh token of Google")
def test_token_is_presented_as_it_is(service):
    request = REQUESTS["token"]
    fields = {name: (None, text) for name, text in filled(request["multipart"], token=TOKEN).items()}
    reply = service.raw(request["method"], request["path"], admin=True, headers=REQUESTS["headers"], files=fields)
    assert reply.status in request["statusesThatKeepTheToken"] and reply.body["error"]


@hashed
@pytest.mark.parametrize("case", [case for case in SCRYPT["cases"] if case["passwordUtf8Hex"]][:3],
                         ids=lambda case: case["id"])
def test_users_move_in_and_out(service, case):
    options, uid, email = SCRYPT["parameters"], uuid.uuid4().hex, fresh_email()
    hash_and_salt = {"hash": web(case["hashBase64"]), "salt": web(case["saltBase64"])}
    reply = send(service, "import", uid=uid, email=email, **hash_and_salt,
                 signerKey=web(options["signerKeyBase64"]), saltSeparator=web(options["saltSeparatorBase64"]),
                 rounds=str(options["rounds"]), memoryCost=str(options["memCost"])).ok("kind")
    assert "error" not in reply
    exported = export(service)[uid]
    assert (exported["passwordHash"], exported["salt"]) == (hash_and_salt["hash"], hash_and_salt["salt"])
    # The command exports a hash with this version only.
    assert exported["version"] == 0 and exported["lastLoginAt"] == "1500000000001"
    service.password_reply(email, bytes.fromhex(case["passwordUtf8Hex"]).decode()).ok("idToken")
    # Latchkey has replaced the hash by one of its own, which the command must not export.
    assert "version" not in export(service)[uid]


def export(service) -> dict:
    users, token = {}, None
    while True:
        request = REQUESTS["export"]
        body = filled(request["nextPage"] if token else request["body"], project=service.project, nextPageToken=token)
        reply = send(service, "export", body=body).ok("kind")
        users.update({user["localId"]: user for user in reply.get("users", [])})
        token = reply.get("nextPageToken")
        if not token:
            return users


def test_users_without_passwords(service):
    uid, email = uuid.uuid4().hex, fresh_email()
    assert "error" not in send(service, "importFromCSV", uid=uid, email=email, rawId=uuid.uuid4().hex).ok("kind")
    record = service.record(uid)
    assert record["customAttributes"] == '{"plan":"pro"}' and record["disabled"] is False
    assert "google.com" in {entry["providerId"] for entry in record["providerUserInfo"]}


def test_refused_users_are_listed_with_their_index(service):
    body = filled(REQUESTS["importFromCSV"]["body"], project=service.project, email=fresh_email())
    good, bad = ({**body["users"][0], "providerUserInfo": [], "localId": uid} for uid in (uuid.uuid4().hex, "x" * 200))
    del bad["email"]
    reply = send(service, "importFromCSV", body={**body, "users": [good, bad]}).ok("error")
    assert [entry["index"] for entry in reply["error"]] == [1]


@latchkey("no limit")
def test_batch_is_bounded(service):
    users = [{"localId": uuid.uuid4().hex} for _ in range(1001)]
    body = {"users": users, "targetProjectId": service.project}
    assert send(service, "importFromCSV", body=body).status == 400
    assert service.record(users[0]["localId"]) is None


@latchkey("every bearer is an administrator")
def test_other_token_is_refused(service):
    assert send(service, "export", bearer="1//refresh-token-of-google").status == 401
