"""`netplan probe plan` and `netplan probe run`: the same options, so that one becomes the other.

Carries the plan of `netplan probe` out, and tells on stderr what happens.
"""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from netplan_planner.asks import OUTPUT, usd
from netplan_planner.cli import commands
from netplan_planner.cli.app import progress
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.probe.options import STORE, How, Reach, Store, What, Within
from netplan_planner.cli.state import state
from netplan_planner.errors import IncompleteError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.planning.configured import configured
from netplan_planner.planning.inputs import AsOf, Calibration, PriceInput
from netplan_planner.planning.project import Input, request_of
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.output import TEXT, OutputSpec
from netplan_planner.streams import standard_output
from netplan_planner.verbs.probe import campaigns as probe_runs
from netplan_planner.verbs.probe import paths as asked_probe
from netplan_planner.verbs.probe.answer import ProbePlan
from netplan_planner.verbs.probe.campaigns import Access
from netplan_planner.verbs.probe.plan import ProbeCaps, ProbeQuestion, StopRule, plan_probe
from netplan_planner.verbs.probe.results import MeasuredRun, ProbeEvent, ProbeResults
from netplan_planner.verbs.probe.show_results import event_line
from netplan_planner.world.request import InputRequest


class Order(NamedTuple):
    """What is to be run, by which way, and where its results go."""

    question: ProbeQuestion
    access: Access
    store: Path


NOTHING = "none of the requested paths can be measured (--strict)"


def carry_out(
    plan: ProbePlan, order: Order, specs: tuple[OutputSpec, ...], *, is_strict: bool
) -> None:
    """Run a plan; where the answer is read as it is written, the plan comes before the runs.

    Raises:
        IncompleteError: If not everything was measured, where that was asked for.
    """
    first = tuple(spec for spec in specs if spec.path is None and spec.format == TEXT)
    others = tuple(spec for spec in specs if spec not in first)
    without_hints = RenderOptions(has_hints=False, verb="netplan probe run")
    commands.write(plan, first if plan.probes else specs, without_hints)
    if not plan.probes:
        if is_strict:
            raise IncompleteError(NOTHING)
        return
    results = _run(plan, order)
    if first:
        typer.echo(file=standard_output())
    commands.write(results, others, commands.shown_by("probe run"))
    commands.write(results, first, RenderOptions(has_plan=False))
    if is_strict and not results.is_complete:
        raise IncompleteError("some paths were not measured (--strict)")


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
            text = f"results so far are in {order.store}; the same command continues from there"
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


class Probe(Parameters, frozen=True, kw_only=True):
    """What to measure, of which machines, and where results go."""

    what: What = What()
    within: Within = Within()
    how: How = How()
    reach: Reach = Reach()
    given: Input = Input()
    calibration: Calibration = None
    pricing: PriceInput = PriceInput()
    as_of: AsOf = None
    store: Store = STORE
    answer: commands.Output = commands.Output()
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Exit with 4 when a measurement is missing.", rich_help_panel=OUTPUT
        ),
    ] = False
    yes: Annotated[
        bool,
        typer.Option(
            "--yes",
            help="Run the plan; on the command line only.",
            show_envvar=False,
            rich_help_panel=OUTPUT,
        ),
    ] = False


@taking
def plan_or_run(asked: Probe, ctx: typer.Context) -> None:
    """Plan probes, and carry them out where that was asked for."""
    specs = asked.answer.specs()
    if asked.yes:
        _require_order(ctx, asked.given.demo)
    request, question, access = _request(asked), _question(asked), _access(asked.reach)
    plan = plan_probe(question, request, progress)
    warn(plan)
    if asked.yes:
        order = Order(question, access, asked.store)
        carry_out(plan, order, specs, is_strict=asked.strict)
        return
    commands.write(plan, specs, commands.shown_by(f"probe {ctx.info_name}"))
    if asked.strict and not plan.probes:
        raise IncompleteError(NOTHING)


def _request(asked: Probe) -> InputRequest:
    return request_of(asked, **configured(state.config_path, has_links=False))


def _question(asked: Probe) -> ProbeQuestion:
    what, within, how = asked.what, asked.within, asked.how
    return ProbeQuestion(
        pairs=asked_probe.pairs(what.pair or ()),
        is_external=what.external,
        streams=tuple(dict.fromkeys(what.streams or ())),
        max_paths=what.max_paths,
        caps=ProbeCaps(
            max_gib=within.max_gib,
            max_seconds=within.max_seconds,
            max_usd=usd("--max-usd", within.max_usd),
        ),
        bitrate_gbps=within.bitrate,
        stop=StopRule(min_runs=how.min_runs, max_runs=how.max_runs, tolerance_ratio=how.tolerance),
        seed=how.seed,
        time_scale=how.time_scale,
        store=asked.store,
    )


def _access(reach: Reach) -> Access:
    return Access(
        kind=reach.transport.value,
        ends=asked_probe.ends(reach.end or ()),
        client=reach.local_src,
        server=reach.local_dst,
        is_through_iap=reach.iap,
        ssh_options=tuple(reach.ssh_option or ()),
        iperf3=reach.iperf3,
        ports=asked_probe.ports(reach.ports),
    )


def _require_order(ctx: typer.Context, demo: str | None) -> None:
    """Raise unless the user himself, just now, ordered runs on machines that exist."""
    if getattr(ctx.get_parameter_source("yes"), "name", "") != "COMMANDLINE":
        raise UsageError(
            "--yes is accepted on the command line only, not from a file or a variable"
        )
    if ctx.info_name == "plan":
        raise UsageError("netplan probe plan runs nothing; use netplan probe run --yes")
    if demo is not None:
        raise UsageError("the VMs of a demo do not exist, so nothing can be run on them")
