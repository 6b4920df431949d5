"""The price book that options ask for: which snapshot, and the customer's own prices over it."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from netplan_planner.bundle_file import PRICES, is_bundle, part_of
from netplan_planner.errors import InputError, UsageError
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.container import EMBEDDED, FILE_NAME, SnapshotFile
from netplan_pricing.contract import effective, flexible
from netplan_pricing.contract.terms import LIST_PRICES, Terms, parse_discounts


def open_snapshot(folder: Path | None = None, terms: Terms = LIST_PRICES) -> SnapshotPriceBook:
    """Return the price book of the embedded snapshot, or of another folder's.

    Args:
        folder: A folder with `prices.snapshot`, such a file itself, or a bundle that holds one.
        terms: What the customer pays instead of the list's prices.

    Raises:
        InputError: If it is missing, cut, altered, or of another schema version.
    """
    if folder is not None:
        return SnapshotPriceBook(_opened(folder), terms)
    listed = _list_prices()
    return listed if terms == LIST_PRICES else SnapshotPriceBook(listed.file, terms)


@cache
def _list_prices() -> SnapshotPriceBook:
    """Return the embedded snapshot's book, opened once: its answers never change."""
    return SnapshotPriceBook(_opened(EMBEDDED))


def _opened(place: Path) -> SnapshotFile:
    if is_bundle(place):
        content = part_of(place, PRICES)
        if content is None:
            raise InputError(f"{place}: the bundle holds no prices")
        return SnapshotFile(place, content)
    return SnapshotFile(place if place.is_file() else place / FILE_NAME)


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
    found = effective.effective_prices(billing_exports)
    terms = Terms(
        discounts=parsed,
        effective=found.prices,
        under=found.under,
        unread=found.unread,
    )
    # A book of its own: the one of list prices is everybody's.
    book = _checked(SnapshotPriceBook(open_snapshot(folder).file, terms))
    book.flexible = flexible.flexible_commitments(
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
