"""From batches of flow records to sums by pair of ends: all that grows with records stays on disk.

Tables of the engine:
    endpoint            identity of an end (address, project, vm, tag) and its node
    node                logs_sent, logs_received (0 or 1) and header_extra of each node
    staged              the records of one batch, see `statements.staged`
    fresh               notes of records between ends not met before, and their nodes
    stranger            named machines that the inventory does not have
    earlier             earlier holders of addresses, by minute
    minute_position     0 to the greatest number of minutes that a record may cover
    span_position       for each number of minutes that a record reaches into: 0 to that number
    pair_minute         wire bytes by pair, reporter and minute
    pair_total          sums by pair, reporter and day
    pair_round_trip     round-trip times by pair, reporter and day
    flow_minute         wire bytes of fast five-tuples by minute
    activity            records by start minute, and how far they reach
    fault               left-out records by reason and file
"""

from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory
from netplan_planner.traffic import statements
from netplan_planner.traffic.batches import Batch, line_batch, make_batches
from netplan_planner.traffic.compression import copy_what_is_left
from netplan_planner.traffic.engine import Engine, ReadError
from netplan_planner.traffic.inputs import Layout, Source
from netplan_planner.traffic.meeting import Meeting
from netplan_planner.traffic.nodes import Nodes
from netplan_planner.traffic.options import TrafficOptions

_TABLES = {
    "endpoint": "address VARCHAR, project VARCHAR, vm VARCHAR, tag VARCHAR, node INTEGER",
    "node": "node INTEGER, logs_sent TINYINT, logs_received TINYINT, header_extra SMALLINT",
    "staged": "src_node INTEGER, dst_node INTEGER, side TINYINT, fault TINYINT,"
    " start_minute INTEGER, offset_ms INTEGER, duration_ms INTEGER, payload_bytes BIGINT,"
    " packet_count BIGINT, header_bytes SMALLINT, rtt_us INTEGER, ports BIGINT, note VARCHAR",
    "fresh": "note VARCHAR, src_node INTEGER, dst_node INTEGER",
    "stranger": "project VARCHAR, vm VARCHAR",
    "earlier": "later_node INTEGER, node INTEGER, first_minute INTEGER, until_minute INTEGER",
    "minute_position": "position INTEGER",
    "span_position": "span INTEGER, position INTEGER",
    "pair_minute": "src_node INTEGER, dst_node INTEGER, side TINYINT, minute INTEGER, wire BIGINT",
    "pair_total": "src_node INTEGER, dst_node INTEGER, side TINYINT, day INTEGER,"
    " payload_bytes BIGINT, packet_count BIGINT, header_bytes BIGINT, records BIGINT,"
    " coarse_bytes BIGINT, dropped_bytes BIGINT, dropped_packets BIGINT",
    "pair_round_trip": "src_node INTEGER, dst_node INTEGER, side TINYINT, day INTEGER,"
    " rtt_us INTEGER, records BIGINT",
    "flow_minute": "src_node INTEGER, dst_node INTEGER, side TINYINT, ports BIGINT,"
    " minute INTEGER, wire BIGINT",
    "activity": "start_minute INTEGER, last_minute INTEGER, records BIGINT,"
    " dropped_records BIGINT, records_without_packets BIGINT",
    "fault": "fault TINYINT, source_name VARCHAR, records BIGINT",
}
_BYTES_PER_GBPS_MINUTE = 7_500_000_000
_BYTES_PER_GBPS_MS = 125_000
_MS_PER_S = 1000


