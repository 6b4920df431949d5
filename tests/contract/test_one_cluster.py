"""One cluster in every format reads to equal values."""

import json
from pathlib import Path

import msgspec
import pytest

from netplan_planner.model.kubernetes import Kubernetes
from netplan_planner.readers import read_inventory
from support.projects import one_cluster


def read(path: Path) -> Kubernetes:
    found = read_inventory([path]).kubernetes
    assert found is not None
    return found


def comparable(kubernetes: Kubernetes) -> dict[str, object]:
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


def test_nothing_that_is_not_about_the_network_is_kept(tmp_path: Path) -> None:
    folder = one_cluster.write_kubernetes("list", tmp_path)
    (folder / "gke.json").write_text(json.dumps(one_cluster.gke_files()["api"]))
    assert b"never kept" not in msgspec.json.encode(read_inventory([folder]))
