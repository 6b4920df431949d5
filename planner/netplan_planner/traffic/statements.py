"""The queries from flow records to series, written once for every engine.

Each is a SELECT in the subset of SQL that means the same on DuckDB, BigQuery and Spark once sqlglot
has translated it (docs/adr/0003-portable-sql.md): no timestamps, no quantile aggregate, no JSON, no
hash, no ordered collection, no division but of whole numbers (`//`, `%`, of what is not negative),
COALESCE before a comparison, ranks by ROW_NUMBER, sums of whole numbers only. The tables are made
by the engine; `ingest.py` says what each holds.
"""

from collections.abc import Sequence

from netplan_planner.model import Reporter
from netplan_planner.traffic.options import HeaderBytes
from netplan_planner.traffic.records import DETAILS, END_SEPARATOR, IDENTITY, PART_SEPARATOR

MS_PER_MINUTE = 60_000
MINUTES_PER_DAY = 1440

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

FIRST_MS = 946_684_800_000
"""2000-01-01: no flow is older, and every minute since then fits the columns."""
LAST_MS = 4_102_444_800_000
"""2100-01-01."""

PORT_BASE = 65_537
"""Ports are stored with one added, so that 0 means none."""

NO_PORTS_MS = 1000
"""The rate of a single record is over a second at least: a shorter burst says nothing."""

_STAGED = (
    "side, fault, start_minute, offset_ms, duration_ms, payload_bytes, packet_count, header_bytes,"
    " rtt_us, ports"
)


def staged(
    *,
    header: HeaderBytes,
    max_minutes: int,
    max_bytes_per_minute: int,
    flow_bytes_per_ms: int,
    since_ms: int = FIRST_MS,
    until_ms: int = LAST_MS,
    takes_names: bool = False,
) -> str:
    """Return flow records judged, with numbers for ends; `flow_record` joined with `endpoint`.

    Of several faults the first one counts.

    `note` is NULL for a good record between known ends; the file for a faulty one; else what the
    record says of both ends.
    """
    duration = "r.end_ms - r.start_ms"
    minutes = f"({duration}) // {MS_PER_MINUTE} + 1"
    good = f"r.fault <= {DROPPED}"
    heavy = (
        f"r.payload_bytes >= {flow_bytes_per_ms} * GREATEST(r.end_ms - r.start_ms, {NO_PORTS_MS})"
    )
    ports = (
        f"(COALESCE(r.protocol, 0) * {PORT_BASE} + COALESCE(r.src_port + 1, 0)) * {PORT_BASE}"
        " + COALESCE(r.dst_port + 1, 0)"
    )
    return f"""
SELECT
  r.src_node AS src_node,
  r.dst_node AS dst_node,
  r.side AS side,
  r.fault AS fault,
  CASE WHEN {good} THEN r.start_ms // {MS_PER_MINUTE} END AS start_minute,
  CASE WHEN {good} THEN r.start_ms % {MS_PER_MINUTE} END AS offset_ms,
  CASE WHEN {good} THEN r.end_ms - r.start_ms END AS duration_ms,
  CASE WHEN {good} THEN r.payload_bytes END AS payload_bytes,
  CASE WHEN {good} THEN COALESCE(r.packet_count, 0) END AS packet_count,
  CASE WHEN r.packet_count IS NULL THEN 0 ELSE {_header(header)} END AS header_bytes,
  CASE WHEN r.fault = {OK} AND r.rtt_us > 0 AND r.rtt_us < 2000000000 THEN r.rtt_us END AS rtt_us,
  CASE WHEN r.fault = {OK} AND {heavy} THEN {ports} END AS ports,
  CASE
    WHEN r.fault > {DROPPED} THEN r.source_name
    WHEN r.src_node IS NULL OR r.dst_node IS NULL
      THEN {_said("src")} || CHR({ord(END_SEPARATOR)}) || {_said("dst")}
  END AS note
FROM (
SELECT
  r.*, s.node AS src_node, d.node AS dst_node,
  CASE
    WHEN r.shape > {DROPPED} THEN r.shape
    WHEN s.node IS NULL AND NOT {_is_address("src", takes_names)} THEN {BAD_ADDRESS}
    WHEN d.node IS NULL AND NOT {_is_address("dst", takes_names)} THEN {BAD_ADDRESS}
    ELSE r.shape
  END AS fault
FROM (
  SELECT
    r.*,
    CASE
      WHEN NOT r.is_entry THEN {NOT_AN_ENTRY}
      WHEN r.is_other_log THEN {OTHER_LOG}
      WHEN r.src_address IS NULL OR r.dst_address IS NULL THEN {NO_ADDRESS}
      WHEN r.start_ms IS NULL OR r.end_ms IS NULL THEN {NO_TIME}
      WHEN r.side IS NULL THEN {NO_REPORTER}
      WHEN r.payload_bytes IS NULL THEN {NO_COUNT}
      WHEN r.payload_bytes < 0 OR COALESCE(r.packet_count, 0) < 0 THEN {NEGATIVE}
      WHEN r.end_ms < r.start_ms THEN {ENDS_BEFORE_START}
      WHEN r.start_ms < {FIRST_MS} OR r.end_ms >= {LAST_MS} THEN {ABSURD_TIME}
      WHEN {duration} > {max_minutes * MS_PER_MINUTE} THEN {TOO_LONG}
      WHEN r.payload_bytes // {max_bytes_per_minute} >= {minutes}
        OR COALESCE(r.packet_count, 0) // {max_bytes_per_minute} >= {minutes} THEN {ABSURD_COUNT}
      WHEN r.start_ms < {since_ms} OR r.start_ms >= {until_ms} THEN {OUTSIDE_WINDOW}
      WHEN r.is_dropped THEN {DROPPED}
      ELSE {OK}
    END AS shape
  FROM flow_record AS r
) AS r
LEFT JOIN endpoint AS s
  ON s.address = r.src_address
  AND s.project IS NOT DISTINCT FROM r.src_project
  AND s.vm IS NOT DISTINCT FROM r.src_vm
  AND s.tag IS NOT DISTINCT FROM r.src_tag
LEFT JOIN endpoint AS d
  ON d.address = r.dst_address
  AND d.project IS NOT DISTINCT FROM r.dst_project
  AND d.vm IS NOT DISTINCT FROM r.dst_vm
  AND d.tag IS NOT DISTINCT FROM r.dst_tag
) AS r
"""


