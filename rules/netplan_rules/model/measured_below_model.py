"""Measurements that stay below the prediction for exactly what was measured.

Runs beside their predictions, kind by kind.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from netplan_planner.model import (
    Estimate,
    Evidence,
    Facts,
    Fix,
    Gap,
    Hit,
    Need,
    PathClass,
    PathQuery,
    SelfLink,
    Severity,
    Value,
    Work,
    taken,
)
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.model._suspects import WEAK, Case, Suspect, suspects_of
from netplan_rules.shared.comparable import Reason, reasons_of, rerun_command
from netplan_rules.shared.measured import Run, RunModel, UnmatchedMeasurement, measured_runs
from netplan_rules.shared.trust import Doubts
from netplan_rules.wording import gbps, rate_evidence

_SHARED = "measured-below-model"


class Kind(Value, frozen=True, kw_only=True):
    """What runs must share to be repetitions of each other."""

    src: SelfLink
    dst: SelfLink
    path_class: PathClass | None
    streams: int | None
    is_both_ways: bool


def kind_of(run: Run) -> Kind:
    """Return the kind of a run."""
    return Kind(
        src=run.src.ref.self_link,
        dst=run.dst.ref.self_link,
        path_class=run.path_class,
        streams=run.measurement.streams,
        is_both_ways=run.measurement.is_bidirectional,
    )


class Judged(Value, frozen=True, kw_only=True):
    """A run with its prediction."""

    run: Run
    query: PathQuery
    estimate: Estimate
    ratio: float
    """Measured over predicted."""
    reasons: tuple[Reason, ...]
    rates_gbps: tuple[float, ...] = ()
    """Of all runs of its kind, where it is the middle one."""


def middle_run(facts: Facts, model: RunModel, runs: Sequence[Run]) -> Iterator[Judged | Gap]:
    """Yield the middle run of a kind if it is too low, and what could not be judged."""
    judged: list[Judged] = []
    for run in runs:
        said = _predicted(facts, model, run)
        if isinstance(said, Gap):
            yield said
        else:
            judged.append(said)
    if not judged:
        return
    # Of an even number the better one of the middle: half of the runs are no worse.
    middle = sorted(judged, key=lambda one: one.ratio)[len(judged) // 2]
    low = middle.estimate.low_gbps
    is_below = low is not None and middle.run.measurement.gbps < low
    if is_below and middle.ratio < facts.threshold(_SHARED, "max_ratio"):
        rates = tuple(one.run.measurement.gbps for one in judged)
        yield replace(middle, rates_gbps=rates)


def _predicted(facts: Facts, model: RunModel, run: Run) -> Judged | Gap:
    reasons = reasons_of(facts, model, run)
    barring = ", ".join(reason.name for reason in reasons if reason.bars)
    if barring:
        why = (
            f"no prediction is comparable with a measurement: {barring} (see probe-not-comparable)"
        )
        return Gap(resource=run.src.ref, reason=why)
    query = model.query(run)
    estimate = model.estimate(run, query)
    if estimate.gbps is None:
        why = "; ".join(estimate.unknown) or "a limit is missing"
        return Gap(resource=run.src.ref, reason=f"the path has no prediction: {why}")
    ratio = run.measurement.gbps / estimate.gbps
    return Judged(run=run, query=query, estimate=estimate, ratio=ratio, reasons=reasons)


RULE = rule_of(
    __name__,
    severity=Severity.MEDIUM,
    needs=frozenset({Need.INVENTORY, Need.MEASUREMENTS}),
    work=Work(
        effort="Depends on the confirmed suspect: minutes for an address or an option, a new VM for"
        " a machine type or an interface; then a measurement.",
        restart="Depends on the suspect: none for an address or an option, the VM for its type.",
        undo="As in the suspect's rule. A measurement changes nothing.",
        window="A quiet time for the measurement: it uses bandwidth that others need.",
    ),
    thresholds=(
        ratio_limit(
            "max_ratio", 0.7, "share of the prediction below which a measurement is too low"
        ),
        ratio_limit(
            "retransmit_ratio",
            0.001,
            "share of retransmitted segments from which losses are a suspect",
        ),
        ratio_limit(
            "other_traffic_ratio",
            0.05,
            "share of the prediction from which the sender's other traffic is a suspect",
        ),
        Threshold(
            name="suspects",
            default=3.0,
            unit="suspects",
            about="number of suspects in the advice; the evidence has all",
        ),
    ),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each direction of a pair whose runs of some kind are below prediction and interval."""
    model = RunModel(facts)
    kinds: dict[Kind, list[Run]] = defaultdict(list)
    for one in measured_runs(facts):
        if isinstance(one, UnmatchedMeasurement):
            yield one.gap
        else:
            kinds[kind_of(one)].append(one)
    low: dict[tuple[SelfLink, SelfLink], list[Judged]] = defaultdict(list)
    for kind, runs in kinds.items():
        for said in middle_run(facts, model, runs):
            if isinstance(said, Gap):
                yield said
            else:
                low[kind.src, kind.dst].append(said)
    for found in low.values():
        yield _hit(facts, model, sorted(found, key=lambda one: one.ratio))


def _hit(facts: Facts, model: RunModel, low: Sequence[Judged]) -> Hit:
    """Return the finding of a direction; its worst kind of runs gives the figures."""
    worst = low[0]
    run, estimate = worst.run, worst.estimate
    suspects = _suspects(facts, model, low)
    doubts = _doubts(facts, worst)
    least, most = min(worst.rates_gbps), max(worst.rates_gbps)
    return Hit(
        resources=(run.src.ref, run.dst.ref),
        subject=f"{run.src.name} → {run.dst.name} ({_where(run)})",
        message=_message(low, suspects),
        evidence=_evidence(model, low, suspects),
        limit=estimate.binding,
        throughput_now=Estimate(
            gbps=run.measurement.gbps,
            low_gbps=least if least < most else None,
            high_gbps=most if least < most else None,
        ),
        throughput_fixed=estimate,
        fix=_fix(facts, model, run, suspects),
        doubts=doubts.reasons,
    )


