"""The steps of changes that are made to machines, their networks, and how they are called.

Who is to call whom by another kind of address: the steps of a change of addresses.
"""

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.machines import why_new_machine
from netplan_planner.machines.groups import is_managed
from netplan_planner.machines.stores import data_caution, why_store
from netplan_planner.model.plans.plan_answer import PlanChange, PlanChanges
from netplan_planner.planning.steps import (
    by_hand,
    by_image,
    in_order,
    machine_changes,
    with_caution,
)
from netplan_planner.planning.steps.machine_changes import Target, resize
from netplan_planner.units import counted
from netplan_planner.verbs.whatif.answer import WhatifField
from netplan_planner.verbs.whatif.scenario import Aimed
from netplan_rules.shared.removal import clean_up
from netplan_rules.wording import far

_OF_NETWORKS = "Networks come first, because all their VMs stop."
_OF_MACHINES = "Each VM is separate, its zone before its other changes. You can stop after any VM."
_OF_CALLS = "Address changes come last, when the VMs are in their final place."


def called_otherwise(
    before: model.Facts, after: model.Facts, made_again: Collection[model.SelfLink]
) -> Iterator[PlanChange]:
    """Yield a step a machine and address that others call otherwise than today.

    Args:
        before: Facts whose edges stand in the order of those of `after`, as `Scenario` has them.
        after: The facts after the changes.
        made_again: Machines that other steps make again, with other addresses.
    """
    if before.traffic is None or after.traffic is None or before.traffic is after.traffic:
        return
    found: dict[tuple[int, bool, str], list[int]] = {}
    for old, new in zip(before.traffic.edges, after.traffic.edges, strict=True):
        was, is_now = old.path_class.is_external_address, new.path_class.is_external_address
        if was is not is_now:
            address = (old if was else new).dst_address or ""
            found.setdefault((old.dst, is_now, address), []).append(old.src)
    for (receiver, is_outside, address), senders in found.items():
        machine = _instance(after, receiver)
        peers = [one for owner in dict.fromkeys(senders) if (one := _instance(after, owner))]
        if machine is None or not peers:
            continue
        is_made_again = machine.ref.self_link in made_again
        if is_outside:
            yield by_hand.call_outside(machine, peers, address, is_made_again=is_made_again)
            continue
        nic = after.inventory.reachable_interface(peers[0], machine)
        if nic is not None:
            then = _clean_up(after, machine, peers[0], address)
            yield by_hand.call_inside(
                machine, nic, peers, address or None, then, is_made_again=is_made_again
            )


def _clean_up(
    after: model.Facts, machine: model.Instance, peer: model.Instance, address: str
) -> model.Instruction | None:
    holder = next((one for one in machine.interfaces if one.external_ipv4 == address), None)
    return clean_up(after, machine, holder, peer) if holder is not None and address else None


def _instance(facts: model.Facts, owner: int) -> model.Instance | None:
    link = facts.seen_traffic.owners[owner].link
    return facts.inventory.instance_by_link.get(link) if link is not None else None


def changes_of(before: model.Facts, after: model.Facts, aims: Sequence[Aimed]) -> PlanChanges:
    """Return the steps from one state of the machines to the other."""
    without: list[str] = []
    made_again: set[model.SelfLink] = set()
    parts = (
        (_OF_NETWORKS, tuple(_of_networks(before, after))),
        (_OF_MACHINES, tuple(_of_machines(before, after, without, made_again))),
        (_OF_CALLS, tuple(called_otherwise(before, after, made_again))),
        ("", tuple(_of_plugins(aims))),
    )
    said = " ".join(why for why, steps in parts if steps and why)
    if without:
        said = f"{said} Not in these steps: {'; '.join(without)}.".lstrip()
    found = in_order((step for _, steps in parts for step in steps), said)
    return replace(found, order=said)


def _of_networks(before: model.Facts, after: model.Facts) -> Iterator[PlanChange]:
    for old, new in zip(before.inventory.networks, after.inventory.networks, strict=True):
        if old.mtu_bytes == new.mtu_bytes or new.mtu_bytes is None:
            continue
        inside = [
            one
            for one in before.inventory.instances
            if not one.is_stopped
            and any(nic.network == old.ref.self_link for nic in one.interfaces)
        ]
        by_itself = [one for one in inside if not is_managed(before, one)]
        names = {_maker(before, one) for one in inside if is_managed(before, one)}
        yield by_hand.change_mtu(old, new.mtu_bytes, by_itself, sorted(names))


def _maker(facts: model.Facts, machine: model.Instance) -> str:
    group = facts.inventory.group_by_member.get(machine.ref.self_link)
    return group.name if group is not None else f"the interface of {machine.name}"


def _of_machines(
    before: model.Facts, after: model.Facts, without: list[str], made_again: set[model.SelfLink]
) -> Iterator[PlanChange]:
    """Yield the steps of machines; what has none goes into `without`, in words.

    Machines that are made again go into `made_again`.
    """
    done: set[model.SelfLink] = set()
    inventory = before.inventory
    for old, new in zip(inventory.instances, after.inventory.instances, strict=True):
        if old == new:
            continue
        group = inventory.group_by_member.get(old.ref.self_link)
        if group is not None and group.is_managed:
            if group.ref.self_link not in done:
                done.add(group.ref.self_link)
                yield from _of_group(before, after, group, without)
        elif is_managed(before, old):
            target = _target(new)
            if target != _target(old):
                yield resize(before, old, target)
            _say_beside(old, new, old.name, without)
        else:
            steps = tuple(_of_machine(before, old, new))
            if any(change.replaces for step in steps for change in step.terraform):
                made_again.add(old.ref.self_link)
            yield from steps


