"""What no question may break, with any calibration or none: directions, walls, nested intervals."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.model import Estimate, LimitKind, PathClass, PathQuery
from netplan_planner.throughput import load_caps, predict
from netplan_planner.throughput.batch import kind_limits, predict_columns, spread_columns
from netplan_planner.throughput.calibration.factors.calibrated_caps import CalibratedCaps
from netplan_planner.throughput.goodput.intervals import factors_at
from support.calibrations.made import figures, placed, under
from support.calibrations.paths import CALIBRATIONS, Lazily, answers
from support.examples import examples
from support.nightly import crossed
from support.paths import queries
from support.paths.queries import (
    CLASSES,
    DAY,
    Table,
    end,
    estimate,
    gbps,
    growing_types,
    path,
    paths,
)

SLACK = 1 + 1e-9
TIMES = st.floats(1, 20)
SEEDS = st.integers(0, 2**32 - 1)
CAPS: Mapping[str, CalibratedCaps] = Lazily(
    {name: partial(lambda name: under(CALIBRATIONS[name]), name) for name in CALIBRATIONS}
)
"""One each for the whole file: answers are remembered by them."""
NAMES = st.sampled_from(sorted(CAPS))

Draw = Callable[[st.SearchStrategy[Any]], Any]
Two = tuple[PathQuery, PathQuery]


def value(query: PathQuery, caps: CalibratedCaps) -> float:
    found = predict(query, caps, may_assume=True).gbps
    assert found is not None
    return found


def more_streams(draw: Draw, query: PathQuery) -> Two:
    few = draw(queries.streams)
    return replace(query, streams=few), replace(query, streams=few + draw(st.integers(1, 64)))


def more_streams_of_a_probed_pair(draw: Draw, query: PathQuery) -> Two:
    few, many = more_streams(draw, query)
    return placed(few, 0), placed(many, 0)


def shorter_round_trip(draw: Draw, query: PathQuery) -> Two:
    return replace(query, rtt_ms=(query.rtt_ms or 0) * draw(TIMES)), query


def greater(field: str) -> Callable[[Draw, PathQuery], Two]:
    def two(draw: Draw, query: PathQuery) -> Two:
        least = draw(queries.windows)
        small, great = ({field: size} for size in (least, int(least * draw(TIMES))))
        return replace(query, **small), replace(query, **great)

    return two


def greater_mtu(draw: Draw, query: PathQuery) -> Two:
    least = draw(st.integers(576, 8896))
    return of_mtu(query, least), of_mtu(query, least + draw(st.integers(1, 8000)))


def of_mtu(query: PathQuery, mtu_bytes: int) -> PathQuery:
    src, dst = (replace(one, mtu_bytes=mtu_bytes) for one in (query.src, query.dst))
    return replace(query, src=src, dst=dst)


def tier1(draw: Draw, query: PathQuery) -> Two:
    del draw
    without, having = (replace(query.src, is_tier1=is_on) for is_on in (False, True))
    return replace(query, src=without), replace(query, src=having)


def more_vcpus(side: str) -> Callable[[Draw, PathQuery], Two]:
    def two(draw: Draw, query: PathQuery) -> Two:
        types = draw(st.sampled_from(growing_types()))
        at = draw(st.integers(0, len(types) - 2))
        small, great = ({side: end(name)} for name in types[at : at + 2])
        return replace(query, **small), replace(query, **great)

    return two


def longer(draw: Draw, query: PathQuery) -> Two:
    seconds = draw(queries.durations)
    timed = replace(query, transfer_bytes=None, duration_s=seconds)
    return timed, replace(
        timed, duration_s=draw(st.none() | TIMES.map(lambda times: times * seconds))
    )


def one_way(draw: Draw, query: PathQuery) -> Two:
    del draw
    return replace(query, is_both_ways=True), replace(query, is_both_ways=False)


WINDOW, RECEIVER = greater("window_bytes"), more_vcpus("dst")
BETTER = (
    *(more_streams, more_streams_of_a_probed_pair, shorter_round_trip, greater_mtu, tier1, longer),
    *(greater("send_buffer_bytes"), more_vcpus("src"), one_way, WINDOW, RECEIVER),
)


@pytest.mark.parametrize("better", BETTER)
@given(query=paths(), data=st.data())
def test_what_is_better_never_lowers_the_rate(
    better: Callable[[Draw, PathQuery], Two], query: PathQuery, data: st.DataObject
) -> None:
    less, more = better(data.draw, query)
    assert gbps(less) <= gbps(more) * SLACK


@pytest.mark.parametrize("name", CAPS)
@given(query=paths(), data=st.data())
def test_no_calibration_lets_a_greater_window_lower_the_rate(
    name: str, query: PathQuery, data: st.DataObject
) -> None:
    less, more = WINDOW(data.draw, query)
    assert value(less, CAPS[name]) <= value(more, CAPS[name]) * SLACK


@pytest.mark.parametrize("name", CAPS)
@pytest.mark.parametrize("better", BETTER[:-2])
@settings(max_examples=examples(0.25))
@given(query=paths(), data=st.data())
def test_no_calibration_turns_a_direction(
    name: str, better: Callable[[Draw, PathQuery], Two], query: PathQuery, data: st.DataObject
) -> None:
    less, more = better(data.draw, query)
    assert value(less, CAPS[name]) <= value(more, CAPS[name]) * SLACK


def test_a_first_flight_that_nearly_fills_the_path_may_come_to_fill_it() -> None:
    few = path("internet", "c4n-highmem-8", streams=144, rtt_ms=1.232, transfer_bytes=403_500)
    for more in (replace(few, streams=184), of_mtu(few, 1900)):
        assert gbps(few) <= gbps(more) * SLACK


@given(paths(), queries.volumes, TIMES)
def test_more_bytes_never_lower_it_and_take_longer(
    query: PathQuery, volume: int, times: float
) -> None:
    few, many = (
        estimate(replace(query, duration_s=None, transfer_bytes=size))
        for size in (volume, int(volume * times))
    )
    assert (few.gbps or 0) <= (many.gbps or 0) * SLACK
    assert (few.duration_s or 0) <= (many.duration_s or 0) * SLACK


@given(paths(), st.floats(0.5, 0.99), st.floats(0.5, 0.99))
def test_the_value_is_in_nested_intervals_and_below_every_documented_cap(
    query: PathQuery, one: float, other: float
) -> None:
    less, more = (estimate(query, level=level) for level in sorted((one, other)))
    (gbps, low, high), (_, least, most) = figures(less), figures(more)
    assert least <= low * SLACK
    assert high <= most * SLACK
    assert low <= gbps <= high
    for limit in less.limits:
        if limit.kind is LimitKind.DOCUMENTED and limit.name.endswith(("egress", "-flow")):
            assert gbps <= limit.gbps * SLACK
            assert most <= 1.02 * limit.gbps * SLACK


@given(paths())
def test_the_time_of_a_transfer_is_its_volume_over_its_rate(query: PathQuery) -> None:
    found = estimate(query)
    times = (found.duration_s, found.high_duration_s, found.low_duration_s)
    if query.transfer_bytes is None:
        assert found.duration_s is None
        return
    gbit = query.transfer_bytes * 8 / 1e9
    for seconds, rate in zip(times, figures(found), strict=True):
        assert (seconds or 0) * rate == pytest.approx(gbit)


@pytest.mark.parametrize("name", CAPS)
class TestStart:
    """Limits bind a short transfer less than a long one: what they lack must not count whole."""

    @pytest.mark.parametrize(
        ("path_class", "volume"),
        crossed(["inter-zone-internal", "internet"], [10**4, 10**6, 10**8, 10**9]),
    )
    def test_more_streams_never_slow_a_small_transfer(
        self, name: str, path_class: str, volume: int
    ) -> None:
        query = path(path_class, "n2-standard-32", transfer_bytes=volume, rtt_ms=30.0)
        rates = [value(replace(query, streams=2**power), CAPS[name]) for power in range(9)]
        assert all(few <= more * SLACK for few, more in pairwise(rates))

    @pytest.mark.parametrize("path_class", ["inter-zone-internal", "inter-region-external"])
    def test_nor_does_a_greater_window_or_a_shorter_way(self, name: str, path_class: str) -> None:
        query = path(path_class, "n2-standard-32", duration_s=1.0, streams=16)
        windows = [value(replace(query, window_bytes=2**at), CAPS[name]) for at in range(14, 31)]
        ways = [value(replace(query, rtt_ms=2.0**at), CAPS[name]) for at in range(8, -5, -1)]
        for rates in (windows, ways):
            assert all(less <= more * SLACK for less, more in pairwise(rates))

    @pytest.mark.parametrize("streams", [1, 16])
    def test_a_run_that_ends_in_the_first_flights_stays_next_to_nothing(
        self, name: str, streams: int
    ) -> None:
        query = path("internet", "n2-standard-32", streams=streams, rtt_ms=334.0, duration_s=0.2)
        found, low, high = figures(predict(query, CAPS[name], may_assume=True))
        assert 0 < found < 0.01
        assert found == pytest.approx(gbps(query), rel=0.5)
        assert 0 <= low <= found <= high < 1


Change = Callable[[Table, np.random.Generator], dict[str, Any]]


def times(*columns: str) -> Change:
    """Return what multiplies columns of each row by one number of 1 to 20."""

    def change(table: Table, chance: np.random.Generator) -> dict[str, Any]:
        factor = chance.uniform(1, 20, len(table.columns.kind))
        return {name: getattr(table.columns, name) * factor for name in columns}

    return change


def streams_beside(table: Table, chance: np.random.Generator) -> dict[str, Any]:
    # Of what runs for a time: a volume may be over sooner than its start.
    more = np.where(np.isnan(table.columns.transfer_bytes), chance.integers(1, 65), 0)
    return {"streams": table.columns.streams + more}


def both_ways(table: Table, chance: np.random.Generator) -> dict[str, Any]:
    del chance
    return {"is_both_ways": np.ones(len(table.columns.kind), dtype=bool)}


RAISING = (
    *(times("window_bytes"), times("send_buffer_bytes"), times("duration_s")),
    *(times("transfer_bytes"), streams_beside),
)
LOWERING = (times("rtt_ms", "low_rtt_ms", "high_rtt_ms"), both_ways)


class TestTables:
    """The same on tables, where a few hundred rows of every kind stand side by side."""

    @given(seed=SEEDS)
    @pytest.mark.parametrize("change", [*RAISING, *LOWERING])
    def test_directions(self, change: Change, seed: int) -> None:
        # A sender's count is highest at first, while buffers fill: it need not rise.
        for is_receiver_count in (True, False) if change in LOWERING else (True,):
            table = Table(seed, is_receiver_count=is_receiver_count)
            after = table.gbps(**change(table, np.random.default_rng(seed)))
            less, more = sorted_by(change, table.gbps(), after)
            assert (less <= more * SLACK).all()

    @settings(max_examples=examples(0.25))
    @given(seed=SEEDS, name=NAMES)
    @pytest.mark.parametrize("change", [*RAISING, *LOWERING])
    def test_directions_with_a_calibration(self, change: Change, seed: int, name: str) -> None:
        table = Table(seed, is_receiver_count=True)
        columns = change(table, np.random.default_rng(seed))
        before, after = (answers(table, CAPS[name], **given).gbps for given in ({}, columns))
        less, more = sorted_by(change, before, after)
        assert (less <= more * SLACK).all()

    @given(SEEDS)
    @pytest.mark.parametrize("name", ["window_bytes", "send_buffer_bytes", "streams"])
    def test_its_physical_bounds_in_steady_use_rise_too(self, name: str, seed: int) -> None:
        # A start that overshoots further may lose more: of finite runs the least may fall.
        table = Table(seed, is_receiver_count=True)
        ever = np.full(len(table.columns.kind), np.inf)
        columns = table.columns._replace(duration_s=ever, transfer_bytes=ever * np.nan)
        more = np.ceil(getattr(columns, name) * np.random.default_rng(seed).uniform(1, 20))
        limits = kind_limits(table.kinds)
        few, many = (
            spread_columns(table.kinds, limits, some)
            for some in (columns, columns._replace(**{name: more}))
        )
        assert (few.low_gbps <= many.low_gbps * SLACK).all()
        assert (few.high_gbps <= many.high_gbps * SLACK).all()

    @given(SEEDS)
    def test_tier1_and_the_internal_address_never_lower_it(self, seed: int) -> None:
        table = Table(seed, is_receiver_count=True)
        inside = [
            replace(kind, path_class=kind.path_class.over_internal_address) for kind in table.kinds
        ]
        for kinds in (fast(table), inside):
            found = predict_columns(kinds, kind_limits(kinds), table.columns, factors_at(0.9))
            assert (table.gbps() / SLACK <= found.gbps).all()

    @settings(max_examples=examples(0.25))
    @given(seed=SEEDS, name=NAMES)
    def test_with_a_calibration_tier1_does_not_either(self, seed: int, name: str) -> None:
        table = Table(seed, is_receiver_count=True)
        before, after = (answers(table, CAPS[name], kinds).gbps for kinds in (None, fast(table)))
        assert (before <= after * SLACK).all()
        found = answers(Table(seed), CAPS[name])
        assert not np.isnan(found.gbps).any()
        assert (found.low_gbps <= found.gbps).all()
        assert (found.gbps <= found.high_gbps).all()

    @given(SEEDS, st.sampled_from((0.5, 0.8, 0.87, 0.9, 0.95, 0.99)))
    def test_every_row_is_in_its_interval_and_below_its_documented_caps(
        self, seed: int, level: float
    ) -> None:
        table = Table(seed)
        found = table.answers(level=level)
        assert not np.isnan(found.gbps).any()
        # Nothing that has begun is nothing.
        assert (found.low_gbps > 0).all()
        assert (found.low_gbps <= found.gbps).all()
        assert (found.gbps <= found.high_gbps).all()
        walls = np.array(
            [
                min(b.limit.gbps for b in one.hard if b.limit.kind is LimitKind.DOCUMENTED)
                for one in kind_limits(table.kinds)
            ]
        )
        assert (found.high_gbps <= 1.02 * walls[table.columns.kind] * SLACK).all()


def sorted_by(change: Change, before: NDArray[Any], after: NDArray[Any]) -> tuple[Any, Any]:
    """Return what is to be the lesser first."""
    return (after, before) if change in LOWERING else (before, after)


def fast(table: Table) -> list[PathQuery]:
    return [replace(kind, src=replace(kind.src, is_tier1=True)) for kind in table.kinds]


def weighed(query: PathQuery) -> Estimate:
    return predict(query, load_caps(DAY), may_assume=True, weigh=True)


class TestProbabilities:
    @given(paths())
    def test_they_sum_to_one_and_are_the_same_each_time(self, query: PathQuery) -> None:
        found = weighed(query)
        assert found == weighed(query)
        assert len(found.probabilities) == len(found.limits)
        assert all(0 <= one <= 1 for one in found.probabilities)
        assert sum(found.probabilities) == pytest.approx(1)

    @given(st.sampled_from(CLASSES), queries.rtts, queries.streams)
    def test_a_documented_cap_far_below_the_others_binds_for_sure(
        self, path_class: PathClass, rtt: float, count: int
    ) -> None:
        buffers = {"window_bytes": 2**40, "send_buffer_bytes": 2**40}
        found = weighed(path(path_class, "e2-micro", rtt_ms=rtt, streams=count, **buffers))
        assert found.limits[0].name in {"vm-egress", "external-egress"}
        assert found.probabilities[0] == pytest.approx(1)

    def test_without_being_asked_there_are_none(self) -> None:
        assert estimate(path("internet", "n2-standard-8")).probabilities == ()


def test_the_types_of_the_vcpu_property_have_rising_caps() -> None:
    caps = load_caps(DAY)
    assert len(growing_types()) > 30
    for kind in growing_types():
        found = [caps.variants(name)[0] for name in kind]
        assert all((a.vcpus or 0) < (b.vcpus or 0) for a, b in pairwise(found))


@pytest.mark.parametrize("without", ["rtt_ms", "streams"])
def test_to_know_less_never_makes_an_interval_narrower(without: str) -> None:
    told = path("inter-region-internal", "n2-standard-32", streams=64, duration_s=60.0)
    less, more = estimate(replace(told, **{without: None})), estimate(told)
    # Without a round-trip time the start is left out, and what is not known of it.
    slack = 0.95 if without == "rtt_ms" else 1.0
    if less.gbps is not None:
        _, least, most = figures(less)
        _, low, high = figures(more)
        assert most / least >= slack * high / low
