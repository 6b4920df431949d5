"""One cluster in every format reads to equal values."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from netplan_planner.model.project.kubernetes import Kubernetes
from netplan_planner.readers import read_inventory
from support.projects import one_cluster
from support.projects.plans import change, plan


def read(path: Path) -> Kubernetes:
    found = read_inventory([path]).kubernetes
    assert found is not None
    return found


def comparable(kubernetes: Kubernetes) -> dict[str, Any]:
    """All of it without where it was read."""
    return {
        field: None if values is None else [_bare(value) for value in values]
        for field in kubernetes.__struct_fields__
        for values in [getattr(kubernetes, field)]
    }


def _bare(value: msgspec.Struct) -> dict[str, object]:
    fields = msgspec.structs.asdict(value)
    return fields | {"ref": fields["ref"].self_link}


@pytest.mark.parametrize("form", one_cluster.FORMS)
def test_every_form_of_objects_reads_to_the_same(form: str, tmp_path: Path) -> None:
    expected = read(one_cluster.write_kubernetes("list", tmp_path / "expected"))
    found = read(one_cluster.write_kubernetes(form, tmp_path / form))
    assert comparable(found) == comparable(expected)
    assert found.clusters is None
    assert found.node_pools is None


@pytest.mark.parametrize("form", sorted(one_cluster.gke_files()))
def test_every_form_of_a_gke_cluster_reads_to_the_same(form: str, tmp_path: Path) -> None:
    for name, document in one_cluster.gke_files().items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    expected, found = read(tmp_path / "api.json"), read(tmp_path / f"{form}.json")
    assert comparable(found) == comparable(expected)
    assert found.pods is None
    assert found.clusters is not None
    assert [str(cluster.ref.self_link) for cluster in found.clusters] == [
        "projects/shop-prod/locations/us-central1-a/clusters/shop"
    ]


NOT_KEPT = {
    "clusters": {"status": "the provider has no attribute for it", "node_count": "nor for it"},
    "node_pools": {"status": "the provider has no attribute for it"},
}
"""What Terraform's provider does not keep of a cluster: field, and reason."""


@pytest.mark.parametrize("is_apart", [False, True], ids=["with its pool", "pool apart"])
@pytest.mark.parametrize("form", ["state", "plan"])
def test_a_cluster_of_terraform_reads_to_the_same(
    form: str, is_apart: bool, tmp_path: Path
) -> None:
    pool = ("google_container_node_pool.pool", one_cluster.terraform_pool_apart())
    held = [("google_container_cluster.shop", one_cluster.terraform_cluster())]
    held += [pool] if is_apart else []
    made = plan(*(change(address, values, actions=("no-op",)) for address, values in held))
    resources = [
        {"address": a, "type": a.partition(".")[0], "name": a.partition(".")[2], "values": v}
        for a, v in held
    ]
    if form == "state":
        made = {"format_version": "1.0", "values": {"root_module": {"resources": resources}}}
    (tmp_path / "terraform.json").write_text(json.dumps(made))
    (tmp_path / "api.json").write_text(json.dumps(one_cluster.gke_files()["api"]))
    inventory = read_inventory([tmp_path / "terraform.json"])
    assert inventory.kubernetes is not None
    expected = comparable(read(tmp_path / "api.json"))
    found = comparable(inventory.kubernetes)
    for field, lacking in NOT_KEPT.items():
        for value in expected[field]:
            value.update(dict.fromkeys(lacking))
    assert found == expected
    assert inventory.unread == ()
    (one,) = inventory.kubernetes.node_pools or ()
    address = "google_container_node_pool.pool" if is_apart else "google_container_cluster.shop"
    assert one.ref.source.endswith(f"terraform.json: {address}")


def test_nothing_that_is_not_about_the_network_is_kept(tmp_path: Path) -> None:
    folder = one_cluster.write_kubernetes("list", tmp_path)
    (folder / "gke.json").write_text(json.dumps(one_cluster.gke_files()["api"]))
    assert b"never kept" not in msgspec.json.encode(read_inventory([folder]))
