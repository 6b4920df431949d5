"""`netplan audit` with metrics, live or stored, and with measurements: what is read and said."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.google.monitoring import MONITORING_VARIABLE
from netplan_planner.model import Metric
from netplan_planner.readers import read_inventory
from support.commands.audits import NEVER, audit, report
from support.commands.run import run_verbs
from support.metrics.series import flow, machine, page, time_series
from support.probes.stores import write_store
from support.projects.one_project import FOLDER, PROJECT, resources
from support.servers.compute import ComputeServer, Fault
from support.servers.monitoring import LIST, MonitoringServer

MOVER = machine("4100000000000000001", "us-central1-a")
SERIES = [
    time_series(Metric.VM_SENT_BYTES.value, [200e9] * 120, resource=MOVER),
    flow("egress", [60e9] * 120, resource=MOVER, zone="us-central1-f"),
    flow("egress", [1e9] * 120, resource=MOVER, where="EXTERNAL"),
]
"""26.7 Gbit/s sent, 8 of it to another zone: 83 % of the 32 Gbit/s of an n2-standard-32."""


def asked_of(monitoring: MonitoringServer) -> dict[str, Any]:
    return {MONITORING_VARIABLE: monitoring.url}


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "series.json"
    path.write_text(json.dumps(page(*SERIES)))
    return path


def test_stored_series_are_traffic_and_rates(stored: Path) -> None:
    found = report(*NEVER, "--inventory", FOLDER / "api", "--metrics", stored)
    read = found["coverage"]["metrics"]
    assert (read["files"], read["series_count"], read["point_count"]) == (1, 3, 360)
    assert found["coverage"]["traffic"]["source"] == "Cloud Monitoring, vm_flow"
    (mover,) = [row for row in found["machines"] if row["name"] == "mover-1"]
    assert mover["egress_p95_gbps"] == pytest.approx(26.667, abs=0.001)
    assert mover["external_p95_gbps"] == pytest.approx(0.133, abs=0.001)
    classes = {row["path_class"]: row for row in found["traffic_by_class"]}
    assert classes["inter-zone-internal"]["usd_per_month"] is not None
    silent = {note["rule"]: note["reason"] for note in found["not_evaluated"]}
    assert "name no peer" in silent["external-ip-intra-zone"]
    assert "egress-cap-saturated" not in silent
    assert "flow-logs" not in {row["service"] for row in found["network_services"]}
    code, out, _ = audit(*NEVER, "--full", "--inventory", FOLDER / "api", "--metrics", stored)
    said = " ".join(out.split())
    assert code == 0
    assert "no flow logs" in said
    assert "sampled, without headers, and without peer names, addresses or five-tuples" in said
    assert "3 time series with 360 points of 1 VM in 1 file" in said
    done = run_verbs(
        arguments=[
            *("recommend", "--vm", "mover-1", "--inventory", str(FOLDER / "api")),
            *("--metrics", str(stored), "--output", "json"),
        ]
    )
    assert done.returncode == 0, done.stderr
    need = json.loads(done.stdout)["need"]
    assert need["gbps"] == pytest.approx(26.667, abs=0.001)
    assert "instance/network/sent_bytes_count" in need["basis"]


def test_a_project_is_asked_without_being_told_to() -> None:
    with ComputeServer() as compute, MonitoringServer() as monitoring:
        compute.add_project(PROJECT, resources())
        monitoring.add_series(PROJECT, SERIES)
        where = ("--project", PROJECT, "--api-endpoint", compute.url, "--anonymous")
        # The window is the present's, so the points of the sample are named by --since.
        window = ("--since", "2026-11-01", "--until", "2026-11-02")
        found = report(*NEVER, *where, *window, **asked_of(monitoring))
        assert found["coverage"]["metrics"]["projects"] == [PROJECT]
        assert found["coverage"]["traffic"]["source"] == "Cloud Monitoring, vm_flow"
        count = len(monitoring.calls)
        bare = report(*NEVER, *where, "--no-live-metrics", **asked_of(monitoring))
        assert (bare["coverage"]["metrics"], len(monitoring.calls)) == (None, count)


def test_what_is_refused_is_said_and_the_rest_goes_on() -> None:
    with ComputeServer() as compute, MonitoringServer() as monitoring:
        compute.add_project(PROJECT, resources())
        monitoring.add_project(PROJECT)
        monitoring.add_fault(Fault(method=LIST, status=403, reason="forbidden"))
        where = ("--project", PROJECT, "--api-endpoint", compute.url, "--anonymous")
        found = report(*NEVER, *where, **asked_of(monitoring))
        (unread,) = found["coverage"]["metrics"]["unread"]
        assert "monitoring.timeSeries.list" in unread["reason"]
        assert found["coverage"]["instance_count"] == 9
        assert not found["coverage"]["is_complete"]
        code, _, err = audit(*NEVER, *where, "--strict", **asked_of(monitoring))
        assert code == 4
        assert "monitoring.timeSeries.list" in err


FILES = FOLDER / "gcloud"


GIVEN = ("--inventory", FILES, *NEVER)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a low run, a single stream and a stranger, and a line that is none."""
    inventory = read_inventory([FILES])
    running = [i for i in inventory.instances if i.is_running and i.interfaces[0].internal_ipv4]
    one, other = running[:2]
    path = tmp_path_factory.mktemp("store") / "measurements.jsonl"
    fields = {"started_at": "2026-11-19T10:00:00Z", "min_rtt_ms": None, "streams": 1}
    write_store(
        path,
        inventory,
        [
            {"src": one.name, "dst": other.name, "gbps": 0.01, **fields},
            {"src": "203.0.113.1", "dst": "203.0.113.2", "gbps": 1.0, "runs": 1},
        ],
    )
    with path.open("a") as file:
        file.write("no record\n")
    return path


