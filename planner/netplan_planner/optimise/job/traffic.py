"""What the traffic of a job costs: the same with any of its machines."""

from decimal import Decimal
from typing import NamedTuple

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    JobEnd,
    JobNeed,
    JobPhase,
    JobPlace,
    LineItem,
    PriceBook,
    total_usd,
)
from netplan_planner.optimise.job.rates import CLASSES, moved_bytes
from netplan_planner.throughput.limits.bounds import DEFAULT_MTU_BYTES
from netplan_planner.throughput.transport.tcp import payload_ratio
from netplan_planner.units import BYTES_PER_GIB

INBOUND = "what comes from the internet has no charge (cloud.google.com/vpc/network-pricing)"
STORAGE = "operations, retrieval and a bucket of another place have prices of Cloud Storage's own"
_GIB_DIGITS = Decimal("0.001")


class JobTraffic(NamedTuple):
    """A month's traffic, or that of the one run."""

    items: tuple[LineItem, ...]
    usd_per_run: Decimal | None
    note: str


def traffic_of(need: JobNeed, prices: PriceBook) -> JobTraffic:
    """Return what the bytes of a job cost, headers included; both ends are taken to be yours."""
    items: list[LineItem] = []
    notes: list[str] = []
    is_known = True
    for phase, end in ((JobPhase.IN, need.source), (JobPhase.OUT, need.target)):
        if not moved_bytes(need, phase):
            continue
        if end.place is JobPlace.STORAGE:
            notes.append(f"{phase}: free inside the region; {STORAGE}")
        elif end.place is JobPlace.INTERNET and phase is JobPhase.IN:
            notes.append(INBOUND)
        else:
            try:
                items += _lines(need, phase, end, prices)
            except MissingDatum as missing:
                is_known = False
                notes.append(f"{phase}: price not known: {missing}")
    if need.between_bytes:
        notes.append("between: free inside a zone")
    runs = Decimal(str(need.runs_per_month or 1))
    usd = total_usd(items) / runs if is_known else None
    return JobTraffic(tuple(items), usd, "; ".join(notes))


def _lines(need: JobNeed, phase: JobPhase, end: JobEnd, prices: PriceBook) -> tuple[LineItem, ...]:
    far = end.region or need.region
    src, dst = (far, need.region) if phase is JobPhase.IN else (need.region, far)
    ratio = Decimal(float(payload_ratio(DEFAULT_MTU_BYTES)))
    runs = Decimal(str(need.runs_per_month or 1))
    gib = Decimal(moved_bytes(need, phase)) / BYTES_PER_GIB / ratio * runs
    return prices.traffic_line_items(
        f"traffic {phase}",
        CLASSES[end.place],
        gib.quantize(_GIB_DIGITS),
        src_region=src,
        dst_region=dst if end.place is JobPlace.REGION else None,
        area=end.area if end.place is JobPlace.INTERNET else None,
    )
