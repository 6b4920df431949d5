"""`netplan probe`: what to measure, what it costs, and, with `--yes`, the measurement itself."""

import sys
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from netplan_planner.cli import options
from netplan_planner.cli.app import app, progress
from netplan_planner.cli.options import OUTPUT
from netplan_planner.errors import IncompleteError, UsageError

if TYPE_CHECKING:
    from netplan_planner.engine.probe_runs import ProbeResults

WHAT, WITHIN, HOW, REACH = (
    "What to measure",
    "At most",
    "How to measure",
    "How to reach the machines",
)
STORE_VARIABLE = "NETPLAN_PROBE_STORE"
STORE = Path("netplan-probes.jsonl")


class Form(StrEnum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"


class Transport(StrEnum):
    """How commands get to the machines."""

    LOCAL = "local"
    SSH = "ssh"
    GCLOUD = "gcloud"


class _ProbeGroup(TyperGroup):
    """The sub-verbs; options without one are those of `run`, which asks for `--yes` anyhow."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        is_option = bool(args) and args[0].startswith("-")
        own = {"--help", *ctx.help_option_names}
        return super().parse_args(ctx, ["run", *args] if is_option and args[0] not in own else args)


probe_app = typer.Typer(
    cls=_ProbeGroup,
    help="Measure what predictions leave open, with iperf3 between your machines.",
    no_args_is_help=True,
)
app.add_typer(probe_app, name="probe")

StoreOption = Annotated[
    Path,
    typer.Option(
        "--store",
        metavar="FILE",
        envvar=STORE_VARIABLE,
        help="Measurements, JSON lines that are only ever added to.",
        rich_help_panel=OUTPUT,
    ),
]
FormOption = Annotated[Form, typer.Option("--format", help="text or json.", rich_help_panel=OUTPUT)]


@probe_app.command("plan", help="Show what is worth measuring, and what it costs. Runs nothing.")
@probe_app.command("run", help="Show the plan; with --yes, carry it out and keep what it measures.")
def plan_or_run(
    ctx: typer.Context,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SRC:DST",
            help="Two machines of the input; repeat it (default: the paths that findings of the"
            " audit rest on).",
            rich_help_panel=WHAT,
        ),
    ] = None,
    external: Annotated[
        bool,
        typer.Option(
            "--external", help="Named pairs by DST's external address.", rich_help_panel=WHAT
        ),
    ] = False,
    streams: Annotated[
        list[int] | None,
        typer.Option(help="Only 1 or only 16 streams (default: both).", rich_help_panel=WHAT),
    ] = None,
    max_paths: Annotated[
        int, typer.Option(min=1, max=500, help="Of findings.", rich_help_panel=WHAT)
    ] = 50,
    max_usd: Annotated[
        str | None,
        typer.Option(metavar="USD", help="Of traffic in all.", rich_help_panel=WITHIN),
    ] = None,
    max_gib: Annotated[
        float | None, typer.Option(min=0.001, help="Sent in all.", rich_help_panel=WITHIN)
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(min=1, help="From the first run on.", rich_help_panel=WITHIN)
    ] = None,
    bitrate: Annotated[
        float | None,
        typer.Option(
            min=0.000001,
            metavar="GBPS",
            help="Gbit/s of each direction of a run.",
            rich_help_panel=WITHIN,
        ),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(
            min=0.01,
            max=0.5,
            help="Half the width of an interval that is narrow enough, as a share.",
            rich_help_panel=HOW,
        ),
    ] = 0.1,
    min_runs: Annotated[
        int, typer.Option(min=2, max=100, help="Of each kind of run.", rich_help_panel=HOW)
    ] = 3,
    max_runs: Annotated[
        int, typer.Option(min=2, max=100, help="Of each kind of run.", rich_help_panel=HOW)
    ] = 10,
    seed: Annotated[
        int,
        typer.Option(
            help="Of the order of runs; another one measures everything anew.", rich_help_panel=HOW
        ),
    ] = 0,
    time_scale: Annotated[float, typer.Option(min=0.01, max=10, hidden=True)] = 1.0,
    transport: Annotated[
        Transport,
        typer.Option(
            help="gcloud: `gcloud compute ssh`; ssh; local: commands here, such as in network"
            " namespaces.",
            rich_help_panel=REACH,
        ),
    ] = Transport.GCLOUD,
    end: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=HOW",
            help="A machine's host for ssh, its name with a user (`me@vm-1`) for gcloud, or the"
            " words before a command for local; repeat it.",
            rich_help_panel=REACH,
        ),
    ] = None,
    local_src: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="Before a command of the first machine of one pair, such as `ip netns exec a`.",
            rich_help_panel=REACH,
        ),
    ] = None,
    local_dst: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="Of the second one.", rich_help_panel=REACH),
    ] = None,
    iap: Annotated[
        bool,
        typer.Option(
            "--iap/--no-iap",
            help="Whether gcloud goes through Identity-Aware Proxy.",
            rich_help_panel=REACH,
        ),
    ] = True,
    ssh_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="As ssh -o, such as Port=2222.", rich_help_panel=REACH
        ),
    ] = None,
    iperf3: Annotated[
        str, typer.Option(metavar="PROGRAM", help="On the machines.", rich_help_panel=REACH)
    ] = "iperf3",
    ports: Annotated[
        str,
        typer.Option(
            metavar="FIRST-LAST",
            help="Of the server, by TCP; the firewall must let them in.",
            rich_help_panel=REACH,
        ),
    ] = "5201-5232",
    project: options.Projects = None,
    inventory: options.Inventory = None,
    traffic: options.Traffic = None,
    calibration: options.Calibration = None,
    demo: options.Demo = None,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    as_of: options.AsOf = None,
    store: StoreOption = STORE,
    form: FormOption = Form.TEXT,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Exit with 4 when a part is missing.", rich_help_panel=OUTPUT
        ),
    ] = False,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes",
            help="Carry the plan out; on the command line only, of `probe run` only.",
            show_envvar=False,
            rich_help_panel=OUTPUT,
        ),
    ] = False,
) -> None:
    """Plan probes, and carry them out where that was asked for."""
    from netplan_planner.cli import probe_answers, probe_results, probe_running, probe_words
    from netplan_planner.engine.probe import ProbeQuestion, plan_probe
    from netplan_planner.engine.probe_runs import Access
    from netplan_planner.engine.request import AuditRequest
    from netplan_planner.measuring.campaign import StopRule
    from netplan_planner.optimise.probe_plan import ProbeCaps

    if yes and getattr(ctx.get_parameter_source("yes"), "name", "") != "COMMANDLINE":
        raise UsageError("--yes counts on the command line only, not from a file or a variable")
    if yes and ctx.info_name == "plan":
        raise UsageError(
            "netplan probe plan runs nothing: it is netplan probe run that takes --yes"
        )
    if yes and demo is not None:
        raise UsageError("the machines of a demo do not exist: nothing can be run there")
    thresholds, targets = options.configured()
    request = AuditRequest(
        today=date.today(),
        as_of=options.day(as_of),
        projects=tuple(dict.fromkeys(project or ())),
        inventory=tuple(inventory or ()),
        traffic=tuple(traffic or ()),
        calibration=calibration,
        demo=demo,
        prices=prices,
        discounts=tuple(discount or ()),
        billing_exports=tuple(billing_export or ()),
        thresholds=thresholds,
        targets=targets,
    )
    question = ProbeQuestion(
        pairs=probe_words.pairs(pair or ()),
        is_external=external,
        streams=tuple(dict.fromkeys(streams or ())),
        max_paths=max_paths,
        caps=ProbeCaps(
            max_gib=max_gib, max_seconds=max_seconds, max_usd=options.usd("--max-usd", max_usd)
        ),
        bitrate_gbps=bitrate,
        stop=StopRule(min_runs=min_runs, max_runs=max_runs, tolerance_ratio=tolerance),
        seed=seed,
        time_scale=time_scale,
    )
    access = Access(
        kind=transport.value,
        ends=probe_words.ends(end or ()),
        client=local_src,
        server=local_dst,
        is_through_iap=iap,
        ssh_options=tuple(ssh_option or ()),
        iperf3=iperf3,
        ports=probe_words.ports(ports),
    )
    plan = plan_probe(question, request, progress)
    stored = probe_answers.stored(plan, store)
    probe_running.warn(stored.faults)
    shown = probe_answers.Shown(plan=plan, stored=stored, has_yes=yes)
    if not yes:
        typer.echo(probe_answers.plan_text(shown) if form is Form.TEXT else _json(shown), nl=False)
        return
    if form is Form.TEXT:
        typer.echo(probe_answers.plan_text(shown), nl=False)
        sys.stdout.flush()
    if not plan.probes:
        if form is Form.JSON:
            typer.echo(_json(shown), nl=False)
        if strict:
            raise IncompleteError("nothing of what was asked for can be measured (--strict)")
        return
    results = probe_running.run(plan, question, access, store)
    if form is Form.TEXT:
        typer.echo("\n" + probe_results.results_text(results, store), nl=False)
    else:
        typer.echo(_json(shown, results), nl=False)
    if strict and not results.is_complete:
        raise IncompleteError("not everything was measured (--strict)")


def _json(shown: Any, results: "ProbeResults | None" = None) -> str:
    from netplan_planner.cli import probe_document

    return probe_document.written(shown, results)
