"""A probe tells the limit that bound it; of all others it says no more than "at least this"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import PathQuery
from support.calibrations.made import (
    at_wall,
    aws_wall,
    corrected_gbps,
    figures,
    fit,
    learnt,
    log_width,
    moved,
    on_pairs,
    placed,
    probe,
    shared_factor,
    to_aws,
    under,
    window_bound,
)
from support.calibrations.made import corrected as calibrated
from support.paths.queries import estimate, gbps

NAMED = (at_wall(), window_bound(), to_aws(), aws_wall(), at_wall(streams=1))
SAME = pytest.approx(1, abs=1e-3)


class TestWindow:
    def test_a_low_single_stream_lowers_our_windows_and_no_cap(self) -> None:
        found = learnt(on_pairs(window_bound(), [0.9] * 3))
        of_window = (
            shared_factor(found, "receive-window").ratio
            * shared_factor(found, "receive-window-of-type").ratio
        )
        assert 0.85 < of_window < 0.95
        assert moved(window_bound(), found) == pytest.approx(0.9, abs=0.03)
        assert shared_factor(found, "vm-egress").ratio == SAME
        assert moved(at_wall(), found) == SAME

    @pytest.mark.parametrize("ratio", [0.5, 0.7, 1.4])
    def test_a_foreign_window_moves_and_the_cap_for_the_outside_stays(self, ratio: float) -> None:
        found = learnt(on_pairs(to_aws(), [ratio] * 3))
        assert moved(to_aws(), found) == pytest.approx(ratio, rel=0.05)
        assert shared_factor(found, "vm-egress").ratio == SAME
        assert shared_factor(found, "external-egress").ratio == SAME
        assert moved(aws_wall(), found) == pytest.approx(1, abs=0.01)
        # What it told is the window alone.
        (lesson,) = fit(on_pairs(to_aws(), [ratio])).lessons
        assert set(lesson.told) == {"receive-window", "receive-window-of-type"}
        assert lesson.gbps == pytest.approx(ratio * lesson.plain_gbps, rel=1e-5)
        assert (lesson.calibrated_gbps < lesson.plain_gbps) == (ratio < 1)
        assert (lesson.streams, lesson.run_count) == (1, 3)

    def test_a_greater_one_shows_a_greater_send_buffer_unless_that_is_told(self) -> None:
        found = learnt(on_pairs(window_bound(), [3.0] * 6))
        assert moved(window_bound(), found) == pytest.approx(3, rel=0.1)
        now = calibrated(window_bound(), found)
        shown = next(one for one in now.limits if one.name == "send-buffer-over-rtt")
        assert shown.gbps >= (now.gbps or 0) > 0.6
        told = calibrated(window_bound(send_buffer_bytes=2**22), found)
        assert (told.gbps or 1) < 8 * 2**22 / 1e8
        assert told.binding is not None
        assert told.binding.name == "send-buffer-over-rtt"

    def test_a_longer_path_follows_the_window_that_a_shorter_one_told(self) -> None:
        found = learnt(on_pairs(to_aws(rtt_ms=60.0), [0.6] * 3))
        assert moved(to_aws(rtt_ms=180.0), found) == pytest.approx(0.6, rel=0.1)


class TestWall:
    @pytest.mark.parametrize("ratio", [0.6, 0.8, 0.95])
    def test_it_tells_the_machines_cap_and_leaves_windows(self, ratio: float) -> None:
        found = fit(on_pairs(at_wall(), [ratio] * 3))
        assert moved(at_wall(), found.calibration) == pytest.approx(ratio, abs=0.02)
        assert shared_factor(found.calibration, "receive-window").ratio == SAME
        assert moved(window_bound(), found.calibration) == SAME
        # Another size of the family follows, and another family does not.
        assert moved(at_wall("n2-standard-8"), found.calibration) == pytest.approx(ratio, abs=0.05)
        assert moved(at_wall("e2-standard-8"), found.calibration) == pytest.approx(1, abs=0.01)
        for lesson in found.lessons:
            assert "vm-egress" in lesson.told
            assert not {"receive-window", "receive-window-of-type"} & set(lesson.told)

    def test_it_says_at_least_of_windows_and_of_a_cap_behind(self) -> None:
        found = fit(on_pairs(aws_wall(), [1.0] * 3))
        window, cap = (
            shared_factor(found.calibration, name) for name in ("receive-window", "vm-egress")
        )
        assert (window.value_count, window.bound_count) == (0, 3)
        assert (cap.value_count, cap.bound_count) == (0, 3)
        assert [window.ratio, cap.ratio] == pytest.approx([1, 1], abs=1e-3)
        for lesson in found.lessons:
            assert "external-egress" in lesson.told
            assert {"receive-window", "vm-egress"} <= set(lesson.at_least)

    def test_streams_that_reach_the_wall_refute_the_smallest_windows(self) -> None:
        # 16 windows over 40 ms fill the wall at the likely size, and do not at half of it.
        query = aws_wall(streams=32, rtt_ms=40.0)
        found = shared_factor(learnt(on_pairs(query, [1.0] * 5)), "receive-window")
        assert found.prior_low_ratio == pytest.approx(0.5)
        assert found.low_ratio > found.prior_low_ratio + 0.1

    def test_a_figure_above_the_cap_raises_it_up_to_the_wall(self) -> None:
        found = learnt(on_pairs(at_wall(), [1.015] * 3))
        assert shared_factor(found, "vm-egress").ratio > 1
        assert gbps(at_wall()) < corrected_gbps(at_wall(), found) <= 1.02 * 32

    def test_a_cap_whose_range_reaches_higher_follows_the_figure(self) -> None:
        query = at_wall(streams=1, rtt_ms=0.05)
        found = learnt(on_pairs(query, [1.3] * 3))
        assert shared_factor(found, "single-flow-core").ratio == pytest.approx(1.3, rel=0.05)
        assert moved(query, found) == pytest.approx(1.3, rel=0.05)


class TestRateCapped:
    @given(st.sampled_from(NAMED), st.floats(0.01, 1.0))
    def test_it_never_lowers_anything(self, query: PathQuery, ratio: float) -> None:
        found = learnt(probe(placed(query, 0), ratio, runs=3, is_at_least=True))
        for other in NAMED:
            assert moved(other, found) >= 1 - 1e-12

    def test_it_tells_nothing_but_at_least(self) -> None:
        found = fit(probe(placed(at_wall(), 0), 0.6, runs=3, is_at_least=True))
        (lesson,) = found.lessons
        assert lesson.told == ()
        assert "vm-egress" in lesson.at_least
        assert shared_factor(found.calibration, "vm-egress").low_ratio > 0.5
        assert found.calibration.pairs == ()
        # It raises what the model puts below it.
        found = fit(probe(placed(to_aws(), 0), 1.5, runs=3, is_at_least=True))
        assert moved(to_aws(), found.calibration) > 1.3

    @given(st.floats(0.01, 0.7))
    def test_it_takes_nothing_from_what_others_told(self, ratio: float) -> None:
        told = on_pairs(at_wall(), [0.8] * 3)
        alone = learnt(told)
        beside = learnt(told, probe(placed(at_wall(), 7), ratio, is_at_least=True))
        assert corrected_gbps(at_wall(), beside) == pytest.approx(
            corrected_gbps(at_wall(), alone), rel=1e-3
        )

    def test_what_a_cap_held_far_below_makes_no_interval_narrower(self) -> None:
        told = on_pairs(at_wall(), [0.8] * 3)
        held = [
            one
            for streams in range(2, 16)
            for one in probe(placed(at_wall(streams=streams), 7), 0.01, is_at_least=True)
        ]
        alone, beside = (
            calibrated(at_wall(), found) for found in (learnt(told), learnt(told, held))
        )
        assert log_width(beside) >= log_width(alone) * (1 - 1e-3)


class TestBusyCore:
    RUNS = probe(placed(at_wall(streams=1), 0), 0.6, runs=3, is_core_only=True)

    def test_it_teaches_the_core_only(self) -> None:
        found = fit(self.RUNS)
        assert shared_factor(found.calibration, "single-flow-core").ratio == pytest.approx(
            0.6, abs=0.1
        )
        assert [one.told for one in found.lessons] == [("single-flow-core",)]
        assert [one.at_least for one in found.lessons] == [()]
        others = [one for one in found.calibration.latents if one.name != "single-flow-core"]
        assert {(one.ratio, one.value_count, one.bound_count) for one in others} <= {(1.0, 0, 0)}
        # The pair and the class keep nothing of it; a single flow follows it.
        assert (found.calibration.pairs, found.calibration.classes) == ((), ())
        assert moved(at_wall(streams=1), found.calibration) == pytest.approx(0.6, abs=0.1)

    @pytest.mark.parametrize("query", [at_wall(), to_aws(), aws_wall()])
    def test_paths_that_no_core_holds_stay_to_the_digit(self, query: PathQuery) -> None:
        found = calibrated(query, learnt(self.RUNS))
        assert figures(found) == figures(estimate(query))


def test_what_an_answer_says_of_probes() -> None:
    found = learnt(on_pairs(at_wall(), [0.8] * 3))
    answer = calibrated(at_wall(), found)
    # The limits of a path carry the factor and who told it.
    (cap,) = [one for one in answer.limits if one.name == "vm-egress"]
    ratio = shared_factor(found, "vm-egress").ratio * shared_factor(found, "path-class").ratio
    assert cap.gbps == pytest.approx(32 * ratio)
    assert f"32 × {ratio:.3g} by 3 probes" in cap.detail
    assert "calibrated by 9 measurements" in " ".join(answer.assumed)
    # The table of limits answers as before.
    plain = under(found).cap("n2-standard-32")
    assert plain is not None
    assert plain.egress_gbps == 32
