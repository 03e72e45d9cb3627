"""The hosted sign-in in Chromium: wide and narrow, by keyboard, with passkeys, without script, in every language and look."""

import secrets
import urllib.parse

import pytest
from playwright.sync_api import expect
from tab import HOME

PASSWORD = "correct-horse-7"
START = f"/__/auth/login?apiKey=key&continueUrl={urllib.parse.quote(HOME, safe='')}"
LANGUAGES = ["en", "es", "ko", "th", "de", "fr", "ja", "ar"]
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
    tab = open_tab()
    sign_up_with_passkey(tab)
    tab.confirm(False)
    tab.open(START)
    tab.button("Sign in with a passkey").click()
    tab.confirm(True)
    tab.left()
    assert len(tab.sessions()) == 1


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


LOOKS = [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}]


@pytest.mark.parametrize("look", LOOKS, ids=["light", "dark", "forced colors"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_accessible(open_tab, language, look):
    tab = open_tab(**NARROW, **look)
    for path in (START, START.replace("/login", "/register")):
        tab.open(f"{path}&hl={language}")
        tab.check()
        # Nothing was entered: the browser itself asks for it, and is not asked.
        tab.page.evaluate("document.forms[0].noValidate = true")
        tab.page.locator("form button").first.click()
        expect(tab.page.locator("#alarm")).to_be_visible()
        tab.check()
    tab.open(f"{START}&hl={language}")
    tab.page.locator("#email").fill(address())
    tab.page.locator("form button").first.click()
    expect(tab.page.locator("#password")).to_be_visible()
    tab.check()


def test_weight(open_tab):
    """At most 60 KB, and nothing from another host."""
    tab, sizes = open_tab(), {}
    tab.page.on("response", lambda response: sizes.update({response.url: len(response.body())}))
    tab.open(START)
    tab.page.wait_for_load_state("networkidle")
    assert sum(sizes.values()) <= 60_000, sizes
    assert all(url.startswith(tab.page.evaluate("origin")) for url in sizes)
