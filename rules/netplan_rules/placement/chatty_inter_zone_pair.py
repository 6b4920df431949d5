"""Pairs of machines whose traffic between zones costs real money."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, Severity
from netplan_rules.base import Rule, usd_floor
from netplan_rules.placement._moves import chatty_hits
from netplan_rules.work import NEW_MACHINE

RULE = Rule(
    id="chatty-inter-zone-pair",
    title="Two machines of different zones exchange much traffic",
    severity=Severity.MEDIUM,
    needs=frozenset({Need.INVENTORY, Need.PEERS, Need.PRICES}),
    rationale="Traffic between zones is billed per GiB on the sending side, in both directions;"
    " inside a zone it is free over internal addresses, and the round trip is shorter.",
    remediation="Move one of the two into the other's zone, or keep a replica there.",
    guards="Members of managed groups, pinned machines (label netplan-pin), machines with a"
    " high-availability role (label netplan-role), replicas of one service, and machines that a"
    " specific reservation, sole-tenant nodes, a compact placement policy, Local SSDs, GPUs, shared"
    " or regional disks or a route keeps in their zone are never proposed."
    " A move is proposed only for what it saves over all traffic of the machine, so one that only"
    " shifts the charge to other peers keeps the rule silent.",
    references=("https://cloud.google.com/vpc/network-pricing",),
    work=NEW_MACHINE,
    group_message="{count} machines exchange much with machines of other zones:"
    " {volume:,.0f} GiB a month of their greatest pairs",
    summed=("volume",),
    thresholds=(usd_floor(20.0, "what the move must save"),),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each worthwhile move of a machine into its peer's zone."""
    yield from chatty_hits(
        facts, "inter-zone", RULE.id, "Or keep a copy of the data in the other zone."
    )