def _target(machine: model.Instance) -> Target:
    return Target(machine.machine_type, machine.bandwidth_tier is model.BandwidthTier.TIER_1)


def _of_group(
    before: model.Facts, after: model.Facts, group: model.InstanceGroup, without: list[str]
) -> Iterator[PlanChange]:
    """Yield the step of all machines of a managed group: they are what its template says."""
    members = [
        one
        for one in before.inventory.instances
        if before.inventory.group_by_member.get(one.ref.self_link) is group
    ]
    after_by_link = after.inventory.instance_by_link
    pairs = [(one, after_by_link[one.ref.self_link]) for one in members]
    changed = [(old, new) for old, new in pairs if old != new]
    wanted = {_target(new) for _, new in pairs}
    if len(changed) < len(pairs) or len(wanted) > 1:
        without.append(
            f"{counted(len(changed), 'VM')} of {len(pairs)} in the group {group.name}, which has "
            f"one template: change all of them alike (--vm group:{group.name}), or move these to "
            "a group of their own"
        )
        return
    old, new = pairs[0]
    _say_beside(old, new, group.name, without)
    if _target(old) != _target(new):
        yield resize(before, old, _target(new))


def _say_beside(old: model.Instance, new: model.Instance, name: str, without: list[str]) -> None:
    """Say what a template or node pool has to be told, for which there is no step."""
    rest = [what for what, is_it in _beside(old, new) if is_it]
    if rest:
        without.append(f"{' and '.join(rest)} of {name}, which its template or node pool decides")


def _beside(old: model.Instance, new: model.Instance) -> Iterator[tuple[str, bool]]:
    yield "the zone", old.zone != new.zone
    yield "the type of interface", _nic_type(old, new) is not None
    tiers = [[nic.network_tier for nic in one.interfaces] for one in (old, new)]
    yield "the network tier", tiers[0] != tiers[1]


def _of_machine(
    facts: model.Facts, old: model.Instance, new: model.Instance
) -> Iterator[PlanChange]:
    # Addresses first: a machine that is made again may have another name.
    for before, after in zip(old.interfaces, new.interfaces, strict=True):
        if before.network_tier != after.network_tier and after.network_tier:
            yield machine_changes.change_tier(old, before, after.network_tier)
    now = old
    if old.zone != new.zone:
        step = by_image.move_to_zone(old, new.zone, _in_place_of(old, new))
        yield with_caution(step, far(old, new.zone), data_caution(why_store(facts, old)))
        now = replace(old, zone=new.zone)
    now = replace(now, interfaces=_in_place_of(old, new))
    nic_type = _nic_type(old, new)
    target, is_tier1 = _target(new), new.bandwidth_tier is model.BandwidthTier.TIER_1
    is_new_type = old.machine_type != new.machine_type
    why = why_new_machine(now, facts.shape(old.machine_type), target) if is_new_type else ""
    if old.bandwidth_tier is not new.bandwidth_tier or (is_new_type and is_tier1):
        yield by_image.with_tier1(
            now, is_on=is_tier1, machine_type=new.machine_type, nic_type=nic_type
        )
    elif is_new_type and (why or nic_type):
        reason = why or by_image.NEEDS_DRIVER if nic_type == "GVNIC" else why
        yield by_image.with_type(now, new.machine_type, reason, nic_type)
    elif is_new_type:
        yield machine_changes.change_type(now, new.machine_type)
    elif nic_type is not None:
        yield by_image.with_interfaces(now, nic_type)


def status_after(facts: model.Facts, old: model.Instance, new: model.Instance) -> str:
    """Return the status in which the steps leave a machine: what is made again runs.

    A suspended one is resumed and stopped for another type, which it takes in no other status.
    """
    if not old.is_off or is_managed(facts, old):
        return old.status
    steps = tuple(_of_machine(facts, old, new))
    if any(change.replaces for step in steps for change in step.terraform):
        return "RUNNING"
    return "TERMINATED" if old.machine_type != new.machine_type else old.status


def _in_place_of(old: model.Instance, new: model.Instance) -> tuple[model.NetworkInterface, ...]:
    """Return a machine's interfaces of their old type, in their new tier and subnetwork."""
    return tuple(
        replace(nic, network_tier=there.network_tier, subnetwork=there.subnetwork)
        for nic, there in zip(old.interfaces, new.interfaces, strict=True)
    )


def _nic_type(old: model.Instance, new: model.Instance) -> str | None:
    """Return the new type of all interfaces; None: they stay."""
    pairs = zip(old.interfaces, new.interfaces, strict=True)
    return next((there.nic_type for here, there in pairs if here.nic_type != there.nic_type), None)


def _of_plugins(aims: Sequence[Aimed]) -> Iterator[PlanChange]:
    for change, machines, _ in aims:
        if change.field is WhatifField.PLUGIN:
            yield by_hand.change_plugin(machines, change.to)
