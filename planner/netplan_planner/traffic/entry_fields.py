"""The fields of a log entry, and the SQL that reads each whatever the layout holds it as."""

from collections.abc import Mapping, Sequence
from typing import Any

from netplan_planner.tables.sql import identifier

_NOT_SCALAR = frozenset({"list", "map", "array", "union", "blob", "bit"})
"""Types that no field of a flow log has: a column of such a type is as good as missing."""

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
