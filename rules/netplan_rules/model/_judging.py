"""Runs beside their predictions, kind by kind."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from netplan_planner.model import Estimate, Facts, Gap, PathClass, PathQuery, SelfLink, Value
from netplan_rules.shared.comparable import Reason, reasons_of
from netplan_rules.shared.measured import Run
from netplan_rules.shared.predicted import RunModel

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
        why = f"no prediction stands beside a measurement: {barring} (see probe-not-comparable)"
        return Gap(resource=run.src.ref, reason=why)
    query = model.query(run)
    estimate = model.estimate(run, query)
    if estimate.gbps is None:
        why = "; ".join(estimate.unknown) or "a limit is missing"
        return Gap(resource=run.src.ref, reason=f"the path has no prediction: {why}")
    ratio = run.measurement.gbps / estimate.gbps
    return Judged(run=run, query=query, estimate=estimate, ratio=ratio, reasons=reasons)
