"""Reading a large cluster: `kubectl get nodes,pods,… -A --output=json`, and `json.loads` of it.

A made cluster of 20,000 nodes and 200,000 pods, with endpoint slices, as `kubectl` prints them
(indented, without managed fields). Each reader runs in a fresh process; time is that of the whole
process, start-up and imports included, and so is the peak of its memory. netplan builds its
`Inventory`; the rival only makes dictionaries.

    python benchmarks/read_kubernetes.py
    python benchmarks/read_kubernetes.py --nodes 2000 --pods 20000 --repeat 1

Inputs are pinned: the same arguments make the same bytes.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Object = dict[str, Any]
ZONES = ("us-central1-a", "us-central1-b", "us-central1-c")
PODS_PER_WORKLOAD = 20
ENDPOINTS_PER_SLICE = 100
IMAGES_PER_NODE = 50
"""As many as a kubelet reports at most (`nodeStatusMaxImages`)."""


def node(number: int) -> Object:
    """Return a node with what GKE's nodes have."""
    zone, name = ZONES[number % 3], f"gke-shop-pool-{number:05d}"
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/instance-type": "n2-standard-16",
        "beta.kubernetes.io/os": "linux",
        "cloud.google.com/gke-boot-disk": "pd-balanced",
        "cloud.google.com/gke-container-runtime": "containerd",
        "cloud.google.com/gke-nodepool": "pool",
        "cloud.google.com/gke-os-distribution": "cos",
        "cloud.google.com/machine-family": "n2",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "n2-standard-16",
        "topology.gke.io/zone": zone,
        "topology.kubernetes.io/region": "us-central1",
        "topology.kubernetes.io/zone": zone,
    }
    images = [
        {
            "names": [
                f"us-docker.pkg.dev/shop-prod/images/service-{image:03d}@sha256:{image:064x}",
                f"us-docker.pkg.dev/shop-prod/images/service-{image:03d}:1.{number % 7}.{image}",
            ],
            "sizeBytes": 10_000_000 + image,
        }
        for image in range(IMAGES_PER_NODE)
    ]
    conditions = [
        {
            "lastHeartbeatTime": "2026-11-20T10:00:00Z",
            "lastTransitionTime": "2026-11-01T10:00:00Z",
            "message": f"the kubelet has {kind}",
            "reason": f"Kubelet{kind}",
            "status": "True" if kind == "Ready" else "False",
            "type": kind,
        }
        for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready", "KernelDeadlock")
    ]
    capacity = {
        "cpu": "16",
        "ephemeral-storage": "98831908Ki",
        "memory": "65846308Ki",
        "pods": "110",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "annotations": {
                "container.googleapis.com/instance_id": str(10**18 + number),
                "csi.volume.kubernetes.io/nodeid": f'{{"pd.csi.storage.gke.io":"{name}"}}',
                "networking.gke.io/network-status": "[]",
                "node.alpha.kubernetes.io/ttl": "30",
            },
            "creationTimestamp": "2026-11-01T10:00:00Z",
            "labels": labels,
            "name": name,
            "resourceVersion": str(10**8 + number),
            "uid": f"{number:08x}-0000-4000-8000-000000000000",
        },
        "spec": {
            "podCIDR": f"10.{64 + number // 256}.{number % 256}.0/24",
            "podCIDRs": [f"10.{64 + number // 256}.{number % 256}.0/24"],
            "providerID": f"gce://shop-prod/{zone}/{name}",
        },
        "status": {
            "addresses": [
                {"address": f"10.0.{number // 256}.{number % 256}", "type": "InternalIP"},
                {"address": f"{name}.c.shop-prod.internal", "type": "Hostname"},
            ],
            "allocatable": capacity,
            "capacity": capacity,
            "conditions": conditions,
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "images": images,
            "nodeInfo": {
                "architecture": "amd64",
                "bootID": f"{number:032x}",
                "containerRuntimeVersion": "containerd://2.0.4",
                "kernelVersion": "6.6.72+",
                "kubeProxyVersion": "v1.33.1-gke.100",
                "kubeletVersion": "v1.33.1-gke.100",
                "machineID": f"{number:032x}",
                "operatingSystem": "linux",
                "osImage": "Container-Optimized OS from Google",
                "systemUUID": f"{number:032x}",
            },
        },
    }


