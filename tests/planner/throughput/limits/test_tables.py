"""The measured limits and the limits of paths: every figure has its source and its dates."""

import csv
from datetime import date

import pytest

from netplan_planner.model import PathClass
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.limits import tables
from support.projects.shared_data import needs_shared, shared

THEN = date(2017, 7, 20)


def figures(name: str, path_class: str) -> list[float]:
    with (tables.DATA / "measured_limits.csv").open(encoding="utf-8") as file:
        return [
            float(row["gbps"])
            for row in csv.DictReader(file)
            if (row["name"], row["path_class"]) == (name, path_class)
        ]


class TestExternalPathOf2017:
    def test_it_is_the_median_with_the_range_of_its_figures(self) -> None:
        (limit,) = load_caps(THEN).measured(PathClass.SAME_ZONE_EXTERNAL)
        assert limit.name == "external-path"
        assert (limit.gbps, limit.low_gbps, limit.high_gbps) == (1.6, 0.884, 1.7)
        assert limit.figure_count == 5
        assert "internal-ip-vs-external-ip" in limit.source
        # The ambiguous figure is left out.
        counted = [0.533, 0.634, 0.884, 1.5, 1.6, 1.69, 1.7]
        assert sorted(figures("external-path", "same-zone-external")) == counted
        # No other class has one.
        external = [m for m in tables.measured_limits(THEN) if m.name == "external-path"]
        assert [m.path_class for m in external] == [PathClass.SAME_ZONE_EXTERNAL]

    def test_it_holds_only_for_its_time(self) -> None:
        for day in (date(2014, 12, 31), date(2018, 1, 1), date(2026, 1, 1)):
            assert not load_caps(day).measured(PathClass.SAME_ZONE_EXTERNAL)
        # Before it two runs of 2015 stand.
        (limit,) = load_caps(date(2016, 1, 1)).measured(PathClass.SAME_ZONE_EXTERNAL)
        assert (limit.low_gbps, limit.high_gbps, limit.figure_count) == (0.533, 0.634, 2)


def test_one_stream_between_zones_was_measured_in_december_2017() -> None:
    (limit,) = load_caps(date(2017, 12, 7)).measured(PathClass.INTER_ZONE_INTERNAL)
    assert limit.gbps == pytest.approx((7.51 + 7.96) / 2)
    assert (limit.low_gbps, limit.high_gbps, limit.figure_count) == (5.75, 8.51, 6)


@needs_shared
def test_each_figure_stands_in_the_collected_measurements() -> None:
    with shared("data/measurements/seed_measurements.csv").open(encoding="utf-8") as file:
        known = {(row["path_class"], row["value"]) for row in csv.DictReader(file)}
    with shared("data/measurements/public_measurements.csv").open(encoding="utf-8") as file:
        known |= {
            (row["path_class"], row["value"])
            for row in csv.DictReader(file)
            if row["source"] == "pkb-issue-175"
        }
    with (tables.DATA / "measured_limits.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert row["source"]
            assert date.fromisoformat(row["source_date"])
            assert (row["path_class"], row["gbps"]) in known


class TestPathLimits:
    def test_each_has_a_source_and_a_date(self) -> None:
        with (tables.DATA / "path_limits.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                assert float(row["value"]) > 0
                assert row["source"]
                assert date.fromisoformat(row["source_date"])

    def test_they_are_dated_but_for_the_window(self) -> None:
        today = tables.path_limit("external-flow", date(2026, 11, 21))
        assert today is not None
        assert today.value == 3
        assert tables.path_limit("external-flow", date(2022, 1, 1)) is None
        window = tables.path_limit("tcp-window", date(2017, 1, 1))
        assert window is not None
        assert (window.value, window.unit) == (6 * 2**20 / 2, "bytes")
        assert tables.path_limit("no-such-limit", THEN) is None


def test_limits_are_of_the_newest_source_not_of_today() -> None:
    days = []
    for name in ("egress_caps.csv", "path_limits.csv", "measured_limits.csv"):
        with (tables.DATA / name).open(encoding="utf-8") as file:
            days += [row["source_date"] for row in csv.DictReader(file)]
    newest = date.fromisoformat(max(days))
    assert tables.newest_source() == newest
    assert tables.stated_on(date(2099, 1, 1)) == newest
    assert tables.stated_on(THEN) == THEN
