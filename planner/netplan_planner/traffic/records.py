"""The typed flow record: how each layout's fields become the columns that the statements use.

Every layout yields the same columns (`COLUMNS`), NULL where it says nothing. This is the one part
of the queries that belongs to an engine and a layout; `statements` is the same on all engines.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from netplan_planner.tables.sql import identifier, quoted

DETAILS = ("zone", "vpc_project", "vpc", "subnetwork", "subnetwork_region")
"""What a record says of a named machine besides project and name; wanted of unknown ones only."""

IDENTITY = ("address", "project", "name")
"""What decides who an end is: `name` is the machine's, or of an end without one its tag."""

COLUMNS = (
    "is_entry",
    "is_other_log",
    "is_dropped",
    "side",
    *(f"{end}_{name}" for end in ("src", "dst") for name in (*IDENTITY, *DETAILS)),
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
)
"""Columns of a flow record.

`side` is 0 to 3 for SRC, DEST, SRC_GATEWAY and DEST_GATEWAY. `payload_bytes` and `packet_count` of
a dropped record are those dropped. `source_name` is the file. `entry` is equal for equal log
entries, see `_entry`; `configuration` is 0 for a subnetwork's own setting, else a number of its
own for each configuration of the Network Management API, whose name is read only where wanted;
`flow` is equal for equal five-tuples, and read only where wanted;
`drop_reason` is the place in `DROP_REASONS` counted from 1, or 0.
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
_NOT_SCALAR = frozenset({"list", "map", "array", "union", "blob", "bit"})
"""Types that no field of a flow log has: a column of such a type is as good as missing."""

_NUMBERS = frozenset(
    {
        "side",
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
        "drop_reason",
    }
)

NO_TEXT = "NULL::VARCHAR"
NO_NUMBER = "NULL::BIGINT"
_PORTS = (0, 65535)
_PROTOCOLS = (0, 255)
_US_PER_MS = 1000

_END = {
    "instance": ("project_id", "vm_name", "zone"),
    "vpc": ("project_id", "vpc_name", "subnetwork_name", "subnetwork_region"),
    "location": ("continent", "country"),
    "google_service": ("service_name", "type"),
    "gateway": ("project_id", "location", "name"),
    "gke_details": {"pod": ("pod_name",)},
}
ENTRY: Mapping[str, Any] = {
    "insertId": None,
    "timestamp": None,
    "logName": None,
    "resource": {
        "labels": ("project_id", "location", "subnetwork_name", "resource_container", "name")
    },
    "jsonPayload": {
        "connection": ("src_ip", "dest_ip", "src_port", "dest_port", "protocol"),
        "reporter": None,
        "bytes_sent": None,
        "packets_sent": None,
        "start_time": None,
        "end_time": None,
        "rtt_msec": None,
        "round_trip_time": ("median_msec",),
        "disposition": None,
        "bytes_dropped": None,
        "packets_dropped": None,
        "drop_reason": None,
        **{f"{side}_{name}": fields for side in ("src", "dest") for name, fields in _END.items()},
    },
}
"""The fields of a log entry that are read."""


def struct_type(fields: Any) -> str:
    """Return fields as a DuckDB type in which every leaf is text, as JSON is read."""
    if fields is None:
        return "VARCHAR"
    named = fields if isinstance(fields, Mapping) else dict.fromkeys(fields)
    inner = ", ".join(f"{identifier(name)} {struct_type(sub)}" for name, sub in named.items())
    return f"STRUCT({inner})"


class Fields:
    """SQL of the fields that a source has; NULL for those that it lacks.

    The tree holds fields by lower-case name: a nested tree, or the field's SQL and type.
    """

    def __init__(self, tree: Mapping[str, Any]) -> None:
        self._tree = tree

    @classmethod
    def of_types(cls, columns: Mapping[str, Any]) -> "Fields":
        """Return the fields of typed columns, nested ones included."""
        return cls(_tree(columns, ""))

    @classmethod
    def of_text(cls, fields: Mapping[str, Any]) -> "Fields":
        """Return the fields of columns that were declared with `struct_type`."""
        return cls(_text_tree(fields, ""))

    def part(self, name: str) -> "Fields":
        """Return the fields of a group; none when the source lacks it."""
        found = self._find((name,))
        return Fields(found if isinstance(found, Mapping) else {})

    def has(self, *path: str) -> bool:
        """Return whether the source has a field or group."""
        return self._find(path) is not None

    def text(self, *path: str) -> str:
        """Return a field as text."""
        found = self._find(path)
        if found is None or isinstance(found, Mapping):
            return NO_TEXT
        sql, kind = found
        return str(sql) if kind == "varchar" else f"CAST({sql} AS VARCHAR)"

    def integer(self, *path: str) -> str:
        """Return a field as a whole number, NULL when it is none."""
        return f"TRY_CAST({self._raw(path)} AS BIGINT)"

    def decimal(self, *path: str) -> str:
        """Return a field as a number, NULL when it is none."""
        found = self._find(path)
        if isinstance(found, tuple) and found[1] == "double":
            return str(found[0])
        return f"TRY_CAST({self._raw(path)} AS DOUBLE)"

    def port(self, *path: str) -> str:
        """Return a port number, NULL when it cannot be one."""
        return self._within(_PORTS, path)

    def protocol(self, *path: str) -> str:
        """Return an IP protocol's number, NULL when it cannot be one."""
        return self._within(_PROTOCOLS, path)

    def _within(self, bounds: tuple[int, int], path: Sequence[str]) -> str:
        number = self.integer(*path)
        return f"CASE WHEN {number} BETWEEN {bounds[0]} AND {bounds[1]} THEN {number} END"

    def time_us(self, *path: str) -> str:
        """Return a time as microseconds since 1970; a text without a zone is UTC."""
        found = self._find(path)
        is_time = isinstance(found, tuple) and found[1].startswith("timestamp")
        sql = self._raw(path) if is_time else self.text(*path)
        return f"epoch_us(TRY_CAST({sql} AS TIMESTAMPTZ))"

    def _raw(self, path: Sequence[str]) -> str:
        found = self._find(path)
        return str(found[0]) if isinstance(found, tuple) else NO_TEXT

    def _find(self, path: Sequence[str]) -> Any:
        node: Any = self._tree
        for name in path:
            node = node.get(name.casefold()) if isinstance(node, Mapping) else None
        return node


