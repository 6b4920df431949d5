"""Parts of the answer of `netplan whatif`: machines, findings, traffic, shared limits, growth."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.model import Amount, AmountKind, Text, worded
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Block, Line, Span, fixed, line, say
from netplan_planner.renderers.figures import counted
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import cents
from netplan_planner.verbs.whatif.answer import (
    FindingState,
    WhatifAnswer,
    WhatifField,
    WhatifFinding,
    WhatifLimit,
    WhatifMachine,
    WhatifPair,
    WhatifTraffic,
)

_ZERO = Decimal(0)
_FEW = 5
_OF_VM = (
    doc.Column(title="VM"),
    doc.Column(title="is"),
    doc.Column(title="max. egress", is_number=True, stacked="max. egress {}"),
    doc.Column(title="VM and address/month", is_number=True, stacked="with address {}/month"),
)
_OF_TRAFFIC = (
    doc.Column(title="VM"),
    doc.Column(title="in use (p95)", is_number=True, stacked="{} in use (95th percentile)"),
    doc.Column(title="all its flows get", is_number=True, stacked="all its flows get {}"),
    doc.Column(title="traffic per month", is_number=True, stacked="traffic {}/month"),
)


def details(answer: WhatifAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield what stands behind the sums, as much of each as is asked for."""
    yield from _findings(answer.findings, options)
    yield from _machines(answer, options)
    yield from _full(answer, options)
    yield from _steps(answer)
    yield from _traffic(answer.traffic, options)
    yield from _limits(answer.limits, options)


def _most(options: RenderOptions, few: int | None = None) -> int | None:
    if options.verbosity or not options.max_rows:
        return None
    return options.max_rows if few is None else min(few, options.max_rows)


def _findings(found: Sequence[WhatifFinding], options: RenderOptions) -> Iterator[Block]:
    counts = [(state, [one for one in found if one.state is state]) for state in FindingState]
    said = ", ".join(f"{len(of):,} {state.value}" for state, of in counts if of)
    if not said:
        return
    yield doc.section(f"Resources with findings: {said}")
    for state, of in counts:
        if not of or (state is FindingState.UNCHANGED and not options.verbosity):
            continue
        by_rule: dict[str, list[WhatifFinding]] = defaultdict(list)
        for one in of:
            by_rule[one.rule].append(one)
        shown = list(by_rule.items())[: _most(options)]
        lines = [_rule(rule, alike) for rule, alike in shown]
        if len(shown) < len(by_rule):
            lines.append(line(f"and {counted(len(by_rule) - len(shown), 'rule')} more (--explain)"))
        yield doc.field(state.value, lines[0], more=tuple(lines[1:]))


def _rule(rule: str, alike: Sequence[WhatifFinding]) -> Line:
    first = alike[0]
    saved = sum((one.saving_before_usd_per_month or _ZERO for one in alike), _ZERO)
    is_new = first.state is FindingState.NEW
    saves = sum((one.saving_after_usd_per_month or _ZERO for one in alike), _ZERO)
    usd = saves if is_new else saved
    parts: list[Text | Span | Line] = [
        say(first.severity.value.upper(), doc.severity_role(first.severity)),
        " ",
        phrases.name(rule),
        "  ",
        phrases.subject(first.subject, len(alike)),
    ]
    if usd:
        parts += [" (fix ", say(figures.saved(usd)), ")"]
    if first.why:
        parts.append(f": {first.why}")
    return line(*parts)


def _machines(answer: WhatifAnswer, options: RenderOptions) -> Iterator[Block]:
    if not answer.machines:
        return
    changed = sum(pair.is_changed for pair in answer.machines)
    others = len(answer.machines) - changed
    felt = f", {others:,} more affected" if others else ""
    yield doc.section(f"VMs: {changed:,} changed{felt}")
    shown = answer.machines[: _most(options)]
    rows = [_machine(pair) for pair in shown]
    more = len(answer.machines) - len(shown)
    rest = [(line(f"{more:,} more (--top 0)"), (), (), ())] if more else []
    for columns, of in ((_OF_VM, slice(4)), (_OF_TRAFFIC, slice(4, None))):
        if columns is _OF_VM or answer.has_traffic:
            told = tuple((row[0], *row[of][-3:]) for row in rows)
            yield doc.Table(columns=columns, rows=(*told, *rest))
            rest = []


def _machine(pair: WhatifPair) -> tuple[Line, ...]:
    old, new = pair.before, pair.after
    return (
        line(phrases.name(pair.name)),
        line(_arrow(_what(old, new), _what(new, old))),
        line(fixed(_rates(old.egress_gbps, new.egress_gbps))),
        _dollars(old.machine_usd_per_month, new.machine_usd_per_month),
        line(fixed(_arrow(_use(old), _use(new)))),
        line(fixed(_gets(old, new))),
        _dollars(old.traffic_usd_per_month, new.traffic_usd_per_month),
    )


def _what(one: WhatifMachine, other: WhatifMachine) -> str:
    """Return a machine in words: its type, and what of it is another at the other side."""
    parts = [one.machine_type]
    if one.is_tier1 or other.is_tier1:
        parts.append("with Tier_1" if one.is_tier1 else "without")
    if one.zone != other.zone:
        parts.append(f"in {one.zone}")
    return " ".join(parts)


