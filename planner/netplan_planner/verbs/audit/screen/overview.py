"""The first screen of an audit: what is paid, what to do first, how to see more.

At most 40 lines of 100 columns, whatever the size of the project: every part has a number of lines,
and texts are cut to their room. `--full` prints the whole report.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from netplan_planner.model import Amount, Finding, NotEvaluated, Severity, worded
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.findings import severities, why_none
from netplan_planner.verbs.audit.first import levers
from netplan_planner.verbs.audit.screen.advice import advice, cells_of, cut
from netplan_planner.verbs.audit.screen.sums import paid_in_all, stakes, together
from netplan_planner.verbs.audit.sections import PAID, amount, paid_rows

WIDTH = 100
"""Columns; a wider terminal is not filled, a narrower one breaks lines."""
_LEAST_WIDTH = 60
_ADVICE = 5
_MARGIN = 14
"""Cells before the text of a labelled line."""
_SIDES = {"VMs": "VMs", "commitments": "commitments"}
"""Whose sum a row of the bill is part of; others are the network's."""
_BESIDE_NOTE = 42
"""Cells of a row of the bill before its note."""
_OPTION = re.compile(r"\((--[a-z-]+)")
"""In the reason why a rule was skipped: the option that gives what it needs."""
_FOLDERS = re.compile(r"^\S*/(?:\S* (?=\S+(?: \(|$))|(?=\S))")
_NO_CLUSTER = "--inventory"
"""Named where no object of Kubernetes was read: most projects have no cluster."""


