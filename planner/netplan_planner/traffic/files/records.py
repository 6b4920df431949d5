"""The typed flow record: how each layout's fields become the columns that the statements use.

Every layout yields the same columns (`COLUMNS`), NULL where it says nothing. This is the one part
of the queries that belongs to an engine and a layout; `statements` is the same on all engines.
"""

from collections.abc import Mapping, Sequence

from netplan_planner.tables.sql import quoted
from netplan_planner.traffic.files.entries import NO_NUMBER, NO_TEXT, Fields

DETAILS = ("zone", "vpc_project", "vpc", "subnetwork", "subnetwork_region")
"""What a record says of a named machine besides project and name; wanted of unknown ones only."""

IDENTITY = ("address", "project", "name")
"""What decides who an end is: `name` is the machine's, or of an end without one its tag."""

_ENDS = tuple(f"{end}_{name}" for end in ("src", "dst") for name in (*IDENTITY, *DETAILS))
COLUMNS = (
    "is_entry",
    "is_other_log",
    "is_dropped",
    "side",
    *_ENDS,
    "protocol",
    "src_port",
    "dst_port",
    "start_us",
    "end_us",
    "payload_bytes",
    "packet_count",
    "rtt_us",
    "entry",
    "flow",
    "configuration",
    "configuration_name",
    "drop_reason",
    "source_name",
    "day_part",
)
"""Columns of a flow record.

`side` is 0 to 3 for SRC, DEST, SRC_GATEWAY and DEST_GATEWAY. `payload_bytes` and `packet_count` of
a dropped record are those dropped. `source_name` is the file. `entry` is equal for equal log
entries, see `entry_number`; `configuration` is 0 for a subnetwork's own setting, else a number of
its own for each configuration of the Network Management API, whose name is read only where wanted;
`flow` is equal for equal five-tuples, and read only where wanted;
`drop_reason` is the place in `DROP_REASONS` counted from 1, or 0. `day_part` tells where in the
day of its log an entry stands, for sums that are kept by day alone, see `statements.day_sums`.
"""

DROP_REASONS = (
    "FIREWALL_DENY",
    "NO_MATCHING_ROUTE",
    "QUEUE_OVERFLOW",
    "SPOOFED_SOURCE",
    "TOO_MANY_CONNECTIONS",
    "EARLY_DROPS_FULL_FAIR_QUEUE",
    "INVALID_L4_CHECKSUM_INTERNET",
    "INVALID_L4_CHECKSUM_INTERNAL",
    "PSC_NAT_OUT_OF_CONNECTIONS",
    "PSC_NAT_OUT_OF_PORTS",
    "another reason",
)
"""Values of `drop_reason` (docs.cloud.google.com/vpc/docs/about-flow-logs-records); the last one
stands for values that came since."""

TAG = (
    "pod",
    "kind",
    "service",
    "gateway_project",
    "gateway_location",
    "gateway",
    "continent",
    "country",
    "own_vpc_project",
    "own_vpc",
    "own_subnetwork_project",
    "own_subnetwork_region",
    "own_subnetwork",
)
"""Parts of a tag, in order, joined by `TAG_SEPARATOR`; an empty part says nothing.

`own_…` is the network in which the record was made; `kind` comes from plain tables. After the name
of a machine `TAG_SEPARATOR` and `POD` say that the end is a pod.
"""

TAG_SEPARATOR = "\x1e"
PART_SEPARATOR = "\x1f"
"""Between the parts of an end in a note: its identity, then its details."""
END_SEPARATOR = "\x1d"
"""Between the two ends of a note."""
REPLACED = "\ufffd"
"""Stands for a separator in a name."""

POD = "pod"
_AS_POD = TAG_SEPARATOR + POD
INTERNAL, EXTERNAL = "internal", "external"
"""Kinds of a plain table's ends: by which of its addresses a named machine is meant."""

_SIDES = ("SRC", "DEST", "SRC_GATEWAY", "DEST_GATEWAY")
_CONFIGURED = (
    "/logs/networkmanagement.googleapis.com%2Fvpc_flows",
    "/logs/networkmanagement.googleapis.com/vpc_flows",
)
"""Logs of configurations of the Network Management API; the other names are of the subnetworks' own
setting. Both write records of the same flows."""
_LOG_NAMES = (
    "/logs/compute.googleapis.com%2Fvpc_flows",
    "/logs/compute.googleapis.com/vpc_flows",
    *_CONFIGURED,
)

_TRUTHS = frozenset({"is_entry", "is_other_log", "is_dropped"})
_NUMBERS = frozenset(COLUMNS) - _TRUTHS - {*_ENDS, "configuration_name", "source_name"}
TYPES: Mapping[str, str] = {
    name: "BOOLEAN" if name in _TRUTHS else "BIGINT" if name in _NUMBERS else "VARCHAR"
    for name in COLUMNS
}
"""Of each column; whole numbers of 64 bits."""