def _is_address(end: str, takes_names: bool) -> str:
    """Return whether an end can be an address; only asked of those not met before."""
    if takes_names:
        return "true"
    return f"REGEXP_MATCHES(r.{end}_address, '^[0-9A-Fa-f:.]+$')"


def _said(end: str) -> str:
    """Return all that a record says of an end, in one text."""
    parts = (f"COALESCE(r.{end}_{name}, '')" for name in (*IDENTITY, *DETAILS))
    return f" || CHR({ord(PART_SEPARATOR)}) || ".join(parts)


def _header(header: HeaderBytes) -> str:
    """Return the IPv4 header bytes of a packet by protocol number (IANA: TCP 6, UDP 17, ICMP 1)."""
    return (
        f"CASE r.protocol WHEN 6 THEN {header.tcp} WHEN 17 THEN {header.udp}"
        f" WHEN 1 THEN {header.icmp} WHEN 58 THEN {header.icmp} ELSE {header.other} END"
    )


RESOLVED = f"""
SELECT
  n.src_node AS src_node,
  n.dst_node AS dst_node,
  f.side AS side,
  CASE WHEN n.src_node IS NULL OR n.dst_node IS NULL THEN {BAD_ADDRESS} ELSE f.fault END AS fault,
  f.start_minute AS start_minute,
  f.offset_ms AS offset_ms,
  f.duration_ms AS duration_ms,
  f.payload_bytes AS payload_bytes,
  f.packet_count AS packet_count,
  f.header_bytes AS header_bytes,
  f.rtt_us AS rtt_us,
  f.ports AS ports,
  CAST(NULL AS VARCHAR) AS note
FROM staged AS f
JOIN fresh AS n ON n.note = f.note
WHERE f.fault <= {DROPPED}
"""
"""The records between ends that were not known before, now that `fresh` numbers them."""