class Ingest:
    """Reads batches into the sums by pair."""

    def __init__(self, engine: Engine, inventory: Inventory, options: TrafficOptions) -> None:
        self.engine = engine
        self.nodes = Nodes(inventory)
        self._options = options
        self.record_count = 0
        for table, columns in _TABLES.items():
            engine.run(f"CREATE OR REPLACE TABLE {table} ({columns})")
        positions = max(options.max_record_minutes, options.max_table_minutes) + 1
        engine.run(f"INSERT INTO minute_position SELECT range FROM range({positions + 1})")
        engine.insert(
            "endpoint",
            ("VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "INTEGER"),
            [(*identity, node) for identity, node in self.nodes.seeds(inventory)],
        )

    def read(self, sources: Iterable[Source], *, of_p95: bool = False) -> list[Source]:
        """Read all sources; return them as they could be read: a cut one ends earlier."""
        read: list[Source] = []
        size = self._options.batch_records
        for batch in make_batches(list(sources), self.engine, size, of_p95=of_p95):
            read.extend(self.read_batch(batch))
        return list(dict.fromkeys(read))

    def read_batch(self, batch: Batch) -> list[Source]:
        """Read one batch; a gzip file that is cut is read as far as it goes."""
        try:
            self.stage(batch)
        except ReadError as exc:
            return [s for part in self._without_cut_file(batch, exc) for s in self.read_batch(part)]
        self.record_count += int(self.engine.value("SELECT COUNT(*) FROM staged"))
        self._meet(batch)
        self._take_holders_of_the_time()
        self._note_reporters()
        self._sum_up()
        return list(batch.sources)

    def _without_cut_file(self, batch: Batch, error: ReadError) -> list[Batch]:
        """Return the batch without its broken file, and what is left of that file.

        Raises:
            InputError: If nothing of it can be read.
        """
        broken = next((s for s in batch.sources if str(s.path) in str(error)), None)
        if broken is None:
            raise error
        target = self.engine.folder / f"{broken.path.name}.rest"
        is_lines = batch.layout is Layout.JSON_LINES and broken.compression == "gzip"
        if not (is_lines and copy_what_is_left(broken.path, target)):
            text = str(error).replace(str(broken.path), broken.shown)
            raise InputError(f"{broken.shown}: cannot be read: {text}") from error
        rest = replace(broken, path=target, compression="none", is_cut=True)
        others = [source for source in batch.sources if source is not broken]
        return [line_batch([rest]), *([line_batch(others)] if others else [])]

    def stage(self, batch: Batch) -> None:
        """Judge the records of a batch, into the table `staged`."""
        options = self._options
        is_table = batch.layout.is_table
        statement = statements.staged(
            header=options.header_bytes,
            max_minutes=options.max_table_minutes if is_table else options.max_record_minutes,
            max_bytes_per_minute=round(options.max_record_gbps * _BYTES_PER_GBPS_MINUTE),
            flow_bytes_per_ms=max(1, round(options.flow_min_gbps * _BYTES_PER_GBPS_MS)),
            since_ms=_ms(options.since, statements.FIRST_MS),
            until_ms=_ms(options.until, statements.LAST_MS),
            takes_names=is_table,
        )
        self.engine.run("TRUNCATE staged")
        self._view(batch, with_details=batch.has_details)
        self.engine.run(f"INSERT INTO staged {statement}")

    def _view(self, batch: Batch, *, with_details: bool) -> None:
        self.engine.run(f"CREATE OR REPLACE VIEW flow_record AS {batch.query(with_details)}")

    def _meet(self, batch: Batch) -> None:
        """Stage the records between new ends again, now with their nodes."""
        meeting = Meeting(self.engine, self.nodes)
        if not meeting.collect():
            return
        if not batch.has_details and meeting.strangers():
            self._view(batch, with_details=True)
            meeting.look_at_strangers()
        meeting.introduce()
        self.engine.run(f"INSERT INTO staged {statements.RESOLVED}")

    def _take_holders_of_the_time(self) -> None:
        """Give records to the holders of their time, where an address changed hands since."""
        first = self.engine.value("SELECT MIN(start_minute) FROM staged WHERE note IS NULL")
        earlier = [
            (e.later_node, e.node, e.first_minute, e.until_minute)
            for e in self.nodes.earlier
            if first is not None and e.until_minute > first
        ]
        if not earlier:
            return
        self.engine.run("TRUNCATE earlier")
        self.engine.insert("earlier", ("INTEGER", "INTEGER", "INTEGER", "INTEGER"), earlier)
        self.engine.run(f"CREATE OR REPLACE TABLE staged AS {statements.OF_THE_TIME}")

    def _note_reporters(self) -> None:
        for side, node in self.engine.rows(statements.REPORTING):
            self.nodes.report(side, node)
        extra = self._options.header_bytes.ipv6_extra
        self.engine.run("TRUNCATE node")
        self.engine.insert(
            "node",
            ("INTEGER", "TINYINT", "TINYINT", "SMALLINT"),
            [
                (
                    number,
                    int(self.nodes.logs_sent(number)),
                    int(self.nodes.logs_received(number)),
                    extra if end.is_ipv6 else 0,
                )
                for number, end in enumerate(self.nodes.ends)
            ],
        )

    def _sum_up(self) -> None:
        """Add the staged records to the sums."""
        engine, reporter = self.engine, self._options.reporter
        engine.run("TRUNCATE span_position")
        engine.run(f"INSERT INTO span_position {statements.SPAN_POSITIONS}")
        engine.run(f"INSERT INTO pair_minute {statements.minutes(reporter)}")
        engine.run(f"INSERT INTO flow_minute {statements.minutes(reporter, by_ports=True)}")
        engine.run(f"INSERT INTO pair_total {statements.TOTALS}")
        engine.run(f"INSERT INTO pair_round_trip {statements.ROUND_TRIPS}")
        engine.run(f"INSERT INTO activity {statements.ACTIVITY}")
        engine.run(f"INSERT INTO fault {statements.FAULTS}")


def _ms(time: datetime | None, default: int) -> int:
    """Return a time as milliseconds since 1970; one without a zone is UTC."""
    if time is None:
        return default
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return round(aware.timestamp() * _MS_PER_S)
