"""Every conversion between units; nobody else multiplies by 8, 1000, 1024 or 730.

Rates are decimal (1 Gbit/s is 10^9 bit/s), billed traffic is binary (1 GiB is 2^30 bytes), and a
month is 730 hours, as in Google's own price examples.
"""

from collections.abc import Iterable
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


def gbps_from_bytes(byte_count: float, seconds: float) -> float:
    """Return the rate of `byte_count` bytes in `seconds` seconds, in Gbit/s.

    Raises:
        ValueError: If `seconds` is not above 0.

    >>> gbps_from_bytes(7_500_000_000, 60)
    1.0
    """
    return gbps_from_byte_counts((byte_count,), seconds)[0]


def gbps_from_byte_counts(byte_counts: Iterable[float], seconds: float) -> tuple[float, ...]:
    """Return the rates of many byte counts in `seconds` seconds each, in Gbit/s.

    Raises:
        ValueError: If `seconds` is not above 0.

    >>> gbps_from_byte_counts([7_500_000_000, 0], 60)
    (1.0, 0.0)
    """
    if seconds <= 0:
        raise ValueError(f"a rate needs a time above 0 s, got {seconds}")
    # One expression for all of them: there are millions, and a call for each takes longer.
    return tuple([count * BITS_PER_BYTE / seconds / BITS_PER_GIGABIT for count in byte_counts])


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
