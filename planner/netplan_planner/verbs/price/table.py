"""A table of machines with their prices."""

from decimal import Decimal

from netplan_planner.model.base import Value


class PriceTable(Value, frozen=True, kw_only=True):
    """A table of machine types with the prices of each row."""

    columns: tuple[str, ...]
    """Those of the table that was given, then what was added."""
    rows: tuple[tuple[str | Decimal | None, ...], ...]
    price_age: str = ""
    prices_sha256: str = ""
    """Of the snapshot."""
    warnings: tuple[str, ...] = ()
