"""What commitments cover of the running machines, and what a change of a machine does to it.

Resource-based commitments are paid for their whole term, used or not, and cover vCPUs and memory,
each for itself, of the machines of one series (predefined and custom alike) in one region, up to
the committed amount; the rest is billed on demand, with the sustained-use discount, which covered
usage does not get. So a change moves the bill by the prices of the machines less what they are
covered for, before and after; the fee of the commitment cancels out.

Sources, read 2026-11-22, all below cloud.google.com/compute/docs:

- instances/signing-up-committed-use-discounts: "billed monthly for the resources you purchased, for
  the duration of the term you selected, whether or not you use the services"; "work on all Compute
  Engine non-shared-core machine types, including predefined and custom machine types"; "apply to
  the aggregate number of vCPUs, memory, GPUs and local SSDs within a region".
- sustained-use-discounts: "SUDs don't apply to the resource usage that is already covered by
  committed use discounts".
- committed-use-discounts/share-resource-cuds-across-projects: the scope is the project, or all
  projects of the billing account.

Which of several machines a commitment covers first is not published: it is shared out over them by
their size, which matters only where custom and predefined machines of one series stand together.
Extended memory, GPUs, local SSDs, premiums and Tier_1 fees are not covered here; where a commitment
for GPUs or local SSDs meets a machine that has them, the answer is that it is not known.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.optimise.bill import COMMITTED, machine_price
from netplan_planner.optimise.commitment_types import coverage_of, is_active, is_pending
from netplan_planner.units import HOURS_PER_MONTH

ANY_PROJECT = "*"
_MIB_PER_GIB = 1024
_DIGITS = Decimal("1e-9")
"""Of a share of covered units: a billionth of a vCPU."""
_PREMIUM = "cud_premium_"
_OF_NODES = "what sole-tenant nodes use of commitments"
_METHOD = "regionCommitments"
"""As errors of the Compute API name the list of commitments."""


class Resource(StrEnum):
    """What a commitment covers, each for itself."""

    VCPU = "vCPU"
    MEMORY = "memory"

    @property
    def unit(self) -> str:
        """The unit of its amounts."""
        return "vCPU" if self is Resource.VCPU else "GiB"


_COVERED = {
    "core": Resource.VCPU,
    "custom_core": Resource.VCPU,
    "ram": Resource.MEMORY,
    "custom_ram": Resource.MEMORY,
}
_UNCOVERED = frozenset({"extended_ram", "upgrade_core", "upgrade_ram", "vm"})


class Rate(NamedTuple):
    """What an hour of one unit costs more without cover than with it, the commitment's fee aside.

    For a custom machine that is the price on demand less the premium, which stays.
    """

    usd: Decimal
    unit: str
    as_of: date
    source: str
    sku_id: model.SkuId | None


class Use(NamedTuple):
    """What a machine type uses of commitments, and why that is not the whole answer."""

    units: tuple[tuple[Resource, Rate, Decimal], ...] = ()
    doubt: str = ""
    has_others: bool = False
    """It has GPUs or local SSDs, which commitments may cover too."""


Demand = dict[tuple[Resource, Rate], Decimal]
Key = tuple[str, str, tuple[str, ...]]
"""Project or `ANY_PROJECT`, region, series."""


class Pool:
    """The active commitments of one kind in one place, and the machines that they serve."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.commitments: list[model.Commitment] = []
        self.demand: Demand = {}
        self.machine_count = 0
        self.doubts: set[str] = set()

    @cached_property
    def committed(self) -> dict[Resource, Decimal]:
        """The sum of the commitments."""
        vcpus = sum(c.vcpu_count or 0 for c in self.commitments)
        memory = sum(c.memory_mib or 0 for c in self.commitments)
        return {
            Resource.VCPU: Decimal(vcpus),
            Resource.MEMORY: Decimal(memory) / _MIB_PER_GIB,
        }

    @property
    def names(self) -> str:
        """The commitments in words."""
        names = [c.name for c in self.commitments]
        first = f"commitment {names[0]}"
        return first if len(names) == 1 else f"{first} and {len(names) - 1} more"

    @property
    def paid_until(self) -> str:
        """Until when the last of them is paid, with a space before."""
        ends = [c.ends.date() for c in self.commitments if c.ends is not None]
        if len(ends) < len(self.commitments):
            return " to the end of the term"
        renews = (
            " or longer (it renews itself)" if any(c.is_renewed for c in self.commitments) else ""
        )
        return f" until {max(ends).isoformat()}{renews}"

    def covered(self, demand: Demand) -> Demand:
        """Return the units of a demand that the commitments cover."""
        total: dict[Resource, Decimal] = defaultdict(Decimal)
        for (resource, _), units in demand.items():
            total[resource] += units
        found: Demand = {}
        for (resource, rate), units in demand.items():
            most = self.committed[resource]
            share = units if total[resource] <= most else most
            if total[resource] > most and units != total[resource]:
                share = (units * most / total[resource]).quantize(_DIGITS)
            found[resource, rate] = share
        return found


