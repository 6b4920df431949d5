"""Kubernetes objects as values: QoS class, and lists that are read in pieces."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory
from netplan_planner.model.project.kubernetes import Pod
from netplan_planner.readers import read_inventory
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.kubernetes import lists
from support.listed import listed
from support.projects import one_cluster

Object = dict[str, Any]
LIMITS = {"cpu": "1", "memory": "1Gi"}


def inventory_of(tmp_path: Path, *items: Object) -> Inventory:
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return read_inventory([tmp_path])


def pod_of(tmp_path: Path, *containers: Object, **more: Any) -> Pod:
    made = one_cluster.pod("a", 0, None, containers[0], **more)
    made["spec"]["containers"] = list(containers)
    found = inventory_of(tmp_path, made).kubernetes
    assert found is not None
    assert found.pods is not None
    return found.pods[0]


def container(requests: Object | None = None, limits: Object | None = None) -> Object:
    resources = {"requests": requests, "limits": limits}
    return {"image": "x", "resources": {k: v for k, v in resources.items() if v is not None}}


@listed(
    ("containers", "expected"),
    [
        ([container()], "BestEffort"),
        ([container({"ephemeral-storage": "1Gi"})], "BestEffort"),
        ([container({"cpu": "0"})], "BestEffort"),
        ([container(LIMITS, LIMITS)], "Guaranteed"),
        ([container(None, LIMITS)], "Guaranteed"),
        ([container({"cpu": "1000m", "memory": "1024Mi"}, LIMITS)], "Guaranteed"),
        ([container({"cpu": "500m", "memory": "1Gi"}, LIMITS)], "Burstable"),
        ([container({"cpu": "0"}, LIMITS)], "Burstable"),
        ([container({"cpu": "1"})], "Burstable"),
        ([container({"cpu": "1"}, {"cpu": "1"})], "Burstable"),
        ([container(LIMITS, LIMITS), container()], "Burstable"),
        ([container(LIMITS, LIMITS), container(LIMITS, LIMITS)], "Guaranteed"),
    ],
)
def test_qos_class_as_kubernetes_computes_it(
    tmp_path: Path, containers: list[Object], expected: str
) -> None:
    assert pod_of(tmp_path, *containers).qos_class == expected


def test_what_else_counts_for_the_class(tmp_path: Path) -> None:
    """Init containers, resources of the pod as a whole, and the class that is stated."""
    whole = container(LIMITS, LIMITS)
    assert pod_of(tmp_path, whole, initContainers=[container()]).qos_class == "Burstable"
    assert pod_of(tmp_path, container(), initContainers=[whole]).qos_class == "Burstable"
    all_of_it = {"requests": LIMITS, "limits": LIMITS}
    assert pod_of(tmp_path, container(), resources=all_of_it).qos_class == "Guaranteed"
    made = one_cluster.pod("a", 0, None, whole)
    made["status"]["qosClass"] = "Burstable"
    found = inventory_of(tmp_path, made).kubernetes
    assert found is not None
    assert [pod.qos_class for pod in found.pods or ()] == ["Burstable"]


def test_requests_and_limits_are_summed_where_all_state_them(tmp_path: Path) -> None:
    two = pod_of(tmp_path, container({"cpu": "1500m"}, {"cpu": 2}), container({"cpu": 0.5}))
    assert two.requested_cpu_count == 2
    assert two.cpu_limit_count is None
    assert pod_of(tmp_path, container()).requested_cpu_count is None


@listed("size_bytes", [1, 100, 1_000, 5_000])
@listed("indent", [1, 4])
def test_a_list_in_pieces_reads_as_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_bytes: int, indent: int
) -> None:
    path = tmp_path / "all.json"
    kinds = one_cluster.as_lists_of_kinds()
    for document in (one_cluster.as_list(), *kinds.values()):
        path.write_text(json.dumps(document, indent=indent))
        at_once = read_inventory([path])
        with monkeypatch.context() as patch:
            patch.setattr(lists, "LARGE_BYTES", 1)
            patch.setattr(lists, "PIECE_BYTES", size_bytes)
            assert lists.read_large(path, Origin("", ":"), Collector())
            assert read_inventory([path]) == at_once


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"items": [\n', '"items": [ \n'),
        lambda text: text.replace("\n        },", "\n         },", 1),
        lambda text: text[:-400],
        lambda text: text.replace('"kind": "Pod"', '"kind": 5'),
    ],
)
def test_what_cannot_be_cut_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[str], str]
) -> None:
    path = tmp_path / "all.json"
    path.write_text(change(json.dumps(one_cluster.as_list(), indent=4)))

    def outcome() -> object:
        try:
            return read_inventory([path])
        except InputError as exc:
            return str(exc)

    at_once = outcome()
    monkeypatch.setattr(lists, "LARGE_BYTES", 1)
    monkeypatch.setattr(lists, "PIECE_BYTES", 500)
    assert outcome() == at_once
