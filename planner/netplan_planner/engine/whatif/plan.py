"""A project before and after changes: findings, rates and money, one by one and together."""

from collections.abc import Callable, Sequence
from decimal import Decimal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.clusters.network import networks_of
from netplan_planner.engine.audit import report_on, with_bill
from netplan_planner.engine.completeness import what_is_incomplete
from netplan_planner.engine.demos import Demo, load_demo
from netplan_planner.engine.fixes import severity_of
from netplan_planner.engine.inputs import read_facts
from netplan_planner.engine.whatif import differences
from netplan_planner.engine.whatif.changes import changes_of as steps_of
from netplan_planner.engine.whatif.changes_file import read_changes
from netplan_planner.engine.whatif.growth import filled, price_steps
from netplan_planner.engine.whatif.machines import Side, pairs
from netplan_planner.engine.whatif.reckoning import (
    Reckoner,
    Tables,
    commitments_usd,
    money_of,
    used_ratio,
    used_ratios,
)
from netplan_planner.engine.whatif.request import WhatifRequest, changes_of
from netplan_planner.engine.whatif.shared import shared_limits
from netplan_planner.machines.known import Known
from netplan_planner.model import (
    Direction,
    Facts,
    PodNetwork,
    Report,
    SelfLink,
    TrafficMatrix,
)
from netplan_planner.model.whatif import (
    WhatifAnswer,
    WhatifChange,
    WhatifField,
    WhatifSet,
    WhatifSide,
    WhatifStep,
    WhatifTraffic,
)
from netplan_planner.optimise.whatif.apply import apply_aimed
from netplan_planner.optimise.whatif.draft import Scenario, unchanged
from netplan_planner.optimise.whatif.order import (
    MOST_CHANGES,
    Step,
    Together,
    only_together,
    order_changes,
)
from netplan_planner.optimise.whatif.rates import Demand, FlowRates, Matrix
from netplan_planner.optimise.whatif.selecting import Aimed, aimed
from netplan_planner.units import counted
from netplan_rules.severity import held_back_ratio

Say = Callable[[str], None]
_ZERO = Decimal(0)


def whatif_of(request: WhatifRequest, say: Say = lambda _: None) -> WhatifAnswer:
    """Return a project before and after changes.

    Raises:
        UsageError: If an option names what is not there, cannot be, or contradicts another.
        InputError: If an input cannot be read, or a row of a table of changes cannot be made.
    """
    read = request.read
    changes = changes_of(request.words, read.today)
    if request.file is not None:
        changes = (*changes, *read_changes(request.file, read.today))
    demo = load_demo(read.demo) if read.demo is not None else None
    facts = with_bill(read, read_facts(read, demo, say))
    return answer(request, facts, changes, demo, say)


def answer(
    request: WhatifRequest,
    facts: Facts,
    changes: Sequence[WhatifChange],
    demo: Demo | None = None,
    say: Say = lambda _: None,
) -> WhatifAnswer:
    """Return facts before and after changes; the request's inputs are not looked at.

    Raises:
        NetplanError: If a change names what is not there, cannot be, or contradicts another.
    """
    known = Known(facts.prices, facts.caps)
    aims = aimed(facts.inventory, changes)
    is_plugin_changed = any(aim.change.field is WhatifField.PLUGIN for aim in aims)
    before = unchanged(facts)
    notes: list[str] = []
    if is_plugin_changed:
        before = before._replace(pods=_pods_today(facts))
        if not before.pods:
            notes.append(
                "Before, no plugin is known: the nodes' own network is what pods are held against."
            )
    after = apply_aimed(facts, aims, known)
    after = after._replace(pods={**before.pods, **after.pods})
    say("judging what is there")
    report = report_on(request.read, facts, demo)
    changed = report
    if after.facts is not facts:
        say("judging what would be")
        changed = report_on(request.read, _in_order(after.facts), demo)
    say(f"weighing {counted(len(aims), 'change')}")
    owner_count = len(facts.traffic.owners) if facts.traffic is not None else 0
    used = used_ratios(facts, report.machines, owner_count)
    matrix = Matrix(before, Demand(held_back_ratio(facts), used, request.is_all_out))
    reckoner = Reckoner(facts, aims, known, before, matrix)
    steps, sets = _ordered(facts, aims, reckoner)
    sides = [
        Side(scenario.facts, one.machines, matrix.rates(scenario))
        for scenario, one in ((before, report), (after, changed))
    ]
    touched = _touched(facts, after, aims)
    found = pairs(sides[0], sides[1], touched)
    covered, why = commitments_usd(facts, after.facts)
    if why:
        notes.append(f"What commitments cover of it is not known: {why}.")
    if len(aims) > MOST_CHANGES:
        notes.append(
            f"Of more than {MOST_CHANGES} changes only pairs were tried for what helps together."
        )
    return WhatifAnswer(
        title=report.title,
        steps=steps,
        together=sets,
        before=_side(report, sides[0].rates, _ZERO, facts),
        after=_side(changed, sides[1].rates, covered, after.facts),
        machines=found,
        machine_count=len(facts.inventory.instances),
        findings=differences.findings(report, changed, is_plugin_changed=is_plugin_changed),
        traffic=_traffic(report, changed),
        limits=shared_limits(sides[0].rates, sides[1].rates, facts, touched),
        full=filled(found, aims, request.read.today),
        price_steps=price_steps(facts, after.facts),
        changes=steps_of(facts, after.facts, aims),
        notes=tuple(dict.fromkeys((*notes, *after.notes))),
        incomplete=what_is_incomplete(facts, ()),
        has_traffic=facts.traffic is not None,
        limits_as_of=report.limits_as_of,
        prices_as_of=report.prices_as_of,
        prices_sha256=facts.prices.info.sha256,
        price_age=report.price_age,
    )


