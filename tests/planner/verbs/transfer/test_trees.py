"""The cheapest tree to several places: against every set of edges; and shares taken apart."""

import random
from itertools import chain, combinations

import numpy as np
import pytest

from netplan_planner.verbs.transfer.solve import steiner as trees
from netplan_planner.verbs.transfer.solve.network import (
    Limits,
    Network,
    Quotas,
    Route,
    all_of,
    shares_of,
)
from netplan_planner.verbs.transfer.solve.steiner import cheapest_tree
from support.nightly import every

NONE = np.zeros(0, dtype=np.intp)


def network(places: int, edges: list[tuple[int, int]], targets: tuple[int, ...]) -> Network:
    return Network(
        places=tuple(map(str, range(places))),
        src=np.array([src for src, _ in edges], dtype=np.intp),
        dst=np.array([dst for _, dst in edges], dtype=np.intp),
        usd=np.zeros(len(edges)),
        option_place=NONE,
        option_usd=np.zeros(0),
        is_priced=False,
        limits=Limits((), NONE, NONE, NONE, NONE, NONE, np.zeros(0), np.zeros(0)),
        quotas=Quotas((), NONE, np.zeros(0), NONE, NONE),
        source=0,
        targets=targets,
        gbit=1.0,
        most=1,
        overhead_s=0.0,
        least_s=0.0,
    )


def made(seed: int, targets: int) -> tuple[Network, np.ndarray]:
    dice = random.Random(seed)
    edges = [(a, b) for a in range(5) for b in range(1, 5) if a != b and dice.random() < 0.6]
    found = network(5, edges, tuple(range(5 - targets, 5)))
    return found, np.array([dice.randint(1, 20) for _ in edges], dtype=float)


def reached(found: Network, edges: tuple[int, ...]) -> set[int]:
    places = {0}
    for _ in edges:
        places |= {int(found.dst[e]) for e in edges if int(found.src[e]) in places}
    return places


@pytest.mark.parametrize("seed", every(3, range(12)))
@pytest.mark.parametrize("targets", [1, 2, 3])
def test_no_set_of_edges_is_cheaper(seed: int, targets: int) -> None:
    found, weights = made(seed, targets)
    count = range(found.edges)
    sets = chain.from_iterable(combinations(count, size) for size in range(1, 5))
    costs = [
        float(weights[list(one)].sum()) for one in sets if set(found.targets) <= reached(found, one)
    ]
    tree = cheapest_tree(found, weights)
    if not costs:
        assert tree is None
        return
    assert tree is not None
    assert set(found.targets) <= reached(found, tree)
    assert float(weights[list(tree)].sum()) == pytest.approx(min(costs))
    # Every place is entered once.
    assert len({int(found.dst[e]) for e in tree}) == len(tree)


def test_many_targets_are_joined_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "MOST_EXACT", 1)
    found, weights = made(1, 3)
    tree = cheapest_tree(found, weights)
    assert tree is not None
    assert set(found.targets) <= reached(found, tree)


def test_ways_carry_all_bytes_without_the_noise_of_a_solver() -> None:
    found = network(3, [(0, 1), (1, 2), (0, 2)], (2,))
    routes = all_of([Route(0.25, (0, 1)), Route(0.75, (2,)), Route(1e-8, (0, 1))])
    assert [one.edges for one in routes] == [(2,), (0, 1)]
    assert shares_of(found, routes) == pytest.approx([0.25, 0.25, 0.75])
