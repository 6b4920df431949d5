"""A traffic matrix without flow logs, from `networking.googleapis.com/vm_flow/…`.

These metrics count what each machine sends and receives by the place of its peers. They do not say
which machine the peer is, by which address it was met, or over which port; a public address of
one's own machine is `EXTERNAL` like the internet. So machines talk with places: the machines of a
zone and network, an area of the internet, on premises.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.model.evidence.traffic import MachineHours, PathHours, RateBins, TrafficHours
from netplan_planner.paths import AddressBook, FlowEnd, classify
from netplan_planner.paths.edges import PricedPathKey, priced_path_key
from netplan_planner.readers.time_series import intervals
from netplan_planner.readers.time_series.gathering import Gathering
from netplan_planner.readers.time_series.known import FLOW_EGRESS, FLOW_INGRESS, FLOW_RTT
from netplan_planner.readers.time_series.raw import US_PER_S, Unusable, moment_of
from netplan_planner.readers.time_series.resources import CLOUD, Resources, local_end, remote_end
from netplan_planner.units import SECONDS_PER_MINUTE

EdgeKey = tuple[str, str, model.PathClass]
"""Keys of source and destination, path class."""


class Told(NamedTuple):
    """Which intervals any point tells of."""

    grid: intervals.Grid
    is_told: np.ndarray[tuple[int], np.dtype[np.bool_]]

    def bins(self, byte_counts: intervals.Floats) -> RateBins:
        """Return bytes of the told intervals by hour; the others are unknown."""
        laid = np.full(self.grid.interval_count, np.nan)
        laid[self.is_told] = byte_counts / (self.grid.resolution_us / US_PER_S)
        return intervals.hours_of(laid, self.grid)


WHAT_IS_MISSING = (
    "traffic from metrics (vm_flow): sampled, without headers, and without peer names, addresses"
    " or five-tuples. A peer in the VPC is known by zone and network",
    "these metrics count a public address of your VMs as internet: internet traffic may be either",
    "a VM without a point in an interval is counted as idle if others have one",
)


class _Flow(NamedTuple):
    """One series, ready to be laid on the grid."""

    metric: str
    local: FlowEnd
    remote: FlowEnd
    is_reported_there: bool
    """The peer's own machine reports the same bytes as sent."""
    laid: intervals.Laid


def traffic_of(
    gathering: Gathering, inventory: model.Inventory, *, by_hour: bool = False
) -> model.TrafficMatrix | None:
    """Return the traffic that the metrics of flows tell of; None where they tell of none.

    Args:
        gathering: What was read.
        inventory: Whose resources the series are of.
        by_hour: Whether `TrafficMatrix.hours` is made.
    """
    flows, lost = _flows(gathering, inventory)
    try:
        grid = intervals.grid_of([flow.laid for flow in flows if flow.metric != FLOW_RTT])
    except Unusable:
        return None
    if grid is None:
        return None
    rows = [
        (flow, np.nan_to_num(intervals.laid_on(flow.laid, grid)) * _seconds(grid))
        for flow in flows
        if flow.metric != FLOW_RTT
    ]
    is_told = np.zeros(grid.interval_count, dtype=bool)
    for flow, _ in rows:
        is_told |= ~np.isnan(intervals.laid_on(flow.laid, grid))
    rows = [(flow, values[is_told]) for flow, values in rows]
    made = _matrix(gathering, rows, _round_trips(flows), grid, is_told, lost)
    if not by_hour:
        return made.matrix
    edges = {key: sums.whole for key, sums in made.edges.items()}
    machines = {key: (sums.whole, sums.outside) for key, sums in made.machines.items()}
    told = Told(grid, is_told)
    return replace(made.matrix, hours=flow_hours(made.matrix, inventory, edges, machines, told))


def _seconds(grid: intervals.Grid) -> float:
    return grid.resolution_us / US_PER_S


def _flows(gathering: Gathering, inventory: model.Inventory) -> tuple[list[_Flow], list[str]]:
    """Return the series of flows, and why some are left out."""
    resources, book = Resources(inventory), AddressBook(inventory)
    series = [
        (identity, points)
        for identity, points in gathering.series()
        if identity.type in {FLOW_EGRESS, FLOW_INGRESS, FLOW_RTT}
    ]
    sending = {
        dict(identity.resource).get("project_id", "")
        for identity, _ in series
        if identity.type == FLOW_EGRESS
    }
    found: list[_Flow] = []
    lost: list[str] = []
    for identity, points in series:
        is_counter = identity.type != FLOW_RTT
        try:
            # Of a distribution the points are medians already, whatever its kind.
            kind = identity.kind if is_counter else "GAUGE"
            laid = intervals.known_of(points, kind, identity.unit, is_counter=is_counter)
        except Unusable as exc:
            if is_counter:
                lost.append(f"{gathering.source_of(identity)}: {exc}")
            continue
        labels = dict(identity.labels)
        is_inside = labels.get("remote_location_type") == CLOUD
        found.append(
            _Flow(
                metric=identity.type,
                local=local_end(identity, resources, book),
                remote=remote_end(labels, inventory),
                is_reported_there=is_inside and labels.get("remote_project_id", "") in sending,
                laid=laid,
            )
        )
    return found, lost


