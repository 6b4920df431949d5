"""Sampling, interval and metadata of flow logs at least cost for promised errors.

What is compared is what the logs tell with what all records of the same time would tell. Google's
own sampling of packets, before any setting, is in both.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from math import sqrt
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from netplan_planner.engine.edge_prices import mean_prices
from netplan_planner.engine.flow_log_bill import (
    LogMeter,
    bill_of,
    has_metadata,
    month_ratio,
    read_writers,
    volume_now,
)
from netplan_planner.engine.flow_log_commands import command_of, switch_off
from netplan_planner.engine.flow_log_sources import Writer, places_of, settings_of
from netplan_planner.engine.inputs import Say
from netplan_planner.engine.request import AuditRequest
from netplan_planner.engine.summary import direction_of
from netplan_planner.model import Direction, Facts
from netplan_planner.model.flow_log_bill import (
    FlowLogBill,
    LogGoal,
    LogProposal,
    LogRow,
    LogSettings,
)
from netplan_planner.model.log_volume import INTERVALS_S, EdgeRecords, MachineBlocks, log_gib
from netplan_planner.optimise.log_settings import (
    SamplingChoice,
    SamplingOption,
    cheapest_settings,
)
from netplan_planner.optimise.sampling_error import (
    RATIO_STEPS,
    Blocks,
    least_ratio,
    move_of_record,
    p95_of,
    safe_multiplier,
    unthinned_ratio,
)
from netplan_planner.paths.priced_paths import PricedPath, priced_path_of
from netplan_planner.units import SECONDS_PER_MINUTE

_FEWER = 0.99
"""An interval that does not save a hundredth of the records only makes them coarser."""
_ROUNDS = 8
"""Times that the bound is made narrower for records that weigh much."""


class _Priced(NamedTuple):
    """What the bytes of edges mean in dollars a month, by number of the edge."""

    usd_per_byte: Mapping[int, float]
    usd_per_month: float


class _Planned(NamedTuple):
    """A writer that can be set otherwise, and what its intervals mean."""

    writer: Writer
    now: LogSettings
    options: tuple[SamplingOption, ...]
    most_usd: Mapping[int, float]
    """What the greatest record stands for, by interval."""
    usd_per_month: float
    """Of the traffic that it tells."""
    p95_machine_count: int


def plan_flow_logs(request: AuditRequest, goal: LogGoal, say: Say = lambda _: None) -> FlowLogBill:
    """Return what the flow logs of a request cost, and what would do for the promised errors.

    Raises:
        InputError: If an input cannot be read.
        UsageError: If no flow logs are given.
    """
    options = replace(request.traffic_options, log_volume_from_gbps=goal.p95_from_gbps)
    facts, found = read_writers(replace(request, traffic_options=options), say)
    return plan_of(facts, found, request, goal)


def plan_of(
    facts: Facts, found: Sequence[Writer], request: AuditRequest, goal: LogGoal
) -> FlowLogBill:
    """Return the same of what was read."""
    answer = bill_of(facts, found, request)
    priced = _priced_edges(facts)
    usd_per_gib = _marginal_usd_per_gib(answer)
    planned, why_not = [], {}
    for writer in found:
        reason = _why_not(facts, writer)
        if reason:
            why_not[_key(writer)] = reason
        elif not is_extra(writer):
            planned.append(_options(facts, writer, priced, usd_per_gib, goal))
    chosen, multiplier = _chosen(planned, priced.usd_per_month, goal)
    proposals = {
        _key(one.writer): (one, choice) for one, choice in zip(planned, chosen, strict=True)
    }
    volumes = {
        _key(writer): _planned_volume(facts, writer, proposals.get(_key(writer)), goal, why_not)
        for writer in found
    }
    meter = LogMeter(facts.prices, sum((gib for _, gib in volumes.values()), Decimal(0)))
    by_key = {_key(writer): writer for writer in found}
    rows = []
    for row in answer.rows:
        key = row.configuration, row.places
        proposal = None
        if key in proposals:
            one, choice = proposals[key]
            proposal = _proposal(one, choice, multiplier, goal, meter, volumes[key])
        elif key not in why_not:
            proposal = _off(by_key[key], row, meter)
        rows.append(replace(row, proposed=proposal, why_not=why_not.get(key, "")))
    variance = sum(choice.variance_usd2 for choice in chosen)
    usd = priced.usd_per_month
    return replace(
        answer,
        rows=tuple(rows),
        goal=goal,
        planned_line_items=meter.bill.lines,
        planned_usd_per_month=meter.bill.usd_per_month,
        traffic_usd_per_month=Decimal(str(round(usd, 6))),
        dollar_error_ratio=multiplier * sqrt(variance) / usd if usd else None,
        notes=(*answer.notes, *_notes(facts, found, goal, why_not)),
    )


def is_extra(writer: Writer) -> bool:
    """Return whether another configuration writes most of its records as well."""
    return writer.extra_count * 2 > writer.record_count


def _key(writer: Writer) -> tuple[str, tuple[str, ...]]:
    return writer.configuration, places_of(writer)


def _why_not(facts: Facts, writer: Writer) -> str:
    if is_extra(writer):
        return ""
    now = settings_of(writer.logs, has_metadata=has_metadata(facts))
    if writer.logs is None:
        return "its settings are not in the inventory: what was left out of it is not known"
    if not now.sampling_ratio:
        return "its sampling ratio is not stated: what was left out of it is not known"
    if now.interval_s not in INTERVALS_S:
        return "its interval of aggregation is not stated"
    return ""


def _priced_edges(facts: Facts) -> _Priced:
    """Return what the bytes of edges mean, at the mean price of all traffic of their price."""
    assert facts.traffic is not None
    paths = {
        number: priced_path_of(facts, edge)
        for number, edge in enumerate(facts.traffic.edges)
        if direction_of(facts, edge) is Direction.SENT
    }
    byte_counts: dict[PricedPath, int] = defaultdict(int)
    for number, path in paths.items():
        byte_counts[path] += facts.traffic.edges[number].wire_bytes
    usd = {
        path: price.usd_per_byte
        for path, price in mean_prices(facts, byte_counts).items()
        if price.usd_per_byte
    }
    whole = sum(float(usd[path]) * count for path, count in byte_counts.items() if path in usd)
    return _Priced({n: float(usd[path]) for n, path in paths.items() if path in usd}, whole)


def _marginal_usd_per_gib(answer: FlowLogBill) -> float:
    """Return what the last GiB costs today; 1 where nothing has a price, so that GiB count."""
    last = {line.sku_id: line.unit_price_usd for line in answer.line_items}
    return float(sum(last.values())) or 1.0


def _options(
    facts: Facts, writer: Writer, priced: _Priced, usd_per_gib: float, goal: LogGoal
) -> _Planned:
    now = settings_of(writer.logs, has_metadata=has_metadata(facts))
    assert now.sampling_ratio
    assert now.interval_s
    kept = now.sampling_ratio
    keeps = _metadata(now, goal)
    options, most_usd = [], {}
    edges_now, machines_now = _edges(writer, now.interval_s), _told(writer, now.interval_s)
    squares_now = _dollar_squares(edges_now, priced)
    baseline = _machines(machines_now, machines_now, kept, now.interval_s)
    minutes = _minutes(facts)
    for interval_s in _worthwhile(writer, now.interval_s):
        machines = _machines(_told(writer, interval_s), machines_now, kept, interval_s)
        ratios = [
            least_ratio(
                blocks,
                p95_of(baseline[owner], minutes),
                error_ratio=goal.p95_error_ratio,
                confidence=goal.confidence,
            )
            for owner, blocks in machines.items()
        ]
        if None in ratios:
            continue
        records = sum(one.record_count for one in writer.intervals(interval_s)) / kept
        edges = _edges(writer, interval_s)
        squares = _dollar_squares(edges, priced)
        part = unthinned_ratio(squares, squares_now, kept)
        square = squares * part
        most_usd[interval_s] = part * max(
            (priced.usd_per_byte.get(one.edge, 0.0) * one.most_bytes for one in edges), default=0.0
        )
        gib = float(log_gib(round(records * month_ratio(facts)), has_metadata=keeps))
        least = max((ratio for ratio in ratios if ratio is not None), default=0.0)
        options.append(
            SamplingOption(interval_s, gib * usd_per_gib, square, max(least, 1 / RATIO_STEPS))
        )
    told = sum(priced.usd_per_byte.get(one.edge, 0.0) * one.wire_bytes for one in edges_now)
    return _Planned(writer, now, tuple(options), most_usd, told, len(baseline))


def _worthwhile(writer: Writer, least_s: int) -> Iterator[int]:
    """Yield today's interval, and longer ones that make fewer records than the ones before.

    Shorter ones make more records; how many, these do not tell.
    """
    before: float | None = None
    for interval_s in INTERVALS_S:
        if interval_s >= least_s:
            records = sum(one.record_count for one in writer.intervals(interval_s))
            if before is None or records < _FEWER * before:
                before = records
                yield interval_s


def _metadata(now: LogSettings, goal: LogGoal) -> bool:
    return bool(now.has_metadata) and goal.keeps_metadata


def _minutes(facts: Facts) -> int:
    assert facts.traffic is not None
    return facts.traffic.observed_minutes


def _edges(writer: Writer, interval_s: int) -> list[EdgeRecords]:
    return [edge for one in writer.intervals(interval_s) for edge in one.edges]


def _dollar_squares(edges: Sequence[EdgeRecords], priced: _Priced) -> float:
    return sum(priced.usd_per_byte.get(one.edge, 0.0) ** 2 * one.square_bytes for one in edges)


_Machine = tuple[int, int]
"""Number of the place among the writer's, and owner."""


