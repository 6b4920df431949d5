"""Terraform plans and states, as `terraform show -json` writes them, and `terraform.tfstate`.

A plan is read as what there is to be once it is applied: what it destroys is not there, and what
it does not change is. The source of a resource is its file and address:
`plan.json: module.a["x"].google_compute_instance.vm[0]`.
"""

import msgspec

from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.terraform.layout import Refused as Refused
from netplan_planner.readers.terraform.layout import contents_of
from netplan_planner.readers.terraform.reading import take
from netplan_planner.readers.terraform.sensitive import without_sensitive
from netplan_planner.units import counted

name = "terraform"

_KEYS = frozenset(
    {"format_version", "terraform_version", "planned_values", "resource_changes", "lineage"}
)
_SIGNS = tuple(f'"{key}"'.encode() for key in sorted(_KEYS))
_HEAD_BYTES = 4096


def read(value: object, origin: Origin, into: Collector) -> bool:
    """Take the resources of a JSON document; return whether it is one of Terraform's.

    Raises:
        Refused: If it is of a version that is not read.
    """
    if not isinstance(value, dict) or _KEYS.isdisjoint(value):
        return False
    try:
        return _read(msgspec.json.encode(value), origin, into)
    except RecursionError:
        return False


def read_whole(data: bytes, origin: Origin, into: Collector) -> bool:
    """Do the same for a whole file, of which only what is needed is decoded.

    False also for a damaged one: whoever reads it the usual way finds where.

    Raises:
        Refused: If it is of a version that is not read.
    """
    if not any(sign in data[:_HEAD_BYTES] for sign in _SIGNS):
        return False
    return _read(data, origin, into)


def _read(data: bytes, origin: Origin, into: Collector) -> bool:
    found = Collector()
    try:
        contents = contents_of(data, origin, found)
        if contents is not None:
            kept, count = without_sensitive(contents)
            if count:
                reason = f"{counted(count, 'value')} not read: Terraform marks them as sensitive"
                found.note(origin.at(""), reason, is_needless=True)
            take(kept, origin, found)
    except (msgspec.MsgspecError, RecursionError):
        return False
    into.merge(found)
    return contents is not None
