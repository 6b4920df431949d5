"""What a month's traffic, external addresses and network services cost."""

from collections.abc import Sequence
from decimal import Decimal

from netplan_planner.choices import Balancer, Tier
from netplan_planner.errors import MissingDatum, UnknownName, UsageError, nearest_names
from netplan_planner.model import AddressUse, LineItem, PathClass, PriceTier, Unpriced, total_usd
from netplan_planner.model.evidence.log_volume import log_gib, record_bytes
from netplan_planner.planning import service_bill
from netplan_planner.planning.inputs import PriceSource
from netplan_planner.planning.service_bill import ServiceBill
from netplan_planner.units import HOURS_PER_MONTH, cents, plain_number
from netplan_planner.verbs.price.answer import PriceAnswer
from netplan_planner.verbs.price.ask import (
    AddressAsk,
    BalancerAsk,
    FlowLogsAsk,
    NatAsk,
    TrafficAsk,
    VpnAsk,
)
from netplan_planner.verbs.price.completing import by_the_hour, completed, origin_of
from netplan_pricing import SnapshotPriceBook

TO_THE_INTERNET = ("internet", "nat")
_INSIDE = {
    "zone": (PathClass.INTER_ZONE_INTERNAL, PathClass.INTER_ZONE_EXTERNAL),
    "same-zone": (PathClass.SAME_ZONE_INTERNAL, PathClass.SAME_ZONE_EXTERNAL),
}
_OUTSIDE = {
    "internet": PathClass.INTERNET,
    "nat": PathClass.NAT,
    "google-apis": PathClass.GOOGLE_APIS,
    "load-balancer": PathClass.LOAD_BALANCER,
}
_WANTED_AREA = (
    "give --area with one of these, or with the name or code of a country: --area Japan, --area jp"
)


def traffic_prices(asked: TrafficAsk, source: PriceSource) -> PriceAnswer:
    """Return every price step that a volume reaches, and the sum.

    Raises:
        MissingDatum: If it has no price.
        UnknownName: If a region or an area is not known.
        UsageError: If options do not go together, or the area is missing on which a price depends.
    """
    book = source.book()
    path_class, dst = _path(asked)
    dst = dst or asked.place
    _check_options(asked)
    try:
        tiers = book.traffic(
            path_class,
            src_region=asked.src,
            dst_region=dst,
            area=asked.area,
            network_tier=asked.network_tier.value,
        )
    except UnknownName as error:
        near = nearest_names(asked.to, (*_INSIDE, *_OUTSIDE)) if asked.to == dst else ()
        raise UnknownName("; near: ".join(filter(None, (str(error), ", ".join(near))))) from error
    except MissingDatum as error:
        if asked.area is None and asked.to in TO_THE_INTERNET:
            raise UsageError(f"{error}\n{_WANTED_AREA}") from error
        raise
    lines = book.traffic_line_items(
        "traffic",
        path_class,
        Decimal(str(asked.gib)),
        src_region=asked.src,
        dst_region=dst,
        area=asked.area,
        network_tier=asked.network_tier.value,
    )
    notes = "; ".join(dict.fromkeys(step.price.note for step in tiers if step.price.note))
    if asked.to == "nat":
        notes = "; ".join(filter(None, (notes, _nat_hours(book, asked.src))))
    what = tiers[0].price.description
    head = {
        "path_class": path_class.value,
        "from": asked.src,
        "to": asked.to,
        "description": what,
    }
    answer = PriceAnswer(
        title=f"{path_class.value} from {asked.src}: {what}",
        columns=("line", "gib", "usd_per_gib", "usd", "as_of", "sku_id"),
        rows=tuple(
            {
                **head,
                "line": line.name,
                "gib": line.quantity,
                "usd_per_gib": line.unit_price_usd,
                "usd": line.usd_per_month,
                **origin_of(line),
                "note": notes,
            }
            for line in lines
        ),
        titles=(("usd_per_gib", "USD per GiB"), ("usd", "USD per month")),
        total_usd=total_usd(lines),
        notes=_received(book, path_class, asked.src, dst),
    )
    return completed(answer, book, source)


def _received(
    book: SnapshotPriceBook, path_class: PathClass, src_region: str, dst_region: str | None
) -> tuple[tuple[str, str], ...]:
    """Return what the receiver pays; outside the VPC nobody of ours receives."""
    try:
        other = book.received(path_class, src_region, dst_region)
    except MissingDatum:
        return ()
    paid = f"{plain_number(other.usd)} USD per {other.unit}" if other.usd else "nothing"
    return (("receiver", f"pays {paid}: {other.description}, SKU {other.sku_id}"),)


