"""`netplan recommend`: the cheapest machine types that carry a wanted bandwidth."""

from datetime import date
from typing import Annotated

import typer

from netplan_planner.asks import CHOICE, OUTPUT
from netplan_planner.choices import Architecture
from netplan_planner.cli import answers, options
from netplan_planner.cli.app import EXIT_FINDINGS, app, progress
from netplan_planner.cli.bundles import Look, verbosity
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.engine.recommend import PriceChoice, Wish, for_bandwidth, for_machine, goal_of
from netplan_planner.engine.request import ApiOptions
from netplan_planner.errors import UsageError
from netplan_planner.model import Infeasible, Recommendation
from netplan_planner.planning.inputs import AsOf, Calibration, PriceInput
from netplan_planner.planning.project import FlowReading, Input, MetricsInput, request_of
from netplan_planner.quantities import names
from netplan_planner.renderers import RenderOptions
from netplan_planner.verbs import panels

NEED, PAYMENT = "What is needed", "How it is paid"


class Need(Parameters, frozen=True, kw_only=True):
    """What is needed."""

    gbps: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Wanted egress in Gbit/s, of all machines; with --vm, its observed 95th"
            " percentile.",
            rich_help_panel=NEED,
        ),
    ] = None
    region: Annotated[
        str | None,
        typer.Option(
            metavar="REGION",
            help="Where it runs, such as us-central1; with --vm, the machine's own.",
            rich_help_panel=NEED,
        ),
    ] = None
    vm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Replace this machine of the input: its traffic is the target, its vCPUs and"
            " memory are the floors.",
            rich_help_panel=NEED,
        ),
    ] = None
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
    ] = None
    vcpus: Annotated[int | None, typer.Option(min=0, help="Least vCPUs, of all machines.")] = None
    memory_gib: Annotated[
        float | None,
        typer.Option(min=0, help="Least memory in GiB, of all machines.", rich_help_panel=NEED),
    ] = None
    min_flow_gbps: Annotated[
        float,
        typer.Option(min=0, help="What one flow must reach, in Gbit/s.", rich_help_panel=NEED),
    ] = 0.0
    headroom: Annotated[
        float,
        typer.Option(
            min=0, max=0.99, help="Share of the cap that stays free.", rich_help_panel=NEED
        ),
    ] = 0.2
    max_count: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            help="How many equal machines may share it, where the load spreads (default: 1).",
            rich_help_panel=NEED,
        ),
    ] = None


class Payment(Parameters, frozen=True, kw_only=True):
    """How it is paid."""

    on_demand: Annotated[
        bool,
        typer.Option(
            "--on-demand",
            help="At list price, no discount (default, but with --vm).",
            rich_help_panel=PAYMENT,
        ),
    ] = False
    spot: Annotated[bool, typer.Option("--spot", help="At Spot prices.")] = False
    cud_1y: Annotated[
        bool,
        typer.Option("--cud-1y", help="With a commitment for 1 year.", rich_help_panel=PAYMENT),
    ] = False
    cud_3y: Annotated[
        bool,
        typer.Option("--cud-3y", help="With a commitment for 3 years.", rich_help_panel=PAYMENT),
    ] = False
    sustained_use: Annotated[
        bool,
        typer.Option(
            "--sustained-use",
            help="On demand, with the discount that a month of use brings by itself (default with"
            " --vm).",
            rich_help_panel=PAYMENT,
        ),
    ] = False
    month_ratio: Annotated[
        float,
        typer.Option(
            min=0.001,
            max=1,
            help="Share of the month that it runs, such as 0.5.",
            rich_help_panel=PAYMENT,
        ),
    ] = 1.0


class Choice(Parameters, frozen=True, kw_only=True):
    """Which types are considered."""

    series: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SERIES",
            help="Only these series, such as n2,c3; commas or repeated.",
            rich_help_panel=CHOICE,
        ),
    ] = None
    arch: Annotated[
        Architecture | None,
        typer.Option(
            "--architecture",
            "--arch",
            help="Only x86, or only arm; any: by price alone (default: x86 first; with --vm the"
            " machine's own only).",
            rich_help_panel=CHOICE,
        ),
    ] = None
    gpu: Annotated[bool, typer.Option("--gpu", help="Consider types with GPUs too.")] = False
    shared_core: Annotated[
        bool,
        typer.Option(
            "--shared-core", help="Consider shared-core types too.", rich_help_panel=CHOICE
        ),
    ] = False


