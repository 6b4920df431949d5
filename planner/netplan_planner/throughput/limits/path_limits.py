"""The named limits of a path, each with its source, date and range; per flow where they are so.

IPv4 and IPv6 have the same limits. What depends on the round-trip time (windows, the start) is not
here: it is worked out with the mean.
"""

import math
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

import msgspec

from netplan_planner.model import (
    CapsBook,
    EgressCap,
    Limit,
    LimitKind,
    MeasuredLimit,
    PathClass,
    PathQuery,
)
from netplan_planner.throughput.limits import bounds, named, senders, tables
from netplan_planner.throughput.limits.bounds import Bound, Doubt
from netplan_planner.throughput.limits.caps import DEFAULT_TIER, TIER_1
from netplan_planner.throughput.limits.ends import OWN_CLOUD
from netplan_planner.throughput.limits.pods.path import pod_bounds, possible_of_pods
from netplan_planner.throughput.limits.pods.tables import PodTerm, pod_terms
from netplan_planner.throughput.transport.transfer import gbit_from_bytes, segment_bytes

ONE_BY_ONE = "single packets, without offloads"
OTHER_HOSTS_RATIO = 1.2
"""A packet's longest time on other hosts than those of the one campaign that measured it: a fifth
more, as `pod_overlays.csv` widens the extremes of other times of packets."""
FIRST_SEEN_OUTSIDE = date(2015, 1, 1)
"""The first day of `measured_limits.csv`."""
SLOW_OUTSIDE_UNTIL = date(2017, 12, 31)
"""The last day of `measured_limits.csv` with its external path inside a zone."""


def is_own_receiver(query: PathQuery) -> bool:
    """Return whether the receiver is one of our machines, whose images are stock mostly."""
    if query.path_class.is_between_own_vms:
        return query.dst.cloud == OWN_CLOUD
    return query.src.cloud != OWN_CLOUD and query.dst.cloud == OWN_CLOUD


def default_window(query: PathQuery, caps: CapsBook) -> tuple[float, float, float]:
    """Return the window of one stream by the receiver's set-up: likely, least and greatest."""
    default = tables.path_limit("tcp-window", caps.as_of)
    size = math.nan if default is None else bounds.stock_window_bytes(default.value, caps.without)
    return bounds.default_window_bytes(
        size, is_own=is_own_receiver(query), buffer_bytes=query.dst.set_up.receive_buffer_bytes
    )


class StaticLimits(NamedTuple):
    """What limits a path whatever the round-trip time; flow limits are those of one flow."""

    hard: tuple[Bound, ...]
    """Shared by all flows."""
    per_flow: tuple[Bound, ...]
    unknown: tuple[str, ...]
    """What must be known for an answer and is not."""
    assumed: tuple[Doubt, ...]
    possible: tuple[Bound, ...] = ()
    """Limits that may have been in force that day: only the lower end of an interval knows them."""
    window_bytes: tuple[float, float, float] = (math.nan, math.nan, math.nan)
    """Of one stream whose receiver nobody told: the likely one, the least, the greatest."""
    is_one_case: bool = False
    """Whether what nobody told stands at one of its cases, so that only scatter is left."""
    of_foreign: str = ""
    """What an answer rests on where the sender is another cloud's: windows bound it, no cap."""


