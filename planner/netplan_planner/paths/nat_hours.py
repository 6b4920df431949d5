"""What the hours of a Cloud NAT gateway cost: by the machine, or by the gateway when they are many.

Source: cloud.google.com/nat/pricing.
"""

from decimal import Decimal

from netplan_planner.model import LineItem, PriceBook, PriceTier, bill

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