def _told(writer: Writer, interval_s: int) -> dict[_Machine, MachineBlocks]:
    return {
        (number, machine.owner): machine
        for number, one in enumerate(writer.intervals(interval_s))
        for machine in one.machines
    }


def _machines(
    told: Mapping[_Machine, MachineBlocks],
    now: Mapping[_Machine, MachineBlocks],
    kept: float,
    interval_s: int,
) -> dict[_Machine, Blocks]:
    """Return the blocks of each machine that is looked at, as all records would have them."""
    minutes = max(1, interval_s // SECONDS_PER_MINUTE)
    found = {}
    for key, machine in told.items():
        part = unthinned_ratio(sum(machine.square_bytes), sum(now[key].square_bytes), kept)
        found[key] = Blocks(
            np.array(machine.wire_bytes, dtype=np.float64),
            np.array(machine.square_bytes, dtype=np.float64) * part,
            np.array(machine.record_counts, dtype=np.float64) / part,
            np.array(machine.most_bytes, dtype=np.float64) * part,
            minutes,
        )
    return found


def _chosen(
    planned: Sequence[_Planned], usd_per_month: float, goal: LogGoal
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
    planned: Sequence[_Planned], chosen: Sequence[SamplingChoice], confidence: float
) -> float:
    deviation = sqrt(sum(choice.variance_usd2 for choice in chosen))
    if not deviation:
        return safe_multiplier(confidence, 0.0)
    most = max(
        move_of_record(one.most_usd[choice.option.interval_s], choice.ratio)
        for one, choice in zip(planned, chosen, strict=True)
    )
    return safe_multiplier(confidence, most / deviation)


def _planned_volume(
    facts: Facts,
    writer: Writer,
    proposal: tuple[_Planned, SamplingChoice] | None,
    goal: LogGoal,
    why_not: Mapping[tuple[str, tuple[str, ...]], str],
) -> tuple[int, Decimal]:
    """Return the records of a month as proposed, and their GiB."""
    if proposal is None:
        return volume_now(facts, writer) if _key(writer) in why_not else (0, Decimal(0))
    one, choice = proposal
    assert one.now.sampling_ratio
    made = sum(part.record_count for part in writer.intervals(choice.option.interval_s))
    records = round(made / one.now.sampling_ratio * choice.ratio * month_ratio(facts))
    return records, log_gib(records, has_metadata=_metadata(one.now, goal))


def _proposal(
    one: _Planned,
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
        has_metadata=_metadata(one.now, goal),
    )
    error = None
    if one.usd_per_month:
        error = multiplier * sqrt(choice.variance_usd2) / one.usd_per_month
    command, how = command_of(one.writer, one.now, settings)
    bound = "the 95th percentiles" if _is_bound_by_p95(choice) else "the dollars"
    why = f"{bound} take no less" if choice.ratio > 1 / RATIO_STEPS else "the least ratio looked at"
    return LogProposal(
        settings=settings,
        volume=meter.volume(*volume),
        dollar_error_ratio=error,
        p95_machine_count=one.p95_machine_count,
        why="; ".join(filter(None, (why, how))),
        command=command,
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
        why="; ".join(filter(None, ("another configuration writes what it does", how))),
        command=command,
    )


def _is_thinned(facts: Facts, writer: Writer) -> bool:
    return settings_of(writer.logs, has_metadata=has_metadata(facts)).sampling_ratio not in {
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
        "errors are of a window as long as this one, against all records of the same time; over a"
        " longer one the dollars' are less. What Google's own sampling of packets leaves out is in"
        " both"
    )
    yield (
        "intervals shorter than today's, filters, and metadata fields of one's choice are not"
        " proposed: these records do not tell how many there would be, or what they would cost"
    )
    if not goal.keeps_metadata:
        yield (
            "without metadata records name no machines, clusters and countries: pods and peers on"
            " the internet are then priced by address alone, which is no part of the errors"
        )
    if any(_is_thinned(facts, writer) for writer in found):
        yield (
            "of records that were sampled already it is not known how many a longer interval would"
            " put together: as many as stated are the most that there can be"
        )
    if why_not:
        yield "what nothing is proposed for stays as it is, and its own error is not counted"
