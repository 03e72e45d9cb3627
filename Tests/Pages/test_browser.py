"""The hosted sign-in in Chromium: wide and narrow, by keyboard, with passkeys, without script, in every language and look."""

import json
import secrets
import urllib.parse
import urllib.request

import pyotp
import pytest
from playwright.sync_api import expect
from service import ADMINISTRATOR
from tab import HOME

PASSWORD = "correct-horse-7"
START = f"/__/auth/login?apiKey=key&continueUrl={urllib.parse.quote(HOME, safe='')}"
SIGN_IN_STARTS = "**/v2/accounts/passkeySignIn:start?*"
NARROW = {"viewport": {"width": 320, "height": 640}}


def address():
    return f"{secrets.token_hex(6)}@example.com"


def sign_up(tab, email, start=START):
    tab.open(start)
    tab.link("Create an account").click()
    tab.field("E-mail address").fill(email)
    tab.field("Your name (optional)").fill("Ada")
    tab.field("New password").fill(PASSWORD)
    tab.button("Create an account").click()


@pytest.mark.parametrize("options", [{}, NARROW, {"java_script_enabled": False}], ids=["wide", "narrow", "no script"])
def test_journey(open_tab, options):
    tab, email = open_tab(**options), address()
    sign_up(tab, email)
    tab.left()
    assert len(tab.sessions()) == 1 and tab.sessions()[0]["httpOnly"] and tab.sessions()[0]["sameSite"] == "Lax"
    tab.open(START)
    tab.heading("You are signed in")
    tab.link(f"Continue as {email}").click()
    tab.left()
    tab.open(START)
    tab.button("Sign out").click()
    tab.heading("You are signed out")
    assert tab.sessions() == []
    tab.open(START)
    tab.field("E-mail address").fill(email)
    tab.button("Continue").click()
    tab.field("Password").fill("wrong-horse-7")
    tab.button("Sign in").click()
    tab.alert("The e-mail address or the password is wrong.")
    tab.field("Password").fill(PASSWORD)
    tab.button("Sign in").click()
    tab.left()
    # The way back leads to no form with a password.
    tab.page.go_back()
    tab.heading("You are signed in")


def test_password_can_be_shown(open_tab):
    tab = open_tab()
    tab.open(START.replace("/login", "/register"))
    field, box = tab.field("New password"), tab.page.get_by_label("Show password")
    field.fill(PASSWORD)
    expect(field).to_have_attribute("type", "password")
    box.check()
    expect(field).to_have_attribute("type", "text")
    box.uncheck()
    expect(field).to_have_attribute("type", "password")


def test_keyboard_alone(open_tab):
    """The focus is where the next entry belongs, and on what was refused."""
    tab, email = open_tab(), address()
    sign_up(tab, email)
    tab.left()
    tab.context.clear_cookies()
    tab.open(START)
    assert tab.focused == "email"
    tab.page.keyboard.type(email)
    tab.page.keyboard.press("Enter")
    tab.heading("Enter your password")
    assert tab.focused == "password"
    tab.page.keyboard.type("wrong-horse-7")
    tab.page.keyboard.press("Enter")
    tab.alert("The e-mail address or the password is wrong.")
    assert tab.focused == "alarm"
    tab.page.keyboard.press("Tab")
    tab.page.keyboard.press("Enter")
    assert tab.focused == "password"
    tab.page.keyboard.type(PASSWORD)
    tab.page.keyboard.press("Enter")
    tab.left()


def sign_up_with_passkey(tab):
    tab.add_authenticator()
    tab.open("/__/auth/passkeys")
    tab.page.locator("#signUp").click()
    expect(tab.page.locator("#signOut")).to_be_visible()
    tab.page.locator("#signOut").click()
    expect(tab.page.locator("#signUp")).to_be_visible()


def test_passkey_by_button(open_tab):
    tab, asked = open_tab(), []
    sign_up_with_passkey(tab)
    tab.open("about:blank")

    # The field asks first, and gets nothing.
    def answer_button(route):
        asked.append(route)
        if len(asked) > 1:
            route.continue_()
    tab.page.route(SIGN_IN_STARTS, answer_button)
    with tab.page.expect_request(SIGN_IN_STARTS):
        tab.open(START)
    tab.button("Sign in with a passkey").click()
    tab.left()
    assert len(tab.sessions()) == 1


