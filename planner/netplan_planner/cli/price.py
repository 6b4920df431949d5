"""`netplan price`: one price with its unit, region, date, SKU and source.

A missing price is exit status 3 with the reason on stderr and nothing on stdout.
"""

import math
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netplan_planner.cli.app import app
from netplan_planner.cli.price_answers import SKU_OR, Answer, Form, money, plain, render
from netplan_planner.cli.price_source import (
    CurrencyOption,
    DiscountOption,
    ExportOption,
    PricesOption,
    currency_of,
    price_book,
)
from netplan_planner.errors import MissingDatum, UsageError
from netplan_planner.units import HOURS_PER_MONTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from netplan_planner.model import LineItem, PathClass, Price, PriceTier
    from netplan_pricing import SnapshotPriceBook

price_app = typer.Typer(help="Look up a price.", no_args_is_help=True)
app.add_typer(price_app, name="price")


class UsageChoice(StrEnum):
    """How a machine is paid for: the model's `Usage`, and flexible commitments."""

    ON_DEMAND = "on-demand"
    SPOT = "spot"
    CUD_1Y = "cud-1y"
    CUD_3Y = "cud-3y"
    SUSTAINED_USE = "sustained-use"
    FLEX_1Y = "flex-1y"
    FLEX_3Y = "flex-3y"
    ALL = "all"


_YEARS = {UsageChoice.FLEX_1Y: 1, UsageChoice.FLEX_3Y: 3}


class AddressChoice(StrEnum):
    """What an address is used for; the values are those of the model's `AddressUse`."""

    STANDARD_VM = "standard-vm"
    SPOT_VM = "spot-vm"
    UNUSED_STATIC = "unused-static"
    ALL = "all"


class TierChoice(StrEnum):
    """Network tier of internet traffic."""

    PREMIUM = "PREMIUM"
    STANDARD = "STANDARD"


FormOption = Annotated[Form, typer.Option("--format", help="How to write the answer.")]
RegionOption = Annotated[str, typer.Option("--region", help="A region, such as us-central1.")]
HoursOption = Annotated[float, typer.Option(help="Hours of the total; 730 are a month.", min=0)]

_SKU_JOIN = " + "
"""Between the ids of the SKUs that a price is summed from, in the order of its parts."""

_TO_THE_INTERNET = ("internet", "nat")

_WANTED_AREA = (
    "give --area with one of these, or with a country by name or code: --area Japan, --area jp"
)

DEFAULT_HOURS = float(HOURS_PER_MONTH)
_MONTH_H = Decimal(HOURS_PER_MONTH)
_MOST = 1e15
"""More of anything is a slip of the keyboard."""


