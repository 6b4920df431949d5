"""The demo of a database on hosts with two links: what it finds, and what each plugin would do."""

import json
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.planning.path_question import PathQuestion
from netplan_planner.renderers import RenderOptions
from netplan_planner.renderers.terminal import render
from netplan_planner.verbs.audit.answer import PluginChange, Report
from netplan_planner.verbs.audit.run import run_audit
from netplan_planner.verbs.predict.answer import PluginTable
from netplan_planner.verbs.predict.ask import OnePath, Pods, Served
from netplan_planner.verbs.predict.run import predict_asked
from netplan_planner.world.demos import DEMO_FOLDER
from netplan_planner.world.request import InputRequest
from support.known import known

REQUEST = InputRequest(demo="percona", today=date(2026, 11, 20))
WRONG, WEAK, OVERLAY = "cni-on-wrong-nic", "db-pod-best-effort", "overlay-penalty"


@cache
def report() -> Report:
    return run_audit(REQUEST)


def rows() -> dict[tuple[str | None, str], PluginChange]:
    changes = known(report().plugin_changes)
    return {(row.plugin, row.encapsulation): row for row in changes.rows}


def test_golden(golden: Callable[[str, str], None]) -> None:
    golden("percona.txt", render(report(), RenderOptions(width=100)))


def test_it_finds_pods_overlay_and_link_and_hosts_do_what_was_measured() -> None:
    found = {finding.rule: finding for finding in report().findings}
    assert {WRONG, WEAK, OVERLAY} <= set(found)
    assert len(found[WRONG].members) == 4
    now, fixed = found[WRONG].throughput_now, found[WRONG].throughput_fixed
    assert now is not None
    assert fixed is not None
    assert now.gbps == pytest.approx(0.90897, abs=5e-6)
    assert fixed.gbps == pytest.approx(9.0897, abs=5e-5)
    assert len(found[WEAK].resources) == 3
    assert dict(report().coverage.resource_counts)["nodes"] == 4
    assert dict(report().coverage.resource_counts)["pods"] == 3
    hosts = rows()[None, "none"]
    assert known(hosts.before.transactions).tps == pytest.approx(2700)
    assert known(hosts.after.transactions).tps == pytest.approx(7300)
    assert {plugin for plugin, _ in rows()} == {
        None,
        "calico",
        "cilium",
        "flannel",
        "flannel-udp",
        "kube-router",
        "sr-iov",
        "weave",
    }
    for row in rows().values():
        for on in (row.before, row.after):
            assert on.transactions is not None
            assert on.transactions.low_tps <= on.transactions.tps <= on.transactions.high_tps
        assert row.source
        assert known(row.before.transactions).tps < known(row.after.transactions).tps


@pytest.mark.parametrize(
    ("plugin", "encapsulation", "packet_bytes", "outside_bytes"),
    [
        ("kube-router", "none", 1500, 1500),
        ("calico", "ipip", 1480, 1500),
        ("flannel", "vxlan", 1450, 1500),
        ("weave", "vxlan", 1376, 1426),
    ],
)
def test_headers_cost_what_frames_of_the_link_leave(
    plugin: str, encapsulation: str, packet_bytes: int, outside_bytes: int
) -> None:
    """52 bytes of IP and TCP inside, 38 of Ethernet around, on links of 1,500 bytes."""
    row = rows()[plugin, encapsulation]
    ratio = (packet_bytes - 52) / (outside_bytes + 38)
    for on, gbps in ((row.before, 1), (row.after, 10)):
        assert on.estimate.gbps == pytest.approx(gbps * ratio, rel=1e-9)


def test_a_row_says_what_predict_says() -> None:
    table = predict_asked(
        OnePath(
            question=PathQuestion(host_link_gbps=10),
            pods=Pods(plugins=("calico,flannel@1",)),
            served=Served(service="percona-xtradb-sysbench-oltp"),
        ),
        replace(REQUEST, demo=None, as_of=date(2019, 11, 1)),
        lambda _: None,
    )
    assert isinstance(table, PluginTable)
    hosts, calico, flannel = (row.prediction.transactions for row in table.rows)
    assert hosts == rows()[None, "none"].after.transactions
    assert calico == rows()["calico", "ipip"].after.transactions
    assert flannel == rows()["flannel", "vxlan"].before.transactions


def _with(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> set[str]:
    """Return the rules that fire on the demo's objects with a change."""
    listed = json.loads((DEMO_FOLDER / "percona/inventory/cluster.json").read_text())
    for item in listed["items"]:
        change(item)
    (tmp_path / "cluster.json").write_text(json.dumps(listed))
    request = InputRequest(
        inventory=(tmp_path,),
        today=REQUEST.today,
        links=(("10.10.0.0/24", 10.0, "given"), ("192.168.1.0/24", 1.0, "given")),
    )
    return {finding.rule for finding in run_audit(request).findings}


def _routed(item: dict[str, Any]) -> None:
    item["metadata"].pop("annotations", None)
    if item["kind"] == "ConfigMap":
        item["data"] = {"net-conf.json": '{"Backend": {"Type": "host-gw"}}'}


def _on_the_fast_link(item: dict[str, Any]) -> None:
    if item["kind"] == "Node":
        notes = item["metadata"]["annotations"]
        address = item["status"]["addresses"][0]["address"]
        notes["flannel.alpha.coreos.com/public-ip"] = address


def _guaranteed(item: dict[str, Any]) -> None:
    if item["kind"] == "Pod":
        item["status"]["qosClass"] = "Guaranteed"


def test_each_finding_goes_with_its_cause(tmp_path: Path) -> None:
    expected = {WRONG, WEAK, OVERLAY}
    for change, gone in ((_routed, OVERLAY), (_on_the_fast_link, WRONG), (_guaranteed, WEAK)):
        found = _with(tmp_path, change) & expected
        assert gone not in found
        assert expected - found <= {gone, WRONG}
