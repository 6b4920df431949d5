"""Text that may hold amounts of money: the amounts stay typed until a renderer writes them."""

from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import Value


class AmountKind(StrEnum):
    """How many digits of an amount are worth reading."""

    SUM = "sum"
    """Of a bill: to the cent, from 10,000 on in whole units."""
    EXACT_SUM = "exact-sum"
    """To the cent however great, as the sentence of a rule states what it found."""
    LIMIT = "limit"
    """In whole units: what a threshold asks for."""
    UNIT_PRICE = "unit-price"
    """Every digit."""


class Amount(Value, frozen=True, kw_only=True, gc=False):
    """US dollars within a text, whatever currency the text will be shown in."""

    usd: Decimal
    kind: AmountKind = AmountKind.SUM


class Words(Value, frozen=True, kw_only=True):
    """A text that holds amounts; `worded` makes it."""

    parts: tuple[str | Amount, ...]


Text = str | Words


def spaced(*texts: Text) -> Text:
    """Return sentences as one text, those that say nothing left out.

    >>> spaced("Look.", "", "Then move.")
    'Look. Then move.'
    """
    said = [one for one in texts if one]
    return worded(*[part for one in said for part in (" ", one)][1:])


def worded(*parts: Text | Amount) -> Text:
    """Return the parts as one text; without an amount it is a plain string.

    >>> worded("costs ", "more")
    'costs more'
    >>> len(worded("costs ", Amount(usd=Decimal(2)), " a month", " more").parts)
    3
    """
    found: list[str | Amount] = []
    for part in parts:
        for one in part.parts if isinstance(part, Words) else (part,):
            last = found[-1] if found else None
            if isinstance(one, str) and isinstance(last, str):
                found[-1] = last + one
            elif one:
                found.append(one)
    if not any(isinstance(one, Amount) for one in found):
        return "".join(one for one in found if isinstance(one, str))
    return Words(parts=tuple(found))
