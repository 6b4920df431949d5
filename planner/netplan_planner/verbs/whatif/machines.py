"""Changes of machines themselves: zone, type, interface, Tier_1.

What machines cannot be after changes; judged once all are made, whatever their order.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import near
from netplan_planner.ledger.guards import why_held
from netplan_planner.machines import Fit, can_become, ties_of
from netplan_planner.machines.groups import changed_together, why_together, why_type_stays
from netplan_planner.machines.known import Known
from netplan_planner.verbs.whatif.answer import WhatifChange, WhatifField
from netplan_planner.verbs.whatif.scenario import OF_TEMPLATE, Aimed, Draft

NIC_TYPES = {"gvnic": "GVNIC", "virtio": "VIRTIO_NET"}
"""As people and the Compute API name them."""
LISTED = 3
BOOLEANS = {"true": True, "false": False}
_OF_SIZE = frozenset({model.Metric.VM_CPU, model.Metric.VM_MEMORY})
"""Shares of a machine's own vCPUs and memory."""


def check_machines(draft: Draft, aims: Sequence[Aimed]) -> None:
    """Refuse what no machine can be: judged once all changes are made, whatever their order.

    Raises:
        NetplanError: If a type is not offered in the zone, has not the interface, or no Tier_1.
    """
    for field, why in (
        (WhatifField.MACHINE_TYPE, _why_not_offered),
        (WhatifField.ZONE, _why_not_offered),
        (WhatifField.NIC, _why_not_nic),
        (WhatifField.MACHINE_TYPE, _why_not_nic),
        (WhatifField.TIER_1, _why_not_tier1),
        (WhatifField.MACHINE_TYPE, _why_not_tier1),
        (WhatifField.NIC, _why_not_tier1),
    ):
        for change, machines, _ in aims:
            if change.field is field:
                before = draft.facts.inventory.instance_by_link
                changed = [
                    one for one in draft.machines(machines) if one is not before[one.ref.self_link]
                ]
                refuse_some(change, changed, lambda one, why=why: why(draft, one))  # type: ignore[misc]
    of_template = (one for aim in aims if aim.change.field in OF_TEMPLATE for one in aim.machines)
    for one in {one.ref.self_link: one for one in of_template}.values():
        if kept := why_type_stays(draft.facts, one):
            draft.against(one.name, "change", kept)
    for aim in aims:
        _say_whole_groups(draft, aim)


def _say_whole_groups(draft: Draft, aim: Aimed) -> None:
    """Say which machines change because another one of their group does."""
    if aim.change.field not in OF_TEMPLATE or aim.named_count == len(aim.machines):
        return
    for first, *_ in changed_together(draft.facts, aim.machines):
        if why := why_together(draft.facts, first):
            draft.note(
                f"{aim.change.label}: {why}, so the change is made, and priced, for all of them."
            )


def refuse_some(
    change: WhatifChange, machines: Sequence[model.Instance], why: Callable[[model.Instance], str]
) -> None:
    """Refuse a change that some of its machines cannot have.

    Raises:
        NetplanError: It names the first, and how many there are.
    """
    refused = [(one, text) for one in machines if (text := why(one))]
    if not refused:
        return
    first, text = refused[0]
    more = ""
    if len(refused) > 1:
        names = ", ".join(one.name for one, _ in refused[1 : LISTED + 1])
        left = f" and {len(refused) - LISTED - 1} more" if len(refused) > LISTED + 1 else ""
        more = f" (also {names}{left}: leave them out)"
    raise change.refused(f"{first.name} {text}{more}")


def _why_not_offered(draft: Draft, one: model.Instance) -> str:
    prices, name = draft.facts.prices, one.machine_type
    if draft.facts.inventory.shape_by_type.get(name) is None and "custom" in name:
        return ""  # where custom types are offered follows from their price, which is asked for
    zones = prices.zones(name)
    if zones is not None:
        if one.zone in zones:
            return ""
        here = [zone for zone in zones if model.region_of(model.Zone(zone)) == one.region]
        where = (
            ", ".join(here)
            if here
            else near(one.region, {model.region_of(model.Zone(z)) for z in zones})
        )
        return (
            f"would be {name} in {one.zone}, which does not offer it (offered: {where or zones[0]})"
        )
    if one.region in prices.regions() and not prices.is_offered(one.region, name):
        offering = [region for region in prices.regions() if prices.is_offered(region, name)]
        where = ", ".join(offering[:LISTED]) or "no known region"
        return f"would be {name} in {one.region}, which does not offer it (offered: {where})"
    return ""


