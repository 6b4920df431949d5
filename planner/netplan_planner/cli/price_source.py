"""Which prices the `price` verbs answer with: snapshot, contract, currency."""

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from netplan_planner.cli.app import state
from netplan_planner.errors import MissingDatum
from netplan_planner.inert import inert_line

if TYPE_CHECKING:
    from netplan_pricing import SnapshotPriceBook

PricesOption = Annotated[
    Path | None, typer.Option("--prices", help="Folder of another price snapshot.")
]
DiscountOption = Annotated[
    list[str] | None,
    typer.Option(
        "--discount",
        metavar="NAME=PERCENT",
        help="Off the list price of a service, a SKU id, or all; repeat it.",
    ),
]
ExportOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--billing-export",
        metavar="FILE",
        help="Table of the Cloud Billing export, whose effective prices go before the list's.",
    ),
]
CurrencyOption = Annotated[
    str | None,
    typer.Option(help="Show amounts in this currency too, at the rate that the API returned."),
]


class Currency(NamedTuple):
    """A currency, and what a US dollar is in it."""

    code: str
    per_usd: Decimal
    as_of: str

    @property
    def note(self) -> str:
        """Where the rate is from, for people."""
        rate = f"{self.per_usd.normalize():f}"
        return f"1 USD = {rate} {self.code}, Cloud Billing Catalog API, {self.as_of}"

    @property
    def assumption(self) -> str:
        """What a report that shows it says of it."""
        return f"Amounts in {self.code} are converted: {self.note}; a $ is a US dollar."


def price_book(
    folder: Path | None, discounts: list[str] | None, exports: list[Path] | None
) -> "SnapshotPriceBook":
    """Return the prices that the options name; what of an export is not used goes to stderr."""
    from netplan_pricing import open_prices

    state.price_folder = folder
    book = open_prices(folder, discounts or (), exports or ())
    if not state.quiet:
        for line in book.terms.unread:
            typer.echo(inert_line(f"netplan: {line}"), err=True)
    return book


def currency_in(folder: Path | None, code: str | None) -> Currency | None:
    """Return a currency with the rate of a folder's snapshot; None where none was asked for.

    Raises:
        MissingDatum: If the snapshot has no rate for it.
    """
    if code is None:
        return None
    from netplan_pricing import open_snapshot

    return currency_of(open_snapshot(folder), code)


def currency_of(book: "SnapshotPriceBook", code: str | None) -> Currency | None:
    """Return a currency with the rate of the snapshot; None where none was asked for.

    Raises:
        MissingDatum: If the snapshot has no rate for it.
    """
    if code is None or code.upper() == "USD":
        return None
    found = book.currency(code.upper())
    if found is None:
        known = ", ".join(book.currencies()) or "none"
        raise MissingDatum(
            f"--currency {code}: this snapshot has no rate for it (it has: {known}); rates come"
            f" from the API: netplan prices refresh --out DIR --currency {code.upper()[:3]}"
        )
    return Currency(code.upper(), *found)
