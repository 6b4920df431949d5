"""From judged records to sums by pair of ends and side that reports."""

from netplan_planner.model import Reporter
from netplan_planner.traffic.statements.keys import (
    DURATION_MS,
    MINUTES_PER_DAY,
    NODES,
    OFFSET_MS,
    SPAN,
    US_PER_MINUTE,
    dst_of,
    pair_of,
    rtt_step,
    share_until,
    side_of,
    src_of,
)
from netplan_planner.traffic.statements.staging import DROPPED, OK

# From who reports which pair of ends to the reports that count, and by how much


_SIDES = ("by_source", "by_destination", "by_source_gateway", "by_destination_gateway")
_SOURCE, _DESTINATION, _SOURCE_GATEWAY, _DESTINATION_GATEWAY = range(len(_SIDES))
_BOTH = len(_SIDES)
"""Half of the source's and half of the destination's report."""

_UNLOGGED_SOURCE = (_DESTINATION, _SOURCE, _SOURCE_GATEWAY, _DESTINATION_GATEWAY)
_UNLOGGED_DESTINATION = (_SOURCE, _DESTINATION, _DESTINATION_GATEWAY, _SOURCE_GATEWAY)
"""Whose report counts, in order, when the end that should report does not; a gateway's report of a
flow that a machine reports as well is the last choice."""


def reported(reporter: Reporter) -> str:
    """Return every pair of ends, and which side's report of it counts.

    `is_silent` is 1 where others report the pair, but the side that counts does not. Nobody reports
    a pair whose packets were all dropped.
    """
    flags = ", ".join(
        f"MAX(CASE WHEN side = {side} THEN 1 ELSE 0 END) AS {name}"
        for side, name in enumerate(_SIDES)
    )
    told = " ".join(f"WHEN {side} THEN {name}" for side, name in enumerate(_SIDES))
    return f"""
SELECT pair, counted,
  CASE
    WHEN {" + ".join(_SIDES)} = 0 THEN 0
    WHEN CASE counted {told} ELSE by_source + by_destination END = 0 THEN 1
    ELSE 0
  END AS is_silent
FROM (
  SELECT p.*, {_counted(reporter)} AS counted
  FROM (
    SELECT pair, {flags}
    FROM (
      SELECT {pair_of("report")} AS pair, {side_of("report")} AS side FROM pair_total
      UNION ALL
      SELECT {pair_of("report")} AS pair, CAST(NULL AS BIGINT) AS side FROM pair_dropped
    ) AS reports
    GROUP BY pair
  ) AS p
  JOIN node AS s ON s.node = p.pair // {NODES}
  JOIN node AS d ON d.node = (p.pair % {NODES})
) AS chosen
"""


def _counted(reporter: Reporter) -> str:
    """Return the side whose report of a pair counts; the one that should may not have reported."""
    if reporter is Reporter.DESTINATION:
        first, order = f"WHEN d.logs_received = 1 THEN {_DESTINATION}", _UNLOGGED_DESTINATION
    else:
        first, order = f"WHEN s.logs_sent = 1 THEN {_SOURCE}", _UNLOGGED_SOURCE
    if reporter is Reporter.AVERAGE:
        first = f"WHEN s.logs_sent = 1 AND d.logs_received = 1 THEN {_BOTH} {first}"
    others = " ".join(f"WHEN p.{_SIDES[side]} = 1 THEN {side}" for side in order)
    return f"CASE {first} {others} ELSE {order[0]} END"


def weights(unit: int) -> str:
    """Return the edge of each report, and by how much it counts.

    A report tells the other side (`is_other`) where it does not count, or is the second of two.

    Args:
        unit: The weight of one whole report; half of it must be 1 where two are averaged.
    """
    side = side_of("m.report")
    return f"""
SELECT m.report AS report, r.edge AS edge,
  CASE
    WHEN {side} = p.counted THEN {unit}
    WHEN p.counted = {_BOTH} AND {side} <= {_DESTINATION} THEN 1
    ELSE 0
  END AS weight,
  CASE WHEN {side} = p.counted OR (p.counted = {_BOTH} AND {side} = {_SOURCE}) THEN 0 ELSE 1 END
    AS is_other
FROM (SELECT report FROM pair_total UNION DISTINCT SELECT report FROM pair_dropped) AS m
JOIN reported AS p ON p.pair = {pair_of("m.report")}
JOIN route AS r ON r.pair = {pair_of("m.report")}
"""


SILENT = f"""
SELECT DISTINCT pair // {NODES} AS src_node, (pair % {NODES}) AS dst_node
FROM reported WHERE is_silent = 1
"""
"""The ends of pairs that are told by others only."""


# From judged records to sums by pair of ends and side that reports


_GOOD = f"fault = {OK}"

