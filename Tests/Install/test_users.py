"""A user for each process: from the data of one user to those of eight, with sign-ins before and after, and who can read what."""

import json
import re
import shutil
import signal
import subprocess
import time

import page
import pytest
from application import PASSWORD, call, sign_in, sign_up, wait_until_ready
from executable import ROOT
from host import PROGRAMS, Host
from ports import free_port
from unit import edit

PREPARE = ROOT / "deploy/prepare-units"
SERVICES = ["identity", "mfa-sms", "mfa-totp", "passkey", "federation", "notifier"]
PROCESSES = ["broker", "gateway", *SERVICES]
DATA = "/var/lib/latchkey-services"
# In place of /usr/lib/latchkey.
PLACE = "/var/lib/programs"
MESH = ["--env-file", "/etc/latchkey/mesh.env"]
OPERATOR = [*MESH, "--env-file", "/etc/latchkey/notifier.env", "--env-file", f"{PLACE}/operator.env"]
FACTOR = json.dumps([{"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 5}}])

# `run` says it in a line.
pytestmark = pytest.mark.skipif(
    subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0, reason="needs root")


@pytest.fixture(scope="module")
def namespace(folder, executables):
    host = Host(folder / "host", executables)
    try:
        yield host
    finally:
        host.close()


@pytest.fixture
def host(namespace):
    namespace.reset()
    return namespace


def configure(host):
    """The lines that an operator edits."""
    addresses = {"LATCHKEY_LISTEN": f"127.0.0.1:{free_port()}", "LATCHKEY_ADMIN_LISTEN": f"127.0.0.1:{free_port()}"}
    shop = {"LATCHKEY_PROJECT": "shop", "LATCHKEY_PUBLIC_URL": "https://auth.shop.test"}
    mails = {"LATCHKEY_SMTP_URL": "smtp://127.0.0.1:9", "LATCHKEY_SMTP_FROM": "noreply@shop.test"}
    settings = host.path("/etc/latchkey")
    edit(settings / "latchkey.env", **addresses, **shop, **mails)
    edit(settings / "mesh.env", **shop)
    edit(settings / "gateway.env", **addresses)
    edit(settings / "notifier.env", **mails)
    host.origin = f"http://{addresses['LATCHKEY_LISTEN']}"
    host.run("chgrp", "-R", "latchkey", "/etc/latchkey")


class Units(dict):
    """The process of each unit. All of them count as ended when one has."""

    @property
    def ended(self):
        return next((unit for unit in self.values() if unit.poll() is not None), None)

    def poll(self):
        return self.ended and self.ended.returncode

    @property
    def log(self):
        return self.ended.log


def start(host):
    """`systemctl start latchkey.target`."""
    units = Units((process, host.start_unit(f"latchkey@{process}")) for process in PROCESSES)
    wait_until_ready(host.origin, units)
    return units


def typed(host, start, code=0):
    """What a block of the page about units does on a machine with systemd. The executable of this build is there already."""
    text = page.block(start, "deploy/README.md").replace("/usr/lib/latchkey", PLACE)
    return host.run("bash", "-euo", "pipefail", "-c", f"systemctl() {{ :; }}; cd {ROOT}\n{text}", code=code)


def stop(units):
    ends = []
    for process in ["gateway", *SERVICES, "broker"]:
        units[process].send_signal(signal.SIGTERM)
        ends.append(units[process].wait(timeout=60))
    assert ends == [0] * len(PROCESSES)


def listed(host, *roots):
    """Every file with its owner, group, mode and time."""
    return host.run("find", *roots, "-printf", "%p %u:%g %m %T@\n")


def post(host, path, body):
    status, answer = call(f"{host.origin}/{path}?key={host.api_key}", body)
    assert status == 200, answer
    return json.loads(answer)


def code(secret, seconds_ago):
    moment = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(time.time() - seconds_ago))
    return subprocess.run(["oathtool", "--totp", "--base32", f"--now={moment}", "--", secret], check=True,
                          capture_output=True, text=True).stdout.strip()


def enroll(host, address):
    """An authenticator app; returns its secret."""
    token = post(host, "v1/accounts:signInWithPassword",
                 {"email": address, "password": PASSWORD, "returnSecureToken": True})["idToken"]
    session = post(host, "v2/accounts/mfaEnrollment:start", {"idToken": token, "totpEnrollmentInfo": {}})["totpSessionInfo"]
    secret = session["sharedSecretKey"]
    post(host, "v2/accounts/mfaEnrollment:finalize", {
        "idToken": token, "displayName": "app", "totpVerificationInfo": {
            "sessionInfo": session["sessionInfo"], "verificationCode": code(secret, 90)}})
    return secret


def sign_in_with_factor(host, address, secret, seconds_ago):
    pending = post(host, "v1/accounts:signInWithPassword",
                   {"email": address, "password": PASSWORD, "returnSecureToken": True})
    assert "idToken" not in pending
    return post(host, "v2/accounts/mfaSignIn:finalize", {
        "mfaPendingCredential": pending["mfaPendingCredential"],
        "mfaEnrollmentId": pending["mfaInfo"][0]["mfaEnrollmentId"],
        "totpVerificationInfo": {"verificationCode": code(secret, seconds_ago)}})["idToken"]


def readable(host, user, paths):
    """Those of the files that a user can read."""
    script = 'for path; do if cat "$path" > /dev/null 2>&1; then echo "$path"; fi; done'
    return set(host.run("sh", "-c", script, "sh", *paths, user=user).splitlines())


def test_users_of_their_own(host):
    configure(host)

    # One unit and one user, as before.
    host.path("/etc/latchkey/credentials").mkdir(mode=0o700)
    mesh = host.start_unit("latchkey")
    wait_until_ready(host.origin, mesh)
    host.run("sh", "-c", "cd / && exec latchkey init --env-file /etc/latchkey/latchkey.env -o /var/lib/latchkey/admin.json",
             user="latchkey")
    whole = ["--env-file", "/etc/latchkey/latchkey.env"]
    host.api_key = re.search(r"API key +(\S+)", host.run("latchkey", "projects", "show", *whole, user="latchkey"))[1]
    account = sign_up(host.origin, host.api_key, "ada@shop.test")
    before = listed(host, "/etc/latchkey")
    refused = host.run(PREPARE, code=1)
    assert refused.endswith("Stop the units of Latchkey first.\n") and refused.count("\n") == 1
    assert listed(host, "/etc/latchkey") == before
    mesh.send_signal(signal.SIGTERM)
    assert mesh.wait(timeout=60) == 0

    # A user for each process. The second time there is nothing to do.
    host.run("sh", "-c", f"mkdir {PLACE}; ln -s {PROGRAMS}/latchkey {PLACE}/latchkey")
    typed(host, "for process in broker")
    printed = typed(host, "/usr/lib/latchkey/prepare-units")
    assert all(f"{service}: moved from /var/lib/latchkey to {DATA}/{service}." in printed for service in SERVICES)
    assert "the bus has keys: 10 peers" in printed
    prepared = listed(host, "/etc/latchkey", "/var/lib/latchkey", DATA)
    typed(host, "for process in broker")
    assert host.run(PREPARE) == "" and listed(host, "/etc/latchkey", "/var/lib/latchkey", DATA) == prepared
    host.units, host.programs = host.path("/etc/systemd/system"), PLACE
    units = start(host)
    assert sign_in(host.origin, host.api_key, "ada@shop.test") == account

    # The unit of the whole mesh begins nothing new beside data that have moved.
    shutil.copy(ROOT / "deploy/latchkey.service", host.units)
    end = host.start_unit("latchkey", LATCHKEY_LISTEN=f"127.0.0.1:{free_port()}")
    assert end.wait(timeout=60) == 78 and not host.path("/var/lib/latchkey/identity.sqlite").exists()

    # A user with a second factor.
    host.run("latchkey", "users", "create", "--email", "eve@shop.test", "--email-verified", "--password-stdin", *MESH,
             text=PASSWORD)
    host.run("latchkey", "projects", "config", "set", "mfa.providerConfigs", FACTOR, *MESH)
    secret = enroll(host, "eve@shop.test")
    assert sign_in_with_factor(host, "eve@shop.test", secret, 60)

    # What each of them can read: its own database and key.
    databases = {process: f"{DATA}/{process}/{process}.sqlite" for process in SERVICES}
    keys = {process: f"/etc/latchkey/bus/{process}.key" for process in PROCESSES}
    credentials = {process: f"/run/credentials/latchkey@{process}.service/master.key" for process in SERVICES}
    others = ["/etc/latchkey/master.key", "/etc/latchkey/notifier.env", "/etc/latchkey/bus/latchkey.key"]
    paths = [*databases.values(), *keys.values(), *credentials.values(), *others]
    assert readable(host, "root", paths) == set(paths)
    for process in PROCESSES:
        own = {table[process] for table in [databases, keys, credentials] if process in table}
        assert readable(host, f"latchkey-{process}", paths) == own
    assert readable(host, "latchkey", paths) <= {"/etc/latchkey/notifier.env"}

    # Commands of root, which leave every file to its owner.
    # There is no mail server, which the exit codes of both may say.
    status = host.run("latchkey", "status", *MESH, code=None)
    assert all(f"\n{process}.1 " in status for process in PROCESSES)
    assert host.run("latchkey", "healthcheck", *MESH, "--env-file", "/etc/latchkey/gateway.env") == "ready\n"
    assert "ada@shop.test" in host.run("latchkey", "users", "list", *MESH)
    findings = host.run("latchkey", "doctor", *OPERATOR, code=None)
    assert "ok       data directory: " in findings and "ok       master key: " in findings
    assert "8 processes report." in findings, findings
    assert len(host.run("latchkey", "keys", "list", *OPERATOR).splitlines()) == 2
    host.run("latchkey", "backup", "/var/lib/copy", *OPERATOR)
    host.run("latchkey", "audit", "verify", *OPERATOR)
    strangers(host)
    stop(units)
    host.run("latchkey", "restore", "/var/lib/copy", "--replace", *OPERATOR)
    for process in PROCESSES:
        owners = host.run("find", f"{DATA}/{process}", "-printf", "%u\n").splitlines()
        assert set(owners) == {f"latchkey-{process}"}
    units = start(host)
    assert sign_in_with_factor(host, "eve@shop.test", secret, 0)
    stop(units)

    # Back to one unit.
    typed(host, "systemctl disable")
    mesh = host.start_unit("latchkey")
    wait_until_ready(host.origin, mesh)
    assert sign_in(host.origin, host.api_key, "ada@shop.test") == account
    mesh.send_signal(signal.SIGTERM)
    assert mesh.wait(timeout=60) == 0


def strangers(host):
    """Who has no listed key gets nowhere, and who is not in the group does not even connect."""
    folder = "/var/lib/strangers"
    host.run("sh", "-c", f"latchkey keys bus create latchkey --dir {folder} > /run/stanza && cd {folder} &&"
             " cat /run/stanza /etc/latchkey/bus/peers.toml | sed '1,/^\\[\\[peer\\]\\]/!s/^name = \"latchkey\"/name = \"other\"/'"
             " > peers.toml && chmod 644 peers.toml && chown -R latchkey-notifier .")
    stranger = {"LATCHKEY_BUS_KEYS": folder, "LATCHKEY_BROKERS": "broker@ipc:///run/latchkey/broker.1.sock"}
    assert "No process has reported" in host.run("latchkey", "status", user="latchkey-notifier", code=1, **stranger)
    without = {"LATCHKEY_BROKERS": "ipc:///run/latchkey/broker.1.sock"}
    assert "No process has reported" in host.run("latchkey", "status", user="latchkey-notifier", code=1, **without)
    host.run("chown", "-R", "latchkey", folder)
    assert "no permission" in host.run("latchkey", "status", user="latchkey", code=1, **stranger)
    # Another user than that of the data.
    end = host.start_unit("latchkey@identity", LATCHKEY_DATA=f"{DATA}/notifier", LATCHKEY_INSTANCE="identity.2")
    assert end.wait(timeout=60) == 78
    assert f"{DATA}/notifier/identity.sqlite cannot be opened" in end.log.read_text().splitlines()[-1]


FORMER = "/var/lib/latchkey"


@pytest.mark.parametrize("harm, words", [
    (f"ln -s /etc/shadow {FORMER}/identity.sqlite", "identity.sqlite is no ordinary file"),
    (f"touch {FORMER}/identity.sqlite; ln -s /etc/shadow {FORMER}/identity.sqlite-wal", "-wal is no ordinary file"),
    (f"touch /var/lib/other; ln /var/lib/other {FORMER}/notifier.sqlite", "notifier.sqlite is no ordinary file"),
    (f"mkdir {FORMER}/passkey.sqlite", "passkey.sqlite is no ordinary file"),
    (f"ln -s /etc/shadow {FORMER}/master.key", "master.key is no ordinary file"),
    (f"touch {FORMER}/identity.sqlite", "There is data, and no /etc/latchkey/master.key."),
    (f"echo a > {FORMER}/master.key; echo b > /etc/latchkey/master.key", "are different keys"),
    (f"mkdir -p {DATA}/identity; touch {DATA}/identity/identity.sqlite {FORMER}/identity.sqlite", "both have identity.sqlite"),
    (f"mkdir {DATA}; ln -s /etc {DATA}/identity", "identity is a symbolic link"),
    (f"rmdir {FORMER}; ln -s /etc {FORMER}", "is a symbolic link. Mount"),
    (f"touch {FORMER}/identity.sqlite; mkdir {DATA}; mount -t tmpfs tmpfs {DATA}", "are on different file systems"),
    ("echo LATCHKEY_MASTER_KEY_FILE=/etc/key >> /etc/latchkey/identity.env", "sets LATCHKEY_MASTER_KEY_FILE."),
    ("echo LATCHKEY_MASTER_KEY=key >> /etc/latchkey/mesh.env", "sets LATCHKEY_MASTER_KEY."),
    ("echo LATCHKEY_BROKER_LISTEN=ipc:///run/latchkey/broker.2.sock >> /etc/latchkey/gateway.env", "Remove the line: only"),
    ("rm /etc/latchkey/passkey.env", "There is no /etc/latchkey/passkey.env."),
    ("sed -i /^latchkey-passkey:/d /etc/passwd", "There is no user latchkey-passkey. Run systemd-sysusers first."),
])
def test_preparation_is_refused_in_one_sentence(host, harm, words):
    host.run("sh", "-c", f"install -d -o latchkey -m 0700 {FORMER}; {harm}")
    shown = ["/etc/latchkey", "/etc/shadow", FORMER]
    before = listed(host, *shown)
    refused = host.run(PREPARE, code=1)
    assert words in refused and refused.startswith("prepare-units: ") and refused.count("\n") == 1
    assert listed(host, *shown) == before


@pytest.mark.parametrize("moved", [0, 1, 4, 5])
def test_preparation_continues(host, moved):
    """Interrupted after any step of the move: the files of one database arrive together, and the last one is the database."""
    names = ["identity.database", "identity.sqlite-lock", "identity.sqlite-wal", "identity.sqlite-watermark", "identity.sqlite"]
    script = f"install -d -o latchkey -g latchkey -m 0700 {FORMER}; install -d -m 0700 {DATA} {DATA}/identity; cd {FORMER}; "
    script += "".join(f"echo {name} > {name}; chown latchkey:latchkey {name}; " for name in names)
    script += "".join(f"mv {name} {DATA}/identity; " for name in names[:moved])
    script += f"echo 12345678:{'0' * 64} > /etc/latchkey/master.key"
    host.run("sh", "-c", script)
    host.run(PREPARE)
    host.run(PREPARE)
    files = host.run("find", f"{DATA}/identity", "-printf", "%f %u:%g %m\n").splitlines()
    assert sorted(files) == sorted(["identity latchkey-identity:latchkey-identity 700",
                                    *(f"{name} latchkey-identity:latchkey-identity 600" for name in names)])
    assert all(host.path(f"{DATA}/identity/{name}").read_text() == f"{name}\n" for name in names)


def test_preparation_of_a_new_machine(host):
    """Without data: a master key, keys of the bus, and directories. What an operator has made stays."""
    settings = host.path("/etc/latchkey")
    (settings / "credentials").mkdir()
    (settings / "credentials/smtp-url").write_text("smtp://127.0.0.1:9")
    edit(settings / "notifier.env",
         LATCHKEY_SMTP_URL="\nLATCHKEY_SMTP_URL_FILE=/run/credentials/latchkey@notifier.service/latchkey_smtp-url")
    assert host.run(PREPARE).startswith("Created /etc/latchkey/master.key.")
    assert host.run("stat", "-c", "%a %U", "/etc/latchkey/master.key") == "400 root\n"
    assert "\nLATCHKEY_BROKERS=broker@ipc:///run/latchkey/broker.1.sock\n" in (settings / "mesh.env").read_text()
    found = host.run("find", "/etc/latchkey/credentials", "/etc/latchkey/bus", "-type", "f", "-printf", "%P %u %m\n")
    assert sorted(found.splitlines()) == sorted([
        "smtp-url root 644", "notifier/smtp-url root 400", "peers.toml root 644", "latchkey.key root 600",
        "latchkey-up.key root 600", *(f"{process}.key latchkey-{process} 400" for process in PROCESSES)])
    folders = host.run("find", DATA, "-mindepth", "1", "-printf", "%f %u %m\n").splitlines()
    assert sorted(folders) == sorted(f"{process} latchkey-{process} 700" for process in PROCESSES)
    host.run("sh", "-c", "rm /etc/latchkey/bus/passkey.key; mkdir /etc/latchkey/own; mv /etc/latchkey/bus/* /etc/latchkey/own;"
             " rmdir /etc/latchkey/bus; sed -i s,/etc/latchkey/bus,/etc/latchkey/own, /etc/latchkey/mesh.env")
    assert host.run(PREPARE) == ""
    assert not (settings / "bus").exists() and not (settings / "own/passkey.key").exists()


@pytest.mark.long
def test_master_key_is_rotated_with_restarts(host):
    """A unit gets the key at its start, so a restart takes the place of the copy to another machine."""
    configure(host)
    host.run(PREPARE)
    host.run("sh", "-c", f"mkdir {PLACE}; for name in latchkey $0; do ln -s {PROGRAMS}/latchkey {PLACE}/$name; done".replace(
        "$0", " ".join(PROCESSES)))
    host.programs = PLACE
    rotate = ["latchkey", "keys", "rotate-master", *MESH, "--env-file", ROOT / "deploy/operator.env"]
    units = start(host)
    lacking = host.run(*rotate, code=1)
    assert all(f"{service}.1" in lacking for service in SERVICES), lacking
    stop(units)
    units = start(host)
    assert "Every record is sealed under" in host.run(*rotate)
    stop(units)
    units = start(host)
    stop(units)
    assert host.run("sh", "-c", "stat -c '%U %a' /etc/latchkey/master.key*") == "root 400\n" * 2
