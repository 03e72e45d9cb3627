"""The disk refuses: clients get an error that says so, the mesh goes on when the disk is well again, and nothing is lost."""

import errno
import os
import random
import time

import pytest
from disk import READS, SYNCS, WRITES
from mesh import wait_for
from power import Cut, Load, judge_world, mesh_on_disk

SEED = int(os.environ.get("LATCHKEY_FAULTS_SEED", "1"))
FAULTS = {
    "full": (WRITES, errno.ENOSPC),
    "no writes": (WRITES, errno.EIO),
    "no syncs": (SYNCS, errno.EIO),
    "no reads": (READS, errno.EIO),
}


def judge(tmp_path, fault, numbers):
    """The first call that fails has each of these numbers; so do all behind it, until the disk is well again."""
    mesh, disk = mesh_on_disk(tmp_path / "before")
    try:
        with Load(mesh, only_names=True) as load:
            for number in numbers:
                load.wait_for_writes(3)
                failed = disk.failed
                disk.fail(*FAULTS[fault], after=number)
                wait_for("a call failed", lambda: disk.failed > failed)
                # Others follow it: what comes after the error of one transaction is a case of its own.
                wait_for("more calls failed", lambda: disk.failed > failed + 3)
                disk.mend()
                begin = time.monotonic()
                wait_for("clients wrote again", lambda: load.names.first_after(begin))
            load.wait_for_writes(3)
            cut = Cut(disk)
        load.names.judge()
    finally:
        disk.mend()
        code = mesh.stop()
    assert code == 0, mesh.log
    judge_world(cut, disk, load, random.Random(SEED), tmp_path / "after")


@pytest.mark.parametrize("fault", ["full", "no syncs"])
def test_disk_fails(tmp_path, fault):
    judge(tmp_path, fault, [0, 3])


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_disk_fails_at_each_call(tmp_path, fault):
    judge(tmp_path, fault, range(40))
