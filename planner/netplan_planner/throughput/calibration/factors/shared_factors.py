"""What probes can teach: factors, each shared by many paths, and how sure one is before.

A factor is one on what the model says of one limit, on a logarithmic scale: 0 is the model as it
ships. Which paths share it is its key: machines of one family share their cap, paths to one
cloud the receiver's window. How far it may lie from 0 follows from the range that the model itself
states for the limit; for the rest the spreads are judgements, rounded, and the same for all
campaigns. Halving or doubling any of them moves no median error of a replay with three probes by
more than 1.5 points (benchmarks/replay_probes.py), but for two that were doubled: the scatter of
foreign windows (one campaign goes from 12 to 17 %) and of unknown caps (one from 35 to 41 %).
"""

import math

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import PathClass, PathQuery
from netplan_planner.throughput.goodput.mean import HARD_COUNT, LIMITS, Column
from netplan_planner.throughput.goodput.terms import Spans, TermSpans
from netplan_planner.throughput.limits import shared_by
from netplan_planner.throughput.limits.path_limits import StaticLimits
from netplan_planner.throughput.limits.senders import RECEIVER_CORES

HARD = LIMITS[:HARD_COUNT]
SLOTS = (
    *HARD,
    "receive-window",
    "receive-window-of-type",
    "start",
    "start-to-receiver",
    "path-class",
    "vm-egress-between-regions",
)
"""The shared factors that a path may have; each has at most one of each."""
WINDOW, WINDOW_OF_TYPE, START, START_TO, SITE, BETWEEN = range(HARD_COUNT, len(SLOTS))
EGRESS = HARD.index("vm-egress")
_ON_ONE_CORE = (EGRESS, HARD.index("nic-egress"))
_INTAKE = HARD.index(RECEIVER_CORES)

P95 = 1.645
"""Standard deviations from the median to the 95th percentile."""
LEAST_SD = 0.02
"""Of a limit that a document states: goodput at walls was 0.975 to 1.014 of the figure."""
FIRM_SHARE = 0.8
"""Odds of four to one that a machine of ours has the window of a stock image; else it may be
anywhere in the range."""
CORE_SD = 0.35
"""Of one core's ceiling: machines, drivers and tools of one year differ by that much."""
CARRIED_CORE_SD = math.log(4) / P95
"""Where the day is so early that the cap had to be carried back: the core is no better known."""
TYPE_SD_OWN, TYPE_SD_FOREIGN = 0.03, 0.2
"""Windows of receivers of one type against others of the same cloud; ours have stock images."""
SHORTER_START, LONGER_START = 0.12, 0.46
"""Ends of the range of the time that a start takes: one round trip less of nine, or growth by 1.5
instead of 2 in all round trips but the first (`transfer.FAVOURABLE`, `transfer.UNFAVOURABLE`)."""
COMMON_START_SHARE = 0.5
"""Of the variance of a start: what the sender does to all receivers."""
_SITE_SDS = {
    "same-zone": 0.03,
    "inter-zone": 0.05,
    "inter-region-internal": 0.15,
    "inter-region-external": 0.05,
    "internet": 0.07,
}
"""What all paths of a class have in common, and no named limit explains."""
_SCATTERS = {
    "same-zone": 0.02,
    "inter-zone": 0.03,
    "inter-region-internal": 0.15,
    "inter-region-external": 0.07,
    "internet": 0.10,
}
"""By how much one path of a class differs from another, beyond their limits."""
_OTHER_SD = 0.10
CAP_SCATTER_SHARE = 0.5
"""Of what is not known of a limit: half of it differs from path to path."""
START_SCATTER_OWN, START_SCATTER_FOREIGN = 0.1, 0.15
WINDOW_SCATTER_OWN, WINDOW_SCATTER_FOREIGN = 0.03, 0.2
DEGRADED_SHARE_OWN, DEGRADED_SHARE_FOREIGN = 0.05, 0.10
"""Of runs that something slowed down; they say nothing."""


FAR_SHARE, FAR_SD = 0.02, 0.7
"""Odds of one to fifty that a limit stands far outside of its range: a smaller buffer that somebody
set, a cap that nobody documents. It takes more than one pair of places to say so."""
FAR_END = math.log(10)
"""How far grids go."""


