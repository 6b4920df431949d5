"""Traffic, address and Tier_1 prices of the catalogue, with SKU ids where a table names them."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import groupby
from pathlib import Path

from netplan_planner.errors import InputError
from netplan_pricing import schema
from netplan_pricing.building.csv_tables import Columns, Row, Sources, as_columns, read_rows
from netplan_pricing.schema import GLOBAL, NetworkKind

NO_TIERS = "no-tiers-in-catalogue"
_UNITS = {"GiBy": "GiB", "h": "hour", NO_TIERS: ""}
_GROUP_BY_KIND = {
    NetworkKind.INTERREGION: "InterregionEgress",
    NetworkKind.INTERNET_PREMIUM: "PremiumInternetEgress",
    NetworkKind.INTERNET_STANDARD: "StandardInternetEgress",
    NetworkKind.VPN_INTERNET: "VPNInternetEgress",
    NetworkKind.GOOGLE_SERVICES: "GoogleEgress",
    NetworkKind.INTERZONE: "InterzoneEgress",
    NetworkKind.INTRAZONE: "IntrazoneEgress",
}
_FREE_KINDS = {NetworkKind.INTRAZONE, NetworkKind.GOOGLE_SERVICES}
_FREE_ITEM = "Cloud Interconnect for MPS"
"""The catalogue lists the traffic of these partner circuits at 0."""

Step = tuple[str, ...]
"""A row of `network_prices`."""


class SkuIds:
    """SKU ids by what their descriptions name; an id is given only where exactly one fits."""

    def __init__(self, path: Path) -> None:
        columns = ("resource_group", "usage_type", "sku_id", "description_in_2022")
        more = ("source_label", "destination_label", "tier1_cap_gbps", "service_regions")
        self._places: dict[tuple[str, str, str], set[tuple[str, str]]] = {}
        self._items: dict[str, set[str]] = {}
        self._tier1: dict[tuple[str, str, str], set[str]] = {}
        for row in read_rows(path, (*columns, *more)):
            group, sku = row["resource_group"], row["sku_id"]
            regions = row["service_regions"]
            place = (group, row["source_label"], row["destination_label"])
            self._places.setdefault(place, set()).add((sku, regions))
            if group == "IpAddress":
                self._items.setdefault(row["description_in_2022"], set()).add(sku)
            if group == "AdvancedNetworking":
                for region in regions.split():
                    key = (region, row["usage_type"], row["tier1_cap_gbps"])
                    self._tier1.setdefault(key, set()).add(sku)

    def of_network_row(self, row: Row) -> str:
        """Return the SKU id of a traffic or address price, empty where none is known."""
        kind = row["kind"]
        if kind == NetworkKind.EXTERNAL_IP:
            return _only(self._items.get(row["source_place_or_item"], set()))
        group = _GROUP_BY_KIND.get(NetworkKind(kind))
        if group is None:
            return ""
        if kind == NetworkKind.INTERZONE:
            return self._interzone(group, row["source_regions"])
        destination = "" if kind == NetworkKind.INTERNET_STANDARD else row["destination_place"]
        found = self._places.get((group, row["source_place_or_item"], destination), set())
        wanted = set(row["source_regions"].split("|"))
        return _only({sku for sku, regions in found if wanted & {*regions.split(), GLOBAL}})

    def _interzone(self, group: str, regions: str) -> str:
        """Return the id of the worldwide SKU or of one that names a place.

        The worldwide one lists five regions, which is not where it applies.
        """
        found = {
            sku
            for (of_group, label, _), skus in self._places.items()
            for sku, sku_regions in skus
            if of_group == group
            and (regions == GLOBAL if not label else regions == sku_regions.replace(" ", "|"))
        }
        return _only(found)

    def of_tier1(self, region: str, usage: str, gbps: str) -> str:
        """Return the SKU id of a Tier_1 fee, empty where none is known."""
        return _only(self._tier1.get((region, usage, gbps), set()))


def _only(found: Iterable[str]) -> str:
    skus = sorted(found)
    return skus[0] if len(skus) == 1 else ""


def network_prices(folder: Path, sources: Sources, skus: SkuIds) -> Columns:
    """Return the traffic and address prices, the steps of each in rising order."""
    name = "network_prices.csv.gz"
    source = sources.name(name)
    cells = (
        *("kind", "source_place_or_item", "source_regions", "destination_place"),
        *("destination_regions", "tier_start", "usd_per_unit", "unit", "as_of"),
    )
    rows = [_step(row, skus, source) for row in read_rows(folder / name, cells)]
    rows.sort(key=lambda step: (step[:5], Decimal(step[5] or -1)))
    for key, steps in groupby(rows, key=lambda step: step[:5]):
        _check_steps(f"{name}: {', '.join(filter(None, key))}", list(steps))
    return as_columns(schema.NETWORK_PRICES, rows)


def _step(row: Row, skus: SkuIds, source: str) -> Step:
    if row["kind"] not in set(NetworkKind):
        raise InputError(f"{row.where}: an unknown kind of price, {row['kind'][:40]!r}")
    if row["unit"] not in _UNITS:
        raise InputError(f"{row.where}: an unknown unit, {row['unit'][:40]!r}")
    has_price = row["unit"] != NO_TIERS
    start, usd = row.amount("tier_start"), row.amount("usd_per_unit")
    if bool(usd) != has_price or bool(start) != has_price:
        raise InputError(f"{row.where}: a price and its unit contradict each other")
    place = (row["source_place_or_item"], row["source_regions"])
    ends = (row["destination_place"], row["destination_regions"])
    sku = skus.of_network_row(row)
    return (
        row["kind"],
        *place,
        *ends,
        start,
        usd,
        _UNITS[row["unit"]],
        sku,
        source,
        row.day("as_of"),
    )


def _check_steps(where: str, steps: list[Step]) -> None:
    """Refuse steps that repeat, do not begin at 0, or are free for ever without saying so."""
    starts = [step[5] for step in steps]
    if len(set(starts)) != len(starts):
        raise InputError(f"{where}: two prices for one step")
    if not starts[0]:
        return
    if Decimal(starts[0]):
        raise InputError(f"{where}: its first step does not begin at 0")
    kind, item, first, _, last = steps[0][:5]
    # A region's traffic to itself is never asked for here: the inter-zone price applies.
    to_itself = first == last and "|" not in first
    is_free = kind in _FREE_KINDS or item.startswith(_FREE_ITEM) or to_itself
    if not is_free and not Decimal(steps[-1][6]):
        raise InputError(f"{where}: a price of 0 where one is expected")


def check_region_pairs(network: Columns, offers: Columns) -> int:
    """Return the number of ordered pairs of open regions, each of which has exactly one price.

    Raises:
        InputError: If a pair has none or two.
    """
    found: dict[tuple[str, str], int] = {}
    for first, last, kind, start, usd in zip(
        network["source_regions"],
        network["destination_regions"],
        network["kind"],
        network["tier_start"],
        network["usd"],
        strict=True,
    ):
        if kind == NetworkKind.INTERREGION and usd and not Decimal(start):
            for src in first.split("|"):
                for dst in last.split("|"):
                    found[src, dst] = found.get((src, dst), 0) + 1
    regions = sorted(set(offers["region"]))
    pairs = [(src, dst) for src in regions for dst in regions if src != dst]
    for pair in pairs:
        if found.get(pair, 0) != 1:
            raise InputError(f"{found.get(pair, 0)} prices for traffic from {' to '.join(pair)}")
    return len(pairs)


def tier1_fees(folder: Path, sources: Sources, skus: SkuIds) -> Columns:
    """Return the Tier_1 fees per region, usage and bandwidth size."""
    name = "tier1_network_prices.csv"
    return as_columns(
        schema.TIER1_FEES, sorted(_tier1_rows(folder / name, sources.name(name), skus))
    )


def _tier1_rows(path: Path, source: str, skus: SkuIds) -> Iterator[tuple[str, ...]]:
    words = {"ondemand": ("on_demand", "OnDemand"), "spot": ("spot", "Preemptible")}
    for row in read_rows(path, ("region", "as_of")):
        for word, (usage, sku_usage) in words.items():
            for gbps in ("50", "75", "100"):
                usd = row.price(f"{word}_total_bandwidth_up_to_{gbps}_gbps_usd_hour")
                sku = skus.of_tier1(row["region"], sku_usage, gbps)
                yield row["region"], usage, gbps, usd, sku, source, row.day("as_of")
            usd = row.price(f"{word}_tier1_performance_usd_hour")
            yield row["region"], usage, "", usd, "", source, row.day("as_of")
