"""How long a run takes: its phases one after another, or together where they overlap.

Every machine has an equal share of the work. Phases that overlap share what they both use: the
sending side of the network (out, between), its receiving side (in, between) and the disk (in, out).
"""

from typing import NamedTuple

import numpy as np

from netplan_planner.model import JobNeed, JobPhase
from netplan_planner.optimise.job.rates import Column, Offers, end_of, moved_bytes
from netplan_planner.units import BITS_PER_BYTE, BITS_PER_GIGABIT, BYTES_PER_MIB

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
