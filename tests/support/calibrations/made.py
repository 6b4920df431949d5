"""Calibrations for tests: made from a few probes, and what predictions become under them."""

import math
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

import msgspec
import numpy as np
from numpy.typing import NDArray

from netplan_planner import model
from netplan_planner.throughput import load_caps, predict
from netplan_planner.throughput.batch import Columns, kind_limits
from netplan_planner.throughput.calibration.factors.calibrated import pair_of
from netplan_planner.throughput.calibration.factors.calibrated_caps import CalibratedCaps
from netplan_planner.throughput.calibration.learning.calibration import Fitted, fitted
from netplan_planner.throughput.calibration.learning.measured_runs import Measured
from support.paths.queries import DAY, gbps, path

_EPOCH = date(1970, 1, 1)
AWS = model.PathEnd(machine_type=None, cloud="aws")
EMPTY = model.Calibration(as_of=DAY, measurement_count=0, probe_count=0, fingerprint="")


class Probe(model.Value, frozen=True, kw_only=True):
    """A path with streams, times and places, and what one run over it gave."""

    query: model.PathQuery
    gbps: float
    day: date = DAY
    is_core_only: bool = False
    """A core was busy all the time."""
    is_at_least: bool = False
    """A rate cap that was set on the run held it."""


Runs = Sequence[Probe]


def probe(
    query: model.PathQuery, ratio: float, *, days_ago: int = 0, runs: int = 1, **more: bool
) -> list[Probe]:
    """Return alike runs that gave a multiple of what the model says of the path that day."""
    day = DAY - timedelta(days=days_ago)
    one = Probe(query=query, gbps=ratio * gbps(query, day), day=day)
    return [msgspec.structs.replace(one, **more)] * runs


def on_pairs(
    query: model.PathQuery, ratios: Iterable[float], *, runs: int = 3, days_ago: int = 0
) -> list[Probe]:
    """Return runs of one set-up on a pair of places for each ratio."""
    return [
        one
        for number, ratio in enumerate(ratios)
        for one in probe(placed(query, number), ratio, runs=runs, days_ago=days_ago)
    ]


def placed(query: model.PathQuery, number: int) -> model.PathQuery:
    """Return a path between the places of a pair that has a number."""
    src, dst = (
        msgspec.structs.replace(one, zone=model.Zone(f"{side}-{number}-a"))
        for one, side in ((query.src, "here"), (query.dst, "there"))
    )
    return msgspec.structs.replace(query, src=src, dst=dst)


def window_bound(machine_type: str = "n2-standard-32", **more: object) -> model.PathQuery:
    """Return one stream over 100 ms between our machines: its window holds it back."""
    told = {"rtt_ms": 100.0, "duration_s": 60.0, **more}
    return path("inter-region-internal", machine_type, **told)


def with_set_ups(
    query: model.PathQuery,
    *,
    image: str = "",
    control: str = "",
    buffer_bytes: int | None = None,
    sent_bytes: int | None = None,
) -> model.PathQuery:
    """Return a path whose receiver has an image, whose sender a congestion control."""
    sending = model.SetUp(congestion_control=control, send_buffer_bytes=sent_bytes)
    receiving = model.SetUp(image=image, receive_buffer_bytes=buffer_bytes)
    return msgspec.structs.replace(
        query,
        src=msgspec.structs.replace(query.src, set_up=sending),
        dst=msgspec.structs.replace(query.dst, set_up=receiving),
    )


def at_wall(machine_type: str = "n2-standard-32", **more: object) -> model.PathQuery:
    """Return many streams inside a zone: the machine's cap holds them back."""
    told = {"streams": 16, "rtt_ms": 0.2, "duration_s": 10.0, **more}
    return path("same-zone-internal", machine_type, **told)


def to_aws(machine_type: str = "n2-standard-32", **more: object) -> model.PathQuery:
    """Return one stream to another cloud, whose window nobody knows."""
    query = window_bound(machine_type, **more)
    return msgspec.structs.replace(query, path_class=model.PathClass.INTERNET, dst=AWS)


