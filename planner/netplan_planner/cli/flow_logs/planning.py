"""`netplan flow-logs plan`: settings of flow logs at least cost for promised errors."""

from typing import Annotated

import typer

from netplan_planner.cli import answers, options
from netplan_planner.cli.app import progress
from netplan_planner.cli.bundles import Look
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.flow_logs.plan import plan_flow_logs
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.engine.request import ApiOptions
from netplan_planner.errors import UsageError
from netplan_planner.model.flow_log_bill import LogGoal
from netplan_planner.model.log_volume import MACHINES_FROM_GBPS
from netplan_planner.planning.inputs import PriceInput
from netplan_planner.planning.project import FlowReading, Input, request_of
from netplan_planner.renderers import RenderOptions

PROMISE = "What is promised"


class Promise(Parameters, frozen=True, kw_only=True):
    """What the logs are to tell, and how surely."""

    dollar_error: Annotated[
        str,
        typer.Option(
            metavar="PERCENT",
            help="Error of the dollars of all traffic, either way.",
            rich_help_panel=PROMISE,
        ),
    ] = "5%"
    p95_error: Annotated[
        str,
        typer.Option(
            metavar="PERCENT",
            help="Error of the 95th percentile of what each machine sends, either way.",
            rich_help_panel=PROMISE,
        ),
    ] = "10%"
    confidence: Annotated[
        str,
        typer.Option(
            metavar="PERCENT",
            help="How often each promise holds, of many samples of the same traffic.",
            rich_help_panel=PROMISE,
        ),
    ] = "95%"
    p95_from: Annotated[
        float,
        typer.Option(
            "--p95-from",
            metavar="GBPS",
            min=0,
            help="Machines whose 95th percentile is less are not promised anything of; a tenth of"
            " the least cap of a machine (1 Gbit/s) by default.",
            rich_help_panel=PROMISE,
        ),
    ] = MACHINES_FROM_GBPS
    metadata: Annotated[
        bool,
        typer.Option(
            "--metadata/--no-metadata",
            help="Keep metadata where they are, or leave them out: a record is then 542 bytes"
            " instead of 1,418, and names no machine, cluster or country.",
            rich_help_panel=PROMISE,
        ),
    ] = True

    filters: Annotated[
        bool,
        typer.Option(
            "--filter/--no-filter",
            help="Propose filters, too, that leave out records on which neither dollars nor"
            " percentiles rest; what else cannot be told then is said.",
            rich_help_panel=PROMISE,
        ),
    ] = True


class Plan(Parameters, frozen=True, kw_only=True):
    """What is promised of whose flow logs."""

    promise: Promise = Promise()
    given: Input = Input()
    pricing: PriceInput = PriceInput()
    currency: options.CurrencyCode = None
    reading: FlowReading = FlowReading()
    api: ApiOptions = ApiOptions()
    answer: answers.Output = answers.Output()
    look: Look = Look()


@taking
def plan(asked: Plan) -> None:
    """Find the sampling, interval, metadata and filter of flow logs at least cost for a promise.

    The errors are those of a window as long as the one read, from what its own records are like.
    Prints the commands; changes nothing.
    """
    specs = asked.answer.specs()
    shown_in = currency_in(asked.given.prices(asked.pricing), asked.currency)
    request = request_of(asked)
    promise = asked.promise
    goal = LogGoal(
        dollar_error_ratio=ratio_of(promise.dollar_error, "--dollar-error"),
        p95_error_ratio=ratio_of(promise.p95_error, "--p95-error"),
        confidence=ratio_of(promise.confidence, "--confidence"),
        p95_from_gbps=promise.p95_from,
        keeps_metadata=promise.metadata,
        filters=promise.filters,
    )
    look = RenderOptions(currency=shown_in, width=asked.look.width, colour=asked.look.color)
    answers.write(plan_flow_logs(request, goal, progress), specs, look)


def ratio_of(text: str, option: str) -> float:
    """Return a percentage as a ratio above 0 and below 1.

    Raises:
        UsageError: If it is none; a bare number could be meant either way.

    >>> ratio_of("2.5%", "--dollar-error")
    0.025
    """
    number, sign, rest = text.strip().partition("%")
    try:
        ratio = float(number) / 100
    except ValueError:
        ratio = 0.0
    if not sign or rest or not 0 < ratio < 1:
        raise UsageError(f"{option} takes a percentage above 0% and below 100%, such as 5%")
    return ratio
