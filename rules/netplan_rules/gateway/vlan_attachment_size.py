"""VLAN attachments that are nearly full, and such that are many times too large.

VLAN attachments: their sizes, what they carry by their metrics, what a size costs.
"""

from collections import defaultdict
from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.paths.gateways import DEDICATED, ONE_PRICE_TO_GBPS, SIZES, attachment_lines
from netplan_planner.units import gbps_from_bytes
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.shared.trust import Doubts
from netplan_rules.wording import command, gbps, rate_evidence


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
        return "no metric shows its bytes"
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
        return None, "its size is in no metric and not in the inventory"
    if size not in SIZES:
        return None, f"its size {size} is not a known size"
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


RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.VLAN_ATTACHMENTS, model.Need.METRICS}),
    work=model.Work(
        effort="One command per attachment. A partner changes the attachments that it provides.",
        restart="No VM. The attachment stays up.",
        undo="Set the old size again, or ask the partner to set it.",
        window="None is documented. Use a quiet time, because the new size limits the traffic at"
        " once.",
    ),
    thresholds=(
        ratio_limit(
            "used_ratio",
            0.8,
            "share of the size in use at the 95th percentile from which it is too small",
            least=0.1,
        ),
        ratio_limit(
            "unused_ratio",
            0.1,
            "maximum share of the size ever used, below which it is too large",
        ),
        Threshold(
            name="min_days",
            default=14.0,
            unit="days",
            about="days with data points that an attachment needs to count as too large",
        ),
    ),
)

