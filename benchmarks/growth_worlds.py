"""Made projects that grow in one direction each; `growth.py` measures what that costs.

Every world is a function of one size and the same for the same size. Addresses, names and rates are
arithmetic, not random, so that twice the size is twice of the same.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from ipaddress import IPv4Address
from typing import NamedTuple

from netplan_planner.model import (
    Address,
    Certainty,
    Edge,
    Facts,
    Instance,
    Inventory,
    Network,
    NetworkInterface,
    Owner,
    OwnerKind,
    PathClass,
    Peering,
    ProjectId,
    Reporter,
    ResourceRef,
    SelfLink,
    Series,
    Subnetwork,
    TrafficCoverage,
    TrafficMatrix,
    VmTraffic,
    Zone,
    region_of,
)
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.throughput import load_caps
from netplan_planner.units import BITS_PER_BYTE, BITS_PER_GIGABIT
from netplan_pricing import open_snapshot
from netplan_rules.registry import thresholds

START = datetime(2026, 5, 1, tzinfo=UTC)
END = datetime(2026, 5, 2, tzinfo=UTC)
MINUTES = 1_440
LETTERS = {"us-central1": "abc", "us-east1": "bcd", "europe-west1": "bcd", "asia-southeast1": "abc"}
"""Of three zones of each region; two regions have no zone a."""
ZONES = tuple(Zone(f"{one}-{letter}") for one, letters in LETTERS.items() for letter in letters)
TYPES = ("n1-standard-1", "n2-standard-4", "n2-standard-16", "e2-standard-8", "e2-micro")
_FIRST_INTERNAL = int(IPv4Address("10.0.0.0"))
_FIRST_EXTERNAL = int(IPv4Address("34.0.0.0"))


class World(NamedTuple):
    """A direction of growth: its name, what one unit of size is, the full size, and the maker."""

    name: str
    unit: str
    size: int
    make: Callable[[int], Facts]


def machines_and_pairs(count: int) -> Facts:
    """`count` machines of one network with 25 pairs each, some over external addresses."""
    return _facts(_machines(count), pairs=_pairs(count, 25))


def unconnected_networks(count: int) -> Facts:
    """Two networks without peering, `count` machines and subnetworks in each, pair by pair."""
    networks = ("left", "right")
    machines = [
        _machine(2 * n + side, name, subnetwork=f"{name}-{n}")
        for n in range(count)
        for side, name in enumerate(networks)
    ]
    subnetworks = [
        _subnetwork(f"{name}-{n}", name, 2 * n + side)
        for n in range(count)
        for side, name in enumerate(networks)
    ]
    pairs = ((2 * n, 2 * n + 1, True) for n in range(count))
    return _facts(
        machines, pairs=pairs, networks=[_network(name) for name in networks], subnets=subnetworks
    )


def subnetworks(count: int) -> Facts:
    """`count` subnetworks with one machine each."""
    machines = [_machine(n, "default", subnetwork=f"subnet-{n}") for n in range(count)]
    made = [_subnetwork(f"subnet-{n}", "default", n) for n in range(count)]
    return _facts(machines, pairs=_pairs(count, 5), subnets=made)


def mesh(count: int) -> Facts:
    """`count` networks, all peered with all, MTUs that differ, one machine in each.

    Peerings grow with the square of the networks, so work is measured against peerings.
    """
    names = [f"net-{n}" for n in range(count)]
    networks = [
        _network(name, peers=[o for o in names if o != name], mtu_bytes=1460 + 40 * (n % 2))
        for n, name in enumerate(names)
    ]
    machines = [_machine(n, name) for n, name in enumerate(names)]
    return _facts(machines, pairs=_pairs(count, 5), networks=networks)


def members_of_one_finding(count: int) -> Facts:
    """`count` pairs of one zone over external addresses: one finding with as many places."""
    zone = ZONES[0]
    machines = [_machine(n, "default", zone=zone) for n in range(2 * count)]
    return _facts(machines, pairs=((2 * n, 2 * n + 1, True) for n in range(count)))


def projects(count: int) -> Facts:
    """`count` projects with five machines and a reserved address each."""
    machines = [_machine(n, "default", project=f"project-{n // 5}") for n in range(5 * count)]
    addresses = [
        Address(
            ref=ResourceRef(
                self_link=SelfLink(f"projects/project-{n}/regions/us-east1/addresses/spare"),
                source=f"addresses.json:{n + 1}",
            ),
            project=ProjectId(f"project-{n}"),
            name="spare",
            address=str(IPv4Address(_FIRST_EXTERNAL + 2**23 + n)),
            is_external=True,
            region=region_of("us-east1-b"),
            status="RESERVED",
            created=datetime(2025, 1, 1, tzinfo=UTC),
        )
        for n in range(count)
    ]
    return _facts(machines, pairs=_pairs(5 * count, 5), addresses=addresses)


WORLDS = (
    World("machines and 25 pairs each", "machines", 20_000, machines_and_pairs),
    World("two unconnected networks", "machines a side", 4_000, unconnected_networks),
    World("subnetworks", "subnetworks", 10_000, subnetworks),
    World("networks peered in a mesh", "networks", 400, mesh),
    World("places of one finding", "places", 100_000, members_of_one_finding),
    World("projects", "projects", 2_000, projects),
)


def _machines(count: int) -> list[Instance]:
    return [_machine(n, "default") for n in range(count)]


def _machine(
    number: int,
    network: str,
    *,
    subnetwork: str = "",
    zone: Zone | None = None,
    project: str = "growth",
) -> Instance:
    place = zone or ZONES[number % len(ZONES)]
    name = f"vm{number:07d}x"
    nic = NetworkInterface(
        name="nic0",
        network=SelfLink(f"projects/growth/global/networks/{network}"),
        subnetwork=SelfLink(
            f"projects/growth/regions/{region_of(place)}/subnetworks/{subnetwork or network}"
        ),
        internal_ipv4=str(IPv4Address(_FIRST_INTERNAL + number)),
        external_ipv4=str(IPv4Address(_FIRST_EXTERNAL + number)),
        access_config_name="External NAT",
    )
    return Instance(
        ref=ResourceRef(
            self_link=SelfLink(f"projects/{project}/zones/{place}/instances/{name}"),
            source=f"instances.json:{number + 1}",
        ),
        project=ProjectId(project),
        zone=place,
        name=name,
        machine_type=TYPES[number % len(TYPES)],
        status="RUNNING",
        interfaces=(nic,),
        cpu_platform="Intel Cascade Lake",
    )


def _network(name: str, *, peers: list[str] | None = None, mtu_bytes: int = 1460) -> Network:
    def link(other: str) -> SelfLink:
        return SelfLink(f"projects/growth/global/networks/{other}")

    return Network(
        ref=ResourceRef(self_link=link(name), source="networks.json"),
        project=ProjectId("growth"),
        name=name,
        mtu_bytes=mtu_bytes,
        peerings=tuple(
            Peering(name=f"to-{other}", network=link(other), is_active=True)
            for other in peers or ()
        ),
    )


def _subnetwork(name: str, network: str, number: int) -> Subnetwork:
    region = region_of(ZONES[number % len(ZONES)])
    first = IPv4Address(int(IPv4Address("10.0.0.0")) + 256 * number)
    return Subnetwork(
        ref=ResourceRef(
            self_link=SelfLink(f"projects/growth/regions/{region}/subnetworks/{name}"),
            source=f"subnetworks.json:{number + 1}",
        ),
        project=ProjectId("growth"),
        region=region,
        name=name,
        network=SelfLink(f"projects/growth/global/networks/{network}"),
        ipv4_range=f"{first}/24",
    )


Pair = tuple[int, int, bool]
"""Sender and receiver by number, and whether over an external address."""


def _pairs(count: int, each: int) -> Iterator[Pair]:
    for src in range(count):
        for step in range(each):
            dst = (src + 1 + step * 7) % count
            if dst != src:
                yield src, dst, step == 0 and src % 4 == 0


def _facts(
    machines: list[Instance],
    *,
    pairs: Iterator[Pair],
    networks: list[Network] | None = None,
    subnets: list[Subnetwork] | None = None,
    addresses: list[Address] | None = None,
) -> Facts:
    inventory = Inventory(
        instances=tuple(machines),
        networks=tuple(networks or [_network("default")]),
        subnetworks=tuple(subnets or ()),
        addresses=tuple(addresses or ()),
    )
    prices, caps = open_snapshot(), load_caps(END.date())
    return Facts(
        inventory=inventory,
        traffic=_matrix(machines, pairs),
        prices=prices,
        caps=caps,
        machines=Chooser(prices, caps),
        today=END.date(),
        thresholds=thresholds({}),
    )


def _matrix(machines: list[Instance], pairs: Iterator[Pair]) -> TrafficMatrix:
    owners = tuple(
        Owner(
            kind=OwnerKind.VM,
            key=m.ref.self_link,
            name=m.name,
            project=m.project,
            zone=m.zone,
            region=m.region,
            network=m.primary_network,
            subnetwork=m.interfaces[0].subnetwork,
            link=m.ref.self_link,
        )
        for m in machines
    )
    edges = tuple(
        sorted(
            (_edge(machines, *pair) for pair in pairs),
            key=lambda e: (e.src, e.dst, e.path_class, e.dst_address or ""),
        )
    )
    totals: dict[int, list[float]] = {}
    for edge in edges:
        rate = edge.series.p95_gbps
        for owner, index in ((edge.src, 0), (edge.dst, 2)):
            totals.setdefault(owner, [0.0, 0.0, 0.0])[index] += rate
        if edge.path_class.leaves_vpc:
            totals[edge.src][1] += rate
    vms = tuple(
        VmTraffic(
            owner=owner,
            egress=_series(sums[0]),
            egress_outside_vpc=_series(sums[1]),
            ingress=_series(sums[2]),
        )
        for owner, sums in sorted(totals.items())
    )
    return TrafficMatrix(
        start=START,
        end=END,
        observed_minutes=MINUTES,
        reporter=Reporter.SOURCE,
        owners=owners,
        edges=edges,
        vms=vms,
        coverage=TrafficCoverage(files=1, record_count=len(edges), used_count=len(edges)),
    )


def _edge(machines: list[Instance], src: int, dst: int, is_external: bool) -> Edge:
    base = PathClass.SAME_ZONE_EXTERNAL if is_external else PathClass.SAME_ZONE_INTERNAL
    series = _series(0.001 * (1 + (src + dst) % 40))
    return Edge(
        src=src,
        dst=dst,
        path_class=base.between(machines[src].zone, machines[dst].zone),
        payload_bytes=series.byte_count,
        header_bytes=0,
        packet_count=series.byte_count // 1_400,
        record_count=100,
        series=series,
        dst_address=machines[dst].interfaces[0].external_ipv4 if is_external else None,
        certainty=Certainty.RECORDED,
    )


def _series(gbps: float) -> Series:
    return Series(
        p50_gbps=gbps,
        p95_gbps=gbps,
        p99_gbps=gbps,
        max_gbps=gbps,
        byte_count=int(gbps * BITS_PER_GIGABIT / BITS_PER_BYTE * MINUTES * 60),
        active_minutes=MINUTES,
        top_gbps=(gbps,) * 10,
    )
