"""Which machines a change is about, and whether two changes want different things of one."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from netplan_planner.machines.known import near
from netplan_planner.model import Instance, Inventory, SelfLink
from netplan_planner.model.whatif import WhatifChange, WhatifField

_LABEL, _GROUP = "label:", "group:"
_LISTED = 3


class Aimed(NamedTuple):
    """A change and its machines."""

    change: WhatifChange
    machines: tuple[Instance, ...]


def aimed(inventory: Inventory, changes: Sequence[WhatifChange]) -> tuple[Aimed, ...]:
    """Return changes with their machines, in the order in which they are made.

    Raises:
        NetplanError: If a selector fits no machine, or two changes contradict each other.
    """
    order = list(WhatifField)
    once = list({_said(change): change for change in reversed(changes)}.values())
    found = [Aimed(change, machines_of(inventory, change)) for change in reversed(once)]
    _check_contradictions(found)
    ranked = sorted(found, key=lambda one: (order.index(one.change.field), one.change.vms))
    return tuple(ranked)


def _said(change: WhatifChange) -> tuple[object, ...]:
    return change.vms, change.field, change.to, change.by


def machines_of(inventory: Inventory, change: WhatifChange) -> tuple[Instance, ...]:
    """Return the machines that a change's selector names.

    Raises:
        NetplanError: If it names none, or one name stands for several machines.
    """
    wanted = change.vms.strip().strip("/")
    if wanted.startswith(_LABEL):
        found = _of_label(inventory, wanted.removeprefix(_LABEL), change)
    elif wanted.startswith(_GROUP):
        found = _of_group(inventory, wanted.removeprefix(_GROUP))
    elif any(letter in wanted for letter in "*?["):
        found = [one for one in inventory.instances if _fits(one, wanted)]
    else:
        found = [one for one in inventory.instances if is_named(one, wanted)]
        if len(found) > 1:
            places = ", ".join(f"{one.project}/{one.zone}/{one.name}" for one in found[:_LISTED])
            raise change.refused(
                f"{len(found)} machines are named {wanted!r}: {places}. Name one of them, or all"
                f" by a glob such as '*/{wanted}'"
            )
    if not found:
        names = [one.name for one in inventory.instances]
        raise change.refused(f"no machine of the input is {wanted!r}{near(wanted, names)}")
    return tuple(found)


def is_named(instance: Instance, wanted: str) -> bool:
    """Return whether a machine has a name, `project/zone/name` or the end of a self link."""
    full = f"{instance.project}/{instance.zone}/{instance.name}"
    return wanted in {instance.name, full} or instance.ref.self_link.endswith(f"/{wanted}")


def _fits(instance: Instance, glob: str) -> bool:
    link = instance.ref.self_link
    return (
        fnmatchcase(instance.name, glob)
        or fnmatchcase(link, glob)
        or fnmatchcase(link, f"*/{glob}")
    )


def _of_label(inventory: Inventory, text: str, change: WhatifChange) -> list[Instance]:
    key, equals, value = text.partition("=")
    if not equals:
        raise change.refused(f"{_LABEL}{text} is not label:KEY=VALUE")
    return [one for one in inventory.instances if one.label(key) == value]


def _of_group(inventory: Inventory, name: str) -> list[Instance]:
    groups = inventory.group_by_member
    return [
        one
        for one in inventory.instances
        if (group := groups.get(one.ref.self_link)) is not None and group.name == name
    ]


def _check_contradictions(found: Sequence[Aimed]) -> None:
    """Refuse two different values of one thing of one machine."""
    said: dict[tuple[SelfLink, WhatifField], WhatifChange] = {}
    for change, machines in found:
        for machine in machines:
            key = machine.ref.self_link, change.field
            other = said.setdefault(key, change)
            # A growth that is said twice of a machine would be made twice.
            is_twice = change.field is WhatifField.GROWTH and other is not change
            if other.to != change.to or is_twice:
                raise change.refused(
                    f"{machine.name} gets {change.field.value} {change.to} here and {other.to} by"
                    f" {other.source}: leave one of them out"
                )
