"""The paths that are worth a probe: named pairs of machines, or those that findings rest on."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

import msgspec

from netplan_planner.errors import UsageError
from netplan_planner.judging.judged import judge
from netplan_planner.judging.suppressions import Suppressions
from netplan_planner.measuring.protocol import run_times
from netplan_planner.model import (
    ChangeKind,
    Edge,
    Facts,
    Hit,
    Instance,
    PathClass,
    PathQuery,
    total_usd,
)
from netplan_planner.model.evidence.measurement import NO_PROBE_LABEL
from netplan_planner.throughput import machine_end
from netplan_planner.throughput.round_trips.of_path import (
    path_round_trip,
    seen_round_trips,
    with_round_trip,
)
from netplan_planner.units import counted
from netplan_planner.verbs.probe.answer import ProbePath, ProbeStake
from netplan_planner.world.reading import machine_of
from netplan_rules.base import Check
from netplan_rules.registry import all_rules

# What the options of `netplan probe` say: pairs, ends and ports


_PORTS = re.compile(r"(\d{1,5})-(\d{1,5})")
_SHOWN = 80
"""Characters of a text that is refused."""


def pairs(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return pairs of names written as `SRC:DST`.

    A project id may hold a colon of its own (`example.com:web`), in `project/zone/name`.

    Raises:
        UsageError: If a text has no two names.

    >>> pairs(["vm-1:vm-2", "example.com:p/z/a:example.com:p/z/b"])
    (('vm-1', 'vm-2'), ('example.com:p/z/a', 'example.com:p/z/b'))
    """
    return tuple(map(_two_names, texts))


