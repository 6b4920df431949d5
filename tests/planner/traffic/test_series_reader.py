"""Series by sorting in memory are those of the statement that other engines run."""

import random
from pathlib import Path

import numpy as np
import pytest

from netplan_planner.traffic import TrafficOptions
from netplan_planner.traffic.engine import Row
from netplan_planner.traffic.files import embedded
from netplan_planner.traffic.files.embedded import EmbeddedEngine
from netplan_planner.traffic.matrix import SeriesReader
from support.flows.looks import BareEngine
from support.listed import listed

HUGE = 2**62
"""So great that no two keys fit into one number with it."""


def _rows(keys: int, greatest: int) -> list[Row]:
    """Return minutes of machines: some with one, some with none above 0, some with equal ones."""
    made = random.Random(5)
    rows = [
        (vm, minute, made.randrange(min(greatest, 40)), 0)
        for vm in range(0, keys, 2)
        for minute in range(made.choice((1, 3, 11, 120)))
    ]
    return [*rows, (0, 500, greatest, 1), (keys, 500, 7, 0)]


@listed("greatest", [1, 10**12, HUGE])
@listed("sorted_rows", [1, 50, 4_000_000])
def test_sorted_minutes_are_those_of_the_statement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sorted_rows: int, greatest: int
) -> None:
    monkeypatch.setattr(embedded, "_SORTED_ROWS", sorted_rows)
    engine = EmbeddedEngine(TrafficOptions(), tmp_path)
    engine.create("sent_minute")
    engine.insert("sent_minute", _rows(60, greatest))
    reader = SeriesReader(minute_count=130, unit=1)
    for value in ("wire", "outside"):
        expected = reader.read(BareEngine(engine), "sent_minute", "vm", value)
        assert reader.read(engine, "sent_minute", "vm", value) == expected
        assert expected


def test_rates_beyond_exact_floating_numbers_are_those_of_whole_ones() -> None:
    counts = [1, 2**50 - 1, 2**53 + 1, HUGE + 1]
    for unit in (1, 2):
        for wire in (counts, counts[:2]):
            found = SeriesReader(minute_count=130, unit=unit).gbps(np.array(wire)).tolist()
            assert found == [count * 8 / (60 * unit) / 10**9 for count in wire]


def test_no_minutes_have_no_series(tmp_path: Path) -> None:
    engine = EmbeddedEngine(TrafficOptions(), tmp_path)
    engine.create("sent_minute")
    assert SeriesReader(minute_count=130, unit=1).read(engine, "sent_minute", "vm", "wire") == {}
