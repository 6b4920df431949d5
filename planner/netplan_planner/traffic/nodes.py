"""Numbers the ends of flows: each identity that a record states becomes a node, looked up once.

A node is an end with its history: who holds the address now, and who did before. Python keeps the
nodes, whose number grows with machines and peers; the identities stay in the engine.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise

from netplan_planner import paths
from netplan_planner.errors import InputError
from netplan_planner.model import Instance, Inventory, Owner, OwnerKind, SelfLink, Value
from netplan_planner.traffic.files import records

Identity = tuple[str, str | None, str | None]
"""Address, project, and the machine's name or the tag, as the engine matches them."""

Details = tuple[str, ...]
"""What a record says besides, in the order of `DETAILS`; empty where it says nothing."""

NO_DETAILS: Details = ("",) * len(records.DETAILS)
_PARTS = len(records.IDENTITY) + len(records.DETAILS)
_SECONDS_PER_MINUTE = 60


def parse_end(said: str) -> tuple[Identity, Details] | None:
    """Return the identity and the details of a note's end, None when a value forges parts."""
    parts = said.split(records.PART_SEPARATOR)
    if len(parts) != _PARTS:
        return None
    address, project, name = parts[: len(records.IDENTITY)]
    return (address, project or None, name or None), tuple(parts[len(records.IDENTITY) :])


def without_separators(identity: Identity) -> Identity:
    """Return what an end is called where names that hold separators are told apart by them."""
    address, project, name = identity
    return address, _cleaned(project), _cleaned(name)


def _cleaned(text: str | None) -> str | None:
    if text is None:
        return None
    return (
        text.replace(records.PART_SEPARATOR, records.REPLACED).replace(
            records.END_SEPARATOR, records.REPLACED
        )
        or None
    )


class Node(Value, frozen=True, kw_only=True):
    """An end and its history, the present holder last."""

    ownerships: tuple[paths.Ownership, ...]

    @property
    def end(self) -> paths.FlowEnd:
        """The present holder."""
        return self.ownerships[-1].end


class Earlier(Value, frozen=True, kw_only=True):
    """A node's earlier holder, and the minutes in which it was."""

    later_node: int
    node: int
    first_minute: int
    until_minute: int


