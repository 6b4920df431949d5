"""A project before and after changes: findings, rates and money, one by one and together."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.clusters.network import networks_of
from netplan_planner.errors import UsageError
from netplan_planner.judging.fixes import severity_of
from netplan_planner.judging.judged import Judged, judged, with_bill
from netplan_planner.judging.month import Committed, Tables, committed, month_bill, tables_of
from netplan_planner.judging.suppressions import ignore_file
from netplan_planner.ledger.compared import ALL_PAID, AT_LIST, KINDS, plus_change
from netplan_planner.machines.known import Known
from netplan_planner.model import (
    Direction,
    Facts,
    PodNetwork,
    SelfLink,
    Severity,
    TrafficMatrix,
    taken,
)
from netplan_planner.optimise.commitment_table import commitment_uses
from netplan_planner.planning.basis import resting
from netplan_planner.planning.configured import configured
from netplan_planner.planning.project import request_of
from netplan_planner.units import counted
from netplan_planner.verbs import Now, panels, refuse_incomplete, verb
from netplan_planner.verbs.whatif import differences
from netplan_planner.verbs.whatif.answer import (
    FindingState,
    WhatifAnswer,
    WhatifChange,
    WhatifField,
    WhatifSet,
    WhatifSide,
    WhatifStep,
    WhatifTraffic,
)
from netplan_planner.verbs.whatif.apply import apply_aimed
from netplan_planner.verbs.whatif.ask import WhatifAsk, changes_of
from netplan_planner.verbs.whatif.changes_file import read_changes
from netplan_planner.verbs.whatif.differences import Side, pairs
from netplan_planner.verbs.whatif.growth import filled, price_steps
from netplan_planner.verbs.whatif.order import (
    MOST_CHANGES,
    MOST_RANKED,
    Step,
    Together,
    is_compared_at_list,
    only_together,
    order_changes,
    saved_usd,
)
from netplan_planner.verbs.whatif.rates import Demand, FlowRates, Matrix
from netplan_planner.verbs.whatif.reckoning import (
    Reckoner,
    commitments_usd,
    shared_limits,
    used_ratio,
    used_ratios,
)
from netplan_planner.verbs.whatif.scenario import Aimed, Scenario, aimed, unchanged
from netplan_planner.verbs.whatif.steps import changes_of as steps_of
from netplan_planner.world.demos import Demo, load_demo, projects_of, title_of
from netplan_planner.world.not_read import what_is_incomplete
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import InputRequest
from netplan_rules.base import held_back_ratio

Say = Callable[[str], None]
_ZERO = Decimal(0)


class _Judged(NamedTuple):
    """What the rules say of one side, and its tables."""

    judged: Judged
    tables: Tables


def ended(ask: WhatifAsk, found: WhatifAnswer) -> bool:
    """Return whether no finding of high severity is new.

    Raises:
        IncompleteError: If evidence is incomplete, and all was to be read.
    """
    if ask.is_strict:
        refuse_incomplete("the answer is", found.incomplete)
    return not any(
        one.state is FindingState.NEW and one.severity is Severity.HIGH for one in found.findings
    )


@verb(
    panel=panels.PLAN,
    question="What happens if I change VMs, networks or growth?",
    rows=8,
    top="Rows of a table. 0 shows all.",
    explains="Show every row.",
    ends=ended,
)
def whatif(ask: WhatifAsk, now: Now) -> WhatifAnswer:
    """Show a project before and after changes: findings, Gbit/s and money.

    Changes a copy: machine type, zone, addresses, tier, Tier_1, MTU, interface, plugin, traffic
    growth. Shows the effect of each change alone and in order, and of changes that only help
    together. Exit status: 0, 1 with a new HIGH finding, 4 incomplete and --strict.
    """
    asked = ask.changes
    values = tuple(asked.values())
    if not values and asked.file is None and not asked.vms:
        raise UsageError(
            "no change is given: select VMs and a change (--vm web-1 --machine-type "
            "n2-standard-8), or give a table of changes (--change FILE)"
        )
    read = request_of(
        ask,
        commitment_scope=ask.commitment_scope,
        ignore_file=ignore_file(None),
        **configured(now.config, ask.rules_path),
    )
    changes = changes_of(asked.vms, values, asked.by, read.today)
    if asked.file is not None:
        changes = (*changes, *read_changes(asked.file, read.today))
    return whatif_of(read, changes, is_all_out=ask.is_all_out, say=now.say)


def whatif_of(
    read: InputRequest,
    changes: Sequence[WhatifChange],
    *,
    is_all_out: bool = False,
    say: Say = lambda _: None,
) -> WhatifAnswer:
    """Return a project before and after changes.

    Args:
        read: What is read, and what it is held against.
        changes: Of machines.
        is_all_out: Whether every flow asks for all that its path can carry, and not for its
            busiest minute.
        say: Where progress goes.

    Raises:
        UsageError: If an option names what is not there, cannot be, or contradicts another.
        InputError: If an input cannot be read, or a row of a table of changes cannot be made.
    """
    demo = load_demo(read.demo) if read.demo is not None else None
    facts = with_bill(read, read_facts(read, demo, say))
    return answer(read, facts, changes, demo, is_all_out=is_all_out, say=say)


def answer(
    read: InputRequest,
    facts: Facts,
    changes: Sequence[WhatifChange],
    demo: Demo | None = None,
    *,
    is_all_out: bool = False,
    say: Say = lambda _: None,
) -> WhatifAnswer:
    """Return facts before and after changes; the request's inputs are not looked at.

    Raises:
        NetplanError: If a change names what is not there, cannot be, or contradicts another.
    """
    known = Known(facts.prices, facts.caps)
    aims = aimed(facts, changes)
    is_plugin_changed = any(aim.change.field is WhatifField.PLUGIN for aim in aims)
    before = unchanged(facts)
    notes: list[str] = []
    if is_plugin_changed:
        before = before._replace(pods=_pods_today(facts))
        if not before.pods:
            notes.append(
                "No plugin is known before: pods are compared with the network of the nodes."
            )
    after = apply_aimed(facts, aims, known)
    after = after._replace(pods={**before.pods, **after.pods})
    say("judging what is there")
    old = new = _judged(read, facts)
    if after.facts is not facts:
        say("judging what would be")
        new = _judged(read, _in_order(after.facts))
    say(f"weighing {counted(len(aims), 'change')}")
    owner_count = len(facts.traffic.owners) if facts.traffic is not None else 0
    used = used_ratios(facts, old.tables.machines, owner_count)
    matrix = Matrix(before, Demand(held_back_ratio(facts), used, is_all_out))
    reckoner = Reckoner(facts, aims, known, before, matrix)
    steps, sets, ranked = _ordered(facts, aims, reckoner)
    sides = [
        Side(scenario.facts, one.tables.machines, matrix.rates(scenario))
        for scenario, one in ((before, old), (after, new))
    ]
    touched = _touched(facts, after, aims)
    found = pairs(sides[0], sides[1], touched)
    uses = commitment_uses(facts.inventory, facts.prices, facts.today, read.commitment_scope)
    base = committed(facts, uses, read.commitment_scope)
    covered, why = commitments_usd(facts, after.facts)
    then = None if covered is None else (base.usd or _ZERO) + covered
    sides_of_money = [
        _side(old, sides[0].rates, Committed(base.usd or _ZERO, base.unknown), facts),
        _side(new, sides[1].rates, Committed(then, base.unknown), after.facts),
    ]
    compared, how = _compared(sides_of_money[0], sides_of_money[1], ranked, reckoner)
    if how:
        notes.append(f"The changes are compared {how}.")
    if why:
        notes.append(f"It is unknown what commitments cover of it: {why}.")
    if len(aims) > MOST_CHANGES:
        notes.append(
            f"For more than {MOST_CHANGES} changes, only pairs were tested for joint effects."
        )
    if len(aims) > MOST_RANKED:
        notes.append(f"More than {MOST_RANKED} changes are in the order of what each brings alone.")
    return resting(
        WhatifAnswer,
        facts.prices,
        facts.caps,
        read.today,
        read.prices,
        has_spot=any(one.is_spot for one in facts.inventory.instances),
        title=title_of(demo, projects_of(read, facts.inventory)),
        steps=steps,
        together=sets,
        before=sides_of_money[0],
        after=compared,
        machines=found,
        machine_count=len(facts.inventory.instances),
        findings=differences.findings(old.judged, new.judged, is_plugin_changed=is_plugin_changed),
        traffic=_traffic(old, new),
        limits=shared_limits(sides[0].rates, sides[1].rates, facts, touched),
        full=filled(found, aims, read.today),
        price_steps=price_steps(facts, after.facts),
        changes=steps_of(facts, after.facts, aims),
        advised_against=after.against,
        notes=tuple(dict.fromkeys((*notes, *after.notes))),
        incomplete=what_is_incomplete(facts, old.judged.not_evaluated),
        has_traffic=facts.traffic is not None,
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
) -> tuple[tuple[WhatifStep, ...], tuple[WhatifSet, ...], tuple[int, ...]]:
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
    return found, tuple(sets), tuple(step.number for step in steps)


def _compared(
    side: WhatifSide, then: WhatifSide, ranked: Sequence[int], reckoner: Reckoner
) -> tuple[WhatifSide, str]:
    """Return what is after: what is before less what each step saves, on the prices of each.

    With it comes how that is compared, where it is not as paid.
    """
    made = [frozenset(ranked[:count]) for count in range(len(ranked) + 1)]
    walk = [found for one in made if not (found := reckoner(one)).why_not]
    if not any(is_compared_at_list(*pair) for pair in pairwise(walk)):
        return then, ""
    money, over = side.money, _ZERO
    for was, now in pairwise(walk):
        old, new = was.paid, now.paid
        assert old is not None
        assert new is not None
        is_list = is_compared_at_list(was, now)
        bills = (old.at_list, new.at_list) if is_list else (old.bill, new.bill)
        said = bills[0].least_usd_per_month - bills[1].least_usd_per_month
        money = plus_change(money, *bills, said - saved_usd(was, now))
        over += said - saved_usd(was, now)
    sums = {kind: getattr(money, kind) for kind in KINDS}
    how = f"{AT_LIST}; {ALL_PAID}" if over else AT_LIST
    return replace(then, money=replace(then.money, **sums)), how


def _set(
    facts: Facts, found: Together, rank: dict[int, int], used: NDArray[np.float64]
) -> WhatifSet:
    edge = facts.seen_traffic.edges[found.flow]
    ratio = float(used[edge.src])
    return taken(
        WhatifSet,
        found,
        ranks=tuple(sorted(rank[number] for number in found.chosen)),
        flow=f"{facts.src(edge).name} → {facts.dst(edge).name}",
        used_ratio=ratio if ratio == ratio else None,
    )


def _judged(read: InputRequest, facts: Facts) -> _Judged:
    return _Judged(judged(read, facts), tables_of(facts))


def _side(found: _Judged, rates: FlowRates, covered: Committed, facts: Facts) -> WhatifSide:
    full = held_back_ratio(facts)
    uses = [used_ratio(row) for row in found.tables.machines]
    return WhatifSide(
        money=month_bill(found.tables, covered),
        gbps=rates.total_gbps,
        flow_count=len(rates.flows),
        unknown_flow_count=rates.unknown_count,
        waiting_flow_count=rates.waiting_count,
        finding_count=len(found.judged.findings),
        finding_place_count=sum(len(finding.members) for finding in found.judged.findings),
        full_machine_count=sum(one is not None and one >= full for one in uses),
        unknown_limit_count=sum(
            one is None and row.egress_p95_gbps is not None
            for one, row in zip(uses, found.tables.machines, strict=True)
        ),
    )


def _traffic(before: _Judged, after: _Judged) -> tuple[WhatifTraffic, ...]:
    """Return what own machines send, by class, before and after."""
    sides = [
        {one.path_class: one for one in side.tables.classes if one.direction is Direction.SENT}
        for side in (before, after)
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
