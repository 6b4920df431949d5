"""Carries a plan out, and sets what was measured beside what was predicted."""

import shlex
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import msgspec

from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert
from netplan_planner.measuring import progress as measuring
from netplan_planner.measuring.campaign import (
    CONFIGURATIONS,
    Campaign,
    ProbeEnd,
    ProbeLimits,
    ProbePair,
)
from netplan_planner.measuring.progress import Progress
from netplan_planner.measuring.runner import run_campaign
from netplan_planner.measuring.store import read_store
from netplan_planner.measuring.transports import (
    GcloudTransport,
    LocalTransport,
    SshTransport,
    Transport,
)
from netplan_planner.model import Instance, MeasuredEnd, Measurement, Value, taken
from netplan_planner.throughput.limits.ends import image_of
from netplan_planner.units import BYTES_PER_GIB
from netplan_planner.verbs.probe.answer import Probe, ProbePlan
from netplan_planner.verbs.probe.plan import ProbeQuestion
from netplan_planner.verbs.probe.results import (
    FlowResult,
    MeasuredRun,
    MissedRuns,
    ProbeEvent,
    ProbeResults,
)

_PORTS = (5201, 5232)
Tell = Callable[[ProbeEvent], None]


class Access(Value, frozen=True, kw_only=True):
    """How the machines of a plan are reached."""

    kind: str = "gcloud"
    """`local`, `ssh` or `gcloud`."""
    ends: tuple[tuple[str, str], ...] = ()
    """Machine and, with `local`, the words before a command there; with `ssh`, its host."""
    client: str | None = None
    """With `local`, the words before a command of the client of the only path."""
    server: str | None = None
    is_through_iap: bool = True
    ssh_options: tuple[str, ...] = ()
    iperf3: str = "iperf3"
    ports: tuple[int, int] = _PORTS


def campaigns_of(plan: ProbePlan, question: ProbeQuestion, access: Access) -> tuple[Campaign, ...]:
    """Return the campaigns of a plan: one for all paths with the same numbers of streams.

    Raises:
        UsageError: If it is not said how a machine is reached, or a name cannot be one.
    """
    _require_fitting(plan, access)
    streams: dict[str, list[int]] = defaultdict(list)
    probes: dict[str, list[Probe]] = defaultdict(list)
    for one in plan.probes:
        streams[one.probe.path.name].append(one.probe.streams)
        probes[one.probe.path.name].append(one.probe)
    alike: dict[tuple[int, ...], list[ProbePair]] = defaultdict(list)
    for name, counts in streams.items():
        alike[tuple(sorted(counts))].append(_pair(probes[name], access))
    return tuple(
        Campaign(
            id=f"{plan.id}/{'+'.join(map(str, counts))}",
            seed=question.seed,
            pairs=tuple(pairs),
            configurations=tuple(one for one in CONFIGURATIONS if one.streams in counts),
            stop=question.stop,
            limits=_limits(plan, question),
            time_scale=question.time_scale,
        )
        for counts, pairs in alike.items()
    )


def require_some(results: ProbeResults) -> None:
    """Check that not all was in vain.

    Raises:
        InputError: If not a single run of the plan was measured.
    """
    if not results.flows:
        reasons = [*(one.reason for one in results.missed), *results.not_begun]
        raise InputError(f"nothing was measured: {'; '.join(dict.fromkeys(reasons))}")


def run_plan(
    plan: ProbePlan,
    campaigns: tuple[Campaign, ...],
    *,
    store: Path,
    tell: Tell = lambda _: None,
) -> ProbeResults:
    """Return what was measured, after running what the store does not have of the plan yet.

    Args:
        plan: The probes.
        campaigns: Of `campaigns_of`; each keeps to what those before it left of the limits.
        store: The file of measurements, which is only ever added to.
        tell: Hears of every run as it ends.

    Raises:
        InputError: If the store cannot be read or written.
    """
    before = read_store(store).measurements
    moved = {one.id: Progress(one, before).sent_bytes for one in campaigns}
    outcomes: list[measuring.Outcome] = []
    not_begun: list[str] = []
    for campaign in campaigns:
        others = sum(count for name, count in moved.items() if name != campaign.id)
        elapsed_s = sum(one.elapsed_s for one in outcomes)
        left = _left(campaign.limits, others, elapsed_s)
        if isinstance(left, str):
            count = len(campaign.pairs)
            not_begun.append(f"{count} path{'s' * (count > 1)} not started: {left}")
            continue
        outcome = run_campaign(
            msgspec.structs.replace(campaign, limits=left),
            store=store,
            tell=lambda event: tell(_told(event)),
        )
        moved[campaign.id] = outcome.moved_bytes
        outcomes.append(outcome)
    events = [_told(event) for outcome in outcomes for event in outcome.events]
    return ProbeResults(
        plan=plan,
        store=str(store),
        flows=measured_flows(plan, read_store(store).measurements),
        resumed_count=sum(one.resumed_count for one in outcomes),
        measured_count=sum(one.measured_count for one in outcomes),
        is_complete=not not_begun and all(one.is_complete for one in outcomes),
        missed=tuple(event for event in events if isinstance(event, MissedRuns)),
        not_begun=tuple(not_begun),
    )


