"""Resources of Terraform that are parts of another one in the API: peerings and Cloud NAT."""

from netplan_planner.model import UNKNOWN_PROJECT, SelfLink, last_part
from netplan_planner.readers.links import network_link
from netplan_planner.readers.terraform.attributes import Attributes, Unknowns
from netplan_planner.readers.terraform.context import Context
from netplan_planner.readers.terraform.layout import Entry
from netplan_planner.readers.terraform.machines import JsonObject
from netplan_planner.readers.terraform.networks import nat, peering
from netplan_planner.readers.terraform.types import PEERING

ACTIVE = "ACTIVE"


class Joined:
    """Peerings by network, and gateways by router, until their owner is read."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._peerings: dict[SelfLink, list[tuple[Entry, JsonObject]]] = {}
        self._nats: dict[SelfLink, list[tuple[Entry, JsonObject]]] = {}

    def take(self, entry: Entry) -> None:
        """Take one part, which waits for its owner."""
        notes = Unknowns()
        held = self._context.attributes(entry, notes)
        if entry.type == PEERING:
            self._take_peering(entry, held)
        else:
            self._take_nat(entry, held)
        self._context.note_unknown(entry, None, notes)

    def _project(self, entry: Entry, held: Attributes) -> str:
        default = self._context.configuration.provider_default(entry, "project")
        return held.text("project") or default or UNKNOWN_PROJECT

    def _take_peering(self, entry: Entry, held: Attributes) -> None:
        raw, network = peering(held), held.link("network")
        project = self._context.configuration.provider_default(entry, "project") or UNKNOWN_PROJECT
        if network is None:
            self._context.note(entry, "the network that it belongs to is not known")
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
            router = SelfLink(name[max(name.find("projects/"), 0) :])
        elif name and region:
            place = f"projects/{self._project(entry, held)}/regions/{last_part(region)}"
            router = SelfLink(f"{place}/routers/{name}")
        else:
            self._context.note(entry, "the router that it belongs to is not known")
            return
        self._nats.setdefault(router, []).append((entry, nat(held)))

    def peerings_of(self, network: SelfLink) -> list[JsonObject]:
        """Return the peerings of a network; the owner takes them once.

        A peering that is not made yet is active when both sides are in the document: it becomes
        so once both are there (cloud.google.com/vpc/docs/vpc-peering, read 2026-11-23).
        """
        found = []
        for entry, raw in self._peerings.get(network, []):
            if raw["state"] is None:
                sides = self._peerings.get(SelfLink(str(raw["network"])), [])
                if any(side["network"] == network for _, side in sides):
                    raw = raw | {"state": ACTIVE}
                else:
                    reason = "whether the peering is active is known after apply: its other side"
                    self._context.note(entry, f"{reason} is not in the file", network)
            found.append(raw)
        return found

    def nats_of(self, router: SelfLink) -> list[JsonObject]:
        """Return the gateways of a router."""
        return [raw for _, raw in self._nats.get(router, [])]

    def note_the_rest(self, owners: frozenset[SelfLink]) -> None:
        """Note the parts whose owner is not in the document."""
        for owner, parts in (*self._peerings.items(), *self._nats.items()):
            if owner not in owners:
                for entry, _ in parts:
                    reason = "not read: its network or router is not in the file"
                    self._context.note(entry, reason, owner)
