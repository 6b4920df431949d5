"""What each interval of a writer would mean: its records, their variance, the least ratio."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from netplan_planner.engine.flow_logs.cost import has_metadata, month_ratio
from netplan_planner.engine.flow_logs.dollars import Priced
from netplan_planner.engine.flow_logs.filters import Term, left_out
from netplan_planner.engine.flow_logs.percentiles import Percentiles
from netplan_planner.engine.flow_logs.writers import Writer, settings_of
from netplan_planner.model import Facts
from netplan_planner.model.flow_log_bill import LogGoal, LogSettings
from netplan_planner.model.log_volume import INTERVALS_S, EdgeRecords, log_gib
from netplan_planner.optimise.log_settings import SamplingOption
from netplan_planner.optimise.sampling_error import (
    RATIO_STEPS,
    unthinned_ratio,
)

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
    shared: Mapping[int, float],
    terms: tuple[Term, ...] = (),
) -> Planned:
    """Return what the intervals of a writer mean, whose ratio and interval are stated.

    `shared` has the least ratios of machines that several places tell of.
    """
    now = settings_of(writer.logs, has_metadata=has_metadata(facts))
    assert now.sampling_ratio
    assert now.interval_s
    kept = now.sampling_ratio
    keeps = keeps_metadata(now, goal)
    options, most_usd = [], {}
    edges_now = _edges(writer, now.interval_s)
    squares_now = _dollar_squares(edges_now, priced)
    percentiles = Percentiles(facts, writer, goal, shared, interval_s=now.interval_s, kept=kept)
    for interval_s in _worthwhile(writer, now.interval_s):
        least = percentiles.least_ratio(interval_s)
        if least is None and interval_s == now.interval_s:
            least = 1.0  # All records tell what all records tell.
        if least is None:
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
        percentiles.owners,
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


def _edges(writer: Writer, interval_s: int) -> list[EdgeRecords]:
    return [edge for one in writer.intervals(interval_s) for edge in one.edges]


def _dollar_squares(edges: Sequence[EdgeRecords], priced: Priced) -> float:
    return sum(priced.usd_per_byte.get(one.edge, 0.0) ** 2 * one.square_bytes for one in edges)
