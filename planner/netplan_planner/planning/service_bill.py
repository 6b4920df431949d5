"""What gateways, tunnels, forwarding rules and flow logs cost, beside the traffic that they carry.

Each function returns the lines of one thing; what has no price is named with its reason.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model, units
from netplan_planner.errors import MissingDatum
from netplan_planner.paths.gateways import NAT_VMS, nat_hour_tiers, nat_hours
from netplan_planner.paths.spans import span
from netplan_pricing.service_prices import FIRST_RULES, FURTHER_RULE

MONTH_H = Decimal(units.HOURS_PER_MONTH)
_HOUR_MIN = units.SECONDS_PER_HOUR // units.SECONDS_PER_MINUTE
RULES_TOGETHER = 5
"""Forwarding rules that cost one price together (cloud.google.com/load-balancing/pricing)."""
ANY_BALANCER = "Cloud Load Balancer"
"""The kind under which the catalogue sells the rules of all kinds without a SKU of their own."""
_NOT_BY_RULE = "Internal Application Load Balancer"
"""The end of the kinds that pay for the hours of their proxies."""
LOG_NOTE = (
    "generation and storage together, as in Google's estimate of 2026-06-24 (an older page bills"
    " generation only for excluded logs)"
)


class ServiceBill(NamedTuple):
    """Lines with a price, and what has none."""

    lines: tuple[model.LineItem, ...] = ()
    unpriced: tuple[model.Unpriced, ...] = ()

    def __or__(self, other: "ServiceBill") -> "ServiceBill":
        """Return both bills as one."""
        return ServiceBill(self.lines + other.lines, self.unpriced + other.unpriced)

    @property
    def usd_per_month(self) -> Decimal | None:
        """The sum of the lines; None where nothing has a price."""
        return model.total_usd(self.lines) if self.lines else None


def _asked(
    name: str, quantity: Decimal, unit: str, ask: Callable[[], tuple[model.PriceTier, ...]]
) -> ServiceBill:
    try:
        return ServiceBill(model.bill(name, quantity, ask()))
    except MissingDatum as error:
        return ServiceBill(
            unpriced=(model.Unpriced(name=name, quantity=quantity, unit=unit, reason=str(error)),)
        )


def nat_gateway(
    prices: model.PriceBook, name: str, region: str, vm_count: int, hours: Decimal = MONTH_H
) -> ServiceBill:
    """Return the hours of a Cloud NAT gateway that so many machines use."""
    title = (
        f"{name}: gateway of {vm_count} VMs"
        if vm_count > NAT_VMS
        else f"{name}: gateway, hours of {vm_count} VM{'' if vm_count == 1 else 's'}"
    )
    return _asked(
        *(title, nat_hours(vm_count, hours), "hour"),
        lambda: nat_hour_tiers(prices, region, vm_count),
    )


def nat_addresses(
    prices: model.PriceBook, name: str, region: str, count: int, hours: Decimal = MONTH_H
) -> ServiceBill:
    """Return the hours of a gateway's external addresses."""
    title = f"{name}: {count} external address{'' if count == 1 else 'es'}"
    return _asked(
        *(title, hours * count, "hour"), lambda: prices.service_price("cloud_nat_ip", region)
    )


def nat_data(prices: model.PriceBook, name: str, region: str, gib: Decimal) -> ServiceBill:
    """Return what Cloud NAT processes, there and back."""
    return _asked(
        *(f"{name}: data processed, both ways", gib, "GiB"),
        lambda: prices.service_price("cloud_nat_data", region),
    )


def vpn_tunnels(
    prices: model.PriceBook, name: str, region: str, count: int, hours: Decimal = MONTH_H
) -> ServiceBill:
    """Return the hours of Cloud VPN tunnels of a region."""
    title = f"{name}: {count} tunnel{'' if count == 1 else 's'}"
    return _asked(
        *(title, hours * count, "hour"), lambda: prices.service_price("vpn_tunnel", region)
    )


