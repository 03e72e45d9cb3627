"""Load on a mesh from wrk, and the processor time of every process meanwhile."""

import json
import os
import pathlib
import subprocess
import time

from mesh import TICKS

HERE = pathlib.Path(__file__).parent


def busy_seconds():
    """Processor time of the whole machine so far."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(
        int, pathlib.Path("/proc/stat").read_text().split(maxsplit=9)[1:9])
    return (user + nice + system + irq + softirq + steal) / TICKS


class Load:
    """wrk with one thread, started in the background. `finish` waits for its end."""

    def __init__(self, mesh, script, clients, seconds, *arguments):
        self.mesh = mesh
        self.before, self.busy_before = mesh.processor_seconds(), busy_seconds()
        self.started_at = time.perf_counter()
        self.wrk = subprocess.Popen(
            ["wrk", "--threads", "1", "--connections", str(clients), "--duration", f"{seconds}s", "--timeout", "10s",
             "--script", HERE / f"{script}.lua", mesh.url, "--", *map(str, arguments)],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "LUA_PATH": f"{HERE}/?.lua"})

    def finish(self):
        output = self.wrk.stdout.read()
        _, status, usage = os.wait4(self.wrk.pid, 0)
        self.wrk.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - self.started_at
        if self.wrk.returncode != 0:
            raise SystemExit(f"wrk failed:\n{output}")
        after, busy = self.mesh.processor_seconds(), busy_seconds() - self.busy_before
        cost = {name: (after[name] - self.before.get(name, 0)) / seconds for name in after}
        cost["wrk"] = (usage.ru_utime + usage.ru_stime) / seconds
        cost["others"] = busy / seconds - sum(cost.values())  # A high value makes the measurement unreliable.
        return Result(json.loads(output.splitlines()[-1]), cost)


class Result:
    """The results of wrk. Times are in milliseconds, costs in processors by process."""

    def __init__(self, counted, cost):
        self.good = counted["requests"] - counted["refused"]
        self.refused = counted["refused"]
        self.broken = counted["broken"]
        self.per_second = self.good / counted["seconds"]
        self.refused_per_second = self.refused / counted["seconds"]
        self.p50 = counted["p50"] / 1000
        self.p99 = counted["p99"] / 1000
        self.cost = cost

    def demand_clean(self, what):
        """Fails unless all responses were successful."""
        if self.refused or self.broken:
            raise SystemExit(f"{what}: {self.refused} refused, {self.broken} broken, {self.good} good")
        return self


def run(mesh, script, clients, seconds, *arguments):
    return Load(mesh, script, clients, seconds, *arguments).finish()
