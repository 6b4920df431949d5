"""Signs that VMs are copies of one service, whatever their names: counted, and doubt holds."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations, product
from math import floor, log2
from typing import NamedTuple

from netplan_planner import model

LEAST_SIGNS = 3
"""Signs that two VMs share from which on they are taken for copies."""
SERVICE_LABELS = ("service", "app")
"""Labels that say what a machine serves."""
_PART_LABELS = ("role", "tier", "component")
"""Labels that tell the parts of one service apart: a web server is no copy of its database."""
_COMMON_LABELS = frozenset(
    ["env", "environment", "stage", "state", "team", "owner", "cost-center", "cost_center"]
)
"""Labels that sort VMs by who has or pays for them: they say nothing of what a VM is for.

Source: docs.cloud.google.com/resource-manager/docs/labels-overview (common uses of labels).
"""
_OF_GOOGLE = "goog-"
"""How labels begin that Google's services set."""
_MOST_SHARING = 12
"""VMs of one label or image: more of them are an environment or a company's base image. An
assumption without a source: it only holds moves back."""
_QUORUMS = frozenset({3, 5, 7})
"""Sizes of a set that decides by majority."""
_QUORUM_ZONES = 3
_PUBLIC_IMAGES = "-cloud/"
"""How projects of Google's public images end: such an image says nothing of what runs."""
_LEAST_PEERS = 2
"""Of one peer alike, such as a monitor, all machines of a network may be clients."""

Values = tuple[object, ...]
"""What a machine has of a sign; it shares the sign with whoever has one of them."""


class Alike(NamedTuple):
    """Machines that share signs enough to be copies."""

    where: str
    signs: tuple[str, ...]
    machines: tuple[model.Instance, ...]

    @property
    def why(self) -> str:
        """Which signs they share, in words."""
        return f"both have the same {', '.join(self.signs[:-1])} and {self.signs[-1]}"


def service_of(machine: model.Instance) -> str:
    """Return what a machine is labelled to serve, or nothing."""
    return next((of for name in SERVICE_LABELS if (of := machine.label(name))), "")


def sets_alike(facts: model.Facts, machines: Iterable[model.Instance]) -> Iterator[Alike]:
    """Yield the sets of machines in several zones that share signs enough.

    One of the signs says what a machine is for: template, image, label, tags, or that a quorum's
    number of VMs all talk to each other. Machines that are labelled as of two services, or as two
    parts of one, share none.
    """
    few = _shared_by_few(facts)
    for where, members in _places(machines).items():
        meshes = _meshes(facts, members)
        purposes = [_purposes(facts, one, few, meshes) for one in members]
        quorums = _quorums(members, purposes)
        found: dict[tuple[tuple[str, object], ...], list[model.Instance]] = defaultdict(list)
        for machine, of in zip(members, purposes, strict=True):
            signs = _with_others(facts, machine, of, quorums) if of else {}
            for names in combinations(signs, LEAST_SIGNS):
                # Labels are set together: of several, one counts.
                if not of.keys().isdisjoint(names) and sum(map(_is_label, names)) <= 1:
                    for values in product(*(signs[name] for name in names)):
                        found[tuple(zip(names, values, strict=True))].append(machine)
        # Sets of the same machines are one, with all the signs that they share.
        sets: dict[tuple[model.Instance, ...], dict[str, None]] = defaultdict(dict)
        for shared, those in found.items():
            if len({one.zone for one in those}) > 1:
                sets[tuple(those)].update((name, None) for name, _ in shared)
        for together, said in sets.items():
            yield Alike(where, tuple(said), together)


def _places(machines: Iterable[model.Instance]) -> dict[str, list[model.Instance]]:
    """Return the machines among which copies are looked for, by where and what they are."""
    found: dict[str, list[model.Instance]] = defaultdict(list)
    for one in machines:
        parts = "/".join(one.label(name) or "" for name in _PART_LABELS)
        found[f"{one.project}/{one.primary_network}/{service_of(one)}/{parts}"].append(one)
    return found


def _is_label(name: str) -> bool:
    return name.startswith("label ")


def _purposes(
    facts: model.Facts,
    machine: model.Instance,
    few: frozenset[tuple[str, object]],
    meshes: dict[model.SelfLink, Values],
) -> dict[str, Values]:
    """Return the signs that say what a machine is for, by their names."""
    own = tuple(sorted(one for one in machine.licenses if _PUBLIC_IMAGES not in one))
    marks = [mark for mark in _marks(facts, machine) if mark in few]
    label = next((name for name in SERVICE_LABELS if machine.label(name)), None)
    signs: dict[str, Values] = {
        "instance template": (machine.template,),
        "image": (own, *(value for name, value in marks if not _is_label(name))),
        f"label {label}": (machine.label(label) if label else None,),
        "network tags": (tuple(sorted(machine.tags)),),
        "full mesh": meshes.get(machine.ref.self_link, ()),
        **{name: (value,) for name, value in marks if _is_label(name)},
    }
    told = {name: tuple(filter(None, values)) for name, values in signs.items()}
    return {name: values for name, values in told.items() if values}


