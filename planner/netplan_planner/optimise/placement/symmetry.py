"""Zones that are alike: of placements that differ by their names alone, one has to be looked at."""

import numpy as np
from numpy.typing import NDArray

from netplan_planner.optimise.placement.problem import EPSILON, Zones
from netplan_planner.optimise.placement.reduced import Reduced


def broken_symmetry(part: Reduced, start: Zones) -> tuple[NDArray[np.bool_], Zones]:
    """Return where machines may stand when alike zones are told apart, and the start likewise.

    The first machine of a chain takes the first of the alike zones, each further one a zone that
    is taken already or the next one.
    """
    allowed, start = part.allowed.copy(), start.copy()
    for alike in _alike_zones(part):
        chain = _chain(part, alike)
        if not chain:
            continue
        order = list(dict.fromkeys([int(start[machine]) for machine in chain]))
        order += [zone for zone in alike if zone not in order]
        new_name = np.arange(allowed.shape[1])
        new_name[order] = alike
        start = new_name[start]
        for taken, machine in enumerate(chain):
            allowed[machine, alike[taken + 1 :]] = False
    return allowed, start


def _alike_zones(part: Reduced) -> list[list[int]]:
    """Return zones whose names may be exchanged, of which there are two or more."""
    found: list[list[int]] = []
    for zone in range(part.allowed.shape[1]):
        if not part.allowed[:, zone].any():
            continue
        same = next((one for one in found if _may_exchange(part, one[0], zone)), None)
        if same is None:
            found.append([zone])
        else:
            same.append(zone)
    return [one for one in found if len(one) > 1]


def _may_exchange(part: Reduced, one: int, other: int) -> bool:
    new_name = np.arange(part.allowed.shape[1])
    new_name[[one, other]] = other, one
    return (
        bool(part.room[one] == part.room[other])
        and np.array_equal(part.allowed[:, one], part.allowed[:, other])
        and bool((np.abs(part.unary_usd[:, one] - part.unary_usd[:, other]) <= EPSILON).all())
        and all(group.held[one] == group.held[other] for group in part.groups)
        and all(
            np.array_equal(matrix, matrix[np.ix_(new_name, new_name)])
            for matrix in (
                *(pair.usd for pair in part.pairs),
                *(limit.is_too_far for limit in part.rtt_limits),
            )
        )
    )


def _chain(part: Reduced, alike: list[int]) -> list[int]:
    """Return machines that stand in alike zones only, those first that decide most."""
    outside = np.ones(part.allowed.shape[1], dtype=bool)
    outside[alike] = False
    weight = np.zeros(len(part.machines))
    for pair in part.pairs:
        usd = float(np.ptp(pair.usd))
        weight[pair.one] += usd
        weight[pair.other] += usd
    inside = [
        machine
        for machine in range(len(part.machines))
        if not part.allowed[machine, outside].any() and part.allowed[machine, alike].all()
    ]
    if not inside:
        return []
    known = set(inside)
    groups = [
        [m for m in group.members.tolist() if m in known] for group in part.groups if group.is_apart
    ]
    best = max(groups, key=lambda one: (len(one), weight[one].sum()), default=[])
    if len(best) > 1:
        return sorted(best, key=lambda m: (-weight[m], m))[: len(alike)]
    return sorted(inside, key=lambda m: (-weight[m], m))[: len(alike) - 1]
