"""A month of an installation's users within minutes: what grows in PostgreSQL, and what vacuum gives back.

Ten accounts for each active user, who signs in four times, half of them with a password and one of eight with a code as well,
the others with an identity of Google, and refreshes 60 tokens (docs/operate/capacity.md). Each day has its users in another
order, so that between two visits of one all others come.
"""

import concurrent.futures
import contextlib
import http.client
import json
import os
import random
import subprocess
import threading
import time
import urllib.parse

from mesh import PASSWORD, REFRESH, SIGN_IN
from postgres import Postgres
from providers import SIGN_IN as PROVIDER_SIGN_IN
from totp import ANSWER, CONFIG, WINDOW, ask, code, step_now

ACCOUNTS = int(os.environ.get("BENCH_ACCOUNTS", "100000"))
ACTIVE = ACCOUNTS // 10
DAYS, SIGN_INS, REFRESHES = 30, 4, 60
CLIENTS = 16
ATTEMPTS = 6  # Of a request that is answered with 503, the first two at once.
SECRET = b"secret of every app "  # Of the authenticator apps that `latchkey bench fill` makes.
# A day takes seconds here, so autovacuum looks for work each second, not each minute. It may cost as much as ever.
OPTIONS = "-c autovacuum_naptime=1s -c shared_buffers=1GB -c max_wal_size=4GB"
TABLES = """
SELECT schemaname || '.' || relname, pg_table_size(relid), pg_indexes_size(relid), n_live_tup, n_tup_upd, n_tup_hot_upd,
       autovacuum_count
FROM pg_stat_user_tables ORDER BY pg_total_relation_size(relid) DESC LIMIT 9"""
USERS = """
SELECT accounts.email, COALESCE(factor_id, ''), COALESCE(provider_account_id, '')
FROM identity.accounts LEFT JOIN identity.second_factors USING (project, tenant, account_id)
LEFT JOIN identity.provider_links USING (project, tenant, account_id)
WHERE %s ORDER BY random() LIMIT %d"""
KINDS = [  # With their shares.
    ("password_record IS NOT NULL AND kind = 'totp'", 1 / 8), ("password_record IS NOT NULL AND kind IS NULL", 3 / 8),
    ("provider_account_id IS NOT NULL AND kind IS NULL", 1 / 2)]


