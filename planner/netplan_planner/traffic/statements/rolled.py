"""From the sums of days, see `day_sums`, to those by pair of nodes that a matrix is made of.

A window is of whole days. `rolled` holds the rows of all days, `summed` the same by nodes.
"""

from netplan_planner.traffic.engine import TABLES
from netplan_planner.traffic.statements import day_sums, keys
from netplan_planner.traffic.statements.repeats import MINUTES_PER_HOUR
from netplan_planner.traffic.statements.staging import (
    DROPPED,
    OF_ANOTHER_CONFIGURATION,
    OK,
    OUTSIDE_WINDOW,
    REPEATED,
)

STATES = f"SELECT log_day, note FROM rolled WHERE kind = {day_sums.STATE}"


def ends(since_day: int, until_day: int) -> str:
    """Return the ends of flows that began in some days, as `staging.ends` does of records."""
    return f"""
SELECT e.address AS address, e.project AS project, e.name AS name, MAX(e.details) AS details
FROM rolled AS e
WHERE {_is_met(since_day, until_day)}
GROUP BY e.address, e.project, e.name
"""


def numbers(since_day: int, until_day: int) -> str:
    """Return the node of each number of each day."""
    return f"""
SELECT DISTINCT e.log_day AS log_day, e.number AS number, i.node AS node
FROM rolled AS e
JOIN identity AS i ON {day_sums.SAME}
WHERE {_is_met(since_day, until_day)}
"""


def _is_met(since_day: int, until_day: int) -> str:
    return f"e.kind = {day_sums.END} AND e.start_day >= {since_day} AND e.start_day < {until_day}"


def first_minute(since_day: int, until_day: int) -> str:
    """Return the first minute of the flows that began in some days."""
    return f"""
SELECT MIN(start_minute) AS first_minute FROM rolled
WHERE kind = {day_sums.SUM} AND COALESCE(fault, 0) <= {DROPPED}
  AND start_minute >= {since_day * keys.MINUTES_PER_DAY}
  AND start_minute < {until_day * keys.MINUTES_PER_DAY}
"""


_NUMBERS = ("records", "payload_bytes", "packet_count", "wire_bytes", "coarse_bytes")
_SUMMED = ", ".join(f"f.{name}" for name in TABLES["summed"] if name != "fault")


def by_nodes(since_day: int, until_day: int) -> str:
    """Return the sums of days by nodes, as a window sees them.

    Flows that began outside of it are left out, whatever else may be said of their records.
    """
    outside = (
        f"(r.start_minute IS NOT NULL AND (r.start_minute < {since_day * keys.MINUTES_PER_DAY}"
        f" OR r.start_minute >= {until_day * keys.MINUTES_PER_DAY}))"
    )

    def holder(end: str) -> str:
        return (
            f"LEFT JOIN day_end AS {end} ON {end}.log_day = r.log_day"
            f" AND {end}.number = {(keys.src_of if end == 's' else keys.dst_of)('r.report')}\n"
            f"LEFT JOIN earlier AS h{end} ON h{end}.later_node = {end}.node"
            f" AND r.start_minute >= h{end}.first_minute AND r.start_minute < h{end}.until_minute"
        )

    report = keys.make_report(
        "COALESCE(hs.node, s.node)", "COALESCE(hd.node, d.node)", keys.side_of("r.report")
    )
    counts = ", ".join(
        f"COALESCE(r.{name}, 0) AS {name}" for name in (*_NUMBERS, "unpacked_records", "reach")
    )
    return f"""
SELECT r.kind AS kind, {report} AS report,
  CASE WHEN {outside} THEN {OUTSIDE_WINDOW} ELSE COALESCE(r.fault, 0) END AS fault,
  COALESCE(r.configuration, 0) AS configuration, COALESCE(r.drop_reason, 0) AS drop_reason,
  r.start_minute AS start_minute, r.minute AS minute, r.step AS step, r.ports AS ports,
  {counts}, r.rtt_us AS rtt_us
FROM rolled AS r
{holder("s")}
{holder("d")}
WHERE r.kind <= {day_sums.ROUND_TRIP} AND (r.kind = {day_sums.SUM} OR NOT {outside})
"""


ROLLED_OF_ONE_CONFIGURATION = f"""
SELECT CASE WHEN f.fault <= {DROPPED} AND s.place IS NOT NULL THEN {OF_ANOTHER_CONFIGURATION}
    ELSE f.fault END AS fault, {_SUMMED}
FROM (
  SELECT f.*, p.place AS place, {keys.side_of("f.report")} AS side
  FROM summed AS f
  LEFT JOIN place AS p ON p.node = {keys.reporter_of("f.report")}
) AS f
LEFT JOIN superseded AS s
  ON s.place = f.place AND s.side = f.side AND s.configuration = f.configuration
  AND s.hour = f.start_minute // {MINUTES_PER_HOUR}
"""
"""See `repeats.OF_ONE_CONFIGURATION`."""