STRANGERS = f"""
SELECT e.address AS address, e.project AS project, e.vm AS vm, e.tag AS tag,
  {", ".join(f"MAX(e.{name}) AS {name}" for name in DETAILS)}
FROM (
  SELECT {", ".join(f"src_{name} AS {name}" for name in (*IDENTITY, *DETAILS))} FROM flow_record
  UNION ALL
  SELECT {", ".join(f"dst_{name} AS {name}" for name in (*IDENTITY, *DETAILS))} FROM flow_record
) AS e
JOIN stranger AS w ON w.project = e.project AND w.vm = e.vm
GROUP BY e.address, e.project, e.vm, e.tag
"""
"""What the records say of named machines that the inventory does not have."""

NEW_NOTES = f"SELECT DISTINCT note FROM staged WHERE fault <= {DROPPED} AND note IS NOT NULL"

OF_THE_TIME = f"""
SELECT
  COALESCE(s.node, f.src_node) AS src_node,
  COALESCE(d.node, f.dst_node) AS dst_node,
  {_STAGED},
  note
FROM staged AS f
LEFT JOIN earlier AS s
  ON s.later_node = f.src_node AND f.start_minute >= s.first_minute
  AND f.start_minute < s.until_minute
LEFT JOIN earlier AS d
  ON d.later_node = f.dst_node AND f.start_minute >= d.first_minute
  AND f.start_minute < d.until_minute
"""
"""Staged records with the holders of their time, where an address had another one earlier."""

FAULTS = f"""
SELECT fault, note AS source_name, COUNT(*) AS records
FROM staged WHERE fault > {DROPPED} GROUP BY fault, note
"""

FAULT_COUNTS = """
SELECT fault, source_name, SUM(records) AS records FROM fault GROUP BY fault, source_name
"""

FAULTY = f"""
SELECT fault, note FROM staged WHERE fault > {DROPPED}
ORDER BY COALESCE(TRY_CAST(note AS BIGINT), 0), fault
"""
"""Left-out records of a numbered piece of a file, in order."""

ACTIVITY = f"""
SELECT
  start_minute,
  MAX(start_minute + (offset_ms + GREATEST(duration_ms, 1) - 1) // {MS_PER_MINUTE}) AS last_minute,
  SUM(CASE WHEN fault = {OK} THEN 1 ELSE 0 END) AS records,
  SUM(CASE WHEN fault = {DROPPED} THEN 1 ELSE 0 END) AS dropped_records,
  SUM(CASE WHEN header_bytes = 0 THEN 1 ELSE 0 END) AS records_without_packets
FROM staged WHERE fault <= {DROPPED} AND note IS NULL GROUP BY start_minute
"""
"""By start minute: the last minute that a record covers, and how many there are."""

REPORTING = f"""
SELECT DISTINCT side, CASE WHEN side = 0 THEN src_node ELSE dst_node END AS node
FROM staged
WHERE side <= 1 AND fault <= {DROPPED} AND src_node IS NOT NULL AND dst_node IS NOT NULL
"""
"""The ends that report what they send (side 0) or receive (side 1)."""

_ENDS = """
  FROM staged AS f
  JOIN node AS s ON s.node = f.src_node
  JOIN node AS d ON d.node = f.dst_node
"""
_WIRE = "f.payload_bytes + f.packet_count * (f.header_bytes + s.header_extra)"


def _is_kept(reporter: Reporter) -> str:
    """Return which reports may count, as far as is known while reading; routes decide in the end.

    Once a sender is known to log, the others' reports of it are not kept by the minute.
    """
    if reporter is Reporter.SOURCE:
        return "(f.side = 0 OR s.logs_sent = 0)"
    if reporter is Reporter.DESTINATION:
        return "(f.side = 1 OR d.logs_received = 0)"
    return "f.side >= 0"


