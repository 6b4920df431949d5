"""A placement with only its open machines left: what stands still has become a price of zones."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.verbs.place.solve.problem import (
    EPSILON,
    Floats,
    Group,
    PlacementProblem,
    RttLimit,
    Zones,
)


class OpenGroup(NamedTuple):
    """A group's open members, and the zones that its others hold."""

    members: Zones
    """By their place among the open machines."""
    held: NDArray[np.bool_]
    """Z."""
    least_zones: int
    is_apart: bool


class Pair(NamedTuple):
    """Two open machines that exchange traffic."""

    one: int
    other: int
    usd: Floats
    """Z × Z, by the zone of the first and of the second."""


class Reduced(NamedTuple):
    """The open part."""

    machines: Zones
    """The open ones, by index of the whole problem."""
    allowed: NDArray[np.bool_]
    unary_usd: Floats
    """With the traffic to all that stands still."""
    room: Floats
    """Of each zone, beside what stands still."""
    groups: tuple[OpenGroup, ...]
    pairs: tuple[Pair, ...]
    rtt_limits: tuple[RttLimit, ...]
    """Between open machines."""
    fixed_usd: float
    """Of all traffic between machines that stand still, and of these."""


def reduced(
    problem: PlacementProblem, zones: Zones, machines: Zones, *, is_priced: bool = True
) -> Reduced:
    """Return the problem of some machines, all others standing where `zones` says.

    Without `is_priced` what stands still has no price, which takes long where there is much of it.
    """
    place = np.full(problem.count, -1, dtype=np.intp)
    place[machines] = np.arange(len(machines))
    allowed = problem.allowed[machines].copy()
    unary = problem.unary_usd[machines].copy()
    still = place < 0
    used = np.bincount(zones[still], weights=problem.vcpus[still], minlength=problem.zone_count)
    pairs: dict[tuple[int, int], Floats] = {}
    for layer in problem.priced_layers:
        _count_layer(layer.weights, layer.usd, place, zones, machines, unary, pairs)
    limits = []
    for limit in problem.rtt_limits:
        one, other = int(place[limit.one]), int(place[limit.other])
        if one >= 0 and other >= 0:
            limits.append(RttLimit(one, other, limit.is_too_far))
        elif one >= 0:
            allowed[one] &= ~limit.is_too_far[:, zones[limit.other]]
        elif other >= 0:
            allowed[other] &= ~limit.is_too_far[zones[limit.one], :]
    groups = tuple(_groups(problem.groups, place, zones, allowed))
    return Reduced(
        machines=machines,
        allowed=allowed,
        unary_usd=unary,
        room=problem.capacity - used,
        groups=groups,
        pairs=tuple(Pair(one, other, usd) for (one, other), usd in sorted(pairs.items())),
        rtt_limits=tuple(limits),
        fixed_usd=still_usd(problem, zones, machines) if is_priced else 0.0,
    )


def still_usd(problem: PlacementProblem, zones: Zones, machines: Zones) -> float:
    """Return what all but some machines cost, and their traffic with each other."""
    still = np.ones(problem.count, dtype=bool)
    still[machines] = False
    return float(problem.unary_usd[still, zones[still]].sum()) + sum(
        _between_still(layer.weights, layer.usd, zones, still) for layer in problem.priced_layers
    )


def _count_layer(
    rows: object,
    usd: Floats,
    place: Zones,
    zones: Zones,
    machines: Zones,
    unary: Floats,
    pairs: dict[tuple[int, int], Floats],
) -> None:
    """Add a layer's traffic of the open machines to their prices of zones, or to pairs."""
    for number, machine in enumerate(machines.tolist()):
        first, last = rows.indptr[machine], rows.indptr[machine + 1]  # type: ignore[attr-defined]
        others = rows.indices[first:last]  # type: ignore[attr-defined]
        weights = rows.data[first:last]  # type: ignore[attr-defined]
        at = place[others]
        outside = at < 0
        if outside.any():
            unary[number] += usd[:, zones[others[outside]]] @ weights[outside]
        for other, weight in zip(at[~outside].tolist(), weights[~outside].tolist(), strict=True):
            # Each pair stands in the rows of both ends.
            if number < other and weight > EPSILON:
                key = number, other
                pairs[key] = pairs.get(key, np.zeros_like(usd)) + weight * usd


def _between_still(rows: object, usd: Floats, zones: Zones, still: NDArray[np.bool_]) -> float:
    found = rows.tocoo()  # type: ignore[attr-defined]
    kept = still[found.row] & still[found.col]
    paid = usd[zones[found.row[kept]], zones[found.col[kept]]]
    return 0.5 * float((found.data[kept] * paid).sum())


def _groups(
    groups: tuple[Group, ...], place: Zones, zones: Zones, allowed: NDArray[np.bool_]
) -> list[OpenGroup]:
    found = []
    for group in groups:
        at = place[group.members]
        if not (at >= 0).any():
            continue
        held = np.zeros(allowed.shape[1], dtype=bool)
        held[zones[group.members[at < 0]]] = True
        members = at[at >= 0]
        if group.is_apart:
            allowed[np.ix_(members, np.flatnonzero(held))] = False
        found.append(OpenGroup(members, held, group.least_zones, group.is_apart))
    return found


def cost_of(part: Reduced, zones: Zones) -> float:
    """Return what the open machines' traffic costs with them in these zones."""
    usd = float(part.unary_usd[np.arange(len(zones)), zones].sum())
    return usd + sum(float(pair.usd[zones[pair.one], zones[pair.other]]) for pair in part.pairs)


def keeps_constraints(part: Reduced, vcpus: Floats, zones: Zones) -> bool:
    """Return whether the open machines, in these zones, keep all that is asked of them."""
    used = np.bincount(zones, weights=vcpus, minlength=len(part.room))
    is_allowed = part.allowed[np.arange(len(zones)), zones].all()
    return bool(
        is_allowed
        and (used <= part.room + EPSILON).all()
        and all(_is_spread(group, zones[group.members]) for group in part.groups)
        and not any(
            limit.is_too_far[zones[limit.one], zones[limit.other]]
            or limit.is_too_far[zones[limit.other], zones[limit.one]]
            for limit in part.rtt_limits
        )
    )


def _is_spread(group: OpenGroup, zones: Zones) -> bool:
    return len({*zones.tolist(), *np.flatnonzero(group.held).tolist()}) >= group.least_zones


def with_open(zones: Zones, part: Reduced, chosen: Zones) -> Zones:
    """Return a placement in which the open machines stand as chosen."""
    found = zones.copy()
    found[part.machines] = chosen
    return found
