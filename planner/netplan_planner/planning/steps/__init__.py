"""The steps of plans: what is changed, with the commands that do, show, clean up and undo it.

One module a kind of change. `in_order` makes a plan's changes of them; `PlanChange` takes the fix
of a finding as it is.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from netplan_planner.model.base import spaced
from netplan_planner.model.plans.plan_answer import PlanChange, PlanChanges

_AT_ONCE = 25
"""Machines of one command: a line of it can still be read, and is written whole everywhere."""


def in_batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield names, so many at a time as one command takes.

    >>> [len(batch) for batch in in_batches([str(n) for n in range(60)])]
    [25, 25, 10]
    """
    for first in range(0, len(names), _AT_ONCE):
        yield names[first : first + _AT_ONCE]


def with_caution(step: PlanChange, *cautions: str) -> PlanChange:
    """Return a step that is to be made with more care."""
    return replace(step, fix=replace(step.fix, caution=spaced(step.fix.caution, *cautions)))


def in_order(steps: Iterable[PlanChange], why: str) -> PlanChanges:
    """Return steps numbered from 1 in the order they are given.

    Args:
        steps: In the order in which they are safe.
        why: Why this order, and where one may stop.
    """
    numbered = tuple(replace(step, number=number) for number, step in enumerate(steps, 1))
    return PlanChanges(steps=numbered, order=why if numbered else "")
