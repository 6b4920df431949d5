"""A fleet's needs to machine types and commitments, with the bill and the bound."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from netplan_planner.errors import InputError
from netplan_planner.model import CapsBook, PriceBook
from netplan_planner.model.plans.plan_answer import Shortfall
from netplan_planner.optimise.highs import Clock, Effort, Linear, run
from netplan_planner.planning.fleet.assembly import Assembled, assemble, profile_of
from netplan_planner.planning.fleet.billing import NOTHING, Bill, Biller, Bought
from netplan_planner.planning.fleet.candidates import Candidates, Choices, lacks
from netplan_planner.planning.fleet.market import Market
from netplan_planner.planning.fleet.need import (
    Calendar,
    Candidate,
    FleetNeed,
    Machine,
    Profile,
    VcpuLimit,
)
from netplan_planner.planning.fleet.program import (
    Floats,
    Infeasible,
    Layout,
    Places,
    Program,
    Solution,
    fixed,
    layout_of,
    model_of,
)
from netplan_planner.planning.fleet.sheet import Sheet
from netplan_planner.units import HOURS_PER_MONTH

SMALL = 400
"""Columns up to which all is decided in whole numbers at once."""

_EXACT = 60
"""Columns up to which nothing is left between plan and bound."""

_NEAR = 1e-4
"""Between plan and bound, at which a large fleet's rounded program is good enough."""

_TARGET = 9e-4
"""The same, at which the search ends that follows."""

LAST_RESORT_S = 120.0

_WHOLE = 1e-6
_MICRO = Decimal("0.000001")

_DUST = Decimal("0.0001")
"""Share of a plan's cost below which a flexible commitment is not worth its order."""

_ZERO = Decimal(0)


class Planned(NamedTuple):
    """What becomes of a fleet."""

    needs: tuple[FleetNeed, ...]
    """In the order of the plan: by project, zone and name."""
    chosen: tuple[Candidate, ...]
    without_commitments: tuple[Candidate, ...]
    """What would be cheapest for each by itself."""
    bill: Bill
    bound_usd_per_month: Decimal
    baseline: Bill | None
    """As it stands, under the commitments that it has; None: of some group no price is known."""
    same_types: Bill | None
    """The same machines under the best commitments: what types add shows beside it."""
    without_type: int
    """Groups of which no type of today is known: the baseline has the cheapest for them."""
    outgrown: tuple[bool, ...]
    """Of each group, whose type of today does not carry what it needs."""
    unpriced: tuple[tuple[str, str], ...]
    """Groups whose type of today has no price, and why."""
    is_out_of_time: bool
    """Whether the clock ended a search."""


