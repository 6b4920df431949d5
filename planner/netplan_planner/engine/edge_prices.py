"""What a byte of each priced path costs in the mean: an edge's part of a bill.

Traffic of one price shares the price's steps: whose bytes stand on which step nobody can say.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.engine.traffic_bill import Meter, bill_priced_paths
from netplan_planner.model import Facts, total_usd
from netplan_planner.paths.priced_paths import PricedPath


class MeanPrice(NamedTuple):
    """The mean price of a path's bytes."""

    usd_per_byte: Decimal | None
    """None where no part of it has a known price."""
    unknown: str
    """Why it has none, or a part of it; empty where all is known."""


def mean_prices(
    facts: Facts, bytes_by_path: Mapping[PricedPath, int]
) -> dict[PricedPath, MeanPrice]:
    """Return the mean price of each path of what own machines send, in dollars a byte and month."""
    meter = Meter()
    found = {}
    for path in sorted(bytes_by_path):
        byte_count = bytes_by_path[path]
        bill = bill_priced_paths(facts, {path: byte_count}, meter)
        is_known = bill.is_priced and byte_count > 0
        found[path] = MeanPrice(
            total_usd(bill.lines) / byte_count if is_known else None,
            bill.waiting[0].part.reason if bill.waiting else "",
        )
    return found
