"""Plans of probes and what was measured of them as data: one JSON document, and two tables."""

from collections.abc import Iterator
from typing import Any

from netplan_planner.model.probe_plan import (
    LeftOutProbe,
    PlannedProbe,
    Probe,
    ProbeCost,
    ProbeFlow,
    ProbePlan,
    half_width_of,
)
from netplan_planner.model.probe_results import FlowResult, ProbeResults
from netplan_planner.renderers.content import Cell, DataTable

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


def plan_record(plan: ProbePlan, results: ProbeResults | None = None) -> dict[str, Any]:
    """Return a plan, what the store has of it, and what was measured; None where nothing was."""
    stored = plan.stored
    return {
        "id": plan.id,
        "title": plan.title,
        "limits_as_of": plan.limits_as_of,
        "prices_as_of": plan.prices_as_of,
        "price_age": plan.price_age,
        "tolerance_ratio": plan.tolerance_ratio,
        "expected": _cost(plan.expected),
        "most": _cost(plan.most),
        "mean_half_width_ratio": half_width_of(plan.mean_log_width),
        "expected_half_width_ratio": half_width_of(plan.expected_log_width),
        "probes": [_planned(one) for one in plan.probes],
        "left_out": [_left_out(one) for one in plan.left_out],
        "impacts": [_impact(plan, at) for at in range(len(plan.impacts))],
        "notes": plan.notes,
        "store": stored and {"path": stored.path, "run_count": stored.run_count},
        "results": results and _results(results),
    }


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
    fields = {**_which(probe), "address": probe.path.address, "rtt_ms": probe.path.there.rtt_ms}
    for prefix, cost in (("", probe.expected), ("most_", probe.most)):
        # A volume is rounded as other figures are; money stays exact.
        known = {**{name: getattr(cost, name) for name in _COST}, "gib": float(cost.gib)}
        fields |= {f"{prefix}{name}": value for name, value in known.items()}
    fields |= more
    return tuple(fields.get(name) for name in _PLAN_COLUMNS)


def _result_row(one: FlowResult) -> tuple[Cell, ...]:
    runs = {"run_count": len(one.gbps), "least_gbps": min(one.gbps), "most_gbps": max(one.gbps)}
    fields = {**_measured(one), **runs}
    return tuple(fields[name] for name in _RESULT_COLUMNS)


def _planned(one: PlannedProbe) -> dict[str, Any]:
    probe = one.probe
    there = probe.path.there
    return {
        **_which(probe),
        "address": probe.path.address,
        "rtt_ms": there.rtt_ms,
        "rtt_basis": probe.path.rtt_basis,
        "omit_s": there.omit_s,
        "duration_s": there.duration_s,
        "because": [
            {
                "rule": stake.rule,
                "saving_usd_per_month": stake.usd_per_month,
                "gain_gbps": stake.gain_gbps,
            }
            for stake in probe.path.stakes
        ],
        "predictions": [_flow(flow) for flow in probe.flows],
        "information": one.gain,
        "information_per_usd": one.gain_per_usd,
        "tells": [
            {
                "limit": told.limit,
                "probability": told.probability,
                "other_paths": told.other_path_count,
            }
            for told in one.tells
        ],
        "expected": _cost(probe.expected),
        "most": _cost(probe.most),
        "unpriced": probe.unpriced or None,
    }


def _which(probe: Probe) -> dict[str, Any]:
    path = probe.path
    return {
        "src": path.client.name,
        "dst": path.server.name,
        "src_self_link": path.client.ref.self_link,
        "dst_self_link": path.server.ref.self_link,
        "path_class": path.path_class.value,
        "streams": probe.streams,
    }


def _flow(flow: ProbeFlow) -> dict[str, Any]:
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


def _cost(cost: ProbeCost) -> dict[str, Any]:
    return {
        "runs": cost.runs,
        "seconds": cost.seconds,
        "gib": cost.gib,
        "usd": cost.usd,
        "line_items": [
            {
                "name": line.name,
                "gib": line.gib,
                "usd_per_gib": line.usd_per_gib,
                "usd": line.usd,
                "sku_id": line.sku_id,
                "as_of": line.as_of,
                "source": line.source,
            }
            for line in cost.lines
        ],
        "vm_seconds": cost.vm_seconds,
        "vm_usd_billed": 0.0,
        "vm_usd_in_ranking": cost.vm_usd,
    }


def _left_out(one: LeftOutProbe) -> dict[str, Any]:
    return {**_which(one.probe), "kind": one.kind.value, "reason": one.reason}


def _impact(plan: ProbePlan, at: int) -> dict[str, Any]:
    one = plan.impacts[at]
    return {
        "name": one.name,
        "self_link": one.link,
        "cap_gbps": one.cap_gbps,
        "sends_gbps": one.sends_gbps,
        "cap_ratio": one.cap_ratio,
        "receives_gbps": one.receives_gbps,
        "busy_s": one.busy_s,
        "most_busy_s": one.most_busy_s,
        "seen_p95_gbps": one.seen_p95_gbps,
        "seen_max_gbps": one.seen_max_gbps,
        "is_crowded": one.is_crowded,
        "has_flow_logs": plan.has_traffic,
    }


def _results(results: ProbeResults) -> dict[str, Any]:
    return {
        "measured_count": results.measured_count,
        "resumed_count": results.resumed_count,
        "is_complete": results.is_complete,
        "measured": [_measured(one) for one in results.flows],
        "left_out": [*(one.reason for one in results.missed), *results.not_begun],
    }


def _measured(one: FlowResult) -> dict[str, Any]:
    return {
        **_which(one.probe),
        **_flow(one.flow),
        "measured_gbps": one.median_gbps,
        "runs_gbps": one.gbps,
        "is_inside": one.is_inside,
        "is_capped": one.is_capped,
    }
