"""From batches of flow records to sums by pair of ends: all that grows with records stays on disk.

The tables are those of `schema.py`, the queries those of `statements`.
"""

from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec.structs import replace

from netplan_planner import meter
from netplan_planner.errors import InputError
from netplan_planner.model import Inventory
from netplan_planner.tables.compression import copy_what_is_left
from netplan_planner.traffic.batches import Batch, line_batch, make_batches
from netplan_planner.traffic.engine import Engine, ReadError, Row, slices
from netplan_planner.traffic.inputs import Layout, Source
from netplan_planner.traffic.meeting import Meeting
from netplan_planner.traffic.nodes import Nodes
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.repeats import Repeats
from netplan_planner.traffic.statements import logged, staging, sums
from netplan_planner.traffic.statements.keys import FIRST_US, LAST_US, US_PER_MINUTE

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


class Ingest:
    """Reads batches into the sums by pair."""

    def __init__(
        self,
        engine: Engine,
        inventory: Inventory,
        options: TrafficOptions,
        *,
        is_steady: bool = False,
    ) -> None:
        self.engine = engine
        self.nodes = Nodes(inventory)
        self._options = options
        self._is_steady = is_steady
        self._is_careful = False
        self._described: list[Row] = []
        self._batches: list[Batch] = []
        self._is_again = False
        self.repeats = Repeats(engine)
        engine.create(*_OF_ENDS)
        self._begin()
        engine.insert(
            "identity", ((*identity, node) for identity, node in self.nodes.seeds(inventory))
        )
        self._describe_nodes()

    def _begin(self) -> None:
        """Make the tables of records and sums, empty."""
        engine, options = self.engine, self._options
        engine.create(*_OF_RECORDS)
        self.record_count = 0
        self._has_all_spans = False
        positions = max(options.max_record_minutes, options.max_table_minutes) + 2
        engine.run(f"INSERT INTO minute_position SELECT range FROM range({positions})")

    def read(self, sources: Iterable[Source], *, of_p95: bool = False) -> list[Source]:
        """Read all sources; return them as they could be read: a cut one ends earlier.

        Where something was logged twice they are read twice, see `repeats`.
        """
        read: list[Source] = []
        for batch in make_batches(
            list(sources), self.engine, self.engine.batch_records, of_p95=of_p95
        ):
            read.extend(self.read_batch(batch))
        if self.repeats.find(self.nodes):
            self._is_again = True
            self._begin()
            self.repeats.begin()
            for batch in tuple(self._batches):
                self.read_batch(batch)
        self._write_endpoints()
        return list(dict.fromkeys(read))

    def read_batch(self, batch: Batch) -> list[Source]:
        """Read one batch; a gzip file that is cut is read as far as it goes."""
        self._write_endpoints()
        try:
            self.stage(batch)
        except ReadError as exc:
            return [s for part in self._without_cut_file(batch, exc) for s in self.read_batch(part)]
        self.record_count += int(self.engine.value("SELECT COUNT(*) FROM staged"))
        self._meet(batch)
        self._take_holders_of_the_time()
        if self._is_again:
            self.repeats.leave_out(has_records=not batch.layout.is_table)
        elif not batch.layout.is_table:
            self.repeats.note()
        self._fill_span_positions(batch.layout)
        self._sum_up()
        if self._counts_log_volume(batch):
            self.engine.run(f"INSERT INTO logged {logged.LOGGED}")
        self._note_reporters()
        if not self._is_again:
            self._batches.append(batch)
        meter.advance(batch.size_bytes)
        return list(batch.sources)

    def _without_cut_file(self, batch: Batch, error: ReadError) -> list[Batch]:
        """Return the batch without its broken file, and what is left of that file.

        Raises:
            InputError: If nothing of it can be read.
        """
        named = [s for s in batch.sources if str(s.path) in str(error)]
        if not named and len(batch.sources) > 1 and batch.layout is Layout.JSON_LINES:
            # Each alone, to see which one it is.
            return [line_batch([source]) for source in batch.sources]
        broken = (named or batch.sources)[0]
        target = self.engine.folder / f"{broken.path.name}.rest"
        is_lines = batch.layout is Layout.JSON_LINES and broken.compression == "gzip"
        if not (is_lines and copy_what_is_left(broken.path, target)):
            text = str(error).replace(str(broken.path), broken.shown)
            raise InputError(f"{broken.shown}: cannot be read: {text}") from error
        rest = replace(broken, path=target, compression="none", is_cut=True)
        others = [source for source in batch.sources if source is not broken]
        return [line_batch([rest]), *([line_batch(others)] if others else [])]

    def _write_endpoints(self) -> None:
        """Write down the ends met so far, as the next records are judged by."""
        self.engine.run("CREATE OR REPLACE TABLE endpoint AS " + staging.ENDPOINTS)

    def stage(self, batch: Batch) -> None:
        """Judge the records of a batch by the ends met so far, into the table `staged`."""
        options = self._options
        is_table = batch.layout.is_table
        statement = staging.staged(
            reporter=options.reporter,
            header=options.header_bytes,
            max_minutes=options.max_table_minutes if is_table else options.max_record_minutes,
            max_bytes_per_minute=round(options.max_record_gbps * _BYTES_PER_GBPS_MINUTE),
            flow_bytes_per_s=max(1, round(options.flow_min_gbps * _BYTES_PER_GBPS_S)),
            since_us=microseconds(options.since) if options.since else FIRST_US,
            until_us=microseconds(options.until) if options.until else LAST_US,
            takes_names=is_table,
            with_details=batch.has_details,
            is_careful=self._is_careful,
            with_flows=self._counts_log_volume(batch),
        )
        self.engine.create("staged")
        self._view(batch, with_details=batch.has_details)
        with meter.part(batch.size_bytes, self.engine.done_ratio):
            self.engine.run(f"INSERT INTO staged {statement}")

    def _counts_log_volume(self, batch: Batch) -> bool:
        """Return whether it is looked at how many records there are; rows of tables are none."""
        return self._options.log_volume_from_gbps is not None and not batch.layout.is_table

    def _view(self, batch: Batch, *, with_details: bool) -> None:
        self.engine.run(f"CREATE OR REPLACE VIEW flow_record AS {batch.query(with_details)}")

    def _meet(self, batch: Batch) -> None:
        """Stage the records between new ends again, now with their nodes."""
        meeting = Meeting(self.engine, self.nodes)
        if not meeting.collect():
            return
        if meeting.is_forged and not self._is_careful:
            self._is_careful = True
            self._meet_again(batch)
            return
        if not batch.has_details and meeting.unknown_machines():
            self._view(batch, with_details=True)
            meeting.look_at_unknown_machines()
        if not meeting.introduce(self._options.header_bytes.ipv6_extra):
            self._meet_again(batch)
            return
        self.engine.run(f"INSERT INTO staged {staging.RESOLVED}")

    def _meet_again(self, batch: Batch) -> None:
        """Stage a batch once more, now that it is known which of its ends are none."""
        self._describe_nodes()
        self._write_endpoints()
        self.stage(batch)
        self._meet(batch)

    def _take_holders_of_the_time(self) -> None:
        """Give records to the holders of their time, where an address changed hands since.

        Steady rates have no time: they are of the machines that there are.
        """
        if self._is_steady or not self.nodes.earlier:
            return
        first = self.engine.value(staging.FIRST_MINUTE)
        earlier = [
            (e.later_node, e.node, e.first_minute, e.until_minute)
            for e in self.nodes.earlier
            if first is not None and e.until_minute > first
        ]
        if earlier:
            self.engine.run("TRUNCATE earlier")
            self.engine.insert("earlier", earlier)
            self.engine.run(f"CREATE OR REPLACE TABLE staged AS {staging.OF_THE_TIME}")

    def _note_reporters(self) -> None:
        for side, node in self.engine.rows(sums.REPORTING):
            self.nodes.report(side, node)
        self._describe_nodes()

    def _describe_nodes(self) -> None:
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
            self.engine.run("TRUNCATE node")
            self.engine.insert("node", rows)
            self._described = rows

    def _fill_span_positions(self, layout: Layout) -> None:
        """Write down every span of flow records once, but of the long ones of tables the met."""
        if layout.is_table:
            statement = sums.STAGED_SPAN_POSITIONS
        else:
            statement = sums.span_positions(self._options.max_record_minutes)
            if self._has_all_spans:
                return
        self._has_all_spans = not layout.is_table
        self.engine.run("TRUNCATE span_position")
        self.engine.run(f"INSERT INTO span_position {statement}")

    def _sum_up(self) -> None:
        """Add the staged records to the sums."""
        engine = self.engine
        for first, until in slices(engine, "staged", "start_minute"):
            engine.run(f"INSERT INTO pair_minute {sums.minutes(first, until)}")
        engine.run(f"INSERT INTO flow_minute {sums.minutes(0, _END_OF_TIME, by_ports=True)}")
        engine.run("TRUNCATE batch_total")
        engine.run(f"INSERT INTO batch_total {sums.TOTALS}")
        engine.run("INSERT INTO pair_total SELECT * FROM batch_total")
        engine.run(f"INSERT INTO pair_coarse {sums.COARSE}")
        engine.run(f"INSERT INTO pair_dropped {sums.DROPS}")
        engine.run(f"INSERT INTO pair_round_trip {sums.ROUND_TRIPS}")
        engine.run(f"INSERT INTO activity {sums.ACTIVITY}")
        engine.run(f"INSERT INTO fault {staging.FAULTS}")


def microseconds(time: datetime) -> int:
    """Return a time as microseconds since 1970; one without a zone is UTC."""
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return round(aware.timestamp() * _US_PER_S)