def _why_not_nic(draft: Draft, one: model.Instance) -> str:
    possible = {
        kind for cap in draft.facts.caps.variants(one.machine_type) for kind in cap.nic_types
    }
    stated = {nic.nic_type for nic in one.interfaces if nic.nic_type}
    if possible and not stated <= possible:
        words = {kind: word for word, kind in NIC_TYPES.items()}
        has = ", ".join(sorted(words.get(kind, kind) for kind in possible))
        return (
            f"would have {', '.join(sorted(stated - possible))}, but {one.machine_type} does not "
            f"support it: change it with --nic ({has})"
        )
    before = draft.facts.inventory.instance_by_link[one.ref.self_link]
    is_new = "GVNIC" in stated - {nic.nic_type for nic in before.interfaces}
    if is_new and one.guest_os_features and "GVNIC" not in one.guest_os_features:
        return "starts from an image that does not state the feature GVNIC: use one that does"
    if is_new and not one.guest_os_features:
        draft.note_of(one.name, "it is unknown whether its image has the gVNIC driver.")
    return ""


def _why_not_tier1(draft: Draft, one: model.Instance) -> str:
    if one.bandwidth_tier is not model.BandwidthTier.TIER_1:
        return ""
    variants = draft.facts.caps.variants(one.machine_type)
    if variants and not any(cap.is_tier1 for cap in variants):
        least = _least_with_tier1(draft, one)
        return (
            f"would be {one.machine_type} with Tier_1, but the type does not support it: "
            f"{f'the smallest of its series with it is {least}, or ' if least else ''}use "
            "--no-tier1"
        )
    stated = {nic.nic_type for nic in one.interfaces}
    if any(kind is not None and kind != "GVNIC" for kind in stated):
        return "would have Tier_1 on VirtIO, but Tier_1 needs gVNIC: add --nic gvnic"
    if None in stated and any(cap.may_use("VIRTIO_NET") for cap in variants):
        draft.note_of(one.name, "Tier_1 needs gVNIC; the type of its interface is unknown.")
    return ""


def _least_with_tier1(draft: Draft, one: model.Instance) -> str:
    """Return the smallest type of a machine's series that has Tier_1 in its region, or nothing."""
    prices, caps = draft.facts.prices, draft.facts.caps
    if one.region not in prices.regions():
        return ""
    found = [
        (shape.vcpus, shape.memory_gib, shape.machine_type)
        for shape in prices.offered(one.region)
        if model.series_of(shape.machine_type) == one.series
        and any(cap.is_tier1 for cap in caps.variants(shape.machine_type))
    ]
    return min(found)[2] if found else ""


def put_in_zone(draft: Draft, aim: Aimed, known: Known) -> None:
    """Move machines, with the path classes of all that they send and receive.

    A measured round-trip time no longer holds. In another region the machine is in a subnetwork of
    its networks there, and its internal addresses are others, which changes no figure.
    """
    change, zone = aim.change, model.Zone(aim.change.to)
    if wrong := known.check_zone(zone):
        raise change.refused(f"zone {zone}: {wrong}")
    moved = [one for one in draft.machines(aim.machines) if one.zone != zone]
    refuse_some(change, moved, _why_bound_to_zone)
    for one in moved:
        move = model.Change(kind=model.ChangeKind.ZONE, target=one.ref.self_link, to=zone)
        if why := why_held(draft.state, move):
            draft.against(one.name, "move", why)
        draft.state.apply(move)
        is_elsewhere = one.region != model.region_of(zone)
        interfaces = one.interfaces
        if is_elsewhere:
            interfaces = tuple(
                _nic_in(draft, change, one, draft.without_reserved(nic), zone) for nic in interfaces
            )
            _say_of_region(draft, one, zone)
        if one.local_ssd_count:
            draft.note_of(one.name, "data on its Local SSDs does not move with it.")
        draft.put(replace(one, zone=zone, interfaces=interfaces))
    owners = draft.owner_numbers(moved)
    for number in owners:
        instance = draft.instances[draft.owners[number].link]  # type: ignore[index]
        nic = instance.interfaces[0] if instance.interfaces else None
        is_first = nic is not None and draft.owners[number].network == nic.network
        draft.owners[number] = replace(
            draft.owners[number],
            zone=zone,
            region=model.region_of(zone),
            subnetwork=nic.subnetwork
            if nic is not None and is_first
            else draft.owners[number].subnetwork,
        )
    draft.replace_edges(lambda edge: _between(draft, edge, owners))


