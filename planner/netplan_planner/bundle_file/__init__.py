"""A bundle: named parts in one `.tar.zst` file, with a manifest of their hashes.

    first frame   a zstd frame that is skipped, with `netplan.bundle/1`
    rest          a tar file, packed by zstd: manifest.json, then the parts by name

So `tar --zstd -tf` lists one, and nobody has to unpack a file to see that it is one. The bytes
depend on the parts alone. A reader takes nothing but plain files whose names the manifest has, and
no more bytes than it says: nothing of a bundle is ever written to a path that stands in it.
"""

from pathlib import Path
from typing import TypeVar

import msgspec

from netplan_planner.bundle_file import archive
from netplan_planner.bundle_file.manifest import HEAD, NAME, Manifest
from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import decode_json, opened

__all__ = [
    "INVENTORY",
    "METRICS",
    "POD_TRAFFIC",
    "PRICES",
    "SUFFIX",
    "TRAFFIC",
    "is_bundle",
    "manifest_of",
    "part_of",
    "value_of",
]

SUFFIX = ".tar.zst"
_Held = TypeVar("_Held", bound=msgspec.Struct)
INVENTORY, TRAFFIC, PRICES = "inventory.json", "traffic.json", "prices.snapshot"
POD_TRAFFIC, METRICS = "pod-traffic.json", "metrics.json"
"""Names of the parts that netplan reads."""


def is_bundle(path: Path) -> bool:
    """Return whether a file begins as a bundle does; what cannot be read is none."""
    try:
        if not path.is_file():
            return False
        with opened(path) as file:
            head = file.read(8 + len(NAME) + 1)
    except OSError:
        return False
    return head[:4] == HEAD and head[8:] == f"{NAME}/".encode()


def manifest_of(path: Path) -> Manifest:
    """Return what a bundle says of itself.

    Raises:
        InputError: If it cannot be read, is damaged, or of another version.
    """
    return archive.manifest_of(path)


def part_of(path: Path, name: str, fields: tuple[str, ...] = ()) -> bytes | None:
    """Return a part of a bundle; None where it has none of that name.

    Args:
        path: The bundle.
        name: Of the part.
        fields: What this netplan knows of its JSON object; empty: not asked.

    Raises:
        InputError: If it cannot be read, is damaged, of another version, or holds fields that this
            netplan does not know.
    """
    return archive.part_of(path, name, fields)


def value_of(path: Path, name: str, kind: type[_Held]) -> _Held | None:
    """Return the value that a part of a bundle is; None where it has none of that name.

    Raises:
        InputError: As `part_of`, and if the part is no such value.
    """
    content = part_of(path, name, kind.__struct_fields__)
    if content is None:
        return None
    try:
        return decode_json(content, kind)
    except msgspec.DecodeError as exc:
        raise InputError(f"{inert_line(str(path))}: {name}: {exc}") from exc
