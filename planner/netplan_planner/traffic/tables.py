"""Plain tables: one row is the traffic from one machine or address to another.

Columns: `src` and `dst` (a machine's name, `project/zone/name`, self link, or an address); `bytes`
with `start` and `end` (RFC 3339), or `gbps`, a steady rate. Optional: `p95_gbps`, `protocol` (a
number or `tcp`, `udp`, `icmp`), `address_kind` (`internal` or `external`: how `dst` was addressed).
A table has no packet counts, so no headers are added.
"""

from collections.abc import Iterable

from netplan_planner.errors import InputError
from netplan_planner.tables.extended import lenient_relation, numbered_parquet
from netplan_planner.traffic.files.embedded import EmbeddedEngine
from netplan_planner.traffic.files.entries import NO_NUMBER, Fields
from netplan_planner.traffic.files.inputs import Layout, Source
from netplan_planner.traffic.files.records import EXTERNAL, INTERNAL, join_tag, select_columns
from netplan_planner.traffic.spelling import LENIENT

STEADY_START_US = 946_684_800_000_000
"""2000-01-01: a steady rate has no time; it is laid into this hour, and the matrix says so."""
STEADY_MINUTES = 60

_BYTES_PER_GBPS_MINUTE = 125_000_000 * 60
_PROTOCOLS = (("tcp", 6), ("udp", 17), ("icmp", 1))


def columns_of(source: Source, engine: EmbeddedEngine) -> Fields:
    """Return the columns of a table."""
    columns = engine.columns_of(relation_of(source), source.path, source.shown)
    return Fields.of_types(columns, LENIENT)


def relation_of(source: Source) -> str:
    """Return what the rows of a table are selected from."""
    if source.layout is Layout.TABLE_PARQUET:
        return numbered_parquet(source.path)
    return lenient_relation(
        source.path,
        delimiter=source.delimiter,
        skipped_lines=source.skipped_lines,
        compression=source.compression,
    )


def is_steady(source: Source, engine: EmbeddedEngine) -> bool:
    """Return whether a table gives rates.

    Raises:
        InputError: If it gives neither rates nor bytes with their times, or both.
    """
    fields = columns_of(source, engine)
    has_rates, has_bytes = fields.has("gbps"), fields.has("bytes")
    if has_rates == has_bytes:
        raise InputError(
            f"{source.shown}: a table needs either the column gbps, or bytes with start and end"
        )
    if has_bytes and not (fields.has("start") and fields.has("end")):
        raise InputError(f"{source.shown}: bytes need the columns start and end")
    return has_rates


def has_p95(sources: Iterable[Source], engine: EmbeddedEngine) -> bool:
    """Return whether any of the tables gives a 95th percentile."""
    return any(columns_of(source, engine).has("p95_gbps") for source in sources)


def query_of(
    source: Source, engine: EmbeddedEngine, *, of_p95: bool = False, is_numbered: bool = False
) -> str:
    """Return the query of a table's flow records.

    `of_p95` takes the percentile as the rate; `is_numbered` gives the row for the file's name,
    the header being row 1.
    """
    fields = columns_of(source, engine)
    values = {
        "is_entry": "true",
        "is_other_log": "false",
        "is_dropped": "false",
        "side": _side(fields),
        "src_address": _trimmed(fields.text("src")),
        "dst_address": _trimmed(fields.text("dst")),
        "src_name": join_tag({"kind": f"'{INTERNAL}'"}),
        "dst_name": join_tag({"kind": _kind(fields)}),
        "protocol": _protocol(fields),
        "source_name": "CAST(row_number() OVER () + 1 AS VARCHAR)" if is_numbered else "filename",
        **(
            _steady(fields, of_p95=of_p95, most_gbps=engine.most_gbps)
            if fields.has("gbps")
            else _counted(fields)
        ),
    }
    return select_columns(values, relation_of(source))


def _trimmed(sql: str) -> str:
    return f"NULLIF(TRIM({sql}), '')"


def _kind(fields: Fields) -> str:
    if not fields.has("address_kind"):
        return f"'{INTERNAL}'"
    return f"CASE {_given_kind(fields)} WHEN '{EXTERNAL}' THEN '{EXTERNAL}' ELSE '{INTERNAL}' END"


def _given_kind(fields: Fields) -> str:
    return f"COALESCE(LOWER(TRIM({fields.text('address_kind')})), '')"


def _side(fields: Fields) -> str:
    """Return the reporter: a row stands for what the sender sends, as its own report would.

    None, which is a fault, where `address_kind` does not say what is meant.
    """
    if not fields.has("address_kind"):
        return "0"
    return f"CASE WHEN {_given_kind(fields)} IN ('{EXTERNAL}', '{INTERNAL}', '') THEN 0 END"


def _protocol(fields: Fields) -> str:
    if not fields.has("protocol"):
        return NO_NUMBER
    names = " ".join(f"WHEN '{name}' THEN {number}" for name, number in _PROTOCOLS)
    text = fields.text("protocol")
    return f"COALESCE({fields.protocol('protocol')}, CASE LOWER(TRIM({text})) {names} END)"


def _counted(fields: Fields) -> dict[str, str]:
    return {
        "start_us": fields.time_us("start"),
        "end_us": fields.time_us("end"),
        "payload_bytes": fields.integer("bytes"),
    }


def _steady(fields: Fields, *, of_p95: bool, most_gbps: float) -> dict[str, str]:
    """Return the columns of a rate; a row is as good or bad for the percentile as for the rate."""
    rate = fields.decimal("gbps")
    if fields.has("p95_gbps"):
        p95 = fields.decimal("p95_gbps")
        is_blank = f"NULLIF(TRIM({fields.text('p95_gbps')}), '') IS NULL"
        # No percentile lies below the median; a row without one has its rate.
        upper = f"CASE WHEN {is_blank} OR {p95} BETWEEN 0 AND {rate} THEN {rate} ELSE {p95} END"
        # An hour touches 61 minutes, which is how the greatest rate is judged.
        most = most_gbps * (STEADY_MINUTES + 1) / STEADY_MINUTES
        is_bad = f"{upper} IS NULL OR {upper} < 0 OR {upper} >= {most}"
        rate = (
            f"CASE WHEN {rate} IS NULL OR {rate} < 0 THEN {rate}"
            f" WHEN {is_bad} OR {of_p95} THEN {upper} ELSE {rate} END"
        )
    return {
        "start_us": str(STEADY_START_US),
        "end_us": str(STEADY_START_US + STEADY_MINUTES * 60_000_000),
        # Every minute has the same whole bytes, so that all percentiles are the rate.
        "payload_bytes": (
            f"TRY_CAST(ROUND({rate} * {_BYTES_PER_GBPS_MINUTE}) * {STEADY_MINUTES} AS BIGINT)"
        ),
    }
