"""Services of GKE that ask for near endpoints in vain."""

import re
from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.model.project.kubernetes import Kubernetes, Service
from netplan_rules.base import rule_of
from netplan_rules.kubernetes._near import near_hit, prefer_near, see_slices
from netplan_rules.shared.near_services import NearService, near_services
from netplan_rules.work import SERVICE

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.SERVICES, model.Need.NODES}),
    work=SERVICE,
)

_FIRST_MINOR = 31
"""`trafficDistribution` is on from 1.31: kubernetes.io/docs/reference/command-line-tools-reference/
feature-gates (ServiceTrafficDistribution: beta 1.31), read 2026-11-23."""


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each Service of GKE that prefers near endpoints and has none of the hints."""
    kubernetes = facts.inventory.kubernetes
    if kubernetes is None or not _is_gke(kubernetes):
        return
    seen = {one.traffic.service.full_name: one for one in near_services(facts)}
    for service in kubernetes.services or ():
        is_ambient = service.namespace in kubernetes.ambient_namespaces
        if not service.prefers_near or service.is_headless or is_ambient:
            continue
        if kubernetes.endpoint_slices is None:
            yield model.Gap(resource=service.ref, reason="no endpoint slices in the input")
        elif _is_off(kubernetes, service):
            yield from _hits(facts, kubernetes, service, seen.get(service.full_name))


def _is_gke(kubernetes: Kubernetes) -> bool:
    return any(node.node_pool is not None for node in kubernetes.nodes or ())


def _is_off(kubernetes: Kubernetes, service: Service) -> bool:
    """Return whether endpoints and nodes are in several zones and nothing hints at them."""
    ends = kubernetes.endpoints_by_service.get(service.full_name, ())
    nodes = {node.zone for node in kubernetes.nodes or () if node.zone is not None}
    zones = {end.zone for end in ends if end.zone is not None}
    return len(zones) > 1 and len(nodes) > 1 and not any(end.hint_zones for end in ends)


def _hits(
    facts: model.Facts, kubernetes: Kubernetes, service: Service, seen: NearService | None
) -> Iterator[model.Hit]:
    why, fix = _cause(kubernetes, service)
    text = f"{service.full_name} requests near endpoints, and no endpoint slice has a hint ({why})"
    if seen is not None and seen.traffic.near is not None:
        if seen.saved_gib > 0:
            yield near_hit(seen, text, fix)
        return
    if facts.pod_traffic is not None:
        return  # Its traffic is not seen: nothing is known to cross zones.
    asked = service.traffic_distribution or f"topology-mode {service.topology_mode}"
    yield model.Hit(
        resources=(service.ref,),
        subject=service.full_name,
        message=text,
        evidence=(
            model.Evidence(name="asked", value=asked, source=service.ref.source or ""),
            model.Evidence(name="hints", value=0, unit="endpoints", source="endpoint slices"),
        ),
        saving=model.Saving(unknown="without pod traffic, the volume across zones is unknown"),
        fix=fix,
        doubts=("based on settings only: pod traffic would show the volume across zones",),
    )


def _cause(kubernetes: Kubernetes, service: Service) -> tuple[str, model.Fix]:
    """Return why there are no hints, as far as it can be told, and what to do."""
    minor = _minor(kubernetes)
    if service.traffic_distribution is None:
        why = "the annotation needs endpoints in proportion to the CPUs of the zones"
        return why, prefer_near(kubernetes, service, RULE.references)
    is_old = minor is not None and minor < _FIRST_MINOR
    why = f"Kubernetes 1.{minor} does not support the field" if is_old else "unknown cause"
    text = (
        f"Upgrade the cluster to 1.{_FIRST_MINOR} or later."
        if is_old
        else "Check the events of the Service for messages of the endpoint slice controller."
    )
    fix = RULE.fix(
        label="zone hints",
        text=text,
        verify=see_slices(service),
        undo="The Service does not change.",
        caution="Control plane upgrades cannot be undone." if is_old else "",
    )
    return why, fix


def _minor(kubernetes: Kubernetes) -> int | None:
    """Return the least minor version that a node or the only cluster states."""
    texts = [node.kubelet_version for node in kubernetes.nodes or ()]
    texts += [
        one.version for one in kubernetes.clusters or () if len(kubernetes.clusters or ()) == 1
    ]
    found = [re.match(r"v?1\.(\d+)", text) for text in texts if text]
    return min((int(one[1]) for one in found if one is not None), default=None)