def pod(number: int, node_count: int) -> Object:
    """Return a running pod of a Deployment with two containers."""
    workload, of_node = number // PODS_PER_WORKLOAD, number % node_count
    template_hash = "75b66db9b9"
    app = f"service-{workload:05d}"
    name = f"{app}-{template_hash}-{number % 100_000:05d}"
    address = f"10.{64 + of_node // 256}.{of_node % 256}.{2 + number // node_count % 250}"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "annotations": {"checksum/config": f"{number:064x}", "prometheus.io/scrape": "true"},
            "creationTimestamp": "2026-11-10T10:00:00Z",
            "generateName": f"{app}-{template_hash}-",
            "labels": {"app": app, "pod-template-hash": template_hash, "team": f"t{workload % 50}"},
            "name": name,
            "namespace": f"team-{workload % 50}",
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "blockOwnerDeletion": True,
                    "controller": True,
                    "kind": "ReplicaSet",
                    "name": f"{app}-{template_hash}",
                    "uid": f"{workload:08x}-0000-4000-8000-000000000000",
                }
            ],
            "resourceVersion": str(2 * 10**8 + number),
            "uid": f"{number:08x}-0000-4000-8000-000000000000",
        },
        "spec": {
            "containers": [_container(workload, side) for side in ("main", "proxy")],
            "dnsPolicy": "ClusterFirst",
            "enableServiceLinks": True,
            "nodeName": f"gke-shop-pool-{of_node:05d}",
            "preemptionPolicy": "PreemptLowerPriority",
            "priority": 0,
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "serviceAccount": app,
            "serviceAccountName": app,
            "terminationGracePeriodSeconds": 30,
            "tolerations": [
                {
                    "effect": "NoExecute",
                    "key": f"node.kubernetes.io/{key}",
                    "operator": "Exists",
                    "tolerationSeconds": 300,
                }
                for key in ("not-ready", "unreachable")
            ],
            "volumes": [
                {
                    "name": "kube-api-access-x",
                    "projected": {
                        "defaultMode": 420,
                        "sources": [
                            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                            {"configMap": {"name": "kube-root-ca.crt"}},
                        ],
                    },
                }
            ],
        },
        "status": {
            "conditions": [
                {
                    "lastProbeTime": None,
                    "lastTransitionTime": "2026-11-10T10:00:05Z",
                    "status": "True",
                    "type": kind,
                }
                for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
            ],
            "containerStatuses": [
                {
                    "containerID": f"containerd://{number:064x}",
                    "image": f"us-docker.pkg.dev/shop-prod/images/{app}:1.0",
                    "imageID": f"us-docker.pkg.dev/shop-prod/images/{app}@sha256:{workload:064x}",
                    "lastState": {},
                    "name": side,
                    "ready": True,
                    "restartCount": 0,
                    "started": True,
                    "state": {"running": {"startedAt": "2026-11-10T10:00:04Z"}},
                }
                for side in ("main", "proxy")
            ],
            "hostIP": f"10.0.{of_node // 256}.{of_node % 256}",
            "phase": "Running",
            "podIP": address,
            "podIPs": [{"ip": address}],
            "qosClass": "Burstable",
            "startTime": "2026-11-10T10:00:00Z",
        },
    }


def _container(workload: int, side: str) -> Object:
    return {
        "env": [{"name": f"SETTING_{n}", "value": f"value-{workload}-{n}"} for n in range(6)],
        "image": f"us-docker.pkg.dev/shop-prod/images/service-{workload:05d}:1.0",
        "imagePullPolicy": "IfNotPresent",
        "livenessProbe": {
            "failureThreshold": 3,
            "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
            "periodSeconds": 10,
            "successThreshold": 1,
            "timeoutSeconds": 1,
        },
        "name": side,
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "resources": {
            "limits": {"cpu": "1", "memory": "1Gi"},
            "requests": {"cpu": "250m", "memory": "512Mi"},
        },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [
            {
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                "name": "kube-api-access-x",
                "readOnly": True,
            }
        ],
    }


