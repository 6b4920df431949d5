"""Pods as values of the model; written for hundreds of thousands of them."""

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from netplan_planner.model import ResourceRef
from netplan_planner.model.project.kubernetes import Pod, QosClass
from netplan_planner.readers.kubernetes.metadata import chosen, metadata_of, namespace_of, texts
from netplan_planner.readers.kubernetes.wire import (
    Quantity,
    WireCapacity,
    WireContainer,
    WireMetadata,
    WirePod,
    WirePodSpec,
    WirePodStatus,
    WireResources,
)
from netplan_planner.readers.links import CACHED_LINKS, Problems

# Kubernetes quantities, and the quality of service class that follows from them


_SUFFIXES = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "T": Decimal(10**12),
    "P": Decimal(10**15),
    "E": Decimal(10**18),
    "Ki": Decimal(2**10),
    "Mi": Decimal(2**20),
    "Gi": Decimal(2**30),
    "Ti": Decimal(2**40),
    "Pi": Decimal(2**50),
    "Ei": Decimal(2**60),
}
"""kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity, read 2026-11-23."""

_LONGEST = 40
"""Characters; a longer text is no quantity of a machine."""
_GREATEST = Decimal(2**63)

Given = tuple[Decimal | None, Decimal | None, Decimal | None, Decimal | None]
"""Requested CPU and memory, then their limits; None where not stated or 0."""


@lru_cache(4096)
def amount(quantity: Quantity) -> Decimal | None:
    """Return a quantity as a number, None where it is none that Kubernetes takes.

    >>> amount("500m"), amount("1.5Gi"), amount("1e3"), amount("many")
    (Decimal('0.500'), Decimal('1610612736.0'), Decimal('1E+3'), None)
    """
    text = str(quantity).strip()
    if len(text) > _LONGEST or not text.isascii():
        return None
    number = text.rstrip("".join(dict.fromkeys("numkKMGTPEi")))
    suffix = _SUFFIXES.get(text[len(number) :])
    if suffix is None:
        return None
    try:
        value = Decimal(number) * suffix
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value) <= _GREATEST else None


def cpu_count(quantity: Quantity | None) -> float | None:
    """Return a quantity of CPU in vCPUs, None where none is stated."""
    found = amount(quantity) if quantity is not None else None
    return float(found) if found is not None else None


def given(resources: WireResources | None) -> Given:
    """Return requests and limits of a container; a limit without a request is requested too.

    So the API server fills it in when it stores a pod.
    """
    if resources is None:
        return None, None, None, None
    return _given(_pair(resources.requests), _pair(resources.limits))


_Stated = tuple[Quantity | None, Quantity | None]


def _pair(capacity: WireCapacity | None) -> _Stated:
    return (None, None) if capacity is None else (capacity.cpu, capacity.memory)


@lru_cache(4096)
def _given(requests: _Stated, limits: _Stated) -> Given:
    cpu, memory, cpu_limit, memory_limit = (
        amount(quantity) if quantity is not None else None for quantity in (*requests, *limits)
    )
    # A request of 0 is one: only what is not stated is taken from the limit.
    return (
        (cpu if cpu is not None else cpu_limit) or None,
        (memory if memory is not None else memory_limit) or None,
        cpu_limit or None,
        memory_limit or None,
    )


def qos_class(containers: Iterable[Given]) -> QosClass:
    """Return the class of a pod with these containers, init containers included.

    Guaranteed: each has limits of CPU and memory, and the sums of requests are those of limits.
    Best effort: none has a request or limit of either. Burstable: all others.

    Source:
        kubernetes.io/docs/concepts/workloads/pods/pod-qos, read 2026-11-23.

    >>> one, half = Decimal(1), Decimal("0.5")
    >>> qos_class([(one, one, one, one)]).value
    'Guaranteed'
    >>> qos_class([(half, one, one, one)]).value, qos_class([(None,) * 4]).value
    ('Burstable', 'BestEffort')
    """
    found = tuple(containers)
    if all(value is None for container in found for value in container):
        return QosClass.BEST_EFFORT
    has_limits = all(c[2] is not None and c[3] is not None for c in found)
    is_equal = all(
        sum((c[request] or 0 for c in found), Decimal(0))
        == sum((c[request + 2] or 0 for c in found), Decimal(0))
        for request in (0, 1)
    )
    return QosClass.GUARANTEED if has_limits and is_equal else QosClass.BURSTABLE


# Pods as values of the model; written for hundreds of thousands of them


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
