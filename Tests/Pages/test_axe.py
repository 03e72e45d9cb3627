"""Every page for users in the matrix of accessibility (`matrix.py`), in the state in which users see it.

A page that the server gets, or a step of the sign-in, must be in PAGES, or in OTHERS if it shows nothing.
"""

import json
import pathlib
import re
import time
import urllib.parse
import urllib.request

import pyotp
import pytest
from matrix import check, served
from mesh import wait_for
from phones import Phones
from playwright.sync_api import expect
from service import ADMINISTRATOR
from test_account import ACCOUNT
from test_browser import PASSWORD, START, address, sign_up
from test_sign_in import LOGIN, REGISTER, links

QUERY = START.partition("?")[2]
ACTION = "/__/auth/action"
PROJECT = "v1/projects/demo-latchkey/accounts"
STEPS = pathlib.Path(__file__).parent / "../../Services/gateway/HostedSignIn/HostedVisit.swift"

# Each page by its path or step, and a word that tells it from others there; with the method of `Scenes` that leads to it, and
# further parameters.
PAGES = {
    LOGIN: ("nobody", ""), f"{LOGIN} refused": ("refused", ""), REGISTER: ("nobody", ""),
    f"{REGISTER} refused": ("refused", ""),
    f"{LOGIN}?step=password": ("known", ""), f"{LOGIN}?step=password refused": ("known_refused", ""),
    f"{LOGIN}?step=linkSent": ("nobody", ""), f"{LOGIN}?step=resetSent": ("nobody", ""),
    f"{LOGIN}?step=emailCode": ("email_code", ""),
    f"{LOGIN}?step=phone": ("nobody", ""), f"{LOGIN}?step=phone refused": ("refused", ""),
    f"{LOGIN}?step=phoneCode": ("phone_code", ""),
    f"{LOGIN}?step=secondFactor": ("pending", ""), f"{LOGIN}?step=recoveryCode": ("pending", ""),
    f"{LOGIN}?step=code": ("chosen", ""),
    f"{LOGIN}?step=verificationSent": ("nobody", ""),
    f"{LOGIN}?step=enroll unverified": ("unverified", ""), f"{LOGIN}?step=enroll": ("verified", ""),
    f"{LOGIN}?step=enrollPhone": ("verified", ""), f"{LOGIN}?step=enrollPhoneCode": ("enroll_phone_code", ""),
    f"{LOGIN}?step=restore": ("deleted", ""), f"{LOGIN}?step=addPasskey": ("offered", ""),
    f"{LOGIN} signed in": ("user", ""), f"{LOGIN} link": ("nobody", "&mode=signIn&oobCode=x"),
    f"{LOGIN} unknown application": ("nobody", "&continueUrl=https%3A%2F%2Fevil.example"),
    ACCOUNT: ("user", ""), f"{ACCOUNT} saved": ("user", "&done=saved"),
    **{f"{ACCOUNT}/{name}": ("user", "") for name in [
        "name", "email", "security", "password", "recovery-codes", "passkey", "devices",
        "connections", "data", "delete", "text-messages"]},
    f"{ACCOUNT}/phone": ("caller", ""), f"{ACCOUNT}/phone refused": ("caller_refused", ""),
    **{f"{ACCOUNT}/{name} refused": ("user_refused", "") for name in [
        "email", "password", "text-messages"]},
    f"{ACCOUNT}/authenticator": ("newcomer", ""), f"{ACCOUNT}/authenticator refused": ("newcomer_refused", ""),
    f"{ACCOUNT}/recovery-codes made": ("codes", ""),
    f"{ACCOUNT}/phone-code": ("caller_code", ""), f"{ACCOUNT}/text-messages-code": ("user_phone_code", ""),
    f"{ACCOUNT}/factor-name": ("listed", ""), f"{ACCOUNT}/passkey-name": ("listed", ""),
    **{f"{ACCOUNT}/remove {kind}": ("listed", f"&kind={kind}") for kind in ["factor", "passkey", "password"]},
    f"{ACCOUNT}/remove phone": ("caller", "&kind=phone&id="), f"{ACCOUNT} with a number": ("caller", ""),
    f"{ACCOUNT}/remove the only way in": ("newcomer", "&kind=password&id="),
    **{f"{ACTION} {mode}": ("link", "") for mode in [
        "resetPassword", "verifyEmail", "verifyAndChangeEmail", "recoverEmail", "revertSecondFactorAddition"]},
    ACTION: ("nobody", ""), f"{ACTION} invalid": ("nobody", "&mode=resetPassword&oobCode=x"),
    "/__/auth/passkeys": ("nobody", ""), "/__/auth/handler": ("nobody", ""),
    "/__/auth/callback": ("nobody", "&state=x"), "/__/auth/authorize": ("developer", ""),
    "/__/auth/authorize unregistered": ("developer", "?client_id=shop&redirect_uri=http%3A%2F%2Flocalhost%3A65000%2Fshop"),
    "/": ("developer", ""), "/dev/inbox": ("developer", ""), "/dev/users": ("developer", ""),
    "/__/auth/practice": ("developer", "?state=x"),
}
OTHERS = {
    f"{ACCOUNT}/verify-email", f"{ACCOUNT}/connect",  # They lead back from a form that is sent again.
    f"{ACCOUNT}/remove", f"{LOGIN}?step=done",  # With what is removed; leads on to the application.
    "/__/auth/links", "/__/auth/signin",  # They lead elsewhere.
    "/__/auth/iframe", "/__/auth/logo/{logo}", "/__/notify/receipts/{provider}",  # No page.
}


