"""Readers: from files to one `Inventory`, whatever the format.

`read_inventory` reads files, `merge_inventories` joins what several readers found. Each format's
field names stay inside this package; the live API (`netplan_planner.google`) uses its collector.
"""

from netplan_planner.readers import http_log
from netplan_planner.readers.collector import merge_inventories
from netplan_planner.readers.files import READERS, read_inventory

READER_NAMES = (*READERS, http_log.name)
"""Every kind of file that an inventory comes from."""

__all__ = ["READERS", "READER_NAMES", "merge_inventories", "read_inventory"]
