"""An installation with its command, and the browser of an operator."""

import json
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import pyotp
from mesh import EXECUTABLES
from playwright.sync_api import expect
from service import Service, encode
from tab import Tab

PASSWORD = "a long enough passphrase"
PROJECT = "/console/projects/demo-latchkey"


class Operator:
    def __init__(self, email, link):
        self.email, self.link, self.app, self.last = email, link, None, 0

    def code(self):
        """Each code is accepted once, and one of the next step is accepted, too: two codes need no wait."""
        step = max(int(time.time()) // 30, self.last + 1)
        assert step <= int(time.time()) // 30 + 1, "use a new operator"
        self.last = step
        return self.app.at(step * 30)


class Installation(Service):
    def __init__(self, mesh):
        super().__init__(mesh.origin)
        self.mesh = mesh

    def command(self, *arguments):
        done = subprocess.run(
            [EXECUTABLES / "latchkey", *arguments, "--dev", "--data", self.mesh.data], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def subjects(self, email):
        """Of the e-mails in the dev inbox."""
        reply = self.mesh.ask("listInboxMessages", {"recipient": email, "limit": 50}) or {}
        return [message["subject"] for message in reply.get("result", {}).get("messages", [])]

    def oauth(self, path, **fields):
        """The answer of an endpoint for tokens, or its error."""
        body = urllib.parse.urlencode(fields).encode()
        try:
            with urllib.request.urlopen(f"{self.mesh.origin}/{path}", body, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            return json.load(refusal)

    def refresh(self, token):
        """Whether a refresh token opens a session."""
        answer = self.oauth(
            "securetoken.googleapis.com/v1/token?key=key", grant_type="refresh_token", refresh_token=token)
        return "id_token" in answer

    def access_token(self, key):
        """What a backend gets for the key file of a service account."""
        now, email = int(time.time()), key["client_email"]
        claims = {"iss": email, "sub": email, "aud": f"{self.mesh.origin}/token", "iat": now, "exp": now + 600,
                  "scope": "https://www.googleapis.com/auth/cloud-platform"}
        parts = [{"alg": "RS256", "typ": "JWT", "kid": key["private_key_id"]}, claims]
        signed = ".".join(encode(json.dumps(part).encode()) for part in parts)
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(key["private_key"])
            file.flush()
            signature = subprocess.run(
                ["openssl", "dgst", "-sha256", "-sign", file.name], input=signed.encode(), capture_output=True,
                check=True).stdout
        return self.oauth(
            "token", grant_type="urn:ietf:params:oauth:grant-type:jwt-bearer",
            assertion=f"{signed}.{encode(signature)}")

    def add(self, email, *arguments):
        answer = json.loads(self.command("operator", "add", email, "--json", *arguments))
        return Operator(email, answer.get("link"))


class Desk(Tab):
    def __init__(self, context, operator, has_script=True):
        super().__init__(context)
        self.operator, self.has_script = operator, has_script

    def check(self):
        # The rules are checked by a script.
        if self.has_script:
            super().check()

    def begin(self):
        """The first visit: a password and the sign-in, up to the choice of a second factor."""
        link = urllib.parse.urlsplit(self.operator.link)
        self.open(f"{link.path}?{link.query}")
        self.heading("Welcome to the console")
        self.check()
        self.field("New password").fill(PASSWORD)
        self.button("Set password").click()
        self.password()
        self.heading("Add a passkey or an authenticator app")
        self.check()

    def begin_with_passkey(self, name):
        """The first passkey is added with the password alone: the sign-in with it follows, at once in a test."""
        self.begin()
        self.add_authenticator()
        self.field("Name of the passkey").fill(name)
        self.button("Add a passkey").click()
        self.heading("Overview")

    def begin_with_app(self):
        self.begin()
        self.link("Use an authenticator app").click()
        self.heading("Add an authenticator app")
        self.check()
        key = self.page.locator("bdi[dir=ltr]").inner_text()
        self.operator.app = pyotp.TOTP(key)
        self.field("Six-digit code").fill(self.operator.code())
        self.button("Confirm").click()

    def password(self):
        self.heading("Latchkey console")
        self.field("E-mail address").fill(self.operator.email)
        self.field("Password").fill(PASSWORD)
        self.button("Sign in").click()

    def sign_in(self):
        if self.operator.app is None:
            self.begin_with_app()
        else:
            self.open("/console/sign-in")
            self.password()
            self.field("Six-digit code").fill(self.operator.code())
            self.button("Confirm").click()
        self.heading("Overview")

    def user(self, account):
        self.open(f"{PROJECT}/user?id={urllib.parse.quote(account)}")

    def act(self, name):
        """A button that leads to the consequence, and the button there."""
        self.link(name).first.click()
        self.heading(name)
        self.check()
        self.button(name).click()

    def sees(self, text):
        expect(self.page.get_by_text(text).first).to_be_visible()
