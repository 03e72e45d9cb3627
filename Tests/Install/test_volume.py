"""Data directories that `latchkey up` cannot use: one sentence that names the remedy, exit code 78, and nothing half done."""

import subprocess

import pytest
from ports import free_port

# Of a mount namespace: nothing of it is seen outside.
FULL = 'mount -t tmpfs -o size=1m,mode=0700 tmpfs "$0"'
READ_ONLY = 'mount --bind -o ro "$0" "$0" && mount -o remount,bind,ro "$0"'
OF_ANOTHER = 'mkdir -m 0700 "$0/data" && chown 65532 "$0/data"'


@pytest.mark.parametrize("prepare, remedy", [
    (FULL, "Free 4 MiB there, or name another directory with --data."),
    (READ_ONLY, "Mount a volume there that can be written, or name another data directory with --data."),
    (OF_ANOTHER, "Run as its owner, or name another one with --data."),
])
def test_unusable_directory_is_one_sentence(executables, place, prepare, remedy):
    script = f'{prepare} && "$@"; code=$?; find "$0" -type f >&2; exit $code'
    end = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, place, executables / "latchkey", "up", "--data", place / "data"],
        capture_output=True, text=True, timeout=120,
        env={"LATCHKEY_PROJECT": "shop", "LATCHKEY_PUBLIC_URL": "https://auth.shop.test", "PATH": "/usr/bin:/bin",
             "LATCHKEY_LISTEN": f"127.0.0.1:{free_port()}", "LATCHKEY_ADMIN_LISTEN": f"127.0.0.1:{free_port()}",
             "LATCHKEY_SMTP_URL": "smtp://127.0.0.1:25", "LATCHKEY_SMTP_FROM": "auth@shop.test"})
    lines = end.stderr.splitlines()
    assert end.returncode == 78 and len(lines) == 1 and lines[0].endswith(remedy), (end.returncode, end.stdout, end.stderr)
    assert not end.stdout
