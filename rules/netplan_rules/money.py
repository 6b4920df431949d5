"""Savings as line items: what is paid today less what the fix would cost."""

from collections.abc import Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    Candidate,
    CoverLedger,
    Edge,
    Facts,
    Instance,
    LineItem,
    MachineChange,
    PathClass,
    Price,
    Saving,
    SavingBasis,
    line_item,
    total_usd,
    usage_of,
)
from netplan_planner.throughput import instance_cap
from netplan_planner.units import HOURS_PER_MONTH


def negated(item: LineItem) -> LineItem:
    """Return the same line as a cost that the fix brings."""
    return replace(item, quantity=-item.quantity, usd_per_month=-item.usd_per_month)


def internal_path_saving(facts: Facts, edges: Sequence[Edge]) -> Saving:
    """Return what edges cost over external addresses less what they would over internal ones."""
    items: list[LineItem] = []
    for edge in edges:
        src, dst = facts.src(edge), facts.dst(edge)
        if hub := _hub(facts, edge):
            return Saving(
                unknown=f"what Network Connectivity Center charges for traffic over its hub {hub}"
                " is not in the price tables"
            )
        if src.region is None or dst.region is None:
            return Saving(unknown="the region of one end is not known")
        volume = facts.gib_per_month(edge.wire_bytes)
        if edge.path_class is PathClass.SAME_ZONE_EXTERNAL and ":" in (edge.dst_address or ""):
            return Saving(
                unknown="no source says what traffic to an external IPv6 address in the same zone"
                " costs"
            )
        try:
            for path_class, sign in (
                (edge.path_class, 1),
                (edge.path_class.over_internal_address, -1),
            ):
                lines = facts.prices.traffic_line_items(
                    f"traffic {path_class.value}",
                    path_class,
                    volume,
                    src_region=src.region,
                    dst_region=dst.region,
                )
                items += lines if sign > 0 else [negated(line) for line in lines]
        except MissingDatum as error:
            return Saving(unknown=str(error))
    saving = Saving(items=tuple(item for item in items if item.usd_per_month))
    # Two paths at one price: nothing is saved, and nothing is to be listed.
    return saving if saving.usd_per_month else Saving()


def _hub(facts: Facts, edge: Edge) -> str:
    """Return the hub that an edge would pass over internal addresses, or nothing."""
    src, dst = facts.instance(facts.src(edge)), facts.instance(facts.dst(edge))
    nic = facts.inventory.reachable_interface(src, dst) if src and dst else None
    if src is None or nic is None:
        return ""
    found = {facts.inventory.hub_between(one.network, nic.network) for one in src.interfaces}
    return "" if "" in found else min(found, default="")


def machine_saving(
    facts: Facts, instance: Instance, candidate: Candidate, ledger: CoverLedger | None = None
) -> Saving:
    """Return what the month's bill falls by when a machine becomes a candidate.

    That is today's price less the candidate's, both for a whole month, less what commitments cover
    of the one and more what they cover of the other. A rule that proposes several changes gives
    its ledger: each counts after those that were taken, so that their sum is that of all.
    """
    if candidate.usd_per_month is None:
        return Saving(unknown=candidate.note or "a price of the proposed machine is not known")
    if instance.is_stopped:
        return Saving(unknown="it is stopped: neither type costs anything until it runs")
    try:
        today = facts.machines.cost_today(instance, usage_of(instance))
    except MissingDatum as error:
        return Saving(unknown=str(error))
    change = MachineChange(
        instance=instance, machine_type=candidate.machine_type, count=candidate.count
    )
    items = (*today, *(negated(item) for item in candidate.line_items))
    return after_commitments(facts, Saving(items=items), change, ledger)


def after_commitments(
    facts: Facts, saving: Saving, change: MachineChange, ledger: CoverLedger | None = None
) -> Saving:
    """Return a saving with what a change does to the cover of commitments.

    Where that cannot be known it stays what prices alone say, and is marked so.
    """
    used = ledger or facts.machines.ledger(facts.inventory, facts.today)
    cover = used.change(change)
    if cover.unknown:
        note = f"it is not known {cover.unknown}"
        return Saving(items=saving.items, basis=SavingBasis.BEFORE_COMMITMENTS, note=note)
    return Saving(items=(*saving.items, *cover.items), note=cover.note)


def by_bill(
    ledger: CoverLedger, instance: Instance, ranked: Sequence[Candidate]
) -> list[Candidate]:
    """Return the candidates that may be cheapest, by what the bill would be.

    Those that no commitment serves keep their order, so that the first of them stands for all.
    """
    # A commitment moves no machine to a peak, or to a type that has to be looked at first.
    ranked = [c for c in ranked if not (c.to_check or c.is_peak)] or ranked
    served = [c for c in ranked if ledger.serves(instance, c.machine_type)]
    if not served:
        return list(ranked)
    first = [c for c in ranked if not ledger.serves(instance, c.machine_type)][:1]
    return sorted((*served, *first), key=lambda c: _bill_rank(ledger, instance, c))


def bill_usd(ledger: CoverLedger, instance: Instance, candidate: Candidate) -> Decimal:
    """Return a candidate's price less what its cover by commitments brings against today's.

    For comparing candidates of one machine; where cover is not known it is the price.
    """
    cover = ledger.change(
        MachineChange(instance=instance, machine_type=candidate.machine_type, count=candidate.count)
    )
    assert candidate.usd_per_month is not None
    return candidate.usd_per_month - total_usd(cover.items)


def _bill_rank(
    ledger: CoverLedger, instance: Instance, candidate: Candidate
) -> tuple[bool, Decimal, Decimal, int, str, bool]:
    """Order by the bill; what is paid for already is equal there, and goes by its price."""
    price = candidate.usd_per_month
    bill = Decimal(0) if price is None else bill_usd(ledger, instance, candidate)
    name = candidate.machine_type
    return price is None, bill, price or Decimal(0), candidate.count, name, candidate.is_tier1


def take(ledger: CoverLedger, instance: Instance, candidate: Candidate | None) -> None:
    """Count a machine as changed, for the savings of those that come after it."""
    if candidate is not None:
        ledger.take(
            MachineChange(
                instance=instance, machine_type=candidate.machine_type, count=candidate.count
            )
        )


def tier1_fee(facts: Facts, instance: Instance) -> Price:
    """Return the Tier_1 fee per hour of a machine.

    Raises:
        MissingDatum: If the type's Tier_1 bandwidth or its fee is not known.
    """
    cap = instance_cap(instance, facts.caps, tier1=True)
    if cap is None:
        reason = facts.caps.unknown_reason(instance.machine_type, tier1=True)
        raise MissingDatum(f"no Tier_1 fee: {reason}")
    return facts.prices.tier1_fee(
        instance.region, instance.machine_type, cap.egress_gbps, is_spot=instance.is_spot
    )


def tier1_saving(facts: Facts, instance: Instance) -> Saving:
    """Return the Tier_1 fee of a month as a saving, or why it is not known."""
    if instance.is_stopped:
        return Saving(unknown=f"{instance.name} is stopped, and costs nothing as it stands")
    try:
        price = tier1_fee(facts, instance)
    except MissingDatum as error:
        return Saving(unknown=str(error))
    return Saving(
        items=(line_item(f"Tier_1 of {instance.machine_type}", Decimal(HOURS_PER_MONTH), price),)
    )
