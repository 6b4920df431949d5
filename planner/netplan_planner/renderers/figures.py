"""Numbers as a reader wants them: three digits that matter, a unit always, no bare sign.

Every function returns plain text; a figure that is not known is never printed as 0.
"""

import math
from decimal import ROUND_HALF_EVEN, Decimal

from netplan_planner import units
from netplan_planner.model import Amount, AmountKind, CurrencyRate, Text, Words, worded
from netplan_planner.units import counted as counted

number, rate, rates = units.number, units.rate, units.rates
trimmed, volume = units.trimmed, units.volume
_CENT = Decimal("0.01")
SUM_DECIMALS = 6
"""Of sums and quantities in data formats."""
_CONVERTED_DIGITS = 9
"""Of a unit price in another currency; the dollars keep all of theirs."""


def shown(text: Text | Amount, currency: CurrencyRate | None = None) -> str:
    """Return a text with its amounts in a currency; None: US dollars.

    >>> text = worded("costs ", Amount(usd=Decimal("1200.50")), " a month less")
    >>> shown(text), shown(text, CurrencyRate(code="EUR", per_usd=Decimal("0.5"), as_of=""))
    ('costs $1,200.50 a month less', 'costs EUR 600.25 a month less')
    """
    if isinstance(text, str):
        return text
    if isinstance(text, Words):
        return "".join(shown(part, currency) for part in text.parts)
    match text.kind:
        case AmountKind.SUM:
            return dollars(text.usd, currency)
        case AmountKind.LIMIT:
            mark, amount = _converted(text.usd, currency)
            return f"{mark}{amount:,.0f}"
        case AmountKind.UNIT_PRICE:
            return unit_price(text.usd, currency)


def rate_interval(gbps: float, low_gbps: float | None, high_gbps: float | None) -> str:
    """Return a rate with its interval.

    >>> rate_interval(1.6, 1.2, 1.84)
    '1.6 Gbit/s [1.2 to 1.84]'
    """
    return f"{rate(gbps)} {interval(gbps, low_gbps or 0.0, high_gbps or 0.0)}"


def interval(gbps: float, low_gbps: float, high_gbps: float) -> str:
    """Return the interval around a rate, in the unit in which `rate` prints it.

    An end that its own digits would put on the wrong side of the rate, whose digits are fewer, is
    printed as the rate is.

    >>> interval(1.6, 1.2, 1.84), interval(0.15, 0.05, 0.2), interval(0.8283, 0.81, 0.8284)
    ('[1.2 to 1.84]', '[0.05 to 0.2]', '[0.81 to 0.83]')
    """
    factor = units.unit_for(abs(gbps) or 1.0)[1]
    shown = units.rate_number(gbps * factor)
    low, high = number(low_gbps * factor), number(high_gbps * factor)
    low = shown if low_gbps <= gbps and _parsed(low) > _parsed(shown) else low
    high = shown if high_gbps >= gbps and _parsed(high) < _parsed(shown) else high
    return f"[{low} to {high}]"


def byte_volume(byte_count: int) -> str:
    """Return bytes in the binary unit that suits them.

    >>> byte_volume(2**41), byte_volume(0)
    ('2 TiB', '0 bytes')
    """
    return volume(units.gib_from_bytes(byte_count)) if byte_count else "0 bytes"


def dollars(usd: Decimal, currency: CurrencyRate | None = None) -> str:
    """Return US dollars; a sentence that says saves or costs gives them without a sign.

    They are shown in a currency where one is given, as in every function on money here.

    >>> dollars(Decimal("643.074")), dollars(Decimal("-12345.6")), dollars(Decimal("0.0004"))
    ('$643.07', '-$12,345.60', 'under $0.01')
    """
    if not usd.is_finite():
        return "an unknown amount"
    mark, amount = _converted(abs(usd), currency)
    if 0 < amount < _CENT / 2:
        return f"under {mark}0.01"
    return f"{'-' if usd < 0 else ''}{mark}{units.cents(amount):,f}"


def saving(usd: Decimal, currency: CurrencyRate | None = None) -> str:
    """Return what a saving does to the bill, in words.

    >>> saving(Decimal(310)), saving(Decimal(-310)), saving(Decimal(0))
    ('saves $310.00/month', 'costs $310.00/month', 'no change of the bill')
    """
    return shown(saved(usd), currency)