@price_app.command()
def machine(
    machine_type: Annotated[
        str | None,
        typer.Argument(metavar="[TYPE]", help="Such as n2-standard-16, n2-custom-8-16384."),
    ] = None,
    region: Annotated[
        str | None, typer.Option("--region", help="A region, such as us-central1.")
    ] = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV with the columns region and machine_type: all prices of each row, in its"
            " order; `-` reads stdin.",
        ),
    ] = None,
    usage: Annotated[UsageChoice, typer.Option(help="How it is paid for.")] = UsageChoice.ON_DEMAND,
    hours: HoursOption = DEFAULT_HOURS,
    prices: PricesOption = None,
    discount: DiscountOption = None,
    billing_export: ExportOption = None,
    currency: CurrencyOption = None,
    format: FormOption = Form.TEXT,
) -> None:
    """Print what a machine costs per hour and for a month, or for another number of hours."""
    from netplan_planner.model import Usage
    from netplan_planner.optimise import machine_price

    if batch is not None:
        if hours != DEFAULT_HOURS or usage is not UsageChoice.ON_DEMAND:
            raise UsageError("--batch gives all prices of an hour: no --hours, no --usage with it")
        _batch(batch, machine_type, region, format, (prices, discount, billing_export), currency)
        return
    if machine_type is None or region is None:
        raise UsageError("give a machine type and --region, or a table with --batch FILE")
    run_h = _amount(hours, "--hours")
    # More than a month's hours are whole months.
    month_ratio = min(hours / HOURS_PER_MONTH, 1.0)
    book = price_book(prices, discount, billing_export)
    wanted = [one for one in UsageChoice if usage in {one, UsageChoice.ALL}]
    columns = ("usage", "usd_per_hour", "usd", "as_of", "sku_id")
    answer = Answer("", columns, f"USD for {plain(run_h)} h")
    for one in wanted:
        if one is UsageChoice.ALL:
            continue
        try:
            if one in _YEARS:
                price = book.flexible_commitment(region, machine_type, _YEARS[one])
            elif one is UsageChoice.SUSTAINED_USE and month_ratio < 1:
                price = machine_price(book, region, machine_type, Usage.SUSTAINED_USE, month_ratio)
            else:
                price = book.machine(region, machine_type, Usage(one.value))
        except MissingDatum as error:
            answer.unknown.append((one.value, str(error)))
            continue
        head = {"machine_type": machine_type, "region": region, "usage": one.value}
        # A commitment is paid whether the machine runs or not.
        is_committed = one.value.startswith(("cud", "flex"))
        paid_h = max(run_h, _MONTH_H) if is_committed else run_h
        answer.rows.append({**head, **_by_the_hour(price, paid_h)})
    shape = book.shape(machine_type)
    size = f": {shape.vcpus} vCPUs, {shape.memory_gib:g} GiB" if shape else ""
    answer.title = f"{machine_type} in {region}{size}"
    _head_with_hours(answer)
    answer.currency = currency_of(book, currency)
    typer.echo(render(answer, format))


def _head_with_hours(answer: Answer) -> None:
    """Head the sums with the hours that they are for, in a column where the rows differ in them."""
    paid = {hours for row in answer.rows if isinstance(hours := row["hours"], Decimal)}
    if len(paid) == 1:
        answer.sum_title = f"USD for {plain(*paid)} h"
    elif paid:
        first, *others = answer.columns
        answer.columns = (first, "hours", *others)
        answer.sum_title = "USD for these hours"


def _batch(
    file: Path,
    machine_type: str | None,
    region: str | None,
    format: Form,
    source: tuple[Path | None, list[str] | None, list[Path] | None],
    currency: str | None,
) -> None:
    """Write all prices of the machines that a table lists."""
    from netplan_planner.cli import price_batch

    if machine_type is not None or region is not None:
        raise UsageError("--batch names types and regions in its file: give no others")
    book = price_book(*source)
    price_batch.write(file, book, format, currency_of(book, currency))


@price_app.command()
def sku(
    sku_id: Annotated[str, typer.Argument(metavar="SKU", help="Such as BB77-5FDA-69D9.")],
    prices: PricesOption = None,
    discount: DiscountOption = None,
    billing_export: ExportOption = None,
    currency: CurrencyOption = None,
    format: FormOption = Form.TEXT,
) -> None:
    """Print what a SKU is, where it holds, and every step of its price."""
    from netplan_planner.cli.price_sku import sku_answer

    book = price_book(prices, discount, billing_export)
    answer = sku_answer(book, sku_id)
    answer.currency = currency_of(book, currency)
    typer.echo(render(answer, format))


