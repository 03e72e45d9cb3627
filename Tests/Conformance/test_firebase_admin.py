"""Imports with the library `firebase-admin`: every kind of hash, and the sign-in of each user."""
import base64
import hashlib
import hmac
import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import bcrypt
import pytest

from lib.client import PASSWORD, fresh_email
from test_admin_accounts import SCRYPT, hashed

# A process of its own: the library reads the address of the server from its environment.
SCRIPT = """
import base64, json, sys
import firebase_admin
from firebase_admin import auth

class Anonymous(firebase_admin.credentials.Base):
    def get_credential(self):
        from google.auth.credentials import AnonymousCredentials
        return AnonymousCredentials()

job = json.load(sys.stdin)
app = firebase_admin.initialize_app(Anonymous(), {"projectId": job["project"]})
decoded = lambda values: {name: base64.b64decode(value[4:]) if str(value).startswith("b64:") else value
                          for name, value in values.items()}
users = [auth.ImportUserRecord(**decoded(user)) for user in job["users"]]
hashes = getattr(auth.UserImportHash, job["hash"])(**decoded(job["options"])) if job["hash"] else None
result = auth.import_users(users, hash_alg=hashes)
listed = {user.uid: user for user in auth.list_users().iterate_all()}
print(json.dumps({"success": result.success_count, "errors": [[e.index, e.reason] for e in result.errors],
                  "hashes": {user["uid"]: listed[user["uid"]].password_hash for user in job["users"]
                             if user["uid"] in listed}}))
"""


def b64(data: bytes) -> str:
    return "b64:" + base64.b64encode(data).decode()


def import_users(service, users, hash_name=None, **options) -> dict:
    environment = {**os.environ, "FIREBASE_AUTH_EMULATOR_HOST": os.environ["LATCHKEY_URL"].split("://")[1]}
    job = {"project": service.project, "users": users, "hash": hash_name, "options": options}
    done = subprocess.run([sys.executable, "-c", SCRIPT], input=json.dumps(job), env=environment, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rounds_of(function, text, rounds):
    for _ in range(max(1, rounds)):
        text = function(text).digest()
    return text


KEY = b"signer"
HASHES = [
    *((f"hmac_{name}", {"key": b64(KEY)}, lambda p, s, name=name: hmac.digest(KEY, p + s, name))
      for name in ("sha512", "sha256", "sha1", "md5")),
    *((name, {"rounds": 3}, lambda p, s, name=name: rounds_of(getattr(hashlib, name), p + s, 3))
      for name in ("sha512", "sha256", "sha1", "md5")),
    ("pbkdf_sha1", {"rounds": 1000}, lambda p, s: hashlib.pbkdf2_hmac("sha1", p, s, 1000)),
    ("pbkdf2_sha256", {"rounds": 1000}, lambda p, s: hashlib.pbkdf2_hmac("sha256", p, s, 1000)),
    ("standard_scrypt", {"memory_cost": 1024, "parallelization": 2, "block_size": 8, "derived_key_length": 64},
     lambda p, s: hashlib.scrypt(p, salt=s, n=1024, r=8, p=2, dklen=64)),
    ("bcrypt", {}, lambda p, s: bcrypt.hashpw(p, bcrypt.gensalt(5))),
]


@hashed
@pytest.mark.parametrize("name, options, make", HASHES, ids=[entry[0] for entry in HASHES])
def test_user_of_each_hash_signs_in(service, name, options, make):
    salt, uid, email = os.urandom(16), uuid.uuid4().hex, fresh_email()
    users = [{"uid": uid, "email": email, "password_hash": b64(make(PASSWORD.encode(), salt)),
              "password_salt": b64(salt)}]
    result = import_users(service, users, name, **options)
    assert result["success"] == 1 and result["errors"] == [] and result["hashes"][uid]
    service.password_reply(email, PASSWORD + "x").error("INVALID_PASSWORD")
    service.password_reply(email, PASSWORD).ok("idToken")


@hashed
def test_user_of_firebase_signs_in(service):
    case, options = next(case for case in SCRYPT["cases"] if case["passwordUtf8Hex"]), SCRYPT["parameters"]
    uid, email = uuid.uuid4().hex, fresh_email()
    users = [{"uid": uid, "email": email, "password_hash": "b64:" + case["hashBase64"],
              "password_salt": "b64:" + case["saltBase64"], "custom_claims": {"plan": "pro"}}]
    result = import_users(service, users, "scrypt", key="b64:" + options["signerKeyBase64"],
                          salt_separator="b64:" + options["saltSeparatorBase64"], rounds=options["rounds"],
                          memory_cost=options["memCost"])
    assert result["success"] == 1
    service.password_reply(email, bytes.fromhex(case["passwordUtf8Hex"]).decode()).ok("idToken")


def test_half_valid_batch(service):
    uid, email = uuid.uuid4().hex, fresh_email()
    users = [{"uid": uid, "email": email}, {"uid": uuid.uuid4().hex, "email": email}, {"uid": uid}]
    result = import_users(service, users)
    assert result["success"] == 1 and [index for index, _ in result["errors"]] == [1, 2]
    assert all(reason for _, reason in result["errors"])
