"""What was measured of a plan of probes: each run as it ends, and all beside the predictions."""

import itertools
import shlex
from collections.abc import Iterator

from msgspec.structs import replace

from netplan_planner.inert import TEXT_LENGTH, inert, is_inert
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import Block, Role, say
from netplan_planner.renderers.figures import counted, interval, rate, rate_interval
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.probe import record as record_
from netplan_planner.verbs.probe import show
from netplan_planner.verbs.probe.results import (
    FlowResult,
    MeasuredRun,
    MissedRuns,
    ProbeEvent,
    ProbeResults,
)

SCHEMA = record_.SCHEMA


def record(answer: ProbeResults) -> record_.Record:
    """Return the plan with what was measured of it."""
    return record_.plan_record(answer.plan, answer)


def table(answer: ProbeResults) -> DataTable:
    """Return a row for each direction of each kind of run."""
    return record_.results_table(answer)


def blocks(answer: ProbeResults, options: RenderOptions) -> Iterator[Block]:
    """Yield the plan unless it was written before, then what came of it and how to go on."""
    if options.has_plan:
        yield from show.blocks(answer.plan, replace(options, has_hints=False))
    now, before = counted(answer.measured_count, "run"), answer.resumed_count
    store = say(answer.store, Role.PLACE)
    yield doc.section(f"{now} now, {before} before; in ", store)
    for name, flows in itertools.groupby(answer.flows, key=lambda one: one.probe.name):
        yield doc.entry(name)
        yield from (doc.item(_measured(one)) for one in flows)
    lost = [_left_out(one) for one in answer.missed if not one.is_one_run]
    lost = [*dict.fromkeys(lost), *answer.not_begun]
    if lost:
        yield doc.entry("Not measured")
        yield from (doc.item(say(text, length=2 * TEXT_LENGTH)) for text in lost)
    if not answer.is_complete:
        yield doc.para("incomplete: the same command continues with the rest")
    yield from next_command(answer.store)


def next_command(store: str, options: str = "") -> Iterator[Block]:
    """Yield the command that fits the model to a store, if its name is one to be copied."""
    command = calibrate_command(store, options)
    if is_inert(command):
        yield doc.entry("Next")
        yield doc.Command(text=command)


def calibrate_command(store: str, options: str = "") -> str:
    """Return the command that fits the model to a store.

    >>> calibrate_command("my probes.jsonl")
    "netplan calibrate 'my probes.jsonl' --out calibration.json"
    """
    return f"netplan calibrate {shlex.quote(store)} {options}--out calibration.json"


def event_line(event: ProbeEvent) -> str:
    """Return what happened, in a line."""
    if isinstance(event, MeasuredRun):
        return inert(f"{event.place}: {' and '.join(map(rate, event.gbps))}")
    return inert(f"netplan: {_left_out(event)}", 2 * TEXT_LENGTH)


def _left_out(one: MissedRuns) -> str:
    return f"{one.what}{':' if one.is_one_run else ' is not used:'} {one.reason}"


def _measured(one: FlowResult) -> str:
    found = one.flow.estimate
    runs = interval(one.median_gbps, min(one.gbps), max(one.gbps))
    median = f"{rate(one.median_gbps)}, median of {len(one.gbps)} {runs}"
    measured = f"{show.way_of(one.flow)}: measured {median}"
    if found.gbps is None:
        return f"{measured}; no prediction"
    predicted = rate_interval(found.gbps, found.low_gbps, found.high_gbps)
    verdict = "inside" if one.is_inside else "outside"
    capped = "; a rate cap was set" if one.is_capped else ""
    return f"{measured}, predicted {predicted}: {verdict}{capped}"
