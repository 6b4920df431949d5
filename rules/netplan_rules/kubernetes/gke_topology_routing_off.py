"""Services of GKE that ask for near endpoints in vain."""

import re
from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.model.project.kubernetes import Kubernetes, Service
from netplan_rules.base import Rule
from netplan_rules.kubernetes._near import near_hit, prefer_near, see_slices
from netplan_rules.shared.near_services import NearService, near_services
from netplan_rules.work import SERVICE

RULE = Rule(
    id="gke-topology-routing-off",
    title="A Service of GKE asks for near endpoints, and its slices have no hints",
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.SERVICES, model.Need.NODES}),
    rationale="Clients stay in their zone only as far as the slices of endpoints carry hints. The"
    " controller leaves them out where the version does not know the field, or, for the annotation,"
    " where endpoints cannot be spread in proportion to the zones' processors: the Service then"
    " reads as if its traffic stayed near, and it crosses zones all the same.",
    remediation="Use trafficDistribution, which has no such proportion, on Kubernetes 1.31 or"
    " later.",
    guards="Silent where any slice carries a hint, for Services that ask for nothing, outside GKE,"
    " where all endpoints or nodes are in one zone, in namespaces of GKE's ambient networking,"
    " which does not support the field, and where the traffic of pods shows that near"
    " endpoints would save nothing. Without traffic it goes by the settings alone, less sure and"
    " without money. Without slices of endpoints a Service is listed as not judged.",
    references=(
        "https://kubernetes.io/docs/concepts/services-networking/topology-aware-routing/",
        "https://kubernetes.io/docs/reference/networking/virtual-ips/",
    ),
    work=SERVICE,
    group_message="{count} Services ask for near endpoints and have no hints",
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
            yield model.Gap(resource=service.ref, reason="no endpoint slices were read")
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
    text = f"{service.full_name} asks for near endpoints, and no slice has a hint ({why})"
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
            model.Evidence(name="hints", value=0, unit="endpoints", source="slices of endpoints"),
        ),
        saving=model.Saving(unknown="what crosses zones is not known without the traffic of pods"),
        fix=fix,
        doubts=("by the settings alone: traffic of pods would show what crosses zones",),
    )


def _cause(kubernetes: Kubernetes, service: Service) -> tuple[str, model.Fix]:
    """Return why there are no hints, as far as it can be told, and what to do."""
    minor = _minor(kubernetes)
    if service.traffic_distribution is None:
        why = "the annotation needs endpoints in proportion to the zones' processors"
        return why, prefer_near(kubernetes, service, RULE.references)
    is_old = minor is not None and minor < _FIRST_MINOR
    why = f"Kubernetes 1.{minor} does not know the field" if is_old else "the cause is not known"
    text = (
        f"Upgrade the cluster to 1.{_FIRST_MINOR} or later."
        if is_old
        else "See what the controller of slices says in the events of the Service."
    )
    fix = RULE.fix(
        label="hints for zones",
        text=text,
        verify=see_slices(service),
        undo="Nothing is changed in the Service.",
        caution="Upgrades of the control plane do not go back." if is_old else "",
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
