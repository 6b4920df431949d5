"""What belongs to a recommendation besides machines: the traffic's price, and how sure it is."""

from datetime import date
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.errors import MissingDatum
from netplan_planner.model import Confidence, MachinePlan, PathClass, PriceBook, Usage

SPOT_DAYS = 30
"""Age from which a Spot price is called old: nearly every one changed between two price lists ten
weeks apart (2026-05-21 and 2026-07-30), and Google may change them once a day."""


def with_traffic(
    plan: MachinePlan, prices: PriceBook, to_region: str, gib_per_month: Decimal, basis: str
) -> MachinePlan:
    """Return a plan with what its traffic to a region costs, or why that is not known.

    The sum is the same with every machine of the plan.
    """
    is_inside = to_region == plan.need.region
    path_class = PathClass.INTER_ZONE_INTERNAL if is_inside else PathClass.INTER_REGION_INTERNAL
    where = f"to {to_region}, by internal addresses" + (", another zone" if is_inside else "")
    note = f"{gib_per_month:,.0f} GiB a month {where} ({basis})"
    try:
        items = prices.traffic_line_items(
            f"traffic {path_class.value}",
            path_class,
            gib_per_month,
            src_region=plan.need.region,
            dst_region=to_region,
        )
    except MissingDatum as missing:
        return replace(plan, traffic_note=f"{note}: {missing}")
    return replace(plan, traffic_items=items, traffic_note=note)


def with_price_age(plan: MachinePlan, today: date) -> MachinePlan:
    """Return a plan that is less sure where it ranks by old Spot prices."""
    if plan.need.usage is not Usage.SPOT:
        return plan
    dates = [item.as_of for item in plan.ranked[0].line_items] if plan.ranked else []
    age = (today - min(dates)).days if dates else 0
    if age <= SPOT_DAYS:
        return plan
    reason = (
        f"the Spot prices are of {min(dates).isoformat()}, {age} days old, and change within weeks:"
        " the order may be another today"
    )
    return replace(plan, confidence=Confidence.LOW, confidence_reason=reason)