def test_button_waits_for_its_script(open_tab):
    """A press before would be lost."""
    tab, held = open_tab(), []
    tab.page.route("**/hosted-passkey.js*", lambda route: held.append(route))
    with tab.page.expect_request("**/hosted-passkey.js*"):
        tab.page.goto(START, wait_until="commit")
    button = tab.button("Sign in with a passkey")
    expect(button).to_be_disabled()
    held[0].continue_()
    expect(button).to_be_enabled()


def test_passkey_in_the_field(open_tab):
    tab = open_tab()
    sign_up_with_passkey(tab)
    tab.open(START)
    tab.left()
    assert len(tab.sessions()) == 1


def test_canceled_passkey_can_be_tried_again(open_tab):
    tab = open_tab()
    sign_up_with_passkey(tab)
    tab.devtools.send("WebAuthn.setUserVerified", {"authenticatorId": tab.device, "isUserVerified": False})
    tab.open(START)
    tab.button("Sign in with a passkey").click()
    expect(tab.page.locator("#alarm")).to_be_visible()
    tab.check()


def test_passkeys_need_a_script(open_tab):
    tab = open_tab(java_script_enabled=False)
    tab.open(START)
    expect(tab.field("E-mail address")).to_be_visible()
    expect(tab.button("Sign in with a passkey")).to_be_hidden()


def test_other_sites_can_neither_frame_nor_send(open_tab, service):
    """Clickjacking, and login by a form of another site."""
    tab = open_tab()
    evil = "http://localhost:65001/"
    form = f'<form method="post" action="{service.origin}{START}"><input name="email" value="a@b.c"></form>'
    tab.context.route(evil, lambda route: route.fulfill(
        content_type="text/html", body=f'<title>Evil</title><iframe src="{service.origin}{START}"></iframe>{form}'))
    tab.open(START)
    tab.open(evil)
    frame = tab.page.frames[1]
    assert frame.locator("#email").count() == 0
    with tab.page.expect_navigation() as navigation:
        tab.page.evaluate("document.forms[0].submit()")
    assert navigation.value.status == 403
    tab.errors.clear()  # Chromium says that it refused the frame.


def test_weight(open_tab):
    """At most 60 KB, and nothing from another host."""
    tab, sizes = open_tab(), {}
    tab.page.on("response", lambda response: sizes.update({response.url: len(response.body())}))
    tab.open(START)
    tab.page.wait_for_load_state("networkidle")
    assert sum(sizes.values()) <= 60_000, sizes
    assert all(url.startswith(tab.page.evaluate("origin")) for url in sizes)


# Mandatory second factor, and the offer of a passkey


@pytest.fixture(scope="module")
def strict(service):
    """The first page of a tenant in which every account needs a second factor."""
    tenant = service.create_tenant(
        allowPasswordSignup=True, mfaConfig={
            "state": "MANDATORY", "enabledProviders": ["PHONE_SMS"], "providerConfigs": [
                {"state": "MANDATORY", "totpProviderConfig": {"adjacentIntervals": 5}}]})
    return f"{START}&tenantId={tenant}", f"/emulator/v1/projects/demo-latchkey/tenants/{tenant}/oobCodes"


@pytest.mark.parametrize("options", [NARROW, {"java_script_enabled": False}], ids=["narrow", "no script"])
def test_mandatory_factor_is_added(open_tab, service, strict, options):
    start, codes = strict
    tab, email = open_tab(**options), address()
    sign_up(tab, email, start)
    tab.heading("Verify your address first")
    if options is NARROW:
        tab.check()
    tab.button("Send e-mail").click()
    expect(tab.page.get_by_text("An e-mail is on its way.")).to_be_visible()
    assert tab.sessions() == []
    with urllib.request.urlopen(service.origin + codes) as answer:
        link = [code for code in json.load(answer)["oobCodes"] if code["email"] == email][-1]["oobLink"]
    tab.open("/__/auth/action?" + link.partition("?")[2])
    tab.page.locator("form button").first.click()
    tab.open(f"{start}&step=enroll")
    tab.heading("Add an authenticator app")
    if options is NARROW:
        tab.check()
    tab.link("Add text messages").click()
    tab.heading("Add text messages")
    if options is NARROW:
        tab.check()
    tab.link("Use an authenticator app").click()
    key = tab.page.locator(".value").last.inner_text()
    code = tab.field("Six-digit code")
    code.fill("000000")
    tab.button("Confirm").click()
    tab.alert("That is not the code.")
    code.fill(pyotp.TOTP(key).now())
    tab.button("Confirm").click()
    tab.heading("Recovery codes")
    if options is NARROW:
        tab.check()
    codes = tab.page.locator(".codes li").all_inner_texts()
    assert len(codes) == len(set(codes)) == 10
    tab.link("I have kept them").click()
    tab.left()
    assert len(tab.sessions()) == 1
    # The next sign-in needs the second step; a recovery code is one.
    tab.context.clear_cookies()
    tab.open(start)
    tab.field("E-mail address").fill(email)
    tab.button("Continue").click()
    tab.field("Password").fill(PASSWORD)
    tab.button("Sign in").click()
    tab.link("Use a recovery code").click()
    tab.field("Recovery code").fill(codes[3])
    tab.button("Confirm").click()
    tab.left()


