"""Days on which nobody knows what held: the answers on both sides admit each other."""

import math
from datetime import date, timedelta
from functools import cache
from itertools import pairwise

import msgspec
import numpy as np
import pytest

from netplan_planner.model import Estimate, PathQuery
from netplan_planner.shipped import shipped_rows
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.batch import kind_limits
from netplan_planner.throughput.cases import cases_of
from netplan_planner.throughput.limits import tables
from support.listed import listed
from support.paths.queries import estimate, path

CHANGES = [
    # A cap whose oldest document is of June 2015, and the year that stands for it.
    ("same-zone-internal", "n1-standard-4", 1, date(2015, 1, 1)),
    ("same-zone-internal", "n1-standard-16", 8, date(2015, 1, 1)),
    ("same-zone-external", "n1-standard-4", 1, date(2015, 1, 1)),
    ("same-zone-internal", "n1-standard-16", 8, date(2017, 1, 1)),
    # Paths that were measured in 2017 last.
    ("inter-zone-internal", "n1-standard-8", 1, date(2018, 1, 1)),
    ("same-zone-external", "n1-standard-4", 1, date(2018, 1, 1)),
    ("same-zone-internal", "n1-standard-4", 1, date(2020, 1, 1)),
    # The cap of all flows to outside addresses, and that of one.
    ("internet", "n1-standard-8", 32, date(2022, 1, 1)),
    ("internet", "n2-standard-8", 1, date(2022, 10, 13)),
    ("internet", "n2-standard-8", 1, date(2026, 1, 1)),
    ("inter-region-external", "n2-standard-8", 1, date(2026, 1, 1)),
    ("inter-region-external", "c3-standard-44", 64, date(2026, 1, 1)),
]


def ends(found: Estimate) -> tuple[float, float, float]:
    assert found.gbps is not None
    assert found.low_gbps is not None
    assert found.high_gbps is not None
    return found.low_gbps, found.gbps, found.high_gbps


@listed(("path_class", "machine_type", "streams", "day"), CHANGES, ids=str)
def test_both_sides_of_an_unknown_day_admit_the_other(
    path_class: str, machine_type: str, streams: int, day: date
) -> None:
    query = path(path_class, machine_type, streams=streams, rtt_ms=0.5)
    before, after = (ends(estimate(query, one)) for one in (day - timedelta(days=1), day))
    assert before[0] <= after[1] <= before[2] * (1 + 1e-6)
    assert after[0] <= before[1] <= after[2] * (1 + 1e-6)


YEAR_END = date(2020, 12, 31)
DATED = [
    ("inter-region-external", "n2-standard-32", 64),
    ("internet", "n1-standard-8", 64),
    ("same-zone-external", "n1-standard-4", 16),
    ("same-zone-internal", "n1-standard-4", 1),
    ("same-zone-internal", "n1-standard-8", 8),
    ("same-zone-internal", "n1-standard-2", 8),
    ("same-zone-external", "n2-standard-32", 8),
    ("same-zone-external", "n2-standard-80", 64),
]


@listed(("path_class", "machine_type", "streams"), DATED, ids=str)
def test_a_width_jumps_on_the_days_of_sourced_rows_only(
    path_class: str, machine_type: str, streams: int
) -> None:
    found = jump_days(path(path_class, machine_type, streams=streams, rtt_ms=0.5))
    assert found
    assert [day for day in found if day not in rows_begin()] == []


def test_a_width_does_not_jump_for_types_that_are_younger_than_their_limits() -> None:
    # More leaves such a sender than the receiver may take in, since a day that nobody knows.
    assert jump_days(path("same-zone-external", "c4n-standard-192", streams=None)) == []
    # Known by its window even before the first year in which the type may have been there.
    days = jump_days(path("internet", "n2-standard-2", streams=1, rtt_ms=60.0))
    assert [day for day in days if day not in rows_begin()] == []


def test_a_change_of_which_the_year_is_known_is_no_cliff_at_its_end() -> None:
    query = path("same-zone-internal", "n1-standard-2", streams=8, rtt_ms=0.5)
    assert [day for day in jump_days(query) if day not in rows_begin()] == []
    assert ends(estimate(query, date(2020, 7, 1)))[0] < 4 < ends(estimate(query, YEAR_END))[0]


def jump_days(query: PathQuery) -> list[date]:
    """Return the days whose width is more than 1.5 times that of the eve, or the other way round.

    Both as a ratio of the ends and in Gbit/s.
    """

    def jumps(first: date, last: date) -> bool:
        found = [
            (one.high_gbps / one.low_gbps, one.high_gbps - one.low_gbps)
            for one in (estimate(query, first), estimate(query, last))
            if one.low_gbps and one.high_gbps
        ]
        if len(found) < 2:
            return False
        before, after = np.log(found)
        return bool(np.abs(after - before).max() > math.log(1.5))

    days = [date(2013, 3, 1) + timedelta(days=30 * n) for n in range(160)]
    # What goes over within a month may be more than one jump, so each of its days is looked at.
    return [
        after
        for first, last in pairwise(days)
        if jumps(first, last)
        for before, after in pairwise(first + timedelta(days=n) for n in range(31))
        if jumps(before, after)
    ]


