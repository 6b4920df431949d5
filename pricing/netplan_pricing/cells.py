"""What the cells of a snapshot's columns may hold, looked at once per distinct value.

Whoever uses a cell need not wonder then whether it is a number or a date.
"""

import re
from collections.abc import Callable, Iterable
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
    kind, fits = _kind_of(column)
    if not kind:
        return ""
    may_be_empty = column != _DATE and (table, column) not in _NEVER_EMPTY
    for value in values:
        if not (fits(value) or (may_be_empty and not value)):
            return f"{column}: {value[:_SHOWN]!r} is no {kind}"
    return ""


def _kind_of(column: str) -> tuple[str, Callable[[str], object]]:
    """Return what the cells of a column are, and what tells whether one is; texts are any."""
    if column in _NUMBERS:
        return "number", _NUMBER.fullmatch
    if column in _COUNTS:
        return "whole number", _COUNT.fullmatch
    if column == _DATE:
        return "date", _is_date
    if column in _LISTS:
        fits = _LISTS[column].fullmatch
        return "list of numbers", lambda value: all(map(fits, value.split("|")))
    return "", str


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True
