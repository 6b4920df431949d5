"""What a new snapshot takes over from the one before: what the catalogue does not say."""

from decimal import Decimal

from netplan_pricing import schema
from netplan_pricing.building.csv_tables import Columns
from netplan_pricing.building.machine_inputs import Machines
from netplan_pricing.building.other_tables import USAGES, ListedRow, OtherTables
from netplan_pricing.building.sku_tables import Key
from netplan_pricing.container import SnapshotFile


def columns_of(file: SnapshotFile, name: str) -> Columns:
    """Return a table as columns of text."""
    table = file.table(name)
    return {column: table[column].texts() for column in schema.COLUMNS[name]}


def rows_of(file: SnapshotFile, name: str) -> list[tuple[str, ...]]:
    """Return a table as rows of text, in the order of its columns."""
    return list(zip(*columns_of(file, name).values(), strict=True))


def kept_machines(file: SnapshotFile) -> Machines:
    """Return the machine types and offers of a snapshot, with their dates."""
    return Machines(
        types=columns_of(file, schema.MACHINE_TYPES),
        region_offers=columns_of(file, schema.REGION_OFFERS),
        zone_offers=columns_of(file, schema.ZONE_OFFERS),
    )


def kept_tables(file: SnapshotFile) -> OtherTables:
    """Return the prices of a snapshot that are not of the catalogue, with their dates."""
    rates: dict[Key, tuple[str, ...]] = {}
    for cells in rows_of(file, schema.COMPONENT_PRICES):
        row = dict(zip(schema.COLUMNS[schema.COMPONENT_PRICES], cells, strict=True))
        if not row["sku_id"]:
            key = Key(row["region"], row["series"], row["component"], row["usage"])
            rates[key] = cells
    pages = [
        cells
        for cells in rows_of(file, schema.SERVICE_PRICES)
        if cells[schema.COLUMNS[schema.SERVICE_PRICES].index("source")] != schema.CATALOGUE_SOURCE
    ]
    return OtherTables(machines=tuple(_listed(file)), rates=rates, pages=tuple(pages))


def _listed(file: SnapshotFile) -> list[ListedRow]:
    names = schema.COLUMNS[schema.LISTED_PRICES]
    rows = []
    for number, cells in enumerate(rows_of(file, schema.LISTED_PRICES)):
        row = dict(zip(names, cells, strict=True))
        prices = {usage: Decimal(row[usage]) if row[usage] else None for usage in USAGES}
        rows.append(
            ListedRow(
                where=f"{file.path}: {schema.LISTED_PRICES} row {number}",
                region=row["region"],
                machine_type=row["machine_type"],
                prices=prices,
                month=None,
                note=row["note"],
                source=row["source"],
                as_of=row["as_of"],
            )
        )
    return rows
