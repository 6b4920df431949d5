"""`netplan price nat|vpn|lb|flow-logs`: gateways, tunnels, load balancers and logs for a month."""

import math
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from netplan_planner.cli.price import (
    DEFAULT_HOURS,
    FormOption,
    HoursOption,
    RegionOption,
    price_app,
)
from netplan_planner.cli.price_answers import SKU_OR, Answer, Form, render
from netplan_planner.cli.price_source import (
    CurrencyOption,
    DiscountOption,
    ExportOption,
    PricesOption,
    currency_of,
    price_book,
)
from netplan_planner.errors import MissingDatum, UsageError

if TYPE_CHECKING:
    from netplan_planner.engine.service_bill import ServiceBill
    from netplan_planner.model import LineItem, Unpriced
    from netplan_pricing import SnapshotPriceBook

_COLUMNS = ("line", "quantity", "unit", "usd_per_unit", "usd", "as_of", "sku_id")
_MOST = 1e12
"""More of anything is a slip of the keyboard."""

GibOption = Annotated[float, typer.Option(help="GiB in a month.", min=0)]


class BalancerChoice(StrEnum):
    """Kinds of load balancers; the values are what users call them."""

    INTERNAL_PASSTHROUGH = "internal-passthrough"
    INTERNAL_APPLICATION = "internal-application"
    INTERNAL_PROXY = "internal-proxy"
    CROSS_REGION_APPLICATION = "cross-region-internal-application"
    CROSS_REGION_PROXY = "cross-region-internal-proxy"
    EXTERNAL_PASSTHROUGH = "external-passthrough"
    EXTERNAL_APPLICATION = "external-application"
    EXTERNAL_PROXY = "external-proxy"
    GLOBAL_APPLICATION = "global-external-application"
    GLOBAL_PROXY = "global-external-proxy"


_KINDS = {
    BalancerChoice.INTERNAL_PASSTHROUGH: "Regional Internal Passthrough Network",
    BalancerChoice.INTERNAL_APPLICATION: "Regional Internal Application",
    BalancerChoice.INTERNAL_PROXY: "Regional Internal Proxy Network",
    BalancerChoice.CROSS_REGION_APPLICATION: "Cross Regional Internal Application",
    BalancerChoice.CROSS_REGION_PROXY: "Cross Regional Internal Proxy Network",
    BalancerChoice.EXTERNAL_PASSTHROUGH: "Regional External Passthrough Network",
    BalancerChoice.EXTERNAL_APPLICATION: "Regional External Application",
    BalancerChoice.EXTERNAL_PROXY: "Regional External Proxy Network",
    BalancerChoice.GLOBAL_APPLICATION: "Global External Application",
    BalancerChoice.GLOBAL_PROXY: "Global External Proxy Network",
}
"""How the catalogue names each kind, before `Load Balancer`."""
_GLOBAL = frozenset({BalancerChoice.GLOBAL_APPLICATION, BalancerChoice.GLOBAL_PROXY})
"""Their forwarding rules have one price everywhere."""
_LOG_DIGITS = 6
"""To which the GiB of a number of records are rounded."""


@price_app.command()
def nat(
    region: RegionOption,
    vms: Annotated[int, typer.Option(help="Machines that use the gateway.", min=0)] = 1,
    addresses: Annotated[int, typer.Option(help="External addresses of it.", min=0)] = 1,
    gib: GibOption = 0.0,
    hours: HoursOption = DEFAULT_HOURS,
    prices: PricesOption = None,
    discount: DiscountOption = None,
    billing_export: ExportOption = None,
    currency: CurrencyOption = None,
    format: FormOption = Form.TEXT,
) -> None:
    """Print what a Cloud NAT gateway costs: its hours, its addresses, the data that it processes.

    --gib counts both directions. What leaves for the internet is charged on top: netplan price
    traffic --to nat.
    """
    from netplan_planner.engine import service_bill

    book = price_book(prices, discount, billing_export)
    run_h = _amount(hours, "--hours")
    bill = service_bill.nat_gateway(book, "Cloud NAT", region, vms, run_h)
    bill |= service_bill.nat_addresses(book, "Cloud NAT", region, addresses, run_h)
    bill |= service_bill.nat_data(book, "Cloud NAT", region, _amount(gib, "--gib"))
    note = "data is charged in both directions; internet traffic comes on top"
    _print(f"Cloud NAT in {region}", bill, (book, region, currency, format), note)


@price_app.command()
def vpn(
    region: RegionOption,
    tunnels: Annotated[int, typer.Option(help="Tunnels; an HA VPN has two.", min=0)] = 2,
    gib: GibOption = 0.0,
    to: Annotated[
        str | None, typer.Option(help="The other end's region, where it is in Google Cloud.")
    ] = None,
    area: Annotated[
        str | None, typer.Option(help="Where the other end is else: Europe, Asia/jpn, usa, …")
    ] = None,
    hours: HoursOption = DEFAULT_HOURS,
    prices: PricesOption = None,
    discount: DiscountOption = None,
    billing_export: ExportOption = None,
    currency: CurrencyOption = None,
    format: FormOption = Form.TEXT,
) -> None:
    """Print what Cloud VPN costs: the hours of its tunnels, and what is sent through them."""
    from netplan_planner.engine import service_bill

    if to is not None and area is not None:
        raise UsageError("--to is for a region of Google Cloud, --area for elsewhere: give one")
    book = price_book(prices, discount, billing_export)
    bill = service_bill.vpn_tunnels(book, "Cloud VPN", region, tunnels, _amount(hours, "--hours"))
    bill |= service_bill.vpn_data(book, region, _amount(gib, "--gib"), to=to, area=area)
    note = "what comes in is free of charge; --gib is what is sent"
    _print(f"Cloud VPN in {region}", bill, (book, region, currency, format), note)


