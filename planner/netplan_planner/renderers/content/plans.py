"""Machine types for a bandwidth: the ranked answers and why the others lost."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

import msgspec

from netplan_planner import model
from netplan_planner.inert import is_inert
from netplan_planner.model.plans.plan_answer import PlanChange, PlanChanges, Shortfall
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import explain, phrases
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions

# The steps of a plan in a text: a plan has these below its figures


_LONG = 600


_SHOWN = 1


def changes(found: PlanChanges, options: RenderOptions) -> Iterator[Block]:
    """Yield the first step with its commands, all where everything is to be explained."""
    if not found.steps:
        return
    yield doc.section("Commands to run yourself")
    told = found.steps if options.verbosity else found.steps[:_SHOWN]
    for step in told:
        yield from _step(step)
    rest = len(found.steps) - len(told)
    if rest:
        yield doc.para(
            f"and {figures.counted(rest, 'step')} more: as a script with --output commands:FILE, "
            "as a Terraform list with --output terraform:FILE"
        )
    if found.order:
        yield doc.para(say(found.order, length=_LONG))


def _step(step: PlanChange) -> Iterator[Block]:
    fix = step.fix
    yield doc.entry(f"{step.number}. ", say(fix.text, length=_LONG))
    yield from shown(fix.commands)
    for label, one in (("verify", fix.verify), ("then", fix.clean_up), ("undo", fix.undo)):
        if one is not None:
            is_above = one is fix.undo and fix.clean_up and one.commands == fix.clean_up.commands
            above = " The command is above, at then." if is_above and one.commands else ""
            yield doc.field(label, say(one.text, length=_LONG), above)
            yield from shown(() if is_above else one.commands)
    if fix.caution:
        yield doc.field("risk", say(fix.caution, length=_LONG))


def shown(commands: Sequence[str]) -> Iterator[Block]:
    """Yield commands to copy; those that would do something to a terminal are counted instead."""
    hidden = [command for command in commands if not is_inert(command)]
    for command in commands:
        if command not in hidden:
            yield doc.Command(text=command)
    if hidden:
        text = "cannot be shown safely here; --output json has them"
        yield doc.para(f"{figures.counted(len(hidden), 'command')} {text}", is_inner=True)


# Machine types for a bandwidth: the ranked answers and why the others lost


USAGE_WORDS = {
    model.Usage.ON_DEMAND: "on demand",
    model.Usage.SPOT: "spot",
    model.Usage.CUD_1Y: "committed for 1 year",
    model.Usage.CUD_3Y: "committed for 3 years",
    model.Usage.SUSTAINED_USE: "on demand with sustained use",
}


def odds(probability: float | None, usage: model.Usage) -> str:
    """Return how likely a deadline is met, in words."""
    found = probability or 0.0
    if usage is model.Usage.SPOT:
        return f"at least {figures.share(found, 1)}"
    # The model's intervals end at 0.99: beyond their ends nothing more is known.
    if found in {1 - _LAST, _LAST}:
        return "over 99%" if found > _LAST else "under 1%"
    return figures.share(found, 1)


_LAST = 0.005
_WHERE = {
    model.Destination.INTERNAL: "to internal addresses",
    model.Destination.ZONE: "inside one zone",
    model.Destination.EXTERNAL: "to outside addresses",
}
_LISTED_SERIES = 8
_REASONS = {
    "architecture": "of another CPU architecture",
    "bandwidth": "with too little bandwidth",
    "cap": "with no documented cap",
    "deprecated": "deprecated",
    "disks": "that do not support its disks",
    "dominated": "with Tier_1, which is not needed",
    "flow": "too slow for one flow",
    "gpu": "for their GPUs",
    "memory": "with too little memory",
    "not-offered": "not offered in the region",
    "placement": "that do not support its placement policy",
    "price": "with no known price",
    "reservation": "that do not match its reservation",
    "nodes": "that save nothing, because its sole-tenant nodes are billed",
    "series": "of other series",
    "shared-core": "with shared cores",
    "vcpus": "with too few vCPUs",
}
"""What was not proposed, after the number of it."""


def recommendations(plans: Sequence[model.MachinePlan], options: RenderOptions) -> Iterator[Block]:
    """Yield the section of machine types."""
    if plans:
        yield doc.section("Machine types")
    for plan in plans:
        yield from machine_plan(plan, options)


def machine_plan(plan: model.MachinePlan, options: RenderOptions) -> Iterator[Block]:
    """Yield one need, what meets it, cheapest first, and why the others lost."""
    yield doc.entry(_need(plan.need))
    if plan.need.basis:
        yield doc.field("wanted", plan.need.basis)
    if plan.baseline is not None:
        yield doc.field("today", _today(plan.baseline, plan.baseline_note))
    shown = plan.ranked[: options.row_limit]
    rows = [_candidate(number, c, plan.baseline) for number, c in enumerate(shown, 1)]
    columns = (
        doc.Column(title="", is_number=True),
        doc.Column(title="VMs"),
        doc.Column(title="vCPU", is_number=True, stacked="{} vCPU"),
        doc.Column(title="GiB", is_number=True, stacked="{} GiB"),
        doc.Column(title="usable", is_number=True, stacked="usable {}"),
        doc.Column(title="per month", is_number=True, stacked="{}/month"),
        doc.Column(title="change", stacked="change: {}"),
        doc.Column(title="note", is_note=True),
    )
    if rows:
        yield doc.Table(columns=columns, rows=tuple(rows), is_inner=True)
    if len(plan.ranked) > len(shown):
        rest = len(plan.ranked) - len(shown)
        yield doc.para(f"and {figures.counted(rest, 'more type')} that fit", is_inner=True)
    first = next(iter(shown), None)
    if first is not None and first.low_gbps is not None:
        ends = figures.rate_interval(first.cap_gbps, first.low_gbps, first.high_gbps)
        one = _machines(msgspec.structs.replace(first, count=1))
        yield doc.field("interval", one, ": ", fixed(ends), " in 90% of cases")
    if len(plan.front) > 1:
        front = plan.front[: options.row_limit]
        pairs = [_front(candidate) for candidate in front]
        text = doc.listed(pairs, len(plan.front), separator=" · ")
        yield doc.field("front", "price and bandwidth of one VM: ", text)
    if options.folds:
        yield from _sources(shown)
    yield from _traffic(plan)
    if plan.doubt:
        yield doc.field("doubt", plan.doubt)
    if plan.confidence is not model.Confidence.HIGH:
        sure = line(say(plan.confidence.value, Role.BAD), f": {plan.confidence_reason}")
        yield doc.field("confidence", sure)
    yield from lost(plan.rejected, options)


def _sources(candidates: Sequence[model.Candidate]) -> Iterator[Block]:
    """Yield the bill and the limit of each machine."""
    for candidate in candidates:
        lines = phrases.bills(candidate.line_items, None, are_costs=True)
        more = (*lines, explain.limit(candidate.limit))
        yield doc.field("VM", _machines(candidate), more=more, is_source=True)


def infeasible(found: Shortfall, changes: Sequence[model.Text], by: Line = ()) -> Iterator[Block]:
    """Yield why no plan keeps the bounds, `by` what it is held back, and what to change."""
    shortfall = model.worded(": ", found.shortfall) if found.shortfall else ""
    text = line(say("Infeasible:", Role.BAD), f" {found.binding}", by, shortfall)
    yield doc.para(text, is_inner=True)
    for change in changes:
        yield doc.field("change", change)


def shortfalls(found: Sequence[Shortfall], most: int | None = None) -> Iterator[Block]:
    """Yield an item for each of several, with what to change; `most` of them."""
    for one in found[:most]:
        told = [part for change in one.changes for part in (" or ", change)][1:]
        changes = model.worded("; to change: ", *told) if told else ""
        text = model.worded(f" ({one.binding}): ", one.shortfall, changes)
        yield doc.item(phrases.name(one.name), line(say(text, length=_LONG)))
    if most and len(found) > most:
        yield doc.item(f"{len(found) - most:,} more (--top 0)")


def no_machines(answer: model.Infeasible, options: RenderOptions) -> Iterator[Block]:
    """Yield a need that nothing meets, with what binds and what to change."""
    yield doc.entry(_need(answer.need))
    yield from infeasible(answer, answer.changes)
    yield from lost(answer.rejected, options)


def _traffic(plan: model.MachinePlan) -> Iterator[Block]:
    """Yield what the traffic itself costs, on top of any of the machines."""
    if not plan.traffic_note:
        return
    usd = _price(model.total_usd(plan.traffic_items) if plan.traffic_items else None)
    items = [
        line(
            fixed(
                model.worded(model.Amount(usd=item.usd_per_month), f" = {phrases.quantity(item)}")
            ),
            model.worded(
                " × ", phrases.unit_price(item.unit_price_usd), f" ({phrases.origin(item)})"
            ),
        )
        for item in plan.traffic_items
    ]
    on_top = line(usd, f" for traffic, in addition, with any of them: {plan.traffic_note}")
    yield doc.field("traffic", on_top, more=tuple(items))


def _sent(far: model.FarEnd) -> Iterator[str]:
    """Yield what is told of how it is sent."""
    if far.streams:
        yield figures.counted(far.streams, "stream")
    if far.rtt_ms:
        yield f"RTT {far.rtt_ms:g} ms"
    if far.window_bytes:
        yield f"window {figures.byte_volume(far.window_bytes)}"
    if far.send_buffer_bytes:
        yield f"send buffer {figures.byte_volume(far.send_buffer_bytes)}"
    if far.mtu_bytes:
        yield f"MTU {far.mtu_bytes}"


def _need(need: model.MachineNeed) -> Line:
    least = [f"at least {figures.counted(need.vcpus, 'vCPU')}"] if need.vcpus else []
    least += [f"at least {figures.number(need.memory_gib)} GiB"] if need.memory_gib else []
    if need.outside_gbps:
        least.insert(0, f"{figures.rate(need.outside_gbps)} of it to outside addresses")
    if need.far.machine_type:
        least.append(f"to {need.far.machine_type}")
    least += _sent(need.far)
    if need.far.transfer_bytes:
        least.append(f"{figures.byte_volume(need.far.transfer_bytes)} per transfer")
    if need.min_flow_gbps:
        least.append(f"{figures.rate(need.min_flow_gbps)} in one flow")
    where = "" if need.outside_gbps else f" {_WHERE[need.destination]}"
    part = f" for {figures.share(need.month_ratio, 1)} of the month" if need.month_ratio < 1 else ""
    return line(
        fixed(figures.rate(need.gbps), Role.STRONG),
        f"{where} from {need.region}",
        "".join(f", {text}" for text in least),
        f", {figures.share(need.headroom_ratio, 1)} of the cap kept free",
        f", {USAGE_WORDS[need.usage]}{part}",
    )


def _today(baseline: model.Candidate, note: model.Text) -> Line:
    platform = f" on {baseline.cpu_platform}" if baseline.cpu_platform else ""
    as_it_is = msgspec.structs.replace(baseline, cpu_platform="")
    text = line(
        _machines(as_it_is),
        platform,
        ": ",
        fixed(f"{figures.rate(baseline.cap_gbps)} cap"),
        ", ",
        _price(baseline.usd_per_month),
    )
    return line(text, " (", note, ")") if note else text


def _machines(candidate: model.Candidate, role: Role = Role.NAME) -> Line:
    count = f"{candidate.count} × " if candidate.count > 1 else ""
    tier = " with Tier_1" if candidate.is_tier1 else ""
    platform = f", {candidate.cpu_platform} or later" if candidate.cpu_platform else ""
    return line(count, say(candidate.machine_type, role, length=60), tier, platform)


def _price(usd: Decimal | None) -> Line:
    if usd is None:
        return line(say("price unknown", Role.BAD))
    return line(fixed(model.worded(model.Amount(usd=usd), "/month")))


def _candidate(
    number: int, candidate: model.Candidate, baseline: model.Candidate | None
) -> tuple[Line, ...]:
    usd = candidate.usd_per_month
    return (
        line(fixed(f"{number}.", Role.DIM)),
        _machines(candidate, Role.STRONG if number == 1 else Role.NAME),
        line(f"{candidate.vcpus * candidate.count:,}"),
        line(figures.number(candidate.memory_gib * candidate.count)),
        line(fixed(_usable(candidate))),
        line(say("unknown", Role.BAD) if usd is None else fixed(model.Amount(usd=usd))),
        _difference(candidate, baseline),
        line(candidate.note) if candidate.note else (),
    )


def _usable(candidate: model.Candidate) -> str:
    """Return `12.8 of 16 Gbit/s`: after headroom, of all machines."""
    return figures.rates(candidate.usable_gbps, candidate.cap_gbps * candidate.count, joint=" of ")


def _difference(candidate: model.Candidate, baseline: model.Candidate | None) -> Line:
    if baseline is None or baseline.usd_per_month is None or candidate.usd_per_month is None:
        return ()
    saved = baseline.usd_per_month - candidate.usd_per_month
    if not saved:
        return line("the same")
    word = "less" if saved > 0 else "more"
    amount = model.Amount(usd=abs(saved))
    return line(fixed(model.worded(amount, f" {word}"), phrases.money_role(saved)))


def _front(candidate: model.Candidate) -> Line:
    usd = candidate.usd_per_month
    price = model.Amount(usd=usd) if usd is not None else "price unknown"
    rate = figures.rate(candidate.cap_gbps)
    return line(_machines(candidate), fixed(model.worded(" ", price, f" for {rate}")))


def lost(
    rejected: Sequence[model.Rejected], options: RenderOptions, label: str = "left out"
) -> Iterator[Block]:
    """Yield what was not proposed, a line for each reason; each type with its own only for `-v`."""
    if not rejected:
        return
    groups: dict[str, list[model.Rejected]] = defaultdict(list)
    for entry in rejected:
        groups[entry.reason].append(entry)
    ranked = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    lines = [_left_out(reason, entries) for reason, entries in ranked]
    if options.verbosity:
        lines += [_example(entry) for entry in rejected]
    elif not options.folds and any(len(entries) > 1 for entries in groups.values()):
        lines.append(line(f"each type with its reason: -v, or {options.full_answer}"))
    yield doc.field(label, lines[0], more=tuple(lines[1:]))


def _left_out(reason: str, entries: Sequence[model.Rejected]) -> Line:
    """Return `12 with too little bandwidth: c3 5, n1 4, n2 3`."""
    series = Counter(model.series_of(entry.machine_type) for entry in entries)
    shown = [f"{name} {count}" for name, count in sorted(series.items())][:_LISTED_SERIES]
    if len(series) > len(shown):
        shown.append(f"{len(series) - len(shown)} more series")
    text = f"{len(entries):,} {_REASONS.get(reason, f'by {reason}')}"
    if len(entries) == 1:
        return line(f"{text}: ", _example(entries[0]))
    return line(f"{text}: {', '.join(shown)}")


def _example(entry: model.Rejected) -> Line:
    tier = " with Tier_1" if entry.is_tier1 else ""
    return line(phrases.name(entry.machine_type), f"{tier}: {entry.detail}")
