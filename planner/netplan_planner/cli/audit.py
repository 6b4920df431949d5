"""`netplan audit`: read, lint, report."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from netplan_planner.asks import ANSWER, CHOICE, OUTPUT, WALKED
from netplan_planner.cli import answers, options
from netplan_planner.cli.app import EXIT_FINDINGS, app, progress
from netplan_planner.cli.bundles import Look, verbosity
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.state import state
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.inert import inert_line
from netplan_planner.judging.rules import check_rule_names, rule_list
from netplan_planner.judging.suppressions import ignore_file
from netplan_planner.model import CommitmentScope, CurrencyRate, Severity
from netplan_planner.model.finding import Level
from netplan_planner.planning.inputs import AsOf, Calibration, PriceInput
from netplan_planner.planning.project import (
    FlowReading,
    Input,
    Measurements,
    MetricsInput,
    Today,
    WhichSharing,
    configured,
    request_of,
    with_bundle_of,
)
from netplan_planner.quantities import names, usd
from netplan_planner.renderers import (
    RENDERERS,
    SARIF,
    OutputSpec,
    RenderOptions,
    any_of,
    check_outputs,
    parse_output,
    write_outputs,
)
from netplan_planner.verbs import panels
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.code_places import code_places
from netplan_planner.verbs.audit.run import run_audit
from netplan_planner.world.request import ApiOptions, InputRequest


class Judged(Parameters, frozen=True, kw_only=True):
    """Which rules judge, and which findings are shown."""

    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only these rules or areas; commas or repeated.",
            rich_help_panel=CHOICE,
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Leave out these rules or areas; commas or repeated.",
            rich_help_panel=CHOICE,
        ),
    ] = None
    severity: Annotated[
        Severity,
        typer.Option(
            help="Show findings from this severity on; --fail-on judges all of them.",
            rich_help_panel=CHOICE,
        ),
    ] = Severity.INFO
    min_saving: Annotated[
        str | None,
        typer.Option(
            metavar="USD",
            help="Show only findings that save at least this much a month; --fail-on judges all.",
            rich_help_panel=CHOICE,
        ),
    ] = None
    ignore_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File of suppressions (default: ./.netplan-ignore.toml if it is there).",
            rich_help_panel=CHOICE,
        ),
    ] = None


class Gate(Parameters, frozen=True, kw_only=True):
    """What makes the exit status other than 0."""

    fail_on: Annotated[
        Level,
        typer.Option(
            help="Exit with 1 on findings from this severity on, shown or not.",
            rich_help_panel=OUTPUT,
        ),
    ] = Level.HIGH
    fail_on_saving: Annotated[
        str | None,
        typer.Option(
            metavar="USD",
            help="Exit with 1 when all fixes together save more than this a month.",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 4 when a page is missing or given evidence could not be used in full.",
            rich_help_panel=OUTPUT,
        ),
    ] = False


class Written(Parameters, frozen=True, kw_only=True):
    """How the report is written."""

    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FORMAT[:PATH]",
            help=f"{any_of(tuple(RENDERERS))}; repeat it for several at once.",
            rich_help_panel=OUTPUT,
        ),
        ANSWER,
    ] = None
    explain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Inputs, formula, source and date of a rule's numbers, or an area's; without NAME"
            " (before another option, or last): of all.",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    verbose: Annotated[
        int,
        typer.Option("--verbose", "-v", count=True, help="Explain all.", rich_help_panel=OUTPUT),
    ] = 0
    terraform_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Root module of a Terraform plan, whose lines SARIF shows (default: the plan's"
            " folder).",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    look: Look = Look()
    max_findings: Annotated[
        int | None,
        typer.Option(min=0, help="Findings written out in full; 0: all.", rich_help_panel=OUTPUT),
    ] = None
    max_members: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Alike places named in a finding (3 as text, 50 in HTML); 0: all.",
            rich_help_panel=OUTPUT,
        ),
    ] = None


class Audit(Parameters, frozen=True, kw_only=True):
    """What is audited, and how the findings are told."""

    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="More inventory files, as a shell pattern behind --inventory gives, or a bundle,"
            " as behind --bundle."
        ),
        WALKED,
    ] = None
    given: Input = Input()
    metrics: MetricsInput = MetricsInput()
    measurements: Measurements = ()
    calibration: Calibration = None
    pricing: PriceInput = PriceInput()
    commitment_scope: WhichSharing = CommitmentScope.UNKNOWN
    currency: options.CurrencyCode = None
    as_of: AsOf = None
    today: Today = None
    reading: FlowReading = FlowReading()
    judged: Judged = Judged()
    gate: Gate = Gate()
    written: Written = Written()
    api: ApiOptions = ApiOptions()


@app.command(rich_help_panel=panels.AUDIT)
@taking
def audit(asked: Audit) -> None:
    """Find traffic on the wrong path, egress caps that do not fit, and what fixing both brings.

    Exit status: 0 clean or below --fail-on, 1 findings, 2 wrong usage, 3 an input could not be
    read, 4 incomplete and --strict.
    """
    files, bundle = with_bundle_of(asked.files or (), asked.given.bundle)
    asked = replace(asked, files=list(files), given=replace(asked.given, bundle=bundle))
    outputs = tuple(parse_output(text) for text in asked.written.output or ["text"])
    check_outputs(outputs)
    save_limit = usd("--fail-on-saving", asked.gate.fail_on_saving)
    request = _request(asked)
    # Before anything is read: a rate that is not there is no reason to wait for.
    shown_in = currency_in(asked.given.prices(asked.pricing), asked.currency)
    render = _look(asked.written, shown_in)
    report = run_audit(request, progress)
    if shown_in is not None:
        report = replace(report, assumptions=(*report.assumptions, shown_in.assumption))
    if report.price_age and any(one.format == "csv" and one.path is None for one in outputs):
        # A table has no place for it.
        typer.echo(inert_line(report.price_age), err=True)
    placed = _with_places(render, outputs, report, request, asked.written.terraform_dir)
    write_outputs(report, outputs, placed)
    _finish(report, asked.gate.fail_on, save_limit, asked.gate.strict)


def _request(asked: Audit) -> "InputRequest":

    judged = asked.judged
    return request_of(
        asked,
        inventory=(*asked.given.inventories, *(asked.files or ())),
        measurements=asked.measurements,
        commitment_scope=asked.commitment_scope,
        select=names(judged.select),
        ignore=names(judged.ignore),
        min_severity=judged.severity,
        min_saving_usd=usd("--min-saving", judged.min_saving),
        ignore_file=ignore_file(judged.ignore_file),
        **configured(state.config_path),
    )


def _look(written: Written, shown_in: "CurrencyRate | None") -> "RenderOptions":

    return RenderOptions(
        currency=shown_in,
        width=written.look.width,
        colour=written.look.color,
        verbosity=verbosity(written.verbose),
        explain=_explained(written.explain),
        max_findings=written.max_findings,
        max_members=written.max_members,
        rules=rule_list().rules,
    )


def _with_places(
    render: "RenderOptions",
    outputs: "tuple[OutputSpec, ...]",
    report: "Report",
    request: "InputRequest",
    terraform_dir: Path | None,
) -> "RenderOptions":
    """Return the options with the file and line of every source, for the format that shows them."""
    if not any(spec.format == SARIF for spec in outputs):
        return render
    found = code_places(report, request, state.config_path, terraform_dir)
    return replace(render, places=found.places, fallback_place=found.fallback)


def _explained(asked: list[str] | None) -> tuple[str, ...]:
    """Return the rules and areas to explain.

    Raises:
        UsageError: If a name is neither a rule, an area nor `all`.
    """
    chosen = names(asked)
    check_rule_names(tuple(name for name in chosen if name != "all"))
    return chosen


def _finish(report: "Report", fail_on: Level, save_limit: Decimal | None, strict: bool) -> None:
    """End with the exit status that the findings and the options ask for."""
    if strict:
        answers.refuse_incomplete("the answer is", report.coverage.incomplete)
    # What is only filtered from sight is judged too: a filter is no way past a gate.
    severities = [
        *(finding.severity for finding in report.findings),
        *(Severity(hidden.severity) for hidden in report.filtered),
    ]
    if any(map(fail_on.holds, severities)):
        raise typer.Exit(EXIT_FINDINGS)
    if save_limit is not None and report.saving_usd_per_month > save_limit:
        raise typer.Exit(EXIT_FINDINGS)
