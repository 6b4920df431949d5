"""Ranges that Google publishes as its own: API addresses, and the proxies of load balancers.

The list is `data/google_ranges.csv`. `as_of` is the creation time of a published list, and the day
on which the copy of a documentation page was read. The default-domain ranges are Google's rule for
them: everything it announces less what customers can get (`goog.json` less `cloud.json`). Such a
list ages: an address that the inventory owns is looked up before it.
"""

from functools import cache
from pathlib import Path

from netplan_planner.model import OwnerKind, Value
from netplan_planner.paths.ranges import RangeTable
from netplan_planner.shipped import shipped_rows

_FILE = Path(__file__).parent / "data" / "google_ranges.csv"


class GoogleRange(Value, frozen=True, kw_only=True):
    """What a range of Google's serves; `service` is empty where the list does not say."""

    kind: OwnerKind
    service: str
    source: str
    as_of: str


@cache
def google_ranges() -> RangeTable[GoogleRange]:
    """Return the table of all published ranges."""
    return RangeTable(
        (
            row["range"],
            GoogleRange(
                kind=OwnerKind(row["kind"]),
                service=row["service"],
                source=row["source"],
                as_of=row["as_of"],
            ),
        )
        for row in shipped_rows(_FILE)
    )
