"""Machines that a series no older beats in price, with the bandwidth and size that they need."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.machines.groups import changed_together
from netplan_planner.model.plans.plan_answer import LEAST_SAVING_USD
from netplan_planner.throughput import instance_cap
from netplan_planner.units import counted
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.capacity import _resize as resize
from netplan_rules.money import by_bill, machine_saving, take
from netplan_rules.shared.seen_needs import why_kept
from netplan_rules.shared.trust import Doubts, doubts_of_rates
from netplan_rules.wording import gbps, money, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

RULE = rule_of(
    __name__,
    aliases=("newer-series-cheaper-faster",),
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.PRICES}),
    work=MACHINE_TYPE,
    thresholds=(
        ratio_limit("min_saving_ratio", 0.1, "minimum saving as a share of today's price"),
        Threshold(
            name="min_saving_usd",
            default=float(LEAST_SAVING_USD),
            unit="USD/month",
            about="minimum saving of one change (one VM, or all VMs of a node pool or managed"
            " instance group)",
        ),
        ratio_limit(
            "busy_ratio",
            0.8,
            "share of a cap (internal or external), observed at the 95th percentile or declared"
            " as target, from which a larger type comes first",
        ),
        ratio_limit(
            "cpu_ratio",
            0.7,
            "maximum CPU use of the proposed type at the 95th percentile, where metrics show it;"
            " also for all rules that propose a type, and for recommend",
            least=0.1,
        ),
        ratio_limit(
            "memory_ratio",
            0.8,
            "maximum memory use of the proposed type at the peak, where metrics show it; also for"
            " all rules that propose a type, and for recommend",
            least=0.1,
        ),
        Threshold(
            name="min_metric_days",
            default=14.0,
            unit="days",
            about="days with data points that CPU and memory metrics need to decide a size",
        ),
    ),
)


class _Change(NamedTuple):
    """A machine for which another series is cheaper."""

    instance: model.Instance
    cap: model.EgressCap
    candidate: model.Candidate
    least_usd: Decimal
    """What must be saved of today's price."""


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each machine for which another series that carries its need is cheaper."""
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    comparable = (one for one in facts.inventory.instances if _is_comparable(facts, one))
    floor_usd = Decimal(str(facts.threshold(RULE.id, "min_saving_usd")))
    for together in changed_together(facts, comparable):
        changes: list[_Change] = []
        saved_usd = Decimal(0)
        for found in _changes(facts, together, ledger):
            if isinstance(found, model.Gap):
                yield found
                continue
            usd = machine_saving(facts, found.instance, found.candidate, ledger).usd_per_month
            if usd >= found.least_usd:
                changes.append(found)
                saved_usd += usd
        if saved_usd >= floor_usd:
            yield from _hits(facts, changes, ledger)


def _changes(
    facts: model.Facts, together: Sequence[model.Instance], ledger: model.CoverLedger
) -> Iterator[_Change | model.Gap]:
    min_ratio = Decimal(str(facts.threshold(RULE.id, "min_saving_ratio")))
    for instance in together:
        cap = instance_cap(instance, facts.caps)
        try:
            today = facts.machines.cost_today(instance, model.usage_of(instance))
        except MissingDatum as error:
            yield model.Gap(resource=instance.ref, reason=str(error))
            continue
        if cap is None:
            yield resize.unknown_cap(facts, instance)
            continue
        if _is_busy(facts, instance, cap):
            continue
        candidate = _better(facts, instance, cap, ledger)
        if candidate is not None and candidate.usd_per_month is not None:
            yield _Change(instance, cap, candidate, min_ratio * model.total_usd(today))


def _hits(
    facts: model.Facts, changes: Sequence[_Change], ledger: model.CoverLedger
) -> Iterator[model.Hit]:
    """Yield the changes that are still worth it after those before them."""
    for change in changes:
        saving = machine_saving(facts, change.instance, change.candidate, ledger)
        if saving.usd_per_month >= change.least_usd:
            take(ledger, change.instance, change.candidate)
            yield _hit(facts, change.instance, change.cap, change.candidate, saving)


def _is_comparable(facts: model.Facts, instance: model.Instance) -> bool:
    shape = facts.shape(instance.machine_type)
    # A type of unknown shape has no price either, and is then listed as not judged.
    return (
        not (shape is not None and shape.is_shared_core)
        and instance.is_to_run
        and instance.bandwidth_tier is not model.BandwidthTier.TIER_1
        and not instance.is_sole_tenant
        and instance.reservation is None
        and not why_kept(facts, instance)
    )


def _is_busy(facts: model.Facts, instance: model.Instance, cap: model.EgressCap) -> bool:
    """Return whether the machine needs more bandwidth than a type with its own cap should carry."""
    target = facts.target(instance)
    rates = facts.rates_of(instance)
    traffic = rates.traffic if rates is not None else None
    inside = max(
        target.gbps if target is not None else 0.0,
        rates.egress.p95_gbps if rates is not None else 0.0,
    )
    outside = traffic.egress_outside_vpc.p95_gbps if traffic is not None else 0.0
    share = facts.threshold(RULE.id, "busy_ratio")
    return inside > share * cap.egress_gbps or (
        cap.external_gbps is not None and outside > share * cap.external_gbps
    )


def _better(
    facts: model.Facts, instance: model.Instance, cap: model.EgressCap, ledger: model.CoverLedger
) -> model.Candidate | None:
    """Return the cheapest machine that carries what is needed, if of another series."""
    need = resize.resize_need(facts, instance, cap)
    if need is None:
        return None
    plan = facts.machines.choose_from(instance, need)
    if isinstance(plan, model.Infeasible):
        return None
    best = by_bill(ledger, instance, plan.ranked)[0]
    is_own = model.series_of(best.machine_type) == instance.series
    # What has to be looked at first, an older generation among it, is nothing to advise unasked.
    return None if is_own or best.to_check or best.is_peak else best


def _bandwidth(candidate: model.Candidate, cap: model.EgressCap) -> str:
    if candidate.cap_gbps > cap.egress_gbps:
        return f"{gbps(candidate.cap_gbps)} (now {gbps(cap.egress_gbps)})"
    if candidate.cap_gbps < cap.egress_gbps:
        return f"{gbps(candidate.cap_gbps)} (now {gbps(cap.egress_gbps)}, more than it needs)"
    return f"the same {gbps(candidate.cap_gbps)}"


def _before(saving: model.Saving) -> str:
    """Return what a price without its commitments is called in a sentence."""
    return " before commitments" if saving.basis is model.SavingBasis.BEFORE_COMMITMENTS else ""


def _hit(
    facts: model.Facts,
    instance: model.Instance,
    cap: model.EgressCap,
    candidate: model.Candidate,
    saving: model.Saving,
) -> model.Hit:
    rates = facts.rates_of(instance)
    is_less = rates is not None and candidate.cap_gbps < cap.egress_gbps
    doubts = doubts_of_rates(facts, instance, rates) if rates is not None and is_less else Doubts()
    doubts.add("vCPUs of another series perform differently; test the load first")
    if instance.is_spot:
        doubts.add("Spot prices change")
    resize.doubts_of_caps(facts, doubts, cap, candidate)
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=model.worded(
            f"{candidate.machine_type} has {_bandwidth(candidate, cap)},"
            f" {counted(candidate.vcpus, 'vCPU')} and {candidate.memory_gib:g} GiB for ",
            money(saving.usd_per_month),
            f"/month less than {instance.machine_type}{_before(saving)}",
        ),
        cause=_before(saving),
        evidence=(
            rate_evidence("cap", cap.egress_gbps, cap.source),
            rate_evidence("proposed_cap", candidate.cap_gbps, candidate.limit.source),
            model.Evidence(name="proposed", value=candidate.machine_type, source="price snapshot"),
            *resize.size_evidence(facts, instance),
            resize.type_evidence(instance),
        ),
        throughput_now=resize.egress_estimate(facts, instance, None),
        throughput_fixed=resize.egress_estimate(facts, instance, candidate),
        saving=saving,
        # What is not sure to save is no more than a hint.
        severity=model.Severity.INFO if _before(saving) else None,
        fix=resize.resize_fix(facts, instance, candidate, ""),
        doubts=doubts.reasons,
        change=resize.resize_change(instance, candidate),
    )
