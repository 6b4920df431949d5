"""The answer of `netplan transfer`: ways, machines and what they rest on."""

from collections.abc import Iterator

from netplan_planner.model import Amount, Rejected, Usage
from netplan_planner.planning.show import basis
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.content.plans import USAGE_WORDS, changes, lost, odds
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.transfer import views
from netplan_planner.verbs.transfer.answer import TransferAnswer, TransferOption, TransferPlan
from netplan_planner.verbs.transfer.ask import TransferGoal, TransferNeed

SCHEMA = "netplan.transfer/1"
COLUMNS = (
    "kind",
    "number",
    "src",
    "dst",
    "gbps",
    "gib",
    "usd",
    "streams",
    "place",
    "role",
    "machine_type",
    "is_tier1",
    "machine_count",
    "usd_per_hour",
    "duration_s",
    "total_usd",
    "detail",
)
_DIGITS = 6
_BILL_LINES = 20


def table(answer: TransferAnswer) -> DataTable:
    """Return the plan's flows and machines, then the front and other ways, a row each."""
    return DataTable(COLUMNS, _rows(answer.transfer))


def _rows(plan: TransferPlan) -> Iterator[tuple[Cell, ...]]:
    if plan.infeasible is not None:
        why = f"{plan.infeasible.binding}: {doc.plain(line(plan.infeasible.shortfall))}"
        yield _row(kind="infeasible", number=1, detail=why)
    if plan.plan is not None:
        for number, flow in enumerate(plan.plan.flows, 1):
            yield _row(
                kind="flow",
                number=number,
                src=flow.src,
                dst=flow.dst,
                gbps=_short(flow.gbps),
                gib=flow.gib,
                usd=figures.exact_sum(flow.usd),
                streams=flow.streams,
                detail=flow.bound_by,
            )
        for number, one in enumerate(plan.plan.machines, 1):
            yield _row(
                kind="machines",
                number=number,
                place=one.place,
                role=one.role,
                machine_type=one.machine_type,
                is_tier1=one.is_tier1,
                machine_count=one.count,
                usd_per_hour=one.usd_per_hour,
                detail=one.note,
            )
        yield _option("plan", 1, plan.plan)
    if plan.direct is not None:
        yield _option("direct", 1, plan.direct)
    for number, option in enumerate(plan.front, 1):
        yield _option("front", number, option)
    for number, way in enumerate(plan.ways, 1):
        if way.option is not None:
            yield _option("instead", number, way.option, way.name)


def _option(kind: str, number: int, option: TransferOption, name: str = "") -> tuple[Cell, ...]:
    machines = views.machines_of(option)
    return _row(
        kind=kind,
        number=number,
        gbps=_short(option.gbps),
        machine_count=sum(one.count for one in option.machines),
        duration_s=_short(option.duration_s),
        total_usd=figures.exact_sum(option.usd_total),
        detail=f"{name}: {machines}" if name else machines,
    )


def _row(**told: Cell) -> tuple[Cell, ...]:
    return tuple(told.get(name) for name in COLUMNS)


def _short(value: float) -> float:
    """Return a value with as many digits as anybody knows."""
    return float(f"{value:.{_DIGITS}g}")


def blocks(answer: TransferAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield the plan, what it is held against, what to do, and what the figures rest on."""
    plan = answer.transfer
    yield doc.entry(_need(plan.need))
    if plan.infeasible is not None:
        yield from views.infeasible(plan.infeasible)
    elif plan.plan is not None:
        yield from _plan(plan, plan.plan, options)
    yield from views.front(plan, options)
    yield from views.ways(plan)
    for text in plan.doubts:
        yield doc.field("doubt", text)
    for text in plan.advice:
        yield doc.field("first", text)
    for text in plan.assumptions:
        yield doc.field("assumed", text)
    if plan.unpriced:
        rest = f"; and {len(plan.unpriced) - 1} more" if len(plan.unpriced) > 1 else ""
        # Areas to choose from are said once, of the way that was asked for.
        yield doc.field("no price", f"{plan.unpriced[0].partition(';')[0]}{rest}")
    if options.verbosity:
        yield from lost(_unknown(plan), options, "unknown")
    yield from changes(answer.changes, options)
    if plan.is_given:
        yield doc.para("Rates and prices are from the given tables.")
        return
    yield from basis(
        answer,
        options,
        without="disks and licences",
        paid="VMs are created for the transfer and billed per second, one minute at least. "
        "Intervals cover 90% of throughput cases.",
    )


def _need(need: TransferNeed) -> Line:
    deadline = f" within {figures.duration(need.deadline_s)}" if need.deadline_s else ""
    goal = "fastest plan" if need.goal is TransferGoal.TIME else "cheapest plan"
    budget = (
        line(" for at most ", fixed(Amount(usd=need.budget_usd)))
        if (need.budget_usd is not None)
        else line("")
    )
    most = figures.counted(need.max_count, "VM")
    paid = "" if need.usage is Usage.ON_DEMAND else f", {USAGE_WORDS[need.usage]}"
    each = " to each of " if len(need.targets) > 1 else " to "
    return line(
        fixed(figures.byte_volume(need.volume_bytes), Role.STRONG),
        " from ",
        phrases.name(need.source),
        each,
        phrases.name(", ".join(need.targets)),
        f": {goal}{deadline}",
        budget,
        f"; at most {most} per place{paid}",
    )


def _plan(plan: TransferPlan, found: TransferOption, options: RenderOptions) -> Iterator[Block]:
    yield doc.para(
        say(views.cost(found), Role.STRONG),
        "; ",
        views.times(found),
        _likely(plan),
        f", at {figures.rate(found.gbps)}",
        " to each target" if len(plan.need.targets) > 1 else "",
        is_inner=True,
    )
    yield views.machine_table(found)
    yield views.flow_table(found)
    if found.binding:
        yield doc.field("limit", views.bindings(found.binding))
    if found.ramp_s:
        share = figures.share(found.ramp_s, found.duration_s)
        text = f"{figures.duration(found.ramp_s)}, {share} of the time: connection start"
        yield doc.field("ramp-up", text)
    if plan.relay_verdict:
        yield doc.field("relays", plan.relay_verdict)
    yield from views.direct(plan)
    yield from views.proven(plan)
    if len(found.routes) > 1 and options.verbosity:
        for route in found.routes:
            hops = ", ".join(f"{src} → {dst}" for src, dst in route.hops)
            text = f"{figures.share(route.share_ratio, 1)} of the bytes: {hops}"
            yield doc.field("way", text)
    if options.folds or options.verbosity:
        bill = phrases.bills(found.line_items, _BILL_LINES, are_costs=True)
        if bill:
            yield doc.field("prices", bill[0], more=bill[1:], is_source=True)


def _unknown(plan: TransferPlan) -> list[Rejected]:
    return [
        Rejected(machine_type=name, is_tier1=is_tier1, reason=one.reason, detail=one.detail)
        for one in plan.unknown
        for is_tier1, names in ((False, one.machine_types), (True, one.tier1_machine_types))
        for name in names
    ]


def _likely(plan: TransferPlan) -> str:
    if plan.deadline_probability is None:
        return ""
    return f", {odds(plan.deadline_probability, plan.need.usage)} likely in time"
