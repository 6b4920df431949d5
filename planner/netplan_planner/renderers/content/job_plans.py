"""Jobs: the machines that do one at least cost, beside the others, and what that depends on."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.model.plans.job import JobEnd
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import job_views, phrases
from netplan_planner.renderers.content.plans import USAGE_WORDS, infeasible, lost, odds
from netplan_planner.renderers.document import Block, Line, Role, fixed, line
from netplan_planner.renderers.options import RenderOptions

_PLACES = {
    model.JobPlace.ZONE: "the same zone",
    model.JobPlace.INTERNAL: "other zones",
    model.JobPlace.INTERNET: "the internet",
    model.JobPlace.STORAGE: "Cloud Storage",
}


def jobs(plans: Sequence[model.JobPlan], options: RenderOptions) -> Iterator[Block]:
    """Yield the section of jobs: total cost and duration per machine type."""
    if plans:
        yield doc.section("Jobs")
    for plan in plans:
        yield from _head(plan, options)
        yield from job_views.hours(plan)
        for assumption in plan.need.assumptions:
            yield doc.field("assumed", assumption)
        yield from lost(plan.unknown, options, "unknown")


def job_plan(plan: model.JobPlan, options: RenderOptions) -> Iterator[Block]:
    """Yield one job: its machines by total cost, against those in use, and what else decides."""
    yield from _head(plan, options)
    yield from job_views.front(plan, options)
    yield from job_views.payments(plan)
    yield from job_views.hours(plan)
    yield from _traffic(plan)
    for assumption in plan.assumptions:
        yield doc.field("assumed", assumption)
    yield from lost(plan.unknown, options, "unknown")
    if plan.left_out_count:
        count = figures.counted(plan.left_out_count, "type")
        text = f"{count} by series, architecture, memory, GPUs, shared cores or deprecation"
        yield doc.field("left out", text)


def _head(plan: model.JobPlan, options: RenderOptions) -> Iterator[Block]:
    """Yield the job, its machines by total cost, and up to where bigger ones pay."""
    yield doc.entry(_need(plan.need))
    if plan.infeasible is not None:
        yield from infeasible(plan.infeasible, plan.infeasible.changes)
    else:
        yield doc.para(_verdict(plan), is_inner=True)
        yield doc.field("phases", _phases(plan))
        yield from _sure(plan)
        yield from _options(plan, options)
    yield from job_views.bigger(plan, options)


def _need(need: model.JobNeed) -> Line:
    moved = (
        (need.in_bytes, f"in from {_place(need.source)}"),
        (need.between_bytes, "between the VMs"),
        (need.out_bytes, f"out to {_place(need.target)}"),
    )
    parts = [
        line(fixed(figures.byte_volume(volume), Role.STRONG), f" {where}")
        for volume, where in moved
        if volume
    ]
    if need.cpu_seconds:
        parts.append(line(fixed(figures.duration(need.cpu_seconds), Role.STRONG), " of one vCPU"))
    deadline = f", done in {figures.duration(need.deadline_s)}" if need.deadline_s else ""
    times = f", {figures.number(need.runs_per_month)} runs per month" if need.runs_per_month else ""
    most = figures.counted(need.max_count, "VM")
    paid = USAGE_WORDS[need.usage]
    return line(
        "Each run: ",
        doc.joined(parts),
        f"{deadline}{times}. At most {most} in {need.region}, {paid} without usage discounts",
    )


def _place(end: JobEnd) -> str:
    return (
        end.region or "another region" if end.place is model.JobPlace.REGION else _PLACES[end.place]
    )


def _verdict(plan: model.JobPlan) -> Line:
    best = plan.options[0]
    shown = figures.shown(job_views.cost(best))
    equal = [one for one in plan.options if figures.shown(job_views.cost(one)) == shown]
    fastest = f" and the fastest of {len(equal)} with the same cost" if len(equal) > 1 else ""
    text = line(
        job_views.machines(best),
        f" is the cheapest in total{fastest}: ",
        fixed(job_views.cost(best), Role.GOOD),
        _interval(plan, best),
    )
    if plan.traffic_usd_per_run:
        usd = best.usd_per_run + plan.traffic_usd_per_run
        whole = job_views.spent(usd, _of_month(plan, usd))
        text = line(text, ", ", fixed(whole), " with the traffic")
    text = line(text, ". A run takes ", _times(best))
    if best.deadline_probability is not None:
        text = line(text, f", {odds(best.deadline_probability, best.usage)} likely in time")
    return line(text, *_against(plan, best))


def _of_month(plan: model.JobPlan, usd_per_run: Decimal) -> Decimal | None:
    """Return what an amount a run is in a month; None for a job that runs once."""
    runs = plan.need.runs_per_month
    return None if runs is None else usd_per_run * Decimal(str(runs))


def _against(plan: model.JobPlan, best: model.JobOption) -> tuple[Line, ...]:
    """Return what the machines in use cost more, or less."""
    today = plan.baseline
    if today is None or _same(today, best):
        return ()
    less = today.usd_per_run - best.usd_per_run
    if figures.shown(job_views.cost(today)) == figures.shown(job_views.cost(best)):
        return (line(", at the cost of ", job_views.machines(today), " today"),)
    word = "less" if less > 0 else "more"
    change = job_views.spent(abs(less), _of_month(plan, abs(less)))
    amount = fixed(model.worded(change, f" {word}"), phrases.money_role(less))
    return (line(", ", amount, " than ", job_views.machines(today), " today"),)


def _same(one: model.JobOption, other: model.JobOption) -> bool:
    return (one.machine_type, one.count, one.is_tier1, one.usage) == (
        other.machine_type,
        other.count,
        other.is_tier1,
        other.usage,
    )


def _interval(plan: model.JobPlan, option: model.JobOption) -> str | Line:
    """Return the cost at both ends of the throughput interval, where that differs."""
    if option.high_usd_per_run is None:
        return " or without end"
    runs = Decimal(str(plan.need.runs_per_month or 1))
    ends = [
        model.Amount(usd=usd * runs) for usd in (option.low_usd_per_run, option.high_usd_per_run)
    ]
    if figures.shown(ends[0]) == figures.shown(ends[1]):
        return ""
    return line(fixed(model.worded(" [", ends[0], " to ", ends[1], "]")))


def _times(option: model.JobOption) -> Line:
    low, mean = figures.duration(option.low_duration_s), figures.duration(option.duration_s)
    if option.high_duration_s is None:
        return line(fixed(mean), " or never")
    high = figures.duration(option.high_duration_s)
    return line(fixed(mean if low == high else f"{mean} [{low} to {high}]"))


def _sure(plan: model.JobPlan) -> Iterator[Block]:
    """Yield what meets the deadline even where the network is slow."""
    if plan.sure is None:
        if plan.need.deadline_s is not None and plan.need.usage is not model.Usage.SPOT:
            none = (
                "no VMs meet the deadline at the slow end of the interval: allow more VMs "
                "(--max-count) or more time (--deadline)"
            )
            yield doc.field("surer", none)
        return
    if _same(plan.sure, plan.options[0]):
        return
    text = line(
        job_views.machines(plan.sure),
        ", ",
        fixed(job_views.cost(plan.sure)),
        ", also meets it at the slow end of the interval: ",
        _times(plan.sure),
        f", {odds(plan.sure.deadline_probability, plan.sure.usage)} likely in time",
    )
    yield doc.field("surer", text)


def _options(plan: model.JobPlan, options: RenderOptions) -> Iterator[Block]:
    """Yield the table of machines, the cheapest first."""
    has_months = plan.need.runs_per_month is not None
    phases = [p for p in model.JobPhase if any(_phase(one, p) for one in plan.options)]
    cost = "per month" if has_months else "per run"
    columns = [
        doc.Column(title="VMs"),
        *(
            doc.Column(title=phase.value, is_number=True, stacked=f"{phase}: {{}}")
            for phase in phases
        ),
        doc.Column(title="run", is_number=True, stacked="run: {}"),
        doc.Column(title=cost, is_number=True, stacked=f"{cost}: {{}}"),
    ]
    if has_months:
        columns.append(doc.Column(title="hours", is_number=True, stacked="for {} hours"))
    if plan.need.deadline_s is not None:
        columns.append(doc.Column(title="in time", is_number=True, stacked="in time: {}"))
    columns.append(doc.Column(title="note", is_note=True))
    shown = plan.options[: options.row_limit]
    rows = tuple(_row(plan, one, phases, is_best=at == 0) for at, one in enumerate(shown))
    yield doc.Table(columns=tuple(columns), rows=rows, is_inner=True)
    if len(plan.options) > len(shown):
        rest = len(plan.options) - len(shown)
        yield doc.para(f"and {figures.counted(rest, 'more expensive type')}", is_inner=True)
    if options.folds or options.verbosity:
        for one in shown:
            bill = phrases.bills(one.line_items, None, are_costs=True)
            yield doc.field("VM", job_views.machines(one), more=bill, is_source=True)


def _row(
    plan: model.JobPlan, option: model.JobOption, phases: Sequence[model.JobPhase], *, is_best: bool
) -> tuple[Line, ...]:
    cells = [line(job_views.machines(option, Role.STRONG if is_best else Role.NAME))]
    cells += [line(fixed(_phase(option, phase) or "none")) for phase in phases]
    cells.append(line(fixed(figures.duration(option.duration_s))))
    if option.usd_per_month is None:
        cells.append(line(fixed(model.Amount(usd=option.usd_per_run))))
    else:
        hours = option.machine_hours_per_run * Decimal(str(plan.need.runs_per_month))
        cells.append(line(fixed(model.Amount(usd=option.usd_per_month))))
        cells.append(line(fixed(figures.number(hours))))
    if plan.need.deadline_s is not None:
        cells.append(line(fixed(odds(option.deadline_probability, option.usage))))
    cells.append(line(option.note))
    return tuple(cells)


def _phase(option: model.JobOption, phase: model.JobPhase) -> str:
    """Return how long a phase takes; empty: there is none."""
    found = next((one for one in option.phases if one.phase is phase), None)
    return figures.duration(found.duration_s) if found else ""


def _phases(plan: model.JobPlan) -> Line:
    """Return what the phases of the best run take, at which rate, and what bounds them."""
    parts = []
    if plan.need.startup_s:
        parts.append(line(f"start-up {figures.duration(plan.need.startup_s)}"))
    for one in plan.options[0].phases:
        rate = f" at {figures.rate(one.gbps)} per VM" if one.gbps else ""
        bound = phrases.limit_words(one.bound_by)
        parts.append(line(f"{one.phase} {figures.duration(one.duration_s)}{rate} ({bound})"))
    return doc.joined(parts, "; ")


def _traffic(plan: model.JobPlan) -> Iterator[Block]:
    """Yield what the traffic costs, on top of any of the machines."""
    if not plan.traffic_note and not plan.traffic_items:
        return
    usd = plan.traffic_usd_per_run
    told: model.Text = "unknown"
    if usd is not None:
        spent = job_views.spent(usd, _of_month(plan, usd))
        told = model.worded(spent, ", any number of VMs") if usd else "free, any number of VMs"
    note = f"; {plan.traffic_note}" if plan.traffic_note else ""
    paid = [one for one in plan.traffic_items if one.usd_per_month]
    more = tuple(phrases.bills(paid, None, are_costs=True))
    yield doc.field("traffic", told, note, more=more)
