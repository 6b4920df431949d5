"""What commitments cost and cover, by project, region and series, for the machines of a fleet.

Resource-based commitments are for a series in a region, for vCPUs and memory each by itself, and
are paid in every hour of the term; what they cover has no sustained-use discount (sources:
`optimise.commitments`). A flexible commitment covers an amount of eligible spend each hour, in any
region and series that it is documented for, after resource-based ones (sources:
`optimise.flexible_commitments`). vCPUs are sold whole, memory in multiples of 256 MiB
(cloud.google.com/python/docs/reference/compute, ResourceCommitment, read 2026-11-23).
"""

from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    SPEND_UNIT,
    FlexibleUse,
    LineItem,
    PriceBook,
    PricePart,
    Usage,
    series_of,
)
from netplan_planner.optimise.commitment_types import BARE_TYPES
from netplan_planner.optimise.commitments import ANY_PROJECT, Rate, Resource, Uses
from netplan_planner.planning.fleet.need import CommitmentChoice, FleetNeed
from netplan_planner.units import HOURS_PER_MONTH

STEPS = {Resource.VCPU: Decimal(1), Resource.MEMORY: Decimal("0.25")}
"""In which commitments are sold: vCPUs, GiB."""
_USAGES = {1: Usage.CUD_1Y, 3: Usage.CUD_3Y}
TERMS = tuple(_USAGES)
"""Years for which commitments are sold."""
_COMPONENTS = {Resource.VCPU: "core", Resource.MEMORY: "ram"}
_FAMILIES = {one: series for series in BARE_TYPES.values() for one in series}


class PoolKey(NamedTuple):
    """Units of one price that commitments of one kind are for."""

    project: str
    region: str
    family: tuple[str, ...]
    resource: Resource
    rate_usd: Decimal = Decimal(0)
    """What an hour of a unit costs less when it is covered."""
    spend_usd: Decimal = Decimal(0)
    """What flexible commitments count for an hour of a unit; 0: they do not cover it."""

    @property
    def sold(self) -> "PoolKey":
        """What is sold of them, for units of all prices."""
        return self._replace(rate_usd=Decimal(0), spend_usd=Decimal(0))


class Existing(NamedTuple):
    """Commitments that are there, of one kind in one place."""

    project: str
    region: str
    family: tuple[str, ...]
    units: tuple[tuple[Resource, Decimal], ...]
    fees: tuple[LineItem, ...] = ()
    """Paid whatever is done; none where their rate is not known."""


class Fee(NamedTuple):
    """What an hour of a committed unit costs."""

    part: PricePart
    source: str

    @property
    def usd(self) -> Decimal:
        """Dollars."""
        return self.part.unit_price_usd * self.part.ratio


class Unit(NamedTuple):
    """So much of a pool that one machine uses while it runs."""

    key: PoolKey
    units: Decimal
    rate: Rate


def family_of(series: str) -> tuple[str, ...]:
    """Return the series that a commitment for one covers.

    >>> family_of("n2"), family_of("m2")
    (('n2',), ('m1', 'm2'))
    """
    return _FAMILIES.get(series, (series,))


