"""Organisations and folders from the live Cloud Asset Inventory, and what is left out of them."""

import json
from typing import Any

import pytest

from netplan_planner.errors import AccessError, UsageError
from netplan_planner.google.assets import (
    ASSETS_VARIABLE,
    COMPUTE_TYPES,
    METHOD_ID,
    PAGE_SIZE,
    PERMISSION,
    SCOPE,
    read_assets,
)
from netplan_planner.google.options import ApiOptions, parent_of
from netplan_planner.model import Inventory
from netplan_planner.readers import without_projects
from netplan_planner.readers.cloud_asset import MEMBERSHIP
from netplan_planner.readers.compute.kinds import KINDS
from support.commands.run import run_verbs
from support.projects import hubs
from support.servers.assets import AssetServer
from support.servers.discovery import discovery
from support.servers.documented import Fault

ORGANISATION, FOLDER = "organizations/1", "folders/2"
HOST_SUBNET = "projects/host/regions/us-east1/subnetworks/shared"
HASTE = ApiOptions(is_anonymous=True, max_attempts=2, backoff_initial_s=0.0, timeout_s=5)
Json = dict[str, Any]


def asset(link: str, kind: str, **data: Any) -> Json:
    return {
        "name": f"//compute.googleapis.com/{link}",
        "assetType": f"compute.googleapis.com/{kind}",
        "ancestors": [f"projects/{link.split('/')[1]}", "organizations/1"],
        "resource": {
            "version": "v1",
            "data": {
                "name": link.rpartition("/")[2],
                "selfLink": f"https://www.googleapis.com/compute/v1/{link}",
                **data,
            },
        },
    }


def vm(project: str, name: str = "a", subnetwork: str = HOST_SUBNET) -> Json:
    zone = f"projects/{project}/zones/us-east1-b"
    network = "projects/host/global/networks/n"
    nic = {"network": network, "subnetwork": subnetwork, "networkIP": "10.0.0.2"}
    return asset(
        f"{zone}/instances/{name}",
        "Instance",
        zone=zone,
        machineType=f"{zone}/machineTypes/n2-standard-4",
        status="RUNNING",
        networkInterfaces=[nic],
    )


def subnet() -> Json:
    region = HOST_SUBNET.partition("/subnetworks")[0]
    network = "projects/host/global/networks/n"
    cidr = "10.0.0.0/24"
    return asset(HOST_SUBNET, "Subnetwork", region=region, network=network, ipCidrRange=cidr)


def group(project: str) -> Json:
    zone = f"projects/{project}/zones/us-east1-b"
    return asset(f"{zone}/instanceGroups/g", "InstanceGroup", zone=zone, size=1)


def in_group(project: str, name: str = "a") -> Json:
    zone = f"projects/{project}/zones/us-east1-b"
    related = {
        "asset": f"//compute.googleapis.com/{zone}/instanceGroups/g",
        "assetType": "compute.googleapis.com/InstanceGroup",
        "relationshipType": MEMBERSHIP,
    }
    one = vm(project, name)
    return {"name": one["name"], "assetType": one["assetType"], "relatedAsset": related}


CONFIGURATION = {
    "name": "//networkmanagement.googleapis.com/organizations/1/locations/global"
    "/vpcFlowLogsConfigs/all",
    "assetType": "networkmanagement.googleapis.com/VpcFlowLogsConfig",
    "resource": {
        "data": {"name": "organizations/1/locations/global/vpcFlowLogsConfigs/all"},
    },
}
OTHER = asset("projects/web/global/images/i", "Image")
ALL = [vm("web"), vm("db", "b"), subnet(), group("web"), in_group("web"), CONFIGURATION, OTHER]


def read(
    server: AssetServer, monkeypatch: pytest.MonkeyPatch, *parents: str, **changes: Any
) -> Inventory:
    monkeypatch.setenv(ASSETS_VARIABLE, server.url)
    options = ApiOptions(**{**{f: getattr(HASTE, f) for f in HASTE.__struct_fields__}, **changes})
    return read_assets(parents or [ORGANISATION], options)


