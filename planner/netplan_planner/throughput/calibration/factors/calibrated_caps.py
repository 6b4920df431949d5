"""A caps table with a calibration: whoever predicts with it predicts with what probes taught."""

import math
from collections.abc import Iterator, Sequence
from datetime import date

import msgspec

from netplan_planner import model
from netplan_planner.throughput.calibration.factors import shared_factors
from netplan_planner.throughput.calibration.factors.calibrated import (
    HALF_LIFE_DAYS,
    Corrector,
    Probed,
    pair_of,
)
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.goodput.mean import WINDOW as WINDOW_LIMIT
from netplan_planner.throughput.limits.path_limits import StaticLimits
from netplan_planner.units import counted

SEEN_RATIO = 0.005
"""Nearer to 1 a factor is not worth a word."""
_WINDOWS = (
    shared_factors.SLOTS[shared_factors.WINDOW],
    shared_factors.SLOTS[shared_factors.WINDOW_OF_TYPE],
)


class CalibratedCaps:
    """A caps table together with what probes taught of the limits: a `CapsBook` like any other."""

    def __init__(self, caps: model.CapsBook, calibration: model.Calibration) -> None:
        self._caps = caps
        self.corrector = Corrector(calibration)

    def knows_pair(self, query: model.PathQuery) -> bool:
        """Return whether probes told something of the very places of a path."""
        return self.corrector.knows_pair(pair_of(query))

    @property
    def as_of(self) -> date:
        """The date whose limits it answers with."""
        return self._caps.as_of

    @property
    def without(self) -> frozenset[str]:
        """The campaigns whose measurements it does not use."""
        return self._caps.without

    @property
    def source_date(self) -> date:
        """The newest source date in the table."""
        return self._caps.source_date

    def cap(
        self, machine_type: str, *, tier1: bool = False, cpu_platform: str | None = None
    ) -> model.EgressCap | None:
        """Return the documented cap."""
        return self._caps.cap(machine_type, tier1=tier1, cpu_platform=cpu_platform)

    def variants(self, machine_type: str) -> Sequence[model.EgressCap]:
        """Return every documented variant of a type."""
        return self._caps.variants(machine_type)

    def unknown_reason(
        self, machine_type: str, *, tier1: bool = False, cpu_platform: str | None = None
    ) -> str:
        """Return why `cap` answers None, in words for a report."""
        return self._caps.unknown_reason(machine_type, tier1=tier1, cpu_platform=cpu_platform)

    def measured(self, path_class: model.PathClass) -> Sequence[model.MeasuredLimit]:
        """Return the measured limits of a path class that ship."""
        return self._caps.measured(path_class)


def corrector_of(caps: model.CapsBook) -> Corrector:
    """Return what caps know of probes: nothing, where they follow no calibration."""
    if isinstance(caps, CalibratedCaps):
        return caps.corrector
    nothing = model.Calibration(
        as_of=caps.as_of, measurement_count=0, probe_count=0, fingerprint=""
    )
    return Corrector(nothing)


def probed_paths(
    queries: Sequence[model.PathQuery], found: Sequence[StaticLimits], caps: model.CapsBook
) -> Probed | None:
    """Return what probes taught of paths with such limits; None without a calibration."""
    if not isinstance(caps, CalibratedCaps):
        return None
    pairs = caps.corrector.of_pairs([pair_of(query) for query in queries])
    return caps.corrector.probed(queries, found, pairs)


def corrected_limits(
    limits: Sequence[model.Limit], query: model.PathQuery, found: StaticLimits, caps: model.CapsBook
) -> list[model.Limit]:
    """Return limits as probes found them, with the factor in their details."""
    if not isinstance(caps, CalibratedCaps):
        return list(limits)
    learnt = caps.corrector.shared(query, found)
    own = caps.corrector.pair_ratios(pair_of(query))
    return [_corrected(limit, learnt, own, query) for limit in limits]


def calibration_note(caps: model.CapsBook) -> Iterator[str]:
    """Yield what a report says of the calibration that its predictions follow, if there is one."""
    if not isinstance(caps, CalibratedCaps):
        return
    made = caps.corrector.calibration
    yield (
        f"Predictions follow a calibration of {made.as_of} by"
        f" {counted(made.measurement_count, 'measurement')}{_age(caps)}."
    )


def said_of_path(
    query: model.PathQuery, found: StaticLimits, caps: model.CapsBook
) -> Iterator[str]:
    """Yield what a prediction rests on besides documents, in words."""
    if not isinstance(caps, CalibratedCaps):
        return
    made = caps.corrector.calibration
    count = counted(made.measurement_count, "measurement")
    text = f"calibrated by {count} as of {made.as_of}{_age(caps)}"
    own = caps.corrector.pair_ratios(pair_of(query))
    for name, ratio in own.items():
        if abs(ratio - 1) > SEEN_RATIO:
            text += f"; this pair of places has {ratio:.3g} of the usual {name}"
    yield text


def _age(caps: CalibratedCaps) -> str:
    days = abs((caps.as_of - caps.corrector.calibration.as_of).days)
    return f", {days:,} days from the requested day: measure again" if days > HALF_LIFE_DAYS else ""


def _corrected(
    limit: model.Limit,
    learnt: dict[str, model.Learnt],
    own: dict[str, float],
    query: model.PathQuery,
) -> model.Limit:
    """Return a limit times what probes said of it, of its class and of its pair of places."""
    is_window = limit.name == LIMITS[WINDOW_LIMIT]
    names = [*_WINDOWS] if is_window else [limit.name, shared_factors.SLOTS[shared_factors.SITE]]
    if limit.name == shared_factors.SLOTS[shared_factors.EGRESS]:
        names.append(shared_factors.SLOTS[shared_factors.BETWEEN])
    told = [learnt[name] for name in names if name in learnt]
    ratio = math.prod(one.ratio for one in told)
    ratio *= own.get(shared_factors.SLOTS[shared_factors.WINDOW] if is_window else limit.name, 1.0)
    if abs(ratio - 1) <= SEEN_RATIO or (is_window and query.window_bytes is not None):
        return limit
    count = max((one.value_count for one in told), default=0) or 1
    said = f"{limit.gbps:.3g} × {ratio:.3g} by {counted(count, 'probe')}"
    return msgspec.structs.replace(
        limit,
        gbps=limit.gbps * ratio,
        low_gbps=limit.low_gbps * ratio if limit.low_gbps is not None else None,
        high_gbps=limit.high_gbps * ratio if limit.high_gbps is not None else None,
        detail=f"{limit.detail}, {said}" if limit.detail else said,
    )
