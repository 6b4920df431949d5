"""Shared-core machines that carry real traffic."""

from collections.abc import Iterator

from msgspec.structs import replace

from netplan_planner import model
from netplan_rules.base import Rule, Threshold
from netplan_rules.capacity import _resize as resize
from netplan_rules.shared.trust import doubts_of_rates
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

RULE = Rule(
    id="shared-core-in-data-path",
    title="A shared-core machine carries real traffic",
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.INVENTORY, model.Need.RATES}),
    rationale="f1-micro, g1-small and the small E2 types get a fraction of a core and bursts of it."
    " Packets cost CPU time: when the bursts are used up, throughput falls below the cap.",
    remediation="Take a type with at least two dedicated vCPUs on the path of bulk data.",
    guards="Silent below the rate floor, which a shared core carries without trouble.",
    references=(
        "https://cloud.google.com/compute/docs/general-purpose-machines#sharedcore",
        "https://cloud.google.com/compute/docs/network-bandwidth",
    ),
    work=MACHINE_TYPE,
    thresholds=(
        Threshold(
            name="min_gbps",
            default=0.2,
            unit="Gbit/s",
            about="95th percentile of what it sends or receives from which the rule fires",
        ),
        Threshold(
            name="min_vcpus",
            default=2.0,
            unit="vCPU",
            about="dedicated vCPUs that the proposed machine has at least",
        ),
    ),
    group_message="{count} shared-core machines carry real traffic; the first is {machine_type}",
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each shared-core machine above the rate floor."""
    floor = facts.threshold(RULE.id, "min_gbps")
    ledger = facts.even.machines.ledger(facts.inventory, facts.today)
    for rates in facts.machine_rates:
        if max(rates.egress.p95_gbps, rates.ingress.p95_gbps) < floor:
            continue
        instance = facts.inventory.instance_by_link[rates.link]
        shape = facts.shape(instance.machine_type)
        if shape is None:
            yield model.Gap(
                resource=instance.ref, reason="the shape of its machine type is not known"
            )
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
        message=f"{instance.name} is a shared-core {instance.machine_type} and sends {gbps(sent)},"
        f" receives {gbps(received)} at the 95th percentile",
        cause=resize.resize_cause(candidate),
        evidence=(
            rate_evidence("egress_p95", sent, rates.source),
            rate_evidence("ingress_p95", received, rates.source),
            *resize.size_evidence(facts, instance),
            resize.type_evidence(instance),
        ),
        throughput_now=now,
        used_ratio=sent / now.gbps if now.gbps else None,
        throughput_fixed=resize.egress_estimate(facts, instance, candidate) if candidate else None,
        saving=saving,
        fix=resize.resize_fix(facts, instance, candidate, why_not),
        doubts=doubts.reasons,
        change=resize.resize_change(instance, candidate),
    )
