"""Machines whose bandwidth, CPU and memory a smaller type of their series carries."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.machines import STANDBY, is_watched
from netplan_planner.machines.groups import changed_together, is_managed
from netplan_planner.model.plans.plan_answer import LEAST_SAVING_USD
from netplan_planner.throughput import instance_cap
from netplan_planner.units import SECONDS_PER_DAY, SECONDS_PER_HOUR
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.capacity import _resize as resize
from netplan_rules.money import by_bill, machine_saving, take
from netplan_rules.shared.seen_needs import days_that_decide, size_of, why_kept
from netplan_rules.shared.trust import doubts_of_rates
from netplan_rules.wording import gbps, machines, money, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset(
        {model.Need.INVENTORY, model.Need.METRICS, model.Need.RATES, model.Need.PRICES}
    ),
    work=MACHINE_TYPE,
    thresholds=(
        ratio_limit(
            "max_p95_ratio",
            0.3,
            "maximum share of the cap that the 95th percentile of egress uses",
        ),
        Threshold(
            name="min_saving_usd",
            default=float(LEAST_SAVING_USD),
            unit="USD/month",
            about="minimum saving of one change (one VM, or all VMs of a node pool or managed"
            " instance group)",
        ),
    ),
)


class _Change(NamedTuple):
    """A machine of which less would do."""

    instance: model.Instance
    rates: model.MachineRates
    cap: model.EgressCap
    candidate: model.Candidate


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each machine of which less would do, by metrics of all three."""
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    rates_of = {rates.link: rates for rates in facts.machine_rates}
    running = (one for one in facts.inventory.instances if one.is_running)
    floor_usd = Decimal(str(facts.threshold(RULE.id, "min_saving_usd")))
    for together in changed_together(facts, running):
        changes: list[_Change] = []
        for instance in together:
            rates = rates_of.get(instance.ref.self_link)
            if rates is None or not _is_comparable(facts, instance):
                continue
            found = _change(facts, instance, rates, ledger)
            if isinstance(found, model.Gap):
                yield found
            elif found is not None:
                changes.append(found)
        # They get one type: what one of them needs, or may need, is needed of all.
        if len(changes) < len(together):
            continue
        largest = max((c.candidate for c in changes), key=lambda c: c.usd_per_month or Decimal(0))
        changes = [change._replace(candidate=largest) for change in changes]
        savings = [machine_saving(facts, c.instance, largest, ledger) for c in changes]
        if sum(max(saving.usd_per_month, Decimal(0)) for saving in savings) >= floor_usd:
            yield from _hits(facts, changes, ledger)


def _change(
    facts: model.Facts,
    instance: model.Instance,
    rates: model.MachineRates,
    ledger: model.CoverLedger,
) -> _Change | model.Gap | None:
    if not _is_watched(facts, instance, rates):
        return None
    cap = instance_cap(instance, facts.caps)
    if cap is None:
        return resize.unknown_cap(facts, instance)
    if rates.egress.p95_gbps >= facts.threshold(RULE.id, "max_p95_ratio") * cap.egress_gbps:
        return None
    candidate = _smaller(facts, instance, rates, cap, ledger)
    if candidate is None or candidate.usd_per_month is None:
        return None
    return _Change(instance, rates, cap, candidate)


def _hits(
    facts: model.Facts, changes: Sequence[_Change], ledger: model.CoverLedger
) -> Iterator[model.Hit]:
    """Yield the changes that still save something after those before them."""
    for change in changes:
        saving = machine_saving(facts, change.instance, change.candidate, ledger)
        if saving.usd_per_month > 0:
            take(ledger, change.instance, change.candidate)
            yield _hit(facts, change.instance, change.rates, change.cap, change.candidate, saving)


def _is_comparable(facts: model.Facts, instance: model.Instance) -> bool:
    shape = facts.shape(instance.machine_type)
    return (
        shape is not None
        and not shape.is_shared_core
        and instance.is_running
        and instance.bandwidth_tier is not model.BandwidthTier.TIER_1
        and not instance.is_sole_tenant
        and instance.reservation is None
        and not why_kept(facts, instance, ("licence",))
        and instance.label(model.ROLE_LABEL) != STANDBY
    )


def _is_watched(facts: model.Facts, instance: model.Instance, rates: model.MachineRates) -> bool:
    """Return whether all three were measured for as long as it takes."""
    shape = facts.shape(instance.machine_type)
    days = rates.observed_hours * SECONDS_PER_HOUR / SECONDS_PER_DAY
    if shape is None or not is_watched(days, days_that_decide(facts)):
        return False
    size = size_of(facts, instance, shape)
    return size.cpu_ratio is not None and size.memory_ratio is not None


def _smaller(
    facts: model.Facts,
    instance: model.Instance,
    rates: model.MachineRates,
    cap: model.EgressCap,
    ledger: model.CoverLedger,
) -> model.Candidate | None:
    """Return the cheapest type of the series that carries what was seen, if it has fewer vCPUs.

    Its busiest minute must leave room too.

    Less memory alone has nothing to do with bandwidth.
    """
    need = resize.resize_need(facts, instance, cap)
    shape = facts.shape(instance.machine_type)
    if need is None or shape is None:
        return None
    plan = facts.machines.choose_from(instance, replace(need, series=(instance.series,)))
    if isinstance(plan, model.Infeasible):
        return None
    best = by_bill(ledger, instance, plan.ranked)[0]
    is_plain = not (best.is_tier1 or best.is_peak or best.to_check)
    has_room = best.usable_gbps >= rates.egress.max_gbps
    return best if best.vcpus < shape.vcpus and is_plain and has_room else None


def _hit(
    facts: model.Facts,
    instance: model.Instance,
    rates: model.MachineRates,
    cap: model.EgressCap,
    candidate: model.Candidate,
    saving: model.Saving,
) -> model.Hit:
    doubts = doubts_of_rates(facts, instance, rates)
    if is_managed(facts, instance):
        doubts.add("a group created it and may keep it as reserve capacity")
    resize.doubts_of_caps(facts, doubts, cap, candidate)
    is_before = saving.basis is model.SavingBasis.BEFORE_COMMITMENTS
    before = " before commitments" if is_before else ""
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=model.worded(
            f"{instance.name} sends {gbps(rates.egress.p95_gbps)} at the 95th percentile and"
            f" {gbps(rates.egress.max_gbps)} at most, of {gbps(cap.egress_gbps)};"
            f" {machines(candidate)} carries that, its CPU and its memory for ",
            money(saving.usd_per_month),
            f"/month less than {instance.machine_type}{before}",
        ),
        cause=before,
        evidence=(
            rate_evidence("p95", rates.egress.p95_gbps, rates.source),
            rate_evidence("max", rates.egress.max_gbps, rates.source),
            rate_evidence("cap", cap.egress_gbps, cap.source),
            rate_evidence("proposed_cap", candidate.cap_gbps, candidate.limit.source),
            model.Evidence(name="proposed", value=candidate.machine_type, source="price snapshot"),
            model.Evidence(
                name="window",
                value=round(rates.observed_hours, 1),
                unit="hours",
                source=rates.source,
            ),
            *resize.size_evidence(facts, instance),
            resize.type_evidence(instance),
        ),
        throughput_now=resize.egress_estimate(facts, instance, None),
        throughput_fixed=resize.egress_estimate(facts, instance, candidate),
        saving=saving,
        # What is not sure to save is no more than a hint.
        severity=model.Severity.INFO if is_before else None,
        fix=resize.resize_fix(facts, instance, candidate, ""),
        doubts=doubts.reasons,
        change=resize.resize_change(instance, candidate),
    )
