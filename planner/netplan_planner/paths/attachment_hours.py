"""What the hours of a VLAN attachment cost, by its kind and size.

Source: cloud.google.com/network-connectivity/docs/interconnect/pricing, read 2026-11-23.
"""

from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import LineItem, PriceBook, VlanAttachment, bill
from netplan_planner.units import HOURS_PER_MONTH

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
        raise MissingDatum("the inventory does not state its size, which its price follows")
    if attachment.kind not in _VIA:
        raise MissingDatum(f"no price of attachments of kind {attachment.kind} is known")
    condition = attachment_condition(attachment.kind, size)
    tiers = prices.service_price("interconnect_attachment", attachment.region, condition)
    return bill(condition.partition(": ")[2], Decimal(HOURS_PER_MONTH), tiers)