def _in_order(facts: Facts) -> Facts:
    """Return facts whose edges stand in the order of a traffic that was read so."""
    traffic: TrafficMatrix | None = facts.traffic
    if traffic is None:
        return facts
    edges = sorted(traffic.edges, key=lambda e: (e.src, e.dst, e.path_class, e.dst_address or ""))
    return replace(facts, traffic=replace(traffic, edges=tuple(edges)))


def _pods_today(facts: Facts) -> dict[SelfLink, tuple[str, PodNetwork]]:
    """Return the network of the pods of each node, where one plugin is known for all."""
    kubernetes = facts.inventory.kubernetes
    networks = networks_of(kubernetes) if kubernetes is not None else ()
    if len(networks) != 1 or networks[0].encapsulation is None:
        return {}
    found = networks[0]
    assert found.encapsulation is not None
    network = PodNetwork(
        encapsulation=found.encapsulation.value,
        encryption=found.encryption.value if found.encryption is not None else "none",
        mtu_bytes=found.mtu_bytes,
    )
    name = found.plugin.value if found.plugin is not None else found.name
    return dict.fromkeys(facts.inventory.node_by_instance, (name, network))


def _touched(facts: Facts, after: Scenario, aims: Sequence[Aimed]) -> frozenset[SelfLink]:
    """Return the machines that a change is about."""
    asked = {one.ref.self_link for aim in aims for one in aim.machines}
    return frozenset(asked) if after.facts is not facts or after.pods else frozenset()


def _ordered(
    facts: Facts, aims: Sequence[Aimed], reckoner: Reckoner
) -> tuple[tuple[WhatifStep, ...], tuple[WhatifSet, ...]]:
    steps: list[Step] = list(
        order_changes(
            aims,
            reckoner,
            lambda usd, used: severity_of(facts, usd, used),
            held_back_ratio(facts),
        )
    )
    rank = {step.number: place for place, step in enumerate(steps, start=1)}
    found = tuple(
        WhatifStep(
            rank=rank[step.number],
            change=aims[step.number].change,
            machine_count=len(aims[step.number].machines),
            alone=step.alone,
            marginal=step.marginal,
        )
        for step in steps
    )
    used = reckoner(frozenset()).used_ratio
    sets = (_set(facts, one, rank, used) for one in only_together(aims, reckoner))
    return found, tuple(sets)


def _set(
    facts: Facts, found: Together, rank: dict[int, int], used: NDArray[np.float64]
) -> WhatifSet:
    assert facts.traffic is not None
    edge = facts.traffic.edges[found.flow]
    ratio = float(used[edge.src])
    return WhatifSet(
        ranks=tuple(sorted(rank[number] for number in found.chosen)),
        flow=f"{facts.src(edge).name} → {facts.dst(edge).name}",
        flow_count=found.flow_count,
        now_gbps=found.now_gbps,
        most_without_gbps=found.most_without_gbps,
        together_gbps=found.together_gbps,
        used_ratio=ratio if ratio == ratio else None,
    )


def _side(report: Report, rates: FlowRates, covered: Decimal | None, facts: Facts) -> WhatifSide:
    tables = Tables(
        report.machines,
        report.traffic_by_class,
        report.network_services,
        facts.traffic is not None,
    )
    full = held_back_ratio(facts)
    return WhatifSide(
        money=money_of(tables, covered),
        gbps=rates.total_gbps,
        flow_count=len(rates.flows),
        unknown_flow_count=rates.unknown_count,
        waiting_flow_count=rates.waiting_count,
        finding_count=sum(len(finding.members) for finding in report.findings),
        full_machine_count=sum((used_ratio(row) or 0.0) >= full for row in report.machines),
    )


def _traffic(before: Report, after: Report) -> tuple[WhatifTraffic, ...]:
    """Return what own machines send, by class, before and after."""
    sides = [
        {one.path_class: one for one in report.traffic_by_class if one.direction is Direction.SENT}
        for report in (before, after)
    ]
    old, new = sides
    return tuple(
        WhatifTraffic(
            path_class=path_class,
            gib_before=old[path_class].gib_per_month if path_class in old else _ZERO,
            gib_after=new[path_class].gib_per_month if path_class in new else _ZERO,
            usd_before=old[path_class].usd_per_month if path_class in old else _ZERO,
            usd_after=new[path_class].usd_per_month if path_class in new else _ZERO,
        )
        for path_class in sorted({*old, *new})
    )
