"""One small cluster: its Kubernetes objects and its GKE cluster, in every format for them."""

import json
from pathlib import Path
from typing import Any

import yaml

Object = dict[str, Any]

PROJECT, ZONES = "shop-prod", ("us-central1-a", "us-central1-b")
LINK = f"https://container.googleapis.com/v1/projects/{PROJECT}/zones/us-central1-a/clusters/shop"
DATA = Path(__file__).parents[2] / "data" / "made" / "one_cluster.yaml"
GUARANTEED = {"cpu": "2", "memory": "4Gi"}


def _read() -> dict[str, Any]:
    """Return what does not depend on a number, each time anew."""
    found: dict[str, Any] = yaml.load(DATA.read_bytes(), yaml.CSafeLoader)
    return found


def node(number: int) -> Object:
    """A node of GKE."""
    name, zone = f"gke-shop-pool-{number}", ZONES[number % 2]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "cloud.google.com/gke-nodepool": "pool",
                "node.kubernetes.io/instance-type": "n2-standard-4",
                "topology.kubernetes.io/region": "us-central1",
                "topology.kubernetes.io/zone": zone,
            },
            "annotations": {"node.alpha.kubernetes.io/ttl": "0"},
        },
        "spec": {
            "podCIDR": f"10.8.{number}.0/24",
            "podCIDRs": [f"10.8.{number}.0/24"],
            "providerID": f"gce://{PROJECT}/{zone}/{name}",
        },
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": f"10.0.0.{number}"},
                {"type": "Hostname", "address": name},
            ],
            "capacity": {"cpu": "4", "memory": "16Gi"},
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kernelVersion": "6.1.0", "kubeletVersion": "v1.33.1-gke.100"},
        },
    }


def vm(number: int) -> Object:
    """The VM of a node, without alias ranges, as the API has it."""
    zone, name = ZONES[number % 2], f"gke-shop-pool-{number}"
    place = f"https://www.googleapis.com/compute/v1/projects/{PROJECT}"
    nic = {
        "name": "nic0",
        "network": f"{place}/global/networks/default",
        "networkIP": f"10.0.0.{number}",
    }
    return {
        "kind": "compute#instance",
        "id": f"520000000000000000{number}",
        "name": name,
        "selfLink": f"{place}/zones/{zone}/instances/{name}",
        "machineType": f"{place}/zones/{zone}/machineTypes/n2-standard-4",
        "status": "RUNNING",
        "networkInterfaces": [nic],
    }


def pod(name: str, number: int, owner: Object | None, container: Object, **more: Any) -> Object:
    """A pod of namespace `shop` on node `number`."""
    labels = {"app": name.split("-")[0]}
    if owner is not None and owner["kind"] == "ReplicaSet":
        labels["pod-template-hash"] = owner["name"].rpartition("-")[2]
    metadata: Object = {"name": name, "namespace": "shop", "labels": labels}
    if owner is not None:
        metadata["ownerReferences"] = [{"apiVersion": "apps/v1", "controller": True, **owner}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {
            "nodeName": f"gke-shop-pool-{number}",
            "containers": [{"name": "main", **container}],
            **more,
        },
        "status": {
            "phase": "Running",
            "podIP": f"10.8.{number}.7",
            "podIPs": [{"ip": f"10.8.{number}.7"}],
        },
    }


def namespace(name: str, **labels: str) -> Object:
    """A namespace, with the label that Kubernetes gives to each."""
    own = {"kubernetes.io/metadata.name": name, **labels}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": own}}


def objects() -> list[Object]:
    """All objects of the cluster, those that are not read among them."""
    web = {"kind": "ReplicaSet", "name": "web-75b66db9b9"}
    database = {
        "image": "percona/percona-xtradb-cluster:8.0",
        "ports": [{"containerPort": 3306}],
        "resources": {"requests": GUARANTEED, "limits": GUARANTEED},
    }
    return [
        node(0),
        node(1),
        pod("web-75b66db9b9-aaaaa", 0, web, {"image": "shop/web:1"}),
        pod("db-0", 1, {"kind": "StatefulSet", "name": "db"}, database),
        pod("agent-x", 1, None, {"image": "shop/agent"}, hostNetwork=True),
        *_read()["others"],
    ]


def as_list() -> Object:
    """What `kubectl get … --output=json` prints."""
    return {"apiVersion": "v1", "kind": "List", "items": objects(), "metadata": {}}


def as_lists_of_kinds() -> dict[str, Any]:
    """Lists of the API, a kind each, whose items do not say what they are."""
    found: dict[str, Object] = {}
    for one in objects():
        bare = {k: v for k, v in one.items() if k not in {"apiVersion", "kind"}}
        head = {"apiVersion": one["apiVersion"], "kind": f"{one['kind']}List", "metadata": {}}
        found.setdefault(one["kind"], {**head, "items": []})["items"].append(bare)
    return found


def write_kubernetes(form: str, folder: Path) -> Path:
    """Write the objects in a form into a folder, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    if form == "list":
        (folder / "all.json").write_text(json.dumps(as_list(), indent=4))
    elif form == "kinds":
        for kind, listed in as_lists_of_kinds().items():
            (folder / f"{kind.lower()}.json").write_text(json.dumps(listed))
    elif form == "single":
        for number, one in enumerate(objects()):
            (folder / f"{number}.json").write_text(json.dumps(one))
    elif form == "one-after-another":
        (folder / "all.json").write_text("\n".join(json.dumps(one) for one in objects()))
    elif form == "yaml":
        (folder / "all.yaml").write_text(yaml.safe_dump_all(objects(), sort_keys=True))
    elif form == "yaml-list":
        (folder / "all.yml").write_text(yaml.safe_dump(as_list(), sort_keys=True))
    elif form == "must-gather":
        for one in objects():
            place = one["metadata"].get("namespace")
            scope = f"namespaces/{place}" if place else "cluster-scoped-resources"
            path = folder / scope / "core" / one["kind"] / f"{one['metadata']['name']}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("---\n" + yaml.safe_dump(one))
        (folder / "version").write_text("must-gather 4.16\n")
    else:
        raise ValueError(form)
    return folder


FORMS = ("list", "kinds", "single", "one-after-another", "yaml", "yaml-list", "must-gather")


def gke_cluster() -> Object:
    """The GKE cluster, as the API states it."""
    made = _read()
    return {**made["gke_cluster"], "nodePools": [made["gke_pool"]]}


def terraform_cluster() -> Object:
    """The GKE cluster as the provider of Terraform holds it, with all its pools."""
    made = _read()
    return {**made["terraform_cluster"], "node_pool": [made["terraform_pool"]]}


def terraform_pool_apart() -> Object:
    """The node pool as a resource of its own."""
    cluster = terraform_cluster()["id"]
    return {
        **_read()["terraform_pool"],
        "id": f"{cluster}/nodePools/pool",
        "cluster": "shop",
        "location": "us-central1-a",
        "project": PROJECT,
    }


def gke_files() -> dict[str, object]:
    """The cluster and its pool in the formats that hold them."""
    bare = {k: v for k, v in gke_cluster().items() if k != "nodePools"}
    name = LINK.removeprefix("https://container.googleapis.com/v1/").replace("zones", "locations")
    asset = {
        "name": f"//container.googleapis.com/{name}",
        "assetType": "container.googleapis.com/Cluster",
        "resource": {"version": "v1", "data": gke_cluster()},
    }
    return {
        "api": {"clusters": [gke_cluster()]},
        "gcloud": [gke_cluster()],
        "single": gke_cluster(),
        "cloud-asset": [asset],
        "apart": [bare, _read()["gke_pool"]],
    }
