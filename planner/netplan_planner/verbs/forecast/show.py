"""The answer of `netplan forecast`: caps that are reached, what paths will cost, and how sure."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.model import Amount
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.content.plans import changes
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.figures import counted
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.forecast import rests_on as rests_on
from netplan_planner.verbs.forecast.answer import (
    CapStatus,
    ForecastAnswer,
    MachineForecast,
    PathForecast,
    Range,
    Scope,
)

SCHEMA = "netplan.forecast/1"
COLUMNS = (
    "kind",
    "name",
    "scope",
    "status",
    "week_number",
    "low_week_number",
    "high_week_number",
    "probability",
    "cap_gbps",
    "now_gbps",
    "end_gbps",
    "low_end_gbps",
    "high_end_gbps",
    "gib",
    "low_gib",
    "high_gib",
    "usd",
    "low_usd",
    "high_usd",
    "growth_ratio",
    "low_growth_ratio",
    "high_growth_ratio",
    "is_growing",
    "known_day_count",
    "machine_type",
    "next_machine_type",
    "unpriced",
)
_PRESSING = (CapStatus.THERE, CapStatus.WITHIN, CapStatus.PERHAPS)
_BILL_LINES = 200


def table(answer: ForecastAnswer) -> DataTable:
    """Return a row a machine and cap, then a row a path."""
    rows = [*map(_machine_cells, answer.machines), *map(_path_cells, answer.paths)]
    return DataTable(COLUMNS, (tuple(row.get(name) for name in COLUMNS) for row in rows))


def _machine_cells(one: MachineForecast) -> dict[str, Cell]:
    return {
        "kind": "machine",
        "name": one.name,
        "scope": one.scope.value,
        "status": one.status.value,
        "week_number": one.week,
        "low_week_number": one.low_week,
        "high_week_number": one.high_week,
        "probability": one.probability,
        "cap_gbps": one.cap_gbps,
        "now_gbps": one.now_gbps,
        **_range_cells("end_gbps", one.end_gbps),
        **_range_cells("growth_ratio", one.basis.growth_per_week),
        "is_growing": one.basis.is_growing,
        "known_day_count": one.basis.known_days,
        "machine_type": one.machine_type,
        "next_machine_type": one.next_machine.machine_type if one.next_machine else None,
    }


def _path_cells(one: PathForecast) -> dict[str, Cell]:
    money = {"usd": one.usd, "low_usd": one.low_usd, "high_usd": one.high_usd}
    decimals = figures.SUM_DECIMALS
    return {
        "kind": "path",
        "name": one.name,
        **_range_cells("gib", one.gib),
        **{
            name: None if usd is None else figures.exact(usd, decimals)
            for name, usd in money.items()
        },
        **_range_cells("growth_ratio", one.basis.growth_per_week),
        "is_growing": one.basis.is_growing,
        "known_day_count": one.basis.known_days,
        "unpriced": one.unpriced,
    }


def _range_cells(name: str, found: Range | None) -> dict[str, Cell]:
    if found is None:
        return {}
    return {name: found.middle, f"low_{name}": found.low, f"high_{name}": found.high}


def blocks(answer: ForecastAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield what needs action soonest, the rest in a line, the money, and what it rests on."""
    title = f"{answer.title}: next {horizon(answer.horizon_days)}"
    yield doc.Title(line=line(title), basis=rests_on.window(answer))
    if (warning := rests_on.too_short(answer)) is not None:
        yield doc.para(say(warning, Role.STRONG))
    if answer.machines:
        yield from _caps(answer, options)
    if answer.paths:
        yield from _costs(answer, options)
    yield from changes(answer.changes, options)
    yield from rests_on.shown(answer, options)
    for note in (*answer.left_out, *answer.notes):
        yield doc.para(say(note))
    yield from phrases.blocks(answer.incomplete, options)
    yield doc.para(rests_on.rests_on(answer))
    if options.currency is not None:
        yield doc.para(options.currency.assumption)


