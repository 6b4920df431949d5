"""What flow logs cost a month, by who writes them."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from math import inf
from typing import NamedTuple

from netplan_planner.errors import UsageError
from netplan_planner.model import Direction, Facts
from netplan_planner.model.evidence.log_volume import LogVolumeBill, log_gib
from netplan_planner.model.money.price_age import price_age
from netplan_planner.paths.priced_paths import priced_path_of
from netplan_planner.planning import service_bill
from netplan_planner.planning.flow_logs import LogMeter, Writer, settings_of, writers
from netplan_planner.planning.traffic_bill import direction_of, mean_prices
from netplan_planner.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, counted
from netplan_planner.verbs.flow_logs.answer import FlowLogBill, LogRow
from netplan_planner.world.demos import load_demo
from netplan_planner.world.not_read import what_is_incomplete
from netplan_planner.world.reading import Say, read_facts
from netplan_planner.world.request import InputRequest

# What the bytes of traffic mean in dollars, and what a GiB of its logs costs


class Priced(NamedTuple):
    """What the bytes of edges mean in dollars a month, by number of the edge."""

    usd_per_byte: Mapping[int, float]
    free: frozenset[int]
    """Those that are known to cost nothing."""
    usd_per_month: float


def priced_edges(facts: Facts) -> Priced:
    """Return what the bytes of edges mean, at the mean price of all traffic of their price."""
    paths = {
        number: priced_path_of(facts, edge)
        for number, edge in enumerate(facts.seen_traffic.edges)
        if direction_of(facts, edge) is Direction.SENT
    }
    prices = mean_prices(facts)
    usd = {n: float(prices[path].usd_per_byte or 0) for n, path in paths.items()}
    free = {p for p, price in prices.items() if price.usd_per_byte == 0 and not price.unknown}
    return Priced(
        {number: per_byte for number, per_byte in usd.items() if per_byte},
        frozenset(n for n, path in paths.items() if path in free),
        sum(per_byte * facts.seen_traffic.edges[n].wire_bytes for n, per_byte in usd.items()),
    )


def marginal_usd_per_gib(answer: FlowLogBill) -> float:
    """Return what the last GiB costs today; 1 where nothing has a price, so that GiB count."""
    last = {line.sku_id: line.unit_price_usd for line in answer.line_items}
    return float(sum(last.values())) or 1.0


# What flow logs cost a month, by who writes them


ONLY_COUNTS = inf
"""Bound of `TrafficOptions.log_volume_from_gbps` that no machine reaches: no series are told."""
MONTH_S = HOURS_PER_MONTH * SECONDS_PER_HOUR
_NOTABLE = 0.05
"""A month that is not known better than this is worth a note."""
NO_RECORDS = (
    "flow log records are needed (--traffic). Plain tables, bundles collected without them, and "
    "aggregates without --log-volume do not have them. Before logs are on, flow-logs cost takes "
    "--metrics, --records or --project alone"
)


def read_writers(request: InputRequest, say: Say) -> tuple[Facts, list[Writer]]:
    """Return what was read, and who wrote its flow records.

    Raises:
        UsageError: If no flow logs are given.
    """
    demo = load_demo(request.demo) if request.demo is not None else None
    if not request.traffic and demo is None:
        raise UsageError(NO_RECORDS)
    facts = read_facts(request, demo, say)
    return facts, writers_of(facts)


def has_records(facts: Facts) -> bool:
    """Return whether the records of flow logs were counted."""
    return facts.traffic is not None and facts.traffic.log_volume is not None


def writers_of(facts: Facts) -> list[Writer]:
    """Return who wrote the flow records of what was read.

    Raises:
        UsageError: If there were none.
    """
    if facts.traffic is None or facts.traffic.log_volume is None:
        raise UsageError(NO_RECORDS)
    return writers(facts.inventory, facts.traffic.log_volume)


def bill_of(facts: Facts, found: Sequence[Writer], request: InputRequest) -> FlowLogBill:
    """Return what records cost as they are, nothing planned."""
    volumes = [(one, *volume_now(facts, one)) for one in found]
    meter = LogMeter(facts.prices, sum((gib for _, _, gib in volumes), Decimal(0)))
    rows = [
        LogRow(
            name=one.name,
            configuration=one.configuration,
            places=one.places,
            now=settings_of(one.logs, has_metadata=has_metadata(facts)),
            volume=meter.volume(records, gib),
            extra=_extra(one, meter, records, gib),
            other_side_ratio=_other_side_ratio(one),
        )
        for one, records, gib in volumes
    ]
    return FlowLogBill(
        writers=tuple(sorted(rows, key=lambda row: (-row.volume.gib_per_month, row.name))),
        line_items=meter.bill.lines,
        usd_per_month=meter.bill.usd_per_month,
        unpriced=meter.bill.unpriced,
        window=_window(facts),
        notes=tuple(_notes(facts, found)),
        incomplete=what_is_incomplete(facts, ()),
        price_age=price_age(facts.prices.info, facts.today, folder=request.prices),
        prices_sha256=facts.prices.info.sha256,
    )


def month_ratio(facts: Facts) -> float:
    """Return how many times the window a month is."""
    return MONTH_S / facts.seen_traffic.month_seconds


def has_metadata(facts: Facts) -> bool:
    """Return whether any record names its machines."""
    return facts.seen_traffic.coverage.has_metadata


def volume_now(facts: Facts, writer: Writer) -> tuple[int, Decimal]:
    """Return the records of a month of one writer, and their GiB."""
    records = round(writer.record_count * month_ratio(facts))
    settings = settings_of(writer.logs, has_metadata=has_metadata(facts))
    return records, log_gib(records, has_metadata=bool(settings.has_metadata))


def _extra(writer: Writer, meter: LogMeter, records: int, gib: Decimal) -> LogVolumeBill | None:
    if not writer.extra_count:
        return None
    share = Decimal(writer.extra_count) / writer.record_count
    return meter.volume(round(records * share), gib * share)


def _other_side_ratio(writer: Writer) -> float | None:
    told = writer.record_count - writer.extra_count
    if not told:
        return None
    return 1 - sum(source.counted_count for source in writer.sources) / told


def _window(facts: Facts) -> str:
    traffic = facts.traffic
    assert traffic is not None
    records = counted(traffic.coverage.record_count, "record")
    return f"{records} of {traffic.start:%Y-%m-%d %H:%M} to {traffic.end:%Y-%m-%d %H:%M} UTC"


def _notes(facts: Facts, found: Sequence[Writer]) -> Iterator[str]:
    unknown = [one for one in found if one.logs is None]
    if unknown:
        first = unknown[0].places[0]
        yield (
            f"the settings of {counted(len(unknown), 'writer')} of records are not in the "
            f"inventory, such as {first}"
        )
    low, high = facts.seen_traffic.month_ratios
    if low < 1 - _NOTABLE or high > 1 + _NOTABLE:
        yield (
            f"monthly volumes come from the window: {low:.2g} to {high:.2g}x the stated ones, if "
            "no time outside the window is busier, and more if one is"
        )
    yield service_bill.LOG_NOTE
