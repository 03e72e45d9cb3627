"""The container image: what is in it, and its mesh on a read-only root file system, as a user without rights."""

import json
import os
import pathlib
import re
import subprocess
import tarfile

import page
import pytest
from application import sign_in, sign_up, wait_until_ready
from executable import ROOT
from ports import free_port

pytestmark = pytest.mark.long
USER = 65532
COMMAND = page.words("docker run", "docker run")
SETTINGS = dict(pair.split("=", 1) for pair in page.options(COMMAND, "env"))


@pytest.fixture(scope="module")
def image(published):
    (image,) = published.glob("*.oci.tar")
    return image


@pytest.fixture(scope="module")
def root(image, folder):
    """The image, unpacked by a program that others use for it."""
    layout = folder / "layout"
    layout.mkdir()
    with tarfile.open(image) as archive:
        archive.extractall(layout)
    (tag,) = [each["annotations"]["org.opencontainers.image.ref.name"]
              for each in json.loads((layout / "index.json").read_text())["manifests"]]
    subprocess.run(["umoci", "unpack", "--image", f"{layout}:{tag}", folder / "bundle"], check=True, capture_output=True)
    (folder / "bundle").chmod(0o755)
    return folder / "bundle/rootfs"


@pytest.fixture(scope="module")
def config(image):
    output = subprocess.run(["skopeo", "inspect", "--config", "--raw", f"oci-archive:{image}"], check=True, capture_output=True,
                            text=True).stdout
    return json.loads(output)["config"]


def test_image_is_small(image):
    assert image.stat().st_size <= 60_000_000


def test_digest_is_the_same_for_the_same_commit(packages, image, folder):
    # Without the list of components, which takes long and is not in the image.
    path = os.pathsep.join(place for place in os.environ["PATH"].split(os.pathsep)
                           if not pathlib.Path(place, "syft").exists())
    subprocess.run([ROOT / "deploy/image/build", packages["latchkey"], folder / "again"], check=True,
                   env=os.environ | {"PATH": path})
    assert (folder / "again" / image.name).read_bytes() == image.read_bytes()


def test_configuration_names_a_user_without_rights(config):
    assert config["User"] == f"{USER}:{USER}"
    assert list(config["Volumes"]) == ["/var/lib/latchkey"]
    assert config["Entrypoint"] == ["/usr/bin/latchkey"] and config["Cmd"] == ["up"]


def test_image_has_one_program(root):
    executables = {str(path.relative_to(root)) for path in root.rglob("*")
                   if path.is_file() and not path.is_symlink() and os.access(path, os.X_OK) and path.stat().st_mode & 0o111}
    programs = {path for path in executables if not re.search(r"\.so(\.|$)|/ld-linux", path)}
    assert programs == {"usr/lib/latchkey/latchkey"}
    assert not [path for path in root.rglob("*") if path.lstat().st_mode & 0o6000]


def test_lists_name_every_package(image, root):
    prefix = str(image).removesuffix(".oci.tar")
    spdx = json.loads(pathlib.Path(f"{prefix}.spdx.json").read_text())
    cyclonedx = json.loads(pathlib.Path(f"{prefix}.cdx.json").read_text())
    records = {path.name for path in (root / "var/lib/dpkg/status.d").iterdir()}
    assert {"latchkey", "libc6", "libicu72", "ca-certificates"} <= records
    assert records <= {package["name"] for package in spdx["packages"]}
    assert records <= {component["name"] for component in cyclonedx["components"]}


class Sandbox:
    """The root file system, read-only, for a process with the user of the image and none of the capabilities."""

    def __init__(self, root, volume, config, **settings):
        variables = dict(pair.split("=", 1) for pair in config["Env"]) | settings
        self.command = [
            "setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups",
            "bwrap", "--unshare-user", "--unshare-pid", "--die-with-parent", "--ro-bind", root, "/",
            "--bind", volume, "/var/lib/latchkey", "--proc", "/proc", "--dev", "/dev", "--clearenv",
            *(word for name, value in variables.items() for word in ("--setenv", name, value)), *config["Entrypoint"]]

    def run(self, *arguments):
        end = subprocess.run([*self.command, *arguments], capture_output=True, text=True, timeout=120)
        return end.returncode, end.stdout + end.stderr


@pytest.fixture
def volume(place):
    os.chown(place, USER, USER)
    return place


def test_user_signs_in(root, volume, config, folder):
    assert "--read-only" in COMMAND and page.options(COMMAND, "cap-drop") == ["ALL"]
    assert page.options(COMMAND, "volume") == ["latchkey:/var/lib/latchkey"]
    port = free_port()
    sandbox = Sandbox(root, volume, config, **SETTINGS, LATCHKEY_LISTEN=f"0.0.0.0:{port}",
                      LATCHKEY_ADMIN_LISTEN=f"0.0.0.0:{free_port()}")
    origin = f"http://127.0.0.1:{port}"
    log = folder / "image.log"
    with open(log, "wb") as output:
        process = subprocess.Popen([*sandbox.command, *config["Cmd"]], stdout=output, stderr=output)
    process.log = log
    try:
        wait_until_ready(origin, process)
        init = page.words("docker run", "docker exec latchkey latchkey init")
        code, printed = sandbox.run(*init[init.index("init"):], "--json")
        assert code == 0, printed
        key = json.loads(printed)["apiKey"]
        assert sign_up(origin, key, "ada@shop.test") == sign_in(origin, key, "ada@shop.test")
        assert config["Healthcheck"]["Test"][:2] == ["CMD", "/usr/bin/latchkey"]
        assert sandbox.run(*config["Healthcheck"]["Test"][2:]) == (0, "ready\n")
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.mark.parametrize("mode, owner, words", [
    (0o500, USER, "Give the directory above to the user 65532 with chown"),
    (0o700, 0, "Give the directory above to the user 65532 with chown"),
])
def test_volume_of_another_user_is_one_sentence(root, volume, config, mode, owner, words):
    volume.chmod(mode)
    os.chown(volume, owner, owner)
    code, output = Sandbox(root, volume, config, **SETTINGS).run("up")
    assert code == 78 and len(output.splitlines()) == 1 and words in output, output
    assert not list(volume.iterdir())


def test_read_only_volume_is_one_sentence(root, volume, config):
    sandbox = Sandbox(root, volume, config, **SETTINGS)
    sandbox.command[sandbox.command.index("--bind")] = "--ro-bind"
    code, output = sandbox.run("up")
    assert code == 78 and len(output.splitlines()) == 1 and "Mount a volume there that can be written" in output, output


def test_full_volume_is_one_sentence(root, volume, config):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=1m,uid={USER},gid={USER},mode=0700", "tmpfs", volume], check=True)
    try:
        code, output = Sandbox(root, volume, config, **SETTINGS).run("up")
        assert code == 78 and len(output.splitlines()) == 1 and "Free 4 MiB there" in output, output
        assert not list(volume.iterdir())
    finally:
        subprocess.run(["umount", volume], check=True)
