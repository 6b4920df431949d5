"""From groups and what they may become to a program: equal groups once, no needless offer."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from netplan_planner.planning.fleet.market import Market, PoolKey
from netplan_planner.planning.fleet.need import Calendar, Candidate, FleetNeed, Profile, VcpuLimit
from netplan_planner.planning.fleet.program import NONE, Places, Program
from netplan_planner.planning.fleet.sheet import Savings, Sheet, numbers_of, undominated

_EQUAL_USD = 1e-7


class GroupClass(NamedTuple):
    """Groups that are alike in all that counts."""

    profile: Profile
    machines_each: int
    menu: Places
    """Candidates by their number in the sheet."""
    members: tuple[int, ...]
    """Groups by their place."""


class Assembled(NamedTuple):
    """A program, and what its numbers stand for."""

    program: Program
    classes: tuple[GroupClass, ...]
    pools: tuple[PoolKey, ...]


def profile_of(need: FleetNeed) -> Profile:
    """Return when a group runs."""
    return Profile(need.hours_per_month, frozenset(need.active_hours))


def assemble(
    needs: Sequence[FleetNeed],
    candidates: Sequence[tuple[Candidate, ...]],
    sheet: Sheet,
    market: Market,
    calendar: Calendar,
    limits: Sequence[VcpuLimit] = (),
    *,
    is_pruned: bool = True,
) -> Assembled:
    """Return the program of a fleet.

    Args:
        needs: The groups.
        candidates: What each may become; equal tuples are one object.
        sheet: Learns the candidates.
        market: Commitments that are there and that may be bought.
        calendar: When groups run.
        limits: Quotas.
        is_pruned: Whether offers that no best plan needs are left out.
    """
    menus = [
        sheet.menu(market.project(need), found)
        for need, found in zip(needs, candidates, strict=True)
    ]
    profiles = [profile_of(need) for need in needs]
    savings = Savings(sheet, has_flexible=bool(market.covered_usd_per_hour))
    pruner = _Pruner(sheet, savings, calendar) if is_pruned and not limits else None
    members: dict[tuple[int, Profile, int], list[int]] = {}
    kept: dict[bytes, Places] = {}
    number: dict[bytes, int] = {}
    for at, (need, menu, profile) in enumerate(zip(needs, menus, profiles, strict=True)):
        left = menu if pruner is None else pruner.left(menu, profile)
        name = left.tobytes()
        kept.setdefault(name, left)
        members.setdefault((number.setdefault(name, len(number)), profile, need.count), []).append(
            at
        )
    by_number = tuple(kept.values())
    # Candidates are numbered as the ordered groups bring them, so this order is the fleet's own.
    classes = tuple(
        GroupClass(profile, count, by_number[menu_at], tuple(places))
        for (menu_at, profile, count), places in members.items()
    )
    return _assembled(classes, sheet, calendar, limits, market.covered_usd_per_hour)


class _Pruner:
    """Leaves out candidates that no best plan has, once for each menu and profile."""

    def __init__(self, sheet: Sheet, savings: Savings, calendar: Calendar) -> None:
        self._sheet = sheet
        self._savings = savings
        self._found: dict[tuple[int, Profile], Places] = {}
        self._covered = [
            float(sum(s.hours_per_month for s in calendar.stretches if at in s.profiles))
            for at in range(len(calendar.profiles))
        ]
        self._place = calendar.place

    def left(self, menu: Places, profile: Profile) -> Places:
        """Return the candidates that may be in a best plan."""
        key = id(menu), profile
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = menu if len(menu) == 1 else self._pruned(menu, profile)
        return found

    def _pruned(self, menu: Places, profile: Profile) -> Places:
        """Drop what is never best.

        That is what costs more at its best (every unit covered at the lowest fee) than another at
        its worst (on demand, or with commitments of its own), and what has more of everything than
        another of its series and costs more.
        """
        columns = self._sheet.columns
        most, sure, free = self._savings.of(menu, self._covered[self._place[profile]])
        usd = self._sheet.usd(menu, profile) + columns.move[menu]
        worst = usd - sure
        first = int(np.argmin(worst))
        kept = usd - most < worst[first] - _EQUAL_USD
        kept[first] = True
        # Units of one kind have one price, on demand and covered.
        kind = np.column_stack([columns.series[menu], columns.pool[menu]])
        undominated(kept, kind, usd - free, columns.units[menu])
        left: Places = menu[kept]
        return left


def _assembled(
    classes: tuple[GroupClass, ...],
    sheet: Sheet,
    calendar: Calendar,
    limits: Sequence[VcpuLimit],
    flexible_existing: Decimal,
) -> Assembled:
    columns = sheet.columns
    every = numbers_of([c.menu for c in classes])
    sizes = [len(c.menu) for c in classes]
    each = np.repeat([c.machines_each for c in classes], sizes)
    usd = np.concatenate([sheet.usd(c.menu, c.profile) for c in classes]) + columns.move[every]
    pool = columns.pool[every]
    used = np.unique(pool[pool != NONE])
    place = np.full(len(sheet.pools) + 1, NONE, dtype=np.intp)
    place[used] = np.arange(len(used))
    # The last place stands for none.
    pools = tuple(sheet.pools[at] for at in used.tolist())
    limit_of = np.full(len(every), NONE, dtype=np.intp)
    for at, one in enumerate(every.tolist()):
        machine = sheet.candidates[one].machine
        for which, limit in enumerate(limits):
            if (limit.region, limit.series) == (machine.region, machine.series):
                limit_of[at] = which
    first: dict[PoolKey, int] = {}
    sold = [first.setdefault(key.sold, at) for at, key in enumerate(pools)]
    stretches = calendar.stretches
    runs = np.zeros((len(calendar.profiles), len(stretches)), dtype=bool)
    for at, stretch in enumerate(stretches):
        runs[list(stretch.profiles), at] = True
    program = Program(
        group_counts=np.array([len(c.members) for c in classes], dtype=np.intp),
        profile=np.array([calendar.place[c.profile] for c in classes], dtype=np.intp),
        start=np.cumsum([0, *sizes]),
        usd=usd * each,
        pool=place[pool],
        units=columns.units[every] * each[:, None],
        limit_of=limit_of,
        limit_units=columns.vcpus[every] * each,
        limits=np.array([limit.vcpus for limit in limits], dtype=float),
        hours=np.array([float(s.hours_per_month) for s in stretches]),
        runs=runs,
        pools=tuple(sheet.terms(key) for key in pools),
        sold=np.array(sold, dtype=np.intp),
        flexible=sheet.flexible,
        flexible_existing=float(flexible_existing),
    )
    return Assembled(program, classes, pools)
