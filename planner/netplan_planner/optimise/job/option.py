"""One cell of the grid as an answer: phases, times with their interval, the bill, the odds."""

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

import numpy as np
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.model import JobNeed, JobOption, JobPhase, PhaseTime, Usage, total_usd
from netplan_planner.optimise.bill import COMMITTED
from netplan_planner.optimise.job import times
from netplan_planner.optimise.job.grid import (
    FAST_QUANTILE,
    SLOW_QUANTILE,
    Cell,
    Grid,
    bill,
    billed_s,
    committed_sets,
    grid,
    in_time,
    up_s,
)
from netplan_planner.optimise.job.rates import (
    HourPrices,
    Offer,
    Offers,
    bound_by,
    moved_bytes,
    offers_for,
    priced,
)
from netplan_planner.optimise.job.times import (
    QUANTILES,
    Times,
    deadline_probability,
    machine_s,
    run_times,
)
from netplan_planner.units import (
    BITS_PER_BYTE,
    BITS_PER_GIGABIT,
    HOURS_PER_DAY,
    HOURS_PER_MONTH,
    SECONDS_PER_HOUR,
    counted,
)

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
    found = times.finish_s(need, np.array([[run_s]]), per_day, np.array([[float(count)]]))
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
        paid = counted(count * committed_sets(need, run_s), "VM")
        notes.append(f"{paid} billed for the full month, used or not")
    return "; ".join(filter(None, notes))


# What else a plan shows: other ways to pay, the sizes of its family, an autoscaler's hours


WAYS = (model.Usage.ON_DEMAND, model.Usage.SPOT, model.Usage.CUD_1Y, model.Usage.CUD_3Y)
NO_RATE = (
    "Google documents no interruption rate of Spot VMs. Set it with --spot-interruptions-per-day."
    " See compute.advice.capacityHistory for your type and zone, or use what you observed"
)
ONCE = "a commitment lasts years, but this job runs once: give --runs-per-day"
_MOST_PER_DAY = 1e5
_HALVINGS = 60
_ALIKE = 1 + 1e-9


def payments(offers: Offers, prices: model.PriceBook, chosen: Grid) -> Iterator[model.JobPayment]:
    """Yield each way to pay with its own cheapest machines that meet the deadline."""
    need = offers.need
    ways = {usage: _grid(offers, prices, usage, chosen) for usage in WAYS}
    on_demand = ways[model.Usage.ON_DEMAND]
    basis = on_demand.best(in_time(on_demand.finish_s, need.deadline_s))
    for usage, found in ways.items():
        why = _cannot(need, usage)
        cell = None if why else found.best(in_time(found.finish_s, need.deadline_s))
        if not why and cell is None:
            why = "no VM that meets the deadline has such a price"
        options = options_at(offers, usage, found.prices, [cell] if cell else [])
        yield model.JobPayment(
            usage=usage,
            option=options[0] if options else None,
            unknown=why,
            break_even_interruptions_per_day=(
                _break_even_rate(on_demand, found, basis)
                if basis and usage is model.Usage.SPOT
                else None
            ),
            break_even_runs_per_day=(
                _break_even_runs(on_demand, found, basis) if basis and usage in COMMITTED else None
            ),
        )


def _grid(offers: Offers, prices: model.PriceBook, usage: model.Usage, chosen: Grid) -> Grid:
    if usage is chosen.usage:
        return chosen
    return grid(offers, usage, priced(offers, prices, usage)[0], chosen.usd.shape[1])


def _cannot(need: model.JobNeed, usage: model.Usage) -> str:
    if usage is model.Usage.SPOT and need.interruptions_per_day is None:
        return NO_RATE
    return ONCE if usage in COMMITTED and need.runs_per_month is None else ""


def _break_even_rate(on_demand: Grid, spot: Grid, cell: Cell) -> float | None:
    """Return the interruptions of one machine a day up to which it costs less than on demand."""
    price, need = spot.prices[cell.row], spot.offers.need
    if price is None:
        return None
    budget = float(on_demand.usd[cell.row, cell.machine_count - 1])
    counts = np.array([[float(cell.machine_count)]])
    run_s = np.array([[on_demand.run_s[cell.row, cell.machine_count - 1]]])

    def is_cheaper(per_day: float) -> bool:
        up = billed_s(machine_s(need, run_s, per_day, counts))
        return bool(up[0, 0] / SECONDS_PER_HOUR * cell.machine_count * float(price.usd) <= budget)

    low, high = 0.0, _MOST_PER_DAY
    if not is_cheaper(low) or is_cheaper(high):
        return None
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_cheaper(middle) else (low, middle)
    return low