_US_PER_MS = 1000


def select_columns(values: Mapping[str, str], source: str) -> str:
    """Return the query of flow records; a column without a value is NULL."""
    selected = ",\n  ".join(f"{values.get(name, _missing(name))} AS {name}" for name in COLUMNS)
    return f"SELECT\n  {selected}\nFROM {source}"


def _missing(column: str) -> str:
    return NO_NUMBER if column in _NUMBERS else NO_TEXT


def flow_record(
    fields: Fields,
    source: str,
    *,
    source_name: str,
    is_entry: str,
    with_details: bool,
    day_part: str = NO_NUMBER,
) -> str:
    """Return the query that turns log entries into flow records.

    Args:
        fields: The fields of the entries.
        source: What the entries are selected from.
        source_name: SQL of the file's name.
        is_entry: SQL of whether the row was an entry at all.
        with_details: Whether `DETAILS` are read; in Parquet each of them costs a column.
        day_part: SQL of where in its log's day an entry stands.
    """
    payload = fields.part("jsonPayload")
    log_name = fields.text("logName")
    ours = " OR ".join(f"ends_with({log_name}, {quoted(name)})" for name in _LOG_NAMES)
    sides = " ".join(f"WHEN {quoted(name)} THEN {i}" for i, name in enumerate(_SIDES))
    values = {
        "is_entry": is_entry,
        "is_other_log": f"NOT COALESCE({ours}, true)" if fields.has("logName") else "false",
        "is_dropped": f"COALESCE({payload.text('disposition')} = 'DROPPED', false)",
        "side": f"CASE {payload.text('reporter')} {sides} END",
        "protocol": payload.protocol("connection", "protocol"),
        "src_port": payload.port("connection", "src_port"),
        "dst_port": payload.port("connection", "dest_port"),
        "start_us": payload.time_us("start_time"),
        "end_us": payload.time_us("end_time"),
        "payload_bytes": _sent_or_dropped(payload, "bytes"),
        "packet_count": _sent_or_dropped(payload, "packets"),
        "rtt_us": _rtt_us(payload),
        "entry": entry_number(fields, payload),
        "flow": _flow(payload),
        **_configuration(fields),
        "drop_reason": _drop_reason(payload),
        "source_name": source_name,
        "day_part": day_part,
    }
    for end, name in (("src", "src"), ("dest", "dst")):
        values |= _end_columns(fields, payload, end, name, with_details=with_details)
    return select_columns(values, source)


def entry_number(fields: Fields, payload: Fields) -> str:
    """Return the SQL of a number that equal entries share; NULL without an id.

    Cloud Logging takes entries with the same log, time and `insertId` for one; here they must say
    the same count too. Two others would have to share 63 bits, and the minute besides.

    The engine's hash of one text is too weak for that: of 50 million ids that count up, 1.4 million
    share theirs with another. Read backwards those differ.
    """
    if not fields.has("insertId"):
        return NO_NUMBER
    insert_id = fields.text("insertId")
    parts = (
        insert_id,
        f"reverse({insert_id})",
        fields.time_us("timestamp") if fields.has("timestamp") else "0",
        fields.text("logName"),
        _sent_or_dropped(payload, "bytes"),
    )
    return f"CASE WHEN {insert_id} IS NOT NULL THEN {fields.spelling.number_of(parts)} END"


def _flow(payload: Fields) -> str:
    """Return a number that records of one five-tuple share."""
    ends = (payload.text("connection", f"{end}_ip") for end in ("src", "dest"))
    ports = (payload.port("connection", f"{end}_port") for end in ("src", "dest"))
    return payload.spelling.number_of([*ends, *ports, payload.protocol("connection", "protocol")])


def _configuration(fields: Fields) -> dict[str, str]:
    """Return the columns of the configuration that made a record."""
    if not fields.has("logName"):
        return {"configuration": "0"}
    labels = fields.part("resource").part("labels")
    parts = [labels.text(name) for name in ("resource_container", "location", "name")]
    log_name = fields.text("logName")
    is_configured = " OR ".join(f"ends_with({log_name}, {quoted(name)})" for name in _CONFIGURED)
    number = fields.spelling.number_of(parts)
    name = joined([parts[0], quoted("locations"), parts[1], parts[2]], "/")
    return {
        "configuration": f"CASE WHEN {is_configured} THEN {number} ELSE 0 END",
        "configuration_name": f"CASE WHEN {is_configured} THEN {name} END",
    }


def _drop_reason(payload: Fields) -> str:
    if not payload.has("drop_reason"):
        return "0"
    reason = payload.text("drop_reason")
    known = " ".join(f"WHEN {quoted(name)} THEN {i}" for i, name in enumerate(DROP_REASONS, 1))
    other = f"ELSE {len(DROP_REASONS)} END"
    return f"CASE WHEN {reason} IS NULL THEN 0 ELSE CASE {reason} {known} {other} END"


