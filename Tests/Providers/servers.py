"""HTTP servers in threads: the site of the application, and Google's script host."""

import datetime
import http.server
import ipaddress
import pathlib
import ssl
import threading
import urllib.parse

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

HERE = pathlib.Path(__file__).parent


class Server:
    """Serves `respond(method, path, query, headers, body)`, which returns a status, headers and a body."""

    def __init__(self, respond, certificate=None):
        class Handler(http.server.BaseHTTPRequestHandler):
            def handle_all(self):
                path, _, query = self.path.partition("?")
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, headers, content = respond(self.command, path, query, self.headers, body)
                self.send_response(status)
                for name, value in {"Cache-Control": "no-store", "Content-Length": str(len(content)),
                                    **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = handle_all

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def html(text):
    return 200, {"Content-Type": "text/html; charset=utf-8"}, text.encode()


def script(name):
    return 200, {"Content-Type": "text/javascript"}, (HERE / name).read_bytes()


def application(method, path, query, headers, body):
    """The site of the application."""
    if path == "/app.js":
        return script("app.js")
    if path == "/post":  # A page of another site that sends a form to the gateway.
        target = urllib.parse.parse_qs(query)["target"][0]
        fields = "".join(f'<input name="{name}" value="{value}">'
                         for name, value in urllib.parse.parse_qsl(query) if name != "target")
        return html(f'<!DOCTYPE html><form id="form" method="post" action="{target}">{fields}'
                    '<button id="send">Send</button></form>')
    return html('<!DOCTYPE html><title>The application</title><button id="open">Sign in</button>'
                '<script src="/app.js"></script>')


def script_host(method, path, query, headers, body):
    """Google's script host."""
    return script("gapi.js") if path == "/js/api.js" else (404, {}, b"")


def certificate(path, host):
    """Writes a key and a certificate that it signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.timezone.utc)
    signed = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([
            x509.DNSName(host), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(key, hashes.SHA256()))
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                          serialization.NoEncryption()) + signed.public_bytes(serialization.Encoding.PEM))
    return path
