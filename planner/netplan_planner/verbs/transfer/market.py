"""A transfer's network of numbers, from hops, machines, prices and the throughput model."""

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

import numpy as np

from netplan_planner.machines.disks import gbps
from netplan_planner.model import CapsBook, PathClass, PriceBook, Rejected
from netplan_planner.optimise.job.grid import LEAST_BILLED_S
from netplan_planner.throughput import predict_all
from netplan_planner.throughput.limits.named import REGION_QUOTA
from netplan_planner.units import BITS_PER_BYTE, BITS_PER_GIGABIT, SECONDS_PER_HOUR
from netplan_planner.verbs.transfer.answer import PlaceKind
from netplan_planner.verbs.transfer.ask import PlaceLimit, TransferNeed
from netplan_planner.verbs.transfer.hops import Hop, Hops, Tables, hops_of, is_direct, kind_of
from netplan_planner.verbs.transfer.machines import Machine, given_machine, hop_query, machines_in
from netplan_planner.verbs.transfer.solve.network import Limits, Network, Quotas

EGRESS, INGRESS, GRID = "vm-egress", "vm-ingress", "grid-edge"
EXTERNAL_INGRESS, MEASURED, STORAGE = "external-ingress", "measured-rate", "storage-rate"
VCPUS, DISK = "vcpus", "disk"
FIXED = frozenset({GRID, EXTERNAL_INGRESS, MEASURED, STORAGE, VCPUS, DISK})
"""Limits that are no matter of the throughput model."""
OUTSIDE = frozenset({PathClass.INTERNET, PathClass.INTER_REGION_EXTERNAL})
SAME_S = 0.1
"""Nobody pays for, or sees, a tenth of a second."""
_BUCKETS = frozenset({PathClass.GOOGLE_APIS, None})


class Market(NamedTuple):
    """A network, and what its numbers stand for."""

    network: Network
    hops: tuple[Hop, ...]
    """By edge."""
    machines: tuple[Machine, ...]
    """By option."""
    is_direct: np.ndarray[tuple[int]]
    """Edges."""
    unknown: tuple[Rejected, ...]
    unpriced: Hops
    is_given: bool
    """Whether the machines are those of a given grid."""


def market_of(need: TransferNeed, prices: PriceBook, caps: CapsBook, tables: Tables) -> Market:
    """Return the network of a transfer; without hops it has no edges."""
    hops = hops_of(need, prices, tables)
    regions = frozenset(prices.regions())
    names = sorted({need.source, *need.targets, *(n for x in hops.rows for n in (x.src, x.dst))})
    machines: list[Machine] = []
    unknown: dict[str, list[Rejected]] = {}
    ends = {need.source, *need.targets}
    for name in names:
        if tables.grid is not None:
            held = need.disk if name in ends else None
            machines.append(given_machine(need, name, prices, held))
        elif kind_of(name, regions, tables) is PlaceKind.REGION:
            own = [hop for hop in hops.rows if name in {hop.src, hop.dst}]
            found, refused = machines_in(
                need,
                name,
                prices,
                caps,
                sends_outside=any(
                    x.path_class is PathClass.INTERNET and x.src == name for x in own
                ),
                is_addressed=any(
                    x.path_class is PathClass.INTER_REGION_EXTERNAL
                    or (x.path_class is PathClass.INTERNET and x.src == name)
                    for x in own
                ),
                disk=need.own_disk if name in ends else None,
            )
            machines += found
            unknown[name] = list(refused)
    is_given = tables.grid is not None
    network = _network(need, names, hops.rows, machines, caps, set(unknown), is_given=is_given)
    return Market(
        network=network,
        hops=hops.rows,
        machines=tuple(machines),
        is_direct=np.array([is_direct(need, hop) for hop in hops.rows], dtype=bool),
        unknown=tuple(one for name in sorted(ends & set(unknown)) for one in unknown[name]),
        unpriced=hops,
        is_given=is_given,
    )


