"""Carries the plan of `netplan probe` out, and tells on stderr what happens."""

from pathlib import Path
from typing import NamedTuple

import typer

from netplan_planner.cli import answers
from netplan_planner.cli.app import progress
from netplan_planner.cli.state import state
from netplan_planner.errors import IncompleteError
from netplan_planner.inert import inert_line
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.output import TEXT, OutputSpec
from netplan_planner.streams import standard_output
from netplan_planner.verbs.probe import campaigns as probe_runs
from netplan_planner.verbs.probe.answer import ProbePlan
from netplan_planner.verbs.probe.campaigns import Access
from netplan_planner.verbs.probe.plan import ProbeQuestion
from netplan_planner.verbs.probe.results import MeasuredRun, ProbeEvent, ProbeResults
from netplan_planner.verbs.probe.show_results import event_line


class Order(NamedTuple):
    """What is to be run, by which way, and where its results go."""

    question: ProbeQuestion
    access: Access
    store: Path


NOTHING = "nothing of what was asked for can be measured (--strict)"


def carry_out(
    plan: ProbePlan, order: Order, specs: tuple[OutputSpec, ...], *, is_strict: bool
) -> None:
    """Run a plan; where the answer is read as it is written, the plan comes before the runs.

    Raises:
        IncompleteError: If not everything was measured, where that was asked for.
    """
    first = tuple(spec for spec in specs if spec.path is None and spec.format == TEXT)
    others = tuple(spec for spec in specs if spec not in first)
    without_hints = RenderOptions(has_hints=False)
    answers.write(plan, first, without_hints)
    if not plan.probes:
        answers.write(plan, others, without_hints)
        if is_strict:
            raise IncompleteError(NOTHING)
        return
    results = _run(plan, order)
    if first:
        typer.echo(file=standard_output())
    answers.write(results, others)
    answers.write(results, first, RenderOptions(has_plan=False))
    if is_strict and not results.is_complete:
        raise IncompleteError("not everything was measured (--strict)")


def warn(plan: ProbePlan) -> None:
    """Write what of the store cannot be used."""
    if plan.stored is not None and not state.quiet:
        for fault in plan.stored.faults:
            typer.echo(inert_line(f"netplan: {fault}"), err=True)


def _run(plan: ProbePlan, order: Order) -> ProbeResults:
    campaigns = probe_runs.campaigns_of(plan, order.question, order.access)
    try:
        results = probe_runs.run_plan(plan, campaigns, store=order.store, tell=_tell)
    except BaseException:
        if not state.quiet:
            text = f"what was measured is in {order.store}; the same command goes on from there"
            typer.echo(inert_line(text), err=True)
        raise
    probe_runs.require_some(results)
    return results


def _tell(event: ProbeEvent) -> None:
    """Write what happens: runs on a terminal only, what went wrong always."""
    if isinstance(event, MeasuredRun):
        progress(event_line(event))
    elif not state.quiet:
        typer.echo(event_line(event), err=True)
