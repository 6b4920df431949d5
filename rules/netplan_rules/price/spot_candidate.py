"""Machines that work off a queue and are paid on demand."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.ledger import Ledger
from netplan_planner.machines.groups import changed_together, is_managed
from netplan_planner.paths.machines import is_gke_node
from netplan_planner.units import counted
from netplan_rules.base import Threshold, rule_of, usd_floor
from netplan_rules.shared.trust import Doubts
from netplan_rules.wording import keep_the_old, money, vm_subject
from netplan_rules.work import NEW_MACHINE

ROLES = frozenset({"worker", "batch"})
"""Values of the label netplan-role that say: it may stop at any time, and another goes on."""
_WORDS = frozenset(
    [
        "batch",
        "builder",
        "crawler",
        "render",
        "runner",
        "transcode",
        "transcoder",
        "worker",
        "workers",
    ]
)

RULE = rule_of(
    __name__,
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.INVENTORY, model.Need.PRICES}),
    work=NEW_MACHINE,
    thresholds=(
        usd_floor(20.0, "minimum saving of a VM or group"),
        Threshold(
            name="min_group_size",
            default=3.0,
            unit="VMs",
            about="minimum running members of a managed instance group for its name to count",
        ),
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each worker that is paid on demand; of a managed group all, made by one template."""
    groups = facts.inventory.group_by_member
    ledger = Ledger(facts)
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    least = facts.threshold(RULE.id, "min_group_size")
    running = (one for one in facts.inventory.instances if one.is_to_run)
    for together in changed_together(facts, running):
        first, *others = together
        group = groups.get(first.ref.self_link) if len(together) >= least else None
        whys = [_why(one, group) for one in together]
        if not all(whys) or not all(map(_may_be_spot, together)):
            continue
        members = tuple(one.ref.self_link for one in together) if others else ()
        change = model.Change(
            kind=model.ChangeKind.SPOT, target=first.ref.self_link, members=members
        )
        saving = ledger.value(change).saving
        if saving.unknown:
            yield model.Gap(resource=first.ref, reason=saving.unknown)
        elif saving.usd_per_month >= floor:
            if saving.basis is model.SavingBasis.BILL:
                ledger.make(change)
            yield _hit(facts, together, whys[0], saving, change)


def _may_be_spot(instance: model.Instance) -> bool:
    return (
        not instance.is_spot
        and not instance.is_sole_tenant
        and instance.reservation is None
        and not instance.unknown_parts
        and instance.label(model.PIN_LABEL) is None
        and not is_gke_node(instance)
    )


def _why(instance: model.Instance, group: model.InstanceGroup | None) -> str:
    """Return what says that a machine may stop at any time, or nothing."""
    role = instance.label(model.ROLE_LABEL)
    if role is not None:
        return f"label {model.ROLE_LABEL}={role}" if role in ROLES else ""
    if group is None or not group.is_managed:
        return ""
    words = {word.removesuffix("s") for word in re.split(r"[-_]", group.name)}
    return f"name of the group {group.name}" if words & _WORDS else ""


def _hit(
    facts: model.Facts,
    together: Sequence[model.Instance],
    why: str,
    saving: model.Saving,
    change: model.Change,
) -> model.Hit:
    instance, *others = together
    who = f"{instance.name} and {counted(len(others), 'other VM')} of its group are"
    doubts = Doubts()
    doubts.add("prices and availability of Spot VMs change")
    if not why.startswith("label"):
        doubts.add("only the name suggests that the work can be repeated")
    if instance.local_ssd_count:
        doubts.add("data on its Local SSDs is lost on preemption")
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=model.worded(
            f"{who if others else f'{instance.name} is'} paid on demand, though"
            f" {'they' if others else 'it'} may stop at any time ({why}); Spot saves ",
            money(saving.usd_per_month),
            "/month",
        ),
        evidence=(
            model.Evidence(name="role", value=why, source="inventory"),
            model.Evidence(name="machine_type", value=instance.machine_type, source="inventory"),
        ),
        saving=saving,
        fix=_fix(facts, instance),
        doubts=doubts.reasons,
        change=change,
    )


def _fix(facts: model.Facts, instance: model.Instance) -> model.Fix:
    how = (
        "Give the group a template with --provisioning-model=SPOT, and let it replace its VMs a"
        " few at a time."
        if is_managed(facts, instance)
        else (
            f"Create a machine image of {instance.name}, and a VM from it with"
            " --provisioning-model=SPOT and --instance-termination-action=STOP. Then switch over."
        )
    )
    return RULE.fix(
        label="Spot",
        text=how,
        verify="The queue is processed as before, and a test stop of a VM loses no work.",
        clean_up=None
        if is_managed(facts, instance)
        else model.Instruction(text=f"Only then delete the old {instance.name} and its disks."),
        undo=model.Instruction(text="Let the group use the old template again.")
        if is_managed(facts, instance)
        else keep_the_old(f"the old {instance.name}"),
        documents=RULE.references[:1],
        caution="Google may preempt Spot VMs at any time, even all in a zone at once. Do not use"
        " them for services that must respond.",
    )
