"""The rival of `flow_logs.py`: what one would write by hand in DuckDB, with texts as keys.

It does netplan's work from records to series: counts a flow once, by the sender's reports where the
sender's subnetwork logs; adds headers; spreads bytes over the minutes that a record covers; takes
p50, p95, p99 and the maximum of every edge and of every machine and direction, with idle minutes as
zeros. It is spared what netplan does besides: it believes the names in the records, and knows no
owners, path classes, volumes by day, dropped packets, round trips, greatest flows or examples.
"""

from pathlib import Path
from typing import Any

import duckdb

DAY_MINUTES = 1440
MOST_BYTES = 10_000 * 7_500_000_000
"""More than 10,000 Gbit/s over a minute: absurd, as in netplan."""

_RECORDS = """
SELECT
  COALESCE(jsonPayload.src_instance.vm_name, jsonPayload.connection.src_ip) AS src,
  COALESCE(jsonPayload.dest_instance.vm_name, jsonPayload.connection.dest_ip) AS dst,
  jsonPayload.connection.dest_ip AS dst_ip,
  jsonPayload.reporter AS reporter,
  jsonPayload.src_vpc.project_id AS src_project,
  jsonPayload.src_vpc.subnetwork_name AS src_subnetwork,
  epoch_ms(jsonPayload.start_time::TIMESTAMP) AS start_ms,
  epoch_ms(jsonPayload.end_time::TIMESTAMP) AS end_ms,
  TRY_CAST(jsonPayload.bytes_sent AS BIGINT) AS payload,
  TRY_CAST(jsonPayload.packets_sent AS BIGINT)
    * CASE WHEN jsonPayload.connection.protocol = 6 THEN 52 ELSE 28 END AS header
FROM read_parquet('{files}')
WHERE jsonPayload.end_time >= jsonPayload.start_time
"""

_EDGE_MINUTE = """
CREATE TEMP TABLE edge_minute AS
SELECT src, dst, dst_ip, minute,
  SUM((payload + header)
    * (LEAST(end_ms, (minute + 1) * 60000) - GREATEST(start_ms, minute * 60000))
    / GREATEST(end_ms - start_ms, 1)) AS wire
FROM (
  SELECT r.*, UNNEST(RANGE(r.start_ms // 60000, (r.end_ms - 1) // 60000 + 1)) AS minute
  FROM ({records}) AS r
  LEFT JOIN logging AS l
    ON l.src_project = r.src_project AND l.src_subnetwork = r.src_subnetwork
  WHERE (r.reporter = 'SRC' OR l.src_subnetwork IS NULL)
    AND r.payload >= 0 AND r.payload < {most_bytes}
)
GROUP BY ALL
"""

_LOGGING = """
CREATE TEMP TABLE logging AS
SELECT DISTINCT jsonPayload.src_vpc.project_id AS src_project,
  jsonPayload.src_vpc.subnetwork_name AS src_subnetwork
FROM read_parquet('{files}') WHERE jsonPayload.reporter = 'SRC'
"""


def rival(folder: Path, memory_limit: str, spill: Path) -> dict[str, Any]:
    """Run the rival's queries; return its sums, to be compared with netplan's."""
    connection = duckdb.connect(
        config={"memory_limit": memory_limit, "temp_directory": str(spill)},
    )
    connection.execute("SET preserve_insertion_order = false")
    files = f"{folder / 'flows'}/*.parquet"
    connection.execute(_LOGGING.format(files=files))
    records = _RECORDS.format(files=files)
    connection.execute(_EDGE_MINUTE.format(records=records, most_bytes=MOST_BYTES))
    span = connection.execute("SELECT MAX(minute) - MIN(minute) + 1 FROM edge_minute").fetchone()
    assert span is not None
    edges = connection.execute(_percentiles("edge_minute", "src, dst, dst_ip", span[0])).fetchall()
    by_machine = "(SELECT {0}, minute, SUM(wire) AS wire FROM edge_minute GROUP BY {0}, minute)"
    machines = [
        connection.execute(_percentiles(by_machine.format(key), key, span[0])).fetchall()
        for key in ("src", "dst")
    ]
    sums = connection.execute("SELECT SUM(wire) FROM edge_minute").fetchone()
    assert sums is not None
    return {
        "wire_bytes": round(sums[0]),
        "edges": len(edges),
        "machines": [len(rows) for rows in machines],
    }


