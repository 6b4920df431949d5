"""The pictures of an answer's page."""

from collections.abc import Iterator

from netplan_planner.model import CurrencyRate
from netplan_planner.renderers.html.charts.agreement import Point, agreement
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.probe.results import ProbeResults


def pictures(answer: object, currency: CurrencyRate | None) -> list[Picture]:
    """Return predicted against measured, of what was measured."""
    del currency
    if not isinstance(answer, ProbeResults):
        return []
    return drawn("agreement", agreement(list(_points(answer))))


def _points(answer: ProbeResults) -> Iterator[Point]:
    """Yield each direction of each kind of run that was measured and predicted."""
    for one in answer.flows:
        found = one.flow.estimate
        if found.gbps and one.median_gbps > 0:
            low, high = found.low_gbps or found.gbps, found.high_gbps or found.gbps
            yield Point(one.probe.name, one.median_gbps, found.gbps, low, high)
