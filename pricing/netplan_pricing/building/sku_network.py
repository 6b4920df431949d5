"""From a catalogue to the prices of traffic and of external addresses."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby

from netplan_planner.errors import InputError
from netplan_planner.model import RegionLack
from netplan_planner.paths.gateways import OVER_32, PER_VM
from netplan_pricing import schema
from netplan_pricing.building.csv_tables import Columns, as_columns
from netplan_pricing.building.other_tables import STATIC_SERVICE
from netplan_pricing.catalogue import mapping
from netplan_pricing.catalogue.priced import Catalogue, PricedSku
from netplan_pricing.catalogue.wording import place_of
from netplan_pricing.guards.alone import are_few, lacking_pairs
from netplan_pricing.schema import CATALOGUE_SOURCE, GLOBAL, NetworkKind
from netplan_pricing.service_prices import FIRST_RULES, FURTHER_RULE

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
        raise InputError(f"{sku.sku_id} {sku.description!a}: its route is not recognized")
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
        raise InputError(f"{where}: a price of 0 where a price is expected")


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


# From a catalogue, and from Google's pages for what it lacks, to prices of gateways and the like
#
# A row is known by service, region and condition. Where the catalogue prices a service, the pages'
# rows of it are left out, but for conditions that the catalogue does not tell apart.


Row = tuple[str, ...]
"""A row of `service_prices`."""

_STATIC = "Static Ip Charge"

_BALANCER = re.compile(
    r"(?P<what>.+?) (?P<part>Forwarding Rule Minimum|Forwarding Rule Additional"
    r"|Inbound Data Processing|Outbound Data Processing|Proxy Instance Charge)\b",
    re.IGNORECASE,
)
_BALANCER_SERVICES = {
    "forwarding rule minimum": ("lb_forwarding_rule", FIRST_RULES),
    "forwarding rule additional": ("lb_forwarding_rule", FURTHER_RULE),
    "inbound data processing": ("lb_data_inbound", ""),
    "outbound data processing": ("lb_data_outbound", ""),
    "proxy instance charge": ("lb_proxy_instance", ""),
}
_NAT = re.compile(
    r"\b(?P<what>cloud|private) nat (?P<part>gateway uptime|data processing|ip usage)\b",
    re.IGNORECASE,
)
_NAT_PARTS = {"gateway uptime": "gateway", "data processing": "data", "ip usage": "ip"}
_ENDPOINT = re.compile(r"\b(?P<what>[\w ]+?) end ?points?$", re.IGNORECASE)
_PSC_DATA = re.compile(r"\bprivate service connect (?P<what>.+)$", re.IGNORECASE)
_PLAIN_PSC_DATA = "Consumer Data Processing"
_SPOKE = re.compile(r"\bSpoke Hours (?P<what>.+?) Spoke$", re.IGNORECASE)
_CIRCUIT = re.compile(r"^(?P<what>.+?) - +(?P<part>.+)$")
_FLEXIBLE = re.compile(r"dollar based", re.IGNORECASE)


def service_prices(catalogue: Catalogue, pages: Sequence[Row]) -> Columns:
    """Return the prices of the catalogue, and those of the pages that it does not state."""
    rows = [row for item in catalogue.priced for row in _rows(item, catalogue)]
    priced = {row[0] for row in rows}
    static = {
        region
        for item in catalogue.priced
        if item.mapped.kind == mapping.EXTERNAL_IP and item.sku.description.startswith(_STATIC)
        for region in item.sku.service_regions
    }
    kept = [
        row
        for row in pages
        if (row[0] not in priced or row[2] == OVER_32)
        and not (row[0] == STATIC_SERVICE and row[1] in static)
    ]
    rows = sorted({*rows, *kept}, key=lambda row: (row[:3], Decimal(row[3])))
    return as_columns(schema.SERVICE_PRICES, rows)


def _rows(item: PricedSku, catalogue: Catalogue) -> Iterator[Row]:
    named = _service(item)
    if named is None:
        return
    service, condition = named
    rate, as_of = item.rate, catalogue.as_of.isoformat()
    for region in item.sku.service_regions:
        for step in rate.steps:
            yield (
                *(service, "" if region == GLOBAL else region, condition),
                *(f"{step.start:f}", f"{step.usd:f}", rate.unit, item.sku.sku_id),
                *("high", item.sku.description, CATALOGUE_SOURCE, as_of),
            )


def _service(item: PricedSku) -> tuple[str, str] | None:
    """Return service and condition, or None for what is no service of its own."""
    words = item.sku.description
    match item.mapped.kind:
        case mapping.VPN_TUNNEL:
            return "vpn_tunnel", ""
        case mapping.NCC_SPOKE:
            found = _SPOKE.search(words)
            return ("ncc_spoke", found["what"]) if found else None
        case mapping.FLOW_LOGS_GENERATION:
            return "vpc_flow_log_generation", ""
        case mapping.LOAD_BALANCING:
            return _balancer(words)
        case mapping.CLOUD_NAT:
            return _nat(words)
        case mapping.PRIVATE_SERVICE_CONNECT:
            return _private_service_connect(words)
        case mapping.INTERCONNECT_PORT | mapping.INTERCONNECT_ATTACHMENT:
            found = _CIRCUIT.match(words)
            return (item.mapped.kind, f"{found['what']}: {found['part']}") if found else None
        case mapping.FLEXIBLE_CUD:
            # The other two SKUs sell one dollar of commitment for one dollar.
            return ("flexible_cud", item.mapped.usage) if _FLEXIBLE.search(words) else None
        case _:
            return None


def _balancer(words: str) -> tuple[str, str] | None:
    found = _BALANCER.match(words)
    if found is None:
        return None
    service, of_rules = _BALANCER_SERVICES[found["part"].lower()]
    # Global rules and those of a region stand apart by the region of the row.
    return service, "; ".join(filter(None, (found["what"], of_rules)))


def _nat(words: str) -> tuple[str, str] | None:
    found = _NAT.search(words)
    if found is None:
        return None
    service = f"{found['what'].lower()}_nat_{_NAT_PARTS[found['part'].lower()]}"
    return service, PER_VM if service == "cloud_nat_gateway" else ""


def _private_service_connect(words: str) -> tuple[str, str] | None:
    found = _PSC_DATA.search(words)
    if found is None:
        return None
    end = _ENDPOINT.match(found["what"])
    if end:
        return "psc_endpoint", end["what"]
    return "psc_data", "" if found["what"] == _PLAIN_PSC_DATA else found["what"]
