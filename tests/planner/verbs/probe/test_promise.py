"""What a plan of probes promises: what a calibration by its runs has, and no more."""

import msgspec
import numpy as np

from netplan_planner.model import CapsBook, Facts, ProbedClass
from netplan_planner.throughput.calibration.factors.calibrated_caps import (
    CalibratedCaps,
    corrector_of,
)
from netplan_planner.throughput.calibration.factors.shared_factors import site_key
from netplan_planner.throughput.calibration.learning.expected_runs import expected_gbps
from netplan_planner.throughput.limits.path_limits import static_limits
from netplan_planner.throughput.single_row import single_row, stacked
from netplan_planner.verbs.probe.answer import Probe, log_width_of
from netplan_planner.verbs.probe.forecast import forecast, query_of
from netplan_planner.verbs.probe.paths import PathMaker
from netplan_planner.verbs.probe.promise import promised
from support.calibrations.made import learnt
from support.probes.plans import RULES
from support.rules.facts import facts_of, machine

ALL_DRAWS = True
ZONES = ("europe-west1-b", "europe-west4-a", "us-east1-b", "us-west1-a")


def far_probes() -> tuple[list[Probe], Facts]:
    """Return probes of 16 streams to machines in other regions, where runs scatter much."""
    machines = [machine("a"), *(machine(f"m{at}", zone=zone) for at, zone in enumerate(ZONES))]
    facts = facts_of(*machines)
    pairs = tuple(("a", f"m{at}") for at in range(len(ZONES)))
    found = PathMaker(facts).named(pairs, is_external=False).paths
    return [forecast(path, 16, facts, RULES) for path in found], facts


def widths(probes: list[Probe], planned: list[Probe], caps: CapsBook) -> list[float]:
    return [one for some in promised(probes, planned, caps, RULES).by_probe for one in some]


def test_without_probes_intervals_stay() -> None:
    probes, facts = far_probes()
    now = [flow.log_width for probe in probes for flow in probe.flows]
    assert widths(probes, [], facts.caps) == now


def test_more_probes_promise_more() -> None:
    probes, facts = far_probes()
    few, all_of_them = (widths(probes, some, facts.caps) for some in (probes[:1], probes))
    assert np.mean(all_of_them) < np.mean(few)


def test_the_same_plan_promises_the_same_and_its_worst_is_no_better_than_its_mean() -> None:
    probes, facts = far_probes()
    one, other = (promised(probes, probes[:2], facts.caps, RULES) for _ in range(2))
    assert one == other
    assert sum(map(sum, one.by_probe)) < one.most < 2 * sum(map(sum, one.by_probe))


def test_under_a_calibration_nothing_is_promised_to_become_wider() -> None:
    probes, facts = far_probes()
    now = [flow.log_width for probe in probes for flow in probe.flows]
    assert (np.array(widths(probes, probes[:1], CalibratedCaps(facts.caps, learnt()))) <= now).all()


def test_expected_runs_lie_where_the_model_and_its_factors_put_them() -> None:
    """The median of many draws is the value, and no run passes a documented cap by 2 %."""
    probes, facts = far_probes()
    queries = [query_of(probe, flow) for probe in probes for flow in probe.flows]
    drawn = np.array(
        [
            *expected_gbps(
                queries,
                [static_limits(query, facts.caps, may_assume=True) for query in queries],
                stacked([single_row(query)[0] for query in queries]),
                corrector_of(facts.caps),
                run_count=3,
                draw_count=200,
            )
        ]
    )
    values = np.array([flow.estimate.gbps for probe in probes for flow in probe.flows])
    caps = [max(one.gbps for one in flow.estimate.limits) for p in probes for flow in p.flows]
    assert (drawn <= 1.03 * np.array(caps)).all()
    assert (np.abs(np.median(drawn, axis=0) / values - 1) < 0.25).all()
    assert (np.std(np.log(drawn), axis=0) > 0.05).all()


def test_where_a_class_was_seen_to_scatter_more_no_plan_promises_the_tolerance() -> None:
    probes, facts = far_probes()
    key = site_key(query_of(probes[0], probes[0].flows[0]))
    calm, wild = (
        msgspec.structs.replace(
            learnt(),
            classes=(ProbedClass(key=key, probe_count=5.0, scatter_ratio=ratio),),
        )
        for ratio in (0.5, 2.0)
    )
    narrow, wide = (widths(probes, probes, CalibratedCaps(facts.caps, one)) for one in (calm, wild))
    assert all(one < 0.8 * other for one, other in zip(narrow, wide, strict=True))
    assert min(wide) > log_width_of(RULES.tolerance_ratio)
