"""Machines whose cap is below the bandwidth that their owner declared."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.throughput import instance_cap
from netplan_rules.base import ratio_limit, rule_of
from netplan_rules.capacity import _resize as resize
from netplan_rules.shared.trust import WHOLE_DAY_MINUTES, Doubts
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.INVENTORY, model.Need.TARGETS}),
    work=MACHINE_TYPE,
    thresholds=(
        ratio_limit(
            "headroom_ratio",
            0.2,
            "share of the cap to keep free as headroom",
            below=1.0,
        ),
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each machine whose target is more than its cap less headroom."""
    free = facts.threshold(RULE.id, "headroom_ratio")
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    for instance in facts.inventory.instances:
        target = facts.target(instance)
        if target is None:
            if why := facts.why_no_target(instance):
                yield model.Gap(resource=instance.ref, reason=why)
            continue
        cap = instance_cap(instance, facts.caps)
        if cap is None:
            yield resize.unknown_cap(facts, instance)
        elif target.gbps > cap.egress_gbps * (1 - free):
            yield _hit(facts, instance, target, cap, ledger)


def _hit(
    facts: model.Facts,
    instance: model.Instance,
    target: model.Target,
    cap: model.EgressCap,
    ledger: model.CoverLedger,
) -> model.Hit:
    free = facts.threshold(RULE.id, "headroom_ratio")
    rates = facts.rates_of(instance)
    seen = rates.egress.p95_gbps if rates is not None else 0.0
    need = resize.need_of(facts, instance, max(target.gbps, seen), model.Destination.INTERNAL)
    candidate, why_not = resize.cheapest(facts, need, instance, ledger)
    now = resize.egress_estimate(facts, instance, None)
    saving = resize.resize_saving(facts, instance, candidate, ledger)
    doubts = resize.doubts_of_caps(facts, Doubts(), cap, candidate)
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} has a target of {gbps(target.gbps)} ({target.source}); the cap of"
        f" {instance.machine_type} is {gbps(cap.egress_gbps)}, with {free:.0%} kept as headroom",
        cause=resize.resize_cause(candidate),
        evidence=(
            rate_evidence("target", target.gbps, target.source),
            rate_evidence("cap", cap.egress_gbps, cap.source),
            model.Evidence(
                name="headroom",
                value=free,
                unit="ratio",
                source="configuration",
            ),
            *resize.size_evidence(facts, instance),
            resize.type_evidence(instance),
        ),
        limit=now.binding,
        throughput_now=now,
        throughput_fixed=resize.egress_estimate(facts, instance, candidate) if candidate else None,
        saving=saving,
        used_ratio=target.gbps / (now.gbps or cap.egress_gbps),
        limit_minutes_per_day=WHOLE_DAY_MINUTES,
        fix=resize.resize_fix(facts, instance, candidate, why_not),
        doubts=doubts.reasons,
        change=resize.resize_change(instance, candidate),
    )
