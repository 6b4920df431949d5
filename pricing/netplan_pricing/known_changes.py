"""Prices that are known to have changed: a snapshot of before says so wherever it shows one.

The table is the package's own, not the snapshot's: an old snapshot cannot know of later changes.
Its figures have secondary sources; they are told, and never put in the place of the catalogue's.
"""

from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path

import msgspec

from netplan_planner.model import OLDER_THAN_A_CHANGE
from netplan_planner.shipped import shipped_values

_TABLE = Path(__file__).parent / "facts" / "known_changes.csv"


class KnownChange(msgspec.Struct, frozen=True, kw_only=True):
    """From `since` on a SKU has another price, as a source says that is not the catalogue."""

    sku_id: str
    since: date
    unit: str
    old_usd: str
    new_usd: str
    source: str


@cache
def known_changes() -> Mapping[str, KnownChange]:
    """Return the changes by SKU id."""
    return {one.sku_id: one for one in shipped_values(_TABLE, KnownChange)}


def change_after(sku_id: str, as_of: str) -> str:
    """Return that a price of a day is older than a known change; empty where none is known.

    >>> change_after("984A-1F27-2D1F", "2026-05-01"), change_after("BB77-5FDA-69D9", "2026-04-30")
    ('', '')
    """
    change = known_changes().get(sku_id)
    if change is None or as_of >= change.since.isoformat():
        return ""
    return (
        f"{OLDER_THAN_A_CHANGE}: {change.new_usd} USD per {change.unit} since"
        f" {change.since.isoformat()}, before {change.old_usd} ({change.source})"
    )


def dated(source: str, as_of: str, sku_id: str) -> str:
    """Return a price's source with its date, and that it is older than a known change if it is.

    >>> dated("Cloud Billing Catalog API", "2026-04-30", "BB77-5FDA-69D9")
    'Cloud Billing Catalog API, 2026-04-30'
    """
    change = change_after(sku_id, as_of)
    return f"{source}, {as_of}; {change}" if change else f"{source}, {as_of}"
