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

US_PER_MINUTE = 60_000_000
US_PER_MS = 1_000
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

FIRST_US = 946_684_800_000_000
"""2000-01-01: no flow is older, and every minute since then fits the columns."""
LAST_US = 4_102_444_800_000_000
"""2100-01-01."""

PORT_BASE = 65_537
"""Ports are stored with one added, so that 0 means none."""

_SHORTEST_US = 1_000_000
"""The rate of a single record is over a second at least: a shorter burst says nothing."""

_MOST_RTT_US = 2_000_000_000

_REPLACED = "\ufffd"
"""Stands for a separator in a name."""


def staged(
    *,
    reporter: Reporter,
    header: HeaderBytes,
    max_minutes: int,
    max_bytes_per_minute: int,
    flow_bytes_per_s: int,
    since_us: int = FIRST_US,
    until_us: int = LAST_US,
    takes_names: bool = False,
    with_details: bool = True,
    is_careful: bool = False,
) -> str:
    """Return flow records judged, with numbers for ends; `flow_record` joined with `endpoint`.

    Of several faults the first one counts. `note` is NULL for a good record between known ends;
    the file for a faulty one; else what the record says of both ends. `is_kept` says whether the
    report may count, see `_is_kept`. `is_careful` takes separators out of what records say.
    """
    packets = "COALESCE(r.packet_count, 0)"

    def said(end: str) -> str:
        return _said(end, with_details, is_careful)

    return f"""
SELECT
  r.src_node AS src_node,
  r.dst_node AS dst_node,
  r.side AS side,
  r.fault AS fault,
  CASE WHEN {_is_kept(reporter)} THEN 1 ELSE 0 END AS is_kept,
  r.start_minute AS start_minute,
  r.start_us - r.start_minute * {US_PER_MINUTE} AS offset_us,
  r.duration_us AS duration_us,
  r.payload_bytes AS payload_bytes,
  {packets} AS packet_count,
  CASE
    WHEN r.fault <= {DROPPED}
      THEN r.payload_bytes + {packets} * ({_header(header)} + COALESCE(r.header_extra, 0))
  END AS wire_bytes,
  CASE WHEN r.rtt_us > 0 AND r.rtt_us < {_MOST_RTT_US} THEN r.rtt_us END AS rtt_us,
  CASE
    WHEN r.payload_bytes >= {flow_bytes_per_s} AND r.fault <= {DROPPED}
      AND r.payload_bytes // {flow_bytes_per_s}
        >= GREATEST(COALESCE(r.duration_us, 0), {_SHORTEST_US}) // {_SHORTEST_US}
      THEN {_PORTS}
  END AS ports,
  CASE
    WHEN r.fault > {DROPPED} THEN r.source_name
    WHEN r.src_node IS NULL OR r.dst_node IS NULL
      THEN {said("src")} || '{END_SEPARATOR}' || {said("dst")}
  END AS note
FROM (
SELECT
  r.*, s.node AS src_node, d.node AS dst_node, s.header_extra AS header_extra,
  s.logs_sent AS logs_sent, d.logs_received AS logs_received,
  CASE WHEN r.shape <= {DROPPED} THEN r.start_us // {US_PER_MINUTE} END AS start_minute,
  CASE WHEN r.shape <= {DROPPED} THEN r.end_us - r.start_us END AS duration_us,
  CASE
    WHEN s.node IS NOT NULL AND d.node IS NOT NULL THEN r.shape
    WHEN r.shape > {DROPPED} THEN r.shape
    WHEN s.node IS NULL AND NOT {_may_be_address("s", "src", takes_names)} THEN {BAD_ADDRESS}
    WHEN d.node IS NULL AND NOT {_may_be_address("d", "dst", takes_names)} THEN {BAD_ADDRESS}
    ELSE r.shape
  END AS fault
FROM (
  SELECT
    r.*,
    CASE
      WHEN NOT r.is_entry THEN {NOT_AN_ENTRY}
      WHEN r.is_other_log THEN {OTHER_LOG}
      WHEN r.src_address IS NULL OR r.dst_address IS NULL THEN {NO_ADDRESS}
      WHEN r.start_us IS NULL OR r.end_us IS NULL THEN {NO_TIME}
      WHEN r.side IS NULL THEN {NO_REPORTER}
      WHEN r.payload_bytes IS NULL THEN {NO_COUNT}
      WHEN r.payload_bytes < 0 OR {packets} < 0 THEN {NEGATIVE}
      WHEN r.end_us < r.start_us THEN {ENDS_BEFORE_START}
      WHEN r.start_us < {FIRST_US} OR r.end_us >= {LAST_US} THEN {ABSURD_TIME}
      WHEN r.end_us - r.start_us > {max_minutes * US_PER_MINUTE} THEN {TOO_LONG}
      WHEN {_is_absurd("r.payload_bytes", max_bytes_per_minute)}
        OR {_is_absurd(packets, max_bytes_per_minute)} THEN {ABSURD_COUNT}
      WHEN r.start_us < {since_us} OR r.start_us >= {until_us} THEN {OUTSIDE_WINDOW}
      WHEN r.is_dropped THEN {DROPPED}
      ELSE {OK}
    END AS shape
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


_PORTS = (
    f"(COALESCE(r.protocol, 0) * {PORT_BASE} + COALESCE(r.src_port + 1, 0)) * {PORT_BASE}"
    " + COALESCE(r.dst_port + 1, 0)"
)


def _is_absurd(count: str, max_per_minute: int) -> str:
    """Return whether a count is beyond every machine; most rows are spared the divisions."""
    minutes = f"((r.end_us - r.start_us) // {US_PER_MINUTE} + 1)"
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
    looks_so = f"REGEXP_MATCHES(r.{end}_address, '^[0-9A-Fa-f:.]+$')"
    return f"({endpoint}.address IS NULL AND {looks_so})"


def _said(end: str, with_details: bool, is_careful: bool) -> str:
    """Return all that a record says of an end, in one text."""
    names = (*IDENTITY, *DETAILS) if with_details else IDENTITY
    parts = (f"COALESCE(r.{end}_{name}, '')" for name in names)
    if is_careful:
        parts = (
            f"REPLACE(REPLACE({part}, '{PART_SEPARATOR}', '{_REPLACED}'),"
            f" '{END_SEPARATOR}', '{_REPLACED}')"
            for part in parts
        )
    empty = PART_SEPARATOR * (len(IDENTITY) + len(DETAILS) - len(names))
    return f" || '{PART_SEPARATOR}' || ".join(parts) + (f" || '{empty}'" if empty else "")


def _header(header: HeaderBytes) -> str:
    """Return the IPv4 header bytes of a packet by protocol number (IANA: TCP 6, UDP 17, ICMP 1)."""
    return (
        f"CASE r.protocol WHEN 6 THEN {header.tcp} WHEN 17 THEN {header.udp}"
        f" WHEN 1 THEN {header.icmp} WHEN 58 THEN {header.icmp} ELSE {header.other} END"
    )


_REST = (
    "f.start_minute, f.offset_us, f.duration_us, f.payload_bytes, f.packet_count, f.wire_bytes,"
    " f.rtt_us, f.ports"
)

RESOLVED = f"""
SELECT
  n.src_node AS src_node,
  n.dst_node AS dst_node,
  f.side AS side,
  CASE WHEN n.src_node IS NULL OR n.dst_node IS NULL THEN {BAD_ADDRESS} ELSE f.fault END AS fault,
  f.is_kept AS is_kept,
  f.start_minute AS start_minute,
  f.offset_us AS offset_us,
  f.duration_us AS duration_us,
  f.payload_bytes AS payload_bytes,
  f.packet_count AS packet_count,
  f.wire_bytes + f.packet_count * n.header_extra AS wire_bytes,
  f.rtt_us AS rtt_us,
  f.ports AS ports,
  CAST(NULL AS VARCHAR) AS note
