"""Regions whose machines together send nearly what their quota of internet traffic allows."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.units import MEGABITS_PER_GIGABIT, SECONDS_PER_DAY, SECONDS_PER_HOUR, counted
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.shared.trust import Doubts
from netplan_rules.wording import gbps, rate_evidence

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.QUOTA_LIMITS}),
    work=model.Work(
        effort="One request per project and region, which Google may decline.",
        restart="Nothing.",
        undo="You can lower a quota again at any time.",
        window="None. A request may take days.",
    ),
    thresholds=(
        ratio_limit(
            "used_ratio",
            0.8,
            "minimum share of the quota in use at the 95th percentile",
        ),
        Threshold(
            name="min_window_hours",
            default=168.0,
            unit="hours",
            about="observed time below which confidence is lowered (a weekly peak may be missing)",
        ),
    ),
)

_COUNTED = f"Cloud Monitoring, {model.Metric.QUOTA_RATE.value}"


class _Use(model.Value, frozen=True, kw_only=True):
    """What was sent of a quota."""

    p95_ratio: float
    source: str
    hours: float
    machine_count: int | None = None
    """Whose rates were added up; None: the quota itself counted."""


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each project and region at its quota of traffic to the internet."""
    assert facts.metrics is not None
    for limit in facts.metrics.of_kind(model.MeasuredKind.QUOTA, model.Metric.QUOTA_LIMIT):
        if limit.resource.name != model.INTERNET_QUOTA or limit.p50 <= 0:
            continue
        use = _counted(facts, limit) or _summed(facts, limit)
        if use is None:
            reason = "the internet traffic of its VMs is unknown"
            yield model.Gap(resource=_region(limit), reason=reason)
        elif use.p95_ratio >= facts.threshold(RULE.id, "used_ratio"):
            yield _hit(facts, limit, use)


def _region(limit: model.MetricSeries) -> model.ResourceRef:
    place = f"projects/{limit.resource.project}/regions/{limit.resource.location}"
    return model.ResourceRef(self_link=model.SelfLink(place))


def _limit_gbps(limit: model.MetricSeries) -> float:
    # "GCE VM to internet egress bandwidth Mbps": throughput/data/regional_quotas.csv.
    return limit.p50 / MEGABITS_PER_GIGABIT


def _counted(facts: model.Facts, limit: model.MetricSeries) -> _Use | None:
    """Return what the quota counted: in the unit of its limit, whatever that is, a second."""
    assert facts.metrics is not None
    of = limit.resource
    for one in facts.metrics.of_kind(model.MeasuredKind.QUOTA, model.Metric.QUOTA_RATE):
        if one.resource == of and not one.labels:
            hours = one.observed_s / SECONDS_PER_HOUR
            return _Use(p95_ratio=one.p95 / limit.p50, source=_COUNTED, hours=hours)
    return None


def _summed(facts: model.Facts, limit: model.MetricSeries) -> _Use | None:
    """Return what the machines of a region send outside, each at its own 95th percentile."""
    of = limit.resource
    found = []
    for rates in facts.machine_rates:
        instance = facts.inventory.instance_by_link[rates.link]
        is_here = (instance.project, instance.region) == (of.project, of.location)
        if is_here and rates.traffic is not None:
            found.append((rates, rates.traffic.egress_outside_vpc.p95_gbps))
    if not found or facts.traffic is None:
        return None
    return _Use(
        p95_ratio=sum(rate for _, rate in found) / _limit_gbps(limit),
        source=facts.traffic.source.value,
        hours=facts.traffic.observed_seconds / SECONDS_PER_HOUR,
        machine_count=len(found),
    )


def _hit(facts: model.Facts, limit: model.MetricSeries, use: _Use) -> model.Hit:
    of, quota = limit.resource, _limit_gbps(limit)
    doubts = Doubts()
    if use.machine_count is not None:
        doubts.add(
            f"the sum of the 95th percentiles of {counted(use.machine_count, 'VM')} may combine"
            " different times and include traffic to Google APIs"
        )
    if use.hours < facts.threshold(RULE.id, "min_window_hours"):
        days = use.hours * SECONDS_PER_HOUR / SECONDS_PER_DAY
        doubts.add(f"the window has {days:.1f} days and may miss a weekly peak")
    return model.Hit(
        resources=(_region(limit),),
        subject=f"{of.project} ({of.location})",
        message=f"the VMs of {of.project} in {of.location} send {gbps(use.p95_ratio * quota)} to"
        f" the internet at the 95th percentile; their quota is {gbps(quota)}",
        evidence=(
            rate_evidence("p95", use.p95_ratio * quota, use.source),
            rate_evidence("quota", quota, f"Cloud Monitoring, {model.Metric.QUOTA_LIMIT.value}"),
            model.Evidence(
                name="window", value=round(use.hours, 1), unit="hours", source=use.source
            ),
        ),
        used_ratio=use.p95_ratio,
        fix=RULE.fix(
            text=f"Request a higher quota of {model.INTERNET_QUOTA} in {of.location}, or send part"
            " of the traffic from VMs in another region.",
            label="higher regional quota",
            verify=f"{model.Metric.QUOTA_LIMIT.value} of {model.INTERNET_QUOTA} shows the new"
            " value, and the next audit uses it.",
            undo="Lower the quota again. Nothing else changed.",
            caution="A quota is a limit, not a guarantee: the caps of each VM and flow still"
            " apply.",
        ),
        doubts=doubts.reasons,
    )
