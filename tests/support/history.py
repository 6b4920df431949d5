"""Runs of audits as `audit --record` keeps them, with the traffic that a test asks for."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from netplan_planner.model import MonthBill, PathClass
from netplan_planner.planning.run_record import (
    RunFinding,
    RunMachine,
    RunPair,
    RunPath,
    RunRecord,
    RunWindow,
)

FIRST = date(2026, 6, 1)
CLASS = PathClass.INTER_ZONE_INTERNAL


def pair(usd: float, src: str = "web-1", dst: str = "db-1", **more: str) -> RunPair:
    """Return a pair between zones that costs so many dollars a month at $0.01 a GiB."""
    return RunPair(
        src=src,
        dst=dst,
        src_place=more.pop("src_place", "us-central1-a"),
        dst_place=more.pop("dst_place", "us-central1-b"),
        path_class=CLASS,
        gib_per_month=Decimal(str(usd)) * 100,
        usd_per_month=Decimal(str(usd)),
        **more,
    )


def run_of(
    number: int,
    pairs: Sequence[RunPair],
    machines: Sequence[RunMachine] = (),
    findings: Sequence[RunFinding] = (),
) -> RunRecord:
    """Return the run of a day, by its number; without pairs it had no traffic."""
    start = datetime(FIRST.year, FIRST.month, FIRST.day, tzinfo=UTC) + timedelta(days=number)
    usd = sum((one.usd_per_month for one in pairs), Decimal(0))
    gib = sum((one.gib_per_month for one in pairs), Decimal(0))
    return RunRecord(
        tool="netplan 1",
        title="shop",
        projects=("shop",),
        limits_as_of=start.date(),
        prices_as_of=FIRST,
        network_prices_as_of=FIRST,
        window=RunWindow(start=start, end=start + timedelta(days=1)) if pairs else None,
        bill=MonthBill(
            machines_usd=Decimal(10),
            addresses_usd=Decimal(0),
            traffic_usd=usd if pairs else None,
            services_usd=Decimal(0),
            commitments_usd=Decimal(0),
            unpriced_machine_count=0,
            unpriced_low_usd=Decimal(0),
            unpriced_high_usd=Decimal(0),
            unpriced_gib=Decimal(0),
        ),
        traffic_by_class=(RunPath(path_class=CLASS, gib_per_month=gib, usd_per_month=usd),)
        if pairs
        else (),
        zone_pairs=(),
        dear_pairs=tuple(pairs),
        machines=tuple(machines),
        findings=tuple(findings),
    )


def runs_of(daily_usd: Sequence[float]) -> Iterator[RunRecord]:
    """Yield daily runs of two pairs, of which the first costs so much and a tenth more each day
    of three.
    """
    for number, usd in enumerate(daily_usd):
        yield run_of(number, [pair(usd + number % 3), pair(40.0, "app-1", "db-2")])
