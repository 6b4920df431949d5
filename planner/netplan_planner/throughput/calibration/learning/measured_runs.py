"""Measurements as a calibration takes them: in an order of their own, repeated runs as one probe.

Runs of one pair of places with one set-up count as one probe with the figure of their median run:
what they have in common they would otherwise say many times over.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import PathEnd, PathQuery
from netplan_planner.throughput import batch
from netplan_planner.throughput.batch import Columns
from netplan_planner.throughput.goodput.mean import Column
from netplan_planner.throughput.limits.path_limits import StaticLimits

ABOVE_RATIO = 1.05
"""Of a wall, which is 1.02 of the cap: what lies further above is of another cap."""
ABOVE = "above the documented cap: set Tier_1, the machine type, the platform and the date"
PAIR_HALF_LIFE_DAYS = 30.0
"""Of what a run says of its own pair of places. Two published grids 5 days apart bear out 13 days
and rule out less than 6; between 13 and never they cannot tell."""


class Measured(NamedTuple):
    """Measurements; one row is one direction of one run."""

    kinds: Sequence[PathQuery]
    limits: Sequence[StaticLimits]
    columns: Columns
    gbps: Column
    days: NDArray[np.int64]
    """The day of the run, as the number of days since 1970."""
    pair: NDArray[np.intp]
    """Number of the pair of places; -1 where they are not known."""
    pairs: Sequence[str]
    is_core_only: NDArray[np.bool_]
    """Whether a core was busy all the time: the figure is that of the core."""
    is_at_least: NDArray[np.bool_]
    """Whether a rate cap that was set on the run held it: the path carries that or more."""

    def rows(self, which: NDArray[np.intp]) -> "Measured":
        """Return some of the measurements."""
        return self._replace(
            columns=Columns._make(column[which] for column in self.columns),
            gbps=self.gbps[which],
            days=self.days[which],
            pair=self.pair[which],
            is_core_only=self.is_core_only[which],
            is_at_least=self.is_at_least[which],
        )


class Grouped(NamedTuple):
    """Measurements as probes: the median run of each path and set-up."""

    row: NDArray[np.intp]
    """The median run, as a row of the measurements."""
    age_days: Column
    """Of the newest run."""
    run_count: NDArray[np.intp]
    effective_count: Column
    """Runs as the newest one counts; older ones count for less."""


def usable(measured: Measured) -> NDArray[np.intp]:
    """Return the rows that something can be learnt from."""
    return np.flatnonzero(reasons(measured) == "")


def reasons(measured: Measured) -> NDArray[np.str_]:
    """Return why nothing can be learnt from rows, empty for the others.

    It takes a figure above 0, not above a documented cap, of a path whose limits are known.
    Without the sender's cap an answer holds only while it stays far below any cap.
    """
    found = batch.spread_columns(measured.kinds, measured.limits, measured.columns)
    is_above = measured.gbps > ABOVE_RATIO * found.wall_gbps
    unknown = np.array(["; ".join(one.unknown) for one in measured.limits], dtype=np.str_)
    why = unknown[measured.columns.kind]
    why = np.where((why == "") & ~(found.means.gbps > 0), batch.NO_RTT, why)
    why = np.where((why == "") & is_above, ABOVE, why)
    return np.where(measured.gbps > 0, why, "no value above 0")


def in_order(measured: Measured) -> Measured:
    """Return the measurements in an order that depends on what they say only."""
    used = np.unique(measured.columns.kind).tolist()
    texts = {at: _kind_text(measured.kinds[at]) for at in used}
    first = {text: at for at, text in reversed(texts.items())}
    kept = sorted(first)
    place = {text: at for at, text in enumerate(kept)}
    renumbered = np.zeros(len(measured.kinds), dtype=np.intp)
    renumbered[used] = [place[texts[at]] for at in used]
    kind = renumbered[measured.columns.kind]
    pairs = sorted({measured.pairs[at] for at in np.unique(measured.pair) if at >= 0})
    number = {pair: at for at, pair in enumerate(pairs)}
    renamed = [*(number.get(pair, -1) for pair in measured.pairs), -1]
    found = measured._replace(
        kinds=[_placeless(measured.kinds[first[text]]) for text in kept],
        limits=[measured.limits[first[text]] for text in kept],
        columns=measured.columns._replace(kind=kind),
        pairs=pairs,
        pair=np.array(renamed, dtype=np.intp)[measured.pair],
    )
    return found.rows(np.lexsort(_keys(found)[::-1]))


def fingerprint(measured: Measured) -> str:
    """Return a hash of measurements that are in order."""
    kinds = [_kind_text(kind) for kind in measured.kinds]
    digest = hashlib.sha256()
    columns = [column.tolist() for column in (*_keys(measured), measured.columns.kind)]
    for *numbers, kind in zip(*columns, strict=True):
        pair = int(numbers[1])
        named = measured.pairs[pair] if pair >= 0 else ""
        digest.update(f"{kinds[int(kind)]} {named} {numbers[2:]}\n".encode())
    return digest.hexdigest()


def grouped(measured: Measured, age_days: Column) -> Grouped:
    """Return measurements that are in order as probes; `age_days` is that of each."""
    found = batch.spread_columns(measured.kinds, measured.limits, measured.columns)
    ratio = measured.gbps / found.means.gbps
    undated = [_kind_text(msgspec.structs.replace(kind, as_of=None)) for kind in measured.kinds]
    number = {text: at for at, text in enumerate(sorted(set(undated)))}
    path = np.array([number[text] for text in undated])[measured.columns.kind]
    columns = measured.columns
    same = (
        path,
        measured.pair,
        *(
            np.nan_to_num(column.astype(float), nan=-1.0, posinf=-2.0)
            for column in (
                columns.streams,
                columns.window_bytes,
                columns.send_buffer_bytes,
                columns.transfer_bytes,
            )
        ),
        *(np.nan_to_num(np.round(c), nan=-1.0) for c in (columns.duration_s, columns.omit_s)),
        *(columns.is_both_ways, columns.is_sender_count, columns.late_rtts),
        *(measured.is_core_only, measured.is_at_least),
    )
    _, group = np.unique(np.column_stack(same), axis=0, return_inverse=True)
    group = group.reshape(-1)
    order = np.lexsort((ratio, group))
    rows, newest, count, effective = [], [], [], []
    for part in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        # Over the newest run's: weights of very old runs are all 0.
        weight = 0.5 ** ((age_days[part] - age_days[part].min()) / PAIR_HALF_LIFE_DAYS)
        reached = np.cumsum(weight)
        middle = int(np.searchsorted(reached, reached[-1] / 2))
        rows.append(int(part[min(middle, len(part) - 1)]))
        newest.append(float(age_days[part].min()))
        count.append(len(part))
        effective.append(float(reached[-1]))
    return Grouped(np.array(rows), np.array(newest), np.array(count), np.array(effective))


def _keys(measured: Measured) -> list[Column]:
    """Return what tells measurements apart, the most important first."""
    numbers = [
        np.nan_to_num(np.asarray(column, dtype=float), nan=-1.0, posinf=-2.0)
        for column in (
            measured.columns.kind,
            measured.pair,
            *measured.columns[1:],
            measured.days,
            measured.is_core_only,
            measured.is_at_least,
            measured.gbps,
        )
    ]
    return list(numbers)


def _kind_text(kind: PathQuery) -> str:
    return msgspec.json.encode(_placeless(kind)).decode()


def _placeless(kind: PathQuery) -> PathQuery:
    """Return a kind of path without its places, which no limit depends on."""

    def end(one: PathEnd) -> PathEnd:
        return msgspec.structs.replace(one, zone=None, region=None)

    return msgspec.structs.replace(kind, src=end(kind.src), dst=end(kind.dst))
