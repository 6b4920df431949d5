"""Google's recommendations of machine types that would cut a busy sender below its traffic."""

from collections.abc import Iterator

from netplan_planner.model import Facts, FleetAdvice, FleetGroup, Hit
from netplan_rules.capacity.cpu_advice_breaks_bandwidth import check


def breaking_advice(facts: Facts, groups: tuple[FleetGroup, ...]) -> Iterator[FleetAdvice]:
    """Yield each, as the audit finds it, with the plan's type instead."""
    group_of = {link: group for group in groups for link in group.machines}
    advised = {one.ref.self_link: one.machine_type for one in facts.inventory.type_recommendations}
    for hit in check(facts):
        if not isinstance(hit, Hit):
            continue
        machine, advice = hit.resources
        group = group_of.get(machine.self_link)
        tier1 = " with Tier_1" if group is not None and group.is_tier1 else ""
        yield FleetAdvice(
            machine=machine.name,
            recommended=advised[advice.self_link],
            says=str(hit.message),
            instead=f"{group.machine_type}{tier1}" if group is not None else "",
        )
