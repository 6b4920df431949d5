"""`netplan flow-logs`: what logs cost, and what would do."""

import json
from pathlib import Path

import pytest

from netplan_planner.google.monitoring import MONITORING_VARIABLE
from netplan_planner.model import Metric
from netplan_planner.world.demos import load_demo
from support.commands.run import run_verbs
from support.metrics.series import page, time_series
from support.servers.monitoring import MonitoringServer

COMMANDS_BY_ANSWER = {
    "FlowLogBill": ("flow-logs cost --demo gecko", "flow-logs plan --demo gecko --dollar-error 2%")
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""


PREDICTED = [
    time_series(
        Metric.PREDICTED_LOGS.value,
        [60_000] * 120,
        resource={
            "project_id": "p",
            "location": "us-central1",
            "subnetwork_name": name,
            "subnetwork_id": number,
        },
        resource_type="gce_subnetwork",
    )
    for name, number in (("front", "1"), ("back", "2"), ("back", "2"))
]
"""A thousand records a second each; one of them twice, as copies of an export are."""


def test_the_metric_tells_what_logs_will_cost_before_they_are_on(tmp_path: Path) -> None:
    stored = tmp_path / "series.json"
    stored.write_text(json.dumps(page(*PREDICTED)))
    words = ["flow-logs", "cost", "--metrics", str(stored), "--output", "json"]
    found = run_verbs(arguments=words)
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    rows = {one["name"]: one["volume"]["records_per_month"] for one in answer["writers"]}
    month = 1000 * 3600 * 730
    assert rows == {"us-central1/front": month, "us-central1/back": month}
    gib = 2 * month * 1418 / 2**30
    assert float(answer["usd_per_month"]) == pytest.approx(gib * 0.5, rel=1e-3)
    assert "the metric of 2 subnetworks" in answer["window"]
    bare = run_verbs(arguments=[*words, "--no-metadata"])
    assert float(json.loads(bare.stdout)["usd_per_month"]) < float(answer["usd_per_month"])


def test_the_metric_is_asked_of_a_project_without_traffic() -> None:
    words = ["flow-logs", "cost", "--project", "p", "--anonymous", "--output", "json"]
    window = ["--since", "2026-11-01", "--until", "2026-11-02"]
    with MonitoringServer() as server:
        server.add_series("p", PREDICTED[:2])
        found = run_verbs(arguments=[*words, *window], **{MONITORING_VARIABLE: server.url})
        assert set(server.asked_metrics()) == {Metric.PREDICTED_LOGS.value}
        assert server.problems == []
    assert found.returncode == 0, found.stderr
    assert len(json.loads(found.stdout)["writers"]) == 2


def test_other_metrics_tell_nothing_of_logs(tmp_path: Path) -> None:
    stored = tmp_path / "series.json"
    other = {"instance_id": "1", "zone": "z"}
    series = time_series(Metric.VM_SENT_BYTES.value, [1.0], resource=other)
    stored.write_text(json.dumps(page(series)))
    found = run_verbs(arguments=["flow-logs", "cost", "--metrics", str(stored)])
    assert found.returncode == 3
    assert "has no subnetwork" in found.stderr


def test_where_nothing_can_be_planned_no_error_is_promised(tmp_path: Path) -> None:
    """Without the subnetwork it is not known what was left out of its records."""
    demo = load_demo("gecko")
    (tmp_path / "none.json").write_text('{"kind": "compute#instanceList", "items": []}')
    words = ["flow-logs", "plan", "--inventory", str(tmp_path)]
    words += [word for path in demo.traffic for word in ("--traffic", str(path))]
    found = run_verbs(arguments=words)
    assert found.returncode == 0, found.stderr
    assert "No plan, and no error estimate" in found.stdout
    assert "±0" not in found.stdout
    answer = json.loads(run_verbs(arguments=[*words, "--output", "json"]).stdout)
    assert answer["dollar_error_ratio"] is None
    assert all(writer["proposed"] is None and writer["why_not"] for writer in answer["writers"])
