"""A mesh outside dev mode, its administrator, and an SMS provider."""

import json
import pathlib
import re
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from mesh import EXECUTABLES, Mesh, wait_for

ACCOUNT_FILE = pathlib.Path(__file__).parent / "../Conformance/lib/service-account.json"
API_KEY = "key-of-the-project"


class Twilio:
    """Stores the received texts by number."""

    def __init__(self):
        self.texts = []
        twilio = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
                twilio.texts.append((form["To"], form["Body"]))
                body = b'{"sid":"SM1","price":null}'
                self.send_response(201)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def code(self, number):
        """The code in the only text to a number."""
        wait_for("a text arrived", lambda: any(to == number for to, _ in self.texts))
        text, = [text for to, text in self.texts if to == number]
        return re.search(r"\b\d{6}\b", text).group()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class ProductionMesh(Mesh):
    mode = ["--admin-listen", "127.0.0.1:0"]

    def __init__(self, directory, twilio, **environment):
        super().__init__(
            directory, "--only", "gateway,identity,mfa-sms,notifier", LATCHKEY_PROJECT="demo-latchkey",
            LATCHKEY_PUBLIC_URL="https://auth.example.com",
            LATCHKEY_API_KEY=API_KEY, LATCHKEY_SMTP_URL="smtp://127.0.0.1:9", LATCHKEY_SMTP_FROM="noreply@example.com",
            LATCHKEY_SMS_PROVIDER="twilio", LATCHKEY_TWILIO_BASE_URL=twilio.url, LATCHKEY_TWILIO_ACCOUNT_SID="AC1",
            LATCHKEY_TWILIO_AUTH_TOKEN="token-of-the-provider", LATCHKEY_TWILIO_FROM="+15005550006", **environment)
        self.admin_origin = re.search(r"admin (http://\S+)", self.output).group(1)
        self.account = json.loads(ACCOUNT_FILE.read_text())
        subprocess.run([EXECUTABLES / "latchkey", "service-account", "add", ACCOUNT_FILE, "--data", self.data],
                       check=True, capture_output=True, timeout=60)

    def request(self, method, url, body, **headers):
        """Returns status and JSON."""
        request = urllib.request.Request(url, json.dumps(body).encode(), method=method, headers={
            "Content-Type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.load(refusal)

    def call(self, operation, bundle_id=None, **fields):
        """The result for an application that sends `bundle_id` as its id: a body, or the error code."""
        headers = {"X-Ios-Bundle-Identifier": bundle_id} if bundle_id else {}
        url = f"{self.origin}/identitytoolkit.googleapis.com/v1/accounts:{operation}?key={API_KEY}"
        status, body = self.request("POST", url, fields, **headers)
        return body if status == 200 else body["error"]["message"].partition(" : ")[0]

    def configure(self, mask, configuration):
        now = int(time.time())
        assertion = jwt.encode(
            {"iss": self.account["client_email"], "sub": self.account["client_email"], "iat": now, "exp": now + 600,
             "aud": f"{self.admin_origin}/token", "scope": "https://www.googleapis.com/auth/identitytoolkit"},
            self.account["private_key"], algorithm="RS256", headers={"kid": self.account["private_key_id"]})
        form = urllib.parse.urlencode(
            {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion})
        with urllib.request.urlopen(f"{self.admin_origin}/token", form.encode(), timeout=60) as answer:
            token = json.load(answer)["access_token"]
        url = f"{self.admin_origin}/admin/v2/projects/demo-latchkey/config?updateMask={mask}"
        status, body = self.request("PATCH", url, configuration, Authorization=f"Bearer {token}")
        assert status == 200, body
