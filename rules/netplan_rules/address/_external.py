"""What the rules on external addresses between own machines share."""

from collections.abc import Iterator

from netplan_planner.model import (
    Change,
    ChangeKind,
    Edge,
    Evidence,
    Facts,
    Fix,
    Gap,
    Hit,
    Instance,
    NetworkInterface,
    Owner,
    OwnerKind,
    PathClass,
    ResourceRef,
    SelfLink,
)
from netplan_planner.throughput import apply_change, edge_query, predict
from netplan_rules.base import reaches_floor
from netplan_rules.money import Saving, path_saving
from netplan_rules.trust import doubts_of_edge
from netplan_rules.wording import gcloud_instance, internal_dns_name, pair_subject, volume


def external_pairs(
    facts: Facts, path_class: PathClass, rule: str
) -> Iterator[tuple[Edge, Instance, Instance] | Gap]:
    """Yield each edge of an external class with both machines, greatest volume floor applied.

    A machine that is not in the inventory is a gap: whether the two networks are connected cannot
    be told.
    """
    if facts.traffic is None:
        return
    for edge in facts.traffic.edges:
        if edge.path_class is not path_class or not reaches_floor(facts, rule, edge.wire_bytes):
            continue
        src, dst = facts.src(edge), facts.dst(edge)
        if OwnerKind.OTHER_PROJECT in (src.kind, dst.kind):
            continue
        sender, receiver = facts.instance(src), facts.instance(dst)
        if sender is None or receiver is None:
            missing = src if sender is None else dst
            yield Gap(
                resource=_ref(missing), reason="not in the inventory, so its network is not known"
            )
        elif not _is_ipv6(edge):
            yield edge, sender, receiver


def external_hits(facts: Facts, path_class: PathClass, rule: str) -> Iterator[Hit | Gap]:
    """Yield a hit for each pair that has an internal path and takes the external one."""
    for found in external_pairs(facts, path_class, rule):
        if isinstance(found, Gap):
            yield found
            continue
        edge, sender, receiver = found
        nic = facts.inventory.reachable_interface(sender, receiver)
        if nic is not None:
            yield _hit(facts, edge, sender, receiver, nic)


def _hit(
    facts: Facts, edge: Edge, sender: Instance, receiver: Instance, nic: NetworkInterface
) -> Hit:
    src, dst = facts.src(edge), facts.dst(edge)
    doubts = doubts_of_edge(facts, edge)
    change = Change(
        kind=ChangeKind.INTERNAL_ADDRESS,
        target=sender.ref.self_link,
        destination=receiver.ref.self_link,
    )
    query = edge_query(facts, edge)
    now = predict(query, facts.caps)
    saving = path_saving(facts, edge, edge.path_class.over_internal_address)
    gib = facts.gib_per_month(edge.wire_bytes)
    return Hit(
        resources=(sender.ref, receiver.ref),
        subject=pair_subject(src, dst),
        message=f"{volume(gib)} from {src.name} to {dst.name} go to its external address "
        f"{edge.dst_address}{_held(facts, edge)}, although the two networks are connected",
        group=f"{sender.primary_network}|{edge.path_class}|{sender.region}",
        evidence=(
            Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            Evidence(name="external_address", value=edge.dst_address or "", source="flow logs"),
            Evidence(name="observed_p95", value=edge.series.p95_gbps, unit="Gbit/s"),
            Evidence(name="observed_max", value=edge.series.max_gbps, unit="Gbit/s"),
            Evidence(name="internal_address", value=nic.internal_ipv4 or nic.internal_ipv6 or ""),
        ),
        limit=now.binding,
        throughput_now=now,
        throughput_fixed=predict(apply_change(query, change), facts.caps),
        saving_items=saving.items,
        saving_unknown=saving.unknown,
        fix=address_fix(facts, receiver, nic, saving),
        confidence=doubts.confidence,
        confidence_reason=doubts.text,
        change=change,
    )


def address_fix(facts: Facts, receiver: Instance, nic: NetworkInterface, saving: Saving) -> Fix:
    """Return the advice: the internal name first, then the external address itself."""
    own = facts.traffic.vm_by_link.get(receiver.ref.self_link) if facts.traffic else None
    from_outside = own.received_from_internet_bytes if own else 0
    caution = (
        "Other traffic from the internet reaches this machine: keep its external address."
        if from_outside
        else "Nothing came in from the internet in the window; make sure that nothing else needs"
        " the address (a firewall rule, a partner, a DNS record) before you delete it."
    )
    commands = (
        ()
        if from_outside
        else (gcloud_instance("delete-access-config", receiver, f"--network-interface={nic.name}"),)
    )
    money = "" if saving.unknown or saving.items else " The price stays; the gain is speed."
    return Fix(
        text=f"Use {internal_dns_name(receiver)} (now {nic.internal_ipv4 or nic.internal_ipv6})"
        f" instead of the external address.{money}",
        commands=commands,
        documents=("https://cloud.google.com/compute/docs/internal-dns",),
        caution=caution,
    )


def _held(facts: Facts, edge: Edge) -> str:
    if edge.dst_address and facts.inventory.is_static(edge.dst_address):
        return " (static)"
    return ""


def _is_ipv6(edge: Edge) -> bool:
    return ":" in (edge.dst_address or "")


def _ref(owner: Owner) -> ResourceRef:
    return ResourceRef(self_link=owner.link or SelfLink(owner.key))