class Market:
    """The commitments that may be bought for a fleet, and those that it has."""

    def __init__(
        self,
        prices: PriceBook,
        choice: CommitmentChoice,
        years: tuple[int, ...],
        existing: Iterable[Existing],
        *,
        is_shared: bool,
        flexible_use: FlexibleUse | None = None,
    ) -> None:
        self._prices = prices
        self._uses = {False: Uses(prices), True: Uses(prices.even)}
        self._is_shared = is_shared
        self.years = years
        self.has_resource = choice in {CommitmentChoice.RESOURCE, CommitmentChoice.ALL}
        self.has_flexible = choice in {CommitmentChoice.FLEXIBLE, CommitmentChoice.ALL}
        self.existing = tuple(existing)
        self.flexible_use = flexible_use
        """What flexible commitments that are there did; taken to serve these machines first."""
        self.doubts: set[str] = set()
        """What is not known of what commitments cover; nothing of it is counted."""
        self.flexible: dict[int, Decimal] = {}
        """What is paid of a covered dollar, by the years of the term; found as machines come."""
        self.units_of = lru_cache(None)(self._ask_units)
        self.fees = lru_cache(None)(self._ask_fees)
        self._ratios = lru_cache(None)(self._ask_ratios)

    def project(self, need: FleetNeed) -> str:
        """Return the project whose commitments serve a group."""
        return ANY_PROJECT if self._is_shared else need.project

    @property
    def covered_usd_per_hour(self) -> Decimal:
        """Spend at prices on demand that flexible commitments that are there cover."""
        return _covers(self.flexible_use) / HOURS_PER_MONTH

    def flexible_fee(self, used_usd: Decimal) -> LineItem | None:
        """Return the fee of flexible commitments that are there, for the part used here.

        Other projects of the billing account use the rest, and pay for it.

        Args:
            used_usd: Spend of a month at prices on demand that they cover of these machines.
        """
        use, covers = self.flexible_use, _covers(self.flexible_use)
        if use is None or not used_usd:
            return None
        return LineItem(
            name="existing flexible commitments, for the part that covers these VMs",
            quantity=used_usd,
            unit=SPEND_UNIT,
            unit_price_usd=use.usd_per_month / covers,
            usd_per_month=used_usd * use.usd_per_month / covers,
            as_of=use.end.date(),
            source=use.source,
        )

    def committed(self, key: PoolKey) -> Decimal:
        """Return what is committed of a pool already."""
        found = (
            dict(one.units).get(key.resource, Decimal(0))
            for one in self.existing
            if (one.project, one.region, one.family) == (key.project, key.region, key.family)
        )
        return sum(found, Decimal(0))

    def _ask_units(
        self,
        project: str,
        region: str,
        machine_type: str,
        is_at_list: bool = False,
        charged_ratio: Decimal = Decimal(1),
    ) -> tuple[Unit, ...]:
        """Return what commitments can cover of a machine on demand; none where not known."""
        use = self._uses[is_at_list].of(region, machine_type)
        if use.doubt:
            self.doubts.add(use.doubt)
            return ()
        family = family_of(series_of(machine_type))
        if not self._is_sold(region, machine_type):
            return ()
        prices = self._prices.even if is_at_list else self._prices
        spends = self._spends(prices, region, machine_type)
        return tuple(
            Unit(
                PoolKey(
                    *(project, region, family, resource),
                    rate.usd * charged_ratio,
                    spends.get(resource, Decimal(0)) * charged_ratio,
                ),
                units,
                rate,
            )
            for resource, rate, units in use.units
        )

    def _is_sold(self, region: str, machine_type: str) -> bool:
        """Return whether a machine is covered at the rates of its family.

        Types with rates of their own (A3 Mega) are covered by commitments of their own, which are
        not planned here.
        """
        fees = self.fees(region, family_of(series_of(machine_type)))
        for years, by_resource in fees:
            try:
                price = self._prices.machine(region, machine_type, _USAGES[years])
            except MissingDatum:
                continue
            for part in price.parts:
                resource = next((r for r, c in _COMPONENTS.items() if c == part.component), None)
                known = dict(by_resource).get(resource) if resource else None
                if known is not None and known.part.unit_price_usd != part.unit_price_usd:
                    return False
        return True

    def _ask_fees(
        self, region: str, family: tuple[str, ...]
    ) -> tuple[tuple[int, tuple[tuple[Resource, Fee], ...]], ...]:
        """Return the fees of a family by years and resource, from any type with both."""
        found = []
        for years, usage in _USAGES.items():
            for shape in self._prices.offered(region):
                if series_of(shape.machine_type) not in family or shape.is_shared_core:
                    continue
                try:
                    price = self._prices.machine(region, shape.machine_type, usage)
                except MissingDatum:
                    continue
                parts = {part.component: part for part in price.parts}
                if all(one in parts for one in _COMPONENTS.values()):
                    fees = ((r, Fee(parts[c], price.source)) for r, c in _COMPONENTS.items())
                    found.append((years, tuple(fees)))
                    break
        return tuple(found)

    def fee(self, key: PoolKey, years: int) -> Fee | None:
        """Return the fee of a pool's unit; None: it is not sold, or not to be bought."""
        if not self.has_resource or years not in self.years:
            return None
        by_resource = dict(self.fees(key.region, key.family)).get(years, ())
        return dict(by_resource).get(key.resource)

    def _spends(self, prices: PriceBook, region: str, machine_type: str) -> dict[Resource, Decimal]:
        """Return what flexible commitments count for a unit an hour, where they cover the type."""
        is_counted = self.has_flexible or self.flexible_use is not None
        if not is_counted or not self._ratios(region, series_of(machine_type), machine_type):
            return {}
        price = prices.machine(region, machine_type, Usage.ON_DEMAND)
        found: dict[Resource, Decimal] = {}
        for part in price.parts:
            for resource, component in _COMPONENTS.items():
                if part.component in {component, f"custom_{component}"}:
                    found[resource] = part.unit_price_usd * part.ratio
        return found

    def _ask_ratios(self, region: str, series: str, machine_type: str) -> bool:
        """Return whether flexible commitments cover a type, and learn what they leave."""
        try:
            full = self._prices.machine(region, machine_type, Usage.ON_DEMAND).usd
        except MissingDatum:
            return False
        is_covered = False
        for years in TERMS if self.flexible_use is not None else self.years:
            try:
                paid = self._prices.flexible_commitment(region, machine_type, years)
            except MissingDatum:
                continue
            is_covered = True
            if self.has_flexible and years in self.years:
                left = (paid.usd / full).quantize(Decimal("1e-9")).normalize()
                self.flexible.setdefault(years, left)
        return is_covered


def _covers(use: FlexibleUse | None) -> Decimal:
    """Return the spend of a month that flexible commitments cover or would cover."""
    return Decimal(0) if use is None else use.covered_usd_per_month + use.unused_usd_per_month


def with_quantity(line: LineItem, quantity: Decimal) -> LineItem:
    """Return a line for another number of units."""
    return replace(line, quantity=quantity, usd_per_month=quantity * line.unit_price_usd)


def joined(one: LineItem, other: LineItem) -> LineItem:
    """Return two lines of one price as one."""
    return with_quantity(one, one.quantity + other.quantity)


def credit_line(name: str, quantity: Decimal, unit: str, usd: Decimal, rate: Rate) -> LineItem:
    """Return the line of what is not paid, below 0."""
    return LineItem(
        name=name,
        quantity=quantity,
        unit=unit,
        unit_price_usd=-usd,
        usd_per_month=-usd * quantity,
        as_of=rate.as_of,
        source=rate.source,
        sku_id=rate.sku_id,
    )


def in_project(project: str) -> str:
    """Return the words for a project, none where there is but one."""
    return f", project {project}" if project not in {"", ANY_PROJECT} else ""


def years_text(years: int) -> str:
    """Return a term in words."""
    return "1 year" if years == 1 else f"{years} years"