def ends(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return machines and how they are reached, written as `NAME=HOW`.

    Raises:
        UsageError: If a text names no machine.

    >>> ends(["vm-1=ip netns exec a", "vm-2="])
    (('vm-1', 'ip netns exec a'), ('vm-2', ''))
    """
    found = []
    for text in texts:
        name, joint, how = text.partition("=")
        if not joint or not name.strip():
            raise UsageError(f"--end is NAME=HOW, such as vm-1=me@10.0.0.2, not {text[:_SHOWN]!r}")
        found.append((name.strip(), how))
    return tuple(found)


def ports(text: str) -> tuple[int, int]:
    """Return the first and last port of a range.

    Raises:
        UsageError: If it is none.

    >>> ports("5201-5232")
    (5201, 5232)
    """
    found = _PORTS.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--ports is a range such as 5201-5232, not {text[:_SHOWN]!r}")
    return int(found[1]), int(found[2])


def _two_names(text: str) -> tuple[str, str]:
    parts = text.split(":")
    # Two plain names, or two with as many colons in their projects.
    half = len(parts) // 2
    names = ":".join(parts[:half]).strip(), ":".join(parts[half:]).strip()
    if len(parts) % 2 or not all(names):
        raise UsageError(f"--pair is two VMs as SRC:DST, not {text[:_SHOWN]!r}")
    return names


# The paths that are worth a probe: named pairs of machines, or those that findings rest on


_AREAS = frozenset({"address", "capacity", "placement"})
"""Rules whose advice rests on what a path carries."""
_Pair = frozenset[str]


class FoundPaths(NamedTuple):
    """Paths in the order of what is at stake, and what was not looked at."""

    paths: tuple[ProbePath, ...]
    notes: tuple[str, ...]


class PathMaker:
    """Makes paths of one set of facts."""

    def __init__(self, facts: Facts, *, time_scale: float = 1.0) -> None:
        """Begin.

        Args:
            facts: Machines and traffic.
            time_scale: Of the duration of runs.
        """
        self._facts = facts
        self._time_scale = time_scale
        self._seen_ms = seen_round_trips(facts)

    def named(self, pairs: Iterable[tuple[str, str]], *, is_external: bool) -> FoundPaths:
        """Return the paths of pairs that a user named, each once.

        Raises:
            UsageError: If a name is not that of one machine, or both are the same one.
        """
        paths: dict[_Pair, ProbePath] = {}
        for names in pairs:
            client, server = (machine_of(self._facts.inventory, name) for name in names)
            if client is server:
                raise UsageError(f"--pair {names[0]}:{names[1]}: a path needs two different VMs")
            path = self._path(client, server, _class_of(client, server, is_external))
            # Both directions are measured: the other way round it is the same probe.
            paths.setdefault(frozenset({client.ref.self_link, server.ref.self_link}), path)
        return FoundPaths(tuple(paths.values()), ())

    def of_findings(self, suppressions: Suppressions, *, max_count: int) -> FoundPaths:
        """Return the paths that findings rest on, the greatest money first.

        Args:
            suppressions: Findings that the user does not want to see; nor are they measured.
            max_count: How many paths at most; further ones are counted.
        """
        found: dict[tuple[_Pair, PathClass], ProbePath] = {}
        homeless = 0
        for check, hit in self._hits(suppressions):
            pairs_with_traffic = list(self._ends_of(hit))
            homeless += not pairs_with_traffic
            stake = _stake(check, hit)
            for client, server, path_class in pairs_with_traffic:
                key = frozenset({client.ref.self_link, server.ref.self_link}), path_class
                old = found.get(key)
                if old is None:
                    old = self._path(client, server, path_class)
                found[key] = msgspec.structs.replace(old, stakes=(*old.stakes, stake))
        paths = tuple(found.values())
        return FoundPaths(paths[:max_count], tuple(_notes(len(paths), homeless, max_count)))

    def _hits(self, suppressions: Suppressions) -> Iterator[tuple[Check, Hit]]:
        """Yield what the rules say about paths: the gravest first, then the most money."""
        checks = [check for check in all_rules() if check.area in _AREAS]
        hits = [
            (check, hit)
            for check in checks
            for hit in judge(check, self._facts).hits
            if hit.throughput_now is not None or hit.limit is not None or hit.change is not None
            if suppressions.find(check, hit) is None
        ]
        yield from sorted(hits, key=lambda each: _weight(*each))

    def _ends_of(self, hit: Hit) -> Iterator[tuple[Instance, Instance, PathClass]]:
        """Yield the machines that a hit is about, with the path they use and the one advised."""
        by_link = self._facts.inventory.instance_by_link
        change = hit.change
        links = [ref.self_link for ref in hit.resources]
        if change is not None and change.destination is not None:
            links = [change.target, change.destination]
        ends = [by_link[link] for link in links if link in by_link]
        if not ends:
            return
        edges = (
            self._edges_between.get(frozenset(one.ref.self_link for one in ends[:2]), ())
            if len(ends) > 1
            else self._edges_from.get(ends[0].ref.self_link, ())
        )
        edge = max(edges, key=lambda one: one.wire_bytes, default=None)
        if edge is None:
            return
        client, server = (
            self._facts.instance(one(edge)) for one in (self._facts.src, self._facts.dst)
        )
        assert client is not None
        assert server is not None
        yield client, server, edge.path_class
        if change is not None and change.kind is ChangeKind.INTERNAL_ADDRESS:
            yield client, server, edge.path_class.over_internal_address

    @cached_property
    def _edges_between(self) -> dict[_Pair, tuple[Edge, ...]]:
        """What two of our machines send each other, by their links."""
        grouped: dict[_Pair, list[Edge]] = defaultdict(list)
        traffic = self._facts.traffic
        for edge in traffic.edges if traffic is not None else ():
            links = {self._facts.src(edge).link, self._facts.dst(edge).link}
            if len(links) == 2 and None not in links and _is_probed(edge):
                known = self._facts.inventory.instance_by_link
                if all(link in known for link in links):
                    grouped[frozenset(str(link) for link in links)].append(edge)
        return {pair: tuple(edges) for pair, edges in grouped.items()}

    @cached_property
    def _edges_from(self) -> dict[str, tuple[Edge, ...]]:
        """The same by the sender."""
        grouped: dict[str, list[Edge]] = defaultdict(list)
        for edges in self._edges_between.values():
            for edge in edges:
                grouped[str(self._facts.src(edge).link)].append(edge)
        return {link: tuple(edges) for link, edges in grouped.items()}

    def _path(self, client: Instance, server: Instance, path_class: PathClass) -> ProbePath:
        there, basis = self._query(client, server, path_class)
        back = msgspec.structs.replace(there, src=there.dst, dst=there.src)
        address = self._address(client, server, path_class)
        return ProbePath(
            name=f"{self._name(client)}--{self._name(server)}--{path_class.value}",
            client=client,
            server=server,
            path_class=path_class,
            address=address,
            there=there,
            back=back,
            rtt_basis=basis,
            refused=_why_not(client, server, path_class, address),
        )

    @cached_property
    def _twice(self) -> frozenset[str]:
        """Names that several machines have."""
        counts = Counter(one.name for one in self._facts.inventory.instances)
        return frozenset(name for name, count in counts.items() if count > 1)

    def _name(self, instance: Instance) -> str:
        if instance.name not in self._twice:
            return instance.name
        return f"{instance.project}.{instance.zone}.{instance.name}"

    def _address(self, client: Instance, server: Instance, path_class: PathClass) -> str | None:
        if path_class.is_external_address:
            return next((nic.external_ipv4 for nic in server.interfaces if nic.external_ipv4), None)
        nic = self._facts.inventory.reachable_interface(client, server)
        return nic.internal_ipv4 if nic is not None else None

    def _query(
        self, client: Instance, server: Instance, path_class: PathClass
    ) -> tuple[PathQuery, str]:
        """Return the path as a run takes it, and where its round-trip time comes from."""
        src, dst = (machine_end(self._facts, one) for one in (client, server))
        query = PathQuery(path_class=path_class, src=src, dst=dst)
        pair = frozenset((client.ref.self_link, server.ref.self_link))
        trip = path_round_trip(client.zone, server.zone, seen_ms=self._seen_ms.get(pair))
        basis = str(trip.basis) if trip.basis else trip.why_unknown or trip.source
        query = with_round_trip(query, trip)
        times = run_times(rtt_ms=query.rtt_ms, scale=self._time_scale)
        timed = msgspec.structs.replace(
            query, omit_s=float(times.omit_s), duration_s=float(times.duration_s)
        )
        return timed, basis


def _is_probed(edge: Edge) -> bool:
    """Return whether a probe can take the path of an edge: between machines, over IPv4."""
    path_class = edge.path_class
    is_ours = path_class.distance is not None and not path_class.is_pod
    return is_ours and ":" not in (edge.dst_address or "")


def _class_of(one: Instance, other: Instance, is_external: bool) -> PathClass:
    distance = "inter-region" if one.region != other.region else "inter-zone"
    if one.zone == other.zone:
        distance = "same-zone"
    return PathClass(f"{distance}-{'external' if is_external else 'internal'}")


def _why_not(client: Instance, server: Instance, path_class: PathClass, address: str | None) -> str:
    """Return why nothing may or can be measured between two machines."""
    for one in (client, server):
        if one.label(NO_PROBE_LABEL) is not None:
            return f"{one.name} has the label {NO_PROBE_LABEL}"
    for one in (client, server):
        if not one.is_running:
            return f"{one.name} is not running ({one.status}); netplan starts no VM"
        if "WINDOWS" in one.guest_os_features:
            return f"{one.name} runs Windows; the prober needs a Linux shell"
    if address is None and path_class.is_external_address:
        return f"{server.name} has no external IPv4 address"
    if address is None:
        return f"no network joins {client.name} with an internal IPv4 address of {server.name}"
    return ""


def _stake(check: Check, hit: Hit) -> ProbeStake:
    usd = total_usd(hit.saving.items) if hit.saving.items and not hit.saving.unknown else None
    return ProbeStake(rule=check.rule.id, saving_usd_per_month=usd, gain_gbps=_gain_gbps(hit))


def _gain_gbps(hit: Hit) -> float | None:
    now, fixed = hit.throughput_now, hit.throughput_fixed
    if now is None or fixed is None or now.gbps is None or fixed.gbps is None:
        return None
    return fixed.gbps - now.gbps


def _weight(check: Check, hit: Hit) -> tuple[int, Decimal, float, str, str]:
    usd = total_usd(hit.saving.items) if hit.saving.items else Decimal(0)
    severity = hit.severity or check.rule.severity
    return severity.rank, -abs(usd), -(_gain_gbps(hit) or 0.0), check.rule.id, hit.subject


def _notes(count: int, homeless: int, max_count: int) -> Iterator[str]:
    if count > max_count:
        more = count - max_count
        paths = counted(more, "more path")
        yield f"{paths} of findings {'was' if more == 1 else 'were'} not checked (--max-paths)"
    if homeless:
        yield (
            f"{counted(homeless, 'finding')} {'is' if homeless == 1 else 'are'} not about a path "
            "between two VMs of the input that flow logs show"
        )