@price_app.command()
def lb(
    region: RegionOption,
    kind: Annotated[BalancerChoice, typer.Option(help="Which load balancer.")],
    rules: Annotated[
        int, typer.Option(help="Forwarding rules; the first five cost one price together.", min=0)
    ] = 1,
    gib: Annotated[
        float, typer.Option(help="GiB in a month that clients send to it.", min=0)
    ] = 0.0,
    gib_out: Annotated[
        float, typer.Option(help="GiB in a month that it sends back to clients.", min=0)
    ] = 0.0,
    proxies: Annotated[
        int, typer.Option(help="Proxies of an internal Application Load Balancer.", min=0)
    ] = 0,
    hours: HoursOption = DEFAULT_HOURS,
    prices: PricesOption = None,
    discount: DiscountOption = None,
    billing_export: ExportOption = None,
    currency: CurrencyOption = None,
    format: FormOption = Form.TEXT,
) -> None:
    """Print what a load balancer costs: its forwarding rules and the data that it processes."""
    from netplan_planner.engine import service_bill

    book = price_book(prices, discount, billing_export)
    run_h = _amount(hours, "--hours")
    name = f"{_KINDS[kind]} Load Balancer"
    where = None if kind in _GLOBAL else region
    if proxies:
        bill = service_bill.proxy_instances(book, region, name, proxies, run_h)
    else:
        bill = service_bill.forwarding_rules(book, where, name, rules, run_h)
    volumes = _amount(gib, "--gib"), _amount(gib_out, "--gib-out")
    bill |= service_bill.balanced_data(book, region, name, *volumes)
    note = "traffic between client, load balancer and backends comes on top"
    _print(f"{name} in {region}", bill, (book, region, currency, format), note)


@price_app.command("flow-logs")
def flow_logs(
    records: Annotated[int | None, typer.Option(help="Records in a month.", min=0)] = None,
    gib: Annotated[float | None, typer.Option(help="Or GiB of them.", min=0)] = None,
    metadata: Annotated[
        bool, typer.Option("--metadata/--no-metadata", help="Whether records have metadata.")
    ] = True,
    stored: Annotated[
        bool, typer.Option("--stored/--excluded", help="Whether Cloud Logging stores them.")
    ] = True,
    prices: PricesOption = None,
    discount: DiscountOption = None,
    billing_export: ExportOption = None,
    currency: CurrencyOption = None,
    format: FormOption = Form.TEXT,
) -> None:
    """Print what VPC Flow Logs cost: generation by its price steps, and storage.

    How many records there would be before logs are on: the metric
    networking.googleapis.com/vpc_flow/predicted_max_vpc_flow_logs_count.
    """
    from netplan_planner.engine import service_bill
    from netplan_planner.model.log_volume import log_gib, record_bytes

    if (records is None) == (gib is None):
        raise UsageError("give --records or --gib")
    book = price_book(prices, discount, billing_export)
    notes = [service_bill.LOG_NOTE] if stored else []
    if records is not None:
        size = record_bytes(has_metadata=metadata)
        volume = round(log_gib(records, has_metadata=metadata), _LOG_DIGITS)
        notes.append(f"{records:,} records of {size:,} bytes each")
    else:
        volume = _amount(gib or 0.0, "--gib")
    bill = service_bill.flow_logs(book, volume, is_stored=stored)
    _print("VPC Flow Logs", bill, (book, None, currency, format), *notes)


def _amount(number: float, option: str) -> Decimal:
    if not math.isfinite(number) or number > _MOST:
        raise UsageError(f"{option}: {number} is not an amount")
    return Decimal(str(number))


def _print(
    title: str,
    bill: "ServiceBill",
    place: "tuple[SnapshotPriceBook, str | None, str | None, Form]",
    *notes: str,
) -> None:
    book, region, currency, form = place
    if region is not None and region not in book.regions():
        book.offered(region)  # Says which regions there are.
    answer = Answer(
        title,
        _COLUMNS,
        "USD a month",
        total_usd=bill.usd_per_month,
        titles={"usd_per_unit": "USD per unit"},
    )
    answer.rows = [_row(line, region) for line in bill.lines]
    answer.unknown = [(one.name, _unknown(one)) for one in bill.unpriced]
    partial = "the total is without what is unknown" if bill.lines and bill.unpriced else ""
    answer.notes = [f"note     {note}" for note in (partial, *notes) if note]
    answer.currency = currency_of(book, currency)
    if not answer.rows and not answer.unknown:
        raise MissingDatum("nothing was asked for: every amount is 0")
    typer.echo(render(answer, form))


def _row(line: "LineItem", region: str | None) -> dict[str, object]:
    return {
        "line": line.name,
        "region": region or "global",
        "quantity": line.quantity,
        "unit": line.unit,
        "usd_per_unit": line.unit_price_usd,
        "usd": line.usd_per_month,
        "as_of": line.as_of.isoformat(),
        "sku_id": line.sku_id,
        "sku_candidates": SKU_OR.join(line.sku_candidates),
        "source": line.source,
    }


def _unknown(one: "Unpriced") -> str:
    low, high = one.lowest_usd_per_month, one.highest_usd_per_month
    span = "" if low is None else f" (at least {low:,.2f} USD)"
    if low is not None and high is not None:
        span = f" (between {low:,.2f} and {high:,.2f} USD)"
    tells = f"; to know: {one.what_tells}" if one.what_tells else ""
    return f"{one.reason}{span}{tells}"
