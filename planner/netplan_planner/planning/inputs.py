"""What plans are asked about prices, limits and calibrations: the same options in every verb."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import INPUT, Ask, Request
from netplan_planner.quantities import Day, Paths, Texts

DATE_FORMATS = ["%Y-%m-%d", "%Y-%m", "%Y"]


Demo = Annotated[
    str | None,
    Ask(
        "Embedded sample: dobermanifesto, gecko, interzone or percona.",
        "--demo",
        metavar="NAME",
        panel=INPUT,
    ),
]


PriceFolder = Annotated[
    Path | None,
    Ask(
        "Folder of another price snapshot than the embedded one.",
        "--prices",
        metavar="DIR",
        panel=INPUT,
    ),
]


Discounts = Annotated[
    Texts,
    Ask(
        "Off the list price of a service (Compute Engine, Networking), of a SKU id, or of all;"
        " repeat it.",
        "--discount",
        metavar="NAME=PERCENT",
        panel=INPUT,
    ),
]


BillingExports = Annotated[
    Paths,
    Ask(
        "Detailed usage or pricing table of the Cloud Billing export (Parquet, CSV): its effective"
        " prices go before the list's; repeat it.",
        "--billing-export",
        metavar="FILE",
        panel=INPUT,
    ),
]


Calibration = Annotated[
    Path | None,
    Ask(
        "What `netplan calibrate` learnt from measurements: predictions follow it.",
        "--calibration",
        metavar="FILE",
        panel=INPUT,
    ),
]


AsOf = Annotated[
    Day | None,
    Ask(
        "Date of the limits (default: today); prices are the snapshot's.",
        "--as-of",
        formats=DATE_FORMATS,
        panel=INPUT,
    ),
]


CurrencyCode = Annotated[
    str | None,
    Ask(
        "Show amounts in this currency, at the rate that the API returned"
        " (`netplan prices refresh --currency`); data formats stay in dollars.",
        "--currency",
        metavar="CODE",
        panel=INPUT,
    ),
]


class PriceInput(Request, frozen=True, kw_only=True):
    """Which prices to count with."""

    prices: PriceFolder = None
    discounts: Discounts = ()
    billing_exports: BillingExports = ()


class PlanBasis(Request, frozen=True, kw_only=True):
    """Which prices, limits and calibration a plan counts with."""

    calibration: Calibration = None
    pricing: PriceInput = PriceInput()
    as_of: AsOf = None
