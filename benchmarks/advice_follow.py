"""Carries advice out on a made project, as its reader would: step by step, command by command.

A step is one change of a report with its commands. Commands are read by a small parser of their
own; each must name machines, zones, addresses and gateways that are there at that moment. What is
done to a member of a managed group is done to all of it, since they share a template.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from advice_commands import (
    Made,
    joined,
    last,
    new_internal,
    new_ip,
    parsed,
    released,
    run,
    without_gateway,
)
from advice_prices import WITH_LOCAL_SSD, Prices, series_of
from advice_state import STANDARD, Machine, Project, region_of

Key = tuple[str, str, str]


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


class Done(NamedTuple):
    """The project after a step, and what went wrong in it."""

    project: Project
    stale: tuple[str, ...] = ()
    """Commands that name what is not there."""
    refused: str = ""
    """Why the step cannot be carried out."""
    undone: str = ""
    """What its commands leave undone."""


_OF_CLIENTS = "internal-address-of-clients"
"""Of a server that all behind a gateway reach by its external address."""
# What today's findings ask for where they state no change, by rule: the kind, and of which of a
# member's resources.
_BY_RULE = {
    "idle-external-address": ("release-address", "/addresses/"),
    "nat-carries-internal": (_OF_CLIENTS, "/instances/"),
    "nat-idle": ("delete-gateway", "/routers/"),
    "nat-vs-address-breakeven": ("external-address", "/instances/"),
    "needless-external-address": ("release-address", "/instances/"),
    "premium-vs-standard-tier": ("network-tier", "/instances/"),
    "spot-candidate": ("spot", "/instances/"),
    "tier1-unused": ("no-tier-1", "/instances/"),
}


_CLEANED = frozenset({"zone", "machine-type", "tier-1", "no-tier-1", "delete-gateway"})
"""Changes after which nothing is left that the clean-up waits for."""
_PEERED = "after peering"
"""Of a step that says by text alone that the networks are peered first."""


def steps_of_entry(entry: Mapping[str, Any], report: Mapping[str, Any]) -> list[Step]:
    """Return the steps of an entry of `do_first`: its own changes, else all of its finding's."""
    if entry.get("changes") is not None:
        return list(_as_planned(entry, report))
    return [
        step
        for finding in report["findings"]
        if finding["fingerprint"] == entry["finding"]
        for step in steps_of_finding(finding)
    ]


def _as_planned(entry: Mapping[str, Any], report: Mapping[str, Any]) -> Iterator[Step]:
    """Yield the steps of the changes that an entry lists: of its places, as they are by then."""
    findings = (one for one in report["findings"] if one["fingerprint"] == entry["finding"])
    members = {one["fingerprint"]: one for finding in findings for one in finding["members"]}
    for planned in entry["changes"]:
        fix = planned["fix"] or {"commands": []}
        if planned["change"] is not None:
            told = {"subject": planned["subject"], **_told(fix)}
            yield from _steps(rule_of(entry), {**planned["change"], **told})
        elif planned["place"] in members:
            member = {**members[planned["place"]], "fix": fix}
            yield from _of_member(rule_of(entry), member, is_told=False)


def with_clients(project: Project, steps: Iterable[Step]) -> list[Step]:
    """Return the steps with a step for each client, where they mean all behind a gateway."""
    found = []
    for step in steps:
        if step.kind != _OF_CLIENTS:
            found.append(step)
            continue
        for client in _clients(project, step):
            link = project.machines[client].link
            one = step._replace(kind="internal-address", target=link, destination=step.target)
            found.append(one)
    return found


def _clients(project: Project, step: Step) -> list[str]:
    server, gateway = last(step.target), last(step.destination)
    behind = {
        name: of.name
        for name, one in project.machines.items()
        if (of := project.gateway_of(one)) is not None
    }
    return sorted(
        {
            flow.src
            for flow in project.flows
            if flow.over_external and flow.dst == server and behind.get(flow.src) == gateway
        }
    )


def rule_of(entry: Mapping[str, Any]) -> str:
    """Return the rule of an entry, or all that it is for."""
    return entry.get("rule") or ", ".join(entry.get("rules", ()))