def _marks(facts: model.Facts, machine: model.Instance) -> Iterator[tuple[str, object]]:
    """Yield the labels of a machine and the images of its disks that may tell what it is for."""
    for key, value in machine.labels:
        if value and key not in _COMMON_LABELS and not key.startswith(_OF_GOOGLE):
            yield f"label {key}", value
    for disk in facts.inventory.disks_by_user.get(machine.ref.self_link, ()):
        if disk.source_image is not None and _PUBLIC_IMAGES not in disk.source_image:
            yield "image", disk.source_image


def _shared_by_few(facts: model.Facts) -> frozenset[tuple[str, object]]:
    """Return the labels and images that several VMs of the inventory have, and few others."""
    counts = Counter(mark for one in facts.inventory.instances for mark in _marks(facts, one))
    return frozenset(mark for mark, count in counts.items() if 1 < count <= _MOST_SHARING)


def _meshes(facts: model.Facts, machines: Iterable[model.Instance]) -> dict[model.SelfLink, Values]:
    """Return by machine the quorums that it is of: one type, equal rates, all talk to each other.

    Clients that talk to all of them do not hide them.
    """
    found: dict[model.SelfLink, Values] = {}
    traffic = facts.traffic
    if traffic is None:
        return found
    equal: dict[tuple[object, ...], dict[int, model.Instance]] = defaultdict(dict)
    for one in machines:
        seen = traffic.vm_by_link.get(one.ref.self_link)
        if seen is not None:
            for rates in _rates(seen):
                equal[one.machine_type, rates][seen.owner] = one
    for members in equal.values():
        near: dict[frozenset[int], list[int]] = defaultdict(list)
        for owner in members:
            # Both ways: of three in a ring each sends to the next one alone.
            sent = {edge.dst for edge in traffic.edges_by_src.get(owner, ())}
            both = sent.intersection(edge.src for edge in traffic.edges_by_dst.get(owner, ()))
            near[frozenset(members).intersection({owner, *both})].append(owner)
        for owners in near.values():
            those = [members[owner] for owner in owners]
            if _is_quorum(those):
                for one in those:
                    link = one.ref.self_link
                    found[link] = (*found.get(link, ()), tuple(owners))
    return found


def _is_quorum(machines: Collection[model.Instance]) -> bool:
    zones = {one.zone for one in machines}
    return len(machines) in _QUORUMS and len(zones) >= _QUORUM_ZONES


def _quorums(
    machines: Iterable[model.Instance], purposes: Iterable[dict[str, Values]]
) -> dict[object, int]:
    """Return the values of such signs that a quorum's number of machines have, in several zones."""
    found: dict[object, list[model.Instance]] = defaultdict(list)
    for one, of in zip(machines, purposes, strict=True):
        for name, values in of.items():
            for value in values:
                found[name, value].append(one)
    return {sign: len(members) for sign, members in found.items() if _is_quorum(members)}


def _with_others(
    facts: model.Facts, machine: model.Instance, of: dict[str, Values], quorums: dict[object, int]
) -> dict[str, Values]:
    """Return all signs of a machine, those that say what it is for before the others."""
    signs = {**of, "machine type": (machine.machine_type,)}
    for sign in ((name, value) for name, values in of.items() for value in values):
        if sign in quorums:
            name = f"quorum of {quorums[sign]} VMs"
            signs[name] = (*signs.get(name, ()), sign)
    traffic = facts.traffic
    seen = traffic.vm_by_link.get(machine.ref.self_link) if traffic is not None else None
    if traffic is None or seen is None:
        return signs
    ports = _ports(traffic, seen.owner)
    peers = _peers(traffic, seen.owner)
    if ports:
        signs["ports"] = (ports,)
    if len(peers) >= _LEAST_PEERS:
        # Copies that talk to each other have the same peers where each counts as its own.
        signs["peers"] = (peers, ("and itself", *sorted({*peers, seen.owner})))
    if rates := _rates(seen):
        signs["rates"] = rates
    return signs


def _rates(seen: model.VmTraffic) -> Values:
    """Return classes of what a machine sends and gets; none where one of them is nothing."""
    if not seen.egress.byte_count or not seen.ingress.byte_count:
        return ()
    return tuple(product(_sizes(seen.egress.byte_count), _sizes(seen.ingress.byte_count)))


def _ports(traffic: model.TrafficMatrix, owner: int) -> tuple[int, ...]:
    """Return the ports on which a machine is called most, of each caller one."""
    flows = (edge.top_flow for edge in traffic.edges_by_dst.get(owner, ()))
    ports = {flow.dst_port for flow in flows if flow is not None and flow.dst_port is not None}
    return tuple(sorted(port for port in ports if port < model.FIRST_EPHEMERAL_PORT))


def _peers(traffic: model.TrafficMatrix, owner: int) -> tuple[int, ...]:
    sent, got = traffic.edges_by_src.get(owner, ()), traffic.edges_by_dst.get(owner, ())
    return tuple(sorted({edge.dst for edge in sent} | {edge.src for edge in got}))


def _sizes(byte_count: int) -> tuple[str, str]:
    """Return two classes of volume, each of a factor 2, that lie half a class apart.

    Volumes that differ by less than a factor of 1.4 have one of them in common.
    """
    power = log2(byte_count)
    return f"{floor(power)}", f"{floor(power + 0.5)}+"
