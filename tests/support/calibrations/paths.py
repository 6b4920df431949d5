"""Several calibrations that differ much, for what must hold under any of them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Calibration, PathQuery
from netplan_planner.throughput.batch import Predictions, kind_limits, predict_columns
from netplan_planner.throughput.calibration.factors.calibrated_caps import CalibratedCaps
from netplan_planner.throughput.goodput.intervals import factors_at
from support.calibrations.made import (
    at_wall,
    aws_wall,
    learnt,
    on_pairs,
    to_aws,
    under,
    window_bound,
)
from support.calibrations.worlds import PROBED, drawn_world
from support.made_once import made_once
from support.paths.queries import Table, path

Value = TypeVar("Value")


class Lazily(Mapping[str, Value], Generic[Value]):
    """Values by name, each made when it is first asked for: the names alone cost nothing."""

    def __init__(self, makers: Mapping[str, Callable[[], Value]]) -> None:
        self._makers = makers
        self._made: dict[str, Value] = {}

    def __getitem__(self, name: str) -> Value:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def _far_apart(ratio: float) -> Calibration:
    """Return what one ratio of everything teaches, on long and short paths of many classes."""
    short = ("same-zone", "inter-zone")
    queries = [
        *(path(f"{one}-internal", "n2-standard-32", streams=16, rtt_ms=0.3) for one in short),
        *(path(f"{one}-external", "n1-standard-4", streams=16, rtt_ms=0.3) for one in short),
        path("inter-region-internal", "n2-standard-32", streams=64, rtt_ms=30.0),
        path("inter-region-external", "n2-standard-32", streams=64, rtt_ms=30.0),
        path("internet", "n2-standard-8", streams=64, rtt_ms=30.0),
        path("internet", "n2-standard-8", streams=32, rtt_ms=140.0, duration_s=5.0),
    ]
    return learnt(*(on_pairs(query, [ratio] * 3) for query in queries))


def _world(seed: int) -> Calibration:
    def learn() -> Calibration:
        world = drawn_world(seed)
        return learnt(*(list(world.probes(query, range(2))) for query in PROBED))

    return made_once(f"world-{seed}", learn)


CALIBRATIONS: Mapping[str, Calibration] = Lazily(
    {
        "low wall": lambda: learnt(on_pairs(at_wall(), [0.5] * 5)),
        "small window": lambda: learnt(
            on_pairs(to_aws(), [0.5] * 3), on_pairs(window_bound(), [0.9] * 3)
        ),
        "great window": lambda: learnt(
            on_pairs(to_aws(), [1.9] * 3), on_pairs(aws_wall(), [1.1] * 3)
        ),
        "all low": lambda: _far_apart(0.7),
        "all high": lambda: _far_apart(1.3),
        "a world": lambda: _world(1),
        "another": lambda: _world(8),
    }
)


def answers(
    table: Table, caps: CalibratedCaps, kinds: list[PathQuery] | None = None, **changed: Any
) -> Predictions:
    """Return the predictions of a table with a calibration, with some columns in place of its own.

    Args:
        table: The paths; they have no places.
        caps: The calibration.
        kinds: In place of the table's own.
        changed: Columns.
    """
    kinds = list(table.kinds) if kinds is None else kinds
    limits = kind_limits(kinds)
    pairs = caps.corrector.of_pairs([None] * len(table.columns.kind))
    probed = caps.corrector.probed(kinds, limits, pairs)
    columns = table.columns._replace(**changed)
    return predict_columns(kinds, limits, columns, factors_at(0.9), probed)


def values(table: Table, calibration: Calibration, **changed: Any) -> NDArray[np.float64]:
    """Return the values only."""
    return answers(table, under(calibration), **changed).gbps