class Cover:
    """The commitments of an inventory under one way of sharing them between projects."""

    def __init__(
        self, inventory: model.Inventory, uses: "Uses", today: date, *, is_shared: bool
    ) -> None:
        self._is_shared = is_shared
        self._uses = uses
        self._today = today
        self._pools: dict[Key, Pool] = {}
        self._key_by_series: dict[tuple[str, str, str], Key] = {}
        self._doubts: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._others: set[tuple[str, str]] = set()
        self._awaited: dict[tuple[str, str, str], str] = {}
        for commitment in inventory.commitments:
            if is_active(commitment, today):
                self._add(commitment)
            elif is_pending(commitment):
                self._await(commitment)
        self._unread = {
            project.project for project in inventory.projects if _lacks_commitments(project.errors)
        }
        for instance in inventory.instances if self._pools else ():
            self._count(instance)
        for template in inventory.node_templates if self._pools else ():
            self._doubt(template)

    @property
    def pools(self) -> Mapping[Key, Pool]:
        """The pools by place and series."""
        return self._pools

    def _project(self, project: str) -> str:
        return ANY_PROJECT if self._is_shared else project

    def _add(self, commitment: model.Commitment) -> None:
        project, region = self._project(commitment.project), commitment.region
        series, doubt = coverage_of(commitment)
        if commitment.others:
            self._others.add((project, region))
        if not series:
            if doubt:
                self._doubts[project, region].add(doubt)
            return
        key = (project, region, series)
        pool = self._pools.setdefault(key, Pool(key))
        pool.commitments.append(commitment)
        if doubt:
            pool.doubts.add(doubt)
        for one in series:
            self._key_by_series[project, region, one] = key

    def _await(self, commitment: model.Commitment) -> None:
        """Remember what a commitment covers that begins within days."""
        project, region = self._project(commitment.project), commitment.region
        series, doubt = coverage_of(commitment)
        said = f"what commitment {commitment.name} covers, which begins within days"
        if doubt and not series:
            self._doubts[project, region].add(said)
        for one in series:
            self._awaited.setdefault((project, region, one), said)

    def _count(self, instance: model.Instance) -> None:
        """Add a machine to what it uses; stopped and Spot machines use nothing."""
        pool = self.pool(instance.project, instance.region, instance.machine_type)
        if pool is None or instance.is_spot or not instance.is_to_run:
            return
        if instance.is_sole_tenant:
            pool.doubts.add(_OF_NODES)
            return
        use = self._uses.of(instance.region, instance.machine_type)
        if use.doubt:
            pool.doubts.add(use.doubt)
        for resource, rate, units in use.units:
            pool.demand[resource, rate] = pool.demand.get((resource, rate), Decimal(0)) + units
        pool.machine_count += bool(use.units)

    def _doubt(self, template: model.NodeTemplate) -> None:
        """Note that nodes use commitments too, with or without machines on them."""
        pool = self.pool(template.project, template.region, template.node_type or "")
        if pool is not None:
            pool.doubts.add(_OF_NODES)

    def pool(self, project: str, region: str, machine_type: str) -> Pool | None:
        """Return the pool of commitments that may serve a machine."""
        key = self._key_by_series.get(
            (self._project(project), region, model.series_of(machine_type))
        )
        return None if key is None else self._pools[key]

    def doubts(self, instance: model.Instance, region: str, machine_type: str) -> Iterator[str]:
        """Yield why it cannot be known what commitments do for a machine of a type in a region."""
        if instance.project in self._unread:
            yield f"the commitments of project {instance.project}, which could not be read"
        place = (self._project(instance.project), region)
        yield from self._doubts.get(place, ())
        awaited = self._awaited.get((*place, model.series_of(machine_type)))
        if awaited:
            yield awaited
        use = self._uses.of(region, machine_type)
        has_others = use.has_others or instance.gpu_count > 0 or instance.local_ssd_count > 0
        if has_others and place in self._others:
            yield "what commitments for GPUs and local SSDs cover"
        pool = self.pool(instance.project, region, machine_type)
        if pool is not None:
            yield from pool.doubts
            if use.doubt:
                yield use.doubt


