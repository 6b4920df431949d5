"""The inventory and the metrics of a bundle of `netplan collect`: values as they were read."""

from pathlib import Path

from netplan_planner.bundle_file import INVENTORY, METRICS, value_of
from netplan_planner.model import Inventory, Metrics

name = "bundle"


def read(path: Path) -> Inventory | None:
    """Return the inventory of a bundle; None where it has none.

    Raises:
        InputError: If the bundle cannot be read, is damaged, or of another version.
    """
    return value_of(path, INVENTORY, Inventory)


def read_metrics(path: Path) -> Metrics | None:
    """Return the metrics of a bundle; None where it has none.

    Raises:
        InputError: If the bundle cannot be read, is damaged, or of another version.
    """
    return value_of(path, METRICS, Metrics)
