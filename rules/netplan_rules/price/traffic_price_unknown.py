"""Traffic that the price snapshot has no price for."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.errors import MissingDatum
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
from netplan_planner.paths.lanes import Lane, lane_of, lane_prices
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
    reasons: dict[str, dict[Lane, int]] = defaultdict(dict)
    for lane, byte_count in sorted(lanes.items()):
        reason = _missing(facts, lane)
        if reason is not None:
            reasons[reason][lane] = byte_count
    for reason, unpriced in sorted(reasons.items()):
        if reaches_floor(facts, RULE.id, sum(unpriced.values())):
            yield _hit(facts, reason, unpriced)


def _is_billable(facts: Facts, edge: Edge) -> bool:
    """Return whether an own machine sends it: what comes in is free."""
    return facts.src(edge).kind is OwnerKind.VM and edge.path_class is not PathClass.UNKNOWN


def _missing(facts: Facts, lane: Lane) -> str | None:
    try:
        lane_prices(facts, lane)
    except MissingDatum as error:
        return str(error)
    return None


def _hit(facts: Facts, reason: str, unpriced: dict[Lane, int]) -> Hit:
    gib = facts.gib_per_month(sum(unpriced.values()))
    classes = ", ".join(sorted({lane.path_class.value for lane in unpriced}))
    sources = ", ".join(sorted({lane.src_region or "unknown region" for lane in unpriced}))
    return Hit(
        resources=(ResourceRef(self_link=SelfLink(f"traffic/{classes}/{sources}")),),
        subject=f"{classes} from {sources}",
        message=f"{volume(gib)} have no price: {reason}",
        evidence=(
            Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            Evidence(name="path_classes", value=classes, source="flow logs"),
        ),
        saving_unknown=_bounds(facts, unpriced, gib),
        fix=Fix(
            label="state the destination",
            text="For internet traffic, let the flow logs include metadata (the area of the"
            " destination); else take a newer price snapshot.",
            documents=("https://cloud.google.com/vpc/docs/using-flow-logs",),
        ),
    )


def _bounds(facts: Facts, unpriced: dict[Lane, int], gib: Decimal) -> str:
    """Return between what two sums internet traffic of unknown area costs, else nothing."""
    if {lane.path_class for lane in unpriced} != {PathClass.INTERNET}:
        return ""
    low = high = Decimal(0)
    for lane, byte_count in unpriced.items():
        try:
            cheapest, dearest = facts.prices.internet_bounds(lane.src_region)
        except MissingDatum:
            return ""
        low += facts.gib_per_month(byte_count) * cheapest.price.usd
        high += facts.gib_per_month(byte_count) * dearest.price.usd
    return f"between ${low:,.2f} and ${high:,.2f} a month, by where it goes ({gib:,.0f} GiB)"
