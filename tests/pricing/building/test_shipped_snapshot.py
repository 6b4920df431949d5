"""The embedded snapshot is what `prices build` makes of the complete dump and the shared tables."""

from datetime import date
from pathlib import Path

from netplan_pricing.building.from_files import build_from_files
from netplan_pricing.container import EMBEDDED, FILE_NAME
from support.projects.shared_data import needs_shared, shared

CATALOG = "data/catalog/"
SKUS = ("skus_2026-04-30.json.gz",)
MACHINE_TYPES = ("machine_types.csv", "machine_type_regions.csv.gz", "machine_type_zones.csv.gz")
PRICES = ("prices.csv.gz", "component_prices.csv.gz", "../network/traffic_prices.csv")


@needs_shared
def test_the_shipped_snapshot_is_made_of_the_dump_byte_by_byte() -> None:
    def files(names: tuple[str, ...]) -> list[Path]:
        return [shared(CATALOG + name) for name in names]

    made = build_from_files(
        files(SKUS), files(MACHINE_TYPES), files(PRICES), today=date(2026, 11, 20)
    )
    # Not compared by ==, which would print both: a difference means that it is to be built again.
    is_same = made.content == (EMBEDDED / FILE_NAME).read_bytes()
    assert is_same, "build the embedded snapshot again: the facts or the builder have changed"
    assert made.unread == ()
