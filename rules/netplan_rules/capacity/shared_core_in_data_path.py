"""Shared-core machines that carry real traffic."""

from collections.abc import Iterator

from msgspec.structs import replace

from netplan_planner import model
from netplan_rules.base import Threshold, rule_of
from netplan_rules.capacity import _resize as resize
from netplan_rules.shared.trust import doubts_of_rates, minutes_per_day
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.INVENTORY, model.Need.RATES}),
    work=MACHINE_TYPE,
    thresholds=(
        Threshold(
            name="min_gbps",
            default=0.2,
            unit="Gbit/s",
            about="minimum egress or ingress at the 95th percentile",
        ),
        Threshold(
            name="min_vcpus",
            default=2.0,
            unit="vCPU",
            about="minimum dedicated vCPUs of the proposed VM",
        ),
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each shared-core machine above the rate floor."""
    floor = facts.threshold(RULE.id, "min_gbps")
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    for rates in facts.machine_rates:
        if max(rates.egress.p95_gbps, rates.ingress.p95_gbps) < floor:
            continue
        instance = facts.inventory.instance_by_link[rates.link]
        shape = facts.shape(instance.machine_type)
        if shape is None:
            yield model.Gap(resource=instance.ref, reason="the size of its machine type is unknown")
        elif shape.is_shared_core:
            yield _hit(facts, instance, rates, ledger)


def _hit(
    facts: model.Facts,
    instance: model.Instance,
    rates: model.MachineRates,
    ledger: model.CoverLedger,
) -> model.Hit:
    sent, received = rates.egress.p95_gbps, rates.ingress.p95_gbps
    need = resize.need_of(
        facts, instance, max(sent, rates.egress.max_gbps), model.Destination.INTERNAL
    )
    if need is not None:
        least = int(facts.threshold(RULE.id, "min_vcpus"))
        need = replace(need, vcpus=max(need.vcpus, least))
    candidate, why_not = resize.cheapest(facts, need, instance, ledger)
    doubts = resize.doubts_of_caps(facts, doubts_of_rates(facts, instance, rates), None, candidate)
    saving = resize.resize_saving(facts, instance, candidate, ledger)
    now = resize.egress_estimate(facts, instance, None)
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} is a shared-core {instance.machine_type}; at the 95th"
        f" percentile it sends {gbps(sent)} and receives {gbps(received)}",
        cause=resize.resize_cause(candidate),
        evidence=(
            rate_evidence("egress_p95", sent, rates.source),
            rate_evidence("ingress_p95", received, rates.source),
            *resize.size_evidence(facts, instance),
            resize.type_evidence(instance),
        ),
        throughput_now=now,
        used_ratio=sent / now.gbps if now.gbps else None,
        limit_minutes_per_day=minutes_per_day(facts, rates.egress, now.gbps, rates)
        if now.gbps
        else None,
        throughput_fixed=resize.egress_estimate(facts, instance, candidate) if candidate else None,
        saving=saving,
        fix=resize.resize_fix(facts, instance, candidate, why_not),
        doubts=doubts.reasons,
        change=resize.resize_change(instance, candidate),
    )
