"""The commitments of an inventory as a table: what is paid, used, and paid for nothing."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.optimise.commitment_changes import covers_of
from netplan_planner.optimise.commitment_types import (
    LICENCE,
    coverage_of,
    is_active,
    plan_of,
    state_of,
)
from netplan_planner.optimise.commitments import Cover, Pool, Resource, Uses
from netplan_planner.units import HOURS_PER_MONTH

_USAGES = {"TWELVE_MONTH": model.Usage.CUD_1Y, "THIRTY_SIX_MONTH": model.Usage.CUD_3Y}
_COMPONENTS = {Resource.VCPU: "core", Resource.MEMORY: "ram"}
_MIB_PER_GIB = 1024
_OPEN_SCOPE = (
    "shown assuming that all projects read share them; whether the billing account does so is"
    " unknown (--commitment-scope)"
)
_BEYOND = "projects of the billing account that were not read may use the rest"

Shares = dict[Resource, Decimal]


def commitment_uses(
    inventory: model.Inventory, prices: model.PriceBook, today: date, scope: model.CommitmentScope
) -> tuple[model.CommitmentUse, ...]:
    """Return every commitment that was read, those in force first, the most unused money first.

    Several commitments for one series and place are filled in the order in which they end. Google
    does not say which it fills first; only their sum matters to a bill.
    """
    # Of two ways of sharing the last is the wider one.
    covers = covers_of(inventory, Uses(prices), today, scope)
    cover = covers[-1]
    used = _shares(cover)
    found = []
    for commitment in inventory.commitments:
        pool = _pool(cover, commitment) if is_active(commitment, today) else None
        note = _note(commitment, pool, scope, is_open=len(covers) > 1)
        parts = _parts(commitment, pool, used.get(commitment.ref.self_link), prices)
        found.append(_use(commitment, pool, parts, note, today))
    return tuple(sorted(found, key=_order))


def _order(use: model.CommitmentUse) -> tuple[bool, Decimal, str, str, tuple[str, ...], str]:
    unused = sum((p.stranded_usd_per_month or Decimal(0) for p in use.parts), Decimal(0))
    return use.state != "active", -unused, use.project, use.region, use.series, use.name


def _pool(cover: Cover, commitment: model.Commitment) -> Pool | None:
    series = coverage_of(commitment).series
    return cover.pool(commitment.project, commitment.region, series[0]) if series else None


def _shares(cover: Cover) -> dict[str, Shares]:
    """Return what of each commitment is used, by its link; none where it cannot be known."""
    found: dict[str, Shares] = {}
    for pool in cover.pools.values():
        if pool.doubts:
            continue
        left = _demand(pool)
        for commitment in sorted(pool.commitments, key=_end):
            shares = {}
            for resource, committed in _committed(commitment).items():
                shares[resource] = min(committed, left[resource])
                left[resource] -= shares[resource]
            found[commitment.ref.self_link] = shares
    return found


def _end(commitment: model.Commitment) -> tuple[bool, str, str]:
    ends = commitment.ends
    return ends is None, ends.isoformat() if ends else "", commitment.ref.self_link


def _demand(pool: Pool) -> Shares:
    total: Shares = defaultdict(Decimal)
    for (resource, _), units in pool.demand.items():
        total[resource] += units
    return total


def _committed(commitment: model.Commitment) -> Shares:
    vcpus = Decimal(commitment.vcpu_count or 0)
    memory = Decimal(commitment.memory_mib or 0) / _MIB_PER_GIB
    amounts = {Resource.VCPU: vcpus, Resource.MEMORY: memory}
    return {resource: amount for resource, amount in amounts.items() if amount}


def _note(
    commitment: model.Commitment, pool: Pool | None, scope: model.CommitmentScope, *, is_open: bool
) -> str:
    doubts = pool.doubts if pool is not None else {coverage_of(commitment).doubt}
    said = [f"unknown: {doubt}" for doubt in sorted(filter(None, doubts))]
    if commitment.category == LICENCE:
        said.append("for licenses, not for VMs")
    if commitment.others:
        said.append(f"also commits {', '.join(commitment.others)}, which is not counted here")
    if pool is not None and is_open:
        said.append(_OPEN_SCOPE)
    if pool is not None and scope is model.CommitmentScope.BILLING_ACCOUNT:
        said.append(_BEYOND)
    return "; ".join(said)


def _use(
    commitment: model.Commitment,
    pool: Pool | None,
    parts: Iterable[model.CommittedPart],
    note: str,
    today: date,
) -> model.CommitmentUse:
    return model.taken(
        model.CommitmentUse,
        commitment,
        resource=commitment.ref,
        series=coverage_of(commitment).series,
        plan=plan_of(commitment),
        state=state_of(commitment, today),
        ends=commitment.ends.date() if commitment.ends is not None else None,
        machine_count=pool.machine_count if pool is not None and not pool.doubts else None,
        parts=tuple(parts),
        note=note,
    )


def _parts(
    commitment: model.Commitment, pool: Pool | None, used: Shares | None, prices: model.PriceBook
) -> Iterable[model.CommittedPart]:
    rates = _rates(commitment, prices) if pool is not None else {}
    needed = _demand(pool) if pool is not None and used is not None else None
    for resource, committed in _committed(commitment).items():
        mine = used[resource] if used is not None else None
        rate = rates.get(resource)
        line = _fee(commitment, resource, committed, rate) if rate is not None else None
        stranded = committed - mine if mine is not None else None
        yield model.CommittedPart(
            resource=resource.value,
            unit=resource.unit,
            committed=committed,
            used=mine,
            stranded=stranded,
            demand=needed[resource] if needed is not None else None,
            usd_per_month=line.usd_per_month if line is not None else None,
            stranded_usd_per_month=stranded * HOURS_PER_MONTH * rate.usd
            if stranded is not None and rate is not None
            else None,
            line_item=line,
        )


def _fee(
    commitment: model.Commitment, resource: Resource, committed: Decimal, rate: "_Fee"
) -> model.LineItem:
    hours = committed * HOURS_PER_MONTH
    return model.LineItem(
        name=f"commitment {commitment.name}, {resource.value}, {plan_of(commitment)}",
        quantity=hours,
        unit=rate.part.unit,
        unit_price_usd=rate.usd,
        usd_per_month=hours * rate.usd,
        as_of=rate.part.as_of,
        source=rate.source,
        sku_id=rate.part.sku_id,
    )


class _Fee(NamedTuple):
    """What an hour of a committed unit costs."""

    part: model.PricePart
    source: str

    @property
    def usd(self) -> Decimal:
        return self.part.unit_price_usd * self.part.ratio


def _rates(commitment: model.Commitment, prices: model.PriceBook) -> dict[Resource, _Fee]:
    """Return what an hour of each resource costs, from any type of the series; none: not known."""
    usage = _USAGES.get(commitment.plan or "")
    series = coverage_of(commitment).series
    if usage is None or not series:
        return {}
    try:
        offered = prices.offered(commitment.region)
    except MissingDatum:
        return {}
    for shape in offered:
        if model.series_of(shape.machine_type) not in series or shape.is_shared_core:
            continue
        try:
            price = prices.machine(commitment.region, shape.machine_type, usage)
        except MissingDatum:
            continue
        by_component = {part.component: part for part in price.parts}
        found = {
            resource: _Fee(by_component[component], price.source)
            for resource, component in _COMPONENTS.items()
            if component in by_component
        }
        if len(found) == len(_COMPONENTS):
            return found
    return {}