class Nodes:
    """The nodes met so far, and which of them report their own traffic."""

    def __init__(self, inventory: Inventory) -> None:
        self._book = paths.AddressBook(inventory)
        self._links = frozenset(inventory.instance_by_link)
        self._machines = {(str(i.project), i.name) for i in inventory.instances}
        self.ends: list[paths.FlowEnd] = []
        self._number: dict[Node, int] = {}
        self.earlier: list[Earlier] = []
        """In the order in which they were found."""
        logging = {s.ref.self_link for s in inventory.subnetworks if inventory.logging_of(s)}
        self.declared: frozenset[SelfLink] = frozenset(logging)
        """Subnetworks whose flow logs are on, as the inventory says."""
        self._sending, self._receiving = set(logging), set(logging)
        self._heard: set[tuple[int, SelfLink]] = set()
        self._sending_owners: set[str] = set()
        self._receiving_owners: set[str] = set()

    def seeds(self, inventory: Inventory) -> Iterable[tuple[Identity, int]]:
        """Yield the machines of the inventory at each of their own addresses, as records name them.

        With these the first records already find their ends, which saves looking at them twice.
        """
        for instance in inventory.instances:
            for nic in instance.interfaces:
                for text in (nic.internal_ipv4, nic.external_ipv4, nic.internal_ipv6):
                    if not text:
                        continue
                    said = paths.RecordedEnd(
                        address=text, project=instance.project, vm=instance.name, zone=instance.zone
                    )
                    node = self._numbered(self._book.resolve(said))
                    if node is not None:
                        yield (text, str(instance.project), instance.name), node

    def is_unknown_machine(self, identity: Identity) -> bool:
        """Return whether an end is a named machine that the inventory does not have."""
        _, project, name = identity
        vm, _ = _parse_name(name or "")
        return project is not None and vm is not None and (project, vm) not in self._machines

    def number(self, identity: Identity, details: Details) -> int | None:
        """Return the node of an end, None when its address is no address."""
        return self._numbered(self._ownerships(identity, details))

    def _ownerships(
        self, identity: Identity, details: Details
    ) -> tuple[paths.Ownership, ...] | None:
        address, project, name = identity
        vm, said = _parse_name(name or "")
        if paths.parse_address(address) is None:
            # Rows of plain tables have a kind and may name machines; else the address is broken.
            return self._named(address, said["kind"]) if said["kind"] else None
        more = dict(zip(records.DETAILS, details, strict=True))
        network_project = more["vpc_project"] or project or ""
        return self._book.resolve(
            paths.RecordedEnd(
                address=address,
                project=project,
                vm=vm,
                zone=more["zone"] or None,
                network=_network(network_project, more["vpc"]),
                subnetwork=_subnetwork(
                    network_project, more["subnetwork_region"], more["subnetwork"]
                ),
                area="/".join(p for p in (said["continent"], said["country"]) if p) or None,
                service=said["service"] or None,
                gateway=_gateway(said),
                has_pod=said["pod"] == records.POD,
                context=self._context(said),
            )
        )

    def _context(self, said: dict[str, str]) -> SelfLink | None:
        """Return the network in which a record was made: as it says, or by its subnetwork."""
        named = _network(said["own_vpc_project"], said["own_vpc"])
        if named is not None:
            return named
        return self._book.network_of(
            _subnetwork(
                said["own_subnetwork_project"],
                said["own_subnetwork_region"],
                said["own_subnetwork"],
            )
        )

    def _named(self, name: str, kind: str) -> tuple[paths.Ownership, ...]:
        """Return the machine or pod that a row of a plain table names.

        Raises:
            InputError: If several machines have that name.
        """
        found = self._book.instances_named(name)
        if len(found) > 1:
            raise InputError(
                f"several VMs are named {name!r}: {', '.join(_links(found))}; write"
                " project/zone/name"
            )
        if not found:
            pod = self._book.end_of_pod(name)
            return (paths.Ownership(end=pod or paths.unknown_end(name, is_ipv6=False)),)
        end = self._book.end_of(found[0], is_external=kind == records.EXTERNAL)
        return (paths.Ownership(end=end),)

    def _numbered(self, ownerships: tuple[paths.Ownership, ...] | None) -> int | None:
        if ownerships is None:
            return None
        node = Node(ownerships=ownerships)
        number = self._number.get(node)
        if number is None:
            number = self._number[node] = len(self.ends)
            self.ends.append(node.end)
            self._add_earlier(number, ownerships)
        return number

    def _add_earlier(self, later: int, ownerships: Sequence[paths.Ownership]) -> None:
        first = 0
        for before, after in pairwise(ownerships):
            until = _minute(after.since)
            node = self._numbered((paths.Ownership(end=before.end),))
            if node is not None and until > first:
                self.earlier.append(
                    Earlier(later_node=later, node=node, first_minute=first, until_minute=until)
                )
            first = until

    def report(self, side: int, node: int) -> None:
        """Take note that an end reports what it sends (side 0) or receives (side 1)."""
        end = self.ends[node]
        subnetworks, owners = (
            (self._sending, self._sending_owners)
            if side == 0
            else (self._receiving, self._receiving_owners)
        )
        self._heard.update((side, link) for link in end.reported_by)
        if len(end.reported_by) == 1:
            subnetworks.add(end.reported_by[0])
        elif end.owner.kind in _SINGLE:
            owners.add(end.owner.key)

    def is_silent(self, subnetwork: SelfLink, side: int) -> bool:
        """Return whether a subnetwork logs by the inventory but has no own report of that side."""
        return subnetwork in self.declared and (side, subnetwork) not in self._heard

    def has_machine(self, link: SelfLink) -> bool:
        """Return whether the inventory has a machine."""
        return link in self._links

    def logs_sent(self, node: int) -> bool:
        """Return whether an end's own reports tell what it sends."""
        return self._logs(self.ends[node], self._sending, self._sending_owners)

    def logs_received(self, node: int) -> bool:
        """Return whether an end's own reports tell what it receives."""
        return self._logs(self.ends[node], self._receiving, self._receiving_owners)

    @staticmethod
    def _logs(end: paths.FlowEnd, subnetworks: set[SelfLink], owners: set[str]) -> bool:
        return any(s in subnetworks for s in end.reported_by) or end.owner.key in owners


_SINGLE = frozenset({OwnerKind.VM, OwnerKind.UNKNOWN})
"""Owners that are one machine or address: all that they send is reported when some of it is."""


def _parse_name(name: str) -> tuple[str | None, dict[str, str]]:
    """Return the machine that a name means, and the parts of its tag; see `records.TAG`."""
    parts = name.split(records.TAG_SEPARATOR)
    if len(parts) == len(records.TAG):
        return None, dict(zip(records.TAG, parts, strict=True))
    vm, _, rest = name.partition(records.TAG_SEPARATOR)
    return vm or None, dict.fromkeys(records.TAG, "") | {
        "pod": records.POD if rest == records.POD else ""
    }


def _network(project: str, name: str) -> SelfLink | None:
    return SelfLink(f"projects/{project}/global/networks/{name}") if project and name else None


def _subnetwork(project: str, region: str, name: str) -> SelfLink | None:
    if not (project and region and name):
        return None
    return SelfLink(f"projects/{project}/regions/{region}/subnetworks/{name}")


def _gateway(said: dict[str, str]) -> str | None:
    parts = (said["gateway_project"], said["gateway_location"], said["gateway"])
    return "/".join(part for part in parts if part) if said["gateway"] else None


def _minute(since: datetime | None) -> int:
    """Return the first whole minute of an ownership."""
    return -(-int(since.timestamp()) // _SECONDS_PER_MINUTE) if since is not None else 0


def _links(instances: Sequence[Instance]) -> list[str]:
    return sorted(instance.ref.self_link for instance in instances)


def fullest(owners: Iterable[Owner]) -> Owner:
    """Return the owner that says most, of several values for one key; the order does not matter."""

    def rank(owner: Owner) -> tuple[int, str]:
        return sum(getattr(owner, f) is not None for f in owner.__struct_fields__), repr(owner)

    return max(owners, key=rank)