def aws_wall(machine_type: str = "n2-standard-32", **more: object) -> model.PathQuery:
    """Return many streams to another cloud: the cap for the outside holds them back."""
    return to_aws(machine_type, **{"streams": 64, "rtt_ms": 20.0, **more})


def measured(probes: Iterable[Probe]) -> Measured:
    """Return probes as measurements, in their order."""
    rows = list(probes)
    queries = [one.query for one in rows]
    kinds: dict[model.PathQuery, int] = {}
    pairs: dict[str, int] = {}
    which, pair = [], []
    for one in rows:
        query = one.query
        kind = model.PathQuery(
            path_class=query.path_class, src=query.src, dst=query.dst, as_of=one.day, pod=query.pod
        )
        which.append(kinds.setdefault(kind, len(kinds)))
        key = pair_of(query)
        pair.append(-1 if key is None else pairs.setdefault(key, len(pairs)))
    rtt = _numbers([query.rtt_ms for query in queries])
    return Measured(
        kinds=list(kinds),
        limits=kind_limits(list(kinds)),
        columns=Columns(
            kind=np.array(which, dtype=np.intp),
            window_bytes=_numbers([query.window_bytes for query in queries]),
            send_buffer_bytes=_numbers([query.send_buffer_bytes for query in queries]),
            streams=_numbers([query.streams for query in queries]),
            rtt_ms=rtt,
            low_rtt_ms=rtt,
            high_rtt_ms=rtt,
            duration_s=_numbers([query.duration_s for query in queries]),
            omit_s=_numbers([query.omit_s for query in queries]),
            transfer_bytes=_numbers([query.transfer_bytes for query in queries]),
            is_both_ways=_flags([query.is_both_ways for query in queries]),
            is_sender_count=_flags([query.is_sender_count for query in queries]),
            late_rtts=_numbers([query.late_rtts for query in queries]),
        ),
        gbps=_numbers([one.gbps for one in rows]),
        days=np.array([(one.day - _EPOCH).days for one in rows], dtype=np.int64),
        pair=np.array(pair, dtype=np.intp),
        pairs=list(pairs),
        is_core_only=_flags([one.is_core_only for one in rows]),
        is_at_least=_flags([one.is_at_least for one in rows]),
    )


def _numbers(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array([math.nan if value is None else value for value in values], dtype=float)


def _flags(values: Sequence[bool]) -> NDArray[np.bool_]:
    return np.array(values, dtype=bool)


def fit(*groups: Runs, as_of: date = DAY) -> Fitted:
    """Return what groups of runs teach, with what each probe taught."""
    return fitted(measured(one for group in groups for one in group), as_of=as_of)


def learnt(*groups: Runs, as_of: date = DAY) -> model.Calibration:
    """Return what groups of runs teach."""
    return fit(*groups, as_of=as_of).calibration


def shared_factor(calibration: model.Calibration, name: str) -> model.Learnt:
    """Return the one shared factor of a name."""
    (found,) = [one for one in calibration.latents if one.name == name]
    return found


def under(calibration: model.Calibration, day: date = DAY) -> CalibratedCaps:
    """Return the limits of a day with a calibration."""
    return CalibratedCaps(load_caps(day), calibration)


def corrected(
    query: model.PathQuery, calibration: model.Calibration, *, level: float = 0.9
) -> model.Estimate:
    """Return the answer of the command with a calibration."""
    return predict(query, under(calibration), may_assume=True, level=level)


def corrected_gbps(query: model.PathQuery, calibration: model.Calibration) -> float:
    """Return the value of a path that has one."""
    found = corrected(query, calibration).gbps
    assert found is not None
    return found


def figures(found: model.Estimate) -> tuple[float, float, float]:
    """Return value, low and high of an answer that has them."""
    assert found.gbps is not None
    assert found.low_gbps is not None
    assert found.high_gbps is not None
    return found.gbps, found.low_gbps, found.high_gbps


def log_width(found: model.Estimate) -> float:
    """Return how wide an interval is, on a logarithmic scale."""
    _, low, high = figures(found)
    return math.log(high / low)


def moved(query: model.PathQuery, calibration: model.Calibration) -> float:
    """Return a calibrated value over the plain one."""
    return corrected_gbps(query, calibration) / gbps(query)
