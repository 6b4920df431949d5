"""Sampling, interval, metadata and filter of flow logs at least cost for promised errors.

What is compared is what the logs tell with what all records of the same time would tell. Google's
own sampling of packets, before any setting, is in both.

The cheapest choices of all writers together, within the promised error of dollars.

Commands that change how flows are logged.

Flags as `gcloud compute networks subnets update --help` and `gcloud network-management
vpc-flow-logs-configs update --help` have them (read 2026-11-23).
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from math import sqrt

from msgspec.structs import replace

from netplan_planner.model import Facts, FlowLogsConfiguration, Subnetwork, taken
from netplan_planner.model.evidence.log_volume import INTERVALS_S, LogSettings, log_gib
from netplan_planner.planning.flow_logs import LogMeter, Writer, interval_word, settings_of
from netplan_planner.verbs.flow_logs import bill
from netplan_planner.verbs.flow_logs.answer import (
    FlowLogBill,
    LogFilterPart,
    LogGoal,
    LogProposal,
    LogRow,
)
from netplan_planner.verbs.flow_logs.bill import Priced, marginal_usd_per_gib, priced_edges
from netplan_planner.verbs.flow_logs.filters import Term, expression, filter_terms
from netplan_planner.verbs.flow_logs.intervals import (
    Planned,
    keeps_metadata,
    planned_writer,
    shared_ratios,
)
from netplan_planner.verbs.flow_logs.sampling_error import (
    RATIO_STEPS,
    move_of_record,
    safe_multiplier,
)
from netplan_planner.verbs.flow_logs.settings import SamplingChoice, cheapest_settings
from netplan_planner.world.reading import Say
from netplan_planner.world.request import InputRequest

_ROUNDS = 8
"""Times that the bound is made narrower for records that weigh much."""
Told = tuple[tuple[str, ...], str]
"""A command, and in words what it does not do; one of them is empty."""
_NO_COMMAND = "change it where it is defined: its name there was not read"


def cheapest_choices(
    planned: Sequence[Planned], usd_per_month: float, goal: LogGoal
) -> tuple[tuple[SamplingChoice, ...], float]:
    """Return the cheapest choices, and how many standard errors the promise takes.

    The more the greatest record weighs, the more it takes, and that depends on the choices.
    """
    options = [one.options for one in planned]
    multiplier = safe_multiplier(goal.confidence, 0.0)
    wanted = goal.dollar_error_ratio * usd_per_month
    for _ in range(_ROUNDS):
        chosen = cheapest_settings(options, (wanted / multiplier) ** 2)
        needed = _multiplier(planned, chosen, goal.confidence)
        deviation = sqrt(sum(choice.variance_usd2 for choice in chosen))
        if needed * deviation <= wanted:
            return chosen, needed
        multiplier = max(needed, multiplier * 1.05)
    return cheapest_settings(options, 0.0), safe_multiplier(goal.confidence, 0.0)


def _multiplier(
    planned: Sequence[Planned], chosen: Sequence[SamplingChoice], confidence: float
) -> float:
    deviation = sqrt(sum(choice.variance_usd2 for choice in chosen))
    if not deviation:
        return safe_multiplier(confidence, 0.0)
    most = max(
        move_of_record(one.most_usd[choice.option.interval_s], choice.ratio)
        for one, choice in zip(planned, chosen, strict=True)
    )
    return safe_multiplier(confidence, most / deviation)


def command_of(writer: Writer, now: LogSettings, wanted: LogSettings) -> Told:
    """Return the command that sets what differs of what is wanted."""
    assert wanted.sampling_ratio is not None
    assert wanted.interval_s is not None
    prefix, suffix = ("--logging-", "") if writer.subnetwork is not None else ("--", "-metadata")
    flags = []
    if wanted.interval_s != now.interval_s:
        flags.append(f"{prefix}aggregation-interval={interval_word(wanted.interval_s)}")
    if wanted.sampling_ratio != now.sampling_ratio:
        flags.append(f"{prefix}flow-sampling={wanted.sampling_ratio:g}")
    if wanted.has_metadata != now.has_metadata:
        flags.append(f"{prefix}metadata=exclude-all{suffix}")
    if wanted.filter_expr != now.filter_expr:
        flags.append(f"{prefix}filter-expr={wanted.filter_expr}")
    return _changed(writer, tuple(flags)) if flags else ((), "as it is today")


def switch_off(writer: Writer) -> Told:
    """Return the command that switches a writer off, where it writes of one place alone."""
    if writer.subnetwork is not None:
        return _changed(writer, ("--no-enable-flow-logs",))
    one = writer.configured
    if one is not None and one.subnetwork is None and one.gateway is None:
        return (), "it covers at least one network: exclude this place from it, or the other one"
    return _changed(writer, ("--state=disabled",))


def _changed(writer: Writer, flags: tuple[str, ...]) -> Told:
    if writer.subnetwork is not None:
        return (*_subnetwork(writer.subnetwork), *flags), ""
    if writer.configured is not None and writer.configured.project:
        return (*_configuration(writer.configured), *flags), ""
    return (), _NO_COMMAND


def _subnetwork(one: Subnetwork) -> tuple[str, ...]:
    command = ("gcloud", "compute", "networks", "subnets", "update", one.name)
    return (*command, f"--region={one.region}", f"--project={one.project}")


def _configuration(one: FlowLogsConfiguration) -> tuple[str, ...]:
    command = ("gcloud", "network-management", "vpc-flow-logs-configs", "update", one.name)
    return (*command, "--location=global", f"--project={one.project}")


def plan_flow_logs(request: InputRequest, goal: LogGoal, say: Say = lambda _: None) -> FlowLogBill:
    """Return what the flow logs of a request cost, and what would do for the promised errors.

    Raises:
        InputError: If an input cannot be read.
        UsageError: If no flow logs are given.
    """
    options = replace(request.traffic_options, log_volume_from_gbps=goal.p95_from_gbps)
    facts, found = bill.read_writers(replace(request, traffic_options=options), say)
    return plan_of(facts, found, request, goal)


def plan_of(
    facts: Facts, found: Sequence[Writer], request: InputRequest, goal: LogGoal
) -> FlowLogBill:
    """Return the same of what was read."""
    answer = bill.bill_of(facts, found, request)
    priced = priced_edges(facts)
    usd_per_gib = marginal_usd_per_gib(answer)
    shared = shared_ratios(facts, found, goal)
    planned, why_not = [], {}
    for writer in found:
        reason = _why_not(facts, writer)
        if reason:
            why_not[_key(writer)] = reason
        elif not is_extra(writer):
            terms = _terms(facts, writer, found, priced, goal)
            one = planned_writer(facts, writer, priced, usd_per_gib, goal, shared, terms)
            planned.append(one)
    chosen, multiplier = cheapest_choices(planned, priced.usd_per_month, goal)
    proposals = {
        _key(one.writer): (one, choice) for one, choice in zip(planned, chosen, strict=True)
    }
    volumes = {
        _key(writer): planned_volume(facts, writer, proposals.get(_key(writer)), goal, why_not)
        for writer in found
    }
    meter = LogMeter(facts.prices, sum((gib for _, gib in volumes.values()), Decimal(0)))
    by_key = {_key(writer): writer for writer in found}
    rows = []
    for row in answer.writers:
        key = row.configuration, row.places
        proposal = None
        if key in proposals:
            one, choice = proposals[key]
            proposal = _proposal(one, choice, multiplier, goal, meter, volumes[key])
            parts = _left_out(facts, one, choice, goal, meter)
            proposal = replace(proposal, left_out=parts)
        elif key not in why_not:
            proposal = _off(by_key[key], row, meter)
        rows.append(replace(row, proposed=proposal, why_not=why_not.get(key, "")))
    variance = sum(choice.variance_usd2 for choice in chosen)
    usd = priced.usd_per_month
    return replace(
        answer,
        writers=tuple(rows),
        goal=goal,
        planned_line_items=meter.bill.lines,
        planned_usd_per_month=meter.bill.usd_per_month,
        traffic_usd_per_month=Decimal(str(round(usd, 6))),
        dollar_error_ratio=multiplier * sqrt(variance) / usd if usd and planned else None,
        p95_machine_count=len(frozenset[int]().union(*(one.p95_owners for one in planned))),
        notes=(*answer.notes, *_notes(facts, found, goal, why_not)),
    )


def is_extra(writer: Writer) -> bool:
    """Return whether another configuration writes most of its records as well."""
    return writer.extra_count * 2 > writer.record_count


def _key(writer: Writer) -> tuple[str, tuple[str, ...]]:
    return writer.configuration, writer.places


def _why_not(facts: Facts, writer: Writer) -> str:
    if is_extra(writer):
        return ""
    now = settings_of(writer.logs, has_metadata=bill.has_metadata(facts))
    if writer.logs is None:
        return "its settings are not in the inventory, so it is unknown which records were left out"
    if not now.sampling_ratio:
        return "its sampling ratio is not stated, so it is unknown which records were left out"
    if now.interval_s not in INTERVALS_S:
        return "its interval of aggregation is not stated"
    return ""


def planned_volume(
    facts: Facts,
    writer: Writer,
    proposal: tuple[Planned, SamplingChoice] | None,
    goal: LogGoal,
    why_not: Mapping[tuple[str, tuple[str, ...]], str],
) -> tuple[int, Decimal]:
    """Return the records of a month as proposed, and their GiB."""
    if proposal is None:
        return bill.volume_now(facts, writer) if _key(writer) in why_not else (0, Decimal(0))
    one, choice = proposal
    made = one.record_count(choice.option.interval_s)
    records = round(made * choice.ratio * bill.month_ratio(facts))
    return records, log_gib(records, has_metadata=keeps_metadata(one.now, goal))


def _proposal(
    one: Planned,
    choice: SamplingChoice,
    multiplier: float,
    goal: LogGoal,
    meter: LogMeter,
    volume: tuple[int, Decimal],
) -> LogProposal:
    settings = replace(
        one.now,
        sampling_ratio=choice.ratio,
        interval_s=choice.option.interval_s,
        has_metadata=keeps_metadata(one.now, goal),
        filter_expr=expression(one.terms) if one.terms else one.now.filter_expr,
    )
    error = None
    if one.usd_per_month:
        error = multiplier * sqrt(choice.variance_usd2) / one.usd_per_month
    command, how = command_of(one.writer, one.now, settings)
    bound = "the 95th percentiles" if _is_bound_by_p95(choice) else "the dollars"
    why = (
        f"{bound} do not allow less"
        if choice.ratio > 1 / RATIO_STEPS
        else "no smaller ratio was checked"
    )
    return LogProposal(
        settings=settings,
        volume=meter.volume(*volume),
        dollar_error_ratio=error,
        p95_machine_count=len(one.p95_owners),
        why="; ".join(filter(None, (why, how))),
        command=command,
    )


def _left_out(
    facts: Facts, one: Planned, choice: SamplingChoice, goal: LogGoal, meter: LogMeter
) -> tuple[LogFilterPart, ...]:
    """Return what the filter leaves out of what the rest of the settings would write."""
    assert one.now.sampling_ratio
    scale = choice.ratio / one.now.sampling_ratio * bill.month_ratio(facts)
    found = []
    for term in one.terms:
        records = round(term.record_counts[choice.option.interval_s] * scale)
        gib = log_gib(records, has_metadata=keeps_metadata(one.now, goal))
        found.append(taken(LogFilterPart, term, volume=meter.volume(records, gib)))
    return tuple(found)


def _terms(
    facts: Facts, writer: Writer, found: Sequence[Writer], priced: Priced, goal: LogGoal
) -> tuple[Term, ...]:
    if not goal.filters:
        return ()
    promised = frozenset(
        vm.owner for vm in facts.seen_traffic.vms if vm.egress.p95_gbps >= goal.p95_from_gbps
    )
    now = settings_of(writer.logs, has_metadata=bill.has_metadata(facts))
    return filter_terms(
        facts, writer, found, priced, promised, keeps_metadata=keeps_metadata(now, goal)
    )


def _is_bound_by_p95(choice: SamplingChoice) -> bool:
    return choice.ratio <= choice.option.least_ratio + 1 / RATIO_STEPS


def _off(writer: Writer, row: LogRow, meter: LogMeter) -> LogProposal:
    command, how = switch_off(writer)
    return LogProposal(
        settings=replace(row.now, sampling_ratio=0.0),
        volume=meter.volume(0, Decimal(0)),
        dollar_error_ratio=None,
        p95_machine_count=0,
        why="; ".join(filter(None, ("another configuration writes the same records", how))),
        command=command,
    )


def _is_thinned(facts: Facts, writer: Writer) -> bool:
    return settings_of(writer.logs, has_metadata=bill.has_metadata(facts)).sampling_ratio not in {
        1.0,
        None,
    }


def _notes(
    facts: Facts,
    found: Sequence[Writer],
    goal: LogGoal,
    why_not: Mapping[tuple[str, tuple[str, ...]], str],
) -> Iterator[str]:
    yield (
        "errors compare a window of this length with all records of the same time; over a longer "
        "window the cost errors are smaller. Google's own sampling of packets affects both"
    )
    yield (
        "intervals shorter than today's and selected metadata fields are not proposed: these "
        "records do not show how many records they would write, or their cost"
    )
    if any(writer.logs is not None and writer.logs.filter_expr for writer in found):
        yield ("existing filters stay: these records lack what the filters leave out")
    if not goal.keeps_metadata:
        yield (
            "records without metadata name no VMs, clusters and countries: pods and internet "
            "peers are then priced by address, and the errors do not include that"
        )
    if any(_is_thinned(facts, writer) for writer in found):
        yield (
            "for records that are already sampled, it is unknown how many a longer interval "
            "would merge: the stated number is the maximum"
        )
    if why_not:
        yield "places with no proposal stay as they are, and their own error is not counted"
