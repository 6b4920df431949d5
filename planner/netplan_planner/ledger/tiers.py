"""Which network tier an external address may have, and which one a machine's next one gets."""

from collections import defaultdict

from netplan_planner import model
from netplan_planner.machines.groups import changed_together, name_stem
from netplan_planner.paths.machines import is_gke_node
from netplan_planner.paths.priced_paths import PREMIUM

STANDARD = "STANDARD"


class _Spread(model.Value, frozen=True, kw_only=True):
    """Services, by project and name, of which machines stand in several regions."""

    services: frozenset[tuple[str, str]]


def service_in_regions(facts: model.Facts, machine: model.Instance) -> str:
    """Return the service of a machine that stands in several regions, near users; else nothing."""
    found = facts.memo.get(_Spread)
    if not isinstance(found, _Spread):
        regions: dict[tuple[str, str], set[model.Region]] = defaultdict(set)
        for one in facts.inventory.instances:
            regions[one.project, name_stem(one.name)].add(one.region)
        services = frozenset(of for of, where in regions.items() if len(where) > 1)
        found = facts.memo[_Spread] = _Spread(services=services)
    service = name_stem(machine.name)
    return service if (machine.project, service) in found.services else ""


def may_be_standard(machine: model.Instance) -> bool:
    """Return whether nothing keeps a machine's addresses on Premium Tier."""
    return (
        machine.label(model.LATENCY_LABEL) != model.LATENCY_CRITICAL
        and machine.label(model.PIN_LABEL) is None
        and not is_gke_node(machine)
        and not any(nic.external_ipv6 for nic in machine.interfaces)
    )


def next_tier(facts: model.Facts, machine: model.Instance, chosen: str | None) -> str:
    """Return the tier of the external address that a machine gets beside those that it has.

    That of its own ones; else what a plan has chosen where it stands, if the machine, and all that
    one template makes with it, may have that; else Premium, which Google takes unless it is told.

    Args:
        facts: The project.
        machine: As it is by then.
        chosen: What changes before have given machines of its project and region; None: nothing.
    """
    own = {nic.network_tier or PREMIUM for nic in machine.interfaces if nic.may_be_external}
    if len(own) == 1:
        return own.pop()
    if chosen != STANDARD:
        return chosen or PREMIUM
    return STANDARD if machine.ref.self_link in _free(facts) else PREMIUM


class _Free(model.Value, frozen=True, kw_only=True):
    """Machines that may have Standard Tier, and all that one template makes with them."""

    links: frozenset[model.SelfLink]


def _free(facts: model.Facts) -> frozenset[model.SelfLink]:
    found = facts.memo.get(_Free)
    if not isinstance(found, _Free):
        links = frozenset(
            one.ref.self_link
            for group in changed_together(facts, facts.inventory.instances)
            if all(may_be_standard(one) and not service_in_regions(facts, one) for one in group)
            for one in group
        )
        found = facts.memo[_Free] = _Free(links=links)
    return found.links
