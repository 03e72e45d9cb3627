"""What a mesh costs while it does nothing: its start, its memory, its wake-ups."""

import collections
import json
import statistics
import time
import typing

import passkeys
from mesh import LOOKUP, SIGN_UP
from totp import ask

STARTS = 5
SETTLING_SECONDS = 20  # After which the services have written what they collected during the last requests.
IDLE_SECONDS = 20
EXECUTABLES = ["broker", "gateway", "identity", "latchkey", "mfa-sms", "mfa-totp", "passkey", "federation", "notifier"]
LOADED_MEMORY = 130  # MiB PSS of all processes together.


class Form(typing.NamedTuple):
    """A form of the mesh, and its targets: MiB PSS, milliseconds, wake-ups per second of all its processes together."""
    name: str
    settings: dict
    idle_memory: int
    first_start: int
    later_start: int
    idle_wake_ups: int


SEVERAL = Form("the mesh", {}, 72, 300, 80, 50)
ONE = Form("the mesh in one process", {"LATCHKEY_ONE_PROCESS": "1"}, 40, 300, 50, 15)


def start_up(bench, form=SEVERAL):
    """From the spawn of `latchkey up` to the first response to a request that reads or writes the database."""
    empty, existing = [], []
    for number in range(STARTS):
        data = bench.scratch / f"start-{len(form.settings)}-{number}"
        with bench.new_mesh(data, **form.settings) as mesh:
            seconds, answer = mesh.seconds_to_first_answer(SIGN_UP, {})
            empty.append(seconds)
        with bench.new_mesh(data, **form.settings) as mesh:
            seconds, _ = mesh.seconds_to_first_answer(LOOKUP, {"idToken": answer["idToken"]})
            existing.append(seconds)
    for what, times, limit in [("empty directory", empty, form.first_start), ("later", existing, form.later_start)]:
        milliseconds = statistics.median(times) * 1000
        bench.figures.add(
            f"cold start of {form.name} to the first response, {what}",
            f"{milliseconds:.0f} ms (median of {STARTS}; {min(times) * 1000:.0f} to {max(times) * 1000:.0f})")
        bench.figures.target(
            f"cold start of {form.name}, {what}", f"{milliseconds:.0f} ms", f"<= {limit} ms", milliseconds <= limit)


def idle(bench, mesh, provider, form=SEVERAL):
    """The idle mesh, in which every process has served something."""
    passkey = passkeys.sign_ins(mesh, 1, 1)[0]
    ask(mesh, "POST", passkeys.FINISH, json.loads(passkey))
    provider.sign_ins(mesh, 1)
    time.sleep(SETTLING_SECONDS)
    before = mesh.wake_ups()
    time.sleep(IDLE_SECONDS)
    after = mesh.wake_ups()
    rates = collections.Counter()
    # Threads that end in between are not counted; most of them sleep once.
    for (name, thread), count in after.items():
        rates[name] += (count - before.get((name, thread), 0)) / IDLE_SECONDS
    total = sum(rates.values())
    wakes = f"wake-ups of {form.name}, idle"
    bench.figures.add(wakes, f"{total:,.0f}/s: {by_size(rates)}")
    bench.figures.target(wakes, f"{total:,.0f}/s", f"<= {form.idle_wake_ups}/s", total <= form.idle_wake_ups)
    show_memory(bench, mesh, form, "idle, after one passkey and one provider sign-in", form.idle_memory)
    if form is not SEVERAL:
        return
    sizes = {name: (bench.binaries / name).stat().st_size / 2**20 for name in EXECUTABLES}
    bench.figures.add(
        "executables", f"{sum(sizes.values()):.0f} MiB, the largest {max(sizes, key=sizes.get)} "
        f"{max(sizes.values()):.0f} MiB")


def after_load(bench, mesh):
    time.sleep(SETTLING_SECONDS)
    show_memory(bench, mesh, SEVERAL, f"{SETTLING_SECONDS} s after all this load", LOADED_MEMORY)


def show_memory(bench, mesh, form, when, limit):
    memory = mesh.memory()
    resident = {name: size.resident for name, size in memory.items()}
    proportional = {name: size.proportional for name, size in memory.items()}
    total = sum(proportional.values())
    bench.figures.add(
        f"memory of {form.name}, {when}", f"{total:.0f} MiB PSS, {sum(resident.values()):.0f} MiB RSS")
    bench.figures.add("    PSS by process", by_size(proportional))
    bench.figures.add("    RSS by process", by_size(resident))
    bench.figures.target(f"memory of {form.name}, {when}", f"{total:.0f} MiB PSS", f"<= {limit} MiB PSS", total <= limit)


def by_size(figures):
    return ", ".join(f"{name} {size:.0f}" for name, size in sorted(figures.items(), key=lambda item: -item[1]))
