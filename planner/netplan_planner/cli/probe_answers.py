"""The plan of `netplan probe` for people."""

import itertools
import shutil
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from netplan_planner.engine.probe import total_of
from netplan_planner.inert import NAME_LENGTH, TEXT_LENGTH, inert
from netplan_planner.measuring.store import read_store
from netplan_planner.model import Value
from netplan_planner.model.probe_plan import (
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
from netplan_planner.optimise.probe_plan import ranking_usd
from netplan_planner.renderers.content.phrases import limit_name, skus
from netplan_planner.renderers.figures import (
    counted,
    dollars,
    duration,
    interval,
    number,
    rate,
    saving,
    share,
    unit_price,
    volume,
)

WIDTH = 100
_LABEL = 11
_SHOWN_NAMES = 4


class Stored(Value, frozen=True, kw_only=True):
    """What the store has of a plan before anything is run."""

    path: Path
    run_count: int
    faults: tuple[str, ...]


class Shown(Value, frozen=True, kw_only=True):
    """A plan with what is said around it."""

    plan: ProbePlan
    stored: Stored
    has_yes: bool


def stored(plan: ProbePlan, store: Path) -> Stored:
    """Return what a store has of a plan.

    Raises:
        InputError: If it cannot be read.
    """
    held = read_store(store)
    runs = {one.place for one in held.measurements if one.source.partition("/")[0] == plan.id}
    return Stored(path=store, run_count=len(runs), faults=held.faults)


def plan_text(shown: Shown) -> str:
    """Return the plan for people, ending with a line end."""
    plan = shown.plan
    lines = [inert(plan.price_age), ""] if plan.price_age else []
    lines += [
        f"{inert(plan.title)} · {plan.id} · limits of {plan.limits_as_of} · prices of"
        f" {plan.prices_as_of}",
        "",
        *_summary(plan),
    ]
    for number_, planned in enumerate(plan.probes, 1):
        lines += ["", f"{number_}. {inert(planned.probe.name)}", *_probe(planned)]
    if plan.impacts:
        lines += [
            "",
            "Impact on the machines, of which one pair is busy at a time",
            *map(_impact, _crowded(plan)),
        ]
        if not plan.has_traffic:
            lines.append("  what else they send is not known: no flow logs were given (--traffic)")
    if plan.left_out:
        lines += ["", "Not in the plan", *_left_out(plan.left_out)]
    if plan.notes:
        lines += ["", *map(inert, plan.notes)]
    lines += ["", *_closing(shown)]
    return wrapped(lines)


def _summary(plan: ProbePlan) -> Iterator[str]:
    if not plan.probes:
        yield "No probe is in the plan; below is why."
        return
    least, most = total_of(plan), total_of(plan, is_most=True)
    for cost, words in ((least, "at least"), (most, "at most")):
        usd = "an unknown sum" if cost.usd is None else dollars(cost.usd)
        yield (
            f"{words} {counted(cost.runs, 'run')} in {duration(cost.seconds)}: {volume(cost.gib)},"
            f" {usd} of traffic"
        )
    before, after = half_width_of(plan.mean_log_width), half_width_of(plan.expected_log_width)
    yield (
        f"the intervals of all paths that matter are expected to narrow from ±{share(before, 1)} to"
        f" ±{share(after, 1)} in the mean"
    )


def _probe(planned: PlannedProbe) -> Iterator[str]:
    probe = planned.probe
    for label, stake in zip(_once("because"), probe.path.stakes, strict=False):
        said = [saving(stake.usd_per_month)] if stake.usd_per_month else []
        said += [f"{rate(stake.gain_gbps)} more"] if stake.gain_gbps else []
        yield _labelled(label, f"{stake.rule}{': ' if said else ''}{', '.join(said)}")
    yield from _predictions(probe)
    yield _labelled("tells", "; ".join(map(_informed, planned.tells)))
    yield _labelled("runs", _runs(probe))
    yield from _costs(probe)
    yield _labelled("machines", _machines(probe))
    yield _labelled("order", _order(planned))


def _predictions(probe: Probe) -> Iterator[str]:
    """Yield what is predicted for each kind of run, alike ones together."""
    said: dict[str, list[str]] = defaultdict(list)
    for flow in probe.flows:
        said[_prediction(flow)].append(way_of(flow))
    for label, (words, ways) in zip(_once("predicted"), said.items(), strict=False):
        which = "" if len(said) == 1 else f"{', '.join(ways)}: "
        yield _labelled(label, f"{which}{words}")


def _prediction(flow: ProbeFlow) -> str:
    found = flow.estimate
    if found.gbps is None:
        return f"unknown: {inert('; '.join(found.unknown))}"
    span = interval(found.gbps, found.low_gbps or 0.0, found.high_gbps or 0.0)
    bound = inert(limit_name(found.limits[0]), TEXT_LENGTH) if found.limits else "nothing known"
    return f"{rate(found.gbps)} {span}, bound by {bound}"


def way_of(flow: ProbeFlow) -> str:
    """Return in words which way a flow goes."""
    name = "back" if flow.is_back else "there"
    return f"{name} (both at once)" if flow.way is ProbeWay.BOTH else name


def _informed(told: ToldLimit) -> str:
    others = told.other_path_count
    shared = f", shared with {counted(others, 'other path')}" if others else ""
    return f"{inert(told.limit)}, {share(told.probability, 1.0)} likely{shared}"


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
        f"{_span(str(least), str(most))} each {', '.join(ways[kind] for kind in kinds)};"
        f" {there.omit_s:g} s"
        f" omitted + {there.duration_s or 0:g} s counted at a round trip of {rtt}{basis}:"
        f" {_span(duration(probe.expected.seconds), duration(probe.most.seconds))}"
    )


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _costs(probe: Probe) -> Iterator[str]:
    if probe.expected.usd is None or probe.most.usd is None:
        yield _labelled("costs", f"an unknown sum: {inert(probe.unpriced)}")
        return
    lines = zip(_once("costs"), probe.expected.lines, probe.most.lines, strict=False)
    for label, least, most in lines:
        sku = skus((least.sku_id,) if least.sku_id else ())
        usd = _span(dollars(least.usd), dollars(most.usd)) if most.usd else "nothing"
        yield _labelled(
            label,
            f"{usd} = {_span(number(least.gib), number(most.gib))} GiB ×"
            f" {unit_price(least.usd_per_gib)} ({inert(least.name)}{sku}, {least.as_of})",
        )


