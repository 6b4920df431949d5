"""Makes changes on a made project: what becomes of it, whatever commands said.

What is done to a member of a managed group is done to all of it, since they share a template.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from advice_commands import joined, last, new_internal, new_ip, released, without_gateway
from advice_prices import WITH_LOCAL_SSD, Prices, series_of
from advice_state import STANDARD, Machine, Project, region_of

Key = tuple[str, str, str]
PEERED = "after peering"
"""Of a step that says by text alone that the networks are peered first."""


class Step(NamedTuple):
    """One change, as a report asks for it."""

    rule: str
    kind: str
    target: str
    """Self links, or the end of one."""
    destination: str = ""
    to: str = ""
    subject: str = ""
    commands: tuple[str, ...] = ()
    clean_up: tuple[str, ...] = ()
    """Commands once all is well."""
    is_scripted: bool = False
    """Whether commands make all of the change, those of another place of it perhaps."""

    @property
    def key(self) -> Key:
        """What the step is about, whatever zone its ends are in by now."""
        return self.rule, last(self.target), last(self.destination)


Change = Callable[[Project, Step, Prices], Project]


def _machine(project: Project, link: str) -> Machine:
    """Return the machine of a link, or one of a managed group's."""
    name = last(link)
    of_group = next((one for one in project.machines.values() if one.group == name), None)
    machine = project.machines.get(project.aliases.get(name, name), of_group)
    if machine is None:
        raise LookupError(f"there is no machine {last(link)}")
    return machine


def _all_of(project: Project, machine: Machine) -> list[Machine]:
    if not machine.group:
        return [machine]
    return [one for one in project.machines.values() if one.group == machine.group]


def _retype(project: Project, step: Step, prices: Prices) -> Project:
    for machine in _all_of(project, _machine(project, step.target)):
        if not prices.is_offered(step.to, machine.zone):
            raise LookupError(f"{machine.zone} has no {step.to}")
        if machine.local_ssds and series_of(step.to) not in WITH_LOCAL_SSD:
            raise LookupError(f"{step.to} takes no Local SSD, of which {machine.name} has some")
        if machine.reservation and machine.machine_type != step.to:
            raise LookupError(f"{machine.name} starts as what its reservation holds alone")
        project = project.with_machine(replace(machine, machine_type=step.to, is_tier1=False))
    return project


def _move(project: Project, step: Step, prices: Prices) -> Project:
    first, zone = _machine(project, step.target), step.to
    region = region_of(zone)
    if project.groups.get(first.group, first.zone) != first.zone:
        raise LookupError(f"{first.group} spreads over its region: none of it is moved")
    for machine in _all_of(project, first):
        if not prices.is_offered(machine.machine_type, zone):
            raise LookupError(f"{zone} has no {machine.machine_type}")
        if machine.reservation:
            raise LookupError(f"{machine.name} runs on a reservation in {machine.zone}")
        if region not in project.networks[machine.network].ranges:
            raise LookupError(f"{machine.network} has no subnetwork in {region}")
        moved = replace(machine, zone=zone)
        if region != machine.region:
            moved = replace(moved, internal_ip=new_internal(project, machine.network, region))
            if machine.external_ip:
                moved = replace(moved, external_ip=new_ip(project))
        project = project.with_machine(moved)
    groups = {**project.groups, first.group: zone} if first.group else project.groups
    project = replace(project, groups=groups)
    return _use_internal(project, step, prices) if step.destination else project


def _use_internal(project: Project, step: Step, prices: Prices) -> Project:
    one, other = _machine(project, step.target), _machine(project, step.destination)
    if step.to == PEERED and not project.are_joined(one.network, other.network):
        project = joined(project, one.network, other.network)
        project = joined(project, other.network, one.network)
    return _inside(project, {(one.name, other.name), (other.name, one.name)})


def _inside(project: Project, pairs: set[tuple[str, str]]) -> Project:
    for src, dst in pairs:
        one, other = project.machines[src].network, project.machines[dst].network
        if not project.are_joined(one, other):
            raise LookupError(f"{one} and {other} are not joined")
    flows = tuple(
        replace(flow, over_external=False) if (flow.src, flow.dst) in pairs else flow
        for flow in project.flows
    )
    return replace(project, flows=flows)


def _release(project: Project, step: Step, prices: Prices) -> Project:
    for link in (step.target, step.destination):
        if "/addresses/" in link and last(link) in project.addresses:
            project = released(project, last(link))
    if "/addresses/" in step.target:
        return project
    for machine in _all_of(project, _machine(project, step.target)):
        project = project.with_machine(replace(machine, external_ip=""))
    return project


def _switch_tier(project: Project, step: Step, prices: Prices) -> Project:
    for machine in _all_of(project, _machine(project, step.target)):
        if not machine.external_ip:
            raise LookupError(f"{machine.name} has no external address")
        ip, tier = new_ip(project), step.to.upper() or STANDARD
        if machine.tier == tier:  # by its commands
            continue
        project = project.with_machine(replace(machine, external_ip=ip, tier=tier))
    return project


def _give_address(project: Project, step: Step, prices: Prices) -> Project:
    for machine in _all_of(project, _machine(project, step.target)):
        if not machine.external_ip:
            tier = step.to or machine.tier
            given = replace(machine, external_ip=new_ip(project), tier=tier)
            project = project.with_machine(given)
    return project


def _delete_gateway(project: Project, step: Step, prices: Prices) -> Project:
    gateway = project.gateways.get(last(step.target))
    return project if gateway is None else without_gateway(project, gateway)


def _set(**values: Any) -> Change:
    def change(project: Project, step: Step, prices: Prices) -> Project:
        for machine in _all_of(project, _machine(project, step.target)):
            project = project.with_machine(replace(machine, **values))
        return project

    return change


def _tier_1(project: Project, step: Step, prices: Prices) -> Project:
    """Return the project with Tier_1 of a machine, which may be another type with it."""
    if step.to:
        project = _retype(project, step, prices)
    return _set(is_tier1=True)(project, step, prices)


def nothing(project: Project, step: Step, prices: Prices) -> Project:
    """Return the project as it is."""
    return project


def _peer(project: Project, step: Step, prices: Prices) -> Project:
    one, other = last(step.target), last(step.destination)
    for name in (one, other):
        if name not in project.networks:
            raise LookupError(f"there is no network {name}")
    return joined(joined(project, one, other), other, one)


def _more_flows(project: Project, step: Step, prices: Prices) -> Project:
    pair = (last(step.target), last(step.destination))
    flows = tuple(
        replace(flow, streams=8) if (flow.src, flow.dst) == pair else flow for flow in project.flows
    )
    return replace(project, flows=flows)


CHANGES: Mapping[str, Change] = {
    "delete-gateway": _delete_gateway,
    "external-address": _give_address,
    "internal-address": _use_internal,
    "machine-type": _retype,
    "more-flows": _more_flows,
    "network-tier": _switch_tier,
    "no-tier-1": _set(is_tier1=False),
    "peering": _peer,
    "release-address": _release,
    "spot": _set(is_spot=True),
    "tier-1": _tier_1,
    "zone": _move,
}