def _break_even_runs(on_demand: Grid, committed: Grid, cell: Cell) -> float | None:
    """Return the runs a day from which one set of machines that is committed costs less."""
    price, own = committed.prices[cell.row], on_demand.prices[cell.row]
    if price is None or own is None:
        return None
    month = float(price.machine.usd) * HOURS_PER_MONTH * cell.machine_count
    hours = float(billed_s(on_demand.run_s[cell.row, cell.machine_count - 1])) / SECONDS_PER_HOUR
    # Commitments do not cover the Tier_1 fee: it is paid by the hour in both.
    saved = hours * cell.machine_count * float(own.machine.usd)
    return month / saved / (HOURS_PER_MONTH / HOURS_PER_DAY)


def sizes(found: Grid, cell: Cell) -> tuple[tuple[model.JobSize, ...], str]:
    """Return the sizes of a machine's family, smallest first, and up to which bigger is cheaper.

    As many of each as the cell has, at the likely rates, whatever the deadline.
    """
    family = [
        row
        for row in _family(found, cell.row)
        if np.isfinite(found.usd[row, cell.machine_count - 1])
    ]
    if len(family) < 2:
        return (), ""
    cells = [Cell(row, cell.machine_count) for row in family]
    options = options_at(found.offers, found.usage, found.prices, cells)
    cheapest, least = "", np.inf
    listed = []
    for row, option in zip(family, options, strict=True):
        longest = max(option.phases, key=lambda one: one.duration_s, default=None)
        listed.append(
            model.taken(model.JobSize, option, bound_by=longest.bound_by if longest else "")
        )
        usd = float(found.usd[row, cell.machine_count - 1])
        if usd <= least * _ALIKE:
            cheapest, least = option.machine_type, usd
    return tuple(listed), cheapest


def _family(found: Grid, row: int) -> Sequence[int]:
    """Return the rows of a machine's family without Tier_1, one a type, by vCPUs."""
    rows = found.offers.rows
    name = rows[row].shape.machine_type.rpartition("-")[0]
    by_type: dict[str, int] = {}
    for at, offer in enumerate(rows):
        own = offer.shape.machine_type
        if own.rpartition("-")[0] == name and not offer.cap.is_tier1:
            by_type.setdefault(own, at)
    return sorted(by_type.values(), key=lambda at: rows[at].shape.vcpus)


def hours_a_day(need: model.JobNeed, option: model.JobOption | None) -> model.JobHours | None:
    """Return what an autoscaler runs in a day; None for a job that runs once."""
    if option is None or option.usd_per_month is None or need.runs_per_month is None:
        return None
    days = HOURS_PER_MONTH / HOURS_PER_DAY
    hours = float(option.machine_hours_per_run) * need.runs_per_month / days
    return model.JobHours(
        machine_type=option.machine_type,
        count=option.count,
        vm_hours_per_day=hours,
        vcpu_hours_per_day=hours * option.vcpus,
        mean_machine_count=hours / HOURS_PER_DAY,
        usd_per_day=option.usd_per_month * HOURS_PER_DAY / HOURS_PER_MONTH,
    )


def baseline(
    need: model.JobNeed, prices: model.PriceBook, caps: model.CapsBook
) -> tuple[model.JobOption | None, str]:
    """Return what the machines in use make of the job on demand, or why that is not known."""
    if need.baseline_type is None:
        return None, ""
    own = replace(
        need, machine_types=(need.baseline_type,), memory_gib=0.0, usage=model.Usage.ON_DEMAND
    )
    found = offers_for(own, prices, caps)
    rates, missing = priced(found.offers, prices, model.Usage.ON_DEMAND)
    plain = [at for at, one in enumerate(found.offers.rows) if not one.cap.is_tier1 and rates[at]]
    if not plain:
        why = [one.detail for one in (*found.unknown, *missing)]
        return None, f"the change of {need.baseline_type} is unknown: {'; '.join(why)}"
    cell = Cell(plain[0], need.baseline_count)
    return options_at(found.offers, model.Usage.ON_DEMAND, rates, [cell])[0], ""
