"""Every conversion between units, and how numbers with units are written.

Nobody else multiplies by 8, 1000, 1024 or 730. Written are three digits that matter, and a unit.

Rates are decimal (1 Gbit/s is 10^9 bit/s), billed traffic is binary (1 GiB is 2^30 bytes), and a
month is 730 hours, as in Google's own price examples.
"""

import math
from decimal import ROUND_HALF_UP, Decimal

BITS_PER_BYTE = 8
BITS_PER_GIGABIT = 10**9
MEGABITS_PER_GIGABIT = 1000
BYTES_PER_MIB = 2**20
BYTES_PER_GIB = 2**30
MIB_PER_GIB = 1024
GIB_PER_TIB = 1024
BYTES_PER_TIB = 2**40
SECONDS_PER_MINUTE = 60
SECONDS_PER_HOUR = 3600
SECONDS_PER_DAY = 86_400
HOURS_PER_DAY = 24
HOURS_PER_MONTH = 730
MS_PER_SECOND = 1000
_CENT = Decimal("0.01")
_RATES = (("Gbit/s", 1.0), ("Mbit/s", 1e3), ("kbit/s", 1e6), ("bit/s", 1e9))
_SIZES = (("PiB", -2), ("TiB", -1), ("GiB", 0), ("MiB", 1), ("KiB", 2))


def gbps_from_bytes(byte_count: float, seconds: float) -> float:
    """Return the rate of `byte_count` bytes in `seconds` seconds, in Gbit/s; of an array each.

    Raises:
        ValueError: If `seconds` is not above 0.

    >>> gbps_from_bytes(7_500_000_000, 60)
    1.0
    """
    if seconds <= 0:
        raise ValueError(f"a rate needs a time above 0 s, got {seconds}")
    return byte_count * BITS_PER_BYTE / seconds / BITS_PER_GIGABIT


def bytes_from_gbps(gbps: float, seconds: float) -> float:
    """Return the bytes that `gbps` Gbit/s carries in `seconds` seconds.

    >>> bytes_from_gbps(1.0, 60)
    7500000000.0
    """
    return gbps * BITS_PER_GIGABIT * seconds / BITS_PER_BYTE


def gib_from_bytes(byte_count: int) -> Decimal:
    """Return `byte_count` bytes in GiB, exactly.

    >>> gib_from_bytes(3 * 2**29)
    Decimal('1.5')
    """
    return Decimal(byte_count) / BYTES_PER_GIB


def gib_per_month(byte_count: int, seconds: int) -> Decimal:
    """Return GiB per 730-hour month if `byte_count` bytes in `seconds` seconds go on all month.

    Raises:
        ValueError: If `seconds` is not above 0.

    >>> gib_per_month(2**30, 3600)
    Decimal('730')
    """
    if seconds <= 0:
        raise ValueError(f"a monthly volume needs a time above 0 s, got {seconds}")
    return gib_from_bytes(byte_count) * (HOURS_PER_MONTH * SECONDS_PER_HOUR) / seconds


def gib_per_month_from_gbps(gbps: float) -> Decimal:
    """Return GiB per 730-hour month at a steady rate of `gbps` Gbit/s.

    >>> round(gib_per_month_from_gbps(1.0))
    305939
    """
    month_s = HOURS_PER_MONTH * SECONDS_PER_HOUR
    return Decimal(str(gbps)) * BITS_PER_GIGABIT * month_s / BITS_PER_BYTE / BYTES_PER_GIB


def usd_per_month(usd_per_hour: Decimal) -> Decimal:
    """Return the price of a 730-hour month.

    >>> usd_per_month(Decimal("0.01"))
    Decimal('7.30')
    """
    return usd_per_hour * HOURS_PER_MONTH


