"""From who reports which pair of ends to the reports that count, and by how much."""

from netplan_planner.model import Reporter
from netplan_planner.traffic.statements.keys import NODES, pair_of, side_of

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
