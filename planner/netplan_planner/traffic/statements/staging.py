"""From flow records to judged records, with a number for who reports what."""

from collections.abc import Sequence

from netplan_planner.model import Reporter
from netplan_planner.traffic.files.records import (
    DETAILS,
    END_SEPARATOR,
    IDENTITY,
    PART_SEPARATOR,
    REPLACED,
)
from netplan_planner.traffic.options import HeaderBytes
from netplan_planner.traffic.statements import keys

OK = 0
DROPPED = 1
"""Not a fault: packets that were dropped; counted apart."""

NOT_AN_ENTRY = 2
OTHER_LOG = 3
NO_ADDRESS = 4
NO_TIME = 5
NO_REPORTER = 6
NO_COUNT = 7
NEGATIVE = 8
ENDS_BEFORE_START = 9
TOO_LONG = 10
ABSURD_TIME = 11
ABSURD_COUNT = 12
OUTSIDE_WINDOW = 13
BAD_ADDRESS = 14
REPEATED = 15
"""An entry that is equal to another one, which counts; see `repeats`."""
OF_ANOTHER_CONFIGURATION = 16
"""Of flows that another configuration of flow logs reports as well; see `repeats`."""

UNMET = 100
"""Added to the fault (`OK` or `DROPPED`) of a record while one of its ends has no number yet."""

_SHORTEST_US = 1_000_000
"""The rate of a single record is over a second at least: a shorter burst says nothing."""


def staged(
    *,
    reporter: Reporter,
    header: HeaderBytes,
    max_minutes: int,
    max_bytes_per_minute: int,
    flow_bytes_per_s: int,
    since_us: int = keys.FIRST_US,
    until_us: int = keys.LAST_US,
    takes_names: bool = False,
    with_details: bool = True,
    is_careful: bool = False,
    with_flows: bool = False,
) -> str:
    """Return flow records judged, with numbers for ends; `flow_record` joined with `endpoint`.

    Of several faults the first one counts. `note` is the file of a faulty record, and of one
    between unknown ends what it says of both; else NULL. In `report` an unknown end is 0. `is_kept`
    says whether the report may count, see `_is_kept`. `is_careful` takes separators out of what
    records say; `with_flows` numbers five-tuples.
    """
    packets = _PACKETS

    def said(end: str) -> str:
        return _said(end, with_details, is_careful)

    return f"""
SELECT
  {keys.make_report("COALESCE(r.src_node, 0)", "COALESCE(r.dst_node, 0)", "r.side")} AS report,
  r.fault AS fault,
  CASE WHEN {_is_kept(reporter)} THEN 1 ELSE 0 END AS is_kept,
  r.start_minute AS start_minute,
  r.start_us - r.start_minute * {keys.US_PER_MINUTE} AS offset_us,
  r.duration_us AS duration_us,
  r.payload_bytes AS payload_bytes,
  {packets} AS packet_count,
  CASE
    WHEN r.shape <= {DROPPED}
      THEN r.payload_bytes + {packets} * ({_header(header)} + COALESCE(r.header_extra, 0))
  END AS wire_bytes,
  CASE WHEN r.rtt_us > 0 AND r.rtt_us < {keys.MOST_RTT_US} THEN r.rtt_us END AS rtt_us,
  CASE
    WHEN r.payload_bytes >= {flow_bytes_per_s} AND r.shape <= {DROPPED}
      AND r.payload_bytes // {flow_bytes_per_s}
        >= GREATEST(COALESCE(r.duration_us, 0), {_SHORTEST_US}) // {_SHORTEST_US}
      THEN {_PORTS}
  END AS ports,
  r.entry AS entry,
  {"r.flow" if with_flows else "CAST(NULL AS BIGINT)"} AS flow,
  COALESCE(r.configuration, 0) AS configuration,
  COALESCE(r.drop_reason, 0) AS drop_reason,
  CASE
    WHEN r.fault >= {UNMET} THEN {said("src")} || '{END_SEPARATOR}' || {said("dst")}
    WHEN r.fault > {DROPPED} THEN r.source_name
  END AS note,
  r.day_part AS day_part
FROM (
SELECT
  r.*, s.node AS src_node, d.node AS dst_node, s.header_extra AS header_extra,
  s.logs_sent AS logs_sent, d.logs_received AS logs_received,
  CASE WHEN r.shape <= {DROPPED} THEN r.start_us // {keys.US_PER_MINUTE} END AS start_minute,
  CASE WHEN r.shape <= {DROPPED} THEN r.end_us - r.start_us END AS duration_us,
  CASE
    WHEN s.node IS NOT NULL AND d.node IS NOT NULL THEN r.shape
    WHEN r.shape > {DROPPED} THEN r.shape
    WHEN s.node IS NULL AND NOT {_may_be_address("s", "src", takes_names)} THEN {BAD_ADDRESS}
    WHEN d.node IS NULL AND NOT {_may_be_address("d", "dst", takes_names)} THEN {BAD_ADDRESS}
    ELSE r.shape + {UNMET}
  END AS fault
FROM (
  SELECT
    r.*,
    {_shape(max_minutes, max_bytes_per_minute, since_us, until_us)} AS shape
  FROM flow_record AS r
) AS r
LEFT JOIN endpoint AS s
  ON s.address = r.src_address
  AND s.project IS NOT DISTINCT FROM r.src_project
  AND s.name IS NOT DISTINCT FROM r.src_name
LEFT JOIN endpoint AS d
  ON d.address = r.dst_address
  AND d.project IS NOT DISTINCT FROM r.dst_project
  AND d.name IS NOT DISTINCT FROM r.dst_name
) AS r
"""


