"""What a month has, from a window that was asked for, or from what the records alone tell."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from netplan_planner.model import TrafficMatrix
from netplan_planner.units import BYTES_PER_GIB, gib_per_month
from support.flows.records import START, Json, entry, only_edge, read

WEEK_HOURS = 7 * 24


def nightly() -> list[Json]:
    """Return an hour of traffic each night of a week."""
    return [
        entry("10.0.1.1", "10.0.2.1", BYTES_PER_GIB // 60, start=at, end=at + 59)
        for night in range(7)
        for at in range(night * 86400, night * 86400 + 3600, 60)
    ]


def month_gib(matrix: TrafficMatrix) -> Decimal:
    return gib_per_month(only_edge(matrix).payload_bytes, matrix.month_seconds)


def test_an_hour_a_night_is_not_a_whole_day(tmp_path: Path) -> None:
    until = START + timedelta(hours=WEEK_HOURS)
    matrix = read(tmp_path, nightly(), since=START, until=until)
    assert round(month_gib(matrix), 1) == Decimal(730) * 7 / WEEK_HOURS // Decimal("0.1") / 10
    assert matrix.month_ratios == (1.0, 1.0)
    assert (matrix.start, matrix.end) == (START, until)
    assert matrix.observed_minutes == WEEK_HOURS * 60
    assert only_edge(matrix).series.p95_gbps == 0.0
    assert only_edge(matrix).series.max_gbps > 0


def test_without_a_window_silence_counts_as_idle_and_the_bounds_say_so(tmp_path: Path) -> None:
    matrix = read(tmp_path, nightly())
    span_hours = 6 * 24 + 1
    assert matrix.observed_minutes == 7 * 60
    assert matrix.month_seconds == span_hours * 3600
    assert abs(month_gib(matrix) - Decimal(730) * 7 / span_hours) < Decimal("0.01")
    low, high = matrix.month_ratios
    assert (low, round(high, 3)) == (1.0, round(span_hours / 7, 3))
    # Rates are those of the hours that have records, as before.
    assert only_edge(matrix).series.p95_gbps > 0


def test_less_than_a_day_may_be_all_of_it(tmp_path: Path) -> None:
    matrix = read(tmp_path, nightly()[:60])
    assert matrix.month_seconds == 3600
    assert matrix.month_ratios == (1 / 24, 1.0)


def test_an_asked_hour_tells_nothing_of_the_rest_of_the_day(tmp_path: Path) -> None:
    matrix = read(tmp_path, nightly(), since=START, until=START + timedelta(hours=1))
    assert matrix.is_asked
    assert matrix.month_ratios == (1 / 24, 1.0)
    day = read(tmp_path, nightly(), since=START, until=START + timedelta(days=1))
    assert day.month_ratios == (1.0, 1.0)


def test_one_end_of_a_window_is_not_a_window(tmp_path: Path) -> None:
    matrix = read(tmp_path, nightly(), since=START - timedelta(days=1))
    assert matrix.start == START
    assert not matrix.is_asked


def test_a_window_that_was_asked_for_leaves_out_what_is_outside(tmp_path: Path) -> None:
    since = START + timedelta(days=1)
    matrix = read(tmp_path, nightly(), since=since, until=since + timedelta(days=2))
    assert only_edge(matrix).record_count == 120
    assert matrix.month_seconds == 2 * 86400
