"""The needs and the commitments of a fleet from an inventory and its traffic.

Managed groups move as one; commitments are paid whatever is done.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.errors import InputError
from netplan_planner.machines import ties_of
from netplan_planner.machines.groups import why_type_stays
from netplan_planner.model.plans.plan_answer import Shortfall
from netplan_planner.planning.fleet.need import ALL_DAY, FleetNeed, MoveKind
from netplan_planner.planning.fleet.standing import why_in_no_sum
from netplan_planner.throughput.limits.ends import deciding_platform
from netplan_planner.units import HOURS_PER_MONTH
from netplan_rules.shared.seen_needs import (
    SeenNeed,
    Wanted,
    pays_by_core,
    seen_need,
    sized,
    why_kept,
)

_KINDS = frozenset(MoveKind)


class _Wanted(NamedTuple):
    """What one machine needs, or why it stays as it is."""

    instance: model.Instance
    need: SeenNeed
    why_kept: str = ""


def needs_of(
    facts: model.Facts,
    *,
    architecture: str | None,
    any_architecture: bool,
    headroom_ratio: float,
    asked: Collection[MoveKind] = (),
) -> tuple[tuple[FleetNeed, ...], tuple[Shortfall, ...]]:
    """Return the groups of the running machines, and those that no plan can count.

    A machine of which nothing tells what it sends keeps its type, and so does one of which nobody
    asked for the kind of move that another type would be. Those that are stopped or suspended are
    left out.

    Raises:
        InputError: If no machine runs.
    """
    running = [one for one in facts.inventory.instances if not one.is_off]
    if not running:
        raise InputError("no VM of the input is running: there is no fleet to plan")
    groups: dict[tuple[str, ...], list[model.Instance]] = defaultdict(list)
    for instance in running:
        groups[_group_key(facts, instance)].append(instance)
    needs: list[FleetNeed] = []
    kept: list[Shortfall] = []
    for key in sorted(groups):
        members = sorted(groups[key], key=lambda one: one.ref.self_link)
        first = members[0]
        shape = facts.shape(first.machine_type)
        unknown = next(filter(None, (why_in_no_sum(facts, one) for one in members)), "")
        if shape is None or unknown:
            why = unknown or f"vCPUs and memory of {first.machine_type} are unknown"
            kept.append(
                Shortfall(
                    name=_name(facts, members),
                    binding="price" if unknown else "type",
                    shortfall=f"{why}; it is in no total",
                )
            )
            continue
        wanted = [_wanted(facts, one, headroom_ratio, asked) for one in members]
        own = None if any_architecture else architecture or shape.architecture
        need = _need(facts, _name(facts, members), wanted, own)
        needs.append(need)
    return tuple(needs), tuple(kept)


def _group_key(facts: model.Facts, instance: model.Instance) -> tuple[str, ...]:
    """Return what tells a group from others: machines outside of managed groups stand alone."""
    group = facts.inventory.group_by_member.get(instance.ref.self_link)
    managed = group is not None and group.is_managed
    home = group.ref.self_link if group is not None and managed else instance.ref.self_link
    return home, instance.machine_type, instance.bandwidth_tier.value, str(instance.is_spot)


def _name(facts: model.Facts, members: Sequence[model.Instance]) -> str:
    group = facts.inventory.group_by_member.get(members[0].ref.self_link)
    return group.ref.name if group is not None and group.is_managed else members[0].name


def _wanted(
    facts: model.Facts,
    instance: model.Instance,
    headroom_ratio: float,
    asked: Collection[MoveKind],
) -> _Wanted:
    shape = facts.shape(instance.machine_type)
    assert shape is not None
    found = seen_need(facts, instance, shape, headroom_ratio, asked)
    if isinstance(found, str):
        nothing = Wanted(0.0, 0.0, "")
        may_be_asked = why_kept(facts, instance, asked) and not why_kept(facts, instance, _KINDS)
        how = " (--move-price allows this move)" if may_be_asked else ""
        return _Wanted(instance, sized(facts, instance, shape, nothing), f"{found}{how}")
    why = ""
    if shape.is_shared_core and not found.is_busy:
        why = "it has shared cores and sends little: no dedicated core is cheaper"
    return _Wanted(instance, found, why)


def _need(
    facts: model.Facts, name: str, wanted: Sequence[_Wanted], architecture: str | None
) -> FleetNeed:
    """Return the need of a group: of each amount the greatest of its machines."""
    first = wanted[0].instance
    shape = facts.shape(first.machine_type)
    assert shape is not None
    busiest = max((one.need for one in wanted), key=lambda need: need.gbps)
    kept = (why_type_stays(facts, one.instance) or one.why_kept for one in wanted)
    why = next(filter(None, kept), "")
    outside = max(one.need.outside_gbps for one in wanted)
    return FleetNeed(
        name=name,
        zone=first.zone,
        more_zones=tuple(sorted({one.instance.zone for one in wanted} - {first.zone})),
        project=first.project,
        count=len(wanted),
        # What is observed is the sum of both.
        gbps=max(0.0, busiest.gbps - outside),
        outside_gbps=outside,
        vcpus=max(one.need.vcpus for one in wanted),
        memory_gib=max(one.need.memory_gib for one in wanted),
        hours_per_month=Decimal(HOURS_PER_MONTH),
        active_hours=tuple(sorted(ALL_DAY)),
        machine_type=first.machine_type,
        is_tier1=first.bandwidth_tier is model.BandwidthTier.TIER_1,
        cpu_platform=deciding_platform(first),
        architecture=architecture,
        is_pinned=bool(why),
        why_pinned=why,
        is_spot=first.is_spot,
        ties=ties_of(facts.inventory, first, shape),
        has_licences=any(pays_by_core(one.instance) for one in wanted),
        basis=busiest.basis,
        machines=tuple(one.instance.ref.self_link for one in wanted),
    )