FROM staged AS f
JOIN fresh AS n ON n.note = f.note
WHERE f.fault <= {DROPPED}
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

STRANGERS = f"""
SELECT e.address AS address, e.project AS project, e.name AS name,
  {", ".join(f"MAX(e.{name}) AS {name}" for name in DETAILS)}
FROM (
  SELECT {", ".join(f"src_{name} AS {name}" for name in (*IDENTITY, *DETAILS))} FROM flow_record
  UNION ALL
  SELECT {", ".join(f"dst_{name} AS {name}" for name in (*IDENTITY, *DETAILS))} FROM flow_record
) AS e
JOIN stranger AS w ON w.project = e.project AND w.name = e.name
GROUP BY e.address, e.project, e.name
"""
"""What the records say of named machines that the inventory does not have."""

NEW_NOTES = f"SELECT DISTINCT note FROM staged WHERE fault <= {DROPPED} AND note IS NOT NULL"

OF_THE_TIME = f"""
SELECT
  COALESCE(s.node, f.src_node) AS src_node,
  COALESCE(d.node, f.dst_node) AS dst_node,
  f.side, f.fault,
  CASE WHEN s.node IS NOT NULL OR d.node IS NOT NULL THEN 1 ELSE f.is_kept END AS is_kept,
  {_REST}, f.note
FROM staged AS f
LEFT JOIN earlier AS s
  ON s.later_node = f.src_node AND f.start_minute >= s.first_minute
  AND f.start_minute < s.until_minute
LEFT JOIN earlier AS d
  ON d.later_node = f.dst_node AND f.start_minute >= d.first_minute
  AND f.start_minute < d.until_minute
"""
"""Staged records with the holders of their time, where an address had another one earlier.

Whether the later holder logs does not tell whose report of the earlier one counts: both are kept.
"""

