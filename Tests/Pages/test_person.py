"""Everything that a person does with an account, in each language. The words are never read: the forms lead."""

import json
import time
import urllib.parse

import pyotp
import pytest
from matrix import LANGUAGES
from playwright.sync_api import expect
from tab import HOME
from test_account import ACCOUNT
from test_browser import NARROW
from test_sign_in import LOGIN, LOGOUT, PASSWORD, REGISTER, address, links


class Person:
    def __init__(self, tab, language, email):
        self.tab, self.language, self.email = tab, language, email
        self.query = f"?apiKey=key&hl={language}&continueUrl={urllib.parse.quote(HOME, safe='')}"

    def open(self, path, more=""):
        self.tab.open(f"{path}{self.query}{more}")
        if not self.tab.page.url.startswith(HOME):
            expect(self.tab.page.locator("html")).to_have_attribute("lang", self.language)

    def form(self, path):
        return self.tab.page.locator(f'form[action^="{path}?"]').first

    def send(self, path, **fields):
        form = self.form(path)
        for name, value in fields.items():
            form.locator(f'[name="{name}"]').fill(value)
        form.locator("button").last.click()

    def sign_in(self, code):
        self.open(LOGIN, "&prompt=login")
        self.send(LOGIN, email=self.email)
        self.send(f"{LOGIN}/password", password=PASSWORD)
        self.send(f"{LOGIN}/code", code=code)
        self.tab.left()

    def sign_out(self):
        self.open(LOGIN)
        self.send(LOGOUT)
        expect(self.form(LOGOUT)).to_have_count(0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_life_of_an_account(open_tab, service, language):
    person = Person(open_tab(**(NARROW if language == "de" else {})), language, address())
    tab = person.tab
    tab.add_authenticator()
    tab.confirm(False)
    # Signs up, and adds a passkey.
    person.open(REGISTER)
    person.send(REGISTER, email=person.email, name="Ada", password=PASSWORD)
    tab.page.locator("#addPasskey").wait_for()
    tab.confirm(True)
    tab.page.locator("#addPasskey").click()
    tab.left()
    # Verifies the address. This ends the session; the passkey opens another one by itself.
    verification, = [link for link in links(service, person.email) if link["requestType"] == "VERIFY_EMAIL"]
    tab.open("/__/auth/action?" + verification["oobLink"].partition("?")[2])
    with tab.page.expect_response(lambda response: response.request.method == "POST") as verified:
        tab.page.locator("form button").first.click()
    assert verified.value.status == 200
    # Adds an authenticator app.
    person.open(f"{ACCOUNT}/authenticator")
    person.form(f"{ACCOUNT}/authenticator").wait_for()
    key = pyotp.TOTP(tab.page.locator(".value").last.inner_text())
    now = time.time()
    person.send(f"{ACCOUNT}/authenticator", code=key.at(now))
    person.form(f"{ACCOUNT}/recovery-codes").wait_for()
    person.send(f"{ACCOUNT}/recovery-codes")
    expect(tab.page.locator(".codes li")).to_have_count(10)
    # Signs out, and in again by each way.
    person.sign_out()
    tab.confirm(False)
    person.sign_in(key.at(now + 30))
    person.sign_out()
    tab.confirm(True)
    tab.open(LOGIN + person.query)  # The passkey in the field is taken at once.
    tab.left()
    # Ends the session of another browser.
    other = Person(open_tab(), language, person.email)
    other.sign_in(key.at(now + 60))
    person.open(f"{ACCOUNT}/devices")
    person.tab.page.locator('button[name="session"]').first.click()
    expect(person.tab.page.locator('button[name="session"]')).to_have_count(0)
    other.open(ACCOUNT)
    other.form(LOGIN).wait_for()
    # Downloads and deletes the account.
    person.open(f"{ACCOUNT}/data")
    with tab.page.expect_download() as download:
        person.send(f"{ACCOUNT}/data")
    assert json.loads(download.value.path().read_text())["account"]["email"] == person.email
    person.open(f"{ACCOUNT}/delete")
    person.send(f"{ACCOUNT}/delete")
    expect(person.form(f"{ACCOUNT}/delete")).to_have_count(0)
    tab.confirm(False)
    person.open(ACCOUNT)
    person.form(LOGIN).wait_for()