def horizon(days: int) -> str:
    """Return a horizon in weeks where it is whole ones."""
    return f"{days} days" if days % 7 else counted(days // 7, "week")


def _caps(answer: ForecastAnswer, options: RenderOptions) -> Iterator[Block]:
    pressing = [one for one in answer.machines if one.status in _PRESSING]
    limit = options.row_limit
    if pressing:
        yield doc.section(_heading(pressing, answer))
        shown = pressing if options.verbosity else pressing[:limit]
        for one in shown:
            yield doc.item(_pressing(one, answer))
            yield from _remedy(one, answer)
        if len(shown) < len(pressing):
            yield doc.item(f"{len(pressing) - len(shown):,} more (--top 0)")
    else:
        is_foreseen = any(one.weeks for one in answer.machines)
        text = "No VM is expected to reach its cap" if is_foreseen else "No VM is at its cap"
        yield doc.section(text)
    yield from _others(answer)
    if options.verbosity:
        yield _machine_table(answer.machines, limit)


def _heading(pressing: Sequence[MachineForecast], answer: ForecastAnswer) -> str:
    counts = [sum(one.status is status for one in pressing) for status in _PRESSING]
    words = (
        f"{counts[0]} at the cap already",
        f"{counts[1]} reach it within {horizon(answer.horizon_days)} with over 50% probability",
        f"{counts[2]} perhaps",
    )
    listed = ", ".join(word for count, word in zip(counts, words, strict=True) if count)
    return f"Caps: {listed}"


def _pressing(one: MachineForecast, answer: ForecastAnswer) -> Line:
    """Return one machine that is at its cap, or comes there."""
    cap = figures.rate(one.cap_gbps or 0.0)
    where = " to addresses outside the VPC" if one.scope is Scope.OUTSIDE else ""
    kind = f" ({one.machine_type}{' with Tier_1' if one.is_tier1 else ''})" if (
        one.machine_type) else ""  # fmt: skip
    share = f"{figures.share(1 - answer.headroom_ratio, 1)} of its cap of {cap}{where}"
    now = figures.rate(one.now_gbps)
    if one.status is CapStatus.THERE:
        when = line(say("already", Role.BAD), f" at {share}: {now} in the last week (p95)")
        return line(phrases.name(one.name), f"{kind} is ", when)
    chance = f"probability {_chance(one.probability or 0.0)} within {horizon(answer.horizon_days)}"
    if one.status is CapStatus.WITHIN:
        weeks = counted(one.week or 0, "week")
        when = line(
            "reaches ", say(f"{share} in {weeks}", Role.BAD), f" {_weeks(one, answer)}: {chance}"
        )
    else:
        when = line(
            f"may reach {share}, in {counted(one.low_week or 0, 'week')} at the soonest: {chance}"
        )
    growth = rests_on.growth(one.basis, answer.level)
    return line(phrases.name(one.name), f"{kind} ", when, f". {now} in the last week, {growth}")


def _chance(probability: float) -> str:
    """Return a probability; of so many futures none is sure.

    >>> _chance(0.999), _chance(0.92), _chance(0.002)
    ('over 99%', '92%', 'under 1%')
    """
    if probability > _SURE:
        return "over 99%"
    return f"{100 * probability:.0f}%" if probability >= 1 - _SURE else "under 1%"


_SURE = 0.99


def _weeks(one: MachineForecast, answer: ForecastAnswer) -> str:
    last = f"{one.high_week}" if one.high_week is not None else (
        f"beyond {horizon(answer.horizon_days)}")  # fmt: skip
    return f"[{one.low_week} to {last}] (by {one.reached_by})"


def _remedy(one: MachineForecast, answer: ForecastAnswer) -> Iterator[Block]:
    found = one.next_machine
    if found is None:
        if one.why_no_machine:
            yield doc.field("then", one.why_no_machine)
        return
    tier = " with Tier_1" if found.is_tier1 else ""
    if found.cpu_platform:
        tier = f"{tier} on {found.cpu_platform} or later"
    today = found.usd_per_month_today
    money = line(" at ", fixed(Amount(usd=found.usd_per_month)), "/month")
    if today is not None:
        money = line(money, " (", fixed(Amount(usd=today)), " today)")
    text = f" carries the {figures.rate(found.needs_gbps)} of week {answer.horizon_days // 7}"
    yield doc.field("then", phrases.name(f"{found.machine_type}{tier}"), text, money)


def _others(answer: ForecastAnswer) -> Iterator[Block]:
    """Yield those of which nothing is to be done, in a line for each reason."""
    level = f"{figures.share(answer.level, 1)}"
    said = {
        CapStatus.BEYOND: (
            f"does not reach its cap within {horizon(answer.horizon_days)} ({level})",
            f"do not reach their caps within {horizon(answer.horizon_days)} ({level})",
        ),
        CapStatus.UNFORESEEN: (
            "is below its cap; the window is too short for a forecast",
            "are below their caps; the window is too short for a forecast",
        ),
        CapStatus.UNKNOWN: ("has no known cap", "have no known cap"),
    }
    for status, (of_one, of_many) in said.items():
        found = [one for one in answer.machines if one.status is status]
        if not found:
            continue
        text = f"{counted(len(found), 'series', 'series')} {of_one if len(found) == 1 else of_many}"
        nearest = max(found, key=lambda one: one.now_gbps / (one.cap_gbps or float("inf")))
        if nearest.cap_gbps:
            share = nearest.now_gbps / nearest.cap_gbps
            text = f"{text}; the closest is {nearest.name} at {figures.share(share, 1)} of its cap"
        yield doc.para(text)


def _machine_table(machines: Sequence[MachineForecast], limit: int | None) -> doc.Table:
    columns = (
        doc.Column(title="VM"),
        doc.Column(title="cap", is_number=True, stacked="cap {}"),
        doc.Column(title="last week", is_number=True, stacked="{} in the last week"),
        doc.Column(title="at the end", is_number=True, stacked="{} at the end"),
        doc.Column(title="probability", is_number=True, stacked="probability {}"),
        doc.Column(title="days known", is_number=True, stacked="{} days known"),
    )
    rows = tuple(
        (
            line(phrases.name(one.name), " outside" if one.scope is Scope.OUTSIDE else ""),
            line(fixed("?" if one.cap_gbps is None else figures.rate(one.cap_gbps))),
            line(fixed(figures.rate(one.now_gbps))),
            line(fixed(_rate_range(one.end_gbps))),
            line(fixed("?" if one.probability is None else f"{_chance(one.probability)}")),
            line(fixed(f"{one.basis.known_days}")),
        )
        for one in machines[:limit]
    )
    return doc.Table(columns=columns, rows=rows)


def _rate_range(found: Range) -> str:
    if found.low is None or found.high is None:
        return figures.rate(found.middle)
    return figures.rate_interval(found.middle, found.low, found.high)


def _costs(answer: ForecastAnswer, options: RenderOptions) -> Iterator[Block]:
    if answer.usd is None:
        yield doc.section("No path has a known price")
    else:
        heading = line("Traffic will cost ", fixed(Amount(usd=answer.usd)))
        if answer.low_usd is not None and answer.high_usd is not None:
            low, high = Amount(usd=answer.low_usd), Amount(usd=answer.high_usd)
            heading = line(heading, " [", fixed(low), " to ", fixed(high), "]")
        else:
            is_level = rests_on.too_short(answer) is not None
            heading = line(
                heading, " at the observed level" if is_level else " if the trend continues"
            )
        yield doc.section(heading, f" in {horizon(answer.horizon_days)}")
    limit = None if options.verbosity else options.row_limit
    priced = [one for one in answer.paths if one.usd]
    if priced:
        yield _path_table(priced[:limit])
        if limit is not None and len(priced) > limit:
            yield doc.para(f"{len(priced) - limit:,} more paths (--top 0)")
    free = sum(one.usd is not None and not one.usd for one in answer.paths)
    if free:
        yield doc.para(f"{counted(free, 'path')} free of charge")
    yield from _unpriced(answer.paths)
    if options.gives_sources() and answer.months:
        items = [item for month in answer.months for item in month.line_items]
        bill = phrases.bills(items, _BILL_LINES, are_costs=True)
        yield doc.field("prices", bill[0], more=bill[1:], is_source=True)


def _path_table(paths: Sequence[PathForecast]) -> doc.Table:
    columns: tuple[doc.Column, ...] = (
        doc.Column(title="path"),
        doc.Column(title="volume", is_number=True),
        doc.Column(title="cost", is_number=True),
        doc.Column(title="from", is_number=True, stacked="from {}"),
        doc.Column(title="to", is_number=True, stacked="to {}"),
        doc.Column(title="growth", is_note=True),
    )
    if all(one.basis.growth_per_week is None for one in paths):
        columns = columns[:3]
    rows = tuple(
        (
            line(phrases.name(one.name)),
            line(fixed(figures.volume(_decimal(one.gib.middle)))),
            _money(one.usd),
            _money(one.low_usd),
            _money(one.high_usd),
            line(rests_on.growth_short(one.basis)),
        )[: len(columns)]
        for one in paths
    )
    return doc.Table(columns=columns, rows=rows)


def _money(usd: Decimal | None) -> Line:
    return () if usd is None else line(fixed(Amount(usd=usd)))


def _unpriced(paths: Sequence[PathForecast]) -> Iterator[Block]:
    found: dict[str, list[PathForecast]] = {}
    for one in paths:
        if one.usd is None:
            found.setdefault(one.unpriced, []).append(one)
    for reason, members in found.items():
        gib = sum(one.gib.middle for one in members)
        text = (
            f"{counted(len(members), 'path')}, {figures.volume(_decimal(gib))}, with no known price"
        )
        yield doc.para(f"{text}: {reason}")


def _decimal(gib: float) -> Decimal:
    return Decimal(repr(gib))
