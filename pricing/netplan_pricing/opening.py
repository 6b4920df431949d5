"""The price book that options ask for: which snapshot, and the customer's own prices over it."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from platformdirs import user_data_path

from netplan_planner.bundle_file import PRICES, is_bundle, part_of
from netplan_planner.errors import InputError, UsageError
from netplan_planner.input_files import unreadable
from netplan_planner.model.money.price_age import SHIPPED
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.container import EMBEDDED, FILE_NAME, SCHEMA_VERSION, SnapshotFile
from netplan_pricing.contract import effective, flexible
from netplan_pricing.contract.terms import LIST_PRICES, Terms, parse_discounts


def open_snapshot(folder: Path | None = None, terms: Terms = LIST_PRICES) -> SnapshotPriceBook:
    """Return the price book of a snapshot.

    Args:
        folder: A folder with `prices.snapshot`, such a file itself, a bundle that holds one, or
            `SHIPPED`. None: the newer of the shipped and the refreshed one.
        terms: What the customer pays instead of the list's prices.

    Raises:
        InputError: If it is missing, cut, altered, or of another schema version.
    """
    if folder is not None and folder != SHIPPED:
        return SnapshotPriceBook(_opened(folder), terms)
    listed = _shipped() if folder == SHIPPED else _newest()
    return listed if terms == LIST_PRICES else SnapshotPriceBook(listed.file, terms)


def refreshed_folder() -> Path:
    """Return where `netplan prices refresh` keeps prices; another schema has another folder."""
    return user_data_path("netplan", appauthor=False) / f"prices-{SCHEMA_VERSION}"


def _newest() -> SnapshotPriceBook:
    """Return the refreshed prices if they are newer than the shipped ones."""
    file = refreshed_folder() / FILE_NAME
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return _shipped()
    except OSError as exc:
        raise unreadable(file, exc, _WITHOUT) from exc
    try:
        own = _refreshed(file, found.st_mtime_ns, found.st_size)
    except InputError as exc:
        raise InputError(f"{exc}; {_WITHOUT}") from exc
    return max(own, _shipped(), key=lambda book: book.info.oldest)


_WITHOUT = f"`--prices {SHIPPED}` selects the prices that ship with netplan"


@cache
def _refreshed(file: Path, _written_ns: int, _size_bytes: int) -> SnapshotPriceBook:
    """Return the refreshed snapshot's book, opened once as long as the file is the same."""
    return SnapshotPriceBook(SnapshotFile(file))


@cache
def _shipped() -> SnapshotPriceBook:
    """Return the shipped snapshot's book, opened once: its answers never change."""
    return SnapshotPriceBook(_opened(EMBEDDED))


def _opened(place: Path) -> SnapshotFile:
    if is_bundle(place):
        content = part_of(place, PRICES)
        if content is None:
            raise InputError(f"{place}: the bundle has no prices")
        return SnapshotFile(place, content)
    return SnapshotFile(place if place.is_file() else place / FILE_NAME)


def open_prices(
    folder: Path | None = None,
    discounts: Sequence[str] = (),
    billing_exports: Sequence[Path] = (),
) -> SnapshotPriceBook:
    """Return the price book; its terms say what of the billing exports could not be used.

    Args:
        folder: As for `open_snapshot`.
        discounts: `NAME=PERCENT` each.
        billing_exports: Files of the Cloud Billing export.

    Raises:
        InputError: If the snapshot or an export cannot be read.
        UsageError: If a discount is none, or is for a SKU that the snapshot has not.
    """
    parsed = parse_discounts(discounts)
    if not billing_exports:
        return _checked(open_snapshot(folder, Terms(discounts=parsed)))
    terms = effective.effective_prices(billing_exports, parsed)
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
                f"--discount {discount.of}={discount.percent:f}: this snapshot has no SKU with"
                " this ID (netplan price sku ID shows one)"
            )
    return book
