"""Taking an external address off a machine: the commands, and what else needs it."""

from netplan_planner import model
from netplan_planner.machines.groups import is_managed
from netplan_rules.wording import command, delete_access_config, listed


def clean_up(
    facts: model.Facts, instance: model.Instance, nic: model.NetworkInterface, mover: model.Instance
) -> model.Instruction:
    """Return what becomes of an external IPv4 address once `mover` no longer uses it.

    Commands only where nothing else that was seen needs it; all others that use it are named, for
    they lose their path with it.
    """
    address = nic.external_ipv4 or ""
    traffic = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    if is_managed(facts, instance):
        return _keep(address, MANAGED)
    if traffic is not None and traffic.received_from_internet_bytes:
        return _keep(address, "it receives other traffic from the internet.")
    if traffic is not None and traffic.sent_to_internet_bytes:
        return _keep(
            address,
            "the VM sends to the internet. Check first that Cloud NAT serves its subnetwork.",
        )
    if needs_google_access(facts, instance, traffic):
        return _keep(address, GOOGLE_APIS)
    reserved = facts.inventory.address_by_ip.get(address)
    others = [user for user in users_of(facts, instance, nic) if user != mover.name]
    waits = f" Move its other clients first: {listed(others)}." if others else ""
    kept = f" {RESERVED}" if reserved is not None else ""
    return model.Instruction(
        text=f"Once no firewall rule, partner, DNS record or client uses {address}, remove it from"
        f" {instance.name}.{waits}{kept}",
        commands=removal_commands(instance, nic, reserved),
    )


def users_of(
    facts: model.Facts, instance: model.Instance, nic: model.NetworkInterface
) -> list[str]:
    """Return by name who was seen to use an external address of a machine, each once.

    Who sends to it; and whom the machine itself reaches by external addresses, because its own one
    is then the source.
    """
    traffic = facts.traffic
    if traffic is None:
        return []
    names = [facts.src(e).name for e in traffic.edges_by_address.get(nic.external_ipv4 or "", ())]
    seen = traffic.vm_by_link.get(instance.ref.self_link)
    if seen is not None:
        names += [
            facts.dst(edge).name
            for edge in traffic.edges_by_src.get(seen.owner, ())
            if edge.path_class.is_external_address
        ]
    return sorted(set(names))


def _keep(address: str, why: str) -> model.Instruction:
    return model.Instruction(text=f"Keep the external address {address}: {why[0].lower()}{why[1:]}")


MANAGED = (
    "A managed instance group or GKE assigns the address: change the template or the node pool."
)
GOOGLE_APIS = (
    "It calls Google APIs, and Private Google Access is not known to be on for its subnetwork:"
    " switch it on first."
)
RESERVED = (
    "It is reserved. It costs more unused than in use, and you cannot get it back once released."
)


def removal_commands(
    instance: model.Instance, nic: model.NetworkInterface, reserved: model.Address | None
) -> tuple[str, ...]:
    """Return the commands: off the interface, and out of the project where it is reserved."""
    delete = delete_access_config(instance, nic)
    return (delete,) if reserved is None else (delete, release(reserved))


def release(address: model.Address) -> str:
    """Return the command that gives a reserved address back."""
    where = "--global" if address.region is None else f"--region={address.region}"
    project = f"--project={address.project}"
    return command("gcloud", "compute", "addresses", "delete", address.name, where, project)


def needs_google_access(
    facts: model.Facts, instance: model.Instance, traffic: model.VmTraffic | None
) -> bool:
    """Return whether a machine talks to Google APIs and may have no other way to them."""
    if traffic is None or facts.traffic is None:
        return False
    edges = (
        *facts.traffic.edges_by_src.get(traffic.owner, ()),
        *facts.traffic.edges_by_dst.get(traffic.owner, ()),
    )
    subnetworks = [
        facts.inventory.subnetwork_by_link.get(nic.subnetwork)
        for nic in instance.interfaces
        if nic.subnetwork
    ]
    is_private = all(s is not None and s.private_google_access for s in subnetworks)
    return not is_private and any(edge.path_class is model.PathClass.GOOGLE_APIS for edge in edges)
