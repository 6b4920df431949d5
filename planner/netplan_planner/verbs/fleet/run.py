"""The plan of a fleet: what is read, what is asked of the solver, and what it rests on."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import msgspec

from netplan_planner.errors import MissingDatum, UsageError, no_region
from netplan_planner.ledger.compared import AT_LIST
from netplan_planner.machines.known import Known
from netplan_planner.model import CapsBook, CommitmentScope, Facts, PriceBook, Text, taken
from netplan_planner.model.plans.plan_answer import Shortfall
from netplan_planner.optimise.highs import stopped_after
from netplan_planner.planning.basis import resting
from netplan_planner.planning.fleet.candidates import Candidates, Choices
from netplan_planner.planning.fleet.market import Market
from netplan_planner.planning.fleet.need import Candidate, FleetNeed, notes_of
from netplan_planner.planning.fleet.plan import LAST_RESORT_S, Planned, plan_fleet
from netplan_planner.planning.fleet.standing import (
    NOTHING_BOUGHT,
    Bought,
    bought_by_bill,
    existing_of,
)
from netplan_planner.planning.project import request_of
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.limits.caps import checked_series
from netplan_planner.units import counted
from netplan_planner.verbs import Now, panels, read_in_full, verb
from netplan_planner.verbs.fleet.answer import FleetAnswer, FleetGroup
from netplan_planner.verbs.fleet.ask import FleetAsk, FleetChoices
from netplan_planner.verbs.fleet.inventory import needs_of
from netplan_planner.verbs.fleet.steps import (
    breaking_advice,
    changes_of,
    notes_of_inventory,
    notes_of_plan,
)
from netplan_planner.verbs.fleet.table import read_needs
from netplan_planner.world.calibration import with_calibration
from netplan_planner.world.demos import load_demo
from netplan_planner.world.not_read import autoscaled, stopped_machines, what_is_incomplete
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import InputRequest
from netplan_pricing import open_prices

_ZERO = Decimal(0)
Say = Callable[[str], None]


class _Fleet(NamedTuple):
    """What is to be planned."""

    prices: PriceBook
    caps: CapsBook
    needs: tuple[FleetNeed, ...]
    notes: tuple[Text, ...] = ()
    bought: Bought = NOTHING_BOUGHT
    left_out: tuple[Shortfall, ...] = ()
    facts: Facts | None = None


@verb(
    panel=panels.PLAN,
    question="Which machine types and commitments are cheapest together?",
    rows=20,
    top="Rows of a table. 0 shows all.",
    explains="Show every row, and the line items of the bill.",
    ends=read_in_full("the plan is"),
)
def fleet(ask: FleetAsk, now: Now) -> FleetAnswer:
    """Choose machine types and commitments for a fleet together, with proof of the optimum.

    Each VM, managed group or row of a table gets a type that carries its traffic, vCPUs and
    memory. Types and commitments of 1 and 3 years together cost the least. Exit status: 0,
    1 when no type fits a group, 4 incomplete and --strict.
    """
    if ask.needs is None and not ask.given.is_given:
        raise UsageError(
            "no fleet is given: add a table of needs (--needs FILE), or an inventory with its "
            "traffic (--inventory DIR --traffic FILE)"
        )
    read = request_of(ask, commitment_scope=ask.choices.commitment_scope)
    return fleet_of(ask.choices, read, ask.needs, now.say)


def fleet_of(
    asked: FleetChoices,
    read: InputRequest,
    table: Path | None = None,
    say: Say = lambda _: None,
) -> FleetAnswer:
    """Return machine types and commitments for a fleet.

    Args:
        asked: Which commitments, types and moves are considered.
        read: What is read; of a table of needs only prices, limits and the day.
        table: Of needs; None: the inventory and its traffic.
        say: Where progress goes.

    Raises:
        InputError: If the input cannot be read or makes no sense.
        MissingDatum: If nothing is known of any VM.
        UsageError: If the request contradicts itself, or names what is not known.
    """
    fleet = _of_table(asked, read, table) if table else _of_inventory(asked, read, say)
    regions = fleet.prices.regions()
    for limit in asked.quotas:
        if limit.region not in regions:
            raise UsageError(f"--quota: {no_region(limit.region, regions)}")
        checked_series((limit.series,), load_caps(fleet.caps.as_of))
    choices = Choices(
        headroom_ratio=asked.headroom_ratio,
        series=checked_series(asked.series, load_caps(fleet.caps.as_of)),
        move_usd=dict(asked.move_usd),
        checks=asked.checks,
        least_saving_usd=asked.least_saving_usd,
    )
    market = fleet.bought.market(fleet.prices, asked.commitments, asked.years)
    say(f"planning {counted(len(fleet.needs), 'group')}")
    needs, kept = _feasible(fleet, choices)
    if not needs:
        first, *others = (*fleet.left_out, *kept)
        more = f"; {len(others):,} more" if others else ""
        raise MissingDatum(f"no VM can be planned: {first.name}: {first.shortfall}{more}")
    planned = plan_fleet(needs, fleet.prices, fleet.caps, choices, market, asked.quotas)
    basis = resting(
        FleetAnswer,
        fleet.prices,
        fleet.caps,
        read.today,
        read.prices,
        has_spot=any(need.is_spot for need in needs),
        headroom_ratio=asked.headroom_ratio,
        least_saving_usd=asked.least_saving_usd,
        commitment_choice=asked.commitments,
        kept=(*fleet.left_out, *kept),
        notes=fleet.notes,
        incomplete=what_is_incomplete(fleet.facts, ()) if fleet.facts is not None else (),
        is_feasible=isinstance(planned, Planned),
    )
    if not isinstance(planned, Planned):
        return _replaced(basis, infeasible=planned)
    answer = _answer(basis, planned, market, fleet)
    may_be_small = asked.least_saving_usd and any(
        not one.moves and need.machine_type is not None and not need.is_pinned
        for need, one in zip(planned.needs, planned.chosen, strict=True)
    )
    if not may_be_small:
        return answer
    of_any = choices._replace(least_saving_usd=_ZERO)
    any_move = plan_fleet(needs, fleet.prices, fleet.caps, of_any, market, asked.quotas)
    if not isinstance(any_move, Planned):
        return answer
    return _replaced(answer, **_too_little(planned, any_move))


def _too_little(planned: Planned, any_move: Planned) -> dict[str, object]:
    """Return how many moves save less than the least saving, and what they would save."""
    pairs = zip(planned.chosen, any_move.chosen, strict=True)
    count = sum(bool(more.moves) and not one.moves for one, more in pairs)
    saved_usd = planned.bill.usd_per_month - any_move.bill.usd_per_month
    if not count or saved_usd <= 0:
        return {}
    return {"small_moves": count, "small_moves_usd_per_month": saved_usd}


def _replaced(answer: FleetAnswer, **changes: object) -> FleetAnswer:
    return msgspec.structs.replace(answer, **changes)


def _of_table(asked: FleetChoices, read: InputRequest, table: Path) -> _Fleet:
    if read.inventory or read.projects or read.parents or read.demo or read.traffic:
        raise UsageError("--needs is the full fleet: leave inventory and traffic out")
    prices = open_prices(read.prices, read.discounts, read.billing_exports)
    caps = with_calibration(load_caps(read.as_of or read.today), read.calibration)
    needs, notes = read_needs(
        table,
        Known(prices, caps),
        architecture=asked.architecture,
        any_architecture=asked.any_architecture,
    )
    bought = bought_by_bill(prices)
    return _Fleet(prices, caps, needs, (*notes, *bought.notes), bought)


def _of_inventory(asked: FleetChoices, read: InputRequest, say: Say) -> _Fleet:
    demo = load_demo(read.demo) if read.demo is not None else None
    facts = read_facts(read, demo, say)
    needs, left_out = needs_of(
        facts,
        architecture=asked.architecture,
        any_architecture=asked.any_architecture,
        headroom_ratio=asked.headroom_ratio,
        asked=[kind for kind, _ in asked.move_usd],
    )
    bought = existing_of(facts, asked.commitment_scope)
    notes = (
        *bought.notes,
        *stopped_machines(facts.inventory),
        *autoscaled(facts.inventory),
    )
    if asked.commitment_scope is CommitmentScope.UNKNOWN and len(_projects(needs)) > 1:
        notes += (
            "it is unknown whether projects share commitments (--commitment-scope): the plan "
            "buys each for one project",
        )
    return _Fleet(facts.prices, facts.caps, needs, notes, bought, left_out, facts)


def _projects(needs: Sequence[FleetNeed]) -> set[str]:
    return {need.project for need in needs}


def _feasible(
    fleet: _Fleet, choices: Choices
) -> tuple[tuple[FleetNeed, ...], tuple[Shortfall, ...]]:
    """Return the groups, machines that nothing carries as they stand, and which those are.

    A group of a table that nothing carries makes the plan infeasible; a machine that is there
    stays what it is.
    """
    if fleet.facts is None:
        return fleet.needs, ()
    finder = Candidates(fleet.prices, fleet.caps, choices)
    needs, kept = [], []
    for need in fleet.needs:
        found = finder.of(need)
        short = found if isinstance(found, Shortfall) else None
        today = finder.today(need)
        if short is None and not need.why_pinned:
            needs.append(need)
        elif isinstance(today, str):
            why = f"{today}; it is in no total"
            kept.append(Shortfall(name=need.name, binding="price", shortfall=why))
        else:
            why = need.why_pinned or (str(short.shortfall) if short is not None else "")
            needs.append(_replaced_need(need, why))
            binding = "kept" if short is None or need.why_pinned else short.binding
            changes = () if short is None or need.why_pinned else short.changes
            kept.append(Shortfall(name=need.name, binding=binding, shortfall=why, changes=changes))
    return tuple(needs), tuple(kept)


def _replaced_need(need: FleetNeed, why: str) -> FleetNeed:
    return msgspec.structs.replace(need, is_pinned=True, why_pinned=why)


def _answer(basis: FleetAnswer, planned: Planned, market: Market, fleet: _Fleet) -> FleetAnswer:
    bill, baseline = planned.bill, planned.baseline
    usd, bound = bill.usd_per_month, planned.bound_usd_per_month
    today = baseline.on_demand_by_group if baseline is not None else (None,) * len(planned.needs)
    groups = tuple(
        _group(need, candidate, alone, dollars)
        for need, candidate, alone, dollars in zip(
            planned.needs,
            planned.chosen,
            planned.without_commitments,
            zip(bill.usd_by_group, bill.on_demand_by_group, today, strict=True),
            strict=True,
        )
    )
    return _replaced(
        basis,
        groups=groups,
        commitments=bill.commitments,
        usd_per_month=usd,
        bound_usd_per_month=bound,
        gap_ratio=float((usd - bound) / usd) if usd else 0.0,
        baseline_usd_per_month=baseline.usd_per_month if baseline is not None else None,
        baseline_note=_baseline_note(planned, fleet.bought),
        outgrown_groups=sum(planned.outgrown),
        same_types_usd_per_month=planned.same_types.usd_per_month if planned.same_types else None,
        line_items=bill.line_items,
        baseline_line_items=baseline.line_items if baseline is not None else (),
        changes=changes_of(
            fleet.facts,
            tuple(zip(planned.needs, planned.chosen, groups, planned.outgrown, strict=True)),
            bill.commitments,
        ),
        advice=tuple(breaking_advice(fleet.facts, groups)) if fleet.facts is not None else (),
        notes=(
            *fleet.notes,
            *([stopped_after(LAST_RESORT_S)] if planned.is_out_of_time else []),
            *_compared(planned),
            *notes_of_inventory(fleet.facts, planned),
            *notes_of_plan(planned, market, fleet.prices),
        ),
    )


def _compared(planned: Planned) -> Iterator[Text]:
    """Yield how many machines move for what commitments or list prices say, if some do."""
    with_others = sum(
        need.count
        for need, one, alone in zip(
            planned.needs, planned.chosen, planned.without_commitments, strict=True
        )
        if one.moves and one.machine.key != alone.machine.key
    )
    if with_others:
        has = "get a type that is" if with_others > 1 else "gets a type that is"
        yield (
            f"{counted(with_others, 'VM')} {has} cheapest only with these commitments; audit and "
            "recommend --vm assume none and choose another"
        )
    listed = sum(
        need.count
        for need, one in zip(planned.needs, planned.chosen, strict=True)
        if one.is_at_list
    )
    if listed:
        yield f"savings of {counted(listed, 'VM')} with another type are {AT_LIST}"


def _group(
    need: FleetNeed,
    candidate: Candidate,
    alone: Candidate,
    dollars: tuple[Decimal, Decimal, Decimal | None],
) -> FleetGroup:
    usd, on_demand, on_demand_today = dollars
    machine = candidate.machine
    by_itself = alone.machine
    is_same = by_itself.key == machine.key
    wanted_gbps = need.gbps + need.outside_gbps
    notes = [
        notes_of(candidate),
        f"keeps its type: {need.why_pinned}" if need.why_pinned else "",
        "" if is_same else f"without commitments {by_itself.machine_type} would be cheapest",
    ]
    return taken(
        FleetGroup,
        need,
        machine_type=machine.machine_type,
        is_tier1=machine.is_tier1,
        usd_per_month=usd,
        on_demand_usd_per_month=on_demand,
        on_demand_usd_per_month_today=on_demand_today if need.machine_type else None,
        machine_type_today=need.machine_type,
        is_tier1_today=need.is_tier1,
        usable_gbps=machine.usable_gbps,
        # Nobody asks what a group sends that keeps its type: 0 is then no answer.
        needs_gbps=None if need.why_pinned and not wanted_gbps else wanted_gbps,
        vcpus=machine.shape.vcpus,
        memory_gib=machine.shape.memory_gib,
        note="; ".join(filter(None, notes)),
    )


def _baseline_note(planned: Planned, bought: Bought) -> Text:
    if planned.unpriced:
        name, why = planned.unpriced[0]
        more = f", and {len(planned.unpriced) - 1} more" if len(planned.unpriced) > 1 else ""
        return f"price of {name} today unknown{more}: {why}"
    if not planned.without_type:
        return "current types and current commitments"
    none = "without new commitments" if bought.flexible else "without commitments"
    if planned.without_type == len(planned.needs):
        return f"the cheapest type of each group alone, {none}: no group has a type today"
    of = counted(planned.without_type, "group")
    return f"current types, and the cheapest type alone for {of} with none, {none}"
