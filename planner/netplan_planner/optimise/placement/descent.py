"""Down to where no single move, swap or new order of a group costs less."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from netplan_planner.optimise.placement.problem import BROKEN_USD, EPSILON
from netplan_planner.optimise.placement.standing import Standing

_MOST_PASSES = 30
_SWAP_PARTNERS = 24
"""Machines of the wanted zone that a machine which does not fit there tries to change with."""


def descend(standing: Standing, passes: int = _MOST_PASSES) -> None:
    """Improve a placement that keeps every constraint until nothing near it is better."""
    problem = standing.problem
    machines = [int(m) for m in problem.movable if problem.group_of[m] < 0]
    groups = [
        number
        for number, group in enumerate(problem.groups)
        if problem.allowed[group.members].sum(axis=1).max(initial=0) > 1
    ]
    for _ in range(passes):
        moved = False
        for number in groups:
            moved |= _order_group(standing, number)
        for machine in machines:
            moved |= _move_one(standing, machine)
        if not moved:
            return


def _move_one(standing: Standing, machine: int) -> bool:
    """Move a machine to the best zone with room, or change places with one that stands there."""
    gains = np.where(standing.problem.allowed[machine], standing.gains(machine), -np.inf)
    for zone in np.argsort(-gains, kind="stable").tolist():
        if gains[zone] <= EPSILON:
            return False
        if standing.fits(machine, zone):
            standing.move(machine, zone)
            return True
        if standing.keeps_spread(machine, zone) and _swap(standing, machine, zone):
            return True
    return False


def _swap(standing: Standing, machine: int, zone: int) -> bool:
    problem, was = standing.problem, int(standing.zones[machine])
    there = np.flatnonzero((standing.zones == zone) & problem.allowed[:, was])
    loss = standing.usd[there, was] - standing.usd[there, zone]
    for other in there[np.argsort(loss, kind="stable")[:_SWAP_PARTNERS]].tolist():
        if not standing.keeps_spread(other, was) or not _has_room(standing, machine, other):
            continue
        # Two of one group keep its zones by changing places: asked of each alone, it need not.
        if standing.swap_gain(machine, other) > EPSILON:
            standing.move(machine, zone)
            standing.move(other, was)
            return True
    return False


def _has_room(standing: Standing, one: int, other: int) -> bool:
    problem = standing.problem
    a, b = int(standing.zones[one]), int(standing.zones[other])
    more = problem.vcpus[one] - problem.vcpus[other]
    return bool(
        standing.used[b] + more <= problem.capacity[b] + EPSILON
        and standing.used[a] - more <= problem.capacity[a] + EPSILON
    )


def _order_group(standing: Standing, number: int) -> bool:
    """Give a group's members the best zones: all at once where no two may share one."""
    group = standing.problem.groups[number]
    if group.is_apart and _assign(standing, number):
        return True
    moved = False
    for machine in group.members.tolist():
        moved |= _move_one(standing, machine)
    return moved


def _assign(standing: Standing, number: int) -> bool:
    problem = standing.problem
    members = problem.groups[number].members
    costs = np.where(problem.allowed[members], standing.usd[members], BROKEN_USD * BROKEN_USD)
    _, chosen = linear_sum_assignment(costs)
    before = standing.zones[members]
    if np.array_equal(before, chosen):
        return False
    used = standing.used.copy()
    np.subtract.at(used, before, problem.vcpus[members])
    np.add.at(used, chosen, problem.vcpus[members])
    if (used > problem.capacity + EPSILON).any():
        return False
    if not problem.allowed[members, chosen].all():
        return False
    return move_if_better(standing, members.tolist(), chosen.tolist())


def move_if_better(standing: Standing, machines: list[int], zones: list[int]) -> bool:
    """Move machines one after the other, and back unless the bill falls by all together."""
    before = [int(standing.zones[machine]) for machine in machines]
    gain = 0.0
    for machine, zone in zip(machines, zones, strict=True):
        gain += float(standing.gains(machine)[zone])
        standing.move(machine, zone)
    if gain > EPSILON:
        return True
    for machine, zone in zip(reversed(machines), reversed(before), strict=True):
        standing.move(machine, zone)
    return False
