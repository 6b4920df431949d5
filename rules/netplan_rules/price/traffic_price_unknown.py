"""Traffic that the price snapshot has no price for."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.model import (
    Edge,
    Evidence,
    Facts,
    Fix,
    Hit,
    Need,
    OwnerKind,
    PathClass,
    ResourceRef,
    SelfLink,
    Severity,
)
from netplan_planner.paths.lanes import Lane, LanePart, lane_of, lane_parts
from netplan_planner.paths.spans import span
from netplan_rules.base import Rule, reaches_floor, volume_floor
from netplan_rules.wording import volume

RULE = Rule(
    id="traffic-price-unknown",
    title="Traffic without a price in the snapshot",
    severity=Severity.INFO,
    needs=frozenset({Need.TRAFFIC, Need.PRICES}),
    rationale="A price that is not known is not 0: sums that such traffic belongs to are not"
    " stated, or are stated as lower bounds.",
    remediation="Use a newer snapshot; for internet traffic, switch on metadata in the flow logs,"
    " so that the destination's area is known.",
    guards="Traffic without an owner is unmapped-peers' business. Silent below the volume floor.",
    references=("https://cloud.google.com/vpc/network-pricing",),
    since="0.1.0",
    thresholds=(volume_floor(1.0),),
    group_message="{volume:,.0f} GiB a month have no price, for {count} reasons",
    summed=("volume",),
)


@RULE
def check(facts: Facts) -> Iterator[Hit]:
    """Yield one hit for each reason for which billable traffic has no price."""
    if facts.traffic is None:
        return
    lanes: dict[Lane, int] = defaultdict(int)
    for edge in facts.traffic.edges:
        if _is_billable(facts, edge):
            lanes[lane_of(facts, edge)] += edge.wire_bytes
    missing: dict[LanePart, dict[Lane, int]] = defaultdict(dict)
    for lane, byte_count in sorted(lanes.items()):
        for part in lane_parts(facts, lane):
            if not part.tiers:
                missing[part][lane] = byte_count
    for part, unpriced in sorted(missing.items(), key=lambda one: one[0].reason):
        if reaches_floor(facts, RULE.id, sum(unpriced.values())):
            yield _hit(facts, part, unpriced)


def _is_billable(facts: Facts, edge: Edge) -> bool:
    """Return whether an own machine sends it: what comes in is free, but for NAT's work."""
    return facts.src(edge).kind is OwnerKind.VM and edge.path_class is not PathClass.UNKNOWN


def _hit(facts: Facts, part: LanePart, unpriced: dict[Lane, int]) -> Hit:
    gib = facts.gib_per_month(sum(unpriced.values()))
    classes = ", ".join(sorted({lane.path_class.value for lane in unpriced}))
    sources = ", ".join(sorted({lane.src_region or "unknown region" for lane in unpriced}))
    tells = part.what_tells
    return Hit(
        resources=(ResourceRef(self_link=SelfLink(f"traffic/{classes}/{sources}")),),
        subject=f"{classes} from {sources}",
        message=f"{volume(gib)} have no price: {part.reason}",
        evidence=(
            Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            Evidence(name="path_classes", value=classes, source="flow logs"),
        ),
        saving_unknown=_bounds(part, gib),
        fix=Fix(
            label="find out its price",
            text=f"What would tell: {tells}." if tells else "Take a newer price snapshot.",
            documents=("https://cloud.google.com/vpc/docs/using-flow-logs",),
        ),
    )


def _bounds(part: LanePart, gib: Decimal) -> str:
    """Return between what two sums the volume costs by itself, else nothing."""
    if not part.choices:
        return ""
    low, high = span(part.choices, gib)
    return f"between ${low:,.2f} and ${high:,.2f} a month ({gib:,.0f} GiB)"