def static_limits(query: PathQuery, caps: CapsBook, *, may_assume: bool = False) -> StaticLimits:
    """Return the limits of a path that do not depend on its round-trip time.

    Args:
        query: The path; its streams and round-trip time are not looked at.
        caps: The caps at a date.
        may_assume: Whether a cap may be taken from a later year, or as the least of the type's
            where the CPU platform is not known; the ranges are then wide.
    """
    unknown: tuple[str, ...] = ()
    assumed: tuple[Doubt, ...] = ()
    last = _last_seen_outside(query, caps)
    of_foreign = ""
    if query.host_link_gbps is not None:
        hard = [bounds.plain(named.host_link(query))]
        sent_gbps = hard[0].limit.gbps
        taken = senders.intake(query, sent_gbps, caps)
        hard += [*_from_outside(query, sent_gbps, caps), *filter(None, (taken,))]
        per_flow = list(_per_flow(query, None, caps))
    else:
        sender = senders.sender_of(query.src, caps, may_assume)
        unstated = _unstated(query, sender.cap, caps) if not sender.is_carried else ()
        hard = list(_hard(query, sender, caps, last, unstated))
        is_foreign = query.src.cloud != OWN_CLOUD
        sent_gbps = sender.cap.egress_gbps if sender.cap else math.inf
        taken = senders.intake(query, sent_gbps, caps) if sender.cap or is_foreign else None
        if taken is not None:
            hard.append(taken)
            said = (
                f"no document states the ingress rate of {query.dst.machine_type}; estimated"
                " from its vCPUs:"
            )
            least = f"{taken.low_gbps:.3g} Gbit/s or more"
            assumed = (Doubt(f"{said} {least}", taken.low_gbps),)
        per_flow = list(_per_flow(query, sender.cap, caps))
        unknown = (*_missing(query, sender, hard, may_assume), *_left_out(query, caps))
        own = next((b.low_gbps for b in hard if b.limit.name == "vm-egress"), 0.0)
        of_sender = (Doubt(one, own) for one in sender.assumed)
        assumed = (*of_sender, *_said_of_outside(query, caps, last, unstated), *assumed)
        if is_foreign:
            of_foreign = (
                f"at most: {sender.why_not}, so only windows and the receiver limit it; the low"
                f" end assumes a sender of {bounds.LEAST_EGRESS_GBPS:g} Gbit/s"
            )
            assumed = (Doubt(of_foreign, bounds.LEAST_EGRESS_GBPS), *assumed)
    if query.path_class.is_pod and hard:
        shared, each, of_pods = pod_bounds(query, hard, per_flow, caps)
        hard, per_flow = hard + shared, per_flow + each
        assumed += tuple(map(Doubt, of_pods))
    window = default_window(query, caps)
    possible = [
        *possible_documented(query, caps, hard),
        *possible_measured(query, caps),
        *_possible_core(query, per_flow, caps),
    ]
    if query.path_class.is_pod and hard:
        possible += possible_of_pods(query, hard, caps)
    if of_foreign:
        possible.append(bounds.of_foreign(caps.as_of))
    return StaticLimits(
        hard=tuple(hard),
        per_flow=tuple(per_flow),
        unknown=unknown,
        assumed=assumed,
        possible=tuple(possible),
        window_bytes=window,
        of_foreign=of_foreign,
    )


def _missing(
    query: PathQuery, sender: senders.Sender, hard: list[Bound], may_assume: bool
) -> Iterator[str]:
    """Yield what must be known for an estimate and is not."""
    path_class = query.path_class
    is_tunnel = path_class is PathClass.HYBRID and query.vpn_tunnels is not None
    if path_class.distance is None and not path_class.leaves_vpc and not is_tunnel:
        yield f"no document states the limits of {path_class} traffic"
    elif sender.cap is None:
        yield sender.why_not
    elif (
        path_class.leaves_vpc
        and not may_assume
        and not any(b.limit.name in {"external-egress", named.EXTERNAL_PATH} for b in hard)
    ):
        yield f"the external cap of {sender.cap.machine_type} is not documented"


def _left_out(query: PathQuery, caps: CapsBook) -> Iterator[str]:
    """Yield that only campaigns which are left out state the path to outside addresses that day.

    What limited it then was none of the documented caps, so these say nothing of it.
    """
    stated = (m for m in tables.measured_limits(caps.as_of) if m.name == named.EXTERNAL_PATH)
    is_stated = any(one.path_class is query.path_class for one in stated)
    if is_stated and not caps.measured(query.path_class):
        yield f"no other source states {query.path_class} paths of {caps.as_of.year}"


def _last_seen_outside(query: PathQuery, caps: CapsBook) -> MeasuredLimit | None:
    """Return the external path as last measured, on days when nobody knows whether it still was so.

    A day later the same machines did not send ten times as much: the figures end, not the path.
    """
    if not SLOW_OUTSIDE_UNTIL < caps.as_of <= tables.unseen_outside_until(caps.without):
        return None
    found = tables.measured_limits(SLOW_OUTSIDE_UNTIL, caps.without)
    of_class = (one for one in found if one.path_class is query.path_class)
    return next((one for one in of_class if one.name == named.EXTERNAL_PATH), None)


def _said_of_outside(
    query: PathQuery, caps: CapsBook, last: MeasuredLimit | None, unstated: tuple[Doubt, ...]
) -> Iterator[Doubt]:
    """Yield what is not known of a path to outside addresses before the first document."""
    measured = [one for one in caps.measured(query.path_class) if one.name == named.EXTERNAL_PATH]
    if last is not None:
        yield Doubt(
            f"no value of this path is known between {last.as_of:%Y-%m} ({last.low_gbps:g} to"
            f" {last.high_gbps:g} Gbit/s) and 2020: the interval includes the last one",
            last.low_gbps,
        )
    elif measured and caps.as_of > measured[0].as_of:
        yield Doubt(
            f"the external path was last measured in {measured[0].as_of:%Y-%m}, and no document"
            " states it: how long the value was valid is unknown",
            measured[0].low_gbps,
        )
    elif not measured:
        yield from unstated


