"""Machines with several interfaces whose one cap is nearly used up."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.throughput import instance_cap
from netplan_planner.throughput.limits.senders import physical_nics
from netplan_rules.base import Rule, ratio_limit
from netplan_rules.capacity._resize import doubts_of_caps, type_evidence, unknown_cap
from netplan_rules.shared.trust import doubts_of_rates
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

RULE = Rule(
    id="more-nics-no-gain",
    title="Several interfaces share one cap that is nearly used up",
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.RATES}),
    rationale="The cap belongs to the machine, not to its interfaces: neither another interface nor"
    " another address raises it.",
    remediation="Where interfaces were added for bandwidth, take a greater machine type instead;"
    " those that join networks stay.",
    guards="Silent for machines that forward packets, whose interfaces join networks, and for types"
    " with several physical interfaces, each of which adds to the cap. It proposes no type and no"
    " saving: egress-cap-saturated and `netplan recommend` name what carries more.",
    references=("https://cloud.google.com/compute/docs/network-bandwidth",),
    work=MACHINE_TYPE,
    thresholds=(
        ratio_limit(
            "near_ratio",
            0.8,
            "share of the cap that the 95th percentile of all interfaces together reaches",
        ),
    ),
    group_message="{count} machines with several interfaces nearly use up the one cap of each; the"
    " first {nics} interfaces and {cap_rate}",
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
    doubts.add("why it has several interfaces is not known")
    count = len(instance.interfaces)
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"the {count} interfaces of {instance.name} send {gbps(rates.egress.p95_gbps)}"
        f" together at the 95th percentile; all of them share one cap of {gbps(cap.egress_gbps)}",
        evidence=(
            rate_evidence("p95", rates.egress.p95_gbps, rates.source),
            rate_evidence("cap", cap.egress_gbps, cap.source),
            model.Evidence(name="nics", value=count, source="inventory"),
            type_evidence(instance),
        ),
        fix=RULE.fix(
            label="a greater type",
            text="Add no interface for bandwidth. Where the machine is to send more, take a type"
            f" with a greater cap: netplan recommend --vm {instance.name} compares them.",
            verify="The 95th percentile of the next audit stands well below the cap.",
            undo="Give the machine its old type back, with one more stop.",
            caution="Interfaces are set when a machine is made; those that join networks stay.",
        ),
        doubts=doubts.reasons,
    )
