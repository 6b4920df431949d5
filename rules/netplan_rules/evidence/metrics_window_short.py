"""Metrics of too short a time to decide by."""

from collections.abc import Iterator
from datetime import timedelta

from netplan_planner import model
from netplan_planner.machines import is_watched
from netplan_rules.base import rule_of
from netplan_rules.shared.seen_needs import days_that_decide
from netplan_rules.wording import vm_subject
from netplan_rules.work import READ_AGAIN

RULE = rule_of(
    __name__, severity=model.Severity.INFO, needs=frozenset({model.Need.METRICS}), work=READ_AGAIN
)

_BY_MACHINE = (model.Metric.VM_SENT_BYTES, model.Metric.VM_CPU, model.Metric.VM_MEMORY)
"""What decides a size, for which points come as long as a machine runs."""


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield one hit where all metrics are short, else one for each machine that has few points."""
    metrics = facts.metrics
    if metrics is None or metrics.coverage.start is None or metrics.coverage.end is None:
        return
    least = days_that_decide(facts)
    span_days = (metrics.coverage.end - metrics.coverage.start) / timedelta(days=1)
    if not is_watched(span_days, least):
        yield _short(metrics, span_days, least)
        return
    for instance in facts.inventory.instances:
        days = _days(metrics, instance)
        if days is not None and not is_watched(days, least) and _could_have_more(metrics, instance):
            yield _thin(instance, days, least)


def _days(metrics: model.Metrics, instance: model.Instance) -> float | None:
    """Return the fewest days with points of what decides a size; None: nothing was measured."""
    found = (metrics.of(instance.ref.self_link, metric) for metric in _BY_MACHINE)
    return min((one.days for one in found if one is not None), default=None)


def _could_have_more(metrics: model.Metrics, instance: model.Instance) -> bool:
    """Return whether a machine ran all the time that metrics cover."""
    start = metrics.coverage.start
    assert start is not None
    since = instance.last_started or instance.created
    return instance.is_running and (since is None or since <= start)


def _short(metrics: model.Metrics, days: float, least: float) -> model.Hit:
    coverage = metrics.coverage
    assert coverage.start is not None
    assert coverage.end is not None
    return model.Hit(
        resources=(model.ResourceRef(self_link=model.SelfLink("metrics/window")),),
        subject="metrics",
        message=f"the metrics cover {_told(days)}, {coverage.start:%Y-%m-%d} to"
        f" {coverage.end:%Y-%m-%d}; sizing needs {least:g}, and the busiest day of the week"
        " may be missing",
        cause="all",
        evidence=(
            model.Evidence(
                name="days", value=round(days, 1), unit="days", source="Cloud Monitoring"
            ),
        ),
        fix=_fix(least),
    )


def _thin(instance: model.Instance, days: float, least: float) -> model.Hit:
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} has metrics of {_told(days)} in total, with gaps; sizing needs"
        f" {least:g}",
        evidence=(
            model.Evidence(
                name="days", value=round(days, 1), unit="days", source="Cloud Monitoring"
            ),
        ),
        fix=_fix(least),
    )


def _told(days: float) -> str:
    return f"{days:.1f} days" if days >= 1 else "less than a day"


def _fix(least: float) -> model.Fix:
    return RULE.fix(
        text=f"Read at least {least:g} days that include the busiest of the month: --metrics-days"
        f" {least:g} with --project, or a longer interval of stored metrics.",
        label="more days of metrics",
        verify="The next audit's coverage shows the days.",
        caution="Cloud Monitoring keeps most metrics for six weeks, and may return older days at a"
        " coarser resolution.",
    )
