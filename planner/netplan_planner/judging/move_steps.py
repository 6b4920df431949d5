"""The commands that make a machine again, for it as the fixes before leave it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger.state import State
from netplan_planner.machines.groups import is_managed
from netplan_planner.model.plans.plan_answer import PlanChange
from netplan_planner.planning.steps.by_image import move_to_zone, with_tier1
from netplan_rules.wording import STEPS_BY

_WORD = re.compile(r"[\w-]+")


def with_move(fix: model.Fix, change: model.Change, state: State) -> model.Fix:
    """Return a fix with the commands that make its move now; as it is where it has some.

    A machine whose name is taken in the other zone gets a new one (`under_new_name`), for commands
    after it name the machine as it is called now.
    """
    if change.kind is not model.ChangeKind.ZONE or fix.commands:
        return fix
    machines, zone = _machines(change, state), model.Zone(change.to or "")
    taken = _names_in(state, zone)
    if any((one.project, one.name) in taken for one in machines) or not machines:
        return fix
    steps = [move_to_zone(one, zone, tuple(_there(state, one, zone))) for one in machines]
    return _with_steps(fix, steps, [n for one in machines for n in _left_behind(state, one, zone)])


def under_new_name(fix: model.Fix, change: model.Change, state: State) -> model.Fix | None:
    """Return a fix with the commands of a change after which a machine has another name.

    For the last change of the machine alone. None: the fix has commands, or none can be written:
    what a group or GKE made, and what an image does not hold, is left to whoever makes the change.
    """
    machines, zone = _machines(change, state), model.Zone(change.to or "")
    if fix.commands or not machines:
        return None
    if change.kind is model.ChangeKind.ZONE:
        taken = _names_in(state, zone)
        steps = [
            move_to_zone(
                one,
                zone,
                tuple(_there(state, one, zone)),
                is_taken=(one.project, one.name) in taken,
            )
            for one in machines
        ]
        kept = [name for one in machines for name in _left_behind(state, one, zone)]
        return _with_steps(fix, steps, kept)
    is_on = change.kind is model.ChangeKind.TIER_1
    if not is_on and change.kind is not model.ChangeKind.NO_TIER_1:
        return None
    if any(is_managed(state.facts, one) or one.local_ssd_count for one in machines):
        return None
    to = change.to if is_on else None
    return _with_steps(
        fix, [with_tier1(one, is_on=is_on, machine_type=to or None) for one in machines], ()
    )


def _machines(change: model.Change, state: State) -> list[model.Instance]:
    return [one for link in change.targets if (one := state.machine(link)) is not None]


def _with_steps(fix: model.Fix, planned: Sequence[PlanChange], kept: Sequence[str]) -> model.Fix:
    steps = [one.fix for one in planned]
    cautions = dict.fromkeys(step.caution for step in steps)
    return replace(
        fix,
        text=fix.text.partition(f" {STEPS_BY}")[0],
        commands=tuple(command for step in steps for command in step.commands),
        verify=_joined([step.verify for step in steps]) or fix.verify,
        clean_up=_and_kept(_joined([step.clean_up for step in steps]) or fix.clean_up, kept),
        undo=_joined([step.undo for step in steps]) or fix.undo,
        caution=model.spaced(fix.caution, *cautions),
    )


def _names_in(state: State, zone: model.Zone) -> set[tuple[model.ProjectId, str]]:
    """Return project and name of the machines that stand in a zone now."""
    found = (state.machine(one.ref.self_link) or one for one in state.facts.inventory.instances)
    return {(one.project, one.name) for one in found if one.zone == zone}


def _there(
    state: State, machine: model.Instance, zone: model.Zone
) -> Iterator[model.NetworkInterface]:
    """Yield the interfaces in another region, each in its network's first subnetwork there."""
    region = model.region_of(zone)
    if region == machine.region:
        return
    for nic in machine.interfaces:
        found = (
            one
            for one in state.facts.inventory.subnetworks
            if (one.network, one.region) == (nic.network, region)
        )
        chosen = min(found, key=lambda one: one.name, default=None)
        if chosen is not None:
            yield replace(nic, subnetwork=chosen.ref.self_link)


def _left_behind(state: State, machine: model.Instance, zone: model.Zone) -> Iterator[str]:
    """Yield the reserved addresses that a machine leaves in its region, by name."""
    if model.region_of(zone) == machine.region:
        return
    for nic in machine.interfaces:
        reserved = state.facts.inventory.address_by_ip.get(nic.external_ipv4 or "")
        if reserved is not None:
            yield reserved.name


def _and_kept(step: model.Instruction | None, kept: Sequence[str]) -> model.Instruction | None:
    """Return the clean-up with what is paid for until somebody releases it."""
    if step is None or not kept:
        return step
    noun = "address stays" if len(kept) == 1 else "addresses stay"
    said = f"The reserved {noun} in the old region, paid for unused: {', '.join(kept)}."
    return replace(step, text=f"{step.text} {said}")


def _joined(parts: Sequence[model.Instruction | None]) -> model.Instruction | None:
    """Return the instructions of several machines as one."""
    known = [one for one in parts if one is not None]
    if not known:
        return None
    text = " ".join(dict.fromkeys(one.text for one in known))
    return model.Instruction(text=text, commands=tuple(c for one in known for c in one.commands))


class Renaming(NamedTuple):
    """A change of an order that could be written if nothing after it names its machines."""

    finding: str
    """Whose fix it is, by fingerprint."""
    at: int
    """Its place among the changes of that fix."""
    fix: model.Fix
    names: frozenset[str]
    """Of its machines."""


def with_last_changes(
    changes: Mapping[str, tuple[model.PlannedChange, ...]], renamings: Iterable[Renaming]
) -> dict[str, tuple[model.PlannedChange, ...]]:
    """Return an order with the commands of changes after which machines have another name.

    Those alone after which no other change is about the machine or names it.

    Args:
        changes: By finding, in the order to make them.
        renamings: What could be written.
    """
    held = {(one.finding, one.at): one for one in renamings}
    made = {key: list(of) for key, of in changes.items()}
    links: set[model.SelfLink | None] = set()
    words: set[str] = set()
    for key, index in reversed([(key, at) for key, of in made.items() for at in range(len(of))]):
        planned, renaming = made[key][index], held.get((key, index))
        change = planned.change
        own = {*change.targets, change.destination} if change is not None else set()
        if renaming is not None and links.isdisjoint(own) and words.isdisjoint(renaming.names):
            made[key][index] = planned = replace(planned, fix=renaming.fix)
        links |= own - {None}
        words |= (
            {word for line in planned.fix.commands for word in _WORD.findall(line)}
            if (planned.fix is not None)
            else set()
        )
    return {key: tuple(of) for key, of in made.items()}
