"""What no question may break: directions of change, documented walls, nested intervals."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from netplan_planner.model import Estimate, LimitKind, PathClass, PathQuery
from netplan_planner.throughput import load_caps, predict
from netplan_planner.throughput.batch import kind_limits, predict_columns, spread_columns
from netplan_planner.throughput.goodput.intervals import factors_at
from support.paths.queries import (
    CLASSES,
    DAY,
    Table,
    durations,
    end,
    estimate,
    gbps,
    growing_types,
    path,
    paths,
    rtts,
    streams,
    volumes,
    windows,
)

SLACK = 1 + 1e-9
TIMES = st.floats(1, 20)
SEEDS = st.integers(0, 2**32 - 1)
FULL_FIRST_FLIGHT = path(
    "internet", "c4n-highmem-8", streams=144, rtt_ms=1.232, transfer_bytes=403_500
)
"""Its first flight nearly fills the path; with more streams or segments it does."""


def changed(query: PathQuery, **more: object) -> PathQuery:
    return msgspec.structs.replace(query, **more)


class TestOnePath:
    @given(paths(), streams, st.integers(1, 64))
    @example(FULL_FIRST_FLIGHT, 144, 40)
    def test_more_streams_never_lower_it(self, query: PathQuery, few: int, more: int) -> None:
        assert gbps(changed(query, streams=few)) <= gbps(changed(query, streams=few + more)) * SLACK

    @given(paths(), TIMES)
    def test_a_longer_round_trip_never_raises_it(self, query: PathQuery, times: float) -> None:
        far = changed(query, rtt_ms=(query.rtt_ms or 0) * times)
        assert gbps(far) <= gbps(query) * SLACK

    @given(paths(), windows, TIMES)
    def test_a_greater_window_never_lowers_it(
        self, query: PathQuery, window: int, times: float
    ) -> None:
        small = changed(query, window_bytes=window)
        assert gbps(small) <= gbps(changed(query, window_bytes=int(window * times))) * SLACK

    @given(paths(), windows, TIMES)
    def test_a_greater_send_buffer_never_lowers_it(
        self, query: PathQuery, buffer: int, times: float
    ) -> None:
        small = changed(query, send_buffer_bytes=buffer)
        great = changed(query, send_buffer_bytes=int(buffer * times))
        assert gbps(small) <= gbps(great) * SLACK

    @given(paths(), st.sampled_from(growing_types()), st.data())
    def test_a_receiver_with_more_vcpus_never_lowers_it(
        self, query: PathQuery, types: tuple[str, ...], data: st.DataObject
    ) -> None:
        at = data.draw(st.integers(0, len(types) - 2))
        small, great = (changed(query, dst=end(name)) for name in types[at : at + 2])
        assert gbps(small) <= gbps(great) * SLACK

    @given(paths(), st.integers(576, 8896), st.integers(1, 8000))
    @example(FULL_FIRST_FLIGHT, 1460, 440)
    def test_a_greater_mtu_never_lowers_it(self, query: PathQuery, mtu: int, more: int) -> None:
        small, great = (
            changed(
                query,
                src=msgspec.structs.replace(query.src, mtu_bytes=size),
                dst=msgspec.structs.replace(query.dst, mtu_bytes=size),
            )
            for size in (mtu, mtu + more)
        )
        assert gbps(small) <= gbps(great) * SLACK

    @given(paths())
    def test_tier1_never_lowers_it(self, query: PathQuery) -> None:
        without = changed(query, src=msgspec.structs.replace(query.src, is_tier1=False))
        having = changed(query, src=msgspec.structs.replace(query.src, is_tier1=True))
        assert gbps(without) <= gbps(having) * SLACK

    @given(paths(), st.sampled_from(growing_types()), st.data())
    def test_more_vcpus_of_a_series_never_lower_it(
        self, query: PathQuery, types: tuple[str, ...], data: st.DataObject
    ) -> None:
        at = data.draw(st.integers(0, len(types) - 2))
        small, great = (changed(query, src=end(name)) for name in types[at : at + 2])
        assert gbps(small) <= gbps(great) * SLACK

    @given(paths(), durations, TIMES)
    def test_longer_never_lowers_it(self, query: PathQuery, duration: float, times: float) -> None:
        timed = changed(query, transfer_bytes=None, duration_s=duration)
        longer = changed(timed, duration_s=duration * times)
        assert gbps(timed) <= gbps(longer) * SLACK
        assert gbps(longer) <= gbps(changed(timed, duration_s=None)) * SLACK

    @given(paths(), volumes, TIMES)
    def test_more_bytes_never_lower_it_and_take_longer(
        self, query: PathQuery, volume: int, times: float
    ) -> None:
        few, many = (
            estimate(changed(query, duration_s=None, transfer_bytes=size))
            for size in (volume, int(volume * times))
        )
        assert (few.gbps or 0) <= (many.gbps or 0) * SLACK
        assert (few.duration_s or 0) <= (many.duration_s or 0) * SLACK

    @given(paths())
    def test_both_ways_never_raises_it(self, query: PathQuery) -> None:
        one, both = (changed(query, is_both_ways=way) for way in (False, True))
        assert gbps(both) <= gbps(one) * SLACK

    @given(paths(), st.floats(0.5, 0.99), st.floats(0.5, 0.99))
    def test_a_greater_level_holds_the_smaller_one(
        self, query: PathQuery, one: float, other: float
    ) -> None:
        less, more = (estimate(query, level=level) for level in sorted((one, other)))
        assert low(more) <= low(less) * SLACK
        assert high(less) <= high(more) * SLACK

    @given(paths(), st.floats(0.5, 0.99))
    def test_the_value_is_in_its_interval_and_below_every_documented_cap(
        self, query: PathQuery, level: float
    ) -> None:
        found = estimate(query, level=level)
        value = found.gbps
        assert value is not None
        assert low(found) <= value <= high(found)
        for limit in found.limits:
            if limit.kind is LimitKind.DOCUMENTED and limit.name.endswith(("egress", "-flow")):
                assert value <= limit.gbps * SLACK
                assert high(found) <= 1.02 * limit.gbps * SLACK

    @given(paths())
    def test_the_time_of_a_transfer_is_its_volume_over_its_rate(self, query: PathQuery) -> None:
        found = estimate(query)
        if query.transfer_bytes is None:
            assert found.duration_s is None
            return
        gbit = query.transfer_bytes * 8 / 1e9
        assert (found.duration_s or 0) * (found.gbps or 0) == pytest.approx(gbit)
        assert (found.low_duration_s or 0) * high(found) == pytest.approx(gbit)
        assert (found.high_duration_s or 0) * low(found) == pytest.approx(gbit)


def low(found: Estimate) -> float:
    assert found.low_gbps is not None
    return found.low_gbps


def high(found: Estimate) -> float:
    assert found.high_gbps is not None
    return found.high_gbps


Change = Callable[[Table, NDArray[np.float64]], dict[str, Any]]


def _times(name: str) -> Change:
    return lambda table, times: {name: getattr(table.columns, name) * times}


WIDER = ("window_bytes", "send_buffer_bytes", "duration_s", "transfer_bytes")


def _round_trips(table: Table, times: NDArray[np.float64]) -> dict[str, Any]:
    rtt = table.columns.rtt_ms * times
    return {"rtt_ms": rtt, "low_rtt_ms": rtt, "high_rtt_ms": rtt}


def _both_ways(table: Table, times: NDArray[np.float64]) -> dict[str, Any]:
    return {"is_both_ways": np.ones(len(times), dtype=bool)}


class TestTables:
    """The same on tables, where rows of every kind stand side by side."""

    @given(SEEDS)
    @pytest.mark.parametrize("change", [_times(name) for name in WIDER])
    def test_what_never_lowers_it(self, change: Change, seed: int) -> None:
        # A sender's count is left out: it is highest at first, while buffers fill.
        table = Table(seed, is_receiver_count=True)
        times = np.random.default_rng(seed).uniform(1, 20, len(table.columns.kind))
        assert (table.gbps() <= table.gbps(**change(table, times)) * SLACK).all()

    @given(SEEDS)
    @pytest.mark.parametrize("change", [_round_trips, _both_ways])
    def test_what_never_raises_it(self, change: Change, seed: int) -> None:
        table = Table(seed, is_receiver_count=True)
        times = np.random.default_rng(seed).uniform(1, 20, len(table.columns.kind))
        assert (table.gbps(**change(table, times)) <= table.gbps() * SLACK).all()

    @given(SEEDS)
    @pytest.mark.parametrize("change", [_round_trips, _both_ways])
    def test_nor_does_it_raise_the_senders_count(self, change: Change, seed: int) -> None:
        table = Table(seed, is_receiver_count=False)
        times = np.random.default_rng(seed).uniform(1, 20, len(table.columns.kind))
        assert (table.gbps(**change(table, times)) <= table.gbps() * SLACK).all()

    @given(SEEDS)
    @pytest.mark.parametrize("name", ["window_bytes", "send_buffer_bytes", "streams"])
    def test_nor_its_physical_bounds_in_steady_use(self, name: str, seed: int) -> None:
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

    @given(SEEDS, st.integers(1, 64))
    def test_more_streams_never_lower_what_runs_for_a_time(self, seed: int, more: int) -> None:
        table = Table(seed, is_receiver_count=True)
        unsized = np.isnan(table.columns.transfer_bytes)
        after = table.gbps(streams=table.columns.streams + more)
        assert (table.gbps()[unsized] <= after[unsized] * SLACK).all()

    @given(SEEDS)
    def test_tier1_and_the_internal_address_never_lower_it(self, seed: int) -> None:
        table = Table(seed, is_receiver_count=True)
        before = table.gbps() / SLACK
        for kinds in (
            [changed(k, src=msgspec.structs.replace(k.src, is_tier1=True)) for k in table.kinds],
            [changed(k, path_class=k.path_class.over_internal_address) for k in table.kinds],
        ):
            limits = kind_limits(kinds)
            after = predict_columns(kinds, limits, table.columns, factors_at(0.9)).gbps
            assert (before <= after).all()

    @given(SEEDS, st.sampled_from((0.5, 0.8, 0.87, 0.9, 0.95, 0.99)))
    def test_every_row_is_in_its_interval_and_below_its_documented_caps(
        self, seed: int, level: float
    ) -> None:
        table = Table(seed)
        found = table.answers(level=level)
        assert not np.isnan(found.gbps).any()
        assert (found.low_gbps <= found.gbps).all()
        assert (found.gbps <= found.high_gbps).all()
        walls = np.array(
            [
                min(b.limit.gbps for b in one.hard if b.limit.kind is LimitKind.DOCUMENTED)
                for one in kind_limits(table.kinds)
            ]
        )
        assert (found.high_gbps <= 1.02 * walls[table.columns.kind] * SLACK).all()

    @given(SEEDS)
    def test_nothing_that_has_begun_is_nothing(self, seed: int) -> None:
        found = Table(seed).answers()
        assert (found.gbps > 0).all()
        assert (found.low_gbps > 0).all()


class TestProbabilities:
    @given(paths())
    def test_they_sum_to_one_and_are_the_same_each_time(self, query: PathQuery) -> None:
        first, again = (
            predict(query, load_caps(DAY), may_assume=True, weigh=True) for _ in range(2)
        )
        assert first == again
        assert len(first.probabilities) == len(first.limits)
        assert all(0 <= one <= 1 for one in first.probabilities)
        assert sum(first.probabilities) == pytest.approx(1)

    @given(st.sampled_from(CLASSES), rtts, streams)
    def test_a_documented_cap_far_below_the_others_binds_for_sure(
        self, path_class: PathClass, rtt: float, count: int
    ) -> None:
        buffers = {"window_bytes": 2**40, "send_buffer_bytes": 2**40}
        query = path(path_class, "e2-micro", rtt_ms=rtt, streams=count, **buffers)
        found = predict(query, load_caps(DAY), may_assume=True, weigh=True)
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
    less, more = estimate(changed(told, **{without: None})), estimate(told)
    # Without a round-trip time the start is left out, and what is not known of it.
    slack = 0.95 if without == "rtt_ms" else 1.0
    assert less.gbps is None or high(less) / low(less) >= slack * high(more) / low(more)
