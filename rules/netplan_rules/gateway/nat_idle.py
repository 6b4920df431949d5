"""Cloud NAT gateways that nobody used."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.ledger import ledger_of
from netplan_planner.units import SECONDS_PER_HOUR, counted
from netplan_rules.base import Threshold, rule_of
from netplan_rules.gateway._served import Gateway, gateways, nat_edges
from netplan_rules.shared.flow_logs import reporting_subnetworks
from netplan_rules.shared.removal import release
from netplan_rules.shared.trust import Doubts, doubts_of_sampling
from netplan_rules.work import GATEWAY

RULE = rule_of(
    __name__,
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.NAT_GATEWAYS, model.Need.FLOW_RECORDS}),
    work=GATEWAY,
    thresholds=(
        Threshold(
            name="min_window_hours",
            default=168.0,
            unit="hours",
            about="observed time below which confidence is lowered (a weekly job may be missing)",
        ),
    ),
)

_SIGNS = (
    model.Metric.NAT_SENT_BYTES,
    model.Metric.NAT_RECEIVED_BYTES,
    model.Metric.NAT_PORT_USAGE,
    model.Metric.NAT_DROPPED_SENT,
    model.Metric.NAT_ALLOCATION_FAILED,
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each gateway that costs money and that no byte went through."""
    if facts.traffic is None:
        return
    reporting = reporting_subnetworks(facts)
    busy = _seen(facts)
    for gateway in gateways(facts):
        if not gateway.users and not gateway.nat.addresses:
            continue
        if (gateway.nat.router, gateway.nat.name) in busy or _is_used(facts, gateway):
            continue
        if _is_measured(facts, gateway):
            continue
        silent = _unreported(facts, gateway, reporting)
        if silent:
            machines = counted(silent, "VM")
            reason = f"the input has no records of the subnetworks of {machines} behind it"
            yield model.Gap(resource=gateway.router.ref, reason=reason)
        else:
            yield _hit(facts, gateway)


def _seen(facts: model.Facts) -> frozenset[tuple[model.SelfLink, str]]:
    """Return the gateways whose own addresses are an end of any traffic."""
    return frozenset(
        (owner.link, owner.name)
        for owner in facts.seen_traffic.owners
        if owner.kind is model.OwnerKind.NAT and owner.link is not None
    )


def _is_used(facts: model.Facts, gateway: Gateway) -> bool:
    for instance in gateway.users:
        if any(edge.wire_bytes for edge in nat_edges(facts, instance)):
            return True
        seen = facts.seen_traffic.vm_by_link.get(instance.ref.self_link)
        sent = facts.seen_traffic.edges_by_src.get(seen.owner, ()) if seen is not None else ()
        if any(_leaves(facts, edge.dst_address) for edge in sent if edge.wire_bytes):
            return True
    return False


def _is_measured(facts: model.Facts, gateway: Gateway) -> bool:
    """Return whether Cloud Monitoring saw anything of a gateway, were it only what it refused."""
    if facts.metrics is None:
        return False
    return any(
        one.max > 0
        for metric in _SIGNS
        for one in facts.metrics.all_of(gateway.nat.router, metric)
        if one.resource.name == gateway.nat.name
    )


def _leaves(facts: model.Facts, address: str | None) -> bool:
    """Return whether traffic to an address takes the gateway: an external one of one's own."""
    if address is None or ":" in address:
        return False
    fronts = facts.inventory.forwarding_rules_by_ip.get(address, ())
    return all(front.is_external for front in fronts)


def _unreported(facts: model.Facts, gateway: Gateway, reporting: frozenset[model.SelfLink]) -> int:
    """Return how many machines use it by an interface whose subnetwork does not report."""
    return sum(
        any(
            facts.inventory.nat_of(instance, nic) == gateway.nat and nic.subnetwork not in reporting
            for nic in instance.interfaces
        )
        for instance in gateway.users
    )


