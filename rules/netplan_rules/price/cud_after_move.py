"""Machines that a price list would move to another series, and that a commitment pays for."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.model.plans.plan_answer import LEAST_SAVING_USD
from netplan_planner.throughput import instance_cap
from netplan_rules.base import Threshold, rule_of
from netplan_rules.capacity._resize import resize_need, type_evidence
from netplan_rules.money import machine_saving, take
from netplan_rules.wording import money, vm_subject

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.PRICES}),
    work=model.Work(
        effort="One decision before the commitment ends. Nothing to do until then.",
        restart="Nothing.",
        undo="A commitment cannot be cancelled. You can buy an expired one again at the price of"
        " that day.",
        window="Before the renewal date of the commitment.",
    ),
    thresholds=(
        Threshold(
            name="min_saving_usd",
            default=float(LEAST_SAVING_USD),
            unit="USD/month",
            about="minimum price difference of the other series per VM, before commitments",
        ),
    ),
    summed=("by_price", "on_the_bill"),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each machine that is cheaper elsewhere by price and dearer on the bill."""
    facts = facts.even
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    floor = Decimal(str(facts.threshold(RULE.id, "min_saving_usd")))
    for instance in facts.inventory.instances:
        if not _is_served(instance, ledger):
            continue
        try:
            today = facts.machines.cost_today(instance, model.usage_of(instance))
        except MissingDatum as error:
            yield model.Gap(resource=instance.ref, reason=str(error))
            continue
        candidate = _cheapest_by_price(facts, instance)
        if candidate is None or candidate.usd_per_month is None:
            continue
        by_price = model.total_usd(today) - candidate.usd_per_month
        saving = machine_saving(facts, instance, candidate, ledger)
        if by_price < floor or saving.basis is not model.SavingBasis.BILL:
            continue
        if saving.usd_per_month > 0:
            take(ledger, instance, candidate)
        else:
            yield _hit(instance, candidate, by_price, saving)


def _is_served(instance: model.Instance, ledger: model.CoverLedger) -> bool:
    return (
        instance.is_to_run
        and not instance.is_spot
        and instance.label(model.PIN_LABEL) is None
        and ledger.serves(instance, instance.machine_type)
    )


def _cheapest_by_price(facts: model.Facts, instance: model.Instance) -> model.Candidate | None:
    """Return what the price list would take, if it is of another series."""
    cap = instance_cap(instance, facts.caps)
    need = resize_need(facts, instance, cap) if cap else None
    if need is None:
        return None
    plan = facts.machines.choose(need)
    if isinstance(plan, model.Infeasible):
        return None
    best = plan.ranked[0]
    return None if model.series_of(best.machine_type) == instance.series else best


def _hit(
    instance: model.Instance, candidate: model.Candidate, by_price: Decimal, saving: model.Saving
) -> model.Hit:
    more = -saving.usd_per_month
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=model.worded(
            f"by price {candidate.machine_type} costs ",
            money(by_price),
            f"/month less than {instance.machine_type}, but {saving.note}: the bill would rise by ",
            money(more),
        ),
        evidence=(
            model.Evidence(name="by_price", value=round(float(by_price), 6), unit="USD/month"),
            model.Evidence(name="on_the_bill", value=round(float(more), 6), unit="USD/month"),
            model.Evidence(name="proposed", value=candidate.machine_type, source="price snapshot"),
            type_evidence(instance),
        ),
        saving=model.Saving(note=saving.note),
        # Nothing is wrong as long as the machine stays.
        severity=model.Severity.INFO,
        fix=RULE.fix(
            label=f"keep {instance.machine_type}",
            text=f"Keep {instance.machine_type} while the commitment runs, even if a price"
            " comparison or a machine type recommendation suggests another. Decide on the"
            " series before it ends or renews.",
        ),
    )
