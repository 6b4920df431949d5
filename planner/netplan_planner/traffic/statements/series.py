"""From sums by pair to edges, machines, and their series.

From the wire bytes of edges by minute to those of machines and paths by hour.
"""

from collections.abc import Sequence

from netplan_planner.traffic.statements.keys import MINUTES_PER_DAY, pair_of, side_of
from netplan_planner.units import SECONDS_PER_HOUR, SECONDS_PER_MINUTE

MINUTES_PER_HOUR = SECONDS_PER_HOUR // SECONDS_PER_MINUTE

MACHINE_HOURS = f"""
SELECT e.src_vm AS vm, m.minute // {MINUTES_PER_HOUR} AS hour,
  CAST(SUM(m.wire) AS BIGINT) AS wire,
  CAST(SUM(CASE WHEN e.leaves_vpc = 1 THEN m.wire ELSE 0 END) AS BIGINT) AS outside
FROM edge_minute AS m
JOIN edge AS e ON e.edge = m.edge
WHERE e.src_vm IS NOT NULL
GROUP BY e.src_vm, m.minute // {MINUTES_PER_HOUR}
"""
"""What each machine sends by hour, in all and to outside the VPC; idle hours are left out."""

PATH_HOURS = f"""
SELECT l.path AS path, m.minute // {MINUTES_PER_HOUR} AS hour,
  CAST(SUM(m.wire) AS BIGINT) AS wire
FROM edge_minute AS m
JOIN edge_path AS l ON l.edge = m.edge
GROUP BY l.path, m.minute // {MINUTES_PER_HOUR}
"""
"""What each path carries by hour; idle hours are left out."""


_REPORT = "JOIN weight AS r ON r.report = m.report"
_MINUTE_DAY = f"LEFT JOIN skewed_day AS k ON k.day = m.minute // {MINUTES_PER_DAY}"
_DAY = "LEFT JOIN skewed_day AS k ON k.day = m.day"


def _sum(value: str) -> str:
    """Return a sum as a whole number of 64 bits, which is read six times as fast as one of 128."""
    return f"CAST(SUM({value}) AS BIGINT)"


def edge_minutes(first: int, until: int) -> str:
    """Return the wire bytes of each edge and minute in a slice of time, idle minutes left out."""
    return f"""
SELECT w.edge AS edge, w.minute AS minute, SUM(w.wire) AS wire
FROM (
  SELECT r.edge AS edge, m.minute AS minute, m.wire * r.weight AS wire
  FROM pair_minute AS m
  {_REPORT}
  {_MINUTE_DAY}
  WHERE r.weight > 0 AND k.day IS NULL AND m.minute >= {first} AND m.minute < {until}
) AS w
WHERE w.wire > 0
GROUP BY w.edge, w.minute
"""


EDGE_TOTALS = f"""
SELECT
  w.edge AS edge,
  {_sum("w.payload_bytes * w.weight")} AS payload_bytes,
  {_sum("w.wire_bytes * w.weight")} AS wire_bytes,
  {_sum("w.packet_count * w.weight")} AS packet_count,
  {_sum("CASE WHEN w.weight > 0 THEN w.records ELSE 0 END")} AS records,
  {_sum(f"CASE WHEN {side_of('w.report')} IN (1, 3) THEN w.payload_bytes * w.weight ELSE 0 END")}
    AS by_destination_bytes,
  {_sum("CASE WHEN w.is_other = 1 THEN w.payload_bytes ELSE 0 END")} AS other_side_bytes,
  {_sum("CASE WHEN w.is_other = 1 THEN w.records ELSE 0 END")} AS other_side_records
FROM (
  SELECT m.*, r.edge AS edge, r.weight AS weight, r.is_other AS is_other
  FROM pair_total AS m
  {_REPORT}
  {_DAY}
  WHERE k.day IS NULL
) AS w
GROUP BY w.edge
"""

EDGE_COARSE = f"""
SELECT r.edge AS edge, {_sum("m.payload_bytes * r.weight")} AS payload_bytes
FROM pair_coarse AS m
{_REPORT}
{_DAY}
WHERE k.day IS NULL
GROUP BY r.edge
"""

EDGE_DROPS = f"""
SELECT w.edge AS edge, w.at_receiver AS at_receiver, w.drop_reason AS drop_reason,
  {_sum("w.payload_bytes")} AS payload_bytes, {_sum("w.packet_count")} AS packet_count
FROM (
  SELECT m.*, r.edge AS edge,
    CASE WHEN {side_of("m.report")} IN (1, 3) THEN 1 ELSE 0 END AS at_receiver
  FROM pair_dropped AS m
  {_REPORT}
  {_DAY}
  WHERE k.day IS NULL
) AS w
GROUP BY w.edge, w.at_receiver, w.drop_reason
"""
"""What both ends dropped, by reason: the sender before, the receiver after the way."""

