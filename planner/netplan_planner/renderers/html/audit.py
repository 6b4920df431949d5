"""The page of an audit: what to do first, the findings, pictures, then what the text has too."""

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.model import CurrencyRate, OrderedFix, Report
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import first, phrases
from netplan_planner.renderers.content import report as content
from netplan_planner.renderers.content.coverage import sums
from netplan_planner.renderers.content.findings import severities, why_none
from netplan_planner.renderers.document import (
    Line,
    blocks_in,
    in_currency,
    line,
    plain,
    say,
)
from netplan_planner.renderers.html.answers import folding
from netplan_planner.renderers.html.charts.front import Front, front
from netplan_planner.renderers.html.charts.heat import matrices
from netplan_planner.renderers.html.charts.pairs import pairs
from netplan_planner.renderers.html.charts.strip import strips
from netplan_planner.renderers.html.findings import findings
from netplan_planner.renderers.html.outline import Part, parts
from netplan_planner.renderers.html.page import page
from netplan_planner.renderers.options import RenderOptions


class Step(NamedTuple):
    """A line of the order of fixes."""

    rank: int
    what: Line
    subject: Line
    rule: Line
    saves: Line
    share: float
    """Of the greatest amount, 0 to 1, for the bar beside it."""
    is_cost: bool
    rate: Line
    finding: int | None
    note: str


def render(report: Report, options: RenderOptions) -> str:
    """Return the whole page; every text of it has gone through `say`."""
    told = folding(options)
    title = content.title(report)
    steps = tuple(_steps(report, told.currency))
    limit = told.row_limit
    strip_rows = strips(report)
    currency = told.currency
    below = blocks_in(content.beside_findings(report, told), currency)
    values = {
        "title": title,
        "name": plain(title.line),
        "price_age": say(report.price_age, length=phrases.SUBJECT_LENGTH * 2).text,
        "is_complete": report.coverage.is_complete,
        "sums": [in_currency(text, currency) for text in sums(report) if text],
        "steps": steps[:limit],
        "steps_left": in_currency(_left(report.do_first[limit:] if limit else ()), currency),
        "not_among": first.not_among(report),
        "together": _together(report, told),
        "findings": findings(report, told),
        "none_why": () if report.findings else why_none(report),
        "severities": severities(report.findings) if report.findings else (),
        "matrices": matrices(report.zone_pairs, currency),
        "pairs": pairs(report.dear_pairs, currency),
        "strips": strip_rows[:limit],
        "strips_left": len(strip_rows) - len(strip_rows[:limit]),
        "fronts": _fronts(report, currency),
        "parts": list(parts(below)),
        "tool": say(report.tool, length=60).text,
    }
    return page("audit.html.j2", values)


def _steps(report: Report, currency: CurrencyRate | None) -> Iterator[Step]:
    numbers = {finding.fingerprint: n for n, finding in enumerate(report.findings, 1)}
    amounts = [abs(fix.saving_usd_per_month or Decimal(0)) for fix in report.do_first]
    most = max(amounts, default=Decimal(0)) or Decimal(1)
    for fix, amount in zip(report.do_first, amounts, strict=True):
        usd = fix.saving_usd_per_month
        has_rate = fix.now is not None and fix.fixed is not None
        yield Step(
            rank=fix.rank,
            what=line(say(fix.label or fix.rule, length=60)),
            subject=phrases.subject(fix.subject, fix.place_count),
            rule=line(phrases.name(fix.rule)),
            saves=in_currency(phrases.effect(usd), currency) if usd else (),
            share=round(float(amount / most), 4),
            is_cost=bool(usd and usd < 0),
            rate=phrases.step(fix.now, fix.fixed)
            if fix.now and fix.fixed and has_rate
            else phrases.relief(fix),
            finding=numbers.get(fix.finding),
            note=_note(fix, currency),
        )


def _note(fix: OrderedFix, currency: CurrencyRate | None) -> str:
    """Return what it would save alone, where the fixes above take part of that."""
    alone, now = fix.alone_usd_per_month, fix.saving_usd_per_month
    if not fix.overlap or alone == now:
        return ""
    overlap = say(fix.overlap).text
    if alone is None:
        return overlap
    return f"alone it {figures.saving(alone, currency)} ({overlap})"


def _left(fixes: tuple[OrderedFix, ...]) -> Line:
    if not fixes:
        return ()
    saved = sum((fix.saving_usd_per_month or Decimal(0) for fix in fixes), Decimal(0))
    count = figures.counted(len(fixes), "more fix", "more fixes")
    worth = line(", together ", phrases.money(saved)) if saved else ()
    return line(f"and {count} that bring less", worth, ": -v lists them")


def _together(report: Report, options: RenderOptions) -> tuple[Part, ...]:
    """Return the fixes that bring more together than alone."""
    numbers = {finding.fingerprint: n for n, finding in enumerate(report.findings, 1)}
    made: list[Part] = []
    for fix_set in report.fix_sets[: options.row_limit]:
        blocks = blocks_in(first.fixes_together(fix_set, numbers), options.currency)
        part = next(parts(blocks))
        made += part.entries
    return tuple(made)


def _fronts(report: Report, currency: CurrencyRate | None) -> tuple[Front, ...]:
    found = (front(plan, currency) for plan in report.recommendations)
    return tuple(picture for picture in found if picture is not None)
