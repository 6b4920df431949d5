"""What the cells of a snapshot's columns may hold, looked at once per distinct value.

Whoever uses a cell need not wonder then whether it is a number or a date.
"""

import re
from collections.abc import Iterable
from datetime import date

from netplan_pricing import schema

_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,40})?", re.ASCII)
"""A plain decimal number; a negative one is for `netplan prices verify` to name."""
_COUNT = re.compile(r"[0-9]{1,7}", re.ASCII)
_STEP = re.compile(rf"{_NUMBER.pattern}={_NUMBER.pattern}", re.ASCII)

_NUMBERS = frozenset(
    {
        *("usd", "on_demand", "spot", "cud_1y", "cud_3y", "tier_start", "size_gbps", "per_usd"),
        *("memory_gib", "billed_vcpus", "gpu_count", "full_month_percent", "max_gib_per_vcpu"),
        "slices",
    }
)
_COUNTS = frozenset({"vcpus", "local_ssd_gib"})
_LISTS = {"steps": _STEP, "multipliers": _NUMBER}
"""Columns of lists joined by a bar."""
_DATE = "as_of"
_NEVER_EMPTY = frozenset(
    {
        *((schema.MACHINE_TYPES, "vcpus"), (schema.MACHINE_TYPES, "memory_gib")),
        *((schema.SERVICE_PRICES, "usd"), (schema.SERVICE_PRICES, "tier_start")),
        *((schema.SUSTAINED_USE, "multipliers"), (schema.SUSTAINED_USE, "full_month_percent")),
        *((schema.CUSTOM_LIMITS, "max_gib_per_vcpu"), (schema.CURRENCY_RATES, "per_usd")),
        (schema.MACHINE_SLICES, "slices"),
    }
)
_SHOWN = 40


def cell_fault(table: str, column: str, values: Iterable[str]) -> str:
    """Return what is wrong with the distinct values of a column, an empty text if nothing is.

    >>> cell_fault("network_prices", "usd", ["", "0.01"])
    ''
    >>> cell_fault("network_prices", "usd", ["0.01", "free"])
    "usd: 'free' is no number"
    """
    for value in values:
        kind = _unfit(table, column, value)
        if kind:
            return f"{column}: {value[:_SHOWN]!r} is no {kind}"
    return ""


def _unfit(table: str, column: str, value: str) -> str:
    """Return the kind of value that a cell should have been, an empty text if it is."""
    if not value and column != _DATE and (table, column) not in _NEVER_EMPTY:
        return ""
    if column in _NUMBERS:
        return "" if _NUMBER.fullmatch(value) else "number"
    if column in _COUNTS:
        return "" if _COUNT.fullmatch(value) else "whole number"
    if column == _DATE:
        return "" if _is_date(value) else "date"
    if column in _LISTS:
        pattern = _LISTS[column]
        return "" if all(map(pattern.fullmatch, value.split("|"))) else "list of numbers"
    return ""


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True
