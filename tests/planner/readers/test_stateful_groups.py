"""Which managed instance groups keep state, as the Compute API and Terraform's plans say it."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.readers.files import read_inventory
from support.projects import terraform

API = "https://www.googleapis.com/compute/v1"
DISKS = {"preservedState": {"disks": {"data": {"autoDelete": "NEVER"}}}}


def stateful(folder: Path, document: dict[str, Any]) -> bool:
    (folder / "groups.json").write_text(json.dumps(document))
    (group,) = read_inventory([folder / "groups.json"]).instance_groups
    return group.is_stateful


@pytest.mark.parametrize(
    ("stated", "is_stateful"),
    [
        ({}, False),
        ({"statefulPolicy": DISKS}, True),
        ({"statefulPolicy": {"preservedState": {}}}, False),
        ({"statefulPolicy": {"preservedState": {"internalIPs": {"nic0": {}}}}}, True),
        ({"status": {"stateful": {"hasStatefulConfig": False}}}, False),
        # Configurations of single machines, without a policy of the group.
        ({"status": {"stateful": {"hasStatefulConfig": True}}}, True),
        ({"status": {"isStable": True}, "statefulPolicy": DISKS}, True),
    ],
)
def test_the_compute_api_says_it(tmp_path: Path, stated: dict[str, Any], is_stateful: bool) -> None:
    group = {
        "kind": "compute#instanceGroupManager",
        "name": "g",
        "selfLink": f"{API}/projects/p/zones/us-central1-a/instanceGroupManagers/g",
        "targetSize": 3,
        **stated,
    }
    assert stateful(tmp_path, group) is is_stateful


@pytest.mark.parametrize("disks", [[], [{"device_name": "data", "delete_rule": "NEVER"}]])
def test_a_plan_of_terraform_says_it(tmp_path: Path, disks: list[dict[str, str]]) -> None:
    values = {
        "name": "g",
        "project": "p",
        "zone": "us-central1-a",
        "base_instance_name": "g",
        "target_size": 3,
        "version": [{"instance_template": "projects/p/global/instanceTemplates/t", "name": ""}],
        "stateful_disk": disks,
    }
    kind = "google_compute_instance_group_manager"
    held = terraform.Held(kind, "g", None, "", values)
    assert stateful(tmp_path, terraform.plan([held])) is bool(disks)
