"""The steps of a plan in a text: a plan has these below its figures."""

from collections.abc import Iterator, Sequence

from netplan_planner.inert import is_inert
from netplan_planner.model.plans.changes import PlanChange, PlanChanges
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import Block, say
from netplan_planner.renderers.options import RenderOptions

_LONG = 600


_SHOWN = 1


def changes(found: PlanChanges, options: RenderOptions) -> Iterator[Block]:
    """Yield the first step with its commands, all where everything is to be explained."""
    if not found.steps:
        return
    yield doc.section("How: commands to run yourself")
    told = found.steps if options.verbosity else found.steps[:_SHOWN]
    for step in told:
        yield from _step(step)
    rest = len(found.steps) - len(told)
    if rest:
        yield doc.para(
            f"and {figures.counted(rest, 'step')} more: all as a script with --output"
            " commands:FILE, as a list for Terraform with --output terraform:FILE"
        )
    if found.order:
        yield doc.para(say(found.order, length=_LONG))


def _step(step: PlanChange) -> Iterator[Block]:
    fix = step.fix
    yield doc.entry(f"{step.number}. ", say(fix.text, length=_LONG))
    yield from shown(fix.commands)
    for label, one in (("verify", fix.verify), ("then", fix.clean_up), ("undo", fix.undo)):
        if one is not None:
            yield doc.field(label, say(one.text, length=_LONG))
            yield from shown(one.commands)
    if fix.caution:
        yield doc.field("careful", say(fix.caution, length=_LONG))


def shown(commands: Sequence[str]) -> Iterator[Block]:
    """Yield commands to copy; those that would do something to a terminal are counted instead."""
    hidden = [command for command in commands if not is_inert(command)]
    for command in commands:
        if command not in hidden:
            yield doc.Command(text=command)
    if hidden:
        text = "cannot be shown safely as they are; --output json holds them"
        yield doc.para(f"{figures.counted(len(hidden), 'command')} {text}", is_inner=True)