def test_every_page_is_in_the_matrix(service):
    known = OTHERS | {page.split(" ")[0] for page in PAGES}
    pages = served(service.origin, "/__/") | served(service.origin, "/dev/") | {"/"}
    steps = re.search(r"enum HostedStep: .*?\n}", STEPS.read_text(), re.DOTALL)[0]
    names = [name for line in re.findall(r"case ([\w, ]+)", steps) for name in line.split(", ")]
    assert len(names) > 10
    pages |= {f"{LOGIN}?step={name}" for name in names}
    assert pages - known == set() and known - pages == set()


class Scenes:
    """Browsers in the states that pages need. Each is made when a page asks for it first."""

    def __init__(self, service, new_tab):
        self.service, self.new_tab, self.made = service, new_tab, {}
        self.phones = Phones(service)

    def shared(self, name, make):
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    # Helpers of the scenes

    def path(self, page):
        return page.split(" ")[0]

    def opener(self, tab, page, more="", query=QUERY):
        """Opens a page, and is sure that it is there."""
        path = self.path(page)
        joint = "&" if "?" in path else "?"

        def show(language):
            tab.open(f"{path}{joint}{query}{more}&hl={language}&lang={language}")
            assert urllib.parse.urlsplit(tab.page.url).path == path.partition("?")[0], tab.page.url
            expect(tab.page.locator("html")).to_have_attribute("lang", language)
        return show

    def refusing(self, tab, show):
        """Sends the form of the page with a text that is refused. The browser itself is not asked."""
        def refuse(language):
            show(language)
            form = tab.page.locator("main form").first
            for field in form.locator("input:visible:not([type=checkbox])").all():
                field.fill("" if field.get_attribute("type") == "password" else "x")
            form.evaluate("form => form.noValidate = true")
            form.locator("button").first.click()
            tab.page.locator("#alarm").wait_for()
        return refuse

    def lookup(self, email):
        return self.service.request("POST", f"{PROJECT}:lookup", {"email": [email]}, **ADMINISTRATOR)["users"][0]

    def change(self, email, **fields):
        self.service.request("POST", f"{PROJECT}:update", {"localId": self.lookup(email)["localId"], **fields},
                             **ADMINISTRATOR)

    def send(self, tab, path, **fields):
        form = tab.page.locator(f'form[action^="{path}?"]').first
        for name, value in fields.items():
            form.locator(f'[name="{name}"]').fill(value)
        form.locator("button").last.click()

    def signed_up(self, **options):
        tab, email = self.new_tab(**options), address()
        sign_up(tab, email)
        tab.left()
        return tab, email

    def give_password(self, tab, email, start=START):
        tab.open(f"{start}&prompt=login")
        self.send(tab, LOGIN, email=email)
        self.send(tab, f"{LOGIN}/password", password=PASSWORD)

    # Nobody is signed in

    def nobody(self, page, more):
        return self.opener(tab := self.shared("nobody", self.new_tab), page, more), tab

    def refused(self, page, more):
        show, tab = self.nobody(page, more)
        return self.refusing(tab, show), tab

    def developer(self, page, more):
        """In English."""
        tab = self.shared("nobody", self.new_tab)

        def show(language):
            tab.open(f"{self.path(page)}{more}")
            expect(tab.page.locator("h1")).to_be_visible()
        return show, tab

    def known(self, page, more):
        def make():
            tab = self.new_tab()
            tab.open(START)
            self.send(tab, LOGIN, email=address())
            return tab
        return self.opener(tab := self.shared("known", make), page, more), tab

    def known_refused(self, page, more):
        show, tab = self.known(page, more)
        return self.refusing(tab, show), tab

    def email_code(self, page, more):
        def make():
            tab = self.new_tab()
            tab.open(START)
            self.send(tab, LOGIN, email=address())
            tab.page.locator('button[value="code"]').click()
            tab.page.locator("#code").wait_for()
            return tab
        return self.opener(tab := self.shared("email_code", make), page, more), tab

    def phone_code(self, page, more):
        def make():
            tab = self.new_tab()
            tab.open(f"{START}&step=phone")
            self.send(tab, f"{LOGIN}/phone", number=self.phones.number())
            tab.page.locator("#code").wait_for()
            return tab
        return self.opener(tab := self.shared("phone_code", make), page, more), tab

    # Between the first factor and the session

    def pending(self, page, more):
        def make():
            self.owner()
            tab = self.new_tab()
            self.give_password(tab, self.email)
            tab.page.wait_for_url("**step=secondFactor**")
            return tab
        return self.opener(tab := self.shared("pending", make), page, more), tab

    def chosen(self, page, more):
        _, tab = self.pending(page, more)
        tab.open(f"{START}&step=secondFactor")
        # The app is the first of the factors.
        tab.page.locator(f'form[action^="{LOGIN}/factor?"] button').first.click()
        tab.page.locator("#code").wait_for()
        return self.opener(tab, page, more), tab

    def strict(self):
        return self.shared("strict", lambda: self.service.create_tenant(
            allowPasswordSignup=True, mfaConfig={
                "state": "MANDATORY", "enabledProviders": ["PHONE_SMS"],
                "providerConfigs": [{"state": "MANDATORY", "totpProviderConfig": {"adjacentIntervals": 5}}]}))

    def unverified(self, page, more):
        tenant = self.strict()

        def make():
            tab = self.new_tab()
            sign_up(tab, address(), f"{START}&tenantId={tenant}")
            tab.page.wait_for_url("**step=enroll**")
            return tab
        return self.opener(tab := self.shared("unverified", make), page, f"{more}&tenantId={tenant}"), tab

    def verified(self, page, more):
        tenant = self.strict()

        def make():
            tab, email = self.new_tab(), address()
            sign_up(tab, email, f"{START}&tenantId={tenant}")
            tab.page.wait_for_url("**step=enroll**")
            accounts = f"v1/projects/demo-latchkey/tenants/{tenant}/accounts"
            user, = self.service.request("POST", f"{accounts}:lookup", {"email": [email]}, **ADMINISTRATOR)["users"]
            self.service.request("POST", f"{accounts}:update", {"localId": user["localId"], "emailVerified": True},
                                 **ADMINISTRATOR)
            return tab
        return self.opener(tab := self.shared("verified", make), page, f"{more}&tenantId={tenant}"), tab

    def enroll_phone_code(self, page, more):
        _, tab = self.verified(page, more)
        tab.open(f"{START}&tenantId={self.strict()}&step=enrollPhone")
        self.send(tab, f"{LOGIN}/enroll-phone", number=self.phones.number())
        tab.page.locator("#code").wait_for()
        return self.opener(tab, page, f"{more}&tenantId={self.strict()}"), tab

    def deleted(self, page, more):
        def make():
            tab, email = self.signed_up()
            tab.open(f"{ACCOUNT}/delete?{QUERY}")
            self.send(tab, f"{ACCOUNT}/delete")
            self.give_password(tab, email)
            tab.page.wait_for_url("**step=restore**")
            return tab
        return self.opener(tab := self.shared("deleted", make), page, more), tab

    def offered(self, page, more):
        def make():
            tab = self.new_tab()
            tab.add_authenticator()
            tab.confirm(False)
            sign_up(tab, address())
            tab.page.locator("#addPasskey").wait_for()
            return tab
        return self.opener(tab := self.shared("offered", make), page, more), tab

    # Users

    def owner(self):
        """A user with a passkey, two second factors, recovery codes and a remembered device."""
        def make():
            tab, self.email = self.new_tab(), address()
            tab.add_authenticator()
            tab.confirm(False)
            sign_up(tab, self.email)
            tab.page.locator("#addPasskey").wait_for()
            tab.confirm(True)
            tab.page.locator("#addPasskey").click()
            tab.left()
            self.change(self.email, emailVerified=True)
            tab.open(f"{ACCOUNT}/authenticator?{QUERY}")
            app = pyotp.TOTP(tab.page.locator(".value").last.inner_text())
            now = time.time()
            self.send(tab, f"{ACCOUNT}/authenticator", code=app.at(now))
            self.send(tab, f"{ACCOUNT}/recovery-codes")
            tab.page.locator(".codes li").first.wait_for()
            tab.open(f"{ACCOUNT}/text-messages?{QUERY}")
            number = self.phones.number()
            self.send(tab, f"{ACCOUNT}/text-messages", number=number)
            tab.page.locator("#code").wait_for()
            self.send(tab, f"{ACCOUNT}/text-messages-code", code=self.phones.code(number), name="Old phone")
            tab.page.wait_for_url("**/security**")
            tab.confirm(False)
            tab.context.clear_cookies()
            tab.open(START)
            self.send(tab, LOGIN, email=self.email)
            self.send(tab, f"{LOGIN}/password", password=PASSWORD)
            tab.page.locator(f'form[action^="{LOGIN}/factor?"] button').first.click()
            tab.page.locator("input[name=remember]").check()
            self.send(tab, f"{LOGIN}/code", code=app.at(now + 30))
            tab.left()
            self.signed_in_at = 0
            return tab
        tab = self.shared("owner", make)
        # What changes an account demands a sign-in of the last five minutes. The passkey in the field is taken at once.
        if time.monotonic() - self.signed_in_at > 120:
            tab.confirm(True)
            tab.open(f"{START}&prompt=login")
            tab.left()
            tab.confirm(False)
            self.signed_in_at = time.monotonic()
        return tab

    def user(self, page, more):
        tab = self.owner()
        return self.opener(tab, page, more), tab

    def user_refused(self, page, more):
        show, tab = self.user(page, more)
        return self.refusing(tab, show), tab

    def codes(self, page, more):
        show, tab = self.user(page, more)

        def made(language):
            show(language)
            self.send(tab, f"{ACCOUNT}/recovery-codes")
            tab.page.locator(".codes li").nth(9).wait_for()
        return made, tab

    def user_phone_code(self, page, more):
        return self.sent_code(page, *self.user(page, more))

    def sent_code(self, page, show, tab):
        path = self.path(page).removesuffix("-code")
        tab.open(f"{path}?{QUERY}")
        self.send(tab, path, number=self.phones.number())
        tab.page.locator("#code").wait_for()
        return show, tab

    def listed(self, page, more):
        """The page of something that the account has, as the link beside it says."""
        tab = self.owner()
        kind = urllib.parse.parse_qs(more).get("kind", [""])[0]
        tab.open(f"{ACCOUNT}/security?{QUERY}")
        link = tab.page.locator(f'a[href*="{self.path(page)}?"][href*="kind={kind}"]' if kind else
                                f'a[href*="{self.path(page)}?"]').first.get_attribute("href")
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(link).query, keep_blank_values=True)
        named = urllib.parse.urlencode({name: query[name][0] for name in ("kind", "id") if name in query})
        return self.opener(tab, page, f"&{named}"), tab

    def newcomer(self, page, more):
        """A user with a password alone, who has just signed up."""
        tab, email = self.signed_up()
        self.change(email, emailVerified=True)
        return self.opener(tab, page, more), tab

    def newcomer_refused(self, page, more):
        show, tab = self.newcomer(page, more)
        return self.refusing(tab, show), tab

    def caller(self, page, more):
        """A user with a number for sign-in, which cannot be a second factor as well."""
        tab, email = self.signed_up()
        self.change(email, phoneNumber=self.phones.number())
        return self.opener(tab, page, more), tab

    def caller_refused(self, page, more):
        show, tab = self.caller(page, more)
        return self.refusing(tab, show), tab

    def caller_code(self, page, more):
        return self.sent_code(page, *self.caller(page, more))

    # Links of e-mails

    def link(self, page, more):
        mode = page.split(" ")[1]
        tab = self.shared("nobody", self.new_tab)
        email, new = address(), address()
        token = self.service.call("v1/accounts:signUp", email=email, password=PASSWORD, returnSecureToken=True)["idToken"]
        if mode == "resetPassword":
            self.service.call("v1/accounts:sendOobCode", requestType="PASSWORD_RESET", email=email)
        elif mode == "verifyEmail":
            self.service.call("v1/accounts:sendOobCode", requestType="VERIFY_EMAIL", idToken=token)
        elif mode in ("verifyAndChangeEmail", "recoverEmail"):
            self.change(email, emailVerified=True)
            self.service.call("v1/accounts:sendOobCode", requestType="VERIFY_AND_CHANGE_EMAIL", idToken=token, newEmail=new)
            if mode == "recoverEmail":
                code = urllib.parse.parse_qs(urllib.parse.urlsplit(self.address("verifyAndChangeEmail", email, new)).query)
                self.service.call("v1/accounts:update", oobCode=code["oobCode"][0])
        else:
            self.change(email, emailVerified=True)
            started = self.service.call("v2/accounts/mfaEnrollment:start", idToken=token, totpEnrollmentInfo={})
            info = started["totpSessionInfo"]
            self.service.call("v2/accounts/mfaEnrollment:finalize", idToken=token, displayName="App", totpVerificationInfo={
                "sessionInfo": info["sessionInfo"],
                "verificationCode": pyotp.TOTP(info["sharedSecretKey"]).now()})
        query = re.sub(r"&(lang|hl)=[^&]*", "", urllib.parse.urlsplit(self.address(mode, email, new)).query)
        return self.opener(tab, page, "", query), tab

    def address(self, mode, *emails):
        return wait_for(f"a link with {mode} arrived", lambda: next((
            address for address in self.addresses(*emails) if f"mode={mode}" in address), None))

    def addresses(self, *emails):
        """The links in the e-mails to these addresses, the latest first."""
        for email in emails:
            yield from (code["oobLink"] for code in reversed(links(self.service, email)))
            with urllib.request.urlopen(
                    f"{self.service.origin}/emulator/v1/projects/demo-latchkey/messages?to={email}") as answer:
                yield from (mail["link"] for mail in json.load(answer)["messages"] if "link" in mail)


@pytest.fixture(scope="module")
def scenes(service, open_lasting_tab):
    service.configure("signIn.phoneNumber", {"signIn": {"phoneNumber": {"enabled": True}}})
    service.configure("mfa.state,mfa.enabledProviders", {"mfa": {"state": "ENABLED", "enabledProviders": ["PHONE_SMS"]}})
    service.configure("accountDeletion", {"accountDeletion": {"graceDays": 30}})
    yield Scenes(service, open_lasting_tab)
    service.configure("signIn.phoneNumber", {"signIn": {"phoneNumber": {"enabled": False}}})
    service.configure("mfa.state,mfa.enabledProviders", {"mfa": {"state": "DISABLED", "enabledProviders": []}})
    service.configure("accountDeletion", {"accountDeletion": {"graceDays": 0}})


@pytest.mark.parametrize("number, page", list(enumerate(PAGES)), ids=list(PAGES))
def test_page_is_accessible(scenes, number, page):
    scene, more = PAGES[page]
    show, tab = getattr(scenes, scene)(page, more)
    check(tab, number, show)
