"""Cost against time of a job or transfer: what no other beats in both, and the deadline."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.model import CurrencyRate, JobOption, JobPlan
from netplan_planner.renderers import figures
from netplan_planner.renderers.content.job_views import cost, machines_text, spread
from netplan_planner.renderers.document import say
from netplan_planner.renderers.html.charts import front as fronts
from netplan_planner.renderers.html.charts.front import Stepped, Tick, at_x, at_y, scale
from netplan_planner.units import SECONDS_PER_DAY, SECONDS_PER_HOUR, SECONDS_PER_MINUTE

MOST_OTHERS = 120
_DEARER = 1.5
LABELLED = 6
_MARGIN = 1.06
_TIMES_S = tuple(
    unit * count
    for unit, counts in (
        (1, (1, 2, 5, 10, 30)),
        (SECONDS_PER_MINUTE, (1, 2, 5, 10, 30)),
        (SECONDS_PER_HOUR, (1, 2, 4, 12)),
        (SECONDS_PER_DAY, (1, 2, 5, 10, 30, 100, 300)),
    )
    for count in counts
)
"""Where a line of the scale of times may stand."""


class CostTime(Stepped, frozen=True, kw_only=True):
    """The picture of cost against time."""

    time: str
    """What the scale of times is."""
    deadline: Tick | None
    unit: str
    left_out: str


class Point(NamedTuple):
    """Machines that do it, by what they cost and how long it takes."""

    usd: Decimal
    seconds: float
    name: str
    kind: str
    text: str


def cost_time(plan: JobPlan, currency: CurrencyRate | None = None) -> CostTime | None:
    """Return the picture of a plan; None where its front has fewer than two machines.

    Time is on a logarithmic scale. What costs a multiple of the dearest of the front is left out.
    """
    if len(plan.front) < 2:
        return None
    shown = frozenset(_name(one) for one in spread(plan.front, LABELLED))
    return picture(
        f"A job in {say(plan.need.region, length=40).text}",
        line=[_point(one, "front", currency) for one in plan.front],
        rest=[_point(one, "other", currency) for one in plan.options],
        today=[_point(plan.baseline, "today", currency)] if plan.baseline else [],
        shown=shown,
        deadline_s=plan.need.deadline_s,
        unit="per run" if plan.need.runs_per_month is None else "per month",
        time="duration of a run",
        currency=currency,
    )


def picture(
    name: str,
    *,
    line: Sequence[Point],
    rest: Sequence[Point],
    today: Sequence[Point],
    shown: frozenset[str],
    deadline_s: float | None,
    unit: str,
    time: str,
    currency: CurrencyRate | None,
) -> CostTime:
    """Return a picture of its points: those of the line, the others, and what there is today."""
    named = {point.name for point in line}
    most = max(point.usd for point in line) * Decimal(str(_DEARER))
    fitting = [point for point in rest if point.name not in named]
    others = [point for point in fitting if point.usd <= most][:MOST_OTHERS]
    today = [point for point in today if point.usd <= most]
    points = [*others, *today, *line]
    most_usd = float(max(point.usd for point in points)) * _MARGIN or 1.0
    least_usd, top_usd = (float(end(point.usd for point in points)) for end in (min, max))
    if 0 < top_usd - least_usd < least_usd:
        # From $0 on, costs that differ by less than half would make a flat line.
        margin = (top_usd - least_usd) / 4
        least_usd, most_usd = least_usd - margin, top_usd + margin
    else:
        least_usd = 0.0
    times = [point.seconds for point in points] + ([deadline_s] if deadline_s else [])
    low, high = math.log(min(times) / _MARGIN), math.log(max(times) * _MARGIN)

    def x(seconds: float) -> float:
        return at_x((math.log(seconds) - low) / (high - low))

    def y(usd: float) -> float:
        return at_y((usd - least_usd) / (most_usd - least_usd))

    placed = [(x(point.seconds), y(float(point.usd)), point) for point in points]
    quiet = frozenset(point.name for point in line if point.name not in shown)
    ordered = sorted(line, key=lambda point: point.seconds)
    hidden = len(fitting) - len(others)
    marked: list[float] = [s for s in _TIMES_S if low <= math.log(s) <= high]
    marked = marked or [min(times), max(times)]
    corners = fronts.stairs([(x(point.seconds), y(float(point.usd))) for point in ordered])
    deadline = Tick(x(deadline_s), "deadline") if deadline_s else None
    begins = f"The scale of cost does not begin at {fronts.dollars(0, currency)}."
    left_out = f"{figures.counted(hidden, 'more expensive one')} left out."
    return CostTime(
        name=name,
        time=time,
        marks=tuple(fronts.labelled(placed, corners, quiet, deadline and deadline.at)),
        steps=fronts.written(corners),
        across=tuple(Tick(x(seconds), figures.duration(seconds)) for seconds in marked),
        up=tuple(Tick(y(usd), fronts.dollars(usd, currency)) for usd in scale(most_usd, least_usd)),
        deadline=deadline,
        unit=unit,
        alt="; ".join(point.text for point in line),
        left_out=" ".join([begins] * bool(least_usd) + [left_out] * bool(hidden)),
    )


def _name(option: JobOption) -> str:
    return say(machines_text(option), length=60).text


def _point(option: JobOption, kind: str, currency: CurrencyRate | None) -> Point:
    name = _name(option)
    price = figures.shown(cost(option), currency)
    usd = option.usd_per_run if option.usd_per_month is None else option.usd_per_month
    took = figures.duration(option.duration_s)
    return Point(usd, option.duration_s, name, kind, f"{name}: {price}, {took} per run")
