"""Every recorded file: what holds Compute resources parses, all else is named with a reason."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from support.listed import listed
from support.projects.recorded import recorded_resources
from support.projects.shared_data import needs_shared, shared
from support.servers.discovery import discovery

pytestmark = needs_shared

WITH_RESOURCES = {
    "cai": "instances 11, networks 4, subnetworks 1, disks 6, clusters 20, node_pools 20",
    "compute_api": (
        "instances 60, subnetworks 82, networks 19, addresses 4,"
        " forwarding_rules 10, routers 6, routes 90, vlan_attachments 21,"
        " vpn_tunnels 2, instance_groups 11, project_settings 1"
    ),
    "gcloud_output": "node_pools 2",
    "gke_api": "clusters 18, node_pools 16",
    "kubernetes": "nodes 7, pods 2, workloads 2",
    "terraform_plan": (
        "instances 4, subnetworks 2, networks 3, addresses 2,"
        " forwarding_rules 1, disks 8, clusters 2, node_pools 3"
    ),
    "terraform_plan_generated": (
        "instances 9, subnetworks 23, networks 25, addresses 8,"
        " forwarding_rules 9, routers 1, instance_groups 4, disks 16,"
        " resource_policies 5, clusters 2, node_pools 4, hubs 1,"
        " spokes 1"
    ),
    "terraform_state": "",
    "http_log": ("instances 1, networks 1, subnetworks 1, addresses 1, instance_groups 7, disks 2"),
}
"""Folder, and how many distinct resources of each kind it holds."""

WITHOUT = {
    "benchmark_output": "an iperf3 measurement",
    "billing": "Cloud Billing",
    "monitoring": "Cloud Monitoring",
    "network_management": "a Connectivity Test",
    "recommender": "Recommender insights",
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


def counted(text: str) -> dict[str, int]:
    """Return the numbers of kinds, written as `instances 11, networks 4`."""
    return {kind: int(count) for kind, count in (one.split() for one in text.split(", ") if one)}


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


@listed("folder", sorted(WITH_RESOURCES))
def test_a_folder_with_resources(folder: str) -> None:
    assert counts(read_inventory([recorded() / folder])) == counted(WITH_RESOURCES[folder])


@pytest.mark.parametrize("folder", sorted(WITHOUT))
def test_a_folder_without_resources(folder: str) -> None:
    with pytest.raises(InputError) as caught:
        read_inventory([recorded() / folder])
    assert WITHOUT[folder] in str(caught.value)


_THE_SAME_POLICY = ("01", "04", "05", "07", "08", "10")
"""Six examples plan policies of one name, which are alike but for what is not read of them."""


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
        *(f"provider_docs__compute_resource_policy_{n}.plan.json" for n in _THE_SAME_POLICY),
    ]


TERRAFORM = (
    "subnetworks 32, networks 50, instances 18, disks 33, forwarding_rules 14, clusters 8,"
    " node_pools 10, resource_policies 13, addresses 11, instance_groups 4, routers 4,"
    " hubs 1, spokes 1"
)
"""What the 114 recorded plans and states hold, each read on its own."""


def test_every_recorded_plan_and_state_is_read() -> None:
    files = sorted(recorded().glob("terraform_*/*.json"))
    found: Counter[str] = Counter()
    for file in files:
        inventory = read_inventory([file])
        found.update(counts(inventory))
        # All of a plan's resources are made of one file: where each was read says so.
        sources = [value.ref.source for value in inventory.instances]
        assert all(source.startswith(f"{file}: google_compute_") for source in sources)
    assert len(files) == 114
    assert found == counted(TERRAFORM)


def test_a_recorded_plan_leaves_open_what_it_says_is_known_after_apply() -> None:
    """Against the plans themselves: nothing that is marked unknown has a value in the model."""
    checked = 0
    for file in sorted(recorded().glob("terraform_plan*/*.json")):
        planned = json.loads(file.read_bytes()).get("resource_changes", [])
        unknown = {one["address"]: one["change"]["after_unknown"] for one in planned}
        inventory = read_inventory([file])
        for network in inventory.networks:
            if unknown[network.ref.source.rpartition(": ")[2]].get("mtu"):
                assert network.mtu_bytes is None
                checked += 1
        for instance in inventory.instances:
            marks = unknown[instance.ref.source.rpartition(": ")[2]]
            assert instance.cpu_platform is None
            assert instance.status == "UNKNOWN"
            nics = marks.get("network_interface")
            marked = nics if isinstance(nics, list) else []
            for nic, mark in zip(instance.interfaces, marked, strict=False):
                if mark.get("network_ip"):
                    assert nic.internal_ipv4 is None
                    checked += 1
    assert checked > 50


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
