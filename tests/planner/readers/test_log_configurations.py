"""Configurations of flow logs: as gcloud lists them, as the API answers, and as assets."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import FlowLogConfig, Inventory, SelfLink
from netplan_planner.readers import read_inventory

ROOT = "projects/p/locations/global/vpcFlowLogsConfigs"
NETWORK = "projects/p/global/networks/default"
SUBNET = "projects/p/regions/us-central1/subnetworks/default"
WHOLE = {
    "name": f"{ROOT}/whole",
    "network": NETWORK,
    "createTime": "2026-01-01T00:00:00Z",
    "targetResourceState": "TARGET_RESOURCE_EXISTS",
}
THIN = {
    "name": f"{ROOT}/thin",
    "subnet": SUBNET,
    "state": "DISABLED",
    "flowSampling": 0.25,
    "aggregationInterval": "INTERVAL_10_MIN",
    "metadata": "EXCLUDE_ALL_METADATA",
    "filterExpr": "inIpRange(connection.src_ip, '10.0.0.0/8')",
}
TUNNEL = {"name": f"{ROOT}/tunnel", "vpnTunnel": "projects/p/regions/us-central1/vpnTunnels/t"}
EVERYWHERE = {"name": "organizations/12/locations/global/vpcFlowLogsConfigs/all"}
ALL = [EVERYWHERE, THIN, TUNNEL, WHOLE]

COMPUTE = {
    "kind": "compute#subnetwork",
    "name": "default",
    "ipCidrRange": "10.0.0.0/24",
    "network": NETWORK,
    "region": "us-central1",
    "selfLink": SUBNET,
    "logConfig": {"enable": False},
}


def asset(configuration: dict[str, Any]) -> dict[str, Any]:
    kind = "networkmanagement.googleapis.com/VpcFlowLogsConfig"
    name = f"//networkmanagement.googleapis.com/{configuration['name']}"
    return {"name": name, "assetType": kind, "resource": {"data": configuration}}


FORMATS = {
    "gcloud": ALL,
    "API": {"vpcFlowLogsConfigs": ALL},
    "assets": [asset(one) for one in ALL],
}


def read(folder: Path, configurations: object) -> Inventory:
    (folder / "compute.json").write_text(json.dumps([COMPUTE]))
    (folder / "configurations.json").write_text(json.dumps(configurations))
    return read_inventory([folder])


@pytest.mark.parametrize("written", FORMATS.values(), ids=FORMATS)
def test_every_format_reads_to_the_same(tmp_path: Path, written: object) -> None:
    inventory = read(tmp_path, written)
    assert inventory.unread == ()
    found = {c.name: c for c in inventory.flow_log_configurations}
    assert set(found) == {"all", "thin", "tunnel", "whole"}
    assert found["whole"].network == SelfLink(NETWORK)
    assert found["whole"].logs == FlowLogConfig(
        enabled=True, sampling_ratio=1.0, aggregation_interval="INTERVAL_5_SEC"
    )
    assert found["thin"].subnetwork == SelfLink(SUBNET)
    assert (found["thin"].logs.enabled, found["thin"].logs.sampling_ratio) == (False, 0.25)
    assert found["tunnel"].gateway is not None
    assert [str(p.project) for p in inventory.projects] == ["p"]


def test_a_subnetwork_is_logged_by_what_covers_it_and_is_enabled(tmp_path: Path) -> None:
    inventory = read(tmp_path, ALL)
    (subnetwork,) = inventory.subnetworks
    covering = {c.name for c in inventory.flow_log_configurations if c.covers(subnetwork)}
    assert covering == {"all", "thin", "whole"}
    assert [logs.enabled for logs in inventory.logging_of(subnetwork)] == [True, True]


def test_a_page_that_goes_on_is_told(tmp_path: Path) -> None:
    inventory = read(tmp_path, {"vpcFlowLogsConfigs": [WHOLE], "nextPageToken": "more"})
    (unread,) = inventory.unread
    assert "nextPageToken" in unread.reason
