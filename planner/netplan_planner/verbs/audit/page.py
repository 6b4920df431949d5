"""The page of an audit: what to do first, the findings, pictures, then what the text has too.

The findings of a page: as many in full as a page of readable size holds, then a line each.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from markupsafe import Markup

from netplan_planner.inert import NAME_LENGTH
from netplan_planner.model import CurrencyRate, Finding, OrderedFix, project_of
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.html.charts.front import Front, front
from netplan_planner.renderers.html.page import Node, Part, folding, nodes, page, part, parts
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit import first
from netplan_planner.verbs.audit import show as content
from netplan_planner.verbs.audit.answer import UNSURE, Report
from netplan_planner.verbs.audit.charts import matrices, pairs, strips
from netplan_planner.verbs.audit.coverage import sums
from netplan_planner.verbs.audit.findings import entry, severities, why_none
from netplan_planner.verbs.audit.screen.sums import bounds_of, together
from netplan_planner.verbs.audit.sections import month_bill

FULL_BYTES = 2_000_000
"""Of findings in full, about; a page of twice that still opens in a second or two."""
ROW_BYTES = 4_000_000
"""Of findings in one line each, below those in full."""
_MOST_MARKS = 40
"""Zones or projects that one finding is filtered by."""
_PLACE = re.compile(r"/(?:zones|regions)/([^/]+)/")
_SPACE = re.compile(r"\s+")


class Shown(NamedTuple):
    """A finding as its heading and the filters need it."""

    number: int
    severity: str
    rule: str
    subject: doc.Line
    rate: doc.Line
    money: doc.Line
    saving: float
    zones: tuple[str, ...]
    projects: tuple[str, ...]
    nodes: tuple[Node, ...] = ()


class Findings(NamedTuple):
    """All findings as HTML, and what they can be filtered by."""

    full: tuple[Markup, ...]
    rows: tuple[Markup, ...]
    left: str
    """What is in neither; empty: nothing."""
    total: int
    severities: tuple[str, ...]
    rules: tuple[str, ...]
    zones: tuple[str, ...]
    projects: tuple[str, ...]


def findings(report: Report, options: RenderOptions) -> Findings:
    """Return the findings, gravest first; `options.max_findings` is a number of those in full.

    Without it they are written in full until the page is as long as one can be read, then in a
    line each until it is as long as a browser opens at once.
    """
    ranked = {fix.finding: fix for fix in report.do_first}
    wanted = options.max_findings
    shown: list[Shown] = []
    full: list[Markup] = []
    rows: list[Markup] = []
    full_bytes = row_bytes = 0
    for number, finding in enumerate(report.findings, 1):
        has_room = full_bytes < FULL_BYTES if wanted is None else not wanted or number <= wanted
        if has_room or finding.rule in options.explain:
            shown.append(_shown(finding, number, ranked, options, is_full=True))
            full.append(part("finding.html.j2", "finding", shown[-1]))
            full_bytes += len(full[-1].encode())
        elif row_bytes < ROW_BYTES:
            shown.append(_shown(finding, number, ranked, options, is_full=False))
            rows.append(part("finding.html.j2", "row", shown[-1]))
            row_bytes += len(rows[-1].encode())
    left = len(report.findings) - len(shown)
    return Findings(
        full=tuple(full),
        rows=tuple(rows),
        left=f"and {figures.counted(left, 'more finding')}, in the JSON output" if left else "",
        total=len(report.findings),
        severities=tuple(dict.fromkeys(one.severity for one in shown)),
        rules=tuple(sorted({one.rule for one in shown})),
        zones=tuple(sorted({zone for one in shown for zone in one.zones})),
        projects=tuple(sorted({project for one in shown for project in one.projects})),
    )


def _shown(
    finding: Finding,
    number: int,
    ranked: dict[str, OrderedFix],
    options: RenderOptions,
    *,
    is_full: bool,
) -> Shown:
    """Return a finding; not in full, only what its line needs."""
    inner: tuple[Node, ...] = ()
    if is_full:
        _, *below = entry(finding, number, options, ranked.get(finding.fingerprint))
        inner = nodes(doc.without_options(doc.blocks_in(below, options.currency)))
    usd = finding.saving_usd_per_month
    between = bounds_of(finding) if usd == finding.marginal_usd_per_month else ()
    places = _places(finding)
    return Shown(
        number=number,
        severity=finding.severity.value,
        rule=_token(finding.rule),
        subject=phrases.finding_subject(finding),
        rate=_rate(finding),
        money=doc.in_currency((*phrases.effect(usd), *between), options.currency) if usd else (),
        saving=round(float(usd or 0), 2),
        zones=_zones(places),
        projects=_tokens(map(project_of, places)),
        nodes=inner,
    )


def _rate(finding: Finding) -> doc.Line:
    """Return what the fix lifts; empty where nothing is lifted, or it is not known."""
    now, then = finding.throughput_now, finding.throughput_fixed
    if now is None or then is None or now.gbps is None or then.gbps is None:
        return ()
    is_same = figures.rate(now.gbps) == figures.rate(then.gbps)
    return () if is_same else phrases.step(now, then)


def _places(finding: Finding) -> list[str]:
    """Return the folders of all resources: many machines stand in few zones."""
    places = [ref for member in finding.members for ref in member.resources]
    found = (ref.self_link.rpartition("/")[0] for ref in (*finding.resources, *places))
    return list(dict.fromkeys(found))


def _zones(places: Iterable[str]) -> tuple[str, ...]:
    return _tokens(match[1] for place in places if (match := _PLACE.search(f"{place}/")))


def _tokens(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_token(name) for name in names if name))[:_MOST_MARKS]


def _token(name: str) -> str:
    """Return a name without spaces, of which a list of names is made."""
    return _SPACE.sub("_", doc.say(name, length=NAME_LENGTH).text)


class Step(NamedTuple):
    """A line of the order of fixes."""

    rank: int
    what: doc.Line
    subject: doc.Line
    rule: doc.Line
    saves: doc.Line
    share: float
    """Of the greatest amount, 0 to 1, for the bar beside it."""
    is_cost: bool
    rate: doc.Line
    finding: int | None
    note: str


def render(report: Report, options: RenderOptions) -> str:
    """Return the whole page; every text of it has gone through `say`."""
    told = folding(options)
    title = content.title(report)
    steps = tuple(_steps(report, told))
    limit = told.row_limit
    strip_rows = strips(report)
    currency = told.currency
    bare = doc.line_without_options
    told_first = (month_bill(report), *sums(report))
    below = doc.without_options(doc.blocks_in(content.beside_findings(report, told), currency))
    values = {
        "title": title,
        "name": doc.plain(title.line),
        "verb": options.verb,
        "price_age": doc.say(report.price_age, length=phrases.SUBJECT_LENGTH * 2).text,
        "is_complete": report.coverage.is_complete,
        "sums": [bare(doc.in_currency(text, currency)) for text in told_first if text],
        "steps": steps[:limit],
        "steps_left": doc.in_currency(_left(report.do_first[limit:] if limit else ()), currency),
        "lever": bare(doc.in_currency(first.lever(report), currency)),
        "not_among": first.not_among(report),
        "together": _together(report, told),
        "findings": findings(report, told),
        "none_why": () if report.findings else bare(why_none(report)),
        "severities": severities(report.findings) if report.findings else (),
        "matrices": matrices(report.zone_pairs, currency),
        "pairs": pairs(report.dear_pairs, currency),
        "strips": strip_rows[:limit],
        "strips_left": len(strip_rows) - len(strip_rows[:limit]),
        "fronts": _fronts(report, currency),
        "parts": list(parts(below)),
        "tool": doc.say(report.tool, length=60).text,
    }
    return page("audit.html.j2", values)


def _steps(report: Report, options: RenderOptions) -> Iterator[Step]:
    currency, numbers = options.currency, report.numbers
    amounts = [abs(fix.saving_usd_per_month or Decimal(0)) for fix in report.do_first]
    most = max(amounts, default=Decimal(0)) or Decimal(1)
    for fix, amount in zip(report.do_first, amounts, strict=True):
        usd = fix.saving_usd_per_month
        has_rate = fix.now is not None and fix.fixed is not None
        yield Step(
            rank=fix.rank,
            what=doc.line(doc.say(fix.label or fix.rule, length=60)),
            subject=first.shown_subject(fix),
            rule=doc.line(phrases.name(fix.rule)),
            saves=doc.in_currency(together([fix], is_told=True), currency) if usd else (),
            share=round(float(amount / most), 4),
            is_cost=bool(usd and usd < 0),
            rate=phrases.step(fix.now, fix.fixed)
            if fix.now and fix.fixed and has_rate
            else phrases.relief(fix),
            finding=numbers.get(fix.finding),
            note=_noted(fix, options),
        )


def _noted(fix: OrderedFix, options: RenderOptions) -> str:
    """Return what an entry's second line says."""
    currency = options.currency
    beside = doc.plain(doc.in_currency((*first.further(fix), *first.together(fix)), currency))
    is_told = options.verbosity > 0 or any(one.moves for one in fix.changes)
    places = doc.plain(first.at_places(fix)) if is_told and len(fix.changes) > 1 else ""
    doubt = "" if fix.is_sure else UNSURE
    found = (_note(fix, currency), doubt, beside.removeprefix("; "), places)
    return "; ".join(filter(None, found))


def _note(fix: OrderedFix, currency: CurrencyRate | None) -> str:
    """Return what it would save alone, where the fixes above take part of that."""
    alone, now = fix.alone_usd_per_month, fix.saving_usd_per_month
    if not fix.overlap or alone == now:
        return ""
    overlap = doc.say(fix.overlap).text
    if alone is None:
        return overlap
    return f"alone it {figures.saving(alone, currency)} ({overlap})"


def _left(fixes: tuple[OrderedFix, ...]) -> doc.Line:
    return doc.line(first.left(fixes)) if fixes else ()


def _together(report: Report, options: RenderOptions) -> tuple[Part, ...]:
    """Return the fixes that bring more together than alone."""
    numbers = report.numbers
    made: list[Part] = []
    for fix_set in report.fix_sets[: options.row_limit]:
        blocks = doc.blocks_in(first.fixes_together(fix_set, numbers), options.currency)
        part = next(parts(blocks))
        made += part.entries
    return tuple(made)


def _fronts(report: Report, currency: CurrencyRate | None) -> tuple[Front, ...]:
    found = (front(plan, currency) for plan in report.recommendations)
    return tuple(picture for picture in found if picture is not None)
