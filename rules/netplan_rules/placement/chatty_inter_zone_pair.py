"""Pairs of machines whose traffic between zones costs real money."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, Severity
from netplan_rules.base import rule_of, usd_floor
from netplan_rules.placement._moves import chatty_hits
from netplan_rules.work import NEW_MACHINE

RULE = rule_of(
    __name__,
    severity=Severity.MEDIUM,
    needs=frozenset({Need.INVENTORY, Need.PEERS, Need.PRICES}),
    work=NEW_MACHINE,
    summed=("volume",),
    thresholds=(usd_floor(20.0, "minimum saving of the move"),),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each worthwhile move of a machine into its peer's zone."""
    yield from chatty_hits(
        facts, "inter-zone", RULE.id, "Or keep a copy of the data in the other zone."
    )
