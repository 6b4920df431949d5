"""Machines of one network that use external IPv6 addresses where internal ones exist."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.throughput import predict
from netplan_rules.base import reaches_floor, rule_of, volume_floor
from netplan_rules.shared.flows import used_path, used_ratio
from netplan_rules.shared.peering import over_hub
from netplan_rules.shared.trust import doubts_of_edge, limit_minutes
from netplan_rules.wording import internal_target, no_longer_addressed, pair_subject, volume
from netplan_rules.work import ADDRESS

RULE = rule_of(
    __name__,
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.INVENTORY, model.Need.PEERS}),
    work=ADDRESS,
    thresholds=(volume_floor(1.0),),
    summed=("volume",),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield each connected pair whose packets carry an external IPv6 address."""
    if facts.traffic is None:
        return
    for edge in facts.traffic.edges:
        if not edge.path_class.is_external_address or ":" not in (edge.dst_address or ""):
            continue
        sender, receiver = facts.instance(facts.src(edge)), facts.instance(facts.dst(edge))
        if sender is None or receiver is None or not reaches_floor(facts, RULE.id, edge.wire_bytes):
            continue
        nic = facts.inventory.reachable_interface(sender, receiver)
        if nic is not None:
            yield _hit(facts, edge, sender, receiver, nic)


def _hit(
    facts: model.Facts,
    edge: model.Edge,
    sender: model.Instance,
    receiver: model.Instance,
    nic: model.NetworkInterface,
) -> model.Hit:
    gib = facts.gib_per_month(edge.wire_bytes)
    doubts = doubts_of_edge(facts, edge)
    now = predict(used_path(facts, edge), facts.caps)
    inside = nic.internal_ipv6 or nic.internal_ipv4 or ""
    return model.Hit(
        resources=(sender.ref, receiver.ref),
        subject=pair_subject(facts.src(edge), facts.dst(edge)),
        message=f"{volume(gib)} from {sender.name} to {receiver.name} use the external IPv6 address"
        f" {edge.dst_address}",
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(
                name="external_address", value=edge.dst_address or "", source="flow logs"
            ),
            model.Evidence(name="internal_address", value=inside, source="inventory"),
        ),
        limit=now.binding,
        throughput_now=now,
        used_ratio=used_ratio(facts, edge, now),
        limit_minutes_per_day=limit_minutes(facts, edge, now),
        gib_per_month=gib,
        fix=RULE.fix(
            text=f"In the configuration of {sender.name}, use"
            f" {internal_target(sender, receiver, nic)}, instead of {edge.dst_address}."
            f"{over_hub(facts.inventory.hub_over(sender, receiver))}",
            label="internal address",
            verify=no_longer_addressed(edge.dst_address or "", sender.project),
            undo=f"Put {edge.dst_address} back. Nothing else changed.",
            documents=("https://cloud.google.com/compute/docs/internal-dns",),
        ),
        doubts=doubts.reasons,
    )
