"""Carries advice out on a made project, as its reader would: step by step, command by command.

A step is one change of a report (`advice_changes.py`) with its commands, which a small parser of
their own reads (`advice_commands.py`); each must name machines, zones, addresses and gateways that
are there at that moment.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from advice_changes import CHANGES, PEERED, Change, Step, nothing
from advice_commands import Made, last, parsed, run
from advice_prices import Prices
from advice_state import STANDARD, Project


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
            steps = list(_steps(rule_of(entry), {**planned["change"], **told}))
            tiers = planned.get("tiers") or [step.to for step in steps]
            yield from (step._replace(to=to) for step, to in zip(steps, tiers, strict=True))
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


def _told(fix: Mapping[str, Any]) -> dict[str, Any]:
    """Return the commands of a fix, those that clean up, and whether they make all of it."""
    after = fix.get("clean_up") or {"commands": ()}
    return {
        "commands": tuple(fix["commands"]),
        "clean_up": tuple(after["commands"]),
        "is_scripted": bool(fix["commands"]) and not fix.get("is_by_hand"),
    }


def _steps(rule: str, change: Mapping[str, Any]) -> Iterator[Step]:
    """Yield a step for all that a change is made at; its commands are those of the first."""
    peered = any("peerings create" in command for command in change.get("commands") or ())
    for at, target in enumerate(change.get("members") or (change["target"],)):
        one = of_change(rule, {**change, "target": target})
        one = one._replace(to=PEERED) if peered and one.kind == "internal-address" else one
        yield one._replace(commands=(), clean_up=()) if at else one


def of_change(rule: str, change: Mapping[str, Any]) -> Step:
    """Return the step of a change at one machine, as a rule's report asks for it."""
    texts = {
        name: change.get(name) or "" for name in ("kind", "target", "destination", "to", "subject")
    }
    commands, clean_up = (tuple(change.get(name) or ()) for name in ("commands", "clean_up"))
    is_scripted = bool(change.get("is_scripted"))
    return Step(rule, **texts, commands=commands, clean_up=clean_up, is_scripted=is_scripted)


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
        to = PEERED if "peer them" in member["fix"]["text"] else to
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
        return nothing
    if step.kind not in CHANGES:
        raise LookupError(f"nobody says how to: {step.rule} {step.kind}".rstrip())
    return CHANGES[step.kind]


def _running_again(before: Project, after: Project) -> Project:
    """Return the project after a step that stops machines on the way alone."""
    for name, machine in before.machines.items():
        now = after.machines[name]
        if now.is_running != machine.is_running:
            after = after.with_machine(replace(now, is_running=machine.is_running))
    return after
