"""Whether two networks can be peered, and the commands that peer them."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.ledger.peerings import (
    hub_of_sites,
    legacy_networks,
    overlap_of,
    untold_over_hub,
)
from netplan_rules.wording import command


def listing_peerings(local: model.SelfLink) -> str:
    """Return the command that lists the peerings of a network."""
    where = (f"--network={model.last_part(local)}", f"--project={model.project_of(local)}")
    return command("gcloud", "compute", "networks", "peerings", "list", *where)


def peering(local: model.SelfLink, remote: model.SelfLink) -> tuple[str, ...]:
    """Return the commands that peer two networks, one for each side."""
    return tuple(
        command(
            *("gcloud", "compute", "networks", "peerings", "create"),
            f"{model.last_part(one)}-to-{model.last_part(other)}",
            f"--network={model.last_part(one)}",
            f"--project={model.project_of(one)}",
            f"--peer-network={model.last_part(other)}",
            f"--peer-project={model.project_of(other)}",
        )
        for one, other in ((local, remote), (remote, local))
    )


def unpeering(local: model.SelfLink, remote: model.SelfLink) -> tuple[str, ...]:
    """Return the commands that take such a peering away again."""
    return tuple(
        command(
            *("gcloud", "compute", "networks", "peerings", "delete"),
            f"{model.last_part(one)}-to-{model.last_part(other)}",
            f"--network={model.last_part(one)}",
            f"--project={model.project_of(one)}",
        )
        for one, other in ((local, remote), (remote, local))
    )


NOT_PEERED = (
    "Private Service Connect is billed per endpoint hour and per GiB; the total depends on how"
    " the service is published"
)


class Joining(NamedTuple):
    """How machines of two networks that are not connected come to reach each other."""

    fix: model.Fix
    overlap: str
    """Ranges that stand against a peering; empty: none."""
    is_peering: bool


def joining(inventory: model.Inventory, one: model.Instance, other: model.Instance) -> Joining:
    """Return how two machines come to reach each other: a peering, or what stands in for it."""
    local, remote = sorted((network_of(one), network_of(other)))
    overlap = overlap_of(inventory, local, remote)
    legacy = legacy_networks(inventory, local, remote)
    apart = why_apart(inventory, one, other)
    untold = untold_over_hub(inventory, local, remote)
    site_hub = hub_of_sites(inventory, local, remote)
    if apart:
        fix = _without_peering(
            f"Two VPC spokes of Network Connectivity Center cannot be peered, and {apart}"
        )
    elif site_hub:
        fix = _without_peering(
            f"The hub {site_hub} already joins both networks to a site, and a peering would add a"
            " second path to its ranges"
        )
    else:
        fix = _joined(local, remote, overlap, legacy, untold)
    return Joining(fix, overlap, is_peering=not (overlap or legacy or apart or site_hub))


def why_apart(inventory: model.Inventory, one: model.Instance, other: model.Instance) -> str:
    """Return why two machines in VPC spokes do not reach each other over a hub.

    Empty where their networks are not both VPC spokes.
    """
    pairs, nets = inventory.spoke_pairs, (network_of(one), network_of(other))
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
    dearer = ", more than the external path costs: only useful for a higher rate" * is_dearer
    return (
        f" The traffic then passes through the Network Connectivity Center hub {hub}, which"
        f" charges each sender for the data{dearer}."
    )


def _without_peering(why: str) -> model.Fix:
    return model.Fix(
        text=f"{why}. Let the hub join them, or offer the service through Private Service Connect.",
        label="hub or Private Service Connect",
        verify=model.Instruction(text="The client reaches the service at an internal address."),
        undo=model.Instruction(text="Use the external address again, then remove the new path."),
        documents=(
            "https://cloud.google.com/network-connectivity/docs/network-connectivity-center/concepts/vpc-spokes-overview",
            "https://cloud.google.com/vpc/docs/private-service-connect",
        ),
    )


def network_of(instance: model.Instance) -> model.SelfLink:
    """Return the network of a VM's first interface; empty: unknown."""
    return instance.primary_network or model.SelfLink("")


def _joined(
    local: model.SelfLink, remote: model.SelfLink, overlap: str, legacy: Sequence[str], untold: str
) -> model.Fix:
    if legacy:
        return model.Fix(
            text=f"{' and '.join(legacy)} is a legacy network, which cannot be peered. Move its"
            " VMs to a VPC network first.",
            label="leave the legacy network",
            documents=("https://cloud.google.com/vpc/docs/legacy",),
        )
    if overlap:
        return model.Fix(
            text=f"The ranges {overlap} overlap, so the networks cannot be peered. Offer the"
            " service through Private Service Connect.",
            label="Private Service Connect",
            verify=model.Instruction(
                text="The client reaches the service at the endpoint's address."
            ),
            undo=model.Instruction(text="Use the external address again and delete the endpoint."),
            documents=("https://cloud.google.com/vpc/docs/private-service-connect",),
        )
    return model.Fix(
        text="Peer the two networks (both sides), then use internal addresses.",
        label=f"peer {model.last_part(local)} and {model.last_part(remote)}",
        verify=model.Instruction(
            text="Both peerings are ACTIVE, and a VM reaches its peer's internal address.",
            commands=(listing_peerings(local),),
        ),
        undo=model.Instruction(
            text="Use the external addresses again, then delete both peerings.",
            commands=unpeering(local, remote),
        ),
        commands=peering(local, remote),
        documents=("https://cloud.google.com/vpc/docs/vpc-peering",),
        caution="Peering adds routes, not firewall rules, and is not transitive. Google also"
        " refuses it if the ranges overlap those of another peered network"
        + (f"; {untold}." if untold else "."),
    )
