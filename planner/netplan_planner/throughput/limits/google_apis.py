"""Bounds of what a machine exchanges with Cloud Storage and other Google APIs.

No document states a limit of this traffic. The caps for addresses outside the VPC do not hold it:
published transfers exceed them. What leaves the machine counts against its own cap; what arrives
was seen above it. So there are bounds, and no likely value. The lower one is the lowest of all rows
that a source publishes of a machine; the best of one set-up alone bounds nothing.
"""

from datetime import date
from functools import cache

from netplan_planner.model import CapsBook, Estimate, PathEnd, Value
from netplan_planner.shipped import shipped_values
from netplan_planner.throughput.limits.caps import DEFAULT_TIER, TIER_1
from netplan_planner.throughput.limits.named import vm_egress
from netplan_planner.throughput.limits.senders import nic_limit, sender_of
from netplan_planner.throughput.limits.tables import DATA

SENT, RECEIVED = "sent", "received"
WALL_RATIO = 1.02
"""As for every documented cap (`goodput.intervals`)."""
_NO_VALUE = "no document states the rate between a Google API and one VM"


class PublishedTransfer(Value, frozen=True, kw_only=True):
    """What a machine was seen to exchange with Cloud Storage."""

    machine_type: str
    tier: str
    direction: str
    gbps: float
    """The lowest row of the source, of files of every size."""
    high_gbps: float
    """The highest."""
    row_count: int
    """1: the best of one set-up, whose other rows are not published."""
    valid_from: date
    source: str
    note: str = ""


@cache
def published_transfers() -> tuple[PublishedTransfer, ...]:
    """Return every published figure that ships."""
    return shipped_values(DATA / "google_api_transfers.csv", PublishedTransfer)


def google_api_bounds(end: PathEnd, caps: CapsBook, *, is_receiving: bool) -> Estimate:
    """Return the bounds of a machine's traffic with Google APIs; it has no likely value.

    Args:
        end: The machine.
        caps: The caps at a date.
        is_receiving: Whether the machine receives; else it sends.
    """
    direction = RECEIVED if is_receiving else SENT
    figures = [
        one
        for one in published_transfers()
        if one.direction == direction and one.valid_from <= caps.as_of
    ]
    own = [
        one
        for one in figures
        if one.machine_type == end.machine_type and (one.tier == DEFAULT_TIER or end.is_tier1)
    ]
    low = min((one.gbps for one in own if one.row_count > 1), default=None)
    said = (_said(figures, direction),) if figures else ()
    if is_receiving:
        return Estimate(gbps=None, low_gbps=low, unknown=(_NO_VALUE,), assumed=said)
    sender = sender_of(end, caps, may_assume=True)
    if sender.cap is None:
        return Estimate(gbps=None, low_gbps=low, unknown=(sender.why_not,), assumed=said)
    nic = nic_limit(sender.cap.machine_type, end.nic_count)
    limits = sorted(
        (limit for limit in (vm_egress(sender.cap, caps), nic) if limit is not None),
        key=lambda limit: limit.gbps,
    )
    return Estimate(
        gbps=None,
        low_gbps=low,
        high_gbps=WALL_RATIO * limits[0].gbps,
        limits=tuple(limits),
        unknown=(_NO_VALUE,),
        assumed=(*sender.assumed, *said),
    )


def _said(figures: list[PublishedTransfer], direction: str) -> str:
    shown = "; ".join(map(_shown, figures))
    if direction == SENT:
        return f"the caps for external addresses do not apply: published writes of {shown}"
    return (
        "traffic from Google APIs to a VM is not limited by its egress cap or its external"
        f" ingress cap: published reads of {shown}"
    )


def _shown(one: PublishedTransfer) -> str:
    span = f"{one.gbps:g}" if one.gbps == one.high_gbps else f"{one.gbps:g} to {one.high_gbps:g}"
    tier = " with Tier_1" if one.tier == TIER_1 else ""
    times = f"{one.row_count} set-ups" if one.row_count > 1 else "measured once"
    return f"{span} Gbit/s on {one.machine_type}{tier} ({times})"