@price_app.command()
def traffic(
    src: Annotated[
        str,
        typer.Option("--from", envvar="NETPLAN_PRICE_TRAFFIC_FROM", help="Region of the sender."),
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help="A region, or: zone (another one of the region), same-zone, internet, nat,"
            " google-apis, load-balancer.",
        ),
    ],
    gib: Annotated[float, typer.Option(help="GiB in a month.", min=0)],
    area: Annotated[
        str | None,
        typer.Option(
            help="Where an internet peer is: a country (Japan, JP, jpn), a continent, or an area of"
            " the price list (South America, Western Europe, …)."
        ),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(help="Region of the bucket or service, with --to google-apis."),
    ] = None,
    network_tier: Annotated[
        TierChoice, typer.Option(help="Of internet traffic.", case_sensitive=False)
    ] = TierChoice.PREMIUM,
    external: Annotated[
        bool, typer.Option("--external", help="Sent to the external address of an own machine.")
    ] = False,
    prices: PricesOption = None,
    discount: DiscountOption = None,
    billing_export: ExportOption = None,
    currency: CurrencyOption = None,
    format: FormOption = Form.TEXT,
) -> None:
    """Print what a month's traffic costs: every price step that it reaches, and the sum."""
    volume = _amount(gib, "--gib")
    book = price_book(prices, discount, billing_export)
    path_class, dst = _path(src, to, external)
    if place is not None and to != "google-apis":
        raise UsageError(f"--place is for --to google-apis, not {to}")
    dst = dst or place
    for option, is_given in (
        ("--area", area is not None),
        ("--network-tier STANDARD", network_tier is TierChoice.STANDARD),
    ):
        if is_given and to not in _TO_THE_INTERNET:
            raise UsageError(f"{option} is for --to {' and '.join(_TO_THE_INTERNET)}, not {to}")
    tier = network_tier.value
    try:
        tiers = book.traffic(
            path_class, src_region=src, dst_region=dst, area=area, network_tier=tier
        )
    except MissingDatum as error:
        if area is None and to in _TO_THE_INTERNET:
            raise MissingDatum(f"{error}\n{_WANTED_AREA}") from error
        raise
    lines = book.traffic_line_items(
        "traffic",
        path_class,
        volume,
        src_region=src,
        dst_region=dst,
        area=area,
        network_tier=tier,
    )
    notes = "; ".join(dict.fromkeys(step.price.note for step in tiers if step.price.note))
    if to == "nat":
        notes = "; ".join(filter(None, (notes, _nat_hours(book, src))))
    what = tiers[0].price.description
    answer = Answer(
        f"{path_class.value} from {src}: {what}",
        ("line", "gib", "usd_per_gib", "usd", "as_of", "sku_id"),
        "USD a month",
        total_usd=sum((line.usd_per_month for line in lines), Decimal(0)),
    )
    head = {"path_class": path_class.value, "from": src, "to": to, "description": what}
    try:
        other = book.received(path_class, src, dst)
        paid = f"{plain(other.usd)} USD per {other.unit}" if other.usd else "nothing"
        answer.notes.append(f"receiver pays {paid}: {other.description}, SKU {other.sku_id}")
    except MissingDatum:
        # Outside the VPC nobody of ours receives.
        pass
    answer.rows = [{**head, **_line(line), "note": notes} for line in lines]
    answer.currency = currency_of(book, currency)
    typer.echo(render(answer, format))


@price_app.command()
def address(
    region: RegionOption,
    use: Annotated[
        AddressChoice, typer.Option(help="What the address is used for.")
    ] = AddressChoice.ALL,
    hours: HoursOption = DEFAULT_HOURS,
    prices: PricesOption = None,
    discount: DiscountOption = None,
    billing_export: ExportOption = None,
    currency: CurrencyOption = None,
    format: FormOption = Form.TEXT,
) -> None:
    """Print what one more external IPv4 address costs per hour and month.

    Free hours are per account and month, for all addresses of a kind together: a note names them
    and what they take off, once.
    """
    from netplan_planner.model import AddressUse

    run_h = _amount(hours, "--hours")
    book = price_book(prices, discount, billing_export)
    wanted = list(AddressUse) if use is AddressChoice.ALL else [AddressUse(use.value)]
    answer = Answer(
        f"external IPv4 address in {region}",
        ("use", "hours", "usd_per_hour", "usd", "as_of", "sku_id"),
        f"USD for {plain(run_h)} h",
    )
    for one in wanted:
        try:
            tiers = book.external_address_tiers(one, region)
        except MissingDatum as error:
            answer.unknown.append((one.value, str(error)))
            continue
        row = _address_row(region, one.value, tiers, run_h)
        if row is None:
            answer.unknown.append((one.value, f"no paid step of it in {region} is known"))
        else:
            answer.rows.append(row)
    answer.currency = currency_of(book, currency)
    typer.echo(render(answer, format))


