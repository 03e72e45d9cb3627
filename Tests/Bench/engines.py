"""The same work on SQLite and on PostgreSQL: sign-ups without a password, which wait only for the disk, and lookups."""

import json

from mesh import LOOKUP, SIGN_UP
from postgres import Postgres

SIGN_UP_SUM = 2.2
POSTGRES_LOOKUPS = 0.5
LOOKUPS = "lookup, 16 clients"


def measure(bench):
    bench.say("limits of the engines")
    with bench.limits.bare_http() as server:
        bare = bench.load(server, "bodies", 1, 3, SIGN_UP, bench.file("nobody", ["{}"])).demand_clean("bare HTTP")
    commits = bench.limits.measure("commits", bench.scratch / "engines.sqlite")
    limits = {clients: commits[f"callers-{clients}"] for clients in [1, 64]}
    embedded = engine(bench, "SQLite", limits, bench.new_mesh(bench.scratch / "engine-sqlite"))
    parts = [bare.p50, bench.clock.read() * 1000, 1000 / limits[1]]
    bench.figures.ratio(
        "sign-up p50, 1 client / the sum of one HTTP round trip, one RS256, one commit", embedded["sign-up, 1 client"].p50,
        sum(parts), most=SIGN_UP_SUM, detail=f"{embedded['sign-up, 1 client'].p50:.2f} ms / ("
        + " + ".join(f"{part:.2f}" for part in parts) + " ms)")
    with Postgres() as server:
        limits = {clients: server.commits(clients) for clients in [1, 64]}
        mesh = bench.new_mesh(bench.scratch / "engine-postgres", LATCHKEY_DATABASE_URL=server.url)
        separate = engine(bench, "PostgreSQL", limits, mesh)
    bench.figures.add(
        "    PostgreSQL beside SQLite",
        "; ".join(f"{what} {separate[what].per_second / embedded[what].per_second:.0%}" for what in embedded))
    bench.figures.ratio(f"PostgreSQL / SQLite, {LOOKUPS}", separate[LOOKUPS].per_second,
                        embedded[LOOKUPS].per_second, least=POSTGRES_LOOKUPS)


def engine(bench, name, commits, mesh):
    """Returns the results by operation."""
    results = {}
    with mesh:
        _, account = mesh.seconds_to_first_answer(SIGN_UP, {})
        nobody = bench.file("nobody", ["{}"])
        token = bench.file("token", [json.dumps({"idToken": account["idToken"]})])
        for clients in [1, 64]:
            what = f"sign-up, {clients} client{'s' if clients > 1 else ''}"
            results[what] = bench.measure(f"{what}, no password, {name}", mesh, "bodies", clients, 5, SIGN_UP, nobody,
                                          limit=f"durable commits: {commits[clients]:,.0f}/s")
        results[LOOKUPS] = bench.measure(f"account {LOOKUPS}, {name}", mesh, "bodies", 16, 5, LOOKUP, token)
    return results