def _lacks_commitments(errors: tuple[str, ...]) -> bool:
    return any(_METHOD in error for error in errors)


class Uses:
    """What machine types use of commitments, asked for once."""

    def __init__(self, prices: model.PriceBook) -> None:
        self._prices = prices
        self._found: dict[tuple[str, str], Use] = {}

    def of(self, region: str, machine_type: str) -> Use:
        """Return what one machine of a type uses in a region."""
        found = self._found.get((region, machine_type))
        if found is None:
            found = self._found[region, machine_type] = self._ask(region, machine_type)
        return found

    def _ask(self, region: str, machine_type: str) -> Use:
        shape = self._prices.shape(machine_type)
        if shape is not None and shape.is_shared_core:
            return Use()
        try:
            price = machine_price(self._prices, region, machine_type, model.Usage.SUSTAINED_USE)
            if not price.parts:
                return Use(doubt=f"what a vCPU and a GiB of {machine_type} cost in {region}")
            premiums = self._premiums(region, machine_type, price.parts)
        except MissingDatum as missing:
            return Use(doubt=f"what commitments cover of {machine_type}: {missing}")
        units = tuple(
            (_COVERED[part.component], _rate(part, price.source, premiums), part.quantity)
            for part in price.parts
            if part.component in _COVERED
        )
        others = {part.component for part in price.parts} - set(_COVERED) - _UNCOVERED
        return Use(units=units, has_others=bool(others))

    def _premiums(
        self, region: str, machine_type: str, parts: tuple[model.PricePart, ...]
    ) -> dict[str, Decimal]:
        """Return what a covered unit of each custom part still costs.

        Raises:
            MissingDatum: If the premium of a custom type is not known.
        """
        if not any(part.component.startswith("custom_") for part in parts):
            return {}
        for usage in sorted(COMMITTED):
            try:
                price = self._prices.machine(region, machine_type, usage)
            except MissingDatum as missing:
                why = missing
                continue
            return {
                part.component.removeprefix(_PREMIUM): part.unit_price_usd * part.ratio
                for part in price.parts
                if part.component.startswith(_PREMIUM)
            }
        raise why


def _rate(part: model.PricePart, source: str, premiums: dict[str, Decimal]) -> Rate:
    premium = premiums.get(part.component, Decimal(0))
    return Rate(
        usd=part.unit_price_usd * part.ratio - premium,
        unit=part.unit,
        as_of=part.as_of,
        source=source,
        sku_id=part.sku_id,
    )


def cover_line(pool: Pool, resource: Resource, rate: Rate, units: Decimal) -> model.LineItem:
    """Return the line of units that commitments take over, or leave (below 0), for a month."""
    _, region, series = pool.key
    of = f"{resource} of {'/'.join(series)} in {region}"
    name = (
        f"{of}: covered by {pool.names}, which is not fully used today"
        if units > 0
        else f"{of}: covered by {pool.names}, billed{pool.paid_until} in any case"
    )
    return model.LineItem(
        name=name,
        quantity=units * HOURS_PER_MONTH,
        unit=rate.unit,
        unit_price_usd=rate.usd,
        usd_per_month=units * HOURS_PER_MONTH * rate.usd,
        as_of=rate.as_of,
        source=rate.source,
        sku_id=rate.sku_id,
    )
