"""Times, words, order and stop rule of runs."""

import itertools
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.errors import UsageError
from netplan_planner.measuring.campaign import (
    CONFIGURATIONS,
    Campaign,
    Configuration,
    Direction,
    ProbeLimits,
    StopRule,
)
from netplan_planner.measuring.progress import Budget, wire_ratio
from netplan_planner.measuring.protocol import (
    Times,
    client_arguments,
    is_enough,
    predictive_half_width_ratio,
    round_order,
    run_times,
)
from netplan_planner.units import BYTES_PER_GIB, bytes_from_gbps
from support.listed import listed
from support.testbed.campaigns import campaign, pair

RATES = st.lists(st.floats(min_value=0.01, max_value=100), min_size=1, max_size=12)
TIMES = Times(omit_s=2, duration_s=10)
SIXTEEN_BOTH = CONFIGURATIONS[-1]


@listed(
    ("rtt_ms", "omit_s", "duration_s"),
    [
        (None, 2, 10),
        (0.0, 2, 10),
        (133.3, 2, 10),
        (134.0, 3, 10),
        (166.6, 3, 10),
        (167.0, 3, 11),
        (300.0, 5, 18),
        (5000.0, 60, 300),
    ],
)
def test_times_grow_with_the_round_trip(rtt_ms: float | None, omit_s: int, duration_s: int) -> None:
    assert run_times(rtt_ms=rtt_ms) == Times(omit_s=omit_s, duration_s=duration_s)


@given(st.floats(min_value=0, max_value=3000), st.floats(min_value=0.01, max_value=5))
def test_a_scale_keeps_runs_that_can_be(rtt_ms: float, scale: float) -> None:
    times = run_times(rtt_ms=rtt_ms, scale=scale)
    assert 0 <= times.omit_s <= 60
    assert times.duration_s >= 1
    whole = run_times(rtt_ms=rtt_ms)
    assert (times.total_s <= whole.total_s) if scale <= 1 else (times.total_s >= whole.total_s)


def words(configuration: Configuration, **more: object) -> list[str]:
    given = {"address": "10.0.0.2", "times": TIMES, "processes": 1, "bitrate_gbps": None}
    return list(
        client_arguments(configuration=configuration, connect_s=5, **{**given, **more})  # type: ignore[arg-type]
    )


def test_the_client_is_told_everything() -> None:
    assert " ".join(words(SIXTEEN_BOTH, bitrate_gbps=1.6)) == (
        "-c 10.0.0.2 -J --get-server-output -t 10 -P 16 --connect-timeout 5000 -O 2 --bidir"
        " -b 100000000"
    )
    # Each of many processes has one stream and its share of the rate, which is never zero.
    found = " ".join(words(SIXTEEN_BOTH, processes=16, bitrate_gbps=1.6))
    assert "-P 1 " in found
    assert found.endswith("-b 100000000")
    assert words(SIXTEEN_BOTH, bitrate_gbps=1e-9)[-1] == "1"


def test_the_configurations_are_those_of_the_protocol() -> None:
    names = "1-forward 1-reverse 16-both 16-forward 16-reverse"
    assert sorted(one.name for one in CONFIGURATIONS) == names.split()


def three_pairs(seed: int = 0, name: str = "trial") -> Campaign:
    pairs = (pair(one, ports=(5201, 5232)) for one in ("a", "b", "c"))
    return campaign(*pairs, configurations=CONFIGURATIONS, seed=seed, id=name)


def test_a_round_has_everything_once_in_an_order_of_its_own() -> None:
    orders = [
        [(one.name, configuration.name) for one, configuration in round_order(asked, number)]
        for asked in (three_pairs(), three_pairs(seed=1), three_pairs(name="other"))
        for number in (1, 2)
    ]
    assert len({tuple(order) for order in orders}) == len(orders)
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(orders[0]))}
    assert len(set(orders[0])) == 15
    # Pairs alternate: no order in which one is done before the next begins.
    for order in orders:
        names = [name for name, _ in order]
        assert sum(before != after for before, after in itertools.pairwise(names)) > 2


def test_an_order_is_the_same_again_and_never_changes_between_versions() -> None:
    """Or campaigns that were broken off would go on in another order."""
    assert round_order(three_pairs(), 3) == round_order(three_pairs(), 3)
    order = [f"{one.name}/{way.name}" for one, way in round_order(three_pairs(seed=42), 1)]
    assert order[:4] == ["b/16-both", "c/1-forward", "c/16-reverse", "c/1-reverse"]


