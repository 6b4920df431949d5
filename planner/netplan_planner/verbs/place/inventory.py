"""An inventory and its traffic as what is to be placed.

What ties a machine to its zone, and what refers to it there and has to follow.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from netplan_planner.errors import InputError, UsageError
from netplan_planner.machines.groups import replica_sets, why_it_stays
from netplan_planner.machines.stores import data_caution, why_store
from netplan_planner.model import Address, Facts, Instance, PathClass
from netplan_planner.paths.priced_paths import priced_path_of
from netplan_planner.verbs.place.ask import PlaceChoices
from netplan_planner.verbs.place.asked import Asked, AskedEdges, AskedMachine, Kind
from netplan_planner.world.not_read import stopped_machines, what_is_incomplete
from netplan_pricing import SnapshotPriceBook

_DEFAULT_GROWTH = 0.25
"""A plan that empties zones would trade money for availability that nobody offered."""


def offered_in(facts: Facts, machine_type: str, today: str) -> frozenset[str] | None:
    """Return the zones with a machine type, today's among them; None where nothing says."""
    book = facts.prices
    zones = book.zones(machine_type) if isinstance(book, SnapshotPriceBook) else None
    return None if zones is None else frozenset((*zones, today))


class Ties:
    """What an inventory says of all its machines."""

    def __init__(self, facts: Facts) -> None:
        """Index what refers to machines."""
        self._facts = facts
        self._inside: dict[tuple[str | None, str | None], Address] = {
            (one.region, one.address): one
            for one in facts.inventory.addresses
            if not one.is_external
        }

    def what_breaks(self, one: Instance) -> tuple[str, ...]:
        """Return what refers to a machine and has to follow it to another zone."""
        return tuple(self._refers(one))

    def _refers(self, one: Instance) -> Iterator[str]:
        inventory = self._facts.inventory
        if data := data_caution(why_store(self._facts, one)):
            yield data
        group = inventory.group_by_member.get(one.ref.self_link)
        if group is not None and not group.is_managed:
            yield (
                f"The instance group {group.name} is in {group.location}. Put the new VM into a "
                "group of its own zone, and that group behind the load balancers of the old one."
            )
        for nic in one.interfaces:
            inside = self._inside.get((one.region, nic.internal_ipv4))
            if inside is not None:
                yield (
                    f"{nic.internal_ipv4} is reserved ({inside.name}): the new VM can use it "
                    "only after the old one is deleted."
                )
            if nic.external_ipv4 is None:
                continue
            if inventory.is_static(nic.external_ipv4):
                yield (
                    f"{nic.external_ipv4} is reserved: remove it from the old VM for the new one."
                )
            else:
                yield (
                    f"{nic.external_ipv4} is ephemeral and is released: external clients need "
                    "the new address."
                )


def asked_of(facts: Facts, title: str, request: PlaceChoices) -> Asked:
    """Return what the traffic between machines of an inventory asks.

    Raises:
        UsageError: If there is no traffic, or a machine's region may change.
        InputError: If none of the traffic is between two machines.
    """
    if facts.traffic is None:
        raise UsageError(
            "zones are chosen by traffic: add flow logs (--traffic FILE), or tables of VMs and "
            "traffic (--vms FILE --edges FILE)"
        )
    if request.between_regions:
        raise UsageError(
            "--between-regions is for tables (--vms, --edges). A VM's other traffic and its own "
            "price change with the region"
        )
    running = [one for one in facts.inventory.instances if not one.is_off]
    count = Counter(one.name for one in running)
    names = {
        one.ref.self_link: one.name
        if count[one.name] == 1
        else f"{one.project}/{one.zone}/{one.name}"
        for one in running
    }
    running.sort(key=lambda one: names[one.ref.self_link])
    number: dict[str, int] = {one.ref.self_link: at for at, one in enumerate(running)}
    foreign = _foreign(facts, number)
    number |= {zone: len(running) + at for at, zone in enumerate(foreign)}
    kinds, edges = _edges(facts, number)
    if not len(edges.src):
        raise InputError("no traffic between two VMs of the inventory was seen")
    groups, least = _groups(facts, running)
    ties = Ties(facts)
    machines = tuple(
        _machine(facts, ties, one, names[one.ref.self_link], groups.get(one.ref.self_link, ""))
        for one in running
    )
    machines += tuple(
        AskedMachine(f"others in {zone}", zone, 0.0, pinned="it is not yours", is_foreign=True)
        for zone in foreign
    )
    zones = tuple(sorted({one.zone for one in machines}))
    return Asked(
        title=title,
        machines=machines,
        kinds=kinds,
        edges=edges,
        limits=(),
        zones=zones,
        capacity=np.full(len(zones), np.inf),
        least_zones=least,
        assumptions=(
            "the bill covers traffic between these VMs, and their traffic to other VMs in zones "
            "that flow logs name",
            "VMs cost the same in every zone of a region",
            "VMs move only to zones of their region that other VMs of the input already use",
            "copies of one service (same group, role label, name, or three equal signs) stay in "
            "as many zones as today",
            "no VM uses a reservation without naming it: such reservations are not read, and "
            "stay paid and empty after a move",
            *stopped_machines(facts.inventory),
        ),
        incomplete=what_is_incomplete(facts, ()),
    )


