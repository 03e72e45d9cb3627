"""The package for Debian: installed, upgraded, removed and purged on a machine that has only Debian."""

import re
import shutil
import subprocess

import page
import pytest
from application import sign_in, sign_up, wait_until_ready
from ports import free_port

pytestmark = pytest.mark.long
ADDRESS = "ada@shop.test"
DATA = "/var/lib/latchkey"
SERVICES = "/var/lib/latchkey-services"
PROCESSES = ["broker", "gateway", "identity", "mfa-sms", "mfa-totp", "passkey", "federation", "notifier"]


@pytest.fixture(scope="module")
def former(packages, folder):
    """The same program in a package of the version before."""
    content = folder / "former"
    subprocess.run(["dpkg-deb", "--raw-extract", packages["latchkey"], content], check=True)
    control = content / "DEBIAN/control"
    control.write_text(re.sub(r"^Version: .*$", "Version: 0.0.1-1", control.read_text(), flags=re.MULTILINE))
    # An operator who has not edited a file of settings gets the new one.
    (content / "etc/latchkey/passkey.env").write_text("# Former.\n")
    package = folder / "latchkey_0.0.1-1_amd64.deb"
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "--build", content, package], check=True,
                   capture_output=True)
    return package


COMMANDS = page.prompted("$ apt-get install")


def install(machine, package):
    """The first command of the page."""
    command = re.sub(r"\./\S+\.deb", "/tmp/latchkey.deb", COMMANDS[0])
    assert command != COMMANDS[0]
    shutil.copy(package, machine.path("/tmp/latchkey.deb"))
    return machine.run("sh", "-c", command)


@pytest.fixture(scope="module")
def mesh(machine, former):
    """The mesh of the former version, installed and started as the page says."""
    install(machine, former)
    return machine


@pytest.fixture(scope="module")
def started(mesh):
    """The commands of the page up to the start, which systemd would carry out."""
    place = COMMANDS.index("systemctl enable --now latchkey")
    for command in COMMANDS[1:place + 1]:
        # Nothing here could start a unit at once: the lines below do.
        mesh.run("sh", "-c", command.replace(" --now", ""))
    assert mesh.path("/etc/systemd/system/multi-user.target.wants/latchkey.service").is_symlink()
    port = free_port()
    mesh.edit("latchkey", LATCHKEY_LISTEN=f"127.0.0.1:{port}", LATCHKEY_ADMIN_LISTEN=f"127.0.0.1:{free_port()}")
    mesh.unit = mesh.start_unit("latchkey")
    mesh.origin = f"http://127.0.0.1:{port}"
    wait_until_ready(mesh.origin, mesh.unit)
    healthcheck, init = COMMANDS[place + 1:]
    assert mesh.run("sh", "-c", healthcheck) == "ready\n"
    mesh.api_key = re.search(r"^API key +(\S+)$", mesh.run("sh", "-c", init), re.MULTILINE)[1]
    return mesh


def test_packages_are_clean(packages):
    # A build for tests has no symbols: see `standalone`.
    assert set(packages) <= {"latchkey", "latchkey-dbgsym"}
    end = subprocess.run(["lintian", "--fail-on", "error,warning", "--allow-root", *packages.values()], text=True,
                         capture_output=True)
    assert end.returncode == 0, end.stdout + end.stderr
    needs = subprocess.run(["dpkg-deb", "--field", packages["latchkey"], "Depends"], check=True, capture_output=True,
                           text=True).stdout
    for library in ["libicu72", "libcbor0.8", "ca-certificates"]:
        assert library in needs
    assert "swift" not in needs


def test_nothing_starts_with_the_installation(mesh):
    assert not list(mesh.path("/etc/systemd/system").rglob("latchkey*"))
    files = mesh.run("find", "/etc/latchkey", "-type", "f", "-printf", "%m %u:%g\n").splitlines()
    assert len(files) == 10 and set(files) == {"640 root:latchkey"}
    assert mesh.run("stat", "-c", "%a %U:%G", DATA) == "700 latchkey:latchkey\n"
    assert mesh.run("stat", "-c", "%a %U:%G", "/etc/latchkey/credentials") == "700 root:root\n"
    assert mesh.run("getent", "passwd", "latchkey").rstrip().endswith(f":{DATA}:/usr/sbin/nologin")
    assert "latchkey " in mesh.run("latchkey", "--version")
    for process in PROCESSES:
        assert mesh.run(f"/usr/lib/latchkey/{process}", "--version").startswith(f"{process} ")


