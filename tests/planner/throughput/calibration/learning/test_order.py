"""What measurements teach depends on what they say, not on the order or parts they come in."""

import math
from collections.abc import Sequence
from datetime import timedelta
from random import Random

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netplan_planner.throughput.calibration.learning.calibration import calibrate
from netplan_planner.verbs.calibrate.rows import joined
from netplan_planner.world.calibration import calibration_text
from support.calibrations.made import (
    Probe,
    at_wall,
    aws_wall,
    fit,
    learnt,
    measured,
    on_pairs,
    placed,
    probe,
    shared_factor,
    to_aws,
    window_bound,
)
from support.examples import examples
from support.paths.queries import DAY, gbps

QUERIES = (
    *(placed(at_wall("n2-standard-32"), number) for number in range(2)),
    at_wall("e2-standard-8"),
    placed(window_bound(duration_s=5.0), 0),
    *(placed(to_aws(streams=streams), 1) for streams in (1, 8)),
    to_aws("n2-standard-8"),
    placed(aws_wall(), 2),
)


@st.composite
def runs(draw: st.DrawFn) -> Probe:
    """Draw one run of a few paths, so that runs of one set-up come together."""
    query = draw(st.sampled_from(QUERIES))
    return Probe(
        query=query,
        gbps=gbps(query) * draw(st.sampled_from((0.0, 0.3, 0.8, 0.9, 1.0, 1.0001, 1.2))),
        day=DAY - timedelta(days=draw(st.sampled_from((0, 0, 1, 40, 400)))),
        is_core_only=draw(st.integers(0, 9)) == 0,
        is_at_least=draw(st.integers(0, 9)) == 0,
    )


def text(probes: Sequence[Probe]) -> str:
    return calibration_text(learnt(probes))


class TestOrder:
    @settings(max_examples=examples(0.5))
    @given(st.lists(runs(), min_size=1, max_size=15), st.randoms(use_true_random=False))
    def test_shuffled_measurements_give_the_same_bytes(
        self, probes: list[Probe], chance: Random
    ) -> None:
        shuffled = list(probes)
        chance.shuffle(shuffled)
        assert text(shuffled) == text(probes)

    @settings(max_examples=examples(0.5))
    @given(st.lists(runs(), min_size=1, max_size=12), st.lists(runs(), min_size=1, max_size=12))
    def test_parts_give_the_same_bytes_as_the_whole(
        self, some: list[Probe], others: list[Probe]
    ) -> None:
        parts = [measured(some), measured(others)]
        found = {
            calibration_text(calibrate(one, as_of=DAY))
            for one in (joined(parts), joined(parts[::-1]), measured([*some, *others]))
        }
        assert len(found) == 1

    def test_what_each_probe_taught_comes_in_one_order_too(self) -> None:
        probes = [one for query in QUERIES for one in probe(query, 0.9)]
        assert fit(probes).lessons == fit(probes[::-1]).lessons

    def test_other_figures_have_another_fingerprint(self) -> None:
        one, other = (learnt(probe(QUERIES[0], ratio)) for ratio in (0.9, 0.9000001))
        assert one.fingerprint != other.fingerprint
        assert one.fingerprint == learnt(probe(QUERIES[0], 0.9)).fingerprint

    def test_where_the_places_are_is_no_matter_but_which_they_are(self) -> None:
        here, there = (learnt(probe(placed(at_wall(), number), 0.8)) for number in (1, 2))
        assert (here.latents, here.covariance) == (there.latents, there.covariance)
        assert here.pairs != there.pairs


class TestRepeatedRuns:
    def test_they_are_one_probe_with_many_runs(self) -> None:
        one, five = (learnt(on_pairs(at_wall(), [0.8], runs=count)) for count in (1, 5))
        assert (one.measurement_count, one.probe_count) == (1, 1)
        assert (five.measurement_count, five.probe_count) == (5, 1)
        assert [pair.run_count for pair in (*one.pairs, *five.pairs)] == [1, 5]
        assert fit(on_pairs(at_wall(), [0.8], runs=5)).lessons[0].run_count == 5
        # Those of another day are too; another set-up or pair is another probe.
        here, there = placed(at_wall(), 0), placed(at_wall(), 1)
        days = learnt(probe(here, 0.8), probe(here, 0.8, days_ago=3))
        assert (days.measurement_count, days.probe_count) == (2, 1)
        set_ups = [probe(placed(at_wall(streams=streams), 0), 0.8) for streams in (8, 16)]
        several = learnt(*set_ups, probe(there, 0.8, runs=2))
        assert (several.measurement_count, several.probe_count) == (4, 3)

    def test_the_median_run_is_what_it_says(self) -> None:
        ratios = (0.3, 0.8, 0.82)
        (lesson,) = fit(*(probe(placed(at_wall(), 0), ratio) for ratio in ratios)).lessons
        assert lesson.gbps == pytest.approx(0.8 * gbps(at_wall()), rel=1e-5)

    def test_more_of_them_make_it_no_less_sure(self) -> None:
        ranges = []
        for count in (1, 3, 10):
            found = shared_factor(learnt(on_pairs(at_wall(), [0.8], runs=count)), "vm-egress")
            ranges.append(np.log(found.high_ratio / found.low_ratio))
        assert ranges[0] > ranges[1] > ranges[2]

    def test_a_hundred_runs_of_one_pair_weigh_less_than_ten_pairs(self) -> None:
        one, many = (
            shared_factor(
                learnt(on_pairs(at_wall(), [0.8] * pairs, runs=100 // pairs)), "vm-egress"
            )
            for pairs in (1, 10)
        )
        assert many.high_ratio / many.low_ratio < one.high_ratio / one.low_ratio


class TestNothingToLearn:
    def test_no_measurement_is_an_empty_calibration(self) -> None:
        found = learnt([])
        assert (found.measurement_count, found.probe_count) == (0, 0)
        assert (found.latents, found.pairs, found.classes) == ((), (), ())

    def test_a_figure_that_is_none_and_a_path_of_unknown_limits_are_left_out(self) -> None:
        good = probe(placed(at_wall(), 0), 0.8)
        one = probe(placed(at_wall(), 1), 1.0)[0]
        bad = [msgspec.structs.replace(one, gbps=value) for value in (0.0, -1.0, float("nan"))]
        src = msgspec.structs.replace(at_wall().src, machine_type="zz9-plural-4")
        bad.append(Probe(query=msgspec.structs.replace(at_wall(), src=src), gbps=3.0))
        for run in bad:
            assert text([*good, run]) == text(good)

    @pytest.mark.parametrize("value", [1e-6, 0.5, 5.0])
    def test_of_a_run_that_ends_in_the_first_flights_nothing_is_learnt(self, value: float) -> None:
        short = to_aws(rtt_ms=334.0, duration_s=0.2)
        assert gbps(short) < 0.001
        good = on_pairs(to_aws(), [0.7] * 3)
        alone, beside = learnt(good), learnt(good, [Probe(query=placed(short, 9), gbps=value)])
        assert shared_factor(beside, "receive-window").ratio == pytest.approx(
            shared_factor(alone, "receive-window").ratio, rel=0.02
        )
        assert all(math.isfinite(one) for row in beside.covariance for one in row)
