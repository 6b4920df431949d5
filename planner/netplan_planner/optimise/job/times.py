"""How long a run of a job takes and how likely it ends in time, also on Spot machines."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from netplan_planner.model import JobNeed, JobPhase
from netplan_planner.optimise.job.rates import Column, Offers, end_of, moved_bytes
from netplan_planner.units import BITS_PER_BYTE, BITS_PER_GIGABIT, BYTES_PER_MIB, SECONDS_PER_DAY

QUANTILES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995)
"""Of the rates: both ends of the model's intervals at 0.99, 0.98, 0.95, 0.9, 0.8 and 0.5."""


def deadline_probability(
    deadline_s: float | None, seconds: Mapping[float, float], interruptions_per_day: float
) -> float | None:
    """Return the probability of meeting a deadline; None: there is no deadline.

    All rates stand at the same quantile; between two of them the probability is in proportion to
    the time, beyond the outermost it is theirs. On Spot machines: without any interruption.

    Args:
        deadline_s: From the start.
        seconds: What a run takes at each of `QUANTILES`.
        interruptions_per_day: Of all Spot machines together.
    """
    if deadline_s is None:
        return None
    times = np.array([seconds[q] for q in reversed(QUANTILES)])
    share = np.array([1 - q for q in reversed(QUANTILES)])
    times = np.maximum.accumulate(times)
    most_s = deadline_s * (1 + 1e-9)
    if times[-1] == times[0]:
        found = 1.0 if most_s >= times[0] else 0.0
    elif most_s < times[0]:
        found = float(share[0])
    else:
        at = int(np.searchsorted(times, most_s, side="right")) - 1
        found = float(share[at])
        if at + 1 < len(times):
            part = (most_s - times[at]) / (times[at + 1] - times[at])
            found += float(part * (share[at + 1] - share[at]))
    found *= math.exp(-interruptions_per_day / SECONDS_PER_DAY * deadline_s)
    return round(found, 4)


# What interruptions make of a run on Spot machines
#
# They come to each machine at a steady rate, one independent of another. Where each takes a known
# time of work with it, a run of `T` seconds takes `T / (1 - rate x (lost + start-up))`; where all
# work so far is lost, `(exp(rate x T) - 1) / rate`, the mean time until a run gets through.


_NEVER_S = 36_500 * SECONDS_PER_DAY
"""Nobody waits for a century."""


def is_coupled(need: JobNeed) -> bool:
    """Return whether the machines of a job wait for each other, so that one holds up all."""
    return need.between_bytes > 0 or need.parallel_ratio < 1


def expected_s(need: JobNeed, run_s: Column, per_day: float, machines: Column) -> Column:
    """Return the mean time of a run that so many machines must get through; infinite: never.

    Args:
        need: Start-up time and what an interruption takes with it.
        run_s: Without interruptions, start-up included.
        per_day: Interruptions of one machine.
        machines: How many of them hold the run up.
    """
    rate = per_day / SECONDS_PER_DAY * machines
    if per_day == 0:
        return run_s
    with np.errstate(over="ignore"):
        restarted = np.expm1(rate * run_s) / rate
    if need.lost_work_s is None:
        return _in_a_lifetime(restarted)
    left = 1 - rate * (need.lost_work_s + (need.startup_s or 0.0))
    with np.errstate(divide="ignore"):
        resumed = np.where(left > 0, run_s / np.maximum(left, 1e-300), np.inf)
    # No run loses more than all of it.
    return _in_a_lifetime(np.minimum(restarted, resumed))


def _in_a_lifetime(seconds: Column) -> Column:
    return np.where(seconds > _NEVER_S, np.inf, seconds)


def machine_s(need: JobNeed, run_s: Column, per_day: float, counts: Column) -> Column:
    """Return the mean time that one machine of a run is up."""
    machines = counts if is_coupled(need) else np.ones_like(counts)
    return expected_s(need, run_s, per_day, machines)


def finish_s(need: JobNeed, run_s: Column, per_day: float, counts: Column) -> Column:
    """Return the mean time until the last machine is done, at most: as if one held up all."""
    return expected_s(need, run_s, per_day, counts)


