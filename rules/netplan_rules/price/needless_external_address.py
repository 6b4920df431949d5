"""Machines with an external address that no internet traffic used."""

from collections.abc import Iterator, Sequence

from netplan_planner.ledger import ledger_of
from netplan_planner.machines.groups import changed_together, is_managed
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
    Instruction,
    Need,
    NetworkInterface,
    OwnerKind,
    Severity,
    VmTraffic,
)
from netplan_planner.units import counted
from netplan_rules.base import Threshold, rule_of
from netplan_rules.shared.flow_logs import reporting_subnetworks
from netplan_rules.shared.removal import (
    GOOGLE_APIS,
    MANAGED,
    RESERVED,
    needs_google_access,
    removal_commands,
    users_of,
)
from netplan_rules.shared.trust import Doubts, doubts_of_sampling
from netplan_rules.wording import gcloud_instance, gcloud_ssh, vm_subject
from netplan_rules.work import RELEASE

RULE = rule_of(
    __name__,
    severity=Severity.LOW,
    needs=frozenset({Need.INVENTORY, Need.FLOW_RECORDS}),
    work=RELEASE,
    thresholds=(
        Threshold(
            name="min_window_hours",
            default=168.0,
            unit="hours",
            about="observed time below which confidence is lowered (a weekly job may be missing)",
        ),
    ),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each running machine whose external address saw no internet traffic."""
    if facts.traffic is None:
        return
    reporting = reporting_subnetworks(facts)
    running = [one for one in facts.inventory.instances if one.is_running]
    busy = {one.ref.self_link for one in running if _is_used(facts, one)}
    busy |= {one.ref.self_link for one in running if _calls_google(facts, one)}
    together = {
        one.ref.self_link: [
            other for other in alike if other.ref.self_link in busy - {one.ref.self_link}
        ]
        for alike in changed_together(facts, running)
        for one in alike
    }
    for instance in running:
        traffic = facts.traffic.vm_by_link.get(instance.ref.self_link)
        is_idle = not _has_met_internet(traffic)
        # Flow records of a machine tell its interfaces apart by network only: all idle, or none.
        for nic in instance.interfaces:
            if nic.external_ipv4 and nic.subnetwork not in reporting:
                yield Gap(resource=instance.ref, reason=_why_not_told(facts, nic))
            elif nic.external_ipv4 and is_idle and not users_of(facts, instance, nic):
                why = _why_needed(facts, instance, nic, traffic)
                if not why and (others := together[instance.ref.self_link]):
                    why = f"its group assigns one to all VMs, and {others[0].name} uses its own"
                if why:
                    yield Gap(resource=instance.ref, reason=why)
                else:
                    yield _hit(facts, instance, nic, traffic)


def _has_met_internet(traffic: VmTraffic | None) -> bool:
    return traffic is not None and bool(
        traffic.sent_to_internet_bytes or traffic.received_from_internet_bytes
    )


def _is_used(facts: Facts, instance: Instance) -> bool:
    """Return whether an external address of a machine was seen in use."""
    return _has_met_internet(facts.seen_traffic.vm_by_link.get(instance.ref.self_link)) or any(
        nic.external_ipv4 and users_of(facts, instance, nic) for nic in instance.interfaces
    )


def _calls_google(facts: Facts, instance: Instance) -> bool:
    """Return whether its external address may be a machine's only way to Google APIs."""
    seen = facts.seen_traffic.vm_by_link.get(instance.ref.self_link)
    has_own = any(nic.external_ipv4 for nic in instance.interfaces)
    return has_own and needs_google_access(facts, instance, seen)


def _why_needed(
    facts: Facts, instance: Instance, nic: NetworkInterface, traffic: VmTraffic | None
) -> str:
    """Return what the address may be there for although no internet traffic used it, or nothing."""
    own = {instance.ref.self_link, nic.internal_ipv4}
    if any(route.next_hop_target in own for route in facts.inventory.routes):
        return "it is the next hop of a route: forwarded traffic may use its external address"
    if nic.external_ipv4 in facts.inventory.front_by_ip:
        return "a forwarding rule uses its external address"
    for edge in _sent(facts, traffic):
        if edge.dst_address in facts.inventory.front_by_ip and facts.dst(edge).kind in _FRONTS:
            return "it reaches your load balancers at external addresses, so it needs its own"
    return ""


_FRONTS = frozenset({OwnerKind.LOAD_BALANCER, OwnerKind.VM})


def _sent(facts: Facts, traffic: VmTraffic | None) -> Sequence[Edge]:
    return facts.seen_traffic.edges_by_src.get(traffic.owner, ()) if traffic is not None else ()


def _why_not_told(facts: Facts, nic: NetworkInterface) -> str:
    subnetwork = facts.inventory.subnetwork_by_link.get(nic.subnetwork) if nic.subnetwork else None
    if subnetwork is not None and facts.inventory.logging_of(subnetwork):
        return "its subnetwork has flow logs, but the input has none of its records"
    return "its subnetwork is not known to have flow logs"


def _hit(facts: Facts, instance: Instance, nic: NetworkInterface, traffic: VmTraffic | None) -> Hit:
    hours = facts.seen_traffic.observed_minutes / 60
    doubts = Doubts()
    if hours < facts.threshold(RULE.id, "min_window_hours"):
        doubts.add(f"the window has {counted(round(hours), 'hour')} and may miss a weekly job")
    doubts.add(*doubts_of_sampling(facts, (nic,)))
    reserved = facts.inventory.address_by_ip.get(nic.external_ipv4 or "")
    change = Change(
        kind=ChangeKind.RELEASE_ADDRESS,
        target=instance.ref.self_link,
        destination=reserved.ref.self_link if reserved is not None else None,
        to=nic.external_ipv4,
    )
    fix = _fix(facts, instance, nic, traffic)
    return Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} has the external address {nic.external_ipv4}; it exchanged no"
        f" internet traffic in {hours:.3g} h",
        evidence=(
            Evidence(name="address", value=nic.external_ipv4 or "", source="inventory"),
            Evidence(name="window", value=round(hours, 1), unit="hours", source="flow logs"),
        ),
        saving=ledger_of(facts).value(change).saving,
        fix=fix,
        doubts=doubts.reasons,
        change=change,
    )


