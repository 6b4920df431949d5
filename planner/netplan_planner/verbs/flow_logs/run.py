"""What flow logs cost, and settings that cost less."""

from collections.abc import Sequence
from decimal import Decimal
from math import isnan
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.errors import InputError, UsageError
from netplan_planner.model import MeasuredKind, Metric, MetricSeries, PriceBook, SelfLink, Value
from netplan_planner.model.evidence.log_volume import LogSettings, log_gib
from netplan_planner.model.money.price_age import price_age
from netplan_planner.planning import service_bill
from netplan_planner.planning.flow_logs import LogMeter, place_name
from netplan_planner.planning.inputs import PriceSource
from netplan_planner.planning.project import request_of
from netplan_planner.tables.columns import Column, number_column
from netplan_planner.tables.reading import Table
from netplan_planner.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, counted
from netplan_planner.verbs import Now, always_well, panels, verb
from netplan_planner.verbs.flow_logs import bill
from netplan_planner.verbs.flow_logs.answer import FlowLogBill, LogRow
from netplan_planner.verbs.flow_logs.ask import CostAsk, PlanAsk
from netplan_planner.verbs.flow_logs.plan import plan_flow_logs
from netplan_planner.world.demos import load_demo
from netplan_planner.world.reading import Say, read_facts, read_predicted_logs
from netplan_planner.world.request import InputRequest

COLUMNS = (
    Column(
        name="place",
        meaning="subnetwork, gateway or configuration that would log",
        other_names=("subnetwork", "configuration"),
        is_required=True,
    ),
    number_column("records", "how many records it would write", least=0, is_required=True),
    number_column(
        "hours",
        "hours that the records cover; default: 730",
        unit="h",
        least=0.001,
    ),
)


_NOTE = (
    "the metric networking.googleapis.com/vpc_flow/predicted_max_vpc_flow_logs_count counts the "
    "maximum: all records at the shortest interval"
)


class ExpectedRecords(Value, frozen=True, kw_only=True):
    """How many records a place would write."""

    place: str
    record_count: float
    hours: float = HOURS_PER_MONTH


@verb(
    panel=panels.PLAN,
    question="What do flow logs cost, and which settings cost less?",
    has_look=True,
    ends=always_well,
)
def cost(ask: CostAsk, now: Now) -> FlowLogBill:
    """Show what flow logs cost per month, for each subnetwork or configuration that writes them.

    Counts the records themselves, and separates duplicates from two configurations. Before logs are
    on, estimates from a table or the metric predicted_max_vpc_flow_logs_count (--metrics, or
    --project without --traffic). Includes generation by price steps, and storage.
    """
    source = PriceSource(
        today=now.today,
        folder=ask.price_folder,
        discounts=ask.pricing.discounts,
        billing_exports=ask.pricing.billing_exports,
    )
    if ask.records is not None:
        if ask.given.is_given or ask.metrics.metrics:
            raise UsageError(
                "--records is for before logs are on: give either --records or --traffic"
            )
        return forecast(ask.records, source, has_metadata=ask.has_metadata)
    counting = replace(ask.reading.traffic, log_volume_from_gbps=bill.ONLY_COUNTS)
    request = request_of(ask, traffic_options=counting)
    return cost_of(request, source, has_metadata=ask.has_metadata, say=now.say)


@verb(panel=panels.PLAN, has_look=True, ends=always_well)
def plan(ask: PlanAsk, now: Now) -> FlowLogBill:
    """Find the cheapest sampling, interval, metadata and filters of flow logs for an accuracy goal.

    Estimates errors from the records of a window, for a window of that length. Prints the commands
    and changes nothing.
    """
    return plan_flow_logs(request_of(ask), ask.goal, now.say)


def forecast(file: Path, source: PriceSource, *, has_metadata: bool) -> FlowLogBill:
    """Return what flow logs would cost by a table of records.

    Raises:
        InputError: If the file is no table with the columns, or a cell is no number.
    """
    expected, left_out = read_expected(file)
    book = source.book()
    found = bill_of_expected(expected, book, has_metadata=has_metadata)
    return FlowLogBill(
        writers=found.writers,
        line_items=found.line_items,
        usd_per_month=found.usd_per_month,
        unpriced=found.unpriced,
        window=f"{counted(len(expected), 'row')} of {file.name}",
        notes=(*left_out, *found.notes),
        price_age=price_age(book.info, source.today, folder=source.folder),
        prices_sha256=book.info.sha256,
    )


