"""What the records themselves are: how many each place writes, and how much rests on each of them.

Records are kept by five-tuple and step of five seconds, the shortest interval of aggregation; a
longer one is the same records put together.
"""

from collections.abc import Iterable

from netplan_planner.traffic.statements import keys
from netplan_planner.traffic.statements.staging import DROPPED, OF_ANOTHER_CONFIGURATION, OK, UNMET

# What was left out of the staged records, and where it stands


BY_FILE = f"""
SELECT fault, note AS source_name, COUNT(*) AS records
FROM staged WHERE fault > {DROPPED} AND fault < {UNMET} GROUP BY fault, note
"""

COUNTS = """
SELECT f.fault, f.source_name, SUM(f.records) AS records
FROM fault AS f GROUP BY f.fault, f.source_name
"""

SUMS = f"""
SELECT fault, COUNT(*) AS records FROM staged WHERE fault > {DROPPED} GROUP BY fault
"""
"""How many records are left out by fault, wherever they stand."""


def first(count: int, unremarkable: Iterable[int]) -> str:
    """Return the first left-out records in the order of their notes, but for some faults."""
    others = ", ".join(map(str, sorted(unremarkable)))
    return f"""
SELECT f.fault AS fault, f.note AS note
FROM (
  SELECT fault, note, ROW_NUMBER() OVER (ORDER BY COALESCE(note, ''), fault) AS position
  FROM staged WHERE fault > {DROPPED} AND fault NOT IN ({others})
) AS f
WHERE f.position <= {count}
ORDER BY COALESCE(f.note, ''), f.fault
"""


FAULTY = f"""
SELECT fault, note FROM staged WHERE fault > {DROPPED} AND fault < {UNMET}
ORDER BY COALESCE(TRY_CAST(note AS BIGINT), 0), fault
"""
"""Left-out records of a numbered piece of a file, in order."""


# What the records themselves are: how many each place writes, and how much rests on each of them


STEP_S = 5
STEPS_PER_MINUTE = 60 // STEP_S
_US_PER_STEP = keys.US_PER_MINUTE // STEPS_PER_MINUTE
_STEPS_PER_DAY = keys.MINUTES_PER_DAY * STEPS_PER_MINUTE

_STEP = f"f.start_minute * {STEPS_PER_MINUTE} + f.offset_us // {_US_PER_STEP}"

LOGGED = f"""
SELECT f.report AS report, f.configuration AS configuration, f.flow AS flow,
  CASE WHEN f.fault = {DROPPED} THEN 1 ELSE 0 END AS is_dropped,
  CASE WHEN f.fault = {OF_ANOTHER_CONFIGURATION} THEN 1 ELSE 0 END AS is_extra,
  {_STEP} AS step, COUNT(*) AS records,
  CAST(SUM(CASE WHEN f.fault = {OK} THEN f.wire_bytes ELSE 0 END) AS BIGINT) AS wire
FROM staged AS f
WHERE f.fault <= {DROPPED} OR f.fault = {OF_ANOTHER_CONFIGURATION}
GROUP BY f.report, f.configuration, f.flow, f.fault, {_STEP}
"""
"""The records of a batch that were made and paid for."""


def interval(steps: int, first: int, until: int) -> str:
    """Return the records that an interval of so many steps would make of a slice of time.

    Args:
        steps: Of five seconds; 1 leaves the records as they were made, however many a step has.
        first: Step from which on; whole blocks of every interval, so that none is cut.
        until: Step before which.
    """
    records = "CAST(SUM(l.records) AS BIGINT)" if steps == 1 else "1"
    return f"""
SELECT l.report AS report, l.configuration AS configuration, l.is_extra AS is_extra,
  l.step // {steps} AS block, {records} AS records, CAST(SUM(l.wire) AS BIGINT) AS wire
FROM logged AS l
LEFT JOIN skewed_day AS k ON k.day = l.step // {_STEPS_PER_DAY}
WHERE k.day IS NULL AND l.step >= {first} AND l.step < {until}
GROUP BY l.report, l.configuration, l.flow, l.is_dropped, l.is_extra, l.step // {steps}
"""


