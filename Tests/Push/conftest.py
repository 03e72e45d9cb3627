import pathlib
import subprocess
import sys
import tempfile

import pytest
from apns import APNs

sys.path.insert(0, str(pathlib.Path(__file__).parent / "../Mail"))

from mesh import Mesh, wait_for  # noqa: E402

KEY_ID, TEAM_ID, TOPIC = "ABC123DEFG", "DEF123GHIJ", "com.example.app"
TOKEN = "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08"


class PushMesh(Mesh):
    def push(self, number=0, **changes):
        """Requests a push until the notifier has accepted it; the request itself prevents a second push."""
        params = {"project": "demo-latchkey", "deviceToken": TOKEN, "isSandbox": True, "bundleID": TOPIC,
                  "receipt": f"receipt-{number}", "secret": f"the-secret-{number}", **changes}
        return wait_for("it was accepted", lambda: (self.ask("sendPush", params) or {}).get("result"))["messageID"]

    def record(self, message, state=None):
        """The record of a push, once it is in this state, or has ended."""
        def look():
            for record in self.deliveries():
                if record["messageID"] == message and (record["state"] == state if state else record["state"] != "pending"):
                    return record
        return wait_for(f"{message} came to {state or 'its end'}", look)

    def problem(self, message, beginning):
        """Waits until an attempt has failed with this problem."""
        wait_for(f"{message} met {beginning}", lambda: any(
            r["messageID"] == message and (r.get("problem") or "").startswith(beginning) for r in self.deliveries()))


@pytest.fixture
def directory():
    with tempfile.TemporaryDirectory(prefix="latchkey-push-") as path:  # Created with mode 0700.
        yield pathlib.Path(path)


def make_certificate(directory, name):
    key, file = directory / f"{name}.key.pem", directory / f"{name}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-keyout", key, "-out", file, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True)
    return file, key


@pytest.fixture
def certificate(directory):
    return make_certificate(directory, "apns")


@pytest.fixture
def team_key(directory):
    """A key in Apple's format, PKCS #8, readable only by its owner; and its public key."""
    key, public = directory / f"AuthKey_{KEY_ID}.p8", directory / "public.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key],
                   check=True, capture_output=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)
    key.chmod(0o400)
    return key, public.read_text()


@pytest.fixture
def make_apns(certificate):
    servers = []

    def make(**options):
        servers.append(APNs(*certificate, **options))
        return servers[-1]

    yield make
    for server in servers:
        server.stop()


@pytest.fixture
def apns(make_apns):
    return make_apns()


@pytest.fixture
def apns_settings(certificate, team_key):
    return lambda apns: {
        "LATCHKEY_APNS_BASE_URL": apns.url, "LATCHKEY_APNS_KEY_FILE": str(team_key[0]),
        "LATCHKEY_APNS_KEY_ID": KEY_ID, "LATCHKEY_APNS_TEAM_ID": TEAM_ID, "LATCHKEY_APNS_CA_FILE": str(certificate[0])}


@pytest.fixture
def make_mesh(directory, apns_settings):
    meshes = []

    def make(apns, *arguments, **environment):
        settings = {**apns_settings(apns), **environment}
        meshes.append(PushMesh(directory, "--only", "gateway,identity,notifier", *arguments, **settings))
        return meshes[-1]

    yield make
    for mesh in meshes:
        if mesh.process.poll() is None:
            mesh.stop()