def _told(fix: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the commands of a fix, and those that clean up after it."""
    after = fix.get("clean_up") or {"commands": ()}
    return {"commands": tuple(fix["commands"]), "clean_up": tuple(after["commands"])}


def _steps(rule: str, change: Mapping[str, Any]) -> Iterator[Step]:
    """Yield a step for all that a change is made at; its commands are those of the first."""
    peered = any("peerings create" in command for command in change.get("commands") or ())
    for at, target in enumerate(change.get("members") or (change["target"],)):
        one = _step(rule, {**change, "target": target})
        one = one._replace(to=_PEERED) if peered and one.kind == "internal-address" else one
        is_scripted = bool(one.commands)
        if at:
            one = one._replace(commands=(), clean_up=())
        yield one._replace(is_scripted=is_scripted)


def _step(rule: str, change: Mapping[str, Any]) -> Step:
    texts = {
        name: change.get(name) or "" for name in ("kind", "target", "destination", "to", "subject")
    }
    commands, clean_up = (tuple(change.get(name) or ()) for name in ("commands", "clean_up"))
    return Step(rule, **texts, commands=commands, clean_up=clean_up)


def steps_of_finding(finding: Mapping[str, Any]) -> Iterator[Step]:
    """Yield a step for each member of a finding."""
    rule, members = finding["rule"], finding["members"]
    changes = finding.get("changes") or []
    if changes:
        is_paired = len(changes) == len(members)
        for at, change in enumerate(changes):
            told = _told(members[at]["fix"]) if is_paired else {}
            yield from _steps(rule, {**change, **told})
        members = () if is_paired else members
    for member in members:
        yield from _of_member(rule, member, is_told=bool(changes))


def _of_member(rule: str, member: Mapping[str, Any], *, is_told: bool) -> Iterator[Step]:
    links = [one["self_link"] for one in member["resources"]]
    told = _told(member["fix"])
    kind, of = _BY_RULE.get(rule, ("", "/"))
    targets = [link for link in links if of in link] or links[:1]
    if is_told or not kind:
        yield Step(rule, "", links[0], subject=member["subject"], **told)
        return
    routers = [link for link in links if "/routers/" in link]
    for at, target in enumerate(targets):
        to = STANDARD if kind == "network-tier" else ""
        to = _PEERED if "peer them" in member["fix"]["text"] else to
        by = routers[0] if kind == _OF_CLIENTS and routers else ""
        yield Step(rule, kind, target, by, to, member["subject"], **(told if at == 0 else {}))


def carry_out(project: Project, step: Step, prices: Prices) -> Done:
    """Return the project after a step: its commands first, then what is left of the change."""
    before, made = project, Made()
    stale: list[str] = []
    try:
        project = made.settled(_run(project, step.commands, made, stale))
    except ValueError as error:
        return Done(project, tuple(stale), str(error.args[0]))
    scripted, refused, undone = project, "", ""
    try:
        project = _change_of(step)(project, step, prices)
    except (LookupError, ValueError) as error:
        refused = str(error.args[0])
    if step.is_scripted and not refused:
        undone = _undone(before, scripted, project)
    try:
        cleaned = _run(project, step.clean_up, made, stale)
        # Addresses go only once nobody uses them any more: this change does not show it.
        project = cleaned if step.kind in _CLEANED else project
    except ValueError as error:
        refused = refused or str(error.args[0])
    return Done(_running_again(before, project), tuple(stale), refused, undone)


def _run(project: Project, commands: Iterable[str], made: Made, stale: list[str]) -> Project:
    """Return the project after commands; note those that name what is not there.

    Raises:
        ValueError: If Google would refuse one.
    """
    for text in commands:
        try:
            project = run(project, parsed(text), made)
        except LookupError as error:
            stale.append(f"{text}: {error.args[0]}")
        except ValueError as error:
            raise ValueError(f"{text}: {error.args[0]}") from error
    return project


def _undone(before: Project, scripted: Project, changed: Project) -> str:
    """Return what commands leave undone of a change: what differs once it is made by them alone."""
    stopped = [
        name
        for name, machine in before.machines.items()
        if machine.is_running and not scripted.machines[name].is_running
    ]
    if stopped:
        return f"{', '.join(stopped)} is left stopped"
    differing = [
        name
        for part in ("machines", "addresses", "gateways")
        for name, one in getattr(changed, part).items()
        if getattr(scripted, part).get(name) != one
    ]
    gone = [
        name
        for part in ("addresses", "gateways")
        for name in getattr(scripted, part)
        if name not in getattr(changed, part)
    ]
    return f"the commands alone leave {', '.join(differing + gone)}" if differing + gone else ""


def _change_of(step: Step) -> Change:
    if not step.kind and step.commands:
        return _nothing
    if step.kind not in _CHANGES:
        raise LookupError(f"nobody says how to: {step.rule} {step.kind}".rstrip())
    return _CHANGES[step.kind]


def _running_again(before: Project, after: Project) -> Project:
    """Return the project after a step that stops machines on the way alone."""
    for name, machine in before.machines.items():
        now = after.machines[name]
        if now.is_running != machine.is_running:
            after = after.with_machine(replace(now, is_running=machine.is_running))
    return after


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
    return replace(project, groups=groups)


def _use_internal(project: Project, step: Step, prices: Prices) -> Project:
    one, other = _machine(project, step.target), _machine(project, step.destination)
    if step.to == _PEERED and not project.are_joined(one.network, other.network):
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
        project = project.with_machine(replace(machine, external_ip=ip, tier=tier))
    return project


def _give_address(project: Project, step: Step, prices: Prices) -> Project:
    for machine in _all_of(project, _machine(project, step.target)):
        if not machine.external_ip:
            project = project.with_machine(replace(machine, external_ip=new_ip(project)))
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
    return _set(is_tier1=step.to.upper() in ("", "TIER_1"))(project, step, prices)


def _nothing(project: Project, step: Step, prices: Prices) -> Project:
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


_CHANGES: Mapping[str, Change] = {
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
