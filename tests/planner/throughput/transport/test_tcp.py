"""The formulas of TCP, each against its definition, on numbers and on arrays alike."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.throughput.transport import transfer

RATES = st.floats(1e-6, 1e6)
FRAMES = st.integers(576, 65535)


class TestHeaders:
    @pytest.mark.parametrize(("mtu", "payload"), [(1460, 1408), (1500, 1448), (8896, 8844)])
    def test_a_segment_is_the_packet_less_ip_tcp_and_timestamps(
        self, mtu: int, payload: int
    ) -> None:
        assert transfer.segment_bytes(mtu) == payload
        assert transfer.payload_ratio(mtu) == payload / mtu

    def test_greater_packets_pass_no_more_than_a_cap_and_smaller_ones_pay_for_headers(self) -> None:
        assert {float(transfer.cap_ratio(mtu)) for mtu in (1460, 1500, 8896, 65535)} == {1.0}
        assert transfer.cap_ratio(1300) == pytest.approx((1248 / 1300) / (1408 / 1460))

    @given(FRAMES, FRAMES)
    def test_no_greater_packet_gets_less(self, one: int, other: int) -> None:
        small, great = sorted((one, other))
        assert transfer.cap_ratio(small) <= transfer.cap_ratio(great) <= 1
        assert transfer.payload_ratio(small) <= transfer.payload_ratio(great) < 1


def test_a_window_is_one_per_round_trip() -> None:
    # 3.03 MB over 33 ms: one stream of an n1-standard-2 gave 0.72 Gbit/s there.
    assert transfer.window_gbps(window_bytes=3_030_000, rtt_ms=33.0) == pytest.approx(0.7345, 1e-3)
    assert np.isinf(transfer.window_gbps(window_bytes=np.inf, rtt_ms=10.0))
    assert transfer.gbit_from_bytes(1e9) == 8


class TestSoftMinimum:
    @pytest.mark.parametrize(
        ("streams", "gbps"),
        # iperf3 on n1-standard-2 over 33 ms, 2020 to 2022; the cap is 10, one stream gives 0.728.
        [(1, 0.728), (4, 2.85), (32, 9.75)],
    )
    def test_it_follows_the_published_tutorial(self, streams: int, gbps: float) -> None:
        found = transfer.saturated_gbps(offered_gbps=0.728 * streams, cap_gbps=10.0)
        assert found == pytest.approx(gbps, rel=0.025)

    @given(RATES, RATES)
    def test_it_is_the_third_power_mean(self, offered: float, cap: float) -> None:
        expected = (offered**-3 + cap**-3) ** (-1 / 3)
        found = transfer.saturated_gbps(offered_gbps=offered, cap_gbps=cap)
        assert found == pytest.approx(expected)
        # Below both, and no less than the cube root of two below.
        least = min(offered, cap)
        assert least / math.cbrt(2) * (1 - 1e-12) <= found <= least

    @given(RATES, RATES, st.floats(1, 100))
    def test_more_of_either_never_lowers_it(self, offered: float, cap: float, by: float) -> None:
        found = transfer.saturated_gbps(offered_gbps=offered, cap_gbps=cap) * (1 - 1e-12)
        assert transfer.saturated_gbps(offered_gbps=offered * by, cap_gbps=cap) >= found
        assert transfer.saturated_gbps(offered_gbps=offered, cap_gbps=cap * by) >= found

    def test_what_is_endless_leaves_the_other(self) -> None:
        assert transfer.saturated_gbps(offered_gbps=np.inf, cap_gbps=7.0) == 7
        assert transfer.saturated_gbps(offered_gbps=3.0, cap_gbps=np.inf) == 3
        assert transfer.cap_share(offered_gbps=np.inf, cap_gbps=7.0) == 1
        # What is unknown stays unknown.
        assert np.isnan(transfer.saturated_gbps(offered_gbps=np.nan, cap_gbps=7.0))
        assert np.isnan(transfer.saturated_gbps(offered_gbps=3.0, cap_gbps=np.nan))

    @given(RATES, RATES)
    def test_the_share_of_the_cap_is_how_much_of_a_change_of_it_comes_through(
        self, offered: float, cap: float
    ) -> None:
        step = 1e-6
        before = transfer.saturated_gbps(offered_gbps=offered, cap_gbps=cap)
        after = transfer.saturated_gbps(offered_gbps=offered, cap_gbps=cap * (1 + step))
        elasticity = (after / before - 1) / step
        share = transfer.cap_share(offered_gbps=offered, cap_gbps=cap)
        assert share == pytest.approx(elasticity, abs=1e-5)


def test_a_table_gets_what_each_row_gets() -> None:
    offered, cap = np.array([0.5, 7.0, np.inf, np.nan]), np.array([7.0, 7.0, 7.0, 7.0])
    table = transfer.saturated_gbps(offered_gbps=offered, cap_gbps=cap)
    rows = [
        transfer.saturated_gbps(offered_gbps=o, cap_gbps=c)
        for o, c in zip(offered, cap, strict=True)
    ]
    np.testing.assert_array_equal(table, rows)
