"""Which load balancer a forwarding rule is the front of, as the price catalogue names the kinds."""

from netplan_planner.model import ForwardingRule

_BY_TARGET = (
    ("/targetHttpProxies/", "Application"),
    ("/targetHttpsProxies/", "Application"),
    ("/targetGrpcProxies/", "Application"),
    ("/targetTcpProxies/", "Proxy Network"),
    ("/targetSslProxies/", "Proxy Network"),
)
_NOT_BALANCED = ("VpnGateways/", "/serviceAttachments/")


def balancer_kind(rule: ForwardingRule) -> str:
    """Return the kind, such as `Regional Internal Application Load Balancer`; empty: not known.

    Source: cloud.google.com/load-balancing/docs/choosing-load-balancer, summary table of schemes.
    A classic Application Load Balancer (`EXTERNAL` with a global target proxy) is sold under the
    name of the global external one.
    """
    target = rule.target or ""
    if rule.scheme is None or any(part in target for part in _NOT_BALANCED):
        return ""
    proxied = next((kind for part, kind in _BY_TARGET if part in target), "")
    is_regional = rule.region is not None
    match rule.scheme:
        case "INTERNAL":
            return "Regional Internal Passthrough Network Load Balancer" if not proxied else ""
        case "INTERNAL_MANAGED" if proxied:
            where = "Regional" if is_regional else "Cross Regional"
            return f"{where} Internal {proxied} Load Balancer"
        case "EXTERNAL" | "EXTERNAL_MANAGED" if proxied:
            where = "Regional" if is_regional else "Global"
            return f"{where} External {proxied} Load Balancer"
        case "EXTERNAL" if is_regional:
            return "Regional External Passthrough Network Load Balancer"
        case _:
            return ""
