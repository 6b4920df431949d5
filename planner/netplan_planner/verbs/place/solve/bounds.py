"""What no placement can undercut, where no program proves it: the greater of two arguments.

Stars: of a machine's traffic to a group whose members stand apart, and to machines that stand
still, all but what goes to one zone crosses zones; each pair's price is split between its two ends.
Eigenvalues: a graph whose parts hold no more than a zone's capacity cuts at least half the sum of
parts' sizes times the least eigenvalues of its Laplacian (Donath and Hoffman, "Lower bounds for the
partitioning of graphs", 1973), here of one connected part by vCPUs.

Prices of traffic that only grow with the smallest circle of zones that holds both ends.

Zone, region, continent: nested sets, each cheaper inside than what is around it. Where a pair's
prices are so, what is saved can be counted by circle, which takes one variable for each of them.
"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from netplan_planner.verbs.place.solve.problem import EPSILON, Floats, PlacementProblem, Zones

_LEAST_MACHINES = 12
"""Of a part that eigenvalues are asked of."""
STARS, EIGENVALUES = "stars", "eigenvalues"
_ROUNDING = 1e-9
"""Of the greatest price, within which two are the same."""


def lower_bound(problem: PlacementProblem) -> tuple[float, str]:
    """Return dollars a month that every placement costs, and by which argument."""
    least_unary = np.where(problem.allowed, problem.unary_usd, np.inf).min(axis=1).sum()
    rows = _cut_usd(problem)
    stars = float(_stars(problem, rows).sum())
    best = stars, STARS
    eigen = _eigenvalues(problem, rows)
    if eigen > stars:
        best = eigen, EIGENVALUES
    return float(least_unary) + best[0], best[1]


def _cut_usd(problem: PlacementProblem) -> Any:
    """Return what each pair costs at least where it stands in two zones, as sparse rows."""
    total = csr_array((problem.count, problem.count))
    for layer in problem.priced_layers:
        between = layer.usd[~np.eye(problem.zone_count, dtype=bool)]
        total = total + layer.weights * float(between.min(initial=np.inf) if between.size else 0.0)
    return total.tocoo()


def star_usd(problem: PlacementProblem) -> Floats:
    """Return what the stars of each machine cost at least, n."""
    return _stars(problem, _cut_usd(problem))


def _stars(problem: PlacementProblem, rows: Any) -> Floats:
    """Return half of what each machine's stars cost: the other half is at the arms' ends."""
    sees, seen, usd = rows.row, rows.col, rows.data
    still = problem.allowed.sum(axis=1) == 1
    where = np.where(still, problem.allowed.argmax(axis=1), -1)
    apart = np.array([group.is_apart for group in problem.groups] or [False])
    group = problem.group_of[seen]
    in_apart = (group >= 0) & apart[group]
    own = in_apart & (problem.group_of[sees] == group)
    count = len(problem.groups)
    # A star's arms: by machine in a group that stands apart, by zone among those that stand still.
    star = np.where(own, -1, np.where(still[seen], count, np.where(in_apart, group, -1)))
    arm = np.where(still[seen], where[seen], seen)
    kept = star >= 0
    found = np.bincount(sees[kept | own], weights=usd[kept | own], minlength=problem.count)
    stars, arms = _greatest_arms(sees[kept] * (count + 1) + star[kept], arm[kept], usd[kept])
    found -= np.bincount(stars // (count + 1), weights=arms, minlength=problem.count)
    return np.asarray(0.5 * found, dtype=np.float64)


def _greatest_arms(key: Zones, arm: Zones, usd: Floats) -> tuple[Zones, Floats]:
    """Return the stars, and the greatest arm of each."""
    if not len(key):
        return np.zeros(0, dtype=np.intp), np.zeros(0)
    order = np.lexsort((arm, key))
    key, arm, usd = key[order], arm[order], usd[order]
    new_arm = np.flatnonzero(np.r_[True, (np.diff(key) != 0) | (np.diff(arm) != 0)])
    by_arm = np.add.reduceat(usd, new_arm)
    of_star = key[new_arm]
    new_star = np.flatnonzero(np.r_[True, np.diff(of_star) != 0])
    return of_star[new_star], np.maximum.reduceat(by_arm, new_star)


def _eigenvalues(problem: PlacementProblem, rows: Any) -> float:
    """Return what the parts of the graph cost that no zone can hold whole."""
    if not np.isfinite(problem.capacity).all():
        return 0.0
    graph = coo_array((rows.data, (rows.row, rows.col)), shape=(problem.count, problem.count))
    graph.sum_duplicates()
    count, part_of = connected_components(graph, directed=False)
    sizes = np.bincount(part_of, weights=problem.vcpus, minlength=count)
    counts = np.bincount(part_of, minlength=count)
    greatest = float(problem.capacity.max(initial=0.0))
    found = 0.0
    whole = graph.tocsr()
    for part in np.flatnonzero((sizes > greatest) & (counts >= _LEAST_MACHINES)).tolist():
        inside = np.flatnonzero((part_of == part) & (problem.vcpus > 0))
        if len(inside) == counts[part]:
            zones = np.flatnonzero(problem.allowed[inside].any(axis=0))
            found += _of_part(
                whole[inside][:, inside],
                problem.vcpus[inside],
                _largest(problem.capacity[zones], float(sizes[part])),
            )
    return found


def _largest(capacity: Floats, total: float) -> Floats:
    """Return the sizes of zones that are filled one after the other, the greatest first."""
    sizes = []
    for room in np.sort(capacity)[::-1].tolist():
        sizes.append(min(room, total))
        total -= sizes[-1]
    return np.array([size for size in sizes if size > 0])


def _of_part(rows: Any, vcpus: Floats, sizes: Floats) -> float:
    """Return half the sum of sizes times the least eigenvalues, errors of the method taken off."""
    count = len(sizes) - 1
    if count < 1 or count >= len(vcpus) - 1:
        return 0.0
    root = np.sqrt(vcpus)
    degrees = np.asarray(rows.sum(axis=1)).ravel()
    scaled = csr_array(rows / root[:, None] / root[None, :])
    own = degrees / vcpus
    still = root / np.linalg.norm(root)
    shift = 2.0 * float(own.max())

    def times(vector: NDArray[np.float64]) -> NDArray[np.float64]:
        flat = vector.ravel()
        # The eigenvalue 0 is known: it is lifted out of the way.
        return np.asarray(own * flat - scaled @ flat + shift * still * (still @ flat))

    operator = LinearOperator((len(vcpus), len(vcpus)), matvec=times, dtype=float)
    begin = np.cos(np.arange(len(vcpus)))
    try:
        values, vectors = eigsh(operator, k=count, which="SA", v0=begin, tol=1e-7)
    except ArpackNoConvergence:
        # Traffic of many orders of magnitude: the other argument is left.
        return 0.0
    errors = [
        float(np.linalg.norm(times(vectors[:, n]) - values[n] * vectors[:, n]))
        for n in range(count)
    ]
    certain = np.sort(np.maximum(values - np.array(errors), 0.0))
    return max(0.5 * float(sizes[1:] @ certain) - EPSILON, 0.0)


class Circles(NamedTuple):
    """Nested sets of zones, but for the one of all."""

    holds: NDArray[np.bool_]
    """Circles × zones; the first are the zones themselves."""
    levels: tuple[tuple[int, ...], ...]
    """Circles that share out all zones, from fine to coarse."""
    parent: tuple[int, ...]
    """The next larger circle, -1 for all zones."""


def circles_of(usd: Floats) -> Circles:
    """Return the circles of prices between zones, Z × Z."""
    count = len(usd)
    price = np.maximum(usd, usd.T)
    last: Zones = np.arange(count)
    holds, levels = list(np.eye(count, dtype=bool)), [tuple(range(count))]
    parent = [-1] * count
    ends = sorted(combinations(range(count), 2), key=lambda pair: (price[pair], pair))
    label = last.copy()
    for number, (one, other) in enumerate(ends):
        label[label == label[other]] = label[one]
        is_last = number + 1 == len(ends)
        if not is_last and price[ends[number + 1]] <= price[one, other] * (1.0 + _ROUNDING):
            continue
        if len(np.unique(label)) == 1:
            break
        if np.array_equal(label, last):
            continue
        level = []
        for name in np.unique(label).tolist():
            row = label == name
            inside = [one for one in levels[-1] if (holds[one] & row).any()]
            if len(inside) > 1:
                for child in inside:
                    parent[child] = len(holds)
                inside = [len(holds)]
                holds.append(row)
                parent.append(-1)
            level += inside
        levels.append(tuple(level))
        last = label.copy()
    return Circles(np.array(holds, dtype=bool), tuple(levels), tuple(parent))


def saved_by_circle(usd: Floats, circles: Circles) -> tuple[float, Floats] | None:
    """Return what a pair costs in no common circle, and what each saves; None: not by circles."""
    top = float(usd.max())
    height = np.where(
        circles.holds[:, :, None] & circles.holds[:, None, :], usd[None], -np.inf
    ).max(axis=(1, 2))
    above = np.array([top if one < 0 else height[one] for one in circles.parent])
    saved = above - height
    rebuilt = top - (circles.holds.T * saved) @ circles.holds
    is_same = bool(np.abs(rebuilt - usd).max() <= _ROUNDING * max(abs(top), EPSILON))
    return (top, np.maximum(saved, 0.0)) if is_same and (saved >= -EPSILON).all() else None
