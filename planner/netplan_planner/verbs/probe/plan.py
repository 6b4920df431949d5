"""Plans probes: which paths, with how many streams, in which order, at what cost."""

import hashlib
from pathlib import Path

import msgspec

from netplan_planner.errors import UsageError
from netplan_planner.judging.suppressions import read_suppressions
from netplan_planner.measuring.campaign import CONFIGURATIONS, StopRule
from netplan_planner.measuring.progress import wire_ratio
from netplan_planner.measuring.store import read_store
from netplan_planner.model import Facts, Value, taken
from netplan_planner.model.money.price_age import price_age
from netplan_planner.throughput import stated_on
from netplan_planner.units import counted
from netplan_planner.verbs.probe.answer import PlannedProbe, ProbePlan, ProbeWay, StoredRuns
from netplan_planner.verbs.probe.choice import ProbeCaps, choose_probes, impacts_of
from netplan_planner.verbs.probe.forecast import ProbeRules, forecast
from netplan_planner.verbs.probe.paths import FoundPaths, PathMaker
from netplan_planner.world.demos import load_demo
from netplan_planner.world.not_read import what_is_incomplete
from netplan_planner.world.reading import Say, read_facts
from netplan_planner.world.request import InputRequest

__all__ = ["ProbeCaps", "ProbeQuestion", "StopRule", "plan_for", "plan_probe", "probe_rules"]

RUN_OVERHEAD_S = 2.0
"""Of a run beside its sending: the server's start, the tool's own handshake."""
_ID_LENGTH = 12
_MAX_PATHS = 50


class ProbeQuestion(Value, frozen=True, kw_only=True):
    """What is to be measured, and within which limits."""

    pairs: tuple[tuple[str, str], ...] = ()
    """Names of machines; empty: the paths that findings rest on."""
    is_external: bool = False
    """Whether named pairs use the server's external address."""
    streams: tuple[int, ...] = ()
    """Only these numbers of streams; empty: all of the protocol."""
    max_paths: int = _MAX_PATHS
    """Of findings."""
    caps: ProbeCaps = ProbeCaps()
    bitrate_gbps: float | None = None
    stop: StopRule = StopRule()
    seed: int = 0
    """Of the order of runs; another one is another campaign."""
    time_scale: float = 1.0
    """Of the duration of runs; below 1 they carry their slow start, which is for trying out."""
    store: Path | None = None
    """Where measurements are kept; None looks at none."""


def plan_probe(
    question: ProbeQuestion, request: InputRequest, say: Say = lambda _: None
) -> ProbePlan:
    """Return the plan for a question; nothing is run, and no machine is looked at.

    Raises:
        UsageError: If a name is not that of one machine, or no such streams are in the protocol.
        InputError: If an input or the store cannot be read.
    """
    demo = load_demo(request.demo) if request.demo is not None else None
    facts = read_facts(request, demo, say)
    title = demo.title if demo is not None else ", ".join(_projects(facts)) or "no project"
    plan = plan_for(question, facts, title=title, found=_found(question, request, facts, say))
    return msgspec.structs.replace(
        plan,
        price_age=price_age(facts.prices.info, request.today, folder=request.prices),
        incomplete=what_is_incomplete(facts, ()),
        stored=None if question.store is None else stored_runs(plan, question.store),
    )


def stored_runs(plan: ProbePlan, store: Path) -> StoredRuns:
    """Return what a store has of a plan.

    Raises:
        InputError: If it cannot be read.
    """
    held = read_store(store)
    runs = {one.place for one in held.measurements if one.source.partition("/")[0] == plan.id}
    return StoredRuns(path=str(store), run_count=len(runs), faults=held.faults)


def plan_for(question: ProbeQuestion, facts: Facts, *, title: str, found: FoundPaths) -> ProbePlan:
    """Return the plan for paths of some facts.

    Args:
        question: Limits, streams and the stop rule; its pairs are not looked at.
        facts: Caps, prices and traffic.
        title: What the plan is of.
        found: The paths.

    Raises:
        UsageError: If the protocol has no such number of streams.
    """
    rules = probe_rules(question)
    probes = [
        forecast(path, streams, facts, rules) for path in found.paths for streams, _ in rules.ways
    ]
    chosen = choose_probes(probes, rules=rules, caps=question.caps, known=facts.caps)
    return taken(
        ProbePlan,
        chosen,
        id=_plan_id(question, chosen.probes),
        title=title,
        limits_as_of=stated_on(facts.caps.as_of),
        prices_as_of=facts.prices.info.network_as_of,
        prices_sha256=facts.prices.info.sha256,
        tolerance_ratio=rules.tolerance_ratio,
        impacts=impacts_of(chosen.probes, facts, rules),
        has_traffic=facts.traffic is not None,
        notes=found.notes,
    )


def probe_rules(question: ProbeQuestion) -> ProbeRules:
    """Return how probes are run, from the protocol and the question.

    Raises:
        UsageError: If the protocol has no such number of streams.
    """
    ways: dict[int, tuple[ProbeWay, ...]] = {}
    for one in CONFIGURATIONS:
        ways[one.streams] = (*ways.get(one.streams, ()), ProbeWay(one.direction.value))
    for streams in question.streams:
        if streams not in ways:
            known = " or ".join(map(str, ways))
            raise UsageError(f"--streams {streams}: probes run {known} streams")
    return ProbeRules(
        ways=tuple((n, each) for n, each in ways.items() if n in (question.streams or ways)),
        min_runs=question.stop.min_runs,
        max_runs=question.stop.max_runs,
        tolerance_ratio=question.stop.tolerance_ratio,
        bitrate_gbps=question.bitrate_gbps,
        wire_ratio=wire_ratio(None),
        overhead_s=RUN_OVERHEAD_S,
    )


def _found(question: ProbeQuestion, request: InputRequest, facts: Facts, say: Say) -> FoundPaths:
    maker = PathMaker(facts, time_scale=question.time_scale)
    if question.pairs:
        return maker.named(question.pairs, is_external=question.is_external)
    say(f"checking {counted(len(facts.inventory.instances), 'VM')}")
    found = maker.of_findings(
        read_suppressions(request.ignore_file, facts), max_count=question.max_paths
    )
    if facts.traffic is None:
        note = "no finding shows which VMs exchange traffic: give --traffic, or --pair"
        return FoundPaths(found.paths, (*found.notes, note))
    return found


def _projects(facts: Facts) -> list[str]:
    return sorted({one.project for one in facts.inventory.instances})


def _plan_id(question: ProbeQuestion, probes: tuple[PlannedProbe, ...]) -> str:
    """Return a name of what is measured, the same whenever and from wherever it is planned."""
    what = [(one.probe.path.name, one.probe.path.address, one.probe.streams) for one in probes]
    stop = msgspec.structs.astuple(question.stop)
    told = msgspec.json.encode(
        [sorted(what), stop, question.bitrate_gbps, question.seed, question.time_scale]
    )
    return f"probe-{hashlib.sha256(told).hexdigest()[:_ID_LENGTH]}"
