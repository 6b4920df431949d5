"""What a month's traffic costs, and external addresses."""

from collections.abc import Sequence
from decimal import Decimal

from netplan_planner.choices import Tier
from netplan_planner.errors import MissingDatum, UnknownName, UsageError, nearest_names
from netplan_planner.model import AddressUse, PathClass, PriceTier, total_usd
from netplan_planner.planning.price_source import PriceSource
from netplan_planner.units import cents, plain_number
from netplan_planner.verbs.price.answer import PriceAnswer
from netplan_planner.verbs.price.ask import AddressAsk, TrafficAsk
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
    "give --area with one of these, or with a country by name or code: --area Japan, --area jp"
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
        titles=(("usd_per_gib", "USD per GiB"), ("usd", "USD a month")),
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
            raise UsageError(f"--external is for traffic to an own machine, not with --to {to}")
        return _OUTSIDE[to], None
    if to == asked.src:
        raise UsageError(f"--to {to} is the sender's region: say --to zone or --to same-zone")
    between = (PathClass.INTER_REGION_INTERNAL, PathClass.INTER_REGION_EXTERNAL)
    return between[asked.is_external], to


def _nat_hours(book: SnapshotPriceBook, region: str) -> str:
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
            unknown.append((use.value, f"no paid step of it in {asked.region} is known"))
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
            f"the first {free} of a month, all such addresses of the account together, are free:"
            f" {cents(once)} USD less, once"
        )
    row["free_hours_per_account"] = paid.start
    return row