_TOO_LARGE = "too large"
_VERIFY = model.Instruction(
    text="interconnect.googleapis.com/network/attachment/capacity shows the new size, and its"
    " traffic stays between 10% and 80% of it."
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each attachment that is nearly full, or too large for a whole window."""
    found: list[tuple[model.VlanAttachment, AttachmentUse]] = []
    unknown: set[str] = set()
    for attachment in facts.inventory.vlan_attachments:
        if attachment.is_enabled is False:
            continue
        use = use_of(facts, attachment)
        if isinstance(use, str):
            unknown.add(_place(facts, attachment))
            yield model.Gap(resource=attachment.ref, reason=use)
        else:
            found.append((attachment, use))
    peaks: dict[str, float] = defaultdict(float)
    for attachment, use in found:
        peaks[_place(facts, attachment)] += use.max_gbps
    for attachment, use in found:
        if use.p95_gbps >= facts.threshold(RULE.id, "used_ratio") * use.capacity_gbps:
            yield _too_small(facts, attachment, use)
            continue
        place = _place(facts, attachment)
        # What an attachment without metrics carries may come over this one.
        if place not in unknown:
            yield from _too_large(facts, attachment, use, peaks[place])


def _place(facts: model.Facts, attachment: model.VlanAttachment) -> str:
    """Return the network and region whose attachments stand in for each other."""
    routers = {router.ref.self_link: router.network for router in facts.inventory.routers}
    network = routers.get(attachment.router) if attachment.router is not None else None
    return f"{attachment.region} {network or attachment.project}"


def _too_small(
    facts: model.Facts, attachment: model.VlanAttachment, use: AttachmentUse
) -> model.Hit:
    ratio = facts.threshold(RULE.id, "used_ratio")
    size = size_for(attachment, use.p95_gbps, ratio)
    if size is not None and SIZES[size] <= use.capacity_gbps:
        size = None
    doubts = _doubts(use)
    way = "sends" if use.is_sent else "receives"
    dropped = sum(count for _, count in use.drops)
    lost = f" and drops {dropped:,.0f} packets in the window" if dropped else ""
    return model.Hit(
        resources=(attachment.ref,),
        subject=_subject(attachment),
        message=f"{attachment.name} {way} {gbps(use.p95_gbps)} at the 95th percentile; its size"
        f" allows {gbps(use.capacity_gbps)} per direction{lost}",
        evidence=tuple(_evidence(use)),
        used_ratio=use.p95_gbps / use.capacity_gbps,
        lost="packets dropped at a full VLAN attachment" if dropped else "",
        saving=resized(facts, attachment, size) if size is not None else model.Saving(),
        fix=_fix(attachment, size),
        doubts=doubts.reasons,
    )


def _too_large(
    facts: model.Facts, attachment: model.VlanAttachment, use: AttachmentUse, peaks_gbps: float
) -> Iterator[model.Hit]:
    if use.max_gbps >= facts.threshold(RULE.id, "unused_ratio") * use.capacity_gbps:
        return
    if use.is_one_way or use.days < facts.threshold(RULE.id, "min_days"):
        return
    size = size_for(attachment, peaks_gbps, facts.threshold(RULE.id, "used_ratio"))
    if size is None or SIZES[size] >= use.capacity_gbps:
        return
    saving = resized(facts, attachment, size)
    if not saving.unknown and saving.usd_per_month <= 0:
        return
    doubts = _doubts(use)
    doubts.add("it may be reserve capacity for an unknown purpose")
    yield model.Hit(
        resources=(attachment.ref,),
        subject=_subject(attachment),
        message=f"{attachment.name} allows {gbps(use.capacity_gbps)} per direction and carried at"
        f" most {gbps(use.max_gbps)} in {use.days:.0f} days",
        cause=_TOO_LARGE,
        severity=model.Severity.LOW,
        evidence=tuple(_evidence(use)),
        saving=saving,
        fix=_fix(attachment, size),
        doubts=doubts.reasons,
    )


def _subject(attachment: model.VlanAttachment) -> str:
    return f"{attachment.name} ({attachment.region})"


def _doubts(use: AttachmentUse) -> Doubts:
    doubts = Doubts()
    if use.is_one_way:
        doubts.add("only one direction is measured")
    if not use.is_by_minute:
        doubts.add("points cover more than one minute, so bursts are hidden")
    return doubts


def _evidence(use: AttachmentUse) -> Iterator[model.Evidence]:
    source = "Cloud Monitoring, interconnect.googleapis.com/network/attachment"
    yield rate_evidence("p95", use.p95_gbps, source)
    yield rate_evidence("max", use.max_gbps, source)
    yield rate_evidence("capacity", use.capacity_gbps, use.capacity_source)
    yield model.Evidence(name="days", value=round(use.days, 1), unit="days", source=source)
    for reason, count in use.drops:
        name = f"dropped_{reason.lower()}" if reason else "dropped"
        yield model.Evidence(name=name, value=round(count), unit="packets", source=source)


def _fix(attachment: model.VlanAttachment, size: str | None) -> model.Fix:
    if size is None:
        return RULE.fix(
            label="a second attachment",
            text=f"Create another attachment next to {attachment.name}. Its BGP session announces"
            " the same prefixes with the same priority, so that they share the flows.",
            verify=_VERIFY,
            undo="Shut down its BGP session, then delete it.",
        )
    said, old = gbps(SIZES[size]), attachment.bandwidth
    is_own = attachment.kind == DEDICATED
    back = f"Set {gbps(SIZES[old])} again." if old in SIZES else "Set the old size again."
    return RULE.fix(
        label=said,
        text=f"Set the size of {attachment.name} to {said}."
        if is_own
        else f"Ask the partner to set the size of {attachment.name} to {said}.",
        commands=(_update(attachment, size),) if is_own else (),
        verify=_VERIFY,
        undo=model.Instruction(
            text=back if is_own else f"{back[:-1]}, through the partner.",
            commands=(_update(attachment, old),) if is_own and old in SIZES else (),
        ),
        caution="The circuit below it needs that capacity. The attachment that replaces it on"
        " failure needs the same size.",
    )


def _update(attachment: model.VlanAttachment, size: str) -> str:
    return command(
        *("gcloud", "compute", "interconnects", "attachments", "dedicated", "update"),
        attachment.name,
        f"--region={attachment.region}",
        f"--project={attachment.project}",
        f"--bandwidth={size.removeprefix('BPS_').lower()}",
    )
