#!/usr/bin/env python3
"""SMS: the messages per second with 1, 2, 4 and 8 senders, with a provider that takes 200 ms; and the time of a message
from the REST call to the call of the provider.

Usage: Tests/Bench/sms.py BINARIES    this part of the bench only
"""

import asyncio
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

SENDERS = [1, 2, 4, 8]
CONNECTIONS = 8  # For each sender: the default.
MESSAGES = 240  # For each sender.
PROVIDER_SECONDS = 0.2
LATENCY_TARGET, FOUR_SENDERS = 10, 3.6  # Milliseconds; times one sender.
SEND_CODE = "/identitytoolkit.googleapis.com/v1/accounts:sendVerificationCode?key=any"


class Provider:
    """Implements the required part of Twilio's API. Use it in a `with` statement."""

    def __init__(self, seconds):
        self.seconds = seconds
        # The times of the first calls, in seconds by the clock of the machine.
        self.arrivals = {}  # By message id.
        self.recipients = {}  # By number.
        self.twice = 0

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        started = threading.Event()

        async def start():
            server = await asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=1024)
            self.port = server.sockets[0].getsockname()[1]
            started.set()

        def run():
            self.loop.create_task(start())
            self.loop.run_forever()

        threading.Thread(target=run, daemon=True).start()
        started.wait()
        return self

    def __exit__(self, *failure):
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def serve(self, reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                arrived = time.time()
                fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
                form = urllib.parse.parse_qs((await reader.readexactly(int(fields["content-length"]))).decode())
                message = fields["i-twilio-idempotency-token"]
                if message in self.arrivals:
                    self.twice += 1
                self.arrivals.setdefault(message, arrived)
                self.recipients.setdefault(form["To"][0], arrived)
                await asyncio.sleep(self.seconds)
                body = b'{"sid":"SM1","price":null}'
                writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
                await writer.drain()

    def settings(self):
        return {"LATCHKEY_SMS_PROVIDER": "twilio", "LATCHKEY_TWILIO_BASE_URL": f"http://127.0.0.1:{self.port}",
                "LATCHKEY_TWILIO_ACCOUNT_SID": "AC1", "LATCHKEY_TWILIO_AUTH_TOKEN": "token",
                "LATCHKEY_TWILIO_FROM": "+15005550006", "LATCHKEY_SMS_CONNECTIONS": str(CONNECTIONS)}


class Senders:
    """A number of `notifier --channels sms` processes. Use it in a `with` statement."""

    def __init__(self, binaries, data, broker, count, provider, database=None):
        environment = {**os.environ, **provider.settings(), "LATCHKEY_DEV": "1", "LATCHKEY_DATA": str(data),
                       "LATCHKEY_BROKERS": broker, **({"LATCHKEY_DATABASE_URL": database} if database else {})}
        self.processes = [
            subprocess.Popen([binaries / "notifier", "--channels", "sms"], stderr=subprocess.DEVNULL,
                             env={**environment, "LATCHKEY_INSTANCE": f"sms.{number}"})
            for number in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(timeout=30)


def ask(binaries, broker, at_a_time, count):
    """Requests messages. Returns the time of each request, in seconds by the clock of the machine."""
    output = subprocess.run(
        [binaries / "bench-limits", "text-messages", broker, str(at_a_time), str(count)], check=True,
        capture_output=True, text=True).stdout
    return {words[1]: int(words[2]) / 1e6 for words in map(str.split, output.splitlines())}


def until(what, is_so, seconds=120):
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise SystemExit(f"It never happened that {what}.")
        time.sleep(0.02)


def throughput(binaries, scratch, make_mesh, database=None):
    """Messages per second by the number of senders."""
    rates = {}
    data = scratch / "sms"
    broker = f"ipc://{data}/run/broker.1.sock"
    with Provider(PROVIDER_SECONDS) as provider:
        # It accepts messages that it does not send, so all of them wait when the senders start.
        with make_mesh(data, LATCHKEY_NOTIFIER_CHANNELS="email", **provider.settings()):
            for count in SENDERS:
                known = set(provider.arrivals)
                asked = ask(binaries, broker, 32, MESSAGES * count)
                with Senders(binaries, data, broker, count, provider, database):
                    until("all were sent", lambda: asked.keys() <= provider.arrivals.keys())
                    times = sorted(time for message, time in provider.arrivals.items() if message not in known)
                # The middle part, in which all senders run and have messages.
                times = times[len(times) // 5:-len(times) // 5]
                rates[count] = (len(times) - 1) / (times[-1] - times[0])
        if provider.twice:
            raise SystemExit(f"{provider.twice} messages were sent twice.")
    return rates


def latency(binaries, scratch, make_mesh, is_separate):
    """Milliseconds from the REST call of a phone sign-in to the call of the provider, one every 50 ms."""
    data = scratch / f"sms-latency-{is_separate}"
    broker = f"ipc://{data}/run/broker.1.sock"
    with Provider(0) as provider, contextlib.ExitStack() as stack:
        channels = {"LATCHKEY_NOTIFIER_CHANNELS": "email"} if is_separate else {}
        mesh = stack.enter_context(make_mesh(data, **channels, **provider.settings()))
        if is_separate:
            stack.enter_context(Senders(binaries, data, broker, 1, provider))
        times = []
        # The first ones fill the caches.
        for turn in range(-20, 100):
            number = f"+491515{7_000_000 + turn}"
            began = time.time()
            status, _, answer = mesh.call(SEND_CODE, {"phoneNumber": number})
            if status != 200:
                raise SystemExit(f"A code was refused: {answer}")
            until("it was sent", lambda: number in provider.recipients)
            if turn >= 0:
                times.append((provider.recipients[number] - began) * 1000)
            time.sleep(0.05)
    return sorted(times)


def measure(binaries, scratch, make_mesh, figures, say):
    """Adds the figures. `make_mesh` makes a running mesh."""
    say("text messages, latency")
    for is_separate, who in [(False, "one notifier"), (True, "a separate sender")]:
        times = latency(binaries, scratch, make_mesh, is_separate)
        p50 = statistics.median(times)
        what = f"text message, from the REST call to the provider's, {who}"
        figures.add(what, f"p50 {p50:.1f} ms, p99 {times[len(times) * 99 // 100]:.1f} ms")
        figures.target(what, f"p50 {p50:.1f} ms", f"<= {LATENCY_TARGET} ms", p50 <= LATENCY_TARGET)
    say("text messages, senders")
    rates = throughput(binaries, scratch, make_mesh)
    for count, rate in rates.items():
        figures.add(f"text messages, {count} sender{'s' if count > 1 else ''}, provider takes 200 ms",
                    f"{rate:.1f}/s, {rate / rates[1]:.2f} x", f"{CONNECTIONS * count} at a time: "
                    f"{CONNECTIONS * count / PROVIDER_SECONDS:.0f}/s")
    figures.ratio("text messages, 4 senders / 1 sender", rates[4], rates[1], least=FOUR_SENDERS)


def main():
    from mesh import SIGN_UP, Mesh
    from table import Figures

    binaries = pathlib.Path(sys.argv[1]).resolve()
    figures = Figures()

    @contextlib.contextmanager
    def make_mesh(data, **settings):
        with Mesh(binaries, data, **settings) as mesh:
            mesh.seconds_to_first_answer(SIGN_UP, {})
            yield mesh

    with tempfile.TemporaryDirectory(prefix="lk-sms.") as scratch:
        measure(binaries, pathlib.Path(scratch), make_mesh, figures, lambda what: print(what, file=sys.stderr))
    print(figures)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
