"""Hostile and damaged Kubernetes files: inert, bounded, and named with what is wrong."""

import json
from pathlib import Path

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from netplan_planner.readers.kubernetes import yaml_text
from support.listed import listed
from support.projects import one_cluster

POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n"


def read(folder: Path, name: str, text: str) -> Inventory:
    (folder / name).write_text(text)
    return read_inventory([folder / name])


def error_of(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, "a.yaml", text)
    return str(caught.value)


def test_tags_construct_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "made"
    text = f"{POD}  labels:\n    x: !!python/object/apply:os.mkdir ['{mark}']\n"
    inventory = read(tmp_path, "a.yaml", text)
    assert not mark.exists()
    assert inventory.kubernetes is not None
    (unread,) = inventory.unread
    assert unread.field == "metadata.labels"


ALIASES = ["  a0: &a0 [" + ",".join(["x"] * 10) + "]"]
ALIASES += [f"  a{n}: &a{n} [" + ",".join([f"*a{n - 1}"] * 10) + "]" for n in range(1, 12)]
GROWN = "\n".join(ALIASES)
REFUSED = {
    "aliases that grow without bound": (
        f"apiVersion: v1\nkind: Pod\nspec:\n{GROWN}\nmetadata: {{name: a}}\n",
        "more than 4,000,000 values",
    ),
    "a long text that is repeated": (
        f"{POD}spec:\n  a: &a {'x' * 1_000_000}\n  b: [{','.join(['*a'] * 1000)}]\n",
        "more than 4,000,000 values",
    ),
    "a cycle of aliases": (f"{POD}spec: &a\n  b: *a\n", "undefined anchor 'a'"),
    "deep lists": (f"{POD}spec: {'[' * 5_000}", "line"),
    "deep objects": (f"{POD}spec: {'{a: ' * 5_000}", "line"),
    "a list for a key": (f"{POD}? [a]\n: b\n", "a key that is not text"),
    "an object for a key": (f"{POD}? {{a: b}}\n: c\n", "a key that is not text"),
}


@listed("name", REFUSED)
def test_what_has_no_bound_or_no_text_for_a_key_is_refused(tmp_path: Path, name: str) -> None:
    text, said = REFUSED[name]
    assert said in error_of(tmp_path, text)


def test_scalars_are_those_of_the_core_schema() -> None:
    text = "a: no\nb: 2020-01-01\nc: 0x10\nd: 1_000\ne: true\nf: ~\ng: 1.5\nh: '1'\ni: 12\nj: 1e400"
    documents, damaged = yaml_text.documents(text)
    assert damaged == []
    assert documents[0].value == {
        "a": "no",
        "b": "2020-01-01",
        "c": "0x10",
        "d": "1_000",
        "e": True,
        "f": None,
        "g": 1.5,
        "h": "1",
        "i": 12,
        "j": "1e400",
    }


def test_too_much_yaml_asks_for_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "LARGEST_BYTES", 20)
    assert "--output=json" in error_of(tmp_path, POD)


@listed(
    ("change", "field"),
    [
        ({"spec": {"nodeName": 5}}, "spec.nodeName"),
        ({"status": {"podIPs": [{"ip": []}]}}, "status.podIPs[0].ip"),
        (
            {"spec": {"containers": [{"ports": [{"containerPort": -1}]}]}},
            "spec.containers[0].ports",
        ),
        ({"status": {"qosClass": "Best"}}, "status.qosClass"),
    ],
)
@listed("is_listed", [True, False])
def test_a_field_of_a_wrong_type_is_left_out_and_named(
    tmp_path: Path, change: dict[str, object], field: str, is_listed: bool
) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, **change}
    document = {"apiVersion": "v1", "kind": "List", "items": [pod]} if is_listed else pod
    inventory = read(tmp_path, "a.json", json.dumps(document))
    assert inventory.kubernetes is not None
    assert inventory.kubernetes.pods is not None
    assert [pod.name for pod in inventory.kubernetes.pods] == ["a"]
    assert [str(unread.field).startswith(field) for unread in inventory.unread] == [True]


def test_what_is_nested_too_deeply_is_not_read(tmp_path: Path) -> None:
    deep: dict[str, object] = {**LIST, "items": [one_cluster.node(0)]}
    for _ in range(100):
        deep = {**LIST, "items": [deep]}
    deep["items"] = [*deep["items"], one_cluster.node(1)]  # type: ignore[misc]
    inventory = read(tmp_path, "deep.json", json.dumps(deep))
    assert [unread.reason for unread in inventory.unread if not unread.is_needless] == [
        "lists are nested too deeply: the inner ones are not read"
    ]


LIST: dict[str, object] = {"apiVersion": "v1", "kind": "List", "metadata": {}}


def api_server(address: str) -> dict[str, object]:
    metadata = {"name": "kubernetes", "namespace": "default"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {"clusterIPs": [address]},
    }


def recreated() -> dict[str, object]:
    (service,) = (one for one in one_cluster.objects() if one["kind"] == "Service")
    service["spec"]["clusterIPs"] = ["10.19.0.5"]
    return service


def other_project() -> dict[str, object]:
    node = one_cluster.node(0)
    node["metadata"]["name"] = "gke-other-pool-0"
    node["spec"]["providerID"] = "gce://other/us-central1-a/gke-other-pool-0"
    return node


@pytest.mark.parametrize(
    ("objects", "why"),
    [
        ([api_server("10.9.0.1"), api_server("10.19.0.1")], "several addresses"),
        ([recreated()], "the Service shop/db has several addresses (10.19.0.5; 10.9.0.5)"),
        ([other_project()], "several projects"),
    ],
)
def test_objects_of_two_clusters_are_not_put_together(
    tmp_path: Path, objects: list[dict[str, object]], why: str
) -> None:
    first = {**LIST, "items": [*one_cluster.objects(), *objects[:-1]]}
    (tmp_path / "a.json").write_text(json.dumps(first))
    (tmp_path / "b.json").write_text(json.dumps({**LIST, "items": objects}))
    (tmp_path / "gke.json").write_text(json.dumps([one_cluster.gke_cluster()]))
    inventory = read_inventory([tmp_path])
    assert inventory.kubernetes is not None
    assert inventory.kubernetes.services is None
    assert inventory.kubernetes.nodes is None
    assert inventory.kubernetes.clusters
    assert any(why in unread.reason and not unread.is_needless for unread in inventory.unread)
