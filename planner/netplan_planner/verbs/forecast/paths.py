"""Paths against their prices: what each will cost in the horizon, and all of them together."""

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from netplan_planner.model import LineItem, PriceTier, price_key, taken, total_usd
from netplan_planner.model.evidence.traffic import RateBins
from netplan_planner.planning.traffic_bill import Meter
from netplan_planner.units import (
    BYTES_PER_GIB,
    HOURS_PER_DAY,
    HOURS_PER_MONTH,
    SECONDS_PER_DAY,
    bytes_from_gbps,
)
from netplan_planner.verbs.forecast.answer import (
    Basis,
    ForecastMonth,
    ForecastWeek,
    PathForecast,
    PathMonth,
    Range,
)
from netplan_planner.verbs.forecast.ask import Ahead
from netplan_planner.verbs.forecast.foresee import Foreseen, foresee, interval_of
from netplan_planner.verbs.forecast.level import DAYS_PER_WEEK, Floats
from netplan_planner.verbs.forecast.series import (
    Days,
    PathSeries,
    basis_of,
    days_of,
    past,
    range_of,
    short,
    week_of,
)

_GIB_PER_DAY = bytes_from_gbps(1.0, SECONDS_PER_DAY) / BYTES_PER_GIB
_GIB_DIGITS = Decimal("0.000001")
Tiers = tuple[PriceTier, ...]


class Costs(NamedTuple):
    """What paths will cost."""

    paths: tuple[PathForecast, ...]
    months: tuple[ForecastMonth, ...]
    usd: Decimal | None
    low_usd: Decimal | None
    high_usd: Decimal | None
    total_basis: Basis | None


class _Ahead(NamedTuple):
    """A path with its days and what becomes of them."""

    path: PathSeries
    days: Days
    foreseen: Foreseen | None
    line: Floats
    """GiB of each day ahead."""
    gib: Range
    months: tuple[Decimal, ...]
    """GiB of each month of the horizon."""


def costs_of(paths: Sequence[PathSeries], asked: Ahead) -> Costs:
    """Return what paths will cost, the dearest first, and the bill of each month."""
    ahead = [_ahead(path, asked) for path in sorted(paths, key=lambda one: one.name)]
    shares = month_days(asked.horizon_days)
    bills = [_bill(ahead, month) for month in range(len(shares))]
    months = tuple(
        ForecastMonth(
            month=number + 1,
            hours=short(float(days.sum()) * HOURS_PER_DAY),
            gib=sum((one.months[number] for one in ahead if one.path.prices), Decimal(0)),
            usd=total_usd(bill.lines),
            line_items=bill.lines,
        )
        for number, (days, bill) in enumerate(zip(shares, bills, strict=True))
    )
    found = [
        _forecast(one, [bill.usd_by_path[at] for bill in bills], asked)
        for at, one in enumerate(ahead)
    ]
    dearest = sorted(
        found, key=lambda one: (one.usd is None, -(one.usd or 0), -one.gib.middle, one.name)
    )
    priced = [one for one in ahead if one.path.prices]
    if not priced:
        return Costs(tuple(dearest), (), None, None, None, None)
    usd = sum((month.usd for month in months), Decimal(0))
    low, high, basis = _total(ahead, found, usd, asked)
    return Costs(tuple(dearest), months, usd, low, high, basis)


def month_days(day_count: int) -> Floats:
    """Return which part of each day lies in which month of 730 h, shape (months, days)."""
    edges = np.arange(day_count + 1) * (HOURS_PER_DAY / HOURS_PER_MONTH)
    count = int(np.ceil(edges[-1] - 1e-9))
    month = np.arange(count)[:, None]
    covered = np.minimum(edges[1:], month + 1) - np.maximum(edges[:-1], month)
    found: Floats = np.maximum(covered, 0.0) * (HOURS_PER_MONTH / HOURS_PER_DAY)
    return found


def _ahead(path: PathSeries, asked: Ahead) -> _Ahead:
    days = days_of(path.bins)
    foreseen = foresee(days.mean, asked.horizon_days, asked.level)
    if foreseen is None:
        # Too short for growth or an interval: what was seen goes on.
        known = [rate for rate in path.bins.gbps if rate is not None]
        line = np.full(asked.horizon_days, sum(known) / len(known) if known else 0.0)
        gib = Range(middle=short(float(line.sum()) * _GIB_PER_DAY))
    else:
        line = foreseen.line
        whole = float(line.sum())
        of_days = interval_of(foreseen.draws.sum(axis=1), whole, asked.level)
        gib = range_of(of_days.each(lambda amount: amount * _GIB_PER_DAY))
    volumes = month_days(asked.horizon_days) @ line * _GIB_PER_DAY
    months = tuple(Decimal(repr(float(one))).quantize(_GIB_DIGITS) for one in volumes)
    return _Ahead(path, days, foreseen, line * _GIB_PER_DAY, gib, months)


class _MonthBill(NamedTuple):
    lines: tuple[LineItem, ...]
    usd_by_path: tuple[Decimal, ...]


