"""The power goes while clients write: the mesh starts again, and nothing that was acknowledged is lost."""

import os
import random

import pytest
from power import Cut, Load, judge_world, mesh_after_cut, mesh_on_disk, remove

SEED = int(os.environ.get("LATCHKEY_FAULTS_SEED", "1"))


def cuts_under_load(folder, number):
    """Moments spread over a run from the first start on, and what its clients know."""
    mesh, disk = mesh_on_disk(folder)
    cuts = []
    try:
        with Load(mesh) as load:
            while len(cuts) < number:
                load.wait_for_writes(5)
                cuts.append(Cut(disk))
    finally:
        assert mesh.stop() == 0
    assert load.failures == [] and load.names.failures == []
    return cuts, disk, load


def judge(tmp_path, number, cuts):
    moments, disk, load = cuts_under_load(tmp_path / "before", number)
    assert len(load.history) > number
    chosen = random.Random(SEED).sample(moments, cuts)
    for place, cut in enumerate(sorted(chosen, key=lambda cut: cut.position)):
        folder = tmp_path / f"after-{place}"
        try:
            judge_world(cut, disk, load, random.Random(f"{SEED}-{place}"), folder)
        except BaseException:
            print(f"cut {place} of LATCHKEY_FAULTS_SEED={SEED}, in {folder}")
            raise
        remove(folder)


def test_acknowledged_is_durable(tmp_path):
    judge(tmp_path, number=20, cuts=3)


@pytest.mark.long
def test_acknowledged_is_durable_at_many_cuts(tmp_path):
    judge(tmp_path, number=400, cuts=60)


@pytest.mark.long
def test_power_goes_at_the_first_start(tmp_path):
    """Before anybody is served there is nothing to lose, but the next start must succeed."""
    mesh, disk = mesh_on_disk(tmp_path / "before")
    end = disk.position
    assert mesh.stop() == 0
    for place in range(40):
        folder = tmp_path / f"after-{place}"
        chance = random.Random(f"{SEED}-{place}")
        with mesh_after_cut(disk, chance.randrange(end), chance, folder):
            pass
        remove(folder)
