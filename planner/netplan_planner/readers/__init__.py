"""Readers: from files to one `Inventory`, whatever the format.

`read_inventory` reads files, `merge_inventories` joins what several readers found. Each format's
field names stay inside this package; the live API (`netplan_planner.google`) uses its collector.
"""

from netplan_planner.readers.collector import merge_inventories
from netplan_planner.readers.files import READERS, read_inventory, without_projects
from netplan_planner.readers.files import read_metrics as read_bundled_metrics
from netplan_planner.readers.terraform import is_plan, prior_state

__all__ = [
    "READERS",
    "is_plan",
    "merge_inventories",
    "prior_state",
    "read_bundled_metrics",
    "read_inventory",
    "without_projects",
]
