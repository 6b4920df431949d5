"""`netplan price`: one price with its unit, region, date, SKU and source.

A missing price is exit status 3 with the reason on stderr and nothing on stdout.

What a SKU is, where it holds, and every step of its price.

What machines cost: one type in every way of paying for it.
"""

from decimal import Decimal

from netplan_planner.choices import Paid
from netplan_planner.errors import MissingDatum, UnknownName, UsageError
from netplan_planner.model import Price, Usage
from netplan_planner.optimise.bill import machine_price
from netplan_planner.planning.inputs import PriceSource
from netplan_planner.units import counted, plain_number
from netplan_planner.verbs import Now, always_well, panels, verb
from netplan_planner.verbs.price import batch
from netplan_planner.verbs.price.answer import PriceAnswer
from netplan_planner.verbs.price.ask import (
    MONTH_H,
    AddressAsk,
    BalancerAsk,
    FlowLogsAsk,
    MachineAsk,
    NatAsk,
    SkuAsk,
    TrafficAsk,
    VpnAsk,
)
from netplan_planner.verbs.price.charges import (
    address_prices,
    balancer_prices,
    flow_log_prices,
    nat_prices,
    traffic_prices,
    vpn_prices,
)
from netplan_planner.verbs.price.completing import by_the_hour, completed
from netplan_planner.verbs.price.table import PriceTable
from netplan_pricing import SnapshotPriceBook

_YEARS = {Paid.FLEX_1Y: 1, Paid.FLEX_3Y: 3}


def machine_prices(asked: MachineAsk, source: PriceSource) -> PriceAnswer:
    """Return what a machine costs per hour and for some hours.

    Raises:
        MissingDatum: If no way of paying for it has a price.
        UnknownName: If the type or the region is not known.
        UsageError: If one of the two is missing.
    """
    if asked.machine_type is None or asked.region is None:
        raise UsageError("give a machine type and --region, or a table with --batch FILE")
    machine_type, region = asked.machine_type, asked.region
    book = source.book()
    rows: list[dict[str, object]] = []
    unknown: list[tuple[str, str]] = []
    for paid in asked.usage.each:
        try:
            price = _price(book, machine_type, region, paid, asked.hours)
        except UnknownName:
            raise
        except MissingDatum as error:
            unknown.append((paid.value, str(error)))
            continue
        # A commitment is paid whether the machine runs or not.
        is_committed = paid.value.startswith(("cud", "flex"))
        hours = max(asked.hours, MONTH_H) if is_committed else asked.hours
        head = {"machine_type": machine_type, "region": region, "usage": paid.value}
        rows.append({**head, **by_the_hour(price, hours)})
    shape = book.shape(machine_type)
    size = f": {counted(shape.vcpus, 'vCPU')}, {shape.memory_gib:g} GiB" if shape else ""
    lengths = {length for row in rows if isinstance(length := row["hours"], Decimal)}
    # The sums are headed with their hours; in a column where the rows differ in them.
    several = ("hours",) if len(lengths) > 1 else ()
    head_of_sum = "these hours" if several else f"{plain_number(*(lengths or {asked.hours}))} h"
    answer = PriceAnswer(
        title=f"{machine_type} in {region}{size}",
        columns=("usage", *several, "usd_per_hour", "usd", "as_of", "sku_id"),
        rows=tuple(rows),
        titles=(("usd_per_hour", "USD per hour"), ("usd", f"USD for {head_of_sum}")),
        unknown=tuple(unknown),
    )
    return completed(answer, book, source)


def _price(
    book: SnapshotPriceBook, machine_type: str, region: str, paid: Paid, hours: Decimal
) -> Price:
    if paid in _YEARS:
        return book.flexible_commitment(region, machine_type, _YEARS[paid])
    # More than a month's hours are whole months.
    month_ratio = min(float(hours / MONTH_H), 1.0)
    if paid is Paid.SUSTAINED_USE and month_ratio < 1:
        return machine_price(book, region, machine_type, Usage.SUSTAINED_USE, month_ratio)
    return book.machine(region, machine_type, Usage(paid.value))


