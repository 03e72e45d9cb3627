"""Every page of the console in the matrix of accessibility (`matrix.py`), in the state in which operators see it.

A page that the server gets must be in PAGES, or in OTHERS if it shows nothing.
"""

import secrets
import subprocess
import time
import urllib.parse

import pytest
from desk import PROJECT
from matrix import check, served
from playwright.sync_api import expect
from service import ADMINISTRATOR
from test_console import signed_up

OWN = "/console/projects/{project}"
ACTS = [
    "disable", "enable", "unlock", "cancel-deletion", "end-sessions", "end-session", "remove-factor", "remove-passkey",
    "send-reset", "send-verification", "delete",
]
AREAS = [
    "signIn", "factors", "passkeys", "passwords", "mails", "branding", "messages", "hosts", "apps",
    "protection",
    "mail.resetPassword.de", "mail.verifyEmail", "pages.ar",
]

# A page, by its path and what tells it from others with the same path, and its query. Where a page is about one thing of a
# list, the page of the list: its link leads there.
PAGES = {
    "/console": "", "/console month": "span=month&table=signIns", f"{OWN}/activity": "",
    f"{OWN}/users": "", f"{OWN}/users found": "q=ada", f"{OWN}/users none": "q=nobody-has-this",
    f"{OWN}/users no factor": "filter=no-factor", f"{OWN}/users refused": "filter=since&since=2026-13-01",
    f"{OWN}/user": "id={account}", f"{OWN}/user in trouble": "id={blocked}",
    **{f"{OWN}/user/{act}": "id={account}&object=x" for act in ACTS},
    **{f"{OWN}/users/{act}": "filter=all" for act in ["disable", "enable", "end-sessions", "send-verification", "delete"]},
    f"{OWN}/users/import": "", f"{OWN}/users/export": "", f"{OWN}/work": "id=x",
    **{f"{OWN}/settings {area}": f"area={area}" for area in AREAS},
    f"{OWN}/settings/look": "",
    f"{OWN}/settings/history": "", f"{OWN}/settings/change": ["settings/history"],
    f"{OWN}/settings/providers": "", f"{OWN}/settings/provider": "id=apple.com",
    f"{OWN}/settings/provider google": "id=google.com", f"{OWN}/settings/provider/remove": "id=facebook.com",
    f"{OWN}/settings/provider saml": "id=saml.new", f"{OWN}/settings/provider oidc": "id=oidc.new",
    f"{OWN}/integrations": "", f"{OWN}/integrations/code": "", f"{OWN}/integrations/functions": "",
    **{f"{OWN}/integrations/{name}": "" for name in ["add-webhook", "add-app", "add-key", "add-apns-key"]},
    f"{OWN}/integrations/webhook": ["integrations"], f"{OWN}/integrations/app": ["integrations"],
    f"{OWN}/integrations/new-secret": ["integrations", "integrations/webhook"],
    f"{OWN}/integrations/remove-webhook": ["integrations", "integrations/webhook"],
    f"{OWN}/integrations/remove-app": ["integrations"], f"{OWN}/integrations/revoke-key": ["integrations"],
    f"{OWN}/integrations/remove-apns-key": ["integrations"],
    f"{OWN}/audit": "", f"{OWN}/try": "",
    "/console/audit": "", "/console/audit/verify": "", "/console/operators": "", "/console/operators/grant": "",
    "/console/operators/remove": "email=ola@example.com", "/console/sessions": "", "/console/passkeys": "",
    "/console/passkeys/remove": ["/console/passkeys"], "/console/passkeys/name": ["/console/passkeys"],
    "/console/shortcuts": "",
    "/console/sign-in": "", "/console/welcome": "code=x",
    "/console/sign-in/factor": "", "/console/sign-in/enroll": "", "/console/sign-in/code": "",
}
OTHERS = {
    f"{OWN}/users/export/profiles", f"{OWN}/users/export/hashes", "/console/audit/export",  # Files.
    "/console/passkeys/add",  # Leads to the sign-in.
    f"{OWN}/settings",  # Its areas are in the matrix.
    f"{OWN}/settings/mail",  # An e-mail as its readers see it, in the language of its text.
}


def path_of(page):
    return page.split(" ")[0]


def test_every_page_is_in_the_matrix(installation):
    known = OTHERS | {path_of(page) for page in PAGES}
    pages = served(installation.origin, "/console")
    assert pages - known == set() and known - pages == set()


