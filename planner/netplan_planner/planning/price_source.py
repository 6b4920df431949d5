"""Which prices answer: snapshot, contract, currency; and what every answer says of their age.

The codes of currencies: a code that is none of them is a slip of the hand, not a missing rate.

Source:
    ISO 4217, list one (currencies in use), as of 2026-01-01, without precious metals, units of
    account and codes for tests.
"""

from datetime import date
from pathlib import Path

from netplan_planner.errors import MissingDatum, UnknownName, nearest_names
from netplan_planner.model import CurrencyRate, Value
from netplan_pricing import SnapshotPriceBook, open_prices, open_snapshot

_BY_FIRST_LETTER = """
AED AFN ALL AMD AOA ARS AUD AWG AZN
BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD
CAD CDF CHF CLP CNY COP CRC CUP CVE CZK
DJF DKK DOP DZD
EGP ERN ETB EUR
FJD FKP
GBP GEL GHS GIP GMD GNF GTQ GYD
HKD HNL HTG HUF
IDR ILS INR IQD IRR ISK
JMD JOD JPY
KES KGS KHR KMF KPW KRW KWD KYD KZT
LAK LBP LKR LRD LSL LYD
MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN
NAD NGN NIO NOK NPR NZD
OMR
PAB PEN PGK PHP PKR PLN PYG
QAR
RON RSD RUB RWF
SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
THB TJS TMT TND TOP TRY TTD TWD TZS
UAH UGX USD UYU UZS
VES VND VUV
WST
XAF XCD XCG XOF XPF
YER
ZAR ZMW ZWG
"""

CURRENCY_CODES = frozenset(_BY_FIRST_LETTER.split())
"""Three capital letters each."""


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