def endpoint_slice(number: int, node_count: int) -> Object:
    """Return a slice of a hundred endpoints."""
    first = number * ENDPOINTS_PER_SLICE
    pods = [pod(n, node_count) for n in range(first, first + ENDPOINTS_PER_SLICE)]
    return {
        "addressType": "IPv4",
        "apiVersion": "discovery.k8s.io/v1",
        "endpoints": [
            {
                "addresses": [one["status"]["podIP"]],
                "conditions": {"ready": True, "serving": True, "terminating": False},
                "nodeName": one["spec"]["nodeName"],
                "targetRef": {
                    "kind": "Pod",
                    "name": one["metadata"]["name"],
                    "namespace": one["metadata"]["namespace"],
                    "uid": one["metadata"]["uid"],
                },
                "zone": ZONES[(first + index) % node_count % 3],
            }
            for index, one in enumerate(pods)
        ],
        "kind": "EndpointSlice",
        "metadata": {
            "labels": {"kubernetes.io/service-name": f"service-{number:05d}"},
            "name": f"service-{number:05d}-x",
            "namespace": f"team-{number % 50}",
        },
        "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}],
    }


def objects(node_count: int, pod_count: int) -> Iterator[Object]:
    """Yield all objects, in `kubectl`'s order of the kinds that were asked for."""
    yield from (node(number) for number in range(node_count))
    yield from (pod(number, node_count) for number in range(pod_count))
    slices = pod_count // ENDPOINTS_PER_SLICE
    yield from (endpoint_slice(number, node_count) for number in range(slices))


def write(path: Path, node_count: int, pod_count: int) -> None:
    """Write the list as `kubectl` does, four blanks a level, without holding it."""
    with path.open("w", encoding="utf-8") as out:
        out.write('{\n    "apiVersion": "v1",\n    "items": [')
        for number, one in enumerate(objects(node_count, pod_count)):
            text = json.dumps(one, indent=4).replace("\n", "\n        ")
            out.write(("," if number else "") + "\n        " + text)
        out.write('\n    ],\n    "kind": "List",\n    "metadata": {\n        ')
        out.write('"resourceVersion": ""\n    }\n}\n')


READERS = {
    "netplan": (
        "import sys; from pathlib import Path;"
        "from netplan_planner.readers import read_inventory;"
        "k = read_inventory([Path(sys.argv[1])]).kubernetes;"
        "print(len(k.nodes), len(k.pods), sum(len(s.endpoints) for s in k.endpoint_slices or ()))"
    ),
    "json.loads": (
        "import json, sys; from pathlib import Path;"
        "print(len(json.loads(Path(sys.argv[1]).read_bytes())['items']))"
    ),
}


def run(code: str, path: Path) -> tuple[float, float, float, str]:
    """Return the seconds, seconds of CPU and peak GiB of a process, and what it printed."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    printed = process.stdout.read().strip()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"a reader failed: {printed}")
    cpu_s = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - began, cpu_s, usage.ru_maxrss / 2**20, printed


def main() -> None:
    """Write the list, let the readers take turns, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--pods", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=sorted(READERS), nargs="*", default=list(READERS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cluster.json")
        write(path, options.nodes, options.pods)
        print(
            f"{options.nodes:,} nodes, {options.pods:,} pods: {path.stat().st_size / 2**30:.2f} GiB"
        )
        found: dict[str, list[tuple[float, float, float, str]]] = {
            name: [] for name in options.only
        }
        for _ in range(options.repeat):
            for name in options.only:
                found[name].append(run(READERS[name], path))
    for name, runs in found.items():
        seconds = sorted(one[0] for one in runs)
        cpu_s = statistics.median(one[1] for one in runs)
        peak_gib = max(one[2] for one in runs)
        span = f"{statistics.median(seconds):.1f} s ({seconds[0]:.1f} to {seconds[-1]:.1f})"
        print(f"{name}: {span}, {cpu_s:.1f} s of CPU, peak {peak_gib:.2f} GiB, {runs[0][3]}")


if __name__ == "__main__":
    main()