def cents(usd: Decimal) -> Decimal:
    """Return an amount of money in whole cents, half a cent away from zero: the only such rounding.

    Python's own formats round half a cent to the even neighbour; the same amount must not read 1.82
    in one answer and 1.83 in another.

    >>> cents(Decimal("1.825")), cents(Decimal("-7.295")), cents(Decimal(730) * Decimal("0.01"))
    (Decimal('1.83'), Decimal('-7.30'), Decimal('7.30'))
    """
    return usd.quantize(_CENT, ROUND_HALF_UP)


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the singular where it is one.

    >>> counted(1, "finding"), counted(4212338, "record"), counted(2, "entry", "entries")
    ('1 finding', '4,212,338 records', '2 entries')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def plain_number(value: Decimal) -> str:
    """Return a number without needless zeros: 0.16833420 as 0.1683342, 500.0 as 500.

    >>> plain_number(Decimal("500.0")), plain_number(Decimal("0.16833420"))
    ('500', '0.1683342')
    """
    return f"{value.normalize():,f}"


def trimmed(value: float | Decimal, digits: int) -> str:
    """Return `value` with at most `digits` decimals, without idle zeros, in groups of three.

    >>> trimmed(1234.50, 2), trimmed(16.0, 1), trimmed(-0.001, 2)
    ('1,234.5', '16', '0')
    """
    text = f"{value:,.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def number(value: float | Decimal) -> str:
    """Return a quantity with about three digits that matter.

    >>> number(Decimal("64307.2")), number(12.345), number(0.00123), number(730)
    ('64,307', '12.3', '0.00123', '730')
    """
    if not _is_finite(value):
        return "unknown"
    size = abs(float(value))
    if size >= 100 or size == 0:
        return trimmed(value, 0)
    if size >= 1:
        return trimmed(value, 1 if size >= 10 else 2)
    return trimmed(value, 2 - math.floor(math.log10(size)))


def rate(gbps: float) -> str:
    """Return a rate with its unit.

    >>> rate(1.6), rate(0.884), rate(15.94), rate(0.0035), rate(0)
    ('1.6 Gbit/s', '0.88 Gbit/s', '15.9 Gbit/s', '3.5 Mbit/s', '0 Gbit/s')
    """
    return rates(gbps)


def rates(*gbps: float, joint: str = " → ") -> str:
    """Return several rates, in one unit where that reads well.

    >>> rates(1.6, 15.94), rates(0.88, 1.7, joint=" to "), rates(0.05, 15.9)
    ('1.6 → 15.9 Gbit/s', '0.88 to 1.7 Gbit/s', '50 Mbit/s → 15.9 Gbit/s')
    """
    if not all(map(_is_finite, gbps)):
        return "unknown"
    sizes = sorted(abs(value) for value in gbps if value) or [1.0]
    unit, factor = unit_for(sizes[0])
    if unit != unit_for(sizes[-1])[0] and sizes[-1] * factor >= 1000:
        return joint.join(map(rate, gbps))
    return f"{joint.join(rate_number(value * factor) for value in gbps)} {unit}"


def volume(gib: Decimal) -> str:
    """Return a volume in the binary unit that suits it.

    >>> volume(Decimal(64307)), volume(Decimal("3.25")), volume(Decimal("0.5"))
    ('62.8 TiB', '3.25 GiB', '512 MiB')
    """
    if not gib.is_finite():
        return "unknown"
    for unit, power in _SIZES:
        value = gib * Decimal(1024) ** power
        if abs(value) >= 1 or unit == "KiB":
            return f"{number(value)} {unit}"
    raise AssertionError("the last unit has no upper limit")


def rate_number(value: float) -> str:
    """Return a rate without its unit, in at most three digits from 1 on."""
    size = abs(value)
    return trimmed(value, 0 if size >= 100 else 1 if size >= 10 else 2)


def unit_for(gbps: float) -> tuple[str, float]:
    """Return the unit in which a rate is written, and how many of it are 1 Gbit/s."""
    return next((unit for unit in _RATES if gbps * unit[1] >= 0.1), _RATES[-1])


def _is_finite(value: float | Decimal) -> bool:
    return value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)
