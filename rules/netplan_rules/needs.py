"""Which evidence a set of facts has; a rule that lacks some is *not evaluated*."""

from collections.abc import Callable, Mapping

from netplan_planner.clusters.network import networks_of
from netplan_planner.model import INTERNET_QUOTA, Facts, Inventory, MeasuredKind, Metric, Need
from netplan_planner.model.project.kubernetes import Kubernetes

_NO_TRAFFIC = "no traffic given (--traffic)"
_NO_METRICS = "no metrics given (--metrics, or --project)"
_STEADY = "the traffic has only average rates"
_NO_PEERS = "the traffic comes from metrics, which name no peers or addresses (--traffic)"
_NO_CLUSTER = "no Kubernetes objects given (--inventory)"


def lacking(need: Need, facts: Facts) -> str | None:
    """Return why the facts cannot answer a rule with this need, or None when they can."""
    if need in _LISTED:
        has_any, why = _LISTED[need]
        return None if has_any(facts.inventory) else why
    if need in _OF_CLUSTERS:
        kubernetes = facts.inventory.kubernetes
        if kubernetes is None:
            return _NO_CLUSTER
        if need is Need.POD_TRAFFIC:
            return _lacking_pod_traffic(facts)
        return _lacking_objects(need, kubernetes)
    asked = _ASKED.get(need)
    return asked(facts) if asked is not None else None


def _lacking_traffic(facts: Facts) -> str | None:
    return None if facts.traffic is not None else _NO_TRAFFIC


def _lacking_peers(facts: Facts) -> str | None:
    if facts.traffic is None:
        return _NO_TRAFFIC
    return _NO_PEERS if facts.traffic.is_of_metrics else None


def _lacking_window(facts: Facts) -> str | None:
    if facts.traffic is None:
        return _NO_TRAFFIC
    return _STEADY if facts.traffic.is_steady else None


def _lacking_records(facts: Facts) -> str | None:
    return _lacking_peers(facts) or _lacking_window(facts)


def _lacking_rates(facts: Facts) -> str | None:
    return None if facts.machine_rates else _lacking_window(facts)


def _lacking_tunnel_loads(facts: Facts) -> str | None:
    if facts.metrics is not None and facts.metrics.of_kind(
        MeasuredKind.VPN_TUNNEL, Metric.VPN_SENT_PACKETS
    ):
        return None
    return _lacking_records(facts)


def _lacking_quota_limits(facts: Facts) -> str | None:
    if facts.metrics is None:
        return _NO_METRICS
    limits = facts.metrics.of_kind(MeasuredKind.QUOTA, Metric.QUOTA_LIMIT)
    has_limit = any(one.resource.name == INTERNET_QUOTA for one in limits)
    return None if has_limit else f"the metrics do not include the limit {INTERNET_QUOTA}"


def _lacking_metrics(facts: Facts) -> str | None:
    if facts.metrics is None:
        return _NO_METRICS
    return None if facts.metrics.series else "the metrics do not include a series that rules use"


def _lacking_targets(facts: Facts) -> str | None:
    # A label that cannot be read is a gap of the rule, not a lack of targets.
    has_target = bool(facts.targets) or any(
        facts.target(instance) is not None or facts.why_no_target(instance)
        for instance in facts.inventory.instances
    )
    return None if has_target else "no VM has a target bandwidth (label or file)"


def _lacking_measurements(facts: Facts) -> str | None:
    if facts.measurements is None:
        return "no measurements given (--measurements FILE)"
    return None if facts.measurements else "the stores contain no measurements"


def _lacking_bill(facts: Facts) -> str | None:
    if facts.reconciliation is not None:
        return None
    none = "no bill given to compare with (--billing-export), or no traffic"
    return facts.why_not_reconciled or none


_LISTED: Mapping[Need, tuple[Callable[[Inventory], object], str]] = {
    Need.INVENTORY: (lambda read: read.instances, "no VMs in the inventory"),
    Need.EXTERNAL_ADDRESSES: (
        lambda read: any(address.is_external for address in read.addresses),
        "no reserved external addresses in the inventory",
    ),
    Need.NAT_GATEWAYS: (
        lambda read: any(router.nats for router in read.routers),
        "no Cloud NAT gateways in the inventory",
    ),
    Need.ROUTES: (lambda read: read.routes, "no routes in the inventory"),
    Need.VPN_TUNNELS: (lambda read: read.vpn_tunnels, "no VPN tunnels in the inventory"),
    Need.TYPE_RECOMMENDATIONS: (
        lambda read: read.type_recommendations,
        "no machine type recommendations in the inventory (gcloud recommender)",
    ),
    Need.VLAN_ATTACHMENTS: (
        lambda read: read.vlan_attachments,
        "no VLAN attachments in the inventory",
    ),
    Need.FORWARDING_RULES: (
        lambda read: read.forwarding_rules,
        "no forwarding rules in the inventory",
    ),
    Need.SPOKES: (
        lambda read: read.spokes,
        "no Network Connectivity Center spokes in the inventory",
    ),
    Need.SEVERAL_NETWORKS: (
        lambda read: len(read.networks) > 1,
        "fewer than two networks in the inventory",
    ),
}
"""What the inventory has to hold, and what is said where it does not."""
_ASKED: Mapping[Need, Callable[[Facts], str | None]] = {
    Need.TRAFFIC: _lacking_traffic,
    Need.PEERS: _lacking_peers,
    Need.FLOW_RECORDS: _lacking_records,
    Need.WINDOW: _lacking_window,
    Need.RATES: _lacking_rates,
    Need.TUNNEL_LOADS: _lacking_tunnel_loads,
    Need.QUOTA_LIMITS: _lacking_quota_limits,
    Need.METRICS: _lacking_metrics,
    Need.TARGETS: _lacking_targets,
    Need.MEASUREMENTS: _lacking_measurements,
    Need.BILL: _lacking_bill,
}
"""What else a rule may need; prices are always there."""
_OF_CLUSTERS = frozenset(
    {
        Need.NODES,
        Need.PODS,
        Need.SERVICES,
        Need.NODE_POOLS,
        Need.CLUSTER_NETWORKS,
        Need.POD_TRAFFIC,
    }
)


def _lacking_objects(need: Need, kubernetes: Kubernetes) -> str | None:
    """Return why the objects of a cluster do not answer a need; an empty list does."""
    if need is Need.CLUSTER_NETWORKS:
        is_told = any(network.plugin is not None for network in networks_of(kubernetes))
        return None if is_told else "the inventory names no network plugin"
    found = {
        Need.NODES: (kubernetes.nodes, "nodes"),
        Need.PODS: (kubernetes.pods, "pods"),
        Need.SERVICES: (kubernetes.services, "Services"),
        Need.NODE_POOLS: (kubernetes.node_pools, "GKE node pools"),
    }
    objects, name = found[need]
    return f"no list of {name} in the inventory" if objects is None else None


def _lacking_pod_traffic(facts: Facts) -> str | None:
    traffic = facts.pod_traffic
    if traffic is None:
        return _NO_TRAFFIC if facts.traffic is None else "the traffic does not name pods"
    if not traffic.has_bytes:
        return "the pod traffic has no byte counts"
    return None if traffic.month_seconds else "the pod traffic has no times"
