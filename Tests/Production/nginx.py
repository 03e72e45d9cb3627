"""nginx with `deploy/nginx.conf`, on ports of its own and without rights of root."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).parent / "../Bench"))

from ports import free_port  # noqa: E402

CONFIGURATION = pathlib.Path(__file__).parent / "../../deploy/nginx.conf"
PUBLIC_NAME = "auth.example.com"
PRIVATE_NAMES = ["identitytoolkit.googleapis.com", "securetoken.googleapis.com", "www.googleapis.com",
                 "oauth2.googleapis.com", "securetoken.google.com"]


class Nginx:
    """Gives the public and the private names their certificates, and forwards to the two listeners of a mesh."""

    def __init__(self, folder, authority, public, admin):
        self.body_folder = folder / "client_body"
        self.ports = {"public": free_port(), "private": free_port()}
        certificates = folder / "tls"
        certificates.mkdir()
        authority.issue(certificates / "public", PUBLIC_NAME)
        authority.issue(certificates / "private", *PRIVATE_NAMES)
        text = CONFIGURATION.read_text()
        # What an operator changes, and nothing else.
        for old, new in {
            "127.0.0.1:9099": public, "127.0.0.1:9098": admin, "/etc/latchkey/tls": str(certificates),
            "listen 443 ssl": f"listen 127.0.0.1:{self.ports['public']} ssl",
            "listen [::]:443 ssl http2;": "",
            "listen 10.0.0.2:443 ssl": f"listen 127.0.0.1:{self.ports['private']} ssl",
            "listen 80;": f"listen 127.0.0.1:{free_port()};", "listen [::]:80;": "",
        }.items():
            assert old in text, old
            text = text.replace(old, new)
        paths = "".join(f"{name}_temp_path {folder}/{name};" for name in
                        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        # Its workers write bodies into the folder of the test, which only its owner may open.
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"{user} pid {folder}/pid; error_log {folder}/error.log; daemon off; worker_processes 1;\n"
            f"events {{}}\nhttp {{ access_log {folder}/access.log; {paths}\n{text}\n}}\n")
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen([program, "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf"])
        end = time.monotonic() + 30
        for port in self.ports.values():
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    assert self.process.poll() is None and time.monotonic() < end, (folder / "error.log").read_text()
                    time.sleep(0.02)

    def port(self, host):
        """The port where a name is served; None for a name that is not."""
        if host == PUBLIC_NAME:
            return self.ports["public"]
        return self.ports["private"] if host in PRIVATE_NAMES else None

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)