def _check_options(asked: TrafficAsk) -> None:
    if asked.place is not None and asked.to != "google-apis":
        raise UsageError(f"--place is for --to google-apis, not {asked.to}")
    for option, is_given in (
        ("--area", asked.area is not None),
        ("--network-tier STANDARD", asked.network_tier is Tier.STANDARD),
    ):
        if is_given and asked.to not in TO_THE_INTERNET:
            raise UsageError(
                f"{option} is for --to {' and '.join(TO_THE_INTERNET)}, not {asked.to}"
            )


def _path(asked: TrafficAsk) -> tuple[PathClass, str | None]:
    """Return the path class and, between regions, the other region."""
    to = asked.to
    if to in _INSIDE:
        return _INSIDE[to][asked.is_external], None
    if to in _OUTSIDE:
        if asked.is_external:
            raise UsageError(f"--external is for traffic to your own VM: leave out --to {to}")
        return _OUTSIDE[to], None
    if to == asked.src:
        raise UsageError(f"--to {to} is the sender's region: use --to zone or --to same-zone")
    between = (PathClass.INTER_REGION_INTERNAL, PathClass.INTER_REGION_EXTERNAL)
    return between[asked.is_external], to


def _nat_hours(book: SnapshotPriceBook, region: str) -> str:
    """Return what a NAT gateway costs besides its bytes, which depends on who uses it."""
    service = "cloud_nat_gateway"
    try:
        hours = [
            f"{book.services.one(service, region, condition).usd} USD/hour ({condition})"
            for condition in book.services.conditions(service)
        ]
    except MissingDatum as error:
        hours = [str(error)]
    return f"the gateway's hours are billed in addition and not included: {', '.join(hours)}"


def address_prices(asked: AddressAsk, source: PriceSource) -> PriceAnswer:
    """Return what one more external IPv4 address costs, by what it is used for.

    Raises:
        MissingDatum: If no use has a price.
        UnknownName: If the region is not known.
    """
    book = source.book()
    rows: list[dict[str, object]] = []
    unknown: list[tuple[str, str]] = []
    for use in (AddressUse(one.value) for one in asked.use.each):
        try:
            tiers = book.external_address_tiers(use, asked.region)
        except UnknownName:
            raise
        except MissingDatum as error:
            unknown.append((use.value, str(error)))
            continue
        row = _address_row(asked.region, use.value, tiers, asked.hours)
        if row is None:
            unknown.append((use.value, f"no paid price step in {asked.region} is known"))
        else:
            rows.append(row)
    answer = PriceAnswer(
        title=f"external IPv4 address in {asked.region}",
        columns=("use", "hours", "usd_per_hour", "usd", "as_of", "sku_id"),
        rows=tuple(rows),
        titles=(
            ("usd_per_hour", "USD per hour"),
            ("usd", f"USD for {plain_number(asked.hours)} h"),
        ),
        unknown=tuple(unknown),
    )
    return completed(answer, book, source)


def _address_row(
    region: str, use: str, tiers: Sequence[PriceTier], hours: Decimal
) -> dict[str, object] | None:
    """Return what one more address costs: the account's other addresses have had the free hours.

    None where no step costs anything. An audit counts addresses the same way.
    """
    paid = next((tier for tier in tiers if tier.price.usd), None)
    if paid is None:
        return None
    row = {"region": region, "use": use, **by_the_hour(paid.price, hours)}
    if paid.start:
        once = min(paid.start, hours) * paid.price.usd
        free = f"{plain_number(paid.start)} hour{'s' if paid.start != 1 else ''}"
        row["note"] = (
            f"the first {free} per month, for all such addresses of the account together, are "
            f"free: {cents(once)} USD less, once"
        )
    row["free_hours_per_account"] = paid.start
    return row


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
    note = "data is billed in both directions; internet traffic is billed in addition"
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
    note = "ingress is free; --gib is the traffic sent"
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
    note = "traffic between client, load balancer and backends is billed in addition"
    return _answer(name, region, bill, book, source, (note,), hours)


def _name_of(kind: Balancer) -> str:
    return f"{_KINDS[kind]} Load Balancer"


def _check_paid_by(kind: Balancer, *, rules: int | None, proxies: int) -> None:
    """Refuse what a kind does not pay for: it would be left out of the sum without a word."""
    paying = [one for one in Balancer if service_bill.pays_for_proxies(_name_of(one))]
    if proxies and kind not in paying:
        raise UsageError(f"--proxies is for --kind {' and '.join(paying)}, not {kind}")
    if proxies and rules:
        raise UsageError(f"--kind {kind} is billed by --proxies, not --rules: give one of them")


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
        raise UsageError("--no-metadata needs --records: --gib is the actual size of the records")
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
        raise UsageError("all amounts are 0: give at least one")
    is_month = hours is None or hours == HOURS_PER_MONTH
    span = "per month" if is_month else f"for {plain_number(hours or Decimal(0))} h"
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
    tells = f"; find out: {one.what_tells}" if one.what_tells else ""
    return f"{one.reason}{span}{tells}"
