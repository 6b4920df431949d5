"""A made cluster on hosts with two links, as `kubectl get … --output=json` prints its objects."""

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]

FLANNEL = "flannel.alpha.coreos.com/"
NAMESPACE = "pxc"


def _node(number: int, *, is_master: bool) -> Json:
    name = "master" if is_master else f"node-{number}"
    role = {"node-role.kubernetes.io/master": ""} if is_master else {}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, **role},
            "annotations": {
                f"{FLANNEL}backend-type": "vxlan",
                f"{FLANNEL}public-ip": f"192.168.1.{10 + number}",
            },
        },
        "spec": {
            "podCIDR": f"10.244.{number}.0/24",
            **({"taints": [{"effect": "NoSchedule", "key": next(iter(role))}]} if role else {}),
        },
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": f"10.10.0.{10 + number}"},
                {"type": "Hostname", "address": name},
            ],
            "capacity": {"cpu": "56"},
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kernelVersion": "4.15.0", "osImage": "Ubuntu 16.04"},
        },
    }


def _database(number: int) -> Json:
    """Return a member of the database without requests and limits, on a node of its own."""
    owner = {"apiVersion": "apps/v1", "controller": True, "kind": "StatefulSet"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"cluster1-pxc-{number}",
            "namespace": NAMESPACE,
            "ownerReferences": [{**owner, "name": "cluster1-pxc"}],
        },
        "spec": {
            "nodeName": f"node-{number + 1}",
            "containers": [
                {
                    "name": "pxc",
                    "image": "percona/percona-xtradb-cluster:5.7",
                    "ports": [{"containerPort": 3306}, {"containerPort": 4567}],
                    "resources": {},
                }
            ],
        },
        "status": {
            "phase": "Running",
            "podIP": f"10.244.{number + 1}.2",
            "qosClass": "BestEffort",
        },
    }


def _flannel() -> list[Json]:
    place = {"namespace": "kube-system"}
    container = {"name": "kube-flannel", "image": "flannel", "args": ["--ip-masq"]}
    backend = {"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan"}}
    return [
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": "kube-flannel-ds", **place},
            "spec": {"template": {"spec": {"hostNetwork": True, "containers": [container]}}},
            "status": {"desiredNumberScheduled": 4, "numberReady": 4},
        },
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "kube-flannel-cfg", **place},
            "data": {"net-conf.json": json.dumps(backend)},
        },
    ]


def write_cluster(folder: Path) -> None:
    """Write one master, three nodes with two links, three database pods, and the plugin."""
    folder.mkdir(parents=True, exist_ok=True)
    nodes = [_node(0, is_master=True), *(_node(n, is_master=False) for n in (1, 2, 3))]
    items = [*nodes, *(_database(n) for n in range(3)), *_flannel()]
    listed = {"apiVersion": "v1", "kind": "List", "items": items, "metadata": {}}
    path = folder / "cluster.json"
    path.write_text(json.dumps(listed, indent=2) + "\n", encoding="utf-8")
