"""Machines that send as much as their type may."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.throughput import instance_cap
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.capacity import _resize as resize
from netplan_rules.shared.flows import drops_of, is_full, overflow_evidence, overflow_text
from netplan_rules.shared.trust import doubts_of_rates, minutes_per_day
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.INVENTORY, model.Need.RATES}),
    work=MACHINE_TYPE,
    thresholds=(
        ratio_limit(
            "p95_ratio",
            0.9,
            "minimum share of the cap at the 95th percentile of the one-minute rates",
        ),
        ratio_limit("max_ratio", 0.98, "share of the cap from which a minute counts as full"),
        Threshold(
            name="full_minutes",
            default=3.0,
            unit="minutes",
            about="number of full minutes that triggers the rule at any percentile",
            least=1.0,
            most=10.0,
        ),
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each machine whose egress stands at its cap."""
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    for rates in facts.machine_rates:
        if rates.egress.byte_count == 0:
            continue
        instance = facts.inventory.instance_by_link[rates.link]
        cap = instance_cap(instance, facts.caps)
        if cap is None:
            yield resize.unknown_cap(facts, instance)
        elif is_full(facts, rates, cap):
            yield _hit(facts, instance, rates, cap, ledger)


def _used_ratio(facts: model.Facts, rates: model.MachineRates, cap: model.EgressCap) -> float:
    """Return the share of the cap in use: at the 95th percentile, or in the minutes that are full.

    Full minutes fire the rule by themselves, so they are what holds the machine back.
    """
    needed = int(facts.threshold(RULE.id, "full_minutes"))
    top = rates.egress.top_gbps
    full = top[needed - 1] if len(top) >= needed else 0.0
    return max(rates.egress.p95_gbps, full) / cap.egress_gbps


def _hit(
    facts: model.Facts,
    instance: model.Instance,
    rates: model.MachineRates,
    cap: model.EgressCap,
    ledger: model.CoverLedger,
) -> model.Hit:
    # What the machine would send without its cap is not known; its busiest minute is the least.
    target = facts.target(instance)
    wanted = max(rates.egress.max_gbps, cap.egress_gbps, target.gbps if target else 0.0)
    need = resize.need_of(facts, instance, wanted, model.Destination.INTERNAL)
    candidate, why_not = resize.cheapest(facts, need, instance, ledger)
    now = resize.egress_estimate(facts, instance, None)
    dropped = drops_of(facts, rates)
    saving = resize.resize_saving(facts, instance, candidate, ledger)
    doubts = resize.doubts_of_caps(facts, doubts_of_rates(facts, instance, rates), cap, candidate)
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} sends {gbps(rates.egress.p95_gbps)} at the 95th percentile and"
        f" {gbps(rates.egress.max_gbps)} at most; its cap is {gbps(cap.egress_gbps)}. Its"
        f" real demand above the cap is unknown.{overflow_text(dropped)}",
        cause=resize.resize_cause(candidate),
        evidence=(
            rate_evidence("p95", rates.egress.p95_gbps, rates.source),
            rate_evidence("max", rates.egress.max_gbps, rates.source),
            rate_evidence("cap", cap.egress_gbps, cap.source),
            *overflow_evidence(dropped),
            *resize.size_evidence(facts, instance),
            resize.type_evidence(instance),
        ),
        limit=now.binding,
        throughput_now=now,
        throughput_fixed=resize.egress_estimate(facts, instance, candidate) if candidate else None,
        saving=saving,
        used_ratio=_used_ratio(facts, rates, cap),
        limit_minutes_per_day=minutes_per_day(facts, rates.egress, cap.egress_gbps, rates),
        fix=resize.resize_fix(facts, instance, candidate, why_not),
        doubts=doubts.reasons,
        change=resize.resize_change(instance, candidate),
    )
