"""Whose a figure is: of a limit, of its pair of places, of paths between regions, or of nobody."""

import math

import msgspec
import pytest

from netplan_planner.model import PathQuery
from netplan_planner.throughput import load_caps
from netplan_planner.verbs.probe.information import width_others_leave
from support.calibrations.made import (
    Probe,
    at_wall,
    corrected,
    corrected_gbps,
    fit,
    learnt,
    moved,
    on_pairs,
    placed,
    probe,
    shared_factor,
    window_bound,
    with_set_ups,
)
from support.paths.queries import DAY, gbps


def between_regions(**more: object) -> PathQuery:
    """Return many streams over a short way between regions, under a cap below one core's."""
    return window_bound("n2-standard-8", **{"streams": 64, "rtt_ms": 30.0, **more})


class TestWindowsOfNoGivenImage:
    def test_a_window_that_is_not_the_stock_one_may_be_of_the_probed_alone(self) -> None:
        image, nobody = (with_set_ups(window_bound(), image=name) for name in ("a", ""))
        told, untold = (learnt(on_pairs(one, [1.28] * 3)) for one in (image, nobody))
        assert shared_factor(told, "receive-window").others_sd == 0
        assert (corrected(placed(image, 9), told).low_gbps or 0) > gbps(image)
        assert (corrected(placed(nobody, 9), untold).low_gbps or 0) < gbps(nobody)
        # Of a receiver that was probed its own window is known.
        assert (corrected(placed(nobody, 0), untold).low_gbps or 0) > gbps(nobody)

    def test_the_stock_window_holds_for_the_others_too(self) -> None:
        found = learnt(on_pairs(window_bound(), [1.0] * 3))
        factor = shared_factor(found, "receive-window")
        assert (factor.unlike_count, factor.others_sd) == (0, 0)

    def test_two_windows_are_counted_and_the_interval_holds_both(self) -> None:
        ratios = [1.28] * 5 + [1.0] * 2
        found = learnt(on_pairs(window_bound(), ratios))
        factor = shared_factor(found, "receive-window")
        assert factor.unlike_count == 2
        answer = corrected(placed(window_bound(), 20), found)
        for ratio in (1.0, 1.28):
            assert (answer.low_gbps or 0) < ratio * gbps(window_bound()) < (answer.high_gbps or 0)


class TestPairs:
    def test_a_slow_stream_does_not_lower_what_many_carry_there(self) -> None:
        one = window_bound()
        found = learnt(on_pairs(one, [1.0, 1.0, 1.0, 0.6], runs=9))
        slow = placed(one, 3)
        assert moved(slow, found) == pytest.approx(0.6, rel=0.1)
        many = msgspec.structs.replace(slow, streams=512)
        assert moved(many, found) == pytest.approx(1, abs=0.02)

    def test_a_run_of_its_own_is_inside_the_interval_of_a_pair(self) -> None:
        """One run cannot tell a bad run from a slow pair: both stay possible."""
        stock = with_set_ups(window_bound(), image="a")
        for ratio in (0.12, 0.5):
            found = learnt(on_pairs(stock, [1.0, 1.0, 1.0, ratio], runs=1))
            answer = corrected(placed(stock, 3), found)
            assert (answer.low_gbps or 0) < ratio * gbps(stock) < (answer.high_gbps or 0)

    def test_many_runs_of_a_slow_pair_are_believed_of_that_pair_only(self) -> None:
        found = fit(on_pairs(at_wall(), [1.0, 1.0, 1.0]), probe(placed(at_wall(), 9), 0.7, runs=10))
        assert 0.68 < moved(placed(at_wall(), 9), found.calibration) < 0.83
        assert moved(placed(at_wall(), 5), found.calibration) > 0.97

    def test_what_no_limit_explains_told_of_none(self) -> None:
        found = fit(on_pairs(at_wall("n2-standard-8"), [1.0, 1.0, 1.0, 0.05]))
        odd = [one for one in found.lessons if not one.is_believed]
        assert [(one.told, one.at_least) for one in odd] == [((), ())]
        assert odd[0].gbps == pytest.approx(0.05 * gbps(at_wall("n2-standard-8")), rel=0.001)

    def test_the_lesson_says_what_is_then_predicted(self) -> None:
        probes = on_pairs(at_wall(), [0.8, 0.9, 0.6])
        found = fit(probes)
        said = {one.path: one.calibrated_gbps for one in found.lessons}
        for number in range(3):
            query = placed(at_wall(), number)
            (shown,) = [gb for path, gb in said.items() if f"here-{number}-a" in path]
            assert shown == pytest.approx(corrected_gbps(query, found.calibration), rel=1e-4)


