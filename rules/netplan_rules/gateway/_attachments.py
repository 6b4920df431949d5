"""VLAN attachments: their sizes, what they carry by their metrics, what a size costs."""

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.paths.attachment_hours import (
    DEDICATED,
    ONE_PRICE_TO_GBPS,
    SIZES,
    attachment_lines,
)
from netplan_planner.units import gbps_from_bytes


class AttachmentUse(model.Value, frozen=True, kw_only=True):
    """What an attachment may carry and carries, each direction for itself."""

    capacity_gbps: float
    capacity_source: str
    p95_gbps: float
    """Of the busier direction."""
    max_gbps: float
    is_sent: bool
    """The busier direction leads out of the VPC."""
    drops: tuple[tuple[str, float], ...]
    """Packets lost in the window, by the reason that the metric tells; empty where it tells none.
    """
    days: float
    is_by_minute: bool
    is_one_way: bool
    """The bytes of one direction alone are measured."""


def use_of(facts: model.Facts, attachment: model.VlanAttachment) -> AttachmentUse | str:
    """Return what the metrics tell of an attachment, or why that is too little."""
    sent = _series(facts, attachment, model.Metric.ATTACHMENT_SENT_BYTES)
    received = _series(facts, attachment, model.Metric.ATTACHMENT_RECEIVED_BYTES)
    known = [one for one in (sent, received) if one is not None]
    if not known:
        return "no metric tells of its bytes"
    capacity, source = _capacity(facts, attachment)
    if capacity is None:
        return source
    busiest = max(known, key=lambda one: one.p95)
    return AttachmentUse(
        capacity_gbps=capacity,
        capacity_source=source,
        p95_gbps=gbps_from_bytes(busiest.p95, 1.0),
        max_gbps=gbps_from_bytes(max(one.max for one in known), 1.0),
        is_sent=busiest is sent,
        drops=_drops(facts, attachment),
        days=max(one.days for one in known),
        is_by_minute=all(one.is_by_minute for one in known),
        is_one_way=len(known) == 1,
    )


def _series(
    facts: model.Facts, attachment: model.VlanAttachment, metric: model.Metric
) -> model.MetricSeries | None:
    return facts.metrics.of(attachment.ref.self_link, metric) if facts.metrics else None


def _capacity(facts: model.Facts, attachment: model.VlanAttachment) -> tuple[float | None, str]:
    """Return what it may carry in a direction, and whose figure that is or why there is none."""
    metric = model.Metric.ATTACHMENT_CAPACITY
    measured = _series(facts, attachment, metric)
    if measured is not None and measured.min > 0:
        return gbps_from_bytes(measured.min, 1.0), metric.value
    size = attachment.bandwidth
    if size is None:
        return None, "neither the inventory nor a metric tells its size"
    if size not in SIZES:
        return None, f"its size {size} is none that is known"
    return SIZES[size], "inventory"


def _drops(facts: model.Facts, attachment: model.VlanAttachment) -> tuple[tuple[str, float], ...]:
    found: dict[str, float] = {}
    for metric in (model.Metric.ATTACHMENT_DROPPED_SENT, model.Metric.ATTACHMENT_DROPPED_RECEIVED):
        series = facts.metrics.all_of(attachment.ref.self_link, metric) if facts.metrics else ()
        for one in series if len(series) == 1 else [one for one in series if one.labels]:
            if one.max > 0:
                reason = dict(one.labels).get("drop_reason", "")
                found[reason] = found.get(reason, 0.0) + (one.total or 0.0)
    return tuple(sorted(found.items()))


def size_for(attachment: model.VlanAttachment, gbps: float, used_ratio: float) -> str | None:
    """Return the least size of which a rate uses no more than the ratio; None: there is none.

    Of the sizes that have one price it is the greatest.
    """
    least = ONE_PRICE_TO_GBPS if attachment.kind == DEDICATED else 0.0
    fitting = (n for n, size in SIZES.items() if size >= least and gbps <= size * used_ratio)
    return next(fitting, None)


def resized(facts: model.Facts, attachment: model.VlanAttachment, size: str) -> model.Saving:
    """Return what another size saves a month, negative where it costs more."""
    try:
        paid, then = (
            attachment_lines(facts.prices, attachment, one) for one in (attachment.bandwidth, size)
        )
    except MissingDatum as error:
        return model.Saving(unknown=str(error))
    # Sizes of Dedicated Interconnect up to some have one price.
    return (
        model.Saving()
        if paid == then
        else model.Saving(items=(*paid, *(model.negated(line) for line in then)))
    )