FAULTS = f"""
SELECT fault, note AS source_name, COUNT(*) AS records
FROM staged WHERE fault > {DROPPED} GROUP BY fault, note
"""

FAULT_COUNTS = """
SELECT f.fault, f.source_name, SUM(f.records) AS records
FROM fault AS f GROUP BY f.fault, f.source_name
"""

FAULTY = f"""
SELECT fault, note FROM staged WHERE fault > {DROPPED}
ORDER BY COALESCE(TRY_CAST(note AS BIGINT), 0), fault
"""
"""Left-out records of a numbered piece of a file, in order."""

_GOOD = f"fault = {OK} AND note IS NULL"

ACTIVITY = f"""
SELECT
  start_minute,
  MAX(start_minute + (offset_us + GREATEST(duration_us, 1) - 1) // {US_PER_MINUTE}) AS last_minute,
  SUM(CASE WHEN fault = {OK} THEN 1 ELSE 0 END) AS records,
  SUM(CASE WHEN fault = {DROPPED} THEN 1 ELSE 0 END) AS dropped_records,
  SUM(CASE WHEN packet_count = 0 AND payload_bytes > 0 THEN 1 ELSE 0 END)
    AS records_without_packets
FROM staged WHERE fault <= {DROPPED} AND note IS NULL GROUP BY start_minute
"""
"""By start minute: the last minute that a record covers, and how many there are."""

REPORTING = f"""
SELECT DISTINCT side, CASE WHEN side = 0 THEN src_node ELSE dst_node END AS node
FROM staged
WHERE side <= 1 AND fault <= {DROPPED} AND note IS NULL
"""
"""The ends that report what they send (side 0) or receive (side 1)."""


def minutes(first: int, until: int, *, by_ports: bool = False) -> str:
    """Return the wire bytes of each pair, reporter and minute, spread over what a record covers.

    A record's bytes up to a moment are `floor(bytes * elapsed / duration)`, in milliseconds, so
    that the minutes' shares are whole numbers and add up to the record's bytes exactly. The
    product is taken in two parts, which keeps it within 64 bits.

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

    def share(position: str) -> str:
        elapsed = f"LEAST(GREATEST(({position}) * {MS_PER_MINUTE} - f.offset_ms, 0), f.duration_ms)"
        return (
            f"((f.wire_bytes // f.duration_ms) * {elapsed}"
            f" + ((f.wire_bytes % f.duration_ms) * {elapsed}) // f.duration_ms)"
        )

    return f"""
