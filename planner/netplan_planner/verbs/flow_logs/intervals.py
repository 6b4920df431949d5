"""What each interval of a writer would mean: its records, their variance, the least ratio.

The least sampling ratios at which the 95th percentiles of machines hold.

What a machine sends is told by one place, its subnetwork, or, where that does not log, by those of
its receivers. Then the percentile is of all parts together, and each part keeps the ratio that all
of them would need: with more of another part the error is less.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from netplan_planner.model import Facts
from netplan_planner.model.evidence.log_volume import (
    INTERVALS_S,
    EdgeRecords,
    LogSettings,
    MachineBlocks,
    log_gib,
)
from netplan_planner.planning.flow_logs import Writer, settings_of
from netplan_planner.units import SECONDS_PER_MINUTE
from netplan_planner.verbs.flow_logs.answer import LogGoal
from netplan_planner.verbs.flow_logs.bill import Priced, has_metadata, month_ratio
from netplan_planner.verbs.flow_logs.filters import Term, left_out
from netplan_planner.verbs.flow_logs.sampling_error import (
    RATIO_STEPS,
    Blocks,
    Floats,
    least_ratio,
    p95_of,
    unthinned_ratio,
)
from netplan_planner.verbs.flow_logs.settings import SamplingOption

_FEWER = 0.99
"""An interval that does not save a hundredth of the records only makes them coarser."""


class _Part(NamedTuple):
    """What one place tells of a machine, by today's interval."""

    numbers: Sequence[int]
    blocks: Blocks


def shared_ratios(facts: Facts, found: Sequence[Writer], goal: LogGoal) -> Mapping[int, float]:
    """Return the least ratio of each machine that several places tell of, by its owner."""
    parts: dict[int, list[_Part]] = defaultdict(list)
    for writer in found:
        now = settings_of(writer.logs, has_metadata=has_metadata(facts))
        interval_s = now.interval_s if now.interval_s in INTERVALS_S else INTERVALS_S[0]
        for machines in _told(writer, interval_s):
            blocks = _machines(machines, machines, now.sampling_ratio or 1.0, interval_s)
            for owner, one in blocks.items():
                parts[owner].append(_Part(machines[owner].numbers, one))
    return {
        owner: _ratio_of_parts(facts, own, goal) for owner, own in parts.items() if len(own) > 1
    }


def _ratio_of_parts(facts: Facts, parts: Sequence[_Part], goal: LogGoal) -> float:
    if len({one.blocks.minutes for one in parts}) > 1:
        return 1.0
    whole = _added(parts)
    found = _ratio(facts, whole, whole, goal)
    return 1.0 if found is None else found


def _added(parts: Sequence[_Part]) -> Blocks:
    numbers, which = np.unique(
        np.concatenate([np.array(one.numbers, dtype=np.int64) for one in parts]),
        return_inverse=True,
    )

    def total(columns: Iterable[Floats]) -> Floats:
        return np.bincount(which, np.concatenate(list(columns)), len(numbers)).astype(np.float64)

    most = np.zeros(len(numbers))
    np.maximum.at(most, which, np.concatenate([one.blocks.most_bytes for one in parts]))
    return Blocks(
        total(one.blocks.byte_counts for one in parts),
        total(one.blocks.square_bytes for one in parts),
        total(one.blocks.record_counts for one in parts),
        most,
        parts[0].blocks.minutes,
    )


class Percentiles:
    """What a writer tells of machines whose 95th percentiles are promised."""

    def __init__(
        self,
        facts: Facts,
        writer: Writer,
        goal: LogGoal,
        shared: Mapping[int, float],
        *,
        interval_s: int,
        kept: float,
    ) -> None:
        """Take the settings of today.

        Args:
            facts: What was read.
            writer: Whose records.
            goal: The error and its confidence.
            shared: The least ratios of machines that others tell of, too.
            interval_s: Today's interval of aggregation.
            kept: Today's sampling ratio, above 0.
        """
        self._facts, self._writer, self._goal, self._kept = facts, writer, goal, kept
        self._now = _told(writer, interval_s)
        self.owners = frozenset(owner for machines in self._now for owner in machines)
        self._shared = {owner: shared[owner] for owner in self.owners if owner in shared}
        self._baseline = [_machines(one, one, kept, interval_s) for one in self._now]
        self._interval_s = interval_s

    def least_ratio(self, interval_s: int) -> float | None:
        """Return the least ratio at an interval; None: at none, its blocks are too long."""
        if self._shared and interval_s != self._interval_s:
            # The parts of a machine fit together by blocks of one length.
            return None
        found = list(self._shared.values())
        for told, now, baseline in zip(
            _told(self._writer, interval_s), self._now, self._baseline, strict=True
        ):
            for owner, blocks in _machines(told, now, self._kept, interval_s).items():
                if owner in self._shared:
                    continue
                ratio = _ratio(self._facts, blocks, baseline[owner], self._goal)
                if ratio is None:
                    return None
                found.append(ratio)
        return max(found, default=0.0)


def _ratio(facts: Facts, blocks: Blocks, baseline: Blocks, goal: LogGoal) -> float | None:
    p95 = p95_of(baseline, facts.seen_traffic.observed_minutes)
    if not p95.bytes_per_minute:
        return 0.0  # Idle in most minutes: nothing that a share of it could be promised of.
    return least_ratio(blocks, p95, error_ratio=goal.p95_error_ratio, confidence=goal.confidence)


def _told(writer: Writer, interval_s: int) -> list[dict[int, MachineBlocks]]:
    """Return what each place of a writer tells of machines, by owner."""
    return [
        {machine.owner: machine for machine in one.machines} for one in writer.intervals(interval_s)
    ]


def _machines(
    told: Mapping[int, MachineBlocks],
    now: Mapping[int, MachineBlocks],
    kept: float,
    interval_s: int,
) -> dict[int, Blocks]:
    """Return the blocks of each machine that is looked at, as all records would have them."""
    minutes = max(1, interval_s // SECONDS_PER_MINUTE)
    found = {}
    for owner, machine in told.items():
        part = unthinned_ratio(sum(machine.square_bytes), sum(now[owner].square_bytes), kept)
        found[owner] = Blocks(
            np.array(machine.wire_bytes, dtype=np.float64),
            np.array(machine.square_bytes, dtype=np.float64) * part,
            np.array(machine.record_counts, dtype=np.float64) / part,
            np.array(machine.most_bytes, dtype=np.float64) * part,
            minutes,
        )
    return found


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
