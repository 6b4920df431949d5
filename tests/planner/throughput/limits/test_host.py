"""The core that serves one flow: figures by date, and what lies between them."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import Limit, LimitKind
from netplan_planner.throughput.limits.senders import core_flow
from netplan_planner.throughput.limits.tables import flow_figures
from support.listed import listed

DAYS = st.dates(date(2013, 1, 1), date(2027, 12, 31))
SIZES = st.none() | st.integers(1, 256)
FRAMES = st.integers(576, 8896)


def core(
    as_of: date, *, vcpus: int | None = None, mtu_bytes: int = 1460, without: str = ""
) -> Limit:
    found = core_flow(as_of, vcpus=vcpus, mtu_bytes=mtu_bytes, without=frozenset({without} - {""}))
    assert found is not None
    return found


@listed(
    ("on", "gbps", "low", "high"),
    [
        (date(2014, 1, 15), 0.9, 0.55, 1.9),
        (date(2014, 6, 15), 3.1, 2.0, 3.75),
        (date(2015, 3, 17), 6.03, 5.9, 6.15),
        (date(2017, 7, 20), 10, 8, 14),
        (date(2017, 12, 7), 12.9, 12.0, 13.9),
        (date(2013, 4, 9), 0.68, 0.53, 0.84),
        (date(2019, 9, 12), 23.7, 16, 35),
        (date(2024, 1, 31), 25.7, 16, 35),
    ],
)
def test_on_the_day_of_a_figure_it_is_the_figure(
    on: date, gbps: float, low: float, high: float
) -> None:
    found = core(on)
    assert (found.gbps, found.low_gbps, found.high_gbps) == pytest.approx((gbps, low, high))
    assert found.kind is LimitKind.MEASURED


def test_before_the_first_and_after_the_last_it_stays() -> None:
    assert core(date(2010, 1, 1)).gbps == core(date(2013, 4, 9)).gbps
    assert core(date(2024, 1, 31)).gbps == core(date(2030, 1, 1)).gbps
    # Greater packets are not said to add anything.
    day = date(2026, 11, 22)
    assert core(day, mtu_bytes=8896).gbps == core(day).gbps > core(day, mtu_bytes=1300).gbps


def test_half_way_between_two_figures_it_is_their_geometric_mean() -> None:
    first, second = date(2017, 12, 7), date(2019, 9, 12)
    middle = first + (second - first) / 2
    assert core(middle).gbps == pytest.approx((12.9 * 23.7) ** 0.5, rel=1e-3)
    # On what day it rose nobody knows.
    found = core(middle)
    assert (found.low_gbps, found.high_gbps) == (12.0, 35.0)


@given(DAYS, st.integers(0, 4000))
def test_it_has_only_risen(day: date, later: int) -> None:
    assert core(day).gbps <= core(day + timedelta(days=later)).gbps * (1 + 1e-12)


@given(DAYS, SIZES, FRAMES)
def test_the_range_holds_the_middle(day: date, vcpus: int | None, mtu: int) -> None:
    found = core(day, vcpus=vcpus, mtu_bytes=mtu)
    assert 0 < (found.low_gbps or 0) <= found.gbps <= (found.high_gbps or 0)
    assert found.source
    assert found.lifted_by


@given(DAYS, st.integers(1, 256), st.integers(0, 64), FRAMES, st.integers(0, 8000))
def test_more_vcpus_and_greater_packets_never_lower_it(
    day: date, vcpus: int, more: int, mtu: int, greater: int
) -> None:
    found = core(day, vcpus=vcpus, mtu_bytes=mtu).gbps
    assert found <= core(day, vcpus=vcpus + more, mtu_bytes=mtu).gbps * (1 + 1e-12)
    assert found <= core(day, vcpus=vcpus, mtu_bytes=mtu + greater).gbps * (1 + 1e-12)


def test_one_vcpu_follows_the_samples_of_june_2014() -> None:
    # One stream on 1, 2 and 4 vCPU: medians of 2.1 to 3.0, a power of a quarter.
    day = date(2014, 6, 15)
    ratio = core(day, vcpus=1).gbps / core(day, vcpus=4).gbps
    assert ratio == pytest.approx(2.1 / 3.0, rel=0.02)
    assert core(day, vcpus=4).gbps == core(day, vcpus=64).gbps == core(day).gbps


def test_a_campaign_can_be_left_out() -> None:
    day = date(2014, 1, 15)
    before, after = date(2013, 4, 9), date(2015, 3, 17)
    share = (day - before) / (after - before)
    found = core(day, without="pkb-samples-2014")
    assert found.gbps == pytest.approx(0.68 ** (1 - share) * 6.03**share)
    assert (found.low_gbps, found.high_gbps) == (0.53, 6.15)
    assert core(day, without="no-such-campaign").gbps == core(day).gbps
    # Scored on the runs of 2019, what they reached is not known of that year.
    assert core(date(2019, 9, 12), without="cockroach-cloud-report-2019").gbps < 16


def test_every_figure_has_a_source_and_a_range_and_they_are_in_order() -> None:
    figures = flow_figures()
    assert [one.on for one in figures] == sorted(one.on for one in figures)
    for one in figures:
        assert one.source
        assert one.low_gbps <= one.gbps <= one.high_gbps