@pytest.mark.parametrize("limit", [1, 2, 1000])
def test_an_organisation_is_read_page_by_page(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    with AssetServer({ORGANISATION: ALL}, page_limit=limit) as server:
        inventory = read(server, monkeypatch)
    assert [str(p.project) for p in inventory.projects] == ["db", "host", "web"]
    assert [i.name for i in inventory.instances] == ["b", "a"]
    # A service project's machine finds the host project's subnetwork.
    for instance in inventory.instances:
        assert instance.interfaces[0].subnetwork in inventory.subnetwork_by_link
    (configuration,) = inventory.flow_log_configurations
    assert configuration.covers(inventory.subnetworks[0])
    assert [g.members for g in inventory.instance_groups] == [
        (inventory.instances[1].ref.self_link,)
    ]
    assert inventory.unread == ()
    asked = server.calls[0]
    assert asked.parameter("pageSize") == str(PAGE_SIZE)
    assert inventory.instances[0].ref.source.startswith(f"{METHOD_ID} {ORGANISATION}:/assets/")


def test_several_parents_are_one_inventory(monkeypatch: pytest.MonkeyPatch) -> None:
    with AssetServer({ORGANISATION: [vm("web")], FOLDER: [vm("web"), subnet()]}) as server:
        inventory = read(server, monkeypatch, ORGANISATION, FOLDER, ORGANISATION)
        # No group has members that are not known, so that nobody is asked for them.
        assert len(server.calls) == 4
    assert (len(inventory.instances), len(inventory.subnetworks)) == (1, 1)


def test_hubs_and_spokes_are_asked_for_beside_resources(monkeypatch: pytest.MonkeyPatch) -> None:
    own = [hubs.asset(one) for one in (hubs.hub(), hubs.vpc_spoke("a"))]
    with AssetServer({ORGANISATION: [vm("web"), *own]}) as server:
        inventory = read(server, monkeypatch)
    assert [one.name for one in inventory.hubs] == ["main"]
    assert [(one.name, one.is_active) for one in inventory.spokes] == [("a", True)]


def test_what_is_refused_beside_resources_costs_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with AssetServer({ORGANISATION: ALL}, has_relationships=False) as server:
        server.add_fault(Fault(status=400, message="unknown type", skip=1, times=1))
        inventory = read(server, monkeypatch)
    assert len(inventory.instances) == 2
    assert {(u.is_needless, u.reason.rpartition("; ")[2]) for u in inventory.unread} == {
        (False, "configurations of flow logs, hubs and spokes are unknown"),
        (True, "members of unmanaged instance groups are unknown"),
    }


@pytest.mark.parametrize(("fault", "said"), [
    (Fault(status=403, reason="forbidden"), PERMISSION),
    (Fault(status=403, reason="SERVICE_DISABLED"), "gcloud services enable cloudasset"),
    (Fault(status=404), "no organizations/1"),
])  # fmt: skip
def test_refusals_say_what_to_do(monkeypatch: pytest.MonkeyPatch, fault: Fault, said: str) -> None:
    with AssetServer({ORGANISATION: ALL, FOLDER: ALL}) as server:
        fault.project = ORGANISATION
        server.add_fault(fault)
        with pytest.raises(AccessError, match=said):
            read(server, monkeypatch)
        inventory = read(server, monkeypatch, ORGANISATION, FOLDER)
    assert len(inventory.instances) == 2
    assert any(said in u.reason and not u.is_needless for u in inventory.unread)


def test_a_stand_in_for_compute_says_nothing_of_assets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ASSETS_VARIABLE, raising=False)
    with pytest.raises(UsageError, match=ASSETS_VARIABLE):
        read_assets([ORGANISATION], ApiOptions(endpoint="http://127.0.0.1:1", is_anonymous=True))


@pytest.mark.parametrize("text", ["example.com", "folders/2", "organizations/x", "", "1/2"])
def test_an_organisation_is_named_by_its_number(text: str) -> None:
    assert parent_of("organizations", " organizations/12 ") == "organizations/12"
    assert parent_of("folders", "34") == "folders/34"
    with pytest.raises(UsageError, match="--organization needs a number"):
        parent_of("organizations", text)


def test_the_method_and_the_types_are_the_documents() -> None:
    judge = discovery("cloudasset")
    method = judge.methods[METHOD_ID]
    assert method.is_read
    assert {"assetTypes", "contentType", "relationshipTypes", "pageToken"} <= method.parameters
    assert SCOPE in judge.document["resources"]["assets"]["methods"]["list"]["scopes"]
    bare = {t.removeprefix("Global").removeprefix("Region") for t in COMPUTE_TYPES}
    titles = {k.singular[:1].upper() + k.singular[1:] for k in KINDS}
    assert bare == titles - {"MachineType"}


def test_projects_that_fit_a_pattern_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with AssetServer({ORGANISATION: ALL}) as server:
        whole = read(server, monkeypatch)
    found = without_projects(whole, ["we*", "none-*"])
    assert [str(p.project) for p in found.projects] == ["db", "host"]
    assert (len(found.instances), found.instance_groups) == (1, ())
    assert [(u.reason, u.is_needless) for u in found.unread] == [
        ("project web: 2 resources excluded, as requested", True),
        ("no project matches 'none-*'", True),
    ]
    assert without_projects(whole, []) is whole


def audit(*arguments: str, **environment: str) -> tuple[int, Json, str]:
    words = ["audit", "--today", "2026-11-20", "--fail-on", "never", "--anonymous", "-o", "json"]
    done = run_verbs(arguments=[*words, *arguments], **environment)
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def test_an_organisation_is_audited_and_what_is_missing_is_said() -> None:
    with AssetServer({ORGANISATION: ALL}, has_relationships=False) as server:
        variable = {ASSETS_VARIABLE: server.url}
        status, whole, told = audit("--organization", "1", **variable)
        assert status == 0, told
        assert whole["projects"] == ["db", "host", "web"]
        (groups,) = whole["coverage"]["notes"]
        assert groups.startswith("1 unmanaged instance group with unknown members (g)")
        without = ("--organization", "1", "--exclude-project", "host,db")
        _, part, _ = audit(*without, **variable)
        hosts, _ = part["coverage"]["notes"]
        assert hosts.startswith("1 VM of other projects is in shared networks of host")
        assert "which was not read (--project host)" in hosts
        assert part["projects"] == ["web"]
        status, _, told = audit("--folder", "example", **variable)
        assert (status, "--folder needs a number" in told) == (2, True)
