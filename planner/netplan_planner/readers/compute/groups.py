"""Instance groups, their managers and commitments of the Compute API as values of the model."""

from netplan_planner.model import Commitment, InstanceGroup, Region, ResourceRef
from netplan_planner.readers import links
from netplan_planner.readers.compute.wire import (
    LARGEST_COUNT,
    LongNumber,
    WireCommitment,
    WireInstanceGroup,
    WireManager,
)


def instance_group(
    wire: WireInstanceGroup, ref: ResourceRef, problems: links.Problems
) -> InstanceGroup:
    """Return one instance group; its members stand in another method's answer, not in this one.

    Raises:
        Unusable: If it names neither zone nor region.
    """
    project, _, _, name = links.place_of(ref.self_link)
    location, is_regional = _location(ref, wire.zone, wire.region)
    return InstanceGroup(
        ref=ref,
        project=project,
        name=wire.name or name,
        is_managed=False,
        is_regional=is_regional,
        location=location,
        size=wire.size,
    )


def group_manager(wire: WireManager, ref: ResourceRef, problems: links.Problems) -> InstanceGroup:
    """Return one instance group manager.

    Raises:
        Unusable: If it names neither zone nor region.
    """
    project, _, _, name = links.place_of(ref.self_link)
    location, is_regional = _location(ref, wire.zone, wire.region)
    template = wire.instance_template or next(
        (version.instance_template for version in wire.versions if version.instance_template), None
    )
    return InstanceGroup(
        ref=ref,
        project=project,
        name=wire.name or name,
        is_managed=True,
        is_regional=is_regional,
        location=location,
        size=wire.target_size,
        template=links.resolve_optional(template, project),
        instance_group=links.resolve_optional(wire.instance_group, project),
        base_instance_name=wire.base_instance_name,
        is_autoscaled=wire.status is not None and bool(wire.status.autoscaler),
    )


def _location(ref: ResourceRef, zone: str | None, region: str | None) -> tuple[str, bool]:
    _, scope, place, _ = links.place_of(ref.self_link)
    if scope in {"zones", "regions"}:
        return place, scope == "regions"
    return links.bare_name(links.needed(zone or region, "zone or region")), not zone


def commitment(wire: WireCommitment, ref: ResourceRef, problems: links.Problems) -> Commitment:
    """Return one commitment; memory in MiB, as the API counts it.

    Raises:
        Unusable: If it has no region.
    """
    project, _, _, name = links.place_of(ref.self_link)
    amounts: dict[str, int] = {}
    for index, part in enumerate(wire.resources):
        amount = _whole(part.amount)
        if part.type and amount is not None:
            amounts[part.type] = amounts.get(part.type, 0) + amount
        else:
            problems.append((f"resources[{index}]", "no type or no whole amount"))
    return Commitment(
        ref=ref,
        project=project,
        name=wire.name or name,
        region=Region(links.needed(links.region_at(ref.self_link, wire.region), "region")),
        plan=wire.plan,
        category=wire.category,
        commitment_type=wire.type,
        status=wire.status,
        vcpu_count=amounts.get("VCPU"),
        memory_mib=amounts.get("MEMORY"),
        ends=wire.end_timestamp,
        others=tuple(sorted(set(amounts) - {"VCPU", "MEMORY"})),
        is_renewed=wire.auto_renew,
    )


def _whole(amount: LongNumber | None) -> int | None:
    text = str(amount)
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(LARGEST_COUNT)):
        return None
    return int(text) if int(text) <= LARGEST_COUNT else None
