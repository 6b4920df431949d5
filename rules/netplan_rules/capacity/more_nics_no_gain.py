"""Machines with several interfaces whose one cap is nearly used up."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.throughput import instance_cap
from netplan_planner.throughput.limits.senders import physical_nics
from netplan_rules.base import ratio_limit, rule_of
from netplan_rules.capacity._resize import doubts_of_caps, type_evidence, unknown_cap
from netplan_rules.shared.trust import doubts_of_rates
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.RATES}),
    work=MACHINE_TYPE,
    thresholds=(
        ratio_limit(
            "near_ratio",
            0.8,
            "minimum share of the cap at the 95th percentile of all interfaces together",
        ),
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each machine with several interfaces near its cap."""
    near = facts.threshold(RULE.id, "near_ratio")
    for rates in facts.machine_rates:
        instance = facts.inventory.instance_by_link[rates.link]
        is_several = len(instance.interfaces) > 1
        if not is_several or instance.can_ip_forward or not rates.egress.byte_count:
            continue
        if instance.machine_type in physical_nics():
            continue
        cap = instance_cap(instance, facts.caps)
        if cap is None:
            yield unknown_cap(facts, instance)
        elif rates.egress.p95_gbps >= near * cap.egress_gbps:
            yield _hit(facts, instance, rates, cap)


def _hit(
    facts: model.Facts, instance: model.Instance, rates: model.MachineRates, cap: model.EgressCap
) -> model.Hit:
    doubts = doubts_of_caps(facts, doubts_of_rates(facts, instance, rates), cap, None)
    doubts.add("the purpose of its several interfaces is unknown")
    count = len(instance.interfaces)
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"the {count} interfaces of {instance.name} together send"
        f" {gbps(rates.egress.p95_gbps)} at the 95th percentile; they share one cap of"
        f" {gbps(cap.egress_gbps)}",
        evidence=(
            rate_evidence("p95", rates.egress.p95_gbps, rates.source),
            rate_evidence("cap", cap.egress_gbps, cap.source),
            model.Evidence(name="nics", value=count, source="inventory"),
            type_evidence(instance),
        ),
        fix=RULE.fix(
            label="a larger type",
            text="Do not add interfaces for bandwidth. If the VM must send more, use a machine type"
            f" with a larger cap: `netplan recommend --vm {instance.name}` compares types.",
            verify="In the next audit, the 95th percentile is well below the cap.",
            undo="Change the VM back to its old type, with one more stop.",
            caution="Interfaces are set when a VM is created. Keep those that join networks.",
        ),
        doubts=doubts.reasons,
    )
