"""Gateways as prices know them: load balancers, endpoints, and the hours of VLAN attachments."""

from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    ForwardingRule,
    LineItem,
    PriceBook,
    PriceTier,
    VlanAttachment,
    bill,
)
from netplan_planner.units import HOURS_PER_MONTH

_BY_TARGET = (
    ("/targetHttpProxies/", "Application"),
    ("/targetHttpsProxies/", "Application"),
    ("/targetGrpcProxies/", "Application"),
    ("/targetTcpProxies/", "Proxy Network"),
    ("/targetSslProxies/", "Proxy Network"),
)
_ATTACHMENT = "/serviceAttachments/"
_NOT_BALANCED = ("VpnGateways/", _ATTACHMENT)

ENDPOINT = "Private Service Connect endpoint"
GKE_ENDPOINT = "Private Service Connect endpoint of a GKE control plane"
ENDPOINT_DATA = {
    ENDPOINT: "",
    GKE_ENDPOINT: "Google Managed Service GKE Consumer Data Processing Primary",
}
"""Under which condition the catalogue sells what an endpoint processes, both ways."""


def endpoint_kind(rule: ForwardingRule) -> str:
    """Return the kind of endpoint of Private Service Connect that a rule is; empty: it is none.

    GKE names what it publishes a control plane by `gke-` (recorded: `gke-2030798d…-sa`).
    """
    _, found, attachment = (rule.target or "").partition(_ATTACHMENT)
    if not found:
        return ""
    return GKE_ENDPOINT if attachment.startswith("gke-") else ENDPOINT


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


# What the hours of a VLAN attachment cost, by its kind and size
#
# Source: cloud.google.com/network-connectivity/docs/interconnect/pricing, read 2026-11-23.
#
# What the hours of a Cloud NAT gateway cost: by the machine, or by the gateway when they are many.
#
# Source: cloud.google.com/nat/pricing.


PER_VM = "per VM using the gateway, up to 32 VMs"
OVER_32 = "gateway with more than 32 VMs"
"""The two prices of a NAT gateway, as the price page tells them apart; the catalogue has the first
alone, without saying up to how many VMs it counts."""
NAT_VMS = 32
"""Up to so many machines a NAT gateway is paid for by the machine, above by the gateway."""


def nat_hours(vm_count: int, hours: Decimal) -> Decimal:
    """Return how many hours a gateway is paid for that so many machines use.

    >>> nat_hours(3, Decimal(730)), nat_hours(33, Decimal(730))
    (Decimal('2190'), Decimal('730'))
    """
    return hours if vm_count > NAT_VMS else hours * vm_count


def nat_hour_tiers(prices: PriceBook, region: str, vm_count: int) -> tuple[PriceTier, ...]:
    """Return the price steps of such an hour.

    Raises:
        MissingDatum: If the region has no price.
    """
    condition = OVER_32 if vm_count > NAT_VMS else PER_VM
    return prices.service_price("cloud_nat_gateway", region, condition)


def nat_hour_lines(
    prices: PriceBook, region: str, vm_count: int, hours: Decimal
) -> tuple[LineItem, ...]:
    """Return the hours of a gateway as lines; none where no machine uses it.

    Raises:
        MissingDatum: If the region has no price.
    """
    tiers = nat_hour_tiers(prices, region, vm_count)
    return bill("Cloud NAT, hours", nat_hours(vm_count, hours), tiers)


SIZES = {
    **{f"BPS_{mbps}M": mbps / 1000 for mbps in (50, 100, 200, 300, 400, 500)},
    **{f"BPS_{gbps}G": float(gbps) for gbps in (1, 2, 5, 10, 20, 50, 100)},
}
"""Gbit/s by the API's name, rising (`InterconnectAttachment.bandwidth`, Compute API v1, read
2026-11-23)."""
DEDICATED, PARTNER = "DEDICATED", "PARTNER"
ONE_PRICE_TO_GBPS = 10.0
"""Attachments of Dedicated Interconnect up to this size have one price."""
_VIA = {
    DEDICATED: "VLAN attachment via Dedicated Interconnect",
    PARTNER: "VLAN attachment via Google partner",
}


def attachment_condition(kind: str, size: str) -> str:
    """Return which of the prices of attachments holds, in the price book's words."""
    gbps = SIZES[size]
    if kind == DEDICATED:
        gbps = max(gbps, ONE_PRICE_TO_GBPS)
    said = f"{gbps:g}Gbps" if gbps >= 1 else f"{gbps * 1000:g}Mbps"
    return f"Cloud Interconnect: {said} {_VIA[kind]}"


def attachment_lines(
    prices: PriceBook, attachment: VlanAttachment, size: str | None
) -> tuple[LineItem, ...]:
    """Return the month of an attachment of a size.

    Raises:
        MissingDatum: If its kind, its size or their price is not known.
    """
    if size is None or size not in SIZES:
        raise MissingDatum("its size is not in the inventory, and its price depends on the size")
    if attachment.kind not in _VIA:
        raise MissingDatum(f"the price of attachments of kind {attachment.kind} is unknown")
    condition = attachment_condition(attachment.kind, size)
    tiers = prices.service_price("interconnect_attachment", attachment.region, condition)
    return bill(condition.partition(": ")[2], Decimal(HOURS_PER_MONTH), tiers)
