"""`netplan recommend`: the cheapest machine types that carry a wanted bandwidth."""

from datetime import date
from enum import StrEnum
from typing import Annotated

import typer

from netplan_planner.cli import answers, options
from netplan_planner.cli.app import EXIT_FINDINGS, app, progress
from netplan_planner.cli.options import CHOICE, OUTPUT, Colour, Reporter
from netplan_planner.engine import recommend as engine
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.engine.request import AuditRequest, api_options, traffic_options
from netplan_planner.errors import UsageError
from netplan_planner.model import Infeasible
from netplan_planner.renderers import ColourMode, RenderOptions

NEED, PAYMENT = "What is needed", "How it is paid"


class Architecture(StrEnum):
    """Processor families, by the names that people use."""

    X86 = "x86"
    ARM = "arm"
    ANY = "any"


@app.command()
def recommend(
    gbps: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Wanted egress in Gbit/s, of all machines; with --vm, its observed 95th"
            " percentile.",
            rich_help_panel=NEED,
        ),
    ] = None,
    region: Annotated[
        str | None,
        typer.Option(help="Such as us-central1; with --vm, its own.", rich_help_panel=NEED),
    ] = None,
    vm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Replace this machine of the input: its traffic is the target, its vCPUs and"
            " memory are the floors.",
            rich_help_panel=NEED,
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="PLACE",
            help="internal (default): other zones too; zone: the own one; external: addresses"
            " outside the VPC, with the lower cap; a region: internal, with the price of the"
            " traffic there. With --vm: both, as it was seen to send.",
            rich_help_panel=NEED,
        ),
    ] = None,
    vcpus: Annotated[
        int | None, typer.Option(min=0, help="Least vCPUs, of all machines.", rich_help_panel=NEED)
    ] = None,
    memory_gib: Annotated[
        float | None,
        typer.Option(min=0, help="Least memory, of all machines.", rich_help_panel=NEED),
    ] = None,
    min_flow_gbps: Annotated[
        float, typer.Option(min=0, help="What one flow must reach.", rich_help_panel=NEED)
    ] = 0.0,
    headroom: Annotated[
        float,
        typer.Option(
            min=0, max=0.99, help="Share of the cap that stays free.", rich_help_panel=NEED
        ),
    ] = 0.2,
    max_count: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            help="How many equal machines may share it, where the load spreads (default: 1).",
            rich_help_panel=NEED,
        ),
    ] = None,
    on_demand: Annotated[
        bool,
        typer.Option(
            "--on-demand",
            help="At list price, no discount (default, but with --vm).",
            rich_help_panel=PAYMENT,
        ),
    ] = False,
    spot: Annotated[
        bool, typer.Option("--spot", help="Spot prices.", rich_help_panel=PAYMENT)
    ] = False,
    cud_1y: Annotated[
        bool, typer.Option("--cud-1y", help="Committed for 1 year.", rich_help_panel=PAYMENT)
    ] = False,
    cud_3y: Annotated[
        bool, typer.Option("--cud-3y", help="Committed for 3 years.", rich_help_panel=PAYMENT)
    ] = False,
    sustained_use: Annotated[
        bool,
        typer.Option(
            "--sustained-use",
            help="On demand, with the discount that a month of use brings by itself (default with"
            " --vm).",
            rich_help_panel=PAYMENT,
        ),
    ] = False,
    month_ratio: Annotated[
        float,
        typer.Option(
            min=0.001, max=1, help="Share of the month that it runs.", rich_help_panel=PAYMENT
        ),
    ] = 1.0,
    series: Annotated[
        list[str] | None,
        typer.Option(help="Only these series; commas or repeated.", rich_help_panel=CHOICE),
    ] = None,
    arch: Annotated[
        Architecture | None,
        typer.Option(
            "--architecture",
            "--arch",
            help="Only x86, or only arm; any: by price alone (default: x86 first; with --vm the"
            " machine's own only).",
            rich_help_panel=CHOICE,
        ),
    ] = None,
    gpu: Annotated[
        bool, typer.Option("--gpu", help="Types with GPUs too.", rich_help_panel=CHOICE)
    ] = False,
    shared_core: Annotated[
        bool,
        typer.Option("--shared-core", help="Shared-core types too.", rich_help_panel=CHOICE),
    ] = False,
    project: options.Projects = None,
    inventory: options.Inventory = None,
    traffic: options.Traffic = None,
    calibration: options.Calibration = None,
    demo: options.Demo = None,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    currency: options.CurrencyCode = None,
    as_of: options.AsOf = None,
    reporter: options.WhichReporter = Reporter.SOURCE,
    since: options.Since = None,
    until: options.Until = None,
    memory_limit: options.MemoryLimit = "2GB",
    threads: options.Threads = None,
    temp_directory: options.TempDirectory = None,
    api_endpoint: options.Endpoint = None,
    anonymous: options.Anonymous = False,
    concurrency: options.Concurrency = 8,
    timeout: options.Timeout = 60.0,
    max_attempts: options.MaxAttempts = 5,
    total_timeout: options.TotalTimeout = 1800.0,
    top: Annotated[
        int, typer.Option(min=0, help="Rows of the ranking; 0: all.", rich_help_panel=OUTPUT)
    ] = 10,
    why_not: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TYPE", help="Why this type is not first; repeat it.", rich_help_panel=OUTPUT
        ),
    ] = None,
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose", "-v", count=True, help="Every row, every loser.", rich_help_panel=OUTPUT
        ),
    ] = 0,
    output: answers.Outputs = None,
    former_format: answers.FormerFormat = None,
    width: Annotated[
        int | None, typer.Option(min=20, help="Columns of the text.", rich_help_panel=OUTPUT)
    ] = None,
    color: Annotated[
        Colour, typer.Option(help="Colours of the text.", rich_help_panel=OUTPUT)
    ] = Colour.AUTO,
) -> None:
    """Rank the machine types that carry a bandwidth by price, and say why the others lost.

    Only predefined types that the region offers and that have a price there; Tier_1 with its fee.
    Types with a steady bandwidth go before those whose figure is a peak. With --vm only types that
    take its disks, placement policy, reservation and GPUs. Exit status: 0, or 1 when nothing
    carries it.
    """
    specs = answers.specs_of(output, former_format)
    wish = engine.Wish(
        gbps=gbps,
        region=region,
        to=engine.goal_of(to),
        vcpus=vcpus,
        memory_gib=memory_gib,
        headroom=headroom,
        max_count=max_count,
        min_flow_gbps=min_flow_gbps,
        month_ratio=month_ratio,
        series=options.names(series),
        arch={"x86": "X86_64", "arm": "ARM64"}.get(arch.value) if arch is not None else None,
        any_arch=arch is Architecture.ANY,
        gpu=gpu,
        shared_core=shared_core,
        on_demand=on_demand,
        spot=spot,
        cud_1y=cud_1y,
        cud_3y=cud_3y,
        sustained_use=sustained_use,
    )
    asked = tuple(why_not or ())
    if vm is None:
        if project or inventory or traffic or demo:
            raise UsageError("--vm names the machine of the input that is to be replaced")
        chosen = engine.PriceChoice(prices, tuple(discount or ()), tuple(billing_export or ()))
        on = options.day(as_of)
        answer = engine.for_bandwidth(wish, chosen, on, date.today(), calibration, asked)
    else:
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
            api=api_options(
                endpoint=api_endpoint,
                is_anonymous=anonymous,
                concurrency=concurrency,
                timeout_s=timeout,
                total_s=total_timeout,
                max_attempts=max_attempts,
            ),
            traffic_options=traffic_options(
                reporter=reporter.value,
                memory_limit=memory_limit,
                threads=threads,
                temp_directory=temp_directory,
                since=since,
                until=until,
            ),
        )
        answer = engine.for_machine(wish, vm, request, progress, asked)
    shown_in = currency_in(prices, currency)
    answers.write(
        answer,
        specs,
        RenderOptions(
            width=width,
            colour=ColourMode(color.value),
            verbosity=verbose,
            max_rows=top,
            currency=shown_in,
        ),
    )
    if isinstance(answer.plan, Infeasible):
        raise typer.Exit(EXIT_FINDINGS)