def measure(bench):
    with Postgres(OPTIONS) as server:
        # Identities without the signature of Google.
        data, setting = bench.scratch / "month", {"LATCHKEY_DATABASE_URL": server.url, "LATCHKEY_EMULATOR_TOKENS": "1"}
        with bench.mesh(data, **setting):
            pass  # It makes the tables.
        bench.say(f"{ACCOUNTS:,} accounts")
        subprocess.run([bench.binaries / "latchkey", "bench", "fill", "--dev", "--accounts", str(ACCOUNTS), "--data", data],
                       env=os.environ | setting, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.query("VACUUM (ANALYZE)")
        users = [User(*row) for kind, share in KINDS for row in server.query(USERS % (kind, ACTIVE * share))]
        with bench.mesh(data, **setting) as mesh:
            ask(mesh, "PATCH", CONFIG, {"mfa": {"providerConfigs": [
                {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": WINDOW}}]}})
            Month(bench, server, mesh, users).measure()


class User:
    """One of the active users, with the token of the newest session."""

    def __init__(self, email, factor, subject):
        self.email, self.factor, self.subject = email, factor, subject
        self.token, self.step = None, 0
        self.sign_in_days = set(random.sample(range(1, DAYS), SIGN_INS - 1)) | {0}

    def visit(self, client, day):
        if day in self.sign_in_days:
            if self.subject:
                claims = json.dumps({"sub": self.subject, "email": self.email}, separators=(",", ":"))
                answer = client.call(PROVIDER_SIGN_IN, {
                    "requestUri": "http://localhost", "returnSecureToken": True,
                    "postBody": urllib.parse.urlencode({"providerId": "google.com", "id_token": claims})})
            else:
                answer = client.call(SIGN_IN, {"email": self.email, "password": PASSWORD, "returnSecureToken": True})
            if self.factor:
                # Each code is valid once, and a day is shorter than a step.
                self.step = max(self.step + 1, step_now() - WINDOW + 1)
                answer = client.call(ANSWER, {
                    "mfaPendingCredential": answer["mfaPendingCredential"], "mfaEnrollmentId": self.factor,
                    "totpVerificationInfo": {"verificationCode": code(SECRET, self.step)}})
            self.token = answer["refreshToken"]
        for _ in range(REFRESHES // DAYS):
            answer = client.call(REFRESH, {"grant_type": "refresh_token", "refresh_token": self.token})
            self.token = answer["refresh_token"]


class Client:
    def __init__(self, mesh):
        self.connection = http.client.HTTPConnection("127.0.0.1", mesh.port)

    def call(self, path, body):
        for pause in range(ATTEMPTS):
            self.connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            response = self.connection.getresponse()
            answer = json.loads(response.read())
            if response.status == 200:
                return answer
            if response.status != 503:
                break
            time.sleep(pause)  # The machine has other work.
        raise SystemExit(f"{path} answered {response.status}: {answer}")


class Month:
    def __init__(self, bench, server, mesh, users):
        self.bench, self.server, self.mesh, self.users = bench, server, mesh, users
        self.clients = threading.local()

    def measure(self):
        before, began = self.tables(), time.perf_counter()
        used, written = self.server.processor_seconds(), self.written()
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            for day in range(DAYS):
                self.bench.say(f"day {day + 1} of {DAYS}, {len(self.users):,} active users")
                random.shuffle(self.users)
                list(pool.map(lambda user: user.visit(self.client(), day), self.users))
        minutes = (time.perf_counter() - began) / 60
        used, written = self.server.processor_seconds() - used, self.written() - written
        after = self.tables()
        self.bench.figures.add(
            f"a month of {len(self.users):,} active users among {ACCOUNTS:,} accounts",
            f"{minutes:.1f} minutes; PostgreSQL: {used:,.0f} s of processor time, {written / 2**20:,.0f} MiB of WAL")
        self.show(before, after)
        self.server.query("VACUUM")
        # What vacuum has freed is used again: a table that has it does not grow in the next month.
        free = self.server.query("CREATE EXTENSION pg_freespacemap; SELECT relid::regclass, sum(avail) FROM pg_stat_user_tables,"
                                 " LATERAL pg_freespace(relid) GROUP BY 1 ORDER BY 2 DESC LIMIT 5")
        self.bench.figures.add("    free in the rows of tables after vacuum", "; ".join(
            f"{name} {int(count) / 2**20:.1f} MiB" for name, count in free if int(count) > 2**20) or "less than 1 MiB each")

    def show(self, before, after):
        for name, now in after.items():
            then = before.get(name) or [0] * len(now)
            grown = [f"{new / 2**20:,.1f} MiB ({(new - old) / old:+.0%})" if old else f"{new / 2**20:,.1f} MiB"
                     for old, new in zip(then[:2], now[:2])]
            updated, in_place = now[3] - then[3], now[4] - then[4]
            self.bench.figures.add(
                f"    {name}, {then[2]:,} rows, then {now[2]:,}",
                f"rows {grown[0]}, indexes {grown[1]}; {updated:,} updates"
                + (f", {in_place / updated:.0%} in place" if updated else "") + f"; {now[5] - then[5]} vacuums")

    def tables(self):
        self.server.query("ANALYZE")
        return {name: [int(number) for number in numbers] for name, *numbers in self.server.query(TABLES)}

    def written(self):
        """Bytes of WAL so far."""
        return int(self.server.query("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")[0][0])

    def client(self):
        with contextlib.suppress(AttributeError):
            return self.clients.value
        self.clients.value = Client(self.mesh)
        return self.clients.value
