"""Whether two networks can be peered, and the commands that peer them."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.ledger.peerings import legacy_networks, overlap_of, untold_over_hub
from netplan_planner.model import (
    Fix,
    Instance,
    Instruction,
    Inventory,
    SelfLink,
    last_part,
    project_of,
)
from netplan_rules.wording import command


def listing_peerings(local: SelfLink) -> str:
    """Return the command that lists the peerings of a network."""
    where = (f"--network={last_part(local)}", f"--project={project_of(local)}")
    return command("gcloud", "compute", "networks", "peerings", "list", *where)


def peering(local: SelfLink, remote: SelfLink) -> tuple[str, ...]:
    """Return the commands that peer two networks, one for each side."""
    return tuple(
        command(
            *("gcloud", "compute", "networks", "peerings", "create"),
            f"{last_part(one)}-to-{last_part(other)}",
            f"--network={last_part(one)}",
            f"--project={project_of(one)}",
            f"--peer-network={last_part(other)}",
            f"--peer-project={project_of(other)}",
        )
        for one, other in ((local, remote), (remote, local))
    )


def unpeering(local: SelfLink, remote: SelfLink) -> tuple[str, ...]:
    """Return the commands that take such a peering away again."""
    return tuple(
        command(
            *("gcloud", "compute", "networks", "peerings", "delete"),
            f"{last_part(one)}-to-{last_part(other)}",
            f"--network={last_part(one)}",
            f"--project={project_of(one)}",
        )
        for one, other in ((local, remote), (remote, local))
    )


NOT_PEERED = (
    "Private Service Connect has prices of its own, by the hour of an endpoint and by the GiB, and"
    " what is paid depends on how the service is published"
)


class Joining(NamedTuple):
    """How machines of two networks that are not connected come to reach each other."""

    fix: Fix
    overlap: str
    """Ranges that stand against a peering; empty: none."""
    is_peering: bool


def joining(inventory: Inventory, one: Instance, other: Instance) -> Joining:
    """Return how two machines come to reach each other: a peering, or what stands in for it."""
    local, remote = sorted((_network(one), _network(other)))
    overlap = overlap_of(inventory, local, remote)
    legacy = legacy_networks(inventory, local, remote)
    apart = why_apart(inventory, one, other)
    untold = untold_over_hub(inventory, local, remote)
    fix = _of_spokes(apart) if apart else _joined(local, remote, overlap, legacy, untold)
    return Joining(fix, overlap, is_peering=not overlap and not legacy and not apart)


def why_apart(inventory: Inventory, one: Instance, other: Instance) -> str:
    """Return why two machines in VPC spokes do not reach each other over a hub.

    Empty where their networks are not both VPC spokes.
    """
    pairs, nets = inventory.spoke_pairs, (_network(one), _network(other))
    if not pairs.are_spokes(*nets):
        return ""
    kept = (inventory.kept_range(nic) for machine in (one, other) for nic in machine.interfaces)
    block = next(filter(None, kept), "")
    return pairs.why_apart(*nets) or f"a spoke does not export the range {block}"


def over_hub(hub: str, saved_usd: Decimal | None = None) -> str:
    """Return by which hub traffic between internal addresses goes, which charges for it."""
    if not hub:
        return ""
    is_dearer = saved_usd is not None and saved_usd < 0
    dearer = ", more than the external path costs: only a higher rate is worth it" * is_dearer
    return (
        f" The traffic then passes the hub {hub} of Network Connectivity Center, which charges each"
        f" sender for the data{dearer}."
    )


def _of_spokes(why: str) -> Fix:
    return Fix(
        text=f"Two VPC spokes of Network Connectivity Center cannot be peered, and {why}: let the"
        " hub join them, or offer the service through Private Service Connect.",
        label="hub or Private Service Connect",
        verify=Instruction(text="The client reaches the service by an internal address."),
        undo=Instruction(text="Use the external address again, then take the new way back."),
        documents=(
            "https://cloud.google.com/network-connectivity/docs/network-connectivity-center/concepts/vpc-spokes-overview",
            "https://cloud.google.com/vpc/docs/private-service-connect",
        ),
    )


def _network(instance: Instance) -> SelfLink:
    return instance.primary_network or SelfLink("")


def _joined(
    local: SelfLink, remote: SelfLink, overlap: str, legacy: Sequence[str], untold: str
) -> Fix:
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
        " where the ranges overlap those of networks that either is peered with"
        + (f"; {untold}." if untold else "."),
    )