_REPORTING = f"JOIN place AS p ON p.node = {keys.reporter_of('g.report')}"
_RECEIVED = f"{keys.side_of('g.report')} = 1"

PLACE_RECORDS = f"""
SELECT p.place AS place, g.configuration AS configuration, g.is_extra AS is_extra,
  CAST(SUM(g.records) AS BIGINT) AS records,
  CAST(SUM(CASE WHEN r.weight > 0 THEN g.records ELSE 0 END) AS BIGINT) AS counted
FROM logged_interval AS g
{_REPORTING}
LEFT JOIN weight AS r ON r.report = g.report
GROUP BY p.place, g.configuration, g.is_extra
"""
"""Records by place and configuration, and those of them whose report counts."""

SQUARE_BASE = 1 << 16
"""Records are squared in two parts, whole numbers of which sums stay within 64 bits."""

_WEIGHED = f"""(
  SELECT s.place AS place, s.configuration AS configuration, s.edge AS edge, s.block AS block,
    s.is_received AS is_received, s.records AS records,
    s.wire AS wire, s.wire // {SQUARE_BASE} AS high, (s.wire % {SQUARE_BASE}) AS low
  FROM (
    SELECT p.place AS place, g.configuration AS configuration, r.edge AS edge, g.block AS block,
      CASE WHEN {_RECEIVED} THEN 1 ELSE 0 END AS is_received, g.records AS records,
      g.wire * r.weight AS wire
    FROM logged_interval AS g
    {_REPORTING}
    JOIN weight AS r ON r.report = g.report
    WHERE r.weight > 0 AND g.is_extra = 0 AND g.wire > 0
  ) AS s
)"""
_SUMS = """CAST(SUM(w.wire) AS BIGINT) AS wire, SUM(w.high * w.high) AS high_square,
  SUM(w.high * w.low) AS middle, SUM(w.low * w.low) AS low_square,
  MAX(w.wire) AS most"""

EDGE_SQUARES = f"""
SELECT w.place AS place, w.configuration AS configuration, w.edge AS edge,
  w.is_received AS is_received, CAST(SUM(w.records) AS BIGINT) AS records,
  {_SUMS}
FROM {_WEIGHED} AS w
GROUP BY w.place, w.configuration, w.edge, w.is_received
"""
"""Of each edge as a place counts it: records, wire bytes, the parts of the squares of its records'.

Records of one five-tuple and step, which are rare, are taken together.
"""

TOLD_BY_SENDER = f"""
SELECT p.place AS place, g.configuration AS configuration, s.place AS sender,
  CAST(SUM(g.records) AS BIGINT) AS records
FROM logged_interval AS g
{_REPORTING}
JOIN weight AS r ON r.report = g.report
JOIN place AS s ON s.node = {keys.src_of("g.report")}
WHERE r.weight = 0 AND g.is_extra = 0 AND s.is_inner = 1 AND {_RECEIVED}
GROUP BY p.place, g.configuration, s.place
"""
"""Records of receivers that do not count, by the place of the sender, which reports the same."""


def machine_blocks(steps: int, most: int) -> str:
    """Return what the machines in `looked_at` send by minute, or by the interval if it is longer.

    Args:
        steps: Of the interval.
        most: Steps of a minute, or of the interval if it is longer.
    """
    return f"""
SELECT w.place AS place, w.configuration AS configuration, w.vm AS vm, w.block AS block,
  {_SUMS}, COUNT(*) AS records
FROM (
  SELECT w.place, w.configuration, e.src_vm AS vm, w.block * {steps} // {most} AS block,
    w.wire, w.high, w.low
  FROM {_WEIGHED} AS w
  JOIN edge AS e ON e.edge = w.edge
  JOIN looked_at AS v ON v.vm = e.src_vm
) AS w
GROUP BY w.place, w.configuration, w.vm, w.block
ORDER BY w.place, w.configuration, w.vm, w.block
"""
