"""Compute API resources as JSON: pages, lists and single resources, from any tool.

The API's own pages, `gcloud … --format=json` and a Cloud Asset export carry the same resource
objects, so all of them end here. An envelope is `{"kind": "compute#instanceList", "items": […]}`,
`{"items": {"zones/z": {"instances": […]}}}`, a bare list, or a single resource.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from netplan_planner.model import SelfLink, canonical_link
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute.kinds import (
    BY_COLLECTION,
    BY_SINGULAR,
    KIND_PREFIX,
    Kind,
    Recognised,
    compute_collection,
    recognise,
)

name = "compute-json"

NO_RESULTS = "NO_RESULTS_ON_PAGE"
"""The usual content of most scopes of an aggregated list; not an error."""

_LONGEST_MESSAGE = 300


def read(value: object, origin: Origin, into: Collector) -> bool:
    """Take all Compute resources of a JSON document; return whether it is one of Compute's.

    Each resource's source is the origin and its JSON pointer.
    """
    if isinstance(value, list):
        return _read_items(value, origin, "", None, into)
    if not isinstance(value, dict):
        return False
    listed = _listed_kind(value)
    items = value.get("items")
    if listed is not None:
        _read_list(value, items, origin, listed, into)
        return True
    if isinstance(items, dict) and _are_scopes(items):
        _read_list(value, items, origin, Recognised(None, f"{KIND_PREFIX}resource"), into)
        return True
    if isinstance(items, list) and "apiVersion" not in value:
        return _read_items(items, origin, "/items", None, into)
    recognised = recognise(value)
    if recognised is not None:
        _take(value, recognised, origin, "", into)
    return recognised is not None


def _listed_kind(value: Mapping[str, Any]) -> Recognised | None:
    """Return what a list says it is a list of, by its `kind`; None when it is none of Compute's."""
    kind = value.get("kind")
    if not isinstance(kind, str) or not kind.startswith(KIND_PREFIX) or "result" in value:
        return None
    stem = kind.removesuffix("List").removesuffix("Aggregated")
    if stem == kind:
        return None
    singular = stem.removeprefix(KIND_PREFIX)
    regional = singular.removeprefix("region")
    name = singular if singular in BY_SINGULAR else regional[:1].lower() + regional[1:]
    return Recognised(BY_SINGULAR.get(name), stem[:100])


def _read_list(
    value: Mapping[str, Any], items: object, origin: Origin, listed: Recognised, into: Collector
) -> None:
    is_needed = listed.kind is not None
    if isinstance(items, dict):
        for scope, content in items.items():
            pointer = f"/items/{_escaped(scope)}"
            if isinstance(content, dict):
                is_needed |= not BY_COLLECTION.keys().isdisjoint(content)
                _read_scope(content, origin, pointer, into)
            else:
                into.note(origin.at(pointer), "not an object")
    elif isinstance(items, list):
        _read_items(items, origin, "/items", listed, into)
    elif items is not None:
        into.note(origin.at("/items"), "not a list or an object")
    if is_needed:
        _note_list(value, origin, into)


def _read_scope(content: Mapping[str, Any], origin: Origin, pointer: str, into: Collector) -> None:
    for collection, items in content.items():
        at = f"{pointer}/{_escaped(collection)}"
        if isinstance(items, list):
            listed = Recognised(BY_COLLECTION.get(collection), f"{KIND_PREFIX}{collection}"[:100])
            _read_items(items, origin, at, listed, into)
        elif items is not None and collection in BY_COLLECTION:
            into.note(origin.at(at), "not a list")
    note_warning(content.get("warning"), origin.at(pointer), into)


def _read_items(
    items: list[Any], origin: Origin, pointer: str, listed: Recognised | None, into: Collector
) -> bool:
    """Take a list's resources; False when none is one of Compute's and the list says nothing."""
    found = [recognise(item) if isinstance(item, dict) else None for item in items]
    if listed is None and not any(found):
        return False
    for index, (item, own) in enumerate(zip(items, found, strict=True)):
        recognised = own or listed
        if recognised is None:
            into.note(origin.at(f"{pointer}/{index}"), "not a Compute resource")
        else:
            _take(item, recognised, origin, f"{pointer}/{index}", into)
    return True


def _take(
    item: object, recognised: Recognised, origin: Origin, pointer: str, into: Collector
) -> None:
    if recognised.kind is None:
        into.skip(origin.file, recognised.label)
        return
    link = item.get("selfLink") if isinstance(item, dict) else None
    own_link = canonical_link(link) if isinstance(link, str) and link else None
    into.add_raw(recognised.kind, item, own_link, origin.at(pointer))


def read_parts(
    parts: Mapping[str, list[Any]], kind: Kind, origin: Origin, into: Collector
) -> list[SelfLink]:
    """Take the resources of an API page by their pointers, whatever the types of their fields.

    Returns their links.
    """
    links = []
    for pointer, items in parts.items():
        _read_items(items, origin, pointer, Recognised(kind, kind.collection), into)
        links += [str(item.get("selfLink")) for item in items if isinstance(item, dict)]
    return [canonical_link(link) for link in links]


def scope_pointer(scope: str, collection: str) -> str:
    """Return where the resources of a scope stand in an aggregated list.

    >>> scope_pointer("zones/us-east1-b", "instances")
    '/items/zones~1us-east1-b/instances'
    """
    return f"/items/{_escaped(scope)}/{collection}"


def _are_scopes(items: Mapping[str, Any]) -> bool:
    """Whether a mapping without `kind` is the content of an aggregated list."""
    return any(
        isinstance(content, dict)
        and (set(content) & BY_COLLECTION.keys() or _has_resources(content))
        for content in items.values()
    )


def _has_resources(content: Mapping[str, Any]) -> bool:
    return any(
        isinstance(item, dict) and recognise(item) is not None
        for items in content.values()
        if isinstance(items, list)
        for item in items[:1]
    )


def _note_list(value: Mapping[str, Any], origin: Origin, into: Collector) -> None:
    """Note what a list says of its own completeness."""
    token = value.get("nextPageToken")
    key = value.get("selfLink") or value.get("id") or origin.prefix
    into.page(str(key), origin.file, is_last=not token)
    note_warning(value.get("warning"), origin.file, into)
    for text in unreachable(value.get("unreachables")):
        into.note(origin.file, f"incomplete: {text} unreachable")


def note_warning(warning: object, source: str, into: Collector) -> None:
    """Note a warning that says that results are missing."""
    text = warning_text(warning)
    if text:
        into.note(source, f"incomplete: {text}")


def warning_text(warning: object) -> str | None:
    """Return what an API warning says, None when it is only that a scope is empty."""
    if warning is None:
        return None
    if not isinstance(warning, dict):
        return "a warning that is not an object"
    if warning.get("code") == NO_RESULTS:
        return None
    text = f"{warning.get('code', 'warning')}: {warning.get('message', '')}"
    return text[:_LONGEST_MESSAGE]


def unreachable(places: object) -> Iterator[str]:
    """Yield the places that a list could not reach."""
    for place in places if isinstance(places, list) else () if places is None else (places,):
        text = str(place)
        collection = compute_collection(text)
        yield (canonical_link(text) if collection else text)[:_LONGEST_MESSAGE]


def _escaped(key: str) -> str:
    """Return a key as a JSON pointer spells it (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
