"""Finds the tables of a dataset that hold flow logs of a time, and says what each entry is there.

A log sink writes one table partitioned by day, or one a day. Each table is read by its own schema:
a field that never occurred in it has no column.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from netplan_planner.errors import InputError
from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.service import Service
from netplan_planner.google.bigquery.wire import Column, Table
from netplan_planner.model import Value
from netplan_planner.tables.sql import identifier, quoted
from netplan_planner.traffic.day_sums import DELAY, part_of, part_of_table
from netplan_planner.traffic.files.entries import ENTRY, NO_NUMBER, Fields
from netplan_planner.traffic.files.records import flow_record
from netplan_planner.traffic.spelling import BIGQUERY
from netplan_planner.traffic.statements.keys import US_PER_DAY
from netplan_planner.traffic.translation import Dialect, translate

_SINK = re.compile(
    r"(?P<service>compute|networkmanagement)_googleapis_com_vpc_flows(?:_(?P<day>20[0-9]{6}))?"
)
ALL_LOGS = "_AllLogs"
"""The view of a dataset that is linked to a log bucket (Log Analytics)."""
_SHOWN_DAYS = 3
_KINDS = {
    "STRING": "varchar",
    "FLOAT": "double",
    "FLOAT64": "double",
    "INTEGER": "bigint",
    "INT64": "bigint",
    "BOOLEAN": "boolean",
    "BOOL": "boolean",
    "TIMESTAMP": "timestamp with time zone",
    "DATETIME": "timestamp",
    "NUMERIC": "decimal",
    "BIGNUMERIC": "decimal",
}
"""BigQuery's types as `Fields` calls them; a field of another type is as good as missing."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PARTED_BY = frozenset({"DAY", "HOUR"})
_GROUPS = frozenset({"RECORD", "STRUCT"})
_LINKED = {
    "insertId": "insert_id",
    "timestamp": "timestamp",
    "logName": "log_name",
    "jsonPayload": "json_payload",
    "resource": "resource",
}
"""Columns of a linked dataset."""


class LogTable(Value, frozen=True, kw_only=True):
    """A table with flow logs, and what is wanted of it."""

    name: str
    schema: tuple[Column, ...]
    is_linked: bool
    day: date | None
    """The one that it holds, and is read whole; None: its entries are chosen by their time."""
    time_column: str | None
    received_column: str | None
    """When an entry came to Cloud Logging."""
    has_partitions: bool
    """Whether it is partitioned by days or hours of that time."""
    row_count: int | None
    modified: datetime | None
    buffered_count: int
    """Entries that are about to be moved to their partition, as the service estimates."""


class Found(Value, frozen=True, kw_only=True):
    """The tables of a window, and what is said of it."""

    tables: tuple[LogTable, ...]
    location: str | None
    incomplete: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def find_tables(service: Service, place: Place, since: datetime, until: datetime) -> Found:
    """Return the tables with flow logs of a window.

    Raises:
        InputError: If the dataset holds none.
    """
    location = service.location(place)
    names = [place.table] if place.table else sorted(service.tables(place))
    chosen, foreign = [], []
    days: set[date] = set()
    sharded = set()
    for name in names:
        found = _sink(name)
        if found is None and name != ALL_LOGS and not place.table:
            foreign.append(name)
            continue
        if found is not None and found["day"]:
            day = _day(found["day"])
            sharded.add(name.rpartition("_")[0])
            if not since.date() <= day <= (until + DELAY).date():
                continue
            days.add(day)
        chosen.append(name)
    if place.table is None and ALL_LOGS in chosen and len(chosen) > 1:
        # The view holds what the tables beside it hold.
        chosen = [ALL_LOGS]
    if not chosen:
        raise InputError(_nothing(place, since, until, foreign, bool(sharded)))
    tables = tuple(_table(service.table(place, name), name) for name in chosen)
    missing = sorted(set(_days(since, until)) - days) if sharded else []
    return Found(
        tables=tables,
        location=location,
        incomplete=tuple(_missing(place, missing)),
        notes=tuple(_foreign(place, foreign)),
    )


