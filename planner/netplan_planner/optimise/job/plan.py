"""The cheapest machines for a job: every type by every count, by what a whole run costs.

What the traffic of a job costs: the same with any of its machines.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.optimise.job import option
from netplan_planner.optimise.job.grid import Cell, Grid, grid, in_time
from netplan_planner.optimise.job.option import SERIAL, VCPUS, options_at
from netplan_planner.optimise.job.rates import (
    CLASSES,
    Offers,
    moved_bytes,
    offers_for,
    priced,
    query_of,
)
from netplan_planner.throughput.goodput.doubts import doubt_of
from netplan_planner.throughput.limits.bounds import DEFAULT_MTU_BYTES
from netplan_planner.throughput.transport.transfer import payload_ratio
from netplan_planner.units import BYTES_PER_GIB, SECONDS_PER_HOUR, SECONDS_PER_MINUTE

MOST_COUNT = 1000
"""How many machines are tried, to say how many it takes."""


_REGIONS_NAMED = 5


_LOOSEN = {
    "series": "other series (--series)",
    "architecture": "any architecture (--architecture any)",
    "memory": "less memory (--memory-gib)",
    "price": "prices that include it: netplan prices refresh",
    "cap": "a type with a documented cap: netplan caps",
    "shared-core": "a type with whole vCPUs",
    "not-offered": "a type that the region offers",
    "deprecated": "a type that is not deprecated",
    "gpu": "a named machine type (--machine-type)",
}
"""What to change, by the reason why a type fails."""


INBOUND = "data from the internet is free (cloud.google.com/vpc/network-pricing)"


STORAGE = (
    "not included: prices of Cloud Storage for operations, retrieval and buckets in other places"
)


_GIB_DIGITS = Decimal("0.001")


class JobTraffic(NamedTuple):
    """A month's traffic, or that of the one run."""

    items: tuple[model.LineItem, ...]
    usd_per_run: Decimal | None
    note: str


def traffic_of(need: model.JobNeed, prices: model.PriceBook) -> JobTraffic:
    """Return what the bytes of a job cost, headers included; both ends are taken to be yours."""
    items: list[model.LineItem] = []
    notes: list[str] = []
    is_known = True
    for phase, end in ((model.JobPhase.IN, need.source), (model.JobPhase.OUT, need.target)):
        if not moved_bytes(need, phase):
            continue
        if end.place is model.JobPlace.STORAGE:
            notes.append(f"{phase}: free inside the region; {STORAGE}")
        elif end.place is model.JobPlace.INTERNET and phase is model.JobPhase.IN:
            notes.append(INBOUND)
        else:
            try:
                items += _lines(need, phase, end, prices)
            except MissingDatum as missing:
                is_known = False
                notes.append(f"{phase}: unknown price: {missing}")
    if need.between_bytes:
        notes.append("between: free inside a zone")
    runs = Decimal(str(need.runs_per_month or 1))
    usd = model.total_usd(items) / runs if is_known else None
    return JobTraffic(tuple(items), usd, "; ".join(notes))


def _lines(
    need: model.JobNeed, phase: model.JobPhase, end: model.JobEnd, prices: model.PriceBook
) -> tuple[model.LineItem, ...]:
    far = end.region or need.region
    src, dst = (far, need.region) if phase is model.JobPhase.IN else (need.region, far)
    ratio = Decimal(float(payload_ratio(DEFAULT_MTU_BYTES)))
    runs = Decimal(str(need.runs_per_month or 1))
    gib = Decimal(moved_bytes(need, phase)) / BYTES_PER_GIB / ratio * runs
    return prices.traffic_line_items(
        f"traffic {phase}",
        CLASSES[end.place],
        gib.quantize(_GIB_DIGITS),
        src_region=src,
        dst_region=dst if end.place is model.JobPlace.REGION else None,
        area=end.area if end.place is model.JobPlace.INTERNET else None,
    )


