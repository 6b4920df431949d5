"""The commands of a move, written for the machine as the fixes before it leave it."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger.state import State
from netplan_planner.planning.steps.by_image import move_to_zone


def with_move(fix: model.Fix, change: model.Change, state: State) -> model.Fix:
    """Return a fix with the commands that make its move now; as it is where it has some.

    A machine whose name is taken in the other zone is left to whoever makes the move: commands
    after it name the machine as it is called now.
    """
    if change.kind is not model.ChangeKind.ZONE or fix.commands:
        return fix
    machines = [one for link in change.targets if (one := state.machine(link)) is not None]
    zone = model.Zone(change.to or "")
    taken = _names_in(state, zone)
    if any((one.project, one.name) in taken for one in machines) or not machines:
        return fix
    steps = [move_to_zone(one, zone, tuple(_there(state, one, zone))).fix for one in machines]
    kept = [name for one in machines for name in _left_behind(state, one, zone)]
    cautions = dict.fromkeys(step.caution for step in steps)
    return replace(
        fix,
        commands=tuple(command for step in steps for command in step.commands),
        verify=_joined([step.verify for step in steps]) or fix.verify,
        clean_up=_and_kept(_joined([step.clean_up for step in steps]) or fix.clean_up, kept),
        undo=_joined([step.undo for step in steps]) or fix.undo,
        caution=" ".join(filter(None, (fix.caution, *cautions))),
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
