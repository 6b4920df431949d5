"""The levers beside the fixes: what committing to what runs would save, now and after the plan.

An estimate for every machine alone, at the price of its type under a commitment of one year. Which
commitments to buy, of which series and how many, is what `netplan fleet` plans.
"""

from collections.abc import Iterable
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.ledger import Ledger
from netplan_planner.model import (
    CommitmentLever,
    Facts,
    Instance,
    MachineChange,
    OrderedFix,
    Usage,
    total_usd,
    usage_of,
)
from netplan_planner.units import usd_per_month

_ZERO = Decimal(0)


def commitment_lever(facts: Facts, plan: Iterable[OrderedFix]) -> CommitmentLever | None:
    """Return what commitments of a year would save of all machines that run; None: nothing.

    Args:
        facts: The machines; what commitments cover already saves nothing once more.
        plan: The fixes in their order; after them other machines run, some of them as Spot.
    """
    today, count, unpriced = _saved(facts, facts.inventory.instances)
    if today <= 0:
        return None
    ledger = Ledger(facts)
    for fix in plan:
        for planned in fix.changes:
            if planned.change is not None:
                ledger.make(planned.change)
    machines = (ledger.state.machine(one.ref.self_link) for one in facts.inventory.instances)
    after, _, _ = _saved(facts, [one for one in machines if one is not None])
    return CommitmentLever(
        years=1,
        usd_per_month=today,
        after_plan_usd_per_month=after,
        machine_count=count,
        unpriced_machine_count=unpriced,
    )


def _saved(facts: Facts, machines: Iterable[Instance]) -> tuple[Decimal, int, int]:
    """Return what commitments save of machines a month, of how many, and those without a price."""
    cover = facts.machines.ledger(facts.inventory, facts.today)
    saved, count, unpriced = _ZERO, 0, 0
    for instance in machines:
        if not instance.is_to_run or instance.is_spot:
            continue
        try:
            paid = total_usd(facts.machines.cost_today(instance, usage_of(instance)))
            plain = facts.prices.machine(instance.region, instance.machine_type, Usage.CUD_1Y)
            listed = _full_month(facts, instance)
        except MissingDatum:
            unpriced += 1
            continue
        gone = MachineChange(instance=instance, machine_type=None)
        covered = cover.change(gone)
        if covered.unknown:
            unpriced += 1
            continue
        cover.take(gone)
        share = 1 + total_usd(covered.items) / listed if listed and paid else _ZERO
        saving = (listed - usd_per_month(plain.usd)) * max(share, _ZERO)
        if saving > 0:
            saved += saving
            count += 1
    return saved, count, unpriced


def _full_month(facts: Facts, instance: Instance) -> Decimal:
    """Return what a machine's type costs in a month that it runs all of."""
    where = instance.region, instance.machine_type
    try:
        return usd_per_month(facts.prices.machine(*where, Usage.SUSTAINED_USE).usd)
    except MissingDatum:
        return usd_per_month(facts.prices.machine(*where, Usage.ON_DEMAND).usd)