def _hard(
    query: PathQuery,
    sender: senders.Sender,
    caps: CapsBook,
    last: MeasuredLimit | None,
    unstated: tuple[Doubt, ...],
) -> Iterator[Bound]:
    """Yield the limits that all flows of the path share."""
    cap = sender.cap
    leaves = query.path_class.leaves_vpc
    if cap is not None and query.path_class is not PathClass.SAME_NODE_POD:
        bound = bounds.of_cap(
            named.vm_egress(cap, caps),
            cap,
            highest_gbps=sender.highest_gbps,
            is_carried=sender.is_carried,
        )
        bound = bounds.down_to(bound, sender.lowest_gbps)
        if unstated:
            # Where documents leave no least open, the doubt alone bounds nothing.
            least = min([math.inf, *(one.least_gbps for one in unstated[1:])])
            bound = bounds.unstated(bound, least)
        if last is not None:
            bound = bounds.down_to(bound, last.low_gbps)._replace(regime="unstated")
        yield bound
    if leaves and cap is not None and cap.external_gbps is not None:
        external = named.external_sending(query, cap, caps)
        bound = bounds.of_outside_cap(external, cap, is_carried=sender.is_carried)
        tier = TIER_1 if cap.is_tier1 else DEFAULT_TIER
        yield or_not_yet(bound, cap.egress_gbps, caps, tier)
    yield from _beside_the_machine(query, cap, caps)
    sent_gbps = tables.greatest_egress_gbps() if cap is None else cap.egress_gbps
    yield from _from_outside(query, sent_gbps, caps)
    for measured in caps.measured(query.path_class):
        if measured.name == named.EXTERNAL_PATH:
            bound = bounds.plain(named.measured_limit(measured))
            most = cap.egress_gbps if cap is not None else 0.0
            yield bounds.up_to(bound, most, doubt_share(measured, caps))
    packets = tables.path_limit("vpn-tunnel-packets", caps.as_of)
    if query.path_class is PathClass.HYBRID and query.vpn_tunnels is not None and packets:
        yield bounds.plain(named.tunnel(query, packets, query.vpn_tunnels))


def _from_outside(query: PathQuery, sent_gbps: float, caps: CapsBook) -> Iterator[Bound]:
    """Yield what one of our machines takes in from outside the VPC."""
    for limit in named.external_receiving(query, caps):
        yield or_not_yet(bounds.plain(limit), sent_gbps, caps)


def _beside_the_machine(query: PathQuery, cap: EgressCap | None, caps: CapsBook) -> Iterator[Bound]:
    """Yield what holds beside the machine's own caps: of its physical NICs, of its project."""
    if cap is not None and query.path_class is not PathClass.SAME_NODE_POD:
        nic = senders.nic_limit(cap.machine_type, query.src.nic_count)
        if nic is not None:
            yield bounds.plain(nic)
    quota = named.quota_limit(query, caps.as_of)
    if quota is not None:
        yield bounds.plain(quota)


def _unstated(query: PathQuery, cap: EgressCap | None, caps: CapsBook) -> tuple[Doubt, ...]:
    """Return the doubt where something below the machine's cap may have held for the outside.

    Behind it the least that documents of the day leave open, where they do. A machine that may send
    no more than the general cap is not touched by it, in force or not; but in 2017 and before
    something undocumented held even one vCPU back.
    """
    if cap is None or cap.external_gbps is not None or not query.path_class.leaves_vpc:
        return ()
    general = tables.path_limit("external-egress", named.GENERAL_CAP_ON, DEFAULT_TIER)
    is_small = general is not None and cap.egress_gbps <= general.value
    if is_small and caps.as_of > SLOW_OUTSIDE_UNTIL:
        return ()
    least = senders.least_outside(cap, caps)
    said = "no document of that day states the external cap: the VM egress cap is used"
    if least is None:
        return (Doubt(said, bounds.LEAST_EGRESS_GBPS),)
    return Doubt(said, least.least_gbps), least


def _per_flow(query: PathQuery, cap: EgressCap | None, caps: CapsBook) -> Iterator[Bound]:
    """Yield the limits of one flow."""
    leaves = query.path_class.leaves_vpc
    if leaves and cap is not None and cap.external_flow_gbps is not None:
        whole = cap.external_gbps or cap.egress_gbps
        yield or_not_yet(bounds.plain(named.external_flow(query, cap)), whole, caps)
    inside = list(map(bounds.plain, named.documented_flow(query, cap))) if cap is not None else []
    one = named.core(query, caps) if query.src.cloud == OWN_CLOUD else None
    most = (one.high_gbps if one is not None else None) or 0.0
    for measured in caps.measured(query.path_class):
        if measured.name != named.EXTERNAL_PATH:
            bound = bounds.plain(named.measured_limit(measured))
            inside.append(bounds.up_to(bound, most, doubt_share(measured, caps)))
    yield from inside
    # What is documented or measured for this very path knows more than the figures of all cores.
    if not inside and one is not None:
        ratios = senders.core_case_ratios(caps)
        yield bounds.plain(one)._replace(case_ratios=ratios)


