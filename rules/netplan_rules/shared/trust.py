"""How sure a statement about traffic is and why not surer; how long of a day a limit is in use."""

from collections.abc import Iterable, Iterator

from netplan_planner import model
from netplan_planner.units import (
    SECONDS_PER_DAY,
    SECONDS_PER_HOUR,
    SECONDS_PER_MINUTE,
    counted,
    gbps_from_bytes,
)
from netplan_rules.base import held_back_ratio
from netplan_rules.shared.flows import OVERFLOW, sent_drops, using_series

_SHARED = "flow-logs-thin"
"""The rule whose thresholds say what counts as thin evidence."""


class Doubts:
    """Collects reasons for doubt; each lowers the confidence by one step."""

    def __init__(self) -> None:
        self.reasons: tuple[str, ...] = ()

    def add(self, *reasons: str) -> None:
        """Note more reasons, each once."""
        self.reasons = tuple(dict.fromkeys((*self.reasons, *reasons)))


def doubts_of_edges(
    facts: model.Facts, edges: Iterable[model.Edge], *, of_month: bool = True
) -> Doubts:
    """Return what speaks against a statement about several edges together."""
    doubts = Doubts()
    for edge in edges:
        doubts.add(*doubts_of_edge(facts, edge, of_month=of_month).reasons)
    return doubts


def doubts_of_edge(facts: model.Facts, edge: model.Edge, *, of_month: bool = True) -> Doubts:
    """Return what speaks against a statement about one edge.

    `of_month` says whether it is about a month's volume, and so about more than was seen.
    """
    doubts = Doubts()
    why = doubt_of_month(facts) if of_month else ""
    if why:
        doubts.add(why)
    if edge.certainty is model.Certainty.ASSUMED:
        doubts.add("the address is ephemeral and may have belonged to another VM at that time")
    # That a receiver was started since is why its address may have been another's: one doubt.
    is_told = edge.certainty is model.Certainty.ASSUMED
    for owner in (facts.src(edge),) if is_told else (facts.src(edge), facts.dst(edge)):
        end = facts.instance(owner)
        if end is not None and (why := started_since(facts, end)):
            doubts.add(why)
    if edge.payload_bytes and edge.coarse_bytes > edge.payload_bytes * facts.threshold(
        _SHARED, "coarse_ratio"
    ):
        doubts.add("records cover more than one minute, so bursts are hidden")
    if facts.traffic is not None and facts.traffic.is_of_metrics:
        _doubt_flow_metric(facts, edge, doubts)
    elif edge.record_count < facts.threshold(_SHARED, "min_record_count"):
        doubts.add(f"it is based on {counted(edge.record_count, 'flow record')}")
    return doubts


def doubt_of_month(facts: model.Facts) -> str:
    """Return why a month's volume is not known from the window, or nothing."""
    traffic = facts.traffic
    if traffic is None:
        return ""
    low, high = traffic.month_ratios
    if high / low <= facts.threshold(_SHARED, "month_bounds_times"):
        return ""
    seen = counted(round(traffic.observed_seconds / SECONDS_PER_HOUR), "hour")
    if high > 1:
        span = counted(round(traffic.month_seconds / SECONDS_PER_HOUR), "hour")
        return f"records of {seen} in {span} represent the month, and gaps count as idle"
    return f"records of {seen} represent the month; the rest of the day is unknown"


def doubts_of_rates(
    facts: model.Facts, instance: model.Instance, rates: model.MachineRates
) -> Doubts:
    """Return what speaks against a statement about one machine's rates, whatever tells of them."""
    if not rates.is_counted and rates.traffic is not None:
        return doubts_of_vm(facts, instance, rates.traffic)
    doubts = Doubts()
    if rates.coarse_ratio > facts.threshold(_SHARED, "coarse_ratio"):
        doubts.add("points cover more than one minute, so bursts are hidden")
    return doubts


def doubts_of_vm(facts: model.Facts, instance: model.Instance, traffic: model.VmTraffic) -> Doubts:
    """Return what speaks against a statement about one machine's rates in the traffic input."""
    doubts = Doubts()
    if facts.traffic is not None and facts.traffic.is_of_metrics:
        return _doubts_of_flow_metrics(facts, traffic)
    if why := started_since(facts, instance):
        doubts.add(why)
    is_coarse = traffic.coarse_ratio > facts.threshold(_SHARED, "coarse_ratio")
    # A queue that ran over is seen whatever the records cover.
    if is_coarse and not sent_drops(facts, traffic.owner)[OVERFLOW]:
        doubts.add("records cover more than one minute, so bursts are hidden")
    doubts.add(*doubts_of_sampling(facts, instance.interfaces))
    return doubts


def doubts_of_sampling(
    facts: model.Facts, interfaces: Iterable[model.NetworkInterface]
) -> Iterator[str]:
    """Yield how few of the flows the logs of some interfaces keep, where those are too few."""
    low = facts.threshold(_SHARED, "min_sampling_ratio")
    for link in dict.fromkeys(nic.subnetwork for nic in interfaces):
        subnetwork = facts.inventory.subnetwork_by_link.get(link) if link else None
        logging = facts.inventory.logging_of(subnetwork) if subnetwork else ()
        ratios = [logs.sampling_ratio for logs in logging if logs.sampling_ratio is not None]
        if ratios and max(ratios) < low:
            yield f"flow logs keep {max(ratios):g} of the flows"


