"""From groups and what they may become to a program: equal groups once, no needless offer."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import FleetNeed, PriceBook
from netplan_planner.optimise.commitments import Rate, Resource
from netplan_planner.optimise.fleet.candidates import Candidate, Machine, hourly_lines
from netplan_planner.optimise.fleet.hours import Calendar, Profile
from netplan_planner.optimise.fleet.market import STEPS, Market, PoolKey, Unit
from netplan_planner.optimise.fleet.program import NONE, Floats, PoolTerms, Program
from netplan_planner.units import HOURS_PER_MONTH

_EQUAL_USD = 1e-7
_SIDES = {Resource.VCPU: 0, Resource.MEMORY: 1}


class VcpuLimit(NamedTuple):
    """A quota: most vCPUs of a series in a region at once."""

    region: str
    series: str
    vcpus: int


class GroupClass(NamedTuple):
    """Groups that are alike in all that counts."""

    profile: Profile
    machines_each: int
    project: str
    candidates: tuple[Candidate, ...]
    members: tuple[int, ...]
    """Groups by their place."""


class Assembled(NamedTuple):
    """A program, and what its numbers stand for."""

    program: Program
    calendar: Calendar
    classes: tuple[GroupClass, ...]
    pools: tuple[PoolKey, ...]


def profile_of(need: FleetNeed) -> Profile:
    """Return when a group runs."""
    return Profile(need.hours_per_month, frozenset(need.active_hours))


class Costs:
    """What machines cost a month before anything is covered, as numbers for a solver."""

    def __init__(self, prices: PriceBook) -> None:
        self._prices = prices
        self._ratios: dict[tuple[str, float], float] = {}

    def usd(self, machine: Machine, profile: Profile) -> float:
        """Return dollars a month of one machine."""
        ratio = 1.0 if machine.is_spot else self._ratio(machine, profile.month_ratio)
        fees = sum((one.unit_price_usd * one.quantity for one in hourly_lines(machine)), Decimal(0))
        hourly = float(machine.bill.machine.unit_price_usd) * ratio + float(fees) / HOURS_PER_MONTH
        return hourly * float(profile.hours_per_month)

    def _ratio(self, machine: Machine, month_ratio: float) -> float:
        # Types of a series have one discount, but for those on shared cores.
        named = machine.machine_type if machine.shape.is_shared_core else machine.series
        found = self._ratios.get((named, month_ratio))
        if found is None:
            asked = self._prices.sustained_use_ratio(machine.machine_type, month_ratio)
            found = self._ratios[named, month_ratio] = float(asked)
        return found


class Assembler:
    """Makes programs; equal questions are answered once."""

    def __init__(
        self, market: Market, costs: Costs, limits: Sequence[VcpuLimit], flexible_existing: Decimal
    ) -> None:
        self._market = market
        self._costs = costs
        self._limits = tuple(limits)
        self._flexible_existing = flexible_existing
        self._rates: dict[PoolKey, tuple[Rate, Decimal]] = {}
        """The least rate of a pool's units, and what flexible commitments count for one."""

    def assemble(
        self,
        needs: Sequence[FleetNeed],
        candidates: Sequence[tuple[Candidate, ...]],
        *,
        is_pruned: bool = True,
    ) -> Assembled:
        """Return the program of a fleet.

        Args:
            needs: The groups.
            candidates: What each may become; equal tuples are one object.
            is_pruned: Whether offers that no best plan needs are left out.
        """
        calendar = Calendar(profile_of(need) for need in needs)
        classes = self._classes(needs, candidates, calendar, is_pruned=is_pruned)
        pools = tuple(
            sorted({u.key for c in classes for one in c.candidates for u in self._units(c, one)})
        )
        return Assembled(self._program(classes, pools, calendar), calendar, classes, pools)

    def units(self, project: str, machine: Machine) -> tuple[Unit, ...]:
        """Return what commitments can cover of a machine."""
        if machine.is_spot:
            return ()
        return self._market.units_of(project, machine.region, machine.machine_type)

    def _units(self, of: GroupClass, candidate: Candidate) -> tuple[Unit, ...]:
        return self.units(of.project, candidate.machine)

    def _classes(
        self,
        needs: Sequence[FleetNeed],
        candidates: Sequence[tuple[Candidate, ...]],
        calendar: Calendar,
        *,
        is_pruned: bool,
    ) -> tuple[GroupClass, ...]:
        alike: dict[tuple[int, Profile, str], tuple[Candidate, ...]] = {}
        keys = []
        for need, found in zip(needs, candidates, strict=True):
            key = (id(found), profile_of(need), self._market.project(need))
            keys.append(key)
            alike[key] = found
        for (_, _, project), found in alike.items():
            self._learn(project, found)
        for key, found in alike.items():
            if is_pruned and not self._limits:
                alike[key] = self._pruned(found, key[1], key[2], calendar)
        of_menu = {key: _menu(found) for key, found in alike.items()}
        menus = {menu: alike[key] for key, menu in of_menu.items()}
        number = {menu: at for at, menu in enumerate(sorted(menus))}
        place = {key: (number[menu], *_place(key)) for key, menu in of_menu.items()}
        members: dict[tuple[int, tuple[str, Profile], int], list[int]] = {}
        for at, (need, key) in enumerate(zip(needs, keys, strict=True)):
            menu_at, where = place[key]
            members.setdefault((menu_at, where, need.count), []).append(at)
        by_number = dict(enumerate(menus[menu] for menu in sorted(menus)))
        return tuple(
            GroupClass(where[1], count, where[0], by_number[menu_at], tuple(places))
            for (menu_at, where, count), places in sorted(members.items(), key=_order)
        )

    def _learn(self, project: str, candidates: tuple[Candidate, ...]) -> None:
        for candidate in candidates:
            for unit in self.units(project, candidate.machine):
                rate, spend = self._rates.get(unit.key, (unit.rate, unit.spend_usd))
                least = min(rate, unit.rate, key=lambda one: one.usd)
                self._rates[unit.key] = least, min(spend, unit.spend_usd)

    def learn(self, needs: Sequence[FleetNeed], chosen: Sequence[Candidate]) -> None:
        """Take note of what commitments can cover of machines that no class may become.

        A pool that is known keeps its rate: bills of one fleet compare.
        """
        for need, candidate in zip(needs, chosen, strict=True):
            for unit in self.units(self._market.project(need), candidate.machine):
                self._rates.setdefault(unit.key, (unit.rate, unit.spend_usd))

    def rate(self, key: PoolKey) -> Rate:
        """Return what an hour of a covered unit no longer costs."""
        return self._rates[key][0]

    def credit(self, key: PoolKey) -> tuple[Decimal, Decimal]:
        """Return what a covered unit of a pool no longer costs an hour, and its spend."""
        rate, spend = self._rates[key]
        return rate.usd, spend

    def terms(self, key: PoolKey) -> PoolTerms:
        """Return what commitments do in a pool."""
        credit, spend = self.credit(key)
        fees = (self._market.fee(key, years) for years in self._market.years)
        return PoolTerms(
            existing=float(self._market.committed(key)),
            fees=tuple(float(fee.usd) if fee is not None else np.inf for fee in fees),
            credit=float(credit),
            spend=float(spend),
            spend_credit=float(credit / spend) if spend else 0.0,
            step=float(STEPS[key.resource]),
        )

    @property
    def _flexible(self) -> tuple[float, ...]:
        ratios = self._market.flexible
        return tuple(float(ratios.get(years, np.inf)) for years in self._market.years)

    def _pruned(
        self, found: tuple[Candidate, ...], profile: Profile, project: str, calendar: Calendar
    ) -> tuple[Candidate, ...]:
        """Return the candidates that may be in a best plan.

        Not in one is what costs more at its best (every unit covered at the lowest fee) than
        another at its worst (on demand, or with commitments of its own), and what has more of
        everything than another of its series and costs more.
        """
        if len(found) == 1:
            return found
        place = calendar.place[profile]
        covered = float(sum(s.hours_per_month for s in calendar.stretches if place in s.profiles))
        usd = np.array(
            [self._costs.usd(c.machine, profile) + float(c.move_usd) for c in found]
        )
        best, worst = usd.copy(), usd.copy()
        rest = usd.copy()
        units = np.zeros((len(found), 2))
        for at, candidate in enumerate(found):
            for unit in self.units(project, candidate.machine):
                units[at, _SIDES[unit.key.resource]] = float(unit.units)
                most, least = self._savings(unit, covered)
                rest[at] -= float(unit.units) * covered * float(self.credit(unit.key)[0])
                best[at] -= most
                worst[at] -= least
        first = int(np.argmin(worst))
        kept = best < worst[first] - _EQUAL_USD
        kept[first] = True
        series = np.array([c.machine.series for c in found])
        _drop_dominated(kept, series, rest, units)
        return tuple(found[at] for at in np.flatnonzero(kept))

    def _savings(self, unit: Unit, covered: float) -> tuple[float, float]:
        """Return the most that cover of a machine's units can save a month, and a sure least."""
        terms = self.terms(unit.key)
        count = float(unit.units)
        fee, ratio = min(terms.fees, default=np.inf), min(self._flexible, default=np.inf)
        rate = float(unit.rate.usd)
        spend = terms.spend * terms.spend_credit
        per_hour = (
            rate if terms.existing else rate - fee,
            spend if self._flexible_existing else spend - terms.spend * ratio,
        )
        most = count * covered * max(0.0, *per_hour)
        sold = np.floor(count / terms.step + 1e-9) * terms.step
        own = [0.0]
        if np.isfinite(fee):
            own.append(sold * (terms.credit * covered - fee * HOURS_PER_MONTH))
        if np.isfinite(ratio) and terms.spend:
            own.append(count * (spend * covered - terms.spend * ratio * HOURS_PER_MONTH))
        return most, max(own)

    def _program(
        self, classes: tuple[GroupClass, ...], pools: tuple[PoolKey, ...], calendar: Calendar
    ) -> Program:
        place = {key: at for at, key in enumerate(pools)}
        columns = [(c, one) for c in classes for one in c.candidates]
        pool = np.full((len(columns), 2), NONE, dtype=np.intp)
        units = np.zeros((len(columns), 2))
        limit_of = np.full(len(columns), NONE, dtype=np.intp)
        usd = np.zeros(len(columns))
        vcpus = np.zeros(len(columns))
        for at, (of, candidate) in enumerate(columns):
            each = of.machines_each
            machine = candidate.machine
            usd[at] = each * (self._costs.usd(machine, of.profile) + float(candidate.move_usd))
            vcpus[at] = each * machine.shape.vcpus
            for limit_at, limit in enumerate(self._limits):
                if (limit.region, limit.series) == (machine.region, machine.series):
                    limit_of[at] = limit_at
            for unit in self._units(of, candidate):
                side = _SIDES[unit.key.resource]
                pool[at, side] = place[unit.key]
                units[at, side] = each * float(unit.units)
        stretches = calendar.stretches
        runs = np.zeros((len(calendar.profiles), len(stretches)), dtype=bool)
        for at, stretch in enumerate(stretches):
            runs[list(stretch.profiles), at] = True
        return Program(
            group_counts=np.array([len(c.members) for c in classes], dtype=np.intp),
            profile=np.array([calendar.place[c.profile] for c in classes], dtype=np.intp),
            start=np.cumsum([0, *(len(c.candidates) for c in classes)]),
            usd=usd,
            pool=pool,
            units=units,
            limit_of=limit_of,
            limit_units=vcpus,
            limits=np.array([limit.vcpus for limit in self._limits], dtype=float),
            hours=np.array([float(s.hours_per_month) for s in stretches]),
            runs=runs,
            pools=tuple(self.terms(key) for key in pools),
            flexible=self._flexible,
            flexible_existing=float(self._flexible_existing),
        )


