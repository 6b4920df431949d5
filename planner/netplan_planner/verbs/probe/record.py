"""Plans of probes and what was measured of them as data: one JSON document, and two tables."""

from collections.abc import Iterator
from datetime import date
from typing import Any, Literal, TypedDict

from netplan_planner.model import taken
from netplan_planner.model.plans.plan_answer import ProjectAnswer
from netplan_planner.renderers.content import Cell, DataTable
from netplan_planner.verbs.probe.answer import (
    LeftOutProbe,
    MachineLoad,
    PlannedProbe,
    Probe,
    ProbeCost,
    ProbeFlow,
    ProbeImpact,
    ProbePlan,
    ProbeStake,
    ToldLimit,
    half_width_of,
)
from netplan_planner.verbs.probe.results import FlowResult, ProbeResults

SCHEMA = "netplan.probe-plan/1"
_COST = ("runs", "seconds", "gib", "usd")
_PLAN_COLUMNS = (
    *("src", "dst", "src_self_link", "dst_self_link", "path_class", "streams", "address"),
    *("rtt_ms", "rank", "information", "information_per_usd"),
    *_COST,
    *(f"most_{name}" for name in _COST),
    *("left_out", "reason"),
)
_RESULT_COLUMNS = (
    *("src", "dst", "src_self_link", "dst_self_link", "path_class", "streams", "way", "sender"),
    *("predicted_gbps", "low_gbps", "high_gbps", "binding_limit", "probability", "reason"),
    *("measured_gbps", "run_count", "least_gbps", "most_gbps", "is_inside", "is_capped"),
)


class FlowRecord(TypedDict):
    """What is predicted of one direction of one kind of run."""

    way: str
    sender: Literal["src", "dst"]
    predicted_gbps: float | None
    low_gbps: float | None
    high_gbps: float | None
    binding_limit: str | None
    probability: float | None
    reason: str | None
    """Why nothing is predicted."""


class WhichRecord(TypedDict):
    """The ends and streams of a probe."""

    src: str
    dst: str
    src_self_link: str
    dst_self_link: str
    path_class: str
    streams: int


class PlannedRecord(WhichRecord):
    """A probe of the plan."""

    address: str | None
    rtt_ms: float | None
    rtt_basis: str
    omit_s: float
    duration_s: float | None
    because: tuple[ProbeStake, ...]
    predictions: tuple[FlowRecord, ...]
    information: float
    information_per_usd: float | None
    tells: tuple[ToldLimit, ...]
    expected: ProbeCost
    most: ProbeCost
    unpriced: str | None


class LeftOutRecord(WhichRecord):
    """A probe that is not in the plan, and why."""

    kind: str
    reason: str


class ImpactRecord(MachineLoad, frozen=True, kw_only=True):
    """What the probes do to a machine."""

    self_link: str
    cap_ratio: float | None
    is_crowded: bool
    has_flow_logs: bool


class MeasuredRecord(WhichRecord, FlowRecord):
    """What was measured of one direction of one kind of run."""

    measured_gbps: float
    """The median."""
    runs_gbps: tuple[float, ...]
    is_inside: bool | None
    is_capped: bool


class ResultsRecord(TypedDict):
    """What became of the plan."""

    measured_count: int
    resumed_count: int
    is_complete: bool
    measured: tuple[MeasuredRecord, ...]
    left_out: tuple[str, ...]


class StoreRecord(TypedDict):
    """What the store held of the plan before."""

    path: str
    run_count: int


class Record(ProjectAnswer, frozen=True, kw_only=True):
    """A plan of probes, what the store has of it, and what was measured."""

    id: str
    limits_as_of: date
    tolerance_ratio: float
    expected: ProbeCost
    most: ProbeCost
    mean_half_width_ratio: float
    expected_half_width_ratio: float
    most_half_width_ratio: float
    probes: tuple[PlannedRecord, ...]
    left_out: tuple[LeftOutRecord, ...]
    impacts: tuple[ImpactRecord, ...]
    notes: tuple[str, ...]
    store: StoreRecord | None
    results: ResultsRecord | None
    """null: nothing was run."""


def plan_record(plan: ProbePlan, results: ProbeResults | None = None) -> Record:
    """Return a plan, what the store has of it, and what was measured; None where nothing was."""
    stored = plan.stored
    return taken(
        Record,
        plan,
        mean_half_width_ratio=half_width_of(plan.mean_log_width),
        expected_half_width_ratio=half_width_of(plan.expected_log_width),
        most_half_width_ratio=half_width_of(plan.most_log_width),
        probes=tuple(map(_planned, plan.probes)),
        left_out=tuple(map(_left_out, plan.left_out)),
        impacts=tuple(_impact(plan, one) for one in plan.impacts),
        store={"path": stored.path, "run_count": stored.run_count} if stored else None,
        results=_results(results) if results else None,
    )


