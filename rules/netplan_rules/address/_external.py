"""What the rules on external addresses between own machines share."""

from collections import defaultdict
from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.ledger import ledger_of
from netplan_planner.throughput import apply_change, predict
from netplan_rules.base import reaches_floor
from netplan_rules.shared.flows import used_path, used_ratio
from netplan_rules.shared.peering import over_hub
from netplan_rules.shared.removal import clean_up
from netplan_rules.shared.trust import doubts_of_edge, limit_minutes
from netplan_rules.wording import (
    PRICE_STAYS,
    gbps,
    internal_target,
    no_longer_addressed,
    pair_subject,
    rate_evidence,
    volume,
)


class PairTraffic(model.Value, frozen=True, kw_only=True):
    """Two machines that use external addresses, in the direction of most bytes.

    A connection shows as an edge in either direction, and the logs do not tell which end opened
    it: both belong to one fault.
    """

    edges: tuple[model.Edge, ...]
    """The greatest first."""
    sender: model.Instance
    receiver: model.Instance

    @property
    def wire_bytes(self) -> int:
        """Bytes of both directions, with headers."""
        return sum(edge.wire_bytes for edge in self.edges)


def external_traffic(
    facts: model.Facts, path_class: model.PathClass, rule: str
) -> Iterator[PairTraffic | model.Gap]:
    """Yield each pair of machines with traffic of an external IPv4 class above the rule's floor.

    A machine that is not in the inventory is a gap: whether the two networks are connected cannot
    be told.
    """
    if facts.traffic is None:
        return
    pairs: dict[tuple[int, int], list[model.Edge]] = defaultdict(list)
    for edge in facts.traffic.edges:
        if edge.path_class is path_class and ":" not in (edge.dst_address or ""):
            pairs[min(edge.src, edge.dst), max(edge.src, edge.dst)].append(edge)
    for edges in pairs.values():
        edges.sort(key=lambda edge: (-edge.wire_bytes, edge.src))
        src, dst = facts.src(edges[0]), facts.dst(edges[0])
        whole = sum(edge.wire_bytes for edge in edges)
        known = model.OwnerKind.OTHER_PROJECT not in (src.kind, dst.kind)
        if not known or not reaches_floor(facts, rule, whole):
            continue
        sender, receiver = facts.instance(src), facts.instance(dst)
        if sender is None or receiver is None:
            missing = src if sender is None else dst
            yield model.Gap(
                resource=model.ResourceRef(self_link=missing.link or model.SelfLink(missing.key)),
                reason="not in the inventory, so its network is unknown",
            )
        else:
            yield PairTraffic(edges=tuple(edges), sender=sender, receiver=receiver)


def external_hits(
    facts: model.Facts, path_class: model.PathClass, rule: str
) -> Iterator[model.Hit | model.Gap]:
    """Yield a hit for each pair that has an internal path and takes the external one."""
    for pair in external_traffic(facts, path_class, rule):
        if isinstance(pair, model.Gap):
            yield pair
            continue
        nic = facts.inventory.reachable_interface(pair.sender, pair.receiver)
        if nic is not None:
            yield _hit(facts, pair, nic)


