"""Resources of APIs that know them by their whole path, `projects/P/locations/L/COLLECTION/NAME`.

Configurations of flow logs (Network Management API), hubs and spokes of Network Connectivity
Center. `gcloud … list --format=json` prints a bare list, the API `{"spokes": […]}`, a Cloud Asset
export wraps each one as an asset. They have no self link and no kind.
"""

from collections.abc import Mapping
from typing import Any

from netplan_planner.model import SelfLink
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute.kinds import FLOW_LOGS_CONFIGURATION, HUB, SPOKE, Kind
from netplan_planner.readers.compute_json import unreachable

name = "located"

ASSET_TYPES: Mapping[str, Kind] = {
    "networkmanagement.googleapis.com/VpcFlowLogsConfig": FLOW_LOGS_CONFIGURATION,
    "networkconnectivity.googleapis.com/Hub": HUB,
    "networkconnectivity.googleapis.com/Spoke": SPOKE,
}

_KINDS = {kind.collection: kind for kind in ASSET_TYPES.values()}
_ANSWER_KEYS = frozenset({*_KINDS, "nextPageToken", "unreachable"})


def read(value: object, origin: Origin, into: Collector) -> bool:
    """Take such resources of a JSON document; return whether it is a list of them, or one."""
    kind = _kind_of_answer(value)
    if kind is not None and isinstance(value, dict):
        take_answer(kind, value, origin, into)
        return True
    items = value if isinstance(value, list) else [value]
    found = next(filter(None, map(_kind_of, items)), None)
    if found is None:
        return False
    for index, item in enumerate(items):
        pointer = f"/{index}" if isinstance(value, list) else ""
        take(_kind_of(item) or found, item, origin, pointer, into)
    return True


def take_answer(kind: Kind, value: Mapping[str, Any], origin: Origin, into: Collector) -> None:
    """Take a page of the API's list, and what it says of its own completeness."""
    for index, item in enumerate(value.get(kind.collection) or ()):
        take(kind, item, origin, f"/{kind.collection}/{index}", into)
    into.page(origin.prefix, origin.file, is_last=not value.get("nextPageToken"))
    for place in unreachable(value.get("unreachable")):
        into.note(origin.file, f"incomplete: {place} unreachable")


def take(kind: Kind, item: object, origin: Origin, pointer: str, into: Collector) -> None:
    """Take one resource of a kind."""
    if _kind_of(item) is kind and isinstance(item, dict):
        into.add_raw(kind, item, SelfLink(item["name"]), origin.at(pointer))
    else:
        into.note(origin.at(pointer), f"not one of {kind.collection}")


def _kind_of_answer(value: object) -> Kind | None:
    if not isinstance(value, dict) or not value.keys() <= _ANSWER_KEYS:
        return None
    held = [kind for key, kind in _KINDS.items() if isinstance(value.get(key), list)]
    return held[0] if len(held) == 1 else None


def _kind_of(item: object) -> Kind | None:
    """Return what the name of a resource says that it is, None for any other object."""
    stated = item.get("name") if isinstance(item, dict) else None
    parts = stated.split("/") if isinstance(stated, str) else []
    is_one = len(parts) == 6 and parts[2] == "locations" and parts[0] in _PARENTS
    return _KINDS.get(parts[4]) if is_one else None


_PARENTS = frozenset({"projects", "organizations"})