SELECT src_node, dst_node, side, {ports}minute, SUM(wire) AS wire
FROM (
  SELECT src_node, dst_node, side, {ports}start_minute AS minute, wire_bytes AS wire
  FROM staged
  {where} AND offset_us + duration_us <= {US_PER_MINUTE}
  UNION ALL
  SELECT f.src_node, f.dst_node, f.side, {ports}f.start_minute + p.position AS minute,
    {share("p.position + 1")} - {share("p.position")} AS wire
  FROM (
    SELECT src_node, dst_node, side, {ports}start_minute, wire_bytes,
      offset_us // {US_PER_MS} AS offset_ms,
      GREATEST((offset_us + duration_us) // {US_PER_MS} - offset_us // {US_PER_MS}, 1)
        AS duration_ms,
      (offset_us + duration_us - 1) // {US_PER_MINUTE} AS span
    FROM staged
    {where} AND offset_us + duration_us > {US_PER_MINUTE}
  ) AS f
  JOIN span_position AS p ON p.span = f.span
) AS shares
GROUP BY src_node, dst_node, side, {ports}minute
"""


SPAN_POSITIONS = f"""
SELECT s.span AS span, p.position AS position
FROM (
  SELECT DISTINCT (offset_us + duration_us - 1) // {US_PER_MINUTE} AS span
  FROM staged WHERE {_GOOD} AND offset_us + duration_us > {US_PER_MINUTE}
) AS s
JOIN minute_position AS p ON p.position <= s.span
"""
"""Which minutes after its first a record of each span reaches into."""

_PAIR_DAY = f"src_node, dst_node, side, start_minute // {MINUTES_PER_DAY}"

TOTALS = f"""
SELECT src_node, dst_node, side, start_minute // {MINUTES_PER_DAY} AS day,
  SUM(payload_bytes) AS payload_bytes, SUM(packet_count) AS packet_count,
  SUM(wire_bytes) AS wire_bytes, COUNT(*) AS records
FROM staged WHERE {_GOOD} GROUP BY {_PAIR_DAY}
"""

COARSE = f"""
SELECT src_node, dst_node, side, start_minute // {MINUTES_PER_DAY} AS day,
  SUM(payload_bytes) AS payload_bytes
FROM staged WHERE {_GOOD} AND duration_us > {US_PER_MINUTE} GROUP BY {_PAIR_DAY}
"""
"""Payload of records that cover more than a minute."""

DROPS = f"""
SELECT src_node, dst_node, side, start_minute // {MINUTES_PER_DAY} AS day,
  SUM(payload_bytes) AS payload_bytes, SUM(packet_count) AS packet_count
FROM staged WHERE fault = {DROPPED} AND note IS NULL GROUP BY {_PAIR_DAY}
"""

_RTT_STEPS = tuple((10**digits * 10, 10**digits) for digits in range(1, 9))


def _rtt_step() -> str:
    """Return a round-trip time's step of the scale: its first two digits.

    Jitter would else make one group of almost every record.
    """
    cases = " ".join(f"WHEN rtt_us < {limit} THEN rtt_us // {s} * {s}" for limit, s in _RTT_STEPS)
    return f"CASE WHEN rtt_us < 10 THEN rtt_us {cases} ELSE {_MOST_RTT_US} END"


ROUND_TRIPS = f"""
SELECT src_node, dst_node, side, day, step, SUM(rtt_us) AS rtt_us, COUNT(*) AS records
FROM (
  SELECT src_node, dst_node, side, start_minute // {MINUTES_PER_DAY} AS day, rtt_us,
    {_rtt_step()} AS step
  FROM staged
  WHERE {_GOOD} AND is_kept = 1 AND rtt_us IS NOT NULL
) AS f
GROUP BY src_node, dst_node, side, day, step
"""

PAIRS = """
SELECT src_node, dst_node,
  MAX(CASE WHEN side = 0 THEN 1 ELSE 0 END) AS by_source,
  MAX(CASE WHEN side = 1 THEN 1 ELSE 0 END) AS by_destination,
  MAX(CASE WHEN side = 2 THEN 1 ELSE 0 END) AS by_source_gateway,
  MAX(CASE WHEN side = 3 THEN 1 ELSE 0 END) AS by_destination_gateway
FROM (
  SELECT src_node, dst_node, side FROM pair_total
  UNION ALL
  SELECT src_node, dst_node, CAST(NULL AS BIGINT) AS side FROM pair_dropped
) AS reported GROUP BY src_node, dst_node
"""
"""Every pair of ends, and who reports it; nobody when all its packets were dropped."""

_WEIGHT = (
    "CASE m.side WHEN 0 THEN r.by_source WHEN 1 THEN r.by_destination"
    " WHEN 2 THEN r.by_source_gateway ELSE r.by_destination_gateway END"
)
_IS_OTHER = f"(({_WEIGHT}) = 0 OR (r.by_source > 0 AND m.side = 1))"
"""Whether a report tells the other side: it does not count, or it is the second of an average."""

_ROUTE = "JOIN route AS r ON r.src_node = m.src_node AND r.dst_node = m.dst_node"
_MINUTE_DAY = f"LEFT JOIN skewed_day AS k ON k.day = m.minute // {MINUTES_PER_DAY}"
_DAY = "LEFT JOIN skewed_day AS k ON k.day = m.day"


def edge_minutes(first: int, until: int) -> str:
    """Return the wire bytes of each edge and minute in a slice of time, idle minutes left out."""
    return f"""
SELECT w.edge AS edge, w.minute AS minute, SUM(w.wire) AS wire
FROM (
  SELECT r.edge AS edge, m.minute AS minute, m.wire * ({_WEIGHT}) AS wire
  FROM pair_minute AS m
  {_ROUTE}
  {_MINUTE_DAY}
  WHERE k.day IS NULL AND m.minute >= {first} AND m.minute < {until}
) AS w
WHERE w.wire > 0
GROUP BY w.edge, w.minute
"""


EDGE_TOTALS = f"""
SELECT
  w.edge AS edge,
  SUM(w.payload_bytes * w.weight) AS payload_bytes,
  SUM(w.wire_bytes * w.weight) AS wire_bytes,
  SUM(w.packet_count * w.weight) AS packet_count,
  SUM(CASE WHEN w.weight > 0 THEN w.records ELSE 0 END) AS records,
  SUM(CASE WHEN w.side = 1 OR w.side = 3 THEN w.payload_bytes * w.weight ELSE 0 END)
    AS by_destination_bytes,
  SUM(CASE WHEN w.is_other THEN w.payload_bytes ELSE 0 END) AS other_side_bytes,
  SUM(CASE WHEN w.is_other THEN w.records ELSE 0 END) AS other_side_records
FROM (
  SELECT m.*, r.edge AS edge, {_WEIGHT} AS weight, {_IS_OTHER} AS is_other
  FROM pair_total AS m
  {_ROUTE}
  {_DAY}
  WHERE k.day IS NULL
) AS w
GROUP BY w.edge
"""

EDGE_COARSE = f"""
SELECT r.edge AS edge, SUM(m.payload_bytes * ({_WEIGHT})) AS payload_bytes
FROM pair_coarse AS m
{_ROUTE}
{_DAY}
WHERE k.day IS NULL
GROUP BY r.edge
"""

EDGE_DROPS = f"""
SELECT r.edge AS edge, SUM(m.payload_bytes) AS payload_bytes, SUM(m.packet_count) AS packet_count
FROM pair_dropped AS m
{_ROUTE}
{_DAY}
WHERE k.day IS NULL
GROUP BY r.edge
"""
"""What both ends dropped: the sender before, the receiver after the way."""

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
    SUM(records) OVER (PARTITION BY edge ORDER BY step NULLS FIRST ROWS UNBOUNDED PRECEDING)
      AS so_far,
    SUM(records) OVER (PARTITION BY edge) AS whole
  FROM (
    SELECT r.edge AS edge, m.step AS step, SUM(m.rtt_us) AS rtt_us, SUM(m.records) AS records
    FROM pair_round_trip AS m
    {_ROUTE}
    {_DAY}
    WHERE k.day IS NULL AND {_WEIGHT} > 0
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


def ranks(table: str, key: str, value: str, percentile_ranks: Sequence[int], top: int) -> str:
    """Return each key's values at the ranks and its greatest values.

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
SELECT t.{key}, {", ".join(wanted)}
FROM (
  SELECT {key}, {value} AS v,
    ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY {value} DESC) AS position
  FROM {table} WHERE {value} > 0
) AS t
WHERE t.position IN ({kept})
GROUP BY t.{key}
"""


def volumes(table: str, key: str, value: str) -> str:
    """Return each key's sum and number of active minutes."""
    return f"""
SELECT {key}, SUM({value}) AS whole, COUNT(*) AS active
FROM {table} WHERE {value} > 0 GROUP BY {key}
"""


EDGE_FLOWS = f"""
SELECT w.edge AS edge, w.src_node AS src_node, w.dst_node AS dst_node, w.ports AS ports,
  w.minute AS minute, SUM(w.wire) AS wire
FROM (
  SELECT m.src_node, m.dst_node, m.ports, m.minute, r.edge AS edge, m.wire * ({_WEIGHT}) AS wire
  FROM flow_minute AS m
  {_ROUTE}
  {_MINUTE_DAY}
  WHERE k.day IS NULL
) AS w
WHERE w.wire > 0
GROUP BY w.edge, w.src_node, w.dst_node, w.ports, w.minute
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
