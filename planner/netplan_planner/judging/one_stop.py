"""Machines that several entries of an order stop: each entry says so, and a move makes all of it.

A machine that gets another type and another zone is stopped once: the machine that is made from the
image of the old one has the new type (`gcloud compute instances create --machine-type`), and so
with Tier_1 and Spot.
"""

import shlex
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.move_steps import Renaming

_STOPS = frozenset(
    {
        model.ChangeKind.MACHINE_TYPE,
        model.ChangeKind.TIER_1,
        model.ChangeKind.NO_TIER_1,
        model.ChangeKind.SPOT,
        model.ChangeKind.ZONE,
    }
)
_WAYS: dict[tuple[str, ...], int] = {
    ("instances stop", "instances set-machine-type", "instances start"): 1,
    ("instances stop", "machine-images create", "instances create"): 2,
}
"""Commands that change one machine, and which of them says what becomes of it."""
_NAME = 4
"""Where such a command names the machine."""
_WHERE = frozenset({"--zone", "--project", "--source-machine-image"})


class _Spot(NamedTuple):
    """Where a machine is stopped: the rank of an entry, its finding and the place among changes."""

    rank: int
    finding: str
    at: int


def with_one_stop(
    changes: Mapping[str, tuple[model.PlannedChange, ...]],
    renamings: Iterable[Renaming] = (),
    unsure: Container[str] = (),
) -> dict[str, tuple[model.PlannedChange, ...]]:
    """Return an order whose changes name the entries that stop the same machine.

    Args:
        changes: By finding, in the order to make them.
        renamings: Commands of changes that were not written, for others come after them.
        unsure: Findings that stand apart: nothing of them is made by commands of a sure one, and
            nothing that is sure waits for them.
    """
    made = {key: list(of) for key, of in changes.items()}
    held = {(one.finding, one.at): one.fix for one in renamings}
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
        move = next((one for one in spots if _kind(made, one) is model.ChangeKind.ZONE), None)
        for other in spots:
            is_alike = move is not None and (move.finding in unsure) is (other.finding in unsure)
            if move is not None and is_alike and other.finding != move.finding:
                _join(made, move, other, held.get((other.finding, other.at)))
    return {key: tuple(of) for key, of in made.items()}


def _kind(made: Mapping[str, list[model.PlannedChange]], spot: _Spot) -> model.ChangeKind | None:
    change = made[spot.finding][spot.at].change
    return change.kind if change is not None else None


def _join(
    made: Mapping[str, list[model.PlannedChange]], move: _Spot, other: _Spot, held: model.Fix | None
) -> None:
    """Let the move of a machine make what another entry makes of it, where commands do both."""
    moved, changed = made[move.finding][move.at], made[other.finding][other.at]
    if moved.fix is None or changed.fix is None:
        return
    found = _made_of(changed.fix.commands or (held.commands if held is not None else ()))
    commands = tuple(_with_flags(one, found) for one in moved.fix.commands) if found else ()
    if not found or commands == moved.fix.commands:
        return
    label = changed.fix.label or next(iter(found.flags)).partition("=")[2]
    made[move.finding][move.at] = replace(
        moved,
        fix=replace(
            moved.fix,
            text=f"{moved.fix.text.rstrip('.')}. {found.name} becomes {label} in the same stop"
            f" (fix {other.rank}).",
            commands=commands,
        ),
    )
    back = model.Instruction(text=f"Undoing fix {move.rank} undoes this too.")
    made[other.finding][other.at] = replace(
        changed,
        made_with=move.rank,
        fix=replace(
            changed.fix,
            text=f"{changed.fix.text.rstrip('.')}. The move of fix {move.rank} includes it: one"
            " stop.",
            commands=(),
            verify=None,
            clean_up=None,
            undo=back,
        ),
    )


class _MadeOf(NamedTuple):
    """What commands make of a machine, as flags of the command that makes one."""

    name: str
    flags: tuple[str, ...]


def _made_of(commands: Sequence[str]) -> _MadeOf | None:
    """Return what commands make of one machine, in place or again; None: they do more, or less.

    A least CPU platform, say, is not what a new machine gets by its type.
    """
    words = [shlex.split(command) for command in commands]
    making = _WAYS.get(tuple(" ".join(one[2:4]) for one in words))
    if making is None:
        return None
    flags = (word for word in words[making] if word.startswith("--"))
    kept = tuple(flag for flag in flags if flag.partition("=")[0] not in _WHERE)
    return _MadeOf(words[0][_NAME], kept) if kept else None


def _with_flags(command: str, found: _MadeOf) -> str:
    """Return the command that makes a machine, with more flags; any other as it is."""
    words = shlex.split(command)
    is_made = words[1 : _NAME + 1] == ["compute", "instances", "create", found.name]
    stated = {word.partition("=")[0] for word in words}
    if not is_made or any(flag.partition("=")[0] in stated for flag in found.flags):
        return command
    return shlex.join([*words, *found.flags])
