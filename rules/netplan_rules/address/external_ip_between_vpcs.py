"""Machines of two unconnected networks that talk over external addresses."""

from collections.abc import Iterator, Sequence

from netplan_planner.model import (
    Change,
    ChangeKind,
    Evidence,
    Facts,
    Fix,
    Gap,
    Hit,
    Instance,
    Instruction,
    Need,
    PathClass,
    SelfLink,
    Severity,
    Work,
    last_part,
)
from netplan_planner.throughput import predict
from netplan_rules.address._external import PairTraffic, external_traffic
from netplan_rules.base import Rule, volume_floor
from netplan_rules.money import internal_path_saving
from netplan_rules.shared.flows import used_path, used_ratio
from netplan_rules.shared.peering import (
    legacy_networks,
    listing_peerings,
    overlap_of,
    peering,
    unpeering,
)
from netplan_rules.shared.trust import doubts_of_edge
from netplan_rules.wording import pair_subject, volume

RULE = Rule(
    id="external-ip-between-vpcs",
    title="Machines of two unconnected networks talk over external addresses",
    severity=Severity.MEDIUM,
    needs=frozenset({Need.INVENTORY, Need.PEERS}),
    rationale="Without a peering, external addresses are the only path: its cap and price are those"
    " of traffic that leaves the VPC.",
    remediation="Peer the two networks, or offer the service through Private Service Connect or"
    " Network Connectivity Center; then use internal addresses.",
    guards="Overlapping subnetwork ranges cannot be peered, nor those that overlap ranges of a"
    " network that the other is peered with, nor two auto-mode networks, nor an auto-mode one and"
    " ranges within 10.128.0.0/9: the rule then names Private Service Connect instead. Silent for"
    " peered networks, for those with routes to one hub of Network Connectivity Center, and below"
    " the volume floor.",
    references=(
        "https://cloud.google.com/vpc/docs/vpc-peering",
        "https://cloud.google.com/vpc/docs/private-service-connect",
    ),
    work=Work(
        effort="A peering made from both sides or an endpoint of Private Service Connect, then the"
        " addresses in the configuration.",
        restart="No machine; the application, where it reads its configuration at its start only.",
        undo="Use the external addresses again, then delete both peerings or the endpoint.",
        window="None: the new way stands beside the old one until it is used.",
    ),
    since="0.1.0",
    thresholds=(volume_floor(10.0),),
    group_message="{volume:,.0f} GiB a month between two unconnected networks of yours go to"
    " external addresses ({count} pairs)",
    summed=("volume",),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each pair of machines that has no internal path and uses an external address."""
    for path_class in (
        PathClass.SAME_ZONE_EXTERNAL,
        PathClass.INTER_ZONE_EXTERNAL,
        PathClass.INTER_REGION_EXTERNAL,
    ):
        for pair in external_traffic(facts, path_class, RULE.id):
            if isinstance(pair, Gap):
                continue  # external-ip-intra-zone and its siblings report it
            if facts.inventory.reachable_interface(pair.sender, pair.receiver) is None:
                yield _hit(facts, pair)


def _hit(facts: Facts, pair: PairTraffic) -> Hit:
    edge, sender, receiver = pair.edges[0], pair.sender, pair.receiver
    local, remote = sorted((_network(sender), _network(receiver)))
    overlap = overlap_of(facts.inventory, local, remote)
    legacy = legacy_networks(facts.inventory, local, remote)
    doubts = doubts_of_edge(facts, edge)
    gib = facts.gib_per_month(pair.wire_bytes)
    saving = internal_path_saving(facts, pair.edges)
    now = predict(used_path(facts, edge), facts.caps)
    return Hit(
        resources=(sender.ref, receiver.ref),
        subject=pair_subject(facts.src(edge), facts.dst(edge)),
        message=f"{volume(gib)} from network {last_part(_network(sender))} to"
        f" {last_part(_network(receiver))} go over external addresses; the networks are not peered",
        cause="no peering is possible" if overlap or legacy else "",
        evidence=(
            Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            Evidence(name="external_address", value=edge.dst_address or "", source="flow logs"),
            Evidence(name="overlapping_ranges", value=overlap or "none", source="inventory"),
        ),
        limit=now.binding,
        throughput_now=now,
        saving=saving,
        used_ratio=used_ratio(facts, edge, now),
        gib_per_month=gib,
        fix=_fix(local, remote, overlap, legacy),
        confidence=doubts.confidence,
        confidence_reason=doubts.text,
        change=Change(
            kind=ChangeKind.INTERNAL_ADDRESS,
            target=sender.ref.self_link,
            destination=receiver.ref.self_link,
        )
        if not overlap and not legacy
        else None,
    )


def _network(instance: Instance) -> SelfLink:
    return instance.primary_network or SelfLink("")


def _fix(local: SelfLink, remote: SelfLink, overlap: str, legacy: Sequence[str]) -> Fix:
    if legacy:
        return Fix(
            text=f"{' and '.join(legacy)} is a legacy network, which cannot be peered: move its"
            " machines to a VPC network first.",
            label="leave the legacy network",
            documents=("https://cloud.google.com/vpc/docs/legacy",),
        )
    if overlap:
        return Fix(
            text=f"The ranges {overlap} overlap, so the networks cannot be peered: offer the"
            " service through Private Service Connect.",
            label="Private Service Connect",
            verify=Instruction(text="The client reaches the service by the endpoint's address."),
            undo=Instruction(text="Use the external address again and delete the endpoint."),
            documents=("https://cloud.google.com/vpc/docs/private-service-connect",),
        )
    return Fix(
        text="Peer the two networks (both sides), then use internal addresses.",
        label=f"peer {last_part(local)} and {last_part(remote)}",
        verify=Instruction(
            text="Both peerings are ACTIVE, and a machine reaches its peer's internal address.",
            commands=(listing_peerings(local),),
        ),
        undo=Instruction(
            text="Use the external addresses again, then delete both peerings.",
            commands=unpeering(local, remote),
        ),
        commands=peering(local, remote),
        documents=("https://cloud.google.com/vpc/docs/vpc-peering",),
        caution="Peering opens routes, not firewalls; it is not transitive. Google also refuses it"
        " where the ranges overlap those of networks that either is peered with.",
    )
