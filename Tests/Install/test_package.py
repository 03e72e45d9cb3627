"""The package for Debian: installed, upgraded, removed and purged on a machine that has only Debian."""

import re
import shutil
import subprocess

import page
import pytest
from application import free_port, sign_in, sign_up, wait_until_ready

pytestmark = pytest.mark.long
ADDRESS = "ada@shop.test"
DATA = "/var/lib/latchkey"
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


def test_upgrade_restarts_one_unit_after_the_other(mesh, packages):
    """systemd is present by this folder; what it would be told is written down."""
    mesh.path("/run/systemd/system").mkdir(parents=True)
    told = mesh.path("/tmp/told")
    for name in ["deb-systemd-invoke", "systemctl"]:
        standin = mesh.path(f"/usr/local/bin/{name}")
        standin.write_text('#!/bin/sh\necho "$@" >> /tmp/told\n')
        standin.chmod(0o755)
        mesh.path(f"/usr/local/sbin/{name}").symlink_to(f"/usr/local/bin/{name}")
    configure = ["/var/lib/dpkg/info/latchkey.postinst", "configure", "0.0.1-1"]
    mesh.run("env", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DPKG_MAINTSCRIPT_PACKAGE=latchkey",
             "DPKG_MAINTSCRIPT_NAME=postinst", *configure)
    restarts = [line.split()[1] for line in told.read_text().splitlines() if line.startswith("try-restart")]
    assert sorted(restarts) == sorted(["latchkey.service", *(f"latchkey@{process}.service" for process in PROCESSES)])
    assert restarts[0] == "latchkey@broker.service" and restarts.index("latchkey@gateway.service") == 7
    shutil.rmtree(mesh.path("/run/systemd"))


def test_removal_and_purge_keep_the_data(mesh, packages):
    mesh.run("apt-get", "remove", "--yes", "latchkey")
    assert mesh.path("/etc/latchkey/latchkey.env").exists() and mesh.path(f"{DATA}/identity.sqlite").exists()
    assert not mesh.path("/usr/lib/latchkey").exists()
    assert f"stay in {DATA}" in mesh.run("apt-get", "purge", "--yes", "latchkey")
    assert not mesh.path("/etc/latchkey").exists()
    assert mesh.path(f"{DATA}/identity.sqlite").exists() and mesh.path(f"{DATA}/master.key").exists()

    install(mesh, packages["latchkey"])
    answer = "latchkey latchkey/purge-data boolean true"
    mesh.run("sh", "-c", f"echo {answer} | debconf-set-selections")
    mesh.run("apt-get", "purge", "--yes", "latchkey")
    assert not mesh.path(DATA).exists()
