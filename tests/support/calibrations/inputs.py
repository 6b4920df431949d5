"""Files that a calibration is made from: stores of probes, and tables of figures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from netplan_planner.measuring.store import append
from netplan_planner.model import MeasuredEnd, Measurement, PathClass, Zone
from support.paths.tables import written
from support.probes.measurements import measured

DATE = "2026-11-20"


def record(number: int, gbps: float, **more: Any) -> Measurement:
    """Return a run between two n2-standard-32; its number names the run and the pair of places."""
    end = MeasuredEnd(machine_type="n2-standard-32", cpu_ratio=0.4, zone=Zone("us-central1-a"))
    zone = Zone(f"us-central1-{'abcf'[number % 4]}")
    told: dict[str, Any] = {
        "run_id": f"run-{number}",
        "started_at": f"{DATE}T10:{number % 60:02d}:00Z",
        "tool_version": "3.17",
        "path_class": PathClass.SAME_ZONE_INTERNAL,
        "src": end,
        "dst": msgspec.structs.replace(end, zone=zone),
        "streams": 16,
        "gbps": gbps,
        "min_rtt_ms": 0.2,
        "mtu_bytes": 1460,
    }
    return measured(**(told | more))


def store(path: Path, records: Sequence[Measurement]) -> Path:
    """Write a store as the product does."""
    append(path, tuple(records))
    return path


WALL = {
    "date": DATE,
    "cloud": "gcp>gcp",
    "machine_type": "n2-standard-32",
    "dst_machine_type": "n2-standard-32",
    "path_class": "same-zone-internal",
    "src_location": "gcp:us-central1-a",
    "dst_location": "gcp:us-central1-a",
    "streams": "16",
    "rtt_ms": "0.2",
    "duration_s": "10",
    "mtu": "1460",
    "value": "24",
}
"""A row of a table with a figure."""
AWAY = WALL | {
    "cloud": "gcp>aws",
    "path_class": "internet",
    "dst_machine_type": "",
    "dst_location": "aws:us-east-1",
    "streams": "1",
    "rtt_ms": "100",
    "duration_s": "60",
    "value": "0.1",
}
ROWS = [
    WALL | {"value": "24"},
    WALL
    | {"value": "25", "src_location": "gcp:us-central1-b", "dst_location": "gcp:us-central1-b"},
    WALL
    | {"value": "23", "src_location": "gcp:us-central1-c", "dst_location": "gcp:us-central1-c"},
    AWAY,
    AWAY | {"value": "0.11", "dst_location": "aws:us-west-2"},
    AWAY | {"value": "0.12", "dst_location": "aws:eu-west-1", "streams": "2"},
]


def table(path: Path, rows: Sequence[dict[str, str]] = ROWS) -> Path:
    """Write a table of figures as CSV."""
    return written(path, *rows)
