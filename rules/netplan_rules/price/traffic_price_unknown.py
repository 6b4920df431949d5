"""Traffic that the price snapshot has no price for."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.paths.priced_paths import PathPrice, PricedPath, path_prices_of, priced_path_of
from netplan_planner.paths.spans import span
from netplan_rules.base import reaches_floor, rule_of, volume_floor
from netplan_rules.wording import money, volume
from netplan_rules.work import READ_AGAIN

RULE = rule_of(
    __name__,
    severity=model.Severity.INFO,
    needs=frozenset({model.Need.TRAFFIC, model.Need.PRICES}),
    work=READ_AGAIN,
    thresholds=(volume_floor(1.0),),
    summed=("volume",),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield one hit for each reason for which billable traffic has no price."""
    if facts.traffic is None:
        return
    priced_paths: dict[PricedPath, int] = defaultdict(int)
    for edge in facts.traffic.edges:
        if _is_billable(facts, edge):
            priced_paths[priced_path_of(facts, edge)] += edge.wire_bytes
    missing: dict[str, list[tuple[PathPrice, PricedPath]]] = defaultdict(list)
    for priced in sorted(priced_paths):
        for part in path_prices_of(facts.prices, priced):
            if not part.tiers:
                missing[part.reason].append((part, priced))
    for _, unpriced in sorted(missing.items()):
        counts = {priced: priced_paths[priced] for _, priced in unpriced}
        if reaches_floor(facts, RULE.id, sum(counts.values())):
            yield _hit(facts, unpriced[0][0], counts, _bounds(facts, unpriced, priced_paths))


def _is_billable(facts: model.Facts, edge: model.Edge) -> bool:
    """Return whether an own machine sends it: what comes in is free, but for NAT's work."""
    return (
        facts.src(edge).kind is model.OwnerKind.VM
        and edge.path_class is not model.PathClass.UNKNOWN
    )


def _hit(
    facts: model.Facts, part: PathPrice, unpriced: dict[PricedPath, int], bounds: model.Text
) -> model.Hit:
    gib = facts.gib_per_month(sum(unpriced.values()))
    classes = ", ".join(sorted({priced.path_class.value for priced in unpriced}))
    sources = ", ".join(sorted({priced.src_region or "unknown region" for priced in unpriced}))
    tells = part.what_tells
    return model.Hit(
        resources=(model.ResourceRef(self_link=model.SelfLink(f"traffic/{classes}/{sources}")),),
        subject=f"{classes} from {sources}",
        message=model.worded(f"{volume(gib)} have no known price", bounds, f": {part.reason}"),
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(name="path_classes", value=classes, source="flow logs"),
        ),
        fix=RULE.fix(
            label="find out its price",
            text=f"To find the price: {tells}." if tells else "Use a newer price snapshot.",
            documents=("https://cloud.google.com/vpc/docs/using-flow-logs",),
        ),
    )


def _bounds(
    facts: model.Facts,
    unpriced: Sequence[tuple[PathPrice, PricedPath]],
    priced_paths: Mapping[PricedPath, int],
) -> model.Text:
    """Return between what two sums the volume costs, else nothing; prices are those of a place."""
    by_choices: dict[tuple[tuple[model.PriceTier, ...], ...], int] = defaultdict(int)
    for part, priced in unpriced:
        by_choices[part.choices] += priced_paths[priced]
    if not all(by_choices):
        return ""
    spans = [span(choices, facts.gib_per_month(count)) for choices, count in by_choices.items()]
    low, high = (sum(ends, Decimal(0)) for ends in zip(*spans, strict=True))
    return model.worded(", between ", money(low), " and ", money(high))