def forecast_of_metrics(
    request: InputRequest, source: PriceSource, *, has_metadata: bool, say: Say = lambda _: None
) -> FlowLogBill:
    """Return what flow logs would cost by the metric of how many records there would be.

    Raises:
        AccessError: If there are no credentials for the live API.
        InputError: If a file cannot be read, or nothing tells of any subnetwork.
    """
    metrics = read_predicted_logs(request, say)
    series = (
        metrics.of_kind(MeasuredKind.SUBNETWORK, Metric.PREDICTED_LOGS)
        if metrics is not None
        else ()
    )
    expected = expected_of(series)
    if metrics is None or not expected:
        unread = metrics.coverage.unread if metrics else ()
        why = "; ".join(list(dict.fromkeys(one.reason for one in unread))[:2])
        raise InputError(
            f"the metric {Metric.PREDICTED_LOGS.value} has no subnetwork"
            + (f": {why}" if why else "")
        )
    book = source.book()
    found = bill_of_expected(expected, book, has_metadata=has_metadata)
    gap_h = sum(one.gap_s for one in series) / SECONDS_PER_HOUR
    gaps = (f"{gap_h:,.1f} h without data are assumed to be like the others",) if gap_h else ()
    first, last = min(one.start for one in series), max(one.end for one in series)
    return replace(
        found,
        window=f"the metric of {counted(len(expected), 'subnetwork')},"
        f" {first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} UTC",
        notes=(*gaps, *(one.reason for one in metrics.coverage.unread), *found.notes),
        price_age=price_age(book.info, source.today, folder=source.folder),
        prices_sha256=book.info.sha256,
    )


def cost_of(
    request: InputRequest, source: PriceSource, *, has_metadata: bool, say: Say = lambda _: None
) -> FlowLogBill:
    """Return what flow logs cost: by their records, else by the metric of how many there would be.

    Raises:
        AccessError: If there are no credentials for the live API.
        InputError: If an input cannot be read, or nothing tells of any subnetwork.
        UsageError: If neither records nor metrics are given.
    """
    is_told_live = request.live_metrics and request.projects
    if not request.traffic and request.demo is None and (request.metrics or is_told_live):
        return forecast_of_metrics(request, source, has_metadata=has_metadata, say=say)
    if not request.traffic and request.demo is None:
        raise UsageError(bill.NO_RECORDS)
    demo = load_demo(request.demo) if request.demo is not None else None
    facts = read_facts(request, demo, say)
    if not bill.has_records(facts) and request.metrics:
        # Such as a bundle whose traffic is that of metrics.
        return forecast_of_metrics(request, source, has_metadata=has_metadata, say=say)
    return bill.bill_of(facts, bill.writers_of(facts), request)


def expected_of(series: Sequence[MetricSeries]) -> tuple[ExpectedRecords, ...]:
    """Return how many records each subnetwork would write in the time that has values."""
    return tuple(
        ExpectedRecords(
            place=place_name(one.resource.link or SelfLink(one.resource.name)),
            record_count=one.total,
            hours=one.observed_s / SECONDS_PER_HOUR,
        )
        for one in series
        if one.total is not None and one.observed_s > 0
    )


def read_expected(file: Path) -> tuple[tuple[ExpectedRecords, ...], tuple[str, ...]]:
    """Return the rows of a table of records, and what of it was left out.

    Raises:
        InputError: If the file is no table with the columns, or no row of it can be used.
    """
    with Table(file, COLUMNS) as table:
        numbers = table.checked_numbers()
        names, which = table.texts("place")
        refused = tuple(table.refused.named)
        shown = table.shown
    records, hours = numbers["records"], numbers["hours"]
    found = tuple(
        ExpectedRecords(
            place=names[place],
            record_count=float(count),
            hours=HOURS_PER_MONTH if isnan(span) else float(span),
        )
        for place, count, span in zip(which, records, hours, strict=True)
        if not isnan(count)
    )
    lost = len(records) - len(found)
    left_out = (f"{shown}: {counted(lost, 'row')} without a number of records not used",)
    return found, (*refused, *(left_out if lost else ()))


def bill_of_expected(
    expected: tuple[ExpectedRecords, ...], prices: PriceBook, *, has_metadata: bool
) -> FlowLogBill:
    """Return what so many records would cost a month; the steps of prices are of all of them."""
    months = [
        (one.place, round(one.record_count * HOURS_PER_MONTH / one.hours)) for one in expected
    ]
    volumes = [
        (place, records, log_gib(records, has_metadata=has_metadata)) for place, records in months
    ]
    meter = LogMeter(prices, sum((gib for _, _, gib in volumes), Decimal(0)))
    settings = LogSettings(sampling_ratio=None, interval_s=None, has_metadata=has_metadata)
    rows = (
        LogRow(
            name=place,
            configuration="",
            places=(place,),
            now=settings,
            volume=meter.volume(records, gib),
        )
        for place, records, gib in volumes
    )
    return FlowLogBill(
        writers=tuple(sorted(rows, key=lambda row: (-row.volume.gib_per_month, row.name))),
        line_items=meter.bill.lines,
        usd_per_month=meter.bill.usd_per_month,
        unpriced=meter.bill.unpriced,
        window="",
        notes=(_NOTE, service_bill.LOG_NOTE),
    )
