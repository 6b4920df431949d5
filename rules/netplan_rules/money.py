"""Savings as line items: what is paid today less what the fix would cost."""

from collections.abc import Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    Candidate,
    Edge,
    Facts,
    Instance,
    LineItem,
    Price,
    is_stopped,
    line_item,
    usage_of,
)
from netplan_planner.throughput import instance_cap
from netplan_planner.units import HOURS_PER_MONTH


class Saving:
    """Lines of a saving, or the reason why none can be stated."""

    def __init__(self, items: tuple[LineItem, ...] = (), unknown: str = "") -> None:
        self.items = items
        self.unknown = unknown

    @property
    def usd_per_month(self) -> Decimal:
        """The sum of the lines."""
        return sum((item.usd_per_month for item in self.items), Decimal(0))


def negated(item: LineItem) -> LineItem:
    """Return the same line as a cost that the fix brings."""
    return replace(item, quantity=-item.quantity, usd_per_month=-item.usd_per_month)


def internal_path_saving(facts: Facts, edges: Sequence[Edge]) -> Saving:
    """Return what edges cost over external addresses less what they would over internal ones."""
    items: list[LineItem] = []
    for edge in edges:
        src, dst = facts.src(edge), facts.dst(edge)
        if src.region is None or dst.region is None:
            return Saving(unknown="the region of one end is not known")
        volume = facts.gib_per_month(edge.wire_bytes)
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


def machine_saving(facts: Facts, instance: Instance, candidate: Candidate) -> Saving:
    """Return today's machine price less the candidate's, both as billed for a whole month."""
    if candidate.usd_per_month is None:
        return Saving(unknown=candidate.note or "a price of the proposed machine is not known")
    if is_stopped(instance):
        return Saving(unknown="it is stopped: neither type costs anything until it runs")
    try:
        today = facts.machines.cost_today(instance, usage_of(instance))
    except MissingDatum as error:
        return Saving(unknown=str(error))
    return Saving(items=(*today, *(negated(item) for item in candidate.line_items)))


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
    try:
        price = tier1_fee(facts, instance)
    except MissingDatum as error:
        return Saving(unknown=str(error))
    return Saving(
        items=(line_item(f"Tier_1 of {instance.machine_type}", Decimal(HOURS_PER_MONTH), price),)
    )
