"""The tables of a snapshot: their columns, and the words that stand in them.

A reader accepts columns beyond these, so that a table may grow without a new schema version; a
column that goes, or changes its meaning, needs one. Every table has `source` and `as_of`.
"""

from enum import StrEnum

SKUS = "skus"
LISTED_PRICES = "listed_prices"
COMPONENT_PRICES = "component_prices"
MACHINE_TYPES = "machine_types"
REGION_OFFERS = "region_offers"
ZONE_OFFERS = "zone_offers"
NETWORK_PRICES = "network_prices"
SERVICE_PRICES = "service_prices"
TIER1_FEES = "tier1_fees"
TIER1_SERIES = "tier1_series"
SUSTAINED_USE = "sustained_use"
CUSTOM_LIMITS = "custom_limits"
INTERNET_AREAS = "internet_areas"
SKU_SERIES = "sku_series"
CURRENCY_RATES = "currency_rates"
FLEXIBLE_SERIES = "flexible_series"
MACHINE_SLICES = "machine_slices"

COLUMNS: dict[str, tuple[str, ...]] = {
    # Sorted by id. Regions are joined by "|", steps too, each as start=USD.
    SKUS: (
        *("sku_id", "service", "kind", "series", "component", "usage", "description", "regions"),
        *("unit", "steps", "source", "as_of"),
    ),
    # Sorted by region. USD per hour, of sources that know what the catalogue does not, or later.
    LISTED_PRICES: (
        *("region", "machine_type", "on_demand", "spot", "cud_1y", "cud_3y"),
        *("note", "source", "as_of"),
    ),
    # The first row whose prefix begins a machine type says whose rates it is billed at.
    SKU_SERIES: ("machine_type_prefix", "series", "premium_series", "source", "as_of"),
    # Machines that are sold by whole slices, cores and memory with the GPU; snapshots before the
    # table have none.
    MACHINE_SLICES: ("machine_type", "component", "slices", "note", "source", "as_of"),
    # Sorted by region. One rate per series, component and usage.
    COMPONENT_PRICES: (
        *("region", "series", "component", "usage", "usd", "unit", "sku_id"),
        *("note", "source", "as_of"),
    ),
    MACHINE_TYPES: (
        *("machine_type", "series", "family", "vcpus", "billed_vcpus", "memory_gib"),
        *("architecture", "cpu_platforms", "is_shared_core", "gpu_type", "gpu_count"),
        *("local_ssd_gib", "is_bare_metal", "deprecation", "source", "as_of"),
    ),
    # Sorted by region.
    REGION_OFFERS: ("region", "machine_type", "deprecation", "source", "as_of"),
    # Sorted by machine type; types that are not here have unknown zones.
    ZONE_OFFERS: ("machine_type", "zone", "source", "as_of"),
    # Sorted by kind, source and destination, so that the steps of a price stand together.
    # Regions are joined by "|". No `usd`: the catalogue names the SKU without a price.
    NETWORK_PRICES: (
        *("kind", "source_place", "source_regions", "destination_place", "destination_regions"),
        *("tier_start", "usd", "unit", "sku_id", "source", "as_of"),
    ),
    # Sorted by service, region and condition.
    SERVICE_PRICES: (
        *("service", "region", "condition", "tier_start", "usd", "unit", "sku_id"),
        *("confidence", "note", "source", "as_of"),
    ),
    # `size_gbps` empty: the fee whose quantity the catalogue does not state.
    TIER1_FEES: ("region", "usage", "size_gbps", "usd", "sku_id", "source", "as_of"),
    TIER1_SERIES: ("series", "model", "source", "as_of"),
    SUSTAINED_USE: (*("series", "scope", "full_month_percent", "multipliers", "source", "as_of"),),
    CUSTOM_LIMITS: ("series", "max_gib_per_vcpu", "has_extended", "source", "as_of"),
    # Series whose cores and memory a flexible commitment covers at the catalogue's discount.
    FLEXIBLE_SERIES: ("series", "source", "as_of"),
    CURRENCY_RATES: ("currency", "per_usd", "source", "as_of"),
    # `name` is a continent or country of flow logs in lower case; areas are joined by "|".
    INTERNET_AREAS: ("name", "areas", "source", "as_of"),
}


class NetworkKind(StrEnum):
    """What a row of `network_prices` is for."""

    INTRAZONE = "intrazone_out"
    INTERZONE = "interzone_out"
    INTERREGION = "interregion_out"
    INTERNET_PREMIUM = "internet_premium_out"
    INTERNET_STANDARD = "internet_standard_out"
    GOOGLE_SERVICES = "google_services_out"
    VPN_INTERNET = "vpn_internet_out"
    VPN_INTERREGION = "vpn_interregion_out"
    PEERING = "peering_or_interconnect_out"
    EXTERNAL_IP = "external_ip"


class Tier1Model(StrEnum):
    """How a machine series pays for Tier_1, as far as a source says."""

    TOTAL_BANDWIDTH = "total-bandwidth"
    """One of the fees for a total bandwidth."""
    NOT_OFFERED = "not-offered"
    """The series has no Tier_1."""


CATALOGUE_SOURCE = "Cloud Billing Catalog API"
"""`source` of what SKUs say; the only rows whose `sku_id` is of the snapshot's own list."""

GLOBAL = "global"
"""`source_regions` of a price that is the same everywhere."""