_PACKETS = "COALESCE(r.packet_count, 0)"


def _shape(max_minutes: int, max_bytes_per_minute: int, since_us: int, until_us: int) -> str:
    """Return what a record is by itself, whoever its ends are: the first fault, or none."""
    return f"""CASE
  WHEN NOT r.is_entry THEN {NOT_AN_ENTRY}
  WHEN r.is_other_log THEN {OTHER_LOG}
  WHEN r.src_address IS NULL OR r.dst_address IS NULL THEN {NO_ADDRESS}
  WHEN r.start_us IS NULL OR r.end_us IS NULL THEN {NO_TIME}
  WHEN r.side IS NULL THEN {NO_REPORTER}
  WHEN r.payload_bytes IS NULL THEN {NO_COUNT}
  WHEN r.payload_bytes < 0 OR {_PACKETS} < 0 THEN {NEGATIVE}
  WHEN r.end_us < r.start_us THEN {ENDS_BEFORE_START}
  WHEN r.start_us < {keys.FIRST_US} OR r.end_us >= {keys.LAST_US} THEN {ABSURD_TIME}
  WHEN r.end_us - r.start_us > {max_minutes * keys.US_PER_MINUTE} THEN {TOO_LONG}
  WHEN {_is_absurd("r.payload_bytes", max_bytes_per_minute)}
    OR {_is_absurd(_PACKETS, max_bytes_per_minute)} THEN {ABSURD_COUNT}
  WHEN r.start_us < {since_us} OR r.start_us >= {until_us} THEN {OUTSIDE_WINDOW}
  WHEN r.is_dropped THEN {DROPPED}
  ELSE {OK}
END"""


