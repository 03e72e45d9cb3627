"""Tasks of operators at the console, in Chromium.

    LATCHKEY_EXECUTABLES=.build/debug pytest Tests/Console
"""

import hashlib
import json
import secrets
import sqlite3
import time

import pytest
from desk import PROJECT, Operator
from mesh import wait_for
from playwright.sync_api import expect
from service import PASSWORD, Refused


def signed_up(installation, email=None, **fields):
    email = email or f"{secrets.token_hex(6)}@example.com"
    answer = installation.call("v1/accounts:signUp", email=email, password=PASSWORD, returnSecureToken=True, **fields)
    return email, answer["localId"], answer["refreshToken"]


def can_sign_in(installation, email, password=PASSWORD):
    try:
        return bool(installation.call("v1/accounts:signInWithPassword", email=email, password=password))
    except Refused:
        return False


@pytest.fixture(scope="session")
def account(installation):
    return signed_up(installation, displayName="Ada <script>alert(1)</script>")[1]


def test_no_session_leads_to_the_sign_in_and_back(open_desk, new_operator, account):
    operator = new_operator("--role", "viewer")
    open_desk(operator).sign_in()
    desk = open_desk(operator)
    desk.open(f"{PROJECT}/user?id={account}")
    desk.password()
    desk.check()
    desk.field("Six-digit code").fill(operator.code())
    desk.button("Confirm").click()
    desk.page.wait_for_url(f"**{PROJECT}/user?id={account}")


# Tasks


def test_what_did_text_messages_cost_yesterday(open_desk, state, counted):
    desk = open_desk(None, storage_state=state)
    desk.open("/console")
    desk.sees("12.35")
    desk.sees("today 0.25 · 31 days 12.60")
    desk.link("Last 31 days").click()
    desk.page.locator("#chart-smsCost").get_by_role("link", name="Read as a table").click()
    desk.check()
    row = desk.page.locator("#chart-smsCost tbody tr").first
    assert row.locator("td").nth(1).inner_text() == "12.35"
    desk.sees("LATCHKEY_SMS_PRICES")


def test_find_why_a_user_is_locked_out_and_let_them_in(desk, installation):
    email, account, _ = signed_up(installation)
    assert not can_sign_in(installation, email, "wrong password")
    # Thirty attempts would take an hour.
    with sqlite3.connect(installation.mesh.data / "identity.sqlite", timeout=20) as database:
        changed = database.execute(
            "UPDATE sign_in_attempts SET count = 30, blocked_until = ? WHERE address_digest = ?",
            (int(time.time() * 1000) + 600_000, hashlib.sha256(email.encode()).digest())).rowcount
    # This client is known and has attempts of its own: only unknown ones are locked out.
    assert changed == 1
    desk.open(f"{PROJECT}/users")
    desk.field("Search users").press_sequentially(email[:-1])
    # The list follows the field.
    expect(desk.page.locator("#found")).to_have_text("1 user")
    assert desk.focused == "q" and f"q={email[:4]}" in desk.page.url
    desk.link(email).click()
    desk.sees("Too many wrong passwords")
    desk.act("Forget wrong passwords")
    desk.sees("Nothing blocks a sign-in of this user.")
    assert can_sign_in(installation, email)


def test_disable_a_user_and_find_who_did_it(desk, installation):
    email, account, _ = signed_up(installation)
    desk.user(account)
    desk.act("Disable the account")
    desk.sees("The account is disabled.")
    assert not can_sign_in(installation, email)
    desk.link("Audit log").last.click()
    desk.sees("operator:ola@example.com")
    desk.link("operator:ola@example.com").first.click()
    desk.sees("account.updated")


def test_end_all_sessions_of_a_user(desk, installation):
    _, account, token = signed_up(installation)
    _, _, other = signed_up(installation)
    desk.user(account)
    desk.act("End all sessions")
    desk.sees("The user is signed in nowhere.")
    assert installation.refresh(other) and not installation.refresh(token)


def test_import_a_thousand_users(desk, installation, tmp_path):
    file = tmp_path / "users.jsonl"
    rows = [{"localId": f"import-{number}", "email": f"import-{number}@example.org"} for number in range(1000)]
    file.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"email": "no-id@example.org"}]))
    desk.open(f"{PROJECT}/users")
    desk.link("Import users").click()
    desk.check()
    desk.field("File of users").set_input_files(file)
    desk.button("Check the file").click()
    desk.sees("1000 users would be imported")
    desk.sees("1 record is refused")
    desk.check()
    desk.button("Import users").click()
    desk.sees("1000 users were imported")
    desk.check()
    desk.open(f"{PROJECT}/users")
    with desk.page.expect_download() as download:
        desk.link("Export users").click()
        desk.link("Download the users").click()
    with open(download.value.path()) as exported:
        ids = {json.loads(line)["localId"] for line in exported}
    assert {row["localId"] for row in rows} <= ids


