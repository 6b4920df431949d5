"""What several verbs take beside what they read: a currency."""

from typing import Annotated

from netplan_planner.asks import INPUT, Ask

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
