"""Changes made to a copy of the facts, in one order whatever the order in which they are said.

Changes of how machines call each other: kind of address, network tier, MTU, pods.
"""

from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from netplan_planner.errors import NetplanError
from netplan_planner.ledger.state import NEW_ADDRESS
from netplan_planner.machines.known import Known
from netplan_planner.model import Edge, Facts, Instance, PathClass, PodNetwork
from netplan_planner.throughput.limits.pods.tables import encapsulation_of
from netplan_planner.verbs.whatif.answer import WhatifChange, WhatifField
from netplan_planner.verbs.whatif.growth import grow
from netplan_planner.verbs.whatif.machines import (
    check_machines,
    give_nic,
    give_tier1,
    give_type,
    put_in_zone,
)
from netplan_planner.verbs.whatif.scenario import Aimed, Draft, Scenario, aimed, unchanged
from netplan_planner.verbs.whatif.steps import status_after

INTERNAL, EXTERNAL = "internal", "external"
TIERS = {"premium": "PREMIUM", "standard": "STANDARD"}
LEAST_MTU_BYTES, MOST_MTU_BYTES = 1300, 8896
"""Of a VPC network (docs.cloud.google.com/vpc/docs/mtu)."""


def use_address(draft: Draft, aim: Aimed) -> None:
    """Let machines and the project's others call each other by internal or external addresses.

    Both ways, whoever calls. The addresses themselves stay where they are.
    """
    kind = aim.change.to
    if kind not in {INTERNAL, EXTERNAL}:
        raise aim.change.refused(f"{kind!r} is not a kind of address: use internal or external")
    owners = draft.owner_numbers(draft.machines(aim.machines))
    if kind == INTERNAL:
        _check_reachable(draft, aim.change, owners)
    touched: set[int] = set()

    def made(edge: Edge) -> Edge:
        if edge.src not in owners and edge.dst not in owners:
            return edge
        if kind == INTERNAL and edge.path_class.is_external_address:
            touched.add(edge.src)
            over = edge.path_class.over_internal_address
            return replace(edge, path_class=over, dst_address=None)
        if kind == EXTERNAL and _is_internal(edge):
            touched.add(edge.src)
            over = PathClass(edge.path_class.removesuffix(INTERNAL) + EXTERNAL)
            return replace(edge, path_class=over, dst_address=_external(draft, aim.change, edge))
        return edge

    draft.replace_edges(made)
    draft.outside_changes(touched)
    if not touched:
        draft.note(
            f"No traffic of {aim.change.vms} with your own VMs uses "
            f"{'external' if kind == INTERNAL else 'internal'} addresses: nothing changes."
        )


def _is_internal(edge: Edge) -> bool:
    return edge.path_class.distance is not None and edge.path_class.value.endswith(f"-{INTERNAL}")


def _check_reachable(draft: Draft, change: WhatifChange, owners: set[int]) -> None:
    inventory = draft.facts.inventory
    for edge in draft.edges:
        is_asked = edge.src in owners or edge.dst in owners
        if not is_asked or not edge.path_class.is_external_address:
            continue
        ends = [_instance(draft, number) for number in (edge.src, edge.dst)]
        src, dst = ends
        if src is None or dst is None:
            continue
        if inventory.reachable_interface(src, dst) is None:
            raise change.refused(
                f"{src.name} reaches no internal address of {dst.name}: their networks are not "
                "connected by peering or a hub. Connect them first, or leave these VMs out"
            )


def _instance(draft: Draft, number: int) -> Instance | None:
    link = draft.owners[number].link
    return draft.instances.get(link) if link is not None else None


def _external(draft: Draft, change: WhatifChange, edge: Edge) -> str:
    receiver = _instance(draft, edge.dst)
    found = (
        next((nic.external_ipv4 for nic in receiver.interfaces if nic.external_ipv4), None)
        if receiver is not None
        else None
    )
    if found is None:
        raise change.refused(f"{draft.owners[edge.dst].name} has no external IPv4 address to use")
    return found