class TestBetweenRegions:
    def test_what_holds_there_says_nothing_of_one_region(self) -> None:
        query = window_bound("n2-standard-32", streams=64, rtt_ms=20.0)
        found = learnt(on_pairs(query, [0.65] * 4))
        assert shared_factor(found, "vm-egress-between-regions").ratio < 0.8
        assert moved(query, found) == pytest.approx(0.65, rel=0.05)
        assert moved(at_wall(), found) == pytest.approx(1, abs=0.02)

    def test_a_cap_that_is_lower_in_one_region_is_lower_everywhere(self) -> None:
        found = learnt(on_pairs(at_wall("n2-standard-8"), [0.75] * 4))
        assert moved(between_regions(), found) == pytest.approx(0.75, rel=0.05)


class TestSetUps:
    """Windows are shared by receivers, starts by senders that are set up alike."""

    def test_two_images_have_two_windows(self) -> None:
        one, other = (with_set_ups(window_bound(), image=name) for name in ("a", "b"))
        found = learnt([*on_pairs(one, [0.4] * 4), *on_pairs(other, [1.3] * 4)])
        assert moved(one, found) == pytest.approx(0.4, rel=0.05)
        assert moved(other, found) == pytest.approx(1.3, rel=0.05)
        third = with_set_ups(window_bound(), image="c")
        for unknown in (third, window_bound()):
            assert corrected(unknown, found).gbps == pytest.approx(gbps(unknown), rel=1e-4)

    def test_whom_nobody_tells_has_the_image_of_all_probes(self) -> None:
        found = learnt(on_pairs(with_set_ups(window_bound(), image="a"), [0.4] * 4))
        assert moved(window_bound(), found) == pytest.approx(0.4, rel=0.05)
        assert moved(with_set_ups(window_bound(), image="b"), found) == pytest.approx(1, rel=1e-4)

    def test_probes_of_no_known_image_tell_of_all(self) -> None:
        found = learnt(on_pairs(window_bound(), [0.4] * 4))
        assert moved(with_set_ups(window_bound(), image="a"), found) == pytest.approx(0.4, rel=0.05)

    def test_what_probes_of_others_leave_is_what_a_plan_promises(self) -> None:
        one, other = (with_set_ups(window_bound(), image=name) for name in ("a", "b"))
        found = learnt([*on_pairs(one, [0.98] * 8), *on_pairs(other, [1.3] * 8)])
        promised = width_others_leave(one, load_caps(DAY))
        for query in (one, other):
            after = corrected(placed(query, 20), found)
            delivered = math.log((after.high_gbps or 0) / (after.low_gbps or 1))
            assert 0.8 * promised < delivered < 1.5 * promised

    def test_one_start_is_that_of_senders_set_up_alike(self) -> None:
        short = between_regions(duration_s=2.0, rtt_ms=150.0)
        own, other = (with_set_ups(short, control=name) for name in ("bbr", ""))
        found = learnt([*on_pairs(own, [0.6] * 5), *on_pairs(other, [1.0] * 5)])
        assert moved(own, found) < 0.75
        assert moved(other, found) > 0.9


class TestIntervals:
    @pytest.mark.parametrize("level", [0.5, 0.9])
    def test_the_interval_goes_with_the_value(self, level: float) -> None:
        found = learnt(on_pairs(at_wall("n2-standard-8"), [0.75, 0.76, 0.77, 0.76]))
        one = corrected(at_wall("n2-standard-8"), found, level=level)
        assert one.gbps is not None
        assert one.low_gbps is not None
        assert one.high_gbps is not None
        assert one.low_gbps < 0.995 * one.gbps < one.gbps < one.high_gbps

    def test_no_value_is_above_the_documented_cap(self) -> None:
        found = learnt(on_pairs(at_wall("n2-standard-8"), [1.02] * 6))
        assert corrected_gbps(at_wall("n2-standard-8"), found) == 16


