"""Which constraints bind a plan, which today's placement breaks, and what none can keep."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

import numpy as np

from netplan_planner.model.plans.plan_answer import Shortfall
from netplan_planner.units import counted
from netplan_planner.verbs.place.answer import PlacementBinding, PlacementConstraint
from netplan_planner.verbs.place.asked import Asked
from netplan_planner.verbs.place.numbers import Numbers
from netplan_planner.verbs.place.solve.feasible import Shortfalls
from netplan_planner.verbs.place.solve.problem import EPSILON, Standing, Zones

_CENT = 0.01
_NAMED = 4


def bindings_of(asked: Asked, numbers: Numbers, zones: Zones) -> tuple[PlacementBinding, ...]:
    """Return what keeps single machines from cheaper zones, the dearest first."""
    problem = numbers.problem
    standing = Standing(problem.without_limits(), zones)
    limited = {m for limit in problem.rtt_limits for m in (limit.one, limit.other)}
    gains: dict[tuple[PlacementConstraint, str], list[float]] = defaultdict(list)
    own = standing.usd[np.arange(problem.count), zones]
    near = np.flatnonzero(own - standing.usd.min(axis=1) > _CENT)
    for machine in near.tolist():
        zone = int(standing.usd[machine].argmin())
        key = _why(asked, numbers, standing, machine, zone, machine in limited)
        if key is not None:
            gains[key].append(float(own[machine] - standing.usd[machine, zone]))
    found = [
        PlacementBinding(
            constraint=constraint,
            name=name,
            machine_count=len(usd),
            usd_per_month=Decimal(str(round(max(usd), 2))),
        )
        for (constraint, name), usd in gains.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.usd_per_month, one.constraint, one.name)))


def _why(
    asked: Asked, numbers: Numbers, standing: Standing, machine: int, zone: int, is_limited: bool
) -> tuple[PlacementConstraint, str] | None:
    problem = numbers.problem
    if asked.machines[machine].is_foreign:
        return None
    if asked.machines[machine].pinned:
        return PlacementConstraint.PIN, asked.machines[machine].pinned
    if not problem.allowed[machine, zone]:
        return PlacementConstraint.OFFER, asked.zones[zone]
    if not standing.keeps_spread(machine, zone):
        name = numbers.group_names[int(problem.group_of[machine])]
        return PlacementConstraint.SPREAD, group_name(name)
    if standing.used[zone] + problem.vcpus[machine] > problem.capacity[zone] + EPSILON:
        return PlacementConstraint.CAPACITY, asked.zones[zone]
    return (PlacementConstraint.ROUND_TRIP, asked.machines[machine].name) if is_limited else None


def group_name(key: str) -> str:
    """Return a group's name for people: why its members are copies, where that is what it is."""
    return key.partition("|")[2] or key


def broken_by(asked: Asked, numbers: Numbers, zones: Zones) -> tuple[str, ...]:
    """Return the constraints that a placement breaks, a line each."""
    problem = numbers.problem
    used = problem.used(zones)
    found = [
        f"{asked.zones[zone]} holds {used[zone]:,.6g} vCPUs of {problem.capacity[zone]:,.6g}"
        for zone in np.flatnonzero(used > problem.capacity + EPSILON).tolist()
    ]
    for group, name in zip(problem.groups, numbers.group_names, strict=True):
        stands = len(np.unique(zones[group.members]))
        if stands < group.least_zones:
            found.append(
                f"group {group_name(name)} is in {counted(stands, 'zone')}, not in "
                f"{group.least_zones}"
            )
    for limit, one in zip(problem.rtt_limits, asked.limits, strict=True):
        a, b = int(zones[limit.one]), int(zones[limit.other])
        if limit.is_too_far[a, b]:
            names = f"{asked.machines[one.one].name} and {asked.machines[one.other].name}"
            found.append(
                f"{names}: round trip {_ms(numbers.rtt_ms[a, b])} between {asked.zones[a]} and "
                f"{asked.zones[b]}, allowed at most {one.most_ms:g} ms"
            )
    return tuple(found)