def may_be_far(slot: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return whether a shared factor may lie far outside of its range."""
    return np.asarray((slot < HARD_COUNT) | (slot == WINDOW), dtype=bool)


def is_firm(slot: NDArray[np.intp], lower_sd: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether a shared factor is most likely 0: the window of a stock image."""
    return np.asarray((slot == WINDOW) & (lower_sd <= LEAST_SD), dtype=bool)


def prior_variance(
    slot: NDArray[np.intp], lower_sd: NDArray[np.float64], upper_sd: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the variance of shared factors before any probe, over both sides."""
    wide = (lower_sd**2 + upper_sd**2) / 2
    firm = FIRM_SHARE * LEAST_SD**2 + (1 - FIRM_SHARE) * wide
    return np.where(is_firm(slot, lower_sd), firm, wide)


def slot_keys(query: PathQuery, found: StaticLimits) -> tuple[str | None, ...]:
    """Return the key of each factor that a path of this kind has, in the order of `SLOTS`."""
    named = {bound.limit.name: bound for bound in (*found.hard, *found.per_flow)}
    hard = [
        shared_by.same_for(name, query, regime=named[name].regime) if name in named else None
        for name in HARD
    ]
    receiver = shared_by.receiver_key(query)
    of_type = f"{receiver}, {query.dst.machine_type or 'of no known type'}"
    receiving = shared_by.window_set_up(query)
    sending = shared_by.sending_set_up(query.src.set_up)
    between = (
        shared_by.family_of(query.src.machine_type) if is_between_regions(query, found) else None
    )
    return (
        *hard,
        shared_by.set_up_alike(receiver, receiving),
        shared_by.set_up_alike(of_type, receiving),
        shared_by.set_up_alike(shared_by.ALL, sending),
        shared_by.set_up_alike(receiver, sending),
        site_key(query),
        between,
    )


def is_between_regions(query: PathQuery, found: StaticLimits) -> bool:
    """Return whether a documented cap is all that is known to hold a path between regions.

    Many flows may stand below it there for a reason that no document names: that has a factor of
    its own, which says nothing of one region. What is learnt of the cap itself holds everywhere.
    """
    is_far = query.path_class is PathClass.INTER_REGION_INTERNAL
    return is_far and any(
        b.limit.name == "vm-egress" and not shared_by.stands_in(b.regime) for b in found.hard
    )


def site_key(query: PathQuery) -> str:
    """Return the class of the path and who receives.

    >>> from netplan_planner.model import PathEnd
    >>> aws = PathEnd(machine_type=None, cloud="aws")
    >>> site_key(PathQuery(path_class=PathClass.INTERNET, src=PathEnd(machine_type="n2"), dst=aws))
    'internet to aws'
    """
    return f"{query.path_class} to {shared_by.receiver_key(query)}"


def pair_key(query: PathQuery, src_place: str, dst_place: str) -> str | None:
    """Return what names a pair of places; None if one of them is not known."""
    if not src_place or not dst_place:
        return None
    ends = (f"{query.src.cloud}:{src_place}", f"{query.dst.cloud}:{dst_place}")
    return f"{query.path_class} {ends[0]} > {ends[1]}"


def of_class(path_class: PathClass, spreads: dict[str, float]) -> float:
    """Return the entry of a class in a table by the beginnings of class names."""
    return next((sd for start, sd in spreads.items() if path_class.startswith(start)), _OTHER_SD)


def site_sds(kinds: list[PathQuery]) -> Column:
    """Return the spread of what the paths of each kind's class have in common."""
    return np.array([of_class(kind.path_class, _SITE_SDS) for kind in kinds])


def scatters(kinds: list[PathQuery]) -> Column:
    """Return by how much paths of each kind differ from each other."""
    return np.array([of_class(kind.path_class, _SCATTERS) for kind in kinds])


def spreads(
    spans: TermSpans,
    windows: Spans,
    *,
    is_own: NDArray[np.bool_],
    site_sd: Column,
    is_carried: NDArray[np.bool_],
    is_between: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the standard deviations of each row's factors below and above 0; axes: row, slot.

    Args:
        spans: The terms with their ranges.
        windows: Of default images, with their ranges.
        is_own: Whether one of our machines receives.
        site_sd: Of the class (`site_sds`).
        is_carried: Whether the cap is one of a later day.
        is_between: Whether the range of the machine's cap is that of paths between regions.
    """
    low, likely, high = (
        np.hstack((one.shared_gbps, one.per_flow_gbps))
        for one in (spans.low, spans.likely, spans.high)
    )
    # That one core may carry all flows is a doubt about the cap that holds elsewhere. What a
    # receiver takes in is a limit of its own, and says nothing of the sender's cap.
    core_low = np.where(np.isinf(likely[:, _INTAKE]), low[:, _INTAKE], np.inf)
    for at in _ON_ONE_CORE:
        low[:, at] = np.minimum(low[:, at], core_low)
    with np.errstate(invalid="ignore"):
        below, above = np.log(likely / low) / P95, np.log(high / likely) / P95
    below, above = np.nan_to_num(below, posinf=0.0), np.nan_to_num(above, posinf=0.0)
    core = HARD.index("single-flow-core")
    core_sd = np.where(is_carried, CARRIED_CORE_SD, CORE_SD)
    below[:, core] = np.maximum(below[:, core], core_sd)
    above[:, core] = np.maximum(above[:, core], CORE_SD)
    between = [np.where(is_between, side[:, EGRESS], LEAST_SD) for side in (below, above)]
    for side in (below, above):
        side[is_between, EGRESS] = LEAST_SD
    of_type = np.where(is_own, TYPE_SD_OWN, TYPE_SD_FOREIGN)
    common, special = math.sqrt(COMMON_START_SHARE), math.sqrt(1 - COMMON_START_SHARE)
    shorter, longer = SHORTER_START / P95, LONGER_START / P95
    every = np.ones_like(site_sd)
    lower = (
        np.log(windows.middle / windows.low) / P95,
        of_type,
        common * shorter * every,
        special * shorter * every,
        site_sd,
        between[0],
    )
    upper = (
        np.log(windows.high / windows.middle) / P95,
        of_type,
        common * longer * every,
        special * longer * every,
        site_sd,
        between[1],
    )
    return (
        np.maximum(np.column_stack((below, *lower)), LEAST_SD),
        np.maximum(np.column_stack((above, *upper)), LEAST_SD),
    )