def _bill(ahead: Sequence[_Ahead], month: int) -> _MonthBill:
    """Return a month's bill: paths that pay one price share its steps, by volume."""
    payers: dict[Tiers, list[int]] = defaultdict(list)
    for at, one in enumerate(ahead):
        for tiers in one.path.prices:
            payers[tiers].append(at)
    meter = Meter()
    lines: list[LineItem] = []
    usd = [Decimal(0)] * len(ahead)
    for tiers, members in sorted(payers.items(), key=lambda item: (price_key(item[0]), item[1])):
        whole = sum((ahead[at].months[month] for at in members), Decimal(0))
        name = ahead[members[0]].path.name
        more = f" and {len(members) - 1} more" if len(members) > 1 else ""
        found = meter.lines(f"{name}{more}", whole, tiers)
        lines += found
        rest = total_usd(found)
        for at in members[:-1]:
            part = total_usd(found) * ahead[at].months[month] / whole if whole else Decimal(0)
            usd[at] += part
            rest -= part
        usd[members[-1]] += rest
    return _MonthBill(tuple(lines), tuple(usd))


def _forecast(one: _Ahead, usd: Sequence[Decimal], asked: Ahead) -> PathForecast:
    path = one.path
    found = taken(
        PathForecast,
        path,
        gib=one.gib,
        usd=None,
        basis=basis_of(path.bins, one.days, one.foreseen, path.source),
        past_gbps=past(one.days.mean),
        weeks=_weeks(one.foreseen, asked) if one.foreseen is not None else (),
    )
    if not path.prices:
        return found
    whole = sum(usd, Decimal(0))
    low, high = (_scaled(whole, bound, one.gib.middle) for bound in (one.gib.low, one.gib.high))
    months = tuple(
        PathMonth(month=number, gib=gib, usd=part)
        for number, (gib, part) in enumerate(zip(one.months, usd, strict=True), 1)
    )
    return replace(found, usd=whole, low_usd=low, high_usd=high, months=months)


def _scaled(usd: Decimal, bound: float | None, middle: float) -> Decimal | None:
    """Return a bound's cost at the middle's mean price of a GiB; None where there is no bound."""
    if bound is None:
        return None
    return usd * Decimal(repr(bound)) / Decimal(repr(middle)) if middle else usd


def _weeks(foreseen: Foreseen, asked: Ahead) -> tuple[ForecastWeek, ...]:
    count = asked.horizon_days // DAYS_PER_WEEK
    whole = count * DAYS_PER_WEEK
    line = foreseen.line[:whole].reshape(count, DAYS_PER_WEEK).mean(axis=1)
    draws = foreseen.draws[:, :whole].reshape(-1, count, DAYS_PER_WEEK).mean(axis=2)
    return tuple(
        week_of(number, interval_of(draws[:, number], float(line[number]), asked.level))
        for number in range(count)
    )


def _total(
    ahead: Sequence[_Ahead],
    found: Sequence[PathForecast],
    usd: Decimal,
    asked: Ahead,
) -> tuple[Decimal | None, Decimal | None, Basis | None]:
    """Return the interval of the sum: that of the paths' joint series, at their mean prices.

    Paths neither move together nor apart for sure; their sum was observed, and tells.
    """
    priced = [one for one in ahead if one.path.prices]
    costs = [float(one.usd or 0) for one, of in zip(found, ahead, strict=True) if of.path.prices]
    first = priced[0].path.bins
    if any((one.path.bins.start, one.path.bins.bin_s, len(one.path.bins.gbps))
           != (first.start, first.bin_s, len(first.gbps)) for one in priced):  # fmt: skip
        return _summed(found)
    volumes = [float(one.line.sum()) for one in priced]
    weights = [
        cost / volume if volume else 0.0 for cost, volume in zip(costs, volumes, strict=True)
    ]
    rates = np.array(
        [[np.nan if rate is None else rate for rate in one.path.bins.gbps] for one in priced]
    )
    joint = np.array(weights) @ rates
    series = RateBins(
        start=first.start,
        bin_s=first.bin_s,
        gbps=tuple(None if np.isnan(one) else float(one) for one in joint),
    )
    days = days_of(series)
    foreseen = foresee(days.mean, asked.horizon_days, asked.level)
    if foreseen is None:
        return None, None, None
    whole = float(foreseen.line.sum())
    joint = range_of(interval_of(foreseen.draws.sum(axis=1), whole, asked.level))
    basis = basis_of(series, days, foreseen, "all paths with a known price")
    if len(priced) == 1:
        low, high, _ = _summed(found)
        return low, high, basis
    return (
        _scaled(usd, joint.low, joint.middle),
        _scaled(usd, joint.high, joint.middle),
        basis,
    )


def _summed(found: Sequence[PathForecast]) -> tuple[Decimal | None, Decimal | None, None]:
    """Return the sums of bounds, as if all paths moved together; None where one has none."""
    lows = [one.low_usd for one in found if one.usd is not None]
    highs = [one.high_usd for one in found if one.usd is not None]
    if any(one is None for one in (*lows, *highs)):
        return None, None, None
    return (
        sum((one for one in lows if one is not None), Decimal(0)),
        sum((one for one in highs if one is not None), Decimal(0)),
        None,
    )
