"""The least sampling ratios at which the 95th percentiles of machines hold.

What a machine sends is told by one place, its subnetwork, or, where that does not log, by those of
its receivers. Then the percentile is of all parts together, and each part keeps the ratio that all
of them would need: with more of another part the error is less.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from netplan_planner.engine.flow_logs.cost import has_metadata
from netplan_planner.engine.flow_logs.writers import Writer, settings_of
from netplan_planner.model import Facts
from netplan_planner.model.flow_log_bill import LogGoal
from netplan_planner.model.log_volume import INTERVALS_S, MachineBlocks
from netplan_planner.optimise.sampling_error import (
    Blocks,
    Floats,
    least_ratio,
    p95_of,
    unthinned_ratio,
)
from netplan_planner.units import SECONDS_PER_MINUTE


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
    assert facts.traffic is not None
    p95 = p95_of(baseline, facts.traffic.observed_minutes)
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
