"""One Terraform document becomes part of an inventory.

Two passes: the first finds the link of every resource, so that the second can follow the
configuration's references to what is not made yet. Known after apply is unknown: such a field is
None and noted, and where a link is needed the reference that leads to one resource gives it.

Resources of Terraform that are parts of another one in the API: peerings and Cloud NAT.
"""

import re
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.kubernetes.gke import CLUSTERS
from netplan_planner.readers.links import Unusable, network_link
from netplan_planner.readers.terraform import types
from netplan_planner.readers.terraform.attributes import Attributes, Unknowns
from netplan_planner.readers.terraform.clusters import Clusters
from netplan_planner.readers.terraform.context import Context, link_of_entry
from netplan_planner.readers.terraform.groups import Groups
from netplan_planner.readers.terraform.layout import Contents, Entry
from netplan_planner.readers.terraform.machine_parts import Disks, network_of, with_networks
from netplan_planner.readers.terraform.machines import JsonObject, with_unknown
from netplan_planner.readers.terraform.networks import SPELLED, nat, peering

ACTIVE = "ACTIVE"
_FIRST = {"networks": 0, "subnetworks": 1}
"""Machines take the network of their subnetwork, so these are read before them."""
_ADDRESS = re.compile(rb'"(\d{1,3}(?:\.\d{1,3}){3})"')
_LONGEST_LABEL = 100
Finish = Callable[[Any], model.Value]