def hub_spokes(
    prices: model.PriceBook, kind: model.SpokeKind, count: int, hours: Decimal = MONTH_H
) -> ServiceBill:
    """Return the hours of active spokes of Network Connectivity Center, of one kind.

    Those of producer networks cost what VPC spokes do (cloud.google.com/network-connectivity/
    pricing). The first hours of VPN and Interconnect are free, once for a billing account.
    """
    sold_as = model.SpokeKind.VPC if kind is model.SpokeKind.PRODUCER else kind
    title = f"{kind.value} Network Connectivity Center spokes: {count}"
    return _asked(
        *(title, hours * count, "hour"),
        lambda: prices.service_price("ncc_spoke", "", sold_as.value),
    )


def sole_tenant_nodes(
    prices: model.PriceBook,
    name: str,
    region: str,
    node_type: str,
    count: int,
    hours: Decimal = MONTH_H,
) -> ServiceBill:
    """Return the hours of sole-tenant nodes of a type, whatever runs on them."""
    title = f"{name}: {count} × {node_type}"
    return _asked(
        *(title, hours * count, "hour"),
        lambda: (
            model.PriceTier(start=Decimal(0), price=prices.sole_tenant_node(region, node_type)),
        ),
    )


def vpn_data(
    prices: model.PriceBook,
    region: str,
    gib: Decimal,
    *,
    to: str | None = None,
    area: str | None = None,
) -> ServiceBill:
    """Return what is sent through Cloud VPN, to a region or an area; bounds where neither is."""
    if not gib:
        return ServiceBill()
    name = f"Cloud VPN: data sent{f' to {to or area}' if to or area else ''}"
    found = _asked(
        *(name, gib, "GiB"),
        lambda: prices.vpn_traffic(src_region=region, dst_region=to, area=area),
    )
    choices = prices.possible_prices(model.PathClass.HYBRID, src_region=region)
    if not found.unpriced or to is not None or not choices:
        return found
    low, high = span(choices, gib)
    tells = "the location of the other end (--area, or --to for a Google Cloud region)"
    reason = "the price depends on the location of the other end"
    bounded = replace(
        found.unpriced[0],
        reason=found.unpriced[0].reason if area else reason,
        lowest_usd_per_month=low,
        highest_usd_per_month=high,
        what_tells=tells,
    )
    return ServiceBill(unpriced=(bounded,))


def pays_for_proxies(kind: str) -> bool:
    """Return whether a kind of load balancer pays for its proxies, not for forwarding rules."""
    return kind.endswith(_NOT_BY_RULE)


def rules_sold_as(prices: model.PriceBook, region: str | None, kind: str) -> str:
    """Return the kind under which a kind's rules are sold, with which they share the first five.

    Internal Application Load Balancers keep theirs: they are not sold by the rule.
    """
    if pays_for_proxies(kind):
        return kind
    try:
        prices.service_price("lb_forwarding_rule", region or "", f"{kind}; {FIRST_RULES}")
    except MissingDatum:
        return ANY_BALANCER
    return kind


def forwarding_rules(
    prices: model.PriceBook,
    region: str | None,
    kind: str,
    count: int,
    hours: Decimal = MONTH_H,
) -> ServiceBill:
    """Return the hours of one project's forwarding rules of a kind in a region (None: global).

    The first five cost one price together. A kind without a SKU of its own for rules is sold as
    `ANY_BALANCER`; internal Application Load Balancers pay for their proxies instead.
    """
    if not count:
        return ServiceBill()
    where = region or "global"
    if pays_for_proxies(kind):
        return ServiceBill(
            unpriced=(
                model.Unpriced(
                    name=f"{kind}, {where}",
                    quantity=Decimal(count),
                    unit="rule",
                    reason="billed per hour of its proxy instances, whose number is not in the"
                    " input",
                    what_tells="the bill: SKU Proxy Instance Charge",
                ),
            )
        )

    sold_as = rules_sold_as(prices, region, kind)

    def of(which: str) -> tuple[model.PriceTier, ...]:
        return prices.service_price("lb_forwarding_rule", region or "", f"{sold_as}; {which}")

    first = min(count, RULES_TOGETHER)
    title = f"{kind}, {where}: {first} rule{'' if first == 1 else 's together'}"
    found = _asked(title, hours, "hour", lambda: of(FIRST_RULES))
    if count > RULES_TOGETHER:
        more = count - RULES_TOGETHER
        title = f"{kind}, {where}: {more} additional rule{'' if more == 1 else 's'}"
        found |= _asked(title, hours * more, "hour", lambda: of(FURTHER_RULE))
    return found