def ends(
    *,
    max_minutes: int,
    max_bytes_per_minute: int,
    since_us: int = keys.FIRST_US,
    until_us: int = keys.LAST_US,
    by_day: bool = False,
) -> str:
    """Return the ends that records without a fault name, each once, and what they say of it.

    `details` holds the texts of `DETAILS` with separators between: of records that say more or less
    of one end the greatest text, whatever their order. What looks like no address is left out.
    Each is taken once before, since Spark sorts all rows of which it looks for the greatest text.
    `by_day` tells the parts of the log's day apart, and the days on which flows began.
    """
    is_seen = " AND ".join(_looks_like_address(end) for end in ("src", "dst"))
    kept = (
        f", r.day_part AS day_part, r.start_us // {keys.US_PER_DAY} AS start_day" if by_day else ""
    )
    group = ", e.day_part, e.start_day" if by_day else ""
    told = ", e.day_part AS day_part, e.start_day AS start_day" if by_day else ""

    def of(end: str) -> str:
        columns = ", ".join(f"r.{end}_{name} AS {name}" for name in IDENTITY)
        details = _joined([f"COALESCE(r.{end}_{name}, '')" for name in DETAILS], is_careful=True)
        return f"""
  SELECT DISTINCT {columns}, {details} AS details{kept}
  FROM (
    SELECT r.*,
    {_shape(max_minutes, max_bytes_per_minute, since_us, until_us)} AS shape
    FROM flow_record AS r
  ) AS r
  WHERE r.shape <= {DROPPED} AND {is_seen}"""

    return f"""
SELECT e.address AS address, e.project AS project, e.name AS name, MAX(e.details) AS details{told}
FROM ({of("src")}
  UNION ALL{of("dst")}
) AS e
GROUP BY e.address, e.project, e.name{group}
"""


_PORTS = (
    f"(COALESCE(r.protocol, 0) * {keys.PORT_BASE} + COALESCE(r.src_port + 1, 0)) * {keys.PORT_BASE}"
    " + COALESCE(r.dst_port + 1, 0)"
)


def _is_absurd(count: str, max_per_minute: int) -> str:
    """Return whether a count is beyond every machine; most rows are spared the divisions."""
    minutes = f"((r.end_us - r.start_us) // {keys.US_PER_MINUTE} + 1)"
    return f"({count} >= {max_per_minute} AND {count} // {max_per_minute} >= {minutes})"


def _is_kept(reporter: Reporter) -> str:
    """Return which reports may count, as far as is known while reading; routes decide in the end.

    Once a sender is known to log, the others' reports of it are not kept by the minute.
    """
    if reporter is Reporter.SOURCE:
        return "r.side = 0 OR COALESCE(r.logs_sent, 0) = 0"
    if reporter is Reporter.DESTINATION:
        return "r.side = 1 OR COALESCE(r.logs_received, 0) = 0"
    return "r.side >= 0"


def _may_be_address(endpoint: str, end: str, takes_names: bool) -> str:
    """Return whether an end without a node can be an address; one that was met before is none."""
    if takes_names:
        return "true"
    return f"({endpoint}.address IS NULL AND {_looks_like_address(end)})"


def _looks_like_address(end: str) -> str:
    return f"REGEXP_MATCHES(r.{end}_address, '^[0-9A-Fa-f:.]+$')"


def _said(end: str, with_details: bool, is_careful: bool) -> str:
    """Return all that a record says of an end, in one text."""
    names = (*IDENTITY, *DETAILS) if with_details else IDENTITY
    said = _joined([f"COALESCE(r.{end}_{name}, '')" for name in names], is_careful=is_careful)
    empty = PART_SEPARATOR * (len(IDENTITY) + len(DETAILS) - len(names))
    return said + (f" || '{empty}'" if empty else "")


def _joined(parts: Sequence[str], *, is_careful: bool) -> str:
    if is_careful:
        parts = [
            f"REPLACE(REPLACE({part}, '{PART_SEPARATOR}', '{REPLACED}'),"
            f" '{END_SEPARATOR}', '{REPLACED}')"
            for part in parts
        ]
    return f" || '{PART_SEPARATOR}' || ".join(parts)


def _header(header: HeaderBytes) -> str:
    """Return the IPv4 header bytes of a packet by protocol number (IANA: TCP 6, UDP 17, ICMP 1)."""
    return (
        f"CASE r.protocol WHEN 6 THEN {header.tcp} WHEN 17 THEN {header.udp}"
        f" WHEN 1 THEN {header.icmp} WHEN 58 THEN {header.icmp} ELSE {header.other} END"
    )


