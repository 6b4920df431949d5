"""Lines of a fleet's bill."""

from decimal import Decimal

from netplan_planner.model import LineItem
from netplan_planner.optimise.commitments import ANY_PROJECT, Rate


def with_quantity(line: LineItem, quantity: Decimal) -> LineItem:
    """Return a line for another number of units."""
    return LineItem(
        name=line.name,
        quantity=quantity,
        unit=line.unit,
        unit_price_usd=line.unit_price_usd,
        usd_per_month=quantity * line.unit_price_usd,
        as_of=line.as_of,
        source=line.source,
        sku_id=line.sku_id,
        sku_candidates=line.sku_candidates,
        parts=line.parts,
    )


def joined(one: LineItem, other: LineItem) -> LineItem:
    """Return two lines of one price as one."""
    return with_quantity(one, one.quantity + other.quantity)


def credit_line(name: str, quantity: Decimal, unit: str, usd: Decimal, rate: Rate) -> LineItem:
    """Return the line of what is not paid, below 0."""
    return LineItem(
        name=name,
        quantity=quantity,
        unit=unit,
        unit_price_usd=-usd,
        usd_per_month=-usd * quantity,
        as_of=rate.as_of,
        source=rate.source,
        sku_id=rate.sku_id,
    )


def in_project(project: str) -> str:
    """Return the words for a project, none where there is but one."""
    return f", project {project}" if project not in {"", ANY_PROJECT} else ""


def years_text(years: int) -> str:
    """Return a term in words."""
    return "1 year" if years == 1 else f"{years} years"
