"""What the reading of one Terraform document shares, and the links of its resources."""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from netplan_planner.input_files import decode_json
from netplan_planner.model import (
    UNKNOWN_PROJECT,
    SelfLink,
    Unread,
    Value,
    canonical_link,
    last_part,
)
from netplan_planner.readers.collector import KUBERNETES_FIELDS, Collector, Origin
from netplan_planner.readers.kubernetes.gke import CLUSTERS, cluster_link
from netplan_planner.readers.links import Unusable
from netplan_planner.readers.terraform.attributes import SENSITIVE, Attributes, Unknowns
from netplan_planner.readers.terraform.layout import NULL, Contents, Entry
from netplan_planner.readers.terraform.machines import JsonObject
from netplan_planner.readers.terraform.providers import mapping
from netplan_planner.readers.terraform.references import Configuration
from netplan_planner.readers.terraform.sensitive import WITHHELD, decoded
from netplan_planner.readers.terraform.types import OF_PROJECT, Type

_INDEX = re.compile(r"\[\d+\]")


class Context:
    """A document while it is read, and the collector that takes what is found."""

    def __init__(self, contents: Contents, origin: Origin, into: Collector) -> None:
        self.into, self.file, self.at = into, origin.file, origin.at("")
        self.configuration = Configuration(
            decoded(contents.configuration), decoded(contents.variables)
        )
        self._is_plan = contents.is_plan
        self._chosen: dict[str, set[str]] = {}

    def source(self, entry: Entry) -> str:
        """Return file and address of a resource."""
        return f"{self.at}: {entry.address}"

    def attributes(self, entry: Entry, notes: Unknowns) -> Attributes:
        """Return the attributes of a resource."""
        is_told = not self._is_plan or entry.unknown != NULL
        configuration = self.configuration
        return Attributes(
            mapping(decoded(entry.values)),
            mapping(decoded(entry.unknown)) if is_told else None,
            configuration.expressions(entry),
            lambda expression: configuration.links(entry, expression),
            notes,
        )

    def add(
        self,
        entry: Entry,
        kind: Type,
        link: SelfLink,
        raw: JsonObject,
        finish: Callable[[Any], Value] | None = None,
    ) -> None:
        """Give a resource in the API's words to the collector."""
        if kind.kind is not None:
            raw["name"] = last_part(link)
            if kind.kind.field in KUBERNETES_FIELDS:
                self.into.listed.add(kind.kind.field)
            self.into.add_raw(kind.kind, raw, link, self.source(entry), finish)

    def note(self, entry: Entry, reason: str, link: SelfLink | None = None) -> None:
        """Note that a resource, or a part of it, is not read."""
        self.into.note(self.source(entry), reason, link or entry.address)

    def note_unknown(self, entry: Entry, link: SelfLink | None, notes: Unknowns) -> None:
        """Note what of a resource is known after apply.

        What nobody asked for and Google chooses when it makes the resource is named once.
        """
        for field, reason in notes.asked:
            self.into.unread.add(
                Unread(source=self.source(entry), resource=link, field=field, reason=reason)
            )
        if notes.chosen:
            fields = {_INDEX.sub("", field) for field in notes.chosen}
            self._chosen.setdefault(entry.type, set()).update(fields)

    def note_chosen(self) -> None:
        """Note by type of resource which fields are known after apply."""
        for kind, fields in sorted(self._chosen.items()):
            reason = f"{kind}: known after apply: {', '.join(sorted(fields))}"
            self.into.note(self.at, reason, is_needless=True)


# The links of Terraform's resources: stated, or put together of project, place and name


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
    if kind.scope == OF_PROJECT:
        return SelfLink(head)
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
        return decode_json(entry.values, _Place)
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
        raise Unusable(f"its {names[0]} is unknown{': ' if why else ''}{why}")
    return where


def _is_open(entry: Entry, name: str, configuration: Configuration) -> bool:
    """Whether the provider's value is meant where the resource has none."""
    return configuration.is_left_open(entry, name) and not _is_withheld(entry, name)


def _is_withheld(entry: Entry, name: str) -> bool:
    return entry.unknown != NULL and getattr(decode_json(entry.unknown, _Place), name) == WITHHELD


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
