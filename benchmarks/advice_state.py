"""A made project as plain facts: machines, addresses, gateways, networks and who sends to whom.

Nothing here is netplan's: `advice_truth.py` prices it, `advice_follow.py` changes it, and
`advice_pages.py` writes what a reader gets to see of it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

PROJECT = "advice-net"
WIRE_BYTES_PER_PACKET = 1_452
"""1,400 bytes of payload and 52 of headers: TCP with time stamps."""
PAYLOAD_BYTES_PER_PACKET = 1_400
DAYS_PER_MONTH = 730 / 24
PREMIUM, STANDARD = "PREMIUM", "STANDARD"
INTERNET = ""
"""The end of a flow that is nobody's machine."""


def region_of(zone: str) -> str:
    """Return the region of a zone.

    >>> region_of("us-central1-a")
    'us-central1'
    """
    return zone.rpartition("-")[0]


@dataclass(frozen=True)
class Machine:
    """One machine; its name is its own in the whole project."""

    name: str
    zone: str
    machine_type: str
    network: str
    internal_ip: str
    external_ip: str = ""
    tier: str = PREMIUM
    is_running: bool = True
    is_suspended: bool = False
    """Not running, and its memory is kept and paid for."""
    is_spot: bool = False
    is_tier1: bool = False
    local_ssds: int = 0
    group: str = ""
    service: str = ""
    is_copy: bool = False
    """Whether the machines of its service hold copies of the same data."""
    reservation: str = ""
    restarted: str = "2026-01-10T08:00:10.000-08:00"
    was_type: str = ""
    """Its machine type while the logs were written, where it has another one since."""
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def region(self) -> str:
        """The region of its zone."""
        return region_of(self.zone)

    @property
    def link(self) -> str:
        """Its self link, without the address of the API."""
        return f"projects/{PROJECT}/zones/{self.zone}/instances/{self.name}"


@dataclass(frozen=True)
class Address:
    """A reserved external address."""

    name: str
    region: str
    ip: str
    says_in_use: bool = True
    """What its status says, which need not be so."""


@dataclass(frozen=True)
class Gateway:
    """A Cloud NAT gateway of a router of the same name, for one network in one region."""

    name: str
    region: str
    network: str
    addresses: tuple[str, ...] = ()
    """Names of its reserved addresses."""
    is_auto: bool = True
    """Whether Google picks its addresses; else it does nothing without one."""

    @property
    def works(self) -> bool:
        """Whether it has an address."""
        return self.is_auto or bool(self.addresses)


@dataclass(frozen=True)
class Front:
    """The forwarding rule of a passthrough load balancer."""

    name: str
    region: str
    ip: str
    pool: tuple[str, ...]


@dataclass(frozen=True)
class Network:
    """A network with one range in each region, and whom it is peered with."""

    name: str
    ranges: Mapping[str, str]
    peers: frozenset[str] = frozenset()
    google_access: frozenset[str] = frozenset()
    """Regions whose subnetwork has Private Google Access."""
    hub: str = ""
    """The hub of Network Connectivity Center of which it is a VPC spoke."""


@dataclass(frozen=True)
class Commitment:
    """Committed use of a series in a region, for a year."""

    name: str
    region: str
    series: str
    vcpus: int
    memory_gib: int


@dataclass(frozen=True)
class Reservation:
    """Machines of a type that are paid whether they run or not."""

    name: str
    zone: str
    machine_type: str
    count: int


@dataclass(frozen=True)
class Flow:
    """What one end sends another, on each day or once a week."""

    src: str
    dst: str
    packets_per_day: float
    over_external: bool = False
    """Whether the receiver is reached at its external address."""
    is_opened_by_src: bool = True
    place: tuple[str, str] = ("", "")
    """Continent and country of an end on the internet."""
    peer_ip: str = ""
    service: str = ""
    """A Google API that is reached."""
    port: int = 443
    records: int = 24
    """In how many records a log shows it."""
    burst_minutes: int = 0
    """Within how many minutes of a day all of it goes; 0: over the whole day."""
    streams: int = 1
    """Connections side by side."""
    is_weekly: bool = False
    """Once a week, on the sixth day: a shorter log has nothing of it."""
    bulk_hours: int = 0
    """A bulk transfer: so many hours of a day it sends as fast as its path lets it."""
    bulk_from: int = 0
    """The hour at which that begins."""

    @property
    def gib_per_month(self) -> float:
        """Bytes on the wire in a month."""
        each_day = self.packets_per_day / (7 if self.is_weekly else 1)
        return each_day * WIRE_BYTES_PER_PACKET * DAYS_PER_MONTH / 2**30


