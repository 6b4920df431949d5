"""Machines with Tier_1 that their type or interface cannot use."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.ledger import ledger_of
from netplan_rules.base import rule_of
from netplan_rules.capacity._resize import type_evidence
from netplan_rules.wording import keep_the_old, vm_subject
from netplan_rules.work import NEW_MACHINE

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.INVENTORY}),
    work=NEW_MACHINE,
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each Tier_1 machine whose type or interfaces rule it out."""
    for instance in facts.inventory.instances:
        if instance.bandwidth_tier is not model.BandwidthTier.TIER_1:
            continue
        variants = facts.caps.variants(instance.machine_type)
        if not variants:
            reason = facts.caps.unknown_reason(instance.machine_type, tier1=True)
            yield model.Gap(resource=instance.ref, reason=reason)
            continue
        if not any(cap.is_tier1 for cap in variants):
            yield _hit(facts, instance, f"{instance.machine_type} does not support Tier_1")
            continue
        allows_virtio = any(cap.may_use("VIRTIO_NET") for cap in variants)
        yield from _interfaces(facts, instance, allows_virtio)


def _interfaces(
    facts: model.Facts, instance: model.Instance, allows_virtio: bool
) -> Iterator[model.Hit | model.Gap]:
    stated = [nic.nic_type for nic in instance.interfaces]
    if any(kind is not None and kind != "GVNIC" for kind in stated):
        kinds = ", ".join(sorted({kind for kind in stated if kind and kind != "GVNIC"}))
        yield _hit(facts, instance, f"its interface is {kinds}, not gVNIC")
    elif None in stated and allows_virtio:
        yield model.Gap(
            resource=instance.ref,
            reason="the input does not state its interface type, and the series allows both",
        )


def _hit(facts: model.Facts, instance: model.Instance, why: str) -> model.Hit:
    change = model.Change(kind=model.ChangeKind.NO_TIER_1, target=instance.ref.self_link)
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} has Tier_1 set, but {why}",
        evidence=(
            model.Evidence(name="reason", value=why, source="inventory"),
            type_evidence(instance),
        ),
        saving=ledger_of(facts).value(change).saving,
        fix=RULE.fix(
            label="recreate",
            verify="The interface is GVNIC and the type supports Tier_1.",
            undo=keep_the_old("the old VM"),
            text="Recreate it with gVNIC and a type that supports Tier_1, or without Tier_1.",
            caution="Both settings are set when a VM is created.",
        ),
        change=change,
    )
