"""An external address that names no network tier has its project's default, where that is known."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.google.assets import COMPUTE_TYPES
from netplan_planner.google.compute import read_projects
from netplan_planner.google.compute_methods import METHODS, PROJECT_ID
from netplan_planner.google.options import ApiOptions
from netplan_planner.model import Inventory
from netplan_planner.readers.collector import merge_inventories
from netplan_planner.readers.files import read_inventory
from netplan_planner.world.not_read import unresolved
from support.projects import plans
from support.servers.compute import ComputeServer

API = "https://www.googleapis.com/compute/v1"
PROJECT = {
    "kind": "compute#project",
    "name": "p",
    "selfLink": f"{API}/projects/p",
    "defaultNetworkTier": "STANDARD",
}


def machine(name: str, **access: str) -> dict[str, Any]:
    return {
        "kind": "compute#instance",
        "name": name,
        "zone": f"{API}/projects/p/zones/us-central1-a",
        "selfLink": f"{API}/projects/p/zones/us-central1-a/instances/{name}",
        "machineType": f"{API}/projects/p/zones/us-central1-a/machineTypes/e2-small",
        "status": "RUNNING",
        "networkInterfaces": [
            {
                "network": f"{API}/projects/p/global/networks/n",
                "networkIP": "10.0.0.2",
                "accessConfigs": [{"name": "External NAT", **access}] if access else [],
            }
        ],
    }


def address(name: str, place: str, **stated: str) -> dict[str, Any]:
    return {
        "kind": "compute#address",
        "name": name,
        "address": "203.0.113.9",
        "selfLink": f"{API}/projects/p/{place}/addresses/{name}",
        **stated,
    }


RESOURCES = {
    "instances": [
        machine("bare", natIP="203.0.113.1"),
        machine("told", natIP="203.0.113.2", networkTier="PREMIUM"),
        machine("inside"),
    ],
    "addresses": [
        address("here", "regions/us-central1"),
        address("paid", "regions/us-central1", networkTier="PREMIUM"),
        address("inner", "regions/us-central1", addressType="INTERNAL"),
        address("world", "global"),
    ],
    "forwardingRules": [
        {
            "kind": "compute#forwardingRule",
            "name": "front",
            "selfLink": f"{API}/projects/p/regions/us-central1/forwardingRules/front",
            "IPAddress": "203.0.113.3",
            "loadBalancingScheme": "EXTERNAL",
        }
    ],
}
ALL = [one for several in RESOURCES.values() for one in several]


def tiers(inventory: Inventory) -> dict[str, str | None]:
    """Return the tier of each, by name."""
    found = {one.name: one.interfaces[0].network_tier for one in inventory.instances}
    found |= {one.name: one.network_tier for one in inventory.addresses}
    return found | {one.name: one.network_tier for one in inventory.forwarding_rules}


STANDARD = {
    **{"bare": "STANDARD", "told": "PREMIUM", "inside": None},
    **{"here": "STANDARD", "paid": "PREMIUM", "inner": None, "world": None, "front": "STANDARD"},
}
UNKNOWN = {name: None if tier == "STANDARD" else tier for name, tier in STANDARD.items()}


def of_files(folder: Path, **documents: object) -> Inventory:
    files = []
    for name, document in documents.items():
        files.append(folder / f"{name}.json")
        files[-1].write_text(json.dumps(document))
    return read_inventory(files)


def test_what_names_no_tier_has_the_projects(tmp_path: Path) -> None:
    assert tiers(of_files(tmp_path, all=ALL)) == UNKNOWN
    assert tiers(of_files(tmp_path, all=ALL, project=PROJECT)) == STANDARD
    (note,) = unresolved(of_files(tmp_path, all=ALL), None)
    assert note.startswith("3 resources with an external IP address name no network tier")
    assert "the default tier of p was not read: assumed Premium Tier" in note
    assert unresolved(of_files(tmp_path, all=ALL, project=PROJECT), None) == ()
    others = PROJECT | {"name": "q", "selfLink": f"{API}/projects/q"}
    assert tiers(of_files(tmp_path, all=ALL, project=others)) == UNKNOWN


def test_an_asset_export_tells_it(tmp_path: Path) -> None:
    assert "Project" in COMPUTE_TYPES
    assets = [
        {
            "name": f"//compute.googleapis.com/{one['selfLink'].partition('v1/')[2]}",
            "assetType": f"compute.googleapis.com/{one['kind'].partition('#')[2].title()}",
            "resource": {"data": {key: value for key, value in one.items() if key != "kind"}},
        }
        for one in (*RESOURCES["instances"], *RESOURCES["addresses"], PROJECT)
    ]
    found = tiers(of_files(tmp_path, export=assets))
    assert found == {name: tier for name, tier in STANDARD.items() if name != "front"}


@pytest.mark.parametrize("stated", [{"project": "p"}, {}], ids=["own project", "the provider's"])
def test_terraform_tells_it(tmp_path: Path, stated: dict[str, str]) -> None:
    nic = {"network": "n", "access_config": [{"nat_ip": "203.0.113.1"}]}
    vm = plans.change("google_compute_instance.vm", plans.machine("vm", network_interface=[nic]))
    kind = "google_compute_project_default_network_tier"
    tier, of_tier = f"{kind}.all", (plans.configured(kind, "all"),)
    own = {"project": {"constant_value": "p"}}
    given: dict[str, Any] = {
        "provider": {"google": {"name": "google", "expressions": own}},
        "resources": of_tier,
    }
    known = plans.change(tier, {"network_tier": "STANDARD", **stated})
    later = plans.change(tier, {**stated}, {"network_tier": True})
    found = plans.read_plan(tmp_path, plans.plan(vm, known, **given))
    assert tiers(found) == {"vm": "STANDARD"}
    assert [one.project for one in found.project_settings] == ["p"]
    assert tiers(plans.read_plan(tmp_path, plans.plan(vm))) == {"vm": None}
    assert tiers(plans.read_plan(tmp_path, plans.plan(vm, later, **given))) == {"vm": None}


def test_parts_that_were_read_apart_are_one(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    parts = of_files(tmp_path, all=ALL), of_files(tmp_path / "more", project=PROJECT)
    assert tiers(merge_inventories(parts)) == STANDARD
    assert merge_inventories(parts) == merge_inventories(parts[::-1])


@pytest.mark.parametrize("is_needed", [True, False])
def test_the_live_api_is_asked_where_something_names_none(is_needed: bool) -> None:
    resources = RESOURCES if is_needed else {"instances": [machine("inside")]}
    with ComputeServer() as server:
        server.add_project("p", {**resources, "projects": [PROJECT]})
        inventory = read_projects(["p"], ApiOptions(endpoint=server.url, is_anonymous=True))
    assert METHODS[PROJECT_ID] == ("compute.projects.get",)
    assert len(server.calls_of(PROJECT_ID)) == is_needed
    assert tiers(inventory) == (STANDARD if is_needed else {"inside": None})


def test_a_refusal_is_told_and_leaves_the_tier_open() -> None:
    with ComputeServer() as server:
        server.add_project("p", RESOURCES)
        inventory = read_projects(["p"], ApiOptions(endpoint=server.url, is_anonymous=True))
    assert tiers(inventory) == UNKNOWN
    (unread,) = (one for one in inventory.unread if one.source.startswith(PROJECT_ID))
    assert "count as Premium Tier" in unread.reason
