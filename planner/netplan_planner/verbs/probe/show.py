"""A plan of probes: what each tells, costs and does to the machines, and what is not in it."""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal

from netplan_planner import units
from netplan_planner.inert import NAME_LENGTH, TEXT_LENGTH, inert
from netplan_planner.model import Amount, AmountKind, Text, worded
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import DataTable, phrases
from netplan_planner.renderers.content.phrases import limit_name, skus
from netplan_planner.renderers.document import Block, Line, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.probe import record as record_
from netplan_planner.verbs.probe.answer import (
    LeftOutProbe,
    PlannedProbe,
    Probe,
    ProbeFlow,
    ProbeImpact,
    ProbePlan,
    ProbeWay,
    ToldLimit,
    half_width_of,
)

SCHEMA = record_.SCHEMA
_SHOWN_NAMES = 4
_LONG = 4 * TEXT_LENGTH
_SMALL_DIGITS = 4
"""Of the dollars of a few VM seconds."""


def record(answer: ProbePlan) -> record_.Record:
    """Return the plan with what the store has of it; nothing was run, so `results` is null."""
    return record_.plan_record(answer)


def table(answer: ProbePlan) -> DataTable:
    """Return a row for each probe of the plan in its order, then one for each left out."""
    return record_.plan_table(answer)


def blocks(answer: ProbePlan, options: RenderOptions) -> Iterator[Block]:
    """Yield what it takes in all, the probes, the machines, what is left out, and how to go on."""
    yield doc.Title(line=line(answer.title), basis=line(_basis(answer)))
    yield from (doc.para(_said(text)) for text in _summary(answer))
    for place, planned in enumerate(answer.probes, 1):
        yield doc.entry(f"{place}. ", say(planned.probe.name))
        yield from _probe(planned)
    if answer.impacts:
        yield doc.entry("Impact on the VMs (only one pair is busy at a time)")
        yield from (doc.item(_said(_impact(one))) for one in _crowded(answer))
        if not answer.has_traffic:
            unknown = "other traffic unknown: no flow logs (--traffic)"
            yield doc.item(unknown)
    if answer.left_out:
        yield doc.entry("Not planned")
        yield from _left_out(answer.left_out)
    if answer.notes:
        yield doc.entry("Notes")
        yield from (doc.item(note) for note in answer.notes)
    yield from phrases.blocks(answer.incomplete, options)
    yield from _closing(answer, options)


def way_of(flow: ProbeFlow) -> str:
    """Return in words which way a flow goes."""
    name = "back" if flow.is_back else "there"
    return f"{name} (both at once)" if flow.way is ProbeWay.BOTH else name


def _said(text: Text) -> Line:
    return line(say(text, length=_LONG))


def _basis(plan: ProbePlan) -> str:
    return f"{plan.id} · limits of {plan.limits_as_of} · prices of {plan.prices_as_of}"


def _summary(plan: ProbePlan) -> Iterator[Text]:
    if not plan.probes:
        yield "No probe is planned. The reasons are below."
        return
    for cost, words in ((plan.expected, "at least"), (plan.most, "at most")):
        yield worded(
            f"{words} {figures.counted(cost.runs, 'run')} in {figures.duration(cost.seconds)}:",
            f" {figures.volume(cost.gib)}, ",
            "an unknown amount" if cost.usd is None else Amount(usd=cost.usd),
            " of traffic",
        )
    before, after, most = (
        f"±{figures.share(half_width_of(one), 1)}"
        for one in (plan.mean_log_width, plan.expected_log_width, plan.most_log_width)
    )
    yield (
        f"intervals of all affected paths: {before} on average now, {after} expected after the "
        f"plan, at most {most} in 9 of 10 cases"
    )
    if plan.expected_log_width > plan.mean_log_width:
        yield "a few probes mainly correct the values; more probes narrow the intervals"


def _probe(planned: PlannedProbe) -> Iterator[Block]:
    probe = planned.probe
    yield from _field("because", _because(probe))
    yield from _field("predicted", _predictions(probe))
    yield from _field("tells", ["; ".join(map(_informed, planned.tells))])
    yield from _field("runs", [_runs(probe)])
    yield from _field("cost", _costs(probe))
    yield from _field("VMs", [_machines(probe)])
    yield from _field("order", [_order(planned)])


def _field(label: str, texts: Iterable[Text]) -> list[Block]:
    """Return one labelled line with those that follow it; none where there is no text."""
    lines = tuple(map(_said, texts))
    return [doc.field(label, lines[0], more=lines[1:])] if lines else []


def _because(probe: Probe) -> Iterator[Text]:
    for stake in probe.path.stakes:
        worth = [figures.saved(stake.saving_usd_per_month)] if stake.saving_usd_per_month else []
        worth += [f"{figures.rate(stake.gain_gbps)} more"] if stake.gain_gbps else []
        marks = (": ", ", ")
        yield worded(stake.rule, *(worded(*pair) for pair in zip(marks, worth, strict=False)))


def _predictions(probe: Probe) -> Iterator[str]:
    """Yield what is predicted for each kind of run, alike ones together."""
    said: dict[str, list[str]] = defaultdict(list)
    for flow in probe.flows:
        said[_prediction(flow)].append(way_of(flow))
    for words, ways in said.items():
        yield words if len(said) == 1 else f"{', '.join(ways)}: {words}"


def _prediction(flow: ProbeFlow) -> str:
    found = flow.estimate
    if found.gbps is None:
        return f"unknown: {inert('; '.join(found.unknown))}"
    predicted = figures.rate_interval(found.gbps, found.low_gbps, found.high_gbps)
    bound = inert(limit_name(found.limits[0]), TEXT_LENGTH) if found.limits else "nothing known"
    return f"{predicted}, limit: {bound}"


