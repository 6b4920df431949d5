"""Changes of machines themselves: zone, type, interface, Tier_1."""

from collections.abc import Sequence

from msgspec.structs import replace

from netplan_planner.machines import Fit, can_become, ties_of
from netplan_planner.machines.known import Known
from netplan_planner.model import (
    BandwidthTier,
    Edge,
    Instance,
    MeasuredKind,
    Metric,
    NetworkInterface,
    Zone,
    region_of,
    series_of,
)
from netplan_planner.model.whatif import WhatifChange
from netplan_planner.optimise.whatif.checks import LISTED, NIC_TYPES, refuse_some
from netplan_planner.optimise.whatif.draft import Draft
from netplan_planner.optimise.whatif.selecting import Aimed

BOOLEANS = {"true": True, "false": False}
_OF_SIZE = frozenset({Metric.VM_CPU, Metric.VM_MEMORY})
"""Shares of a machine's own vCPUs and memory."""


def put_in_zone(draft: Draft, aim: Aimed, known: Known) -> None:
    """Move machines, with the path classes of all that they send and receive.

    A measured round-trip time no longer holds. In another region the machine is in a subnetwork of
    its networks there, and its internal addresses are others, which changes no figure.
    """
    change, zone = aim.change, Zone(aim.change.to)
    if wrong := known.check_zone(zone):
        raise change.refused(f"zone {zone}: {wrong}")
    moved = [one for one in draft.machines(aim.machines) if one.zone != zone]
    refuse_some(change, moved, _why_bound_to_zone)
    for one in moved:
        is_elsewhere = one.region != region_of(zone)
        interfaces = one.interfaces
        if is_elsewhere:
            interfaces = tuple(_nic_in(draft, change, one, nic, zone) for nic in interfaces)
            _say_of_region(draft, one, zone)
        if one.local_ssd_count:
            draft.note_of(one.name, "what is on its Local SSDs does not move with it.")
        draft.put(replace(one, zone=zone, interfaces=interfaces))
    owners = draft.owner_numbers(moved)
    for number in owners:
        instance = draft.instances[draft.owners[number].link]  # type: ignore[index]
        nic = instance.interfaces[0] if instance.interfaces else None
        is_first = nic is not None and draft.owners[number].network == nic.network
        draft.owners[number] = replace(
            draft.owners[number],
            zone=zone,
            region=region_of(zone),
            subnetwork=nic.subnetwork
            if nic is not None and is_first
            else draft.owners[number].subnetwork,
        )
    draft.replace_edges(lambda edge: _between(draft, edge, owners))


def _between(draft: Draft, edge: Edge, owners: set[int]) -> Edge:
    if edge.src not in owners and edge.dst not in owners:
        return edge
    src, dst = draft.owners[edge.src].zone, draft.owners[edge.dst].zone
    path_class = edge.path_class
    if path_class.distance is not None and src and dst:
        path_class = path_class.between(src, dst)
    return replace(edge, path_class=path_class, rtt_ms=None)


def _why_bound_to_zone(one: Instance) -> str:
    if one.reservation is not None:
        return f"holds the reservation {one.reservation}, which is of {one.zone}"
    if one.is_sole_tenant:
        return f"runs on sole-tenant nodes, which are in {one.zone}"
    return ""


def _nic_in(
    draft: Draft, change: WhatifChange, one: Instance, nic: NetworkInterface, zone: Zone
) -> NetworkInterface:
    """Return an interface in its network's subnetwork of another region."""
    region = region_of(zone)
    of_network = [
        subnetwork
        for subnetwork in draft.facts.inventory.subnetworks
        if subnetwork.network == nic.network
    ]
    if nic.subnetwork is None or not of_network:
        return nic  # a legacy network has none, and some inputs do not tell of them
    there = [one for one in of_network if one.region == region]
    name = nic.network.rpartition("/")[2]
    if not there:
        raise change.refused(
            f"{one.name}: its network {name} has no subnetwork in {region}: make one first, or"
            f" choose a region that has ({_regions(of_network)})"
        )
    chosen = min(there, key=lambda found: (found.purpose not in {None, "PRIVATE"}, found.name))
    if len(there) > 1:
        draft.note_of(
            one.name, f"of the subnetworks of {name} in {region}, {chosen.name} is taken."
        )
    return replace(nic, subnetwork=chosen.ref.self_link)


