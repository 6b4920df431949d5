"""Cloud Monitoring, live: page by page, within bounds, and what it refuses is said."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import UsageError
from netplan_planner.google.metrics_window import MetricsWindow, window_until
from netplan_planner.google.monitoring import (
    METHOD_ID,
    MONITORING_ENDPOINT,
    MONITORING_VARIABLE,
    MOST_POINTS,
    PERIODS_S,
    PERMISSION,
    SCOPE,
    gather_live,
    monitoring_endpoint,
    period_s,
)
from netplan_planner.google.options import ApiOptions
from netplan_planner.model import Inventory, Metric, Metrics
from netplan_planner.readers import read_inventory
from netplan_planner.readers.time_series import Gathering, gather_files, metrics_of, traffic_of
from netplan_planner.world.reading import FLOWS_LEFT_OUT, read_metrics
from netplan_planner.world.request import InputRequest
from support.metrics.series import START, flow, machine, page, time_series
from support.projects import one_project
from support.servers.compute import Fault
from support.servers.discovery import discovery
from support.servers.hostile import Answer, Asked, HostileServer, answer, json_answer
from support.servers.monitoring import LIST, MonitoringServer

WINDOW = MetricsWindow(start=START, end=START + timedelta(hours=1))
PROJECT = one_project.PROJECT
MOVER = machine("4100000000000000001", "us-central1-a")
HASTE = {
    "backoff_initial_s": 0.01,
    "backoff_max_s": 0.02,
    "max_attempts": 3,
    "timeout_s": 2.0,
    "concurrency": 4,
}
SERIES = [
    time_series(Metric.VM_SENT_BYTES.value, range(60, 660, 60), resource=MOVER),
    time_series(
        Metric.VM_SENT_BYTES.value,
        [600, None, 600],
        resource=machine("4100000000000000098", "us-central1-a"),
        labels={"loadbalanced": "true"},
    ),
    time_series(
        Metric.VM_CPU.value, [0.5, 0.25], resource=MOVER, kind="GAUGE", value_type="DOUBLE"
    ),
    flow("egress", [600, 1200], resource=MOVER, zone="us-central1-f"),
]


@pytest.fixture(scope="module")
def inventory() -> Inventory:
    return read_inventory([one_project.FOLDER / "api"])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MonitoringServer]:
    with MonitoringServer(page_limit=4) as server:
        server.add_series(PROJECT, SERIES)
        monkeypatch.setenv(MONITORING_VARIABLE, server.url)
        yield server


def live(inventory: Inventory, *projects: str, flows: bool = True, **more: Any) -> Gathering:
    options = ApiOptions(is_anonymous=True, **(HASTE | more))
    found = gather_live(projects or (PROJECT,), inventory, options, WINDOW, with_flows=flows)
    assert found is not None
    return found


def test_live_and_stored_read_to_equal_values(
    server: MonitoringServer, inventory: Inventory, tmp_path: Path
) -> None:
    found = live(inventory)
    (tmp_path / "stored.json").write_text(json.dumps(page(*SERIES)))
    stored = gather_files([tmp_path])
    one, other = metrics_of(found, inventory), metrics_of(stored, inventory)
    assert one.series == other.series
    assert len(one.series) == 3
    assert one.coverage.unread == ()
    graph, other_graph = traffic_of(found, inventory), traffic_of(stored, inventory)
    assert graph is not None
    assert other_graph is not None
    assert (graph.edges, graph.owners, graph.vms) == (
        other_graph.edges,
        other_graph.owners,
        other_graph.vms,
    )
    # Three pages of the first metric, at four points each.
    sent = [m for m in server.asked_metrics() if m == Metric.VM_SENT_BYTES.value]
    assert len(sent) == 3


def test_every_request_names_its_interval_alignment_and_fields(
    server: MonitoringServer, inventory: Inventory
) -> None:
    live(inventory)
    for call in server.calls:
        assert call.parameter("interval.startTime") == "2026-11-01T00:00:00Z"
        assert call.parameter("interval.endTime") == "2026-11-01T01:00:00Z"
        assert call.parameter("aggregation.alignmentPeriod") == "60s"
        assert (call.parameter("aggregation.perSeriesAligner") or "").startswith("ALIGN_")
        assert call.parameter("view") == "FULL"
        assert "points" in (call.parameter("fields") or "")
        assert call.http_method == "GET"


def test_only_what_a_project_has_is_asked_for(
    server: MonitoringServer, inventory: Inventory
) -> None:
    live(inventory, flows=False)
    asked = server.asked_metrics()
    assert Metric.VM_BALLOON_USED.value in asked  # It has machines of the series E2.
    assert Metric.NAT_PORT_USAGE.value in asked
    assert not any("vm_flow" in metric for metric in asked)
    count = len(asked)
    server.add_project("bare")
    live(inventory, "bare", flows=False)
    bare = server.asked_metrics()[count:]
    assert Metric.VM_CPU.value in bare
    assert not any("nat/" in metric or "vpn." in metric for metric in bare)


@pytest.mark.parametrize(
    ("fault", "said", "is_needless"),
    [
        (Fault(status=403, reason="forbidden"), PERMISSION, False),
        (Fault(status=403, reason="SERVICE_DISABLED"), "is disabled", True),
        (Fault(status=429, reason="rateLimitExceeded"), "HTTP 429", False),
        (Fault(status=503), "HTTP 503", False),
        (Fault(body=b"<html>login</html>"), "web page", False),
        (Fault(truncate=True), "answer is incomplete", False),
    ],
    ids=["403", "disabled", "429", "503", "page", "cut"],
)
def test_a_project_that_refuses_is_named_once(
    server: MonitoringServer,
    inventory: Inventory,
    fault: Fault,
    said: str,
    is_needless: bool,
) -> None:
    fault.method = LIST
    server.add_fault(fault)
    found = metrics_of(live(inventory), inventory)
    (unread,) = found.coverage.unread
    assert said in unread.reason
    assert (unread.is_needless, found.series, found.coverage.projects) == (is_needless, (), ())
    # Nobody goes on asking a project that refuses.
    assert set(server.asked_metrics()) == {Metric.VM_SENT_BYTES.value}


def test_a_metric_that_a_project_never_had_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, inventory: Inventory
) -> None:
    def answers(asked: Asked) -> Answer:
        if Metric.VM_CPU.value in asked.query["filter"]:
            return json_answer(page(SERIES[2]))
        missing = {"error": {"code": 404, "message": "Cannot find metric(s)"}}
        return answer(json.dumps(missing).encode(), status=404)

    with HostileServer(answers) as server:
        monkeypatch.setenv(MONITORING_VARIABLE, server.url)
        found = metrics_of(live(inventory), inventory)
    assert ([one.metric for one in found.series], found.coverage.unread) == ([Metric.VM_CPU], ())


def test_a_stand_in_for_compute_says_nothing_of_this_api(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(MONITORING_VARIABLE, raising=False)
    replaced = ApiOptions(endpoint="http://127.0.0.1:1", is_anonymous=True)
    assert monitoring_endpoint(replaced) is None
    own = monitoring_endpoint(ApiOptions())
    assert own is not None
    assert own.base_url == MONITORING_ENDPOINT
    monkeypatch.setenv(MONITORING_VARIABLE, "http://elsewhere.example")
    with pytest.raises(
        UsageError, match="is neither encrypted nor local, so credentials are not sent to it"
    ):
        monitoring_endpoint(ApiOptions())


NOW = datetime(2026, 11, 20, 12, 30, 45, tzinfo=UTC)


@pytest.mark.parametrize(
    ("since", "until", "days", "start", "end"),
    [
        (None, None, 14.0, "11-06 12:26", "11-20 12:26"),
        (None, None, 60.0, "10-09 12:26", "11-20 12:26"),
        (datetime(2026, 11, 19), None, 14.0, "11-19 00:00", "11-20 12:26"),
        (datetime(2026, 1, 1), datetime(2026, 11, 19), 14.0, "10-08 00:00", "11-19 00:00"),
        (None, datetime(2027, 1, 1), 1.0, "11-19 12:26", "11-20 12:26"),
    ],
)
def test_the_window_is_whole_minutes_within_what_is_kept(
    since: datetime | None, until: datetime | None, days: float, start: str, end: str
) -> None:
    window = window_until(NOW, days, since, until)
    assert (f"{window.start:%m-%d %H:%M}", f"{window.end:%m-%d %H:%M}") == (start, end)


@pytest.mark.parametrize("machines", [1, 99, 1_000, 20_000, 1_000_000])
def test_the_points_of_a_metric_are_bounded(machines: int) -> None:
    window = window_until(NOW, 14.0)
    period = period_s(window, machines)
    assert period in PERIODS_S
    points = machines * window.seconds / period
    assert points <= MOST_POINTS or period == PERIODS_S[-1]
    assert (period == 60) == (machines <= 99)


def test_the_method_is_the_documents() -> None:
    document = discovery("monitoring", "v3").document
    method = document["resources"]["projects"]["resources"]["timeSeries"]["methods"]["list"]
    assert (method["id"], method["httpMethod"]) == (METHOD_ID, "GET")
    assert SCOPE in method["scopes"]


def audit(**fields: Any) -> InputRequest:
    return InputRequest(
        today=NOW.date(),
        api=ApiOptions(is_anonymous=True, **HASTE),  # type: ignore[arg-type]
        **fields,
    )


Read = Callable[..., tuple[Metrics | None, object]]


def test_a_request_reads_files_and_projects_together(
    server: MonitoringServer, inventory: Inventory, tmp_path: Path
) -> None:
    path = tmp_path / "more.json"
    path.write_text(
        json.dumps(page(time_series(Metric.VM_RECEIVED_BYTES.value, [60], resource=MOVER)))
    )
    request = audit(projects=(PROJECT,), live_metrics=True, metrics=(path,))
    metrics, traffic = read_metrics(request, inventory, lambda _: None, with_flows=True)
    assert metrics is not None
    assert (metrics.coverage.files, metrics.coverage.projects) == (1, (PROJECT,))
    assert len(metrics.series) == 4
    assert traffic is not None
    assert traffic.is_of_metrics


def test_flow_logs_go_before_the_metrics_of_flows(inventory: Inventory, tmp_path: Path) -> None:
    path = tmp_path / "flows.json"
    path.write_text(json.dumps(page(*SERIES)))
    request = audit(metrics=(path,))
    metrics, traffic = read_metrics(request, inventory, lambda _: None, with_flows=False)
    assert traffic is None
    assert metrics is not None
    assert metrics.coverage.notes == (FLOWS_LEFT_OUT,)


def test_without_metrics_nothing_is_known(inventory: Inventory) -> None:
    found = read_metrics(audit(projects=(PROJECT,)), inventory, lambda _: None, with_flows=True)
    assert found == (None, None)