def overview(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield the blocks of the screen below its title."""
    cells = min(max(options.width or WIDTH, _LEAST_WIDTH), WIDTH)
    numbers = report.numbers
    shown = report.do_first[:_ADVICE]
    yield from _paid(report, cells)
    yield from _at_stake(report)
    if shown:
        yield doc.section("Do first, in this order (all steps: --show NUMBER)")
        for fix in shown:
            number = numbers.get(fix.finding)
            finding = report.findings[number - 1] if number else None
            yield from advice(fix, finding, number, cells)
        if rest := report.do_first[_ADVICE:]:
            more = f"{len(rest):,} more"
            sure = [fix for fix in rest if fix.is_sure]
            doubt = f" ({len(rest) - len(sure):,} low confidence)" if len(sure) < len(rest) else ""
            yield doc.para(doc.joined([line(more, doubt), *stakes(sure)], " · "))
    yield from _others(report, {fix.finding for fix in shown}, cells)
    yield from _ends(report, cells)


def _paid(report: Report, cells: int) -> Iterator[Block]:
    """Yield what a month costs: in all, for VMs and the network, and by class."""
    rows, bill = paid_rows(report), report.bill
    known = [row for row in rows if row.usd is not None]
    if not known:
        none = "prices unknown" if report.coverage.instance_count else "no VMs were read"
        yield doc.para(say("Paid per month: ", Role.STRONG), say("unknown", Role.BAD), f", {none}")
        return
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for row in known:
        sums[_SIDES.get(row.kind, "network")] += row.usd or Decimal(0)
    parts = [line(f"{kind} ", amount(usd)) for kind, usd in sums.items() if len(sums) > 1]
    in_all = line(say("Paid per month: ", Role.STRONG), paid_in_all(report))
    both = doc.joined([in_all, *parts], " · ")
    yield doc.para(both if cells_of(both) <= cells else in_all)
    room = cells - _BESIDE_NOTE
    free = line("up to ", amount(bill.addresses_free_usd), " less (free hours)")
    beside = {"external addresses": free} if bill.addresses_free_usd else {}
    cellrows = [
        (line(row.kind), amount(row.usd), beside.get(row.kind) or _largest(row.parts, room))
        for row in known
    ]
    unknown = ["traffic (give --traffic)"] if bill.traffic_usd is None else []
    unknown += [row.kind for row in rows if row.usd is None]
    note = _fitting([line(say(one)) for one in (*unknown, "disks", "licences")], room)
    cellrows.append((line("not included"), line("unknown"), note))
    yield doc.Table(columns=PAID, rows=tuple(cellrows), is_inner=True)


def _largest(parts: Sequence[tuple[str, Decimal]], cells: int) -> Line:
    """Return the parts of a sum, the largest first, as many as fit, and a count of the others."""
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for name, usd in parts:
        sums[name] += usd
    ranked = sorted(((n, usd) for n, usd in sums.items() if usd), key=lambda one: (-one[1], one[0]))
    if len(ranked) == 1:
        return line(say(cut(ranked[0][0], cells)))
    for count in range(len(ranked), 0, -1):
        named = [line(say(name), " ", amount(usd)) for name, usd in ranked[:count]]
        rest = ranked[count:]
        if rest:
            others = sum((usd for _, usd in rest), Decimal(0))
            named.append(line(f"{len(rest):,} more ", amount(others)))
        if cells_of(found := doc.joined(named)) <= cells:
            return found
    return ()


def _at_stake(report: Report) -> Iterator[Block]:
    """Yield what all advice together saves and costs, and what commitments save after it."""
    none = "no change of the bill" if report.do_first else "none that saves money or raises a limit"
    yield doc.para(say("All advice: ", Role.STRONG), together(report.do_first) or line(none))
    found = [one for _, one in levers(report) if one.after_plan_usd_per_month > 0]
    terms = [
        line(
            fixed(worded(Amount(usd=one.after_plan_usd_per_month), "" if at else "/month")),
            " (1 year)" if one.years == 1 else " (1 or 3 years)",
        )
        for at, one in enumerate(found)
    ]
    if terms:
        then = "Then commitments" if report.do_first else "Commitments"
        yield doc.para(f"{then} save ", doc.joined(terms, ", "), ": netplan fleet")


def _others(report: Report, shown: set[str], cells: int) -> Iterator[Block]:
    """Yield how many other findings there are, by severity and rule."""
    rest = [one for one in report.findings if one.fingerprint not in shown]
    hidden = [
        counted(len(some), *what)
        for some, what in (
            (report.suppressed, ("suppressed", "suppressed")),
            (report.filtered, ("filtered", "filtered")),
            (report.expired_suppressions, ("expired ignore",)),
            (report.unused_suppressions, ("ignore matches nothing", "ignores match nothing")),
        )
        if some
    ]
    if not report.findings:
        yield doc.section("No findings", f" ({', '.join(hidden)})" if hidden else "")
        yield doc.para(why_none(report))
        return
    counts = [severities(rest)] if rest else [line("none")]
    yield doc.section("Other findings: ", doc.joined([*counts, *map(line, hidden)]))
    # Two lines of names, where little advice leaves them room.
    room = cells - _MARGIN + (len(shown) < _ADVICE - 1) * (cells // 2)
    for severity in Severity:
        own = [one for one in rest if one.severity is severity]
        if own:
            yield doc.field(severity.value, _rules(own, room))


def _rules(found: Sequence[Finding], cells: int) -> Line:
    """Return the rules of findings, the most frequent first, as many as fit in so many cells."""
    counts = Counter(one.rule for one in found)
    names = [f"{rule} ({n:,})" if n > 1 else rule for rule, n in counts.most_common()]
    fits = _fitting([line(phrases.name(one)) for one in names], cells)
    return fits or line(say(cut(names[0], cells), Role.NAME))


def _fitting(names: Sequence[Line], cells: int) -> Line:
    """Return as many names as fit in a line, and how many are left; nothing where none fits."""
    for count in range(len(names), 0, -1):
        if cells_of(text := doc.listed(names[:count], len(names))) <= cells:
            return text
    return ()


def _ends(report: Report, cells: int) -> Iterator[Block]:
    """Yield what was not read or judged, and how to see more."""
    yield doc.section("Not on this screen")
    room = cells - _MARGIN
    if not report.coverage.is_complete:
        reasons = report.coverage.incomplete
        more = f"; {len(reasons) - 1:,} more: --full" if len(reasons) > 1 else ""
        said = _named(reasons[0] if reasons else "see --full", room - len(more))
        yield doc.field("incomplete", say(said, Role.BAD), more)
    if said := skipped(report.not_evaluated):
        yield doc.field("skipped", said)
    show = " --show 1" if report.findings else ""
    one = f" ·{show}: one finding, all steps" if show else ""
    kept = f"--output json:report.json, later: netplan audit --report report.json{show}"
    seen = f"--full: everything{one} · --output html:report.html"
    yield doc.field("more", seen, more=(line(kept),))


def _named(text: str, cells: int) -> str:
    """Return what was not read and why, without the file and folders of what has a name.

    >>> _named("some/folder/bad.json: no zone", 40)
    'bad.json: no zone'
    >>> _named("in/all.json:/items/1 vm-1 (and 2 more): no zone", 40)
    'vm-1 (and 2 more): no zone'
    """
    place, colon, why = text.partition(": ")
    name = _FOLDERS.sub("", place)
    # A name that fills more than half of the line leaves room for a long reason.
    least = cells // 2 if len(name) <= cells // 2 else cells // 4
    return cut(f"{cut(name, max(cells - len(colon + why), least))}{colon}{why}", cells)


def skipped(entries: Iterable[NotEvaluated]) -> str:
    """Return which option lets how many more rules judge; rules about what is not there are silent.

    >>> skipped([NotEvaluated(rule="a", reason="no metrics (--metrics)", kind="missing-evidence")])
    '--metrics would check 1 more rule'
    """
    counts: Counter[tuple[str, ...]] = Counter()
    partly = set()
    for entry in entries:
        if entry.kind == "gap":
            partly.add(entry.rule)
        if entry.kind != "missing-evidence":
            continue
        options = [_OPTION.search(part) for part in entry.reason.split("; ")]
        names = tuple(sorted({one[1] for one in options if one}))
        # Of a rule that lacks something else too, an option alone is not enough.
        if all(options) and _NO_CLUSTER not in names:
            counts[names] += 1
    said: list[str] = []
    for names, count in counts.most_common():
        what = f"{count:,}" if said else f"would check {counted(count, 'more rule')}"
        said.append(f"{' with '.join(names)} {what}")
    beside = [f"{counted(len(partly), 'rule')} checked in part"] if partly else []
    return "; ".join([*([", ".join(said)] if said else []), *beside])
