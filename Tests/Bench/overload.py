"""A thousand clients that sign in at once: how fast the others are refused, and how much work is still completed."""

import concurrent.futures
import itertools
import time

import load
from mesh import PASSWORD, SIGN_IN

CROWD = 1000  # Clients: several times what the queues hold.
SECONDS = 10
# A further client takes processor time from the mesh, so there are no more of them than the 99th percentile needs.
FURTHER_CLIENT_SECONDS = 0.05
REFUSAL_MILLISECONDS = 50
GOODPUT = 0.9


def measure(bench, mesh, capacity):
    """`capacity` is the number of sign-ins per second without overload."""
    bench.say(f"overload, {CROWD} clients")
    crowd = load.Load(mesh, "overload", CROWD, SECONDS, SIGN_IN, bench.crowd)
    time.sleep(1)
    refusals, completed = further_clients(mesh, bench.emails, until=time.perf_counter() + 7)
    result = crowd.finish()
    bench.note(f"overload, {CROWD} clients", result)
    goal = f"<= {REFUSAL_MILLISECONDS} ms"
    if refusals:
        times = sorted(milliseconds for milliseconds, _ in refusals)
        p99 = times[len(times) * 99 // 100]
        polite = all(retry_after for _, retry_after in refusals)
        bench.figures.add(
            f"overload, {CROWD} clients sign in: 503 after",
            f"p50 {times[len(times) // 2]:.1f} ms, p99 {p99:.1f} ms; {result.refused_per_second:,.0f}/s, "
            f"{'each' if polite else 'NOT each'} with Retry-After")
        bench.figures.target("overload: 503 after, p99", f"{p99:.1f} ms", goal,
                             p99 <= REFUSAL_MILLISECONDS and polite)
    else:
        bench.figures.target("overload: 503 after, p99", "nobody was refused", goal, False)
    # The further clients compete for the same capacity. Those completed after the crowd has left do not count.
    goodput = result.per_second + sum(at < crowd.started_at + SECONDS for at in completed) / SECONDS
    bench.figures.add("    goodput", f"{goodput:,.1f}/s", f"without overload: {capacity:,.1f}/s")
    bench.figures.ratio("overload: goodput / sign-ins without overload", goodput, capacity, least=GOODPUT)


def further_clients(mesh, emails, until):
    """Sends a request as a further client every `FURTHER_CLIENT_SECONDS`. Returns milliseconds and Retry-After of each 503,
    and the time of each completed sign-in."""
    found, completed = [], []

    def knock(email):
        began = time.perf_counter()
        status, headers, _ = mesh.call(SIGN_IN, {"email": email, "password": PASSWORD})
        if status == 503:
            found.append(((time.perf_counter() - began) * 1000, headers["Retry-After"]))
        elif status == 200:
            completed.append(time.perf_counter())

    # Some requests are accepted and queued: they must not delay the other requests.
    with concurrent.futures.ThreadPoolExecutor(256) as knockers:
        for email in itertools.cycle(emails):  # Attempts at one address would wait for each other.
            if time.perf_counter() >= until:
                break
            knockers.submit(knock, email)
            time.sleep(FURTHER_CLIENT_SECONDS)
    return found, completed
