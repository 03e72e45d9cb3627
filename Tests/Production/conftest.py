import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

import firebase_admin
import pytest
import requests
from certificates import Authority
from firebase_admin import credentials
from nginx import PUBLIC_NAME, Nginx

HERE = pathlib.Path(__file__).parent
# Both folders have a `mesh`: this suite needs the one of Mail.
sys.path[:0] = [str(HERE / "../Mail"), str(HERE / "../Bench")]
API_KEY = "key-of-the-application"
PROJECT = "shop"


@pytest.fixture(scope="session")
def folder():
    with tempfile.TemporaryDirectory(prefix="latchkey-production-") as path:  # Created with mode 0700.
        yield pathlib.Path(path)


@pytest.fixture(scope="session")
def key_file(folder):
    """The key file of the service account, as it was used with the service of Google."""
    account = json.loads((HERE / "../Conformance/lib/service-account.json").read_text())
    path = folder / "service-account.json"
    path.write_text(json.dumps({
        "type": "service_account", **account, "project_id": PROJECT,
        "token_uri": "https://oauth2.googleapis.com/token"}))
    return path


@pytest.fixture(scope="session")
def mesh(folder, key_file):
    from mesh import EXECUTABLES, Mesh
    from postgres import Postgres

    class Production(Mesh):
        mode = ["--admin-listen", "127.0.0.1:0"]

    with Postgres() as postgres:
        mesh = Production(
            folder, "--only", "gateway,identity,federation,notifier", LATCHKEY_PROJECT=PROJECT, LATCHKEY_API_KEY=API_KEY,
            LATCHKEY_PUBLIC_URL=f"https://{PUBLIC_NAME}",
            # The library always writes this name into its assertions.
            LATCHKEY_ADMIN_URL="https://oauth2.googleapis.com", LATCHKEY_TRUSTED_PROXIES="127.0.0.1",
            LATCHKEY_DATABASE_URL=postgres.url, LATCHKEY_SMTP_URL="smtp://127.0.0.1:9",
            LATCHKEY_SMTP_FROM=f"noreply@{PUBLIC_NAME}", LATCHKEY_LIMIT_SIGN_IN_PER_MINUTE="0",
            LATCHKEY_LIMIT_SIGN_UP_PER_MINUTE="0")
        subprocess.run([EXECUTABLES / "latchkey", "service-account", "add", key_file, "--data", mesh.data],
                       check=True, capture_output=True, timeout=60)
        yield mesh
        assert mesh.stop() == 0


@pytest.fixture(scope="session")
def names(folder, mesh):
    """Private names and a private CA, as in a network of servers: nothing else changes for a program."""
    admin = re.search(r"admin http://(\S+)", mesh.output).group(1)
    authority = Authority(folder)
    server = Nginx(folder, authority, mesh.origin.removeprefix("http://"), admin)
    resolve = socket.getaddrinfo

    def getaddrinfo(host, port, *arguments, **named):
        served = server.port(host)
        return resolve(*(("127.0.0.1", served) if served else (host, port)), *arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", getaddrinfo)
        patch.setenv("REQUESTS_CA_BUNDLE", str(authority.file))
        patch.delenv("FIREBASE_AUTH_EMULATOR_HOST", raising=False)
        for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
            patch.delenv(name)
        yield server
    server.stop()


@pytest.fixture(scope="session")
def app(names, key_file):
    app = firebase_admin.initialize_app(credentials.Certificate(str(key_file)))
    token = app.credential.get_access_token().access_token
    change = requests.patch(
        f"https://identitytoolkit.googleapis.com/admin/v2/projects/{PROJECT}/config", timeout=60,
        params={"updateMask": "authorizedDomains,signIn.anonymous.enabled,signIn.email"},
        json={"authorizedDomains": [PUBLIC_NAME], "signIn": {
            "anonymous": {"enabled": True}, "email": {"enabled": True, "passwordRequired": False}}},
        headers={"Authorization": f"Bearer {token}"})
    assert change.status_code == 200, change.text
    yield app
    firebase_admin.delete_app(app)


@pytest.fixture(scope="session")
def client(names):
    """`client(operation, **body)` sends a request of an application; returns the body, or the error code."""
    def call(operation, **body):
        response = requests.post(f"https://{PUBLIC_NAME}/v1/accounts:{operation}", params={"key": API_KEY}, json=body,
                                 timeout=60)
        if response.ok:
            return response.json()
        return response.json()["error"]["message"].partition(" : ")[0]
    return call
