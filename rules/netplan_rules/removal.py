"""Taking an external address off a machine: the commands, and what else needs it."""

from netplan_planner.model import (
    Address,
    Facts,
    Instance,
    NetworkInterface,
    PathClass,
    Value,
    VmTraffic,
)
from netplan_rules.managed import is_managed
from netplan_rules.wording import command, delete_access_config


class Removal(Value, frozen=True, kw_only=True):
    """How to take an address away, and what to look at first; no commands where it is needed."""

    commands: tuple[str, ...]
    caution: str


def removal(facts: Facts, instance: Instance, nic: NetworkInterface) -> Removal:
    """Return what it takes to remove the external IPv4 address of an interface."""
    traffic = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    if is_managed(facts, instance):
        return _kept(MANAGED)
    if traffic is not None and traffic.received_from_internet_bytes:
        return _kept(
            "Other traffic from the internet reaches this machine: keep its external address."
        )
    if traffic is not None and traffic.sent_to_internet_bytes:
        return _kept(
            "This machine sends to the internet: keep its external address, or see that Cloud NAT"
            " serves its subnetwork first."
        )
    if needs_google_access(facts, instance, traffic):
        return _kept(GOOGLE_APIS)
    reserved = facts.inventory.address_by_ip.get(nic.external_ipv4 or "")
    return Removal(
        commands=removal_commands(instance, nic, reserved),
        caution="Nothing came in from the internet or went there in the window; make sure that"
        " nothing else needs the address (a firewall rule, a partner, a DNS record) before you"
        " delete it." + (f" {RESERVED}" if reserved is not None else ""),
    )


MANAGED = (
    "A managed instance group or GKE gives it the address: change the template or the node pool."
)
GOOGLE_APIS = (
    "It calls Google APIs, and its subnetwork is not known to have Private Google Access: switch"
    " that on first."
)
RESERVED = "It is reserved: unused it costs more than in use, and released it cannot be had back."


def removal_commands(
    instance: Instance, nic: NetworkInterface, reserved: Address | None
) -> tuple[str, ...]:
    """Return the commands: off the interface, and out of the project where it is reserved."""
    delete = delete_access_config(instance, nic)
    return (delete,) if reserved is None else (delete, release(reserved))


def release(address: Address) -> str:
    """Return the command that gives a reserved address back."""
    where = "--global" if address.region is None else f"--region={address.region}"
    project = f"--project={address.project}"
    return command("gcloud", "compute", "addresses", "delete", address.name, where, project)


def needs_google_access(facts: Facts, instance: Instance, traffic: VmTraffic | None) -> bool:
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
    return not is_private and any(edge.path_class is PathClass.GOOGLE_APIS for edge in edges)


def _kept(why: str) -> Removal:
    return Removal(commands=(), caution=why)
