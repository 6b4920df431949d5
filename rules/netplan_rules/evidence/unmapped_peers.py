"""Traffic with addresses that nobody owns, as far as the input shows."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.units import counted
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.wording import volume
from netplan_rules.work import READ_AGAIN

RULE = rule_of(
    __name__,
    severity=model.Severity.INFO,
    needs=frozenset({model.Need.PEERS}),
    work=READ_AGAIN,
    thresholds=(
        ratio_limit("min_ratio", 0.05, "minimum share of all bytes with unknown addresses"),
        Threshold(
            name="examples",
            default=5.0,
            unit="addresses",
            about="number of addresses to name",
        ),
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield one hit when too many bytes have no owner."""
    if facts.traffic is None:
        return
    whole = sum(edge.payload_bytes for edge in facts.traffic.edges)
    unmatched = [edge for edge in facts.traffic.edges if _unmatched(facts, edge) is not None]
    lost = sum(edge.payload_bytes for edge in unmatched)
    if whole and lost / whole > facts.threshold(RULE.id, "min_ratio"):
        yield _hit(facts, unmatched, lost, whole)


def _unmatched(facts: model.Facts, edge: model.Edge) -> model.Owner | None:
    return next(
        (o for o in (facts.src(edge), facts.dst(edge)) if o.kind is model.OwnerKind.UNKNOWN), None
    )


def _hit(facts: model.Facts, unmatched: list[model.Edge], lost: int, whole: int) -> model.Hit:
    by_owner: dict[str, int] = {}
    for edge in unmatched:
        owner = _unmatched(facts, edge)
        assert owner is not None
        if edge.wire_bytes:
            by_owner[owner.name] = by_owner.get(owner.name, 0) + edge.wire_bytes
    greatest = sorted(by_owner.items(), key=lambda item: (-item[1], item[0]))
    named = greatest[: int(facts.threshold(RULE.id, "examples"))]
    listed = ", ".join(f"{name} ({volume(facts.gib_per_month(n))})" for name, n in named)
    more = f", and {len(greatest) - len(named)} more" if len(greatest) > len(named) else ""
    return model.Hit(
        resources=(model.ResourceRef(self_link=model.SelfLink("traffic/unmapped")),),
        subject=counted(len(greatest), "address", "addresses"),
        message=f"{lost / whole:.1%} of the bytes have an unknown address at one end:"
        f" {listed}{more}",
        evidence=(
            model.Evidence(
                name="unowned", value=round(lost / whole, 6), unit="ratio", source="flow logs"
            ),
            model.Evidence(name="addresses", value=len(greatest), source="flow logs"),
        ),
        fix=model.Fix(
            label="read more projects",
            text="Read the projects of these addresses (--project for each, or --inventory files),"
            " with routes and VPN tunnels, so that hybrid ranges are known.",
        ),
    )