EDGE_ROUND_TRIPS = f"""
SELECT edge,
  MAX(CASE WHEN so_far - records < (whole + 1) // 2 AND so_far >= (whole + 1) // 2
    THEN rtt_us END) AS low_rtt_us,
  MAX(CASE WHEN so_far - records < (whole + 1) // 2 AND so_far >= (whole + 1) // 2
    THEN records END) AS low_records,
  MAX(CASE WHEN so_far - records < whole // 2 + 1 AND so_far >= whole // 2 + 1
    THEN rtt_us END) AS high_rtt_us,
  MAX(CASE WHEN so_far - records < whole // 2 + 1 AND so_far >= whole // 2 + 1
    THEN records END) AS high_records
FROM (
  SELECT edge, step, rtt_us, records,
    CAST(SUM(records) OVER (PARTITION BY edge ORDER BY step NULLS FIRST
      ROWS UNBOUNDED PRECEDING) AS BIGINT) AS so_far,
    CAST(SUM(records) OVER (PARTITION BY edge) AS BIGINT) AS whole
  FROM (
    SELECT r.edge AS edge, m.step AS step, {_sum("m.rtt_us")} AS rtt_us,
      {_sum("m.records")} AS records
    FROM pair_round_trip AS m
    {_REPORT}
    {_DAY}
    WHERE r.weight > 0 AND k.day IS NULL
    GROUP BY r.edge, m.step
  ) AS by_step
) AS ranked
GROUP BY edge
"""
"""The steps that hold the two middle round-trip times of each edge: sum and number of each.

Of the reports that count only: which others were kept depends on the order of the files.
"""


def sent_minutes(first: int, until: int) -> str:
    """Return what each machine sends by minute, in all and to outside the VPC."""
    return f"""
SELECT e.src_vm AS vm, m.minute AS minute, SUM(m.wire) AS wire,
  SUM(CASE WHEN e.leaves_vpc = 1 THEN m.wire ELSE 0 END) AS outside
FROM edge_minute AS m
JOIN edge AS e ON e.edge = m.edge
WHERE e.src_vm IS NOT NULL AND m.minute >= {first} AND m.minute < {until}
GROUP BY e.src_vm, m.minute
"""


def received_minutes(first: int, until: int) -> str:
    """Return what each machine receives by minute."""
    return f"""
SELECT e.dst_vm AS vm, m.minute AS minute, SUM(m.wire) AS wire
FROM edge_minute AS m
JOIN edge AS e ON e.edge = m.edge
WHERE e.dst_vm IS NOT NULL AND m.minute >= {first} AND m.minute < {until}
GROUP BY e.dst_vm, m.minute
"""


def ranks(table: str, key: str, value: str, wanted: Sequence[int]) -> str:
    """Return each key's values at ranks, which count from the greatest.

    Minutes without a row are idle: a rank beyond the rows is NULL, which the caller reads as 0.
    """
    values = (
        f"MAX(CASE WHEN position = {rank} THEN v END) AS p{i}" for i, rank in enumerate(wanted)
    )
    return f"""
SELECT t.{key}, {", ".join(values)}
FROM (
  SELECT {key}, {value} AS v,
    ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY {value} DESC) AS position
  FROM {table} WHERE {value} > 0
) AS t
WHERE t.position IN ({", ".join(map(str, sorted({*wanted})))})
GROUP BY t.{key}
"""


def volumes(table: str, key: str, value: str) -> str:
    """Return each key's sum and number of active minutes."""
    return f"""
SELECT {key}, {_sum(value)} AS whole, COUNT(*) AS active
FROM {table} WHERE {value} > 0 GROUP BY {key}
"""


EDGE_FLOWS = f"""
SELECT w.edge AS edge, w.pair AS pair, w.ports AS ports,
  w.minute AS minute, SUM(w.wire) AS wire
FROM (
  SELECT {pair_of("m.report")} AS pair, m.ports, m.minute, r.edge AS edge,
    m.wire * r.weight AS wire
  FROM flow_minute AS m
  {_REPORT}
  {_MINUTE_DAY}
  WHERE r.weight > 0 AND k.day IS NULL
) AS w
WHERE w.wire > 0
GROUP BY w.edge, w.pair, w.ports, w.minute
"""

TOP_FLOWS = """
SELECT f.edge, f.ports, f.whole, f.active, f.wire
FROM (
  SELECT edge, ports, whole, active, wire,
    ROW_NUMBER() OVER (PARTITION BY edge ORDER BY whole DESC, ports, active DESC, wire DESC)
      AS place
  FROM (
    SELECT edge, pair, ports, wire,
      CAST(SUM(wire) OVER (PARTITION BY edge, pair, ports) AS BIGINT) AS whole,
      COUNT(*) OVER (PARTITION BY edge, pair, ports) AS active,
      ROW_NUMBER() OVER (PARTITION BY edge, pair, ports ORDER BY wire DESC)
        AS position
    FROM edge_flow
  ) AS ranked
  WHERE position = active - (active * 95 + 99) // 100 + 1
) AS f
WHERE f.place = 1
"""
"""The greatest five-tuple of each edge, with its 95th percentile over its active minutes."""
