"""What the statements need of an engine: verbs over the tables above.

DuckDB over files is the first implementation (`embedded.py`). Finding files, reading their layouts,
numbering their lines and reading a file again are its own business, and no part of this protocol.

What another engine provides, besides the verbs:

- The relation `flow_record`, a table or a view with the columns of `records.COLUMNS`, before
  `remote.read` is called. `records.flow_record` writes the query, of the engine's `Fields` in its
  `Spelling`; counts and times are read by one pattern each on all engines. `source_name` is the
  entry's `insertId`, by which a record that is left out is shown where lines have no numbers.
- Statements come as `statements` has them: DuckDB's dialect in the subset of docs/adr/0003. The
  engine translates each (`translation.py`) and runs it.
- What is handed to `run` is either `INSERT INTO table query`, or `CREATE OR REPLACE TABLE table AS
  query`, which may read the table that it replaces; what is handed to `rows`, `stream` and `value`
  is a query.
- Whole numbers come back as `int`, texts as `str`, NULL as `None`, whatever the engine calls them.
- Errors come as those of `netplan_planner.errors`; an interrupt stops what runs, and is raised on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np

from netplan_planner.traffic.statements.series import ranks

# The tables between the statements: names and types of their columns
#
# Types are DuckDB's; another engine makes the same tables with its own whole numbers and texts.


_NAMES_BY_TYPE = {
    "TINYINT": "kind logs_sent logs_received fault is_kept drop_reason day_part side is_inner"
    " is_dropped is_extra counted is_silent weight is_other leaves_vpc",
    "SMALLINT": "header_extra",
    "INTEGER": "start_minute minute first_minute until_minute last_minute span offset_us hour day"
    " start_day log_day reach step position place path edge vm src_vm dst_vm",
    "BIGINT": "node src_node dst_node later_node report pair ports entry flow configuration"
    " by_configuration records dropped_records records_without_packets unpacked_records duration_us"
    " rtt_us payload_bytes packet_count wire_bytes coarse_bytes wire outside block number"
    " line_number",
    "VARCHAR": "address project name details note source_name line",
}
_TYPES = {name: kind for kind, names in _NAMES_BY_TYPE.items() for name in names.split()}
"""A column of a name is of one type in all tables, but where a table says another."""


def _columns(names: str, **others: str) -> Mapping[str, str]:
    """Return the columns of a table in their order, with types other than usual."""
    return {name: others.get(name, _TYPES[name]) for name in names.split()}


DAY_SUM = _columns(
    "kind day_part report fault configuration drop_reason start_minute minute step ports "
    "records payload_bytes packet_count wire_bytes coarse_bytes unpacked_records reach rtt_us "
    "number start_day address project name details note"
)
"""Rows of a day, of several kinds; what a kind does not say is NULL, and so is a 0 of what is
mostly 0, since NULL takes no room."""

SUMMED = (
    *("kind", "report", "fault", "configuration", "drop_reason", "start_minute", "minute", "step"),
    *("ports", "records", "payload_bytes", "packet_count", "wire_bytes", "coarse_bytes"),
    *("unpacked_records", "reach", "rtt_us"),
)
"""What of them is summed once more, by nodes instead of a day's own numbers of ends."""

