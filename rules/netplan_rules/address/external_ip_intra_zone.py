"""Machines of one zone that talk over external addresses."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, PathClass, Severity
from netplan_rules.address._external import external_hits
from netplan_rules.base import Rule, volume_floor
from netplan_rules.work import ADDRESS

RULE = Rule(
    id="external-ip-intra-zone",
    title="Machines of one zone talk over external addresses",
    severity=Severity.HIGH,
    needs=frozenset({Need.INVENTORY, Need.PEERS}),
    rationale="A packet to an external address leaves the VPC and comes back, also inside one zone."
    " It falls under the cap for addresses outside the VPC (and its cap per flow), cannot use jumbo"
    " frames, and is billed as inter-zone traffic, while the internal path inside a zone is free.",
    remediation="Address the peer by its internal DNS name or internal address. Then delete the"
    " external address if nothing else needs it.",
    guards="Silent when the two networks are neither the same nor peered nor joined by a hub (that"
    " is external-ip-between-vpcs), for IPv6, and below the volume floor. An ephemeral address that"
    " may have had another holder at the time lowers the confidence.",
    references=(
        "https://cloud.google.com/compute/docs/network-bandwidth",
        "https://cloud.google.com/vpc/network-pricing",
    ),
    work=ADDRESS,
    thresholds=(volume_floor(1.0),),
    group_message="{volume:,.0f} GiB a month between your own machines go to external addresses"
    " ({count} pairs in one zone); {observed_max_rate} in the busiest minute of the first",
    summed=("volume",),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each pair of connected machines in one zone that uses an external address."""
    yield from external_hits(facts, PathClass.SAME_ZONE_EXTERNAL, RULE.id)