def test_user_signs_in_before_and_after_the_upgrade(started, packages):
    mesh = started
    account = sign_up(mesh.origin, mesh.api_key, ADDRESS)

    # Installed over the running mesh, which goes on. Its settings stay, and nothing waits for an answer.
    before = mesh.path("/etc/latchkey/latchkey.env").read_text()
    install(mesh, packages["latchkey"])
    assert mesh.path("/etc/latchkey/latchkey.env").read_text() == before
    assert mesh.path("/etc/latchkey/passkey.env").read_text() != "# Former.\n"
    files = mesh.run("find", "/etc/latchkey", "-type", "f", "-printf", "%m %u:%g\n").splitlines()
    assert set(files) == {"640 root:latchkey"}
    assert sign_in(mesh.origin, mesh.api_key, ADDRESS) == account
    assert mesh.stop(mesh.unit) == 0

    unit = mesh.start_unit("latchkey")
    wait_until_ready(mesh.origin, unit)
    assert sign_in(mesh.origin, mesh.api_key, ADDRESS) == account
    assert mesh.stop(unit) == 0
    assert "No gateway answers" in mesh.run("latchkey", "healthcheck", "--data", DATA, code=1)


def configure(mesh):
    """The maintainer script of an upgrade. Returns what systemd would be told."""
    told = mesh.path("/tmp/told")
    told.write_text("")
    mesh.run("env", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DPKG_MAINTSCRIPT_PACKAGE=latchkey",
             "DPKG_MAINTSCRIPT_NAME=postinst", "/var/lib/dpkg/info/latchkey.postinst", "configure", "0.0.1-1")
    return [line for line in told.read_text().splitlines() if line.split()[0] in ["stop", "start", "try-restart"]]


def test_upgrade_gives_each_process_a_user_and_restarts_one_after_the_other(started):
    """systemd is present by this folder, and says that every unit is active; what it would be told is written down."""
    mesh = started
    mesh.path("/run/systemd/system").mkdir(parents=True)
    for name in ["deb-systemd-invoke", "systemctl"]:
        standin = mesh.path(f"/usr/local/bin/{name}")
        standin.write_text('#!/bin/sh\necho "$@" >> /tmp/told\n')
        standin.chmod(0o755)
        mesh.path(f"/usr/local/sbin/{name}").symlink_to(f"/usr/local/bin/{name}")
    ordered = [f"latchkey@{process}.service" for process in
               ["broker", "notifier", "identity", "mfa-sms", "mfa-totp", "passkey", "federation", "gateway"]]
    # From the release with one user for all: the data move while all are stopped.
    key = mesh.path(f"{DATA}/master.key").rename(mesh.path("/tmp/master.key"))
    assert configure(mesh) == [f"stop {' '.join(ordered)}"]
    key.rename(mesh.path(f"{DATA}/master.key"))
    assert configure(mesh) == [f"stop {' '.join(ordered)}", *(f"start {unit}" for unit in ordered)]
    assert configure(mesh) == [f"try-restart {unit}" for unit in [*ordered, "latchkey.service"]]
    shutil.rmtree(mesh.path("/run/systemd"))
    owners = mesh.run("find", SERVICES, "-mindepth", "1", "-printf", "%P %u\n").splitlines()
    assert "identity/identity.sqlite latchkey-identity" in owners
    assert all(line.split()[1] == f"latchkey-{line.split('/')[0].split()[0]}" for line in owners)

    mesh.edit("mesh", LATCHKEY_PROJECT="shop", LATCHKEY_PUBLIC_URL="https://auth.shop.test")
    addresses = {"LATCHKEY_LISTEN": mesh.origin.removeprefix("http://"), "LATCHKEY_ADMIN_LISTEN": f"127.0.0.1:{free_port()}"}
    mesh.edit("gateway", **addresses)
    mesh.edit("notifier", LATCHKEY_SMTP_URL="smtp://127.0.0.1:9", LATCHKEY_SMTP_FROM="noreply@shop.test")
    units = [mesh.start_unit(f"latchkey@{process}") for process in PROCESSES]
    wait_until_ready(mesh.origin, units[1])
    sign_in(mesh.origin, mesh.api_key, ADDRESS)
    assert [mesh.stop(unit) for unit in reversed(units)] == [0] * len(units)


def test_removal_and_purge_keep_the_data(mesh, packages):
    mesh.run("apt-get", "remove", "--yes", "latchkey")
    database, key = f"{SERVICES}/identity/identity.sqlite", "/etc/latchkey/master.key"
    assert mesh.path("/etc/latchkey/latchkey.env").exists() and mesh.path(database).exists()
    assert not mesh.path("/usr/lib/latchkey").exists()
    assert f"stay in {SERVICES}" in mesh.run("apt-get", "purge", "--yes", "latchkey")
    assert sorted(path.name for path in mesh.path("/etc/latchkey").iterdir()) == ["bus", "master.key"]
    assert mesh.path(database).exists() and mesh.path(key).exists()

    install(mesh, packages["latchkey"])
    answer = "latchkey latchkey/purge-data boolean true"
    mesh.run("sh", "-c", f"echo {answer} | debconf-set-selections")
    mesh.run("apt-get", "purge", "--yes", "latchkey")
    assert not any(mesh.path(place).exists() for place in [DATA, SERVICES, "/etc/latchkey"])