def _once(label: str) -> Iterator[str]:
    """Yield a label for the first of several lines, and blanks for the others."""
    yield label
    yield from itertools.repeat("")


def _machines(probe: Probe) -> str:
    seconds = number(probe.expected.vm_seconds)
    price = probe.expected.vm_usd
    worth = "an unknown sum" if price is None else f"${price:.4f}"
    return (
        f"nothing more: both run anyway ({seconds} VM seconds at list price would be {worth}, which"
        " counts in the order only)"
    )


def _order(planned: PlannedProbe) -> str:
    usd = ranking_usd(planned.probe)
    if planned.gain_per_usd is None or usd is None:
        return f"information {number(planned.gain)}, per dollar unknown: a price is missing"
    return (
        f"information {number(planned.gain)} for ${usd:.4f} of traffic and VM seconds:"
        f" {number(planned.gain_per_usd)} per dollar"
    )


def _crowded(plan: ProbePlan) -> list[ProbeImpact]:
    return sorted(plan.impacts, key=lambda one: not one.is_crowded)


def _impact(one: ProbeImpact) -> str:
    cap = "of a cap that is not known"
    if one.cap_gbps is not None:
        cap = f"{share(one.cap_ratio or 0.0, 1.0)} of its cap of {rate(one.cap_gbps)}"
    seen = ""
    if one.seen_p95_gbps is not None and one.seen_max_gbps is not None:
        seen = (
            f"; flow logs saw it send {rate(one.seen_p95_gbps)} (95th percentile), at most"
            f" {rate(one.seen_max_gbps)}"
        )
    if one.is_crowded:
        seen += ": both do not fit under the cap, so each slows the other"
    return (
        f"  {inert(one.name, NAME_LENGTH)} sends up to {rate(one.sends_gbps)}, {cap}, and receives"
        f" up to {rate(one.receives_gbps)}, for"
        f" {_span(duration(one.busy_s), duration(one.most_busy_s))}{seen}"
    )


def _left_out(left_out: tuple[LeftOutProbe, ...]) -> Iterator[str]:
    names: dict[str, list[str]] = defaultdict(list)
    for one in left_out:
        names[one.reason].append(one.probe.name)
    for reason, probes in names.items():
        yield f"  {counted(len(probes), 'probe')}: {inert(reason)}"
        more = len(probes) - _SHOWN_NAMES
        rest = f"; and {more:,} more" if more > 0 else ""
        yield f"    {inert('; '.join(probes[:_SHOWN_NAMES]), 4 * TEXT_LENGTH)}{rest}"


def _closing(shown: Shown) -> Iterator[str]:
    where, runs = inert(str(shown.stored.path)), shown.stored.run_count
    if runs:
        yield f"{counted(runs, 'run')} of this plan {_are(runs)} in {where} already, and not redone"
    if not shown.plan.probes:
        return
    if shown.has_yes:
        return
    yield "Nothing was run. To carry it out: netplan probe run --yes, with the same options."
    yield (
        f"Results go to {where}, run by run; if it is broken off, the same command goes on where it"
        " stopped."
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _labelled(label: str, text: str) -> str:
    return f"   {label:<{_LABEL}}{text}"


def wrapped(lines: list[str]) -> str:
    """Return lines as a text that fits the terminal, ending with a line end."""
    width = min(shutil.get_terminal_size((WIDTH, 24)).columns, 2 * WIDTH)
    rows: list[str] = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        hanging = 3 + _LABEL if indent in {3, 3 + _LABEL} else indent + 2
        rows += textwrap.wrap(
            line, width, subsequent_indent=" " * hanging, break_on_hyphens=False
        ) or [""]
    return "\n".join(rows) + "\n"
