"""Judges flow records by the ends that are known, and adds them up by pair of ends.

The tables are those of `engine.py`, the queries those of `statements`: all that grows with records
stays in the engine. Where records come from, and how their ends get to be known, is told by those
who use this: `ingest` of files, `remote` of engines that hold the records themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from netplan_planner import model
from netplan_planner.paths import FlowEnd, classify
from netplan_planner.traffic.engine import Engine, Row, slices
from netplan_planner.traffic.nodes import Nodes, fullest
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.repeats import OF_RECORDS, Entries, Repeats, Said
from netplan_planner.traffic.statements import logged, staging, sums
from netplan_planner.traffic.statements.keys import FIRST_US, LAST_US, US_PER_MINUTE, nodes_of
from netplan_planner.traffic.statements.sums import SILENT, reported, weights

# Which reports of which pairs count, and to which edge they belong


EdgeKey = tuple[str, str, model.PathClass, str | None]
"""What makes an edge: keys of source and destination, path class, literal address."""


class Routes:
    """The edges, and the tables `weight` and `edge` that lead sums by report to them.

    Python holds one entry an edge and one a node.
    """

    def __init__(self, engine: Engine, nodes: Nodes, reporter: model.Reporter) -> None:
        self._engine = engine
        self._nodes = nodes
        self._reporter = reporter
        self.unit = 2 if reporter is model.Reporter.AVERAGE else 1
        """The weight of one whole report: in an average two halves count."""
        self.keys: list[EdgeKey] = []
        self.certainties: list[model.Certainty] = []
        """The least sure end of each edge."""
        self.has_recorded = False
        """Whether a record named one of its machines."""
        self.silent: set[model.SelfLink] = set()
        """Subnetworks that should report by the inventory, but never do, though others saw them."""
        self._number: dict[EdgeKey, int] = {}

    def build(self) -> None:
        """Fill the tables `weight` and `edge`."""
        self._engine.create("reported", "route", "weight", "edge")
        self._engine.run(f"INSERT INTO reported {reported(self._reporter)}")
        for rows in self._engine.stream("SELECT pair FROM reported"):
            self._engine.insert("route", self._routes(rows))
        self._engine.run(f"INSERT INTO weight {weights(self.unit)}")
        self._note_silence()
        self._add_edges()

    def _add_edges(self) -> None:
        self.owners = self._owners()
        self.owner_number = {owner.key: number for number, owner in enumerate(self.owners)}
        machine = {
            owner.key: number
            for number, owner in enumerate(self.owners)
            if owner.kind is model.OwnerKind.VM
        }
        leaves_vpc = {path_class: int(path_class.leaves_vpc) for path_class in model.PathClass}
        self._engine.insert(
            "edge",
            (
                (number, machine.get(src), machine.get(dst), leaves_vpc[path_class])
                for number, (src, dst, path_class, _) in enumerate(self.keys)
            ),
        )

    def _owners(self) -> list[model.Owner]:
        """Return every owner at the end of an edge, by key."""
        used = {key for src, dst, _, _ in self.keys for key in (src, dst)}
        variants: dict[str, set[model.Owner]] = {}
        for end in self._nodes.ends:
            if end.owner.key in used:
                variants.setdefault(end.owner.key, set()).add(end.owner)
        return [fullest(variants[key]) for key in sorted(variants)]

    def _routes(self, pairs: Sequence[Row]) -> Iterator[Row]:
        """Yield the edge of each pair, a new one where it is the first."""
        ends = self._nodes.ends
        for (pair,) in pairs:
            src_node, dst_node = nodes_of(pair)
            src, dst = ends[src_node], ends[dst_node]
            edge = self._edge(src, dst)
            self._judge(edge, src.certainty)
            self._judge(edge, dst.certainty)
            yield pair, edge

    def _edge(self, src: FlowEnd, dst: FlowEnd) -> int:
        path = classify(src, dst)
        key = (src.owner.key, dst.owner.key, path.path_class, path.dst_address)
        number = self._number.get(key)
        if number is None:
            number = self._number[key] = len(self.keys)
            self.keys.append(key)
            self.certainties.append(model.Certainty.RECORDED)
        return number

    def _judge(self, edge: int, certainty: model.Certainty) -> None:
        if certainty is model.Certainty.RECORDED:
            self.has_recorded = True
        elif certainty.rank > self.certainties[edge].rank:
            self.certainties[edge] = certainty

    def _note_silence(self) -> None:
        side = int(self._reporter is model.Reporter.DESTINATION)
        for nodes in self._engine.rows(SILENT):
            self.silent.update(
                link
                for link in self._nodes.ends[nodes[side]].reported_by
                if self._nodes.is_silent(link, side)
            )


# Judges flow records by the ends that are known, and adds them up by pair of ends


_OF_ENDS = ("identity", "node", "endpoint")
"""Stay when the records are read again."""
_OF_RECORDS = (
    "staged",
    "fresh",
    "unknown_machine",
    "earlier",
    "minute_position",
    "span_position",
    "pair_minute",
    "batch_total",
    "pair_total",
    "pair_coarse",
    "pair_dropped",
    "pair_round_trip",
    "flow_minute",
    "activity",
    "fault",
    "logged",
)
_BYTES_PER_GBPS_MINUTE = 7_500_000_000
_BYTES_PER_GBPS_S = 125_000_000
_US_PER_S = 1_000_000
_END_OF_TIME = LAST_US // US_PER_MINUTE + 1


class RecordSums:
    """The ends met so far, and the sums of the records that were judged by them."""

    def __init__(
        self,
        engine: Engine,
        inventory: model.Inventory,
        options: TrafficOptions,
        entries: Entries,
        *,
        is_steady: bool = False,
        said: Said = OF_RECORDS,
    ) -> None:
        self._engine = engine
        self._options = options
        self._is_steady = is_steady
        self._described: list[Row] = []
        self.nodes = Nodes(inventory)
        self.repeats = Repeats(engine, entries, said)
        self.record_count = 0
        engine.create(*_OF_ENDS)
        self.begin()
        engine.insert(
            "identity", ((*identity, node) for identity, node in self.nodes.seeds(inventory))
        )
        self.describe_nodes()

    def begin(self) -> None:
        """Make the tables of records and sums, empty."""
        self._engine.create(*_OF_RECORDS)
        self.record_count = 0
        self._has_all_spans = False
        self._position_count = 0
        self._fill_positions(self._options.max_record_minutes)

    @property
    def counts_log_volume(self) -> bool:
        """Whether it is looked at how many records there are."""
        return self._options.log_volume_from_gbps is not None

    def bounds(self, *, of_table: bool = False) -> Mapping[str, Any]:
        """Return what makes a record absurd or leaves it out, as the statements take it."""
        return bounds_of(self._options, of_table=of_table)

    def judged(
        self,
        *,
        of_table: bool = False,
        with_details: bool = False,
        is_careful: bool = False,
        with_flows: bool = False,
    ) -> str:
        """Return the statement that judges `flow_record`; see `staging.staged`."""
        return judged_by(
            self._options,
            of_table=of_table,
            with_details=with_details,
            is_careful=is_careful,
            with_flows=with_flows,
        )

    def write_endpoints(self) -> None:
        """Write down the ends met so far, as the next records are judged by."""
        self._engine.run("CREATE OR REPLACE TABLE endpoint AS " + staging.ENDPOINTS)

    def take_holders_of_the_time(self) -> None:
        """Give records to the holders of their time, where an address changed hands since.

        Steady rates have no time: they are of the machines that there are.
        """
        if self._is_steady or not self.nodes.earlier:
            return
        if self.fill_earlier(staging.FIRST_MINUTE):
            self._engine.run(f"CREATE OR REPLACE TABLE staged AS {staging.OF_THE_TIME}")

    def fill_earlier(self, first_minute: str) -> bool:
        """Write down the earlier holders since the minute that a query tells, if there are any."""
        first = self._engine.value(first_minute)
        earlier = [
            (e.later_node, e.node, e.first_minute, e.until_minute)
            for e in self.nodes.earlier
            if first is not None and e.until_minute > first
        ]
        if earlier:
            self._engine.create("earlier")
            self._engine.insert("earlier", earlier)
        return bool(earlier)

    def note_reporters(self) -> None:
        """Take note of the ends that report, in the records that were summed last or before."""
        for side, node in self._engine.rows(sums.REPORTING):
            self.nodes.report(side, node)
        self.describe_nodes()

    def describe_nodes(self) -> None:
        """Write down what is known of every node by now."""
        extra = self._options.header_bytes.ipv6_extra
        rows = [
            (
                number,
                int(self.nodes.logs_sent(number)),
                int(self.nodes.logs_received(number)),
                extra if end.is_ipv6 else 0,
            )
            for number, end in enumerate(self.nodes.ends)
        ]
        if rows != self._described:
            self._engine.create("node")
            self._engine.insert("node", rows)
            self._described = rows

    def fill_span_positions(self, *, of_table: bool = False) -> None:
        """Write down every span of flow records once, but of the long ones of tables the met."""
        if of_table:
            statement = sums.STAGED_SPAN_POSITIONS
            self._fill_positions(self._engine.value(sums.LONGEST_STAGED_SPAN) or 0)
        else:
            statement = sums.span_positions(self._options.max_record_minutes)
            if self._has_all_spans:
                return
        self._has_all_spans = not of_table
        self._engine.create("span_position")
        self._engine.run(f"INSERT INTO span_position {statement}")

    def _fill_positions(self, longest: int) -> None:
        """Write down the positions of the minutes that a record of so many may reach into."""
        known, self._position_count = self._position_count, max(self._position_count, longest + 2)
        if known < self._position_count:
            self._engine.insert(
                "minute_position", ((position,) for position in range(known, self._position_count))
            )

    def sum_up(self, *, with_flows: bool = False) -> None:
        """Add the staged records to the sums."""
        engine = self._engine
        for first, until in slices(engine, "staged", "start_minute"):
            engine.run(f"INSERT INTO pair_minute {sums.minutes(first, until)}")
        engine.run(f"INSERT INTO flow_minute {sums.minutes(0, _END_OF_TIME, by_ports=True)}")
        engine.create("batch_total")
        engine.run(f"INSERT INTO batch_total {sums.TOTALS}")
        engine.run("INSERT INTO pair_total SELECT * FROM batch_total")
        engine.run(f"INSERT INTO pair_coarse {sums.COARSE}")
        engine.run(f"INSERT INTO pair_dropped {sums.DROPS}")
        engine.run(f"INSERT INTO pair_round_trip {sums.ROUND_TRIPS}")
        engine.run(f"INSERT INTO activity {sums.ACTIVITY}")
        if with_flows:
            engine.run(f"INSERT INTO logged {logged.LOGGED}")


def bounds_of(options: TrafficOptions, *, of_table: bool = False) -> Mapping[str, Any]:
    """Return what makes a record absurd or leaves it out, as the statements take it."""
    return {
        "max_minutes": options.max_table_minutes if of_table else options.max_record_minutes,
        "max_bytes_per_minute": round(options.max_record_gbps * _BYTES_PER_GBPS_MINUTE),
        "since_us": microseconds(options.since) if options.since else FIRST_US,
        "until_us": microseconds(options.until) if options.until else LAST_US,
    }


def judged_by(options: TrafficOptions, *, of_table: bool = False, **chosen: bool) -> str:
    """Return the statement that judges `flow_record`; see `staging.staged`."""
    return staging.staged(
        reporter=options.reporter,
        header=options.header_bytes,
        flow_bytes_per_s=max(1, round(options.flow_min_gbps * _BYTES_PER_GBPS_S)),
        takes_names=of_table,
        **chosen,
        **bounds_of(options, of_table=of_table),
    )


def microseconds(time: datetime) -> int:
    """Return a time as microseconds since 1970; one without a zone is UTC."""
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return round(aware.timestamp() * _US_PER_S)
