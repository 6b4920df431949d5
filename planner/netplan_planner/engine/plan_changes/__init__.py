"""The steps of plans: what is changed, with the commands that do, show, clean up and undo it.

One module a kind of change. `in_order` makes a plan's changes of them; `PlanChange` takes the fix
of a finding as it is.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from netplan_planner.model.changes import PlanChange, PlanChanges


def in_order(steps: Iterable[PlanChange], why: str) -> PlanChanges:
    """Return steps numbered from 1 in the order they are given.

    Args:
        steps: In the order in which they are safe.
        why: Why this order, and where one may stop.
    """
    numbered = tuple(replace(step, number=number) for number, step in enumerate(steps, 1))
    return PlanChanges(steps=numbered, order=why if numbered else "")