def psc_endpoints(
    prices: model.PriceBook, count: int, of_gke_count: int, hours: Decimal = MONTH_H
) -> ServiceBill:
    """Return the hours of endpoints of Private Service Connect.

    The catalogue does not say whether those that GKE makes for control planes are billed: theirs
    are bounds, from nothing to the price of the others.
    """

    def of(number: int) -> ServiceBill:
        name = f"Private Service Connect: {number} endpoint{'' if number == 1 else 's'}"
        return _asked(
            *(name, hours * number, "hour"),
            lambda: prices.service_price("psc_endpoint", "", "Consumer"),
        )

    found = of(count) if count else ServiceBill()
    if of_gke_count:
        bounds = model.Unpriced(
            name="Private Service Connect: GKE control plane endpoints",
            quantity=Decimal(of_gke_count),
            unit="endpoint",
            reason="it is unknown whether Google bills GKE control plane endpoints",
            lowest_usd_per_month=Decimal(0),
            highest_usd_per_month=of(of_gke_count).usd_per_month,
            what_tells="the bill: SKU Private Service Connect Consumer End Point",
        )
        found |= ServiceBill(unpriced=(bounds,))
    return found


def proxy_instances(
    prices: model.PriceBook, region: str, kind: str, count: int, hours: Decimal = MONTH_H
) -> ServiceBill:
    """Return the hours of the proxies of an internal Application Load Balancer."""
    return _asked(
        *(f"{kind}, {region}: {count} prox{'y' if count == 1 else 'ies'}", hours * count, "hour"),
        lambda: prices.service_price("lb_proxy_instance", region, kind),
    )


def balanced_data(
    prices: model.PriceBook, region: str, kind: str, gib_in: Decimal, gib_out: Decimal
) -> ServiceBill:
    """Return what a load balancer of a kind processes in a region, each way."""
    found = ServiceBill()
    for way, gib in (("inbound", gib_in), ("outbound", gib_out)):
        if gib:
            found |= _asked(
                *(f"{kind}, {region}: data processed, {way}", gib, "GiB"),
                lambda way=way: prices.service_price(f"lb_data_{way}", region, kind),  # type: ignore[misc]
            )
    return found


def flow_logs(prices: model.PriceBook, gib: Decimal, *, is_stored: bool = True) -> ServiceBill:
    """Return generation, by its steps, and storage in Cloud Logging of a month's flow logs."""
    found = _asked(
        *("flow logs: generation", gib, "GiB"),
        lambda: prices.service_price("vpc_flow_log_generation"),
    )
    if is_stored:
        found |= _asked(
            *("flow logs: storage in Cloud Logging, 30 days", gib, "GiB"),
            lambda: prices.service_price("network_log_storage"),
        )
    return found


def gke_clusters(
    prices: model.PriceBook, count: int, extended_count: int, hours: Decimal = MONTH_H
) -> ServiceBill:
    """Return the management fee of GKE clusters, the same for every mode and location.

    Those of the Extended release channel pay more while their minor version is in extended support,
    which depends on GKE's release schedule: bounds, from nothing to all hours.
    """

    def of(what: str, number: int, service: str) -> ServiceBill:
        name = f"GKE: {what} of {units.counted(number, 'cluster')}"
        return _asked(name, hours * number, "hour", lambda: prices.service_price(service))

    found = of("management", count, "gke_cluster")
    if extended_count:
        most = of("extended support", extended_count, "gke_extended_support").usd_per_month
        bounds = model.Unpriced(
            name="GKE: extended support of clusters in the Extended release channel",
            quantity=Decimal(extended_count),
            unit="cluster",
            reason="the input does not state whether the minor version is in extended support",
            lowest_usd_per_month=Decimal(0),
            highest_usd_per_month=most,
            what_tells="GKE's release schedule",
        )
        found |= ServiceBill(unpriced=(bounds,))
    return found


def ambient_pods(prices: model.PriceBook, count: int, hours: Decimal = MONTH_H) -> ServiceBill:
    """Return what GKE Service Networking charges for so many pods, by the minute."""
    return _asked(
        f"GKE ambient networking: {units.counted(count, 'pod')}",
        *(hours * _HOUR_MIN * count, "minute"),
        lambda: prices.service_price("gke_service_networking"),
    )
