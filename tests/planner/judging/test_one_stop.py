"""Machines that two entries of an order stop: said in both, and one stop where commands can."""

from decimal import Decimal
from itertools import count
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from netplan_planner.judging.move_steps import Renaming
from netplan_planner.judging.one_stop import with_one_stop
from netplan_planner.model import (
    Change,
    ChangeKind,
    Fix,
    FurtherCost,
    Instruction,
    OrderedFix,
    PlanChanges,
    PlannedChange,
    SelfLink,
)
from netplan_planner.renderers.commands import render as script
from netplan_planner.renderers.document import plain
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit.answer import script_steps
from netplan_planner.verbs.audit.first import further, together

NEW, THERE = "e2-standard-8", "us-central1-b"
AT = "--zone=us-central1-a --project=p"
_PLACES = count()


def link(name: str) -> SelfLink:
    return SelfLink(f"projects/p/zones/us-central1-a/instances/{name}")


def planned(kind: ChangeKind, *commands: str, name: str = "db", to: str = "") -> PlannedChange:
    undo = Instruction(text="Back.", commands=("gcloud compute instances start",))
    return PlannedChange(
        subject=name,
        place=str(next(_PLACES)),
        change=Change(kind=kind, target=link(name), to=to or None),
        saving_usd_per_month=None,
        fix=Fix(text="Do it.", commands=commands, undo=undo),
    )


def entry(rank: int, *, place_count: int = 1, **more: Any) -> OrderedFix:
    return OrderedFix(
        rank=rank,
        finding=str(rank),
        rule="",
        subject="db",
        place_count=place_count,
        finding_place_count=place_count,
        label="",
        saving_usd_per_month=None,
        alone_usd_per_month=None,
        overlap="",
        now=None,
        fixed=None,
        used_ratio=None,
        **more,
    )


class Plan(NamedTuple):
    """An answer that is a plan."""

    changes: PlanChanges


def retyped(name: str = "db", *more: str) -> PlannedChange:
    commands = (
        f"gcloud compute instances stop {name} {AT}",
        f"gcloud compute instances set-machine-type {name} {AT} --machine-type={NEW}",
        *more,
        f"gcloud compute instances start {name} {AT}",
    )
    return planned(ChangeKind.MACHINE_TYPE, *commands, name=name, to=NEW)


def moved(name: str = "db", new_name: str = "") -> PlannedChange:
    commands = (
        f"gcloud compute instances stop {name} {AT}",
        f"gcloud compute machine-images create i --project=p --source-instance={name}",
        f"gcloud compute instances create {new_name or name} --zone={THERE} --project=p"
        " --source-machine-image=i",
    )
    return planned(ChangeKind.ZONE, *commands, name=name, to=THERE)


@pytest.mark.parametrize("is_move_first", [True, False])
def test_a_machine_that_moves_gets_its_new_type_in_the_same_stop(is_move_first: bool) -> None:
    pair = (moved(), retyped()) if is_move_first else (retyped(), moved())
    found = with_one_stop({"one": pair[:1], "two": pair[1:]})
    first, second = found["one"][0], found["two"][0]
    assert (first.one_stop_with, second.one_stop_with) == ((2,), (1,))
    move, typed = (first, second) if is_move_first else (second, first)
    assert move.made_with is None
    assert typed.made_with == (1 if is_move_first else 2)
    assert move.fix is not None
    assert typed.fix is not None
    assert move.fix.commands[-1].endswith(f"--source-machine-image=i --machine-type={NEW}")
    assert "in the same stop" in move.fix.text
    assert typed.fix.commands == ()
    assert pair[0].change == first.change


@pytest.mark.parametrize(
    ("move", "retype"),
    [
        # Its name is taken where it goes, so that later commands name it otherwise.
        (moved(new_name="db-2"), retyped()),
        (moved(), retyped("db", f"gcloud compute instances update db {AT} --min-cpu-platform=x")),
        (replace(moved(), fix=None), retyped()),
        (moved(), replace(retyped(), fix=Fix(text="By a template."))),
    ],
)
def test_what_commands_do_not_join_is_said_alone(
    move: PlannedChange, retype: PlannedChange
) -> None:
    found = with_one_stop({"one": (move,), "two": (retype,)})
    assert found["one"] == (replace(move, one_stop_with=(2,)),)
    assert found["two"] == (replace(retype, one_stop_with=(1,)),)


