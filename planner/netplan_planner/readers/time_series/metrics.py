"""From gathered series to `Metrics`: one series for each resource, metric and part."""

from collections.abc import Iterable, Iterator
from datetime import datetime

import numpy as np

from netplan_planner import model
from netplan_planner.readers.time_series import intervals
from netplan_planner.readers.time_series.gathering import Gathering
from netplan_planner.readers.time_series.known import KNOWN, Join, Known
from netplan_planner.readers.time_series.raw import Identity, Unusable
from netplan_planner.readers.time_series.resources import Resources

Labels = tuple[tuple[str, str], ...]

_REASONS = frozenset({"reason", "drop_reason"})
"""Labels that say why: they are told of a part that stands alone, which is the sum again."""


class _One:
    """The series of one resource and metric, before they become one."""

    def __init__(self, known: Known, resource: model.MeasuredResource) -> None:
        self.known = known
        self.resource = resource
        self.parts: list[tuple[Labels, intervals.Laid, int]] = []
        self.source = ""


def metrics_of(
    gathering: Gathering,
    inventory: model.Inventory,
    notes: Iterable[str] = (),
    *,
    by_hour: bool = False,
) -> model.Metrics:
    """Return the metrics of gathered series; the metrics of flows are not among them.

    Args:
        gathering: What was read.
        inventory: Whose resources the series are of.
        notes: What is said of the reading.
        by_hour: Whether what machines sent is kept by hour.
    """
    unread = set(gathering.cut_lists())
    groups = _grouped(gathering, Resources(inventory), unread)
    unread |= gathering.unread
    series: list[model.MetricSeries] = []
    for one in groups:
        try:
            series += _series(one, by_hour=by_hour)
        except Unusable as exc:
            unread.add(
                model.Unread(source=one.source, reason=str(exc), resource=one.known.metric.value)
            )
    ordered = tuple(sorted(series, key=series_order))
    return model.Metrics(
        series=ordered, coverage=_coverage(gathering, ordered, unread, tuple(notes))
    )


def series_order(one: model.MetricSeries) -> tuple[str, ...]:
    """Return what series are sorted by: resource, metric, and the sum before its parts."""
    about = one.resource
    parts = (part for label in one.labels for part in label)
    key = (about.kind.value, about.project, about.location, about.name, one.metric.value)
    return (*key, *parts)


def _grouped(gathering: Gathering, resources: Resources, unread: set[model.Unread]) -> list[_One]:
    found: dict[tuple[Known, model.MeasuredResource, Labels], _One] = {}
    for identity, points in gathering.series():
        known = KNOWN.get(identity.type)
        if known is None or not _is_meant(known, identity):
            continue
        source = gathering.source_of(identity)
        try:
            resource = resources.of(identity, known.kind)
            laid = intervals.known_of(
                points, identity.kind, identity.unit, is_counter=known.is_counter
            )
        except Unusable as exc:
            unread.add(model.Unread(source=source, reason=str(exc), resource=identity.type))
            continue
        if known.factor != 1.0:
            laid = laid._replace(value=laid.value * known.factor)
        apart = _labels(identity, known.apart)
        one = found.setdefault((known, resource, apart), _One(known, resource))
        one.parts.append((_labels(identity, (*known.apart, *known.parts)), laid, len(points.value)))
        one.source = min(source, one.source or source)
    return list(found.values())


def _is_meant(known: Known, identity: Identity) -> bool:
    """Return whether a series has the label value that is asked for."""
    if known.only is None:
        return True
    key, wanted = known.only
    return dict(identity.labels).get(key) == wanted


def _labels(identity: Identity, keys: tuple[str, ...]) -> Labels:
    labels = dict(identity.labels)
    return tuple((key, labels[key]) for key in keys if key in labels)


def _series(one: _One, *, by_hour: bool) -> Iterator[model.MetricSeries]:
    """Yield the whole of a resource's metric, then its parts where there are several.

    A part that stands alone has its say where its label is a reason.

    Raises:
        Unusable: If its points tell nothing.
    """
    laid = [part for _, part, _ in one.parts]
    grid = intervals.grid_of(laid)
    whole_labels = tuple(label for label in one.parts[0][0] if label[0] in one.known.apart)
    yield _made(one, whole_labels, one.parts, grid, by_hour=by_hour)
    kinds = sorted({labels for labels, _, _ in one.parts})
    if len(kinds) > 1 or any(name in _REASONS for name, _ in kinds[0]):
        for labels in kinds:
            own = [part for part in one.parts if part[0] == labels]
            if any(len(part.end_us) for _, part, _ in own):
                yield _made(one, labels, own, grid)


def _made(
    one: _One,
    labels: Labels,
    parts: list[tuple[Labels, intervals.Laid, int]],
    grid: intervals.Grid | None,
    *,
    by_hour: bool = False,
) -> model.MetricSeries:
    laid = [part for _, part, _ in parts if len(part.end_us)]
    joined = intervals.most if one.known.join is Join.MOST else intervals.summed
    # Of single moments there are no intervals: they are one.
    values = joined(
        [part.value[-1:] if grid is None else intervals.laid_on(part, grid) for part in laid]
    )
    if np.isnan(values).all():
        raise Unusable("its parts do not overlap in time")
    summary = intervals.summary_of(values, grid, laid, is_counter=one.known.is_counter)
    is_sent = by_hour and one.known.metric is model.Metric.VM_SENT_BYTES
    return model.taken(
        model.MetricSeries,
        summary,
        metric=one.known.metric,
        resource=one.resource,
        labels=labels,
        unit=one.known.unit,
        point_count=sum(count for _, _, count in parts),
        reset_count=sum(part.reset_count for part in laid),
        hours=intervals.hours_of(values, grid) if is_sent and grid is not None else None,
    )


def _unread_order(one: model.Unread) -> tuple[str, str, str]:
    return one.source, one.reason, one.resource or ""


def _coverage(
    gathering: Gathering,
    series: tuple[model.MetricSeries, ...],
    unread: set[model.Unread],
    notes: tuple[str, ...],
) -> model.MetricsCoverage:
    starts: list[datetime] = [one.start for one in series]
    return model.MetricsCoverage(
        files=gathering.files,
        projects=tuple(sorted(gathering.projects)),
        series_count=gathering.series_count,
        point_count=gathering.point_count,
        machine_count=len({one.resource.link for one in series if _is_machine(one)}),
        start=min(starts, default=None),
        end=max((one.end for one in series), default=None),
        resolution_s=max((one.resolution_s or 0.0 for one in series), default=None),
        unread=tuple(sorted(unread, key=_unread_order)),
        notes=notes,
    )


def _is_machine(one: model.MetricSeries) -> bool:
    return one.resource.link is not None and "/instances/" in one.resource.link
