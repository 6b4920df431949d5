"""The whole snapshot from folders of tables: one function, deterministic, checked."""

from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path

from netplan_planner.errors import InputError
from netplan_pricing import schema
from netplan_pricing.building import machine_tables, network_tables, service_tables
from netplan_pricing.building.csv_tables import Columns, Row, Sources, as_columns, read_rows
from netplan_pricing.container import SourceNote, encode_snapshot

FACTS = Path(__file__).parent.parent / "facts"
"""Small hand-kept tables: names of sources, limits of custom types, areas of countries."""

_WEIGHT = Decimal(100)


def build_snapshot(catalog: Path, network: Path, facts: Path = FACTS) -> bytes:
    """Return the bytes of a snapshot file of the tables in two folders.

    Args:
        catalog: Folder with machine_types.csv, machine_type_regions.csv.gz,
            machine_type_zones.csv.gz, prices.csv.gz, component_prices.csv.gz,
            sustained_use_discounts.csv, tier1_network_prices.csv and network_prices.csv.gz.
        network: Folder with traffic_prices.csv and network_sku_ids.csv.
        facts: Folder with the hand-kept tables.

    Raises:
        InputError: If a table is missing, cut, contradicts another, or holds a price that cannot
            be one.
    """
    tables = _tables(catalog, network, facts)
    network_tables.check_region_pairs(tables[schema.NETWORK_PRICES], tables[schema.REGION_OFFERS])
    return encode_snapshot(
        tables,
        as_of=_newest(tables[schema.MACHINE_PRICES]),
        network_as_of=_newest(tables[schema.NETWORK_PRICES]),
        source="list prices in USD of the Cloud Billing Catalog API, from price tables",
        sources=source_notes(tables),
    )


def _tables(catalog: Path, network: Path, facts: Path) -> dict[str, Columns]:
    sources = Sources(facts / "sources.csv")
    skus = network_tables.SkuIds(network / "network_sku_ids.csv")
    offers = machine_tables.region_offers(catalog, sources)
    traffic = network_tables.network_prices(catalog, sources, skus)
    return {
        schema.MACHINE_PRICES: machine_tables.machine_prices(catalog, sources, offers),
        schema.COMPONENT_PRICES: machine_tables.component_prices(catalog, sources),
        schema.MACHINE_TYPES: machine_tables.machine_types(catalog, sources),
        schema.REGION_OFFERS: offers,
        schema.ZONE_OFFERS: machine_tables.zone_offers(catalog, sources),
        schema.NETWORK_PRICES: traffic,
        schema.SERVICE_PRICES: service_tables.service_prices(network, traffic),
        schema.TIER1_FEES: network_tables.tier1_fees(catalog, sources, skus),
        schema.SUSTAINED_USE: _sustained_use(catalog, sources),
        schema.TIER1_SERIES: _fact(facts, schema.TIER1_SERIES),
        schema.CUSTOM_LIMITS: _fact(facts, schema.CUSTOM_LIMITS),
        schema.INTERNET_AREAS: _fact(facts, schema.INTERNET_AREAS),
    }


def _sustained_use(catalog: Path, sources: Sources) -> Columns:
    name = "sustained_use_discounts.csv"
    cells = ("series", "scope", "max_discount_percent_full_month")
    multipliers = "rate_multiplier_per_quarter_of_month"
    origin = sources.dated(name)
    rows = []
    for row in read_rows(catalog / name, (*cells, multipliers)):
        _check_schedule(row, row["max_discount_percent_full_month"], row[multipliers])
        rows.append((*(row[cell] for cell in cells), row[multipliers], *origin))
    return as_columns(schema.SUSTAINED_USE, sorted(rows))


def _check_schedule(row: Row, percent: str, multipliers: str) -> None:
    """Refuse a schedule whose steps do not fall to the discount that it states for a month."""
    try:
        steps = [Decimal(step) for step in multipliers.split("|")]
        stated = 1 - Decimal(percent) / _WEIGHT
    except ArithmeticError as exc:
        raise InputError(f"{row.where}: not a schedule: {exc}") from exc
    mean = sum(steps, Decimal(0)) / len(steps)
    if steps != sorted(steps, reverse=True) or abs(mean - stated) > Decimal("0.001"):
        raise InputError(f"{row.where}: its steps do not give its full-month discount")


def _fact(facts: Path, table: str) -> Columns:
    names = schema.COLUMNS[table]
    rows = [
        (*(row[name] for name in names if name != "as_of"), row.day("as_of"))
        for row in read_rows(facts / f"{table}.csv", names)
    ]
    return as_columns(table, sorted(rows))


def _newest(columns: Columns) -> date:
    return date.fromisoformat(max(columns["as_of"]))


def source_notes(tables: dict[str, Columns]) -> list[SourceNote]:
    """Return every table's sources with their dates and row counts."""
    return [
        SourceNote(table=table, source=source, as_of=as_of, rows=rows)
        for table, columns in tables.items()
        for (source, as_of), rows in sorted(
            Counter(zip(columns["source"], columns["as_of"], strict=True)).items()
        )
    ]
