"""Machines that send as much as their type may."""

from collections.abc import Iterator

from netplan_planner.model import (
    CoverLedger,
    Destination,
    EgressCap,
    Facts,
    Gap,
    Hit,
    Instance,
    MachineRates,
    Need,
    Severity,
)
from netplan_planner.throughput import instance_cap
from netplan_rules.base import Rule, Threshold, ratio_limit
from netplan_rules.capacity._resize import (
    cheapest,
    doubts_of_caps,
    egress_estimate,
    need_of,
    resize_cause,
    resize_change,
    resize_fix,
    resize_saving,
    size_evidence,
    type_evidence,
    unknown_cap,
)
from netplan_rules.shared.drops import drops_of, is_full, overflow_evidence, overflow_text
from netplan_rules.shared.trust import doubts_of_rates
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

RULE = Rule(
    id="egress-cap-saturated",
    title="A machine sends as much as its type may",
    severity=Severity.HIGH,
    needs=frozenset({Need.INVENTORY, Need.RATES}),
    rationale="The egress cap belongs to the machine type. At the cap, more demand becomes queueing"
    " and drops, and every transfer takes longer.",
    remediation="Take a type with a greater cap, spread the load over more machines, or switch on"
    " Tier_1 where the type has it. `netplan recommend --vm NAME` compares them.",
    guards="One-minute means hide bursts: records that cover more than a minute lower the"
    " confidence, unless packets were dropped because the queue ran over, which says it all."
    " A type without a documented cap is listed as not judged.",
    references=("https://cloud.google.com/compute/docs/network-bandwidth",),
    work=MACHINE_TYPE,
    since="0.1.0",
    thresholds=(
        ratio_limit(
            "p95_ratio",
            0.9,
            "share of the cap that the 95th percentile of the one-minute rates reaches",
        ),
        ratio_limit("max_ratio", 0.98, "share of the cap that counts as a full minute"),
        Threshold(
            name="full_minutes",
            default=3.0,
            unit="minutes",
            about="full minutes that fire the rule whatever the percentile",
            least=1.0,
            most=10.0,
        ),
    ),
    group_message="{count} machines send as much as their type may; the first at its cap of"
    " {cap_rate}",
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each machine whose egress stands at its cap."""
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    for rates in facts.machine_rates:
        if rates.egress.byte_count == 0:
            continue
        instance = facts.inventory.instance_by_link[rates.link]
        cap = instance_cap(instance, facts.caps)
        if cap is None:
            yield unknown_cap(facts, instance)
        elif is_full(facts, rates, cap):
            yield _hit(facts, instance, rates, cap, ledger)


def _used_ratio(facts: Facts, rates: MachineRates, cap: EgressCap) -> float:
    """Return the share of the cap in use: at the 95th percentile, or in the minutes that are full.

    Full minutes fire the rule by themselves, so they are what holds the machine back.
    """
    needed = int(facts.threshold(RULE.id, "full_minutes"))
    top = rates.egress.top_gbps
    full = top[needed - 1] if len(top) >= needed else 0.0
    return max(rates.egress.p95_gbps, full) / cap.egress_gbps


def _hit(
    facts: Facts, instance: Instance, rates: MachineRates, cap: EgressCap, ledger: CoverLedger
) -> Hit:
    # What the machine would send without its cap is not known; its busiest minute is the least.
    target = facts.target(instance)
    wanted = max(rates.egress.max_gbps, cap.egress_gbps, target.gbps if target else 0.0)
    need = need_of(facts, instance, wanted, Destination.INTERNAL)
    candidate, why_not = cheapest(facts, need, instance, ledger)
    now = egress_estimate(facts, instance, None)
    dropped = drops_of(facts, rates)
    saving = resize_saving(facts, instance, candidate, ledger)
    doubts = doubts_of_caps(facts, doubts_of_rates(facts, instance, rates), cap, candidate)
    return Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} sends {gbps(rates.egress.p95_gbps)} at the 95th percentile and"
        f" {gbps(rates.egress.max_gbps)} at most; its cap is {gbps(cap.egress_gbps)}. How much"
        f" more it would send cannot be seen.{overflow_text(dropped)}",
        cause=resize_cause(candidate),
        evidence=(
            rate_evidence("p95", rates.egress.p95_gbps, rates.source),
            rate_evidence("max", rates.egress.max_gbps, rates.source),
            rate_evidence("cap", cap.egress_gbps, cap.source),
            *overflow_evidence(dropped),
            *size_evidence(facts, instance),
            type_evidence(instance),
        ),
        limit=now.binding,
        throughput_now=now,
        throughput_fixed=egress_estimate(facts, instance, candidate) if candidate else None,
        saving=saving,
        used_ratio=_used_ratio(facts, rates, cap),
        fix=resize_fix(facts, instance, candidate, why_not),
        confidence=doubts.confidence,
        confidence_reason=doubts.text,
        change=resize_change(instance, candidate),
    )
