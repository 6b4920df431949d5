"""The shipped table of interval factors: whole, in order, and what its script makes."""

import csv
import runpy
import sys
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from netplan_planner.throughput.goodput.conformal import BOUNDS_HOLD, LEVELS, PHYSICAL
from netplan_planner.throughput.goodput.intervals import PLACES
from netplan_planner.throughput.limits.tables import DATA
from support.listed import listed
from support.projects.shared_data import needs_shared, shared

TABLE = DATA / "interval_factors.csv"
SCRIPT = Path(__file__).parents[4] / "planner/scripts/build_intervals.py"


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


SOURCES = ("public_measurements.csv", "single_stream_2024.csv")


def build(sources: Sequence[Path], out: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Return the table that the script makes, run as a user does but in this process."""
    arguments = [
        "build_intervals.py",
        *map(str, sources),
        "--out",
        str(out),
        "--as-of",
        rows()[0]["as_of"],
    ]
    monkeypatch.setattr(sys, "argv", arguments)
    runpy.run_path(str(SCRIPT), run_name="__main__")
    return out.read_bytes()


def test_each_place_has_each_level_once() -> None:
    keys = [(row["place"], float(row["level"])) for row in rows()]
    assert sorted(keys) == sorted((place, level) for place in PLACES for level in LEVELS)


@listed("place", PLACES)
@listed("end", ("below", "above"))
def test_factors_rise_with_the_level(place: str, end: str) -> None:
    found = sorted(
        (float(row["level"]), float(row[end])) for row in rows() if row["place"] == place
    )
    assert all(before[1] <= after[1] for before, after in pairwise(found))


def test_from_90_per_cent_on_bounds_stay_or_go_out() -> None:
    for row in rows():
        if float(row["level"]) >= BOUNDS_HOLD:
            assert float(row["below"]) == float(row["above"]) >= PHYSICAL


def test_what_no_campaign_showed_is_spread_evenly_between_physical_bounds() -> None:
    for row in rows():
        assert (row["campaign_count"] == "0") == (row["row_count"] == "0")
        if row["campaign_count"] == "0":
            share = min(float(row["level"]) / BOUNDS_HOLD, PHYSICAL)
            assert float(row["below"]) == pytest.approx(share, abs=1e-4)
            assert float(row["above"]) == pytest.approx(share, abs=1e-4)


def test_all_rows_have_one_date() -> None:
    (day,) = {row["as_of"] for row in rows()}
    assert date.fromisoformat(day) <= date(2026, 12, 31)


@needs_shared
def test_the_script_makes_the_table_again_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "factors.csv"
    sources = [shared(f"data/measurements/{name}") for name in SOURCES]
    assert build(sources, made, monkeypatch) == TABLE.read_bytes()
    assert list(tmp_path.iterdir()) == [made]


@needs_shared
def test_the_script_does_not_depend_on_the_order_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned = []
    for name in SOURCES:
        source = shared(f"data/measurements/{name}")
        header, *lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
        turned.append(tmp_path / name)
        turned[-1].write_text("".join([header, *reversed(lines)]), encoding="utf-8")
    assert build(turned[::-1], tmp_path / "factors.csv", monkeypatch) == TABLE.read_bytes()
