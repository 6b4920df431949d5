"""A small placement to its proven optimum: by branches, or as a mixed-integer program.

Zones that are alike: of placements that differ by their names alone, one has to be looked at.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.verbs.place.solve.branching import Branching
from netplan_planner.verbs.place.solve.formulation import Formulation
from netplan_planner.verbs.place.solve.problem import EPSILON, Floats, Zones
from netplan_planner.verbs.place.solve.program import INFINITY, Effort
from netplan_planner.verbs.place.solve.reduced import Reduced, cost_of, keeps_constraints

MOST_WORK = 6e7
"""Steps of the simplex method times rows that a proof may take: some seconds."""


def broken_symmetry(part: Reduced, start: Zones) -> tuple[NDArray[np.bool_], Zones]:
    """Return where machines may stand when alike zones are told apart, and the start likewise.

    Machines that decide most come first. Each takes a zone that one before it may have taken, or
    the first of those that are still alike, in the first of the regions that are still alike.
    """
    allowed, start = part.allowed.copy(), start.copy()
    classes = _alike_zones(part)
    kinds = _alike_classes(part, classes)
    if all(len(one) == 1 for one in [*classes, *kinds]):
        return allowed, start
    touched: set[int] = set()
    for machine in _order(part):
        first = _first_untouched(classes, kinds, touched)
        first &= set(np.flatnonzero(part.allowed[machine]).tolist())
        start = _renamed(start, int(start[machine]), classes, kinds, touched)
        touched |= first
        for zone in np.flatnonzero(allowed[machine]).tolist():
            allowed[machine, zone] = zone in touched
        if len(touched) == allowed.shape[1]:
            break
    return allowed, start


def _first_untouched(
    classes: list[list[int]], kinds: list[list[int]], touched: set[int]
) -> set[int]:
    """Return one zone of each sort that no machine has told apart."""
    found = set()
    for kind in kinds:
        new = [one for one in kind if not touched.intersection(classes[one])]
        for one in [*new[:1], *(one for one in kind if one not in new)]:
            found.update([zone for zone in classes[one] if zone not in touched][:1])
    return found


def _renamed(
    start: Zones, zone: int, classes: list[list[int]], kinds: list[list[int]], touched: set[int]
) -> Zones:
    """Return the start with a zone named as the first of those that are alike."""
    if zone in touched:
        return start
    own = next(number for number, one in enumerate(classes) if zone in one)
    kind = next(one for one in kinds if own in one)
    at = classes[own].index(zone)
    if not touched.intersection(classes[own]):
        first = next(one for one in kind if not touched.intersection(classes[one]))
        start = _exchanged(start, classes[own], classes[first])
        own = first
    wanted = next(one for one in classes[own] if one not in touched)
    return _exchanged(start, [classes[own][at]], [wanted])


def _exchanged(start: Zones, one: list[int], other: list[int]) -> Zones:
    if one == other:
        return start
    new_name = np.arange(max(int(start.max()), *one, *other) + 1)
    new_name[one], new_name[other] = other, one
    return np.asarray(new_name[start])


def _alike_zones(part: Reduced) -> list[list[int]]:
    """Return all zones, those together whose names may be exchanged."""
    found: list[list[int]] = []
    for zone in range(part.allowed.shape[1]):
        same = next((one for one in found if _may_exchange(part, [one[0]], [zone])), None)
        if same is None:
            found.append([zone])
        else:
            same.append(zone)
    return found


def _alike_classes(part: Reduced, classes: list[list[int]]) -> list[list[int]]:
    """Return classes of zones, those together that may be exchanged as a whole, as regions."""
    found: list[list[int]] = []
    for number, zones in enumerate(classes):
        same = next((one for one in found if _may_exchange(part, classes[one[0]], zones)), None)
        if same is None:
            found.append([number])
        else:
            same.append(number)
    return found


def _may_exchange(part: Reduced, one: list[int], other: list[int]) -> bool:
    if len(one) != len(other):
        return False
    new_name = np.arange(part.allowed.shape[1])
    new_name[one], new_name[other] = other, one
    return (
        np.array_equal(part.room, part.room[new_name])
        and np.array_equal(part.allowed, part.allowed[:, new_name])
        and bool((np.abs(part.unary_usd - part.unary_usd[:, new_name]) <= EPSILON).all())
        and all(np.array_equal(group.held, group.held[new_name]) for group in part.groups)
        and all(
            np.array_equal(matrix, matrix[np.ix_(new_name, new_name)])
            for matrix in (
                *(pair.usd for pair in part.pairs),
                *(limit.is_too_far for limit in part.rtt_limits),
            )
        )
    )


def _order(part: Reduced) -> Iterable[int]:
    """Return the machines, those first that decide most: of the group that does, then alone."""
    weight = np.zeros(len(part.machines))
    for pair in part.pairs:
        usd = float(np.ptp(pair.usd))
        weight[pair.one] += usd
        weight[pair.other] += usd
    groups = [group.members.tolist() for group in part.groups if group.is_apart]
    best: list[int] = max(groups, key=lambda one: (len(one), weight[one].sum()), default=[])
    known = set(best) if len(best) > 1 else set()
    return sorted(range(len(weight)), key=lambda m: (m not in known, -weight[m], m))


class Exact(NamedTuple):
    """What is known of a part."""

    zones: Zones | None
    """Of the open machines; None where nothing was found."""
    bound_usd: float
    """Of the part with all that stands still."""


def prove(
    part: Reduced, vcpus: Floats, start: Zones, effort: Effort, most_work: float = MOST_WORK
) -> Exact:
    """Return the best zones of the open machines, and what no other can undercut, by branches.

    Args:
        part: What is open.
        vcpus: Of the open machines.
        start: Zones that keep every constraint.
        effort: What this adds to, and a last resort, after which the best so far is taken.
        most_work: After which likewise, the same on every machine.
    """
    allowed, start = broken_symmetry(part, start)
    part = part._replace(allowed=allowed)

    def usd_of(zones: Zones) -> float | None:
        is_kept = keeps_constraints(part, vcpus, zones)
        return part.fixed_usd + cost_of(part, zones) if is_kept else None

    search = Branching(Formulation(part, vcpus), start, usd_of)
    found = search.run(most_work=most_work, effort=effort)
    return Exact(found.zones, found.bound_usd)


def solve_exactly(
    part: Reduced,
    vcpus: Floats,
    start: Zones,
    *,
    effort: Effort,
    node_limit: int,
) -> Exact:
    """Return the best zones of the open machines, and what no other can undercut, by HiGHS alone.

    Args:
        part: What is open.
        vcpus: Of the open machines.
        start: Zones that keep every constraint.
        effort: What this adds to, and a last resort, after which the best so far is taken.
        node_limit: After so many branches likewise; the same on every machine.
    """
    allowed, start = broken_symmetry(part, start)
    model = Formulation(part._replace(allowed=allowed), vcpus)
    solved = model.program.solve(start=model.values_of(start), effort=effort, node_limit=node_limit)
    zones = None if solved.values is None else model.zones_of(solved.values)
    bound = solved.bound if solved.bound > -INFINITY else -np.inf
    return Exact(zones, float(bound))
