"""Pairs of machines whose traffic between regions costs real money."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, Severity
from netplan_rules.base import rule_of, usd_floor
from netplan_rules.placement._moves import chatty_hits
from netplan_rules.work import NEW_MACHINE

RULE = rule_of(
    __name__,
    severity=Severity.HIGH,
    needs=frozenset({Need.INVENTORY, Need.PEERS, Need.PRICES}),
    work=NEW_MACHINE,
    summed=("volume",),
    thresholds=(usd_floor(50.0, "minimum saving of the move"),),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each worthwhile move of a machine into its peer's region."""
    yield from chatty_hits(
        facts, "inter-region", RULE.id, "Or replicate the data once and read the local copy."
    )
