"""Machines for which Tier_1 is the cheapest way to the bandwidth they need."""

from collections.abc import Iterator

from netplan_planner.machines.groups import is_managed
from netplan_planner.model import (
    BandwidthTier,
    Candidate,
    EgressCap,
    Facts,
    Fix,
    Gap,
    Hit,
    Instance,
    Need,
    Severity,
    Text,
    worded,
)
from netplan_planner.throughput import instance_cap
from netplan_rules.base import Rule, Threshold
from netplan_rules.capacity._resize import (
    OF_A_GROUP,
    doubts_of_caps,
    egress_estimate,
    resize_change,
    type_evidence,
)
from netplan_rules.capacity._tier1 import pool_of, tier1_choice, wanted_gbps
from netplan_rules.money import machine_saving
from netplan_rules.shared.trust import Doubts, doubts_of_rates
from netplan_rules.wording import gbps, keep_the_old, rate_evidence, sends, vm_subject
from netplan_rules.work import NEW_MACHINE

RULE = Rule(
    id="tier1-missing",
    title="Tier_1 is cheaper than a bigger machine",
    severity=Severity.MEDIUM,
    needs=frozenset({Need.INVENTORY, Need.PRICES}),
    rationale="The target or the observed egress is above the default cap; the type has a greater"
    " cap with Tier_1, and its fee is less than what any type without Tier_1 that carries the need"
    " costs more.",
    remediation="Recreate the machine with Tier_1 and gVNIC.",
    guards="Silent when a bigger type without Tier_1 is cheaper (egress-cap rules name it). When"
    " the fee of the series is not published the machine is listed as not judged. Nodes of a pool"
    " of GKE that was read are node-pool-tier1-missing's.",
    references=(
        "https://cloud.google.com/compute/docs/networking/configure-vm-with-high-bandwidth-configur"
        "ation",
    ),
    work=NEW_MACHINE,
    since="0.1.0",
    thresholds=(
        Threshold(
            name="p95_ratio",
            default=0.9,
            unit="ratio",
            about="share of the default cap that the observed 95th percentile reaches",
        ),
    ),
    group_message="{count} machines need more than their default cap ({cap_rate} of the first), and"
    " Tier_1 is cheaper than a bigger machine",
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each machine that needs more than its default cap and gets it cheapest by Tier_1."""
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    for instance in facts.inventory.instances:
        if instance.bandwidth_tier is BandwidthTier.TIER_1:
            continue
        default, tier1 = (
            instance_cap(instance, facts.caps),
            instance_cap(instance, facts.caps, tier1=True),
        )
        if default is None or tier1 is None:
            continue  # no Tier_1 for the type; the egress-cap rules report unknown caps
        wanted = wanted_gbps(facts, instance, default, facts.threshold(RULE.id, "p95_ratio"))
        if wanted is None or pool_of(facts, instance) is not None:
            continue
        found = tier1_choice(facts, instance, wanted, ledger)
        if isinstance(found, Gap):
            yield found
        elif found is not None:
            yield _hit(facts, instance, default, wanted, found.own, found.compared)


def _hit(
    facts: Facts,
    instance: Instance,
    default: EgressCap,
    wanted: float,
    own: Candidate,
    compared: Text,
) -> Hit:
    saving = machine_saving(facts, instance, own)
    rates, target = facts.rates_of(instance), facts.target(instance)
    seen = Doubts()
    if rates is not None and (target is None or target.gbps != wanted):
        seen = doubts_of_rates(facts, instance, rates)
    doubts = doubts_of_caps(facts, seen, default, own)
    return Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=worded(
            f"{instance.name} needs {gbps(wanted)}, its default cap is"
            f" {gbps(default.egress_gbps)}; with Tier_1 it is {gbps(own.cap_gbps)}",
            compared,
        ),
        evidence=(
            rate_evidence("needed", wanted, "declared target or flow logs"),
            rate_evidence("cap", default.egress_gbps, default.source),
            rate_evidence("tier1_cap", own.cap_gbps, own.limit.source),
            type_evidence(instance),
        ),
        limit=own.limit,
        throughput_now=egress_estimate(facts, instance, None),
        throughput_fixed=egress_estimate(facts, instance, own),
        saving=saving,
        used_ratio=wanted / default.egress_gbps,
        fix=Fix(
            label="Tier_1",
            verify=sends(instance, gbps(default.egress_gbps)),
            undo=keep_the_old("the machine without Tier_1"),
            text="Recreate the machine with --network-performance-configs="
            "total-egress-bandwidth-tier=TIER_1 and a gVNIC interface.",
            documents=RULE.references,
            caution=OF_A_GROUP
            if is_managed(facts, instance)
            else "Tier_1 can only be set when a machine is made, and its fee has no commitment"
            " discount.",
        ),
        confidence=doubts.confidence,
        confidence_reason=doubts.text,
        change=resize_change(instance, own),
    )
