"""Machines of two zones of a region that talk over external addresses."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, PathClass, Severity
from netplan_rules.address._external import external_hits
from netplan_rules.base import Rule, volume_floor
from netplan_rules.work import ADDRESS

RULE = Rule(
    id="external-ip-intra-region",
    title="Machines of one region talk over external addresses",
    severity=Severity.HIGH,
    needs=frozenset({Need.INVENTORY, Need.PEERS}),
    rationale="Traffic to an external address falls under the cap for addresses outside the VPC and"
    " its cap per flow. Between zones the price is the same as over internal addresses; what is"
    " lost is bandwidth, latency and the address fee.",
    remediation="Address the peer by its internal DNS name or internal address.",
    guards="Silent when the two networks are neither the same nor peered nor joined by a hub, for"
    " IPv6, and below the volume floor.",
    references=(
        "https://cloud.google.com/compute/docs/network-bandwidth",
        "https://cloud.google.com/vpc/network-pricing",
    ),
    work=ADDRESS,
    thresholds=(volume_floor(1.0),),
    group_message="{volume:,.0f} GiB a month between zones go to external addresses of your own"
    " machines ({count} pairs)",
    summed=("volume",),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each pair of connected machines in two zones that uses an external address."""
    yield from external_hits(facts, PathClass.INTER_ZONE_EXTERNAL, RULE.id)
