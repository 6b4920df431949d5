"""One cell of the grid as an answer: phases, times with their interval, the bill, the odds."""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal

import numpy as np

from netplan_planner.model import JobNeed, JobOption, JobPhase, PhaseTime, Usage, total_usd
from netplan_planner.optimise.bill import COMMITTED
from netplan_planner.optimise.job import spot
from netplan_planner.optimise.job.cost import bill, billed_s, committed_sets, up_s
from netplan_planner.optimise.job.grid import FAST_QUANTILE, SLOW_QUANTILE, Cell
from netplan_planner.optimise.job.rates import HourPrices, Offer, Offers, bound_by, moved_bytes
from netplan_planner.optimise.job.times import Times, run_times
from netplan_planner.optimise.odds import QUANTILES, deadline_probability
from netplan_planner.units import BITS_PER_BYTE, BITS_PER_GIGABIT, SECONDS_PER_HOUR, counted

DISK, OTHER_END, VCPUS, SERIAL = "disk", "other-end", "vcpus", "serial-work"
_ARM = "ARM64"


def options_at(
    offers: Offers, usage: Usage, prices: Sequence[HourPrices | None], cells: Sequence[Cell]
) -> tuple[JobOption, ...]:
    """Return cells with a price as answers."""
    if not cells:
        return ()
    chosen = Offers(offers.need, [offers.rows[cell.row] for cell in cells], offers.caps)
    counts = np.array([[float(cell.machine_count)] for cell in cells])
    likely = run_times(chosen, counts)
    by_quantile = {q: run_times(chosen, counts, q).total[:, 0] for q in QUANTILES}
    found = []
    for at, cell in enumerate(cells):
        price = prices[cell.row]
        assert price is not None
        seconds = {q: float(column[at]) for q, column in by_quantile.items()}
        found.append(_option(chosen.rows[at], chosen.need, usage, price, cell, likely, at, seconds))
    return tuple(found)


def _option(
    offer: Offer,
    need: JobNeed,
    usage: Usage,
    price: HourPrices,
    cell: Cell,
    likely: Times,
    at: int,
    seconds: dict[float, float],
) -> JobOption:
    run_s = float(likely.total[at, 0])
    slow_s, fast_s = max(seconds[SLOW_QUANTILE], run_s), min(seconds[FAST_QUANTILE], run_s)
    low, mean, high = (
        _finish_s(need, usage, s, cell.machine_count) for s in (fast_s, run_s, slow_s)
    )
    is_endless = not math.isfinite(high)
    lines = bill(offer, need, usage, price, run_s, cell.machine_count)
    runs = Decimal(str(need.runs_per_month or 1))
    usd = total_usd(lines)
    low_usd, high_usd = (
        total_usd(bill(offer, need, usage, price, s, cell.machine_count)) / runs
        for s in (fast_s, run_s if is_endless else slow_s)
    )
    one = np.array([[run_s]])
    up = up_s(need, usage, one, np.array([[float(cell.machine_count)]]))
    billed = int(billed_s(up)[0, 0])
    return JobOption(
        machine_type=offer.shape.machine_type,
        count=cell.machine_count,
        is_tier1=offer.cap.is_tier1,
        cpu_platform=offer.cap.min_cpu_platform,
        usage=usage,
        vcpus=offer.shape.vcpus,
        memory_gib=offer.shape.memory_gib,
        phases=_phases(offer, need, likely, at, cell.machine_count),
        duration_s=mean,
        low_duration_s=low,
        high_duration_s=None if is_endless else high,
        billed_s=billed,
        machine_hours_per_run=Decimal(billed * cell.machine_count) / SECONDS_PER_HOUR,
        usd_per_hour=price.usd,
        usd_per_run=usd / runs,
        low_usd_per_run=low_usd,
        high_usd_per_run=None if is_endless else high_usd,
        usd_per_month=usd if need.runs_per_month else None,
        deadline_probability=_probability(need, usage, seconds, cell.machine_count),
        line_items=lines,
        note=_note(offer, need, usage, run_s, cell.machine_count),
    )


def _finish_s(need: JobNeed, usage: Usage, run_s: float, count: int) -> float:
    if usage is not Usage.SPOT:
        return run_s
    per_day = need.interruptions_per_day or 0.0
    found = spot.finish_s(need, np.array([[run_s]]), per_day, np.array([[float(count)]]))
    return float(found[0, 0])


def _probability(
    need: JobNeed, usage: Usage, seconds: Mapping[float, float], count: int
) -> float | None:
    per_day = (need.interruptions_per_day or 0.0) * count if usage is Usage.SPOT else 0.0
    return deadline_probability(need.deadline_s, seconds, per_day)


def _phases(
    offer: Offer, need: JobNeed, times: Times, row: int, count: int
) -> tuple[PhaseTime, ...]:
    """Return the phases of a run that take any time, by themselves."""
    found = []
    for phase in JobPhase:
        seconds = float(times.phases[phase][row, 0])
        if seconds <= 0:
            continue
        gbps = None
        if phase is not JobPhase.COMPUTE:
            sent = moved_bytes(need, phase) * BITS_PER_BYTE / BITS_PER_GIGABIT / count
            share = (count - 1) / count if phase is JobPhase.BETWEEN else 1.0
            gbps = sent * share / seconds
        bound = _bound(offer, need, times, phase, row, count)
        found.append(PhaseTime(phase=phase, duration_s=seconds, gbps=gbps, bound_by=bound))
    return tuple(found)


def _bound(offer: Offer, need: JobNeed, times: Times, phase: JobPhase, row: int, count: int) -> str:
    if phase is JobPhase.COMPUTE:
        serial = need.cpu_seconds * (1 - need.parallel_ratio)
        shared = need.cpu_seconds * need.parallel_ratio / (count * offer.shape.vcpus)
        return SERIAL if serial > shared else VCPUS
    seconds = float(times.phases[phase][row, 0])
    if times.other_end[phase] >= seconds:
        return OTHER_END
    if float(np.broadcast_to(times.disk[phase], times.phases[phase].shape)[row, 0]) >= seconds:
        return DISK
    return bound_by(offer, need, phase)


def _note(offer: Offer, need: JobNeed, usage: Usage, run_s: float, count: int) -> str:
    arm = "Arm: needs an Arm image" if offer.shape.architecture == _ARM else ""
    notes = [arm, offer.cap.caution if need.in_bytes + need.out_bytes + need.between_bytes else ""]
    if usage in COMMITTED:
        paid = counted(count * committed_sets(need, run_s), "machine")
        notes.append(f"{paid} paid all month, used or not")
    return "; ".join(filter(None, notes))
