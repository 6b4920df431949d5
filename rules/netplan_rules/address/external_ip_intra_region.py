"""Machines of two zones of a region that talk over external addresses."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, PathClass, Severity
from netplan_rules.address._external import external_hits
from netplan_rules.base import rule_of, volume_floor
from netplan_rules.work import ADDRESS

RULE = rule_of(
    __name__,
    severity=Severity.HIGH,
    needs=frozenset({Need.INVENTORY, Need.PEERS}),
    work=ADDRESS,
    thresholds=(volume_floor(1.0),),
    summed=("volume",),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each pair of connected machines in two zones that uses an external address."""
    yield from external_hits(facts, PathClass.INTER_ZONE_EXTERNAL, RULE.id)