AGAIN = (
    f"gcloud compute instances stop db {AT}",
    "gcloud compute machine-images create db-i --project=p --source-instance=db",
    f"gcloud compute instances create db-i {AT} --source-machine-image=db-i",
)
SPOT = ("--provisioning-model=SPOT", "--instance-termination-action=STOP")
TIER_1 = ("--network-performance-configs=total-egress-bandwidth-tier=TIER_1",)


def again(kind: ChangeKind, flags: tuple[str, ...]) -> Fix:
    *before, create = AGAIN
    return Fix(text=f"{kind}.", commands=(*before, " ".join((create, *flags))))


@pytest.mark.parametrize(("kind", "flags"), [(ChangeKind.SPOT, SPOT), (ChangeKind.TIER_1, TIER_1)])
@pytest.mark.parametrize("is_move_first", [True, False])
def test_a_machine_is_made_again_once(
    kind: ChangeKind, flags: tuple[str, ...], *, is_move_first: bool
) -> None:
    """The later one of the two could be written; before a move it is held back, and joins it."""
    fix = again(kind, flags)
    other = replace(planned(kind), fix=fix if is_move_first else replace(fix, commands=()))
    pair = (moved(), other) if is_move_first else (other, moved())
    held = [] if is_move_first else [Renaming("one", 0, fix, frozenset({"db"}))]
    found = with_one_stop({"one": pair[:1], "two": pair[1:]}, held)
    move, joined = (found[key][0] for key in (("one", "two") if is_move_first else ("two", "one")))
    assert move.fix is not None
    assert joined.fix is not None
    assert move.fix.commands[-1].endswith(" ".join(("--source-machine-image=i", *flags)))
    assert (joined.fix.commands, joined.fix.clean_up) == ((), None)
    assert joined.made_with == (1 if is_move_first else 2)


@pytest.mark.parametrize("unsure", ["one", "two"])
def test_nothing_unsure_is_made_by_the_commands_of_what_is_sure(unsure: str) -> None:
    order = {"one": (moved(),), "two": (retyped(),)}
    found = with_one_stop(order, unsure={unsure})
    assert [of[0].one_stop_with for of in found.values()] == [(2,), (1,)]
    assert [of[0].fix for of in found.values()] == [of[0].fix for of in order.values()]
    both = with_one_stop(order, unsure={"one", "two"})
    assert both["two"][0].made_with == 1


def test_machines_that_one_entry_stops_are_not_told() -> None:
    order = {"one": (retyped("a"), retyped("b")), "two": (moved("c"),)}
    address = planned(ChangeKind.NETWORK_TIER, name="a", to="STANDARD")
    assert with_one_stop({**order, "three": (address,)}) == {**order, "three": (address,)}


def test_both_entries_say_so_and_the_script_stops_it_once() -> None:
    found = with_one_stop({"one": (retyped(), retyped("b")), "two": (moved(),)})
    entries = [
        entry(rank, changes=changes, place_count=len(changes))
        for rank, changes in enumerate(found.values(), 1)
    ]
    told = [plain(tuple(together(one))) for one in entries]
    assert told == [f"; do it together with step {n}, in one stop: db" for n in (2, 1)]
    steps = tuple(script_steps(entries))
    assert [one.number for one in steps] == [2, 3]

    text = script(Plan(PlanChanges(steps=steps)), RenderOptions())
    run = [one for one in text.splitlines() if one.startswith("gcloud")]
    assert sum(" instances stop db " in one for one in run) == 1
    assert "by_hand" not in text


@pytest.mark.parametrize(
    ("usd", "said"),
    [
        ("20.48", "more traffic costs $20.48/TiB"),
        ("0", "more traffic on that path is free"),
        (None, "price of more traffic: unknown"),
    ],
)
def test_an_entry_says_what_more_traffic_costs(usd: str | None, said: str) -> None:
    cost = FurtherCost(usd_per_tib=None if usd is None else Decimal(usd))
    one = entry(1, further=cost)
    assert plain(further(one)) == f"; {said}"
    assert further(replace(one, further=None)) == ()
