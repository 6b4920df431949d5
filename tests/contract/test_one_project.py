"""One project in every format reads to one inventory."""

import json
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from netplan_planner.google.compute import read_projects
from netplan_planner.google.options import ApiOptions
from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from support.projects import one_project
from support.servers.compute import ComputeServer
from support.servers.discovery import discovery

TERRAFORM = ("terraform-plan", "terraform-state", "terraform-state-file")

NOT_CARRIED = {
    ("cloud-asset", "machine_shapes"): "Cloud Asset Inventory has no machine types",
    **{
        (name, field): reason
        for name in TERRAFORM
        for field, reason in {
            "machine_shapes": "the provider has no resource for machine types",
            "instances.interfaces.access_config_name": "the provider leaves the name to the API",
            "instances.last_started": "the provider does not keep it",
            "instances.licenses": "the provider keeps them of disks, which the project has none of",
            "vpn_tunnels.status": "the provider keeps a sentence of it only",
            "subnetworks[b-central].flow_logs": "no `log_config` is off; the API says nothing here",
            "instance_groups[managed]": "a managed group is its manager's alone",
            "disks": "it keeps disks with their machines; the project's lists have none",
        }.items()
    },
}
"""What a format cannot carry: its folder, the field of the inventory (of its values, of values in
those), and the reason. `[managed]`: the groups that a manager names, less the managers; another
word in brackets is the name of the one resource that is meant."""

_SAID_OTHERWISE = {
    "instances.interfaces.access_config_name",
    "subnetworks[b-central].flow_logs",
    "disks",
}
"""Not carried, but something documented stands for it."""

SCHEMAS = {**one_project.ASSET_TYPES, "machineTypes": "MachineType"}

RESOURCES = [
    field
    for field in Inventory.__struct_fields__
    if field not in {"unread", "projects", "machine_shapes", "kubernetes"}
]


FOLDERS = sorted(path.name for path in one_project.FOLDER.iterdir() if path.is_dir())
"""The project in every format: a folder each."""


def read_folder(name: str) -> Inventory:
    return read_inventory([one_project.FOLDER / name])


def read_pages() -> Inventory:
    return read_folder("api")


def read_log(folder: Path) -> Inventory:
    """The pages as an HTTP exchange log."""
    text = ""
    for name, page in one_project.api_pages().items():
        text += f"GET https://compute.googleapis.com/compute/v1/{name}\n\n200 OK\nServer: ESF\n\n"
        text += json.dumps(page, indent=2) + "\n\n---\n\n"
    path = folder / "exchange_http.log"
    path.write_text(text, encoding="utf-8")
    return read_inventory([path])


def read_live() -> Inventory:
    with ComputeServer(page_limit=3) as server:
        server.add_project(one_project.PROJECT, one_project.resources())
        options = ApiOptions(endpoint=server.url, is_anonymous=True)
        return read_projects([one_project.PROJECT], options)


def comparable(inventory: Inventory) -> dict[str, list[dict[str, object]]]:
    """The resources without where they were read."""
    return {
        field: [
            msgspec.to_builtins(value) | {"ref": value.ref.self_link}
            for value in getattr(inventory, field)
        ]
        for field in RESOURCES
    } | {"machine_shapes": [msgspec.structs.asdict(shape) for shape in inventory.machine_shapes]}


def less(values: Any, path: str) -> Any:
    """Take what a format does not carry out of comparable values, and return them."""
    field, _, rest = path.partition(".")
    if field.endswith("[managed]"):
        name = field.removesuffix("[managed]")
        values[name] = [
            group
            for group in values[name]
            if not group["is_managed"] or "/instanceGroupManagers/" in group["ref"]
        ]
    elif not rest:
        held = values[field]
        values[field] = type(held)() if isinstance(held, list | tuple) else None
    else:
        field, _, only = field.rstrip("]").partition("[")
        for value in values[field]:
            if not only or value["name"] == only:
                less(value, rest)
    return values


READS: dict[str, Callable[[], Inventory]] = {
    **{name: partial(read_folder, name) for name in FOLDERS},
    "live": read_live,
}


@pytest.mark.parametrize("name", READS)
def test_every_format_reads_to_the_same_inventory(name: str) -> None:
    expected, found = comparable(read_pages()), comparable(READS[name]())
    for folder, path in NOT_CARRIED:
        if folder == name:
            assert path in _SAID_OTHERWISE or less(deepcopy(found), path) == found, path
            less(found, path)
            less(expected, path)
    for field in expected:
        assert found[field] == expected[field], field


def test_an_http_log_reads_to_the_same_inventory(tmp_path: Path) -> None:
    assert comparable(read_log(tmp_path)) == comparable(read_pages())


def test_what_is_not_carried_names_formats_and_fields_that_exist() -> None:
    for (name, field), reason in NOT_CARRIED.items():
        assert name in FOLDERS
        assert field.partition(".")[0].partition("[")[0] in Inventory.__struct_fields__
        assert reason


@pytest.mark.parametrize("name", READS)
def test_all_of_the_project_is_read_and_counted(name: str) -> None:
    inventory = READS[name]()
    assert inventory.unread == ()
    (project,) = inventory.projects
    assert project.project == one_project.PROJECT
    assert project.errors == ()
    assert dict(project.counts)["instances"] == len(one_project.resources()["instances"])


def test_every_made_resource_is_one_that_the_api_could_send() -> None:
    for collection, items in one_project.resources().items():
        for item in items:
            assert discovery().check_body(SCHEMAS[collection], item) == []


def test_the_files_are_made_from_the_resources() -> None:
    for name, text in one_project.files().items():
        assert (one_project.FOLDER / name).read_text(encoding="utf-8") == text, name


def test_the_project_has_what_it_is_there_for() -> None:
    inventory = read_pages()
    machines = {instance.name: instance for instance in inventory.instances}
    assert len(machines["dual-1"].interfaces) == 2
    assert machines["mover-1"].bandwidth_tier == "TIER_1"
    assert machines["spot-1"].is_spot
    assert machines["stopped-1"].cpu_platform is None
    assert machines["stopped-1"].interfaces[0].external_ipv4 is None
    assert machines["stopped-1"].interfaces[0].access_config_name == "External NAT"
    assert machines["six-1"].interfaces[0].external_ipv6 == "2001:db8:10:0:0:0:0:0"
    assert machines["six-only-1"].interfaces[0].internal_ipv6 == "fd20:a:b:0:0:0:0:0"
    assert machines["node-1"].interfaces[0].alias_ranges == ("10.112.1.0/24", "10.10.0.128/32")
    assert machines["gpu-1"].gpu_count == 2
    assert machines["gpu-1"].local_ssd_count == 2
    group = inventory.group_by_member[machines["node-1"].ref.self_link]
    assert group.ref.self_link.endswith("instanceGroupManagers/nodes")
    assert inventory.is_static("203.0.113.10")
    assert not inventory.is_static("198.51.100.8")
    assert {route.next_hop for route in inventory.routes} == {
        "gateway",
        "vpn",
        "instance",
        "peering",
        "network",
    }
