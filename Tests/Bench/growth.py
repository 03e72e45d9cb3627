"""Lookups with few and with many accounts, each of another account in random order."""

import contextlib
import json
import os
import random
import sqlite3

import load
from mesh import KEY, PASSWORD, SIGN_UP

FEW = 1000
MANY = int(os.environ.get("BENCH_ACCOUNTS", "1000000"))
LOOKUPS = 50_000  # Different requests; with few accounts each is looked up several times.
BY_ID = "/identitytoolkit.googleapis.com/v1/projects/demo-latchkey/accounts:lookup" + KEY
P99_RATIO = 1.3
ROUNDS, SECONDS = 5, 2  # The smallest result counts: other work on the machine only adds to it.


def measure(bench):
    """Both meshes run for the whole time, and their measurements alternate, because the machine changes its speed."""
    with contextlib.ExitStack() as stack:
        meshes, bodies = {}, {}
        for count in [FEW, MANY]:
            bench.say(f"{count:,} accounts")
            data = bench.scratch / f"growth-{count}"
            with bench.mesh(data) as mesh:
                mesh.call(SIGN_UP, {"email": "template@bench.example", "password": PASSWORD})
            chosen = random.choices(fill(data / "identity.sqlite", count), k=LOOKUPS)
            bodies[count] = bench.file(f"lookups-{count}", [json.dumps({"localId": [id]}) for id in chosen])
            meshes[count] = stack.enter_context(bench.mesh(data))
            load.run(meshes[count], "owner", 16, 2, BY_ID, bodies[count])  # Caches and allocators warm up.
        for clients in [1, 16]:
            what = f"lookup by id, {clients} client{'s' if clients > 1 else ''}"
            bench.say(f"{what}, {FEW:,} and {MANY:,} accounts")
            results = {FEW: [], MANY: []}
            for _ in range(ROUNDS):
                for count, mesh in meshes.items():
                    results[count].append(
                        load.run(mesh, "owner", clients, SECONDS, BY_ID, bodies[count]).demand_clean(what))
            p50, p99 = ({count: min(getattr(result, name) for result in results[count])
                         for count in meshes} for name in ["p50", "p99"])
            bench.figures.add(
                f"{what}: {FEW:,} accounts; {MANY:,} accounts",
                f"p50 {p50[FEW]:.2f}; {p50[MANY]:.2f} ms, p99 {p99[FEW]:.2f}; {p99[MANY]:.2f} ms (smallest of {ROUNDS})")
            bench.figures.ratio(f"p99 of {what}, {MANY:,} accounts / {FEW:,}", p99[MANY], p99[FEW], most=P99_RATIO)


def fill(path, count):
    """Adds copies of the account with an address until there are `count`, in the database of a stopped mesh. Returns all
    ids. An import through the REST protocol is measured by users.py; a million would take minutes here.
    """
    with sqlite3.connect(path) as database:
        names = [name for _, name, *_ in database.execute("PRAGMA table_info(accounts)")]
        changed = {
            "account_id": "lower(hex(randomblob(14)))",
            **{name: "'user-' || number || '@bench.example'"
               for name in ["email", "email_folded", "initial_email", "initial_email_folded"]}}
        present = database.execute("SELECT COUNT(*) FROM accounts").fetchone()[0]
        database.execute(
            f"""
            WITH RECURSIVE numbers (number) AS (
                SELECT {present} UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < {count})
            INSERT INTO accounts ({', '.join(names)})
            SELECT {', '.join(changed.get(name, name) for name in names)} FROM numbers, accounts
            WHERE email = 'template@bench.example'
            """)
        ids = [row[0] for row in database.execute("SELECT account_id FROM accounts")]
    database.close()
    return ids
