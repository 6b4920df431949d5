"""The candidates of a fleet as arrays, each once, so that thousands of groups are judged quickly.

Arrays cross modules here: candidates by their number, pools by theirs, sides are vCPUs and memory.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import PriceBook
from netplan_planner.optimise.commitments import Rate, Resource
from netplan_planner.planning.fleet.market import STEPS, Market, PoolKey, Unit
from netplan_planner.planning.fleet.need import Candidate, Machine, Profile, gpu_ratio, hourly_lines
from netplan_planner.planning.fleet.program import NONE, Floats, Places, PoolTerms
from netplan_planner.units import HOURS_PER_MONTH

SIDES = (Resource.VCPU, Resource.MEMORY)


class Columns(NamedTuple):
    """What is known of every candidate, before hours count."""

    hourly: Floats
    """Dollars an hour on demand, before any discount; as Spot for Spot."""
    discount: Places
    """The discount for sustained use that it has, by number."""
    fee: Floats
    """Dollars an hour of a Tier_1 fee and Local SSDs."""
    gpus: Floats
    """Dollars an hour of GPUs, before the discount that they have for themselves."""
    move: Floats
    """Dollars a month that its move is priced at, and must save besides."""
    pool: Places
    """Candidates × sides."""
    units: Floats
    """Candidates × sides."""
    vcpus: Floats
    series: Places


class Sheet:
    """Numbers candidates and pools, in the order in which they come."""

    def __init__(self, prices: PriceBook, market: Market) -> None:
        self._prices = prices
        self._market = market
        self.candidates: list[Candidate] = []
        self.projects: list[str] = []
        self._number: dict[tuple[str, int], int] = {}
        self._menus: dict[tuple[str, int], Places] = {}
        self._kept: list[tuple[Candidate, ...]] = []
        self._rates: dict[PoolKey, Rate] = {}
        self._rows: list[tuple[float, int, float, float, float, float, int]] = []
        self._sides: list[tuple[tuple[int, float], tuple[int, float]]] = []
        self._discounts: dict[str, int] = {}
        self._discounted: list[Machine] = []
        self._series: dict[str, int] = {}
        self.pools: list[PoolKey] = []
        self._pool_at: dict[PoolKey, int] = {}
        self._columns: Columns | None = None
        self._terms: dict[PoolKey, PoolTerms] = {}
        self._ratios: dict[float, Floats] = {}

    def menu(self, project: str, candidates: tuple[Candidate, ...]) -> Places:
        """Return the numbers of candidates, which are learnt where they are new."""
        key = project, id(candidates)
        found = self._menus.get(key)
        if found is None:
            numbers = [self._number.get((project, id(one))) for one in candidates]
            found = self._menus[key] = np.array(
                [
                    self._learn(project, one) if at is None else at
                    for at, one in zip(numbers, candidates, strict=True)
                ],
                dtype=np.intp,
            )
            self._kept.append(candidates)
        return found

    def _learn(self, project: str, candidate: Candidate) -> int:
        machine = candidate.machine
        at = self._number[project, id(candidate)] = len(self.candidates)
        self.candidates.append(candidate)
        self.projects.append(project)
        self._columns = None
        # Types of a series have one discount, but for those on shared cores; Spot has none.
        named = machine.machine_type if machine.shape.is_shared_core else machine.series
        discount = self._discounts.setdefault(
            "" if machine.is_spot else named, len(self._discounts)
        )
        if discount == len(self._discounted):
            self._discounted.append(machine)
            self._ratios.clear()
        gpus = machine.bill.gpus
        fees = sum((one.unit_price_usd * one.quantity for one in hourly_lines(machine)), Decimal(0))
        self._rows.append(
            (
                float(machine.bill.machine.unit_price_usd),
                discount,
                float(fees) / HOURS_PER_MONTH,
                float(gpus.usd_per_month) / HOURS_PER_MONTH if gpus is not None else 0.0,
                float(candidate.move_usd + candidate.at_list_usd + candidate.least_usd),
                float(machine.shape.vcpus),
                self._series.setdefault(machine.series, len(self._series)),
            )
        )
        sides = [(NONE, 0.0), (NONE, 0.0)]
        for unit in self.units(project, candidate):
            pool = self._pool(unit)
            sides[SIDES.index(unit.key.resource)] = (pool, float(unit.units))
        self._sides.append((sides[0], sides[1]))
        return at

    def _pool(self, unit: Unit) -> int:
        self._rates.setdefault(unit.key, unit.rate)
        if unit.key not in self._pool_at:
            self._pool_at[unit.key] = len(self.pools)
            self.pools.append(unit.key)
        return self._pool_at[unit.key]

    def units(self, project: str, one: Candidate) -> tuple[Unit, ...]:
        """Return what commitments can cover of a machine, at the prices that it is charged at."""
        if one.machine.is_spot:
            return ()
        basis = one.is_at_list, one.charged_ratio
        return self._market.units_of(project, one.machine.region, one.machine.machine_type, *basis)

    def rate(self, key: PoolKey) -> Rate:
        """Return where the price of a pool's units comes from."""
        return self._rates[key]

    def terms(self, key: PoolKey) -> PoolTerms:
        """Return what commitments do in a pool."""
        credit, spend = key.rate_usd, key.spend_usd
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
    def flexible(self) -> tuple[float, ...]:
        """What flexible commitments leave of a dollar of spend, by the years of the market."""
        ratios = self._market.flexible
        return tuple(float(ratios.get(years, np.inf)) for years in self._market.years)

    @property
    def columns(self) -> Columns:
        """All candidates that are learnt."""
        if self._columns is None:
            hourly, discount, fee, gpus, move, vcpus, series = zip(*self._rows, strict=True)
            sides = np.array(self._sides).reshape(-1, 2, 2)
            self._columns = Columns(
                hourly=np.array(hourly),
                discount=np.array(discount, dtype=np.intp),
                fee=np.array(fee),
                gpus=np.array(gpus),
                move=np.array(move),
                pool=sides[:, :, 0].astype(np.intp),
                units=sides[:, :, 1],
                vcpus=np.array(vcpus),
                series=np.array(series, dtype=np.intp),
            )
        return self._columns

    def usd(self, menu: Places, profile: Profile) -> Floats:
        """Return dollars a month of one machine of each candidate, nothing of it covered."""
        columns = self.columns
        ratio = self._ratio(profile.month_ratio)[columns.discount[menu]]
        hourly = columns.hourly[menu] * ratio + columns.fee[menu]
        if columns.gpus[menu].any():
            left = [
                float(gpu_ratio(self._prices, self.candidates[at].machine, profile.month_ratio))
                for at in menu.tolist()
            ]
            hourly += columns.gpus[menu] * np.array(left)
        return hourly * float(profile.hours_per_month)

    def _ratio(self, month_ratio: float) -> Floats:
        """Return what discounts for sustained use leave, by their number."""
        found = self._ratios.get(month_ratio)
        if found is None:
            asked = (
                1.0
                if one.is_spot
                else float(self._prices.sustained_use_ratio(one.machine_type, month_ratio))
                for one in self._discounted
            )
            found = self._ratios[month_ratio] = np.array(list(asked))
        return found


