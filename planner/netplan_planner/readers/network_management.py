"""Configurations of flow logs, as the Network Management API and `gcloud` list them.

`gcloud network-management vpc-flow-logs-configs list --format=json` prints a bare list, the API
`{"vpcFlowLogsConfigs": […]}`, a Cloud Asset export wraps each one as an asset. A configuration is
known by its name, which is its whole path; it has no self link and no kind.
"""

from collections.abc import Mapping
from typing import Any

from netplan_planner.model import SelfLink
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute.kinds import FLOW_LOGS_CONFIGURATION
from netplan_planner.readers.compute_json import unreachable

name = "network-management"

COLLECTION = FLOW_LOGS_CONFIGURATION.collection
ASSET_TYPE = "networkmanagement.googleapis.com/VpcFlowLogsConfig"

_ANSWER_KEYS = frozenset({COLLECTION, "nextPageToken", "unreachable"})


def read(value: object, origin: Origin, into: Collector) -> bool:
    """Take the configurations of a JSON document; return whether it is a list of them, or one."""
    if isinstance(value, dict) and _is_answer(value):
        take_answer(value, origin, into)
        return True
    items = value if isinstance(value, list) else [value]
    if not any(_name_of(item) for item in items):
        return False
    for index, item in enumerate(items):
        _take(item, origin, f"/{index}" if isinstance(value, list) else "", into)
    return True


def take_answer(value: Mapping[str, Any], origin: Origin, into: Collector) -> None:
    """Take a page of the API's list, and what it says of its own completeness."""
    for index, item in enumerate(value.get(COLLECTION) or ()):
        _take(item, origin, f"/{COLLECTION}/{index}", into)
    into.page(origin.prefix, origin.file, is_last=not value.get("nextPageToken"))
    for place in unreachable(value.get("unreachable")):
        into.note(origin.file, f"incomplete: {place} could not be reached")


def take_asset(data: Mapping[str, Any], origin: Origin, pointer: str, into: Collector) -> None:
    """Take the resource data of an asset."""
    _take(data, origin, pointer, into)


def _is_answer(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get(COLLECTION), list) and value.keys() <= _ANSWER_KEYS


def _take(item: object, origin: Origin, pointer: str, into: Collector) -> None:
    found = _name_of(item)
    if found:
        into.add_raw(FLOW_LOGS_CONFIGURATION, item, SelfLink(found), origin.at(pointer))
    else:
        into.note(origin.at(pointer), "not a configuration of flow logs")


def _name_of(item: object) -> str:
    """Return the name of a configuration: `…/locations/global/vpcFlowLogsConfigs/NAME`."""
    stated = item.get("name") if isinstance(item, dict) else None
    if not isinstance(stated, str):
        return ""
    parts = stated.split("/")
    is_one = len(parts) == 6 and parts[4] == COLLECTION
    return stated if is_one and parts[0] in {"projects", "organizations"} else ""