class Recommend(Parameters, frozen=True, kw_only=True):
    """What is wanted, and what it is held against."""

    need: Need = Need()
    payment: Payment = Payment()
    choice: Choice = Choice()
    given: Input = Input()
    calibration: Calibration = None
    pricing: PriceInput = PriceInput()
    currency: options.CurrencyCode = None
    as_of: AsOf = None
    metrics: MetricsInput = MetricsInput()
    reading: FlowReading = FlowReading()
    api: ApiOptions = ApiOptions()
    top: Annotated[int, typer.Option(min=0, help="Rows of the ranking; 0: all.")] = 10
    why_not: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TYPE", help="Why this type is not first; repeat it.", rich_help_panel=OUTPUT
        ),
    ] = None
    verbose: Annotated[
        int,
        typer.Option(
            "--explain",
            "--verbose",
            "-v",
            count=True,
            help="Print every row, and why every other type lost.",
            rich_help_panel=OUTPUT,
        ),
    ] = 0
    answer: answers.Output = answers.Output()
    look: Look = Look()


@app.command(rich_help_panel=panels.PLAN)
@taking
def recommend(asked: Recommend) -> None:
    """Rank the machine types that carry a bandwidth by price, and say why the others lost.

    Only predefined types that the region offers and that have a price there; Tier_1 with its fee.
    Types with a steady bandwidth go before those whose figure is a peak. With --vm only types that
    take its disks, placement policy, reservation and GPUs. Exit status: 0, or 1 when nothing
    carries it.
    """
    specs = asked.answer.specs()
    answer = _for_bandwidth(asked) if asked.need.vm is None else _for_machine(asked, asked.need.vm)
    shown_in = currency_in(asked.given.prices(asked.pricing), asked.currency)
    answers.write(
        answer,
        specs,
        RenderOptions(
            width=asked.look.width,
            colour=asked.look.color,
            verbosity=verbosity(asked.verbose),
            max_rows=asked.top,
            currency=shown_in,
        ),
    )
    if isinstance(answer.plan, Infeasible):
        raise typer.Exit(EXIT_FINDINGS)


def _for_bandwidth(asked: Recommend) -> "Recommendation":

    if asked.given.is_given:
        raise UsageError("--vm names the machine of the input that is to be replaced")
    pricing = asked.pricing
    chosen = PriceChoice(pricing.prices, pricing.discounts, pricing.billing_exports)
    on, why_not = asked.as_of, tuple(asked.why_not or ())
    return for_bandwidth(_wish(asked), chosen, on, date.today(), asked.calibration, why_not)


def _for_machine(asked: Recommend, vm: str) -> "Recommendation":

    request = request_of(asked)
    return for_machine(_wish(asked), vm, request, progress, tuple(asked.why_not or ()))


def _wish(asked: Recommend) -> "Wish":

    need, payment, choice = asked.need, asked.payment, asked.choice
    return Wish(
        gbps=need.gbps,
        region=need.region,
        to=goal_of(need.to),
        vcpus=need.vcpus,
        memory_gib=need.memory_gib,
        headroom=need.headroom,
        max_count=need.max_count,
        min_flow_gbps=need.min_flow_gbps,
        month_ratio=payment.month_ratio,
        series=names(choice.series),
        arch=choice.arch.as_the_api_names_it if choice.arch is not None else None,
        any_arch=choice.arch is Architecture.ANY,
        gpu=choice.gpu,
        shared_core=choice.shared_core,
        on_demand=payment.on_demand,
        spot=payment.spot,
        cud_1y=payment.cud_1y,
        cud_3y=payment.cud_3y,
        sustained_use=payment.sustained_use,
    )