def _sent_or_dropped(payload: Fields, what: str) -> str:
    sent = payload.integer(f"{what}_sent")
    if not payload.has(f"{what}_dropped"):
        return sent
    return f"COALESCE({sent}, {payload.integer(f'{what}_dropped')})"


def _rtt_us(payload: Fields) -> str:
    """Return the round-trip time, the finer field first."""
    paths = (("round_trip_time", "median_msec"), ("rtt_msec",))
    found = [payload.decimal(*path) for path in paths if payload.has(*path)]
    if not found:
        return NO_NUMBER
    rtt_ms = found[0] if len(found) == 1 else f"COALESCE({', '.join(found)})"
    return f"TRY_CAST(ROUND({payload.spelling.product(rtt_ms, _US_PER_MS)}) AS BIGINT)"


def _end_columns(
    entry: Fields, payload: Fields, end: str, name: str, *, with_details: bool
) -> dict[str, str]:
    """Return the columns of one end; `end` is the log's word for it, `name` ours."""
    columns = {
        f"{name}_address": payload.text("connection", f"{end}_ip"),
        f"{name}_project": payload.text(f"{end}_instance", "project_id"),
        f"{name}_name": _name(entry, payload, end),
    }
    if with_details:
        vpc = f"{end}_vpc"
        columns |= {
            f"{name}_zone": payload.text(f"{end}_instance", "zone"),
            f"{name}_vpc_project": payload.text(vpc, "project_id"),
            f"{name}_vpc": payload.text(vpc, "vpc_name"),
            f"{name}_subnetwork": payload.text(vpc, "subnetwork_name"),
            f"{name}_subnetwork_region": payload.text(vpc, "subnetwork_region"),
        }
    return columns


def _name(entry: Fields, payload: Fields, end: str) -> str:
    """Return the name of an end's machine, and of an end without one its tag, see `TAG`."""
    labels = entry.part("resource").part("labels")
    gateway = payload.part(f"{end}_gateway")
    place = payload.part(f"{end}_location")
    pod = payload.text(f"{end}_gke_details", "pod", "pod_name")
    tag = join_tag(
        {
            "pod": NO_TEXT if pod == NO_TEXT else f"CASE WHEN {pod} IS NOT NULL THEN '{POD}' END",
            "service": _service(payload.part(f"{end}_google_service")),
            "gateway_project": gateway.text("project_id"),
            "gateway_location": gateway.text("location"),
            "gateway": gateway.text("name"),
            "continent": place.text("continent"),
            "country": place.text("country"),
            "own_vpc_project": _own(payload, "project_id"),
            "own_vpc": _own(payload, "vpc_name"),
            "own_subnetwork_project": labels.text("project_id"),
            "own_subnetwork_region": labels.text("location"),
            "own_subnetwork": labels.text("subnetwork_name"),
        }
    )
    if not payload.has(f"{end}_instance", "vm_name"):
        return tag
    vm = payload.text(f"{end}_instance", "vm_name")
    as_pod = "" if pod == NO_TEXT else f"WHEN {pod} IS NOT NULL THEN {vm} || '{_AS_POD}' "
    return f"CASE WHEN {vm} IS NULL THEN {tag} {as_pod}ELSE {vm} END"


def join_tag(parts: Mapping[str, str]) -> str:
    """Return the SQL that joins the parts of a tag; NULL when the source has none of them."""
    texts = [parts.get(name, NO_TEXT) for name in TAG]
    return NO_TEXT if all(text == NO_TEXT for text in texts) else joined(texts, TAG_SEPARATOR)


def joined(texts: Sequence[str], separator: str) -> str:
    """Return the SQL that joins texts, NULL ones as empty; what is missing costs nothing."""
    pieces: list[str] = []
    constant = ""
    for number, text in enumerate(texts):
        constant += separator if number else ""
        if text != NO_TEXT:
            pieces += [quoted(constant)] if constant else []
            pieces.append(text)
            constant = ""
    pieces += [quoted(constant)] if constant or not pieces else []
    return f"CONCAT({', '.join(pieces)})"


def _service(group: Fields) -> str:
    """Return the name of a Google service, else its kind."""
    if not (group.has("service_name") or group.has("type")):
        return NO_TEXT
    return f"COALESCE({group.text('service_name')}, {group.text('type')})"


def _own(payload: Fields, field: str) -> str:
    """Return a field of the network on the reporter's side."""
    if not (payload.has("src_vpc", field) or payload.has("dest_vpc", field)):
        return NO_TEXT
    return (
        f"CASE WHEN {payload.text('reporter')} LIKE 'SRC%' THEN {payload.text('src_vpc', field)}"
        f" ELSE {payload.text('dest_vpc', field)} END"
    )
