"""Configurations of flow logs: as gcloud lists them, as the API answers, and as assets."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import googleapiclient
import pytest

from netplan_planner.google.compute import read_projects
from netplan_planner.google.options import ApiOptions
from netplan_planner.google.other_apis import (
    LOCATED_APIS,
    NETWORK_MANAGEMENT,
    SCOPE,
    ListMethod,
    LocatedApi,
    located_endpoint,
)
from netplan_planner.model import FlowLogConfig, Inventory, SelfLink
from netplan_planner.readers import read_inventory
from support.servers.compute import ComputeServer
from support.servers.hostile import Asked, HostileServer, json_answer

(METHOD,) = NETWORK_MANAGEMENT.methods
COLLECTION = METHOD.kind.collection
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
ALL: list[dict[str, Any]] = [EVERYWHERE, THIN, TUNNEL, WHOLE]

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


def answers(asked: Asked) -> bytes:
    """Answer two pages for `p`, a refusal for `closed`, and that the API is off for `off`."""
    project = asked.path.split("/")[3]
    assert asked.path == f"/v1/projects/{project}/locations/global/{COLLECTION}"
    if project != "p":
        reason = "SERVICE_DISABLED" if project == "off" else "IAM_PERMISSION_DENIED"
        error = {"code": 403, "message": "no", "details": [{"reason": reason}]}
        return json_answer({"error": error}, status=403)
    if "pageToken" in asked.query:
        return json_answer({COLLECTION: ALL[1:3]})
    return json_answer({COLLECTION: ALL[3:], "nextPageToken": "more"})


@pytest.fixture
def network_management(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with HostileServer(answers) as server:
        monkeypatch.setenv(NETWORK_MANAGEMENT.variable, f"{server.url}/v1/")
        yield


def live(project: str) -> Inventory:
    with ComputeServer() as compute:
        compute.add_project(project)
        options = ApiOptions(endpoint=compute.url, is_anonymous=True, max_attempts=1)
        return read_projects([project], options)


@pytest.mark.usefixtures("network_management")
def test_the_live_api_is_asked_page_by_page() -> None:
    inventory = live("p")
    names = [c.name for c in inventory.flow_log_configurations]
    assert (names, inventory.unread) == (["thin", "tunnel", "whole"], ())


@pytest.mark.usefixtures("network_management")
@pytest.mark.parametrize(
    ("project", "said"), [("off", "is disabled"), ("closed", METHOD.permission)]
)
def test_what_the_live_api_refuses_is_noted(project: str, said: str) -> None:
    inventory = live(project)
    (unread,) = inventory.unread
    assert said in unread.reason
    # Where it is switched off there is nothing to read.
    assert unread.is_needless == (project == "off")
    assert not any(p.errors for p in inventory.projects)


@pytest.mark.parametrize("api", LOCATED_APIS, ids=[api.name for api in LOCATED_APIS])
def test_a_stand_in_for_compute_says_nothing_of_the_other_api(api: LocatedApi) -> None:
    replaced = ApiOptions(endpoint="http://127.0.0.1:1", is_anonymous=True)
    assert located_endpoint(api, replaced, {}) is None
    own = located_endpoint(api, ApiOptions(), {})
    assert own is not None
    assert own.base_url == api.endpoint


METHODS = [(api, method) for api in LOCATED_APIS for method in api.methods]


@pytest.mark.parametrize(("api", "method"), METHODS, ids=[method.id for _, method in METHODS])
def test_the_method_is_the_documents(api: LocatedApi, method: ListMethod) -> None:
    folder = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"
    name = method.id.partition(".")[0]
    assert api.endpoint == f"https://{name}.googleapis.com/v1/"
    found = json.loads((folder / f"{name}.v1.json").read_text(encoding="utf-8"))
    for part in method.id.split(".")[1:-1]:
        found = found["resources"][part]
    document = found["methods"]["list"]
    assert (document["id"], document["httpMethod"]) == (method.id, "GET")
    assert document["scopes"] == [SCOPE]
    assert {"pageSize", "pageToken"} <= document["parameters"].keys()
    parent = document["parameters"]["parent"]["pattern"]
    assert re.fullmatch(parent, f"projects/p/locations/{method.location}")
    assert document["path"].endswith(f"/{method.kind.collection}")
