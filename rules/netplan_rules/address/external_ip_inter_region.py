"""Machines of two regions that talk over external addresses."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, PathClass, Severity
from netplan_rules.address._external import external_hits
from netplan_rules.base import Rule, volume_floor
from netplan_rules.work import ADDRESS

RULE = Rule(
    id="external-ip-inter-region",
    title="Machines of two regions talk over external addresses",
    severity=Severity.MEDIUM,
    needs=frozenset({Need.INVENTORY, Need.PEERS}),
    rationale="A VPC network is global: its internal addresses work between regions. Over external"
    " addresses the same traffic falls under the cap for addresses outside the VPC and its cap per"
    " flow; the price between the regions is the same.",
    remediation="Address the peer by its internal DNS name or internal address.",
    guards="Silent when the two networks are neither the same nor peered nor joined by a hub, for"
    " IPv6, and below the volume floor.",
    references=(
        "https://cloud.google.com/compute/docs/network-bandwidth",
        "https://cloud.google.com/vpc/network-pricing",
    ),
    work=ADDRESS,
    thresholds=(volume_floor(1.0),),
    group_message="{volume:,.0f} GiB a month between regions go to external addresses of your own"
    " machines ({count} pairs)",
    summed=("volume",),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each pair of connected machines in two regions that uses an external address."""
    yield from external_hits(facts, PathClass.INTER_REGION_EXTERNAL, RULE.id)
