"""Numbers on disk: which occur more than once is told exactly."""

import random
from collections import Counter
from itertools import combinations
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
        file.add(part, 0, 1)
    wanted = sorted(number for number, times in Counter(met.tolist()).items() if times > 1)
    assert len(wanted) > 400
    assert taken(file) == wanted
    assert list(tmp_path.iterdir()) == []


def test_neighbours_are_not_equal(tmp_path: Path) -> None:
    file = NumberFile(tmp_path / "numbers")
    file.add(np.arange(1 << 54, (1 << 54) + 1000, dtype=np.int64), 0, 1)
    assert taken(file) == []


def test_a_file_begins_anew_after_it_was_taken(tmp_path: Path) -> None:
    file = NumberFile(tmp_path / "numbers")
    assert taken(file) == []
    one = np.array([5], dtype=np.int64)
    file.add(one, 0, 1)
    assert taken(file) == []
    file.add(one, 0, 1)
    assert taken(file) == []
    file.add(one, 0, 1)
    file.add(one, 0, 1)
    assert taken(file) == [5]


@pytest.mark.parametrize("seed", range(20))
def test_numbers_of_one_time_are_compared_and_no_others(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    pieces = []
    for _ in range(chance.randint(2, 12)):
        first = chance.randrange(30)
        numbers = [chance.randrange(40) << 57 for _ in range(chance.randrange(8))]
        pieces.append((first, first + chance.randint(1, 6), numbers))
    file = NumberFile(tmp_path / "numbers")
    for first, until, numbers in pieces:
        file.add(np.array(numbers, dtype=np.int64), first, until)
    met = [number for *_, numbers in pieces for number in numbers]
    in_one = {number for *_, numbers in pieces for number in numbers if numbers.count(number) > 1}
    of_one_time = {
        number
        for (first, until, some), (other_first, other_until, others) in combinations(pieces, 2)
        if first < other_until and other_first < until
        for number in set(some) & set(others)
    }
    found = set(taken(file))
    assert in_one | of_one_time <= found
    assert found <= {number for number in met if met.count(number) > 1}


def test_pieces_of_times_apart_are_not_read_again(tmp_path: Path) -> None:
    file = NumberFile(tmp_path / "numbers")
    one = np.array([5], dtype=np.int64)
    file.add(one, 0, 3)
    file.add(one, 3, 6)
    (tmp_path / "numbers").write_bytes(b"")
    assert taken(file) == []