def _between(draft: Draft, edge: model.Edge, owners: set[int]) -> model.Edge:
    if edge.src not in owners and edge.dst not in owners:
        return edge
    src, dst = draft.owners[edge.src].zone, draft.owners[edge.dst].zone
    path_class = edge.path_class
    if path_class.distance is not None and src and dst:
        path_class = path_class.between(src, dst)
    return replace(edge, path_class=path_class, rtt_ms=None)


def _why_bound_to_zone(one: model.Instance) -> str:
    if one.reservation is not None:
        return f"uses the reservation {one.reservation}, which is in {one.zone}"
    if one.is_sole_tenant:
        return f"runs on sole-tenant nodes, which are in {one.zone}"
    return ""


def _nic_in(
    draft: Draft,
    change: WhatifChange,
    one: model.Instance,
    nic: model.NetworkInterface,
    zone: model.Zone,
) -> model.NetworkInterface:
    """Return an interface in its network's subnetwork of another region."""
    region = model.region_of(zone)
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
            f"{one.name}: its network {name} has no subnetwork in {region}: create one first, or "
            f"choose a region that has one ({_regions(of_network)})"
        )
    chosen = min(there, key=lambda found: (found.purpose not in {None, "PRIVATE"}, found.name))
    if len(there) > 1:
        draft.note_of(
            one.name, f"among the subnetworks of {name} in {region}, {chosen.name} is used."
        )
    return replace(nic, subnetwork=chosen.ref.self_link)


def _regions(subnetworks: Sequence[object]) -> str:
    found = sorted({str(getattr(one, "region", "")) for one in subnetworks})
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return ", ".join(found[:LISTED]) + more


def _say_of_region(draft: Draft, one: model.Instance, zone: model.Zone) -> None:
    inventory = draft.facts.inventory
    there = replace(one, zone=zone)
    for nic in one.interfaces:
        if inventory.nat_of(one, nic) is not None and inventory.nat_of(there, nic) is None:
            draft.note_of(
                one.name,
                "it reaches the internet through Cloud NAT, but no gateway in "
                f"{model.region_of(zone)} was read: it needs one there.",
            )
    draft.note(
        "A VM in another region gets new internal addresses, and external addresses of that "
        "region. Clients that use its IP address must learn the new one."
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
        is_same = model.series_of(new) == one.series
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
            and series.resource.kind is model.MeasuredKind.MACHINE
            and series.resource.link in links
        )
    )


def _why_not_type(draft: Draft, one: model.Instance, new: str) -> str:
    """Return why a machine cannot become a type, or nothing; what to look at becomes a note."""
    facts = draft.facts
    shape, old = facts.shape(new), facts.shape(one.machine_type)
    if shape is None:
        return f"cannot become {new}: the type is unknown"
    if old is None:
        draft.note_of(
            one.name,
            f"the hardware of its type {one.machine_type} is unknown, so it was not checked "
            f"whether {new} supports its disks.",
        )
        return ""
    verdict = can_become(ties_of(facts.inventory, one, old), shape)
    if verdict.fit is Fit.NO:
        return f"cannot become {new}: {verdict.text}"
    if verdict.fit is Fit.CHECK:
        draft.note(f"Check before {new}: {verdict.text}.")
    if one.unknown_parts:
        draft.note_of(one.name, f"{one.why_unknown}: check them before {new}.")
    if shape.architecture != old.architecture and shape.architecture and old.architecture:
        draft.note(f"{new} is {shape.architecture}: it needs another image.")
    if one.local_ssd_count or one.gpu_count or old.gpu_count:
        draft.note(f"{one.name} has Local SSDs or GPUs: another type needs a new VM.")
    return ""


def give_nic(draft: Draft, aim: Aimed) -> None:
    """Give all interfaces of machines another type."""
    kind = NIC_TYPES.get(aim.change.to)
    if kind is None:
        raise aim.change.refused(f"{aim.change.to!r} is not an interface type: use gvnic or virtio")
    for one in draft.machines(aim.machines):
        if not one.interfaces:
            raise aim.change.refused(f"{one.name} has no known interface")
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
    tier = model.BandwidthTier.TIER_1 if is_on else model.BandwidthTier.DEFAULT
    for one in draft.machines(aim.machines):
        if one.bandwidth_tier is not tier:
            draft.put(replace(one, bandwidth_tier=tier))
