"""`latchkey token` behind a private CA: a token endpoint of its own answers over TLS."""

import http.server
import json
import ssl
import subprocess
import sys
import threading

import pytest
from certificates import Authority
from conftest import HERE

sys.path[:0] = [str(HERE / "../Mail")]


class Endpoint(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"access_token": "lkat_of-the-test", "expires_in": 3600}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def key_file(tmp_path_factory, authority):
    folder = tmp_path_factory.mktemp("endpoint")
    authority.issue(folder / "server", "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    account = json.loads((HERE / "../Conformance/lib/service-account.json").read_text())
    file = folder / "key.json"
    file.write_text(json.dumps({
        "type": "service_account", **account, "project_id": "shop",
        "token_uri": f"https://localhost:{server.server_port}/token"}))
    yield file
    server.shutdown()


def token(key_file, *arguments, **environment):
    from mesh import EXECUTABLES
    return subprocess.run(
        [EXECUTABLES / "latchkey", "token", key_file, *arguments], text=True, capture_output=True, timeout=60,
        env={"PATH": "/usr/bin:/bin", **environment})


def test_private_ca_is_refused_with_its_remedy(key_file):
    result = token(key_file)
    assert result.returncode == 1 and result.stdout == ""
    assert "is not accepted: " in result.stderr and "--ca FILE or SSL_CERT_FILE" in result.stderr


def test_private_ca_of_the_option_is_trusted(key_file, authority):
    result = token(key_file, "--ca", authority.file)
    assert (result.returncode, result.stdout) == (0, "lkat_of-the-test\n"), result.stderr


def test_private_ca_of_the_environment_is_trusted(key_file, authority):
    result = token(key_file, SSL_CERT_FILE=str(authority.file))
    assert (result.returncode, result.stdout) == (0, "lkat_of-the-test\n"), result.stderr


def test_option_wins_over_the_environment(key_file, authority):
    result = token(key_file, "--ca", authority.file, SSL_CERT_FILE="/nowhere")
    assert result.returncode == 0, result.stderr


def test_missing_file_is_named(key_file):
    result = token(key_file, "--ca", "/nowhere")
    assert result.returncode == 1
    assert result.stderr == ("latchkey: /nowhere cannot be read: No such file or directory. Name the PEM file of the "
                             "certificate authority.\n")