def minutes(reporter: Reporter, *, by_ports: bool = False) -> str:
    """Return the wire bytes of each pair, reporter and minute, spread over what a record covers.

    A record's bytes up to a moment are `floor(bytes * elapsed / duration)`, so that the minutes'
    shares are whole numbers and add up to the record's bytes exactly. The product is taken in two
    parts, which keeps it within 64 bits.
    """
    ports = "ports, " if by_ports else ""
    heavy = " AND f.ports IS NOT NULL" if by_ports else ""
    where = f"WHERE f.fault = {OK} AND {_is_kept(reporter)}{heavy}"
    end = "f.offset_ms + f.duration_ms"

    def until(position: str) -> str:
        elapsed = f"LEAST(GREATEST(({position}) * {MS_PER_MINUTE} - f.offset_ms, 0), f.duration_ms)"
        return (
            f"((f.wire // f.duration_ms) * {elapsed}"
            f" + ((f.wire % f.duration_ms) * {elapsed}) // f.duration_ms)"
        )

    return f"""
SELECT src_node, dst_node, side, {ports}minute, SUM(wire) AS wire
FROM (
  SELECT f.src_node, f.dst_node, f.side, {ports}f.start_minute AS minute, {_WIRE} AS wire
  {_ENDS}
  {where} AND {end} <= {MS_PER_MINUTE}
  UNION ALL
  SELECT f.src_node, f.dst_node, f.side, {ports}f.start_minute + p.position AS minute,
    {until("p.position + 1")} - {until("p.position")} AS wire
  FROM (
    SELECT f.src_node, f.dst_node, f.side, {ports}f.start_minute, f.offset_ms, f.duration_ms,
      {_WIRE} AS wire, ({end} - 1) // {MS_PER_MINUTE} AS span
    {_ENDS}
    {where} AND {end} > {MS_PER_MINUTE}
  ) AS f
  JOIN span_position AS p ON p.span = f.span
) AS shares
GROUP BY src_node, dst_node, side, {ports}minute
"""


SPAN_POSITIONS = f"""
SELECT s.span AS span, p.position AS position
FROM (
  SELECT DISTINCT (offset_ms + duration_ms - 1) // {MS_PER_MINUTE} AS span
  FROM staged WHERE fault = {OK} AND offset_ms + duration_ms > {MS_PER_MINUTE}
) AS s
JOIN minute_position AS p ON p.position <= s.span
"""
"""Which minutes after its first a record of each span reaches into."""

TOTALS = f"""
SELECT
  f.src_node, f.dst_node, f.side, f.start_minute // {MINUTES_PER_DAY} AS day,
  SUM(CASE WHEN f.fault = {OK} THEN f.payload_bytes ELSE 0 END) AS payload_bytes,
  SUM(CASE WHEN f.fault = {OK} THEN f.packet_count ELSE 0 END) AS packet_count,
  SUM(CASE WHEN f.fault = {OK} THEN f.packet_count * (f.header_bytes + s.header_extra) ELSE 0 END)
    AS header_bytes,
  SUM(CASE WHEN f.fault = {OK} THEN 1 ELSE 0 END) AS records,
  SUM(CASE WHEN f.fault = {OK} AND f.duration_ms > {MS_PER_MINUTE} THEN f.payload_bytes ELSE 0 END)
    AS coarse_bytes,
  SUM(CASE WHEN f.fault = {DROPPED} THEN f.payload_bytes ELSE 0 END) AS dropped_bytes,
  SUM(CASE WHEN f.fault = {DROPPED} THEN f.packet_count ELSE 0 END) AS dropped_packets
{_ENDS}
WHERE f.fault <= {DROPPED}
GROUP BY f.src_node, f.dst_node, f.side, f.start_minute // {MINUTES_PER_DAY}
"""

_RTT_STEPS = ((1_000, 1), (10_000, 10), (100_000, 100), (1_000_000, 1_000), (10_000_000, 10_000))


