"""The tables of aggregates: which rows a matrix is taken apart into, and put together from.

What is left of a matrix without its rows stands in the manifest.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from netplan_planner import model
from netplan_planner.model import Value
from netplan_planner.model.evidence import log_volume
from netplan_planner.model.evidence.pod_traffic import PodFlow, PodTraffic
from netplan_planner.model.evidence.traffic import MachineHours, PathHours
from netplan_planner.tables.sql import identifier
from netplan_planner.units import SECONDS_PER_MINUTE

# Which columns a value's rows have: one for each of its fields, of the field's own type
#
# A value in a value is a struct, several are a list, so that any reader of Parquet sees the names
# of the model: `series.p95_gbps`.


def columns_of(kind: type[Value]) -> dict[str, str]:
    """Return the columns of a value's rows with their types, as DuckDB spells them.

    Raises:
        TypeError: If a field is of a type that has no column.
    """
    found = msgspec.inspect.type_info(kind)
    if not isinstance(found, msgspec.inspect.StructType):
        raise TypeError(f"{kind.__name__} has no fields")
    return {field.encode_name: _column(field.type) for field in found.fields}


def odd_numbers(kind: type[Value]) -> str:
    """Return the SQL of whether a row has a number below 0, or one that is infinite or none.

    Bytes, rates, counts and indexes have no such numbers, and sums over them would be nonsense.
    """
    found = msgspec.inspect.type_info(kind)
    assert isinstance(found, msgspec.inspect.StructType)
    return _any_odd((one.type, identifier(one.encode_name)) for one in found.fields)


def _any_odd(values: Iterable[tuple[msgspec.inspect.Type, str]]) -> str:
    conditions = [condition for kind, sql in values if (condition := _odd(kind, sql))]
    return " OR ".join(f"COALESCE({one}, false)" for one in conditions)


def _odd(kind: msgspec.inspect.Type, sql: str) -> str:
    match kind:
        case msgspec.inspect.IntType():
            return f"{sql} < 0"
        case msgspec.inspect.FloatType():
            return f"{sql} < 0 OR NOT isfinite({sql})"
        case msgspec.inspect.VarTupleType():
            inner = _odd(kind.item_type, "x")
            return f"len(list_filter({sql}, lambda x: {inner})) > 0" if inner else ""
        case msgspec.inspect.StructType():
            return _any_odd(
                (one.type, f"{sql}.{identifier(one.encode_name)}") for one in kind.fields
            )
        case msgspec.inspect.UnionType():
            return _any_odd((one, sql) for one in kind.types)
        case _:
            return ""


def _column(kind: msgspec.inspect.Type) -> str:
    match kind:
        case msgspec.inspect.BoolType():
            return "BOOLEAN"
        case msgspec.inspect.IntType():
            return "BIGINT"
        case msgspec.inspect.FloatType():
            return "DOUBLE"
        case msgspec.inspect.StrType() | msgspec.inspect.EnumType():
            return "VARCHAR"
        case msgspec.inspect.VarTupleType():
            return f"{_column(kind.item_type)}[]"
        case msgspec.inspect.StructType():
            fields = (f"{identifier(one.encode_name)} {_column(one.type)}" for one in kind.fields)
            return f"STRUCT({', '.join(fields)})"
        case msgspec.inspect.UnionType():
            known = [one for one in kind.types if not isinstance(one, msgspec.inspect.NoneType)]
            if len(known) == 1:
                return _column(known[0])
        case _:
            pass
    raise TypeError(f"no column holds {kind}")


# The tables of aggregates: which rows a matrix is taken apart into, and put together from


class LogPlace(model.Value, frozen=True, kw_only=True):
    """A source of records, without its intervals."""

    place: model.SelfLink
    configuration: str
    record_count: int
    extra_count: int
    counted_count: int


class LogInterval(model.Value, frozen=True, kw_only=True):
    """What an interval would make of a source's records, without its rows."""

    source: int
    """Row of `LogPlace`."""
    interval_s: int
    record_count: int


class LogEdge(log_volume.EdgeRecords, frozen=True, kw_only=True, gc=False):
    """What of an edge a source counts, by the row of its interval."""

    interval: int


class LogMachine(log_volume.MachineBlocks, frozen=True, kw_only=True, gc=False):
    """What a machine sent, by the row of the interval."""

    interval: int


class LogTold(model.Value, frozen=True, kw_only=True, gc=False):
    """Records that the sender's subnetwork reports as well, by the row of the interval."""

    interval: int
    place: model.SelfLink
    record_count: int


Rows = Mapping[str, Sequence[Any]]

TABLES: Mapping[str, type[model.Value]] = {
    "owners": model.Owner,
    "edges": model.Edge,
    "machines": model.VmTraffic,
    "logged": model.LoggedRecords,
    "machine-hours": MachineHours,
    "path-hours": PathHours,
    "log-places": LogPlace,
    "log-intervals": LogInterval,
    "log-edges": LogEdge,
    "log-machines": LogMachine,
    "log-told": LogTold,
    "pods": PodFlow,
}
"""What each row is; indexes are rows of other tables, in their order."""


def rows_of(matrix: model.TrafficMatrix, pods: PodTraffic | None) -> Rows:
    """Return the rows of a matrix, and of the traffic of pods, by table."""
    hours = matrix.hours
    return {
        "owners": matrix.owners,
        "edges": matrix.edges,
        "machines": matrix.vms,
        "logged": matrix.coverage.logged,
        "machine-hours": hours.machines if hours is not None else (),
        "path-hours": hours.paths if hours is not None else (),
        **_log_rows(matrix.log_volume or ()),
        "pods": pods.flows if pods is not None else (),
    }


