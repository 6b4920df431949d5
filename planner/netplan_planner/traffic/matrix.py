"""From the sums by pair to the traffic matrix."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.traffic.engine import Engine, Row, slices
from netplan_planner.traffic.files.records import DROP_REASONS
from netplan_planner.traffic.record_sums import Routes
from netplan_planner.traffic.statements import series
from netplan_planner.traffic.statements.keys import PORT_BASE, US_PER_MS
from netplan_planner.traffic.window import Window
from netplan_planner.units import SECONDS_PER_MINUTE, gbps_from_bytes

PERCENTILES = (50, 95, 99)
TOP_MINUTES = 10
_EXACT_BYTES = 1 << 50
"""Below it a count's bits are exact as a floating number."""


class MachineSeries(model.Value, frozen=True, kw_only=True):
    """The series of the machines by number; one that is missing sent or received nothing."""

    sent: Mapping[int, model.Series]
    sent_outside: Mapping[int, model.Series]
    """To outside the VPC."""
    received: Mapping[int, model.Series]


class SeriesReader:
    """Asks an engine for series; they cover all minutes of the window, idle ones included.

    Args:
        minute_count: Minutes of the window.
        unit: What the bytes of the tables are multiples of, see `Routes.unit`.
    """

    def __init__(self, *, minute_count: int, unit: int) -> None:
        self._unit = unit
        self._top_count = min(TOP_MINUTES, minute_count)
        # A percentile's rank from the greatest minute, by nearest rank.
        self._ranks = [minute_count - -(-p * minute_count // 100) + 1 for p in PERCENTILES]

    def read(self, engine: Engine, table: str, key: str, value: str) -> dict[int, model.Series]:
        """Return the series of each key of a table that sent anything."""
        whole = {
            row[0]: row for rows in engine.stream(series.volumes(table, key, value)) for row in rows
        }
        wanted = [*self._ranks, *range(1, TOP_MINUTES + 1)]
        return {
            number: self._series(gbps, whole[number])
            for keys, wire in engine.ranked(table, key, value, whole, wanted)
            for number, gbps in zip(keys, self.gbps(wire).tolist(), strict=True)
        }

    def machines(self, engine: Engine) -> MachineSeries:
        """Return what the machines send, send to outside the VPC, and receive."""
        stretches = slices(engine, "edge_minute", "minute")
        engine.create("sent_minute", "received_minute")
        for first, until in stretches:
            engine.run(f"INSERT INTO sent_minute {series.sent_minutes(first, until)}")
        sent = self.read(engine, "sent_minute", "vm", "wire")
        outside = self.read(engine, "sent_minute", "vm", "outside")
        engine.create("sent_minute")
        for first, until in stretches:
            engine.run(f"INSERT INTO received_minute {series.received_minutes(first, until)}")
        received = self.read(engine, "received_minute", "vm", "wire")
        engine.create("received_minute")
        return MachineSeries(sent=sent, sent_outside=outside, received=received)

    def gbps(self, wire: Any) -> Any:
        """Return the rates of an array of minutes with so many bytes, exact as of whole ones."""
        exact = wire if wire.max(initial=0) < _EXACT_BYTES else wire.astype(object)
        return gbps_from_bytes(exact, SECONDS_PER_MINUTE * self._unit)

    def _series(self, gbps: Sequence[float], volume: Row) -> model.Series:
        top = tuple(gbps[len(PERCENTILES) : len(PERCENTILES) + self._top_count])
        return model.Series(
            p50_gbps=gbps[0],
            p95_gbps=gbps[1],
            p99_gbps=gbps[2],
            max_gbps=top[0],
            byte_count=volume[1] // self._unit,
            active_minutes=volume[2],
            top_gbps=top,
        )


_PROTOCOLS_WITH_PORTS = frozenset({6, 17, 33, 132, 136})
"""TCP, UDP, DCCP, SCTP, UDP-Lite (IANA protocol numbers)."""


class EdgeTotal:
    """Sums of one edge over the window, in the order of `EDGE_TOTALS`."""

    __slots__ = (
        "by_destination_bytes",
        "coarse_bytes",
        "dropped_bytes",
        "dropped_packets",
        "drops",
        "header_bytes",
        "other_side_bytes",
        "other_side_records",
        "packet_count",
        "payload_bytes",
        "records",
    )

    def __init__(self, row: Row, unit: int) -> None:
        _, payload, wire, packets, records, by_destination, other, other_records = row
        self.payload_bytes = payload // unit
        # Headers are what the whole has beyond its payload, so that the two add up when halved.
        self.header_bytes = wire // unit - self.payload_bytes
        self.packet_count = packets // unit
        self.records = records
        self.by_destination_bytes = by_destination // unit
        self.other_side_bytes = other
        self.other_side_records = other_records
        self.coarse_bytes = self.dropped_bytes = self.dropped_packets = 0
        self.drops: list[model.Drops] = []


class MatrixBuilder:
    """Asks the engine for series and totals, and makes the matrix of them."""

    def __init__(self, engine: Engine, routes: Routes, window: Window) -> None:
        self._engine = engine
        self._routes = routes
        self._window = window
        self._unit = routes.unit
        engine.create("skewed_day")
        engine.insert("skewed_day", ((day,) for day in window.skewed_days))
        self._series = SeriesReader(minute_count=window.observed_minutes, unit=routes.unit)

    def build(self, reporter: model.Reporter) -> model.TrafficMatrix:
        """Return the matrix, its coverage still empty."""
        self._fill_edge_minutes()
        # The machines' queries keep the engine busy while Python makes the edges.
        with self._engine.in_background(self._series.machines) as machines:
            self.totals = self._totals()
            series = self._series.read(self._engine, "edge_minute", "edge", "wire")
            owners, edges = _numbered(self._routes.owners, self._edges(series))
            of_machines = machines.result()
        return model.TrafficMatrix(
            start=self._window.start,
            end=self._window.end,
            observed_minutes=self._window.observed_minutes,
            span_minutes=self._window.span_minutes,
            is_asked=self._window.is_asked,
            reporter=reporter,
            owners=owners,
            edges=edges,
            vms=self._machines(owners, edges, of_machines),
            coverage=model.TrafficCoverage(files=0, record_count=0, used_count=0),
        )

    def _totals(self) -> dict[int, EdgeTotal]:
        unit = self._unit
        totals = {
            row[0]: EdgeTotal(row, unit)
            for rows in self._engine.stream(series.EDGE_TOTALS)
            for row in rows
        }
        for edge, payload in self._engine.rows(series.EDGE_COARSE):
            totals[edge].coarse_bytes = payload // unit
        for edge, at_receiver, reason, payload, packets in self._engine.rows(series.EDGE_DROPS):
            total = totals.setdefault(edge, EdgeTotal((edge, *[0] * 7), unit))
            total.dropped_bytes += payload
            total.dropped_packets += packets
            total.drops.append(
                model.Drops(
                    reason=DROP_REASONS[reason - 1] if reason else "",
                    at_receiver=bool(at_receiver),
                    packet_count=packets,
                    byte_count=payload,
                )
            )
        return totals

    def _fill_edge_minutes(self) -> None:
        self._engine.create("edge_minute")
        for first, until in slices(self._engine, "pair_minute", "minute"):
            self._engine.run(f"INSERT INTO edge_minute {series.edge_minutes(first, until)}")
        self._engine.create("pair_minute")

    def _edges(self, series: Mapping[int, model.Series]) -> list[model.Edge]:
        rtts = dict(self._rtts())
        top_flows = self._top_flows()
        numbers = self._routes.owner_number
        edges = []
        for number, (src, dst, path_class, address) in enumerate(self._routes.keys):
            total = self.totals.get(number)
            if total is None or total.records == 0:
                continue
            edges.append(
                model.Edge(
                    src=numbers[src],
                    dst=numbers[dst],
                    path_class=path_class,
                    payload_bytes=total.payload_bytes,
                    header_bytes=total.header_bytes,
                    packet_count=total.packet_count,
                    record_count=total.records,
                    series=series.get(number, model.NO_TRAFFIC),
                    dst_address=address,
                    certainty=self._routes.certainties[number],
                    rtt_ms=rtts.get(number),
                    coarse_bytes=total.coarse_bytes,
                    by_destination_bytes=total.by_destination_bytes,
                    other_side_bytes=total.other_side_bytes if total.other_side_records else None,
                    dropped_bytes=total.dropped_bytes,
                    dropped_packets=total.dropped_packets,
                    drops=tuple(sorted(total.drops, key=_drop_order)),
                    top_flow=top_flows.get(number),
                )
            )
        return edges

    def _rtts(self) -> Iterator[tuple[int, float]]:
        """Yield each edge's median round-trip time in milliseconds.

        Within the first two digits by which records are counted it is their mean: exact where the
        records agree, else to a few per cent.
        """
        for rows in self._engine.stream(series.EDGE_ROUND_TRIPS):
            for edge, low, low_count, high, high_count in rows:
                yield edge, (low / low_count + high / high_count) / 2 / US_PER_MS

    def _top_flows(self) -> dict[int, model.TopFlow]:
        """Return the greatest five-tuple of the edges that have fast ones."""
        self._engine.create("edge_flow")
        self._engine.run(f"INSERT INTO edge_flow {series.EDGE_FLOWS}")
        return {row[0]: self._top_flow(*row) for row in self._engine.rows(series.TOP_FLOWS)}

    def _top_flow(self, edge: int, ports: int, whole: int, active: int, p95: int) -> model.TopFlow:
        total = self.totals[edge]
        rest, dst_port = divmod(ports, PORT_BASE)
        protocol = rest // PORT_BASE
        wire = total.payload_bytes + total.header_bytes
        return model.TopFlow(
            byte_ratio=min(1.0, whole // self._unit / wire) if wire else 0.0,
            p95_gbps=gbps_from_bytes(p95, SECONDS_PER_MINUTE * self._unit),
            active_minutes=active,
            protocol=protocol,
            dst_port=dst_port - 1 if protocol in _PROTOCOLS_WITH_PORTS and dst_port > 0 else None,
        )

    def _machines(
        self, owners: Sequence[model.Owner], edges: Sequence[model.Edge], series: MachineSeries
    ) -> tuple[model.VmTraffic, ...]:
        number_of = self._routes.owner_number
        sums = _machine_sums(owners, edges)
        return tuple(
            model.VmTraffic(
                owner=number,
                egress=series.sent.get(number_of[owner.key], model.NO_TRAFFIC),
                egress_outside_vpc=series.sent_outside.get(number_of[owner.key], model.NO_TRAFFIC),
                ingress=series.received.get(number_of[owner.key], model.NO_TRAFFIC),
                coarse_ratio=sums[number].coarse_ratio,
                sent_to_internet_bytes=sums[number].to_internet,
                received_from_internet_bytes=sums[number].from_internet,
            )
            for number, owner in enumerate(owners)
            if owner.kind is model.OwnerKind.VM
        )


class _MachineSums:
    """What the edges of one machine add up to."""

    __slots__ = ("coarse", "from_internet", "payload", "to_internet")

    def __init__(self) -> None:
        self.payload = self.coarse = self.to_internet = self.from_internet = 0

    @property
    def coarse_ratio(self) -> float:
        """Share of what it sends that comes from records of more than a minute."""
        return self.coarse / self.payload if self.payload else 0.0


def drops_of(totals: Iterable[EdgeTotal]) -> tuple[model.Drops, ...]:
    """Return what was dropped on all edges, by side and reason."""
    sums: dict[tuple[str, bool], list[int]] = {}
    for total in totals:
        for one in total.drops:
            packets_bytes = sums.setdefault((one.reason, one.at_receiver), [0, 0])
            packets_bytes[0] += one.packet_count
            packets_bytes[1] += one.byte_count
    found = (
        model.Drops(
            reason=reason, at_receiver=at_receiver, packet_count=packets, byte_count=byte_count
        )
        for (reason, at_receiver), (packets, byte_count) in sums.items()
    )
    return tuple(sorted(found, key=_drop_order))


def _drop_order(drops: model.Drops) -> tuple[int, bool, str]:
    return -drops.packet_count, drops.at_receiver, drops.reason


def _machine_sums(
    owners: Sequence[model.Owner], edges: Sequence[model.Edge]
) -> dict[int, _MachineSums]:
    sums: dict[int, _MachineSums] = defaultdict(_MachineSums)
    for edge in edges:
        src = sums[edge.src]
        src.payload += edge.payload_bytes
        src.coarse += edge.coarse_bytes
        if owners[edge.dst].kind is model.OwnerKind.INTERNET:
            src.to_internet += edge.wire_bytes
        if owners[edge.src].kind is model.OwnerKind.INTERNET:
            sums[edge.dst].from_internet += edge.wire_bytes
    return sums


def _numbered(
    owners: Sequence[model.Owner], edges: Sequence[model.Edge]
) -> tuple[tuple[model.Owner, ...], tuple[model.Edge, ...]]:
    """Return the owners that edges have, by key, and the edges in order with their numbers."""
    used = sorted({number for edge in edges for number in (edge.src, edge.dst)})
    new = {number: position for position, number in enumerate(used)}
    if len(used) < len(owners):
        edges = [replace(edge, src=new[edge.src], dst=new[edge.dst]) for edge in edges]
    ordered = sorted(edges, key=lambda e: (e.src, e.dst, e.path_class, e.dst_address or ""))
    return tuple(owners[number] for number in used), tuple(ordered)