def give_tier(draft: Draft, aim: Aimed) -> None:
    """Give the external addresses of machines another network tier."""
    tier = TIERS.get(aim.change.to)
    if tier is None:
        raise aim.change.refused(
            f"{aim.change.to!r} is not a network tier: use premium or standard"
        )
    for one in draft.machines(aim.machines):
        has = [nic.may_be_external for nic in one.interfaces]
        if not any(has):
            raise aim.change.refused(
                f"{one.name} has no external address, so it has no network tier: leave it out"
            )
        nics = tuple(
            replace(draft.without_reserved(nic), network_tier=tier)
            if with_address and nic.network_tier != tier
            else nic
            for nic, with_address in zip(one.interfaces, has, strict=True)
        )
        if nics == one.interfaces:
            continue
        draft.put(replace(one, interfaces=nics))
        if any(nic.external_ipv4 == NEW_ADDRESS for nic in nics):
            draft.note_of(
                one.name,
                "a reserved address cannot change its tier; the VM gets another address, and "
                "the reserved one is billed as unused until you release it.",
            )


def give_mtu(draft: Draft, aim: Aimed, said: dict[str, WhatifChange]) -> None:
    """Give the networks of machines' first interfaces another MTU, for all who are in them."""
    change = aim.change
    if not change.to.isdigit() or not LEAST_MTU_BYTES <= int(change.to) <= MOST_MTU_BYTES:
        raise change.refused(
            f"{change.to!r} is not an MTU of a VPC network: use {LEAST_MTU_BYTES} to "
            f"{MOST_MTU_BYTES} bytes"
        )
    mtu_bytes = int(change.to)
    for one in aim.machines:
        link = one.primary_network
        network = draft.networks.get(link) if link is not None else None
        if network is None:
            raise change.refused(
                f"the network of {one.name} was not read, so its MTU is unknown: add --inventory"
            )
        other = said.setdefault(network.name, change)
        if other.to != change.to:
            raise change.refused(
                f"the network {network.name} gets the MTU {other.to} from {other.source}: it has "
                "one MTU"
            )
        if network.mtu_bytes != mtu_bytes:
            draft.networks[network.ref.self_link] = replace(network, mtu_bytes=mtu_bytes)
            draft.note(
                f"The MTU of {network.name} applies to all its VMs, which use it after a restart."
            )


def give_plugin(draft: Draft, aim: Aimed) -> None:
    """Take what machines send each other inside the VPC for traffic of pods under a plugin."""
    try:
        default = encapsulation_of(aim.change.to)
    except NetplanError as error:
        raise aim.change.refused(str(error)) from error
    network = PodNetwork(encapsulation=default.encapsulation, encryption=default.encryption)
    for one in aim.machines:
        draft.pods[one.ref.self_link] = aim.change.to, network
    draft.note(
        f"Traffic of these VMs inside the VPC is assumed to be pod traffic with {aim.change.to} "
        f"and its defaults ({default.encapsulation} encapsulation, {default.encryption} "
        "encryption). Rules on the cluster's network are not checked again."
    )


def apply(facts: Facts, changes: Sequence[WhatifChange], known: Known) -> Scenario:
    """Return the facts after changes.

    Args:
        facts: As they are; they stay so.
        changes: In any order.
        known: Zones and types that there are.

    Raises:
        NetplanError: If a change names what is not there, cannot be, or contradicts another.
    """
    return apply_aimed(facts, aimed(facts, changes), known)


def apply_aimed(facts: Facts, aims: Sequence[Aimed], known: Known) -> Scenario:
    """Return the facts after changes whose machines have been found.

    Raises:
        NetplanError: If a change cannot be.
    """
    if not aims:
        return unchanged(facts)
    draft = Draft(facts)
    doings: dict[WhatifField, Callable[[Draft, Aimed], None]] = {
        WhatifField.GROWTH: grow,
        WhatifField.ZONE: partial(put_in_zone, known=known),
        WhatifField.MACHINE_TYPE: partial(give_type, known=known),
        WhatifField.NIC: give_nic,
        WhatifField.TIER_1: give_tier1,
        WhatifField.ADDRESS: use_address,
        WhatifField.NETWORK_TIER: give_tier,
        WhatifField.MTU: partial(give_mtu, said={}),
        WhatifField.PLUGIN: give_plugin,
    }
    for aim in aims:
        doings[aim.change.field](draft, aim)
    check_machines(draft, aims)
    for old in facts.inventory.instances:
        new = draft.instances[old.ref.self_link]
        if new is not old and (status := status_after(facts, old, new)) != old.status:
            draft.put(replace(new, status=status))
            draft.note_of(old.name, _STARTED if status == "RUNNING" else _STOPPED)
    return draft.scenario()


_STARTED = "it is off today, and the change starts it: a new VM is made from its image."
_STOPPED = "it is suspended today, and stopped after the change: its memory is no longer billed."
