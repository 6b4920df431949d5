"""What plans are asked about prices, limits, calibrations and payment, and which prices answer."""

from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated

from netplan_planner.asks import INPUT, Ask, Day, Duration, Paths, Request, Texts
from netplan_planner.errors import (
    IncompleteError,
    MissingDatum,
    UnknownName,
    UsageError,
    nearest_names,
)
from netplan_planner.model import CurrencyRate, Usage, Value
from netplan_planner.model.money.price_age import update_of
from netplan_planner.model.plans.machine_choice import PAYMENT as PAYMENT
from netplan_planner.units import counted
from netplan_pricing import SnapshotPriceBook, open_prices, open_snapshot


def one_usage(flags: Mapping[Usage, bool]) -> Usage | None:
    """Return the one way of paying that is asked for; None: none is named.

    Raises:
        UsageError: If there are two.
    """
    chosen = [usage for usage, is_on in flags.items() if is_on]
    if len(chosen) > 1:
        both = " and ".join(f"--{usage.value}" for usage in chosen)
        raise UsageError(f"{both} exclude each other: a VM has one payment model")
    return chosen[0] if chosen else None


def check_interruptions(per_day: float | None) -> None:
    """Raise where Spot machines are asked for and nobody says how often they are interrupted."""
    if per_day is None:
        raise UsageError(
            "--spot needs --spot-interruptions-per-day: Google documents no rate for Spot VMs"
            " (docs/reference/verbs/job.md shows where to read yours)"
        )


# Which prices answer: snapshot, contract, currency; and what every answer says of their age
#
# The codes of currencies: a code that is none of them is a slip of the hand, not a missing rate.
#
# Source:
#     ISO 4217, list one (currencies in use), as of 2026-01-01, without precious metals, units of
#     account and codes for tests.


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
    """Of a snapshot; None: none was named."""
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
        raise UnknownName(f"{option} {code[:20]!r} is not a currency code{hint}")


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
            f"--currency {code}: this snapshot has no rate for it (it has: {known}). Get rates"
            f" from the API: netplan prices refresh --currency {code.upper()[:3]}"
        )
    per_usd, as_of = found
    return CurrencyRate(code=code.upper(), per_usd=per_usd, as_of=as_of)


# What plans are asked about prices, limits and calibrations: the same options in every verb


DATE_FORMATS = ["%Y-%m-%d", "%Y-%m", "%Y"]


Demo = Annotated[
    str | None,
    Ask(
        "Sample project: dobermanifesto, gecko, interzone or percona.",
        "--demo",
        metavar="NAME",
        panel=INPUT,
    ),
]


PriceFolder = Annotated[
    Path | None,
    Ask(
        "Price snapshot. Default: the newer of the shipped one and that of `netplan prices"
        " refresh`. `shipped` uses the shipped one.",
        "--prices",
        metavar="DIR",
        panel=INPUT,
        is_expert=True,
    ),
]


Discounts = Annotated[
    Texts,
    Ask(
        "Discount on the list price of a service (Compute Engine, Networking), a SKU id, or all;"
        " repeat it.",
        "--discount",
        metavar="NAME=PERCENT",
        panel=INPUT,
        is_expert=True,
    ),
]


BillingExports = Annotated[
    Paths,
    Ask(
        "Detailed usage or pricing table of the Cloud Billing export (Parquet, CSV): its"
        " effective prices replace list prices; repeat it.",
        "--billing-export",
        metavar="FILE",
        panel=INPUT,
        is_expert=True,
    ),
]


Calibration = Annotated[
    Path | None,
    Ask(
        "Result of `netplan calibrate`: predictions use it.",
        "--calibration",
        metavar="FILE",
        panel=INPUT,
        is_expert=True,
    ),
]


AsOf = Annotated[
    Day | None,
    Ask(
        "Date of the limits (default: today); prices have the snapshot's date.",
        "--as-of",
        formats=DATE_FORMATS,
        panel=INPUT,
        is_expert=True,
    ),
]


CurrencyCode = Annotated[
    str | None,
    Ask(
        "Show amounts in this currency, at the API's rate (`netplan prices refresh --currency`);"
        " data formats stay in dollars.",
        "--currency",
        metavar="CODE",
        panel=INPUT,
        is_expert=True,
    ),
]


class PriceInput(Request, frozen=True, kw_only=True):
    """Which prices to count with."""

    prices: PriceFolder = None
    discounts: Discounts = ()
    billing_exports: BillingExports = ()
    most_price_age_s: Annotated[
        Duration | None,
        Ask(
            "End with status 4 if list prices are older than this, such as 90d; the answer is"
            " written. Default: no limit.",
            "--max-price-age",
            metavar="DURATION",
            panel=INPUT,
            is_expert=True,
        ),
    ] = None

    def refuse_old(self, today: date, *known: date, folder: Path | None) -> None:
        """Raise where list prices are older than `--max-price-age`.

        Args:
            today: The day of the answer.
            known: Dates of the prices that the answer names; none: those of the snapshot count.
            folder: Of the snapshot.

        Raises:
            IncompleteError: With the command that gets newer prices.
        """
        if self.most_price_age_s is None:
            return
        oldest = min(known) if known else open_snapshot(folder).info.oldest
        age = today - oldest
        if age > timedelta(seconds=self.most_price_age_s):
            raise IncompleteError(
                f"prices of {oldest.isoformat()} are {counted(age.days, 'day')} old, more than"
                f" --max-price-age. {update_of(folder)}"
            )


class PlanBasis(Request, frozen=True, kw_only=True):
    """Which prices, limits and calibration a plan counts with."""

    calibration: Calibration = None
    pricing: PriceInput = PriceInput()
    as_of: AsOf = None