ACTIVITY = f"""
SELECT
  start_minute,
  MAX(start_minute + (offset_us + GREATEST(duration_us, 1) - 1) // {US_PER_MINUTE}) AS last_minute,
  SUM(CASE WHEN fault = {OK} THEN 1 ELSE 0 END) AS records,
  SUM(CASE WHEN fault = {DROPPED} THEN 1 ELSE 0 END) AS dropped_records,
  SUM(CASE WHEN packet_count = 0 AND payload_bytes > 0 THEN 1 ELSE 0 END)
    AS records_without_packets
FROM staged WHERE fault <= {DROPPED} GROUP BY start_minute
"""
"""By start minute: the last minute that a record covers, and how many there are."""

REPORTING = f"""
SELECT DISTINCT {side_of("e.report")} AS side,
  CASE WHEN {side_of("e.report")} = 0 THEN {src_of("e.report")} ELSE {dst_of("e.report")} END
    AS node
FROM (SELECT report FROM batch_total UNION ALL SELECT report FROM pair_dropped) AS e
WHERE {side_of("e.report")} <= 1
"""
"""The ends that report what they send (side 0) or receive (side 1)."""


def minutes(first: int, until: int, *, by_ports: bool = False) -> str:
    """Return the wire bytes of each pair, reporter and minute, spread over what a record covers.

    A record's bytes up to a moment are `floor(bytes * elapsed / duration)`, in milliseconds, so
    that the minutes' shares are whole numbers and add up to the record's bytes exactly.

    Args:
        first: Records that start in this minute or later; a slice of time keeps the groups few.
        until: Records that start before this minute.
        by_ports: Only fast records, by five-tuple.
    """
    ports = "ports, " if by_ports else ""
    where = (
        f"WHERE {_GOOD} AND is_kept = 1 AND start_minute >= {first} AND start_minute < {until}"
        + (" AND ports IS NOT NULL" if by_ports else "")
    )

    return f"""
SELECT report, {ports}minute, SUM(wire) AS wire
FROM (
  SELECT report, {ports}start_minute AS minute, wire_bytes AS wire
  FROM staged
  {where} AND offset_us + duration_us <= {US_PER_MINUTE}
  UNION ALL
  SELECT f.report, {ports}f.start_minute + p.position AS minute,
    {share_until("p.position + 1")} - {share_until("p.position")} AS wire
  FROM (
    SELECT report, {ports}start_minute, wire_bytes,
      {OFFSET_MS} AS offset_ms, {DURATION_MS} AS duration_ms, {SPAN} AS span
    FROM staged
    {where} AND offset_us + duration_us > {US_PER_MINUTE}
  ) AS f
  JOIN span_position AS p ON p.span = f.span
) AS shares
GROUP BY report, {ports}minute
"""


def span_positions(most: int) -> str:
    """Return the minutes after its first that a record reaches into, of every span up to `most`."""
    return f"""
SELECT s.position AS span, p.position AS position
FROM minute_position AS s
JOIN minute_position AS p ON p.position <= s.position
WHERE s.position > 0 AND s.position <= {most}
"""


STAGED_SPANS = f"""
  SELECT DISTINCT {SPAN} AS span
  FROM staged WHERE {_GOOD} AND offset_us + duration_us > {US_PER_MINUTE}
"""

LONGEST_STAGED_SPAN = f"SELECT MAX(s.span) AS span FROM ({STAGED_SPANS}) AS s"

STAGED_SPAN_POSITIONS = f"""
SELECT s.span AS span, p.position AS position
FROM ({STAGED_SPANS}) AS s
JOIN minute_position AS p ON p.position <= s.span
"""
"""The same of the spans that occur, where all of them would be too many."""

_BY_DAY = f"report, start_minute // {MINUTES_PER_DAY}"

TOTALS = f"""
SELECT report, start_minute // {MINUTES_PER_DAY} AS day,
  SUM(payload_bytes) AS payload_bytes, SUM(packet_count) AS packet_count,
  SUM(wire_bytes) AS wire_bytes, COUNT(*) AS records
FROM staged WHERE {_GOOD} GROUP BY {_BY_DAY}
"""

COARSE = f"""
SELECT report, start_minute // {MINUTES_PER_DAY} AS day,
  SUM(payload_bytes) AS payload_bytes
FROM staged WHERE {_GOOD} AND duration_us > {US_PER_MINUTE} GROUP BY {_BY_DAY}
"""
"""Payload of records that cover more than a minute."""

DROPS = f"""
SELECT report, start_minute // {MINUTES_PER_DAY} AS day, drop_reason,
  SUM(payload_bytes) AS payload_bytes, SUM(packet_count) AS packet_count
FROM staged WHERE fault = {DROPPED} GROUP BY {_BY_DAY}, drop_reason
"""

ROUND_TRIPS = f"""
SELECT report, day, step, SUM(rtt_us) AS rtt_us, COUNT(*) AS records
FROM (
  SELECT report, start_minute // {MINUTES_PER_DAY} AS day, rtt_us,
    {rtt_step("rtt_us")} AS step
  FROM staged
  WHERE {_GOOD} AND is_kept = 1 AND rtt_us IS NOT NULL
) AS f
GROUP BY report, day, step
"""