def node_hours(*, with_repeated: bool) -> str:
    """Return what each configuration has of each end that reports; see `repeats.NODE_HOURS`."""
    reporter, side = keys.reporter_of("f.report"), keys.side_of("f.report")
    which = day_sums.IS_JUDGED if with_repeated else f"f.fault <= {DROPPED}"
    hour = f"f.start_minute // {MINUTES_PER_HOUR}"
    return f"""
SELECT {reporter} AS node, {side} AS side, f.configuration AS configuration,
  {hour} AS hour, CAST(SUM(f.records) AS BIGINT) AS records,
  CAST(SUM(f.payload_bytes) AS BIGINT) AS payload_bytes
FROM summed AS f
WHERE f.kind = {day_sums.SUM} AND {which}
GROUP BY {reporter}, {side}, f.configuration, {hour}
"""


ROLLED_CONFIGURATIONS = f"SELECT DISTINCT configuration FROM summed WHERE kind = {day_sums.SUM}"
ROLLED_CONFIGURATION_NAMES = f"""
SELECT configuration, MIN(note) AS configuration_name
FROM rolled WHERE kind = {day_sums.NAME} GROUP BY configuration
"""
REPEATED_RECORDS = f"""
SELECT COUNT(*) AS entries FROM summed WHERE kind = {day_sums.SUM} AND fault = {REPEATED}
"""
RECORD_COUNT = f"""
SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records FROM summed WHERE kind = {day_sums.SUM}
"""

_GOOD = f"fault = {OK}"

ROLLED_PAIR_MINUTES = f"""
SELECT m.report AS report, m.minute AS minute, CAST(SUM(m.wire) AS BIGINT) AS wire
FROM (
  SELECT report, start_minute AS minute, wire_bytes AS wire
  FROM summed WHERE kind = {day_sums.SUM} AND {_GOOD}
  UNION ALL
  SELECT report, start_minute AS minute, 0 - wire_bytes AS wire
  FROM summed WHERE kind = {day_sums.SHARE} AND {_GOOD}
  UNION ALL
  SELECT report, minute, wire_bytes AS wire FROM summed WHERE kind = {day_sums.SHARE} AND {_GOOD}
) AS m
GROUP BY m.report, m.minute
"""

ROLLED_FLOW_MINUTES = f"""
SELECT report, ports, minute, SUM(wire_bytes) AS wire
FROM summed WHERE kind = {day_sums.FLOW} AND {_GOOD} GROUP BY report, ports, minute
"""

_DAY = f"start_minute // {keys.MINUTES_PER_DAY}"

ROLLED_TOTALS = f"""
SELECT report, {_DAY} AS day,
  SUM(payload_bytes) AS payload_bytes, SUM(packet_count) AS packet_count,
  SUM(wire_bytes) AS wire_bytes, SUM(records) AS records
FROM summed WHERE kind = {day_sums.SUM} AND {_GOOD} GROUP BY report, {_DAY}
"""

ROLLED_COARSE = f"""
SELECT report, {_DAY} AS day, SUM(coarse_bytes) AS payload_bytes
FROM summed WHERE kind = {day_sums.SUM} AND {_GOOD} AND coarse_bytes > 0 GROUP BY report, {_DAY}
"""

ROLLED_DROPS = f"""
SELECT report, {_DAY} AS day, drop_reason,
  SUM(payload_bytes) AS payload_bytes, SUM(packet_count) AS packet_count
FROM summed WHERE kind = {day_sums.SUM} AND fault = {DROPPED} GROUP BY report, {_DAY}, drop_reason
"""

ROLLED_ROUND_TRIPS = f"""
SELECT report, {_DAY} AS day, step, SUM(rtt_us) AS rtt_us, SUM(records) AS records
FROM summed WHERE kind = {day_sums.ROUND_TRIP} AND {_GOOD} GROUP BY report, {_DAY}, step
"""

ROLLED_ACTIVITY = f"""
SELECT start_minute, MAX(start_minute + reach) AS last_minute,
  SUM(CASE WHEN {_GOOD} THEN records ELSE 0 END) AS records,
  SUM(CASE WHEN fault = {DROPPED} THEN records ELSE 0 END) AS dropped_records,
  SUM(unpacked_records) AS records_without_packets
FROM summed WHERE kind = {day_sums.SUM} AND fault <= {DROPPED} GROUP BY start_minute
"""

ROLLED_FAULTS = f"""
SELECT fault, CAST(SUM(records) AS BIGINT) AS records
FROM summed WHERE kind = {day_sums.SUM} AND fault > {DROPPED} GROUP BY fault
"""


def first(count: int, since_day: int, until_day: int) -> str:
    """Return the first faulty records of a window; see `logged.first`."""
    return f"""
SELECT f.fault AS fault, f.note AS note
FROM (
  SELECT fault, note, ROW_NUMBER() OVER (ORDER BY COALESCE(note, ''), fault) AS position
  FROM rolled
  WHERE kind = {day_sums.EXAMPLE} AND (start_minute IS NULL
    OR (start_minute >= {since_day * keys.MINUTES_PER_DAY}
      AND start_minute < {until_day * keys.MINUTES_PER_DAY}))
) AS f
WHERE f.position <= {count}
ORDER BY COALESCE(f.note, ''), f.fault
"""
