"""The price book that options ask for: which snapshot, and the customer's own prices over it."""

from collections.abc import Sequence
from pathlib import Path

from netplan_planner.errors import UsageError
from netplan_pricing.book import SnapshotPriceBook, open_snapshot
from netplan_pricing.contract.terms import Terms, parse_discounts


def open_prices(
    folder: Path | None = None,
    discounts: Sequence[str] = (),
    billing_exports: Sequence[Path] = (),
) -> SnapshotPriceBook:
    """Return the price book; its terms say what of the billing exports could not be used.

    Args:
        folder: Of the snapshot; None for the embedded one.
        discounts: `NAME=PERCENT` each.
        billing_exports: Files of the Cloud Billing export.

    Raises:
        InputError: If the snapshot or an export cannot be read.
        UsageError: If a discount is none, or is for a SKU that the snapshot has not.
    """
    parsed = parse_discounts(discounts)
    if not billing_exports:
        return _checked(open_snapshot(folder, Terms(discounts=parsed)))
    # A database, for those who have an export alone.
    from netplan_pricing.contract.effective import effective_prices
    from netplan_pricing.contract.flexible import flexible_commitments

    found = effective_prices(billing_exports)
    terms = Terms(
        discounts=parsed,
        effective=found.prices,
        under=found.under,
        unread=found.unread,
    )
    # A book of its own: the one of list prices is everybody's.
    book = _checked(SnapshotPriceBook(open_snapshot(folder).file, terms))
    book.flexible = flexible_commitments(
        billing_exports, book.flexible_skus(), book.flexible_ratios()
    )
    return book


def _checked(book: SnapshotPriceBook) -> SnapshotPriceBook:
    """Refuse a discount that no price could have."""
    for discount in book.terms.discounts:
        if discount.is_of_sku and book.skus.row(discount.of) is None:
            raise UsageError(
                f"--discount {discount.of}={discount.percent:f}: no SKU of this snapshot has that"
                " id (netplan price sku ID shows one)"
            )
    return book
