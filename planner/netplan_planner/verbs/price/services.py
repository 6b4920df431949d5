"""What network services cost for a month: NAT gateways, VPN, load balancers, flow logs."""

from decimal import Decimal

from netplan_planner.choices import Balancer
from netplan_planner.errors import MissingDatum, UnknownName, UsageError
from netplan_planner.model import LineItem, Unpriced
from netplan_planner.model.evidence.log_volume import log_gib, record_bytes
from netplan_planner.planning import service_bill
from netplan_planner.planning.price_source import PriceSource
from netplan_planner.planning.service_bill import ServiceBill
from netplan_planner.units import HOURS_PER_MONTH, plain_number
from netplan_planner.verbs.price.answer import PriceAnswer
from netplan_planner.verbs.price.ask import BalancerAsk, FlowLogsAsk, NatAsk, VpnAsk
from netplan_planner.verbs.price.completing import completed, origin_of
from netplan_pricing import SnapshotPriceBook

_COLUMNS = ("line", "quantity", "unit", "usd_per_unit", "usd", "as_of", "sku_id")
_LOG_DIGITS = 6
"""To which the GiB of a number of records are rounded."""


_KINDS = {
    Balancer.INTERNAL_PASSTHROUGH: "Regional Internal Passthrough Network",
    Balancer.INTERNAL_APPLICATION: "Regional Internal Application",
    Balancer.INTERNAL_PROXY: "Regional Internal Proxy Network",
    Balancer.CROSS_REGION_APPLICATION: "Cross Regional Internal Application",
    Balancer.CROSS_REGION_PROXY: "Cross Regional Internal Proxy Network",
    Balancer.EXTERNAL_PASSTHROUGH: "Regional External Passthrough Network",
    Balancer.EXTERNAL_APPLICATION: "Regional External Application",
    Balancer.EXTERNAL_PROXY: "Regional External Proxy Network",
    Balancer.GLOBAL_APPLICATION: "Global External Application",
    Balancer.GLOBAL_PROXY: "Global External Proxy Network",
}
"""How the catalogue names each kind, before `Load Balancer`."""
_GLOBAL = frozenset({Balancer.GLOBAL_APPLICATION, Balancer.GLOBAL_PROXY})
"""Their forwarding rules have one price everywhere."""


def nat_prices(asked: NatAsk, source: PriceSource) -> PriceAnswer:
    """Return what a Cloud NAT gateway costs: hours, addresses, processed data.

    Raises:
        MissingDatum: If nothing of it has a price.
    """
    region, hours = asked.region, asked.hours
    book = source.book()
    bill = service_bill.nat_gateway(book, "Cloud NAT", region, asked.vms, hours)
    bill |= service_bill.nat_addresses(book, "Cloud NAT", region, asked.addresses, hours)
    bill |= service_bill.nat_data(book, "Cloud NAT", region, asked.gib)
    note = "data is charged in both directions; internet traffic comes on top"
    return _answer("Cloud NAT", region, bill, book, source, (note,), hours)


def vpn_prices(asked: VpnAsk, source: PriceSource) -> PriceAnswer:
    """Return what Cloud VPN costs: the hours of its tunnels, and what is sent through them.

    Raises:
        MissingDatum: If nothing of it has a price.
        UnknownName: If the region or the other end is not known.
        UsageError: If the other end is both in Google Cloud and elsewhere.
    """
    region, to, area, hours = asked.region, asked.to, asked.area, asked.hours
    if to is not None and area is not None:
        raise UsageError("--to is for a region of Google Cloud, --area for elsewhere: give one")
    book = source.book()
    _check_other_end(book, region, to, area)
    bill = service_bill.vpn_tunnels(book, "Cloud VPN", region, asked.tunnels, hours)
    bill |= service_bill.vpn_data(book, region, asked.gib, to=to, area=area)
    note = "what comes in is free of charge; --gib is what is sent"
    return _answer("Cloud VPN", region, bill, book, source, (note,), hours)


def _check_other_end(
    book: SnapshotPriceBook, region: str, to: str | None, area: str | None
) -> None:
    """Raise for a word that is no region or area: where the end lies is asked for, not guessed."""
    if to is None and area is None:
        return
    try:
        book.vpn_traffic(src_region=region, dst_region=to, area=area)
    except UnknownName:
        raise
    except MissingDatum:
        # Of a place that is one; the bill tells it with what it may cost.
        return