def test_act_on_many_users(open_desk, state, installation):
    """By a form without script, with a page that is read again by itself."""
    tag = secrets.token_hex(4)
    emails = [signed_up(installation, f"{tag}-{number}@example.com")[0] for number in range(3)]
    desk = open_desk(None, storage_state=state, java_script_enabled=False)
    desk.open(f"{PROJECT}/users?q={tag}")
    desk.field(f"Choose {emails[0]}").check()
    desk.field(f"Choose {emails[1]}").check()
    desk.button("Disable these accounts").click()
    desk.sees("2 users")
    desk.sees("tokens are refused")
    desk.button("Disable these accounts").click()
    desk.sees("2 of 2 done")
    assert [can_sign_in(installation, email) for email in emails] == [False, False, True]
    # Without a choice, all that the list finds.
    desk.open(f"{PROJECT}/users?q={tag}")
    desk.button("Disable these accounts").click()
    desk.sees("1 user")
    desk.sees("2 more are already so")


def test_sign_in_with_a_passkey(open_desk, new_operator, installation):
    operator = new_operator("--role", "viewer")
    desk = open_desk(operator, base_url=installation.origin.replace("127.0.0.1", "localhost"))
    desk.begin_with_passkey("Laptop")
    desk.link("Your passkeys").click()
    desk.sees("Laptop")
    desk.check()
    desk.link("Rename").click()
    desk.check()
    desk.field("Name of the passkey").fill("Old laptop")
    desk.button("Save").click()
    desk.sees("Old laptop")
    desk.link("Remove").click()
    desk.sees("This is your only second factor.")
    # Whoever has the password alone gets neither in nor another factor.
    other = open_desk(operator)
    other.open("/console/sign-in")
    other.password()
    other.alert("This operator signs in with a passkey.")
    installation.command("operator", "reset", operator.email, "--json")
    other.open("/console/sign-in")
    other.password()
    other.alert("The e-mail address or the password is wrong.")


def test_try_a_sign_in(desk):
    desk.open(f"{PROJECT}/try")
    with desk.page.expect_popup() as popup:
        desk.link("Open the sign-in page").click()
    popup.value.get_by_role("heading", level=1).wait_for()
    # The page of users knows nothing of the console.
    assert popup.value.evaluate("window.opener") is None
    popup.value.close()


def test_keys_lead_to_pages(desk):
    desk.open(f"{PROJECT}/users")
    desk.page.keyboard.press("/")
    assert desk.focused == "q"
    # No key of a field is a shortcut.
    desk.page.keyboard.type("ga?")
    desk.page.locator("h1").click()
    desk.page.keyboard.press("g")
    desk.page.keyboard.press("a")
    desk.heading("Audit log")
    desk.page.keyboard.press("?")
    desk.heading("Keyboard shortcuts")
    desk.field("Keyboard shortcuts are on in this browser").uncheck()
    desk.page.locator("h1").click()
    desk.page.keyboard.press("g")
    desk.page.keyboard.press("o")
    desk.heading("Keyboard shortcuts")


def test_turn_on_authenticator_apps(desk, installation):
    desk.open(f"{PROJECT}/settings?area=factors")
    desk.field("Authenticator app as second factor").select_option("optional")
    desk.button("Review the changes").click()
    desk.heading("Review the changes")
    desk.check()
    desk.button("Save").click()
    desk.sees("The change is saved.")
    desk.open(f"{PROJECT}/settings")
    desk.link("Who changed the settings").click()
    desk.sees("operator:ola@example.com")
    desk.link("Show the change").first.click()
    desk.check()
    desk.button("Undo this change").click()
    desk.sees("The change is saved.")


def test_add_google(desk, installation):
    desk.open(f"{PROJECT}/settings")
    desk.link("Identity providers").click()
    desk.page.get_by_label("Set up: Google").click()
    desk.field("Client ID").fill("123.apps.googleusercontent.com")
    desk.field("Client secret").fill("GOCSPX-secret")
    desk.field("Users can sign in with it").select_option("on")
    desk.button("Save").click()
    desk.sees("The change is saved.")
    desk.check()
    assert "GOCSPX-secret" not in desk.page.content()
    desk.button("Check the provider").click()
    desk.sees("A sign-in leads to this address: https://accounts.google.com/")
    desk.link("Delete this identity provider").click()
    desk.sees("Users who are linked to it")
    desk.check()
    desk.button("Delete this identity provider").click()
    desk.sees("It is done.")
    desk.page.get_by_label("Set up: Google").wait_for()


