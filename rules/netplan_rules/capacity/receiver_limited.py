"""Receivers that take in no more, while their senders could give more."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.throughput import instance_cap
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.capacity._resize import type_evidence
from netplan_rules.shared.trust import doubts_of_rates, minutes_per_day
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.FLOW_RECORDS}),
    work=MACHINE_TYPE,
    thresholds=(
        Threshold(
            name="min_gbps",
            default=1.0,
            unit="Gbit/s",
            about="minimum ingress at the 95th percentile",
        ),
        ratio_limit(
            "cpu_ratio",
            0.9,
            "share of its vCPUs in use at the 95th percentile from which it is full",
        ),
        ratio_limit(
            "ingress_ratio",
            0.8,
            "share of the ingress limit from outside the VPC from which it is full",
        ),
        ratio_limit(
            "outside_ratio",
            0.9,
            "share of ingress from outside the VPC from which that limit applies",
        ),
        ratio_limit(
            "idle_cap_ratio",
            0.5,
            "share of its cap below which the largest sender counts as idle",
        ),
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each busy receiver at a limit of its own."""
    if facts.traffic is None:
        return
    floor = facts.threshold(RULE.id, "min_gbps")
    for rates in facts.machine_rates:
        if rates.traffic is None or rates.ingress.p95_gbps < floor:
            continue
        instance = facts.inventory.instance_by_link[rates.link]
        edges = facts.traffic.edges_by_dst.get(rates.traffic.owner, ())
        shape = facts.shape(instance.machine_type)
        if not edges or not _is_sender_idle(facts, edges) or (shape and shape.is_shared_core):
            continue
        cap = instance_cap(instance, facts.caps)
        if cap is not None and _is_outside_full(facts, rates, cap, edges):
            yield _outside_hit(facts, instance, rates, cap)
            continue
        cpu = facts.metrics.of(rates.link, model.Metric.VM_CPU) if facts.metrics else None
        if cpu is None:
            yield model.Gap(resource=instance.ref, reason="its CPU use is unknown (--metrics)")
        elif cpu.p95 >= facts.threshold(RULE.id, "cpu_ratio"):
            yield _cpu_hit(facts, instance, rates, cpu)


def _is_sender_idle(facts: model.Facts, edges: tuple[model.Edge, ...]) -> bool:
    """Return whether the greatest sender has room; one that is no own machine is not known."""
    greatest = max(edges, key=lambda edge: edge.wire_bytes)
    sender = facts.instance(facts.src(greatest))
    if sender is None:
        return True
    cap, rates = instance_cap(sender, facts.caps), facts.rates_of(sender)
    if cap is None or rates is None:
        return False
    idle = facts.threshold(RULE.id, "idle_cap_ratio")
    return rates.egress.p95_gbps < idle * cap.egress_gbps


def _is_outside_full(
    facts: model.Facts,
    rates: model.MachineRates,
    cap: model.EgressCap,
    edges: tuple[model.Edge, ...],
) -> bool:
    if cap.external_ingress_gbps is None:
        return False
    whole = sum(edge.wire_bytes for edge in edges)
    outside = sum(edge.wire_bytes for edge in edges if edge.path_class.leaves_vpc)
    full = facts.threshold(RULE.id, "ingress_ratio") * cap.external_ingress_gbps
    is_outside = outside >= facts.threshold(RULE.id, "outside_ratio") * whole
    return is_outside and rates.ingress.p95_gbps >= full


def _outside_hit(
    facts: model.Facts, instance: model.Instance, rates: model.MachineRates, cap: model.EgressCap
) -> model.Hit:
    doubts = doubts_of_rates(facts, instance, rates)
    limit = cap.external_ingress_gbps or 0.0
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} receives {gbps(rates.ingress.p95_gbps)} at the 95th percentile"
        f" from outside the VPC; any VM receives at most {gbps(limit)} from there",
        cause="outside",
        evidence=(
            rate_evidence("ingress_p95", rates.ingress.p95_gbps, rates.source),
            rate_evidence("ingress_limit", limit, cap.path_source or cap.source),
            type_evidence(instance),
        ),
        used_ratio=rates.ingress.p95_gbps / limit,
        limit_minutes_per_day=minutes_per_day(facts, rates.ingress, limit, rates),
        fix=_fix(
            "Let several VMs receive, or let your senders use internal addresses.",
            "more receivers",
        ),
        doubts=doubts.reasons,
    )


def _cpu_hit(
    facts: model.Facts, instance: model.Instance, rates: model.MachineRates, cpu: model.MetricSeries
) -> model.Hit:
    doubts = doubts_of_rates(facts, instance, rates)
    doubts.add("the other work of its vCPUs is unknown")
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} receives {gbps(rates.ingress.p95_gbps)} at the 95th percentile"
        f" and uses {cpu.p95:.0%} of its vCPUs; its largest sender has spare capacity",
        cause="cpu",
        evidence=(
            rate_evidence("ingress_p95", rates.ingress.p95_gbps, rates.source),
            model.Evidence(name="cpu_p95", value=cpu.p95, unit="ratio", source=cpu.metric.value),
            type_evidence(instance),
        ),
        used_ratio=cpu.p95,
        fix=_fix(
            "Give the receiver more vCPUs, or share the ingress among several VMs. `netplan"
            f" recommend --vm {instance.name}` compares types.",
            "more vCPUs",
        ),
        doubts=doubts.reasons,
    )


def _fix(text: str, label: str) -> model.Fix:
    return RULE.fix(
        label=label,
        text=text,
        verify="Together, the receivers receive more, and each has spare vCPUs.",
        undo="Change the receiver back to its old type, or stop the added ones.",
    )