def balancer_prices(asked: BalancerAsk, source: PriceSource) -> PriceAnswer:
    """Return what a load balancer costs: its forwarding rules and the data that it processes.

    Where no number of rules is given, it has one.

    Raises:
        MissingDatum: If nothing of it has a price.
        UsageError: If proxies are given of a kind that does not pay for them, or rules beside them.
    """
    kind, region, hours = asked.kind, asked.region, asked.hours
    _check_paid_by(kind, rules=asked.rules, proxies=asked.proxies)
    book = source.book()
    name = _name_of(kind)
    if asked.proxies:
        bill = service_bill.proxy_instances(book, region, name, asked.proxies, hours)
    else:
        where = None if kind in _GLOBAL else region
        count = 1 if asked.rules is None else asked.rules
        bill = service_bill.forwarding_rules(book, where, name, count, hours)
    bill |= service_bill.balanced_data(book, region, name, asked.gib_in, asked.gib_out)
    note = "traffic between client, load balancer and backends comes on top"
    return _answer(name, region, bill, book, source, (note,), hours)


def _name_of(kind: Balancer) -> str:
    return f"{_KINDS[kind]} Load Balancer"


def _check_paid_by(kind: Balancer, *, rules: int | None, proxies: int) -> None:
    """Refuse what a kind does not pay for: it would be left out of the sum without a word."""
    paying = [one for one in Balancer if service_bill.pays_for_proxies(_name_of(one))]
    if proxies and kind not in paying:
        raise UsageError(f"--proxies is for --kind {' and '.join(paying)}, not {kind}")
    if proxies and rules:
        raise UsageError(f"--kind {kind} pays for its --proxies, not for --rules: give one of them")


def flow_log_prices(asked: FlowLogsAsk, source: PriceSource) -> PriceAnswer:
    """Return what a month of VPC Flow Logs costs: generation by its steps, and storage.

    Raises:
        MissingDatum: If nothing of it has a price.
        UsageError: If not one of records and GiB is given, or the size of records beside GiB.
    """
    records, gib = asked.records, asked.gib
    if (records is None) == (gib is None):
        raise UsageError("give --records or --gib")
    if records is None and not asked.has_metadata:
        raise UsageError("--no-metadata is for --records: --gib is the size of records as they are")
    book = source.book()
    notes = [service_bill.LOG_NOTE] if asked.is_stored else []
    volume = gib or Decimal(0)
    if records is not None:
        size = record_bytes(has_metadata=asked.has_metadata)
        volume = round(log_gib(records, has_metadata=asked.has_metadata), _LOG_DIGITS)
        notes.append(f"{records:,} records of {size:,} bytes each")
    bill = service_bill.flow_logs(book, volume, is_stored=asked.is_stored)
    return _answer("VPC Flow Logs", None, bill, book, source, tuple(notes), None)


def _answer(
    name: str,
    region: str | None,
    bill: ServiceBill,
    book: SnapshotPriceBook,
    source: PriceSource,
    notes: tuple[str, ...],
    hours: Decimal | None,
) -> PriceAnswer:
    if region is not None and region not in book.regions():
        book.offered(region)  # Says which regions there are.
    if not bill.lines and not bill.unpriced:
        raise UsageError("nothing was asked for: every amount is 0")
    is_month = hours is None or hours == HOURS_PER_MONTH
    span = "a month" if is_month else f"for {plain_number(hours or Decimal(0))} h"
    answer = PriceAnswer(
        title=f"{name} in {region}" if region is not None else name,
        columns=_COLUMNS,
        rows=tuple(_row(line, region) for line in bill.lines),
        titles=(("usd_per_unit", "USD per unit"), ("usd", f"USD {span}")),
        unknown=tuple((one.name, _unknown(one)) for one in bill.unpriced),
        total_usd=bill.usd_per_month,
        hours=None if is_month else hours,
        notes=tuple(("note", note) for note in notes),
    )
    return completed(answer, book, source)


def _row(line: LineItem, region: str | None) -> dict[str, object]:
    return {
        "line": line.name,
        "region": region or "global",
        "quantity": line.quantity,
        "unit": line.unit,
        "usd_per_unit": line.unit_price_usd,
        "usd": line.usd_per_month,
        **origin_of(line),
    }


def _unknown(one: Unpriced) -> str:
    low, high = one.lowest_usd_per_month, one.highest_usd_per_month
    span = "" if low is None else f" (at least {low:,.2f} USD)"
    if low is not None and high is not None:
        span = f" (between {low:,.2f} and {high:,.2f} USD)"
    tells = f"; to know: {one.what_tells}" if one.what_tells else ""
    return f"{one.reason}{span}{tells}"