def _regions(subnetworks: Sequence[object]) -> str:
    found = sorted({str(getattr(one, "region", "")) for one in subnetworks})
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return ", ".join(found[:LISTED]) + more


def _say_of_region(draft: Draft, one: Instance, zone: Zone) -> None:
    inventory = draft.facts.inventory
    there = replace(one, zone=zone)
    for nic in one.interfaces:
        if inventory.nat_of(one, nic) is not None and inventory.nat_of(there, nic) is None:
            draft.note_of(
                one.name,
                "it reaches the internet by Cloud NAT, and no gateway was read in"
                f" {region_of(zone)}: it needs one there.",
            )
    draft.note(
        "A machine in another region has other internal addresses, and external ones of that"
        " region; who calls it by number has to learn them."
    )


def give_type(draft: Draft, aim: Aimed, known: Known) -> None:
    """Give machines another type. Tier_1 stays; a CPU platform stays within a series.

    What was measured as a share of the old size says nothing of the new one, and is left out.
    """
    change, new = aim.change, aim.change.to
    if wrong := known.check_type(new):
        raise change.refused(f"machine type {new}: {wrong}")
    changed = [one for one in draft.machines(aim.machines) if one.machine_type != new]
    refuse_some(change, changed, lambda one: _why_not_type(draft, one, new))
    for one in changed:
        is_same = series_of(new) == one.series
        draft.put(
            replace(
                one,
                machine_type=new,
                cpu_platform=one.cpu_platform if is_same else None,
                min_cpu_platform=one.min_cpu_platform if is_same else None,
            )
        )
    links = {one.ref.self_link for one in changed}
    draft.without_metrics(
        lambda series: (
            series.metric in _OF_SIZE
            and series.resource.kind is MeasuredKind.MACHINE
            and series.resource.link in links
        )
    )


def _why_not_type(draft: Draft, one: Instance, new: str) -> str:
    """Return why a machine cannot become a type, or nothing; what to look at becomes a note."""
    facts = draft.facts
    shape, old = facts.shape(new), facts.shape(one.machine_type)
    if shape is None:
        return f"cannot become {new}, of which nothing is known"
    if old is None:
        draft.note_of(
            one.name,
            f"what its type {one.machine_type} has is not known, so nobody looked"
            f" whether {new} takes its disks.",
        )
        return ""
    verdict = can_become(ties_of(facts.inventory, one, old), shape)
    if verdict.fit is Fit.NO:
        return f"cannot become {new}: {verdict.text}"
    if verdict.fit is Fit.CHECK:
        draft.note(f"To look at before {new}: {verdict.text}.")
    if one.unknown_parts:
        draft.note_of(one.name, f"{one.why_unknown}: look at them before {new}.")
    if shape.architecture != old.architecture and shape.architecture and old.architecture:
        draft.note(f"{new} is {shape.architecture}: it needs another image.")
    if one.local_ssd_count or one.gpu_count or old.gpu_count:
        draft.note(f"{one.name} has Local SSDs or GPUs: another type takes a new machine.")
    return ""


def give_nic(draft: Draft, aim: Aimed) -> None:
    """Give all interfaces of machines another type."""
    kind = NIC_TYPES.get(aim.change.to)
    if kind is None:
        raise aim.change.refused(f"{aim.change.to!r} is no interface: gvnic or virtio")
    for one in draft.machines(aim.machines):
        if not one.interfaces:
            raise aim.change.refused(f"{one.name} has no interface that was read")
        nics = tuple(
            nic if nic.nic_type == kind else replace(nic, nic_type=kind) for nic in one.interfaces
        )
        if nics != one.interfaces:
            draft.put(replace(one, interfaces=nics))


def give_tier1(draft: Draft, aim: Aimed) -> None:
    """Switch Tier_1 on or off."""
    is_on = BOOLEANS.get(aim.change.to)
    if is_on is None:
        raise aim.change.refused(f"tier1 is true or false, not {aim.change.to!r}")
    tier = BandwidthTier.TIER_1 if is_on else BandwidthTier.DEFAULT
    for one in draft.machines(aim.machines):
        if one.bandwidth_tier is not tier:
            draft.put(replace(one, bandwidth_tier=tier))
