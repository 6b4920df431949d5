"""No calibration turns a direction of change: what helps without probes never hurts with them."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from netplan_planner.model import PathEnd, PathQuery
from netplan_planner.throughput import predict
from netplan_planner.throughput.calibration.factors.calibrated_caps import CalibratedCaps
from support.calibrations.made import placed, under
from support.calibrations.paths import CALIBRATIONS, Lazily, answers
from support.examples import examples
from support.nightly import crossed, every
from support.paths.queries import (
    Table,
    durations,
    end,
    estimate,
    growing_types,
    path,
    paths,
    streams,
    windows,
)

SLACK = 1 + 1e-9
TIMES = st.floats(1, 20)
SEEDS = st.integers(0, 2**32 - 1)


def _caps(name: str) -> CalibratedCaps:
    return under(CALIBRATIONS[name])


CAPS = Lazily({name: partial(_caps, name) for name in CALIBRATIONS})
"""One each for the whole file: answers are remembered by them."""


def value(query: PathQuery, caps: CalibratedCaps) -> float:
    found = predict(query, caps, may_assume=True).gbps
    assert found is not None
    return found


def changed(query: PathQuery, **more: object) -> PathQuery:
    return msgspec.structs.replace(query, **more)


@pytest.mark.parametrize("name", every(3, CAPS))
class TestOnePath:
    @settings(max_examples=examples(0.25))
    @given(query=paths(), few=streams, more=st.integers(1, 64))
    def test_more_streams_never_lower_it(
        self, name: str, query: PathQuery, few: int, more: int
    ) -> None:
        low, high = (changed(query, streams=count) for count in (few, few + more))
        assert value(low, CAPS[name]) <= value(high, CAPS[name]) * SLACK

    @settings(max_examples=examples(0.25))
    @given(query=paths(), times=TIMES)
    def test_a_longer_round_trip_never_raises_it(
        self, name: str, query: PathQuery, times: float
    ) -> None:
        far = changed(query, rtt_ms=(query.rtt_ms or 0) * times)
        assert value(far, CAPS[name]) <= value(query, CAPS[name]) * SLACK

    @settings(max_examples=examples(0.25))
    @given(query=paths(), mtu=st.integers(576, 8896), more=st.integers(1, 8000))
    def test_a_greater_mtu_never_lowers_it(
        self, name: str, query: PathQuery, mtu: int, more: int
    ) -> None:
        small, great = (
            changed(
                query,
                src=changed_end(query, size),
                dst=msgspec.structs.replace(query.dst, mtu_bytes=size),
            )
            for size in (mtu, mtu + more)
        )
        assert value(small, CAPS[name]) <= value(great, CAPS[name]) * SLACK

    @settings(max_examples=examples(0.25))
    @given(query=paths())
    def test_tier1_never_lowers_it(self, name: str, query: PathQuery) -> None:
        without, having = (
            changed(query, src=msgspec.structs.replace(query.src, is_tier1=is_on))
            for is_on in (False, True)
        )
        assert value(without, CAPS[name]) <= value(having, CAPS[name]) * SLACK

    @settings(max_examples=examples(0.25))
    @given(query=paths(), types=st.sampled_from(growing_types()), data=st.data())
    def test_more_vcpus_of_a_series_never_lower_it(
        self, name: str, query: PathQuery, types: tuple[str, ...], data: st.DataObject
    ) -> None:
        at = data.draw(st.integers(0, len(types) - 2))
        small, great = (changed(query, src=end(one)) for one in types[at : at + 2])
        assert value(small, CAPS[name]) <= value(great, CAPS[name]) * SLACK

    @settings(max_examples=examples(0.25))
    @given(query=paths(), buffer=windows, times=TIMES)
    def test_a_greater_send_buffer_never_lowers_it(
        self, name: str, query: PathQuery, buffer: int, times: float
    ) -> None:
        sizes = (buffer, int(buffer * times))
        small, great = (changed(query, send_buffer_bytes=size) for size in sizes)
        assert value(small, CAPS[name]) <= value(great, CAPS[name]) * SLACK

    @given(query=paths(), window=windows, times=TIMES)
    def test_a_greater_window_never_lowers_it(
        self, name: str, query: PathQuery, window: int, times: float
    ) -> None:
        small, great = (changed(query, window_bytes=size) for size in (window, int(window * times)))
        assert value(small, CAPS[name]) <= value(great, CAPS[name]) * SLACK

    @settings(max_examples=examples(0.25))
    @given(query=paths(), duration=durations, times=TIMES)
    def test_longer_never_lowers_it(
        self, name: str, query: PathQuery, duration: float, times: float
    ) -> None:
        timed = changed(query, transfer_bytes=None, duration_s=duration)
        longer = changed(timed, duration_s=duration * times)
        assert value(timed, CAPS[name]) <= value(longer, CAPS[name]) * SLACK

    @settings(max_examples=examples(0.25))
    @given(query=paths())
    def test_both_ways_never_raises_it(self, name: str, query: PathQuery) -> None:
        one, both = (changed(query, is_both_ways=way) for way in (False, True))
        assert value(both, CAPS[name]) <= value(one, CAPS[name]) * SLACK

    @settings(max_examples=examples(0.25))
    @given(query=paths(), few=streams, more=st.integers(1, 64))
    def test_a_probed_pair_keeps_the_direction_of_streams(
        self, name: str, query: PathQuery, few: int, more: int
    ) -> None:
        low, high = (placed(changed(query, streams=count), 0) for count in (few, few + more))
        assert value(low, CAPS[name]) <= value(high, CAPS[name]) * SLACK


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
        rates = [value(changed(query, streams=2**power), CAPS[name]) for power in range(9)]
        assert all(few <= more * SLACK for few, more in pairwise(rates))

    @pytest.mark.parametrize("path_class", ["inter-zone-internal", "inter-region-external"])
    def test_nor_does_a_greater_window_or_a_shorter_way(self, name: str, path_class: str) -> None:
        query = path(path_class, "n2-standard-32", duration_s=1.0, streams=16)
        windows = [value(changed(query, window_bytes=2**at), CAPS[name]) for at in range(14, 31)]
        ways = [value(changed(query, rtt_ms=2.0**at), CAPS[name]) for at in range(8, -5, -1)]
        for rates in (windows, ways):
            assert all(less <= more * SLACK for less, more in pairwise(rates))

    @pytest.mark.parametrize("streams", [1, 16])
    def test_a_run_that_ends_in_the_first_flights_stays_next_to_nothing(
        self, name: str, streams: int
    ) -> None:
        query = path("internet", "n2-standard-32", streams=streams, rtt_ms=334.0, duration_s=0.2)
        found = predict(query, CAPS[name], may_assume=True)
        plain = estimate(query)
        assert found.gbps is not None
        assert plain.gbps is not None
        assert 0 < found.gbps < 0.01
        assert found.gbps == pytest.approx(plain.gbps, rel=0.5)
        assert found.low_gbps is not None
        assert 0 <= found.low_gbps <= found.gbps <= (found.high_gbps or 0) < 1


def changed_end(query: PathQuery, mtu_bytes: int) -> PathEnd:
    return msgspec.structs.replace(query.src, mtu_bytes=mtu_bytes)


Change = Callable[[Table, NDArray[np.float64]], dict[str, Any]]


def _round_trips(table: Table, times: NDArray[np.float64]) -> dict[str, Any]:
    rtt = table.columns.rtt_ms * times
    return {"rtt_ms": rtt, "low_rtt_ms": rtt, "high_rtt_ms": rtt}


def _times(name: str) -> Change:
    return lambda table, times: {name: getattr(table.columns, name) * times}


class TestTables:
    """The same on tables, where a few hundred rows of every kind stand side by side."""

    @settings(max_examples=examples(0.25))
    @given(seed=SEEDS, name=st.sampled_from(sorted(CAPS)))
    def test_longer_round_trips_never_raise_it(self, seed: int, name: str) -> None:
        table = Table(seed, is_receiver_count=True)
        times = np.random.default_rng(seed).uniform(1, 20, len(table.columns.kind))
        before = answers(table, CAPS[name]).gbps
        after = answers(table, CAPS[name], **_round_trips(table, times)).gbps
        assert (after <= before * SLACK).all()

    @settings(max_examples=examples(0.25))
    @given(seed=SEEDS, name=st.sampled_from(sorted(CAPS)))
    @pytest.mark.parametrize(
        "change",
        [
            _times(name)
            for name in ("window_bytes", "send_buffer_bytes", "duration_s", "transfer_bytes")
        ],
    )
    def test_greater_windows_times_and_volumes_never_lower_it(
        self, change: Change, seed: int, name: str
    ) -> None:
        table = Table(seed, is_receiver_count=True)
        times = np.random.default_rng(seed).uniform(1, 20, len(table.columns.kind))
        before = answers(table, CAPS[name]).gbps
        after = answers(table, CAPS[name], **change(table, times)).gbps
        assert (before <= after * SLACK).all()

    @settings(max_examples=examples(0.25))
    @given(seed=SEEDS, name=st.sampled_from(sorted(CAPS)), more=st.integers(1, 64))
    def test_more_streams_never_lower_what_runs_for_a_time(
        self, seed: int, name: str, more: int
    ) -> None:
        table = Table(seed, is_receiver_count=True)
        unsized = np.isnan(table.columns.transfer_bytes)
        before = answers(table, CAPS[name]).gbps
        after = answers(table, CAPS[name], streams=table.columns.streams + more).gbps
        assert (before[unsized] <= after[unsized] * SLACK).all()

    @settings(max_examples=examples(0.25))
    @given(seed=SEEDS, name=st.sampled_from(sorted(CAPS)))
    def test_tier1_never_lowers_it(self, seed: int, name: str) -> None:
        table = Table(seed, is_receiver_count=True)
        fast = [changed(k, src=msgspec.structs.replace(k.src, is_tier1=True)) for k in table.kinds]
        before, after = (answers(table, CAPS[name], kinds).gbps for kinds in (None, fast))
        assert (before <= after * SLACK).all()

    @settings(max_examples=examples(0.25))
    @given(seed=SEEDS, name=st.sampled_from(sorted(CAPS)))
    def test_every_row_is_in_its_interval(self, seed: int, name: str) -> None:
        found = answers(Table(seed), CAPS[name])
        assert not np.isnan(found.gbps).any()
        assert (found.low_gbps <= found.gbps).all()
        assert (found.gbps <= found.high_gbps).all()
