"""Machines that pay for Tier_1 and never need it."""

from collections.abc import Iterator

from netplan_planner.ledger import ledger_of
from netplan_planner.machines.groups import changed_together, is_managed
from netplan_planner.model import (
    BandwidthTier,
    Change,
    ChangeKind,
    EgressCap,
    Evidence,
    Facts,
    Gap,
    Hit,
    Instance,
    MachineRates,
    Need,
    Severity,
)
from netplan_planner.throughput import instance_cap
from netplan_planner.units import counted
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.capacity._resize import OF_A_GROUP, type_evidence, unknown_cap
from netplan_rules.shared.flow_logs import reporting_subnetworks
from netplan_rules.shared.trust import Doubts, doubts_of_rates
from netplan_rules.wording import gbps, keep_the_old, rate_evidence, vm_subject
from netplan_rules.work import NEW_MACHINE

RULE = rule_of(
    __name__,
    severity=Severity.MEDIUM,
    needs=frozenset({Need.INVENTORY, Need.RATES}),
    work=NEW_MACHINE,
    thresholds=(
        ratio_limit("max_ratio", 0.9, "maximum share of the default cap in the busiest minute"),
        Threshold(
            name="min_window_hours",
            default=168.0,
            unit="hours",
            about="observed time below which confidence is lowered (a weekly peak may be missing)",
        ),
    ),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each Tier_1 machine whose busiest minute fits the default caps."""
    of_tier1 = [
        one
        for one in facts.inventory.instances
        if one.bandwidth_tier is BandwidthTier.TIER_1 and one.is_to_run
    ]
    rates = {one.link: one for one in facts.machine_rates}
    reporting = reporting_subnetworks(facts)
    for alike in changed_together(facts, of_tier1):
        seen = [one for one in alike if one.ref.self_link in rates]
        found = [_judged(facts, one, rates[one.ref.self_link]) for one in seen]
        silent = [one for one in alike if one.ref.self_link not in rates]
        told = {nic.subnetwork for one in silent for nic in one.interfaces} <= reporting
        needs = [one.name for one, its in zip(seen, found, strict=True) if not isinstance(its, Hit)]
        needs += [] if told else [silent[0].name]
        if not needs:
            yield from (one for one in found if isinstance(one, Hit))
            yield from (_silent(facts, one) for one in silent)
            continue
        # One template gives all machines of a group their tier.
        reason = f"its group has one template, and {needs[0]} may need Tier_1"
        for one in found:
            if isinstance(one, Hit):
                yield Gap(resource=one.resources[0], reason=reason)
            elif one is not None:
                yield one


def _judged(facts: Facts, instance: Instance, rates: MachineRates) -> Hit | Gap | None:
    """Return whether a machine needs no Tier_1; None: it does."""
    default = instance_cap(instance, facts.caps, tier1=False)
    if default is None:
        return unknown_cap(facts, instance)
    if _is_offered(facts, instance) and _fits(facts, instance, rates, default):
        return _hit(facts, instance, rates, default)
    return None


def _is_offered(facts: Facts, instance: Instance) -> bool:
    return any(cap.is_tier1 for cap in facts.caps.variants(instance.machine_type))


def _fits(facts: Facts, instance: Instance, rates: MachineRates, default: EgressCap) -> bool:
    share = facts.threshold(RULE.id, "max_ratio")
    target = facts.target(instance)
    outside = default.external_gbps
    # Where nothing tells the outside part, it is at most the whole.
    sent_outside = rates.traffic.egress_outside_vpc if rates.traffic else rates.egress
    return (
        rates.egress.max_gbps < share * default.egress_gbps
        and (outside is None or sent_outside.max_gbps < share * outside)
        and (target is None or target.gbps <= default.egress_gbps)
    )


def _hit(facts: Facts, instance: Instance, rates: MachineRates, default: EgressCap) -> Hit:
    doubts = doubts_of_rates(facts, instance, rates)
    hours = rates.observed_hours
    if hours < facts.threshold(RULE.id, "min_window_hours"):
        doubts.add(f"the window has {counted(round(hours), 'hour')} and may miss a weekly peak")
    evidence = (
        rate_evidence("max", rates.egress.max_gbps, rates.source),
        rate_evidence("cap", default.egress_gbps, default.source),
        Evidence(name="window", value=round(hours, 1), unit="hours", source=rates.source),
        type_evidence(instance),
    )
    said = (
        f"its busiest minute is {gbps(rates.egress.max_gbps)}, the default cap"
        f" {gbps(default.egress_gbps)}"
    )
    return _of(facts, instance, said, evidence, doubts)


def _silent(facts: Facts, instance: Instance) -> Hit:
    """Return the hit of a machine of a group that sent nothing, though its subnetwork reports."""
    doubts = Doubts()
    doubts.add("no record names it; that it sends nothing is known only from its subnetwork's logs")
    default = instance_cap(instance, facts.caps, tier1=False)
    cap = (rate_evidence("cap", default.egress_gbps, default.source),) if default else ()
    said = "no egress of it was observed, and the other VMs of its group need no more"
    return _of(facts, instance, said, (*cap, type_evidence(instance)), doubts)


def _of(
    facts: Facts, instance: Instance, said: str, evidence: tuple[Evidence, ...], doubts: Doubts
) -> Hit:
    change = Change(kind=ChangeKind.NO_TIER_1, target=instance.ref.self_link)
    return Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} pays for Tier_1; {said}",
        evidence=evidence,
        saving=ledger_of(facts).value(change).saving,
        fix=RULE.fix(
            text="Recreate the VM without Tier_1 (it cannot be changed in place).",
            label="without Tier_1",
            verify=f"{instance.name} sends as much as before, and the next bill has no Tier_1 fee.",
            undo=keep_the_old("the VM with Tier_1"),
            caution=OF_A_GROUP if is_managed(facts, instance) else "",
        ),
        doubts=doubts.reasons,
        change=change,
    )
