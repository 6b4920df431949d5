"""What `netplan probe` says of its runs: each as it ends, and all beside what was predicted."""

import shlex
from pathlib import Path

from netplan_planner.cli.probe_answers import way_of, wrapped
from netplan_planner.engine.probe_runs import FlowResult, ProbeResults
from netplan_planner.inert import LINE_LENGTH, TEXT_LENGTH, inert
from netplan_planner.measuring.outcome import PairRefused, ProbeEvent, RunFailed, RunMeasured
from netplan_planner.renderers.figures import counted, interval, rate


def event_line(event: ProbeEvent) -> str:
    """Return what happened, in a line."""
    if isinstance(event, RunMeasured):
        rates = " and ".join(rate(one.gbps) for one in event.measurements)
        return inert(f"{event.key.place}: {rates}")
    if isinstance(event, RunFailed):
        return inert(f"netplan: {event.key.place}: {event.reason}", 2 * TEXT_LENGTH)
    if isinstance(event, PairRefused):
        return inert(f"netplan: {event.pair} is left out: {event.reason}", 2 * TEXT_LENGTH)
    which = f"{event.pair}/{event.configuration}" if event.pair else "the rest"
    return inert(f"netplan: {which} is left out: {event.reason}", 2 * TEXT_LENGTH)


def results_text(results: ProbeResults, store: Path) -> str:
    """Return what was measured beside what was predicted, ending with a line end."""
    where = inert(str(store))
    lines = [
        f"{counted(results.measured_count, 'run')} now, {results.resumed_count} from before;"
        f" in {where}",
        "",
    ]
    last = ""
    for one in results.flows:
        if one.probe.name != last:
            lines.append(inert(one.probe.name))
            last = one.probe.name
        lines.append(_measured(one))
    left_out = dict.fromkeys(
        event_line(event).removeprefix("netplan: ")
        for outcome in results.outcomes
        for event in outcome.events
        if not isinstance(event, RunMeasured | RunFailed)
    )
    lines += [*left_out, *map(inert, results.not_begun)]
    if not results.is_complete:
        lines.append("not complete: the same command goes on with what is missing")
    # Commands are not broken into lines: they are there to be copied.
    return f"{wrapped(lines)}\nnext: {calibrate_command(store)}\n"


def calibrate_command(store: Path) -> str:
    """Return the command that fits the model to a store.

    >>> calibrate_command(Path("my probes.jsonl"))
    "netplan calibrate 'my probes.jsonl' --out calibration.json"
    """
    return inert(f"netplan calibrate {shlex.quote(str(store))} --out calibration.json", LINE_LENGTH)


def _measured(one: FlowResult) -> str:
    found = one.flow.estimate
    runs = interval(one.median_gbps, min(one.gbps), max(one.gbps))
    median = f"{rate(one.median_gbps)}, median of {len(one.gbps)} {runs}"
    measured = f"{way_of(one.flow)}: measured {median}"
    if found.gbps is None:
        return f"  {measured}; nothing was predicted"
    span = interval(found.gbps, found.low_gbps or 0.0, found.high_gbps or 0.0)
    verdict = "inside" if one.is_inside else "outside"
    capped = "; a rate cap was set" if one.is_capped else ""
    return f"  {measured}, predicted {rate(found.gbps)} {span}: {verdict}{capped}"
