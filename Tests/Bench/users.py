#!/usr/bin/env python3
"""Imports and exports of users: users per second, and the peak memory of the command and of every process.

Usage: Tests/Bench/users.py BINARIES    this part of the bench only

`BENCH_USERS` sets the number of users, 50,000 if absent. docs/contribute/benchmarks.md has the figures of a million.
"""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

USERS = int(os.environ.get("BENCH_USERS", "50000"))
MEMORY_TARGET = 512  # MiB, of the command and of each process.
HASH_CONFIG = """hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
"""


def write_users(path):
    """What `firebase auth:export` writes. Each hash has the length of Firebase's."""
    with path.open("w") as file:
        file.write('{"users": [\n')
        for number in range(USERS):
            digest = hashlib.sha512(str(number).encode()).digest()
            user = {
                "localId": hashlib.sha256(str(number).encode()).hexdigest()[:28],
                "email": f"user-{number}@bench.example",
                "emailVerified": number % 2 == 0,
                "passwordHash": base64.b64encode(digest).decode(),
                "salt": base64.b64encode(digest[:10]).decode(),
                "displayName": f"User {number}",
                "lastSignedInAt": "1500000000001",
                "createdAt": "1500000000000",
                "disabled": False,
                "providerUserInfo": [
                    {"providerId": "google.com", "rawId": f"{number:021}", "email": f"user-{number}@bench.example"}
                ] if number % 4 == 0 else [],
            }
            if number % 10 == 0:
                user["customAttributes"] = '{"plan":"pro"}'
            file.write((",\n" if number else "") + json.dumps(user, indent=2))
        file.write("]}")


def command(binaries, mesh_data, *arguments):
    """Runs `latchkey users`. Returns the seconds and the peak memory in MiB."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [binaries / "latchkey", "users", *arguments, "--dev", "--data", mesh_data], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"latchkey users {arguments[0]} exited with {process.returncode}: {output}")
    return time.perf_counter() - began, usage.ru_maxrss / 1024


def peaks(mesh):
    """The peak resident MiB by process."""
    def peak(pid):
        fields = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status"))
        return int(fields["VmHWM"].split()[0]) / 1024

    return {name: peak(pid) for name, pid in mesh.processes().items()}


def measure(binaries, scratch, mesh, figures, say):
    """Adds the figures. `mesh` makes a running mesh."""
    source, config, copy = scratch / "users.json", scratch / "hash-config", scratch / "users.jsonl"
    say(f"{USERS:,} users")
    write_users(source)
    config.write_text(HASH_CONFIG)
    data = scratch / "users-mesh"
    with mesh(data) as running:
        say("import")
        seconds, memory = command(binaries, data, "import", source, "--hash-config", config)
        say("export")
        export_seconds, export_memory = command(binaries, data, "export", copy, "--with-hashes")
        with copy.open("rb") as file:
            lines = sum(1 for _ in file)
        if lines < USERS:
            raise SystemExit(f"The export has {lines:,} users of {USERS:,}.")
        figures.add(f"import of {USERS:,} users with password hashes", f"{USERS / seconds:,.0f}/s, {seconds:.0f} s")
        figures.add(f"export of {USERS:,} users with password hashes",
                    f"{USERS / export_seconds:,.0f}/s, {export_seconds:.0f} s")
        used = {"import": memory, "export": export_memory, **peaks(running)}
        largest = max(used.values())
        figures.add("    peak memory", ", ".join(
            f"{name} {size:.0f}" for name, size in sorted(used.items(), key=lambda item: -item[1])[:5]) + " MiB RSS")
        figures.target(f"peak memory of a process during these, {USERS:,} users", f"{largest:.0f} MiB RSS",
                       f"<= {MEMORY_TARGET} MiB", largest <= MEMORY_TARGET)


def main():
    from mesh import SIGN_UP, Mesh
    from table import Figures

    @contextlib.contextmanager
    def mesh(data):
        with Mesh(binaries, data) as running:
            running.seconds_to_first_answer(SIGN_UP, {})
            yield running

    binaries, figures = pathlib.Path(sys.argv[1]).resolve(), Figures()
    with tempfile.TemporaryDirectory() as scratch:
        measure(binaries, pathlib.Path(scratch), mesh, figures, lambda text: print(text, file=sys.stderr))
    print(figures)


if __name__ == "__main__":
    main()
