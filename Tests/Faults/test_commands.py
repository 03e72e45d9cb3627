"""The power goes while a command changes what all data depends on."""

import os
import random
import subprocess
import threading

import pytest
from mesh import EXECUTABLES
from power import Cut, Load, judge_world, mesh_after_cut, mesh_on_disk, remove

SEED = int(os.environ.get("LATCHKEY_FAULTS_SEED", "1"))


def run(*command, data, **environment):
    return subprocess.run([EXECUTABLES / "latchkey", *command, "--dev", "--data", data], capture_output=True, text=True,
                          timeout=120, env={"PATH": os.environ["PATH"], **environment})


def cuts_during(disk, action):
    """Moments from the beginning of an action to its end."""
    cuts, ended = [Cut(disk)], threading.Event()

    def look():
        while not ended.wait(0.005):
            cuts.append(Cut(disk))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        action()
    finally:
        ended.set()
        thread.join()
    return [*cuts, Cut(disk)]


def folders(tmp_path, cuts, number):
    """A few of the moments, each with its random numbers and a folder of its own."""
    for place, cut in enumerate(random.Random(SEED).sample(cuts, min(number, len(cuts)))):
        folder = tmp_path / f"after-{place}"
        print(f"cut {place} of LATCHKEY_FAULTS_SEED={SEED}, in {folder}")
        yield cut, random.Random(f"{SEED}-{place}"), folder
        remove(folder)


@pytest.mark.long
def test_power_goes_anywhere_in_a_rotation(tmp_path):
    """The mesh opens everything with the keys that remain, and the next rotation ends what this one began."""
    mesh, disk = mesh_on_disk(tmp_path / "before")
    try:
        with Load(mesh, only_names=True) as load:
            load.wait_for_writes(5)

            def rotate():
                command = run("keys", "rotate-master", data=mesh.data, **disk.environment)
                assert command.returncode == 0, command.stderr
            cuts = cuts_during(disk, rotate)
            load.wait_for_writes(5)
    finally:
        assert mesh.stop() == 0
    for cut, chance, folder in folders(tmp_path, cuts, 15):
        def rotate_again():
            command = run("keys", "rotate-master", data=folder / "data")
            assert command.returncode == 0, command.stderr
        judge_world(cut, disk, load, chance, folder, then=rotate_again)


@pytest.mark.long
def test_power_goes_anywhere_in_a_restore(tmp_path):
    """The mesh has the data before it or after it, and restores again."""
    mesh, disk = mesh_on_disk(tmp_path / "before")
    backup = tmp_path / "backup"
    try:
        with Load(mesh, only_names=True) as load:
            load.wait_for_writes(5)
            assert run("backup", backup, data=mesh.data).returncode == 0
            load.wait_for_writes(5)

        def restore():
            command = run("restore", "--replace", backup, data=mesh.data, **disk.environment)
            assert command.returncode == 0, command.stderr
        cuts = cuts_during(disk, restore)
        # For its service manager to start it.
        assert mesh.process.wait(timeout=60) == 1 and "A backup was restored" in mesh.log
    finally:
        mesh.stop()
    for cut, chance, folder in folders(tmp_path, cuts, 20):
        with mesh_after_cut(disk, cut.position, chance, folder):
            pass
        command = run("restore", "--replace", backup, data=folder / "data")
        assert command.returncode == 0, command.stderr