def sku_prices(sku_id: str, source: PriceSource) -> PriceAnswer:
    """Return what a SKU is and costs.

    Raises:
        MissingDatum: If the snapshot does not hold it, or the catalogue names no price for it.
    """
    book = source.book()
    entry = book.skus.entry(sku_id.strip().upper())
    if not entry.tiers:
        raise MissingDatum(
            f"{entry.sku_id} is {entry.description!a}: the catalogue has it without a price"
        )
    rows = []
    for tier in book.terms.tiers(entry.tiers, entry.service):
        price = tier.price
        listed = next(one for one in reversed(entry.tiers) if one.start <= tier.start)
        rows.append(
            {
                "sku_id": entry.sku_id,
                "from": tier.start,
                "unit": price.unit,
                "usd_per_unit": price.usd,
                "list_usd_per_unit": listed.price.usd,
                "description": entry.description,
                "service": entry.service,
                "kind": entry.kind,
                "series": entry.series,
                "component": entry.component,
                "usage": entry.usage,
                "regions": "|".join(entry.regions),
                "as_of": price.as_of.isoformat(),
                "source": price.source,
                "note": price.note,
            }
        )
    under = tuple(
        ("under", f"{model}: {own.usd:f} ({own.source})")
        for model, own in sorted(book.terms.under.get(entry.sku_id, {}).items())
    )
    kind = ", ".join(filter(None, (entry.kind, entry.series, entry.component, entry.usage)))
    answer = PriceAnswer(
        title=f"{entry.sku_id} {entry.description} ({entry.service})",
        columns=("from", "unit", "usd_per_unit", "as_of"),
        rows=tuple(rows),
        titles=(("usd_per_unit", "USD per unit"),),
        notes=(*under, ("kind", kind), ("regions", ", ".join(entry.regions))),
    )
    return completed(answer, book, source)


def form_of(ask: MachineAsk) -> str:
    """Return the format where none is named: what people read has no room for a table of prices."""
    return "text" if ask.batch is None else "csv"


@verb(
    panel=panels.PRICES,
    question="What does a machine type, traffic, address or gateway cost?",
    ends=always_well,
    form=form_of,
)
def machine(ask: MachineAsk, now: Now) -> PriceAnswer | PriceTable:
    """Print what a VM costs per hour and per month, or for another number of hours."""
    source = ask.prices.source(now.today)
    if ask.batch is None:
        return machine_prices(ask, source)
    if ask.hours != MONTH_H or ask.usage is not Paid.ON_DEMAND:
        raise UsageError("--batch shows all hourly prices: leave out --hours and --usage")
    if ask.machine_type is not None or ask.region is not None:
        raise UsageError("--batch has types and regions in its file: leave out others")
    return batch.price_table(ask.batch, source)


@verb(panel=panels.PRICES, ends=always_well)
def sku(ask: SkuAsk, now: Now) -> PriceAnswer:
    """Print a SKU's description, regions, and every step of its price."""
    return sku_prices(ask.sku_id, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def traffic(ask: TrafficAsk, now: Now) -> PriceAnswer:
    """Print what traffic costs per month: every price step that it reaches, and the total."""
    return traffic_prices(ask, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def address(ask: AddressAsk, now: Now) -> PriceAnswer:
    """Print what one more external IPv4 address costs per hour and per month.

    Free hours are per account and month, for all addresses of a kind. A note shows their value
    once.
    """
    return address_prices(ask, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def nat(ask: NatAsk, now: Now) -> PriceAnswer:
    """Print what a Cloud NAT gateway costs: its hours, its addresses, and the data it processes.

    --gib counts both directions. Traffic to the internet is billed in addition: netplan price
    traffic --to nat.
    """
    return nat_prices(ask, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def vpn(ask: VpnAsk, now: Now) -> PriceAnswer:
    """Print what Cloud VPN costs: hours of its tunnels, and traffic sent through them."""
    return vpn_prices(ask, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def lb(ask: BalancerAsk, now: Now) -> PriceAnswer:
    """Print what a load balancer costs: its forwarding rules and the data it processes."""
    return balancer_prices(ask, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def flow_logs(ask: FlowLogsAsk, now: Now) -> PriceAnswer:
    """Print what VPC Flow Logs cost: generation by price steps, and storage.

    To estimate the number of records before logs are on, use the metric
    networking.googleapis.com/vpc_flow/predicted_max_vpc_flow_logs_count.
    """
    return flow_log_prices(ask, ask.prices.source(now.today))
