"""Days on which nobody knows whether a limit was in force: intervals then admit both.

A document says what holds on its own day, a measurement what held on its. When it began, and how
long it lasted, lies somewhere between the last figure against it and the first one for it.
"""

from collections.abc import Iterator
from datetime import date, timedelta

from netplan_planner.model import CapsBook, MeasuredLimit, PathQuery
from netplan_planner.throughput.limits import bounds
from netplan_planner.throughput.limits.bounds import Bound
from netplan_planner.throughput.limits.caps import DEFAULT_TIER, TIER_1
from netplan_planner.throughput.limits.ends import OWN_CLOUD
from netplan_planner.throughput.limits.named import (
    external_receiving,
    later_limit,
    measured_limit,
)
from netplan_planner.throughput.limits.senders import CARRIED_YEARS
from netplan_planner.throughput.limits.tables import (
    measured_limits,
    path_limit,
    possible_path_limit,
)

FIRST_SEEN_OUTSIDE = date(2015, 1, 1)
"""The first day of `measured_limits.csv`."""
SLOW_OUTSIDE_UNTIL = date(2017, 12, 31)
"""The last day of `measured_limits.csv` with its external path inside a zone."""
UNSEEN_OUTSIDE_UNTIL = date(2019, 12, 31)
"""No figure of such a path is known between that day and the next published run, of 2020."""


def surely_held(measured: MeasuredLimit, caps: CapsBook) -> bool:
    """Return whether a limit that was measured surely held on the day.

    How long it stayed so after its last figure nobody knows, nor since when where it is the first.
    """
    eve = measured.valid_from - timedelta(days=1)
    before = [m for m in measured_limits(eve) if m.path_class is measured.path_class]
    is_begun = bool(before) or caps.as_of >= measured.as_of
    return is_begun and caps.as_of <= measured.as_of


def possible_measured(query: PathQuery, caps: CapsBook) -> Iterator[Bound]:
    """Yield limits of the path that were measured soon after or before the day, and not on it."""
    if caps.measured(query.path_class):
        return
    day = None
    if FIRST_SEEN_OUTSIDE.year - CARRIED_YEARS <= caps.as_of.year < FIRST_SEEN_OUTSIDE.year:
        day = FIRST_SEEN_OUTSIDE
    elif SLOW_OUTSIDE_UNTIL < caps.as_of <= UNSEEN_OUTSIDE_UNTIL:
        day = SLOW_OUTSIDE_UNTIL
    if day is None:
        return
    for measured in measured_limits(day):
        if measured.path_class is query.path_class:
            yield bounds.plain(measured_limit(measured))


def or_not_yet(bound: Bound, otherwise_gbps: float, caps: CapsBook, tier: str = "") -> Bound:
    """Return a documented limit; while it may not have been in force, up to what else held."""
    found = path_limit(bound.limit.name, caps.as_of, tier)
    if found is None or found.sure_from is None or caps.as_of >= found.sure_from:
        return bound
    return bounds.up_to(bound, otherwise_gbps)


def possible_documented(query: PathQuery, caps: CapsBook) -> Iterator[Bound]:
    """Yield documented limits of a later day that may have been in force on this one."""
    if not query.path_class.leaves_vpc or query.host_link_gbps is not None:
        return
    if query.src.cloud == OWN_CLOUD:
        tier = TIER_1 if query.src.is_tier1 else DEFAULT_TIER
        for name, of_tier in (("external-egress", tier), ("external-flow", "")):
            found = possible_path_limit(name, caps.as_of, of_tier)
            if found is not None:
                yield bounds.plain(later_limit(found, found.value))
    comes_in = query.path_class.is_external_address or query.src.cloud != OWN_CLOUD
    if comes_in and query.dst.cloud == OWN_CLOUD:
        yield from map(bounds.plain, external_receiving(query, caps, is_possible=True))