class Savings:
    """What cover can save of candidates at most, and for sure; for a sheet that learns no more."""

    def __init__(self, sheet: Sheet, *, has_flexible: bool) -> None:
        terms = [sheet.terms(key) for key in sheet.pools]
        ratio = min(sheet.flexible, default=np.inf)
        self._fee = np.array([min(one.fees, default=np.inf) for one in terms] or [np.inf])
        self._step = np.array([one.step for one in terms] or [1.0])
        self._credit = np.array([one.credit for one in terms] or [0.0])
        spend = np.array([one.spend for one in terms] or [0.0])
        self._spend_credit = np.array([one.spend * one.spend_credit for one in terms] or [0.0])
        with np.errstate(invalid="ignore"):
            self._spend_fee = np.where(spend > 0, spend * ratio, np.inf)
        has = np.array([one.existing > 0 for one in terms] or [False])
        self._least_fee = np.where(has, 0.0, self._fee)
        self._least_spend_fee = np.where(
            spend > 0, 0.0 if has_flexible else self._spend_fee, np.inf
        )
        self._columns = sheet.columns

    def of(self, menu: Places, covered: float) -> tuple[Floats, Floats, Floats]:
        """Return dollars a month: saved at most, saved for sure, saved if cover were free.

        Args:
            menu: Candidates.
            covered: Hours a month that commitments can cover.
        """
        pool = self._columns.pool[menu]
        units = self._columns.units[menu]
        rate = self._credit[pool]
        spent = self._spend_credit[pool]
        most = np.maximum(rate - self._least_fee[pool], spent - self._least_spend_fee[pool])
        most = np.maximum(most, 0.0) * units * covered
        step = self._step[pool]
        sold = np.floor(units / step + 1e-9) * step
        own = sold * (self._credit[pool] * covered - _finite(self._fee[pool]) * HOURS_PER_MONTH)
        own_spend = units * (spent * covered - _finite(self._spend_fee[pool]) * HOURS_PER_MONTH)
        sure = np.maximum(np.maximum(own, own_spend), 0.0)
        free = units * covered * self._credit[pool]
        return most.sum(axis=1), sure.sum(axis=1), free.sum(axis=1)


def _finite(values: Floats) -> Floats:
    """Return fees with a great one for what is not sold: 0 units of it still cost 0."""
    return np.where(np.isinf(values), 1e12, values)


def undominated(kept: NDArray[np.bool_], kind: Places, rest: Floats, units: Floats) -> None:
    """Drop what another of its kind undercuts, in units and in the rest of its price alike.

    A unit costs something between nothing and its price on demand, whatever covers it; the rest is
    what no commitment covers.
    """
    at = np.flatnonzero(kept)
    u, r, k = units[at], rest[at], kind[at]
    no_more = (u[None, :, :] <= u[:, None, :]).all(axis=2)
    no_more &= (r[None, :] <= r[:, None] + 1e-7) & (k[None, :] == k[:, None]).all(axis=2)
    same = no_more & no_more.T
    # Of equal ones the first stays.
    no_more &= ~same | (np.arange(len(at))[None, :] < np.arange(len(at))[:, None])
    kept[at[no_more.any(axis=1)]] = False


def numbers_of(menus: Sequence[Places]) -> Places:
    """Return several menus behind one another."""
    return np.concatenate(menus) if menus else np.zeros(0, dtype=np.intp)
