"""A few seeded moments of `make kills`: whatever stops a command, nothing half and no litter stays.

Fifty moments of every command: `tests/support/damage/killing.py`.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.damage.killing import SIGNALS, Scene, fill_disk, kill, learn, scenes, twice
from support.examples import sized
from support.nightly import every
from support.testbed.processes import marked

SEED = 13
NAMES = ("audit", "refresh", "calibrate")
"""The others take as long again and have nothing of their own: `make kills`."""
END_S = 10.0
"""Ctrl-C ends within a second on a machine with nothing else to do; the suite's may be busy."""


@pytest.fixture(scope="module")
def scene_by_name() -> Iterator[dict[str, Scene]]:
    with scenes() as found:
        yield {scene.name: scene for scene in found}


@pytest.mark.parametrize("name", every(3, NAMES))
def test_a_stopped_command_leaves_nothing_half(
    name: str, scene_by_name: dict[str, Scene], tmp_path: Path
) -> None:
    rng = random.Random(f"{SEED} {name}")
    scene = scene_by_name[name]
    with marked() as mark:
        learn(scene, tmp_path, mark)
        for number in list(SIGNALS)[: sized(1, len(SIGNALS))]:
            # The last part of a run is where files are written.
            at_s = scene.took_s * rng.uniform(0.3, 1.0)
            kill(scene, tmp_path / number.name, mark, number, at_s)
        largest = max(map(len, scene.expected.values()))
        fill_disk(scene, tmp_path / "full", mark, largest // 2)
        if sized(False, True):
            twice(scene, tmp_path / "twice", mark)
    assert scene.faults == []
    assert scene.slowest_s < END_S