def test_both_rules_answer_once_and_the_report_says_what_was_read(store: Path) -> None:
    found = report(*GIVEN, "--measurements", store)
    rules = {finding["rule"] for finding in found["findings"]}
    assert {"measured-below-model", "probe-not-comparable"} <= rules
    read = found["coverage"]["measurements"]
    assert (read["files"], read["measurement_count"], read["repeated_count"]) == (1, 4, 0)
    (fault,) = read["faults"]
    assert fault.startswith(f"{store}:5: ")
    gaps = {(n["rule"], n["kind"]) for n in found["not_evaluated"]}
    assert ("measured-below-model", "gap") in gaps
    # The text says how many were read and what was not.
    code, text, err = audit(*GIVEN, "--full", "--measurements", store, "--width", "200")
    assert (code, err) == (0, "")
    assert "measured 4 measurements in 1 file, 1 line unusable" in " ".join(text.split())
    assert "the line is ignored" in text
    # A store given twice is read once.
    found = report(*GIVEN, "--measurements", store, "--measurements", store)
    assert found["coverage"]["measurements"]["files"] == 1
    assert found["findings"] == report(*GIVEN, "--measurements", store)["findings"]
    # The area model can be chosen.
    found = report(*GIVEN, "--measurements", store, "--select", "model")
    assert {finding["rule"] for finding in found["findings"]} == {"measured-below-model"}
    others = {n["rule"] for n in found["not_evaluated"] if n["kind"] == "deselected"}
    assert "probe-not-comparable" in others


def test_without_measurements_the_rules_are_not_evaluated() -> None:
    found = report(*GIVEN)
    assert found["coverage"]["measurements"] is None
    notes = {n["rule"]: n for n in found["not_evaluated"]}
    for rule in ("measured-below-model", "probe-not-comparable"):
        assert notes[rule]["kind"] == "missing-evidence"
        assert notes[rule]["reason"] == "no measurements given (--measurements FILE)"
    assert "measurements in" not in audit(*GIVEN, "--full", "--width", "200")[1]
