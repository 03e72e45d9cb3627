"""One, two and four whole meshes on one PostgreSQL: what an operation costs, and where. Load, meshes and database are on the
same cores, so more meshes cannot be faster here: the processor time of one operation says what each machine would do.
"""

import collections
import contextlib
import json
import pathlib
import subprocess

import load
from mesh import LOOKUP, PASSWORD, REFRESH, SIGN_IN, SIGN_UP
from postgres import Postgres
from totp import ANSWER, code, people, step_now

COUNTS = [1, 2, 4]
CLIENTS = 32  # Of all meshes together, so that the load is the same.
SIGN_INS = 8  # Clients that sign in with a password: more would wait for Argon2id only.
SECONDS = 5
APPS, CODES = 16, 8  # Authenticator apps for each number of meshes, and codes of each.
PEOPLE = 32  # Accounts with a password.
MAKE_MASTER_KEY = pathlib.Path(__file__).parent / "../../deploy/make-master-key"


def measure(bench):
    key = bench.scratch / "cells.key"
    subprocess.run([MAKE_MASTER_KEY, key], check=True, capture_output=True)
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Postgres("-c max_connections=400"))
        cells = []
        for count in COUNTS:
            while len(cells) < count:
                # The first one makes the tables.
                cells.append(stack.enter_context(bench.mesh(
                    bench.scratch / f"cell-{len(cells)}", LATCHKEY_DATABASE_URL=server.url,
                    LATCHKEY_MASTER_KEY_FILE=str(key))))
            Installation(bench, server, list(cells)).measure()


class Installation:
    """A number of meshes on one database."""

    def __init__(self, bench, server, cells):
        self.bench, self.server, self.cells = bench, server, cells
        self.name = f"{len(cells)} mesh{'es' if len(cells) > 1 else ''}"

    def measure(self):
        self.bench.say(f"accounts of {self.name}")
        # Each number of meshes has accounts of its own: refresh tokens and codes are valid once.
        emails = [f"cell-{len(self.cells)}-{number}@bench.example" for number in range(PEOPLE)]
        accounts = self.cells[0].make_accounts(emails, anonymous=CLIENTS + len(self.cells), clients=4)
        tokens = [json.dumps({"idToken": account["idToken"]}) for account in accounts]
        passwords = [json.dumps({"email": email, "password": PASSWORD, "returnSecureToken": True}) for email in emails]
        refreshes = [account["refreshToken"] for account in accounts[PEOPLE:]]
        self.run("account lookup", "bodies", CLIENTS, LOOKUP, [tokens] * len(self.cells), is_warm=False)
        self.run("account lookup", "bodies", CLIENTS, LOOKUP, [tokens] * len(self.cells))
        self.run("sign-up without a password", "bodies", CLIENTS, SIGN_UP, [["{}"]] * len(self.cells))
        self.run("token refresh", "refreshes", CLIENTS, REFRESH, self.shares(refreshes))
        self.run("password sign-in", "bodies", SIGN_INS, SIGN_IN, self.shares(passwords))
        self.bench.say(f"authenticator apps of {self.name}")
        first = step_now() - CODES // 2 + 1
        shares = self.shares(people(self.cells[0], APPS, CODES, first=APPS * len(self.cells)))
        bodies = [[person.body(number, code(person.secret, first + number)) for number in range(CODES) for person in share]
                  for share in shares]
        # Half as many clients as apps, so that no app's second code overtakes the first.
        self.run("accepted code of an authenticator app", "once", APPS // 2, ANSWER, bodies, may_refuse=True)

    def shares(self, items):
        return [items[number::len(self.cells)] for number in range(len(self.cells))]

    def processor_seconds(self):
        """By process, of all meshes together, and of the database server."""
        used = collections.Counter({"postgres": self.server.processor_seconds()})
        for cell in self.cells:
            used.update(cell.processor_seconds())
        return used

    def run(self, what, script, clients, path, shares, is_warm=True, may_refuse=False):
        """Loads every mesh at the same time, with its share of the clients and of the lines."""
        what = f"{what}, {self.name}"
        files = [self.bench.file(f"cells-{number}", lines) for number, lines in enumerate(shares)]
        before, busy = self.processor_seconds(), load.busy_seconds()
        loads = [load.Load(cell, script, clients // len(self.cells), SECONDS, path, file)
                 for cell, file in zip(self.cells, files)]
        results = [running.finish() for running in loads]
        used, busy = self.processor_seconds(), load.busy_seconds() - busy
        used.subtract(before)
        wrk = sum(result.wrk_used for result in results)
        counted = {
            "requests": sum(result.good + result.refused for result in results), "seconds": 1,
            "refused": sum(result.refused for result in results), "broken": sum(result.broken for result in results),
            "p50": max(result.p50 for result in results) * 1000, "p99": max(result.p99 for result in results) * 1000}
        result = load.Result(counted, used, max(result.seconds for result in results), wrk,
                             busy - wrk - sum(used.values()))
        result.per_second = sum(result.per_second for result in results)
        if not may_refuse:
            result.demand_clean(what)
        elif result.broken or result.refused > result.good // 20:
            raise SystemExit(f"{what}: {result.refused} refused, {result.broken} broken, {result.good} good")
        if is_warm:
            self.bench.say(what)
            self.bench.figures.add(what, str(result))
            self.bench.figures.add("    processor time of one", result.processor_time(self.bench.clock.read()))
            self.bench.note(what, result)