def _possible_core(query: PathQuery, per_flow: list[Bound], caps: CapsBook) -> Iterator[Bound]:
    """Yield what one core carries where a rate of one flow is documented, and never was measured.

    A document is a ceiling: it promises no machine that a core reaches it. Where nobody told the
    MTU, the rest of the set-up is not known either: packets may pass the core one by one.
    """
    of_flow = (b.limit for b in per_flow if b.limit.name == named.INTERNAL_FLOW)
    one = named.core(query, caps) if query.src.cloud == OWN_CLOUD else None
    if one is None:
        return
    if any(limit.kind is LimitKind.DOCUMENTED for limit in of_flow):
        yield bounds.plain(one)
    if query.src.mtu_bytes is None and query.dst.mtu_bytes is None:
        yield from _one_by_one(one, pod_terms(caps.without))


def _one_by_one(one: Limit, terms: tuple[PodTerm, ...]) -> Iterator[Bound]:
    """Yield what one core carries without offloads: each packet passes the stack by itself."""
    time = next((t for t in terms if t.name == "packet-time" and t.of == "none"), None)
    if time is None:
        return
    gbit = float(gbit_from_bytes(segment_bytes(senders.MTU_BYTES)))
    times = (time.value, time.high * OTHER_HOSTS_RATIO)
    gbps, low = (min(gbit / seconds, one.gbps) for seconds in times)
    limit = msgspec.structs.replace(
        one,
        gbps=gbps,
        low_gbps=min(low, one.low_gbps or low),
        high_gbps=gbps,
        source=time.source,
        as_of=time.as_of,
        detail=ONE_BY_ONE,
    )
    yield bounds.plain(limit)


def doubt_share(measured: MeasuredLimit, caps: CapsBook) -> float:
    """Return how doubtful it is that a measured limit held on the day: not at all, 0, to fully, 1.

    How long it stayed so after its last figure nobody knows, nor since when where it is the first:
    a day later it is as good as known, at the end of its time it is not.
    """
    day, seen = caps.as_of, measured.as_of
    if day > seen:
        return (day - seen) / (measured.valid_until - seen)
    eve = measured.valid_from - timedelta(days=1)
    earlier = tables.measured_limits(eve, caps.without)
    if any(m.path_class is measured.path_class for m in earlier) or day == seen:
        return 0.0
    return (seen - day) / (seen - measured.valid_from)


def possible_measured(query: PathQuery, caps: CapsBook) -> Iterator[Bound]:
    """Yield limits of the path that were measured soon after or before the day, and not on it."""
    if caps.measured(query.path_class):
        return
    day = None
    if FIRST_SEEN_OUTSIDE.year - senders.CARRIED_YEARS <= caps.as_of.year < FIRST_SEEN_OUTSIDE.year:
        day = FIRST_SEEN_OUTSIDE
    elif SLOW_OUTSIDE_UNTIL < caps.as_of <= tables.unseen_outside_until(caps.without):
        day = SLOW_OUTSIDE_UNTIL
    if day is None:
        return
    for measured in tables.measured_limits(day, caps.without):
        if measured.path_class is query.path_class:
            yield bounds.plain(named.measured_limit(measured))


def or_not_yet(bound: Bound, otherwise_gbps: float, caps: CapsBook, tier: str = "") -> Bound:
    """Return a documented limit; while it may not have been in force, up to what else held."""
    asked = (bound.limit.name, caps.as_of, tier, caps.without)
    found = tables.path_limit(*asked) or tables.later_path_limit(*asked)
    if found is None:
        return bound
    return bounds.maybe_up_to(bound, otherwise_gbps, 1 - found.chance_in_force(caps.as_of))


def possible_documented(query: PathQuery, caps: CapsBook, hard: list[Bound]) -> Iterator[Bound]:
    """Yield documented limits of a later day that may have been in force on this one."""
    if not query.path_class.leaves_vpc or query.host_link_gbps is not None:
        return
    if query.src.cloud == OWN_CLOUD:
        tier = TIER_1 if query.src.is_tier1 else DEFAULT_TIER
        for name, of_tier in (("external-egress", tier), ("external-flow", "")):
            found = tables.possible_path_limit(name, caps.as_of, of_tier, caps.without)
            if found is not None:
                bound = bounds.plain(named.later_limit(found, found.value))
                least = min((one.low_gbps for one in hard), default=bound.low_gbps)
                sure = bound._replace(low_gbps=max(bound.low_gbps, least))
                yield bounds.maybe_down_to(sure, bound.low_gbps, found.chance_in_force(caps.as_of))
    yield from map(bounds.plain, named.external_receiving(query, caps, is_possible=True))
