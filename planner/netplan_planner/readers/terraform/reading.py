"""One Terraform document becomes part of an inventory.

Two passes: the first finds the link of every resource, so that the second can follow the
configuration's references to what is not made yet. Known after apply is unknown: such a field is
None and noted, and where a link is needed the reference that leads to one resource gives it.
"""

import re
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from netplan_planner.model import Network, SelfLink, Value
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.kubernetes.gke import CLUSTERS
from netplan_planner.readers.links import Unusable
from netplan_planner.readers.terraform.attributes import Attributes, Unknowns
from netplan_planner.readers.terraform.clusters import Clusters
from netplan_planner.readers.terraform.context import Context
from netplan_planner.readers.terraform.disks import Disks
from netplan_planner.readers.terraform.groups import Groups
from netplan_planner.readers.terraform.interfaces import network_of, with_networks
from netplan_planner.readers.terraform.joined import Joined
from netplan_planner.readers.terraform.layout import Contents, Entry
from netplan_planner.readers.terraform.machines import JsonObject, with_unknown
from netplan_planner.readers.terraform.networks import SPELLED
from netplan_planner.readers.terraform.places import link_of_entry
from netplan_planner.readers.terraform.types import (
    ATTACHED_DISK,
    AUTOSCALERS,
    GOOGLE,
    JOINED,
    LATER,
    MEMBERSHIP,
    NOT_READ_YET,
    TEMPLATES,
    TYPES,
    Type,
)

_FIRST = {"networks": 0, "subnetworks": 1}
"""Machines take the network of their subnetwork, so these are read before them."""

_ADDRESS = re.compile(rb'"(\d{1,3}(?:\.\d{1,3}){3})"')
_LONGEST_LABEL = 100

Finish = Callable[[Any], Value]


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
        self._networks: dict[SelfLink, str] = {}
        self._templates: dict[SelfLink, Entry] = {}
        self._disks = Disks(self._context)
        self._groups = Groups(self._context, self._templates, self._networks, self._disks)
        self._clusters = Clusters(self._context, contents.destroyed)
        self._in_use: frozenset[str] | None = None

    def run(self) -> None:
        """Take all of the document's resources."""
        places = self._places()
        for entry in self._contents.entries:
            if entry.type in JOINED and not entry.is_data:
                self._joined.take(entry)
            elif entry.type in LATER and not entry.is_data:
                self._take_later(entry)
        for entry, kind, link in sorted(places, key=lambda p: _FIRST.get(p[1].collection, 2)):
            self._take(entry, kind, link)
        self._joined.note_the_rest(frozenset(link for _, _, link in places))
        self._groups.add_members()
        self._disks.add()
        self._context.note_chosen()

    def _places(self) -> list[tuple[Entry, Type, SelfLink]]:
        """Return the resources that are read, with their links; the others are counted."""
        found: list[tuple[Entry, Type, SelfLink]] = []
        configuration = self._context.configuration
        for entry in self._contents.entries:
            kind = TYPES.get(entry.type)
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
            if entry.type in TEMPLATES:
                self._templates[link] = entry
            elif is_read:
                found.append((entry, kind, link))
            elif not entry.is_data:
                self._context.into.skip(self._context.file, entry.type)
        return found

    def _pass_by(self, entry: Entry) -> None:
        if entry.is_data or entry.type in JOINED or entry.type in LATER:
            return
        if entry.type in NOT_READ_YET:
            reason = f"{entry.type} is not read yet: {NOT_READ_YET[entry.type]}"
            self._context.note(entry, reason)
            return
        is_google = entry.type.startswith(GOOGLE)
        label = entry.type[:_LONGEST_LABEL] if is_google else "resources of other providers"
        self._context.into.skip(self._context.file, label)

    def _take_later(self, entry: Entry) -> None:
        if entry.type == ATTACHED_DISK:
            self._disks.attach(entry)
        elif entry.type in AUTOSCALERS:
            self._groups.scale(entry)
        elif entry.type == MEMBERSHIP:
            self._groups.join(entry)
        else:
            self._clusters.take_pool(entry)

    def _take(self, entry: Entry, kind: Type, link: SelfLink) -> None:
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
        kind: Type,
        link: SelfLink,
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


def _without_mtu(network: Network) -> Network:
    return replace(network, mtu_bytes=None)


def _of_unknown_type(notes: Unknowns) -> str:
    why = (reason for field, reason in notes.asked if field == "machine_type")
    return f"its machine type is {next(why, 'known after apply')}"