def _tree(columns: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, kind in columns.items():
        sql = f"{prefix}.{identifier(name)}" if prefix else identifier(name)
        if kind.id == "struct":
            tree[name.casefold()] = _tree(dict(kind.children), sql)
        elif kind.id not in _NOT_SCALAR:
            tree[name.casefold()] = (sql, kind.id)
    return tree


def _text_tree(fields: Any, prefix: str) -> Any:
    if fields is None:
        return prefix, "varchar"
    named = fields if isinstance(fields, Mapping) else dict.fromkeys(fields)
    return {
        name.casefold(): _text_tree(
            sub, f"{prefix}.{identifier(name)}" if prefix else identifier(name)
        )
        for name, sub in named.items()
    }


def select_columns(values: Mapping[str, str], source: str) -> str:
    """Return the query of flow records; a column without a value is NULL."""
    selected = ",\n  ".join(f"{values.get(name, _missing(name))} AS {name}" for name in COLUMNS)
    return f"SELECT\n  {selected}\nFROM {source}"


def _missing(column: str) -> str:
    return NO_NUMBER if column in _NUMBERS else NO_TEXT


def flow_record(
    fields: Fields, source: str, *, source_name: str, is_entry: str, with_details: bool
) -> str:
    """Return the query that turns log entries into flow records.

    Args:
        fields: The fields of the entries.
        source: What the entries are selected from.
        source_name: SQL of the file's name.
        is_entry: SQL of whether the row was an entry at all.
        with_details: Whether `DETAILS` are read; in Parquet each of them costs a column.
    """
    payload = fields.part("jsonPayload")
    log_name = fields.text("logName")
    ours = " OR ".join(f"suffix({log_name}, {quoted(name)})" for name in _LOG_NAMES)
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
        "entry": _entry(fields, payload),
        "flow": _flow(payload),
        **_configuration(fields),
        "drop_reason": _drop_reason(payload),
        "source_name": source_name,
    }
    for end, name in (("src", "src"), ("dest", "dst")):
        values |= _end_columns(fields, payload, end, name, with_details=with_details)
    return select_columns(values, source)


def _entry(fields: Fields, payload: Fields) -> str:
    """Return a number that equal entries share; NULL without an id.

    Cloud Logging takes entries with the same log, time and `insertId` for one; here they must say
    the same count too. Two others would have to share 63 bits, and the minute besides.
    """
    if not fields.has("insertId"):
        return NO_NUMBER
    insert_id = fields.text("insertId")
    parts = (
        insert_id,
        fields.time_us("timestamp") if fields.has("timestamp") else "0",
        fields.text("logName"),
        _sent_or_dropped(payload, "bytes"),
    )
    return f"CASE WHEN {insert_id} IS NOT NULL THEN {_number_of(parts)} END"


def _flow(payload: Fields) -> str:
    """Return a number that records of one five-tuple share."""
    ends = (payload.text("connection", f"{end}_ip") for end in ("src", "dest"))
    ports = (payload.port("connection", f"{end}_port") for end in ("src", "dest"))
    return _number_of([*ends, *ports, payload.protocol("connection", "protocol")])


def _configuration(fields: Fields) -> dict[str, str]:
    """Return the columns of the configuration that made a record."""
    if not fields.has("logName"):
        return {"configuration": "0"}
    labels = fields.part("resource").part("labels")
    parts = [labels.text(name) for name in ("resource_container", "location", "name")]
    log_name = fields.text("logName")
    is_configured = " OR ".join(f"suffix({log_name}, {quoted(name)})" for name in _CONFIGURED)
    name = joined([parts[0], quoted("locations"), parts[1], parts[2]], "/")
    return {
        "configuration": f"CASE WHEN {is_configured} THEN {_number_of(parts)} ELSE 0 END",
        "configuration_name": f"CASE WHEN {is_configured} THEN {name} END",
    }


def _number_of(parts: Sequence[str]) -> str:
    """Return a number of 63 bits that stands for some values."""
    return f"CAST(hash({', '.join(parts)}) % {_MOST_NUMBER} AS BIGINT)"


_MOST_NUMBER = (1 << 63) - 1


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
    return f"TRY_CAST(ROUND({rtt_ms} * {_US_PER_MS}) AS BIGINT)"


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