def growth_of(request: PlaceChoices) -> float | None:
    """Return by how much zones may grow; None: tables say what they hold, or that it is open."""
    if request.zone_growth_ratio is not None:
        return request.zone_growth_ratio
    return None if request.vms is not None else _DEFAULT_GROWTH


def _foreign(facts: Facts, number: Mapping[str, int]) -> list[str]:
    """Return the zones of machines that own ones send to and that are not placed.

    Those of other projects, and own ones that have been stopped since.
    """
    traffic = facts.traffic
    assert traffic is not None
    ends = (
        facts.dst(edge)
        for edge in traffic.edges
        if edge.path_class.distance is not None and (facts.src(edge).link or "") in number
    )
    return sorted({end.zone for end in ends if end.zone and (end.link or "") not in number})


def _edges(facts: Facts, number: Mapping[str, int]) -> tuple[tuple[Kind, ...], AskedEdges]:
    """Return what own machines send, which is what they pay for.

    Args:
        facts: The traffic.
        number: Places of machines by link, and of those of others by zone.
    """
    traffic = facts.traffic
    assert traffic is not None
    sums: dict[tuple[int, int, Kind], int] = defaultdict(int)
    for edge in traffic.edges:
        src, dst = facts.src(edge), facts.dst(edge)
        if edge.path_class.distance is None:
            continue
        one = number.get(src.link or "")
        other = number.get(dst.link or "", number.get(dst.zone or ""))
        if one is None or other is None or one == other:
            continue
        path = priced_path_of(facts, edge)
        kind = Kind(_in_one_zone(edge.path_class), path.is_ipv6, path.hub)
        sums[one, other, kind] += edge.wire_bytes
    kinds = tuple(sorted({kind for _, _, kind in sums}))
    rows = sorted((one, other, kinds.index(kind), n) for (one, other, kind), n in sums.items())
    table = np.array([row[:3] for row in rows], dtype=np.intp).reshape(-1, 3)
    gib = np.array([float(facts.gib_per_month(row[3])) for row in rows])
    return kinds, AskedEdges(table[:, 0], table[:, 1], table[:, 2], gib)


def _in_one_zone(path_class: PathClass) -> PathClass:
    assert path_class.distance is not None
    return PathClass(f"same-zone{path_class.removeprefix(path_class.distance)}")


def _groups(facts: Facts, running: list[Instance]) -> tuple[dict[str, str], dict[str, int]]:
    """Return the group of copies of each machine, and in how many zones it stands today."""
    copies = replica_sets(facts)
    chosen: dict[str, str] = {}
    for one in running:
        keys = copies.by_machine.get(one.ref.self_link, frozenset())
        # A role or an instance group says more than a name; of names the one that more have.
        said = sorted(keys, key=lambda key: (_told_by(key), -len(copies.machines[key]), key))
        if said:
            chosen[one.ref.self_link] = said[0]
    members: dict[str, list[Instance]] = defaultdict(list)
    for one in running:
        key = chosen.get(one.ref.self_link)
        if key is not None:
            members[key].append(one)
    least = {key: len({one.zone for one in found}) for key, found in members.items()}
    apart = {key for key, zones in least.items() if zones > 1}
    return (
        {link: key for link, key in chosen.items() if key in apart},
        {key: least[key] for key in apart},
    )


def _told_by(key: str) -> int:
    """Return the rank of what makes machines copies: a group or role, then a name, then signs."""
    return ("both are named" in key) + 2 * ("both have the same" in key)


def _machine(facts: Facts, ties: Ties, one: Instance, name: str, group: str) -> AskedMachine:
    shape = facts.shape(one.machine_type)
    vcpus = float(shape.vcpus) if shape is not None else None
    return AskedMachine(
        name=name,
        zone=one.zone,
        vcpus=vcpus,
        group=group,
        pinned=why_it_stays(facts, one) or ("its vCPUs are unknown" if vcpus is None else ""),
        offered=offered_in(facts, one.machine_type, one.zone),
        breaks=ties.what_breaks(one),
        instance=one,
    )