class Scenes:
    """Desks in the states that pages need."""

    def __init__(self, installation, open_desk, values):
        self.installation, self.open_desk, self.values = installation, open_desk, values
        self.desk, self.signed_in_at = None, 0

    def operator(self):
        return self.installation.add(f"{secrets.token_hex(4)}@example.com")

    def administrator(self):
        """What cannot be undone demands a sign-in of the last ten minutes."""
        if self.desk is None or time.monotonic() - self.signed_in_at > 300:
            self.desk = self.open_desk(self.operator())
            self.desk.sign_in()
            self.signed_in_at = time.monotonic()
        return self.desk

    def beginner(self):
        """Between the link of an operator and the first session."""
        desk = self.open_desk(self.operator())
        desk.begin()
        return desk

    def returning(self):
        desk = self.open_desk(operator := self.operator())
        desk.sign_in()
        other = self.open_desk(operator)
        other.open("/console/sign-in")
        other.password()
        other.field("Six-digit code").wait_for()
        return other

    def keyholder(self):
        desk = self.open_desk(self.operator(), base_url=self.installation.origin.replace("127.0.0.1", "localhost"))
        desk.begin_with_passkey("Laptop")
        return desk

    def desk_of(self, page):
        match path_of(page):
            case "/console/passkeys/remove" | "/console/passkeys/name": return self.keyholder()
            case "/console/sign-in/factor" | "/console/sign-in/enroll": return self.beginner()
            case "/console/sign-in/code": return self.returning()
            case "/console/sign-in" | "/console/welcome": return self.open_desk(None)
            case _: return self.administrator()

    def address(self, desk, page):
        path, query = path_of(page).replace(OWN, PROJECT), PAGES[page]
        if isinstance(query, str):
            return f"{path}?{query.format(**self.values)}" if query else path
        first, *others = (step if step.startswith("/") else f"{PROJECT}/{step}" for step in query)
        desk.open(first)
        for step in [*others, path]:
            address = desk.page.locator(f'a[href^="{step}?"]').first.get_attribute("href")
            desk.open(address)
        return address


@pytest.fixture(scope="module")
def scenes(installation, open_lasting_desk, counted):
    """A project that has one of everything."""
    _, account, _ = signed_up(installation, "ada@example.com", displayName="Ada Lovelace")
    _, blocked, _ = signed_up(installation)
    installation.request("POST", "v1/projects/demo-latchkey/accounts:update", {
        "localId": blocked, "disableUser": True}, **ADMINISTRATOR)
    project = "v2/projects/demo-latchkey"
    installation.request("POST", f"{project}/webhooks", {"url": "http://127.0.0.1:9/hook"}, **ADMINISTRATOR)
    installation.request("POST", f"{project}/apps", {
        "displayName": "Shop", "kind": "WEB", "redirectUris": ["http://localhost:65000/shop"]}, **ADMINISTRATOR)
    key = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
                         check=True, capture_output=True, text=True).stdout
    installation.request("POST", f"{project}/apnsKeys", {
        "bundleId": "org.example.app", "environment": "BOTH", "keyId": "ABC123DEFG", "teamId": "DEF123GHIJ",
        "privateKey": key}, **ADMINISTRATOR)
    installation.request("POST", f"admin/{project}/defaultSupportedIdpConfigs?idpId=facebook.com", {
        "enabled": True, "clientId": "1234567890", "clientSecret": "secret"}, **ADMINISTRATOR)
    installation.configure("signIn.emailCode", {"signIn": {"emailCode": {"enabled": True}}})
    scenes = Scenes(installation, open_lasting_desk, {"account": account, "blocked": blocked})
    desk = scenes.administrator()
    desk.open(f"{PROJECT}/integrations/add-key")
    desk.page.locator("#name").fill("backend")
    desk.page.locator("main form button").last.click()
    desk.page.locator("pre").first.wait_for()
    return scenes


@pytest.mark.parametrize("number, page", list(enumerate(PAGES)), ids=list(PAGES))
def test_page_is_accessible(scenes, number, page):
    desk = scenes.desk_of(page)
    address = scenes.address(desk, page)

    def show(language):
        desk.speak(language)
        desk.open(address)
        assert urllib.parse.urlsplit(desk.page.url).path == urllib.parse.urlsplit(address).path, desk.page.url
        expect(desk.page.locator("html")).to_have_attribute("lang", language)
    try:
        check(desk, number, show)
    finally:
        desk.speak("en")