def _arrow(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _use(machine: WhatifMachine) -> str:
    return "?" if machine.used_ratio is None else figures.use(machine.used_ratio)


def _rates(before: float | None, after: float | None) -> str:
    if before is not None and after is not None:
        return figures.rates(before, after) if before != after else figures.rate(after)
    return _arrow(*("?" if one is None else figures.rate(one) for one in (before, after)))


def _gets(old: WhatifMachine, new: WhatifMachine) -> str:
    """Return what a machine's flows get; where that of some is not known, at least so much."""
    if not old.unknown_flow_count and not new.unknown_flow_count:
        return _rates(old.gbps, new.gbps)
    said = (
        "?"
        if one.gbps is None
        else f"{'at least ' if one.unknown_flow_count else ''}{figures.rate(one.gbps)}"
        for one in (old, new)
    )
    return _arrow(*said)


def _dollars(before: Decimal | None, after: Decimal | None) -> Line:
    def one(usd: Decimal | None) -> Line:
        return line("?") if usd is None else line(fixed(Amount(usd=usd)))

    is_same = before == after or (
        before is not None and after is not None and cents(before) == cents(after)
    )
    return one(after) if is_same else (*one(before), say(" → "), *one(after))


def _full(answer: WhatifAnswer, options: RenderOptions) -> Iterator[Block]:
    if not answer.full:
        yield from _none_full(answer)
        return
    yield doc.section(f"Growth reaches {counted(len(answer.full), 'limit')}")
    shown = answer.full[: _most(options)]
    for one in shown:
        when = f" on {one.on}" if one.on is not None else ""
        at = f"at {one.at_factor:.2f}x today's traffic{when}"
        is_now = one.at_factor <= 1
        said = (
            f": {phrases.limit_words(one.limit)} of {figures.rate(one.cap_gbps)}"
            f" {'is met today' if is_now else at}; it sends {figures.rate(one.gbps)} now"
        )
        yield doc.item(phrases.name(one.machine), said)
    if len(shown) < len(answer.full):
        yield doc.item(f"{len(answer.full) - len(shown):,} more (--top 0)")


def _none_full(answer: WhatifAnswer) -> Iterator[Block]:
    """Yield that growth meets no limit, of those machines of which that is known."""
    if not answer.has_traffic or all(
        one.change.field is not WhatifField.GROWTH for one in answer.steps
    ):
        return
    sides = [one.after for one in answer.machines]
    known = sum(one.p95_gbps is not None and one.egress_gbps is not None for one in sides)
    if known:
        of = f"{counted(known, 'VM')} with known traffic and limits"
        yield doc.section(f"Growth reaches no limit of {of} (95th percentile)")


def _steps(answer: WhatifAnswer) -> Iterator[Block]:
    if not answer.price_steps:
        return
    yield doc.section("Price steps: the last GiB per month")
    for one in answer.price_steps:
        gib = f"{figures.volume(one.gib_before)} → {figures.volume(one.gib_after)}"
        before, after = (
            Amount(usd=usd, kind=AmountKind.UNIT_PRICE)
            for usd in (one.usd_per_gib_before, one.usd_per_gib_after)
        )
        said = worded(f": {gib}, ", before, " → ", after, "/GiB")
        yield doc.item(phrases.name(one.name), say(said))


def _traffic(found: Sequence[WhatifTraffic], options: RenderOptions) -> Iterator[Block]:
    changed = [
        one
        for one in found
        if options.verbosity
        or one.gib_before != one.gib_after
        or cents(one.usd_before or _ZERO) != cents(one.usd_after or _ZERO)
    ]
    if not changed:
        return
    yield doc.section("Traffic that VMs send")
    columns = (
        doc.Column(title="path class"),
        doc.Column(title="per month", is_number=True, stacked="{}/month"),
        doc.Column(title="cost per month", is_number=True, stacked="cost {}"),
    )
    rows = tuple(
        (
            line(phrases.name(one.path_class.value)),
            line(fixed(_arrow(figures.volume(one.gib_before), figures.volume(one.gib_after)))),
            _dollars(one.usd_before, one.usd_after),
        )
        for one in changed
    )
    yield doc.Table(columns=columns, rows=rows)


def _limits(found: Sequence[WhatifLimit], options: RenderOptions) -> Iterator[Block]:
    if not found:
        return
    yield doc.section("Changes in shared limits")
    shown = found[: _most(options, _FEW)]
    for one in shown:
        yield doc.item(phrases.name(one.machine), f", {_limit(one)}")
    if len(shown) < len(found):
        yield doc.item(f"{len(found) - len(shown):,} more (--explain)")


def _limit(one: WhatifLimit) -> str:
    caps = _rates(one.capacity_before_gbps, one.capacity_after_gbps)
    said = f"{phrases.limit_words(one.limit)} of {caps}: {_held(one)}"
    return f"{said}; with {', '.join(one.with_whom)}" if one.with_whom else said


def _held(one: WhatifLimit) -> str:
    before = f"limits {_of_flows(one.bound_before, one.flows_before)}"
    after = _of_flows(one.bound_after, one.flows_after)
    if one.share_before_gbps is not None:
        before += f" at {figures.rate(one.share_before_gbps)} each"
    if one.share_after_gbps is not None:
        after += f" at {figures.rate(one.share_after_gbps)} each"
    return f"{before}, then {after}"


def _of_flows(bound: int | None, flows: int | None) -> str:
    if bound is None or flows is None:
        return "an unknown number of flows"
    return f"{bound} of {counted(flows, 'flow')}"
