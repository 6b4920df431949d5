"""What a job costs, reckoned a second time: exact fractions, resource by resource.

Shares no code with the planner: rates are the caps table's, prices the price book's, everything
else is worked out here. A phase takes as long as the busiest of what it uses; phases that overlap
take as long as the busiest of what any of them uses, with what they use together added up.
"""

import math
from fractions import Fraction
from itertools import product

from netplan_planner.model import CapsBook, JobNeed, PriceBook, Usage

PHASES = ("in", "compute", "between", "out")


def whole(value: float) -> Fraction:
    return Fraction(str(value))


def work(need: JobNeed, gbps: Fraction, vcpus: int, count: int) -> dict[str, dict[str, Fraction]]:
    """Return the seconds for which each phase uses each resource of a machine."""
    moved = {
        "in": Fraction(need.in_bytes),
        "out": Fraction(need.out_bytes),
        "between": Fraction(need.between_bytes) * (count - 1) / count,
    }
    uses: dict[str, dict[str, Fraction]] = {name: {} for name in PHASES}
    for name, lanes in (
        ("in", ("receiver",)),
        ("out", ("sender",)),
        ("between", ("sender", "receiver")),
    ):
        for lane in lanes:
            uses[name][lane] = moved[name] * 8 / count / (gbps * 10**9)
    for name, end in (("in", need.source), ("out", need.target)):
        if need.disk_mib_per_s:
            uses[name]["disk"] = moved[name] / count / (whole(need.disk_mib_per_s) * 1024**2)
        if end.total_gbps:
            uses[name][f"far {name}"] = moved[name] * 8 / (whole(end.total_gbps) * 10**9)
    ratio = whole(need.parallel_ratio)
    uses["compute"]["cpu"] = whole(need.cpu_seconds) * (1 - ratio + ratio / (count * vcpus))
    return uses


def run_s(need: JobNeed, gbps: Fraction, vcpus: int, count: int) -> Fraction:
    """Return the seconds of a run without interruptions."""
    uses = work(need, gbps, vcpus, count)
    together = [phase.value for phase in need.overlap]
    total = whole(need.startup_s or 0)
    for name in PHASES:
        if name not in together:
            total += max(uses[name].values(), default=Fraction(0))
    lanes = {lane for name in together for lane in uses[name]}
    busy = (sum(uses[name].get(lane, Fraction(0)) for name in together) for lane in lanes)
    return total + max(busy, default=Fraction(0))


def with_interruptions(need: JobNeed, seconds: float, machines: int) -> float:
    """Return the mean time in which so many machines get through, infinite: never."""
    if not need.interruptions_per_day:
        return seconds
    rate = need.interruptions_per_day * machines / 86_400
    again = math.inf if rate * seconds > 700 else (math.exp(rate * seconds) - 1) / rate
    if need.lost_work_s is None:
        return again
    left = 1 - rate * (need.lost_work_s + (need.startup_s or 0))
    return min(again, seconds / left if left > 0 else math.inf)


def cost(
    need: JobNeed, prices: PriceBook, caps: CapsBook, machine_type: str, count: int
) -> tuple[Fraction, float] | None:
    """Return the dollars of a run and when it is done; None: never."""
    cap, shape = caps.cap(machine_type), prices.shape(machine_type)
    assert cap is not None
    assert shape is not None
    seconds = run_s(need, whole(cap.egress_gbps), shape.vcpus, count)
    hourly = Fraction(prices.machine(need.region, machine_type, need.usage).usd)
    up, done = seconds, float(seconds)
    if need.usage is Usage.SPOT:
        waits = need.between_bytes or need.parallel_ratio < 1
        mean = with_interruptions(need, float(seconds), count if waits else 1)
        done = with_interruptions(need, float(seconds), count)
        if max(mean, done) > 36_500 * 86_400:
            return None
        up = Fraction(mean)
    billed = max(60, math.ceil(round(up, 1)))
    if need.usage in {Usage.CUD_1Y, Usage.CUD_3Y}:
        runs = whole(need.runs_per_month or 0)
        sets = max(1, math.ceil(round(runs * seconds / 3600 / 730, 6)))
        return hourly * 730 * sets * count / runs, done
    return hourly * billed * count / 3600, done


def every(
    need: JobNeed, prices: PriceBook, caps: CapsBook
) -> dict[tuple[str, int], tuple[Fraction, float]]:
    """Return cost and time of every type by every count of machines."""
    found = {}
    for name, count in product(sorted(set(need.machine_types)), range(1, need.max_count + 1)):
        one = cost(need, prices, caps, name, count)
        if one is not None:
            found[name, count] = one
    return found
