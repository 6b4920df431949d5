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
    "FlowLogBill": (
        ["flow-logs", "cost", "--demo", "gecko"],
        ["flow-logs", "plan", "--demo", "gecko", "--dollar-error", "2%"],
    )
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""


def test_a_plan_says_what_it_promises_and_gives_the_commands() -> None:
    found = run_verbs(arguments=["flow-logs", "plan", "--demo", "gecko"])
    assert found.returncode == 0, found.stderr
    assert "Flow logs cost $0.10 a month of 730 h, by 4,960 records" in found.stdout
    assert "As planned, logging costs $0.04 a month" in found.stdout
    assert "Filters leave out what machines received" in found.stdout
    assert "drops-at-saturation" in found.stdout
    words = ["flow-logs", "plan", "--demo", "gecko", "--no-filter"]
    found = run_verbs(arguments=words)
    assert "As planned, logging costs $0.05 a month" in found.stdout
    assert "filter-expr" not in found.stdout
    assert (
        "gcloud compute networks subnets update default --region=us-central1"
        " --project=gecko-demo --logging-aggregation-interval=interval-10-min"
    ) in found.stdout


def test_logs_that_are_not_on_are_priced_by_how_many_records_there_would_be(
    tmp_path: Path,
) -> None:
    table = tmp_path / "records.csv"
    table.write_text("subnetwork,records,hours\nfront,1000000,1\nback,2000000,\nodd,,\n")
    words = ["flow-logs", "cost", "--records", str(table), "--output", "json"]
    found = run_verbs(arguments=words)
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    front, back = answer["writers"]
    assert (front["name"], front["volume"]["records_per_month"]) == ("front", 730_000_000)
    assert back["volume"]["records_per_month"] == 2_000_000
    # 732 million records of 1,418 bytes, 0.25 USD to make a GiB and 0.25 to store it.
    gib = 732_000_000 * 1418 / 2**30
    assert float(answer["usd_per_month"]) == pytest.approx(gib * 0.5, rel=1e-3)
    assert any("1 row without a number" in note for note in answer["notes"])


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
    assert "tells of no subnetwork" in found.stderr


@pytest.mark.parametrize("value", ["5", "0%", "100%", "5%x", "five%"])
def test_a_promise_is_a_percentage(value: str) -> None:
    found = run_verbs(arguments=["flow-logs", "plan", "--demo", "gecko", "--dollar-error", value])
    assert found.returncode == 2
    assert "--dollar-error takes a percentage" in found.stderr


def test_a_plain_table_says_nothing_of_records(tmp_path: Path) -> None:
    demo = load_demo("gecko")
    table = tmp_path / "rates.csv"
    table.write_text("src,dst,gbps\n10.128.0.2,10.128.0.3,1\n")
    given = [word for path in demo.inventory for word in ("--inventory", str(path))]
    for more in ([], ["--traffic", str(table)]):
        found = run_verbs(arguments=["flow-logs", "cost", *given, *more])
        assert found.returncode == 2, found.stderr
        assert "flow logs in their own records are needed" in found.stderr


def test_where_nothing_can_be_planned_no_error_is_promised(tmp_path: Path) -> None:
    """Without the subnetwork it is not known what was left out of its records."""
    demo = load_demo("gecko")
    (tmp_path / "none.json").write_text('{"kind": "compute#instanceList", "items": []}')
    words = ["flow-logs", "plan", "--inventory", str(tmp_path)]
    words += [word for path in demo.traffic for word in ("--traffic", str(path))]
    found = run_verbs(arguments=words)
    assert found.returncode == 0, found.stderr
    assert "Nothing is planned, and no error is promised" in found.stdout
    assert "±0" not in found.stdout
    answer = json.loads(run_verbs(arguments=[*words, "--output", "json"]).stdout)
    assert answer["dollar_error_ratio"] is None
    assert all(writer["proposed"] is None and writer["why_not"] for writer in answer["writers"])


def test_nearly_always_is_not_always() -> None:
    words = ["flow-logs", "plan", "--demo", "gecko", "--confidence", "99.9999%"]
    found = run_verbs(arguments=words)
    assert "each in 99.9999 % of samples" in " ".join(found.stdout.split())
