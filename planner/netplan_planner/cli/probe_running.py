"""Carries the plan of `netplan probe` out, and tells on stderr what happens."""

from pathlib import Path

import typer

from netplan_planner.cli.app import progress, state
from netplan_planner.cli.probe_results import event_line
from netplan_planner.engine.probe import ProbeQuestion
from netplan_planner.engine.probe_runs import Access, ProbeResults, campaigns_of, run_plan
from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.measuring.outcome import ProbeEvent, RunMeasured
from netplan_planner.model.probe_plan import ProbePlan


def run(plan: ProbePlan, question: ProbeQuestion, access: Access, store: Path) -> ProbeResults:
    """Return what was measured of a plan, earlier parts of it included.

    Raises:
        UsageError: If it is not said how a machine is reached.
        InputError: If the store cannot be used, or not a single run of the plan was measured.
    """
    campaigns = campaigns_of(plan, question, access)
    try:
        results = run_plan(plan, campaigns, store=store, tell=_tell)
    except BaseException:
        if not state.quiet:
            typer.echo(
                inert_line(f"what was measured is in {store}; the same command goes on from there"),
                err=True,
            )
        raise
    if not results.flows:
        reasons = "; ".join(dict.fromkeys(_reasons(results)))
        raise InputError(f"nothing could be measured: {reasons}")
    return results


def warn(faults: tuple[str, ...]) -> None:
    """Write what of the store cannot be used."""
    if not state.quiet:
        for fault in faults:
            typer.echo(inert_line(f"netplan: {fault}"), err=True)


def _reasons(results: ProbeResults) -> list[str]:
    told = [
        event.reason
        for outcome in results.outcomes
        for event in outcome.events
        if not isinstance(event, RunMeasured)
    ]
    return [*told, *results.not_begun]


def _tell(event: ProbeEvent) -> None:
    """Write what happens: runs on a terminal only, what went wrong always."""
    if isinstance(event, RunMeasured):
        progress(event_line(event))
    elif not state.quiet:
        typer.echo(event_line(event), err=True)
