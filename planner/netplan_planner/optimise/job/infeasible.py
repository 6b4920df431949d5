"""Why no machines do a job in time, by how little they miss it, and what to change."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from netplan_planner.model import (
    JobInfeasible,
    JobNeed,
    JobOption,
    JobPhase,
    PriceBook,
    Rejected,
    series_of,
)
from netplan_planner.optimise.job.grid import Cell, Grid, grid, in_time
from netplan_planner.optimise.job.option import SERIAL, VCPUS, options_at
from netplan_planner.optimise.job.rates import Offers, moved_bytes
from netplan_planner.units import SECONDS_PER_HOUR, SECONDS_PER_MINUTE

MOST_COUNT = 1000
"""How many machines are tried, to say how many it takes."""
_REGIONS_NAMED = 5
_LOOSEN = {
    "series": "--series",
    "architecture": "--architecture any",
    "memory": "less --memory-gib",
    "price": "prices that have it: netplan prices refresh",
    "cap": "a type whose cap is documented: netplan caps",
    "shared-core": "a type with whole vCPUs",
    "not-offered": "a type that the region offers",
    "deprecated": "a type that is not deprecated",
    "gpu": "a type by name: --machine-type",
}
"""What to change, by the reason why a type fails."""


def without_machines(
    need: JobNeed, prices: PriceBook, refused: Sequence[Rejected], left_out: Sequence[Rejected]
) -> JobInfeasible:
    """Return why there is no machine to run a job on."""
    own = [
        one
        for one in (*refused, *left_out)
        if not need.series or series_of(one.machine_type) in need.series
    ]
    if need.series and not own:
        return JobInfeasible(
            binding=f"{need.region} offers no type of series {', '.join(need.series)}",
            shortfall="",
            shortfall_s=None,
            changes=("another --series", *_regions_of(need, prices)),
            fastest=None,
        )
    reasons = Counter(one.reason for one in own)
    kinds = ", ".join(f"{count:,} by {name}" for name, count in reasons.most_common())
    example = f", such as {own[0].machine_type}: {own[0].detail}" if own else ""
    return JobInfeasible(
        binding=f"no machine type of {need.region} that passes has a price and a known bandwidth",
        shortfall=f"left out: {kinds}{example}",
        shortfall_s=None,
        changes=tuple(_LOOSEN.get(reason, f"--{reason}") for reason, _ in reasons.most_common(3)),
        fastest=None,
    )


def _regions_of(need: JobNeed, prices: PriceBook) -> Iterator[str]:
    """Yield the regions that offer a series, a few of them."""
    found = [
        region
        for region in sorted(prices.regions())
        if any(series_of(shape.machine_type) in need.series for shape in prices.offered(region))
    ]
    if found:
        more = len(found) - _REGIONS_NAMED
        rest = f" and {more} more" if more > 0 else ""
        yield f"--region, of those that offer it: {', '.join(found[:_REGIONS_NAMED])}{rest}"


def too_slow(found: Grid) -> JobInfeasible:
    """Return why every machine misses the deadline."""
    need = found.offers.need
    deadline_s = need.deadline_s or 0.0
    # A grid whose money is its time: its best is the fastest, the cheapest of equally fast ones.
    priced = np.isfinite(found.usd) & np.isfinite(found.finish_s)
    if not priced.any():
        return JobInfeasible(
            binding="Spot machines would be interrupted before they are done",
            shortfall="no number of machines ever gets through a run",
            shortfall_s=None,
            changes=("pay on demand", "save work more often: --spot-lost-work"),
            fastest=None,
        )
    by_time = found._replace(usd=np.where(priced, found.finish_s, np.nan), finish_s=found.usd)
    cell = by_time.best(priced)
    assert cell is not None
    (fastest,) = options_at(found.offers, found.usage, found.prices, [cell])
    shortfall_s = fastest.duration_s - deadline_s
    return JobInfeasible(
        binding=_binding(need, fastest),
        shortfall=(
            f"the fastest, {fastest.count} x {fastest.machine_type}, takes"
            f" {_seconds(fastest.duration_s)}: {_seconds(shortfall_s)} too long"
        ),
        shortfall_s=shortfall_s,
        changes=tuple(_changes(found, fastest, cell)),
        fastest=fastest,
    )


def _binding(need: JobNeed, fastest: JobOption) -> str:
    """Return what of the fastest run takes longest."""
    longest = max(fastest.phases, key=lambda one: one.duration_s, default=None)
    if longest is None or (need.startup_s or 0.0) >= longest.duration_s:
        return "machines take most of the time to start"
    if longest.bound_by == SERIAL:
        return "a part of the CPU work does not share out over vCPUs"
    if longest.bound_by == VCPUS:
        return "the CPU work takes too long on the vCPUs that there may be"
    volume = moved_bytes(need, longest.phase)
    return f"{volume:,} bytes {longest.phase} take too long, held back by {longest.bound_by}"


def _changes(found: Grid, fastest: JobOption, cell: Cell) -> Iterator[str]:
    """Yield each change that alone is enough, the deadline first."""
    need = found.offers.need
    deadline_s = need.deadline_s or 0.0
    yield f"--deadline {math.ceil(fastest.duration_s)}s"
    more = _enough_machines(found)
    if more is not None:
        yield (
            f"--max-count {more.count}: {more.count} x {more.machine_type} take"
            f" {_seconds(more.duration_s)}"
        )
    together = replace(need, overlap=tuple(JobPhase))
    if need.overlap != together.overlap:
        offers = Offers(together, [found.offers.rows[cell.row]], found.offers.caps)
        prices = [found.prices[cell.row]]
        other = grid(offers, found.usage, prices, found.usd.shape[1])
        seconds = float(np.min(other.finish_s))
        if seconds <= deadline_s:
            yield (
                f"let its phases overlap (--overlap in,compute,between,out):"
                f" {_seconds(seconds)} on {fastest.machine_type}"
            )


def _enough_machines(found: Grid) -> JobOption | None:
    """Return the fewest machines that meet the deadline beyond the count that was allowed."""
    need = found.offers.need
    wide = grid(found.offers, found.usage, found.prices, MOST_COUNT)
    may = in_time(wide.finish_s, need.deadline_s) & np.isfinite(wide.usd)
    columns = np.flatnonzero(may.any(axis=0))
    if not len(columns):
        return None
    only = np.zeros_like(may)
    only[:, columns[0]] = may[:, columns[0]]
    cell = wide.best(only)
    return options_at(found.offers, found.usage, found.prices, [cell])[0] if cell else None


def _seconds(seconds: float) -> str:
    """Return a time as it can be given to an option."""
    if seconds >= 2 * SECONDS_PER_HOUR:
        return f"{seconds / SECONDS_PER_HOUR:.3g} h"
    if seconds >= 2 * SECONDS_PER_MINUTE:
        return f"{seconds / SECONDS_PER_MINUTE:.3g} min"
    return f"{seconds:.3g} s"
