"""The bill of a month: what the tables of machines, traffic and services come to together."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.judging.machine_table import machine_rows
from netplan_planner.judging.services import SOLE_TENANT_NODES, network_services
from netplan_planner.ledger.resources import (
    MachineCosts,
    address_lines,
    idle_addresses,
    unused_address_lines,
)
from netplan_planner.model.report_rows import MonthBill, unpriced_span
from netplan_planner.optimise.commitment_types import is_pending
from netplan_planner.planning.fleet.standing import why_no_price
from netplan_planner.planning.traffic_totals import traffic_by_class

_ZERO = Decimal(0)


class Tables(NamedTuple):
    """What of a report is about money."""

    machines: tuple[model.MachineRow, ...]
    classes: tuple[model.ClassTotal, ...]
    services: tuple[model.ServiceTotal, ...]
    has_traffic: bool
    idle_usd: Decimal = _ZERO
    """Of reserved addresses that nothing has."""
    unpriced_address_count: int = 0
    """Of those, without a known price."""
    free: "FreeHours | None" = None
    """What is free of addresses in use."""

    @property
    def unpriced(self) -> list[model.Unpriced]:
        """What of traffic and services has no known price."""
        of_classes = [part for one in self.classes for part in one.unpriced]
        return of_classes + [part for one in self.services for part in one.unpriced]


def tables_of(facts: model.Facts) -> Tables:
    """Return what facts cost, table by table."""
    classes, services = traffic_by_class(facts), network_services(facts)
    idle, unpriced = _ZERO, 0
    for address in idle_addresses(facts):
        try:
            idle += model.total_usd(unused_address_lines(facts, address.ref.self_link))
        except MissingDatum:
            unpriced += 1
    has_traffic, rows = facts.traffic is not None, machine_rows(facts)
    free = _free_hours(facts, rows)
    return Tables(rows, classes, services, has_traffic, idle, unpriced, free)


class FreeHours(NamedTuple):
    """Hours of addresses that are free, in which projects of a billing account share."""

    note: str
    most_usd: Decimal
    """What they take off if no other project uses any of them."""


def _free_hours(facts: model.Facts, rows: Sequence[model.MachineRow]) -> FreeHours | None:
    """Return which hours are free of the addresses that machines pay for.

    They are steps of one SKU, counted by billing account and month (Cloud Billing Catalog API,
    `aggregationInfo` of "External IP Charge on a Standard VM", 2026-04-30).
    """
    use = model.AddressUse.STANDARD_VM
    paid = [
        (machine.region, row.address_usd_per_month)
        for machine, row in zip(facts.inventory.instances, rows, strict=True)
        if row.address_usd_per_month and machine.is_to_run and not machine.is_spot
    ]
    if not paid:
        return None
    price = facts.prices.external_address(use, paid[0][0])
    steps = facts.prices.external_address_tiers(use, paid[0][0])
    free_h = next((step.start for step in steps if step.price.usd), _ZERO)
    note = f"the first {free_h:f} hours of a month are free" if free_h else ""
    return FreeHours(note, min(_sum(usd for _, usd in paid), free_h * price.usd))


def lines_of(facts: model.Facts, tables: Tables) -> Iterator[model.LineItem]:
    """Yield the lines of a bill, of machines those that have a known price."""
    costs = MachineCosts(facts)
    for machine in facts.inventory.instances:
        for ask in (costs.lines, partial(address_lines, facts)):
            with suppress(MissingDatum):
                yield from ask(machine)
    for total in tables.classes:
        yield from total.line_items
    for service in tables.services:
        yield from service.line_items


class Committed(NamedTuple):
    """What commitments make of a bill."""

    usd: Decimal | None
    """Their fees less what they cover; None: not known."""
    unknown: str = ""


def committed(facts: model.Facts, uses: Sequence[model.CommitmentUse]) -> Committed:
    """Return what commitments add to the price of machines, which is that without any.

    Args:
        facts: The machines.
        uses: Every commitment that was read, with its fee.
    """
    if facts.prices.flexible is not None:
        return Committed(None, "what flexible commitments cover is in the billing export alone")
    in_force = [use for use in uses if use.state == "active"]
    active = [part for use in in_force for part in use.parts]
    unknown = next((use.note for use in in_force if not use.parts and "not known" in use.note), "")
    if unknown:
        return Committed(None, unknown)
    if not active:
        return Committed(_ZERO)
    if any(part.usd_per_month is None for part in active):
        return Committed(None, "the fee of a commitment is not known")
    fees = sum((part.usd_per_month or _ZERO for part in active), _ZERO)
    # What begins within days is on no bill yet.
    begun = tuple(one for one in facts.inventory.commitments if not is_pending(one))
    ledger = facts.machines.ledger(replace(facts.inventory, commitments=begun), facts.today)
    covered = _ZERO
    running = [one for one in facts.inventory.instances if one.is_to_run]
    # What a machine without a known price is spared is in no sum either: commitments serve others.
    for instance in sorted(running, key=lambda one: not why_no_price(facts, one)):
        gone = model.MachineChange(instance=instance, machine_type=None)
        cover = ledger.change(gone)
        if cover.unknown:
            return Committed(None, cover.unknown)
        if not why_no_price(facts, instance):
            covered -= model.total_usd(cover.items)
        ledger.take(gone)
    return Committed(fees - covered)


def month_bill(tables: Tables, commitments: Committed) -> MonthBill:
    """Return the sums of a month; what has no price is counted beside them."""
    rows = tables.machines
    unpriced = tables.unpriced
    low, high = unpriced_span(unpriced)
    nodes = _sum(one.usd_per_month for one in tables.services if one.service == SOLE_TENANT_NODES)
    return MonthBill(
        machines_usd=_sum(row.machine_usd_per_month for row in rows) + nodes,
        addresses_usd=_sum(row.address_usd_per_month for row in rows) + tables.idle_usd,
        traffic_usd=_sum(one.usd_per_month for one in tables.classes)
        if tables.has_traffic
        else None,
        services_usd=_sum(one.usd_per_month for one in tables.services) - nodes,
        commitments_usd=commitments.usd,
        commitments_unknown=commitments.unknown,
        addresses_note=tables.free.note if tables.free is not None else "",
        addresses_free_usd=tables.free.most_usd if tables.free is not None else _ZERO,
        unpriced_machine_count=sum(bool(row.price_unknown) for row in rows),
        unpriced_address_count=tables.unpriced_address_count,
        unpriced_low_usd=low,
        unpriced_high_usd=high,
        unpriced_gib=sum((part.quantity for one in tables.classes for part in one.unpriced), _ZERO),
    )


def _sum(amounts: Iterable[Decimal | None]) -> Decimal:
    return sum((one for one in amounts if one is not None), _ZERO)
