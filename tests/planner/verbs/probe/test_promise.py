"""What a plan of probes promises: what a calibration by its runs has, and no more."""

import msgspec
import numpy as np

from netplan_planner.model import CapsBook, Facts, ProbedClass
from netplan_planner.throughput.calibration.factors.calibrated_caps import CalibratedCaps
from netplan_planner.throughput.calibration.factors.shared_factors import site_key
from netplan_planner.verbs.probe.answer import Probe, log_width_of
from netplan_planner.verbs.probe.forecast import forecast, query_of
from netplan_planner.verbs.probe.paths import PathMaker
from netplan_planner.verbs.probe.promise import promised_log_widths
from support.calibrations.made import learnt
from support.probes.plans import RULES
from support.rules.facts import facts_of, machine

ZONES = ("europe-west1-b", "europe-west4-a", "us-east1-b", "us-west1-a")


def far_probes() -> tuple[list[Probe], Facts]:
    """Return probes of 16 streams to machines in other regions, where runs scatter much."""
    machines = [machine("a"), *(machine(f"m{at}", zone=zone) for at, zone in enumerate(ZONES))]
    facts = facts_of(*machines)
    pairs = tuple(("a", f"m{at}") for at in range(len(ZONES)))
    found = PathMaker(facts).named(pairs, is_external=False).paths
    return [forecast(path, 16, facts, RULES) for path in found], facts


def widths(probes: list[Probe], planned: list[Probe], caps: CapsBook) -> list[float]:
    return [one for some in promised_log_widths(probes, planned, caps, RULES) for one in some]


def test_without_probes_intervals_stay() -> None:
    probes, facts = far_probes()
    now = [flow.log_width for probe in probes for flow in probe.flows]
    assert widths(probes, [], facts.caps) == now


def test_more_probes_promise_more() -> None:
    probes, facts = far_probes()
    now = [flow.log_width for probe in probes for flow in probe.flows]
    few, all_of_them = (widths(probes, some, facts.caps) for some in (probes[:1], probes))
    assert (np.array(all_of_them) <= np.array(now)).all()
    assert np.mean(all_of_them) < np.mean(few) < np.mean(now)


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
    assert max(narrow) < 0.8 * min(wide)
    assert min(wide) > log_width_of(RULES.tolerance_ratio)
