"""A snapshot from files: dumps of the catalogue, machine types, and tables of other sources.

What a new snapshot takes over from the one before: what the catalogue does not say.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.errors import InputError, MissingDatum
from netplan_planner.units import counted
from netplan_planner.writing import written_whole
from netplan_pricing import schema
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.building.assemble import FACTS, Built, build_snapshot
from netplan_pricing.building.csv_tables import Columns, Sources
from netplan_pricing.building.machine_inputs import MachineInputs, Machines
from netplan_pricing.building.other_tables import (
    USAGES,
    ListedRow,
    OtherTables,
    page_rows,
    read_tables,
)
from netplan_pricing.building.sku_tables import Key
from netplan_pricing.catalogue.dumps import read_dump, require_complete
from netplan_pricing.catalogue.priced import MOST_UNRECOGNISED_RATIO, price_catalogue, rates_of
from netplan_pricing.container import FILE_NAME, SnapshotFile
from netplan_pricing.guards.beside import doubts_beside, shown


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


def build_from_files(
    skus: Iterable[Path],
    machine_types: Sequence[Path],
    price_tables: Iterable[Path] = (),
    *,
    today: date,
    currency_pages: Sequence[Path] = (),
    base: SnapshotFile | None = None,
    most_unrecognised_ratio: float = MOST_UNRECOGNISED_RATIO,
    facts: Path = FACTS,
) -> Built:
    """Return the snapshot that files make.

    Args:
        skus: Dumps of `services.skus.list`, of both services.
        machine_types: Answers of the Compute API, or tables of types, regions and zones; none:
            those of `base`.
        price_tables: CSV tables of machine prices, component rates or page prices.
        today: Prices that begin after it are none yet, and no date may be after it.
        currency_pages: Pages of the catalogue in other currencies, for their rates.
        base: A snapshot of which stays what is in none of the files.
        most_unrecognised_ratio: Of the SKUs of one resource group, 0 to 1.
        facts: Folder of the hand-kept tables.

    Raises:
        InputError: If a file cannot be read, or no snapshot can be made from them.
    """
    dump = read_dump(skus)
    require_complete(dump)
    catalogue = price_catalogue(dump, today=today, most_unrecognised_ratio=most_unrecognised_ratio)
    sources = Sources(facts / "sources.csv")
    tables = read_tables(price_tables, sources)
    return build_snapshot(
        catalogue,
        _machines(machine_types, catalogue.as_of.isoformat(), sources, facts, base),
        _with_rules(tables if base is None else kept_tables(base).with_new(tables), facts),
        rates_of(read_dump([path]) for path in currency_pages),
        facts,
        today=today,
    )


def _with_rules(tables: OtherTables, facts: Path) -> OtherTables:
    """Add what no SKU says and every report rests on, unless a table of pages says it."""
    known = {cells[0] for cells in tables.pages}
    rules = [cells for cells in page_rows(facts / "page_rules.csv") if cells[0] not in known]
    return replace(tables, pages=(*tables.pages, *rules))


def _machines(
    paths: Sequence[Path], as_of: str, sources: Sources, facts: Path, base: SnapshotFile | None
) -> Machines:
    if not paths and base is not None:
        return kept_machines(base)
    inputs = MachineInputs(sources, facts)
    for path in paths:
        inputs.read(path, as_of)
    if base is not None:
        names = schema.COLUMNS[schema.MACHINE_TYPES]
        rows = rows_of(base, schema.MACHINE_TYPES)
        inputs.add_known(dict(zip(names, cells, strict=True)) for cells in rows)
    return inputs.tables()


def require_likeness(
    base: SnapshotFile,
    built: Built,
    *,
    accepted: Collection[str] = (),
    counts_vanished: bool = True,
) -> None:
    """Refuse prices that nobody would believe beside those before.

    Args:
        base: The snapshot before.
        built: The new one.
        accepted: SKU ids, kinds, or names of prices that are believed all the same.
        counts_vanished: Whether what the one before has alone counts.

    Raises:
        InputError: With the prices, and how to take them all the same.
    """
    new = SnapshotPriceBook(SnapshotFile(Path(FILE_NAME), built.content))
    old = SnapshotPriceBook(base)
    doubts = (
        *_lost(old, built, accepted),
        *doubts_beside(old, new, accepted=accepted, counts_vanished=counts_vanished),
    )
    if doubts:
        raise InputError(
            f"{counted(len(doubts), 'doubt')} next to {base.path} ({base.header.as_of}); nothing"
            f" was changed:{shown(doubts)}\nTry again later. If the changes are correct, --accept"
            " SKU (or a kind, such as core) accepts what you name, --accept-changes accepts all"
        )


def _lost(old: SnapshotPriceBook, built: Built, accepted: Collection[str]) -> Iterator[str]:
    """Yield the SKUs that had a price before, and whose price now is none that can be used."""
    for one in built.unread:
        try:
            before = old.skus.entry(one.sku_id)
        except MissingDatum:
            continue
        names = {one.sku_id, before.kind, before.component}
        if before.tiers and not names & set(accepted):
            yield f"{one.sku_id} {one.description!a} had a price before: {one.reason} ({one.where})"


def write_snapshot(built: Built, folder: Path) -> SnapshotFile:
    """Write a snapshot into a folder, whole or not at all, and return it read back.

    Raises:
        InputError: If it cannot be written; an older one is then as it was.
    """
    target = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise InputError(f"{folder}: cannot be created: {exc.strerror or exc}") from exc
    with written_whole(target, is_own=True) as new:
        new.write_bytes(built.content)
    return SnapshotFile(target)
