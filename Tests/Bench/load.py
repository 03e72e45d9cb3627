"""Load on a mesh from wrk, and the processor time of every process meanwhile."""

import json
import os
import pathlib
import subprocess
import time

from limits import TICKS

HERE = pathlib.Path(__file__).parent


def busy_seconds():
    """Processor time of the whole machine so far."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(
        int, pathlib.Path("/proc/stat").read_text().split(maxsplit=9)[1:9])
    return (user + nice + system + irq + softirq + steal) / TICKS


class Load:
    """wrk with one thread, started in the background. `finish` waits for its end.

    `server` is a `Mesh` or a `BareServer`.
    """

    def __init__(self, server, script, clients, seconds, *arguments):
        self.server = server
        self.before, self.busy_before = server.processor_seconds(), busy_seconds()
        self.started_at = time.perf_counter()
        self.wrk = subprocess.Popen(
            ["wrk", "--threads", "1", "--connections", str(clients), "--duration", f"{seconds}s", "--timeout", "10s",
             "--script", HERE / f"{script}.lua", server.url, "--", *map(str, arguments)],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "LUA_PATH": f"{HERE}/?.lua"})

    def finish(self):
        output = self.wrk.stdout.read()
        _, status, usage = os.wait4(self.wrk.pid, 0)
        self.wrk.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - self.started_at
        if self.wrk.returncode != 0:
            raise SystemExit(f"wrk failed:\n{output}")
        after, busy = self.server.processor_seconds(), busy_seconds() - self.busy_before
        used = {name: after[name] - self.before.get(name, 0) for name in after}
        wrk = usage.ru_utime + usage.ru_stime
        return Result(json.loads(output.splitlines()[-1]), used, seconds, wrk, busy - wrk - sum(used.values()))


class Result:
    """The results of wrk. `p50` and `p99` are in milliseconds.

    `used` has the processor seconds of each process of the server, `wrk_used` those of wrk, and `others_used` those of
    everything else on the machine: a high value makes the measurement unreliable.
    """

    def __init__(self, counted, used, seconds, wrk_used, others_used):
        self.good = counted["requests"] - counted["refused"]
        self.refused = counted["refused"]
        self.broken = counted["broken"]
        self.per_second = self.good / counted["seconds"]
        self.refused_per_second = self.refused / counted["seconds"]
        self.p50 = counted["p50"] / 1000
        self.p99 = counted["p99"] / 1000
        self.used, self.wrk_used, self.others_used = used, wrk_used, others_used
        self.seconds = seconds

    def __str__(self):
        return f"{self.per_second:,.0f}/s, p50 {self.p50:.2f} ms, p99 {self.p99:.2f} ms"

    def demand_clean(self, what):
        """Fails unless all responses were successful."""
        if self.refused or self.broken:
            raise SystemExit(f"{what}: {self.refused} refused, {self.broken} broken, {self.good} good")
        return self

    @property
    def processor_seconds(self):
        """Of one request, in all processes of the server."""
        return sum(self.used.values()) / max(1, self.good + self.refused)

    def processor_time(self, signature):
        """Of one request, beside that of one RS256 signature in seconds, and by process."""
        requests = max(1, self.good + self.refused)
        by_process = sorted(((used / requests * 1e6, name) for name, used in self.used.items()), reverse=True)
        shown = ", ".join(f"{name} {used:.0f}" for used, name in by_process if used >= 1)
        return (f"{self.processor_seconds * 1000:.3f} ms = {self.processor_seconds / signature:.2f} RS256 signatures; "
                f"in us: {shown}")

    def processors(self):
        """The processors in use during the measurement, by process."""
        used = [*self.used.items(), ("wrk", self.wrk_used), ("others", self.others_used)]
        busy = sorted(((seconds / self.seconds, name) for name, seconds in used), reverse=True)
        return ", ".join(f"{name} {share:.2f}" for share, name in busy if share >= 0.01)


def run(server, script, clients, seconds, *arguments):
    return Load(server, script, clients, seconds, *arguments).finish()
