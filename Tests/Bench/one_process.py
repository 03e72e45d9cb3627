"""The mesh in one process: the rows of the other form again, beside the same limits."""

import json

import load
import providers
import resources
from limits import openssl_signatures
from mesh import LOOKUP, REFRESH, SIGN_UP

ACCOUNTS = 256
LOOKUP_SIGNATURES = 0.25  # Processor time of a lookup beside that of an RS256 signature.
LOOKUP_TIME = 3  # p50 with one client, beside that of the bare HTTP round trip.


def measure(bench):
    form = resources.ONE
    bench.say("cold start in one process")
    resources.start_up(bench, form)
    with bench.mesh(bench.scratch / "one", **form.settings) as mesh:
        with providers.Provider(bench.scratch).running(mesh) as provider:
            bench.say("memory in one process")
            resources.idle(bench, mesh, provider, form)
        accounts = mesh.make_accounts([], anonymous=ACCOUNTS)
        tokens = bench.file("one-lookups", [json.dumps({"idToken": account["idToken"]}) for account in accounts])
        load.run(mesh, "bodies", 16, 2, LOOKUP, tokens)  # Caches and allocators warm up.
        with bench.limits.bare_http() as server:
            bare = bench.measure("bare HTTP, 1 client, again", server, "bodies", 1, 3, LOOKUP, tokens)
        results = {
            clients: bench.measure(
                f"account lookup in one process, {clients} client{'s' if clients > 1 else ''}", mesh, "bodies", clients, 5,
                LOOKUP, tokens)
            for clients in [1, 16, 64]}
        bench.cost("a lookup in one process, 16 clients", [results[16]], LOOKUP_SIGNATURES)
        bench.figures.ratio(
            "lookup p50 in one process, 1 client / p50 of the bare HTTP round trip", results[1].p50, bare.p50,
            most=LOOKUP_TIME, detail=f"{results[1].p50:.2f} / {bare.p50:.2f} ms")
        nothing = bench.file("one-sign-ups", ["{}"])
        for clients in [1, 64]:
            bench.measure(
                f"sign-up without a password in one process, {clients} client{'s' if clients > 1 else ''}", mesh, "bodies",
                clients, 4, SIGN_UP, nothing)
        sessions = bench.file("one-refreshes", [account["refreshToken"] for account in accounts[:65]])
        one = openssl_signatures()
        bench.measure(
            "token refresh in one process, 64 sessions", mesh, "refreshes", 64, 5, REFRESH, sessions,
            limit=f"openssl speed rsa2048 on one core: {one:,.0f}/s")
