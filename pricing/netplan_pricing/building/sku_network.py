"""From a catalogue to the prices of traffic and of external addresses."""

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from itertools import groupby

from netplan_planner.errors import InputError
from netplan_planner.model import RegionLack
from netplan_pricing import schema
from netplan_pricing.building.csv_tables import Columns, as_columns
from netplan_pricing.catalogue import mapping
from netplan_pricing.catalogue.priced import Catalogue, PricedSku
from netplan_pricing.catalogue.wording import place_of
from netplan_pricing.guards.missing import are_few, lacking_pairs
from netplan_pricing.schema import CATALOGUE_SOURCE, GLOBAL, NetworkKind

_FREE_KINDS = {NetworkKind.INTRAZONE, NetworkKind.GOOGLE_SERVICES}
_FREE_ITEM = "Cloud Interconnect for MPS"
"""The catalogue lists the traffic of these partner circuits at 0."""
_INTERNET = "Internet"

_FROM_TO = re.compile(r"\bfrom (.+) to (.+)$", re.IGNORECASE)
_TO_INTERNET = re.compile(r"\bfrom (.+)$", re.IGNORECASE)
_NETWORK_UNITS = {"GiB": "GiB", "hour": "hour"}
_BOTH_ENDS = frozenset({NetworkKind.INTERREGION, NetworkKind.VPN_INTERREGION})
_NAMED_ONLY = frozenset({NetworkKind.PEERING, NetworkKind.EXTERNAL_IP})
_OF_MACHINES = frozenset({mapping.VM_COMPONENT, mapping.VM_WHOLE, mapping.COMMITMENT})

Step = tuple[str, ...]
"""A row of `network_prices`."""