def _log_rows(sources: Sequence[log_volume.LogSource]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {name: [] for name in TABLES if name.startswith("log-")}
    for number, source in enumerate(sources):
        found["log-places"].append(model.taken(LogPlace, source))
        for one in source.intervals:
            at = len(found["log-intervals"])
            found["log-intervals"].append(
                LogInterval(source=number, interval_s=one.interval_s, record_count=one.record_count)
            )
            found["log-edges"] += [LogEdge(interval=at, **asdict(e)) for e in one.edges]
            found["log-machines"] += [LogMachine(interval=at, **asdict(m)) for m in one.machines]
            found["log-told"] += [
                LogTold(interval=at, place=place, record_count=count)
                for place, count in one.told_by_sender
            ]
    return found


def without_rows(matrix: model.TrafficMatrix) -> model.TrafficMatrix:
    """Return what a matrix says besides its rows."""
    return replace(
        matrix,
        owners=(),
        edges=(),
        vms=(),
        coverage=replace(matrix.coverage, logged=()),
        log_volume=None if matrix.log_volume is None else (),
        hours=None if matrix.hours is None else replace(matrix.hours, machines=(), paths=()),
    )


def pods_without_rows(pods: PodTraffic | None) -> PodTraffic | None:
    """Return what the traffic of pods says besides its flows."""
    return None if pods is None else replace(pods, flows=())


def put_together(whole: model.TrafficMatrix, rows: Rows) -> model.TrafficMatrix:
    """Return the matrix that was taken apart.

    Raises:
        ValueError: If a row is about another one that is not there, or stands there twice, or if
            the window is none.
    """
    _check_window(whole)
    edges, owners = len(rows["edges"]), len(rows["owners"])
    _check("edges", owners, chain.from_iterable((one.src, one.dst) for one in rows["edges"]))
    _check("machines", owners, (one.owner for one in rows["machines"]))
    _check("machine-hours", owners, (one.owner for one in rows["machine-hours"]))
    _check("path-hours", edges, (one.edge for one in rows["path-hours"]))
    _check("log-machines", owners, (one.owner for one in rows["log-machines"]))
    _check("log-edges", edges, (one.edge for one in rows["log-edges"]))
    _check_once("owners", (one.key for one in rows["owners"]))
    _check_once("machines", (one.owner for one in rows["machines"]))
    _check_once(
        "edges", ((one.src, one.dst, one.path_class, one.dst_address) for one in rows["edges"])
    )
    hours = whole.hours
    return replace(
        whole,
        owners=tuple(rows["owners"]),
        edges=tuple(rows["edges"]),
        vms=tuple(rows["machines"]),
        coverage=replace(whole.coverage, logged=tuple(rows["logged"])),
        log_volume=None if whole.log_volume is None else tuple(_log_sources(rows)),
        hours=None
        if hours is None
        else replace(hours, machines=tuple(rows["machine-hours"]), paths=tuple(rows["path-hours"])),
    )


def _log_sources(rows: Rows) -> Iterator[log_volume.LogSource]:
    places, intervals = rows["log-places"], rows["log-intervals"]
    _check("log-intervals", len(places), (one.source for one in intervals))
    of_interval: dict[str, dict[int, list[Any]]] = {}
    for name in ("log-edges", "log-machines", "log-told"):
        _check(name, len(intervals), (one.interval for one in rows[name]))
        grouped = of_interval[name] = defaultdict(list)
        for one in rows[name]:
            grouped[one.interval].append(one)
    of_place: dict[int, list[log_volume.IntervalRecords]] = defaultdict(list)
    for at, one in enumerate(intervals):
        of_place[one.source].append(
            log_volume.IntervalRecords(
                interval_s=one.interval_s,
                record_count=one.record_count,
                edges=tuple(
                    model.taken(log_volume.EdgeRecords, row) for row in of_interval["log-edges"][at]
                ),
                machines=tuple(
                    model.taken(log_volume.MachineBlocks, row)
                    for row in of_interval["log-machines"][at]
                ),
                told_by_sender=tuple(
                    (row.place, row.record_count) for row in of_interval["log-told"][at]
                ),
            )
        )
    for number, place in enumerate(places):
        yield log_volume.LogSource(**asdict(place), intervals=tuple(of_place[number]))


def _check(table: str, count: int, numbers: Iterable[int]) -> None:
    """Refuse rows about what is not there."""
    for number in numbers:
        if not 0 <= number < count:
            raise ValueError(f"{table} names row {number:,} of {count:,}")


def _check_once(table: str, keys: Iterable[Any]) -> None:
    """Refuse rows about the same, which would count twice."""
    seen = set()
    for key in keys:
        if key in seen:
            raise ValueError(f"{table} has two rows with the same key")
        seen.add(key)


def _check_window(whole: model.TrafficMatrix) -> None:
    """Refuse a window that no record can have: rates are bytes over its minutes."""
    times = [whole.start, whole.end]
    minutes = [whole.observed_minutes]
    if whole.span_minutes is not None:
        minutes.append(whole.span_minutes)
    hours = whole.hours
    if hours is not None:
        times.append(hours.start)
    if any(time.tzinfo is None for time in times):
        raise ValueError("a time without a zone")
    length = (whole.end - whole.start).total_seconds() / SECONDS_PER_MINUTE
    if not all(0 < count <= length for count in minutes) or minutes[0] > minutes[-1]:
        raise ValueError("the window is empty or shorter than the observed time")
    if hours is not None and not 0 < hours.bin_s < float("inf"):
        raise ValueError("hours without length")