def _hit(facts: model.Facts, gateway: Gateway) -> model.Hit:
    hours = facts.seen_traffic.observed_seconds / SECONDS_PER_HOUR
    doubts = Doubts()
    if hours < facts.threshold(RULE.id, "min_window_hours"):
        doubts.add(f"the window has {counted(round(hours), 'hour')} and may miss a weekly job")
    stopped = [
        instance
        for instance in facts.inventory.instances
        if instance.is_off
        and any(facts.inventory.nat_of(instance, nic) == gateway.nat for nic in instance.interfaces)
    ]
    if stopped:
        doubts.add(f"{counted(len(stopped), 'stopped or suspended VM')} may use it again")
    if not gateway.users:
        doubts.add("it serves no running VM, and flow logs do not include its other clients")
    doubts.add(
        *doubts_of_sampling(facts, (nic for user in gateway.users for nic in user.interfaces))
    )
    machines = counted(len(gateway.users), "running VM")
    addresses = counted(len(gateway.nat.addresses), "address", "addresses")
    change = model.Change(
        kind=model.ChangeKind.DELETE_GATEWAY, target=gateway.nat.router, to=gateway.nat.name
    )
    return model.Hit(
        resources=(gateway.router.ref,),
        subject=gateway.subject,
        message=f"no traffic used the Cloud NAT gateway {gateway.nat.name} in {hours:.3g} h; it"
        f" serves {machines} and has {addresses}",
        evidence=(
            model.Evidence(name="machines", value=len(gateway.users), source="inventory"),
            model.Evidence(name="addresses", value=len(gateway.nat.addresses), source="inventory"),
            model.Evidence(name="window", value=round(hours, 1), unit="hours", source="flow logs"),
        ),
        saving=ledger_of(facts).value(change).saving,
        fix=_fix(facts, gateway),
        doubts=doubts.reasons,
        change=change,
    )


def _fix(facts: model.Facts, gateway: Gateway) -> model.Fix:
    nat = gateway.nat
    reserved = [a for a in facts.inventory.addresses if a.ref.self_link in nat.addresses]
    return RULE.fix(
        label="delete the gateway",
        text=f"Note the configuration of {nat.name}, then delete it.",
        commands=(gateway.command("describe"), gateway.command("delete")),
        verify="The VMs that it served still reach what they need, including package updates.",
        clean_up=_clean_up(reserved),
        undo=model.Instruction(
            text="Create it again with the same"
            f" configuration:{' rules,' if nat.outside_pool else ''} ports, timeouts and logging.",
            commands=(_create(gateway),),
        ),
        documents=("https://cloud.google.com/nat/docs/set-up-manage-network-address-translation",),
        caution="VMs without an external address lose their only path to the internet, including"
        " package updates. Cloud Run and other serverless services may use it unseen.",
    )


def _clean_up(reserved: list[model.Address]) -> model.Instruction | None:
    if not reserved:
        return None
    return model.Instruction(
        text="Release its addresses, which cost more unused than in use. Partners may have them in"
        " their allow-lists, and you cannot get them back.",
        commands=tuple(release(address) for address in reserved),
    )


def _create(gateway: Gateway) -> str:
    nat = gateway.nat
    in_pool = [link for link in nat.addresses if link not in nat.outside_pool]
    names = ",".join(link.rpartition("/")[2] for link in in_pool)
    pool = f"--nat-external-ip-pool={names}" if names else "--auto-allocate-nat-external-ips"
    ranges = ",".join(link.rpartition("/")[2] for link in nat.subnetworks)
    if ranges:
        return gateway.command("create", pool, f"--nat-custom-subnet-ip-ranges={ranges}")
    is_primary = nat.source_ranges == "ALL_SUBNETWORKS_ALL_PRIMARY_IP_RANGES"
    every = "--nat-primary-subnet-ip-ranges" if is_primary else "--nat-all-subnet-ip-ranges"
    return gateway.command("create", pool, every)