def _told(event: measuring.ProbeEvent) -> ProbeEvent:
    """Return what happened, without what only a prober needs to know."""
    match event:
        case measuring.RunMeasured():
            rates = tuple(one.gbps for one in event.measurements)
            return MeasuredRun(place=event.key.place, gbps=rates)
        case measuring.RunFailed():
            return MissedRuns(what=event.key.place, reason=event.reason, is_one_run=True)
        case measuring.PairRefused():
            return MissedRuns(what=event.pair, reason=event.reason)
        case measuring.RunsLeftOut():
            what = f"{event.pair}/{event.configuration}" if event.pair else "the rest"
            return MissedRuns(what=what, reason=event.reason)


def measured_flows(
    plan: ProbePlan, measurements: tuple[Measurement, ...]
) -> tuple[FlowResult, ...]:
    """Return what a store has of a plan, in the plan's order."""
    found: dict[tuple[str, bool], list[Measurement]] = defaultdict(list)
    for one in measurements:
        if one.source.partition("/")[0] == plan.id:
            found[one.place.rpartition("/")[0], one.is_reverse].append(one)
    results = []
    for planned in plan.probes:
        probe = planned.probe
        for flow in probe.flows:
            runs = found.get((f"{probe.path.name}/{probe.streams}-{flow.way.value}", flow.is_back))
            if runs:
                results.append(
                    FlowResult(
                        probe=probe,
                        flow=flow,
                        gbps=tuple(one.gbps for one in runs),
                        is_capped=any(one.bitrate_limit_gbps for one in runs),
                    )
                )
    return tuple(results)


def _require_fitting(plan: ProbePlan, access: Access) -> None:
    """Raise if what was said of ends is of none, or of which one is not clear."""
    paths = {one.probe.path.name: one.probe.path for one in plan.probes}.values()
    machines = [one for path in paths for one in (path.client, path.server)]
    for name, _ in access.ends:
        if machines and not any(name in _names(one) for one in machines):
            raise UsageError(f"--end {inert(name)}: no VM of the plan has that name")
    if access.client is not None or access.server is not None:
        if access.kind != "local":
            raise UsageError("--local-src and --local-dst are for --transport local")
        if len(paths) > 1:
            raise UsageError(
                f"--local-src and --local-dst are for one path, but the plan has {len(paths)}: "
                "give --end NAME=WORDS for each VM"
            )


def _limits(plan: ProbePlan, question: ProbeQuestion) -> ProbeLimits:
    """Return the limits of the whole plan; dollars are held by the bytes that it reckons."""
    max_gib = question.caps.max_gib
    if question.caps.max_usd is not None:
        most = float(sum(one.probe.most.gib for one in plan.probes))
        max_gib = most if max_gib is None else min(max_gib, most)
    return ProbeLimits(
        max_gib=max_gib,
        max_seconds=question.caps.max_seconds,
        bitrate_gbps=question.bitrate_gbps,
    )


def _left(limits: ProbeLimits, moved_bytes: float, elapsed_s: float) -> ProbeLimits | str:
    """Return what is left of limits that several campaigns share, or which one is used up."""
    gib, seconds = limits.max_gib, limits.max_seconds
    if gib is not None:
        gib -= moved_bytes / BYTES_PER_GIB
        if gib <= 0:
            return f"the limit of {limits.max_gib:g} GiB is reached"
    if seconds is not None:
        seconds -= elapsed_s
        if seconds <= 0:
            return f"the limit of {limits.max_seconds:g} s is reached"
    return msgspec.structs.replace(limits, max_gib=gib, max_seconds=seconds)


def _pair(probes: list[Probe], access: Access) -> ProbePair:
    path = probes[0].path
    highs = [flow.estimate.high_gbps for probe in probes for flow in probe.flows]
    known = [high for high in highs if high is not None]
    return ProbePair(
        name=path.name,
        client=_end(path.client, access, access.client),
        server=_end(path.server, access, access.server),
        address=path.address or "",
        path_class=path.path_class,
        ports=access.ports,
        expected_gbps=max(known) if len(known) == len(highs) else None,
    )


def _end(instance: Instance, access: Access, words: str | None) -> ProbeEnd:
    described = taken(
        MeasuredEnd,
        instance,
        is_tier1=instance.bandwidth_tier.value == "TIER_1",
        nic_type=instance.interfaces[0].nic_type if instance.interfaces else None,
        image=image_of(instance) or None,
    )
    transport = _transport(instance, access, words)
    return ProbeEnd(transport=transport, described=described, iperf3=access.iperf3)


def _transport(instance: Instance, access: Access, words: str | None) -> Transport:
    """Return the way to a machine.

    Raises:
        UsageError: If it is not said, or cannot be one.
    """
    given = _given(instance, access)
    if access.kind == "gcloud":
        return GcloudTransport(
            vm=given or instance.name,
            zone=instance.zone,
            project=instance.project,
            is_through_iap=access.is_through_iap,
        )
    if access.kind == "ssh":
        return SshTransport(host=given or instance.name, options=access.ssh_options)
    words = given if given is not None else words
    if words is None:
        name = inert(instance.name)
        raise UsageError(
            f"--transport local: state how a command runs on {name} with --end '{name}=ip netns "
            f"exec {name}' (an empty text is this computer), or for one pair with --local-src "
            "and --local-dst"
        )
    return LocalTransport(prefix=_words(words))


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as exc:
        raise UsageError(f"the words before a command: {inert(text)!r}: {exc}") from exc


def _given(instance: Instance, access: Access) -> str | None:
    return next((how for name, how in access.ends if name in _names(instance)), None)


def _names(instance: Instance) -> tuple[str, str]:
    return instance.name, f"{instance.project}/{instance.zone}/{instance.name}"
