"""The mean of named limits: which of them binds, and what is not known."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from netplan_planner.throughput.goodput.mean import (
    LIMITS,
    NO_LIMIT,
    PER_FLOW,
    POLICED,
    SHARED,
    Means,
    PathTerms,
    means,
)
from netplan_planner.throughput.transport import tcp, transfer
from netplan_planner.throughput.transport.transfer import DIRECTION_RATIO


def terms(
    *,
    streams: float = 1.0,
    rtt_ms: float = 50.0,
    window_bytes: float = 3_030_000,
    sent_bytes: float = np.inf,
    mtu_bytes: float = 1460.0,
    duration_s: float = np.inf,
    omit_s: float = 0.0,
    transfer_bytes: float = np.nan,
    is_cap_known: bool = True,
    is_both_ways: bool = False,
    is_sender_count: bool = False,
    late_rtts: float = 0.0,
    **limits_gbps: float,
) -> PathTerms:
    """Return one row; limits by name with `_` for `-`, the others do not exist there."""
    named = {name.replace("_", "-"): value for name, value in limits_gbps.items()}
    assert named.keys() <= {*SHARED, *PER_FLOW}
    one = np.array
    return PathTerms(
        shared_gbps=one([[named.get(name, np.inf) for name in SHARED]]),
        per_flow_gbps=one([[named.get(name, np.inf) for name in PER_FLOW]]),
        is_cap_known=one([is_cap_known]),
        window_bytes=one([window_bytes]),
        sent_bytes=one([sent_bytes]),
        is_window_told=one([True]),
        is_buffer_told=one([True]),
        streams=one([streams]),
        rtt_ms=one([rtt_ms]),
        mtu_bytes=one([mtu_bytes]),
        duration_s=one([duration_s]),
        omit_s=one([omit_s]),
        transfer_bytes=one([transfer_bytes]),
        is_both_ways=one([is_both_ways]),
        is_sender_count=one([is_sender_count]),
        late_rtts=one([late_rtts]),
    )


def test_a_late_tool_counts_less_by_a_round_trip_of_the_time() -> None:
    prompt, late = (
        float(means(terms(vm_egress=2.0, duration_s=10, late_rtts=rtts)).gbps[0]) for rtts in (0, 1)
    )
    steady = float(means(terms(vm_egress=2.0)).gbps[0])
    assert prompt - late == pytest.approx(steady * 0.05 / 10, rel=1e-6)


def names(found: Means) -> tuple[str, str | None]:
    following = LIMITS[found.following[0]] if found.following[0] != NO_LIMIT else None
    return LIMITS[found.binding[0]], following


def value(column: NDArray[np.float64]) -> float:
    return float(column[0])


class TestSteady:
    def test_the_least_hard_limit_and_the_windows_make_a_soft_minimum(self) -> None:
        found = means(terms(streams=4, rtt_ms=33.0, vm_egress=10.0, external_egress=7.0))
        offered = 4 * 3.03e6 * 8 / 33e6
        expected = tcp.saturated_gbps(offered_gbps=offered, cap_gbps=7.0)
        assert value(found.gbps) == pytest.approx(float(expected))
        assert value(found.offered_gbps) == pytest.approx(offered)
        assert names(found) == ("window-over-rtt", "external-egress")

    def test_limits_of_one_flow_are_multiplied_and_shared_ones_are_not(self) -> None:
        found = means(terms(streams=2, rtt_ms=0.1, vm_egress=10.0, external_flow=3.0))
        assert value(found.cap_gbps) == 6
        assert names(found) == ("external-flow", "vm-egress")

    def test_as_many_streams_as_it_takes_leave_the_shared_limits(self) -> None:
        found = means(terms(streams=np.inf, vm_egress=10.0, external_flow=3.0))
        assert value(found.gbps) == 10
        assert names(found) == ("vm-egress", None)

    def test_both_directions_share_a_core_but_no_cap(self) -> None:
        one = means(terms(rtt_ms=0.1, single_flow_core=12.9, vm_egress=16.0))
        both = means(terms(rtt_ms=0.1, single_flow_core=12.9, vm_egress=16.0, is_both_ways=True))
        ratio = value(both.cap_gbps) / value(one.cap_gbps)
        assert ratio == pytest.approx(DIRECTION_RATIO)
        capped = means(terms(streams=np.inf, vm_egress=16.0, is_both_ways=True))
        assert value(capped.gbps) == 16

    def test_small_packets_pay_for_headers_at_documented_caps_only(self) -> None:
        documented = means(terms(streams=np.inf, mtu_bytes=1300.0, vm_egress=10.0))
        assert value(documented.gbps) == pytest.approx(10 * float(tcp.cap_ratio(1300)))
        measured = means(terms(streams=np.inf, mtu_bytes=1300.0, external_path=1.6))
        assert value(measured.gbps) == 1.6


class TestTheStart:
    def test_it_binds_where_it_takes_a_sixth_of_the_time_at_a_cap(self) -> None:
        shares, bound = [], []
        for seconds in (2.0, 5.0, 10.0, 20.0, 60.0):
            found = means(terms(streams=64, rtt_ms=100.0, duration_s=seconds, vm_egress=7.0))
            shares.append(value(found.start_ratio))
            bound.append(names(found)[0] == "slow-start-ramp")
        assert shares == sorted(shares, reverse=True)
        assert bound == [share > 1 / 6 for share in shares]
        assert True in bound
        assert False in bound

    def test_where_windows_hold_back_it_must_take_half(self) -> None:
        # 1.5 round trips and eight doublings are most of one second, but not of three.
        short = means(terms(rtt_ms=100.0, duration_s=1.0, vm_egress=32.0))
        longer = means(terms(rtt_ms=100.0, duration_s=3.0, vm_egress=32.0))
        assert names(short) == ("slow-start-ramp", "window-over-rtt")
        assert names(longer) == ("window-over-rtt", "vm-egress")
        assert 1 / 6 < value(longer.start_ratio) < 0.5 < value(short.start_ratio)

    def test_a_finite_transfer_goes_before_a_duration(self) -> None:
        found = means(
            terms(streams=64, rtt_ms=100.0, duration_s=5.0, transfer_bytes=1e9, vm_egress=7.0)
        )
        assert value(found.gbps) * value(found.duration_s) == pytest.approx(8.0)
        assert value(found.duration_s) != 5
        asked = means(terms(streams=64, rtt_ms=100.0, duration_s=5.0, vm_egress=7.0))
        assert value(asked.duration_s) == 5

    def test_what_is_omitted_brings_it_closer_to_the_steady_rate(self) -> None:
        rates = [
            value(means(terms(rtt_ms=100.0, duration_s=10.0, omit_s=omit, vm_egress=2.0)).gbps)
            for omit in (0.0, 1.0, 3.0, 60.0)
        ]
        steady = value(means(terms(rtt_ms=100.0, vm_egress=2.0)).gbps)
        assert all(less <= more * (1 + 1e-12) for less, more in pairwise(rates))
        assert rates[0] < 0.95 * steady
        assert rates[-1] == pytest.approx(steady, rel=1e-6)

    def test_the_senders_count_has_what_is_still_on_its_way(self) -> None:
        counts = [
            value(
                means(terms(rtt_ms=100.0, duration_s=10, vm_egress=2.0, is_sender_count=own)).gbps
            )
            for own in (False, True)
        ]
        steady = value(means(terms(rtt_ms=100.0, vm_egress=2.0)).gbps)
        # One round trip of ten seconds earlier, and one in flight: two per cent of the steady rate.
        assert (counts[1] - counts[0]) / steady == pytest.approx(0.02, abs=1e-6)
        assert counts[1] <= steady


class TestTheWayOut:
    """What a machine's own cap queues, and what a provider's drops."""

    def test_a_machines_own_cap_loses_nothing_to_the_overshoot(self) -> None:
        shaped, policed = (
            means(terms(streams=64, rtt_ms=100.0, duration_s=5.0, vm_egress=own, external_egress=x))
            for own, x in ((7.0, np.inf), (10.0, 7.0))
        )
        assert value(shaped.steady_gbps) == pytest.approx(value(policed.steady_gbps))
        # One round trip for the messages, then 127 first windows in seven more; no recovery.
        first_gbit = 64 * 10 * 1408 * 8 / 1e9
        steady = value(shaped.steady_gbps)
        assert value(shaped.gbps) == pytest.approx((127 * first_gbit + steady * 4.2) / 5)
        assert value(policed.gbps) < 0.95 * value(shaped.gbps)

    @pytest.mark.parametrize("name", POLICED)
    def test_limits_on_the_way_drop(self, name: str) -> None:
        row = terms(streams=8, rtt_ms=50.0, duration_s=5.0, window_bytes=1e8)
        held = row.shared_gbps if name in SHARED else row.per_flow_gbps
        names = SHARED if name in SHARED else PER_FLOW
        held[0, names.index(name)] = 5.0 if name in SHARED else 5.0 / 8
        dropped = means(row)
        queued = means(
            terms(streams=8, rtt_ms=50.0, duration_s=5.0, window_bytes=1e8, host_link=5.0)
        )
        assert value(dropped.gbps) < value(queued.gbps)

    def test_great_buffers_may_let_the_start_overshoot_further(self) -> None:
        """64 flows over 200 ms with windows of 512 MiB instead of 32: four doublings more."""
        lost_s = {}
        for mib in (32, 512):
            row = terms(
                streams=64,
                rtt_ms=200.0,
                duration_s=60.0,
                window_bytes=mib * 2.0**20,
                sent_bytes=np.inf,
                external_egress=7.0,
            )
            assert value(means(row).gbps) == pytest.approx(6.77, abs=0.003)
            doubling = transfer.UNFAVOURABLE._replace(growth=2.0)
            lost_s[mib] = 60 * (1 - value(means(row, doubling).gbps) / 7.0)
        # Payload without headers: what they take of the cap is lost whatever the buffers.
        assert lost_s[512] - lost_s[32] == pytest.approx(4 * 0.2 * 1408 / 1460, abs=0.01)

    def test_a_full_queue_may_drop_too(self) -> None:
        row = terms(streams=64, rtt_ms=100.0, duration_s=5.0, vm_egress=7.0)
        roomy = transfer.UNFAVOURABLE._replace(is_shaper_full=False)
        assert value(means(row, transfer.UNFAVOURABLE).gbps) < value(means(row, roomy).gbps)


class TestUnknown:
    @pytest.mark.parametrize(
        "unknown",
        [
            terms(is_cap_known=False, streams=64),
            terms(is_cap_known=False, streams=np.inf),
            terms(rtt_ms=np.nan, duration_s=5.0, vm_egress=7.0),
            terms(rtt_ms=np.nan, transfer_bytes=1e9, vm_egress=7.0),
        ],
    )
    def test_it_has_neither_value_nor_limit(self, unknown: PathTerms) -> None:
        found = means(unknown)
        assert np.isnan(found.gbps[0])
        assert (found.binding[0], found.following[0]) == (NO_LIMIT, NO_LIMIT)

    def test_one_slow_stream_needs_no_cap(self) -> None:
        # No machine type has a documented cap below 1 Gbit/s.
        found = means(terms(is_cap_known=False, rtt_ms=100.0))
        assert value(found.gbps) == pytest.approx(0.2424)
        assert names(found) == ("window-over-rtt", None)

    def test_the_rest_of_a_table_is_not_touched(self) -> None:
        known, unknown = terms(vm_egress=7.0), terms(is_cap_known=False, streams=64)
        pairs = zip(known, unknown, strict=True)
        table = PathTerms(*(np.concatenate(columns) for columns in pairs))
        assert means(table).gbps[0] == means(known).gbps[0]
        assert np.isnan(means(table).gbps[1])


@pytest.mark.parametrize("duration_s", [0.5, 5.0, 60.0, np.inf])
def test_the_behaviours_bound_the_mean(duration_s: float) -> None:
    row = terms(streams=16, rtt_ms=80.0, duration_s=duration_s, vm_egress=7.0)
    least, likely, greatest = (
        value(means(row, behaviour).gbps)
        for behaviour in (transfer.UNFAVOURABLE, transfer.LIKELY, transfer.FAVOURABLE)
    )
    assert least <= likely <= greatest
