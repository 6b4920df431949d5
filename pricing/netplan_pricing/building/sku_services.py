"""From a catalogue, and from Google's pages for what it lacks, to prices of gateways and the like.

A row is known by service, region and condition. Where the catalogue prices a service, the pages'
rows of it are left out, but for conditions that the catalogue does not tell apart.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.paths.gateway_hours import OVER_32, PER_VM
from netplan_pricing import schema
from netplan_pricing.building.csv_tables import Columns, as_columns
from netplan_pricing.building.service_tables import STATIC_SERVICE
from netplan_pricing.catalogue import mapping
from netplan_pricing.catalogue.priced import Catalogue, PricedSku
from netplan_pricing.schema import CATALOGUE_SOURCE, GLOBAL
from netplan_pricing.service_prices import FIRST_RULES, FURTHER_RULE

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
