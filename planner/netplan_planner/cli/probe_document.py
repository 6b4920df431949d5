"""The JSON of `netplan probe`: the plan, and what was measured."""

import json
from decimal import Decimal
from typing import Any

from netplan_planner.cli.probe_answers import Shown
from netplan_planner.engine.probe import total_of
from netplan_planner.engine.probe_runs import FlowResult, ProbeResults
from netplan_planner.inert import escaped_json
from netplan_planner.measuring.outcome import RunMeasured
from netplan_planner.model.probe_plan import (
    LeftOutProbe,
    PlannedProbe,
    Probe,
    ProbeCost,
    ProbeFlow,
    ProbeImpact,
    ProbePlan,
    half_width_of,
)
from netplan_planner.renderers.figures import rounded

SCHEMA = "netplan.probe-plan/1"
_DIGITS = 6


def written(shown: Shown, results: ProbeResults | None = None) -> str:
    """Return the document, ending with a line end; `results` is null where nothing was run."""
    plan = shown.plan
    document = {
        "schema": SCHEMA,
        "id": plan.id,
        "title": plan.title,
        "limits_as_of": plan.limits_as_of.isoformat(),
        "prices_as_of": plan.prices_as_of.isoformat(),
        "price_age": plan.price_age,
        "tolerance_ratio": plan.tolerance_ratio,
        "expected": _cost(total_of(plan)),
        "most": _cost(total_of(plan, is_most=True)),
        "mean_half_width_ratio": half_width_of(plan.mean_log_width),
        "expected_half_width_ratio": half_width_of(plan.expected_log_width),
        "probes": [_planned(one) for one in plan.probes],
        "left_out": [_left_out(one) for one in plan.left_out],
        "impacts": [_impact(one, plan) for one in plan.impacts],
        "notes": list(plan.notes),
        "store": {"path": str(shown.stored.path), "run_count": shown.stored.run_count},
        "results": None if results is None else _results(results),
    }
    return escaped_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


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
                "saving_usd_per_month": _usd(stake.usd_per_month),
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
        "gib": rounded(cost.gib, _DIGITS),
        "usd": _usd(cost.usd),
        "line_items": [
            {
                "name": line.name,
                "gib": rounded(line.gib, _DIGITS),
                "usd_per_gib": rounded(line.usd_per_gib, 9),
                "usd": _usd(line.usd),
                "sku_id": line.sku_id,
                "as_of": line.as_of.isoformat(),
                "source": line.source,
            }
            for line in cost.lines
        ],
        "vm_seconds": cost.vm_seconds,
        "vm_usd_billed": 0.0,
        "vm_usd_in_ranking": _usd(cost.vm_usd),
    }


def _left_out(one: LeftOutProbe) -> dict[str, Any]:
    return {**_which(one.probe), "kind": one.kind.value, "reason": one.reason}


def _impact(one: ProbeImpact, plan: ProbePlan) -> dict[str, Any]:
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
        "left_out": [
            event.reason
            for outcome in results.outcomes
            for event in outcome.events
            if not isinstance(event, RunMeasured)
        ]
        + list(results.not_begun),
    }


def _measured(one: FlowResult) -> dict[str, Any]:
    return {
        **_which(one.probe),
        **_flow(one.flow),
        "measured_gbps": one.median_gbps,
        "runs_gbps": list(one.gbps),
        "is_inside": one.is_inside,
        "is_capped": one.is_capped,
    }


def _usd(amount: Decimal | None) -> float | None:
    return None if amount is None else rounded(amount, _DIGITS)
