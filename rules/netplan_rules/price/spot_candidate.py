"""Machines that work off a queue and are paid on demand."""

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from netplan_planner import model
from netplan_planner.ledger import Ledger
from netplan_planner.machines.groups import is_managed
from netplan_planner.paths.machines import is_gke_node
from netplan_rules.base import Rule, Threshold, usd_floor
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

RULE = Rule(
    id="spot-candidate",
    title="Workers that may stop at any time are paid on demand",
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.INVENTORY, model.Need.PRICES}),
    rationale="Spot machines cost a fraction of the price on demand, and so do their external"
    " addresses; Google may take them back at any time with 30 seconds of notice. Work that is"
    " taken from a queue and done again after a stop loses little by that.",
    remediation="Run them as Spot machines, in a managed group that makes new ones, with a few on"
    " demand beside them where the queue must not stand still.",
    guards="Named are only machines that are labelled netplan-role=worker or batch, and members of"
    " managed groups of at least three running machines whose name says it (worker, batch,"
    " runner, …), these with low confidence. GKE nodes, pinned machines, other roles, Spot and"
    " stopped machines, sole-tenant nodes and machines bound to a reservation keep the rule silent."
    " What a commitment covers stays paid, and is taken off the saving.",
    references=(
        "https://cloud.google.com/compute/docs/instances/spot",
        "https://cloud.google.com/vpc/network-pricing",
    ),
    work=NEW_MACHINE,
    thresholds=(
        usd_floor(20.0, "what a machine must save"),
        Threshold(
            name="min_group_size",
            default=3.0,
            unit="machines",
            about="running members of a managed group from which its name counts",
        ),
    ),
    group_message="{count} workers on demand could be Spot machines",
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each worker that is paid on demand."""
    groups = facts.inventory.group_by_member
    running: Counter[model.SelfLink] = Counter(
        groups[instance.ref.self_link].ref.self_link
        for instance in facts.inventory.instances
        if instance.is_to_run and instance.ref.self_link in groups
    )
    ledger = Ledger(facts)
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    least = facts.threshold(RULE.id, "min_group_size")
    for instance in facts.inventory.instances:
        group = groups.get(instance.ref.self_link)
        size = running[group.ref.self_link] if group is not None else 0
        why = _why(instance, group if size >= least else None)
        if not why or not _may_be_spot(instance):
            continue
        change = model.Change(kind=model.ChangeKind.SPOT, target=instance.ref.self_link)
        saving = ledger.value(change).saving
        if saving.unknown:
            yield model.Gap(resource=instance.ref, reason=saving.unknown)
        elif saving.usd_per_month >= floor:
            if saving.basis is model.SavingBasis.BILL:
                ledger.make(change)
            yield _hit(facts, instance, why, saving, change)


def _may_be_spot(instance: model.Instance) -> bool:
    return (
        instance.is_to_run
        and not instance.is_spot
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
    instance: model.Instance,
    why: str,
    saving: model.Saving,
    change: model.Change,
) -> model.Hit:
    doubts = Doubts()
    doubts.add("prices and supply of Spot machines change")
    if not why.startswith("label"):
        doubts.add("only the name says that the work can be done again")
    if instance.local_ssd_count:
        doubts.add("what is on its Local SSDs is lost when it is taken back")
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=model.worded(
            f"{instance.name} is paid on demand, though it may stop at any time ({why}); as a Spot"
            " machine it costs ",
            money(saving.usd_per_month),
            " a month less",
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
        "Give the group a template with --provisioning-model=SPOT, and let it replace its machines"
        " a few at a time."
        if is_managed(facts, instance)
        else f"Make a machine image of {instance.name} and a machine of it with"
        " --provisioning-model=SPOT and --instance-termination-action=STOP; let it take over."
    )
    return RULE.fix(
        label="Spot",
        text=how,
        verify="The queue is worked off as before, and a machine that is stopped on purpose loses"
        " no work.",
        clean_up=None
        if is_managed(facts, instance)
        else model.Instruction(text=f"Only then: delete the old {instance.name} and its disks."),
        undo=model.Instruction(text="Let the group use the old template again.")
        if is_managed(facts, instance)
        else keep_the_old(f"the old {instance.name}"),
        documents=RULE.references[:1],
        caution="Google may take Spot machines back at any time, all of a zone at once among them:"
        " never for what must answer.",
    )
