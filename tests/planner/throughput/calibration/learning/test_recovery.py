"""In worlds whose factors are known, probes find them, as often as the ranges say.

Bounds of counts are those of a binomial distribution, four standard deviations wide.
"""

import math
from functools import cache
from typing import NamedTuple

import msgspec
import numpy as np
import pytest

from netplan_planner.model import Calibration, PathQuery
from netplan_planner.throughput.limits.shared_by import OWN
from support.calibrations.made import (
    at_wall,
    aws_wall,
    corrected,
    corrected_gbps,
    figures,
    learnt,
    placed,
    to_aws,
    window_bound,
)
from support.calibrations.worlds import PROBED, UNPROBED, World, drawn_world
from support.listed import listed
from support.nightly import NIGHTLY, every
from support.paths.queries import gbps

WORLDS = range(20)
STATED = 0.9
POINT = 0.01


class Seen(NamedTuple):
    """A world and what probes of it taught."""

    world: World
    calibration: Calibration


@cache
def drawn(seed: int) -> Seen:
    """Return a drawn world with two pairs of places probed for each set-up."""
    world = drawn_world(seed)
    groups = [
        list(world.probes(query, range(10 * number, 10 * number + 2)))
        for number, query in enumerate(PROBED)
    ]
    return Seen(world, learnt(*groups))


def errors(world: World, calibration: Calibration, *queries: PathQuery) -> tuple[float, float]:
    """Return the median error without and with probes, on paths that were not probed."""
    truth = np.array([world.gbps(query) for query in queries])
    plain = np.array([gbps(query) for query in queries])
    found = np.array([corrected_gbps(query, calibration) for query in queries])
    return float(np.median(abs(plain / truth - 1))), float(np.median(abs(found / truth - 1)))


class TestDrawnWorlds:
    @NIGHTLY
    def test_true_factors_are_in_their_ranges_about_as_often_as_stated(self) -> None:
        inside = [
            one.low_ratio <= world.factors[one.name, one.key] <= one.high_ratio
            for world, calibration in map(drawn, WORLDS)
            for one in calibration.latents
            if one.value_count >= 2
        ]
        # Factors of one world share its scatter: one in three counts.
        sd = math.sqrt(STATED * (1 - STATED) / (len(inside) / 3))
        assert len(inside) > 200
        assert abs(np.mean(inside) - STATED) < 4 * sd

    @pytest.mark.parametrize("worlds", every(2, [range(6), WORLDS]), ids=len)
    def test_factors_that_were_told_come_close(self, worlds: range) -> None:
        for name, key in (("vm-egress", "n2"), ("receive-window", "aws")):
            distance = [
                abs(math.log(one.ratio / world.factors[name, key]))
                for world, calibration in map(drawn, worlds)
                for one in calibration.latents
                if (one.name, one.key) == (name, key)
            ]
            spread = [abs(math.log(drawn(seed).world.factors[name, key])) for seed in worlds]
            assert len(distance) == len(worlds)
            assert np.mean(distance) < np.mean(spread) / 2

    @NIGHTLY
    def test_unprobed_paths_lie_in_their_intervals(self) -> None:
        inside = []
        for world, calibration in map(drawn, WORLDS):
            for query in UNPROBED:
                _, low, high = figures(corrected(query, calibration))
                inside.append(low <= world.gbps(query) <= high)
        sd = math.sqrt(STATED * (1 - STATED) / len(WORLDS))
        assert np.mean(inside) > STATED - 4 * sd / math.sqrt(2)

    @NIGHTLY
    def test_where_the_truth_is_far_off_the_error_falls_by_more_than_half(self) -> None:
        found = np.array([errors(*drawn(seed), *UNPROBED) for seed in WORLDS])
        far = found[found[:, 0] > 0.1]
        assert len(far) >= 7
        assert (far[:, 1] < far[:, 0] / 2).all()

    def test_the_same_seed_is_the_same_world(self) -> None:
        assert drawn_world(3).factors == drawn_world(3).factors != drawn_world(4).factors


TRUTHS: list[tuple[dict[tuple[str, str], float], PathQuery, PathQuery]] = [
    ({("vm-egress", "n2"): 0.5}, at_wall(), at_wall("n2-standard-8")),
    ({("vm-egress", "n2"): 0.8}, at_wall(), at_wall("n2-standard-8")),
    ({("receive-window", "aws"): 0.4}, to_aws(), to_aws(rtt_ms=60.0)),
    ({("receive-window", "aws"): 1.8}, to_aws(), to_aws(rtt_ms=160.0)),
    ({("receive-window", OWN): 1.3}, window_bound(), window_bound(rtt_ms=60.0)),
    ({("receive-window", OWN): 0.8}, window_bound(), window_bound(rtt_ms=60.0)),
    ({("receive-window", OWN): 0.5}, window_bound(), window_bound(rtt_ms=60.0)),
    ({("receive-window", OWN): 0.25}, window_bound(), window_bound(rtt_ms=60.0)),
    ({("external-egress", "all"): 0.8}, aws_wall(), aws_wall("n2-standard-16")),
    ({("external-egress", "all"): 0.5}, aws_wall(), aws_wall("n2-standard-16")),
    ({("vm-egress", "e2"): 0.5}, at_wall("e2-standard-8"), at_wall("e2-standard-16")),
    ({("single-flow-core", "n2"): 0.5}, at_wall(streams=1), at_wall("n2-standard-8", streams=1)),
    ({("single-flow-core", "n2"): 1.6}, at_wall(streams=1), at_wall("n2-standard-48", streams=1)),
]


@listed(
    ("factors", "probed", "asked"),
    TRUTHS,
    ids=[f"{name} of {key}, {ratio}" for one, *_ in TRUTHS for (name, key), ratio in one.items()],
)
def test_three_probes_bring_an_error_above_a_tenth_under_half(
    factors: dict[tuple[str, str], float], probed: PathQuery, asked: PathQuery
) -> None:
    world = World(0, factors)
    before, after = errors(world, learnt(list(world.probes(probed, range(3)))), asked)
    assert before > 0.1
    assert after < before / 2


@pytest.mark.parametrize("seed", every(4, range(8)))
def test_where_the_model_is_right_probes_make_it_no_worse_than_by_a_point(seed: int) -> None:
    world = World(seed, {})
    chosen = np.random.default_rng(seed).choice(len(PROBED), 3, replace=False)
    probes = [one for at in chosen.tolist() for one in world.probes(PROBED[at], range(at, at + 1))]
    calibration = learnt(probes)
    later = [
        one for query in (*PROBED, *UNPROBED) for one in world.probes(query, range(50, 54), runs=1)
    ]
    before, after = (
        np.median([abs(value / one.gbps - 1) for one, value in zip(later, values, strict=True)])
        for values in (
            [gbps(one.query) for one in later],
            [corrected_gbps(one.query, calibration) for one in later],
        )
    )
    assert after <= before + POINT


def test_a_degraded_run_among_sound_ones_does_not_pull_the_rest() -> None:
    world = World(0, {("vm-egress", "n2"): 0.8})
    sound = list(world.probes(at_wall(), range(5)))
    low = [
        msgspec.structs.replace(one, gbps=one.gbps * 0.2)
        for one in world.probes(at_wall(), range(9, 10))
    ]
    with_it, without = (learnt(sound, extra) for extra in (low, []))
    other = placed(at_wall(), 20)
    assert corrected_gbps(other, with_it) == pytest.approx(corrected_gbps(other, without), rel=0.02)