class Places:
    """The regions of each place name, learnt from the SKUs of machine parts.

    Those list the region that they are for; the SKUs of traffic list both ends, or neither.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        seen: dict[str, Counter[tuple[str, ...]]] = {}
        for item in catalogue.priced:
            place = place_of(item.sku.description) if item.mapped.kind in _OF_MACHINES else ""
            if place:
                regions = tuple(sorted(item.sku.service_regions))
                seen.setdefault(place.casefold(), Counter())[regions] += 1
        # A few SKUs of Iowa list all of the Americas: what most say is the place.
        self._regions = {place: count.most_common(1)[0][0] for place, count in seen.items()}

    def regions(self, place: str) -> tuple[str, ...]:
        """Return the regions of a place, sorted; none where no machine part names it."""
        return self._regions.get(place.casefold(), ())


def network_prices(catalogue: Catalogue) -> Columns:
    """Return the prices of traffic and addresses, the steps of each in rising order.

    Raises:
        InputError: If a place is unknown, a price comes twice, or is 0 where one is expected.
    """
    places = Places(catalogue)
    kinds = {kind.value for kind in NetworkKind}
    rows = [
        row
        for item in catalogue.priced
        if item.mapped.kind in kinds
        for row in _steps(item, places, catalogue.as_of.isoformat())
    ]
    rows.sort(key=lambda step: (step[:5], Decimal(step[5] or -1)))
    for _, steps in groupby(rows, key=lambda step: step[:5]):
        _check_steps(list(steps))
    return as_columns(schema.NETWORK_PRICES, rows)


def _steps(item: PricedSku, places: Places, as_of: str) -> Iterator[Step]:
    ends = _ends(item, places)
    sku_id, rate = item.sku.sku_id, item.rate
    kind = item.mapped.kind
    if rate.steps and rate.unit not in _NETWORK_UNITS:
        raise InputError(f"{sku_id} {item.sku.description!a}: priced per {rate.unit}")
    if not rate.steps:
        yield (kind, *ends, "", "", "", sku_id, CATALOGUE_SOURCE, as_of)
    for step in rate.steps:
        unit = _NETWORK_UNITS[rate.unit]
        yield (
            kind,
            *ends,
            f"{step.start:f}",
            f"{step.usd:f}",
            unit,
            sku_id,
            CATALOGUE_SOURCE,
            as_of,
        )


def _ends(item: PricedSku, places: Places) -> tuple[str, str, str, str]:
    """Return source place and regions, destination place and regions."""
    kind, sku = NetworkKind(item.mapped.kind), item.sku
    listed = "|".join(sku.service_regions) or GLOBAL
    found = _FROM_TO.search(sku.description)
    if kind in _NAMED_ONLY:
        return sku.description, listed, found[2] if found else "", ""
    if kind in {NetworkKind.INTRAZONE, NetworkKind.INTERZONE}:
        # Without a place the price holds everywhere, whatever five regions the SKU lists.
        place = place_of(sku.description)
        return "", listed if place else GLOBAL, "", ""
    source, destination = (found[1], found[2]) if found else ("", "")
    if kind is NetworkKind.INTERNET_STANDARD:
        found = _TO_INTERNET.search(sku.description)
        source, destination = (found[1], _INTERNET) if found else ("", "")
    from_regions = _source_regions(item, source, places)
    to_regions = places.regions(destination) if kind in _BOTH_ENDS else ()
    if not source or not from_regions or (kind in _BOTH_ENDS and not to_regions):
        raise InputError(
            f"{sku.sku_id} {sku.description!a}: from where to where it is cannot be read"
        )
    return source, "|".join(from_regions), destination, "|".join(to_regions)


def _source_regions(item: PricedSku, source: str, places: Places) -> tuple[str, ...]:
    """Return the regions that are billed: those of the place, else of the taxonomy.

    `geoTaxonomy` alone would not do: for some SKUs of one region it is GLOBAL, and for VPN traffic
    it is now the source, now the destination. `serviceRegions` holds both ends.
    """
    of_place = places.regions(source)
    geo, listed = item.sku.geo_taxonomy, set(item.sku.service_regions)
    if of_place and not listed & {*of_place, GLOBAL}:
        raise InputError(
            f"{item.sku.sku_id} {item.sku.description!a}: {source!a} is {', '.join(of_place)}, but"
            f" the SKU is for {', '.join(sorted(listed)) or 'no region'}"
        )
    return of_place or (() if geo.type == "GLOBAL" else tuple(sorted(geo.regions)))


def _check_steps(steps: list[Step]) -> None:
    """Refuse steps that repeat, do not begin at 0, or are free for ever without saying so."""
    where = ", ".join(filter(None, steps[0][:5]))
    starts = [step[5] for step in steps]
    if len(set(starts)) != len(starts):
        ids = ", ".join(sorted({step[8] for step in steps}))
        raise InputError(f"{where}: two prices for one step ({ids})")
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


def check_region_pairs(network: Columns, offers: Columns) -> tuple[int, tuple[RegionLack, ...]]:
    """Return how many ordered pairs of open regions have one price, and the regions without.

    Raises:
        InputError: If a pair has two, or more have none than a new region or two explain.
    """
    count = priced_pairs(network)
    regions = sorted(set(offers["region"]))
    pairs = [(src, dst) for src in regions for dst in regions if src != dst]
    missing = [pair for pair in pairs if not count[pair]]
    for pair in pairs:
        if count[pair] > 1 or (
            missing and pair == missing[0] and not are_few(len(missing), len(pairs))
        ):
            more = f" ({len(missing):,} of {len(pairs):,} pairs have none)" if missing else ""
            raise InputError(f"{count[pair]} prices for traffic from {' to '.join(pair)}{more}")
    return len(pairs) - len(missing), lacking_pairs(regions, missing)


def priced_pairs(network: Columns) -> Counter[tuple[str, str]]:
    """Return how many prices each ordered pair of regions has."""
    found: Counter[tuple[str, str]] = Counter()
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
                    found[src, dst] += 1
    return found
