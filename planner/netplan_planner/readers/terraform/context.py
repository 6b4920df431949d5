"""What the reading of one Terraform document shares: its configuration, sources and notes."""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from netplan_planner.input_files import decode_json
from netplan_planner.model import SelfLink, Unread, Value, last_part
from netplan_planner.readers.collector import KUBERNETES_FIELDS, Collector, Origin
from netplan_planner.readers.terraform.attributes import Attributes, Unknowns
from netplan_planner.readers.terraform.layout import NULL, Contents, Entry
from netplan_planner.readers.terraform.machines import JsonObject
from netplan_planner.readers.terraform.providers import mapping
from netplan_planner.readers.terraform.references import Configuration
from netplan_planner.readers.terraform.types import Type

_INDEX = re.compile(r"\[\d+\]")


class Context:
    """A document while it is read, and the collector that takes what is found."""

    def __init__(self, contents: Contents, origin: Origin, into: Collector) -> None:
        self.into, self.file, self.at = into, origin.file, origin.at("")
        self.configuration = Configuration(
            _decoded(contents.configuration), _decoded(contents.variables)
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
            mapping(_decoded(entry.values)),
            mapping(_decoded(entry.unknown)) if is_told else None,
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


def _decoded(raw: msgspec.Raw) -> Any:
    return None if raw == NULL else decode_json(raw)
