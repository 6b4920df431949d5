"""What each interval of a writer would mean: its records, their variance, the least ratio."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from netplan_planner.engine.flow_logs.cost import has_metadata, month_ratio
from netplan_planner.engine.flow_logs.dollars import Priced
from netplan_planner.engine.flow_logs.filters import Term, left_out
from netplan_planner.engine.flow_logs.writers import Writer, settings_of
from netplan_planner.model import Facts
from netplan_planner.model.flow_log_bill import LogGoal, LogSettings
from netplan_planner.model.log_volume import INTERVALS_S, EdgeRecords, MachineBlocks, log_gib
from netplan_planner.optimise.log_settings import SamplingOption
from netplan_planner.optimise.sampling_error import (
    RATIO_STEPS,
    Blocks,
    least_ratio,
    p95_of,
    unthinned_ratio,
)
from netplan_planner.units import SECONDS_PER_MINUTE

_FEWER = 0.99
"""An interval that does not save a hundredth of the records only makes them coarser."""


class Planned(NamedTuple):
    """A writer that can be set otherwise, and what its intervals mean."""

    writer: Writer
    now: LogSettings
    options: tuple[SamplingOption, ...]
    most_usd: Mapping[int, float]
    """What the greatest record stands for, by interval."""
    usd_per_month: float
    """Of the traffic that it tells."""
    p95_owners: frozenset[int]
    """Whose 95th percentiles are promised, of what it tells of them."""
    terms: tuple[Term, ...] = ()
    """What its filter leaves out."""

    def record_count(self, interval_s: int) -> float:
        """Return the records of an interval before sampling, without those left out."""
        assert self.now.sampling_ratio
        made = sum(one.record_count for one in self.writer.intervals(interval_s))
        return (made - left_out(self.terms, interval_s)) / self.now.sampling_ratio


def planned_writer(
    facts: Facts,
    writer: Writer,
    priced: Priced,
    usd_per_gib: float,
    goal: LogGoal,
    terms: tuple[Term, ...] = (),
) -> Planned:
    """Return what the intervals of a writer mean, whose ratio and interval are stated."""
    now = settings_of(writer.logs, has_metadata=has_metadata(facts))
    assert now.sampling_ratio
    assert now.interval_s
    kept = now.sampling_ratio
    keeps = keeps_metadata(now, goal)
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
        edges = _edges(writer, interval_s)
        squares = _dollar_squares(edges, priced)
        part = unthinned_ratio(squares, squares_now, kept)
        square = squares * part
        most_usd[interval_s] = part * max(
            (priced.usd_per_byte.get(one.edge, 0.0) * one.most_bytes for one in edges), default=0.0
        )
        made = sum(one.record_count for one in writer.intervals(interval_s))
        records = (made - left_out(terms, interval_s)) / kept
        gib = float(log_gib(round(records * month_ratio(facts)), has_metadata=keeps))
        least = max((ratio for ratio in ratios if ratio is not None), default=0.0)
        options.append(
            SamplingOption(interval_s, gib * usd_per_gib, square, max(least, 1 / RATIO_STEPS))
        )
    told = sum(priced.usd_per_byte.get(one.edge, 0.0) * one.wire_bytes for one in edges_now)
    return Planned(
        writer,
        now,
        tuple(options),
        most_usd,
        told,
        frozenset(owner for _, owner in baseline),
        terms,
    )


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


def keeps_metadata(now: LogSettings, goal: LogGoal) -> bool:
    """Return whether records will have metadata."""
    return bool(now.has_metadata) and goal.keeps_metadata


def _minutes(facts: Facts) -> int:
    assert facts.traffic is not None
    return facts.traffic.observed_minutes


def _edges(writer: Writer, interval_s: int) -> list[EdgeRecords]:
    return [edge for one in writer.intervals(interval_s) for edge in one.edges]


def _dollar_squares(edges: Sequence[EdgeRecords], priced: Priced) -> float:
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
