"""A table of prices that pages of Google state: gateways, load balancers, log generation."""

import re
from pathlib import Path

from netplan_planner.errors import InputError
from netplan_pricing.building.csv_tables import Row, read_rows

_CELLS = (
    *("class", "source_location", "destination_location", "usage_tier", "unit", "price_usd"),
    *("confidence", "source", "source_date", "sku_id", "note"),
)
_KEPT = frozenset(
    {
        *("same_zone_external_ip", "ingress", "gcs_multiregion_to_vm"),
        *("cloud_nat_gateway", "cloud_nat_data", "cloud_nat_ip", "vpn_tunnel"),
        *("lb_forwarding_rule", "lb_data_inbound", "lb_data_outbound", "lb_data_both"),
        *("psc_endpoint", "psc_data", "interconnect_port", "vpc_flow_log_generation"),
        *("network_log_storage", "log_retention", "general_log_storage"),
        "external_ipv4_static_unused",
        *("gke_cluster", "gke_extended_support", "gke_service_networking"),
    }
)
_IN_CATALOGUE = frozenset(
    {
        *("same_zone_internal_ip", "same_region_external_ip", "inter_zone", "google_services"),
        *("internet_egress_free", "internet_egress_vpn", "carrier_peering_egress"),
        "external_ipv4_in_use",
    }
)
"""The catalogue's own table has these, and it goes first."""
_NOT_A_PRICE_OF_TODAY = frozenset(
    {"inter_region_historical", "inter_region_resale", "network_intelligence_center"}
)
"""Former prices, a reseller's, and a service whose prices no source states."""
STATIC_SERVICE = "external_ipv4_static_unused"

_REGION = re.compile(r"[a-z]+-[a-z]+\d+")
_ANYWHERE = frozenset({"any", "global", "anywhere", "any zone", ""})
_FROM_TIB = re.compile(r"(?:(\d+)-\d+|more than (\d+)) TiB per month")
_FROM_GIB = re.compile(r"after (\d+) GiB\b")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_GIB_PER_TIB = 1024


def page_rows(path: Path) -> list[tuple[str, ...]]:
    """Return the rows of `service_prices` that a table of page prices holds.

    Raises:
        InputError: If a row is of an unknown class, or has no price.
    """
    rows = []
    for row in read_rows(path, _CELLS):
        kept = row["class"] in _KEPT
        if not kept and row["class"] not in _IN_CATALOGUE | _NOT_A_PRICE_OF_TODAY:
            raise InputError(f"{row.where}: an unknown class of price, {row['class'][:40]!r}")
        if kept:
            rows.append(_service_row(row))
    return rows


def _service_row(row: Row) -> tuple[str, ...]:
    usd = row.amount("price_usd") if row["class"] == "ingress" else row.price("price_usd")
    if not usd:
        raise InputError(f"{row.where}: no price")
    place = row["source_location"]
    region = place if _REGION.fullmatch(place) else ""
    where = "" if region or place in _ANYWHERE else place
    # A step says where it begins; another usage is a condition.
    usage = "" if _step(row["usage_tier"]) else row["usage_tier"]
    condition = "; ".join(filter(None, (where, row["destination_location"], usage)))
    return (
        *(row["class"], region, condition, _tier_start(row["usage_tier"]), usd, row["unit"]),
        *(row["sku_id"], row["confidence"], row["note"]),
        *(f"{row['source']} ({row['source_date']})", newest_day(row)),
    )


def _tier_start(text: str) -> str:
    """Return where a step begins, in GiB.

    >>> _tier_start("10-30 TiB per month"), _tier_start("after 50 GiB per project and month")
    ('10240', '50')
    """
    found = _step(text)
    if found is None:
        return "0"
    if found.re is _FROM_TIB:
        return str(int(found[1] or found[2]) * _GIB_PER_TIB)
    return found[1]


def _step(text: str) -> re.Match[str] | None:
    return _FROM_TIB.search(text) or _FROM_GIB.search(text)


def newest_day(row: Row) -> str:
    """Return the newest full date of `source_date`, else the first day of the period it names.

    Raises:
        InputError: If it names no year.
    """
    text = row["source_date"]
    days = _DAY.findall(text)
    if days:
        return str(max(days))
    period = re.search(r"(\d{4})(?:-(\d{2}))?", text)
    if period is None:
        raise InputError(f"{row.where}: no date in {text[:40]!r}")
    return f"{period[1]}-{period[2] or '01'}-01"