def query_of(table: LogTable, place: Place, since: datetime, until: datetime) -> str:
    """Return the query of a table's flow records, in BigQuery's dialect.

    Entries are asked for by the time that they carry, wider than the flows' own: later than these
    they may be, and what lies outside is left out by the records' own times.
    """
    return _query(table, place, since - DELAY, until + DELAY, day_part=lambda _: NO_NUMBER)


def query_of_day(table: LogTable, place: Place, day: date, until: datetime) -> str:
    """Return the query of the flow records whose entries are of a day, up to a moment.

    Each says in which part of the day its entry is, see `traffic.day_sums`.
    """
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    number = (midnight - _EPOCH).days

    def day_part(time_us: str) -> str:
        return part_of(time_us) if table.day is None else part_of_table(number, time_us)

    until = min(until, midnight + timedelta(days=1))
    return _query(table, place, midnight, until, day_part=day_part)


def look_of(table: LogTable, place: Place, since: datetime, until: datetime) -> str:
    """Return the query of how many entries each day has, and when the last of them came."""
    assert table.time_column is not None
    assert table.received_column is not None
    day = f"UNIX_MICROS(e.{identifier(table.time_column)}) // {US_PER_DAY}"
    received = f"MAX(UNIX_MICROS(e.{identifier(table.received_column)}))"
    query = (
        f"SELECT {day} AS day, COUNT(*) AS entries, {received} AS received"
        f" FROM {_source(table, place, since, until)} GROUP BY {day}"
    )
    return translate(query, Dialect.BIGQUERY)


def _source(table: LogTable, place: Place, since: datetime, until: datetime) -> str:
    conditions = []
    if table.time_column and table.day is None:
        column = f"e.{identifier(table.time_column)}"
        conditions += [f"{column} >= {_literal(since)}", f"{column} < {_literal(until)}"]
    if table.is_linked:
        conditions.append("ENDS_WITH(e.log_name, 'vpc_flows')")
    name = ".".join(identifier(part) for part in (place.project, place.dataset, table.name))
    return f"{name} AS e" + (f" WHERE {' AND '.join(conditions)}" if conditions else "")


def _query(
    table: LogTable,
    place: Place,
    since: datetime,
    until: datetime,
    *,
    day_part: Callable[[str], str],
) -> str:
    fields = _fields(table)
    source = _source(table, place, since, until)
    query = flow_record(
        fields,
        source,
        source_name=fields.text("insertId"),
        is_entry="true",
        with_details=True,
        day_part=day_part(fields.time_us("timestamp") if table.time_column else NO_NUMBER),
    )
    return translate(query, Dialect.BIGQUERY)


def _fields(table: LogTable) -> Fields:
    """Return the fields of a table; a sink's table says by its name which log it is of."""
    if table.is_linked:
        return Fields(_linked_tree(), BIGQUERY)
    tree = _tree(table.schema, "e")
    found = _sink(table.name)
    if found is not None:
        # The column is a seventh of what is read, and billed for every record.
        labels = Fields(tree, BIGQUERY).part("resource").part("labels")
        log = quoted(f"/logs/{found['service']}.googleapis.com%2Fvpc_flows")
        project = f"COALESCE({labels.text('project_id')}, '')"
        tree["logname"] = (f"CONCAT('projects/', {project}, {log})", "varchar")
    return Fields(tree, BIGQUERY)


def _literal(time: datetime) -> str:
    text = time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f+00:00")
    return f"CAST('{text}' AS TIMESTAMPTZ)"


def _time(columns: Mapping[str, Column], *names: str) -> str | None:
    """Return the first of some columns that holds times; those of a copy may be texts."""
    found = (columns[name] for name in names if name in columns)
    return next((column.name for column in found if column.type == "TIMESTAMP"), None)


def _table(table: Table, name: str) -> LogTable:
    columns = {field.name.casefold(): field for field in table.schema.fields}
    if not {"jsonpayload", "json_payload"} & set(columns):
        raise InputError(
            f"{name}: not a table of flow logs. It has no column jsonPayload (log sink) or"
            " json_payload (Log Analytics)"
        )
    found = _sink(name)
    time = _time(columns, "timestamp")
    received = _time(columns, "receivetimestamp", "receive_timestamp")
    by = table.time_partitioning
    buffer = table.streaming_buffer
    return LogTable(
        name=name,
        schema=table.schema.fields,
        is_linked="json_payload" in columns,
        day=_day(found["day"]) if found and found["day"] else None,
        time_column=time,
        received_column=received,
        has_partitions=by is not None
        and by.type in _PARTED_BY
        and time is not None
        and by.field == time,
        row_count=None if table.num_rows is None else int(table.num_rows),
        modified=_moment(table.last_modified_time),
        buffered_count=int(buffer.estimated_rows) if buffer is not None else 0,
    )


