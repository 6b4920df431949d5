"""What queries cost on demand: what a dry run tells, and what the sums over it come to besides."""

from collections.abc import Iterable
from decimal import Decimal

from netplan_planner.google.bigquery.tables import LogTable
from netplan_planner.model import Value
from netplan_planner.units import BYTES_PER_TIB, cents

USD_PER_TIB = Decimal("6.25")
"""In most locations (cloud.google.com/bigquery/pricing, 2026-11); some cost more, and capacity
(editions) is billed by time instead."""

RAW_RATIO = Decimal("4.0")
LINKED_RATIO = Decimal("2.3")
DAY_RATIO = Decimal("3.5")
KEPT_RATIO = Decimal("12.1")
"""How many times the bytes of the dry run all statements read: of a sink's records, those of Log
Analytics, a day of them that is summed to be kept, and sums that were kept. Of generated records,
as docs/scale.md counts them (tests/docs/test_scale.py holds these to it); others differ."""


class Estimate(Value, frozen=True, kw_only=True):
    """What is about to be read, in bytes."""

    told: int
    """By dry runs: of what lies in tables before."""
    in_all: int
    """With the statements over what was read, which no dry run tells."""

    def __add__(self, other: "Estimate") -> "Estimate":
        """Return both."""
        return Estimate(told=self.told + other.told, in_all=self.in_all + other.in_all)

    @property
    def told_usd(self) -> Decimal:
        """What the dry runs tell, at list price."""
        return usd(self.told)

    @property
    def usd(self) -> Decimal:
        """All of it at list price."""
        return usd(self.in_all)

    def __str__(self) -> str:
        """Return bytes and dollars as they are said before the first scan."""
        return (
            f"{self.told:,} bytes to read, ${cents(self.told_usd):,} at ${USD_PER_TIB} a TiB; about"
            f" ${cents(self.usd):,} with the sums over what was read, which no dry run tells"
        )


def usd(byte_count: int) -> Decimal:
    """Return what bytes cost at list price."""
    return Decimal(byte_count) * USD_PER_TIB / BYTES_PER_TIB


def of_records(byte_count: int, tables: Iterable[LogTable]) -> Estimate:
    """Return what reading records costs, of which a dry run tells so many bytes."""
    return _times(byte_count, LINKED_RATIO if any(t.is_linked for t in tables) else RAW_RATIO)


def of_days(byte_count: int) -> Estimate:
    """Return what it costs to sum days to be kept, of whose records a dry run tells."""
    return _times(byte_count, DAY_RATIO)


def of_kept(byte_count: int) -> Estimate:
    """Return what reading sums of days costs, of which a dry run tells."""
    return _times(byte_count, KEPT_RATIO)


def of_look(byte_count: int) -> Estimate:
    """Return what a query costs whose answer is not summed further."""
    return Estimate(told=byte_count, in_all=byte_count)


def _times(byte_count: int, ratio: Decimal) -> Estimate:
    return Estimate(told=byte_count, in_all=int(byte_count * ratio))
