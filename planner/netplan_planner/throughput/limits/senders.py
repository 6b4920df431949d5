"""The cap of a sending machine at a date, or the nearest one that an answer may assume."""

import math
from datetime import date, timedelta
from typing import NamedTuple

from netplan_planner.model import CapsBook, EgressCap, PathEnd
from netplan_planner.throughput.limits.bounds import FIRST_CAP_ON
from netplan_planner.throughput.limits.caps import load_caps
from netplan_planner.throughput.limits.ends import OWN_CLOUD

CARRIED_YEARS = 3
"""How many years back a cap is carried for an answer that may assume it."""


class Sender(NamedTuple):
    """The sending machine's cap, or why there is none."""

    cap: EgressCap | None
    why_not: str = ""
    highest_gbps: float = 0.0
    lowest_gbps: float = math.inf
    """Of an earlier day, where the cap changed on an unknown one of this year."""
    is_carried: bool = False
    assumed: tuple[str, ...] = ()


def sender_of(end: PathEnd, caps: CapsBook, may_assume: bool) -> Sender:
    """Return the cap of a sender at the date of `caps`; `may_assume` allows one of a later year."""
    if end.cloud != OWN_CLOUD:
        return Sender(None, f"the caps of machines of {end.cloud} are not netplan's to know")
    if end.machine_type is None:
        return Sender(None, "the sender's machine type is not known")
    # Tier_1 on a type that does not offer it changes nothing.
    is_offered = any(cap.is_tier1 for cap in caps.variants(end.machine_type))
    tier1 = end.is_tier1 and is_offered
    cap = caps.cap(end.machine_type, tier1=tier1, cpu_platform=end.cpu_platform)
    if cap is not None:
        is_early = caps.as_of < FIRST_CAP_ON
        before = _before_this_year(cap, caps.as_of.year, end.cpu_platform)
        return Sender(cap, "", cap.egress_gbps, before, is_carried=is_early)
    why = caps.unknown_reason(end.machine_type, tier1=tier1, cpu_platform=end.cpu_platform)
    if not may_assume:
        return Sender(None, why)
    variants = [cap for cap in caps.variants(end.machine_type) if cap.is_tier1 == tier1]
    if variants and end.cpu_platform:
        return Sender(None, why)
    return _assumed_sender(end, variants, tier1, caps, why)


def _assumed_sender(
    end: PathEnd, variants: list[EgressCap], tier1: bool, caps: CapsBook, why: str
) -> Sender:
    """Return the least cap of a type whose platform or size is not documented, or a later one."""
    machine_type = end.machine_type or ""
    if variants:
        highest = max(cap.egress_gbps for cap in variants)
        least = min(variants, key=lambda cap: cap.egress_gbps)
        said = f"the CPU platform is not known: {least.egress_gbps:g} of at most {highest:g} Gbit/s"
        return Sender(least, "", highest, assumed=(said,))
    sides = load_caps(caps.as_of).on_both_sides(machine_type, end.cpu_platform)
    if sides is not None:
        low, high = sides
        said = f"{why}: {low.egress_gbps:g} of at most {high.egress_gbps:g} Gbit/s"
        return Sender(low, "", high.egress_gbps, assumed=(said,))
    later = _nearest_cap(machine_type, tier1, caps.as_of, 1)
    if later is None:
        return Sender(None, why)
    earlier = _nearest_cap(machine_type, tier1, caps.as_of, -1)
    if earlier is None:
        said = f"no cap is documented for {caps.as_of}: that of {later.year} is carried back"
        return Sender(later.cap, "", later.cap.egress_gbps, is_carried=True, assumed=(said,))
    said = (
        f"between {earlier.year} and {later.year} no cap is documented: from"
        f" {earlier.cap.egress_gbps:g} to {later.cap.egress_gbps:g} Gbit/s"
    )
    highest = max(earlier.cap.egress_gbps, later.cap.egress_gbps)
    return Sender(earlier.cap, "", highest, assumed=(said,))


def _before_this_year(cap: EgressCap, year: int, cpu_platform: str | None) -> float:
    """Return what a type had before, where all that is known of the change is the year.

    The first of January stands for a year in the table. Infinite: there is no such change.
    """
    first = date(year, 1, 1)
    tier1 = cap.is_tier1
    begun, ended = (
        load_caps(day).cap(cap.machine_type, tier1=tier1, cpu_platform=cpu_platform)
        for day in (first, first - timedelta(days=1))
    )
    if begun is None or begun.egress_gbps != cap.egress_gbps:
        return math.inf
    if ended is None:
        earlier = _nearest_cap(cap.machine_type, tier1, first, -1)
        ended = earlier.cap if earlier is not None else None
    return ended.egress_gbps if ended is not None else math.inf


class _DatedCap(NamedTuple):
    cap: EgressCap
    year: int


def _nearest_cap(machine_type: str, tier1: bool, as_of: date, step: int) -> _DatedCap | None:
    """Return the least cap of a type in the nearest year that has one, before or after."""
    for distance in range(CARRIED_YEARS + 1):
        on = as_of.year + step * distance
        day = date(on, 6, 30) if step < 0 else date(on, 1, 1)
        if (day - as_of).days * step <= 0:
            continue
        found = [cap for cap in load_caps(day).variants(machine_type) if cap.is_tier1 == tier1]
        if found:
            return _DatedCap(min(found, key=lambda cap: cap.egress_gbps), on)
    return None
