"""Pairs of machines whose traffic between regions costs real money."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, Severity
from netplan_rules.base import Rule, usd_floor
from netplan_rules.placement._moves import chatty_hits
from netplan_rules.work import NEW_MACHINE

RULE = Rule(
    id="chatty-inter-region-pair",
    title="Two machines of different regions exchange much traffic",
    severity=Severity.HIGH,
    needs=frozenset({Need.INVENTORY, Need.PEERS, Need.PRICES}),
    rationale="Traffic between regions is billed per GiB at the rate of the ordered pair of"
    " regions, two to fifteen times the rate between zones, and every round trip takes"
    " milliseconds.",
    remediation="Move one of the two, replicate the data once and read the copy, or cache.",
    guards="As chatty-inter-zone-pair: what stands apart on purpose is never proposed, and the"
    " saving is that of all traffic of the machine. A machine that sends through a Cloud NAT"
    " gateway is not moved to a region where its network has none.",
    references=("https://cloud.google.com/vpc/network-pricing",),
    work=NEW_MACHINE,
    group_message="{count} machines exchange much with machines of other regions:"
    " {volume:,.0f} GiB a month of their greatest pairs",
    summed=("volume",),
    thresholds=(usd_floor(50.0, "what the move must save"),),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each worthwhile move of a machine into its peer's region."""
    yield from chatty_hits(
        facts, "inter-region", RULE.id, "Or replicate the data once and read the local copy."
    )
