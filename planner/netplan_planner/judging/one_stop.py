"""Machines that several entries of an order stop: each entry says so, and a move makes a new type.

A machine that gets another type and another zone is stopped once: the machine that is made from the
image of the old one has the new type (`gcloud compute instances create --machine-type`).
"""

import shlex
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model

_STOPS = frozenset(
    {
        model.ChangeKind.MACHINE_TYPE,
        model.ChangeKind.TIER_1,
        model.ChangeKind.NO_TIER_1,
        model.ChangeKind.SPOT,
        model.ChangeKind.ZONE,
    }
)
_TYPE = "--machine-type="


class _Spot(NamedTuple):
    """Where a machine is stopped: the rank of an entry, its finding and the place among changes."""

    rank: int
    finding: str
    at: int


def with_one_stop(
    changes: Mapping[str, tuple[model.PlannedChange, ...]],
) -> dict[str, tuple[model.PlannedChange, ...]]:
    """Return an order whose changes name the entries that stop the same machine.

    Args:
        changes: By finding, in the order to make them.
    """
    made = {key: list(of) for key, of in changes.items()}
    stops: dict[model.SelfLink, list[_Spot]] = defaultdict(list)
    for rank, (key, of) in enumerate(changes.items(), 1):
        for at, planned in enumerate(of):
            if planned.change is not None and planned.change.kind in _STOPS:
                for link in planned.change.targets:
                    stops[link].append(_Spot(rank, key, at))
    for spots in stops.values():
        ranks = {one.rank for one in spots}
        if len(ranks) < 2:
            continue
        for rank, key, at in spots:
            planned = made[key][at]
            others = {*planned.one_stop_with, *ranks} - {rank}
            made[key][at] = replace(planned, one_stop_with=tuple(sorted(others)))
        _join(made, spots)
    return {key: tuple(of) for key, of in made.items()}


def _join(made: Mapping[str, list[model.PlannedChange]], spots: list[_Spot]) -> None:
    """Let the move of a machine make its new type, where commands do both."""
    kinds = {change.kind: one for one in spots if (change := made[one.finding][one.at].change)}
    move, retype = (
        kinds.get(kind) for kind in (model.ChangeKind.ZONE, model.ChangeKind.MACHINE_TYPE)
    )
    if move is None or retype is None:
        return
    moved, typed = made[move.finding][move.at], made[retype.finding][retype.at]
    if moved.fix is None or typed.fix is None:
        return
    found = _retyped(typed.fix)
    commands = tuple(_as_type(one, found) for one in moved.fix.commands) if found else ()
    if not found or commands == moved.fix.commands:
        return
    name, machine_type = found
    made[move.finding][move.at] = replace(
        moved,
        fix=replace(
            moved.fix,
            text=f"{moved.fix.text.rstrip('.')}. {name} becomes {machine_type} in the same stop"
            f" (entry {retype.rank}).",
            commands=commands,
        ),
    )
    back = model.Instruction(text=f"That of entry {move.rank} brings back the type, too.")
    made[retype.finding][retype.at] = replace(
        typed,
        made_with=move.rank,
        fix=replace(
            typed.fix,
            text=f"{typed.fix.text.rstrip('.')}. The move of entry {move.rank} makes it: one stop.",
            commands=(),
            verify=None,
            undo=back,
        ),
    )


def _retyped(fix: model.Fix) -> tuple[str, str] | None:
    """Return the machine and the type that commands give it in place; None: they do more, or less.

    A least CPU platform, say, is not what a new machine gets by its type.
    """
    verbs = [
        words for words in map(shlex.split, fix.commands) if words[1:3] == ["compute", "instances"]
    ]
    kinds = [words[3] for words in verbs]
    if len(verbs) != len(fix.commands) or kinds != ["stop", "set-machine-type", "start"]:
        return None
    wanted = next((word for word in verbs[1] if word.startswith(_TYPE)), "")
    return (verbs[1][4], wanted.removeprefix(_TYPE)) if wanted else None


def _as_type(command: str, found: tuple[str, str]) -> str:
    """Return the command that makes a machine, with another type; any other as it is."""
    name, machine_type = found
    words = shlex.split(command)
    is_made = words[1:5] == ["compute", "instances", "create", name]
    if not is_made or any(word.startswith(_TYPE) for word in words):
        return command
    return f"{command} {_TYPE}{shlex.quote(machine_type)}"
