"""Gathers what readers find and makes one `Inventory` of it, in an order of its own.

The result depends on what was found and where, never on the order of files, pages or threads.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from netplan_planner import model
from netplan_planner.model.project.kubernetes import Kubernetes
from netplan_planner.readers import repeated
from netplan_planner.readers.compute.groups import on_nodes
from netplan_planner.readers.compute.instances import machine_shape
from netplan_planner.readers.compute.kinds import Kind
from netplan_planner.readers.compute.lenient import convert_leniently
from netplan_planner.readers.compute.networks import with_addresses, with_default_tiers
from netplan_planner.readers.links import Problems, Unusable, canonical_head, place_of

REFERENCED_FIELDS = (
    *("instances", "subnetworks", "networks", "addresses", "forwarding_rules"),
    *("project_settings", "routers", "routes"),
    *("vpn_tunnels", "vlan_attachments", "hubs", "spokes"),
    *("instance_groups", "commitments", "disks"),
    *("resource_policies", "node_groups", "node_templates"),
    "flow_log_configurations",
    # Of Google's Recommender.
    "type_recommendations",
)
"""The fields of `Inventory` whose values have a reference."""

KUBERNETES_FIELDS = Kubernetes.__struct_fields__
"""The fields of `Kubernetes`; their values have a reference too."""

_GROUPS, _MACHINES = "instance_groups", "instances"
_OF_PROJECTS = ("clusters", "node_pools")
"""Of the fields of `Kubernetes` those whose values stand in a project."""


class Origin(NamedTuple):
    """A JSON document in a file: the file, and what stands before a pointer into the document."""

    file: str
    prefix: str

    def at(self, pointer: str) -> str:
        """Return where a JSON pointer of the document leads, with the file."""
        return self.prefix + pointer if pointer else self.prefix.rstrip(":")


class _State(NamedTuple):
    """A state of something, from when on, and what takes it."""

    since: datetime
    take: "Callable[[Collector], None]"


class Collector:
    """Everything read so far. Not safe for threads: each thread fills its own, then `merge`."""

    def __init__(self) -> None:
        self.found: dict[str, list[Any]] = {
            field: [] for field in (*REFERENCED_FIELDS, *KUBERNETES_FIELDS)
        }
        self.listed: set[str] = set()
        """The fields of `Kubernetes` of which a list or an object was met, an empty list too."""
        self.shapes: list[model.MachineShape] = []
        self.unread: set[model.Unread] = set()
        self.errors: dict[model.ProjectId, set[str]] = {}
        self._skipped: Counter[tuple[str, str]] = Counter()
        self._open_lists: dict[str, set[str]] = {}
        self._ended_lists: set[str] = set()
        self._problems: Problems = []
        self._members: dict[model.SelfLink, set[model.SelfLink]] = {}
        self._states: dict[str, _State] = {}

    def add(self, kind: Kind, wires: Iterable[Any], source: str) -> list[model.SelfLink]:
        """Take resources in wire form and return their links; what they lack is noted."""
        links: list[model.SelfLink] = []
        problems, convert = self._problems, kind.convert
        take = self.found.get(kind.field, []).append
        for wire in wires:
            link: Any = None
            try:
                if wire.self_link:
                    head, _, name = wire.self_link.rpartition("/")
                    link = canonical_head(head) + name
                else:
                    link = link_of(wire, kind)
                links.append(link)
                if convert is None:
                    self._add_shape(wire, link)
                else:
                    take(convert(wire, model.ResourceRef(self_link=link, source=source), problems))
            except Unusable as exc:
                self.unread.add(model.Unread(source=source, resource=link, reason=str(exc)))
            if problems:
                self._note_fields(source, link)
        return links

    def add_as(self, kind: Kind, wire: Any, link: model.SelfLink, source: str) -> None:
        """Take one resource in wire form whose link its reader knows; what it lacks is noted."""
        try:
            if kind.convert is not None:
                ref = model.ResourceRef(self_link=link, source=source)
                self.found[kind.field].append(kind.convert(wire, ref, self._problems))
        except Unusable as exc:
            self.unread.add(model.Unread(source=source, resource=link, reason=str(exc)))
        if self._problems:
            self._note_fields(source, link)

    def _add_shape(self, wire: Any, link: model.SelfLink) -> None:
        self.shapes.append(machine_shape(wire, place_of(link)[3], self._problems))

    def add_raw(
        self,
        kind: Kind,
        raw: object,
        link: model.SelfLink | None,
        source: str,
        finish: Callable[[Any], model.Value] | None = None,
    ) -> None:
        """Take one resource as decoded JSON, whatever the types of its fields.

        Args:
            kind: Of the resource.
            raw: The resource in the API's words.
            link: Its own, where it does not state it.
            source: Where it was read.
            finish: Gives its value what its own JSON does not say.
        """
        own = link
        try:
            wire: Any = convert_leniently(raw, kind.wire, self._problems)
            own = link or link_of(wire, kind)
            if kind.convert is None:
                self._add_shape(wire, own)
            else:
                ref = model.ResourceRef(self_link=own, source=source)
                value = kind.convert(wire, ref, self._problems)
                self.found[kind.field].append(finish(value) if finish else value)
        except Unusable as exc:
            self.unread.add(model.Unread(source=source, resource=own, reason=str(exc)))
        self._note_fields(source, own)

    def _note_fields(self, source: str, link: str | None) -> None:
        for field, reason in self._problems:
            self.unread.add(model.Unread(source=source, resource=link, field=field, reason=reason))
        self._problems.clear()

    def note(
        self, source: str, reason: str, resource: str | None = None, *, is_needless: bool = False
    ) -> None:
        """Note something in the input that was not read."""
        self.unread.add(
            model.Unread(source=source, reason=reason, resource=resource, is_needless=is_needless)
        )

    def skip(self, source: str, label: str, count: int = 1) -> None:
        """Count resources of a kind that the audit does not need."""
        self._skipped[source, label] += count

    def member(self, group: model.SelfLink, member: model.SelfLink) -> None:
        """Note that a machine is in an instance group, which is read elsewhere."""
        self._members.setdefault(group, set()).add(member)

    def state(self, name: str, since: datetime, take: Callable[["Collector"], None]) -> None:
        """Note one of several states of something: the latest is taken when all are known.

        Of two that begin at one time, the first that was read counts.
        """
        held = self._states.get(name)
        if held is None or since > held.since:
            self._states[name] = _State(since, take)

    def error(self, project: model.ProjectId, text: str) -> None:
        """Note that a part of a project could not be read."""
        self.errors.setdefault(project, set()).add(text)

    def page(self, key: str, source: str, *, is_last: bool) -> None:
        """Note a page of a list, to find lists whose last page is missing."""
        if is_last:
            self._ended_lists.add(key)
        else:
            self._open_lists.setdefault(key, set()).add(source)

    @property
    def resource_count(self) -> int:
        """How many resources have been read, repeated ones included."""
        found = sum(len(values) for values in self.found.values())
        return found + len(self.shapes) + len(self._states)

    @property
    def has_inventory(self) -> bool:
        """Whether anything was recognised as part of an inventory, an empty list included."""
        return bool(self.resource_count or self.listed or self._ended_lists or self._open_lists)

    def unmanaged_groups(self) -> list[model.InstanceGroup]:
        """Return the groups read so far that no manager read so far names, by self link."""
        groups: list[model.InstanceGroup] = self.found[_GROUPS]
        marked = repeated.managed(tuple({group.ref.self_link: group for group in groups}.values()))
        return sorted((g for g in marked if not g.is_managed), key=lambda g: g.ref.self_link)

    def merge(self, other: "Collector") -> None:
        """Take over all that another one holds."""
        for field, values in other.found.items():
            self.found[field].extend(values)
        self.listed |= other.listed
        self.shapes.extend(other.shapes)
        self.unread |= other.unread
        for project, texts in other.errors.items():
            self.errors.setdefault(project, set()).update(texts)
        self._skipped += other._skipped
        self._ended_lists |= other._ended_lists
        for key, sources in other._open_lists.items():
            self._open_lists.setdefault(key, set()).update(sources)
        for group, members in other._members.items():
            self._members.setdefault(group, set()).update(members)
        for name, state in other._states.items():
            self.state(name, state.since, state.take)

    def take(self, inventory: model.Inventory) -> None:
        """Take over an inventory that is finished already."""
        for field in REFERENCED_FIELDS:
            values = getattr(inventory, field)
            self.found[field].extend(map(repeated.unmarked, values) if field == _GROUPS else values)
        for field in KUBERNETES_FIELDS if inventory.kubernetes is not None else ():
            values = getattr(inventory.kubernetes, field)
            if values is not None:
                self.listed.add(field)
                self.found[field].extend(values)
        self.shapes.extend(inventory.machine_shapes)
        self.unread.update(inventory.unread)
        for project in inventory.projects:
            self.errors.setdefault(project.project, set()).update(project.errors)

    def inventory(self) -> model.Inventory:
        """Return all of it, sorted, each resource once."""
        for _, state in sorted(self._states.items()):
            state.take(self)
        self._states.clear()
        unread = set(self.unread)
        for (source, label), count in self._skipped.items():
            reason = f"{label}: {count} not needed by the audit"
            unread.add(model.Unread(source=source, reason=reason, is_needless=True))
        for key, sources in self._open_lists.items():
            if key not in self._ended_lists:
                reason = "the list continues (nextPageToken), but its last page is missing"
                unread.update(model.Unread(source=source, reason=reason) for source in sources)
        fields = {field: repeated.once(self.found[field], unread) for field in REFERENCED_FIELDS}
        fields[_GROUPS] = repeated.with_members(repeated.managed(fields[_GROUPS]), self._members)
        fields["forwarding_rules"] = with_addresses(fields)
        fields |= with_default_tiers(fields)
        objects = {field: repeated.once(self.found[field], unread) for field in self._told(unread)}
        fields[_MACHINES] = on_nodes(repeated.themselves(fields[_MACHINES]), fields["node_groups"])
        return model.Inventory(
            **fields,
            kubernetes=Kubernetes(**objects) if objects else None,
            machine_shapes=repeated.shapes_once(self.shapes),
            unread=tuple(sorted(unread, key=_unread_order)),
            projects=self._coverage(
                fields | {field: objects[field] for field in _OF_PROJECTS if field in objects}
            ),
        )

    def _told(self, unread: set[model.Unread]) -> list[str]:
        """Return the fields of `Kubernetes` that were read and are of one cluster."""
        why = repeated.why_several(self.found)
        if not why:
            return sorted(self.listed)
        left_out = self.listed - repeated.OF_GKE_CLUSTERS
        sources = {value.ref.source for field in left_out for value in self.found[field]}
        reason = f"objects of several clusters or times: {why}. Give one cluster at a time"
        unread.add(model.Unread(source=min(filter(None, sources), default=""), reason=reason))
        return sorted(self.listed & repeated.OF_GKE_CLUSTERS)

    def _coverage(self, fields: dict[str, tuple[Any, ...]]) -> tuple[model.ProjectCoverage, ...]:
        counts: dict[model.ProjectId, list[tuple[str, int]]] = {p: [] for p in self.errors}
        for field in sorted(fields):
            for project, count in Counter([value.project for value in fields[field]]).items():
                if not project:
                    continue  # Of an organisation.
                counts.setdefault(project, []).append((field, count))
        return tuple(
            model.ProjectCoverage(
                project=project,
                counts=tuple(counts[project]),
                errors=tuple(sorted(self.errors.get(project, ()))),
            )
            for project in sorted(counts)
        )


def link_of(wire: Any, kind: Kind) -> model.SelfLink:
    """Return the self link of a resource, put together from its place and name if it has none.

    Raises:
        Unusable: If it names neither.
    """
    if wire.self_link:
        return model.canonical_link(wire.self_link)
    name = wire.name
    if not name:
        raise Unusable("no selfLink and no name")
    place = getattr(wire, "zone", None) or getattr(wire, "region", None)
    if place and model.canonical_link(place).startswith("projects/"):
        return model.SelfLink(f"{model.canonical_link(place)}/{kind.collection}/{name}")
    raise Unusable("no selfLink, and no zone or region link to build it from")


def _unread_order(unread: model.Unread) -> tuple[str, str, str, str]:
    return unread.source, unread.resource or "", unread.field or "", unread.reason


def merge_inventories(parts: Iterable[model.Inventory]) -> model.Inventory:
    """Return one inventory of several, whatever their order.

    The same self link in two parts is one resource (the fuller reading counts, a difference is
    noted); the same name in two projects is two.
    """
    collector = Collector()
    for part in parts:
        collector.take(part)
    return collector.inventory()
