"""The same flows as rows of an export whose columns have other types, names, or neighbours."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from support.flows.project import host, inventory, subnet
from support.flows.records import NETWORK_LOG, Json, entry

WEB = host("web", "10.0.1.1", external="34.1.1.1", subnetwork="front")
DB = host("db", "10.0.2.1", external="34.1.1.2", subnetwork="back", zone="us-central1-b")
KNOWN = inventory(WEB, DB, subnet("front", logs=None), subnet("back", logs=None))

ENTRIES = [
    entry("10.0.1.1", "10.0.2.1", 1001, start=30, end=105, packets=7, src_vm=WEB, dst_vm=DB),
    entry("10.0.1.1", "10.0.2.1", 900, packets=5, by="DEST", src_vm=WEB, dst_vm=DB, rtt_ms=1.5),
    entry("10.0.1.1", "34.1.1.2", 10**10, end=60, packets=9, src_vm=WEB, dst_vm=DB, rtt_msec="3"),
    *(
        {**logged, "logName": NETWORK_LOG}
        for logged in (
            entry("10.0.2.1", "198.51.100.7", 77, start=600, end=601, packets=1, protocol=17),
            entry("10.0.2.1", "10.0.1.1", 5, packets=1, is_dropped=True, src_vm=DB, dst_vm=WEB),
        )
    ),
    entry("10.9.9.9", "10.0.1.1", 64, by="DEST", protocol=1, ports=None, dst_vm=WEB),
    entry("fd00::1", "10.0.1.1", 3, by="DEST", packets=2, dst_vm=WEB),
]


def rows(change: Callable[[Json], Json] = lambda row: row) -> list[Json]:
    """Return the entries as rows of an export, all with all columns."""
    return [change(json.loads(json.dumps(item))) for item in ENTRIES]


def whole_numbers(row: Json) -> Json:
    """Counts and round trips as numbers."""
    body = row["jsonPayload"]
    for name in ("bytes_sent", "packets_sent", "bytes_dropped", "packets_dropped"):
        if name in body:
            body[name] = int(body[name])
    if "rtt_msec" in body:
        body["rtt_msec"] = float(body["rtt_msec"])
    return row


def all_text(row: Json) -> Json:
    """Ports, protocols and round trips as text."""
    connection = row["jsonPayload"]["connection"]
    for name in ("src_port", "dest_port", "protocol"):
        if name in connection:
            connection[name] = str(connection[name])
    if "round_trip_time" in row["jsonPayload"]:
        row["jsonPayload"]["round_trip_time"]["median_msec"] = "1.5"
    return row


def real_times(row: Json) -> Json:
    """Times as timestamps."""
    for name in ("start_time", "end_time"):
        row["jsonPayload"][name] = datetime.fromisoformat(row["jsonPayload"][name]).astimezone(UTC)
    row["timestamp"] = datetime.fromisoformat(row["timestamp"])
    return row


def naive_times(row: Json) -> Json:
    """Times as timestamps without a zone."""
    for name in ("start_time", "end_time"):
        row["jsonPayload"][name] = datetime.fromisoformat(row["jsonPayload"][name]).replace(
            tzinfo=None
        )
    return row


def more_columns(row: Json) -> Json:
    """Columns that nobody knows, of types that nobody expects."""
    row |= {"httpRequest": {"latency": 1.5}, "labels": [["a", "b"]], "severity": "INFO"}
    row["jsonPayload"] |= {"new": {"deep": [{"er": 1}]}, "src_gke_details": None, "list": [1, 2]}
    row["jsonPayload"]["connection"]["cookie"] = b"\x00\xff"
    return row


def other_case(row: Json) -> Json:
    """Columns as some tools write them: `jsonpayload`, `logname`."""
    return {name.casefold(): value for name, value in row.items()}


def fewer_columns(row: Json) -> Json:
    """Only what cannot be missed, and what these flows are told by."""
    return {"jsonPayload": row["jsonPayload"]}


CHANGES: Mapping[str, Callable[[Json], Json]] = {
    "as it is": lambda row: row,
    "whole numbers": whole_numbers,
    "text": all_text,
    "timestamps": real_times,
    "timestamps without a zone": naive_times,
    "more columns": more_columns,
    "fewer columns": fewer_columns,
    "other names": other_case,
}
