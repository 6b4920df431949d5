"""What was logged twice: entries that are equal, and flows that two configurations report.

Both are found after all records were read once, and left out when they are read again: nothing is
read twice where nothing was logged twice.
"""

from netplan_planner.traffic.statements.keys import reporter_of, side_of
from netplan_planner.traffic.statements.staging import DROPPED, OF_ANOTHER_CONFIGURATION, REPEATED

MINUTES_PER_HOUR = 60


def seen(first: int, until: int) -> str:
    """Return the entries of a slice of time."""
    return f"""
SELECT entry
FROM staged
WHERE fault <= {DROPPED} AND entry IS NOT NULL
  AND start_minute >= {first} AND start_minute < {until}
"""


SEEN_AGAIN = f"""
SELECT e.entry AS entry
FROM (
  SELECT entry, COUNT(*) AS records
  FROM staged WHERE fault <= {DROPPED} AND entry IS NOT NULL GROUP BY entry
) AS e
WHERE e.records > 1
"""
"""Entries that are staged more than once."""


_CARRIED = (
    "f.is_kept, f.start_minute, f.offset_us, f.duration_us, f.payload_bytes, f.packet_count,"
    " f.wire_bytes, f.rtt_us, f.ports, f.entry, f.flow, f.configuration, f.drop_reason, f.note,"
    " f.day_part"
)
_IS_REPEATED = "r.entry = f.entry"

ONCE = f"""
SELECT f.report, f.fault, {_CARRIED}
FROM staged AS f
LEFT JOIN repeated_entry AS r ON {_IS_REPEATED}
WHERE r.entry IS NULL OR f.fault > {DROPPED}
UNION ALL
SELECT f.report,
  CASE WHEN f.kept_entry IS NOT NULL OR f.position > 1 THEN {REPEATED} ELSE f.fault END AS fault,
  {_CARRIED}
FROM (
  SELECT f.*, k.entry AS kept_entry,
    ROW_NUMBER() OVER (
      PARTITION BY f.entry, f.start_minute
      ORDER BY f.report, f.offset_us, f.payload_bytes, f.packet_count
    ) AS position
  FROM staged AS f
  JOIN repeated_entry AS r ON {_IS_REPEATED}
  LEFT JOIN kept_entry AS k ON k.entry = f.entry AND k.start_minute = f.start_minute
  WHERE f.fault <= {DROPPED}
) AS f
"""
"""The staged records, each entry once: one that counts already, or stands here before, is left out.

Entries that share a number, but not the minute, are two; `repeated_entry` knows the number only.
"""

KEPT = f"""
SELECT f.entry AS entry, f.start_minute AS start_minute
FROM staged AS f
JOIN repeated_entry AS r ON {_IS_REPEATED}
WHERE f.fault <= {DROPPED}
"""

_REPORTER = reporter_of("f.report")

NODE_HOURS = f"""
SELECT {_REPORTER} AS node, {side_of("f.report")} AS side, f.configuration AS configuration,
  f.start_minute // {MINUTES_PER_HOUR} AS hour, COUNT(*) AS records,
  SUM(f.payload_bytes) AS payload_bytes
FROM staged AS f
WHERE f.fault <= {DROPPED}
GROUP BY {_REPORTER}, {side_of("f.report")}, f.configuration,
  f.start_minute // {MINUTES_PER_HOUR}
"""
"""What each configuration has of each end that reports, by hour."""

NODES_OF_ONE = f"""
SELECT {_REPORTER} AS node, 0 AS side, MAX(f.configuration) AS configuration, 0 AS hour,
  COUNT(*) AS records, 0 AS payload_bytes
FROM staged AS f
WHERE f.fault <= {DROPPED}
GROUP BY {_REPORTER}
"""
"""The same where all records are of one configuration: what has one place is not asked by hour."""

PLACE_HOURS = """
SELECT p.place AS place, h.side AS side, h.configuration AS configuration, h.hour AS hour,
  CAST(SUM(h.records) AS BIGINT) AS records,
  CAST(SUM(h.payload_bytes) AS BIGINT) AS payload_bytes
FROM node_hour AS h
JOIN place AS p ON p.node = h.node
GROUP BY p.place, h.side, h.configuration, h.hour
"""

PLACE_RECORDS = """
SELECT h.place AS place, h.configuration AS configuration,
  CAST(SUM(h.records) AS BIGINT) AS records
FROM place_hour AS h
GROUP BY h.place, h.configuration
"""

PLACE_RANKS = """
SELECT w.place AS place, w.side AS side, w.configuration AS configuration,
  ROW_NUMBER() OVER (
    PARTITION BY w.place, w.side ORDER BY w.hours DESC, w.records DESC, c.position
  ) AS position
FROM (
  SELECT place, side, configuration, COUNT(*) AS hours, CAST(SUM(records) AS BIGINT) AS records
  FROM place_hour GROUP BY place, side, configuration
) AS w
JOIN configuration AS c ON c.configuration = w.configuration
"""
"""Of several configurations the one with the most hours, then records, counts first; else by name.

One order for the whole of a place: to take the greater one by flow or by hour would overstate, as
each is sampled by itself.
"""

SUPERSEDED = """
SELECT h.place AS place, h.side AS side, h.configuration AS configuration, h.hour AS hour,
  k.configuration AS by_configuration
FROM place_hour AS h
JOIN place_rank AS r
  ON r.place = h.place AND r.side = h.side AND r.configuration = h.configuration
JOIN (
  SELECT w.place AS place, w.side AS side, w.hour AS hour, MIN(w.position) AS position
  FROM (
    SELECT h.place, h.side, h.hour, r.position
    FROM place_hour AS h
    JOIN place_rank AS r
      ON r.place = h.place AND r.side = h.side AND r.configuration = h.configuration
  ) AS w
  GROUP BY w.place, w.side, w.hour
) AS b ON b.place = h.place AND b.side = h.side AND b.hour = h.hour
JOIN place_rank AS k ON k.place = h.place AND k.side = h.side AND k.position = b.position
WHERE r.position > b.position
"""
"""The hours in which a configuration does not count, because one before it has the place as well.

A change from one configuration to the other so costs an hour at most.
"""

OF_ONE_CONFIGURATION = f"""
SELECT f.report,
  CASE WHEN f.fault <= {DROPPED} AND s.place IS NOT NULL THEN {OF_ANOTHER_CONFIGURATION}
    ELSE f.fault END AS fault,
  {_CARRIED}
FROM (
  SELECT f.*, p.place AS place, {side_of("f.report")} AS side
  FROM staged AS f
  LEFT JOIN place AS p ON p.node = {_REPORTER}
) AS f
LEFT JOIN superseded AS s
  ON s.place = f.place AND s.side = f.side AND s.configuration = f.configuration
  AND s.hour = f.start_minute // {MINUTES_PER_HOUR}
"""
"""The staged records, those marked that another configuration reports as well."""

OVERLAPS = """
SELECT s.place AS place, s.by_configuration AS by_configuration,
  s.configuration AS configuration, CAST(SUM(h.records) AS BIGINT) AS records,
  CAST(SUM(h.payload_bytes) AS BIGINT) AS payload_bytes
FROM superseded AS s
JOIN place_hour AS h
  ON h.place = s.place AND h.side = s.side AND h.configuration = s.configuration
  AND h.hour = s.hour
GROUP BY s.place, s.by_configuration, s.configuration
"""
"""What of each place was left out, and for which configuration."""

NAMES = """
SELECT configuration, MIN(configuration_name) AS configuration_name
FROM flow_record WHERE configuration > 0 GROUP BY configuration
"""