def plan_job(need: model.JobNeed, prices: model.PriceBook, caps: model.CapsBook) -> model.JobPlan:
    """Return what machines make of a job, the cheapest run first, the fastest of equal ones.

    Machines are made for a run and paid by the second until it is done, at least a minute. A bigger
    machine costs more an hour and runs fewer hours. A type that cannot be judged is listed with the
    reason; without any that meets the deadline the plan says why.

    Raises:
        MissingDatum: If the region is not known.
    """
    found = offers_for(need, prices, caps)
    rates, missing = priced(found.offers, prices, need.usage)
    unknown = (*found.unknown, *missing)
    chosen = grid(found.offers, need.usage, rates, need.max_count)
    has_prices = any(one is not None for one in rates)
    cells = chosen.best_of_rows(in_time(chosen.finish_s, need.deadline_s))
    options = options_at(found.offers, need.usage, rates, cells)
    infeasible = None
    if not has_prices:
        infeasible = without_machines(need, prices, unknown, found.left_out)
    elif not options:
        infeasible = too_slow(chosen)
    listed, cheapest = option.sizes(chosen, cells[0]) if cells else ((), "")
    before, why_not = option.baseline(need, prices, caps)
    traffic = traffic_of(need, prices)
    return model.JobPlan(
        need=need,
        options=options,
        front=options_at(found.offers, need.usage, rates, chosen.front()),
        sizes=listed,
        cheapest_size=cheapest,
        payments=tuple(option.payments(found.offers, prices, chosen)) if has_prices else (),
        sure=_sure(chosen),
        baseline=before,
        before=option.hours_a_day(need, before),
        after=option.hours_a_day(need, options[0] if options else None),
        traffic_items=traffic.items,
        traffic_usd_per_run=traffic.usd_per_run,
        traffic_note=traffic.note,
        unknown=unknown,
        left_out_count=len(found.left_out),
        infeasible=infeasible,
        assumptions=(
            *need.assumptions,
            *(_assumed(need) if has_prices else ()),
            *_doubts(found.offers, cells),
            *((why_not,) if why_not else ()),
        ),
    )


def _sure(chosen: Grid) -> model.JobOption | None:
    """Return the cheapest that meets the deadline at the slow end of the rates' interval too."""
    need = chosen.offers.need
    if need.deadline_s is None or need.usage is model.Usage.SPOT:
        return None
    cell = chosen.best(in_time(chosen.slow_s, need.deadline_s))
    if cell is None:
        return None
    return options_at(chosen.offers, chosen.usage, chosen.prices, [cell])[0]


