"""Readers: from files and the live API to one `Inventory`, whatever the format.

`read_inventory` reads files, `read_projects` the live API, `merge_inventories` joins them. Each
format's field names stay inside this package. Google's client and `requests` are imported when a
project is read, not before.
"""

from netplan_planner.readers import api, http_log
from netplan_planner.readers.api import read_projects
from netplan_planner.readers.api_options import ApiOptions
from netplan_planner.readers.collector import merge_inventories
from netplan_planner.readers.files import READERS, read_inventory

READER_NAMES = (*READERS, http_log.name, api.name)
"""Every source of an inventory, files first."""

__all__ = [
    "READERS",
    "READER_NAMES",
    "ApiOptions",
    "merge_inventories",
    "read_inventory",
    "read_projects",
]