def _rounded_rtt() -> str:
    """Return a round-trip time of three digits, so that jitter does not make one group a record."""
    cases = " ".join(
        f"WHEN rtt_us < {limit} THEN (rtt_us + {step // 2}) // {step} * {step}"
        for limit, step in _RTT_STEPS
    )
    return f"CASE {cases} ELSE rtt_us // 100000 * 100000 END"


ROUND_TRIPS = f"""
SELECT src_node, dst_node, side, day, rtt_us, COUNT(*) AS records
FROM (
  SELECT src_node, dst_node, side, start_minute // {MINUTES_PER_DAY} AS day,
    {_rounded_rtt()} AS rtt_us
  FROM staged
  WHERE fault = {OK} AND rtt_us IS NOT NULL AND src_node IS NOT NULL AND dst_node IS NOT NULL
) AS f
GROUP BY src_node, dst_node, side, day, rtt_us
"""

PAIRS = """
SELECT src_node, dst_node,
  MAX(CASE WHEN side = 0 THEN 1 ELSE 0 END) AS by_source,
  MAX(CASE WHEN side = 1 THEN 1 ELSE 0 END) AS by_destination,
  MAX(CASE WHEN side = 2 THEN 1 ELSE 0 END) AS by_source_gateway,
  MAX(CASE WHEN side = 3 THEN 1 ELSE 0 END) AS by_destination_gateway
FROM pair_total GROUP BY src_node, dst_node
"""
"""Every pair of ends, and who reports it."""

_BULK_DAY = f"LEFT JOIN skewed_day AS k ON k.day = m.minute // {MINUTES_PER_DAY}"

EDGE_MINUTES = f"""
SELECT r.edge AS edge, m.minute AS minute, SUM(m.wire * r.weight) AS wire
FROM pair_minute AS m
JOIN route AS r ON r.src_node = m.src_node AND r.dst_node = m.dst_node AND r.side = m.side
{_BULK_DAY}
WHERE r.weight > 0 AND k.day IS NULL AND m.wire > 0
GROUP BY r.edge, m.minute
"""

EDGE_TOTALS = """
SELECT
  r.edge AS edge,
  SUM(t.payload_bytes * r.weight) AS payload_bytes,
  SUM(t.header_bytes * r.weight) AS header_bytes,
  SUM(t.packet_count * r.weight) AS packet_count,
  SUM(CASE WHEN r.weight > 0 THEN t.records ELSE 0 END) AS records,
  SUM(t.coarse_bytes * r.weight) AS coarse_bytes,
  SUM(CASE WHEN r.side = 1 OR r.side = 3 THEN t.payload_bytes * r.weight ELSE 0 END)
    AS by_destination_bytes,
  SUM(CASE WHEN r.is_other = 1 THEN t.payload_bytes ELSE 0 END) AS other_side_bytes,
  SUM(CASE WHEN r.is_other = 1 THEN t.records ELSE 0 END) AS other_side_records,
  SUM(t.dropped_bytes) AS dropped_bytes,
  SUM(t.dropped_packets) AS dropped_packets
FROM pair_total AS t
JOIN route AS r ON r.src_node = t.src_node AND r.dst_node = t.dst_node AND r.side = t.side
LEFT JOIN skewed_day AS k ON k.day = t.day
WHERE k.day IS NULL
GROUP BY r.edge
"""

EDGE_ROUND_TRIPS = """
SELECT edge,
  MIN(CASE WHEN so_far >= (whole + 1) // 2 THEN rtt_us END) AS low_rtt_us,
  MIN(CASE WHEN so_far >= whole // 2 + 1 THEN rtt_us END) AS high_rtt_us
FROM (
  SELECT edge, rtt_us,
    SUM(records) OVER (PARTITION BY edge ORDER BY rtt_us ROWS UNBOUNDED PRECEDING) AS so_far,
    SUM(records) OVER (PARTITION BY edge) AS whole
  FROM (
    SELECT r.edge AS edge, t.rtt_us AS rtt_us, SUM(t.records) AS records
    FROM pair_round_trip AS t
    JOIN route AS r ON r.src_node = t.src_node AND r.dst_node = t.dst_node AND r.side = t.side
    LEFT JOIN skewed_day AS k ON k.day = t.day
    WHERE k.day IS NULL
    GROUP BY r.edge, t.rtt_us
  ) AS by_time
) AS ranked
GROUP BY edge
"""
"""The two middle round-trip times of each edge; equal when the count is odd."""

