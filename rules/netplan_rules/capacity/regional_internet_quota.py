"""Regions whose machines together send nearly what their quota of internet traffic allows."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.units import MEGABITS_PER_GIGABIT, SECONDS_PER_DAY, SECONDS_PER_HOUR, counted
from netplan_rules.base import Rule, Threshold, ratio_limit
from netplan_rules.shared.trust import Doubts
from netplan_rules.wording import gbps, rate_evidence

RULE = Rule(
    id="regional-internet-quota",
    title="The internet traffic of a region is near its quota",
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.QUOTA_LIMITS}),
    rationale="All machines of a project in a region share one quota of what they send to addresses"
    " outside the VPC network; at the quota each of them is slowed down, however large its own cap"
    " is.",
    remediation="Ask for a higher quota before it is reached, or send from another region too.",
    guards="The limit is the one that Cloud Monitoring tells of the project and region, and no"
    " figure of a document. Use is what the quota itself counted; only without that are the rates"
    " of the machines added up, with less confidence. A region that has a limit, and whose use"
    " nothing tells, is listed as not judged. Traffic to Google APIs counts for none of it.",
    references=(
        "https://docs.cloud.google.com/vpc/docs/quota",
        "https://cloud.google.com/docs/quotas/view-manage",
    ),
    work=model.Work(
        effort="One request for each project and region, which Google may decline.",
        restart="Nothing.",
        undo="A quota can be lowered again at any time.",
        window="None; a request may take days.",
    ),
    thresholds=(
        ratio_limit(
            "used_ratio",
            0.8,
            "share of the quota in use at the 95th percentile from which the rule fires",
        ),
        Threshold(
            name="min_window_hours",
            default=168.0,
            unit="hours",
            about="observed time below which the confidence is lowered (a weekly peak)",
        ),
    ),
    group_message="in {count} regions of projects the internet traffic is near its quota; in the"
    " first {p95_rate} of {quota_rate}",
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
            reason = "nothing tells what its machines send to the internet"
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
            f"the 95th percentiles of {counted(use.machine_count, 'machine')} are added up, which"
            " may be of different times, and traffic to Google APIs may be among them"
        )
    if use.hours < facts.threshold(RULE.id, "min_window_hours"):
        days = use.hours * SECONDS_PER_HOUR / SECONDS_PER_DAY
        doubts.add(f"the window has {days:.1f} days and may miss a weekly peak")
    return model.Hit(
        resources=(_region(limit),),
        subject=f"{of.project} ({of.location})",
        message=f"the machines of {of.project} in {of.location} send {gbps(use.p95_ratio * quota)}"
        f" to the internet at the 95th percentile; their quota is {gbps(quota)}",
        evidence=(
            rate_evidence("p95", use.p95_ratio * quota, use.source),
            rate_evidence("quota", quota, f"Cloud Monitoring, {model.Metric.QUOTA_LIMIT.value}"),
            model.Evidence(
                name="window", value=round(use.hours, 1), unit="hours", source=use.source
            ),
        ),
        used_ratio=use.p95_ratio,
        fix=RULE.fix(
            text=f"Ask for a higher quota of {model.INTERNET_QUOTA} in {of.location}, or let"
            " machines of another region send a part.",
            label="higher regional quota",
            verify=f"{model.Metric.QUOTA_LIMIT.value} of {model.INTERNET_QUOTA} has the new value,"
            " and the next audit reads it.",
            undo="Lower the quota again; nothing else has changed.",
            caution="A quota is a limit and no promise: the caps of the machines and of each flow"
            " hold as before.",
        ),
        doubts=doubts.reasons,
    )
