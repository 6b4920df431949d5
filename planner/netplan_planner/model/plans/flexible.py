"""Flexible (spend-based) commitments of a billing account, as its bill shows them."""

from datetime import datetime
from decimal import Decimal

from netplan_planner.model.base import Value


class FlexibleUse(Value, frozen=True, kw_only=True):
    """What the flexible (spend-based) commitments of a billing account did, as it was billed.

    Amounts are for a month of 730 hours, as the time of the export was.
    """

    plans: tuple[str, ...]
    """`1 year`, `3 years`; empty where the export does not tell."""
    source: str
    start: datetime
    end: datetime
    hour_count: int
    other_hour_count: int = 0
    """Hours of the export that are left out: their fee was another one, of other commitments."""
    usd_per_month: Decimal
    """Their fee."""
    covered_usd_per_month: Decimal
    """Usage that they covered, at prices on demand."""
    unused_usd_per_month: Decimal
    """Usage at prices on demand that they would have covered, and that was not there."""
    uncovered_usd_per_month: Decimal
    """Usage of the same SKUs that was paid on demand, at prices on demand."""
    doubt: str = ""
    """What is not known of them; then the amounts are not to be trusted."""


class FlexibleCommitments(Value, frozen=True, kw_only=True):
    """The flexible commitments of a billing account, hour by hour: Google counts them so."""

    use: FlexibleUse
    uncovered_usd_by_hour: tuple[Decimal, ...]
    """Dollars at prices on demand of usage that they do not cover in an hour; below 0: that they
    would cover beside what there was."""
    sku_ids: frozenset[str]
    """SKUs of usage that they were seen, or are documented, to cover."""
    net_ratio: Decimal | None = None
    """What is paid of the price on demand for what they do not cover: sustained-use discounts are
    on that alone. None: all is covered."""

    @property
    def doubt(self) -> str:
        """Why it does not follow what a change brings."""
        return self.use.doubt
