"""Disks of planned machines, and the networks of their interfaces."""

from collections.abc import Mapping
from typing import Any

from netplan_planner.model import SelfLink, last_part
from netplan_planner.readers.links import Unusable, network_link, place_of, resolve, subnetwork_link
from netplan_planner.readers.terraform.attributes import Unknowns
from netplan_planner.readers.terraform.context import Context
from netplan_planner.readers.terraform.layout import Entry
from netplan_planner.readers.terraform.machines import JsonObject
from netplan_planner.readers.terraform.types import TYPES


def with_networks(
    raw: JsonObject, link: SelfLink, networks: Mapping[SelfLink, str], notes: Unknowns
) -> None:
    """Give the interfaces of a machine the network of their subnetwork, where none is said.

    Of a subnetwork that the document does not hold, the network has a name that says so and no
    network can have.

    Args:
        raw: The machine in the API's words; its interfaces are changed.
        link: Of the machine.
        networks: The network of each subnetwork of the document.
        notes: Takes what is not known.
    """
    try:
        project, _, zone, _ = place_of(link)
    except Unusable:
        return  # The collector says so of the machine.
    for index, nic in enumerate(raw["networkInterfaces"]):
        subnetwork = nic.get("subnetwork")
        if not isinstance(subnetwork, str):
            continue
        home = nic.get("subnetworkProject") or project
        full = subnetwork_link(subnetwork, home, zone.rpartition("-")[0])
        nic["subnetwork"] = full
        if not nic.get("network"):
            nic["network"] = networks.get(full)
        if not nic["network"]:
            reason = "unknown: its subnetwork is not in the file"
            notes.asked.append((f"network_interface[{index}].network", reason))
            own = _project_in(full) or home
            nic["network"] = f"projects/{own}/global/networks/(network of {last_part(full)})"


def network_of(subnetwork: SelfLink, network: object) -> str:
    """Return the full link of the network that a subnetwork states; empty for none."""
    if not isinstance(network, str):
        return ""
    return network_link(network, _project_in(subnetwork) or "")


def _project_in(link: str) -> str | None:
    parts = link.split("/", 2)
    return parts[1] if parts[0] == "projects" and len(parts) > 2 else None


# The disks of planned machines: blocks of the machine, resources of their own, and what ties them
#
# A machine's boot disk has the machine's name unless another one is asked for
# (docs.cloud.google.com/compute/docs/reference/rest/v1/instances/insert, `diskName`, read
# 2026-11-23); the names of its other disks, like that of a disk that is not known yet, have
# parentheses. A type that nobody states is Google's to choose: it is None.


_DISK = TYPES["google_compute_disk"]


class _Held:
    """One disk, until all that ties machines to it has been read."""

    __slots__ = ("entry", "is_own", "type", "users")

    def __init__(self, entry: Entry) -> None:
        self.entry, self.is_own = entry, False
        self.type: object = None
        self.users: set[str] = set()


class Disks:
    """The disks of a document, each once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._held: dict[SelfLink, _Held] = {}

    def take(self, entry: Entry, link: SelfLink, raw: JsonObject) -> None:
        """Take a disk that is a resource of its own: what it says of itself counts."""
        held = self._held.setdefault(link, _Held(entry))
        held.entry, held.is_own, held.type = entry, True, raw["type"]
        held.users.update(user for user in raw["users"] or () if isinstance(user, str))

    def take_machine(self, entry: Entry, machine: SelfLink, raw: JsonObject) -> None:
        """Take the disks that a machine in the API's words has; Local SSDs are counted in it."""
        try:
            place_of(machine)
        except Unusable:
            return  # The collector says so of the machine.
        for number, disk in enumerate(raw["disks"], 1):
            if disk["type"] != "PERSISTENT":
                continue
            held = self._held.setdefault(_link_of(disk, number, machine), _Held(entry))
            if not held.is_own:
                held.type = held.type or disk.get("initializeParams", {}).get("diskType")
            held.users.add(machine)

    def attach(self, entry: Entry) -> None:
        """Take what attaches a disk to a machine."""
        notes = Unknowns()
        a = self._context.attributes(entry, notes)
        disk, machine = a.link("disk"), a.link("instance")
        home = {
            name: a.text(name) or self._context.configuration.provider_default(entry, name)
            for name in ("project", "zone")
        }
        if disk and machine:
            own = _full(machine, "instances", home), _full(disk, "disks", home)
            if all(own):
                held = self._held.setdefault(SelfLink(own[1]), _Held(entry))
                held.users.add(own[0])
        self._context.note_unknown(entry, None, notes)

    def add(self) -> None:
        """Give all disks to the collector."""
        for link, held in self._held.items():
            raw = {"type": held.type, "users": sorted(held.users)}
            self._context.add(held.entry, _DISK, link, raw)


def _link_of(disk: Mapping[str, Any], number: int, machine: SelfLink) -> SelfLink:
    """Return the link of a machine's disk: its source's, or what it will be called."""
    project, _, zone, name = place_of(machine)
    source = disk.get("source")
    if isinstance(source, str):
        return SelfLink(_full(source, "disks", {"project": project, "zone": zone}))
    own = name if disk.get("boot") else f"{name}-(disk {number})"
    return SelfLink(f"projects/{project}/zones/{zone}/disks/{own}")


def _full(text: str, collection: str, home: Mapping[str, str | None]) -> str:
    """Return the link of a machine or disk that is stated by its name or link; empty: no place."""
    if "/" in text:
        return resolve(text, home["project"] or "")
    if not (home["project"] and home["zone"]):
        return ""
    return f"projects/{home['project']}/zones/{home['zone']}/{collection}/{text}"