SENT_MINUTES = """
SELECT e.src_vm AS vm, m.minute AS minute, SUM(m.wire) AS wire,
  SUM(CASE WHEN e.leaves_vpc = 1 THEN m.wire ELSE 0 END) AS outside
FROM edge_minute AS m JOIN edge AS e ON e.edge = m.edge
WHERE e.src_vm IS NOT NULL
GROUP BY e.src_vm, m.minute
"""

RECEIVED_MINUTES = """
SELECT e.dst_vm AS vm, m.minute AS minute, SUM(m.wire) AS wire
FROM edge_minute AS m JOIN edge AS e ON e.edge = m.edge
WHERE e.dst_vm IS NOT NULL
GROUP BY e.dst_vm, m.minute
"""


def ranks(table: str, key: str, value: str, percentile_ranks: Sequence[int], top: int) -> str:
    """Return each key's sum, active minutes, values at the ranks and greatest values.

    Ranks count from the greatest. Minutes without a row are idle: a rank beyond the rows is
    NULL, which the caller reads as 0.
    """
    wanted = [
        *(f"MAX(CASE WHEN position = {rank} THEN v END) AS p{i}"
          for i, rank in enumerate(percentile_ranks)),
        *(f"MAX(CASE WHEN position = {rank} THEN v END) AS top{rank}"
          for rank in range(1, top + 1)),
    ]  # fmt: skip
    kept = ", ".join(str(rank) for rank in sorted({*percentile_ranks, *range(1, top + 1)}))
    return f"""
SELECT t.{key}, MAX(t.whole) AS whole, MAX(t.active) AS active, {", ".join(wanted)}
FROM (
  SELECT {key}, {value} AS v,
    ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY {value} DESC) AS position,
    SUM({value}) OVER (PARTITION BY {key}) AS whole,
    COUNT(*) OVER (PARTITION BY {key}) AS active
  FROM {table} WHERE {value} > 0
) AS t
WHERE t.position IN ({kept})
GROUP BY t.{key}
"""


EDGE_FLOWS = f"""
SELECT r.edge AS edge, m.src_node AS src_node, m.dst_node AS dst_node, m.ports AS ports,
  m.minute AS minute, SUM(m.wire * r.weight) AS wire
FROM flow_minute AS m
JOIN route AS r ON r.src_node = m.src_node AND r.dst_node = m.dst_node AND r.side = m.side
{_BULK_DAY}
WHERE r.weight > 0 AND k.day IS NULL
GROUP BY r.edge, m.src_node, m.dst_node, m.ports, m.minute
"""

TOP_FLOWS = """
SELECT f.edge, f.ports, f.whole, f.active, f.wire
FROM (
  SELECT edge, ports, whole, active, wire,
    ROW_NUMBER() OVER (PARTITION BY edge ORDER BY whole DESC, ports, active DESC, wire DESC)
      AS place
  FROM (
    SELECT edge, src_node, dst_node, ports, wire,
      SUM(wire) OVER (PARTITION BY edge, src_node, dst_node, ports) AS whole,
      COUNT(*) OVER (PARTITION BY edge, src_node, dst_node, ports) AS active,
      ROW_NUMBER() OVER (PARTITION BY edge, src_node, dst_node, ports ORDER BY wire DESC)
        AS position
    FROM edge_flow
  ) AS ranked
  WHERE position = active - (active * 95 + 99) // 100 + 1
) AS f
WHERE f.place = 1
"""
"""The greatest five-tuple of each edge, with its 95th percentile over its active minutes."""
