"""`netplan audit --metrics` and Cloud Monitoring live: what is read, said and refused."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from netplan_planner.google.monitoring import MONITORING_VARIABLE
from netplan_planner.model import Metric
from netplan_planner.renderers.schema import schema
from support.commands.run import run_verbs
from support.metrics.series import flow, machine, page, time_series
from support.projects.one_project import FOLDER, PROJECT, resources
from support.servers.compute import ComputeServer, Fault
from support.servers.monitoring import LIST, MonitoringServer

DAY = ("--today", "2026-11-20")
Report = dict[str, Any]
MOVER = machine("4100000000000000001", "us-central1-a")
SERIES = [
    time_series(Metric.VM_SENT_BYTES.value, [200e9] * 120, resource=MOVER),
    flow("egress", [60e9] * 120, resource=MOVER, zone="us-central1-f"),
    flow("egress", [1e9] * 120, resource=MOVER, where="EXTERNAL"),
]
"""26.7 Gbit/s sent, 8 of it to another zone: 83 % of the 32 Gbit/s of an n2-standard-32."""


def audit(*arguments: object, **environment: str) -> tuple[int, str, str]:
    every = ("audit", *DAY, "--fail-on", "never", *arguments)
    done = run_verbs(arguments=[str(one) for one in every], **environment)
    return done.returncode, done.stdout, done.stderr


def report(*arguments: object, **environment: str) -> Report:
    code, out, err = audit("--output", "json", *arguments, **environment)
    assert code == 0, err
    found: Report = json.loads(out)
    jsonschema.validate(found, schema("Report"))
    return found


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "series.json"
    path.write_text(json.dumps(page(*SERIES)))
    return path


def test_stored_series_are_traffic_and_rates_and_the_text_says_what_they_cannot(
    stored: Path,
) -> None:
    found = report("--inventory", FOLDER / "api", "--metrics", stored)
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
    code, out, _ = audit("--inventory", FOLDER / "api", "--metrics", stored)
    said = " ".join(out.split())
    assert code == 0
    assert "without flow logs" in said
    assert "name no peer, no address and no five-tuple" in said
    assert "3 time series with 360 points of 1 machine in 1 file" in said
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
        found = report(*where, *window, **{MONITORING_VARIABLE: monitoring.url})
        assert found["coverage"]["metrics"]["projects"] == [PROJECT]
        assert found["coverage"]["traffic"]["source"] == "Cloud Monitoring, vm_flow"
        count = len(monitoring.calls)
        bare = report(*where, "--no-live-metrics", **{MONITORING_VARIABLE: monitoring.url})
        assert (bare["coverage"]["metrics"], len(monitoring.calls)) == (None, count)


def test_what_is_refused_is_said_and_the_rest_goes_on() -> None:
    with ComputeServer() as compute, MonitoringServer() as monitoring:
        compute.add_project(PROJECT, resources())
        monitoring.add_project(PROJECT)
        monitoring.add_fault(Fault(method=LIST, status=403, reason="forbidden"))
        where = ("--project", PROJECT, "--api-endpoint", compute.url, "--anonymous")
        found = report(*where, **{MONITORING_VARIABLE: monitoring.url})
        (unread,) = found["coverage"]["metrics"]["unread"]
        assert "monitoring.timeSeries.list" in unread["reason"]
        assert found["coverage"]["instance_count"] == 9
        assert not found["coverage"]["is_complete"]
        code, _, err = audit(*where, "--strict", **{MONITORING_VARIABLE: monitoring.url})
        assert code == 4
        assert "monitoring.timeSeries.list" in err
