"""Zones for made machines beside annealing in the same time: seconds, dollars, gap to the bound.

    python benchmarks/place.py [--sizes small hundred thousand large] [--seeds 1 2 3]

A world has communities that mostly talk to their own, flows of lognormal size, and a share of
groups of three that must stay spread over the three zones, which hold a twentieth more than all
need. The rival is `place_rival.c`: simulated annealing, one move or swap at a time, from the same
start, for as much processor time as netplan took to search, prove and order its moves. It is
compiled by `cc`; without one it is skipped.
"""

import argparse
import ctypes
import math
import shutil
import subprocess
import time
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
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
_WARM, _COLD = 2.0, 0.05
"""Temperatures of the rival, by what the median machine sends: the best of three pairs tried."""


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


def compiled(folder: Path) -> ctypes.CDLL | None:
    """Return the rival, compiled into a folder; None where this machine has no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = folder / "librival.so"
    source = Path(__file__).with_name("place_rival.c")
    flags = ("-O3", "-march=native", "-shared", "-fPIC")
    subprocess.run([compiler, *flags, "-o", library, source, "-lm"], check=True)
    rival = ctypes.CDLL(str(library))
    rival.anneal.restype = ctypes.c_long
    return rival


def annealed(rival: ctypes.CDLL, problem: PlacementProblem, seconds: float, seed: int) -> Zones:
    """Return what the rival comes to in so much processor time."""
    rows = problem.priced_layers[0].weights
    usd = np.ascontiguousarray(rows.data, dtype=np.float64)
    median = float(np.median(np.asarray(rows.sum(axis=1)))) or 1.0
    room = (problem.capacity - problem.used(problem.today)) // VCPUS
    loose = np.flatnonzero(problem.group_of < 0)
    members = np.array([group.members for group in problem.groups]).ravel()
    indices = (rows.indptr, rows.indices, problem.group_of, members, room, loose, problem.today)
    ints = [np.array(one, dtype=np.int32) for one in indices]
    starts, ends, group, members_of, free, alone, zones = ints

    def of(values: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(values.ctypes.data)

    rival.anneal(
        *(problem.count, ZONE_COUNT, of(starts), of(ends), of(usd)),
        *(of(group), ZONE_COUNT, of(members_of), of(free), len(alone), of(alone)),
        *(ctypes.c_double(_WARM * median), ctypes.c_double(_COLD * median)),
        *(ctypes.c_double(seconds), ctypes.c_int64(seed), of(zones)),
    )
    return zones.astype(np.intp)


def main() -> None:
    """Run the worlds and print a row for each."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--sizes", nargs="+", choices=WORLDS, default=list(WORLDS))
    asked.add_argument("--seeds", nargs="+", type=int, default=[1])
    words = asked.parse_args()
    print("| world | seed | machines, flows | CPU s | of all traffic | bound | proven | rival |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with TemporaryDirectory() as folder:
        rival = compiled(Path(folder))
        for name, seed in product(words.sizes, words.seeds):
            world = WORLDS[name]
            problem = made(world, seed)
            begun = time.process_time()
            found = best_placement(problem)
            seconds = time.process_time() - begun
            assert not isinstance(found, Shortfalls)
            assert not problem.faults(found.zones)
            total = float(problem.priced_layers[0].weights.sum()) / 2.0
            beside = "skipped: no C compiler (cc)"
            if rival is not None:
                zones = annealed(rival, problem, seconds, seed)
                assert not problem.faults(zones)
                beside = f"{problem.usd(zones) / total:.2%}"
            print(
                f"| {name} | {seed} | {world.machines:,}, {world.flows:,} | {seconds:.1f} |"
                f" {found.usd / total:.2%} | {found.bound_usd / total:.2%} ({found.bound_by}) |"
                f" {'yes' if found.is_proven else 'no'} | {beside} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
