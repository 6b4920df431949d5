"""Measurements that stay below the prediction for exactly what was measured."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

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
)
from netplan_rules.base import Rule, Threshold
from netplan_rules.comparable import Reason, reasons_of
from netplan_rules.measured import Run, Stray, measured_runs
from netplan_rules.model._suspects import WEAK, Case, Suspect, suspects_of
from netplan_rules.predicted import RunModel
from netplan_rules.rerun import rerun_command
from netplan_rules.trust import Doubts
from netplan_rules.wording import gbps, rate_evidence

RULE = Rule(
    id="measured-below-model",
    title="A measurement stays below its prediction",
    severity=Severity.MEDIUM,
    needs=frozenset({Need.INVENTORY, Need.MEASUREMENTS}),
    rationale="A path that gives much less than its documented limits has a cause that no inventory"
    " shows: the address that was used, a small receive window, a busy core, lost packets. The"
    " prediction is for what was measured: its path, streams, length, round-trip time, packets and"
    " direction, with the limits of the day of the run.",
    remediation="Follow the suspects in their order, then measure again.",
    guards="Silent above the share of the prediction, and inside its interval. Of several runs of"
    " one kind the middle one is judged. A measurement beside which no prediction can stand (a rate"
    " option, a machine that was changed or started since, an unknown path or type) is listed as"
    " not judged.",
    references=(
        "https://cloud.google.com/compute/docs/network-bandwidth",
        "https://cloud.google.com/compute/docs/networking/tcp-optimization-for-network-performance-in-gcp-and-hybrid",
        "https://cloud.google.com/blog/products/gcp/5-steps-to-better-gcp-network-performance",
    ),
    since="0.1.0",
    thresholds=(
        Threshold(
            name="max_ratio",
            default=0.7,
            unit="ratio",
            about="share of the prediction below which a measurement counts as too low",
        ),
        Threshold(
            name="retransmit_ratio",
            default=0.001,
            unit="ratio",
            about="share of segments sent again from which losses are a suspect",
        ),
        Threshold(
            name="other_traffic_ratio",
            default=0.05,
            unit="ratio",
            about="share of the prediction from which the sender's other traffic is a suspect",
        ),
        Threshold(
            name="suspects",
            default=3.0,
            unit="suspects",
            about="how many suspects the advice names; the evidence has all",
        ),
    ),
    group_message="{count} kinds of runs from {sender} to {receiver} stay below their predictions;"
    " the worst has {measured_rate} of {predicted_rate}",
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each kind of run of a pair whose middle run is below its prediction and interval."""
    model = RunModel(facts)
    kinds: dict[_Kind, list[Run]] = defaultdict(list)
    for one in measured_runs(facts):
        if isinstance(one, Stray):
            yield one.gap
        else:
            kinds[_kind(one)].append(one)
    for runs in kinds.values():
        yield from _judge(facts, model, runs)


class _Kind(Value, frozen=True, kw_only=True):
    """What runs must share to be repetitions of each other."""

    src: SelfLink
    dst: SelfLink
    path_class: PathClass | None
    streams: int | None
    is_both_ways: bool


def _kind(run: Run) -> _Kind:
    return _Kind(
        src=run.src.ref.self_link,
        dst=run.dst.ref.self_link,
        path_class=run.path_class,
        streams=run.measurement.streams,
        is_both_ways=run.measurement.is_bidirectional,
    )


class _Judged(Value, frozen=True, kw_only=True):
    """A run with its prediction."""

    run: Run
    query: PathQuery
    estimate: Estimate
    ratio: float
    """Measured over predicted."""
    reasons: tuple[Reason, ...]


def _judge(facts: Facts, model: RunModel, runs: Sequence[Run]) -> Iterator[Hit | Gap]:
    judged: list[_Judged] = []
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
    if is_below and middle.ratio < facts.threshold(RULE.id, "max_ratio"):
        yield _hit(facts, model, middle, judged)


def _predicted(facts: Facts, model: RunModel, run: Run) -> _Judged | Gap:
    reasons = reasons_of(facts, model, run)
    barring = ", ".join(reason.name for reason in reasons if reason.bars)
    if barring:
        why = f"no prediction stands beside a measurement: {barring} (see probe-not-comparable)"
        return Gap(resource=run.src.ref, reason=why)
    query = model.query(run)
    estimate = model.estimate(run, query)
    if estimate.gbps is None:
        why = "; ".join(estimate.unknown) or "a limit is missing"
        return Gap(resource=run.src.ref, reason=f"the path has no prediction: {why}")
    ratio = run.measurement.gbps / estimate.gbps
    return _Judged(run=run, query=query, estimate=estimate, ratio=ratio, reasons=reasons)