def _suspects(facts: Facts, model: RunModel, low: Sequence[Judged]) -> tuple[Suspect, ...]:
    """Return the suspects of all kinds, each once, as the kind names it where it stands best."""
    found: dict[str, Suspect] = {}
    for one in low:
        case = taken(Case, one, facts=facts, model=model)
        for suspect in suspects_of(case):
            known = found.get(suspect.name)
            if known is None or suspect.standing < known.standing:
                of = f" (with {_how(one.run)})" if len(low) > 1 else ""
                found[suspect.name] = replace(suspect, evidence=f"{suspect.evidence}{of}")
    return tuple(sorted(found.values(), key=lambda suspect: suspect.standing))


def _message(low: Sequence[Judged], suspects: Sequence[Suspect]) -> str:
    worst = low[0].estimate
    assert worst.gbps is not None
    ends = f"{worst.low_gbps or worst.gbps:.3g} to {worst.high_gbps or worst.gbps:.3g}"
    limit = f", {worst.binding.name}" if worst.binding is not None else ""
    others = "".join(f"; {_share(one)}" for one in low[1:])
    same = f" predicted for the same run ({ends}{limit})"
    return f"{_share(low[0])}{same}{others}; {_first(suspects)}"


def _share(one: Judged) -> str:
    measured, predicted = one.run.measurement.gbps, one.estimate.gbps or 0.0
    return f"{_how(one.run)} reached {gbps(measured)}, {one.ratio:.0%} of {gbps(predicted)}"


def _first(suspects: Sequence[Suspect]) -> str:
    if not suspects:
        return "no recorded fact explains it"
    if suspects[0].standing == WEAK:
        return f"no recorded fact fully explains it, but {suspects[0].evidence}"
    return f"first suspect: {suspects[0].evidence}"


def _evidence(
    model: RunModel, low: Sequence[Judged], suspects: Sequence[Suspect]
) -> tuple[Evidence, ...]:
    worst = low[0]
    run, estimate = worst.run, worst.estimate
    one, day = run.measurement, model.caps(run).as_of.isoformat()
    predicted = partial(rate_evidence, source=f"model, limits of {day}")
    assert estimate.gbps is not None
    return (
        Evidence(name="shortfall", value=1 - worst.ratio, unit="ratio", source=one.source),
        rate_evidence("measured", one.gbps, one.source),
        predicted("predicted", estimate.gbps),
        predicted("predicted_low", estimate.low_gbps or estimate.gbps),
        predicted("predicted_high", estimate.high_gbps or estimate.gbps),
        Evidence(name="path_class", value=worst.query.path_class.value),
        Evidence(name="streams", value=one.streams or 0, unit="streams", source=one.source),
        Evidence(name="runs", value=len(worst.rates_gbps), unit="runs", source=one.source),
        *(
            Evidence(name=name, value=value, unit=unit, source=source)
            for name, value, unit, source in (
                ("round_trip", worst.query.rtt_ms, "ms", model.round_trip(run).source),
                ("duration", one.duration_s, "s", one.source),
                ("omitted", one.omit_s, "s", one.source),
            )
            if value is not None
        ),
        *(
            Evidence(name=f"also_{number}", value=_share(other))
            for number, other in enumerate(low[1:], 1)
        ),
        *(
            Evidence(name=f"suspect_{number}", value=f"{suspect.name}: {suspect.evidence}")
            for number, suspect in enumerate(suspects, 1)
        ),
    )


def _doubts(facts: Facts, worst: Judged) -> Doubts:
    """Return what speaks against the finding; what the prediction has in it does not."""
    doubts, run_count = Doubts(), len(worst.rates_gbps)
    for reason in worst.reasons:
        if reason.is_of_tool:
            doubts.add(f"the tool itself was the limit ({reason.name})")
    if run_count < facts.threshold("probe-not-comparable", "min_runs"):
        doubts.add(f"it is based on {run_count} {'run' if run_count == 1 else 'runs'}")
    if worst.run.measurement.duration_s is None:
        doubts.add("the duration of the run is not recorded")
    if worst.run.started is None:
        doubts.add("the time of the run is not recorded")
    if not worst.run.is_by_address:
        doubts.add("the address used is not recorded")
    for assumed in worst.estimate.assumed:
        doubts.add(assumed)
    return doubts


def _fix(facts: Facts, model: RunModel, run: Run, suspects: Sequence[Suspect]) -> Fix:
    wanted = int(facts.threshold(RULE.id, "suspects"))
    listed = [f"{number}. {one.advice}." for number, one in enumerate(suspects[:wanted], 1)]
    text = rerun_command(facts, model, run)
    first = "Then measure" if listed else "Measure"
    again = f"{first} again: `iperf3 -s` on {run.dst.name}, the client on {run.src.name}."
    return RULE.fix(
        label="check the suspects",
        text=" ".join((*listed, again)),
        commands=(text,) if text else (),
        caution="A run uses the whole path while it lasts.",
    )


def _how(run: Run) -> str:
    streams = run.measurement.streams or 0
    both = " in both directions" if run.measurement.is_bidirectional else ""
    return f"{streams} {'stream' if streams == 1 else 'streams'}{both}"


def _where(run: Run) -> str:
    if run.src.zone == run.dst.zone:
        return run.src.zone
    return f"{run.src.zone} → {run.dst.zone}"