def _fix(facts: Facts, instance: Instance, nic: NetworkInterface, traffic: VmTraffic | None) -> Fix:
    reserved = facts.inventory.address_by_ip.get(nic.external_ipv4 or "")
    also = " and release its reservation" if reserved is not None else ""
    commands = removal_commands(instance, nic, reserved)
    caution = "Package updates and calls to the internet then need Cloud NAT."
    if is_managed(facts, instance):
        commands, caution = (), MANAGED
    elif needs_google_access(facts, instance, traffic):
        commands, caution = (), GOOGLE_APIS
    return RULE.fix(
        text=f"Remove {nic.external_ipv4} from {instance.name}{also}. Log in through IAP.",
        label="remove it",
        commands=commands,
        verify=Instruction(
            text="The VM still reaches what it needs, and you can reach it.",
            commands=(gcloud_ssh(instance),),
        ),
        undo=_undo(instance, nic, is_reserved=reserved is not None),
        documents=("https://cloud.google.com/iap/docs/using-tcp-forwarding",),
        caution=caution + (f" {RESERVED}" if reserved is not None else ""),
    )


def _undo(instance: Instance, nic: NetworkInterface, *, is_reserved: bool) -> Instruction:
    if is_reserved:
        return Instruction(text="You cannot get a released address back.")
    return Instruction(
        text="Give it an external address again. An ephemeral one will be different.",
        commands=(
            gcloud_instance("add-access-config", instance, f"--network-interface={nic.name}"),
        ),
    )