def started_since(facts: model.Facts, instance: model.Instance) -> str:
    """Return that a machine was started after its traffic was seen, or nothing.

    A type is changed while a machine is stopped, so it may have had another one then.
    """
    started, traffic = instance.last_started, facts.traffic
    if traffic is None or traffic.is_steady or started is None or started <= traffic.end:
        return ""
    return f"it was restarted on {started.date().isoformat()}, possibly as another type"


def _doubt_flow_metric(facts: model.Facts, edge: model.Edge, doubts: Doubts) -> None:
    """Add what the metrics of flows cannot tell of an edge."""
    if model.OwnerKind.INTERNET in (facts.src(edge).kind, facts.dst(edge).kind) and any(
        nic.external_ipv4 or nic.external_ipv6
        for instance in facts.inventory.instances
        for nic in instance.interfaces
    ):
        doubts.add("metrics do not distinguish your external addresses from the internet")


def _doubts_of_flow_metrics(facts: model.Facts, traffic: model.VmTraffic) -> Doubts:
    doubts = Doubts()
    doubts.add("flow metrics do not count headers, so real rates are slightly higher")
    if traffic.coarse_ratio > facts.threshold(_SHARED, "coarse_ratio"):
        doubts.add("points cover more than one minute, so bursts are hidden")
    return doubts


# How long of a day traffic is at a limit: one that is full for minutes is not grave


LEAST_MINUTES_PER_DAY = 60
"""At a limit, below which it is medium at most; the 95th percentile is 72 minutes of a day."""
WHOLE_DAY_MINUTES = SECONDS_PER_DAY / SECONDS_PER_MINUTE
"""Of what is stated, by a target or a table of steady rates, and not seen."""
_P50_RATIO, _P95_RATIO, _P99_RATIO = 0.5, 0.05, 0.01
"""Of the minutes that are at or above a percentile at least."""


def minutes_per_day(
    facts: model.Facts,
    series: model.Series,
    limit_gbps: float,
    rates: model.MachineRates | None = None,
) -> float:
    """Return for how many minutes of a day a series is at a limit at least.

    It is at the limit where it counts as held back. Percentiles tell of half, 5 % and 1 % of the
    time; the greatest minutes and the volume tell of more in a short window.

    Args:
        facts: For that share of the limit, and the window.
        series: Rates by the minute.
        limit_gbps: What binds.
        rates: Whose they are, where that may be counted on the machine; None: of the traffic.
    """
    is_counted = rates is not None and rates.is_counted
    if not is_counted and (facts.traffic is None or facts.traffic.is_steady):
        return WHOLE_DAY_MINUTES
    if rates is not None and is_counted:
        seconds = span = rates.observed_hours * SECONDS_PER_HOUR
    else:
        seconds, span = facts.seen_traffic.observed_seconds, facts.seen_traffic.month_seconds
    full = held_back_ratio(facts) * limit_gbps
    ends = (
        (_P50_RATIO, series.p50_gbps),
        (_P95_RATIO, series.p95_gbps),
        (_P99_RATIO, series.p99_gbps),
    )
    by_percentile = max((share for share, rate in ends if rate >= full), default=0.0) * seconds
    by_minute = series.minutes_at_least(full) * SECONDS_PER_MINUTE
    found_s = max(by_percentile, by_minute, _seconds_of_volume(series, full, seconds))
    return a_day(found_s, span)


def limit_minutes(facts: model.Facts, edge: model.Edge, now: model.Estimate) -> float | None:
    """Return the same of what binds a path; None where nothing tells how much of it is in use."""
    series = using_series(facts, edge, now)
    return None if series is None else minutes_per_day(facts, series, now.gbps or 0.0)


def _seconds_of_volume(series: model.Series, full_gbps: float, seconds: float) -> float:
    """Return for how long a series is full at least, for its volume to be sent.

    No minute has more than the busiest, and no other one more than a full one begins with.
    """
    room = series.max_gbps - full_gbps
    if room <= 0 or not seconds:
        return 0.0
    return (gbps_from_bytes(series.byte_count, seconds) - full_gbps) / room * seconds


def a_day(seconds: float, span_s: float) -> float:
    """Return minutes a day; of a window shorter than a day the rest is not known, and idle."""
    return seconds / SECONDS_PER_MINUTE / max(span_s / SECONDS_PER_DAY, 1.0)


def why_brief(facts: model.Facts, hit: model.Hit) -> str:
    """Return that a limit is in use too little of a day to be grave; empty: it is not so."""
    minutes = hit.limit_minutes_per_day
    if minutes is None:
        minutes = a_day(_P95_RATIO * _seen_s(facts), _seen_s(facts))
    if round(minutes) >= LEAST_MINUTES_PER_DAY:
        return ""
    return "the limit was observed in use for less than an hour per day"


def _seen_s(facts: model.Facts) -> float:
    """Return the seconds of the longest evidence: flow records, or a metric."""
    traffic, metrics = facts.traffic, facts.metrics
    of_metrics = max((one.observed_s for one in metrics.series), default=0.0) if metrics else 0.0
    if traffic is None:
        return of_metrics or SECONDS_PER_DAY
    return SECONDS_PER_DAY if traffic.is_steady else max(traffic.observed_seconds, of_metrics)
