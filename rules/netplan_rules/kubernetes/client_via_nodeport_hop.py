"""Services whose clients from outside enter by a node that may have no endpoint."""

from collections import Counter
from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.clusters.services import endpoint_counts
from netplan_planner.model.project.kubernetes import Kubernetes, Service
from netplan_rules.base import rule_of
from netplan_rules.kubernetes._near import patch
from netplan_rules.work import SERVICE

RULE = rule_of(
    __name__,
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.SERVICES, model.Need.NODES}),
    work=SERVICE,
)

_NEG = "cloud.google.com/neg"
_TYPES = frozenset({"NodePort", "LoadBalancer"})
_LOCAL = '{"spec":{"externalTrafficPolicy":"Local"}}'
_CLUSTER = '{"spec":{"externalTrafficPolicy":"Cluster"}}'


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each Service whose outer clients may be sent on to another zone."""
    kubernetes = facts.inventory.kubernetes
    if kubernetes is None:
        return
    for service in kubernetes.services or ():
        policy = service.external_traffic_policy
        if service.type not in _TYPES or policy == "Local" or dict(service.annotations).get(_NEG):
            continue
        if policy is None:
            yield model.Gap(resource=service.ref, reason="its externalTrafficPolicy is not stated")
        else:
            yield from _judge(kubernetes, service)


def _judge(kubernetes: Kubernetes, service: Service) -> Iterator[model.Hit | model.Gap]:
    if kubernetes.endpoint_slices is None:
        yield model.Gap(resource=service.ref, reason="no endpoint slices in the input")
        return
    ends = endpoint_counts(kubernetes.endpoints_by_service.get(service.full_name, ()))
    zones = [node.zone for node in kubernetes.nodes or () if node.is_ready is not False]
    known = [zone for zone in zones if zone is not None]
    if ends is None or len(known) < len(zones):
        whose = "an endpoint" if ends is None else "a node"
        yield model.Gap(resource=service.ref, reason=f"the zone of {whose} is unknown")
        return
    share = crossing_ratio(Counter(known), dict(ends))
    if share:
        yield _hit(service, share, len({zone for zone, _ in ends}), len(set(known)))


def crossing_ratio(nodes: Counter[model.Zone], ends: dict[model.Zone, int]) -> float:
    """Return the share of connections that cross zones if nodes and endpoints are used alike.

    >>> a, b = model.Zone("a"), model.Zone("b")
    >>> crossing_ratio(Counter({a: 1, b: 1}), {a: 2})
    0.5
    """
    all_nodes, all_ends = nodes.total(), sum(ends.values())
    if not all_nodes or not all_ends:
        return 0.0
    near = sum(nodes[zone] * count for zone, count in ends.items())
    return 1 - near / (all_nodes * all_ends)


def _hit(service: Service, share: float, end_zones: int, node_zones: int) -> model.Hit:
    return model.Hit(
        resources=(service.ref,),
        subject=f"{service.full_name} ({service.type})",
        message=f"clients of {service.full_name} enter at any node, which forwards them to any"
        f" endpoint: {share:.0%} of them to another zone, if the load is even",
        evidence=(
            model.Evidence(
                name="policy",
                value=service.external_traffic_policy or "",
                source=service.ref.source or "",
            ),
            model.Evidence(name="crossing", value=round(share, 3), unit="ratio", source="by zone"),
            model.Evidence(name="endpoint_zones", value=end_zones, unit="zones"),
            model.Evidence(name="node_zones", value=node_zones, unit="zones"),
        ),
        saving=model.Saving(
            unknown="the traffic of its clients is unknown: flow logs name the node, not the pod"
        ),
        fix=RULE.fix(
            label="externalTrafficPolicy: Local",
            text="Set externalTrafficPolicy: Local, so that only nodes with an endpoint accept"
            " clients. Or use network endpoint groups, so that the load balancer reaches pods"
            " directly.",
            commands=(patch(service, _LOCAL),),
            verify="The load balancer's health check passes only on nodes with an endpoint, and the"
            " pods see the clients' addresses.",
            undo=model.Instruction(
                text="Set the old policy again.", commands=(patch(service, _CLUSTER),)
            ),
            caution="A node without a ready endpoint drops incoming traffic: use health checks of a"
            " load balancer, or an endpoint on every node that clients use. Nodes with few"
            " endpoints get as many clients as those with many.",
        ),
        doubts=("based on settings only: the number of clients is unknown",),
    )
