import base64
import hashlib
import hmac
import json
import os
import uuid
from pathlib import Path

import argon2
import bcrypt
import pytest

from lib.client import PASSWORD, fresh_email
from lib.tokens import check_id_token

latchkey = pytest.mark.latchkey
hashed = latchkey("foreign hashes are not verified")
VECTORS = Path(os.environ.get("LATCHKEY_VECTORS", Path(__file__).parent.parent / "Vectors"))
SCRYPT = json.loads((VECTORS / "firebase-scrypt.json").read_text())


def web(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode()


def upload(service, *users, **options):
    return service.admin("POST", "/accounts:batchCreate", {"users": list(users), **options})


def row(**fields) -> dict:
    return {"localId": f"import-{uuid.uuid4().hex}", "email": fresh_email(), **fields}


class TestCreate:
    def test_every_field(self, service):
        number, local_id = service.fresh_phone(), uuid.uuid4().hex
        body = service.admin("POST", "/accounts", {
            "localId": local_id, "email": fresh_email(), "password": PASSWORD, "displayName": "Made",
            "photoUrl": "https://img.example/a.png", "phoneNumber": number, "emailVerified": True}).ok("localId")
        assert body["localId"] == local_id and not {"idToken", "refreshToken"} & body.keys()
        record = service.record(local_id)
        assert (record["phoneNumber"], record["displayName"], record["emailVerified"]) == (number, "Made", True)

    def test_second_factor(self, service):
        number = service.fresh_phone()
        user = service.create_user(emailVerified=True, mfaInfo=[{"phoneInfo": number, "displayName": "work"}])
        info, = service.record(user.local_id)["mfaInfo"]
        assert info["phoneInfo"] == number and info["displayName"] == "work" and info["mfaEnrollmentId"]
        service.pending(user)

    @pytest.mark.parametrize("fields, code", [
        ({"email": "plain"}, "INVALID_EMAIL"), ({"phoneNumber": "123"}, "INVALID_PHONE_NUMBER : Invalid format."),
        ({"password": "12345"}, "WEAK_PASSWORD"),
        ({"mfaInfo": [{"phoneInfo": "123"}]}, "INVALID_MFA_PHONE_NUMBER : Invalid format."),
        pytest.param({"localId": "x" * 129}, "INVALID_LOCAL_ID", marks=latchkey("any length"))])
    def test_refused(self, service, fields, code):
        service.admin("POST", "/accounts", {"email": fresh_email(), **fields}).error(code)

    def test_taken(self, service, user):
        phone_user, number = service.phone_user()
        for fields, code in (({"localId": user.local_id}, "DUPLICATE_LOCAL_ID"),
                             ({"email": user.email}, "EMAIL_EXISTS"),
                             ({"phoneNumber": number}, "PHONE_NUMBER_EXISTS")):
            service.admin("POST", "/accounts", fields).error(code)

    @latchkey("checks the address first")
    def test_taken_id_is_reported_first(self, service, user):
        phone_user, number = service.phone_user()
        for fields in ({"email": user.email}, {"phoneNumber": number}, {"email": user.email, "phoneNumber": number}):
            service.admin("POST", "/accounts", {"localId": user.local_id, **fields}).error("DUPLICATE_LOCAL_ID")

    def test_signed_in_user_has_a_last_refresh(self, service, user):
        assert service.record(user.local_id)["lastRefreshAt"].endswith("Z")
        created = service.admin("POST", "/accounts", {"email": fresh_email()}).ok("localId")
        assert "lastRefreshAt" not in service.record(created["localId"])

    @latchkey("created anyway")
    def test_second_factor_needs_a_verified_email(self, service):
        service.admin("POST", "/accounts", {"email": fresh_email(), "emailVerified": False, "mfaInfo": [
            {"phoneInfo": service.fresh_phone()}]}).error("UNVERIFIED_EMAIL")


class TestList:
    def test_pages_cover_everyone_once(self, make_tenant):
        tenant = make_tenant()
        made = sorted(tenant.create_user().local_id for _ in range(7))
        seen, token = [], None
        for _ in range(5):
            page = tenant.admin("GET", "/accounts:batchGet", maxResults=3,
                                **({"nextPageToken": token} if token else {})).ok("kind")
            assert page["kind"] == "identitytoolkit#DownloadAccountResponse"
            seen.append([entry["localId"] for entry in page.get("users", [])])
            token = page.get("nextPageToken")
            if not token:
                break
        assert seen == [made[:3], made[3:6], made[6:]] and token is None

    # Changed: a full last page had no token. Production and the emulator return one.
    def test_full_page_has_a_token(self, make_tenant):
        tenant = make_tenant()
        for _ in range(2):
            tenant.create_user()
        page = tenant.admin("GET", "/accounts:batchGet", maxResults=2).ok("nextPageToken")
        last = tenant.admin("GET", "/accounts:batchGet", maxResults=2, nextPageToken=page["nextPageToken"]).ok("kind")
        assert not last.get("users") and "nextPageToken" not in last

    def test_default_page(self, service, user):
        page = service.admin("GET", "/accounts:batchGet").ok("kind")
        assert 1 <= len(page["users"]) <= 20 and page["users"][0]["localId"]

    def test_query_all(self, make_tenant):
        tenant = make_tenant()
        made = {tenant.create_user().local_id for _ in range(3)}
        body = tenant.admin("POST", "/accounts:query", {}).ok("recordsCount")
        assert body["recordsCount"] == "3" and {entry["localId"] for entry in body["userInfo"]} == made

    def test_query_count_only(self, make_tenant):
        tenant = make_tenant()
        tenant.create_user()
        body = tenant.admin("POST", "/accounts:query", {"returnUserInfo": False}).ok("recordsCount")
        assert body["recordsCount"] == "1" and "userInfo" not in body

    @pytest.mark.parametrize("order", ["ASC", "DESC"])
    def test_query_order(self, make_tenant, order):
        tenant = make_tenant()
        made = sorted((tenant.create_user().local_id for _ in range(4)), reverse=order == "DESC")
        body = tenant.admin("POST", "/accounts:query", {"sortBy": "USER_ID", "order": order}).ok("userInfo")
        assert [entry["localId"] for entry in body["userInfo"]] == made

    @latchkey("no expressions")
    @pytest.mark.parametrize("criterion", [lambda u: {"email": u.email}, lambda u: {"userId": u.local_id}])
    def test_query_expression(self, service, user, criterion):
        service.sign_up()
        body = service.admin("POST", "/accounts:query", {"expression": [criterion(user)]}).ok("userInfo")
        assert [entry["localId"] for entry in body["userInfo"]] == [user.local_id]

    @latchkey("no limit")
    def test_query_limit_and_offset(self, service, user):
        service.sign_up()
        first, second = (service.admin("POST", "/accounts:query", {
            "limit": 1, "offset": offset, "sortBy": "CREATED_AT", "order": "DESC"}).ok("userInfo")["userInfo"]
            for offset in (0, 1))
        assert len(first) == len(second) == 1 and first[0]["localId"] != second[0]["localId"]


class TestImport:
    def test_fields_arrive(self, service):
        number = service.fresh_phone()
        account = row(displayName="Imported", emailVerified=True, phoneNumber=number, createdAt="1500000000000",
                      customAttributes='{"plan":"pro"}', providerUserInfo=[
                          {"providerId": "google.com", "rawId": uuid.uuid4().hex, "email": fresh_email()}])
        body = upload(service, account).ok("kind")
        assert body["kind"] == "identitytoolkit#UploadAccountResponse" and not body.get("error")
        record = service.record(account["localId"])
        for name in ("email", "displayName", "emailVerified", "phoneNumber", "createdAt", "customAttributes"):
            assert record[name] == account[name], name
        assert {entry["providerId"] for entry in record["providerUserInfo"]} >= {"google.com", "phone"}

    def test_raw_password(self, service):
        account = row(rawPassword=PASSWORD)
        upload(service, account).ok("kind")
        body = service.password_reply(account["email"], PASSWORD).ok("idToken")
        check_id_token(service, body["idToken"], "password", local_id=account["localId"])

    def test_second_factor(self, service):
        account = row(emailVerified=True, rawPassword=PASSWORD, mfaInfo=[{"phoneInfo": service.fresh_phone()}])
        upload(service, account).ok("kind")
        body = service.password_reply(account["email"], PASSWORD).ok("mfaPendingCredential", "mfaInfo")
        session, code = service.start_sms_sign_in(body)
        service.finish_sms_sign_in(body, session, code).ok("idToken")

    def test_overwrite(self, service):
        account = row(displayName="old")
        upload(service, account).ok("kind")
        upload(service, {**account, "displayName": "new"}, allowOverwrite=True).ok("kind")
        assert service.record(account["localId"])["displayName"] == "new"

    def test_no_overwrite(self, service):
        account = row(displayName="old")
        upload(service, account, allowOverwrite=False).ok("kind")
        body = upload(service, {**account, "displayName": "new"}, allowOverwrite=False).ok("error")
        assert body["error"][0]["index"] == 0 and service.record(account["localId"])["displayName"] == "old"

    @pytest.mark.parametrize("bad", [
        {"localId": ""}, {"email": "plain"}, {"phoneNumber": "12"}, {"customAttributes": "{"},
        {"customAttributes": '{"sub":"x"}'}, {"emailVerified": False, "mfaInfo": [{"phoneInfo": "+12025550170"}]},
        {"emailVerified": True, "mfaInfo": [{"phoneInfo": "12"}]},
        {"emailVerified": True, "mfaInfo": [{"totpInfo": {}}]}])
    def test_one_bad_row_does_not_stop_the_others(self, service, bad):
        good, other = row(), {**row(), **bad}
        body = upload(service, good, other).ok("error")
        assert [entry["index"] for entry in body["error"]] == [1] and body["error"][0]["message"]
        assert service.record(good["localId"])

    def test_row_of_another_tenant(self, service, make_tenant):
        tenant = make_tenant()
        good, bad = row(tenantId=tenant.tenant_id), row(tenantId="another")
        body = upload(tenant, good, bad).ok("error")
        assert [entry["index"] for entry in body["error"]] == [1]
        assert tenant.record(good["localId"]) and tenant.record(bad["localId"]) is None
        body = upload(service, row(), row(tenantId=tenant.tenant_id)).ok("error")
        assert [entry["index"] for entry in body["error"]] == [1]

    def test_empty(self, service):
        upload(service).error("MISSING_USER_ACCOUNT")

    def test_sanity_check(self, service):
        first, second = row(), row()
        second["email"] = first["email"]
        upload(service, first, second, sanityCheck=True).error(f"DUPLICATE_EMAIL : {first['email']}")
        assert service.record(first["localId"]) is None

    @hashed
    @pytest.mark.parametrize("case", SCRYPT["cases"], ids=lambda case: case["id"])
    @pytest.mark.parametrize("alphabet", [str, lambda text: text.replace("+", "-").replace("/", "_").rstrip("=")],
                             ids=["base64", "base64url"])
    def test_firebase_scrypt(self, service, case, alphabet):
        options = SCRYPT["parameters"]
        account = row(passwordHash=alphabet(case["hashBase64"]), salt=alphabet(case["saltBase64"]))
        upload(service, account, hashAlgorithm="SCRYPT", signerKey=alphabet(options["signerKeyBase64"]),
               saltSeparator=alphabet(options["saltSeparatorBase64"]), rounds=options["rounds"],
               memoryCost=options["memCost"]).ok("kind")
        password = bytes.fromhex(case["passwordUtf8Hex"]).decode()
        service.password_reply(account["email"], password + "x").error("INVALID_PASSWORD")
        if password:
            service.password_reply(account["email"], password).ok("idToken")
            service.password_reply(account["email"], password).ok("idToken")

    @hashed
    @pytest.mark.parametrize("algorithm, make, options", [
        ("BCRYPT", lambda p, s: bcrypt.hashpw(p, bcrypt.gensalt(5)), {}),
        ("PBKDF_SHA1", lambda p, s: hashlib.pbkdf2_hmac("sha1", p, s, 1000), {"rounds": 1000}),
        ("PBKDF2_SHA256", lambda p, s: hashlib.pbkdf2_hmac("sha256", p, s, 4096), {"rounds": 4096}),
        ("HMAC_SHA256", lambda p, s: hmac.digest(b"signer", p + s, "sha256"),
         {"signerKey": web(b"signer"), "passwordHashOrder": "PASSWORD_AND_SALT"}),
        ("HMAC_SHA512", lambda p, s: hmac.digest(b"signer", s + p, "sha512"),
         {"signerKey": web(b"signer"), "passwordHashOrder": "SALT_AND_PASSWORD"}),
        ("SHA256", lambda p, s: hashlib.sha256(s + p).digest(),
         {"rounds": 1, "passwordHashOrder": "SALT_AND_PASSWORD"}),
        ("MD5", lambda p, s: hashlib.md5(s + p).hexdigest().encode(),
         {"rounds": 0, "passwordHashOrder": "SALT_AND_PASSWORD"}),
        ("SHA1", lambda p, s: hashlib.sha1(p + s).hexdigest().upper().encode(),
         {"rounds": 1, "passwordHashOrder": "PASSWORD_AND_SALT"}),
        ("STANDARD_SCRYPT", lambda p, s: hashlib.scrypt(p, salt=s, n=1024, r=8, p=2, dklen=64),
         {"cpuMemCost": 1024, "blockSize": 8, "parallelization": 2, "dkLen": 64}),
        ("ARGON2", lambda p, s: argon2.low_level.hash_secret_raw(p, s, 2, 1024, 1, 32, argon2.Type.ID, 19),
         {"argon2Parameters": {"hashLengthBytes": 32, "hashType": "ARGON2_ID", "parallelism": 1, "iterations": 2,
                               "memoryCostKib": 1024, "version": "VERSION_13"}})],
        ids=lambda value: value if isinstance(value, str) else "")
    def test_other_hashes(self, service, algorithm, make, options):
        salt = os.urandom(16)
        account = row(passwordHash=web(make(PASSWORD.encode(), salt)), salt=web(salt))
        upload(service, account, hashAlgorithm=algorithm, **options).ok("kind")
        service.password_reply(account["email"], PASSWORD + "x").error("INVALID_PASSWORD")
        for _ in range(2):
            service.password_reply(account["email"], PASSWORD).ok("idToken")

    @hashed
    @pytest.mark.parametrize("options", [
        {"hashAlgorithm": "ROT13"}, {"hashAlgorithm": "HMAC_SHA256"}, {"hashAlgorithm": "SCRYPT", "rounds": 9},
        {"hashAlgorithm": "PBKDF2_SHA256", "rounds": 2000001}, {}])
    def test_bad_hash_options(self, service, options):
        account = row(passwordHash=web(b"x" * 32), salt=web(b"y" * 16))
        assert upload(service, account, **options).status == 400
        assert service.record(account["localId"]) is None
        upload(service, row(rawPassword=PASSWORD)).ok("kind")


class TestBatchDelete:
    def test_force(self, service):
        users = [service.create_user().local_id for _ in range(3)]
        body = service.admin("POST", "/accounts:batchDelete", {"localIds": users[:2], "force": True}).ok()
        assert not body.get("errors")
        assert [service.record(local_id) is None for local_id in users] == [True, True, False]

    def test_only_disabled_without_force(self, service, user):
        off = service.create_user(disabled=True)
        body = service.admin("POST", "/accounts:batchDelete", {"localIds": [user.local_id, off.local_id]}).ok("errors")
        assert [(entry["index"], entry["localId"], entry["message"]) for entry in body["errors"]] == [
            (0, user.local_id, "NOT_DISABLED : Disable the account before batch deletion.")]
        assert service.record(user.local_id) and service.record(off.local_id) is None

    def test_unknown_ids_are_fine(self, service, user):
        assert not service.admin("POST", "/accounts:batchDelete", {
            "localIds": ["nobody", user.local_id], "force": True}).ok().get("errors")
        assert service.record(user.local_id) is None

    def test_too_many(self, service):
        service.admin("POST", "/accounts:batchDelete", {"localIds": ["x"] * 1001, "force": True}).error(
            "LOCAL_ID_LIST_EXCEEDS_LIMIT")

    def test_none(self, service):
        service.admin("POST", "/accounts:batchDelete", {"localIds": []}).one_of(
            "MISSING_LOCAL_ID", "LOCAL_ID_LIST_EXCEEDS_LIMIT")
