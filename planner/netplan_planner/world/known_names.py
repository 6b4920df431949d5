"""The names that options take, for shells that complete them, and the dates of what is known."""

from datetime import date

from netplan_planner.errors import InputError
from netplan_planner.model import series_of
from netplan_planner.throughput.limits.caps import load_caps
from netplan_planner.throughput.limits.pods.tables import plugins
from netplan_pricing import open_snapshot
from netplan_rules.registry import AREAS, all_rules

__all__ = [
    "dates",
    "machine_types",
    "places",
    "plugins",
    "regions",
    "rules",
    "rules_and_areas",
    "series",
]


def dates() -> str:
    """Return the dates of the prices and limits that verbs use, in words."""
    try:
        prices = open_snapshot().info.oldest.isoformat()
    except InputError:
        prices = "unreadable (netplan doctor)"
    return f"prices {prices} · limits {load_caps(date.today()).source_date.isoformat()}"


def rules() -> tuple[str, ...]:
    """Return the ids of all rules."""
    return tuple(sorted(check.rule.id for check in all_rules()))


def rules_and_areas() -> tuple[str, ...]:
    """Return what selects rules."""
    return (*AREAS, *rules())


def regions() -> tuple[str, ...]:
    """Return the regions of the price snapshot."""
    return tuple(open_snapshot().regions())


def places() -> tuple[str, ...]:
    """Return regions, and the zones in which any machine type is offered."""
    book = open_snapshot()
    return (*book.regions(), *book.file.table("zone_offers")["zone"].values)


def machine_types() -> tuple[str, ...]:
    """Return the machine types of the caps table."""
    return tuple(sorted(load_caps(date.today()).machine_types))


def series() -> tuple[str, ...]:
    """Return the machine series of the caps table."""
    return tuple(sorted({series_of(name) for name in machine_types()}))