def saved(usd: Decimal) -> Text:
    """Return what a saving does to the bill, with its amount still typed."""
    if not usd:
        return "no change of the bill"
    return worded("saves " if usd > 0 else "costs ", Amount(usd=abs(usd)), "/month")


def unit_price(usd: Decimal, currency: CurrencyRate | None = None) -> str:
    """Return a unit price with all its digits.

    >>> unit_price(Decimal("0.01")), unit_price(Decimal("0.7599960")), unit_price(Decimal("1E-9"))
    ('$0.01', '$0.759996', '$0.000000001')
    """
    if not usd.is_finite():
        return "unknown price"
    mark, amount = _converted(abs(usd), currency)
    amount = amount if currency is None else round(amount, _CONVERTED_DIGITS)
    whole, _, decimals = f"{amount:,f}".partition(".")
    sign = "-" if usd < 0 else ""
    return f"{sign}{mark}{whole}.{decimals.rstrip('0').ljust(2, '0')}"


def share(part: float, whole: float) -> str:
    """Return a share in per cent that says 100 or 0 only where it is exactly that.

    >>> share(997, 1000), share(999999, 1000000), share(1, 1000000), share(3, 3), share(0, 0)
    ('99.7%', 'over 99.9%', 'under 0.1%', '100%', 'none')
    """
    if not whole:
        return "none"
    percent = 100 * part / whole
    if part != whole and percent > 99.9:
        return "over 99.9%"
    if part and percent < 0.1:
        return "under 0.1%"
    return f"{trimmed(percent, 1)}%"


def use(ratio: float) -> str:
    """Return how much of a limit is in use, in per cent; more than all of it may be.

    >>> use(1.0153), use(0.8), use(0.0312), use(0.00001)
    ('102%', '80%', '3.1%', 'under 0.1%')
    """
    percent = 100 * ratio
    if 0 < percent < 0.1:
        return "under 0.1%"
    return f"{trimmed(percent, 0 if percent >= 10 else 1)}%"


def duration(seconds: float) -> str:
    """Return a span of time in the unit that suits it.

    >>> duration(45), duration(180), duration(5400), duration(7 * 86400), duration(0.25)
    ('45 s', '3 min', '1.5 h', '7 days', '0.25 s')
    """
    if not math.isfinite(seconds):
        return "unknown"
    hours = seconds / units.SECONDS_PER_HOUR
    if hours >= 48:
        return f"{number(hours / 24)} days"
    if hours >= 1:
        return f"{number(hours)} h"
    minutes = seconds / units.SECONDS_PER_MINUTE
    return f"{number(minutes)} min" if minutes >= 2 else f"{number(seconds)} s"


def rounded(value: Decimal, digits: int) -> float:
    """Return a decimal as the nearest float with at most `digits` decimals.

    Raises:
        ValueError: If it is not finite, or too great for a float.
    """
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        raise ValueError(f"{value} is not a number")
    if exponent < -digits and value.adjusted() < 15:
        value = value.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_EVEN)
    result = float(value)
    if not math.isfinite(result):
        raise ValueError(f"{value} is too large for a number")
    return result


def _converted(usd: Decimal, currency: CurrencyRate | None) -> tuple[str, Decimal]:
    """Return the mark that stands before an amount, and the amount in its currency."""
    return ("$", usd) if currency is None else (f"{currency.code} ", usd * currency.per_usd)


def exact_sum(amount: Decimal | None) -> Decimal | None:
    """Return a sum as data formats hold it; None stays unknown."""
    return None if amount is None else exact(amount, SUM_DECIMALS)


def exact(value: Decimal, digits: int) -> Decimal:
    """Return a decimal with at most `digits` decimals and without idle zeros, for data.

    >>> exact(Decimal("643.0700000"), 6), exact(Decimal("1E+2"), 6), exact(Decimal("0.0000005"), 6)
    (Decimal('643.07'), Decimal('100'), Decimal('0'))

    Raises:
        ValueError: If it is not finite, or too great for a float, which JSON would hold.
    """
    return Decimal(trimmed(Decimal(repr(rounded(value, digits))), digits).replace(",", ""))


def _parsed(text: str) -> float:
    """Return a number as it was printed; "unknown" is on no side of any other."""
    return float(text.replace(",", "")) if text != "unknown" else math.nan