def test_of_very_many_probes_no_set_up_is_left_out() -> None:
    """Set-ups recur with a period: what is kept of the probes must not have the same."""
    probes = [
        Probe(query=placed(query, number), gbps=ratio * gbps(query))
        for family in ("n2-standard-32", "n2d-standard-32")
        # One stream stays below what sixteen reach together: no world has it otherwise.
        for streams, ratio in ((1, 0.8), (16, 0.7))
        for query in [at_wall(family, streams=streams)]
        for number in range(300)
    ]
    found = learnt(probes)
    assert found.probe_count == 1200
    told = {one.key: one.value_count for one in found.latents if one.name == "vm-egress"}
    # What one stream shows is its core's; of the sixteen, most of the three hundred are kept.
    assert min(told.values()) > 200
    for family in ("n2-standard-32", "n2d-standard-32"):
        assert moved(placed(at_wall(family), 777), found) == pytest.approx(0.7, rel=0.06)


class TestToldParts:
    SIZE = 2**26

    def large(self, image: str = "") -> PathQuery:
        """Return a path between large buffers."""
        return with_set_ups(
            window_bound(), image=image, buffer_bytes=self.SIZE, sent_bytes=self.SIZE
        )

    def test_buffers_beside_an_image_are_stock_where_nobody_tells_them(self) -> None:
        found = learnt(on_pairs(self.large("a"), [0.8] * 3))
        stock = with_set_ups(window_bound(), image="a")
        told = (self.large("a"), self.large(), self.large("b"), stock, window_bound())
        ratios = [moved(placed(one, 9), found) for one in told]
        assert ratios == pytest.approx([0.8, 0.8, 1.0, 1.0, 1.0], abs=0.03)

    def test_probes_without_an_image_tell_of_any_with_such_buffers(self) -> None:
        found = learnt(on_pairs(self.large(), [0.8] * 3))
        assert moved(placed(self.large("a"), 9), found) == pytest.approx(0.8, abs=0.03)

    def test_a_told_send_buffer_binds_whatever_windows_were_measured(self) -> None:
        """What is under way shows the other end's buffer only where nobody told that."""
        found = learnt(on_pairs(window_bound(), [1.2] * 3))
        by_set_up = with_set_ups(window_bound(), sent_bytes=2**20)
        by_option = msgspec.structs.replace(window_bound(), send_buffer_bytes=2**20)
        for query in (by_set_up, by_option):
            assert corrected_gbps(placed(query, 9), found) == pytest.approx(gbps(query), rel=0.03)

    def test_a_stock_sender_does_not_fill_large_receive_buffers(self) -> None:
        found = learnt(on_pairs(window_bound(), [1.0] * 3))
        large = with_set_ups(window_bound(), buffer_bytes=self.SIZE)
        assert gbps(large) < 1.3 * gbps(window_bound())
        assert corrected_gbps(placed(large, 9), found) == pytest.approx(gbps(large), rel=0.05)

    def test_what_a_send_buffer_holds_is_learnt_where_the_other_end_has_more(self) -> None:
        large = with_set_ups(window_bound(), buffer_bytes=self.SIZE)
        found = learnt(on_pairs(large, [1.2] * 3))
        assert moved(placed(large, 9), found) == pytest.approx(1.2, abs=0.03)
        assert moved(placed(window_bound(), 9), found) == pytest.approx(1.0, abs=0.03)

    def test_one_send_buffer_has_one_answer_however_it_is_told(self) -> None:
        found = learnt(on_pairs(window_bound(), [1.2] * 3))
        size = 2**26
        by_set_up = with_set_ups(window_bound(), sent_bytes=size)
        by_option = msgspec.structs.replace(window_bound(), send_buffer_bytes=size)
        told = [corrected_gbps(placed(one, 9), found) for one in (by_set_up, by_option)]
        assert told[0] == pytest.approx(told[1])
        # And a greater buffer holds at least what stock ones did.
        assert told[0] >= corrected_gbps(placed(window_bound(), 9), found) * (1 - 1e-9)

    def test_greater_receive_buffers_hold_at_least_what_stock_ones_did(self) -> None:
        found = learnt(on_pairs(with_set_ups(window_bound(), image="a"), [1.2] * 3))
        stock, *greater = (
            corrected_gbps(placed(one, 9), found)
            for one in (
                with_set_ups(window_bound(), image="a"),
                with_set_ups(window_bound(), image="a", buffer_bytes=2**23),
                with_set_ups(window_bound(), image="a", buffer_bytes=2**26),
            )
        )
        assert min(greater) >= stock * (1 - 1e-9)