@cache
def rows_begin() -> frozenset[date]:
    """Return the days on which a row of the dated tables begins, or one has ended."""
    found = {figure.on for figure in tables.flow_figures()}
    for name in ("egress_caps.csv", "path_limits.csv", "measured_limits.csv"):
        for row in shipped_rows(tables.DATA / name):
            starts = ("valid_from", "assumed_from", "maybe_from", "sure_from", "source_date")
            found |= {date.fromisoformat(row[c].split("|")[0]) for c in starts if row.get(c)}
            if row["valid_until"]:
                found.add(date.fromisoformat(row["valid_until"]) + timedelta(days=1))
    return frozenset(found)


def test_a_limit_that_was_perhaps_not_valid_yet_is_named_so() -> None:
    query = path("same-zone-external", "c4n-standard-192", streams=64, rtt_ms=0.5)
    found = estimate(query, date(2026, 2, 20))
    cases = cases_of(query, found, load_caps(date(2026, 2, 20)))
    named = [one.name for one in cases if one.of == "date"]
    assert named == ["external-ingress-packets not valid yet"]
    assert math.isfinite(ends(found)[2])


def test_the_interval_of_a_type_without_a_cap_holds_its_cases() -> None:
    query = path("internet", "c4n-standard-192", streams=1, rtt_ms=60.0)
    found = estimate(query, date(2023, 12, 30))
    cases = cases_of(query, found, load_caps(date(2023, 12, 30)))
    assert len(cases) > 1
    low, _, high = ends(found)
    for one in cases:
        assert low <= (one.low_gbps or 0)
        assert (one.high_gbps or 0) <= high * (1 + 1e-6)


def test_what_is_young_is_not_less_known_than_what_is_old() -> None:
    """7.9 Gbit/s left for another region in 2020, when no document stated 7."""
    for machine_type in ("n1-standard-8", "n2-standard-8"):
        query = path("inter-region-external", machine_type, streams=32, rtt_ms=30.0)
        assert ends(estimate(query, date(2020, 7, 1)))[2] > 7.9
        assert ends(estimate(query, date(2021, 9, 1)))[2] > 7.9
    # Nothing later was seen above it, and since that day it is certain.
    query = path("inter-region-external", "n2-standard-8", streams=32, rtt_ms=30.0)
    assert ends(estimate(query, date(2022, 1, 24)))[2] < 7.15


def test_a_day_that_rests_on_a_campaign_is_not_sure_without_it() -> None:
    eve, grids = date(2022, 1, 24), ("skyplane-grid-2022-01-24", "skyplane-grid-2022-01-29")
    assert tables.campaigns_with_figures() > {*grids}

    def chance(*names: str) -> float:
        found = tables.path_limit("external-egress", eve, "DEFAULT", frozenset(names))
        assert found is not None
        return found.chance_in_force(eve)

    assert chance() == chance("cloudpilot-2021") == chance(grids[1]) == 1
    # Five days are left of those in which it may have come; without both grids it is cited later.
    for names, sure in ((grids[:1], date(2022, 1, 29)), (grids, date(2022, 10, 13))):
        left = (sure - eve) / (sure - date(2020, 7, 1))
        assert 1 - chance(*names) == pytest.approx(left)
    # The tutorial of 2020 is the last that speaks against it.
    assert chance(grids[0], "pkb-tutorial-inter-region") > chance(grids[0])
    query = path("internet", "n2-standard-8", streams=32, rtt_ms=0.5)
    earlier = msgspec.structs.replace(query, as_of=date(2022, 1, 5))
    (whole,), (without,) = (
        kind_limits([earlier], without=frozenset(names)) for names in ((), grids[:1])
    )
    high = [
        next(one.high_gbps for one in limits.hard if one.limit.name == "external-egress")
        for limits in (whole, without)
    ]
    assert high[0] < high[1] == 16


def test_one_flow_to_outside_in_2022_and_in_2026() -> None:
    """5.3 and 6.7 Gbit/s were measured in 2021 and 2022; today's document says 3."""
    query = path("internet", "n2-standard-8", streams=1, rtt_ms=0.5)
    for day in (date(2022, 7, 1), date(2025, 12, 31), date(2026, 1, 1)):
        low, _, high = ends(estimate(query, day))
        assert low < 3
        assert high > 6.7
    # On the day of the document, and since, it holds.
    assert ends(estimate(query, date(2026, 4, 2)))[2] == pytest.approx(3.06)


@pytest.mark.parametrize("machine_type", ["z4d-highmem-96-highlssd", "z4d-highmem-32-highlssd"])
def test_a_type_without_a_cap_to_outside_may_have_that_of_most_types(machine_type: str) -> None:
    """Google's page states 7 Gbit/s for machines in general, and names exceptions."""
    found = estimate(path("internet", machine_type, streams=None, rtt_ms=20.0))
    assert ends(found)[0] <= 7.0
    assert any("the 7 Gbit/s of most types" in said for said in found.assumed)
