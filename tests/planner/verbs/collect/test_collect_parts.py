"""Metrics and the traffic of pods are parts of a bundle of their own, with the same report."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.bundle_file import manifest_of, part_of
from netplan_planner.clusters.databases import database_of
from netplan_planner.clusters.network import networks_of
from netplan_planner.clusters.services import service_traffic
from netplan_planner.google.monitoring import MONITORING_VARIABLE
from netplan_planner.model import Facts, Metric
from netplan_planner.readers import read_inventory
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import InputRequest
from support.commands.audits import collected, report_of
from support.commands.in_process import netplan
from support.flows.entries import entries
from support.flows.records import Json, entry
from support.known import known
from support.metrics.series import machine, page, time_series
from support.projects import one_cluster, one_project
from support.rules.no_io import no_sockets
from support.servers.compute import ComputeServer
from support.servers.monitoring import MonitoringServer

TODAY = ("--today", "2026-11-20")
PARTS = {"inventory.json", "metrics.json", "pod-traffic.json", "prices.snapshot", "traffic.json"}
MOVER = machine("4100000000000000001", "us-central1-a")


def pods(name: str, namespace: str, service: str | None = None) -> Json:
    found: Json = {
        "cluster": {"cluster_name": "shop"},
        "pod": {"pod_name": name, "pod_namespace": namespace},
    }
    if service:
        found["service"] = [{"service_name": service, "service_namespace": namespace}]
    return found


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    folder = tmp_path_factory.mktemp("parts")
    cluster = one_cluster.write_kubernetes("list", folder / "cluster")
    inventory = read_inventory([one_project.FOLDER / "gcloud"])
    first, second = (i.name for i in inventory.instances[:2])
    flows = list(
        entries(inventory, {"minutes": 5, "flows": [{"src": first, "dst": second, "gbps": 2}]})
    )
    at = flows[0]["jsonPayload"]["start_time"]
    own = entry("10.8.0.7", "10.8.1.7", 10**9, ports=(40_000, 3306))
    own["jsonPayload"] |= {
        "start_time": at,
        "end_time": flows[0]["jsonPayload"]["end_time"],
        "src_gke_details": pods("web-75b66db9b9-aaaaa", "shop"),
        "dest_gke_details": pods("db-0", "shop", "db"),
    }
    (folder / "flows.json").write_text("\n".join(map(json.dumps, [*flows, own])) + "\n")
    series = [
        time_series(Metric.VM_SENT_BYTES.value, [200e9, 100e9] * 60, resource=MOVER),
        time_series(Metric.VM_CPU.value, [0.2] * 120, resource=MOVER, kind="GAUGE"),
    ]
    (folder / "series.json").write_text(json.dumps(page(*series)))
    return (
        *("--inventory", str(one_project.FOLDER / "gcloud"), "--inventory", str(cluster)),
        *("--traffic", str(folder / "flows.json"), "--metrics", str(folder / "series.json")),
    )


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory, given: tuple[str, ...]) -> Path:
    return collected(tmp_path_factory.mktemp("bundle"), *given)


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory, given: tuple[str, ...]) -> Path:
    return collected(tmp_path_factory.mktemp("hidden"), *given, "--pseudonymise")


def facts_of(bundle: Path) -> Facts:
    asked = InputRequest(
        today=date(2026, 11, 20),
        inventory=(bundle,),
        traffic=(bundle,),
        metrics=(bundle,),
        prices=bundle,
    )
    return read_facts(asked, None, lambda _: None)


def test_each_is_a_part_of_it(tmp_path: Path, given: tuple[str, ...], bundle: Path) -> None:
    assert {part.name for part in manifest_of(bundle).parts} == PARTS
    whole = report_of(tmp_path, *given)
    assert whole["coverage"]["metrics"]["series_count"] == 2
    updated = "netplan prices refresh"
    said = f"{updated} --out prices, then --prices prices"
    own = {**whole, "price_age": whole["price_age"].replace(updated, said)}
    assert own["price_age"] != whole["price_age"]
    assert report_of(tmp_path, "--bundle", str(bundle)) == own
    assert report_of(tmp_path, str(bundle)) == own
    again = collected(tmp_path, "--bundle", str(bundle))
    assert again.read_bytes() == bundle.read_bytes()
    facts = facts_of(bundle)
    assert [(f.src.workload, f.dst.workload) for f in known(facts.pod_traffic).flows] == [
        ("shop/web", "shop/db")
    ]
    assert len(known(facts.metrics).series) == 2


def told(facts: Facts) -> list[Any]:
    """What is concluded of a cluster, without its names."""
    kubernetes, traffic = facts.inventory.kubernetes, facts.pod_traffic
    assert kubernetes is not None
    assert traffic is not None
    (network,) = networks_of(kubernetes)
    settings = (network.plugin, network.encapsulation, network.interface, network.mtu)
    signs = [sign.database for pod in kubernetes.pods or () if (sign := database_of(pod))]
    services = [
        (one.region, len(one.clients), one.near, one.why_not, one.service.prefers_near)
        for one in service_traffic(kubernetes, traffic)
    ]
    return [[setting and setting.value for setting in settings], signs, services]


def test_under_other_names_a_cluster_is_judged_alike(bundle: Path, hidden: Path) -> None:
    whole, other = facts_of(bundle), facts_of(hidden)
    assert told(whole)[0][:3] == ["flannel", "vxlan", "eth1"]
    assert told(whole)[1] == ["Percona XtraDB Cluster"]
    assert len(told(whole)[2]) == 1
    assert told(other) == told(whole)
    assert other.metrics is not None
    by_metric = {one.metric: one.p95 for one in known(whole.metrics).series}
    assert {one.metric: one.p95 for one in other.metrics.series} == by_metric
    links = {one.resource.link for one in other.metrics.series}
    assert links <= set(other.inventory.instance_by_link)
    text = b"".join(part_of(hidden, part) or b"" for part in PARTS if part.endswith("json"))
    # Whole addresses: of a range as large as 10.112.0.0/14 the replaced one may be 10.8.0.0/14.
    addresses = (b'"10.8.0.7"', b'"10.8.0.0/24"', b'"10.9.0.5"')
    for word in (b"shop", b"only-web", b"75b66db9b9", *addresses, b"4100000000"):
        assert word not in text, text[max(text.find(word) - 100, 0) : text.find(word) + 40]


def of_a_live_project(folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> Path:
    """Return a bundle of a project and what Cloud Monitoring says of its subnetworks."""
    predicted = [
        time_series(
            Metric.PREDICTED_LOGS.value,
            [60_000] * 120,
            resource={
                "project_id": one_project.PROJECT,
                "location": "us-central1",
                "subnetwork_name": name,
                "subnetwork_id": str(number),
            },
            resource_type="gce_subnetwork",
        )
        for number, name in enumerate(("a-central", "b-central", "plantedmark"))
    ]
    with ComputeServer() as compute, MonitoringServer() as monitoring:
        compute.add_project(one_project.PROJECT, one_project.resources())
        monitoring.add_series(one_project.PROJECT, predicted)
        monkeypatch.setenv(MONITORING_VARIABLE, monitoring.url)
        api = ("--project", one_project.PROJECT, "--api-endpoint", compute.url, "--anonymous")
        found = collected(folder, *api, *words)
        assert Metric.PREDICTED_LOGS.value in monitoring.asked_metrics()
        assert monitoring.problems == []
    return found


def log_costs(bundle: Path) -> dict[str, Any]:
    with no_sockets():
        done = netplan("flow-logs", "cost", "--bundle", str(bundle), "--output", "json")
    assert done.status == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_what_logs_would_cost_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hidden").mkdir()
    bundle = of_a_live_project(tmp_path, monkeypatch)
    hidden = of_a_live_project(tmp_path / "hidden", monkeypatch, "--pseudonymise")
    whole, other = log_costs(bundle), log_costs(hidden)
    rows = {one["name"]: one["volume"]["records_per_month"] for one in whole["writers"]}
    month = 1000 * 3600 * 730
    names = ("a-central", "b-central", "plantedmark")
    assert rows == {f"us-central1/{name}": month for name in names}
    assert other["usd_per_month"] == whole["usd_per_month"]
    held = {one.name for one in read_inventory([hidden]).subnetworks}
    shown = {one["name"].partition("/")[2] for one in other["writers"]}
    # The one that is no longer there is in no inventory; words that tell copies apart stay.
    assert len(shown & held) == 2
    assert len(shown) == 3
    assert b"plantedmark" not in b"".join(
        part_of(hidden, one.name) or b""
        for one in manifest_of(hidden).parts
        if one.name.endswith(".json")
    )


def test_unwanted_metrics_are_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ComputeServer() as compute, MonitoringServer() as monitoring:
        compute.add_project(one_project.PROJECT, one_project.resources())
        monitoring.add_project(one_project.PROJECT)
        monkeypatch.setenv(MONITORING_VARIABLE, monitoring.url)
        api = ("--project", one_project.PROJECT, "--api-endpoint", compute.url, "--anonymous")
        collected(tmp_path, *api, "--no-live-metrics")
        assert monitoring.asked_metrics() == []
        assert netplan("audit", *api, *TODAY, "--fail-on", "never").status == 0
        # Rules use it nowhere.
        assert Metric.PREDICTED_LOGS.value not in monitoring.asked_metrics()
        assert Metric.VM_CPU.value in monitoring.asked_metrics()


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["audit", "FILE", "OTHER"], 2, "only one bundle can be read"),
        (
            ["audit", "FILE", "--metrics", "SERIES"],
            3,
            "a bundle holds summaries of metrics, which cannot be combined with others",
        ),
        (["audit", "FILE", "--since", "2026-01-01"], 2, "collect again"),
    ],
)
def test_what_cannot_be_is_said(
    words: list[str], status: int, said: str, bundle: Path, hidden: Path, given: tuple[str, ...]
) -> None:
    named = {"FILE": str(bundle), "OTHER": str(hidden), "SERIES": given[-1]}
    done = netplan(*(named.get(word, word) for word in words))
    assert (done.status, said in done.err) == (status, True), done.err
