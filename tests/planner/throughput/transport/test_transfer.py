"""The course of a transfer against its curve, integrated here step by step."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from netplan_planner.throughput.transport import transfer
from netplan_planner.throughput.transport.transfer import (
    FAVOURABLE,
    LIKELY,
    UNFAVOURABLE,
    Behaviour,
    Course,
    first_flight_gbps,
    gbit_after,
    gbps_over,
    seconds_for,
)

SEGMENT = 1408.0
SLACK = 1 + 1e-9
BEHAVIOURS = st.sampled_from([LIKELY, FAVOURABLE, UNFAVOURABLE])
WITHOUT_TIMEOUT = st.sampled_from([LIKELY, FAVOURABLE, UNFAVOURABLE._replace(has_timeout=False)])


def course(gbps: float, streams: int, rtt_ms: float, policed: float = 1.0, **more: Any) -> Course:
    """Return the course of a transfer of full segments, all of whose flows are policed."""
    told = {"segment_bytes": SEGMENT, "policed_share": policed, **more}
    return transfer.course(steady_gbps=gbps, streams=streams, rtt_ms=rtt_ms, **told)


@st.composite
def runs(
    draw: st.DrawFn,
    shares: st.SearchStrategy[float] | None = None,
    behaviour: st.SearchStrategy[Behaviour] = BEHAVIOURS,
) -> Course:
    """Draw a transfer from a cold start."""
    return course(
        *(draw(st.floats(0.01, 200)), draw(st.integers(1, 256)), draw(st.floats(0.05, 400))),
        draw(st.floats(0, 1) if shares is None else shares),
        is_sender_count=draw(st.booleans()),
        behaviour=draw(behaviour),
    )


TIMES = st.floats(0, 1e4)


def integral(values: NDArray[np.float64], times: NDArray[np.float64]) -> float:
    return float((np.diff(times) * (values[1:] + values[:-1]) / 2).sum())


def integrated_gbit(run: Course, seconds: float) -> tuple[float, float]:
    """Return what has arrived, and of it what the recovery has cost, by the trapezoid rule.

    Nothing before the start; then whole windows, one each round trip, each grown by a factor from
    the last, while they do not fill the steady rate; nothing during a timeout; then that rate. From
    a round trip after the overshoot on, it lacks what the recovery still does: (1 - t/K)^3 by
    CUBIC's curve, 1 - t/F by the Reno-friendly line, whichever is back sooner at each moment.
    """
    start, rtt, steady = float(run.start_s), float(run.rtt_s), float(run.steady_gbps)
    arrived, begins, window = 0.0, start, float(run.first_gbps) * rtt
    while window < steady * rtt * (1 - 1e-9):
        arrived += window * min(max((seconds - begins) / rtt, 0.0), 1.0)
        begins, window = begins + rtt, window * run.growth
    after = max(seconds - begins - float(run.timeout_s), 0.0)
    heard = max(after - float(run.unheard_s), 0.0)
    back = min(heard, float(run.recovery_s))
    in_recovery = back * np.linspace(0, 1, 20_001) ** 2
    curve = np.clip(1 - in_recovery / run.recovery_s, 0, 1) ** 3
    line = np.clip(1 - in_recovery / run.friendly_s, 0, 1)
    lost = float(run.deficit_gbps) * integral(np.minimum(curve, line), in_recovery)
    return arrived + steady * after - lost, lost


class TestAgainstTheIntegral:
    @given(runs(), TIMES)
    def test_the_volume_is_the_integral_of_the_rate(self, run: Course, seconds: float) -> None:
        expected, lost = integrated_gbit(run, seconds)
        found = float(gbit_after(run, seconds))
        # Curve and line may cross on their way; the model then takes the one that loses less in
        # all, which is at most a ninth more than what the faster one at each moment loses.
        assert found <= expected * (1 + 1e-6) + 1e-9
        assert found >= expected * (1 - 1e-6) - 0.12 * lost - 1e-9
        # Where they do not cross it is exact.
        if run.recovery_s / 3 < run.friendly_s < run.recovery_s:
            run = run._replace(friendly_s=run.recovery_s)
        expected, _ = integrated_gbit(run, seconds)
        assert gbit_after(run, seconds) == pytest.approx(expected, rel=1e-6, abs=1e-9)

    def test_five_seconds_of_64_streams_over_100_ms(self) -> None:
        run = course(7.0, 64, 100.0)
        # 64 flights of 14,080 bytes are 7.2 Mbit; 0.7 Gbit fit into a round trip: of windows that
        # double, the seven from 1 to 64 flights do not fill it.
        flights_gbit = 64 * 14_080 * 8 / 1e9
        assert 64 * flights_gbit < 0.7 < 128 * flights_gbit
        assert run.round_count == 7
        no_loss = (127 * flights_gbit + 7 * (5 - 0.1 - 0.7)) / 5
        found = float(gbps_over(run, duration_s=5.0))
        # One round trip for nothing, seven for a part, then up to 15 % for the recovery.
        assert 0.9 * no_loss < found < no_loss
        assert found == pytest.approx(integrated_gbit(run, 5.0)[0] / 5, rel=1e-6)
        # A loss is heard of a round trip after the overshoot.
        filled = float(np.log2(0.7 / flights_gbit))
        assert run.ramp_s + run.unheard_s == pytest.approx((filled + 1) * 0.1)
        heard = 0.1 + (filled + 1) * 0.1
        before, after = (float(gbit_after(run, heard + more)) for more in (0.0, 0.1))
        assert 0.84 * 0.7 < after - before < 0.9 * 0.7


@pytest.mark.parametrize(("share", "timeout_s"), [(1.0, 0.3), (0.5, 0.15), (0.0, 0.0)])
def test_a_timeout_is_one_of_policed_flows_only(share: float, timeout_s: float) -> None:
    # A shaper at the sender queues, a policer on the way drops; Linux's least timeout on top of
    # the round trip (RFC 6298).
    run = course(7.0, 64, 100.0, share, behaviour=UNFAVOURABLE)
    assert float(run.timeout_s) == pytest.approx(timeout_s)


def test_windows_are_counted_whole() -> None:
    run = course(1.0, 1, 100.0, 0.0, segment_bytes=1250.0)
    # Ten segments are 0.1 Mbit, a round trip holds 100 Mbit: 1, 2, 4 … 512 flights do not fill
    # it, 1024 would.
    assert run.round_count == 10
    flight = 1e-4
    for rounds in range(1, 11):
        after = float(gbit_after(run, 0.1 + 0.1 * rounds))
        assert after == pytest.approx((2**rounds - 1) * flight)
    half = float(gbit_after(run, 0.1 + 0.35))
    assert half == pytest.approx((7 + 0.5 * 8) * flight)


def test_cubics_climb_takes_the_cube_root_of_what_was_given_up() -> None:
    run = course(1.0, 1, 100.0, segment_bytes=1250.0)
    # A window of 10,000 segments; 3,000 of them lost; 0.4 segments a cubic second.
    assert run.recovery_s == pytest.approx((3000 / 0.4) ** (1 / 3))
    # Growth of 3 x 0.3 / 1.7 segments a round trip makes 3,000 good in 5,667 of them.
    assert run.friendly_s == pytest.approx(3000 / (0.9 / 1.7) * 0.1)


@given(runs(shares=st.just(0.0)), TIMES)
def test_without_a_policer_there_is_nothing_to_recover(run: Course, at: float) -> None:
    gained = gbit_after(run, at + 1.0) - gbit_after(run, at)
    if at > run.start_s + run.ramp_s:
        assert run.timeout_s == 0
        assert gained == pytest.approx(float(run.steady_gbps), rel=1e-6)


def test_a_flight_that_fills_the_path_starts_at_the_steady_rate() -> None:
    run = course(1.0, 64, 0.1, 0.0)
    assert run.ramp_s == 0
    assert run.first_gbps == run.steady_gbps


class TestVolume:
    @given(runs(), TIMES, TIMES)
    def test_it_grows_from_nothing_and_never_exceeds_the_steady_rate(
        self, run: Course, one: float, other: float
    ) -> None:
        assert gbit_after(run, 0.0) == gbit_after(run, run.start_s) == 0
        early, late = sorted((one, other))
        before, after = gbit_after(run, early), gbit_after(run, late)
        assert before <= after * (1 + 1e-12)
        assert after <= run.steady_gbps * late * (1 + 1e-12)

    @given(runs(), st.floats(1e-9, 1e7), st.floats(1e-3, 1e4))
    def test_times_and_volumes_are_each_others_inverse(
        self, run: Course, gbit: float, since_start: float
    ) -> None:
        assert gbit_after(run, seconds_for(run, gbit)) == pytest.approx(gbit, rel=1e-7)
        stops = float(run.start_s + run.ramp_s)
        seconds = float(run.start_s) + since_start
        # While nothing moves, a volume has been there since the timeout began.
        if stops < seconds < stops + float(run.timeout_s) * (1 + 1e-6):
            seconds = stops
        assert seconds_for(run, gbit_after(run, seconds)) == pytest.approx(seconds, rel=1e-7)

    @given(
        runs(behaviour=WITHOUT_TIMEOUT),
        st.floats(1e-6, 1e5),
        st.floats(0.01, 1e4),
        st.floats(1, 100),
    )
    def test_more_and_longer_is_never_slower(
        self, run: Course, gbit: float, duration: float, times: float
    ) -> None:
        few, many = seconds_for(run, gbit), seconds_for(run, gbit * times)
        assert few <= many * (1 + 1e-12)
        assert gbit / few <= gbit * times / many * SLACK
        short = gbps_over(run, duration_s=duration)
        assert short <= gbps_over(run, duration_s=duration * times) * SLACK


class TestRate:
    @given(runs(), st.floats(0.01, 1e4), st.floats(0, 1e3))
    def test_what_is_omitted_is_not_counted(
        self, run: Course, duration: float, omit: float
    ) -> None:
        counted = gbps_over(run, duration_s=duration, omit_s=omit) * duration
        whole = gbit_after(run, omit + duration) - gbit_after(run, omit)
        assert counted == pytest.approx(float(whole), rel=1e-9, abs=1e-9)
        # For ever it is the steady one.
        assert gbps_over(run, duration_s=np.inf, omit_s=omit) == run.steady_gbps

    def test_a_sender_counts_from_its_first_byte(self) -> None:
        receiver, sender = (
            course(5.0, 8, 100.0, 0.5, is_sender_count=counts) for counts in (False, True)
        )
        # One round trip of messages less: what it has sent is there a round trip later.
        assert float(receiver.start_s) - float(sender.start_s) == pytest.approx(0.1)
        for seconds in (0.2, 1.0, 30.0):
            arrived = float(gbit_after(receiver, seconds + 0.1))
            assert gbit_after(sender, seconds) == pytest.approx(arrived)

    @pytest.mark.parametrize(
        ("late_rtts", "is_sender_count", "start_rtts"),
        [(0, False, 1), (1, False, 2), (-1, False, 0), (0, True, 0), (1, True, 1), (-1, True, 0)],
    )
    def test_a_late_tool_starts_that_many_round_trips_later(
        self, late_rtts: float, is_sender_count: bool, start_rtts: float
    ) -> None:
        told = {"is_sender_count": is_sender_count, "late_rtts": late_rtts}
        run = course(5.0, 8, 100.0, 0.5, **told)
        assert float(run.start_s) == pytest.approx(0.1 * start_rtts)
        assert gbit_after(run, 0.1 * start_rtts) == 0
        assert gbit_after(run, 0.1 * start_rtts + 0.01) > 0

    @given(st.floats(0.01, 200), st.integers(1, 256), st.floats(0.05, 400), st.floats(0.1, 1e4))
    def test_the_habits_are_in_order(
        self, steady: float, streams: int, rtt: float, duration: float
    ) -> None:
        def rate(behaviour: Behaviour) -> float:
            run = course(steady, streams, rtt, behaviour=behaviour)
            return float(gbps_over(run, duration_s=duration))

        assert rate(UNFAVOURABLE) <= rate(LIKELY) * SLACK <= rate(FAVOURABLE) * SLACK**2


class TestFirstFlight:
    """What a run carries that ends before its start has shown at the receiver."""

    @given(runs(), st.floats(1e-3, 1e4), st.floats(1, 100))
    def test_it_is_above_nothing_and_never_above_the_steady_rate(
        self, run: Course, duration: float, times: float
    ) -> None:
        least = first_flight_gbps(run, duration_s=duration)
        assert 0 < least <= run.steady_gbps
        assert first_flight_gbps(run, duration_s=duration * times) <= least

    @given(runs(), st.integers(1, 256), st.floats(0.05, 400), st.floats(1, 1e4))
    def test_it_does_not_count_once_the_doubling_has_caught_up_or_the_path_is_full(
        self, run: Course, streams: int, rtt: float, times: float
    ) -> None:
        doubling = course(1e6, streams, rtt)
        spans = [(doubling, transfer.EARLY_RTTS * times * float(doubling.rtt_s))]
        if run.ramp_s == 0 and not run.is_flight_whole:
            spans.append((run, 2 * times * float(run.rtt_s)))
        for one, seconds in spans:
            least = first_flight_gbps(one, duration_s=seconds)
            assert least <= gbps_over(one, duration_s=seconds) * SLACK

    def test_of_one_stream_by_hand(self) -> None:
        likely, least, most = (
            float(first_flight_gbps(course(0.12, 1, 200.0, 0.0, behaviour=one), duration_s=0.1))
            for one in (LIKELY, UNFAVOURABLE, FAVOURABLE)
        )
        # Ten segments of 1408 bytes; the run is half a round trip long.
        flight_gbit = 10 * 1408 * 8 / 1e9
        expected = (flight_gbit / 0.2, flight_gbit / 10 / 0.2, flight_gbit / 0.1)
        assert (likely, least, most) == pytest.approx(expected)


def test_a_table_gets_what_each_row_gets() -> None:
    rows = [(1.0, 1, 10.0, 0.0), (7.0, 64, 100.0, 1.0), (30.0, 16, 0.2, 0.5)]
    columns: Any = np.array(rows).T
    table = course(*columns)
    for at, row in enumerate(rows):
        assert gbit_after(table, 5.0)[at] == gbit_after(course(*row), 5.0)
        assert seconds_for(table, 5.0)[at] == seconds_for(course(*row), 5.0)