def _doubts(offers: Offers, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield what published measurements say against the rates of the best machine."""
    for offer in (offers.rows[cell.row] for cell in cells[:1]):
        for phase, estimate in offer.estimates.items():
            query = query_of(offers.need, phase, offer)
            if query is not None and (said := doubt_of(query, estimate)):
                yield f"bytes {phase}: {said}"


def _assumed(need: model.JobNeed) -> Iterator[str]:
    """Yield what nobody told and the figures rest on."""
    if need.startup_s is None:
        yield "start-up time is not set (--start-up) and not included, though it is billed"
    if need.cpu_seconds:
        yield ("a vCPU of any type does the same work per second; other machine series differ")
        if need.parallel_ratio == 1:
            yield "all CPU work runs in parallel on the vCPUs (--parallel 1)"
    else:
        yield "no CPU time is set (--cpu-seconds): the VMs only transfer bytes"
    if not need.memory_gib:
        yield "any memory is sufficient (--memory-gib)"
    if not need.overlap and len([p for p in model.JobPhase if _has(need, p)]) > 1:
        yield "phases run one after another (--overlap names phases that overlap)"
    if need.in_bytes + need.out_bytes + need.between_bytes:
        yield from _assumed_of_moving(need)
    if (need.in_bytes and need.source.gbps) or (need.out_bytes and need.target.gbps):
        yield (
            "the measured rate of one VM (--in-gbps, --out-gbps) applies to every type. Name the"
            " measured types with --machine-type"
        )
    if need.usage is model.Usage.SPOT and need.lost_work_s is None:
        yield "an interruption loses all work of the run (--spot-lost-work)"


def _assumed_of_moving(need: model.JobNeed) -> Iterator[str]:
    if need.streams is None:
        yield "as many connections as needed (--streams)"
    if need.disk_mib_per_s is None:
        yield "disks do not limit it (--disk-mib-per-s)"
    if need.max_count > 1:
        yield (
            "every VM has an equal share, and the other end serves them all (--in-total-gbps,"
            " --out-total-gbps)"
        )


def _has(need: model.JobNeed, phase: model.JobPhase) -> bool:
    match phase:
        case model.JobPhase.IN:
            return need.in_bytes > 0
        case model.JobPhase.OUT:
            return need.out_bytes > 0
        case model.JobPhase.BETWEEN:
            return need.between_bytes > 0
        case model.JobPhase.COMPUTE:
            return need.cpu_seconds > 0


def without_machines(
    need: model.JobNeed,
    prices: model.PriceBook,
    refused: Sequence[model.Rejected],
    left_out: Sequence[model.Rejected],
) -> model.JobInfeasible:
    """Return why there is no machine to run a job on."""
    own = [
        one
        for one in (*refused, *left_out)
        if not need.series or model.series_of(one.machine_type) in need.series
    ]
    if need.series and not own:
        return model.JobInfeasible(
            binding=f"{need.region} offers no type of series {', '.join(need.series)}",
            changes=("another series (--series)", *_regions_of(need, prices)),
        )
    reasons = Counter(one.reason for one in own)
    kinds = ", ".join(f"{count:,} through {name}" for name, count in reasons.most_common())
    example = f", such as {own[0].machine_type}: {own[0].detail}" if own else ""
    return model.JobInfeasible(
        binding=f"no fitting machine type of {need.region} has a known price and bandwidth",
        shortfall=f"excluded: {kinds}{example}",
        changes=tuple(_LOOSEN.get(reason, f"--{reason}") for reason, _ in reasons.most_common(3)),
    )


def _regions_of(need: model.JobNeed, prices: model.PriceBook) -> Iterator[str]:
    """Yield the regions that offer a series, a few of them."""
    found = [
        region
        for region in sorted(prices.regions())
        if any(
            model.series_of(shape.machine_type) in need.series for shape in prices.offered(region)
        )
    ]
    if found:
        more = len(found) - _REGIONS_NAMED
        rest = f" and {more} more" if more > 0 else ""
        yield f"a region that offers it (--region): {', '.join(found[:_REGIONS_NAMED])}{rest}"


def too_slow(found: Grid) -> model.JobInfeasible:
    """Return why every machine misses the deadline."""
    need = found.offers.need
    deadline_s = need.deadline_s or 0.0
    # A grid whose money is its time: its best is the fastest, the cheapest of equally fast ones.
    priced = np.isfinite(found.usd) & np.isfinite(found.finish_s)
    if not priced.any():
        return model.JobInfeasible(
            binding="Spot VMs would be interrupted before the run ends",
            shortfall="no number of VMs completes a run",
            changes=("use on-demand VMs", "save work more often: --spot-lost-work"),
        )
    by_time = found._replace(usd=np.where(priced, found.finish_s, np.nan), finish_s=found.usd)
    cell = by_time.best(priced)
    assert cell is not None
    (fastest,) = options_at(found.offers, found.usage, found.prices, [cell])
    shortfall_s = fastest.duration_s - deadline_s
    return model.JobInfeasible(
        binding=_binding(need, fastest),
        shortfall=(
            f"the fastest, {fastest.count} × {fastest.machine_type}, takes"
            f" {seconds_text(fastest.duration_s)}: {seconds_text(shortfall_s)} too long"
        ),
        shortfall_s=shortfall_s,
        changes=tuple(_changes(found, fastest, cell)),
        fastest=fastest,
    )


def _binding(need: model.JobNeed, fastest: model.JobOption) -> str:
    """Return what of the fastest run takes longest."""
    longest = max(fastest.phases, key=lambda one: one.duration_s, default=None)
    if longest is None or (need.startup_s or 0.0) >= longest.duration_s:
        return "most of the time is start-up"
    if longest.bound_by == SERIAL:
        return "a part of the CPU work cannot run in parallel on several vCPUs"
    if longest.bound_by == VCPUS:
        return "the CPU work takes too long on the allowed vCPUs"
    volume = moved_bytes(need, longest.phase)
    return f"{volume:,} bytes {longest.phase} take too long; limit: {longest.bound_by}"


def _changes(found: Grid, fastest: model.JobOption, cell: Cell) -> Iterator[str]:
    """Yield each change that alone is enough, the deadline first."""
    need = found.offers.need
    deadline_s = need.deadline_s or 0.0
    yield deadline_of(fastest.duration_s)
    more = _enough_machines(found)
    if more is not None:
        time = seconds_text(more.duration_s)
        yield f"{more.count} × {more.machine_type} take {time} (--max-count {more.count})"
    together = replace(need, overlap=tuple(model.JobPhase))
    if need.overlap != together.overlap:
        offers = Offers(together, [found.offers.rows[cell.row]], found.offers.caps)
        prices = [found.prices[cell.row]]
        other = grid(offers, found.usage, prices, found.usd.shape[1])
        seconds = float(np.min(other.finish_s))
        if seconds <= deadline_s:
            yield (
                f"overlap its phases (--overlap in,compute,between,out): {seconds_text(seconds)}"
                f" on {fastest.machine_type}"
            )


def _enough_machines(found: Grid) -> model.JobOption | None:
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


def deadline_of(seconds: float) -> str:
    """Return the deadline that would be kept, with its option in brackets."""
    whole = math.ceil(seconds)
    return f"a deadline of {seconds_text(whole)} (--deadline {whole}s)"


def seconds_text(seconds: float) -> str:
    """Return a time as it can be given to an option."""
    if seconds >= 2 * SECONDS_PER_HOUR:
        return f"{seconds / SECONDS_PER_HOUR:.3g} h"
    if seconds >= 2 * SECONDS_PER_MINUTE:
        return f"{seconds / SECONDS_PER_MINUTE:.3g} min"
    return f"{seconds:.3g} s"