def plan_fleet(
    needs: Sequence[FleetNeed],
    prices: PriceBook,
    caps: CapsBook,
    choices: Choices,
    market: Market,
    limits: Sequence[VcpuLimit] = (),
) -> Planned | tuple[Shortfall, ...]:
    """Return the cheapest types and commitments that carry every group, or what has no solution.

    Args:
        needs: The groups; a name stands once in a project and zone.
        prices: Where prices come from.
        caps: The caps of machine types.
        choices: What the user allows.
        market: Commitments that are there and that may be bought.
        limits: Quotas of vCPUs.
    """
    ordered = sorted(needs, key=lambda need: (need.project, need.zone, need.name))
    finder = Candidates(prices, caps, choices)
    found = [finder.of(need) for need in ordered]
    short = tuple(one for one in found if isinstance(one, Shortfall))
    if short:
        return short
    menus = [one for one in found if not isinstance(one, Shortfall)]
    today = [finder.today(need) if need.machine_type else "" for need in ordered]
    sheet = Sheet(prices, market)
    alone: dict[int, tuple[Candidate, ...]] = {}
    standing = [
        alone.setdefault(id(one), (Candidate(one, _ZERO),)) if isinstance(one, Machine) else ()
        for one in today
    ]
    for need, one in zip(ordered, standing, strict=True):
        sheet.menu(market.project(need), one)
    calendar = Calendar(profile_of(need) for need in ordered)
    assembled = assemble(ordered, menus, sheet, market, calendar, limits)
    clock = Clock(LAST_RESORT_S)
    solution = solve(assembled.program, clock)
    if isinstance(solution, Infeasible):
        return tuple(_over_limits(solution, limits))
    chosen = _chosen(assembled, sheet, solution, len(ordered))
    bought = _bought(assembled, solution, market)
    biller = Biller(prices, market, sheet, ordered, calendar)
    ways = [(chosen, biller.bill(chosen, bought))]
    if bought is not NOTHING:
        ways.append((chosen, biller.bill(chosen)))
    fees = sum((fee.usd_per_month for e in market.existing for fee in e.fees), _ZERO)
    bound = Decimal(repr(solution.bound_usd_per_month)).quantize(_MICRO) + fees
    unpriced = tuple(
        (need.name, one)
        for need, one in zip(ordered, today, strict=True)
        if isinstance(one, str) and one
    )
    baseline = same_types = None
    cheapest = _Cheapest(sheet)
    if not unpriced:
        stay = [
            one or cheapest.of(market.project(need), menu, need)
            for need, one, menu in zip(ordered, standing, menus, strict=True)
        ]
        kept = tuple(one[0] for one in stay)
        baseline = biller.bill(kept)
        fixed = assemble(ordered, stay, sheet, market, calendar)
        committed = solve(fixed.program, clock)
        if isinstance(committed, Solution):
            same_types = biller.bill(kept, _bought(fixed, committed, market))
            if _may_stay(menus, kept) and not limits:
                ways += [(kept, same_types), (kept, baseline)]
    # The program is solved to a gap: what costs less than its answer goes before it.
    chosen, bill = min(ways, key=lambda w: w[1].usd_per_month + _least_usd(ordered, w[0]))
    # What moves must save is nothing that is paid.
    bound -= _least_usd(ordered, chosen)
    # What flexible commitments cover of the machines of today is paid whatever is done.
    most = market.covered_usd_per_hour * HOURS_PER_MONTH
    fee = market.flexible_fee(min(most, (baseline or bill).spent_usd))
    bill = bill.plus(fee)
    return Planned(
        needs=tuple(ordered),
        chosen=chosen,
        without_commitments=tuple(
            cheapest.of(market.project(need), menu, need)[0]
            for need, menu in zip(ordered, menus, strict=True)
        ),
        bill=bill,
        bound_usd_per_month=min(bound + (fee.usd_per_month if fee else _ZERO), bill.usd_per_month),
        baseline=baseline and baseline.plus(fee),
        same_types=same_types and same_types.plus(fee),
        without_type=sum(need.machine_type is None for need in ordered),
        outgrown=tuple(
            not need.is_pinned
            and isinstance(one, Machine)
            and bool(lacks(need, one, caps, choices.headroom_ratio))
            for need, one in zip(ordered, today, strict=True)
        ),
        unpriced=unpriced,
        is_out_of_time=clock.has_struck,
    )


def _least_usd(needs: Sequence[FleetNeed], chosen: Sequence[Candidate]) -> Decimal:
    """Return what the moves of a plan must save, a month."""
    return sum((c.least_usd * n.count for n, c in zip(needs, chosen, strict=True)), _ZERO)


def _may_stay(menus: Sequence[tuple[Candidate, ...]], kept: Sequence[Candidate]) -> bool:
    """Return whether each group may be what it is taken to be today."""
    return all(
        one.machine.key in {other.machine.key for other in menu}
        for menu, one in zip(menus, kept, strict=True)
    )


