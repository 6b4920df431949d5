"""The mean of named limits: which of them binds, and what is not known."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from netplan_planner.throughput.goodput import mean
from netplan_planner.throughput.transport import transfer
from netplan_planner.throughput.transport.transfer import DIRECTION_RATIO

ONE_STREAM: dict[str, Any] = {
    "is_cap_known": True,
    "window_bytes": 3_030_000.0,
    "sent_bytes": np.inf,
    "is_window_told": True,
    "is_buffer_told": True,
    "is_set_up_told": False,
    "streams": 1.0,
    "rtt_ms": 50.0,
    "mtu_bytes": 1460.0,
    "duration_s": np.inf,
    "omit_s": 0.0,
    "transfer_bytes": np.nan,
    "is_both_ways": False,
    "is_sender_count": False,
    "late_rtts": 0.0,
}


def terms(**given: Any) -> mean.PathTerms:
    """Return one row; limits by name with `_` for `-`, the others do not exist there."""
    row = {name: given.pop(name, value) for name, value in ONE_STREAM.items()}
    limits = {name.replace("_", "-"): value for name, value in given.items()}
    assert limits.keys() <= {*mean.SHARED, *mean.PER_FLOW}
    shared, per_flow = (
        [limits.get(name, np.inf) for name in names] for names in (mean.SHARED, mean.PER_FLOW)
    )
    columns = {name: np.array([value]) for name, value in row.items()}
    return mean.PathTerms(np.array([shared]), np.array([per_flow]), **columns)


class Row:
    """What comes of one row."""

    def __init__(self, *behaviours: transfer.Behaviour, **given: Any) -> None:
        self.means: mean.Means = mean.means(terms(**given), *behaviours)
        self.gbps = float(self.means.gbps[0])
        self.steady_gbps = float(self.means.steady_gbps[0])
        self.cap_gbps = float(self.means.cap_gbps[0])
        self.start_ratio = float(self.means.start_ratio[0])
        self.duration_s = float(self.means.duration_s[0])

    @property
    def names(self) -> tuple[str, str | None]:
        binding, following = self.means.binding[0], self.means.following[0]
        return mean.LIMITS[binding], mean.LIMITS[following] if following != mean.NO_LIMIT else None


class TestSteady:
    def test_the_least_hard_limit_and_the_windows_make_a_soft_minimum(self) -> None:
        found = Row(streams=4, rtt_ms=33.0, vm_egress=10.0, external_egress=7.0)
        offered = 4 * 3.03e6 * 8 / 33e6
        expected = transfer.saturated_gbps(offered_gbps=offered, cap_gbps=7.0)
        assert found.gbps == pytest.approx(float(expected))
        assert found.means.offered_gbps[0] == pytest.approx(offered)
        assert found.names == ("window-over-rtt", "external-egress")

    @pytest.mark.parametrize("name", ["vm_egress", "nic_egress", "host_link", "receiver_cores"])
    @pytest.mark.parametrize("window_bytes", [2e6, 3.03e6, 1e7])
    def test_behind_a_queue_the_windows_of_streams_add_up_until_it_is_full(
        self, name: str, window_bytes: float
    ) -> None:
        asked = {"streams": 4, "rtt_ms": 100.0, "window_bytes": window_bytes, name: 1.0}
        offered = 4 * window_bytes * 8 / 1e8
        assert Row(**asked).gbps == pytest.approx(min(offered, 1.0))
        # A machine's own queue may be short of room at the low end.
        least = Row(transfer.UNFAVOURABLE, **asked).gbps
        assert (least < min(offered, 1.0)) is name.endswith("egress")

    def test_what_drops_on_the_way_is_shared_imperfectly_also_before_a_queue(self) -> None:
        found = Row(streams=4, rtt_ms=33.0, vm_egress=2.5, external_egress=2.9)
        offered = 4 * 3.03e6 * 8 / 33e6
        shared = float(transfer.saturated_gbps(offered_gbps=offered, cap_gbps=2.9))
        assert found.gbps == pytest.approx(shared)
        assert shared < 2.5

    def test_limits_of_one_flow_are_multiplied_and_shared_ones_are_not(self) -> None:
        found = Row(streams=2, rtt_ms=0.1, vm_egress=10.0, external_flow=3.0)
        assert found.cap_gbps == 6
        assert found.names == ("external-flow", "vm-egress")
        # As many streams as it takes leave the shared limits.
        found = Row(streams=np.inf, vm_egress=10.0, external_flow=3.0)
        assert found.gbps == 10
        assert found.names == ("vm-egress", None)

    def test_both_directions_share_a_core_but_no_cap(self) -> None:
        one, both = (
            Row(rtt_ms=0.1, single_flow_core=12.9, vm_egress=16.0, is_both_ways=way)
            for way in (False, True)
        )
        assert both.cap_gbps / one.cap_gbps == pytest.approx(DIRECTION_RATIO)
        assert Row(streams=np.inf, vm_egress=16.0, is_both_ways=True).gbps == 16

    def test_small_packets_pay_for_headers_at_documented_caps_only(self) -> None:
        documented = Row(streams=np.inf, mtu_bytes=1300.0, vm_egress=10.0)
        assert documented.gbps == pytest.approx(10 * float(transfer.cap_ratio(1300)))
        assert Row(streams=np.inf, mtu_bytes=1300.0, external_path=1.6).gbps == 1.6


class TestTheStart:
    def test_it_binds_where_it_takes_a_sixth_of_the_time_at_a_cap(self) -> None:
        found = [
            Row(streams=64, rtt_ms=100.0, duration_s=seconds, vm_egress=7.0)
            for seconds in (2.0, 5.0, 10.0, 20.0, 60.0)
        ]
        shares = [one.start_ratio for one in found]
        bound = [one.names[0] == "slow-start-ramp" for one in found]
        assert shares == sorted(shares, reverse=True)
        assert bound == [share > 1 / 6 for share in shares]
        assert {*bound} == {True, False}

    def test_where_windows_hold_back_it_must_take_half(self) -> None:
        # 1.5 round trips and eight doublings are most of one second, but not of three.
        short, longer = (Row(rtt_ms=100.0, duration_s=s, vm_egress=32.0) for s in (1.0, 3.0))
        assert short.names == ("slow-start-ramp", "window-over-rtt")
        assert longer.names == ("window-over-rtt", "vm-egress")
        assert 1 / 6 < longer.start_ratio < 0.5 < short.start_ratio

    def test_a_finite_transfer_goes_before_a_duration(self) -> None:
        asked = {"streams": 64, "rtt_ms": 100.0, "duration_s": 5.0, "vm_egress": 7.0}
        found = Row(transfer_bytes=1e9, **asked)
        assert found.gbps * found.duration_s == pytest.approx(8.0)
        assert found.duration_s != 5
        assert Row(**asked).duration_s == 5

    def test_who_counts_and_from_when(self) -> None:
        asked = {"rtt_ms": 100.0, "vm_egress": 2.0}
        steady = Row(**asked).gbps
        rates = [Row(duration_s=10.0, omit_s=omit, **asked).gbps for omit in (0.0, 1.0, 3.0, 60.0)]
        # What is omitted brings it closer to the steady rate.
        assert all(less <= more * (1 + 1e-12) for less, more in pairwise(rates))
        assert rates[0] < 0.95 * steady
        assert rates[-1] == pytest.approx(steady, rel=1e-6)
        # One round trip of ten seconds earlier, and one in flight: two per cent of the steady rate.
        sender = Row(duration_s=10, is_sender_count=True, **asked).gbps
        assert (sender - rates[0]) / steady == pytest.approx(0.02, abs=1e-6)
        assert sender <= steady
        # A late tool counts less by a round trip of the time.
        late = Row(duration_s=10, late_rtts=1, **asked).gbps
        assert rates[0] - late == pytest.approx(steady * 0.1 / 10, rel=1e-6)


class TestTheWayOut:
    """What a machine's own cap queues, and what a provider's drops."""

    def test_a_machines_own_cap_loses_nothing_to_the_overshoot(self) -> None:
        shaped, policed = (
            Row(streams=64, rtt_ms=100.0, duration_s=5.0, vm_egress=own, external_egress=x)
            for own, x in ((7.0, np.inf), (10.0, 7.0))
        )
        assert 0.95 * 7 < policed.steady_gbps < shaped.steady_gbps == 7
        # One round trip for the messages, then 127 first windows in seven more; no recovery.
        first_gbit = 64 * 10 * 1408 * 8 / 1e9
        assert shaped.gbps == pytest.approx((127 * first_gbit + shaped.steady_gbps * 4.2) / 5)
        assert policed.gbps < 0.95 * shaped.gbps

    @pytest.mark.parametrize("name", mean.POLICED)
    def test_limits_on_the_way_drop(self, name: str) -> None:
        asked = {"streams": 8, "rtt_ms": 50.0, "duration_s": 5.0, "window_bytes": 1e8}
        dropped = Row(**asked, **{name: 5.0 if name in mean.SHARED else 5.0 / 8})
        assert dropped.gbps < Row(**asked, host_link=5.0).gbps

    def test_great_buffers_may_let_the_start_overshoot_further(self) -> None:
        """64 flows over 200 ms with windows of 512 MiB instead of 32: four doublings more."""
        lost_s = {}
        for mib in (32, 512):
            asked = {"streams": 64, "rtt_ms": 200.0, "duration_s": 60.0, "external_egress": 7.0}
            asked |= {"window_bytes": mib * 2.0**20}
            assert Row(**asked).gbps == pytest.approx(6.77, abs=0.003)
            doubling = transfer.UNFAVOURABLE._replace(growth=2.0)
            lost_s[mib] = 60 * (1 - Row(doubling, **asked).gbps / 7.0)
        # Payload without headers: what they take of the cap is lost whatever the buffers.
        assert lost_s[512] - lost_s[32] == pytest.approx(4 * 0.2 * 1408 / 1460, abs=0.01)

    def test_a_full_queue_may_drop_too(self) -> None:
        full, roomy = (
            Row(behaviour, streams=64, rtt_ms=100.0, duration_s=5.0, vm_egress=7.0)
            for behaviour in (
                transfer.UNFAVOURABLE,
                transfer.UNFAVOURABLE._replace(is_shaper_full=False),
            )
        )
        assert full.gbps < roomy.gbps

    @pytest.mark.parametrize("duration_s", [0.5, 5.0, 60.0, np.inf])
    def test_the_behaviours_bound_the_mean(self, duration_s: float) -> None:
        least, likely, greatest = (
            Row(behaviour, streams=16, rtt_ms=80.0, duration_s=duration_s, vm_egress=7.0).gbps
            for behaviour in (transfer.UNFAVOURABLE, transfer.LIKELY, transfer.FAVOURABLE)
        )
        assert least <= likely <= greatest


class TestUnknown:
    @pytest.mark.parametrize(
        "unknown",
        [
            {"is_cap_known": False, "streams": 64},
            {"is_cap_known": False, "streams": np.inf},
            {"rtt_ms": np.nan, "duration_s": 5.0, "vm_egress": 7.0},
            {"rtt_ms": np.nan, "transfer_bytes": 1e9, "vm_egress": 7.0},
        ],
    )
    def test_it_has_neither_value_nor_limit(self, unknown: dict[str, Any]) -> None:
        found = Row(**unknown)
        assert np.isnan(found.gbps)
        assert (found.means.binding[0], found.means.following[0]) == (mean.NO_LIMIT, mean.NO_LIMIT)
        # The rest of a table is not touched.
        known = terms(vm_egress=7.0)
        both = zip(known, terms(**unknown), strict=True)
        table = mean.means(mean.PathTerms(*(np.concatenate(columns) for columns in both)))
        assert table.gbps[0] == mean.means(known).gbps[0]
        assert np.isnan(table.gbps[1])

    def test_one_slow_stream_needs_no_cap(self) -> None:
        # No machine type has a documented cap below 1 Gbit/s.
        found = Row(is_cap_known=False, rtt_ms=100.0)
        assert found.gbps == pytest.approx(0.2424)
        assert found.names == ("window-over-rtt", None)
