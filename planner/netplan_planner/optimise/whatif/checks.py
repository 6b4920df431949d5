"""What machines cannot be after changes; judged once all are made, whatever their order."""

from collections.abc import Callable, Sequence

from netplan_planner.machines.known import near
from netplan_planner.model import BandwidthTier, Instance, Zone, region_of, series_of
from netplan_planner.model.whatif import WhatifChange, WhatifField
from netplan_planner.optimise.whatif.draft import Draft
from netplan_planner.optimise.whatif.selecting import Aimed

NIC_TYPES = {"gvnic": "GVNIC", "virtio": "VIRTIO_NET"}
"""As people and the Compute API name them."""
LISTED = 3


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
        for change, machines in aims:
            if change.field is field:
                before = draft.facts.inventory.instance_by_link
                changed = [
                    one for one in draft.machines(machines) if one is not before[one.ref.self_link]
                ]
                refuse_some(change, changed, lambda one, why=why: why(draft, one))  # type: ignore[misc]


def refuse_some(
    change: WhatifChange, machines: Sequence[Instance], why: Callable[[Instance], str]
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
        more = f" (so do {names}{left}: leave them out)"
    raise change.refused(f"{first.name} {text}{more}")


def _why_not_offered(draft: Draft, one: Instance) -> str:
    prices, name = draft.facts.prices, one.machine_type
    if draft.facts.inventory.shape_by_type.get(name) is None and "custom" in name:
        return ""  # where custom types are offered follows from their price, which is asked for
    zones = prices.zones(name)
    if zones is not None:
        if one.zone in zones:
            return ""
        here = [zone for zone in zones if region_of(Zone(zone)) == one.region]
        where = ", ".join(here) if here else near(one.region, {region_of(Zone(z)) for z in zones})
        return (
            f"would be {name} in {one.zone}, which does not offer it (offered: {where or zones[0]})"
        )
    if one.region in prices.regions() and not prices.is_offered(one.region, name):
        offering = [region for region in prices.regions() if prices.is_offered(region, name)]
        where = ", ".join(offering[:LISTED]) or "no region that is known"
        return f"would be {name} in {one.region}, which does not offer it (offered: {where})"
    return ""


def _why_not_nic(draft: Draft, one: Instance) -> str:
    possible = {
        kind for cap in draft.facts.caps.variants(one.machine_type) for kind in cap.nic_types
    }
    stated = {nic.nic_type for nic in one.interfaces if nic.nic_type}
    if possible and not stated <= possible:
        words = {kind: word for word, kind in NIC_TYPES.items()}
        has = ", ".join(sorted(words.get(kind, kind) for kind in possible))
        return (
            f"would have {', '.join(sorted(stated - possible))}, which {one.machine_type} has not:"
            f" change it with --nic ({has})"
        )
    before = draft.facts.inventory.instance_by_link[one.ref.self_link]
    is_new = "GVNIC" in stated - {nic.nic_type for nic in before.interfaces}
    if is_new and one.guest_os_features and "GVNIC" not in one.guest_os_features:
        return "starts from an image that does not state the feature GVNIC: take one that does"
    if is_new and not one.guest_os_features:
        draft.note_of(one.name, "whether its image has the driver of gVNIC was not read.")
    return ""


def _why_not_tier1(draft: Draft, one: Instance) -> str:
    if one.bandwidth_tier is not BandwidthTier.TIER_1:
        return ""
    variants = draft.facts.caps.variants(one.machine_type)
    if variants and not any(cap.is_tier1 for cap in variants):
        least = _least_with_tier1(draft, one)
        return (
            f"would be {one.machine_type} with Tier_1, which that type has not:"
            f" {f'the least of its series with it is {least}, or ' if least else ''}take --no-tier1"
        )
    stated = {nic.nic_type for nic in one.interfaces}
    if any(kind is not None and kind != "GVNIC" for kind in stated):
        return "would have Tier_1 on VirtIO, which it needs gVNIC for: give --nic gvnic with it"
    if None in stated and any(cap.may_use("VIRTIO_NET") for cap in variants):
        draft.note_of(one.name, "Tier_1 needs gVNIC; the type of its interface was not read.")
    return ""


def _least_with_tier1(draft: Draft, one: Instance) -> str:
    """Return the smallest type of a machine's series that has Tier_1 in its region, or nothing."""
    prices, caps = draft.facts.prices, draft.facts.caps
    if one.region not in prices.regions():
        return ""
    found = [
        (shape.vcpus, shape.memory_gib, shape.machine_type)
        for shape in prices.offered(one.region)
        if series_of(shape.machine_type) == one.series
        and any(cap.is_tier1 for cap in caps.variants(shape.machine_type))
    ]
    return min(found)[2] if found else ""
