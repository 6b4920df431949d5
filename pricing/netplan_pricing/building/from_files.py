"""A snapshot from files: dumps of the catalogue, machine types, and tables of other sources."""

from collections.abc import Iterable
from pathlib import Path

from netplan_pricing.building.assemble import FACTS, Built, build_snapshot
from netplan_pricing.building.csv_tables import Sources
from netplan_pricing.building.machine_inputs import MachineInputs
from netplan_pricing.building.other_tables import read_tables
from netplan_pricing.catalogue.dumps import read_dump, require_complete
from netplan_pricing.catalogue.priced import MOST_UNRECOGNISED_RATIO, price_catalogue
from netplan_pricing.container import FILE_NAME, SnapshotFile, write_whole


def build_from_files(
    skus: Iterable[Path],
    machine_types: Iterable[Path],
    price_tables: Iterable[Path] = (),
    *,
    most_unrecognised_ratio: float = MOST_UNRECOGNISED_RATIO,
    facts: Path = FACTS,
) -> Built:
    """Return the snapshot that files make.

    Args:
        skus: Dumps of `services.skus.list`, of both services.
        machine_types: Answers of the Compute API, or tables of types, regions and zones.
        price_tables: CSV tables of machine prices, component rates or page prices.
        most_unrecognised_ratio: Of the SKUs of one resource group, 0 to 1.
        facts: Folder of the hand-kept tables.

    Raises:
        InputError: If a file cannot be read, or no snapshot can be made from them.
    """
    dump = read_dump(skus)
    require_complete(dump)
    catalogue = price_catalogue(dump, most_unrecognised_ratio=most_unrecognised_ratio)
    sources = Sources(facts / "sources.csv")
    machines = MachineInputs(sources, facts)
    for path in machine_types:
        machines.read(path, catalogue.as_of.isoformat())
    return build_snapshot(catalogue, machines.tables(), read_tables(price_tables, sources), facts)


def write_snapshot(built: Built, folder: Path) -> SnapshotFile:
    """Write a snapshot into a folder, whole or not at all, and return it read back."""
    target = folder / FILE_NAME
    write_whole(target, built.content)
    return SnapshotFile(target)
