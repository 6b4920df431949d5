"""Which prices answer: snapshot, contract, currency; and what every answer says of their age."""

from datetime import date
from pathlib import Path

from netplan_planner.errors import MissingDatum, UnknownName, nearest_names
from netplan_planner.model import CurrencyRate, Value
from netplan_pricing import SnapshotPriceBook, open_prices, open_snapshot
from netplan_pricing.currency_codes import CURRENCY_CODES


class PriceSource(Value, frozen=True, kw_only=True):
    """The prices that are asked for, and how they are shown."""

    today: date
    folder: Path | None = None
    """Of a snapshot; None: the one that ships."""
    discounts: tuple[str, ...] = ()
    billing_exports: tuple[Path, ...] = ()
    currency: str | None = None

    def book(self) -> SnapshotPriceBook:
        """Open the prices."""
        return open_prices(self.folder, self.discounts, self.billing_exports)


def currency_in(folder: Path | None, code: str | None) -> CurrencyRate | None:
    """Return a currency with the rate of a folder's snapshot; None where none was asked for.

    Raises:
        MissingDatum: If the snapshot has no rate for it.
    """
    return None if code is None else currency_of(open_snapshot(folder), code)


def check_currency(option: str, code: str) -> None:
    """Raise for a code that no currency has.

    Raises:
        UnknownName: With the codes that come nearest.
    """
    if code.upper() not in CURRENCY_CODES:
        near = nearest_names(code, CURRENCY_CODES)
        hint = f"; near: {', '.join(near)}" if near else ", such as EUR"
        raise UnknownName(f"{option} {code[:20]!r} is no currency code{hint}")


def currency_of(book: SnapshotPriceBook, code: str | None) -> CurrencyRate | None:
    """Return a currency with the rate of the snapshot; None where none was asked for.

    Raises:
        MissingDatum: If the snapshot has no rate for it.
    """
    if code is None or code.upper() == "USD":
        return None
    check_currency("--currency", code)
    found = book.currency(code.upper())
    if found is None:
        known = ", ".join(book.currencies()) or "none"
        raise MissingDatum(
            f"--currency {code}: this snapshot has no rate for it (it has: {known}); rates come"
            f" from the API: netplan prices refresh --out DIR --currency {code.upper()[:3]}"
        )
    per_usd, as_of = found
    return CurrencyRate(code=code.upper(), per_usd=per_usd, as_of=as_of)