def _hit(facts: Facts, model: RunModel, worst: _Judged, judged: Sequence[_Judged]) -> Hit:
    run, estimate = worst.run, worst.estimate
    suspects = suspects_of(
        Case(facts=facts, model=model, run=run, query=worst.query, estimate=estimate)
    )
    doubts = _doubts(facts, worst, len(judged))
    rates = [one.run.measurement.gbps for one in judged]
    differ = min(rates) < max(rates)
    return Hit(
        resources=(run.src.ref, run.dst.ref),
        subject=f"{run.src.name} → {run.dst.name}, {_how(run)} ({_where(run)})",
        message=_message(worst, suspects),
        group=f"{run.src.ref.self_link}|{run.dst.ref.self_link}",
        evidence=_evidence(model, worst, len(judged), suspects),
        limit=estimate.binding,
        throughput_now=Estimate(
            gbps=run.measurement.gbps,
            low_gbps=min(rates) if differ else None,
            high_gbps=max(rates) if differ else None,
        ),
        throughput_fixed=estimate,
        fix=_fix(facts, model, run, suspects),
        confidence=doubts.confidence,
        confidence_reason=doubts.text,
    )


def _message(worst: _Judged, suspects: Sequence[Suspect]) -> str:
    one, estimate = worst.run.measurement, worst.estimate
    assert estimate.gbps is not None
    low, high = estimate.low_gbps or estimate.gbps, estimate.high_gbps or estimate.gbps
    limit = f", {estimate.binding.name}" if estimate.binding is not None else ""
    return (
        f"{_how(worst.run)} reached {gbps(one.gbps)}, {worst.ratio:.0%} of the"
        f" {gbps(estimate.gbps)} predicted for the same run ({low:.3g} to {high:.3g}{limit});"
        f" {_first(suspects)}"
    )


def _first(suspects: Sequence[Suspect]) -> str:
    if not suspects:
        return "nothing that is recorded tells why"
    if suspects[0].standing == WEAK:
        return f"nothing that is recorded is enough to tell why, but {suspects[0].evidence}"
    return f"first suspect: {suspects[0].evidence}"


def _evidence(
    model: RunModel, worst: _Judged, run_count: int, suspects: Sequence[Suspect]
) -> tuple[Evidence, ...]:
    run, estimate = worst.run, worst.estimate
    one, day = run.measurement, model.caps(run).as_of.isoformat()
    predicted = partial(rate_evidence, source=f"model, limits of {day}")
    assert estimate.gbps is not None
    rtt = worst.query.rtt_ms
    return (
        # The worst kind of run stands first in its finding.
        Evidence(name="shortfall", value=1 - worst.ratio, unit="ratio", source=one.source),
        rate_evidence("measured", one.gbps, one.source),
        predicted("predicted", estimate.gbps),
        predicted("predicted_low", estimate.low_gbps or estimate.gbps),
        predicted("predicted_high", estimate.high_gbps or estimate.gbps),
        Evidence(name="sender", value=run.src.name),
        Evidence(name="receiver", value=run.dst.name),
        Evidence(name="path_class", value=worst.query.path_class.value),
        Evidence(name="streams", value=one.streams or 0, unit="streams", source=one.source),
        Evidence(name="runs", value=run_count, unit="runs", source=one.source),
        *(
            Evidence(name=name, value=value, unit=unit, source=source)
            for name, value, unit, source in (
                ("round_trip", rtt, "ms", model.round_trip(run).source),
                ("duration", one.duration_s, "s", one.source),
                ("omitted", one.omit_s, "s", one.source),
            )
            if value is not None
        ),
        *(
            Evidence(name=f"suspect_{number}", value=f"{suspect.name}: {suspect.evidence}")
            for number, suspect in enumerate(suspects, 1)
        ),
    )


def _doubts(facts: Facts, worst: _Judged, run_count: int) -> Doubts:
    """Return what speaks against the finding; what the prediction has in it does not."""
    doubts = Doubts()
    for reason in worst.reasons:
        if reason.is_of_tool:
            doubts.add(f"the tool itself was a limit ({reason.name})")
    if run_count < facts.threshold("probe-not-comparable", "min_runs"):
        doubts.add(f"it rests on {run_count} {'run' if run_count == 1 else 'runs'}")
    if worst.run.measurement.duration_s is None:
        doubts.add("the length of the run is not recorded")
    if worst.run.started is None:
        doubts.add("the time of the run is not recorded")
    if not worst.run.is_by_address:
        doubts.add("the address that was used is not recorded")
    for assumed in worst.estimate.assumed:
        doubts.add(assumed)
    return doubts


def _fix(facts: Facts, model: RunModel, run: Run, suspects: Sequence[Suspect]) -> Fix:
    wanted = int(facts.threshold(RULE.id, "suspects"))
    listed = [f"{number}. {one.advice}." for number, one in enumerate(suspects[:wanted], 1)]
    text = rerun_command(facts, model, run)
    first = "Then measure" if listed else "Measure"
    again = f"{first} again: `iperf3 -s` on {run.dst.name}, the client on {run.src.name}."
    return Fix(
        text=" ".join((*listed, again)),
        commands=(text,) if text else (),
        documents=RULE.references,
        caution="A run uses all of the path while it lasts.",
    )


def _how(run: Run) -> str:
    streams = run.measurement.streams or 0
    both = " both ways" if run.measurement.is_bidirectional else ""
    return f"{streams} {'stream' if streams == 1 else 'streams'}{both}"


def _where(run: Run) -> str:
    if run.src.zone == run.dst.zone:
        return run.src.zone
    return f"{run.src.zone} → {run.dst.zone}"
