"""Lookups over a bus whose processes have keys, beside the same mesh without: CURVE on every connection."""

import json
import statistics
import subprocess

import load
from mesh import LOOKUP

PROCESSES = ["broker", "gateway", "identity", "mfa-sms", "mfa-totp", "passkey", "federation", "notifier", "latchkey", "latchkey-up"]
CLIENTS, ACCOUNTS, ROUNDS, SECONDS = 16, 256, 3, 4
LOOKUPS_WITH_KEYS = 0.75  # Beside those without.


def measure(bench):
    """All meshes run, and take turns. With keys a broker is a process of its own, as in the second one."""
    keys = bench.scratch / "bus"
    keys.mkdir(mode=0o700)
    table = keys / "peers.toml"
    table.write_text("\n".join(create(bench.binaries, keys, process) for process in PROCESSES))
    table.chmod(0o644)
    with bench.mesh(bench.scratch / "keyed", LATCHKEY_BUS_KEYS=str(keys)) as with_keys, \
            bench.mesh(bench.scratch / "apart", LATCHKEY_SCALE="broker=1") as without, bench.mesh(bench.scratch / "plain") as plain:
        meshes = {"with keys": with_keys, "without keys": without, "without keys, the broker in the gateway": plain}
        results, bodies = {name: [] for name in meshes}, {}
        for name, mesh in meshes.items():
            accounts = mesh.make_accounts([], anonymous=ACCOUNTS)
            bodies[name] = bench.file(f"keyed-{len(bodies)}", [json.dumps({"idToken": account["idToken"]}) for account in accounts])
            load.run(mesh, "bodies", CLIENTS, 2, LOOKUP, bodies[name])  # Caches and allocators warm up.
        for number in range(ROUNDS):
            for name, mesh in meshes.items():
                bench.say(f"lookups {name}, round {number + 1}")
                results[name].append(load.run(mesh, "bodies", CLIENTS, SECONDS, LOOKUP, bodies[name]).demand_clean(name))
    rates = {name: statistics.median(result.per_second for result in of) for name, of in results.items()}
    for name, of in results.items():
        middle = next(result for result in of if result.per_second == rates[name])
        bench.figures.add(f"account lookup, {CLIENTS} clients, {name}", f"{middle}; {middle.processor_seconds * 1e6:.0f} us of processor time")
        bench.note(f"lookups {name}", middle)
    bench.figures.ratio(
        f"lookups with keys of the bus, {CLIENTS} clients / without", rates["with keys"], rates["without keys"],
        least=LOOKUPS_WITH_KEYS, detail=f"{rates['with keys']:,.0f} / {rates['without keys']:,.0f}/s, medians of {ROUNDS} rounds in turn")


def create(binaries, keys, process):
    return subprocess.run(
        [binaries / "latchkey", "keys", "bus", "create", process, "--dir", keys], check=True, capture_output=True, text=True).stdout