def _drop_dominated(
    kept: NDArray[np.bool_], series: NDArray[np.str_], rest: Floats, units: Floats
) -> None:
    """Drop what another of its series undercuts, in units and in the rest of its price alike.

    A unit costs something between nothing and its price on demand, whatever covers it; the rest is
    what no commitment covers.
    """
    for name in np.unique(series[kept]):
        at = np.flatnonzero(kept & (series == name))
        u, r = units[at], rest[at]
        no_more = (u[None, :, :] <= u[:, None, :]).all(axis=2)
        no_more &= r[None, :] <= r[:, None] + _EQUAL_USD
        same = no_more & no_more.T
        # Of equal ones the first stays.
        no_more &= ~same | (np.arange(len(at))[None, :] < np.arange(len(at))[:, None])
        kept[at[no_more.any(axis=1)]] = False


Menu = tuple[tuple[str | bool | Decimal, ...], ...]


def _menu(candidates: tuple[Candidate, ...]) -> Menu:
    """Return what tells candidates from others, for an order that the input's has no part in."""
    return tuple((*c.machine.key, c.move_usd, c.to_check) for c in candidates)


def _place(key: tuple[int, Profile, str]) -> tuple[tuple[str, Profile]]:
    _, profile, project = key
    return ((project, profile),)


def _order(item: tuple[tuple[int, tuple[str, Profile], int], list[int]]) -> tuple[object, ...]:
    (menu, (project, profile), count), _ = item
    return menu, project, sorted(profile.active), profile.hours_per_month, count