def _ms(value: float) -> str:
    return "unknown length" if np.isnan(value) else f"{value:.3g} ms"


def shortfalls_of(asked: Asked, numbers: Numbers, found: Shortfalls) -> tuple[Shortfall, ...]:
    """Return what no placement can keep, with the smallest shortfall and what to change."""
    if not found.is_known:
        return (
            Shortfall(
                binding=PlacementConstraint.CAPACITY.value,
                name="all constraints together",
                shortfall="no placement was found within the time limit, and no proof that there "
                "is none",
                changes=("give zones more capacity", "unpin VMs"),
            ),
        )
    return (
        *_of_capacity(asked, numbers, found),
        *_of_groups(asked, numbers, found),
        *_of_limits(asked, numbers, found),
    )


def _of_capacity(asked: Asked, numbers: Numbers, found: Shortfalls) -> Iterator[Shortfall]:
    for zone, vcpus in found.vcpus:
        name, room = asked.zones[zone], numbers.problem.capacity[zone]
        pinned = [one for one in asked.machines if one.pinned and one.zone == name]
        held = sum(one.vcpus or 0.0 for one in pinned)
        why = f"; {held:,.6g} of them belong to pinned VMs" if held > room else ""
        yield Shortfall(
            binding=PlacementConstraint.CAPACITY.value,
            name=name,
            shortfall=f"{vcpus:,.6g} vCPUs too few: it holds {room:,.6g}{why}",
            changes=(
                f"give {name} or another zone of its region {vcpus:,.6g} vCPUs more",
                *(("unpin a VM there",) if held > room else ()),
            ),
        )


def _of_groups(asked: Asked, numbers: Numbers, found: Shortfalls) -> Iterator[Shortfall]:
    for number, short in found.zones:
        group = numbers.problem.groups[number]
        members = [asked.machines[at] for at in group.members.tolist()]
        by_zone: dict[str, list[str]] = defaultdict(list)
        for one in members:
            if one.pinned:
                by_zone[one.zone].append(one.name)
        joined = {zone: names for zone, names in by_zone.items() if len(names) > 1}
        pins = "; ".join(
            f"{', '.join(names[:_NAMED])} are pinned to {zone}" for zone, names in joined.items()
        )
        yield Shortfall(
            binding=PlacementConstraint.SPREAD.value,
            name=group_name(numbers.group_names[number]),
            shortfall=f"{counted(short, 'zone')} too few of {group.least_zones}"
            + (f": {pins}" if pins else ""),
            changes=("unpin one of them",)
            if pins
            else ("add a zone or capacity", "unpin a member"),
        )


def _of_limits(asked: Asked, numbers: Numbers, found: Shortfalls) -> Iterator[Shortfall]:
    for number in found.pairs:
        limit = asked.limits[number]
        allowed = numbers.problem.allowed
        open_pairs = np.ix_(
            np.flatnonzero(allowed[limit.one]), np.flatnonzero(allowed[limit.other])
        )
        rtt = numbers.rtt_ms[open_pairs]
        least = float(np.nanmin(rtt)) if not np.isnan(rtt).all() else float("nan")
        names = f"{asked.machines[limit.one].name} and {asked.machines[limit.other].name}"
        may_meet = numbers.is_between_regions or _same_region(asked, limit.one, limit.other)
        yield Shortfall(
            binding=PlacementConstraint.ROUND_TRIP.value,
            name=names,
            shortfall=f"{limit.most_ms:g} ms is required; the minimum in the allowed zones is "
            f"{_ms(least)}",
            changes=(
                f"allow {_ms(least)}",
                "unpin one of them",
                "remove them from groups that must stay apart",
                *(() if may_meet else ("allow other regions (--between-regions)",)),
            ),
        )


def _same_region(asked: Asked, one: int, other: int) -> bool:
    first, second = (asked.machines[at].zone.rpartition("-")[0] for at in (one, other))
    return first == second
