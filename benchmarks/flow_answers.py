"""Holds what was read of generated flow logs to what was generated (`expected.json`)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from netplan_planner.model import PathClass, TrafficMatrix
from netplan_planner.traffic.files.faults import REASONS as REASONS_OF_RECORDS
from netplan_planner.traffic.statements import staging

REASONS = {
    fault: REASONS_OF_RECORDS[code][0]
    for fault, code in {
        "broken": staging.NOT_AN_ENTRY,
        "not a number": staging.NO_COUNT,
        "negative": staging.NEGATIVE,
        "absurd": staging.ABSURD_COUNT,
        "ends before start": staging.ENDS_BEFORE_START,
    }.items()
}
"""What netplan calls the faults that are generated."""


def checked(matrix: TrafficMatrix, folder: Path) -> dict[str, Any]:
    """Return the wire bytes and the number of edges of a matrix.

    Raises:
        SystemExit: If a sum is not what was generated.
    """
    by_class: dict[PathClass, int] = {}
    for edge in matrix.edges:
        by_class[edge.path_class] = by_class.get(edge.path_class, 0) + edge.payload_bytes
    read = matrix.coverage
    found = {
        "records": read.record_count,
        "counted_records": sum(edge.record_count for edge in matrix.edges),
        "payload_bytes": read.payload_bytes,
        "header_bytes": read.header_bytes,
        "packet_count": sum(edge.packet_count for edge in matrix.edges),
        "other_side_bytes": read.other_side_bytes,
        "by_class": {str(name): by_class[name] for name in sorted(by_class)},
        "excluded": dict(read.excluded),
    }
    wanted = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    excluded: Counter[str] = Counter()
    for fault, count in wanted["excluded"].items():
        excluded[REASONS[fault]] += count
    wanted["excluded"] = dict(excluded)
    wrong = {key: (value, wanted[key]) for key, value in found.items() if value != wanted[key]}
    if sum(excluded.values()) != read.record_count - read.used_count:
        wrong["used"] = (read.used_count, read.record_count - sum(excluded.values()))
    if wrong:
        raise SystemExit(f"not what was generated (found, wanted): {wrong}")
    return {"wire_bytes": read.payload_bytes + read.header_bytes, "edges": len(matrix.edges)}
