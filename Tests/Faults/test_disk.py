"""The disk itself: what it may lose, and what it may not."""

import os
import random
import subprocess
import sys

from disk import SYNCS, WRITES, Disk

# Six changes; `sync` after the second.
PROGRAM = """
import os
os.chdir(os.environ["FAULTS_DIRECTORY"])
file = os.open("a", os.O_RDWR | os.O_CREAT)
os.write(file, b"1" * 1024)
os.pwrite(file, b"2" * 512, 512)
os.fsync(file)
folder = os.open(".", os.O_RDONLY)
os.fsync(folder)
print(os.stat(os.environ["FAULTS_LOG"]).st_size)
os.pwrite(file, b"3" * 1024, 0)
os.rename("a", "b")
os.ftruncate(file, 100)
"""


def run(disk, program, **environment):
    return subprocess.run([sys.executable, "-c", program], env={**os.environ, **disk.environment, **environment}, text=True,
                          capture_output=True, check=True).stdout


def remains(disk, position, seed, folder):
    target = folder / f"{position}-{seed}"
    target.mkdir()
    disk.after_cut(position, random.Random(seed), target)
    return {path.name: path.read_bytes() for path in target.iterdir()}


def test_what_was_synced_remains(tmp_path):
    directory = tmp_path / "data"
    directory.mkdir()
    disk = Disk(tmp_path, directory)
    synced = int(run(disk, PROGRAM))
    whole = b"1" * 512 + b"2" * 512
    assert {str(remains(disk, synced, seed, tmp_path)) for seed in range(8)} == {str({"a": whole})}
    later = [remains(disk, disk.position, seed, tmp_path) for seed in range(200)]
    # Each of the two names, and never both or none.
    assert {tuple(state) for state in later} == {("a",), ("b",)}
    contents = {content for state in later for content in state.values()}
    threes, cut = b"3" * 512, b"1" * 100
    assert {whole, cut, threes * 2, threes + whole[512:], whole[:512] + threes, b"3" * 100} <= contents


def test_what_was_not_synced_can_be_lost(tmp_path):
    directory = tmp_path / "data"
    directory.mkdir()
    disk = Disk(tmp_path, directory)
    run(disk, PROGRAM.replace("os.fsync(folder)", "pass"))
    assert {} in [remains(disk, disk.position, seed, tmp_path) for seed in range(20)]


def test_calls_fail(tmp_path):
    directory = tmp_path / "data"
    directory.mkdir()
    disk = Disk(tmp_path, directory)
    for calls, after, expected in [(WRITES, 0, "open"), (WRITES, 1, "write"), (WRITES, 2, "pwrite"), (SYNCS, 0, "fsync")]:
        disk.fail(calls, after=after)
        failed = run(disk, """
import os
os.chdir(os.environ["FAULTS_DIRECTORY"])
step = "open"
try:
    file = os.open(os.environ["NAME"], os.O_RDWR | os.O_CREAT)
    step = "write"
    os.write(file, b"1")
    step = "pwrite"
    os.pwrite(file, b"1", 1)
    step = "fsync"
    os.fsync(file)
except OSError as error:
    print(step, error.errno)
""", NAME=expected)
        assert failed == f"{expected} 5\n"
    disk.mend()
    assert disk.failed == 4
