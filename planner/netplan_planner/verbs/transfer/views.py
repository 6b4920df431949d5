"""Parts of a transfer's plan: machines, flows, ways, what it is held against."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.model import Amount, Text, worded
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases, plans
from netplan_planner.renderers.content.job_views import spread
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import cents
from netplan_planner.verbs.transfer.answer import (
    TransferBinding,
    TransferInfeasible,
    TransferMachines,
    TransferOption,
    TransferPlan,
)

_BINDINGS = 3


def machines_text(one: TransferMachines) -> str:
    """Return so many machines of a type, with what to ask for."""
    tier = " with Tier_1" if one.is_tier1 else ""
    platform = f" on {one.cpu_platform}" if one.cpu_platform else ""
    if not one.machine_type:
        return figures.counted(one.count, "VM")
    return f"{one.count} × {one.machine_type}{tier}{platform}"


def machines_of(option: TransferOption) -> str:
    """Return the machines of all places, each type once, and the relays."""
    texts = dict.fromkeys(machines_text(one) for one in option.machines if one.machine_type)
    given = sum(one.count for one in option.machines if not one.machine_type)
    if given:
        texts[figures.counted(given, "VM")] = None
    by = f", through {', '.join(option.relays)}" if option.relays else ""
    return f"{', '.join(texts)}{by}"


def times(option: TransferOption) -> Line:
    """Return how long it takes, with its interval."""
    mean, low = figures.duration(option.duration_s), figures.duration(option.low_duration_s)
    if option.high_duration_s is None:
        return line(fixed(mean), " or never")
    high = figures.duration(option.high_duration_s)
    return line(fixed(mean if low == high else f"{mean} [{low} to {high}]"))


def cost(option: TransferOption) -> Text:
    """Return what it costs, and of what that is."""
    if option.machine_usd is None:
        return worded(Amount(usd=option.usd_total), " for the traffic; VMs are not priced")
    return (
        worded(Amount(usd=option.usd_total))
        if not option.traffic_usd
        else worded(
            Amount(usd=option.usd_total),
            ": traffic ",
            Amount(usd=option.traffic_usd),
            ", VMs ",
            Amount(usd=option.machine_usd),
        )
    )


def machine_table(option: TransferOption) -> doc.Table:
    """Return the machines, senders first."""
    has_prices = any(one.usd_per_hour is not None for one in option.machines)
    columns = [doc.Column(title="place"), doc.Column(title="VMs"), doc.Column(title="they")]
    if has_prices:
        has_address = any("external address" in item.name for item in option.line_items)
        title = "VM and address/hour" if has_address else "per hour each"
        columns.append(doc.Column(title=title, is_number=True, stacked="{}/hour each"))
    columns.append(doc.Column(title="note", is_note=True))
    rows = []
    for one in option.machines:
        cells = [
            line(phrases.name(one.place)),
            line(say(machines_text(one), Role.STRONG, length=90)),
            line(_DOES[one.role]),
        ]
        if has_prices:
            usd = one.usd_per_hour
            cells.append(line(fixed(phrases.unit_price(usd))) if usd is not None else line("?"))
        rows.append((*cells, line(one.note)))
    return doc.Table(columns=tuple(columns), rows=tuple(rows), is_inner=True)


_DOES = {
    "sender": "send",
    "relay": "forward",
    "receiver": "receive",
    "relay and receiver": "receive and forward",
}


def flow_table(option: TransferOption) -> doc.Table:
    """Return what crosses between places."""
    has_streams = any(one.streams is not None for one in option.flows)
    columns = [
        doc.Column(title="from"),
        doc.Column(title="to"),
        doc.Column(title="rate", is_number=True),
        doc.Column(title="GiB", is_number=True, stacked="{} GiB"),
        doc.Column(title="traffic", is_number=True, stacked="traffic {}"),
    ]
    if has_streams:
        columns.append(
            doc.Column(title="connections", is_number=True, stacked="{} connections per VM")
        )
    columns.append(doc.Column(title="limited by", is_note=True))
    rows = []
    for one in option.flows:
        tier = one.network_tier
        cells = [
            line(phrases.name(one.src)),
            line(phrases.name(one.dst), tier and f", {tier.title()} Tier"),
            line(fixed(figures.rate(one.gbps))),
            line(fixed(f"{one.gib:,.0f}" if one.gib >= 100 else figures.number(one.gib))),
            line(fixed(Amount(usd=one.usd)) if one.usd is not None else "unknown"),
        ]
        if has_streams:
            cells.append(line("" if one.streams is None else fixed(f"{one.streams}")))
        rows.append((*cells, line(phrases.limit_words(one.bound_by) if one.bound_by else "")))
    return doc.Table(columns=tuple(columns), rows=tuple(rows), is_inner=True)


def bindings(found: Sequence[TransferBinding]) -> Line:
    """Return what is used in full, the first few."""
    parts = []
    for one in found[:_BINDINGS]:
        machines = figures.counted(one.count, "VM")
        most = (
            f", as many VMs as allowed there (--max-count {one.count})"
            if one.is_most
            else f", {machines}"
        )
        parts.append(
            line(
                f"{phrases.limit_words(one.name)} of ",
                phrases.name(one.place),
                most if one.count else "",
            )
        )
    return doc.joined(parts, "; ")


def infeasible(found: TransferInfeasible) -> Iterator[Block]:
    """Yield why it cannot be done, and what to change."""
    held = found.held_back_by
    by = () if held is None else line(", limited by ", bindings((held,)))
    return plans.infeasible(found, found.changes, by)


def direct(plan: TransferPlan) -> Iterator[Block]:
    """Yield what the direct way makes of it."""
    if plan.direct is None:
        why = plan.why_no_direct or "the plan is the direct path"
        if plan.plan is not None:
            yield doc.field("direct", why)
        return
    found = plan.direct
    yield doc.field(
        "direct", fixed(Amount(usd=found.usd_total)), ", ", times(found), f": {machines_of(found)}"
    )


def proven(plan: TransferPlan) -> Iterator[Block]:
    """Yield how much less any plan could cost."""
    if plan.plan is None or plan.bound_usd is None:
        return
    gap = plan.plan.usd_total - plan.bound_usd
    is_reached = cents(plan.plan.usd_total) == cents(plan.bound_usd)
    time = "no plan as fast" if plan.need.goal.value == "time" else "no plan in time"
    rest: Text = ", the cost of this plan"
    if not is_reached:
        rest = worded(": the plan costs at most ", Amount(usd=max(gap, _CENT)), " more")
    text = worded(f"{time} costs less than ", Amount(usd=plan.bound_usd), rest)
    yield doc.field("proven", text)


_CENT = Decimal("0.01")


def front(plan: TransferPlan, options: RenderOptions) -> Iterator[Block]:
    """Yield what no other beats in both cost and time."""
    if len(plan.front) < 2:
        return
    shown = spread(plan.front, options.row_limit)
    some = f"; {len(shown)} of {len(plan.front)}" if len(shown) < len(plan.front) else ""
    own = Decimal(0) if plan.plan is None else plan.plan.usd_total
    yield doc.field("front", f"Cost/time trade-off{some}")
    columns = (
        doc.Column(title="VMs"),
        doc.Column(title="cost", is_number=True),
        doc.Column(title="time", is_number=True, stacked="in {}"),
    )
    rows = tuple(
        (
            line(
                say(
                    machines_of(one), Role.STRONG if one.usd_total == own else Role.NAME, length=200
                )
            ),
            line(fixed(Amount(usd=one.usd_total))),
            line(fixed(_time(plan, one))),
        )
        for one in shown
    )
    yield doc.Table(columns=columns, rows=rows, is_inner=True)
    noted: dict[str, dict[str, None]] = {}
    for one in shown:
        for machines in one.machines:
            if machines.note:
                noted.setdefault(machines.note, {})[machines.machine_type] = None
    for note, types in noted.items():
        yield doc.field("note", f"{', '.join(types)}: {note}")


def _time(plan: TransferPlan, option: TransferOption) -> str:
    """Return how long it takes; where that is read as the deadline, how late it is."""
    text, deadline_s = figures.duration(option.duration_s), plan.need.deadline_s
    if deadline_s is None or plan.need.is_in_time(option.duration_s):
        return text
    is_read_as_it = text == figures.duration(deadline_s)
    late = f", {figures.duration(option.duration_s - deadline_s)} too late"
    return f"{text}{late}" if is_read_as_it else text


def ways(plan: TransferPlan) -> Iterator[Block]:
    """Yield what other choices would make of it."""
    for one in plan.ways:
        if one.option is None:
            found = line(f"{one.name}: ", one.why_not)
        else:
            found = line(
                f"{one.name}: ",
                fixed(Amount(usd=one.option.usd_total)),
                ", ",
                times(one.option),
                f": {machines_of(one.option)}",
            )
        yield doc.field("instead", found)
