"""Every recorded file: what holds Compute resources parses, all else is named with a reason."""

import csv
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from support.projects.recorded import recorded_resources
from support.projects.shared_data import needs_shared, shared
from support.servers.discovery import discovery

pytestmark = needs_shared

WITH_RESOURCES = {
    "cai": {
        "instances": 11,
        "networks": 4,
        "subnetworks": 1,
        "disks": 6,
        "clusters": 20,
        "node_pools": 20,
    },
    "compute_api": {
        "instances": 60,
        "subnetworks": 82,
        "networks": 19,
        "addresses": 4,
        "forwarding_rules": 10,
        "routers": 6,
        "routes": 90,
        "vpn_tunnels": 2,
        "instance_groups": 11,
    },
    "gcloud_output": {"node_pools": 2},
    "gke_api": {"clusters": 18, "node_pools": 16},
    "kubernetes": {"nodes": 7, "pods": 2, "workloads": 2},
    "http_log": {
        "instances": 1,
        "networks": 1,
        "subnetworks": 1,
        "addresses": 1,
        "instance_groups": 7,
        "disks": 2,
    },
}
"""Folder, and how many distinct resources of each kind it holds."""

WITHOUT = {
    "benchmark_output": "an iperf3 measurement",
    "billing": "Cloud Billing",
    "monitoring": "Cloud Monitoring",
    "network_management": "a Connectivity Test",
    "recommender": "Recommender insights",
    "terraform_plan": "a Terraform plan",
    "terraform_plan_generated": "a Terraform plan",
    "terraform_state": "a Terraform state",
    "vpc_flow_logs": "VPC Flow Logs records: give them to `--traffic`",
}
"""Folder, and the reason that the error names first or among the first."""

READ_IN_PART = {
    "cai/policy-library__gke_container_optimized_os__assets__data.json": "damaged JSON",
}

EXPLAINED = ("UNDER_MAINTENANCE",)
"""Findings of the discovery document in recorded files, all of values newer or older than it."""


def recorded() -> Path:
    return shared("data/recorded")


def counts(inventory: Inventory) -> dict[str, int]:
    found = {field: len(values) for field, values in lists(inventory).items()}
    return {field: count for field, count in found.items() if count}


def lists(inventory: Inventory) -> dict[str, tuple[Any, ...]]:
    """Everything that was read, by field, Kubernetes' objects included."""
    own = (f for f in inventory.__struct_fields__ if f not in {"unread", "projects", "kubernetes"})
    found = {field: getattr(inventory, field) for field in own}
    objects = inventory.kubernetes
    kinds = objects.__struct_fields__ if objects is not None else ()
    return found | {kind: getattr(objects, kind) or () for kind in kinds}


def test_every_folder_is_accounted_for() -> None:
    folders = {path.name for path in recorded().iterdir() if path.is_dir()}
    assert folders == WITH_RESOURCES.keys() | WITHOUT.keys()


@pytest.mark.parametrize("folder", sorted(WITH_RESOURCES))
def test_a_folder_with_resources(folder: str) -> None:
    assert counts(read_inventory([recorded() / folder])) == WITH_RESOURCES[folder]


@pytest.mark.parametrize("folder", sorted(WITHOUT))
def test_a_folder_without_resources(folder: str) -> None:
    with pytest.raises(InputError) as caught:
        read_inventory([recorded() / folder])
    assert WITHOUT[folder] in str(caught.value)


def test_every_file_is_read_or_named() -> None:
    """No recorded file is dropped in silence: it gave a resource, or it is in `unread`."""
    inventory = read_inventory([recorded()])
    sources = [unread.source for unread in inventory.unread]
    for field, values in lists(inventory).items():
        if field != "machine_shapes":
            sources += [value.ref.source for value in values]
    named = {source.partition(":")[0] for source in sources}
    files = [path for path in sorted(recorded().rglob("*")) if path.is_file()]
    silent = [path.name for path in files if str(path) not in named]
    # Lists without content, and resources that another file holds word for word.
    assert silent == [
        "gcpdiag__dataproc1__compute-instances-us-central1-c.json",
        "gcpdiag__gke1__compute-routers-us-west2.json",
        "gcpdiag__lb2__compute-network-default.json",
    ]


def test_no_recorded_compute_file_is_damaged() -> None:
    inventory = read_inventory([recorded() / "compute_api", recorded() / "cai"])
    damaged = {u.source: u.reason for u in inventory.unread if "damaged" in u.reason}
    expected = {str(recorded() / name): reason for name, reason in READ_IN_PART.items()}
    assert damaged.keys() == expected.keys()
    for source, reason in expected.items():
        assert reason in damaged[source]


def test_no_recorded_machine_of_the_api_lacks_anything() -> None:
    inventory = read_inventory([recorded() / "compute_api"])
    assert [unread for unread in inventory.unread if unread.field] == []
    assert all(instance.machine_type for instance in inventory.instances)
    assert {i.machine_type for i in inventory.instances} >= {"e2-micro", "f1-micro"}


def test_facts_that_hand_made_data_misses() -> None:
    inventory = read_inventory([recorded() / "compute_api"])
    assert {network.mtu_bytes for network in inventory.networks} == {1460}
    statuses = {instance.status for instance in inventory.instances}
    assert {"RUNNING", "TERMINATED"} <= statuses
    interfaces = [nic for instance in inventory.instances for nic in instance.interfaces]
    assert any(nic.nic_type is None for nic in interfaces)
    assert any(nic.alias_ranges for nic in interfaces)
    assert any(instance.created_by for instance in inventory.instances)
    assert any(network.peerings for network in inventory.networks)


def test_a_managed_machine_finds_its_group() -> None:
    inventory = read_inventory(sorted((recorded() / "compute_api").glob("*gke1*.json")))
    grouped = inventory.group_by_member
    assert grouped
    assert all(group.is_managed for group in grouped.values())


def test_the_index_names_no_compute_file_that_is_not_read() -> None:
    with (recorded() / "index.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "compute_api"]
    assert rows
    for row in rows:
        assert (recorded() / row["file"]).is_file()


@pytest.mark.parametrize("name", ["gce1", "gke1", "nat1", "lb2", "vpc2"])
def test_recorded_resources_are_what_the_document_describes(name: str) -> None:
    judge = discovery()
    schemas = {
        judge.kind_default(schema): schema
        for schema, spec in judge.schemas.items()
        if "properties" in spec
    }
    for resources in recorded_resources(name).values():
        for items in resources.values():
            for item in items:
                found = judge.check_body(schemas[item["kind"]], item)
                assert [text for text in found if not any(e in text for e in EXPLAINED)] == []