def _percentiles(table: str, keys: str, minutes: int) -> str:
    ranks = {p: minutes - -(-p * minutes // 100) + 1 for p in (50, 95, 99)}
    taken = ", ".join(
        f"COALESCE(MAX(CASE WHEN position = {rank} THEN wire END), 0) AS p{p}"
        for p, rank in ranks.items()
    )
    return f"""
SELECT {keys}, {taken}, MAX(wire) AS top, SUM(wire) AS whole
FROM (
  SELECT {keys}, wire,
    ROW_NUMBER() OVER (PARTITION BY {keys} ORDER BY wire DESC) AS position
  FROM {table}
)
GROUP BY {keys}
"""


_SUMMED = {
    "connection": ("src_ip", "dest_ip", "protocol"),
    "reporter": None,
    "bytes_sent": None,
    "packets_sent": None,
    "start_time": None,
    "end_time": None,
}
_NAMED = {
    **_SUMMED,
    **{f"{end}_instance": ("project_id", "vm_name", "zone") for end in ("src", "dest")},
    **{f"{end}_vpc": ("project_id", "subnetwork_name") for end in ("src", "dest")},
}
"""What tells machines and subnetworks apart as well."""

_WHOLE = """
SELECT COUNT(*) AS rows, SUM(TRY_CAST(p.bytes_sent AS BIGINT)) AS payload,
  SUM(TRY_CAST(p.packets_sent AS BIGINT)) AS packets, MIN(p.start_time) AS first,
  MAX(p.end_time) AS last, MAX(p.connection.src_ip) AS src
FROM ({entries})
"""

_BY_EDGE = """
SELECT
  COALESCE(p.src_instance.vm_name, p.connection.src_ip) AS src,
  COALESCE(p.dest_instance.vm_name, p.connection.dest_ip) AS dst,
  p.src_vpc.subnetwork_name AS subnetwork, p.reporter AS reporter,
  substr(p.start_time, 1, 16) AS minute,
  SUM(TRY_CAST(p.bytes_sent AS BIGINT)) AS payload,
  SUM(TRY_CAST(p.packets_sent AS BIGINT)) AS packets, MAX(p.end_time) AS last, COUNT(*) AS rows
FROM ({entries})
GROUP BY ALL
"""


def json_sum(folder: Path, memory_limit: str, spill: Path) -> dict[str, Any]:
    """Read JSON lines gz with declared base fields and sum them, as plainly as DuckDB can."""
    return _json_sums(_WHOLE, _SUMMED, folder, memory_limit, spill)


def json_edges(folder: Path, memory_limit: str, spill: Path) -> dict[str, Any]:
    """Read JSON lines gz with declared fields, and sum them by edge, reporter and minute."""
    return _json_sums(_BY_EDGE, _NAMED, folder, memory_limit, spill)


def _json_sums(
    query: str, fields: Any, folder: Path, memory_limit: str, spill: Path
) -> dict[str, Any]:
    connection = duckdb.connect(
        config={"memory_limit": memory_limit, "temp_directory": str(spill)},
    )
    connection.execute("SET preserve_insertion_order = false")
    entries = (
        f"SELECT jsonPayload AS p FROM read_json('{folder / 'flows'}/*.json.gz',"
        " format = 'newline_delimited', ignore_errors = true,"
        f" columns = {{'jsonPayload': '{_struct(fields)}'}})"
    )
    connection.execute(f"CREATE TEMP TABLE summed AS {query.format(entries=entries)}")
    row = connection.execute("SELECT SUM(rows), SUM(payload) FROM summed").fetchone()
    assert row is not None
    return {"lines": int(row[0]), "payload_bytes": int(row[1])}


def _struct(fields: Any) -> str:
    if fields is None:
        return "VARCHAR"
    named = fields if isinstance(fields, dict) else dict.fromkeys(fields)
    return f"STRUCT({', '.join(f'{name} {_struct(sub)}' for name, sub in named.items())})"
