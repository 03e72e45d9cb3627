"""What an application and a monitor do with a mesh."""

import json
import time
import urllib.error
import urllib.request

PASSWORD = "vellum-otter-7-harbor-Quince"
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(url, body=None):
    """The status and the document of a response."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"} if data else {})
    try:
        with direct.open(request, timeout=30) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def wait_until_ready(origin, process):
    """Returns when the mesh is ready; fails with its log when the process ends."""
    while True:
        try:
            if call(f"{origin}/readyz")[0] == 200:
                return
        except (urllib.error.URLError, OSError):
            pass
        assert process.poll() is None, process.log.read_text()
        time.sleep(0.05)


def sign_up(origin, api_key, address):
    status, body = call(f"{origin}/v1/accounts:signUp?key={api_key}",
                        {"email": address, "password": PASSWORD, "returnSecureToken": True})
    assert status == 200, body
    return json.loads(body)["localId"]


def sign_in(origin, api_key, address):
    status, body = call(f"{origin}/v1/accounts:signInWithPassword?key={api_key}",
                        {"email": address, "password": PASSWORD, "returnSecureToken": True})
    assert status == 200, body
    return json.loads(body)["localId"]
