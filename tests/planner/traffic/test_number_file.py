"""Numbers on disk: which occur more than once is told exactly."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from netplan_planner.traffic.repeats import NumberFile

MOST = (1 << 63) - 2


def taken(file: NumberFile) -> list[int]:
    return [int(number) for part in file.take_repeated() for number in part]


@pytest.mark.parametrize("arrays", [1, 7, 200])
def test_what_occurs_more_than_once_is_found(tmp_path: Path, arrays: int) -> None:
    chance = np.random.default_rng(arrays)
    numbers = chance.integers(0, MOST, 3_000, dtype=np.int64)
    met = np.concatenate([numbers, chance.choice(numbers, 500), [0, 0, MOST, MOST, MOST - 1]])
    chance.shuffle(met)
    file = NumberFile(tmp_path / "numbers")
    for part in np.array_split(met, arrays):
        file.add(part)
    wanted = sorted(number for number, times in Counter(met.tolist()).items() if times > 1)
    assert len(wanted) > 400
    assert taken(file) == wanted
    assert list(tmp_path.iterdir()) == []


def test_neighbours_are_not_equal(tmp_path: Path) -> None:
    file = NumberFile(tmp_path / "numbers")
    file.add(np.arange(1 << 54, (1 << 54) + 1000, dtype=np.int64))
    assert taken(file) == []


def test_a_file_begins_anew_after_it_was_taken(tmp_path: Path) -> None:
    file = NumberFile(tmp_path / "numbers")
    assert taken(file) == []
    one = np.array([5], dtype=np.int64)
    file.add(one)
    assert taken(file) == []
    file.add(one)
    assert taken(file) == []
    file.add(one)
    file.add(one)
    assert taken(file) == [5]
