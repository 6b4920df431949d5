"""What doctor says of flow logs: each subnetwork's settings, and what they cost at most."""

from collections.abc import Iterator
from datetime import date

import pytest

from netplan_planner.google.monitoring import MONITORING_VARIABLE
from netplan_planner.google.options import ApiOptions
from netplan_planner.google.other_apis import NETWORK_MANAGEMENT
from netplan_planner.model import Metric
from netplan_planner.verbs.doctor.answer import SubnetworkLogs
from netplan_planner.verbs.doctor.ask import DoctorAsk
from netplan_planner.verbs.doctor.run import examine
from support.commands.in_process import netplan
from support.metrics.series import time_series
from support.projects import one_project
from support.servers.compute import ComputeServer, Fault
from support.servers.hostile import HostileServer, json_answer
from support.servers.monitoring import MonitoringServer

TODAY = date(2026, 5, 10)
"""Ten days after the embedded snapshot."""


@pytest.fixture
def server() -> Iterator[ComputeServer]:
    with ComputeServer() as made:
        made.add_project(one_project.PROJECT, one_project.resources())
        yield made


def logs(url: str) -> tuple[SubnetworkLogs, ...]:
    api = ApiOptions(endpoint=url, is_anonymous=True, max_attempts=1)
    request = DoctorAsk(projects=(one_project.PROJECT,), api=api)
    return examine(request, TODAY).flow_logs


def predicted(**records_per_minute: int) -> list[dict[str, object]]:
    """Two hours of the metric, by subnetwork of `us-central1`, `_` for `-`."""
    return [
        time_series(
            Metric.PREDICTED_LOGS.value,
            [count] * 120,
            resource={
                "project_id": one_project.PROJECT,
                "location": "us-central1",
                "subnetwork_name": name.replace("_", "-"),
                "subnetwork_id": str(number),
            },
            resource_type="gce_subnetwork",
        )
        for number, (name, count) in enumerate(records_per_minute.items())
    ]


@pytest.fixture
def monitoring(monkeypatch: pytest.MonkeyPatch) -> Iterator[MonitoringServer]:
    with MonitoringServer() as made:
        made.add_project(one_project.PROJECT)
        monkeypatch.setenv(MONITORING_VARIABLE, made.url)
        yield made


MONTH_MINUTES = 730 * 60
USD_PER_GIB = 0.5
"""A quarter of a dollar to make a GiB of records, a quarter to store it, up to 10 TiB a month."""


def usd(records: float) -> float:
    return records * 1418 / 2**30 * USD_PER_GIB


def test_each_subnetwork_has_its_logs(server: ComputeServer, monitoring: MonitoringServer) -> None:
    monitoring.add_series(one_project.PROJECT, predicted(a_central=1000, b_central=9000))
    found = logs(server.url)
    assert monitoring.problems == []
    by_name = {one.name: one for one in found}
    # On before off, whatever it would cost; what is not known last.
    assert list(by_name) == ["a-central", "b-central", "a-west"]
    logged, off, unknown = by_name.values()
    assert [(one.sampling_ratio, one.interval_s, one.has_metadata) for one in logged.settings] == [
        (0.5, 5, True)
    ]
    assert logged.most_records_per_month == 1000 * MONTH_MINUTES
    assert float(logged.usd_per_month or 0) == pytest.approx(usd(500 * MONTH_MINUTES), rel=1e-4)
    assert (off.settings, off.is_on) == ((), False)
    assert float(off.usd_per_month or 0) == pytest.approx(usd(9000 * MONTH_MINUTES), rel=1e-4)
    assert (unknown.most_records_per_month, unknown.usd_per_month) == (None, None)
    assert unknown.why_not == "the metric has no series of it in 14 days"


def test_each_configuration_of_a_subnetwork_is_paid_for(
    server: ComputeServer, monitoring: MonitoringServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitoring.add_series(one_project.PROJECT, predicted(a_central=1000))
    link = f"projects/{one_project.PROJECT}/regions/us-central1/subnetworks/a-central"
    configuration = {
        "name": f"projects/{one_project.PROJECT}/locations/global/vpcFlowLogsConfigs/again",
        "state": "ENABLED",
        "aggregationInterval": "INTERVAL_5_SEC",
        "flowSampling": 0.25,
        "metadata": "EXCLUDE_ALL_METADATA",
        "subnet": link,
    }
    body = json_answer({"vpcFlowLogsConfigs": [configuration]})
    with HostileServer(lambda _: body) as other:
        monkeypatch.setenv(NETWORK_MANAGEMENT.variable, f"{other.url}/v1/")
        one = next(one for one in logs(server.url) if one.name == "a-central")
    assert len(one.settings) == 2
    bare = 250 * MONTH_MINUTES * 542 / 2**30 * USD_PER_GIB
    both = usd(500 * MONTH_MINUTES) + bare
    assert float(one.usd_per_month or 0) == pytest.approx(both, rel=1e-4)


@pytest.mark.parametrize("is_refused", [True, False])
def test_a_cost_that_nobody_tells_is_not_known(
    server: ComputeServer, monkeypatch: pytest.MonkeyPatch, *, is_refused: bool
) -> None:
    if is_refused:
        with MonitoringServer() as monitoring:
            monitoring.add_project(one_project.PROJECT)
            monitoring.add_fault(Fault(status=403, reason="forbidden"))
            monkeypatch.setenv(MONITORING_VARIABLE, monitoring.url)
            found = logs(server.url)
    else:
        found = logs(server.url)
    assert len(found) == 3
    assert {one.usd_per_month for one in found} == {None}
    said = "monitoring.timeSeries.list" if is_refused else "Cloud Monitoring's is not"
    assert all(said in one.why_not for one in found)


def test_the_table_says_what_is_open(server: ComputeServer, monitoring: MonitoringServer) -> None:
    monitoring.add_series(one_project.PROJECT, predicted(b_central=9000))
    words = ("--anonymous", "--today", TODAY.isoformat(), "--max-attempts", "1")
    found = netplan(
        "doctor", "--project", one_project.PROJECT, "--api-endpoint", server.url, *words
    )
    rows = found.out.partition("Flow logs by subnetwork")[2].partition("What to do")[0]
    a_central = next(line for line in rows.splitlines() if "a-central" in line)
    assert "0.5, 5 s, metadata" in a_central
    assert "unknown" in a_central
    assert "$0" not in rows
    # Nothing is said of the sum of those that are on: none of it is known.
    assert "cost up to" not in rows
    assert f"--project {one_project.PROJECT} --traffic cloud-logging" in rows