def _hit(facts: model.Facts, pair: PairTraffic, nic: model.NetworkInterface) -> model.Hit:
    edge, sender, receiver = pair.edges[0], pair.sender, pair.receiver
    doubts = doubts_of_edge(facts, edge)
    change = model.Change(
        kind=model.ChangeKind.INTERNAL_ADDRESS,
        target=sender.ref.self_link,
        destination=receiver.ref.self_link,
    )
    query = used_path(facts, edge)
    now = predict(query, facts.caps)
    saving = ledger_of(facts).value(change).saving
    gib = facts.gib_per_month(pair.wire_bytes)
    hub = facts.inventory.hub_over(sender, receiver)
    fix = _address_fix(facts, pair, nic, saving, hub)
    return model.Hit(
        resources=(sender.ref, receiver.ref),
        subject=pair_subject(facts.src(edge), facts.dst(edge)),
        message=f"{volume(gib)} from {sender.name} to {receiver.name}{_back(pair)} use external"
        f" addresses ({edge.dst_address}{_held(facts, edge)}), {gbps(edge.series.max_gbps)}"
        f" in the busiest minute. {_joined(sender, receiver, hub)}",
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(
                name="external_address", value=edge.dst_address or "", source="flow logs"
            ),
            rate_evidence("observed_p95", edge.series.p95_gbps),
            rate_evidence("observed_max", edge.series.max_gbps),
            model.Evidence(
                name="internal_address",
                value=nic.internal_ipv4 or nic.internal_ipv6 or "",
                source="inventory",
            ),
        ),
        limit=now.binding,
        throughput_now=now,
        throughput_fixed=predict(apply_change(query, change), facts.caps),
        saving=saving,
        used_ratio=used_ratio(facts, edge, now),
        limit_minutes_per_day=limit_minutes(facts, edge, now),
        gib_per_month=gib,
        fix=fix,
        doubts=doubts.reasons,
        change=change,
    )


def _joined(one: model.Instance, other: model.Instance, hub: str) -> str:
    """Return in words that two machines reach each other inside."""
    if hub:
        return f"The Network Connectivity Center hub {hub} joins the two networks"
    nets = [{nic.network for nic in machine.interfaces} for machine in (one, other)]
    return "Both VMs are in one network" if nets[0] & nets[1] else "The two networks are connected"


def _address_fix(
    facts: model.Facts,
    pair: PairTraffic,
    nic: model.NetworkInterface,
    saving: model.Saving,
    hub: str,
) -> model.Fix:
    """Return the advice: another address in the configuration; the old one goes last, if at all."""
    receiver = pair.receiver
    used = pair.edges[0].dst_address or "the external address"
    money = "" if saving.unknown or saving.items else f" {PRICE_STAYS}"
    return model.Fix(
        text=f"In the configuration of {pair.sender.name}, connect to"
        f" {internal_target(pair.sender, receiver, nic)}, instead of {used}."
        f"{_other_way(facts, pair)}{over_hub(hub, saving.usd_per_month)}{money}",
        label="internal address",
        verify=no_longer_addressed(used, pair.sender.project),
        clean_up=_clean_up(facts, pair),
        undo=model.Instruction(
            text=f"Put {used} back into the configuration. Nothing else changed."
        ),
        documents=(
            "https://cloud.google.com/compute/docs/internal-dns",
            *(("https://cloud.google.com/network-connectivity/pricing",) if hub else ()),
        ),
        caution="A firewall rule must allow the internal source address.",
    )


def _other_way(facts: model.Facts, pair: PairTraffic) -> str:
    """Return what to write where the other machine opens the connection, which no log tells."""
    first = pair.edges[0]
    back = next((edge for edge in pair.edges if edge.src == first.dst), None)
    nic = facts.inventory.reachable_interface(pair.receiver, pair.sender)
    if back is None or nic is None:
        return ""
    used = back.dst_address or "the external address"
    target = internal_target(pair.receiver, pair.sender, nic)
    return f" If {pair.receiver.name} opens the connection, it must use {target} instead of {used}."


def _clean_up(facts: model.Facts, pair: PairTraffic) -> model.Instruction | None:
    """Return what becomes of the address that was used; None where the machine lost it."""
    used = pair.edges[0].dst_address
    holder = next((nic for nic in pair.receiver.interfaces if nic.external_ipv4 == used), None)
    return None if holder is None else clean_up(facts, pair.receiver, holder, pair.sender)


def _back(pair: PairTraffic) -> str:
    return " and back" if len(pair.edges) > 1 else ""


def _held(facts: model.Facts, edge: model.Edge) -> str:
    if edge.dst_address and facts.inventory.is_static(edge.dst_address):
        return ", static"
    return ""
