"""Parts of a job's plan: sizes of the family, the front, ways to pay, an autoscaler's hours."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TypeVar

from netplan_planner import model
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.content.plans import USAGE_WORDS
from netplan_planner.renderers.document import Block, Line, Role, Span, fixed, line, say
from netplan_planner.renderers.options import RenderOptions

Kind = TypeVar("Kind")
_COMMITTED = (model.Usage.CUD_1Y, model.Usage.CUD_3Y)


def machines(option: model.JobOption, role: Role = Role.NAME) -> Span:
    """Return so many machines of a type, with what to ask for."""
    return say(machines_text(option), role, length=90)


def machines_text(option: model.JobOption) -> str:
    """Return the same as plain text."""
    count = f"{option.count} × " if option.count > 1 else ""
    tier = " with Tier_1" if option.is_tier1 else ""
    platform = f" on {option.cpu_platform}" if option.cpu_platform else ""
    return f"{count}{option.machine_type}{tier}{platform}"


def cost(option: model.JobOption) -> model.Text:
    """Return what a month's runs cost; of a job that runs once, what that costs."""
    return spent(option.usd_per_run, option.usd_per_month)


def spent(usd_per_run: Decimal, usd_per_month: Decimal | None) -> model.Text:
    """Return the same of amounts."""
    if usd_per_month is None:
        return model.worded(model.Amount(usd=usd_per_run), " per run")
    return model.worded(model.Amount(usd=usd_per_month), "/month")


def bigger(plan: model.JobPlan, options: RenderOptions) -> Iterator[Block]:
    """Yield up to which size of the family a bigger machine costs no more."""
    if not plan.sizes or not plan.options:
        return
    at = next(n for n, one in enumerate(plan.sizes) if one.machine_type == plan.cheapest_size)
    cheapest, others = plan.sizes[at], plan.sizes[at + 1 :]
    family = cheapest.machine_type.rpartition("-")[0]
    count = figures.counted(plan.options[0].count, "VM")
    found = line(
        f"{family}, {count}: larger sizes cost the same up to {cheapest.machine_type}"
        if at
        else f"{family}, {count}: no larger size costs less than {cheapest.machine_type}"
    )
    if others:
        found = line(found, "; ", _step(cheapest, others[0]))
    shows_all = options.verbosity or options.folds
    yield doc.field("bigger", found, more=_sizes(plan) if shows_all else ())


def _step(small: model.JobSize, big: model.JobSize) -> str:
    """Return what the next size costs more, and what it brings."""
    more = float(big.usd_per_run / small.usd_per_run - 1) if small.usd_per_run else 0.0
    faster = 1 - big.duration_s / small.duration_s if small.duration_s else 0.0
    limit = phrases.limit_words(big.bound_by)
    why = f" (limit: {limit})" if limit else ""
    time = f"takes {figures.share(faster, 1)} less time" if faster > 0 else "is no faster"
    dearer = f"{big.machine_type} costs {figures.share(more, 1)} more and {time}"
    return f"{dearer}{why}"


def _sizes(plan: model.JobPlan) -> tuple[Line, ...]:
    runs = plan.need.runs_per_month
    return tuple(
        line(
            phrases.name(one.machine_type),
            " ",
            fixed(spent(one.usd_per_run, one.usd_per_run * Decimal(str(runs)) if runs else None)),
            f", {figures.duration(one.duration_s)}, {phrases.limit_words(one.bound_by)}",
        )
        for one in plan.sizes
    )


def front(plan: model.JobPlan, options: RenderOptions) -> Iterator[Block]:
    """Yield the machines that no other beats in both cost and time, from slow to fast."""
    if len(plan.front) < 2:
        return
    deadline_s = plan.need.deadline_s
    in_time = [one for one in plan.front if deadline_s is None or one.duration_s <= deadline_s]
    # Of a job that nothing does in time: how far each is from it.
    in_time = in_time or list(plan.front)
    late = len(plan.front) - len(in_time)
    shown = spread(in_time, options.row_limit)
    text = "Cost/time trade-off"
    if len(in_time) > len(shown):
        text = f"{text}; {len(shown)} of {len(in_time)}"
    if late:
        text = f"{text}; {late} cheaper ones are too late"
    yield doc.field("front", text)
    rows = [
        (
            line(machines(one)),
            line(fixed(cost(one))),
            line(fixed(figures.duration(one.duration_s))),
        )
        for one in shown
    ]
    columns = (
        doc.Column(title="VMs"),
        doc.Column(title="cost", is_number=True),
        doc.Column(title="time", is_number=True, stacked="in {}"),
    )
    if rows:
        yield doc.Table(columns=columns, rows=tuple(rows), is_inner=True)


def spread(listed: Sequence[Kind], most: int | None) -> Sequence[Kind]:
    """Return at most so many of a list, both ends among them, as evenly as they go."""
    if most is None or len(listed) <= most:
        return listed
    if most < 2:
        return listed[:most]
    return [listed[round(at * (len(listed) - 1) / (most - 1))] for at in range(most)]


def payments(plan: model.JobPlan) -> Iterator[Block]:
    """Yield each way to pay with its own best machines."""
    for one in plan.payments:
        is_own = one.usage is plan.need.usage and one.usage is model.Usage.ON_DEMAND
        is_for_once = one.usage in _COMMITTED and plan.need.runs_per_month is None
        if is_own or is_for_once or plan.infeasible is not None:
            continue
        yield doc.field("paid", _payment(one))


def _payment(one: model.JobPayment) -> Line:
    way = USAGE_WORDS[one.usage]
    if one.option is None:
        text = line(f"{way}: {one.unknown}")
    else:
        note = f" ({one.option.note})" if one.option.note else ""
        text = line(
            f"{way}: ",
            machines(one.option),
            " ",
            fixed(cost(one.option)),
            f", {figures.duration(one.option.duration_s)} a run{note}",
        )
    rate, runs = one.break_even_interruptions_per_day, one.break_even_runs_per_day
    if rate is not None:
        text = line(
            text,
            f". The on-demand VMs would cost less as Spot with up to {figures.number(rate)} "
            "interruptions per VM and day",
        )
    if runs is not None:
        text = line(
            text, f". A commitment for the on-demand VMs saves money from {_runs(runs)} per day"
        )
    return text


def _runs(count: float) -> str:
    return f"{figures.number(count)} runs"


def hours(plan: model.JobPlan) -> Iterator[Block]:
    """Yield what an autoscaler runs in a day, before and after."""
    if plan.after is None:
        return
    lines = [line("an autoscaler runs ", _hours(plan.after))]
    if plan.before is not None:
        fewer = 1 - plan.after.vm_hours_per_day / plan.before.vm_hours_per_day
        word = "fewer" if fewer >= 0 else "more"
        change = f", {figures.share(abs(fewer), 1)} {word} VM hours" if fewer else ""
        lines = [
            line("an autoscaler runs ", _hours(plan.before)),
            line("then ", _hours(plan.after), change),
        ]
    yield doc.field("hours", lines[0], more=tuple(lines[1:]))


def _hours(found: model.JobHours) -> Line:
    count = f"{found.count} × " if found.count > 1 else ""
    return line(
        phrases.name(f"{count}{found.machine_type}"),
        f" {figures.number(found.vm_hours_per_day)} VM hours per day, "
        f"{figures.number(found.vcpu_hours_per_day)} vCPU hours, "
        f"{figures.number(found.mean_machine_count)} VMs on average,",
        model.worded(" ", model.Amount(usd=found.usd_per_day), " per day"),
    )