TABLES: Mapping[str, Mapping[str, str]] = {
    # Identity of an end, and its node. `candidate` holds those that a batch names.
    "identity": _columns("address project name node"),
    "candidate": _columns("address project name"),
    # Of each node: whether its own reports tell what it sends and receives (0 or 1), and how much
    # longer the headers of its packets are than IPv4's.
    "node": _columns("node logs_sent logs_received header_extra"),
    # The two together, as they are known when a batch is staged.
    "endpoint": _columns("address project name node logs_sent logs_received header_extra"),
    # The records of one batch, see `statements.staging.staged`; for `report` see `statements.keys`.
    "staged": _columns(
        "report fault is_kept start_minute offset_us duration_us payload_bytes packet_count "
        "wire_bytes rtt_us ports entry flow configuration drop_reason note day_part",
        rtt_us="INTEGER",
    ),
    # Entries met more than once; of these the ones that count already.
    "repeated_entry": _columns("entry"),
    "kept_entry": _columns("entry start_minute"),
    # What each configuration of flow logs has of an end that reports, by hour; then by place: a
    # subnetwork, or an end that is in none.
    "node_hour": _columns("node side configuration hour records payload_bytes"),
    "place": _columns("node place is_inner"),
    "place_hour": _columns("place side configuration hour records payload_bytes"),
    # Records of five-tuples by steps of five seconds, as what logging costs is counted by, with the
    # wire bytes of those that were not dropped; `is_extra` (0 or 1) of another configuration than
    # the one that counts. And the same by a longer interval.
    "logged": _columns(
        "report configuration flow is_dropped is_extra step records wire", step="BIGINT"
    ),
    "logged_interval": _columns("report configuration is_extra block records wire"),
    # Machines whose series are looked at.
    "looked_at": _columns("vm"),
    # Configurations in the order in which their reports of a place count, the least rank first;
    # and the hours in which one does not, because another one does.
    "place_rank": _columns("place side configuration position"),
    "superseded": _columns("place side configuration hour by_configuration"),
    # Notes of records between ends not met before, with their nodes.
    "fresh": _columns("note src_node dst_node header_extra"),
    # Named machines that the inventory does not have.
    "unknown_machine": _columns("project name"),
    # Earlier holders of addresses, by minute.
    "earlier": _columns("later_node node first_minute until_minute"),
    # 0 to the most minutes that a record may cover; and for each span that occurs, 0 to the span.
    "minute_position": _columns("position"),
    "span_position": _columns("span position"),
    # Wire bytes by report and minute.
    "pair_minute": _columns("report minute wire"),
    # Sums by report and day: of a batch, and of all; of records of more than a minute; of dropped
    # packets.
    "batch_total": _columns("report day payload_bytes packet_count wire_bytes records"),
    "pair_total": _columns("report day payload_bytes packet_count wire_bytes records"),
    "pair_coarse": _columns("report day payload_bytes"),
    "pair_dropped": _columns("report day drop_reason payload_bytes packet_count"),
    # Round-trip times by report, day and step of the scale.
    "pair_round_trip": _columns("report day step rtt_us records"),
    # Wire bytes of fast five-tuples by minute.
    "flow_minute": _columns("report ports minute wire"),
    # Records by start minute, and how far they reach.
    "activity": _columns(
        "start_minute last_minute records dropped_records records_without_packets"
    ),
    # Left-out records by reason and file.
    "fault": _columns("fault source_name records"),
    # Lines of a text file that is looked at again.
    "numbered_line": _columns("line_number line"),
    # Days whose records have wrong clocks.
    "skewed_day": _columns("day"),
    # Each pair of ends: the side whose report counts (4: half of the source's, half of the
    # destination's), and whether it is silent (0 or 1), see `statements.routes.reported`.
    "reported": _columns("pair counted is_silent"),
    # The edge of each pair.
    "route": _columns("pair edge"),
    # The edge of each report, its weight, and whether it tells the other side (0 or 1).
    "weight": _columns("report edge weight is_other"),
    # The machines at the ends of an edge (NULL for other owners), and whether it leaves the VPC.
    "edge": _columns("edge src_vm dst_vm leaves_vpc"),
    # The path of each edge, see `hours.priced_path_key`.
    "edge_path": _columns("edge path"),
    # Series: wire bytes by minute.
    "edge_minute": _columns("edge minute wire"),
    "edge_flow": _columns("edge pair ports minute wire"),
    "sent_minute": _columns("vm minute wire outside"),
    "received_minute": _columns("vm minute wire"),
    # What a day of logs adds up to, whoever its ends are, see `statements.day_sums`: its ends, and
    # the sums by day that are kept; then those of several days, and the same by nodes.
    "met_end": _columns("address project name details day_part start_day"),
    "day_sum": DAY_SUM,
    "rolled": {**DAY_SUM, "log_day": "INTEGER"},
    "day_end": _columns("log_day number node"),
    "summed": {name: DAY_SUM[name] for name in SUMMED},
    # Configurations in the order of their names: numbers of theirs are each engine's own.
    "configuration": _columns("configuration position"),
}


