"""Zones for made machines beside annealing in the same time: seconds, dollars, gap to the bound.

    python benchmarks/place.py [--sizes small hundred thousand large] [--seed 1]

A world has communities that mostly talk to their own, flows of lognormal size, and a share of
groups of three that must stay spread over the three zones, which hold a twentieth more than all
need. The rival is in this file: simulated annealing, one move or swap at a time in plain Python,
from the same start, for as many seconds as netplan took to search, prove and order its moves.
"""

import argparse
import math
import random
import time
from typing import NamedTuple

import numpy as np

from netplan_planner.verbs.place.solve.feasible import Shortfalls
from netplan_planner.verbs.place.solve.problem import (
    Group,
    Layer,
    PlacementProblem,
    Zones,
    sparse_rows,
)
from netplan_planner.verbs.place.solve.search import best_placement

ZONE_COUNT = 3
VCPUS = 4.0
USD_PER_GIB = 0.01
_STEPS_BETWEEN_LOOKS = 256


class World(NamedTuple):
    """What is made."""

    machines: int
    flows: int
    grouped_ratio: float
    community: int
    slack: float


WORLDS = {
    "small": World(45, 120, 1.0, 15, 1.05),
    "hundred": World(99, 250, 0.9, 20, 1.05),
    "thousand": World(1_000, 4_000, 0.6, 20, 1.05),
    "large": World(10_000, 1_000_000, 0.6, 200, 1.05),
}


def made(world: World, seed: int) -> PlacementProblem:
    """Return a world as a problem; the same seed gives the same."""
    chance = np.random.default_rng(seed)
    count = world.machines
    community = chance.integers(0, max(1, count // world.community), count)
    order = np.argsort(community, kind="stable")
    first = np.searchsorted(community[order], np.arange(int(community.max()) + 2))
    src = chance.integers(0, count, world.flows)
    sizes = first[community[src] + 1] - first[community[src]]
    near = order[first[community[src]] + (chance.random(world.flows) * sizes).astype(int)]
    dst = np.where(chance.random(world.flows) < 0.8, near, chance.integers(0, count, world.flows))
    kept = src != dst
    src, dst = src[kept], dst[kept]
    usd = USD_PER_GIB * chance.lognormal(5.0, 1.5, len(src))
    ends = np.concatenate([src, dst]), np.concatenate([dst, src])
    rows = sparse_rows(np.concatenate([usd, usd]), ends, count)
    shuffled = chance.permutation(count)
    group_count = int(count * world.grouped_ratio) // ZONE_COUNT
    parted = shuffled[: group_count * ZONE_COUNT].reshape(-1, ZONE_COUNT)
    today = np.zeros(count, dtype=np.intp)
    today[parted] = np.arange(ZONE_COUNT)
    alone = shuffled[group_count * ZONE_COUNT :]
    today[alone] = np.arange(len(alone)) % ZONE_COUNT
    return PlacementProblem(
        vcpus=np.full(count, VCPUS),
        capacity=np.full(ZONE_COUNT, VCPUS * math.ceil(count / ZONE_COUNT * world.slack)),
        allowed=np.ones((count, ZONE_COUNT), dtype=bool),
        unary_usd=np.zeros((count, ZONE_COUNT)),
        layers=(Layer(rows, 1.0 - np.eye(ZONE_COUNT)),),
        groups=tuple(Group(np.sort(members), ZONE_COUNT) for members in parted),
        rtt_limits=(),
        today=today,
    )


def annealed(problem: PlacementProblem, seconds: float, seed: int) -> Zones:
    """Return what annealing one step at a time comes to; it cools by the clock."""
    chance = random.Random(seed)
    rows = problem.priced_layers[0].weights
    near = [
        list(zip(rows.indices[a:b].tolist(), rows.data[a:b].tolist(), strict=True))
        for a, b in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True)
    ]
    zones: list[int] = problem.today.tolist()
    group_of = problem.group_of.tolist()
    members = [group.members.tolist() for group in problem.groups]
    room = (problem.capacity - problem.used(problem.today)).tolist()
    warm = float(np.median(np.asarray(rows.sum(axis=1)))) or 1.0
    best, now, least = list(zones), 0.0, 0.0

    def gain(machine: int, to: int) -> float:
        was = zones[machine]
        return math.fsum(
            usd * ((zones[other] == to) - (zones[other] == was)) for other, usd in near[machine]
        )

    begun = time.monotonic()
    number, temperature = 0, warm
    while True:
        number += 1
        if not number % _STEPS_BETWEEN_LOOKS:
            part = (time.monotonic() - begun) / seconds
            if part >= 1.0:
                return np.array(best, dtype=np.intp)
            temperature = warm * (0.005**part)
        one = chance.randrange(len(zones))
        group = group_of[one]
        if group >= 0:
            other = chance.choice(members[group])
        else:
            other = chance.randrange(len(zones)) if chance.random() < 0.5 else -1
            if other >= 0 and group_of[other] >= 0:
                continue
        was = zones[one]
        to = zones[other] if other >= 0 else chance.randrange(ZONE_COUNT)
        if to == was or (other < 0 and room[to] < VCPUS):
            continue
        change = gain(one, to)
        zones[one] = to
        if other >= 0:
            change += gain(other, was)
            zones[other] = was
        if change < 0 and chance.random() >= math.exp(change / temperature):
            zones[one] = was
            if other >= 0:
                zones[other] = to
            continue
        if other < 0:
            room[to] -= VCPUS
            room[was] += VCPUS
        now -= change
        if now < least - 1e-9:
            least, best = now, list(zones)


def main() -> None:
    """Run the worlds and print a row for each."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--sizes", nargs="+", choices=WORLDS, default=list(WORLDS))
    asked.add_argument("--seed", type=int, default=1)
    words = asked.parse_args()
    print("| world | machines, flows | s | of all traffic | bound | proven | annealing |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in words.sizes:
        world = WORLDS[name]
        problem = made(world, words.seed)
        begun = time.monotonic()
        found = best_placement(problem)
        seconds = time.monotonic() - begun
        assert not isinstance(found, Shortfalls)
        assert not problem.faults(found.zones)
        rival = annealed(problem, seconds, words.seed)
        assert not problem.faults(rival)
        total = float(problem.priced_layers[0].weights.sum()) / 2.0
        shares = (found.usd / total, found.bound_usd / total, problem.usd(rival) / total)
        print(
            f"| {name} | {world.machines:,}, {world.flows:,} | {seconds:.1f} | {shares[0]:.2%} |"
            f" {shares[1]:.2%} ({found.bound_by}) | {'yes' if found.is_proven else 'no'} |"
            f" {shares[2]:.2%} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
