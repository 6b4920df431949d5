"""The answer of `netplan place`: read, solve, bill, and say what moves are worth."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal

import numpy as np
from msgspec.structs import replace

from netplan_planner.errors import MissingDatum, UsageError
from netplan_planner.ledger.compared import AT_LIST, is_at_list, most_saved, over_line, stopped_usd
from netplan_planner.model import Facts, Inventory, Zone
from netplan_planner.model.money.price_age import price_age
from netplan_planner.model.plans.plan_answer import PlanChange, PlanChanges
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.planning.project import request_of
from netplan_planner.planning.steps import in_order, with_caution
from netplan_planner.planning.steps.by_image import move_to_zone
from netplan_planner.throughput import load_caps
from netplan_planner.verbs import Now, panels, verb
from netplan_planner.verbs.place.answer import Placement, PlannedMove
from netplan_planner.verbs.place.ask import PlaceAsk, PlaceChoices
from netplan_planner.verbs.place.asked import Asked, AskedMachine
from netplan_planner.verbs.place.bill import PlacementBill, Prices
from netplan_planner.verbs.place.binding import bindings_of, broken_by, shortfalls_of
from netplan_planner.verbs.place.inventory import asked_of, growth_of
from netplan_planner.verbs.place.machines import machine_usd, with_types
from netplan_planner.verbs.place.numbers import Numbers, numbers_of
from netplan_planner.verbs.place.solve.feasible import Shortfalls
from netplan_planner.verbs.place.solve.moves import Step
from netplan_planner.verbs.place.solve.search import Placed, best_placement
from netplan_planner.verbs.place.tables import read_tables
from netplan_planner.world.calibration import with_calibration
from netplan_planner.world.demos import load_demo, projects_of, title_of
from netplan_planner.world.reading import limits_date, read_facts
from netplan_planner.world.request import InputRequest
from netplan_pricing import open_prices
from netplan_rules.registry import thresholds
from netplan_rules.wording import far

_RULE, _THRESHOLD = "chatty-inter-zone-pair", "min_usd_per_month"
_DIGITS = 6
_CENT = Decimal("0.01")
ONE_OFF = (
    "the VM is stopped and started. Its machine image is billed while it exists (cost unknown, "
    "because disk sizes are not read)"
)

Say = Callable[[str], None]


@verb(
    panel=panels.PLAN,
    question="Which zones make the traffic cheapest?",
    has_look=True,
    explains="Show every move, bill and command.",
)
def place(ask: PlaceAsk, now: Now) -> Placement:
    """Choose the zones of VMs with the lowest traffic cost, and rank the moves by saving.

    Keeps zone capacity, spread groups, pins and round-trip limits. Prints commands and changes
    nothing. Exit status: 0, or 1 when no placement meets every constraint.
    """
    return plan_places(request_of(ask), ask.choices, now.say)


def plan_places(
    request: InputRequest, wanted: PlaceChoices, say: Say = lambda _: None
) -> Placement:
    """Return zones for the machines of a request.

    Raises:
        UsageError: If tables and an inventory are both given, or neither is.
        InputError: If an input cannot be read, or contradicts itself.
        MissingDatum: If no traffic has a known price.
    """
    facts, asked = _asked(request, wanted, say)
    return placement_of(facts, asked, request, wanted, say)


def placement_of(
    facts: Facts,
    asked: Asked,
    request: InputRequest,
    wanted: PlaceChoices,
    say: Say = lambda _: None,
) -> Placement:
    """Return zones for machines; at list prices where the bill does not tell what they change.

    Raises:
        MissingDatum: If no traffic has a known price.
    """
    found, is_listed = _placed(facts, asked, request, wanted, say)
    if is_listed:
        found, _ = _placed(facts.even, asked, request, wanted, say, Prices(facts, asked))
        return replace(found, assumptions=(*found.assumptions, f"moves are compared {AT_LIST}"))
    return found


def _placed(
    facts: Facts,
    asked: Asked,
    request: InputRequest,
    wanted: PlaceChoices,
    say: Say,
    paid: Prices | None = None,
) -> tuple[Placement, bool]:
    """Return zones, and whether what they change is compared at list prices.

    Args:
        facts: With the prices that zones are compared by.
        asked: Machines, zones and traffic.
        request: What is read.
        wanted: What the placement keeps.
        say: Where progress goes.
        paid: Where these are list prices, those that are paid: no move saves more.
    """
    prices = Prices(facts, asked)
    prices.machines.check()
    numbers = numbers_of(
        asked,
        prices,
        growth_ratio=growth_of(wanted),
        between_regions=wanted.may_leave_region,
    )
    baseline = prices.bill(numbers.problem.today)
    if baseline.unpriced and not baseline.usd:
        reasons = "\n".join(dict.fromkeys(one.reason for one in baseline.unpriced))
        raise MissingDatum(f"none of the billed traffic has a known price: {reasons}")
    least = wanted.least_saving_usd
    if least is None:
        least = facts.threshold(_RULE, _THRESHOLD)
    answer = _unsolved(facts, asked, numbers, baseline, wanted, Decimal(str(least)))
    answer = replace(
        answer,
        price_age=price_age(
            facts.prices.info, request.today, has_spot=False, folder=request.prices
        ),
    )
    found = best_placement(numbers.problem, say)
    if isinstance(found, Shortfalls):
        short = shortfalls_of(asked, numbers, found)
        return replace(answer, is_feasible=False, infeasible=short), False
    if paid is not None:
        steps = _at_most_paid(asked, found, paid)
        over = sum(one.saving_usd for one in found.steps) - sum(one.saving_usd for one in steps)
        solved = _solved(answer, asked, numbers, prices, found._replace(steps=steps))
        return _with_more(solved, Decimal(str(round(over, _DIGITS)))), True
    solved = _solved(answer, asked, numbers, prices, found)
    return solved, is_at_list(facts.prices, baseline.lines, solved.line_items)


def _at_most_paid(asked: Asked, found: Placed, paid: Prices) -> tuple[Step, ...]:
    """Return the steps, of which none saves more than what stops being paid by it."""
    zones = np.array([asked.zones.index(one.zone) for one in asked.machines])
    was, steps = paid.bill(zones).lines, []
    for step in found.steps:
        moved = list(step.machines)
        zones[moved] = found.zones[moved]
        now = paid.bill(zones).lines
        most = most_saved(Decimal(step.saving_usd), stopped_usd(was, now))
        steps.append(step._replace(saving_usd=float(most)))
        was = now
    return tuple(steps)


def _with_more(found: Placement, over: Decimal) -> Placement:
    """Return a placement that costs more than list prices say, by what they save above the bill."""
    if not over or found.usd_per_month is None:
        return found
    bound, usd = found.bound_usd_per_month, found.usd_per_month + over
    bound = bound + over if bound is not None else None
    return replace(
        found,
        usd_per_month=usd,
        bound_usd_per_month=bound,
        gap_ratio=_gap_ratio(usd, bound) if bound is not None else None,
        line_items=(*found.line_items, over_line(over, found.prices_as_of)),
    )


def _asked(request: InputRequest, wanted: PlaceChoices, say: Say) -> tuple[Facts, Asked]:
    reads = (request.projects, request.parents, request.inventory, request.demo, request.traffic)
    tables = (wanted.vms, wanted.edges)
    if any(tables) and any(reads):
        raise UsageError("--vms and --edges replace the inventory and traffic: leave those out")
    if any(tables):
        facts = _facts_of_tables(request)
        return facts, with_types(facts, read_tables(wanted))
    if wanted.zones is not None:
        raise UsageError("--zones goes with --vms and --edges")
    demo = load_demo(request.demo) if request.demo is not None else None
    facts = read_facts(request, demo, say)
    title = title_of(demo, projects_of(request, facts.inventory))
    return facts, asked_of(facts, title, wanted)


def _facts_of_tables(request: InputRequest) -> Facts:
    """Return facts that hold prices alone, for what is asked by tables."""
    prices = open_prices(request.prices, request.discounts, request.billing_exports)
    caps = with_calibration(load_caps(limits_date(request, None)), None)
    return Facts(
        inventory=Inventory(),
        traffic=None,
        prices=prices,
        caps=caps,
        machines=Chooser(prices, caps, request.commitment_scope),
        today=request.today,
        thresholds=thresholds({}),
    )


def _unsolved(
    facts: Facts,
    asked: Asked,
    numbers: Numbers,
    baseline: PlacementBill,
    wanted: PlaceChoices,
    least: Decimal,
) -> Placement:
    """Return the answer as far as it is known before anything is placed."""
    return Placement(
        title=asked.title,
        baseline_usd_per_month=baseline.usd,
        proven_within_usd=numbers.step_usd,
        baseline_line_items=baseline.lines,
        unpriced=baseline.unpriced,
        stop_line_usd_per_move=least,
        machine_count=len(asked.own),
        movable_count=len(numbers.problem.movable),
        has_machines=any(one.machine_type for one in asked.machines),
        stays=_stays(asked, numbers),
        broken_today=broken_by(asked, numbers, numbers.problem.today),
        assumptions=tuple(_assumptions(asked, numbers, wanted)),
        prices_as_of=facts.prices.info.network_as_of,
        prices_sha256=facts.prices.info.sha256,
        incomplete=asked.incomplete,
    )


def _stays(asked: Asked, numbers: Numbers) -> dict[str, int]:
    reasons = Counter(one.pinned for one in asked.own if one.pinned)
    alone = len(asked.own) - len(numbers.problem.movable) - reasons.total()
    if alone:
        reasons["no other zone is available"] = alone
    return dict(sorted(reasons.items(), key=lambda one: (-one[1], one[0])))


def _assumptions(asked: Asked, numbers: Numbers, wanted: PlaceChoices) -> list[str]:
    found = list(asked.assumptions)
    growth = growth_of(wanted)
    if growth is not None:
        found.append(
            f"no zone gains more than {growth:.0%} of the vCPUs that these VMs have there today, "
            "unless a table states its capacity (--zone-growth)"
        )
    typed = sum(bool(one.machine_type) for one in asked.machines)
    if numbers.is_between_regions:
        if typed < len(asked.machines):
            found.append(
                "VMs may change their region (--within-regions prevents it); the region's price "
                f"is not counted for {len(asked.machines) - typed:,} of them, because their "
                "machine_type is not given"
            )
    elif wanted.vms is not None and not wanted.may_leave_region:
        found.append("VMs stay in their region (--between-regions allows a change)")
    if typed:
        found.append(
            "VMs run all month on demand, with sustained-use discounts, without commitments and"
            " disks"
        )
    if numbers.problem.rtt_limits:
        found.append("round-trip times are typical for idle paths (netplan predict)")
    return found


def _solved(
    answer: Placement, asked: Asked, numbers: Numbers, prices: Prices, found: Placed
) -> Placement:
    plan = prices.bill(found.zones)
    model = Decimal(str(round(found.usd, _DIGITS)))
    bound = Decimal(str(round(found.bound_usd, _DIGITS)))
    # What no move changes is in the bills alone; steps of prices can only take off.
    at_last_steps = _at_last_steps(asked, prices, found.zones)
    bound = min(at_last_steps - model + bound - numbers.step_usd, plan.usd)
    bound = max(bound, Decimal(0))
    if found.is_proven and not numbers.step_usd:
        bound = plan.usd
    moves = _moves(asked, found, answer.stop_line_usd_per_move)
    worth = sum((one.saving_usd_per_month for one in moves if one.is_worth_it), Decimal(0))
    rest = sum((one.saving_usd_per_month for one in moves if not one.is_worth_it), Decimal(0))
    is_proven = plan.usd - bound < _CENT / 2 + numbers.step_usd
    is_stated = is_proven or says_something(plan.usd, bound)
    return replace(
        answer,
        assignment={
            one.name: Zone(asked.zones[zone])
            for one, zone in zip(asked.own, found.zones.tolist(), strict=False)
        },
        moves=moves,
        usd_per_month=plan.usd,
        bound_usd_per_month=bound if is_stated else None,
        is_proven=is_proven,
        bound_by=found.bound_by if is_stated else "",
        is_cut_short=found.is_cut_short,
        gap_ratio=_gap_ratio(plan.usd, bound) if is_stated else None,
        line_items=plan.lines,
        unpriced=plan.unpriced,
        spread_usd_per_month=prices.bill(found.zones, _inside_groups(asked, numbers)).usd,
        worth_usd_per_month=worth,
        rest_usd_per_month=rest,
        bindings=bindings_of(asked, numbers, found.zones),
        part_count=found.part_count,
        changes=_changes(asked, moves),
    )


def says_something(usd: Decimal, bound_usd: Decimal) -> bool:
    """Return whether a bound tells how good a plan is: it is at least half of what that costs."""
    return 2 * bound_usd >= usd


def _gap_ratio(usd: Decimal, bound_usd: Decimal) -> float:
    return float(usd / bound_usd - 1) if bound_usd else 0.0


def _at_last_steps(asked: Asked, prices: Prices, zones: np.ndarray) -> Decimal:
    """Return what all costs with traffic at the last steps of its prices."""
    usd = np.nan_to_num(prices.table(), nan=0.0)
    edges = asked.edges
    paid = usd[edges.kind, zones[edges.src], zones[edges.dst]] * edges.gib_per_month
    traffic = Decimal(str(round(float(paid.sum()), _DIGITS)))
    return traffic + machine_usd(prices.machines, zones)


def _inside_groups(asked: Asked, numbers: Numbers) -> np.ndarray:
    """Return the traffic between members of one group, by its place."""
    group = numbers.problem.group_of
    src, dst = group[asked.edges.src], group[asked.edges.dst]
    return np.flatnonzero((src >= 0) & (src == dst))


def _moves(asked: Asked, found: Placed, least: Decimal) -> tuple[PlannedMove, ...]:
    moves = []
    for number, step in enumerate(found.steps, 1):
        saving = Decimal(str(round(step.saving_usd, _DIGITS)))
        share = saving / len(step.machines)
        for machine in step.machines:
            one = asked.machines[machine]
            moves.append(
                PlannedMove(
                    name=one.name,
                    from_zone=Zone(one.zone),
                    to_zone=Zone(asked.zones[found.zones[machine]]),
                    step=number,
                    step_saving_usd_per_month=saving,
                    saving_usd_per_month=share,
                    is_worth_it=share >= least,
                    one_off_usd=None,
                    one_off=ONE_OFF,
                    breaks=one.breaks,
                )
            )
    return tuple(moves)


def _changes(asked: Asked, moves: tuple[PlannedMove, ...]) -> PlanChanges:
    machines = {one.name: one for one in asked.own}
    taken = {_place_of(one, one.zone) for one in asked.own}
    steps = []
    for move in moves:
        if move.is_worth_it:
            machine = machines[move.name]
            wanted = _place_of(machine, move.to_zone)
            steps.append(_step(machine, move.to_zone, is_taken=wanted in taken))
            taken.add(wanted)
    return in_order(
        steps,
        "The move with the largest saving comes first. You can stop after any step. Moves of "
        "one step (JSON: step) belong together. Verify each step before the next.",
    )


def _place_of(machine: AskedMachine, zone: str) -> tuple[str, str, str]:
    """Return what a machine's name has to be alone with: its project and a zone."""
    instance = machine.as_instance
    return instance.project, zone, instance.name


def _step(machine: AskedMachine, zone: Zone, *, is_taken: bool) -> PlanChange:
    """Return the step of a move, with what else has to follow the machine."""
    step = move_to_zone(machine.as_instance, zone, is_taken=is_taken)
    return with_caution(step, far(machine.as_instance, zone), *machine.breaks)
