"""Savings as line items: what is paid today less what the fix would cost."""

from collections.abc import Sequence
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.ledger import ledger_of
from netplan_planner.model import (
    Candidate,
    Change,
    ChangeKind,
    CoverLedger,
    Facts,
    Instance,
    MachineChange,
    Saving,
    SavingBasis,
    negated,
    total_usd,
    usage_of,
)


def machine_saving(
    facts: Facts, instance: Instance, candidate: Candidate, ledger: CoverLedger | None = None
) -> Saving:
    """Return what the month's bill falls by when a machine becomes a candidate.

    That is today's price less the candidate's, both for a whole month, less what commitments cover
    of the one and more what they cover of the other. A rule that proposes several changes gives
    its ledger: each counts after those that were taken, so that their sum is that of all.
    """
    if candidate.usd_per_month is None:
        return Saving(unknown=candidate.note or "the price of the proposed VM is unknown")
    if instance.is_suspended:
        return Saving(unknown="it is suspended: you pay only for its memory until it runs")
    if instance.is_stopped:
        return Saving(unknown="it is stopped: both types are free until it runs")
    of_one = change_of(instance, candidate)
    if facts.even is not facts and of_one is not None:
        # It knows which prices can be compared.
        return ledger_of(facts).value(of_one).saving
    try:
        today = facts.machines.cost_today(instance, usage_of(instance))
    except MissingDatum as error:
        return Saving(unknown=str(error))
    change = MachineChange(
        instance=instance, machine_type=candidate.machine_type, count=candidate.count
    )
    items = (*today, *(negated(item) for item in candidate.line_items))
    return after_commitments(facts, Saving(items=items), change, ledger)


def change_of(instance: Instance, candidate: Candidate) -> Change | None:
    """Return the change that makes a machine a candidate; None where it takes several."""
    if candidate.count > 1:
        return None
    is_same = candidate.machine_type == instance.machine_type
    return Change(
        kind=ChangeKind.TIER_1 if candidate.is_tier1 else ChangeKind.MACHINE_TYPE,
        target=instance.ref.self_link,
        to=None if candidate.is_tier1 and is_same else candidate.machine_type,
        cpu_platform=candidate.cpu_platform,
    )


def after_commitments(
    facts: Facts, saving: Saving, change: MachineChange, ledger: CoverLedger | None = None
) -> Saving:
    """Return a saving with what a change does to the cover of commitments.

    Where that cannot be known it stays what prices alone say, and is marked so.
    """
    used = ledger or facts.machines.ledger(facts.inventory, facts.today)
    cover = used.change(change)
    if cover.unknown:
        note = f"it is unknown {cover.unknown}"
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
