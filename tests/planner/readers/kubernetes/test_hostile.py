"""Hostile and damaged Kubernetes files: inert, bounded, and named with what is wrong."""

import json
from pathlib import Path

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from netplan_planner.readers.kubernetes import yaml_text
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


def test_aliases_cannot_grow_without_bound(tmp_path: Path) -> None:
    lines = ["  a0: &a0 [" + ",".join(["x"] * 10) + "]"]
    lines += [f"  a{n}: &a{n} [" + ",".join([f"*a{n - 1}"] * 10) + "]" for n in range(1, 12)]
    text = "apiVersion: v1\nkind: Pod\nspec:\n" + "\n".join(lines) + "\nmetadata: {name: a}\n"
    assert "more than 4,000,000 values" in error_of(tmp_path, text)


def test_a_long_text_cannot_be_repeated_without_bound(tmp_path: Path) -> None:
    text = f"{POD}spec:\n  a: &a {'x' * 1_000_000}\n  b: [{','.join(['*a'] * 1000)}]\n"
    assert "more than 4,000,000 values" in error_of(tmp_path, text)


def test_a_cycle_of_aliases_is_refused(tmp_path: Path) -> None:
    assert "no anchor" in error_of(tmp_path, f"{POD}spec: &a\n  b: *a\n")


@pytest.mark.parametrize("bracket", ["[", "{a: "])
def test_depth_is_bounded(tmp_path: Path, bracket: str) -> None:
    assert "line" in error_of(tmp_path, f"{POD}spec: {bracket * 5_000}")


@pytest.mark.parametrize("key", ["? [a]\n: b", "? {a: b}\n: c"])
def test_a_key_that_is_no_text_is_refused(tmp_path: Path, key: str) -> None:
    assert "a key that is no text" in error_of(tmp_path, f"{POD}{key}\n")


def test_damage_is_named_with_its_line_and_what_stands_before_is_read(tmp_path: Path) -> None:
    inventory = read(tmp_path, "a.yaml", f"{POD}---\n{POD}  labels: [}}\n")
    (unread,) = inventory.unread
    assert unread.reason.startswith("line 10")
    assert "damaged YAML" in unread.reason


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


@pytest.mark.parametrize(
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
@pytest.mark.parametrize("is_listed", [True, False])
def test_a_field_of_a_wrong_type_is_left_out_and_named(
    tmp_path: Path, change: dict[str, object], field: str, is_listed: bool
) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, **change}
    listed = {"apiVersion": "v1", "kind": "List", "items": [pod]}
    inventory = read(tmp_path, "a.json", json.dumps(listed if is_listed else pod))
    assert inventory.kubernetes is not None
    assert inventory.kubernetes.pods is not None
    assert [pod.name for pod in inventory.kubernetes.pods] == ["a"]
    assert [str(unread.field).startswith(field) for unread in inventory.unread] == [True]


def test_an_object_without_a_name_is_named_by_its_place(tmp_path: Path) -> None:
    listed: dict[str, object] = {
        "apiVersion": "v1",
        "kind": "PodList",
        "items": [{"metadata": {}}, "x", None],
    }
    inventory = read(tmp_path, "a.json", json.dumps(listed))
    assert inventory.kubernetes is not None
    assert inventory.kubernetes.pods == ()
    places = [unread.source.rpartition(":")[2] for unread in inventory.unread]
    assert places == ["/items/0", "/items/1", "/items/2"]


def test_an_empty_list_is_not_the_same_as_no_list(tmp_path: Path) -> None:
    listed: dict[str, object] = {"apiVersion": "v1", "kind": "PodList", "items": []}
    found = read(tmp_path, "a.json", json.dumps(listed)).kubernetes
    assert found is not None
    assert found.pods == ()
    assert found.nodes is None