def _network(
    need: TransferNeed,
    names: Sequence[str],
    hops: Sequence[Hop],
    machines: Sequence[Machine],
    caps: CapsBook,
    regions: Set[str],
    *,
    is_given: bool,
) -> Network:
    at = {name: number for number, name in enumerate(names)}
    usd = [float(one.usd_per_hour or 0) / SECONDS_PER_HOUR for one in machines]
    rows = _LimitRows(at, hops, machines)
    by_place: dict[str, list[int]] = {name: [] for name in names}
    for number, machine in enumerate(machines):
        by_place[machine.place].append(number)
    if is_given:
        _add_given(need, by_place, rows)
    else:
        _add_google(need, by_place, rows, caps, regions)
    for place, options in by_place.items():
        rows.add_disk(place, options, is_read=place == need.source)
    return Network(
        places=tuple(names),
        src=_whole(at[one.src] for one in hops),
        dst=_whole(at[one.dst] for one in hops),
        usd=np.array([float(one.usd) for one in hops]),
        option_place=_whole(at[one.place] for one in machines),
        option_usd=np.array(usd),
        is_priced=any(usd),
        limits=rows.done(),
        quotas=_quotas(need, hops, at),
        source=at[need.source],
        targets=tuple(at[target] for target in need.targets),
        gbit=need.volume_bytes * BITS_PER_BYTE / BITS_PER_GIGABIT,
        most=need.max_count,
        overhead_s=need.startup_s or 0.0,
        least_s=float(LEAST_BILLED_S) if any(usd) else 0.0,
        same_s=SAME_S,
    )