def _amount(number: float, option: str) -> Decimal:
    if not math.isfinite(number) or number > _MOST:
        raise UsageError(f"{option}: {number} is not an amount")
    return Decimal(str(number))


def _path(src: str, to: str, external: bool) -> tuple["PathClass", str | None]:
    """Return the path class and, between regions, the other region."""
    from netplan_planner.model import PathClass

    inside = {
        "zone": (PathClass.INTER_ZONE_INTERNAL, PathClass.INTER_ZONE_EXTERNAL),
        "same-zone": (PathClass.SAME_ZONE_INTERNAL, PathClass.SAME_ZONE_EXTERNAL),
    }
    outside = {
        "internet": PathClass.INTERNET,
        "nat": PathClass.NAT,
        "google-apis": PathClass.GOOGLE_APIS,
        "load-balancer": PathClass.LOAD_BALANCER,
    }
    if to in inside:
        return inside[to][external], None
    if to in outside:
        if external:
            raise UsageError("--external is for traffic to an own machine, not with --to " + to)
        return outside[to], None
    if to == src:
        raise UsageError(f"--to {to} is the sender's region: say --to zone or --to same-zone")
    between = (PathClass.INTER_REGION_INTERNAL, PathClass.INTER_REGION_EXTERNAL)
    return between[external], to


def _nat_hours(book: "SnapshotPriceBook", region: str) -> str:
    """Return what a NAT gateway costs besides its bytes, which depends on who uses it."""
    service = "cloud_nat_gateway"
    try:
        hours = [
            f"{book.services.one(service, region, condition).usd} USD an hour ({condition})"
            for condition in book.services.conditions(service)
        ]
    except MissingDatum as error:
        hours = [str(error)]
    return f"the hours of the gateway come on top and are not in the sum: {', '.join(hours)}"


def _address_row(
    region: str, use: str, tiers: "Sequence[PriceTier]", run_h: Decimal
) -> dict[str, object] | None:
    """Return what one more address costs: the account's other addresses have had the free hours.

    None where no step costs anything. An audit counts addresses the same way.
    """
    paid = next((tier for tier in tiers if tier.price.usd), None)
    if paid is None:
        return None
    row = {"region": region, "use": use, **_by_the_hour(paid.price, run_h)}
    if paid.start:
        once = min(paid.start, run_h) * paid.price.usd
        hours = f"{plain(paid.start)} hour{'s' if paid.start != 1 else ''}"
        row["note"] = (
            f"the first {hours} of a month, all such addresses of the account together, are free:"
            f" {money(once)} USD less, once"
        )
    row["free_hours_per_account"] = paid.start
    return row


def _by_the_hour(price: "Price", hours: Decimal) -> dict[str, object]:
    return {
        "usd_per_hour": price.usd,
        "hours": hours,
        "usd": price.usd * hours,
        "description": price.description,
        "parts": price.description.partition(": ")[2],
        "as_of": price.as_of.isoformat(),
        "sku_id": price.sku_id or _SKU_JOIN.join(part.sku_id or "" for part in price.parts) or None,
        "source": price.source,
        "note": price.note,
        "skus": [
            {
                "component": part.component,
                "quantity": part.quantity,
                "unit": part.unit,
                "usd_per_unit": part.unit_price_usd,
                "ratio": part.ratio,
                "sku_id": part.sku_id,
                "ratio_sku_id": part.ratio_sku_id,
                "description": part.description,
                "as_of": part.as_of.isoformat(),
            }
            for part in price.parts
        ],
    }


def _line(line: "LineItem") -> dict[str, object]:
    return {
        "line": line.name,
        "gib": line.quantity,
        "usd_per_gib": line.unit_price_usd,
        "usd": line.usd_per_month,
        "as_of": line.as_of.isoformat(),
        "sku_id": line.sku_id,
        "sku_candidates": SKU_OR.join(line.sku_candidates),
        "source": line.source,
    }
