"""Worlds whose true factors are known: what paths carry there, and probes of them with scatter.

The factors of a world are written as a calibration without doubt, so that the model's own answer
under it is the truth. Everything is drawn from a seed.
"""

import math
from collections.abc import Iterator, Mapping

import msgspec
import numpy as np

from netplan_planner.model import Calibration, Learnt, PathQuery
from netplan_planner.throughput.calibration.factors.shared_factors import FIRM_SHARE, LEAST_SD, P95
from netplan_planner.throughput.limits.shared_by import OWN
from support.calibrations.made import (
    EMPTY,
    Probe,
    at_wall,
    aws_wall,
    corrected_gbps,
    learnt,
    on_pairs,
    placed,
    to_aws,
    window_bound,
)

PROBED = (
    at_wall(),
    at_wall("n2-standard-8", streams=8),
    at_wall("e2-standard-8"),
    at_wall(streams=1),
    aws_wall(),
    to_aws(),
    to_aws(rtt_ms=40.0),
    to_aws(streams=16, rtt_ms=150.0, duration_s=5.0),
    window_bound(),
)
"""Between them they meet every kind of limit that paths without pods have."""
UNPROBED = (
    at_wall("n2-standard-16"),
    at_wall("e2-standard-16"),
    aws_wall("n2-standard-16", rtt_ms=30.0),
    to_aws("n2-standard-8", rtt_ms=70.0),
    to_aws(streams=4, rtt_ms=120.0),
    window_bound(rtt_ms=60.0),
)
SCATTER = 0.02
"""Of one run, and of one pair of places, on a logarithmic scale."""


class World:
    """True factors by name and key; what is not named is as the model says."""

    def __init__(self, seed: int, factors: Mapping[tuple[str, str], float]) -> None:
        self._chance = np.random.default_rng([seed, 1])
        self.factors = factors
        shared_factors = [
            msgspec.structs.replace(one, ratio=factors.get((one.name, one.key), 1.0))
            for one in _met()
        ]
        self._truth: Calibration = msgspec.structs.replace(
            EMPTY,
            latents=tuple(shared_factors),
            covariance=tuple((0.0,) * (at + 1) for at in range(len(shared_factors))),
        )

    def gbps(self, query: PathQuery) -> float:
        """Return what a path carries but for scatter."""
        return corrected_gbps(query, self._truth)

    def probes(self, query: PathQuery, pairs: range, *, runs: int = 3) -> Iterator[Probe]:
        """Yield runs of one set-up on pairs of places that have numbers."""
        for number in pairs:
            of_pair = self._chance.normal() * SCATTER
            for _ in range(runs):
                drawn = math.exp(of_pair + self._chance.normal() * SCATTER)
                yield Probe(query=placed(query, number), gbps=self.gbps(query) * drawn)


def drawn_world(seed: int) -> World:
    """Return a world whose factors follow the ranges that the model states before any probe."""
    chance = np.random.default_rng([seed, 0])
    return World(seed, {(one.name, one.key): _drawn(one, chance) for one in _met()})


def _drawn(one: Learnt, chance: np.random.Generator) -> float:
    below, above = -math.log(one.prior_low_ratio) / P95, math.log(one.prior_high_ratio) / P95
    distance, side, is_firm = chance.normal(), chance.random(), chance.random() < FIRM_SHARE
    if (one.name, one.key) == ("receive-window", OWN) and is_firm:
        return math.exp(distance * LEAST_SD)
    is_below = side < below / (below + above)
    return math.exp(-abs(distance) * below if is_below else abs(distance) * above)


def _met() -> tuple[Learnt, ...]:
    """Return the shared factors that the probed paths have, with their ranges before any probe."""
    return learnt(*(on_pairs(query, [1.0], runs=1) for query in PROBED)).latents