def _whole(values: Iterator[int]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.array(list(values), dtype=np.intp)


class _LimitRows:
    """Limits, one after another."""

    def __init__(
        self, at: dict[str, int], hops: Sequence[Hop], machines: Sequence[Machine]
    ) -> None:
        self.hops, self.machines = hops, machines
        self._at = at
        self._names: list[str] = []
        self._places: list[int] = []
        self._edges: list[tuple[int, int]] = []
        self._options: list[tuple[int, int, float]] = []
        self._always: list[float] = []

    def add(
        self, name: str, place: str, edges: Sequence[int], options: Sequence[tuple[int, float]]
    ) -> None:
        """Add that so many Gbit/s of each option carry what crosses some edges."""
        if edges:
            self._add(name, place, edges, options, 0.0)

    def add_disk(self, place: str, options: Sequence[int], *, is_read: bool) -> None:
        """Add that the disks of a place's machines read or write every byte once, if they do."""
        held = [(k, disk) for k in options if (disk := self.machines[k].disk) is not None]
        speeds = [(k, one.read_mib_per_s if is_read else one.write_mib_per_s) for k, one in held]
        rates = [(k, rate) for k, speed in speeds if (rate := gbps(speed)) is not None]
        if rates:
            self._add(DISK, place, (), rates, 1.0)

    def _add(
        self,
        name: str,
        place: str,
        edges: Sequence[int],
        options: Sequence[tuple[int, float]],
        always: float,
    ) -> None:
        row = len(self._names)
        self._always.append(always)
        self._names.append(name)
        self._places.append(self._at[place])
        self._edges += [(row, edge) for edge in edges]
        self._options += [(row, option, rate) for option, rate in options]

    def done(self) -> Limits:
        """Return all of them."""
        return Limits(
            names=tuple(self._names),
            place=_whole(iter(self._places)),
            edge_row=_whole(row for row, _ in self._edges),
            edge=_whole(edge for _, edge in self._edges),
            option_row=_whole(row for row, _, _ in self._options),
            option=_whole(option for _, option, _ in self._options),
            gbps=np.array([rate for _, _, rate in self._options], dtype=float),
            always=np.array(self._always, dtype=float),
        )


def _add_given(need: TransferNeed, by_place: dict[str, list[int]], rows: _LimitRows) -> None:
    """Add the limits of a given grid: each edge, and what a machine sends and takes in all.

    Where nobody says how much that is, it is the most that the grid shows on one edge.
    """
    sent: dict[str, list[int]] = {}
    taken: dict[str, list[int]] = {}
    hops = rows.hops
    for number, hop in enumerate(hops):
        sent.setdefault(hop.src, []).append(number)
        taken.setdefault(hop.dst, []).append(number)
        rate = hop.gbps or 0.0
        for place in (hop.src, hop.dst):
            rows.add(GRID, place, [number], [(k, rate) for k in by_place[place]])
    for name, edges, told in (
        (EGRESS, sent, need.machine_egress_gbps),
        (INGRESS, taken, need.machine_ingress_gbps),
    ):
        for place, own in edges.items():
            most = told if told is not None else max(hops[edge].gbps or 0.0 for edge in own)
            rows.add(name, place, own, [(k, most) for k in by_place[place]])
            if need.machine_gbps is not None:
                given = [(k, need.machine_gbps) for k in by_place[place]]
                rows.add(MEASURED, place, own, given)


def _add_google(
    need: TransferNeed,
    by_place: dict[str, list[int]],
    rows: _LimitRows,
    caps: CapsBook,
    regions: Set[str],
) -> None:
    """Add the limits of machines in regions: inside the VPC, outside of it, and all together.

    Through a region without any machine nothing passes.
    """
    hops = rows.hops
    for place, options in by_place.items():
        sent = [n for n, hop in enumerate(hops) if hop.src == place]
        taken = [n for n, hop in enumerate(hops) if hop.dst == place]
        if not options:
            if place in regions:
                rows.add(EGRESS, place, [*sent, *taken], [])
            continue
        _add_sent(rows, place, options, sent)
        _add_taken(rows, place, options, taken)
        buckets = [n for n in (*sent, *taken) if hops[n].path_class in _BUCKETS]
        if buckets and need.storage_gbps is not None:
            rows.add(STORAGE, place, buckets, [(k, need.storage_gbps) for k in options])
        told = None if need.machine_gbps is None else (MEASURED, need.machine_gbps)
        for edges in (sent, taken):
            each = [(k, told[1] if told else rows.machines[k].vcpu_gbps) for k in options]
            rows.add(told[0] if told else VCPUS, place, edges, each)
    if need.streams is not None:
        _add_streams(need, by_place, rows, caps)


def _add_sent(rows: _LimitRows, place: str, options: Sequence[int], sent: Sequence[int]) -> None:
    hops, machines = rows.hops, rows.machines
    outside = [n for n in sent if hops[n].path_class in OUTSIDE]
    inside = [n for n in sent if hops[n].path_class is PathClass.INTER_REGION_INTERNAL]
    rows.add(_bound(machines, options), place, inside, _inside(machines, options))
    if outside:
        found = [(k, machines[k].outside) for k in options]
        rates = [(k, one.gbps or 0.0) for k, one in found if one is not None]
        rows.add("external-egress", place, outside, rates)
    if len(sent) > max(len(inside), len(outside)):
        total = [(k, one.cap.egress_gbps) for k in options if (one := machines[k].offer)]
        rows.add(EGRESS, place, sent, total)


def _add_taken(rows: _LimitRows, place: str, options: Sequence[int], taken: Sequence[int]) -> None:
    hops, machines = rows.hops, rows.machines
    arrives = [n for n in taken if hops[n].path_class is PathClass.INTER_REGION_INTERNAL]
    rows.add(INGRESS, place, arrives, _inside(machines, options))
    addressed = [n for n in taken if hops[n].path_class in OUTSIDE]
    bounded = [(k, rate) for k in options if (rate := machines[k].ingress_gbps) is not None]
    if len(bounded) == len(options):
        rows.add(EXTERNAL_INGRESS, place, addressed, bounded)
    else:
        rows.add(INGRESS, place, addressed, _inside(machines, options))


def _bound(machines: Sequence[Machine], options: Sequence[int]) -> str:
    limit = machines[options[0]].inside.binding
    return limit.name if limit else EGRESS


def _inside(machines: Sequence[Machine], options: Sequence[int]) -> list[tuple[int, float]]:
    return [(k, machines[k].inside.gbps or 0.0) for k in options]


def _add_streams(
    need: TransferNeed, by_place: dict[str, list[int]], rows: _LimitRows, caps: CapsBook
) -> None:
    """Add what so many connections of one machine carry on each edge, by its round-trip time."""
    asked = [
        (number, k, place, query)
        for number, hop in enumerate(rows.hops)
        for place in (hop.src, hop.dst)
        for k in by_place.get(place, ())
        if (query := hop_query(hop, rows.machines[k], rows.machines[k], need)) is not None
    ]
    found = predict_all([query for *_, query in asked], caps)
    rates: dict[tuple[int, str], list[tuple[int, float]]] = {}
    for (number, k, place, _), estimate in zip(asked, found, strict=True):
        rates.setdefault((number, place), []).append((k, estimate.gbps or 0.0))
    for (number, place), options in rates.items():
        rows.add("streams", place, [number], options)


def _quotas(need: TransferNeed, hops: Sequence[Hop], at: dict[str, int]) -> Quotas:
    names: list[str] = []
    places: list[int] = []
    rates: list[float] = []
    cells: list[tuple[int, int]] = []

    def add(quota: PlaceLimit, *, is_outside: bool) -> None:
        own = [
            number
            for number, hop in enumerate(hops)
            if hop.src == quota.place
            and hop.path_class is not PathClass.GOOGLE_APIS
            and (hop.path_class in OUTSIDE) == is_outside
        ]
        if own:
            cells.extend((len(names), number) for number in own)
            names.append(REGION_QUOTA)
            places.append(at[quota.place])
            rates.append(quota.gbps)

    for quota in need.inside_quotas:
        add(quota, is_outside=False)
    for quota in need.outside_quotas:
        add(quota, is_outside=True)
    return Quotas(
        names=tuple(names),
        place=_whole(iter(places)),
        gbps=np.array(rates, dtype=float),
        edge_row=_whole(row for row, _ in cells),
        edge=_whole(edge for _, edge in cells),
    )
