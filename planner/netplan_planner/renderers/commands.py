"""A plan as a script of gcloud commands that stops at once: to be read, and run by hand.

Only changes that can be undone are commands; others, and what verifies, cleans up or undoes them
stands in comments, because nobody should run these without looking.
"""

from collections.abc import Iterator
from typing import Protocol

from netplan_planner.inert import LINE_LENGTH, inert_line, is_inert
from netplan_planner.model import Instruction
from netplan_planner.model.plans.plan_answer import PlanChange, PlanChanges
from netplan_planner.renderers.document import line, plain
from netplan_planner.renderers.options import RenderOptions

_BY_HAND = (
    "# Steps with no command are manual. The part after such a step needs it.",
    "by_hand() {",
    "  printf 'Step %s is manual. Press Enter when it is done, or Ctrl-C to stop: ' \"$1\" >&2",
    "  read -r _ < /dev/tty",
    "}",
)
HIDDEN = "Commands that cannot be written safely are in --output json"


class HasChanges(Protocol):
    """An answer that is a plan."""

    @property
    def changes(self) -> PlanChanges:
        """Its steps."""


def render(answer: HasChanges, options: RenderOptions) -> str:
    """Return the script."""
    return "\n".join(_lines(answer.changes)) + "\n"


def _lines(changes: PlanChanges) -> Iterator[str]:
    yield "#!/bin/sh"
    yield (
        "# Commands recommended by netplan, which does not run them. Read each step before "
        "you run it."
    )
    if changes.order:
        yield f"# {inert_line(changes.order)}"
    yield "set -eu"
    if not changes.steps:
        yield "# No changes are needed."
    elif any(map(_is_by_hand, changes.steps)):
        yield from _BY_HAND
    for step in changes.steps:
        yield ""
        yield from _step(step)


def _step(step: PlanChange) -> Iterator[str]:
    fix = step.fix
    yield f"# {step.number}. {inert_line(step.subject)}: {inert_line(fix.text)}"
    if step.worth:
        yield f"# {inert_line(plain(line(step.worth)))}"
    if fix.caution:
        yield f"# risk: {inert_line(plain(line(fix.caution)))}"
    if not all(map(_is_whole, fix.commands)):
        yield f"# {HIDDEN}, so this step does nothing."
    elif fix.undo is None or fix.undo.commands:
        yield from fix.commands
    elif fix.commands:
        yield "# This cannot be undone, so it is not run with the rest:"
        yield from (f"#   {command}" for command in fix.commands)
    if _is_by_hand(step):
        yield f"by_hand {step.number}"
    yield from _aside("verify", fix.verify)
    yield from _aside("then", fix.clean_up)
    yield from _aside("undo", fix.undo)


def _is_by_hand(step: PlanChange) -> bool:
    """Return whether a step has to be made by somebody before those after it can be."""
    return not step.fix.commands or step.is_partial


def _aside(label: str, found: Instruction | None) -> Iterator[str]:
    if found is None:
        return
    yield f"# {label}: {inert_line(found.text)}"
    for command in found.commands:
        yield f"#   {command}" if _is_whole(command) else f"#   {HIDDEN}."


def _is_whole(command: str) -> bool:
    """Return whether a command can stand in a script letter by letter: half of one is dangerous."""
    return is_inert(command, LINE_LENGTH)
