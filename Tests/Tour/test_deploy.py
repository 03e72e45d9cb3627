"""An operator types what deploy/README.md shows, on a machine that is a folder: without systemd, users and root.
Tests/Install does so for one unit for each process, which needs all three."""

import os
import pathlib
import re
import subprocess
import tempfile

import pytest
from conftest import EXECUTABLES
from pages import ROOT, blocks

PAGE = "deploy/README.md"
PLACES = re.compile(r"(?<![\w.])/(usr/lib/latchkey|usr/bin/latchkey|etc/latchkey|etc/systemd|var/lib/latchkey|run/latchkey)")
# What the machine of the operator has, and this one need not.
STANDINS = """
make() { :; }
useradd() { :; }
systemctl() { :; }
install() {
    local arguments=()
    while (($#)); do
        case $1 in -o | -g) shift ;; *) arguments+=("$1") ;; esac
        shift
    done
    command install "${arguments[@]}"
}
"""


class Machine:
    def __init__(self, folder):
        self.root = folder / "root"
        (folder / ".build").mkdir()
        (folder / ".build/release").symlink_to(EXECUTABLES)
        (folder / "deploy").symlink_to(ROOT / "deploy")
        for place in ["usr/bin", "etc/systemd/system", "var/lib", "run"]:
            (self.root / place).mkdir(parents=True)
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("LATCHKEY_")}
        self.environment["PATH"] = f"{self.root}/usr/bin:{self.environment['PATH']}"

    def placed(self, text):
        return PLACES.sub(lambda match: f"{self.root}/{match[1]}", text)

    def type(self, command, **environment):
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", STANDINS + self.placed(command)], cwd=self.folder, text=True, timeout=300,
            capture_output=True, env=self.environment | environment)

    def edit(self, name, **settings):
        """The lines of an environment file, as an operator changes them."""
        file = self.root / "etc/latchkey" / f"{name}.env"
        text = file.read_text()
        for setting, value in settings.items():
            text, count = re.subn(rf"^#?{setting}=.*$", f"{setting}={value}", text, flags=re.MULTILINE)
            assert count == 1, f"{name}.env has no line for {setting}"
        file.write_text(text)


@pytest.fixture(scope="module")
def machine():
    # Short, because the path of a socket is.
    with tempfile.TemporaryDirectory(prefix="lk-", dir="/tmp") as path:
        yield Machine(pathlib.Path(path))


def block(start):
    """The block of the page that begins with a text."""
    found = [block for block in blocks(PAGE) if block.lines[0].startswith(start)]
    assert len(found) == 1, f"{PAGE} has {len(found)} blocks that begin with {start}"
    return "\n".join(found[0].lines)


def typed(machine, command, **environment):
    result = machine.type(command, **environment)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def test_whole_mesh_is_installed(machine):
    typed(machine, block("make build"))
    machine.edit("latchkey", LATCHKEY_PROJECT="shop", LATCHKEY_PUBLIC_URL="https://auth.shop.test")
    assert typed(machine, "latchkey --version").startswith("latchkey ")
    typed(machine, "latchkey check --env-file /etc/latchkey/latchkey.env")


@pytest.mark.parametrize("arguments, code, words", [
    ([], 64, "usage: make-master-key FILE"),
    ([""], 64, "usage: make-master-key FILE"),
    (["folder/none/key"], 1, "There is no folder ./folder/none."),
    (["folder/key"], 1, "folder/key exists, and a key is never overwritten"),
    (["folder/link"], 1, "folder/link exists, and a key is never overwritten"),
    (["folder/new"], 0, ""),
    (["-n"], 0, ""),
])
def test_master_key_is_refused_in_words(tmp_path, arguments, code, words):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/key").write_text("former")
    (tmp_path / "folder/link").symlink_to("nowhere")
    result = subprocess.run([ROOT / "deploy/make-master-key", *arguments], cwd=tmp_path, text=True, capture_output=True)
    assert result.returncode == code and words in result.stderr, result.stderr
    assert len(result.stderr.splitlines()) == (0 if code == 0 else 1)
    assert (tmp_path / "folder/key").read_text() == "former"
    if code == 0:
        key = tmp_path / arguments[0]
        assert re.fullmatch(r"[0-9a-f]{8}:[0-9a-f]{64}\n", key.read_text()) and key.stat().st_mode & 0o777 == 0o400
