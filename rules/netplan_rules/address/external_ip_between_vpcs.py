"""Machines of two unconnected networks that talk over external addresses."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.ledger import ledger_of
from netplan_planner.throughput import predict
from netplan_rules.address._external import PairTraffic, external_traffic
from netplan_rules.base import rule_of, volume_floor
from netplan_rules.shared.flows import used_path, used_ratio
from netplan_rules.shared.peering import NOT_PEERED, joining, network_of
from netplan_rules.shared.trust import doubts_of_edge, limit_minutes
from netplan_rules.wording import pair_subject, volume

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.PEERS}),
    work=model.Work(
        effort="Create a peering from both sides or a Private Service Connect endpoint, then change"
        " the addresses in the configuration.",
        restart="No VM. The application restarts if it reads its configuration only at start.",
        undo="Use the external addresses again, then delete both peerings or the endpoint.",
        window="None: the old path stays until the new one is in use.",
    ),
    thresholds=(volume_floor(10.0),),
    summed=("volume",),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each pair of machines that has no internal path and uses an external address."""
    for path_class in (
        model.PathClass.SAME_ZONE_EXTERNAL,
        model.PathClass.INTER_ZONE_EXTERNAL,
        model.PathClass.INTER_REGION_EXTERNAL,
    ):
        for pair in external_traffic(facts, path_class, RULE.id):
            if isinstance(pair, model.Gap):
                continue  # external-ip-intra-zone and its siblings report it
            if facts.inventory.reachable_interface(pair.sender, pair.receiver) is None:
                yield _hit(facts, pair)


def _hit(facts: model.Facts, pair: PairTraffic) -> model.Hit:
    edge, sender, receiver = pair.edges[0], pair.sender, pair.receiver
    joined = joining(facts.inventory, sender, receiver)
    doubts = doubts_of_edge(facts, edge)
    gib = facts.gib_per_month(pair.wire_bytes)
    change = model.Change(
        kind=model.ChangeKind.INTERNAL_ADDRESS,
        target=sender.ref.self_link,
        destination=receiver.ref.self_link,
    )
    now = predict(used_path(facts, edge), facts.caps)
    return model.Hit(
        resources=(sender.ref, receiver.ref),
        subject=pair_subject(facts.src(edge), facts.dst(edge)),
        message=f"{volume(gib)} from network {model.last_part(network_of(sender))} to"
        f" {model.last_part(network_of(receiver))} use external addresses; the networks are not"
        " peered",
        cause="" if joined.is_peering else "no peering is possible",
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(
                name="external_address", value=edge.dst_address or "", source="flow logs"
            ),
            model.Evidence(
                name="overlapping_ranges", value=joined.overlap or "none", source="inventory"
            ),
        ),
        limit=now.binding,
        throughput_now=now,
        saving=ledger_of(facts).value(change).saving
        if joined.is_peering
        else model.Saving(unknown=NOT_PEERED),
        used_ratio=used_ratio(facts, edge, now),
        limit_minutes_per_day=limit_minutes(facts, edge, now),
        gib_per_month=gib,
        fix=joined.fix,
        doubts=doubts.reasons,
        change=change if joined.is_peering else None,
    )
