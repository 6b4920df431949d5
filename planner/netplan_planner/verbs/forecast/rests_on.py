"""What a forecast rests on, in words: the window, its shapes and gaps, growth, what was assumed."""

from collections import Counter
from collections.abc import Iterator, Sequence

from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import Block, Line, line
from netplan_planner.renderers.figures import counted
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import SECONDS_PER_DAY, SECONDS_PER_HOUR
from netplan_planner.verbs.forecast.answer import Basis, ForecastAnswer

_LEAST_DAYS = 14
_NAMED = 3


def _bases(answer: ForecastAnswer) -> list[Basis]:
    parts = (*(one.basis for one in answer.machines), *(one.basis for one in answer.paths))
    return list(parts)


def window(answer: ForecastAnswer) -> Line:
    """Return the window that all series lie in."""
    bases = _bases(answer)
    if not bases:
        return ()
    start, end = min(one.start for one in bases), max(one.end for one in bases)
    sources = ", ".join(dict.fromkeys(one.source for one in bases if one.source))
    bins = Counter(one.bin_s for one in bases).most_common(1)[0][0]
    return line(
        f"{start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M} UTC by {figures.duration(bins)},"
        f" of {sources}"
    )


def too_short(answer: ForecastAnswer) -> str | None:
    """Return that the window shows no growth, where that holds for all series."""
    bases = _bases(answer)
    if not bases or any(one.growth_per_week is not None for one in bases):
        return None
    hours = max((one.end - one.start).total_seconds() for one in bases) / SECONDS_PER_HOUR
    seen = f"{hours:,.0f} hours" if hours < _LEAST_DAYS * 24 else (
        f"{max(one.known_days for one in bases)} known days")  # fmt: skip
    return (
        f"Too short to forecast: {seen} show no growth and no weekly pattern. At least "
        f"{_LEAST_DAYS} known days are needed. The values below are as observed, held level, "
        "without intervals or probabilities."
    )


def growth(basis: Basis, level: float) -> str:
    """Return what is known of a series' growth."""
    found = basis.growth_per_week
    if found is None or found.low is None or found.high is None:
        return "growth unknown"
    span = f"[{_signed(found.low)} to {_signed(found.high)}] per week"
    if basis.is_growing:
        word = "growing" if found.middle > 0 else "falling"
        return f"{word} by {_signed(found.middle)} {span}"
    return f"no significant growth at {figures.share(level, 1)}: {span}"


def growth_short(basis: Basis) -> str:
    """Return the same for a table."""
    found = basis.growth_per_week
    if found is None or found.low is None or found.high is None:
        return "growth unknown"
    if basis.is_growing:
        return f"{_signed(found.middle)} per week"
    return f"not significant [{_signed(found.low)} to {_signed(found.high)}] per week"


def _signed(ratio: float) -> str:
    if ratio > 10:
        return "more than tenfold"
    return f"{ratio * 100:+.1f}%"


def shown(answer: ForecastAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield what the windows show and what they do not: week, gaps, days set aside, steps."""
    bases = _bases(answer)
    foreseen = [one for one in bases if one.growth_per_week is not None]
    short = len(bases) - len(foreseen)
    if foreseen and short:
        yield doc.para(
            f"{short:,} of {len(bases):,} series have fewer than {_LEAST_DAYS} known days: they"
            " are held level, without an interval"
        )
    if foreseen:
        yield doc.para(_shapes(foreseen))
    gaps = [one for one in bases if one.unknown_bins]
    if gaps:
        most = max(gaps, key=lambda one: one.unknown_bins * one.bin_s)
        hours = most.unknown_bins * most.bin_s / SECONDS_PER_HOUR
        yield doc.para(
            f"Gaps in {counted(len(gaps), 'series', 'series')}, together up to {hours:,.1f} h:"
            " unknown, not 0"
        )
    aside = Counter(day.isoformat() for one in foreseen for day in one.set_aside)
    if aside:
        text = f"Excluded because far from the neighbouring days: {_days(aside, options)}"
        yield doc.para(text)
    steps = Counter(day.isoformat() for one in foreseen for day in one.steps)
    if steps:
        text = f"Level change since {_days(steps, options)}: the forecast continues from there"
        yield doc.para(text)


def _days(found: Counter[str], options: RenderOptions) -> str:
    count = len(found) if options.verbosity else _NAMED
    ordered = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    listed = ", ".join(f"{day} ({counted(times, 'series', 'series')})"
                       for day, times in ordered[:count])  # fmt: skip
    return f"{listed} and {len(ordered) - count} more" if len(ordered) > count else listed


def _shapes(foreseen: Sequence[Basis]) -> str:
    weeks = min(one.known_days for one in foreseen) / 7
    of_week = sum(one.has_week_shape for one in foreseen)
    of_day = sum(one.has_day_shape for one in foreseen)
    known = f"at least {weeks:.1f} weeks known"
    if of_week == len(foreseen):
        week = "with weekdays"
    elif of_week:
        week = f"with weekdays in {of_week:,} of {len(foreseen):,} series"
    else:
        week = "all weekdays assumed equal, as the window is too short"
    if all(one.bin_s >= SECONDS_PER_DAY for one in foreseen):
        day = "bins of a day show no hours"
    elif of_day == len(foreseen):
        day = "with hours of the day"
    else:
        day = f"with hours of the day in {of_day:,} of {len(foreseen):,} series"
    grown = sum(one.is_growing for one in foreseen)
    return (
        f"{known}; {week}, {day}; growth is significant in {grown:,} of "
        f"{counted(len(foreseen), 'series', 'series')}, the others are held level"
    )


def rests_on(answer: ForecastAnswer) -> str:
    """Return prices, limits, and what no window can tell."""
    own = f"contract prices where the contract has them ({answer.price_terms}), else list prices"
    kind = own if answer.price_terms else "list prices"
    basis = (
        f"Based on {kind} of {answer.prices_as_of}, months of 730 h (price steps restart each "
        f"month), and limits of {answer.limits_as_of}."
    )
    if too_short(answer) is not None:
        return basis
    return (
        f"{basis} Intervals cover {figures.share(answer.level, 1)} of the outcomes of series "
        "like these. Launches, migrations and later level changes are not included "
        "(docs/reference/verbs/forecast.md)."
    )
