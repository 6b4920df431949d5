"""What names resources that no inventory holds is said, with their number and some names."""

import json
from pathlib import Path
from typing import Any

from support.commands.in_process import netplan
from support.projects.plans import change, machine, plan

Json = dict[str, Any]


def series(name: str, number: str) -> Json:
    """What a machine sent in ten minutes."""
    points = [
        {
            "interval": {
                "startTime": f"2026-11-01T00:0{minute}:00Z",
                "endTime": f"2026-11-01T00:0{minute + 1}:00Z",
            },
            "value": {"int64Value": "1000"},
        }
        for minute in range(9)
    ]
    return {
        "metric": {
            "type": "compute.googleapis.com/instance/network/sent_bytes_count",
            "labels": {"instance_name": name},
        },
        "resource": {
            "type": "gce_instance",
            "labels": {"project_id": "p", "zone": "us-central1-a", "instance_id": number},
        },
        "metricKind": "DELTA",
        "valueType": "INT64",
        "points": points,
    }


def audited(folder: Path, *measured: Json) -> list[str]:
    inventory, metrics = folder / "plan.json", folder / "metrics.json"
    inventory.write_text(json.dumps(plan(change("google_compute_instance.vm", machine("vm")))))
    metrics.write_text(json.dumps({"timeSeries": list(measured)}))
    words = ("audit", "--inventory", str(inventory), "--metrics", str(metrics))
    done = netplan(*words, "--output", "json")
    assert done.status in {0, 1}, done.err
    text = " ".join(netplan(*words).out.split())
    notes: list[str] = json.loads(done.out)["coverage"]["notes"]
    assert all(note in text for note in notes)
    return [note for note in notes if note.startswith("metrics")]


def test_metrics_of_machines_that_are_in_no_inventory(tmp_path: Path) -> None:
    gone = [series(f"gone-{number}", str(number)) for number in range(5)]
    assert audited(tmp_path, series("vm", "99"), *gone) == [
        "metrics of 5 machines are not used (gone-0, gone-1, gone-2 and 2 more): no inventory has"
        " them"
    ]
    assert audited(tmp_path, gone[0]) == [
        "metrics of 1 machine are not used (gone-0): no inventory has it"
    ]
    assert audited(tmp_path, series("vm", "99")) == []
