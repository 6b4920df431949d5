"""Recommendations of machine types, as `gcloud` and the Recommender API list them.

`gcloud recommender recommendations list --format=json`, with
`--recommender=google.compute.instance.MachineTypeRecommender`, prints a bare list, the API
`{"recommendations": [...]}`. A recommendation is known by its name, which is its whole path; of
other recommenders' none is kept.
"""

from typing import Any

from netplan_planner.model import SelfLink, canonical_link
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute.kinds import RECOMMENDATION

name = "recommender"

COLLECTION = RECOMMENDATION.collection
_SUBTYPE = "CHANGE_MACHINE_TYPE"
_ANSWER_KEYS = frozenset({COLLECTION, "nextPageToken"})
_PATH, _INSTANCE = "/machineType", "compute.googleapis.com/Instance"
_PARTS = 8


def read(value: object, origin: Origin, into: Collector) -> bool:
    """Take the recommendations of a JSON document; return whether it is a list of them, or one."""
    is_answer = isinstance(value, dict) and value.keys() <= _ANSWER_KEYS and COLLECTION in value
    listed = value[COLLECTION] if is_answer and isinstance(value, dict) else value
    items = listed if isinstance(listed, list) else [listed]
    if not is_answer and not any(_name_of(item) for item in items):
        return False
    for index, item in enumerate(items):
        pointer = f"/{COLLECTION}/{index}" if is_answer else f"/{index}"
        _take(item, origin, pointer if isinstance(listed, list) else "", into)
    if is_answer and isinstance(value, dict):
        into.page(origin.prefix, origin.file, is_last=not value.get("nextPageToken"))
    return True


def _take(item: object, origin: Origin, pointer: str, into: Collector) -> None:
    found = _name_of(item)
    if not found or not isinstance(item, dict):
        into.note(origin.at(pointer), "not a recommendation")
    elif item.get("recommenderSubtype") != _SUBTYPE:
        into.skip(origin.file, f"recommendation {str(item.get('recommenderSubtype'))[:60]}")
    else:
        instance, machine_type = _change(item)
        if not instance or not machine_type:
            into.note(origin.at(pointer), "it names no VM or no machine type")
            return
        # The name has the number of the project, the machine's link its id.
        parts = [*canonical_link(instance).split("/")[:2], *found.split("/")[2:]]
        raw = item | {"instance": instance, "machineType": machine_type}
        into.add_raw(RECOMMENDATION, raw, SelfLink("/".join(parts)), origin.at(pointer))


def _change(item: dict[str, Any]) -> tuple[str, str]:
    """Return the machine and the type that the operations of a recommendation set; empty: none."""
    content = item.get("content")
    groups = content.get("operationGroups") if isinstance(content, dict) else None
    for group in groups if isinstance(groups, list) else ():
        operations = group.get("operations") if isinstance(group, dict) else None
        for one in operations if isinstance(operations, list) else ():
            if not isinstance(one, dict) or one.get("action") != "replace":
                continue
            resource, value = one.get("resource"), one.get("value")
            is_it = one.get("path") == _PATH and one.get("resourceType") == _INSTANCE
            if is_it and isinstance(resource, str) and isinstance(value, str):
                link = resource.partition("//compute.googleapis.com/")[2]
                return link, value.rpartition("/")[2]
    return "", ""


def _name_of(item: object) -> str:
    """Return the name: `projects/P/locations/Z/recommenders/R/recommendations/ID`."""
    stated = item.get("name") if isinstance(item, dict) else None
    if not isinstance(stated, str):
        return ""
    parts = stated.split("/")
    is_one = len(parts) == _PARTS and (parts[4], parts[6]) == ("recommenders", COLLECTION)
    return stated if is_one else ""
