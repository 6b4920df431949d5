"""Adds to made projects what is held back by a limit, and machines that changed since the logs.

Bulk transfers send as fast as their paths let them for some hours of each day: over one connection
or several, over the receiver's internal or external address, or to the internet. Some senders have
been started again since, as another machine type. Of all other flows no limit holds any back: what
would be is made smaller.
"""

import random
from collections.abc import Iterator
from dataclasses import replace

from advice_moments import moments, packets_of
from advice_prices import Prices, series_of
from advice_rates import Caps, held
from advice_services import LARGE
from advice_state import INTERNET, PREMIUM, Flow, Machine, Project

MOST_BULK = 3
HOURS = (2, 3)
MANY = 8
PORT = 5_001
RESTARTED = "2026-06-20T08:00:00.000-08:00"
"""After every log has ended."""
_ROUNDS = 12


def with_bulk(project: Project, dice: random.Random, prices: Prices, caps: Caps) -> Project:
    """Return a project with bulk transfers, and with flows that carry all that they want."""
    for _ in range(dice.randrange(MOST_BULK + 1)):
        project = _with_one(project, dice, caps)
    if dice.random() < 0.4:
        project = _with_another_type(project, dice, prices, caps)
    return _filled(_unheld(project, caps), caps)


def as_logged(project: Project) -> Project:
    """Return a project as it was while its logs were written."""
    for machine in list(project.machines.values()):
        if machine.was_type:
            project = project.with_machine(replace(machine, machine_type=machine.was_type))
    return project


def held_back(project: Project) -> frozenset[str]:
    """Return who sends bulk transfers, with its group, by name and by what commands call it."""
    senders = {flow.src for flow in project.flows if flow.bulk_hours}
    groups = {project.machines[name].group for name in senders} - {""}
    senders |= {one.name for one in project.machines.values() if one.group in groups}
    senders |= {new for new, name in project.aliases.items() if name in senders}
    return frozenset(senders)


def _with_one(project: Project, dice: random.Random, caps: Caps) -> Project:
    pairs = [(one, other) for one in _senders(project, caps) for other in _near(project, one)]
    # Few machines have an external address: those pairs come as often as all others.
    outside = [pair for pair in pairs if pair[1].external_ip]
    pairs = outside if outside and dice.random() < 0.5 else pairs
    if not pairs:
        return project
    src, dst = dice.choice(pairs)
    may_be_inside = project.are_joined(src.network, dst.network)
    may_be_outside = bool(dst.external_ip) and dst.tier == PREMIUM and _leaves(project, src)
    is_outside = may_be_outside and (not may_be_inside or dice.random() < 0.6)
    if not (is_outside or may_be_inside):
        return project
    flow = Flow(
        src.name,
        dst.name,
        0.0,
        over_external=is_outside,
        port=PORT,
        streams=dice.choice((1, MANY)),
        bulk_hours=dice.choice(HOURS),
        bulk_from=dice.randrange(18),
    )
    if may_be_outside and src.external_ip and dice.random() < 0.2:
        # As many bytes to the internet would be most of the bill.
        flow = replace(
            flow,
            dst=INTERNET,
            over_external=False,
            streams=MANY,
            bulk_hours=HOURS[0],
            place=("America", "usa"),
            peer_ip="45.200.0.1",
        )
    return replace(project, flows=(*project.flows, flow))


def _senders(project: Project, caps: Caps) -> list[Machine]:
    """Return running machines of known caps that send no bulk transfer yet."""
    busy = {flow.src for flow in project.flows if flow.bulk_hours}
    return [
        one
        for one in project.machines.values()
        if one.is_running and one.tier == PREMIUM and one.name not in busy and caps.of(one)
    ]


def _near(project: Project, machine: Machine) -> Iterator[Machine]:
    for one in project.machines.values():
        if one.is_running and one.region == machine.region and one.name != machine.name:
            yield one


def _leaves(project: Project, machine: Machine) -> bool:
    return bool(machine.external_ip) or project.gateway_of(machine) is not None


def _with_another_type(
    project: Project, dice: random.Random, prices: Prices, caps: Caps
) -> Project:
    """Return a project in which a sender was another type while its logs were written."""
    alone = [
        one
        for flow in sorted(project.flows, key=lambda flow: -flow.bulk_hours)
        if (one := project.machines.get(flow.src)) is not None
        and not (one.group or one.reservation or one.local_ssds or one.is_tier1 or one.is_spot)
        and "-custom-" not in one.machine_type
    ]
    if not alone:
        return project
    one = alone[0]
    types = [
        kind
        for kind in LARGE
        if series_of(kind) == series_of(one.machine_type)
        and kind != one.machine_type
        and "-custom-" not in kind
        and prices.is_sold(kind, one.region)
        and prices.is_offered(kind, one.zone)
        and caps.of_type(kind, is_tier1=False)
    ]
    if not types:
        return project
    now = replace(one, machine_type=dice.choice(types), was_type=one.machine_type)
    return project.with_machine(replace(now, restarted=RESTARTED))


def _unheld(project: Project, caps: Caps) -> Project:
    """Return a project of which no flow is held back but bulk transfers, then and now."""
    for _ in range(_ROUNDS):
        both = (*held(as_logged(project), caps), *held(project, caps))
        less = {at for at, _ in both if not project.flows[at].bulk_hours}
        if not less:
            break
        flows = [
            replace(flow, packets_per_day=flow.packets_per_day / 2) if at in less else flow
            for at, flow in enumerate(project.flows)
        ]
        project = replace(project, flows=tuple(flows))
    return project


def _filled(project: Project, caps: Caps) -> Project:
    """Return a project whose bulk transfers have the volume that their hours carry."""
    logged = as_logged(project)
    rates = held(logged, caps)
    flows = []
    for at, flow in enumerate(project.flows):
        if flow.bulk_hours:
            slots = [slot for slot, _ in moments(logged, flow)]
            sent = sum(packets_of(rates[at, slot], project.minutes) for slot in slots)
            flow = replace(flow, packets_per_day=round(sent / project.days))
        flows.append(flow)
    return replace(project, flows=tuple(flows))