def test_a_pair_may_have_configurations_of_its_own() -> None:
    asked = campaign(
        pair("a"), pair("b", configurations=(SIXTEEN_BOTH,)), configurations=CONFIGURATIONS[:2]
    )
    found = sorted(f"{one.name}/{way.name}" for one, way in round_order(asked, 1))
    assert found == ["a/1-forward", "a/1-reverse", "b/16-both"]


@given(RATES)
def test_never_enough_on_few_runs_and_always_on_many(rates: list[float]) -> None:
    rule = StopRule()
    if len(rates) < rule.min_runs:
        assert not is_enough(rates, rule)
    if len(rates) >= rule.max_runs:
        assert is_enough(rates, rule)


@given(RATES, st.floats(min_value=0.01, max_value=100))
def test_the_unit_of_rates_does_not_matter(rates: list[float], factor: float) -> None:
    scaled = predictive_half_width_ratio([rate * factor for rate in rates])
    assert scaled == (
        None if len(rates) < 2 else pytest.approx(predictive_half_width_ratio(rates), abs=1e-9)
    )


@pytest.mark.parametrize(
    ("rates", "is_done"),
    [
        ([10.0], False),
        ([10.0, 10.0], False),
        ([10.0, 10.0, 10.0], True),
        ([10.0, 10.2, 9.8], True),
        # Too wide, and the median moves by a tenth.
        ([5.0, 10.0, 15.0, 20.0], False),
        # Wide as well, but the median stands still.
        ([5.0, 10.0, 15.0, 10.0], True),
        ([5.0, 10.0, 10.0, 15.0], True),
    ],
)
def test_runs_end_when_they_are_narrow_or_their_median_rests(
    rates: list[float], is_done: bool
) -> None:
    assert is_enough(rates, StopRule()) is is_done


def test_nine_in_ten_next_runs_lie_in_the_interval() -> None:
    source = random.Random(5)
    inside = 0
    trials = 4000
    for _ in range(trials):
        *seen, following = (source.gauss(10, 1) for _ in range(5))
        half = predictive_half_width_ratio(seen)
        assert half is not None
        mean = statistics.fmean(seen)
        inside += abs(following - mean) <= half * mean
    assert inside / trials == pytest.approx(0.9, abs=0.015)


@given(
    st.floats(min_value=0.001, max_value=50),
    st.floats(min_value=0, max_value=60),
    st.sampled_from(CONFIGURATIONS),
    st.none() | st.integers(min_value=536, max_value=8948),
    st.none() | st.floats(min_value=0.01, max_value=200),
    st.none() | st.floats(min_value=0.01, max_value=200),
)
def test_an_allowed_run_cannot_exceed_what_is_left(
    max_gib: float,
    moved_gib: float,
    configuration: Configuration,
    mss_bytes: int | None,
    expected_gbps: float | None,
    bitrate_gbps: float | None,
) -> None:
    budget = Budget(
        ProbeLimits(max_gib=max_gib, bitrate_gbps=bitrate_gbps),
        moved_bytes=moved_gib * BYTES_PER_GIB,
    )
    allowed = budget.allow(
        configuration, times=TIMES, mss_bytes=mss_bytes, expected_gbps=expected_gbps
    )
    if allowed.reason:
        return
    rate = allowed.bitrate_gbps
    assert rate is not None
    assert bitrate_gbps is None or rate <= bitrate_gbps
    ways = 2 if configuration.direction is Direction.BOTH else 1
    sent = ways * bytes_from_gbps(rate, TIMES.total_s) * wire_ratio(mss_bytes)
    assert sent <= (max_gib - moved_gib) * BYTES_PER_GIB * (1 + 1e-9)
    # It is not the limit that would be measured.
    if expected_gbps is not None and bitrate_gbps is None:
        assert rate >= expected_gbps


@listed(
    "wrong",
    [
        lambda: ProbeLimits(max_gib=0),
        lambda: ProbeLimits(max_seconds=-1),
        lambda: ProbeLimits(bitrate_gbps=float("nan")),
        lambda: StopRule(min_runs=1),
        lambda: StopRule(min_runs=5, max_runs=4),
        lambda: pair(address="vm-1"),
        lambda: pair(address="-c"),
        lambda: pair(ports=(0, 10)),
        lambda: pair(ports=(10, 5)),
        lambda: pair("a/b"),
        lambda: pair("a b"),
        lambda: pair(""),
        lambda: campaign(pair("a"), pair("a")),
        lambda: campaign(time_scale=0),
    ],
)
def test_what_cannot_be_is_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(UsageError):
        wrong()