class Joined:
    """Peerings by network, and gateways by router, until their owner is read."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._peerings: dict[model.SelfLink, list[tuple[Entry, JsonObject]]] = {}
        self._nats: dict[model.SelfLink, list[tuple[Entry, JsonObject]]] = {}

    def take(self, entry: Entry) -> None:
        """Take one part, which waits for its owner."""
        notes = Unknowns()
        held = self._context.attributes(entry, notes)
        if entry.type == types.PEERING:
            self._take_peering(entry, held)
        else:
            self._take_nat(entry, held)
        self._context.note_unknown(entry, None, notes)

    def _project(self, entry: Entry, held: Attributes) -> str:
        default = self._context.configuration.provider_default(entry, "project")
        return held.text("project") or default or model.UNKNOWN_PROJECT

    def _take_peering(self, entry: Entry, held: Attributes) -> None:
        raw, network = peering(held), held.link("network")
        project = (
            self._context.configuration.provider_default(entry, "project") or model.UNKNOWN_PROJECT
        )
        if network is None:
            self._context.note(entry, "its network is unknown")
            return
        if isinstance(raw["network"], str):
            raw["network"] = network_link(raw["network"], project)
        self._peerings.setdefault(network_link(network, project), []).append((entry, raw))

    def _take_nat(self, entry: Entry, held: Attributes) -> None:
        name = held.link("router")
        region = held.text("region") or self._context.configuration.provider_default(
            entry, "region"
        )
        if name and "/" in name:
            router = model.SelfLink(name[max(name.find("projects/"), 0) :])
        elif name and region:
            place = f"projects/{self._project(entry, held)}/regions/{model.last_part(region)}"
            router = model.SelfLink(f"{place}/routers/{name}")
        else:
            self._context.note(entry, "its router is unknown")
            return
        self._nats.setdefault(router, []).append((entry, nat(held)))

    def peerings_of(self, network: model.SelfLink) -> list[JsonObject]:
        """Return the peerings of a network; the owner takes them once.

        A peering that is not made yet is active when both sides are in the document: it becomes
        so once both are there (cloud.google.com/vpc/docs/vpc-peering, read 2026-11-23).
        """
        found = []
        for entry, raw in self._peerings.get(network, []):
            if raw["state"] is None:
                sides = self._peerings.get(model.SelfLink(str(raw["network"])), [])
                if any(side["network"] == network for _, side in sides):
                    raw = raw | {"state": ACTIVE}
                else:
                    reason = "whether the peering is active is known after apply: its other side"
                    self._context.note(entry, f"{reason} is not in the file", network)
            found.append(raw)
        return found

    def nats_of(self, router: model.SelfLink) -> list[JsonObject]:
        """Return the gateways of a router."""
        return [raw for _, raw in self._nats.get(router, [])]

    def note_the_rest(self, owners: frozenset[model.SelfLink]) -> None:
        """Note the parts whose owner is not in the document."""
        for owner, parts in (*self._peerings.items(), *self._nats.items()):
            if owner not in owners:
                for entry, _ in parts:
                    reason = "not read: its network or router is not in the file"
                    self._context.note(entry, reason, owner)


def take(contents: Contents, origin: Origin, into: Collector) -> None:
    """Take all resources of a document; one that holds none is an empty inventory."""
    into.page(origin.prefix, origin.file, is_last=True)
    _Reading(contents, origin, into).run()


class _Reading:
    """The reading of one document."""

    def __init__(self, contents: Contents, origin: Origin, into: Collector) -> None:
        self._contents = contents
        self._context = Context(contents, origin, into)
        self._joined = Joined(self._context)
        self._networks: dict[model.SelfLink, str] = {}
        self._templates: dict[model.SelfLink, Entry] = {}
        self._disks = Disks(self._context)
        self._groups = Groups(self._context, self._templates, self._networks, self._disks)
        self._clusters = Clusters(self._context, contents.destroyed)
        self._in_use: frozenset[str] | None = None

    def run(self) -> None:
        """Take all of the document's resources."""
        places = self._places()
        for entry in self._contents.entries:
            if entry.type in types.JOINED and not entry.is_data:
                self._joined.take(entry)
            elif entry.type in types.LATER and not entry.is_data:
                self._take_later(entry)
        for entry, kind, link in sorted(places, key=lambda p: _FIRST.get(p[1].collection, 2)):
            self._take(entry, kind, link)
        self._joined.note_the_rest(frozenset(link for _, _, link in places))
        self._groups.add_members()
        self._disks.add()
        self._context.note_chosen()

    def _places(self) -> list[tuple[Entry, types.Type, model.SelfLink]]:
        """Return the resources that are read, with their links; the others are counted."""
        found: list[tuple[Entry, types.Type, model.SelfLink]] = []
        configuration = self._context.configuration
        for entry in self._contents.entries:
            kind = types.TYPES.get(entry.type)
            if kind is None:
                self._pass_by(entry)
                continue
            is_read = kind.kind is not None and not entry.is_data
            try:
                link = link_of_entry(entry, kind, configuration)
            except Unusable as exc:
                if is_read:
                    self._context.note(entry, str(exc))
                continue
            if self._contents.is_plan:
                configuration.place(entry, link)
            if entry.type in types.TEMPLATES:
                self._templates[link] = entry
            elif is_read:
                found.append((entry, kind, link))
            elif not entry.is_data:
                self._context.into.skip(self._context.file, entry.type)
        return found

    def _pass_by(self, entry: Entry) -> None:
        if entry.is_data or entry.type in types.JOINED or entry.type in types.LATER:
            return
        if entry.type in types.NOT_READ_YET:
            reason = f"{entry.type} is not supported: {types.NOT_READ_YET[entry.type]}"
            self._context.note(entry, reason)
            return
        is_google = entry.type.startswith(types.GOOGLE)
        label = entry.type[:_LONGEST_LABEL] if is_google else "resources of other providers"
        self._context.into.skip(self._context.file, label)

    def _take_later(self, entry: Entry) -> None:
        if entry.type == types.ATTACHED_DISK:
            self._disks.attach(entry)
        elif entry.type in types.AUTOSCALERS:
            self._groups.scale(entry)
        elif entry.type == types.MEMBERSHIP:
            self._groups.join(entry)
        else:
            self._clusters.take_pool(entry)

    def _take(self, entry: Entry, kind: types.Type, link: model.SelfLink) -> None:
        if kind.collection == CLUSTERS:
            self._clusters.take(entry, link)
            return
        notes = Unknowns()
        held = self._context.attributes(entry, notes)
        if kind.collection == "instances" and held.is_asked("source_instance_template"):
            held = self._groups.over_template(held, notes)
        raw = SPELLED[kind.collection](held)
        is_machine = kind.collection == "instances"
        if is_machine and not raw.get("machineType") and held.is_unknown("machine_type"):
            self._context.note(entry, _of_unknown_type(notes), link)
            return
        finish = self._joined_up(entry, kind, link, held, raw, notes)
        if kind.collection == "disks":
            self._disks.take(entry, link, raw)
        else:
            self._context.add(entry, kind, link, raw, finish)
        self._context.note_unknown(entry, link, notes)

    def _joined_up(
        self,
        entry: Entry,
        kind: types.Type,
        link: model.SelfLink,
        held: Attributes,
        raw: JsonObject,
        notes: Unknowns,
    ) -> Finish | None:
        """Add what other resources say of one; return what its value still lacks."""
        match kind.collection:
            case "instances":
                with_networks(raw, link, self._networks, notes)
                self._disks.take_machine(entry, link, raw)
                return with_unknown(raw, notes)
            case "networks":
                raw["peerings"] = self._joined.peerings_of(link)
                return _without_mtu if held.is_unknown("mtu") else None
            case "subnetworks":
                self._networks[link] = network_of(link, raw["network"])
            case "spokes" if held.is_unknown("state"):
                # A hub takes spokes of its own project by itself (docs.cloud.google.com/network-
                # connectivity/docs/network-connectivity-center/concepts/connectivity-topologies).
                is_own = model.project_of(
                    model.canonical_link(raw["hub"] or "")
                ) == model.project_of(link)
                raw["state"] = ACTIVE if is_own else None
                if not is_own:
                    reason = "whether the spoke is active is known after apply: its hub is in"
                    self._context.note(entry, f"{reason} another project, whose owner accepts it")
            case "routers":
                raw["nats"] = self._joined.nats_of(link)
            case "addresses" if raw["status"] == "RESERVED":
                # What the plan makes may use it.
                raw["status"] = None if raw["address"] in self._addresses_in_use() else "RESERVED"
            case "instanceGroups":
                return self._groups.members(held, link)
            case "instanceGroupManagers":
                self._groups.manage(entry, held, raw, link)
            case _:
                pass
        return None

    def _addresses_in_use(self) -> frozenset[str]:
        """Return the addresses that occur in what the plan makes or changes."""
        if self._in_use is None:
            self._in_use = frozenset(
                text.decode()
                for entry in self._contents.entries
                if entry.is_changed and not entry.type.endswith("_address")
                for text in _ADDRESS.findall(entry.values)
            )
        return self._in_use


def _without_mtu(network: model.Network) -> model.Network:
    return replace(network, mtu_bytes=None)


def _of_unknown_type(notes: Unknowns) -> str:
    why = (reason for field, reason in notes.asked if field == "machine_type")
    return f"its machine type is {next(why, 'known after apply')}"
