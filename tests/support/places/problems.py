"""Placements to be found, small and made at random."""

from itertools import pairwise

import numpy as np

from netplan_planner.verbs.place.solve import problem

ONE_REGION = 1.0 - np.eye(3)
TWO_REGIONS = np.array([[0, 1, 2, 2], [1, 0, 2, 2], [2, 2, 0, 1], [2, 2, 1, 0]], dtype=float)
THREE_ZONES_APART = np.array([[0, 1, 2, 9], [1, 0, 4, 2], [2, 4, 0, 1], [9, 2, 1, 0]], dtype=float)
"""By no circles: the first is close to the second, the second to the fourth, the first is not."""


def made(
    seed: int,
    count: int,
    usd: problem.Floats,
    *,
    slack: float = 1.2,
    pinned: int = 0,
    far: int = 0,
    partners: int = 3,
) -> problem.PlacementProblem:
    """Return machines with some partners each, a pair that stands apart and a trio in two zones."""
    chance = np.random.default_rng(seed)
    zone_count = len(usd)
    one = np.repeat(np.arange(count), partners)
    other = (one + chance.integers(1, count, len(one))) % count
    weights = chance.lognormal(0.0, 2.0, len(one))
    ends = np.concatenate([one, other]), np.concatenate([other, one])
    rows = problem.sparse_rows(np.concatenate([weights, weights]), ends, count)
    order = chance.permutation(count)
    vcpus = chance.choice([2.0, 4.0, 8.0], count)
    allowed = np.ones((count, zone_count), dtype=bool)
    allowed[order[:pinned]] = False
    today = np.arange(count) % zone_count
    allowed[order[:pinned], today[order[:pinned]]] = True
    limits = [
        problem.RttLimit(int(a), int(b), np.triu(np.ones_like(usd, dtype=bool), 2))
        for a, b in order[: 2 * far].reshape(-1, 2)
    ]
    return problem.PlacementProblem(
        vcpus=vcpus,
        capacity=np.full(zone_count, np.ceil(vcpus.sum() / zone_count * slack)),
        allowed=allowed,
        unary_usd=np.zeros((count, zone_count)),
        layers=(problem.Layer(rows, usd),),
        groups=(problem.Group(np.sort(order[-2:]), 2), problem.Group(np.sort(order[-5:-2]), 2)),
        rtt_limits=tuple(limits),
        today=today,
    )


def chains(count: int, groups: tuple[problem.Group, ...] = ()) -> problem.PlacementProblem:
    """Return chains of three machines over three zones, which hold half as many more."""
    size = 3 * count
    links = [pair for first in range(0, size, 3) for pair in pairwise(range(first, first + 3))]
    one, other = np.array(links).T
    ends = np.concatenate([one, other]), np.concatenate([other, one])
    today = np.arange(size) % 3
    if groups:
        today[groups[0].members[0]] = 1
    return problem.PlacementProblem(
        vcpus=np.ones(size),
        capacity=np.full(3, np.ceil(1.5 * count)),
        allowed=np.ones((size, 3), dtype=bool),
        unary_usd=np.zeros((size, 3)),
        layers=(problem.Layer(problem.sparse_rows(np.ones(2 * len(one)), ends, size), ONE_REGION),),
        groups=groups,
        rtt_limits=(),
        today=today,
    )
