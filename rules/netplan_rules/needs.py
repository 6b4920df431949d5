"""Which evidence a set of facts has; a rule that lacks some is *not evaluated*."""

from netplan_planner.clusters.network import networks_of
from netplan_planner.model import INTERNET_QUOTA, Facts, MeasuredKind, Metric, Need
from netplan_planner.model.project.kubernetes import Kubernetes

_NO_TRAFFIC = "no traffic was given (--traffic)"
_NO_METRICS = "no metrics were read (--metrics, or --project)"
_STEADY = "the traffic has steady rates only"
_NO_PEERS = "the traffic is that of metrics, which name no peer and no address (--traffic)"
_NO_CLUSTER = "no Kubernetes objects were read (--inventory)"


def lacking(need: Need, facts: Facts) -> str | None:
    """Return why the facts cannot answer a rule with this need, or None when they can."""
    inventory = facts.inventory
    match need:
        case Need.INVENTORY:
            return None if inventory.instances else "no machines were read"
        case Need.TRAFFIC:
            return None if facts.traffic is not None else _NO_TRAFFIC
        case Need.PEERS:
            if facts.traffic is None:
                return _NO_TRAFFIC
            return _NO_PEERS if facts.traffic.is_of_metrics else None
        case Need.FLOW_RECORDS:
            if facts.traffic is None:
                return _NO_TRAFFIC
            if facts.traffic.is_of_metrics:
                return _NO_PEERS
            return _STEADY if facts.traffic.is_steady else None
        case Need.WINDOW:
            if facts.traffic is None:
                return _NO_TRAFFIC
            return _STEADY if facts.traffic.is_steady else None
        case Need.RATES:
            if facts.machine_rates:
                return None
            if facts.traffic is None:
                return _NO_TRAFFIC
            return _STEADY if facts.traffic.is_steady else None
        case Need.TUNNEL_LOADS:
            if facts.metrics is not None and facts.metrics.of_kind(
                MeasuredKind.VPN_TUNNEL, Metric.VPN_SENT_PACKETS
            ):
                return None
            return lacking(Need.FLOW_RECORDS, facts)
        case Need.QUOTA_LIMITS:
            if facts.metrics is None:
                return _NO_METRICS
            limits = facts.metrics.of_kind(MeasuredKind.QUOTA, Metric.QUOTA_LIMIT)
            has_limit = any(one.resource.name == INTERNET_QUOTA for one in limits)
            return None if has_limit else f"the metrics hold no limit of {INTERNET_QUOTA}"
        case Need.METRICS:
            if facts.metrics is None:
                return _NO_METRICS
            return None if facts.metrics.series else "the metrics hold no series that rules use"
        case Need.TARGETS:
            # A label that cannot be read is a gap of the rule, not a lack of targets.
            has_target = bool(facts.targets) or any(
                facts.target(instance) is not None or facts.why_no_target(instance)
                for instance in inventory.instances
            )
            return None if has_target else "no target bandwidth is declared (label or file)"
        case Need.EXTERNAL_ADDRESSES:
            has_address = any(address.is_external for address in inventory.addresses)
            return None if has_address else "no reserved external addresses were read"
        case Need.NAT_GATEWAYS:
            has_nat = any(router.nats for router in inventory.routers)
            return None if has_nat else "no Cloud NAT gateways were read"
        case Need.ROUTES:
            return None if inventory.routes else "no routes were read"
        case Need.VPN_TUNNELS:
            return None if inventory.vpn_tunnels else "no VPN tunnels were read"
        case Need.TYPE_RECOMMENDATIONS:
            none = "no recommendations of machine types were read (gcloud recommender)"
            return None if inventory.type_recommendations else none
        case Need.VLAN_ATTACHMENTS:
            return None if inventory.vlan_attachments else "no VLAN attachments were read"
        case Need.FORWARDING_RULES:
            return None if inventory.forwarding_rules else "no forwarding rules were read"
        case Need.SEVERAL_NETWORKS:
            return None if len(inventory.networks) > 1 else "fewer than two networks were read"
        case Need.MEASUREMENTS:
            if facts.measurements is None:
                return "no measurements were given (--measurements FILE)"
            return None if facts.measurements else "the stores hold no measurement"
        case (
            Need.NODES
            | Need.PODS
            | Need.SERVICES
            | Need.NODE_POOLS
            | Need.CLUSTER_NETWORKS
            | Need.POD_TRAFFIC
        ):
            kubernetes = inventory.kubernetes
            if kubernetes is None:
                return _NO_CLUSTER
            if need is Need.POD_TRAFFIC:
                return _lacking_pod_traffic(facts)
            return _lacking_objects(need, kubernetes)
        case Need.BILL:
            if facts.reconciliation is not None:
                return None
            none = "no bill was given to compare with (--billing-export), or no traffic"
            return facts.why_not_reconciled or none
        case Need.PRICES:
            return None


def _lacking_objects(need: Need, kubernetes: Kubernetes) -> str | None:
    """Return why the objects of a cluster do not answer a need; an empty list does."""
    if need is Need.CLUSTER_NETWORKS:
        is_told = any(network.plugin is not None for network in networks_of(kubernetes))
        return None if is_told else "nothing that was read names a network plugin"
    found = {
        Need.NODES: (kubernetes.nodes, "nodes"),
        Need.PODS: (kubernetes.pods, "pods"),
        Need.SERVICES: (kubernetes.services, "Services"),
        Need.NODE_POOLS: (kubernetes.node_pools, "node pools of GKE"),
    }
    objects, name = found[need]
    return f"no list of {name} was read" if objects is None else None


def _lacking_pod_traffic(facts: Facts) -> str | None:
    traffic = facts.pod_traffic
    if traffic is None:
        return _NO_TRAFFIC if facts.traffic is None else "the traffic names no pods"
    if not traffic.has_bytes:
        return "the traffic of pods counts no bytes"
    return None if traffic.month_seconds else "the traffic of pods has no times"
