"""The fields of a log entry, and the SQL that reads each whatever the layout holds it as."""

from collections.abc import Mapping, Sequence
from typing import Any

from netplan_planner.tables.sql import identifier
from netplan_planner.traffic.spelling import DUCKDB, Bounds, Spelling

_NOT_SCALAR = frozenset({"list", "map", "array", "union", "blob", "bit"})
"""Types that no field of a flow log has: a column of such a type is as good as missing."""

_TEXT = "varchar"
_FLOATING = frozenset({"double", "float", "decimal"})

NO_TEXT = "NULL::VARCHAR"
NO_NUMBER = "NULL::BIGINT"
_PORTS = (0, 65535)
_PROTOCOLS = (0, 255)

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

    def __init__(self, tree: Mapping[str, Any], spelling: Spelling = DUCKDB) -> None:
        self._tree = tree
        self.spelling = spelling

    @classmethod
    def of_types(cls, columns: Mapping[str, Any], spelling: Spelling = DUCKDB) -> "Fields":
        """Return the fields of DuckDB's typed columns, nested ones included."""
        return cls(_tree(columns, ""), spelling)

    @classmethod
    def of_text(cls, fields: Mapping[str, Any], spelling: Spelling = DUCKDB) -> "Fields":
        """Return the fields of columns of which every leaf is text, as `struct_type` declares."""
        return cls(_text_tree(fields, ""), spelling)

    def part(self, name: str) -> "Fields":
        """Return the fields of a group; none when the source lacks it."""
        found = self._find((name,))
        return Fields(found if isinstance(found, Mapping) else {}, self.spelling)

    def has(self, *path: str) -> bool:
        """Return whether the source has a field or group."""
        return self._find(path) is not None

    def text(self, *path: str) -> str:
        """Return a field as text."""
        found = self._find(path)
        if found is None or isinstance(found, Mapping):
            return NO_TEXT
        sql, kind = found
        return str(sql) if kind == _TEXT else f"CAST({sql} AS VARCHAR)"

    def integer(self, *path: str) -> str:
        """Return a field as a whole number, NULL when it is none."""
        return self._whole_number(path)

    def decimal(self, *path: str) -> str:
        """Return a field as a number, NULL when it is none."""
        sql, kind = self._scalar(path)
        if kind == _TEXT:
            return self.spelling.decimal(sql)
        return sql if kind == "double" else f"TRY_CAST({sql} AS DOUBLE)"

    def port(self, *path: str) -> str:
        """Return a port number, NULL when it cannot be one."""
        return self._whole_number(path, _PORTS)

    def protocol(self, *path: str) -> str:
        """Return an IP protocol's number, NULL when it cannot be one."""
        return self._whole_number(path, _PROTOCOLS)

    def time_us(self, *path: str) -> str:
        """Return a time as microseconds since 1970; a text without a zone is UTC."""
        sql, kind = self._scalar(path)
        if kind.startswith("timestamp"):
            return self.spelling.microseconds(f"TRY_CAST({sql} AS TIMESTAMPTZ)")
        return self.spelling.time_us(self.text(*path))

    def _whole_number(self, path: Sequence[str], bounds: Bounds | None = None) -> str:
        sql, kind = self._scalar(path)
        if sql == NO_TEXT:
            return NO_NUMBER
        if kind == _TEXT:
            return self.spelling.whole_number(sql, bounds)
        number = f"TRY_CAST({sql} AS BIGINT)"
        conditions = [f"{sql} = FLOOR({sql})"] if kind in _FLOATING else []
        conditions += [f"{number} BETWEEN {bounds[0]} AND {bounds[1]}"] if bounds else []
        return f"CASE WHEN {' AND '.join(conditions)} THEN {number} END" if conditions else number

    def _scalar(self, path: Sequence[str]) -> tuple[str, str]:
        """Return the SQL and the type of a field, no text where there is none."""
        found = self._find(path)
        return found if isinstance(found, tuple) else (NO_TEXT, _TEXT)

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
        return prefix, _TEXT
    named = fields if isinstance(fields, Mapping) else dict.fromkeys(fields)
    return {
        name.casefold(): _text_tree(
            sub, f"{prefix}.{identifier(name)}" if prefix else identifier(name)
        )
        for name, sub in named.items()
    }


_MARKS = (
    ("logName",),
    ("jsonPayload", "reporter"),
    ("jsonPayload", "connection", "src_ip"),
    ("jsonPayload", "connection", "dest_ip"),
    ("jsonPayload", "start_time"),
    ("jsonPayload", "bytes_sent"),
)
"""Fields of which an entry has one at least."""


def is_entry(fields: Fields) -> str:
    """Return the SQL of whether a line of text was a log entry at all.

    An unreadable line becomes a row of NULLs; a readable one without these fields is no entry
    either. Single fields that are read anyway: to ask for a whole group would read all that is in
    it.
    """
    return f"({' OR '.join(f'{fields.text(*path)} IS NOT NULL' for path in _MARKS)})"