@dataclass(frozen=True)
class Project:
    """All of it at one moment."""

    days: int
    """How long its logs are."""
    minutes: int = 15
    """The aggregation interval of its flow logs."""
    machines: Mapping[str, Machine] = field(default_factory=dict)
    addresses: Mapping[str, Address] = field(default_factory=dict)
    gateways: Mapping[str, Gateway] = field(default_factory=dict)
    fronts: Mapping[str, Front] = field(default_factory=dict)
    networks: Mapping[str, Network] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    """Managed groups by name, with their zones, or the region over which one spreads."""
    commitments: tuple[Commitment, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    flows: tuple[Flow, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Names that commands gave to machines which they made again, with the names here."""

    def with_machine(self, machine: Machine) -> "Project":
        """Return the project with one machine changed."""
        return replace(self, machines={**self.machines, machine.name: machine})

    def without_address(self, name: str) -> "Project":
        """Return the project without a reserved address."""
        return replace(
            self, addresses={key: one for key, one in self.addresses.items() if key != name}
        )

    def address_of(self, ip: str) -> Address | None:
        """Return the reservation of an address, if it has one."""
        return next((one for one in self.addresses.values() if one.ip == ip), None)

    def are_joined(self, one: str, other: str) -> bool:
        """Return whether two networks reach each other's internal addresses."""
        return one == other or self.are_peered(one, other) or bool(self.hub_of(one, other))

    def are_peered(self, one: str, other: str) -> bool:
        """Return whether two networks are peered from both sides."""
        return other in self.networks[one].peers and one in self.networks[other].peers

    def hub_of(self, one: str, other: str) -> str:
        """Return the hub of which two networks are spokes, or nothing.

        VPC spokes of a hub exchange their subnet routes
        (docs.cloud.google.com/network-connectivity/docs/network-connectivity-center).
        """
        hub = self.networks[one].hub
        return hub if one != other and hub == self.networks[other].hub else ""

    def gateway_of(self, machine: Machine) -> Gateway | None:
        """Return the gateway that a machine without an external address leaves by."""
        if machine.external_ip:
            return None
        return next(
            (
                one
                for one in self.gateways.values()
                if (one.network, one.region) == (machine.network, machine.region) and one.works
            ),
            None,
        )

    def holder_of(self, address: Address) -> str:
        """Return who holds a reserved address, or nothing."""
        for machine in self.machines.values():
            if machine.external_ip == address.ip:
                return machine.name
        for front in self.fronts.values():
            if front.ip == address.ip:
                return front.name
        return next(
            (one.name for one in self.gateways.values() if address.name in one.addresses), ""
        )


class Cut(NamedTuple):
    """A flow that nothing carries any more."""

    at: int
    """Its place among the flows."""
    flow: Flow
    why: str


def taken_away(before: Project, after: Project) -> Iterator[tuple[str, str]]:
    """Yield each reserved address that is gone while a rule or gateway has it, with the holder."""
    for name, address in before.addresses.items():
        holder = before.holder_of(address)
        if name not in after.addresses and (holder in after.fronts or holder in after.gateways):
            yield name, holder


def drawn_together(before: Project, after: Project) -> Iterator[str]:
    """Yield each service of copies that stands in fewer zones than it did."""
    old, new = _zones_of_copies(before), _zones_of_copies(after)
    for service, zones in old.items():
        if len(new[service]) < len(zones):
            yield f"{service}: from {', '.join(sorted(zones))} to {', '.join(sorted(new[service]))}"


def _zones_of_copies(project: Project) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for machine in project.machines.values():
        if machine.is_copy:
            found[machine.service].add(machine.zone)
    return found


def cuts(project: Project) -> Iterator[Cut]:
    """Yield each flow that has no way."""
    for at, flow in enumerate(project.flows):
        why = _why_cut(project, flow)
        if why:
            yield Cut(at, flow, why)


def without_flows(project: Project, places: Set[int]) -> Project:
    """Return the project without the flows at these places."""
    flows = tuple(flow for at, flow in enumerate(project.flows) if at not in places)
    return replace(project, flows=flows)


def _why_cut(project: Project, flow: Flow) -> str:
    src, dst = project.machines.get(flow.src), project.machines.get(flow.dst)
    if any(one is not None and not one.is_running for one in (src, dst)):
        return "a machine was stopped"
    if flow.service:
        return "" if src is None or _reaches_google(project, src) else "no way to Google APIs"
    if INTERNET in (flow.src, flow.dst):
        machine = src or dst
        return "" if machine is None else _why_not_outside(project, machine, flow)
    if src is None or dst is None:
        return "a machine is gone"
    if not flow.over_external:
        return "" if project.are_joined(src.network, dst.network) else "networks are not joined"
    server, client = (dst, src) if flow.is_opened_by_src else (src, dst)
    if not server.external_ip:
        return "the external address that was used is gone"
    return "" if _leaves(project, client) else "the last way out is gone"


def _why_not_outside(project: Project, machine: Machine, flow: Flow) -> str:
    is_called = (flow.src == INTERNET) == flow.is_opened_by_src
    if is_called:
        return "" if machine.external_ip else "the external address that was used is gone"
    return "" if _leaves(project, machine) else "the last way to the internet is gone"


def _leaves(project: Project, machine: Machine) -> bool:
    return bool(machine.external_ip) or project.gateway_of(machine) is not None


def _reaches_google(project: Project, machine: Machine) -> bool:
    is_private = machine.region in project.networks[machine.network].google_access
    return is_private or _leaves(project, machine)