def _moment(milliseconds: str | None) -> datetime | None:
    return None if milliseconds is None else _EPOCH + timedelta(milliseconds=int(milliseconds))


def _sink(name: str) -> re.Match[str] | None:
    """Return what a table's name says, if it is one that a log sink gives, of a day that there is.

    >>> _sink("compute_googleapis_com_vpc_flows_20260230")
    """
    found = _SINK.fullmatch(name)
    if found is not None and found["day"]:
        try:
            _day(found["day"])
        except ValueError:
            return None
    return found


def _day(text: str) -> date:
    return datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC).date()


def _tree(schema: Sequence[Column], prefix: str) -> dict[str, Any]:
    """Return columns as `Fields` takes them."""
    tree: dict[str, Any] = {}
    for field in schema:
        sql = f"{prefix}.{identifier(field.name)}"
        if field.mode == "REPEATED":
            continue
        if field.type in _GROUPS:
            tree[field.name.casefold()] = _tree(field.fields, sql)
        elif field.type in _KINDS:
            tree[field.name.casefold()] = (sql, _KINDS[field.type])
    return tree


def _linked_tree() -> dict[str, Any]:
    """Return the columns of a linked dataset: what an entry says is JSON there."""
    tree: dict[str, Any] = {}
    for name, column in _LINKED.items():
        inner = ENTRY[name]
        sql = f"e.{column}"
        if name == "timestamp":
            tree[name.casefold()] = (sql, "timestamp with time zone")
        elif name == "resource":
            labels = {
                one: (f"JSON_VALUE(e.resource.labels, '$.{one}')", "varchar")
                for one in inner["labels"]
            }
            tree[name] = {"labels": labels}
        elif inner is None:
            tree[name.casefold()] = (sql, "varchar")
        else:
            tree[name.casefold()] = _json_tree(inner, sql, "$")
    return tree


def _json_tree(fields: Any, column: str, path: str) -> Any:
    if fields is None:
        return f"JSON_VALUE({column}, '{path}')", "varchar"
    named = fields if isinstance(fields, dict) else dict.fromkeys(fields)
    return {
        name.casefold(): _json_tree(inner, column, f"{path}.{name}")
        for name, inner in named.items()
    }


def _days(since: datetime, until: datetime) -> Iterator[date]:
    day, last = since.date(), (until - timedelta(microseconds=1)).date()
    while day <= last:
        yield day
        day += timedelta(days=1)


def _missing(place: Place, days: Sequence[date]) -> Iterator[str]:
    if days:
        shown = ", ".join(day.isoformat() for day in days[:_SHOWN_DAYS])
        more = f" and {len(days) - _SHOWN_DAYS} more" if len(days) > _SHOWN_DAYS else ""
        yield f"{place} has no table for {shown}{more}: no record of those days was read"


def _foreign(place: Place, names: Sequence[str]) -> Iterator[str]:
    if names:
        shown = ", ".join(names[:_SHOWN_DAYS])
        more = f" and {len(names) - _SHOWN_DAYS} more" if len(names) > _SHOWN_DAYS else ""
        yield f"{place}: tables without flow logs were skipped: {shown}{more}"


def _nothing(
    place: Place, since: datetime, until: datetime, foreign: Sequence[str], is_sharded: bool
) -> str:
    if is_sharded:
        return f"{place}: no daily table between {since:%Y-%m-%d} and {until:%Y-%m-%d}"
    more = f"; it has {', '.join(foreign[:_SHOWN_DAYS])}" if foreign else ""
    return (
        f"{place}: no table of flow logs found. A log sink names it"
        f" compute_googleapis_com_vpc_flows, Log Analytics {ALL_LOGS}{more}"
    )