_REST = (
    "f.start_minute, f.offset_us, f.duration_us, f.payload_bytes, f.packet_count, f.wire_bytes,"
    " f.rtt_us, f.ports, f.entry, f.flow, f.configuration, f.drop_reason"
)

RESOLVED = f"""
SELECT
  {keys.make_report("n.src_node", "n.dst_node", keys.side_of("f.report"))} AS report,
  CASE
    WHEN n.src_node IS NULL OR n.dst_node IS NULL THEN {BAD_ADDRESS}
    ELSE f.fault - {UNMET}
  END AS fault,
  f.is_kept AS is_kept,
  f.start_minute AS start_minute,
  f.offset_us AS offset_us,
  f.duration_us AS duration_us,
  f.payload_bytes AS payload_bytes,
  f.packet_count AS packet_count,
  f.wire_bytes + f.packet_count * n.header_extra AS wire_bytes,
  f.rtt_us AS rtt_us,
  f.ports AS ports,
  f.entry AS entry,
  f.flow AS flow,
  f.configuration AS configuration,
  f.drop_reason AS drop_reason,
  CAST(NULL AS VARCHAR) AS note,
  f.day_part AS day_part
FROM staged AS f
JOIN fresh AS n ON n.note = f.note
WHERE f.fault >= {UNMET}
"""
"""The records between ends that were not known before, now that `fresh` numbers them.

`header_extra` of `fresh` is what the first statement could not know of the sender.
"""

ENDPOINTS = """
SELECT i.address AS address, i.project AS project, i.name AS name, i.node AS node,
  n.logs_sent AS logs_sent, n.logs_received AS logs_received, n.header_extra AS header_extra
FROM identity AS i
LEFT JOIN node AS n ON n.node = i.node
"""
"""Every identity met so far with what is known of its node; one that is no address has none."""

UNKNOWN_MACHINES = f"""
SELECT e.address AS address, e.project AS project, e.name AS name,
  {", ".join(f"MAX(e.{name}) AS {name}" for name in DETAILS)}
FROM (
  SELECT {", ".join(f"src_{name} AS {name}" for name in (*IDENTITY, *DETAILS))} FROM flow_record
  UNION ALL
  SELECT {", ".join(f"dst_{name} AS {name}" for name in (*IDENTITY, *DETAILS))} FROM flow_record
) AS e
JOIN unknown_machine AS w ON w.project = e.project AND w.name = e.name
GROUP BY e.address, e.project, e.name
"""
"""What the records say of named machines that the inventory does not have."""

NEW_NOTES = f"SELECT DISTINCT note FROM staged WHERE fault >= {UNMET}"

_HOLDER_SRC = f"COALESCE(s.node, {keys.src_of('f.report')})"
_HOLDER_DST = f"COALESCE(d.node, {keys.dst_of('f.report')})"

FIRST_MINUTE = f"SELECT MIN(start_minute) AS first_minute FROM staged WHERE fault <= {DROPPED}"

OF_THE_TIME = f"""
SELECT
  {keys.make_report(_HOLDER_SRC, _HOLDER_DST, keys.side_of("f.report"))} AS report,
  f.fault,
  CASE WHEN s.node IS NOT NULL OR d.node IS NOT NULL THEN 1 ELSE f.is_kept END AS is_kept,
  {_REST}, f.note, f.day_part
FROM staged AS f
LEFT JOIN earlier AS s
  ON s.later_node = {keys.src_of("f.report")} AND f.start_minute >= s.first_minute
  AND f.start_minute < s.until_minute
LEFT JOIN earlier AS d
  ON d.later_node = {keys.dst_of("f.report")} AND f.start_minute >= d.first_minute
  AND f.start_minute < d.until_minute
"""
"""Staged records with the holders of their time, where an address had another one earlier.

Whether the later holder logs does not tell whose report of the earlier one counts: both are kept.
"""
