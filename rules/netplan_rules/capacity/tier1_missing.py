"""Machines for which Tier_1 is the cheapest way to the bandwidth they need."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.machines.groups import is_managed
from netplan_planner.throughput import instance_cap
from netplan_rules.base import Threshold, rule_of
from netplan_rules.capacity import _resize as resize
from netplan_rules.capacity._resize import pool_of, tier1_choice, wanted_gbps
from netplan_rules.money import machine_saving
from netplan_rules.shared.trust import Doubts, doubts_of_rates
from netplan_rules.wording import gbps, keep_the_old, rate_evidence, sends, vm_subject
from netplan_rules.work import NEW_MACHINE

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.PRICES}),
    work=NEW_MACHINE,
    thresholds=(
        Threshold(
            name="p95_ratio",
            default=0.9,
            unit="ratio",
            about="minimum share of the default cap at the observed 95th percentile",
        ),
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each machine that needs more than its default cap and gets it cheapest by Tier_1."""
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    for instance in facts.inventory.instances:
        if instance.bandwidth_tier is model.BandwidthTier.TIER_1:
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
        if isinstance(found, model.Gap):
            yield found
        elif found is not None:
            yield _hit(facts, instance, default, wanted, found.own, found.compared)


def _hit(
    facts: model.Facts,
    instance: model.Instance,
    default: model.EgressCap,
    wanted: float,
    own: model.Candidate,
    compared: model.Text,
) -> model.Hit:
    saving = machine_saving(facts, instance, own)
    rates, target = facts.rates_of(instance), facts.target(instance)
    seen = Doubts()
    if rates is not None and (target is None or target.gbps != wanted):
        seen = doubts_of_rates(facts, instance, rates)
    doubts = resize.doubts_of_caps(facts, seen, default, own)
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=model.worded(
            f"{instance.name} needs {gbps(wanted)}, its default cap is"
            f" {gbps(default.egress_gbps)}; with Tier_1 it is {gbps(own.cap_gbps)}",
            compared,
        ),
        evidence=(
            rate_evidence("needed", wanted, "declared target or flow logs"),
            rate_evidence("cap", default.egress_gbps, default.source),
            rate_evidence("tier1_cap", own.cap_gbps, own.limit.source),
            resize.type_evidence(instance),
        ),
        limit=own.limit,
        throughput_now=resize.egress_estimate(facts, instance, None),
        throughput_fixed=resize.egress_estimate(facts, instance, own),
        saving=saving,
        used_ratio=wanted / default.egress_gbps,
        limit_minutes_per_day=resize.wanted_minutes(facts, instance, default),
        fix=RULE.fix(
            label="Tier_1",
            verify=sends(instance, gbps(default.egress_gbps)),
            undo=keep_the_old("the VM without Tier_1"),
            text="Recreate the VM with --network-performance-configs="
            "total-egress-bandwidth-tier=TIER_1 and a gVNIC interface.",
            caution=resize.OF_A_GROUP
            if is_managed(facts, instance)
            else "Tier_1 is set when a VM is created. Its fee has no commitment discount.",
        ),
        doubts=doubts.reasons,
        change=resize.resize_change(instance, own),
    )