def test_passkey_is_added_and_signs_in(open_tab):
    tab, email = open_tab(), address()
    tab.add_authenticator()
    tab.confirm(False)
    sign_up(tab, email)
    tab.heading("Sign in without a password next time")
    tab.check()
    tab.confirm(True)
    tab.button("Add a passkey").click()
    tab.left()
    tab.context.clear_cookies()
    tab.open(START)
    tab.left()
    tab.open(START)
    expect(tab.link(f"Continue as {email}")).to_be_visible()


def test_refused_passkey_is_not_sent_again(open_tab, service):
    tab, email, sent = open_tab(), address(), []
    tab.add_authenticator()
    sign_up(tab, email)
    tab.button("Add a passkey").click()
    tab.left()
    projects = "v1/projects/demo-latchkey/accounts"
    users = service.request("POST", f"{projects}:lookup", {"email": [email]}, **ADMINISTRATOR)["users"]
    service.request("POST", f"{projects}:delete", {"localId": users[0]["localId"]}, **ADMINISTRATOR)
    tab.context.clear_cookies()
    tab.page.on("request", lambda request: sent.append(request.method) if "/login/passkey?" in request.url else None)
    tab.open(START)
    tab.alert("No account has this passkey any more.")
    tab.page.wait_for_load_state("networkidle")
    assert sent == ["POST"]


def test_skipped_passkey_is_not_offered_again(open_tab):
    tab, email = open_tab(), address()
    tab.add_authenticator()
    tab.confirm(False)
    sign_up(tab, email)
    tab.button("Not now").click()
    tab.left()
    tab.open(START)
    tab.button("Sign out").click()
    tab.open(START)
    tab.field("E-mail address").fill(email)
    tab.button("Continue").click()
    tab.field("Password").fill(PASSWORD)
    tab.button("Sign in").click()
    tab.left()


def test_account_is_chosen(open_tab):
    tab, emails = open_tab(**NARROW), [address(), address()]
    for email in emails:
        sign_up(tab, email, f"{START}&prompt=login")
        tab.left()
    tab.open(START)
    tab.check()
    expect(tab.link(f"Continue as {emails[1]}")).to_be_visible()
    tab.button(f"Continue as {emails[0]}").click()
    tab.left()
    tab.open(START)
    expect(tab.link(f"Continue as {emails[0]}")).to_be_visible()
    tab.button("Sign out").click()
    tab.open(START)
    expect(tab.link(f"Continue as {emails[1]}")).to_be_visible()


def test_code_by_email(open_tab, service):
    tab, email = open_tab(**NARROW), address()
    sign_up(tab, email)
    tab.left()
    tab.context.clear_cookies()
    tab.open(START)
    tab.field("E-mail address").fill(email)
    tab.button("Continue").click()
    tab.button("Send me a code by e-mail").click()
    tab.heading("Enter the code from your e-mail")
    assert tab.focused == "code"
    tab.check()
    with urllib.request.urlopen(f"{service.origin}/emulator/v1/projects/demo-latchkey/emailCodes") as answer:
        code = [code for code in json.load(answer)["emailCodes"] if code["email"] == email][-1]["code"]
    tab.field("Six-digit code").fill(f"{code[:3]} {code[3:]}")
    tab.button("Confirm").click()
    tab.left()
