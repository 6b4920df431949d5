"""Build the price snapshot that netplan ships, from a folder of price tables.

    python pricing/scripts/build_snapshot.py TABLES [--out FOLDER]

TABLES holds two folders. `catalog`: machine_types.csv, machine_type_regions.csv.gz,
machine_type_zones.csv.gz, prices.csv.gz, component_prices.csv.gz, network_prices.csv.gz,
tier1_network_prices.csv, sustained_use_discounts.csv. `network`: traffic_prices.csv,
network_sku_ids.csv. pricing/README.md says what each must hold and what goes before what.

The result is `prices.snapshot` in FOLDER (by default that of the package), written whole or not at
all. Equal tables give equal bytes. Exit status 3 and no file if a table cannot be trusted.
"""

import argparse
import sys
from pathlib import Path

from netplan_planner.errors import NetplanError
from netplan_pricing.building.assemble import FACTS, build_snapshot
from netplan_pricing.container import EMBEDDED, FILE_NAME, SnapshotFile, write_whole


def main() -> int:
    """Build the snapshot and print what is in it; return the exit status."""
    parser = argparse.ArgumentParser(description="Build the price snapshot from price tables.")
    parser.add_argument("tables", type=Path, help="folder with `catalog` and `network`")
    parser.add_argument("--out", type=Path, default=EMBEDDED, help="folder of the snapshot")
    parser.add_argument("--facts", type=Path, default=FACTS, help="folder of hand-kept tables")
    options = parser.parse_args()
    target = options.out / FILE_NAME
    try:
        content = build_snapshot(
            options.tables / "catalog", options.tables / "network", options.facts
        )
        write_whole(target, content)
        built = SnapshotFile(target)
    except (NetplanError, OSError) as error:
        print(f"build_snapshot: {error}", file=sys.stderr)
        return 3
    for note in built.header.sources:
        print(f"{note.rows:>6}  {note.table:<17} {note.as_of}  {note.source}")
    print(f"{built.header.row_count:>6}  rows, {len(content):,} bytes, SHA-256 {built.sha256}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