Pair = tuple[str, str]


def _round_trips(flows: list[_Flow]) -> dict[Pair, float]:
    """Return the median round-trip time of each pair, in milliseconds."""
    found: dict[Pair, list[intervals.Floats]] = {}
    for flow in flows:
        if flow.metric == FLOW_RTT and len(flow.laid.value):
            pair = flow.local.owner.key, flow.remote.owner.key
            found.setdefault(pair, []).append(flow.laid.value)
    return {pair: float(np.median(np.concatenate(values))) for pair, values in found.items()}


class _Sums:
    """What is known of one edge or machine, by interval."""

    def __init__(self, count: int) -> None:
        self.whole = np.zeros(count)
        self.outside = np.zeros(count)
        self.received = np.zeros(count)
        self.to_internet = self.from_internet = 0.0
        self.series = 0
        self.is_received = False


class _Made(NamedTuple):
    """A matrix with the sums that it was made of."""

    matrix: model.TrafficMatrix
    edges: Mapping[EdgeKey, _Sums]
    machines: Mapping[str, _Sums]


def _matrix(
    gathering: Gathering,
    rows: list[tuple[_Flow, intervals.Floats]],
    round_trips: Mapping[Pair, float],
    grid: intervals.Grid,
    is_told: np.ndarray[tuple[int], np.dtype[np.bool_]],
    lost: list[str],
) -> _Made:
    count = int(np.count_nonzero(is_told))
    owners: dict[str, model.Owner] = {}
    edges: dict[EdgeKey, _Sums] = {}
    machines: dict[str, _Sums] = {}
    for flow, values in rows:
        _add(flow, values, owners, edges, machines)
    ordered = tuple(owners[key] for key in sorted(owners))
    number = {owner.key: index for index, owner in enumerate(ordered)}
    seconds = _seconds(grid)
    made = tuple(
        sorted(
            _edges(edges, number, round_trips, seconds),
            key=lambda edge: (edge.src, edge.dst, edge.path_class),
        )
    )
    minutes = seconds / SECONDS_PER_MINUTE
    first = int(np.flatnonzero(is_told)[0])
    last = int(np.flatnonzero(is_told)[-1])
    matrix = model.TrafficMatrix(
        start=moment_of(grid.first_end_us + (first - 1) * grid.resolution_us),
        end=moment_of(grid.first_end_us + last * grid.resolution_us),
        observed_minutes=max(round(count * minutes), 1),
        span_minutes=max(round((last - first + 1) * minutes), 1),
        reporter=model.Reporter.SOURCE,
        owners=ordered,
        edges=made,
        vms=tuple(
            _machine(index, machines.get(owner.key), seconds)
            for index, owner in enumerate(ordered)
            if owner.kind is model.OwnerKind.VM
        ),
        coverage=_coverage(gathering, ordered, made, len(rows), lost),
    )
    return _Made(matrix, edges, machines)


def _add(
    flow: _Flow,
    values: intervals.Floats,
    owners: dict[str, model.Owner],
    edges: dict[EdgeKey, _Sums],
    machines: dict[str, _Sums],
) -> None:
    local, remote = flow.local.owner, flow.remote.owner
    owners[local.key] = local
    machine = machines.setdefault(local.key, _Sums(len(values)))
    is_sent = flow.metric == FLOW_EGRESS
    src, dst = (flow.local, flow.remote) if is_sent else (flow.remote, flow.local)
    path_class = classify(src, dst).path_class
    if is_sent:
        machine.whole += values
        if path_class.leaves_vpc:
            machine.outside += values
        if remote.kind is model.OwnerKind.INTERNET:
            machine.to_internet += float(values.sum())
    else:
        machine.received += values
        if remote.kind is model.OwnerKind.INTERNET:
            machine.from_internet += float(values.sum())
        if flow.is_reported_there:
            return  # Counted once, where it is sent.
    owners[remote.key] = remote
    edge = edges.setdefault((src.owner.key, dst.owner.key, path_class), _Sums(len(values)))
    edge.whole += values
    edge.series += 1
    edge.is_received = not is_sent


