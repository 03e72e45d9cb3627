"""The pages of the console with many accounts: the time that an operator waits for each."""

import base64
import http.client
import json
import re
import subprocess
import urllib.parse

from growth import MANY, fill
from mesh import PASSWORD, SIGN_UP
from totp import code, step_now

PROJECT = "/console/projects/demo-latchkey"
CLIENTS, SECONDS = 4, 5
LISTS = 100  # Milliseconds, p99 of the pages that find users.


class Operator:
    """Signs in as a browser does, and keeps the cookies."""

    def __init__(self, binaries, mesh, data):
        self.port, self.cookies = mesh.port, {}
        added = subprocess.run(
            [binaries / "latchkey", "operator", "add", "bench@bench.example", "--dev", "--data", data, "--json"],
            capture_output=True, text=True, check=True)
        link = urllib.parse.urlsplit(json.loads(added.stdout)["link"])
        self.submit(self.page(f"{link.path}?{link.query}"), password=PASSWORD)
        self.submit(self.page("/console/sign-in"), email="bench@bench.example", password=PASSWORD)
        page = self.page("/console/sign-in/enroll")
        key = re.search(r'<bdi dir="ltr">([A-Z2-7 ]+)</bdi>', page).group(1).replace(" ", "")
        secret = base64.b32decode(key + "=" * (-len(key) % 8))
        self.submit(page, code=code(secret, step_now()))

    def request(self, method, path, body=None):
        headers = {"Cookie": self.header, "Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = response.read().decode()
        for field in response.headers.get_all("Set-Cookie") or []:
            name, _, value = field.split(";")[0].partition("=")
            self.cookies[name] = value
        if response.status == 303:
            return self.request("GET", response.headers["Location"])
        if response.status != 200:
            raise SystemExit(f"{method} {path} answered {response.status}: {text}")
        return text

    @property
    def header(self):
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items() if value)

    def page(self, path):
        return self.request("GET", path)

    def submit(self, page, **fields):
        """The first form of a page, with its hidden fields."""
        action = re.search(r'<form method="post" action="([^"]+)"', page).group(1).replace("&amp;", "&")
        hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
        return self.request("POST", action, urllib.parse.urlencode([*hidden, *fields.items()]))


def measure(bench):
    bench.say(f"{MANY:,} accounts")
    data = bench.scratch / "console"
    with bench.mesh(data) as mesh:
        mesh.call(SIGN_UP, {"email": "template@bench.example", "password": PASSWORD})
    account = fill(data / "identity.sqlite", MANY)[MANY // 2]
    pages = {
        "overview": "/console", "overview of a project": f"{PROJECT}/activity?span=month", "users": f"{PROJECT}/users",
        "search for an address": f"{PROJECT}/users?q=user-12345", "search for many": f"{PROJECT}/users?q=user",
        "users without a second factor": f"{PROJECT}/users?filter=no-factor",
        "preview of an act": f"{PROJECT}/users/disable?filter=all", "one user": f"{PROJECT}/user?id={account}",
        "audit log": f"{PROJECT}/audit",
        "audit log of one action": f"{PROJECT}/audit?action=session.created", "settings": f"{PROJECT}/settings",
        "an area of settings": f"{PROJECT}/settings?area=messages", "history of settings": f"{PROJECT}/settings/history",
        "identity providers": f"{PROJECT}/settings/providers", "integrations": f"{PROJECT}/integrations",
        "operators": "/console/operators",
    }
    with bench.mesh(data) as mesh:
        operator = Operator(bench.binaries, mesh, data)
        for name, path in pages.items():
            operator.page(path)  # Caches warm up.
            what = f"console, {name}, {CLIENTS} operators, {MANY:,} accounts"
            result = bench.measure(what, mesh, "console", CLIENTS, SECONDS, path, operator.header)
            if name in ["users", "search for an address", "search for many", "users without a second factor"]:
                bench.figures.target(f"p99 of {what}", f"{result.p99:.1f} ms", f"<= {LISTS} ms", result.p99 <= LISTS)
