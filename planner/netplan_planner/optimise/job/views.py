"""What else a plan shows: other ways to pay, the sizes of its family, an autoscaler's hours."""

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.optimise.bill import COMMITTED
from netplan_planner.optimise.job.cost import billed_s
from netplan_planner.optimise.job.grid import Cell, Grid, grid, in_time
from netplan_planner.optimise.job.option import options_at
from netplan_planner.optimise.job.rates import Offers, offers_for, priced
from netplan_planner.optimise.job.spot import machine_s
from netplan_planner.units import HOURS_PER_DAY, HOURS_PER_MONTH, SECONDS_PER_HOUR

WAYS = (model.Usage.ON_DEMAND, model.Usage.SPOT, model.Usage.CUD_1Y, model.Usage.CUD_3Y)
NO_RATE = (
    "Google documents no rate of interruptions of Spot machines: give"
    " --spot-interruptions-per-day, by what compute.advice.capacityHistory says of your type and"
    " zone or by what you saw"
)
ONCE = "a commitment is for years, and this runs once: give --runs-per-day"
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
            why = "no machine that meets the deadline has a price for it"
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
        return None, f"what {need.baseline_type} makes of it is not known: {'; '.join(why)}"
    cell = Cell(plain[0], need.baseline_count)
    return options_at(found.offers, model.Usage.ON_DEMAND, rates, [cell])[0], ""
