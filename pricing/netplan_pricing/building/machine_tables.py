"""Machine prices, component rates, machine types and where they are offered."""

from decimal import Decimal
from itertools import pairwise
from pathlib import Path

from netplan_planner.errors import InputError
from netplan_pricing import schema
from netplan_pricing.building.csv_tables import Columns, Row, Sources, as_columns, read_rows

ZERO_RATE_NOTE = "zero-priced-in-catalogue"
_USAGE_CELLS = (
    "on_demand_usd_hour",
    "spot_usd_hour",
    "cud_1y_usd_hour",
    "cud_3y_usd_hour",
    "sud_full_month_usd_hour",
)
_TYPE_CELLS = (
    *("machine_type", "series", "family", "guest_vcpus", "billed_vcpus", "memory_gib"),
    *("architecture", "cpu_platforms", "is_shared_core", "gpu_type", "gpu_count"),
    *("bundled_local_ssd_gib", "is_bare_metal", "deprecation"),
)


def machine_types(folder: Path, sources: Sources) -> Columns:
    """Return the table of predefined machine types."""
    name = "machine_types.csv"
    origin = sources.dated(name)
    rows: list[tuple[str, ...]] = []
    for row in read_rows(folder / name, _TYPE_CELLS):
        if not row.count("guest_vcpus") or not row.price("memory_gib"):
            raise InputError(f"{row.where}: no vCPUs or no memory")
        row.amount("billed_vcpus")
        row.amount("gpu_count")
        row.count("bundled_local_ssd_gib")
        rows.append((*(row[cell] for cell in _TYPE_CELLS), *origin))
    return as_columns(schema.MACHINE_TYPES, _unique(rows, 1, name))


def region_offers(folder: Path, sources: Sources) -> Columns:
    """Return which region offers which machine type."""
    name = "machine_type_regions.csv.gz"
    origin = sources.dated(name)
    rows: list[tuple[str, ...]] = [
        (row["region"], row["machine_type"], row["deprecation"], *origin)
        for row in read_rows(folder / name, ("machine_type", "region", "deprecation"))
    ]
    return as_columns(schema.REGION_OFFERS, _unique(rows, 2, name))


def zone_offers(folder: Path, sources: Sources) -> Columns:
    """Return which zone offers which machine type, for the types whose zones are known."""
    name = "machine_type_zones.csv.gz"
    origin = sources.dated(name)
    rows: list[tuple[str, ...]] = [
        (row["machine_type"], row["zone"], *origin)
        for row in read_rows(folder / name, ("machine_type", "zone"))
    ]
    return as_columns(schema.ZONE_OFFERS, _unique(rows, 2, name))


def machine_prices(folder: Path, sources: Sources, offers: Columns) -> Columns:
    """Return machine prices per region; the offer they state must be that of `offers`."""
    name = "prices.csv.gz"
    offered = set(zip(offers["region"], offers["machine_type"], strict=True))
    cells = ("region", "machine_type", *_USAGE_CELLS, "available_in_region", "source", "as_of")
    rows = []
    for row in read_rows(folder / name, (*cells, "note")):
        pair = (row["region"], row["machine_type"])
        if (pair in offered) != (row["available_in_region"] == "1"):
            raise InputError(f"{row.where}: its offer differs from machine_type_regions.csv.gz")
        prices = _prices(row)
        source = sources.name(f"{name}:{row['source']}")
        rows.append((*pair, *prices, row["note"], source, row.day("as_of")))
    return as_columns(schema.MACHINE_PRICES, _unique(rows, 2, name))


def _prices(row: Row) -> list[str]:
    """Return the prices of a row; none is 0, and none is above the on-demand price."""
    prices = [row.price(cell) for cell in _USAGE_CELLS]
    if not prices[0]:
        raise InputError(f"{row.where}: no on-demand price")
    most = Decimal(prices[0])
    for cell, price in zip(_USAGE_CELLS, prices, strict=True):
        if price and Decimal(price) > most:
            raise InputError(f"{row.where}: {cell} is above the on-demand price")
    return prices


def component_prices(folder: Path, sources: Sources) -> Columns:
    """Return the rates of cores, memory, GPUs and local SSDs.

    A rate that the catalogue lists at 0 is kept as absent: it is no price.
    """
    name = "component_prices.csv.gz"
    cells = ("series", "region", "component", "usage", "usd_per_unit", "unit", "source", "as_of")
    rows: list[tuple[str, ...]] = []
    for row in read_rows(folder / name, (*cells, "note")):
        usd, note = _rate(row)
        source = sources.name(f"{name}:{row['source']}")
        key = (row["region"], row["series"], row["component"], row["usage"])
        rows.append((*key, usd, row["unit"], "", note, source, row.day("as_of")))
    return as_columns(schema.COMPONENT_PRICES, _unique(rows, 4, name))


def _rate(row: Row) -> tuple[str, str]:
    usd = row.amount("usd_per_unit")
    if not usd:
        raise InputError(f"{row.where}: no rate")
    return (usd, row["note"]) if Decimal(usd) else ("", ZERO_RATE_NOTE)


def _unique(rows: list[tuple[str, ...]], key_length: int, name: str) -> list[tuple[str, ...]]:
    """Return the rows in order of their keys.

    Raises:
        InputError: If a key stands there twice: which of the two would be the price?
    """
    rows.sort()
    for one, other in pairwise(rows):
        if one[:key_length] == other[:key_length]:
            raise InputError(f"{name}: two rows for {', '.join(one[:key_length])}")
    return rows