def test_revoke_a_leaked_service_account(desk, installation):
    desk.open(f"{PROJECT}/integrations")
    desk.link("Create a key").click()
    desk.field("Name of the account").fill(f"backend-{secrets.token_hex(4)}")
    desk.button("Create a key").click()
    key = json.loads(desk.page.locator("pre").inner_text())
    token = installation.access_token(key)["access_token"]

    def add_user():
        installation.request(
            "POST", f"v1/projects/{key['project_id']}/accounts", {"localId": secrets.token_hex(8)},
            Authorization=f"Bearer {token}")
    add_user()
    desk.open(f"{PROJECT}/integrations")
    desk.sees(key["client_email"])
    desk.page.locator(f'a[href*="/revoke-key?"][href*="{key["private_key_id"]}"]').click()
    desk.heading("Revoke this key")
    desk.sees(key["client_email"])
    desk.check()
    desk.button("Revoke this key").click()
    desk.sees("It is done.")
    assert desk.page.get_by_text(key["client_email"]).count() == 0
    # Neither the key nor a token that it has got opens anything.
    assert installation.access_token(key)["error"] == "invalid_grant"
    with pytest.raises(Refused):
        add_user()


def test_change_the_reset_mail_in_german(desk, installation):
    email, _, _ = signed_up(installation)
    desk.open(f"{PROJECT}/settings?area=mails")
    desk.link("Deutsch").first.click()
    desk.field("Subject").fill("Ihr neues Passwort")
    desk.button("Review the changes").click()
    desk.sees("Ihr neues Passwort")
    desk.check()
    desk.button("Save").click()
    desk.sees("The change is saved.")
    for locale, subject in [("de-AT", "Ihr neues Passwort"), ("en", "Reset your password")]:
        installation.request(
            "POST", "v1/accounts:sendOobCode?key=key", {"requestType": "PASSWORD_RESET", "email": email},
            **{"X-Firebase-Locale": locale})
        wait_for(f"the mail arrived in {locale}", lambda: any(
            found.startswith(subject) for found in installation.subjects(email)))
    desk.button("Use the text of Latchkey").click()
    desk.button("Save").click()
    desk.sees("The change is saved.")


def test_bad_setting_is_refused_at_its_field(desk):
    desk.open(f"{PROJECT}/settings?area=messages")
    desk.field("Test numbers").fill("+15555550100")
    desk.button("Review the changes").click()
    desk.alert("This line cannot be read")
    desk.check()


def test_add_an_operator_with_the_support_role(desk, open_desk, installation, account):
    desk.open("/console/operators")
    desk.link("Add an operator").click()
    email = f"{secrets.token_hex(4)}@example.com"
    desk.field("E-mail address").fill(email)
    desk.field("Role").select_option("support")
    desk.button("Give this role").click()
    desk.check()
    other = open_desk(Operator(email, desk.page.locator("pre").inner_text()))
    other.sign_in()
    other.user(account)
    other.sees("Disable the account")
    assert other.link("Delete the account").count() == 0
    other.open(f"{PROJECT}/user/delete?id={account}")
    other.heading("Not allowed")
    other.open("/console/operators")
    other.heading("Not allowed")
    # A lower role ends the session at once.
    installation.command("operator", "add", email, "--role", "viewer")
    other.open("/console")
    other.heading("Latchkey console")


def test_verify_and_download_the_log(desk):
    desk.open("/console/audit/verify")
    desk.button("Verify the log").click()
    desk.sees("The log is intact")
    desk.open("/console/audit")
    with desk.page.expect_download() as download:
        desk.link("Download the log").click()
    with open(download.value.path()) as file:
        assert '"record"' in file.readline()


def test_stored_script_is_text(desk, account):
    desk.page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    desk.user(account)
    desk.sees("Ada <script>alert(1)</script>")


def test_sign_out_ends_the_session(open_desk, new_operator):
    desk = open_desk(new_operator())
    desk.sign_in()
    state = desk.context.storage_state()
    desk.open("/console/sessions")
    desk.button("Sign out").click()
    desk.heading("Latchkey console")
    # A copy of the cookie opens nothing either.
    copy = open_desk(None, storage_state=state)
    copy.open("/console")
    copy.heading("Latchkey console")


def test_reset_operator_begins_again(open_desk, new_operator, installation):
    operator = new_operator("--role", "support", "--project", "demo-latchkey")
    desk = open_desk(operator)
    desk.sign_in()
    link = json.loads(installation.command("operator", "reset", operator.email, "--json"))["link"]
    desk.open("/console")
    desk.heading("Latchkey console")
    again = open_desk(Operator(operator.email, link))
    again.sign_in()
    again.sees("support")


def test_journey_without_script(open_desk, new_operator, account):
    desk = open_desk(new_operator("--role", "viewer"), java_script_enabled=False)
    desk.sign_in()
    desk.open(f"{PROJECT}/users")
    desk.field("Search users").fill("Ada")
    desk.button("Search").click()
    desk.sees("Ada <script>")