def _edges(
    edges: Mapping[EdgeKey, _Sums],
    number: Mapping[str, int],
    round_trips: Mapping[Pair, float],
    seconds: float,
) -> Iterator[model.Edge]:
    for (src, dst, path_class), sums in edges.items():
        series = intervals.rates_of(sums.whole, seconds)
        if series.byte_count == 0:
            continue
        is_coarse = seconds > SECONDS_PER_MINUTE
        yield model.Edge(
            src=number[src],
            dst=number[dst],
            path_class=path_class,
            payload_bytes=series.byte_count,
            header_bytes=0,
            packet_count=0,
            record_count=sums.series,
            series=series,
            rtt_ms=round_trips.get((src, dst)) or round_trips.get((dst, src)),
            coarse_bytes=series.byte_count if is_coarse else 0,
            by_destination_bytes=series.byte_count if sums.is_received else 0,
        )


def _machine(owner: int, sums: _Sums | None, seconds: float) -> model.VmTraffic:
    if sums is None:
        return model.VmTraffic(
            owner=owner,
            egress=model.NO_TRAFFIC,
            egress_outside_vpc=model.NO_TRAFFIC,
            ingress=model.NO_TRAFFIC,
        )
    return model.VmTraffic(
        owner=owner,
        egress=intervals.rates_of(sums.whole, seconds),
        egress_outside_vpc=intervals.rates_of(sums.outside, seconds),
        ingress=intervals.rates_of(sums.received, seconds),
        coarse_ratio=1.0 if seconds > SECONDS_PER_MINUTE else 0.0,
        sent_to_internet_bytes=round(sums.to_internet),
        received_from_internet_bytes=round(sums.from_internet),
    )


def _coverage(
    gathering: Gathering,
    owners: tuple[model.Owner, ...],
    edges: tuple[model.Edge, ...],
    series_count: int,
    lost: list[str],
) -> model.TrafficCoverage:
    unowned = {index for index, owner in enumerate(owners) if owner.kind is model.OwnerKind.UNKNOWN}
    whole = sum(edge.payload_bytes for edge in edges)
    received = sum(edge.by_destination_bytes for edge in edges)
    lost_bytes = sum(e.payload_bytes for e in edges if e.src in unowned or e.dst in unowned)
    return model.TrafficCoverage(
        files=gathering.files,
        record_count=series_count + len(lost),
        used_count=series_count,
        source_reported_bytes=whole - received,
        destination_reported_bytes=received,
        payload_bytes=whole,
        owned_bytes=whole - lost_bytes,
        unowned_bytes=lost_bytes,
        incomplete=tuple(sorted(lost)),
        notes=WHAT_IS_MISSING,
        source=model.TrafficSource.METRICS,
    )


def flow_hours(
    matrix: model.TrafficMatrix,
    inventory: model.Inventory,
    edges: Mapping[EdgeKey, intervals.Floats],
    machines: Mapping[str, tuple[intervals.Floats, intervals.Floats]],
    told: Told,
) -> TrafficHours:
    """Return the hours of a matrix.

    Args:
        matrix: What the metrics came to.
        inventory: Decides which edges have one price.
        edges: Bytes of each edge by told interval.
        machines: The same of what each machine sends, in all and to outside the VPC.
        told: Which intervals these are.
    """
    paths: dict[PricedPathKey, tuple[int, intervals.Floats]] = {}
    for at, edge in enumerate(matrix.edges):
        src, dst = matrix.owners[edge.src].key, matrix.owners[edge.dst].key
        own = edges[src, dst, edge.path_class]
        key = priced_path_key(matrix, edge, inventory)
        example, before = paths.get(key, (at, np.zeros(len(own))))
        paths[key] = example, before + own
    whole = told.bins(np.zeros(np.count_nonzero(told.is_told)))
    by_owner = ((vm.owner, machines.get(matrix.owners[vm.owner].key)) for vm in matrix.vms)
    return TrafficHours(
        start=whole.start,
        bin_s=whole.bin_s,
        machines=tuple(
            MachineHours(
                owner=owner,
                gbps=told.bins(sums[0]).gbps,
                outside_gbps=told.bins(sums[1]).gbps,
            )
            for owner, sums in by_owner
            if sums is not None
        ),
        paths=tuple(
            PathHours(edge=example, gbps=told.bins(sums).gbps) for example, sums in paths.values()
        ),
    )