# How long a run takes: its phases one after another, or together where they overlap
#
# Every machine has an equal share of the work. Phases that overlap share what they both use: the
# sending side of the network (out, between), its receiving side (in, between) and the disk (in,
# out).


_SENDING = (JobPhase.OUT, JobPhase.BETWEEN)
_RECEIVING = (JobPhase.IN, JobPhase.BETWEEN)
_ON_DISK = (JobPhase.IN, JobPhase.OUT)


class Times(NamedTuple):
    """Seconds of a run; each member is an array of one shape."""

    phases: dict[JobPhase, Column]
    """Of each phase by itself."""
    network: dict[JobPhase, Column]
    """What its bytes take on the machines' own network alone."""
    other_end: dict[JobPhase, float]
    """What they take at the other end."""
    disk: dict[JobPhase, Column]
    total: Column
    """With the start-up."""


def run_times(offers: Offers, counts: Column, quantile: float | None = None) -> Times:
    """Return the times of a run on each machine (rows) and each number of them (columns).

    Args:
        offers: The machines.
        counts: Numbers of machines; one row, or one for each machine of its own.
        quantile: Of the rates, all at once; None: the likely ones.
    """
    need = offers.need
    network = {
        phase: _network_s(offers, phase, counts, quantile)
        for phase in (JobPhase.IN, JobPhase.BETWEEN, JobPhase.OUT)
    }
    other_end = {phase: _other_end_s(need, phase) for phase in JobPhase}
    disk = {phase: _disk_s(need, phase, counts) for phase in JobPhase}
    phases = {
        phase: np.maximum(np.maximum(alone, other_end[phase]), disk[phase])
        for phase, alone in network.items()
    }
    serial_s = need.cpu_seconds * (1 - need.parallel_ratio)
    shared_s = need.cpu_seconds * need.parallel_ratio
    phases[JobPhase.COMPUTE] = serial_s + shared_s / (counts * offers.vcpus[:, None])
    together = [phase for phase in JobPhase if phase in need.overlap]
    used = [
        *(phases[phase] for phase in together),
        *(
            sum((times[phase] for phase in shared if phase in together), np.zeros_like(counts))
            for times, shared in ((network, _SENDING), (network, _RECEIVING), (disk, _ON_DISK))
        ),
    ]
    total = np.full_like(phases[JobPhase.COMPUTE], need.startup_s or 0.0)
    total = total + np.max(np.stack([u + np.zeros_like(total) for u in used]), axis=0)
    for phase in JobPhase:
        if phase not in together:
            total = total + phases[phase]
    return Times(phases, network, other_end, disk, total)


def _network_s(offers: Offers, phase: JobPhase, counts: Column, quantile: float | None) -> Column:
    """Return what the bytes of a phase take on each machine's own network."""
    gbit = _gbit(offers.need, phase, counts) / counts
    each = np.broadcast_to(gbit, (len(offers.rows), gbit.shape[1]))
    sent_bytes = np.maximum(each * BITS_PER_GIGABIT / BITS_PER_BYTE, 1.0)
    return each / offers.gbps(phase, sent_bytes, quantile)


def _gbit(need: JobNeed, phase: JobPhase, counts: Column) -> Column:
    """Return what crosses the network in a phase; of a shuffle not what a machine sends itself."""
    gbit = np.full_like(counts, moved_bytes(need, phase) * BITS_PER_BYTE / BITS_PER_GIGABIT)
    return gbit * (counts - 1) / counts if phase is JobPhase.BETWEEN else gbit


def _other_end_s(need: JobNeed, phase: JobPhase) -> float:
    most = end_of(need, phase).total_gbps
    if most is None:
        return 0.0
    return moved_bytes(need, phase) * BITS_PER_BYTE / (most * BITS_PER_GIGABIT)


def _disk_s(need: JobNeed, phase: JobPhase, counts: Column) -> Column:
    if need.disk_mib_per_s is None or phase not in _ON_DISK:
        return np.zeros_like(counts)
    return moved_bytes(need, phase) / (counts * need.disk_mib_per_s * BYTES_PER_MIB)
