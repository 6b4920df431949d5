"""The commands that make a machine again, for it as the fixes before leave it."""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger.guards import way_out_there
from netplan_planner.ledger.state import State
from netplan_planner.machines.groups import is_managed
from netplan_planner.machines.stores import why_store
from netplan_planner.model.plans.plan_answer import PlanChange
from netplan_planner.planning.steps.by_image import as_spot, move_to_zone, with_tier1, with_type
from netplan_rules.wording import FAR, STEPS_BY, listed

_TIER = re.compile(r"--network-tier=\w+")
_WORD = re.compile(r"[\w-]+")
_NAMED = 3
"""Machines that a heading names; the rest is counted."""


def with_move(fix: model.Fix, change: model.Change, state: State) -> model.Fix:
    """Return a fix with the commands that make its move now; as it is where it has some.

    A machine whose name is taken in the other zone gets a new one (`under_new_name`), for commands
    after it name the machine as it is called now.
    """
    if change.kind is not model.ChangeKind.ZONE or fix.commands:
        return fix
    machines, zone = _machines(change, state), model.Zone(change.to or "")
    far = [one for one in machines if one.region != model.region_of(zone)]
    said = [FAR] if far and FAR not in str(fix.caution) else []
    ways = dict.fromkeys(way_out_there(state, one, zone) for one in far)
    ways = dict.fromkeys(way for way in ways if way not in str(fix.caution))
    fix = replace(fix, caution=model.spaced(fix.caution, *said, *ways))
    taken = _names_in(state, zone)
    if any((one.project, one.name) in taken for one in machines) or not machines:
        return fix
    steps = [move_to_zone(one, zone, tuple(_there(state, one, zone))) for one in machines]
    return _with_steps(fix, steps, [n for one in machines for n in _left_behind(state, one, zone)])


def tiers_of(change: model.Change | None, state: State) -> tuple[str, ...]:
    """Return the tier of the external address that each machine of a change gets now."""
    if change is None or change.kind is not model.ChangeKind.EXTERNAL_ADDRESS:
        return ()
    return tuple(state.next_tier(one) for one in _machines(change, state))


def with_tiers(fix: model.Fix, change: model.Change, state: State) -> model.Fix:
    """Return a fix whose new external addresses are of the tier that machines get now."""
    names = [one.name for one in _machines(change, state)]
    tiers = dict(zip(names, tiers_of(change, state), strict=False))
    if not tiers:
        return fix

    def of_now(command: str) -> str:
        words = shlex.split(command)
        tier = tiers.get(words[4]) if words[3:4] == ["add-access-config"] else None
        return _TIER.sub(f"--network-tier={tier}", command) if tier else command

    found = {tier: [n for n in names if tiers[n] == tier] for tier in sorted(set(tiers.values()))}
    is_one = len(found) == 1
    each = [
        f"{tier.title()} Tier" + ("" if is_one else f" for {listed(of)}")
        for tier, of in found.items()
    ]
    return replace(
        fix,
        text=f"{fix.text} The addresses belong to {' and of '.join(each)}.",
        commands=tuple(map(of_now, fix.commands)),
    )


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
    if any(is_managed(state.facts, one) or not _is_in_image(one) for one in machines):
        return None
    steps = [step for one in machines if (step := _made_again(state, one, change)) is not None]
    return _with_steps(fix, steps, ()) if len(steps) == len(machines) else None


def _is_in_image(machine: model.Instance) -> bool:
    """Return whether an image holds all of a machine, so that another one can be made from it."""
    return not (machine.local_ssd_count or machine.gpu_count or machine.unknown_parts)


def _made_again(state: State, machine: model.Instance, change: model.Change) -> PlanChange | None:
    """Return the step that makes a machine again for a change; None: it is none that does."""
    match change.kind:
        case model.ChangeKind.TIER_1:
            return with_tier1(machine, is_on=True, machine_type=change.to)
        case model.ChangeKind.NO_TIER_1:
            return with_tier1(machine, is_on=False)
        case model.ChangeKind.SPOT:
            return as_spot(machine)
        case model.ChangeKind.MACHINE_TYPE if change.to and not (
            machine.is_sole_tenant or machine.min_cpu_platform
        ):
            if machine.bandwidth_tier is model.BandwidthTier.TIER_1:
                return with_tier1(machine, is_on=False, machine_type=change.to)
            return with_type(machine, change.to, "")
        case _:
            return None


_NAMED = 3
"""Machines and peers that a subject names."""


def moves_of(
    change: model.Change | None, state: State, beside: model.SelfLink
) -> tuple[model.MachineMove, ...]:
    """Return which machines a change moves now, and to whom; none of another kind of change.

    Args:
        change: Before it is made.
        state: The project by then.
        beside: The machine that a move is made to; empty: those that it talks to there.
    """
    if change is None or change.kind is not model.ChangeKind.ZONE:
        return ()
    to, peer = change.to or "", state.machine(beside)
    return tuple(
        model.MachineMove(
            machine=one.name,
            from_zone=one.zone,
            to_zone=to,
            peers=(peer.name,)
            if peer is not None and not change.members
            else tuple(_peers(state, link, change))[:_NAMED],
            data=why_store(state.facts, one),
        )
        for link in change.targets
        if (one := state.machine(link)) is not None and one.zone != to
    )


def _peers(state: State, link: model.SelfLink, change: model.Change) -> Iterator[str]:
    """Yield whom a machine talks to in the zone where it goes, the most first."""
    owner, traffic = state.owners.get(link), state.facts.traffic
    if owner is None or traffic is None:
        return
    volumes: Counter[int] = Counter()
    for edge in traffic.edges_by_src.get(owner, ()):
        volumes[edge.dst] += edge.wire_bytes
    for edge in traffic.edges_by_dst.get(owner, ()):
        volumes[edge.src] += edge.wire_bytes
    for other, _ in volumes.most_common():
        there = traffic.owners[other].link
        machine = state.machine(there) if there is not None and other != owner else None
        if machine is not None and (machine.zone == change.to or there in change.targets):
            yield machine.name


def moved_subject(moves: Sequence[model.MachineMove]) -> str:
    """Return who moves from where to where, and to whom: `web (a → b, to db)`.

    Few names, so that a heading has room for all of it.
    """
    names = listed([one.machine for one in moves], _NAMED)
    zones = ", ".join(sorted({one.from_zone for one in moves}))
    own = {one.machine for one in moves}
    peers = [name for one in moves for name in one.peers if name not in own]
    beside = f", to {listed(list(dict.fromkeys(peers)), _NAMED - 1)}" if peers else ""
    return f"{names} ({zones} → {moves[0].to_zone}{beside})"


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
    said = f"The reserved {noun} in the old region and costs money unused: {', '.join(kept)}."
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