class _Cheapest:
    """Finds what is cheapest for a group by itself, without any commitment."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._found: dict[tuple[str, int, Profile], tuple[Candidate, ...]] = {}

    def of(
        self, project: str, menu: tuple[Candidate, ...], need: FleetNeed
    ) -> tuple[Candidate, ...]:
        """Return the first of the cheapest, alone."""
        profile = profile_of(need)
        key = project, id(menu), profile
        found = self._found.get(key)
        if found is None:
            places = self._sheet.menu(project, menu)
            usd = self._sheet.usd(places, profile) + self._sheet.columns.move[places]
            found = self._found[key] = (menu[int(np.argmin(usd))],)
        return found


def _chosen(
    assembled: Assembled, sheet: Sheet, solution: Solution, groups: int
) -> tuple[Candidate, ...]:
    """Return what each group takes: equal groups in their order."""
    found: list[Candidate | None] = [None] * groups
    starts = assembled.program.start
    for at, of in enumerate(assembled.classes):
        taken = np.repeat(of.menu, solution.counts[starts[at] : starts[at + 1]])
        for member, which in zip(of.members, taken.tolist(), strict=True):
            found[member] = sheet.candidates[which]
    return tuple(one for one in found if one is not None)


def _bought(assembled: Assembled, solution: Solution, market: Market) -> Bought:
    units = {
        (key.sold, years): Decimal(str(solution.committed[at, term]))
        for at, key in enumerate(assembled.pools)
        for term, years in enumerate(market.years)
        if solution.committed[at, term] > 0
    }
    least = _DUST * Decimal(str(max(solution.bound_usd_per_month, 0.0))) / HOURS_PER_MONTH
    flexible = {
        years: usd
        for term, years in enumerate(market.years)
        if (usd := Decimal(str(solution.flexible[term])).quantize(_MICRO)) > least
    }
    return Bought(units, flexible) if units or flexible else NOTHING


def _over_limits(found: Infeasible, limits: Sequence[VcpuLimit]) -> list[Shortfall]:
    return [
        Shortfall(
            name=f"{limit.region}/{limit.series}",
            binding="quota",
            shortfall=f"{short:.6g} vCPUs short: the groups need at least {limit.vcpus + short:.6g}"
            f" of {limit.series.upper()} in {limit.region}, the quota is {limit.vcpus}",
            changes=("request a higher quota", "other series (--series)", "unpin groups"),
        )
        for limit, short in zip(limits, found.short.tolist(), strict=True)
        if short > 1e-6
    ]


def solve(program: Program, clock: Clock) -> Solution | Infeasible:
    """Return what to take and to commit to, or which limits cannot be kept.

    Raises:
        InputError: If HiGHS ends without an answer.
    """
    model, layout = model_of(program), layout_of(program)
    relaxed = run(model)
    if relaxed is None:
        return _shortage(program)
    divided, bound = relaxed.values, relaxed.bound
    rounded = run(fixed(model, np.arange(program.columns), _rounded(program, divided)))
    start = None if rounded is None else rounded.values
    if program.columns <= SMALL:
        sold = np.arange(layout.committed, layout.flexible)
        whole = np.concatenate([np.arange(program.columns), sold])
        few = program.columns <= _EXACT
        effort = Effort(1e-8, 20_000, clock) if few else Effort(1e-4, 500, clock)
        found = run(model, whole, effort, start)
        if found is None:
            return _shortage(program)
        return _solution(program, layout, found[0], max(bound, found[1]))
    if start is None or model.usd(start) > bound + _NEAR * abs(bound):
        dived = _dive(program, model, divided)
        start = start if dived is None else dived
    if start is None or model.usd(start) > bound + _TARGET * abs(bound):
        start = _searched(program, model, divided, start, bound, clock)
    if start is None:
        return _shortage(program)
    return _solution(program, layout, start, bound)


def _dive(program: Program, model: Linear, divided: Floats) -> Floats | None:
    """Round the clearer half of the divided classes and solve the rest again, until none is left.

    None: a limit was overrun on the way.
    """
    values, columns = divided, program.columns
    classes = _class_of(program)
    low, high = model.low.copy(), model.high.copy()
    while True:
        taken = values[:columns]
        rest = taken - np.floor(taken + _WHOLE)
        is_open = np.zeros(len(program.group_counts), dtype=bool)
        is_open[classes[np.abs(taken - np.rint(taken)) > _WHOLE]] = True
        open_classes = np.flatnonzero(is_open)
        if not len(open_classes):
            return values
        clear = np.maximum.reduceat(rest, program.start[:-1])[open_classes]
        half = np.argsort(-clear, kind="stable")[: (len(open_classes) + 1) // 2]
        is_open[open_classes[half]] = False
        is_closed = ~is_open[classes]
        whole = _rounded(program, values)
        low[:columns][is_closed] = high[:columns][is_closed] = whole[is_closed]
        high[:columns][~is_closed & (taken < _WHOLE)] = 0
        found = run(model._replace(low=low.copy(), high=high.copy()))
        if found is None:
            return None
        values = found[0]


def _class_of(program: Program) -> Places:
    """Return the class of each column."""
    return np.repeat(np.arange(len(program.group_counts)), np.diff(program.start))


def _searched(
    program: Program,
    model: Linear,
    divided: Floats,
    start: Floats | None,
    bound: float,
    clock: Clock,
) -> Floats | None:
    """Search whole numbers for the classes that the linear program divides, others as it has them.

    First only between what it divides them between; with limits that leaves nothing at times.
    """
    columns = program.columns
    taken = divided[:columns]
    classes = _class_of(program)
    is_off = np.abs(taken - np.rint(taken)) > _WHOLE
    is_divided = np.zeros(len(program.group_counts), dtype=bool)
    is_divided[classes[is_off]] = True
    effort = Effort(2e-4, 100, clock, target=bound + _TARGET * abs(bound))
    near = fixed(model, np.flatnonzero(~is_off), np.rint(taken[~is_off]))
    near.low[:columns] = np.maximum(near.low[:columns], np.floor(taken + _WHOLE))
    near.high[:columns] = np.minimum(near.high[:columns], np.ceil(taken - _WHOLE))
    kept = np.flatnonzero(~is_divided[classes])
    for one in (near, fixed(model, kept, np.rint(taken[kept])), model):
        found = run(one, np.arange(columns), effort, start)
        if found is not None:
            best = start is not None and model.usd(start) <= model.usd(found[0])
            return start if best else found[0]
    return start


def _rounded(program: Program, divided: Floats) -> Places:
    """Return whole groups near what a linear program divides: greatest remainders first."""
    taken = np.maximum(divided[: program.columns], 0.0)
    counts = np.floor(taken + _WHOLE).astype(np.intp)
    for at, groups in enumerate(program.group_counts):
        first, end = program.start[at], program.start[at + 1]
        left = int(groups - counts[first:end].sum())
        if left > 0:
            order = np.argsort(-(taken[first:end] - counts[first:end]), kind="stable")
            counts[first + order[:left]] += 1
    return counts


def _solution(program: Program, layout: Layout, values: Floats, bound: float) -> Solution:
    terms = len(program.flexible)
    steps = np.array([pool.step for pool in program.pools])
    committed = values[layout.committed : layout.flexible].reshape(len(program.pools), terms)
    # Rounded down to what is sold: a unit above what runs is paid for nothing.
    units = np.floor(committed + 1e-6) * steps[:, None]
    return Solution(
        counts=np.rint(values[: program.columns]).astype(np.intp),
        committed=units,
        flexible=np.maximum(values[layout.flexible : layout.short], 0.0),
        bound_usd_per_month=bound,
    )


def _shortage(program: Program) -> Infeasible:
    """Return by how much limits would have to grow at least.

    Raises:
        InputError: If even that has no answer.
    """
    model, layout = model_of(program, may_grow=True), layout_of(program)
    found = run(model)
    if found is None:
        raise InputError("HiGHS found no plan and no reason")
    return Infeasible(short=found.values[layout.short : layout.end])