def plan_table(plan: ProbePlan) -> DataTable:
    """Return a row for each probe; those without a rank are left out, and say why."""
    return DataTable(_PLAN_COLUMNS, _probe_rows(plan))


def results_table(results: ProbeResults) -> DataTable:
    """Return a row for each direction of each kind of run that was measured."""
    return DataTable(_RESULT_COLUMNS, map(_result_row, results.flows))


def _probe_rows(plan: ProbePlan) -> Iterator[tuple[Cell, ...]]:
    for rank, one in enumerate(plan.probes, 1):
        more = {"rank": rank, "information": one.gain, "information_per_usd": one.gain_per_usd}
        yield _probe_row(one.probe, {**more, "reason": one.probe.unpriced})
    for left in plan.left_out:
        yield _probe_row(left.probe, {"left_out": left.kind.value, "reason": left.reason})


def _probe_row(probe: Probe, more: dict[str, Cell]) -> tuple[Cell, ...]:
    fields: dict[str, Any] = {
        **_which(probe),
        "address": probe.path.address,
        "rtt_ms": probe.path.there.rtt_ms,
    }
    for prefix, cost in (("", probe.expected), ("most_", probe.most)):
        # A volume is rounded as other figures are; money stays exact.
        known = {**{name: getattr(cost, name) for name in _COST}, "gib": float(cost.gib)}
        fields |= {f"{prefix}{name}": value for name, value in known.items()}
    fields |= more
    return tuple(fields.get(name) for name in _PLAN_COLUMNS)


def _result_row(one: FlowResult) -> tuple[Cell, ...]:
    runs = {"run_count": len(one.gbps), "least_gbps": min(one.gbps), "most_gbps": max(one.gbps)}
    fields: dict[str, Any] = {**_measured(one), **runs}
    return tuple(fields[name] for name in _RESULT_COLUMNS)


def _planned(one: PlannedProbe) -> PlannedRecord:
    probe = one.probe
    there = probe.path.there
    return {
        **_which(probe),
        "address": probe.path.address,
        "rtt_ms": there.rtt_ms,
        "rtt_basis": probe.path.rtt_basis,
        "omit_s": there.omit_s,
        "duration_s": there.duration_s,
        "because": probe.path.stakes,
        "predictions": tuple(map(_flow, probe.flows)),
        "information": one.gain,
        "information_per_usd": one.gain_per_usd,
        "tells": one.tells,
        "expected": probe.expected,
        "most": probe.most,
        "unpriced": probe.unpriced or None,
    }


def _which(probe: Probe) -> WhichRecord:
    path = probe.path
    return {
        "src": path.client.name,
        "dst": path.server.name,
        "src_self_link": path.client.ref.self_link,
        "dst_self_link": path.server.ref.self_link,
        "path_class": path.path_class.value,
        "streams": probe.streams,
    }


def _flow(flow: ProbeFlow) -> FlowRecord:
    found = flow.estimate
    is_known = found.gbps is not None and bool(found.limits)
    return {
        "way": flow.way.value,
        "sender": "dst" if flow.is_back else "src",
        "predicted_gbps": found.gbps,
        "low_gbps": found.low_gbps,
        "high_gbps": found.high_gbps,
        "binding_limit": found.limits[0].name if is_known else None,
        "probability": found.probabilities[0] if is_known and found.probabilities else None,
        "reason": "; ".join(found.unknown) or None,
    }


def _left_out(one: LeftOutProbe) -> LeftOutRecord:
    return {**_which(one.probe), "kind": one.kind.value, "reason": one.reason}


def _impact(plan: ProbePlan, one: ProbeImpact) -> ImpactRecord:
    return taken(ImpactRecord, one, self_link=one.link, has_flow_logs=plan.has_traffic)


def _results(results: ProbeResults) -> ResultsRecord:
    return {
        "measured_count": results.measured_count,
        "resumed_count": results.resumed_count,
        "is_complete": results.is_complete,
        "measured": tuple(map(_measured, results.flows)),
        "left_out": (*(one.reason for one in results.missed), *results.not_begun),
    }


def _measured(one: FlowResult) -> MeasuredRecord:
    return {
        **_which(one.probe),
        **_flow(one.flow),
        "measured_gbps": one.median_gbps,
        "runs_gbps": one.gbps,
        "is_inside": one.is_inside,
        "is_capped": one.is_capped,
    }