def create(table: str) -> str:
    """Return the statement that makes a table empty, whether it exists or not."""
    columns = ", ".join(f"{name} {kind}" for name, kind in TABLES[table].items())
    return f"CREATE OR REPLACE TABLE {table} ({columns})"


# What the statements need of an engine: verbs over the tables above


Row = tuple[Any, ...]
T = TypeVar("T")


class Engine(Protocol):
    """Holds the tables between the statements, and runs those on them."""

    @property
    def slice_rows(self) -> int | None:
        """How many rows are best grouped at a time; None where the engine cuts them itself."""

    def create(self, *tables: str) -> None:
        """Make tables of the schema, empty, whether they exist or not."""

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Append rows to a table of the schema, their values in the order of its columns.

        Raises:
            ValueError: If a row has not as many values as the table has columns.
        """

    def run(self, statement: str) -> None:
        """Run a statement whose result is not wanted."""

    def rows(self, statement: str) -> list[Row]:
        """Return all rows of a small result."""

    def stream(self, statement: str) -> Iterator[list[Row]]:
        """Yield the rows of a result that may be large, some thousand at a time."""

    def value(self, statement: str) -> Any:
        """Return the one value of a result."""

    def ranked(
        self, table: str, key: str, value: str, volume: Mapping[int, Row], wanted: Sequence[int]
    ) -> Iterator[tuple[list[int], Any]]:
        """Yield keys, and of each its values at ranks from the greatest; 0 beyond its rows.

        Args:
            table: Of whole numbers.
            key: Its column of keys.
            value: Its column of values; only those above 0 count.
            volume: What the statement `volumes` says of each key.
            wanted: Ranks from 1; one may come twice.
        """

    def in_background(self, work: "Callable[[Engine], T]") -> "AbstractContextManager[Future[T]]":
        """Do some work beside the caller's; an engine of one thread does it at once (`at_once`)."""


@contextmanager
def at_once(engine: Engine, work: Callable[[Engine], T]) -> Iterator["Future[T]"]:
    """Do work for an engine that runs one statement at a time."""
    done: Future[T] = Future()
    done.set_result(work(engine))
    yield done


class RemoteEngine(Engine):
    """An engine of one statement at a time, which gives its rows as they are streamed."""

    slice_rows: int | None = None

    def rows(self, statement: str) -> list[Row]:
        """Return all rows of a small result."""
        return [row for rows in self.stream(statement) for row in rows]

    def value(self, statement: str) -> Any:
        """Return the one value of a result."""
        return self.rows(statement)[0][0]

    def ranked(
        self, table: str, key: str, value: str, volume: Mapping[int, Row], wanted: Sequence[int]
    ) -> Iterator[tuple[list[int], Any]]:
        """Yield values at ranks by a statement."""
        for rows in self.stream(ranks(table, key, value, wanted)):
            yield [r[0] for r in rows], np.array([[wire or 0 for wire in r[1:]] for r in rows])

    def in_background(self, work: Callable[[Engine], T]) -> AbstractContextManager[Future[T]]:
        """Do work at once: statements would wait for each other anyway."""
        return at_once(self, work)


def slices(engine: Engine, table: str, minute: str) -> list[tuple[int, int]]:
    """Return stretches of time (first minute, minute after) of about `slice_rows` rows each.

    Groups by minute then fit the processor's cache, which makes them three times faster; rows
    come in order of time as a rule, so that a slice reads little more than its own.
    """
    first, last, count = engine.rows(
        f"SELECT MIN({minute}) AS first, MAX({minute}) AS last, COUNT(*) AS records FROM {table}"
    )[0]
    if first is None:
        return []
    parts = 1
    if engine.slice_rows is not None:
        parts = max(1, min(round(count / engine.slice_rows), last - first + 1))
    edges = [first + (last + 1 - first) * part // parts for part in range(parts + 1)]
    return list(pairwise(edges))