def _informed(told: ToldLimit) -> str:
    others = told.other_paths
    shared = f", shared with {figures.counted(others, 'other path')}" if others else ""
    return f"{inert(told.limit)}, {figures.share(told.probability, 1.0)} likely{shared}"


def _runs(probe: Probe) -> str:
    ways = {
        ProbeWay.FORWARD: "there",
        ProbeWay.REVERSE: "back",
        ProbeWay.BOTH: "both ways at once",
    }
    kinds = list(dict.fromkeys(flow.way for flow in probe.flows))
    least, most = (cost.runs // len(kinds) for cost in (probe.expected, probe.most))
    there = probe.path.there
    rtt = "unknown" if there.rtt_ms is None else f"{there.rtt_ms:.3g} ms"
    basis = f", {inert(probe.path.rtt_basis)}" if probe.path.rtt_basis else ""
    return (
        f"{_span(str(least), str(most))} each {', '.join(ways[kind] for kind in kinds)}; "
        f"{there.omit_s:g} s omitted + {there.duration_s or 0:g} s counted at an RTT of "
        f"{rtt}{basis}: "
        f"{_span(figures.duration(probe.expected.seconds), figures.duration(probe.most.seconds))}"
    )


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _costs(probe: Probe) -> Iterator[Text]:
    if probe.expected.usd is None or probe.most.usd is None:
        yield f"an unknown amount: {inert(probe.unpriced)}"
        return
    for least, most in zip(probe.expected.line_items, probe.most.line_items, strict=True):
        sku = skus((least.sku_id,) if least.sku_id else ())
        yield worded(
            _usd_span(least.usd, most.usd) if most.usd else "nothing",
            f" = {_span(figures.number(least.gib), figures.number(most.gib))} GiB × ",
            Amount(usd=least.usd_per_gib, kind=AmountKind.UNIT_PRICE),
            f" ({inert(least.name)}{sku}, {least.as_of})",
        )


def _usd_span(low: Decimal, high: Decimal) -> Text:
    if units.cents(low) == units.cents(high):
        return worded(Amount(usd=low))
    return worded(Amount(usd=low), " to ", Amount(usd=high))


def _small(usd: Decimal) -> Amount:
    """Return an amount of which cents would say nothing."""
    return Amount(usd=round(usd, _SMALL_DIGITS), kind=AmountKind.UNIT_PRICE)


def _machines(probe: Probe) -> Text:
    seconds = figures.number(probe.expected.vm_seconds)
    price = probe.expected.vm_usd_in_ranking
    return worded(
        f"none, because both VMs run anyway ({seconds} VM seconds would cost ",
        "an unknown amount" if price is None else _small(price),
        " at list price; only the order uses it)",
    )


def _order(planned: PlannedProbe) -> Text:
    usd = planned.probe.ranking_usd
    if planned.gain_per_usd is None or usd is None:
        return (
            f"information {figures.number(planned.gain)}, per dollar unknown (a price is missing)"
        )
    return worded(
        f"information {figures.number(planned.gain)} for ",
        _small(usd),
        f" of traffic and VM seconds: {figures.number(planned.gain_per_usd)} per dollar",
    )


def _crowded(plan: ProbePlan) -> list[ProbeImpact]:
    return sorted(plan.impacts, key=lambda one: not one.is_crowded)


def _impact(one: ProbeImpact) -> str:
    cap = "unknown share of its cap"
    if one.cap_gbps is not None:
        cap = (
            f"{figures.share(one.cap_ratio or 0.0, 1.0)} of its cap of {figures.rate(one.cap_gbps)}"
        )
    seen = ""
    if one.seen_p95_gbps is not None and one.seen_max_gbps is not None:
        seen = (
            f". In flow logs it sends {figures.rate(one.seen_p95_gbps)} (95th percentile), at "
            f"most {figures.rate(one.seen_max_gbps)}"
        )
    if one.is_crowded:
        seen += ". Together they exceed the cap, so each slows the other"
    return (
        f"{inert(one.name, NAME_LENGTH)} sends up to {figures.rate(one.sends_gbps)}, {cap}, and"
        f" receives up to {figures.rate(one.receives_gbps)}, for"
        f" {_span(figures.duration(one.busy_s), figures.duration(one.most_busy_s))}{seen}"
    )


def _left_out(left_out: tuple[LeftOutProbe, ...]) -> Iterator[Block]:
    names: dict[str, list[str]] = defaultdict(list)
    for one in left_out:
        names[one.reason].append(one.probe.name)
    for reason, probes in names.items():
        yield doc.item(_said(f"{figures.counted(len(probes), 'probe')}: {inert(reason)}"))
        more = len(probes) - _SHOWN_NAMES
        rest = f"; and {more:,} more" if more > 0 else ""
        shown = "; ".join(map(inert, itertools.islice(probes, _SHOWN_NAMES)))
        yield doc.para(_said(f"{shown}{rest}"), is_inner=True)


def _closing(plan: ProbePlan, options: RenderOptions) -> Iterator[Block]:
    """Yield what was run of it before, and how it is carried out; the first line as a heading."""
    found = []
    if plan.stored is not None:
        where = inert(plan.stored.path)
        runs = plan.stored.run_count
        if runs:
            are = "is" if runs == 1 else "are"
            found.append(
                f"{figures.counted(runs, 'run')} of this plan {are} in {where} already, and will "
                "not run again"
            )
        if plan.probes and options.has_hints:
            found.append(
                "Nothing was run. To run the plan: netplan probe run --yes, with the same options."
            )
            found.append(
                f"Each result is saved to {where}. After an interruption, the same command "
                "continues."
            )
    yield from (doc.entry(_said(text)) for text in found[:1])
    yield from (doc.para(_said(text)) for text in found[1:])
