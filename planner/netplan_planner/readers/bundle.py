"""The inventory of a bundle of `netplan collect`: values as they were read."""

from pathlib import Path

import msgspec

from netplan_planner.bundle_file import INVENTORY, part_of
from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import decode_json
from netplan_planner.model import Inventory

name = "bundle"


def read(path: Path) -> Inventory | None:
    """Return the inventory of a bundle; None where it has none.

    Raises:
        InputError: If the bundle cannot be read, is damaged, or of another version.
    """
    content = part_of(path, INVENTORY, Inventory.__struct_fields__)
    if content is None:
        return None
    try:
        return decode_json(content, Inventory)
    except msgspec.DecodeError as exc:
        raise InputError(f"{inert_line(str(path))}: {INVENTORY}: {exc}") from exc