def test_other_kinds_are_counted_and_their_content_is_not_kept(tmp_path: Path) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"k": "v"}}
    items = [secret, secret, one_cluster.node(0)]
    listed = {"apiVersion": "v1", "kind": "List", "items": items}
    inventory = read(tmp_path, "a.json", json.dumps(listed))
    assert [unread.reason for unread in inventory.unread] == [
        "Kubernetes Secret (v1): 2 not needed by the audit"
    ]


def test_a_cut_list_says_that_it_goes_on(tmp_path: Path) -> None:
    listed = {
        "apiVersion": "v1",
        "kind": "NodeList",
        "items": [one_cluster.node(0)],
        "metadata": {"continue": "abc"},
    }
    inventory = read(tmp_path, "a.json", json.dumps(listed))
    assert ["goes on" in unread.reason for unread in inventory.unread] == [True]


def test_the_same_object_with_other_content_is_noted(tmp_path: Path) -> None:
    """Two clusters in one input: nothing in an object names its cluster."""
    for number in (0, 1):
        pod = one_cluster.pod("web-0", number, None, {"image": "web"})
        (tmp_path / f"{number}.json").write_text(json.dumps(pod))
    inventory = read_inventory([tmp_path])
    (unread,) = inventory.unread
    assert "differs from the same resource" in unread.reason


def test_lists_within_lists_are_read(tmp_path: Path) -> None:
    """As `jq --slurp` puts several answers into one."""
    inner = {"apiVersion": "v1", "kind": "NodeList", "items": [one_cluster.node(0)]}
    cut = {**one_cluster.as_list(), "metadata": {"continue": "abc"}}
    for number, items in enumerate(([inner], [{**LIST, "items": [inner]}], [cut])):
        folder = tmp_path / str(number)
        folder.mkdir()
        inventory = read(folder, "a.json", json.dumps({**LIST, "items": items}))
        assert inventory.kubernetes is not None
        assert inventory.kubernetes.nodes
        is_cut = any("goes on" in unread.reason for unread in inventory.unread)
        assert is_cut == (items == [cut])
    deep: dict[str, object] = {**LIST, "items": [one_cluster.node(0)]}
    for _ in range(100):
        deep = {**LIST, "items": [deep]}
    deep["items"] = [*deep["items"], one_cluster.node(1)]  # type: ignore[misc]
    inventory = read(tmp_path, "deep.json", json.dumps(deep))
    assert [unread.reason for unread in inventory.unread if not unread.is_needless] == [
        "lists are nested too deeply: what is within is not read"
    ]


def test_an_item_of_a_list_in_yaml_is_named_by_its_place(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {}}\n"
    (unread,) = (one for one in read(tmp_path, "a.yaml", text).unread if not one.is_needless)
    assert unread.source.endswith("a.yaml:1:/items/0")


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
    listed = {**LIST, "items": [*one_cluster.objects(), *objects[:-1]]}
    (tmp_path / "a.json").write_text(json.dumps(listed))
    (tmp_path / "b.json").write_text(json.dumps({**LIST, "items": objects}))
    (tmp_path / "gke.json").write_text(json.dumps([one_cluster.gke_cluster()]))
    inventory = read_inventory([tmp_path])
    assert inventory.kubernetes is not None
    assert inventory.kubernetes.services is None
    assert inventory.kubernetes.nodes is None
    assert inventory.kubernetes.clusters
    assert any(why in unread.reason and not unread.is_needless for unread in inventory.unread)


def test_the_vms_of_nodes_tell_clusters_apart(tmp_path: Path) -> None:
    machines = [
        one_cluster.vm(number) | {"labels": {"goog-k8s-cluster-name": name}}
        for number, name in enumerate(("shop", "other"))
    ]
    (tmp_path / "vms.json").write_text(json.dumps(machines))
    (tmp_path / "a.json").write_text(json.dumps(one_cluster.as_list()))
    inventory = read_inventory([tmp_path])
    assert inventory.kubernetes is None
    assert any("several clusters (other, shop)" in unread.reason for unread in inventory.unread)
