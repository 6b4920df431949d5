"""The bill of a month: machines, traffic and services together, and what committing would save."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.judging.fix_gain import scaled
from netplan_planner.judging.services import SOLE_TENANT_NODES, network_services
from netplan_planner.ledger import Ledger
from netplan_planner.ledger.resources import (
    MachineCosts,
    address_lines,
    idle_addresses,
    unused_address_lines,
)
from netplan_planner.model import Change, CommitmentLever, CommitmentScope, Facts, OrderedFix
from netplan_planner.model.project.kubernetes import COMPUTE_ENGINE
from netplan_planner.model.report_rows import MonthBill, unpriced_span
from netplan_planner.optimise.bill import part_of
from netplan_planner.optimise.commitment_types import is_pending
from netplan_planner.planning.fleet.standing import committed as commitments_of
from netplan_planner.planning.fleet.standing import why_no_price
from netplan_planner.planning.traffic_bill import traffic_by_class
from netplan_planner.throughput import deciding_platform, instance_cap
from netplan_planner.world.not_read import groups_not_read

# Regional quotas hold besides the caps of machines. Their values stand in no resource that is read:
# they are named, with what the machines of the region could send together.


REGIONAL_QUOTAS = (
    "GCE VM to internet egress bandwidth",
    "Inter-region network egress bandwidth from Compute instances",
)
"""Per project and region, in Mbit/s, charged to the project of the sender; the first one leaves
traffic to Google APIs out (docs.cloud.google.com/vpc/docs/quota, last updated 2026-04-02)."""


def machine_rows(facts: model.Facts) -> tuple[model.MachineRow, ...]:
    """Return a row for every machine, in the order of the inventory."""
    costs = MachineCosts(facts)
    return tuple(_row(facts, instance, costs) for instance in facts.inventory.instances)


def _row(facts: model.Facts, instance: model.Instance, costs: MachineCosts) -> model.MachineRow:
    cap = None if model.Part.TIER in instance.unknown_parts else instance_cap(instance, facts.caps)
    is_tier1 = instance.bandwidth_tier is model.BandwidthTier.TIER_1
    usd, why = _usd(lambda: costs.lines(instance))
    address_usd, why_address = _usd(lambda: address_lines(facts, instance))
    network = facts.inventory.network_by_link.get(instance.primary_network or "")  # type: ignore[arg-type]
    seen = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    rates = facts.rates_of(instance)
    stated = tuple(dict.fromkeys(nic.nic_type for nic in instance.interfaces if nic.nic_type))
    return model.taken(
        model.MachineRow,
        instance,
        is_tier1=is_tier1,
        egress_gbps=cap.egress_gbps if cap else None,
        egress_source=f"{cap.source}, {cap.as_of.isoformat()}" if cap else "",
        external_gbps=cap.external_gbps if cap else None,
        external_source=cap.external_source if cap else "",
        cap_unknown=cap.unstated
        if cap
        else instance.why_unknown
        or facts.caps.unknown_reason(
            instance.machine_type, tier1=is_tier1, cpu_platform=deciding_platform(instance)
        ),
        egress_p95_gbps=rates.egress.p95_gbps if rates else None,
        egress_max_gbps=rates.egress.max_gbps if rates else None,
        external_p95_gbps=seen.egress_outside_vpc.p95_gbps if seen else None,
        external_max_gbps=seen.egress_outside_vpc.max_gbps if seen else None,
        nic_types=stated,
        nic_types_possible=cap.nic_types if cap else (),
        mtu_bytes=network.mtu_bytes if network is not None else None,
        external_addresses=tuple(_external(instance)),
        machine_usd_per_month=usd,
        address_usd_per_month=address_usd,
        price_unknown="; ".join(filter(None, (why, why_address))),
    )


NOT_KNOWN = "(unknown)"
"""For the address that a planned machine gets."""


def _external(instance: model.Instance) -> Iterator[str]:
    for nic in instance.interfaces:
        yield from filter(None, (nic.external_ipv4, nic.external_ipv6))
    yield from [NOT_KNOWN] * instance.awaited_address_count
    if instance.has_unknown_access:
        yield model.MAYBE_ADDRESS


def _usd(lines: Callable[[], Sequence[model.LineItem]]) -> tuple[Decimal | None, str]:
    """Return what lines come to, or why that is not known."""
    try:
        return model.total_usd(lines()), ""
    except MissingDatum as missing:
        return None, str(missing)


# The lever beside the fixes: what committing to what runs would save, now and after the plan
#
# The machines keep their types; types and commitments together are what `netplan fleet` plans, by
# the same program. What is said of machines as they are is its figure "without moves": with both
# terms as it buys them by itself, with one year alone under `--years 1`.


ONE_YEAR = (1,)
"""The term that binds for the least time."""


def commitment_lever(
    facts: Facts,
    changes: Iterable[Change],
    scope: CommitmentScope,
    years: tuple[int, ...] = ONE_YEAR,
) -> CommitmentLever | None:
    """Return what commitments would save of all machines that run; None: nothing.

    Args:
        facts: The machines, and the commitments that there are.
        changes: What the fixes change, in their order: after them other machines run.
        scope: Whether projects share commitments.
        years: The terms that may be bought.
    """
    now = commitments_of(facts, facts.inventory.instances, scope, years)
    if now is None or now.saved_usd <= 0:
        return None
    ledger = Ledger(facts)
    for change in changes:
        ledger.make(change)
    machines = (ledger.state.machine(one.ref.self_link) for one in facts.inventory.instances)
    left = [one for one in machines if one is not None]
    after = commitments_of(facts, left, scope, years) if ledger.state.machines else now
    return CommitmentLever(
        years=max(years),
        usd_per_month=now.saved_usd,
        most_usd_per_month=now.most_usd,
        paid_usd_per_month=now.paid_usd,
        after_plan_usd_per_month=after.saved_usd if after is not None else Decimal(0),
        commitments=after.commitments if after is not None else (),
        machine_count=now.covered_count,
        managed_machine_count=now.managed_count,
        unpriced_machine_count=now.unpriced_count,
    )


def changes_of(plan: Iterable[OrderedFix]) -> Iterator[Change]:
    """Yield what an order of fixes changes, one change after the other."""
    for fix in plan:
        yield from (one.change for one in fix.changes if one.change is not None)


# The bill of a month: what the tables of machines, traffic and services come to together


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
    machine_parts: tuple[tuple[str, Decimal], ...] = ()
    """What Tier_1, GPUs and Local SSDs are of the price of machines."""
    unlisted: tuple[int, int, int] = (0, 0, 0)
    """Nodes and other machines that were seen, and groups of others: all in no inventory."""

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
    return Tables(
        rows,
        classes,
        services,
        has_traffic,
        idle,
        unpriced,
        free,
        _machine_parts(facts),
        _unlisted(facts),
    )


def _machine_parts(facts: model.Facts) -> tuple[tuple[str, Decimal], ...]:
    costs, found = MachineCosts(facts), defaultdict[str, Decimal](Decimal)
    for machine in facts.inventory.instances:
        with suppress(MissingDatum):
            for item in costs.lines(machine):
                found[part_of(item)] += item.usd_per_month
    return tuple((part, usd) for part, usd in sorted(found.items()) if part and usd)


def _unlisted(facts: model.Facts) -> tuple[int, int, int]:
    """Return how many nodes, other machines of the traffic, and groups no inventory has."""
    inventory = facts.inventory
    nodes = inventory.kubernetes.nodes if inventory.kubernetes is not None else None
    lost = [
        node
        for node in nodes or ()
        if (node.cloud == COMPUTE_ENGINE or node.node_pool)
        and node.name not in inventory.instance_by_node
    ]
    links = {node.instance for node in lost}
    owners = facts.traffic.owners if facts.traffic is not None else ()
    machines = (one.link for one in owners if one.kind is model.OwnerKind.VM and one.link)
    others = {one for one in machines if one not in inventory.instance_by_link}
    groups = 0 if lost else groups_not_read(inventory)
    return len(lost), len(others - links), groups


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
    note = f"the account's first {free_h:f} hours per month are free" if free_h else ""
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


_OF_OTHERS = (
    "other projects' use of flexible commitments, which are assumed to cover these VMs first"
)


def committed(
    facts: model.Facts,
    uses: Sequence[model.CommitmentUse],
    scope: CommitmentScope = CommitmentScope.UNKNOWN,
) -> Committed:
    """Return what commitments add to the price of machines, which is that without any.

    Args:
        facts: The machines.
        uses: Every commitment that was read, with its fee.
        scope: Whether projects share commitments.
    """
    in_force = [use for use in uses if use.state == "active"]
    active = [part for use in in_force for part in use.parts]
    unknown = next((use.note for use in in_force if not use.parts and "unknown: " in use.note), "")
    if unknown:
        return Committed(None, unknown)
    if not active and facts.prices.flexible is None:
        return Committed(_ZERO)
    if any(part.usd_per_month is None for part in active):
        return Committed(None, "the fee of a commitment is unknown")
    fees = sum((part.usd_per_month or _ZERO for part in active), _ZERO)
    # What begins within days is on no bill yet.
    begun = tuple(one for one in facts.inventory.commitments if not is_pending(one))
    inventory = replace(facts.inventory, commitments=begun)
    if facts.prices.flexible is not None:
        found = commitments_of(
            replace(facts, inventory=inventory), inventory.instances, scope, ONE_YEAR
        )
        doubt = facts.prices.flexible.doubt or "what flexible commitments cover of these VMs"
        return Committed(None, doubt) if found is None else Committed(found.added_usd, _OF_OTHERS)
    ledger = facts.machines.ledger(inventory, facts.today)
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


def bounded_bill(facts: Facts, bill: MonthBill) -> MonthBill:
    """Return a bill with the least and the most that traffic and services can come to.

    Prices have steps, so each end is reckoned by itself.
    """
    ratios = facts.traffic.month_ratios if facts.traffic is not None else (1.0, 1.0)
    if ratios == (1.0, 1.0):
        return bill
    first, *ends = (_of_volume(scaled(facts, ratio)) for ratio in (1.0, *ratios))
    low, high = (bill.least_usd_per_month - first + end for end in ends)
    return replace(bill, low_usd_per_month=low, high_usd_per_month=high)


def _of_volume(facts: Facts) -> Decimal:
    """Return the least that traffic and services cost a month."""
    classes, services = traffic_by_class(facts), network_services(facts)
    unpriced = [part for one in classes for part in one.unpriced]
    unpriced += [part for one in services for part in one.unpriced]
    usd = _sum((*(one.usd_per_month for one in classes), *(one.usd_per_month for one in services)))
    return usd + unpriced_span(unpriced)[0]


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
        machine_parts=tables.machine_parts,
        unlisted_nodes=tables.unlisted[0],
        unlisted_machines=tables.unlisted[1],
        unlisted_groups=tables.unlisted[2],
        unpriced_machine_count=sum(bool(row.price_unknown) for row in rows),
        unpriced_address_count=tables.unpriced_address_count,
        unpriced_low_usd=low,
        unpriced_high_usd=high,
        unpriced_gib=sum((part.quantity for one in tables.classes for part in one.unpriced), _ZERO),
    )


def _sum(amounts: Iterable[Decimal | None]) -> Decimal:
    return sum((one for one in amounts if one is not None), _ZERO)
