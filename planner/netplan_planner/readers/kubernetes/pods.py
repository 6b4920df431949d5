"""Pods as values of the model; written for hundreds of thousands of them."""

import re
from functools import lru_cache

from netplan_planner.model import ResourceRef
from netplan_planner.model.project.kubernetes import Pod, QosClass
from netplan_planner.readers.kubernetes.metadata import chosen, metadata_of, namespace_of, texts
from netplan_planner.readers.kubernetes.quantities import Given, given, qos_class
from netplan_planner.readers.kubernetes.wire import (
    WireContainer,
    WireMetadata,
    WirePod,
    WirePodSpec,
    WirePodStatus,
)
from netplan_planner.readers.links import CACHED_LINKS, Problems

NETWORKS = "k8s.v1.cni.cncf.io/networks"
_BANDWIDTH = ("kubernetes.io/ingress-bandwidth", "kubernetes.io/egress-bandwidth")
_KEPT = (NETWORKS, *_BANDWIDTH)

_HASHED = re.compile(r"(.+)-[bcdf-hj-km-np-tv-z2456789]{1,10}")
"""A ReplicaSet's name: the Deployment's and a hash in the alphabet of Kubernetes' safe encoding
(k8s.io/apimachinery util/rand: no vowels, no 0, 1 or 3), of ten characters at most."""
_HASH_LABEL = "pod-template-hash"

_NO_SPEC, _NO_STATUS = WirePodSpec(), WirePodStatus()
_QOS = {quality.value: quality for quality in QosClass}


def pod(wire: WirePod, ref: ResourceRef, problems: Problems) -> Pod:
    """Return one pod.

    Raises:
        Unusable: If it has no name.
    """
    metadata = metadata_of(wire)
    spec, status = wire.spec or _NO_SPEC, wire.status or _NO_STATUS
    labels = texts(metadata.labels, "metadata.labels", problems)
    kind, workload = _workload(metadata, dict(labels).get(_HASH_LABEL))
    containers = spec.containers or []
    resources = [given(container.resources) for container in containers]
    requested, limit = _cpu_counts(tuple(resources))
    annotations = chosen(metadata.annotations, _KEPT, problems)
    return Pod(
        ref=ref,
        namespace=namespace_of(metadata.namespace),
        name=metadata.name or "",
        node=_same(spec.node_name) if spec.node_name else None,
        phase=_same(status.phase) if status.phase else None,
        pod_ips=_addresses(status),
        is_host_network=spec.host_network is True,
        qos_class=_quality(spec, status.qos_class, resources, problems),
        requested_cpu_count=requested,
        cpu_limit_count=limit,
        workload_kind=kind,
        workload=workload,
        images=_images(tuple([c.image for c in containers if c.image])),
        ports=_ports(containers),
        labels=labels,
        networks=next((value for key, value in annotations if key == NETWORKS), None),
        bandwidth=tuple(item for item in annotations if item[0] in _BANDWIDTH),
    )


def _workload(metadata: WireMetadata, template_hash: str | None) -> tuple[str | None, str | None]:
    owners = metadata.owner_references or ()
    owner = next((o for o in owners if o.controller), None) or next(iter(owners), None)
    if owner is None or not owner.kind or not owner.name:
        return None, None
    return _owned(owner.kind, owner.name, template_hash)


@lru_cache(CACHED_LINKS)
def _owned(kind: str, name: str, template_hash: str | None) -> tuple[str, str]:
    """Return the workload of an owner: the Deployment of a ReplicaSet, else the owner itself.

    A mirror pod of a static one is owned by its node.

    >>> _owned("ReplicaSet", "web-75b66db9b9", "75b66db9b9")
    ('Deployment', 'web')
    >>> _owned("ReplicaSet", "by-hand", None)
    ('ReplicaSet', 'by-hand')
    """
    if kind != "ReplicaSet":
        return kind, name
    if template_hash and name.endswith(f"-{template_hash}"):
        return "Deployment", name.removesuffix(f"-{template_hash}")
    match = _HASHED.fullmatch(name) if template_hash else None
    return ("Deployment", match[1]) if match else (kind, name)


def _addresses(status: WirePodStatus) -> tuple[str, ...]:
    if status.pod_ips:
        return tuple([one.ip for one in status.pod_ips if one.ip])
    return (status.pod_ip,) if status.pod_ip else ()


def _quality(
    spec: WirePodSpec, stated: str | None, resources: list[Given], problems: Problems
) -> QosClass:
    """Return the stated class, else the one that follows from requests and limits."""
    if stated:
        found = _QOS.get(stated)
        if found is not None:
            return found
        problems.append(("status.qosClass", f"unknown value {stated[:40]!r}"))
    if spec.resources is not None and (spec.resources.requests or spec.resources.limits):
        return qos_class([given(spec.resources)])
    return qos_class([*resources, *(given(c.resources) for c in spec.init_containers or ())])


@lru_cache(CACHED_LINKS)
def _cpu_counts(containers: tuple[Given, ...]) -> tuple[float | None, float | None]:
    """Return the vCPUs that containers request, and their limit, None where one has none."""
    requested = [container[0] for container in containers if container[0] is not None]
    limits = [container[2] for container in containers if container[2] is not None]
    is_limited = limits and len(limits) == len(containers)
    return (
        float(sum(requested)) if requested else None,
        float(sum(limits)) if is_limited else None,
    )


def _ports(containers: list[WireContainer]) -> tuple[int, ...]:
    return tuple([p.container_port for c in containers for p in c.ports or () if p.container_port])


@lru_cache(CACHED_LINKS)
def _same(text: str) -> str:
    return text


@lru_cache(CACHED_LINKS)
def _images(images: tuple[str, ...]) -> tuple[str, ...]:
    return images
