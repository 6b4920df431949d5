"""The links of Terraform's resources: stated, or put together of project, place and name."""

from typing import Any

import msgspec

from netplan_planner.input_files import JsonDecoder
from netplan_planner.model import UNKNOWN_PROJECT, SelfLink, canonical_link, last_part
from netplan_planner.readers.kubernetes.gke import CLUSTERS, cluster_link
from netplan_planner.readers.links import Unusable
from netplan_planner.readers.terraform.attributes import SENSITIVE
from netplan_planner.readers.terraform.layout import NULL, Entry
from netplan_planner.readers.terraform.references import Configuration
from netplan_planner.readers.terraform.sensitive import WITHHELD
from netplan_planner.readers.terraform.types import Type

_SINGULAR = {
    "zones": ("zone",),
    "regions": ("region",),
    # Clusters had these two before they had a location, and take the provider's zone.
    "locations": ("location", "region", "zone"),
}


class _Place(msgspec.Struct, gc=False):
    self_link: Any = None
    id: Any = None
    name: Any = None
    project: Any = None
    zone: Any = None
    region: Any = None
    location: Any = None
    vpc_flow_logs_config_id: Any = None


_PLACE = JsonDecoder(_Place)


def link_of_entry(entry: Entry, kind: Type, configuration: Configuration) -> SelfLink:
    """Return the link of a resource that may not be made yet.

    A name that is not known yet is the address in parentheses, which no name can have.

    Raises:
        Unusable: If nothing says in which zone or region it is.
    """
    place = _place(entry)
    for stated in (place.self_link, place.id):
        if isinstance(stated, str) and f"/{kind.collection}/" in stated:
            return cluster_link(stated) if kind.collection == CLUSTERS else canonical_link(stated)
    project = _text(place.project)
    if project is None and _is_open(entry, "project", configuration):
        project = configuration.provider_default(entry, "project")
    name = _text(place.name) or _text(place.vpc_flow_logs_config_id)
    own = last_part(name) if name else f"({entry.address.replace('/', '%2F')})"
    head = f"projects/{project or UNKNOWN_PROJECT}"
    if last_part(kind.scope) == "global":
        return SelfLink(f"{head}/{kind.scope}/{kind.collection}/{own}")
    where = _where(place, kind, entry, configuration)
    return SelfLink(f"{head}/{kind.scope}/{last_part(where)}/{kind.collection}/{own}")


def where_of(entry: Entry, kind: Type, configuration: Configuration) -> str:
    """Return the zone, region or location of a resource: its own, else its provider's.

    Raises:
        Unusable: If neither is known.
    """
    return _where(_place(entry), kind, entry, configuration)


def _place(entry: Entry) -> _Place:
    try:
        return _PLACE.decode(entry.values)
    except msgspec.MsgspecError as exc:
        raise Unusable(f"no attributes: {exc}") from exc


def _where(place: _Place, kind: Type, entry: Entry, configuration: Configuration) -> str:
    names = _SINGULAR[kind.scope]
    own = next((text for name in names if (text := _text(getattr(place, name)))), None)
    if own:
        return own
    for name in names:
        if not _is_open(entry, name, configuration):
            why = SENSITIVE if _is_withheld(entry, name) else "known after apply"
            raise Unusable(f"its {name} is {why}")
    where, why = configuration.default(entry, names[-1])
    if not where:
        raise Unusable(f"its {names[0]} is not known{': ' if why else ''}{why}")
    return where


def _is_open(entry: Entry, name: str, configuration: Configuration) -> bool:
    """Whether the provider's value is meant where the resource has none."""
    return configuration.is_left_open(entry, name) and not _is_withheld(entry, name)


def _is_withheld(entry: Entry, name: str) -> bool:
    return entry.unknown != NULL and getattr(_PLACE.decode(entry.unknown), name) == WITHHELD


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
