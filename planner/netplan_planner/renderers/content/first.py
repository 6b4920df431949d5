"""What to do first: the fix sets, then the single findings that bring most."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.model import Estimate, Finding, FixSet, FixStep, Report
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import (
    Block,
    Column,
    Entry,
    Field,
    Item,
    Line,
    Para,
    Role,
    Section,
    Table,
    fixed,
    line,
    say,
)
from netplan_planner.renderers.options import RenderOptions

_SETS = 3
_SINGLES = 3
"""Entries of the section; a list of what is first is short, or it is no such list."""


def do_first(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield the section; nothing when there is nothing to choose between."""
    pressed = [s for s in report.fix_sets if s.is_pressed]
    singles = _worthwhile(report)
    if not report.fix_sets and len(report.findings) < 2:
        return
    if not pressed and not singles:
        return
    yield Section(line=line("Do first"))
    numbers = {f.fingerprint: index for index, f in enumerate(report.findings, 1)}
    sets = report.fix_sets if options.verbosity > 0 else pressed[:_SETS]
    for fix_set in sets:
        yield from _fix_set(fix_set, numbers)
    for single in singles[:_SINGLES]:
        yield Item(line=_single(single, numbers))
    if len(report.fix_sets) > len(sets):
        rest = len(report.fix_sets) - len(sets)
        yield Para(line=line(f"-v lists {figures.counted(rest, 'more set')} of fixes"))


def headline(report: Report) -> Line:
    """Return what to do first in one line; empty when there is nothing to do."""
    if report.fix_sets and report.fix_sets[0].is_pressed:
        return _headline(report.fix_sets[0])
    singles = _worthwhile(report)
    numbers = {f.fingerprint: index for index, f in enumerate(report.findings, 1)}
    return _single(singles[0], numbers) if singles else ()


def _headline(fix_set: FixSet) -> Line:
    return line(
        phrases.step(fix_set.now, fix_set.joint.estimate, Role.STRONG),
        "  ",
        phrases.subject(fix_set.subject, fix_set.member_count),
        *((", ", phrases.money(usd)) if (usd := fix_set.joint.saving_usd_per_month) else ()),
    )


def _fix_set(fix_set: FixSet, numbers: dict[str, int]) -> Iterator[Block]:
    yield Entry(line=_headline(fix_set))
    yield Para(line=line(say(fix_set.worth, Role.STRONG)), is_inner=True)
    rows = [_row("now", "", fix_set.now, None, None)]
    rows += [_row("alone", s.name, s.estimate, fix_set.now, s) for s in fix_set.singles]
    label = _joint_label(fix_set)
    if label is not None:
        joint = fix_set.joint
        rows.append(_row(label, joint.name, joint.estimate, fix_set.now, joint))
    columns = (
        Column(title=""),
        Column(title="fix"),
        Column(title="throughput"),
        Column(title="a month", stacked="{} a month"),
        Column(title="bound by", is_note=True, stacked="bound by {}"),
    )
    yield Table(columns=columns, rows=tuple(rows), is_inner=True)
    known = sorted(numbers[f] for f in fix_set.findings if f in numbers)
    if known:
        noun = "finding" if len(known) == 1 else "findings"
        yield Field(label="how", line=line(f"{noun} {phrases.numbers(known)} below"))


def _row(
    label: str, name: str, estimate: Estimate, now: Estimate | None, fix: FixStep | None
) -> tuple[Line, ...]:
    together = label not in {"", "now", "alone"}
    role = Role.STRONG if together else Role.PLAIN
    rate = phrases.step(now, estimate, role) if now else phrases.throughput(estimate, role)
    return (
        line(say(label, role)),
        () if together else line(say(name, role, length=60)),
        rate,
        _bill(fix),
        phrases.binding(estimate, is_short=True),
    )


def _bill(fix: FixStep | None) -> Line:
    if fix is None:
        return ()
    usd = fix.saving_usd_per_month
    if usd is None:
        return line("unknown sum")
    if not usd:
        return line("the same")
    verb = "saves" if usd > 0 else "costs"
    return line(fixed(f"{verb} {figures.dollars(usd)}", phrases.money_role(usd)))


def _joint_label(fix_set: FixSet) -> str | None:
    """Return the word before the joint step, or None when a single one is as good."""
    if any(single.name == fix_set.joint.name for single in fix_set.singles):
        return None
    return "both" if len(fix_set.singles) == 2 else "together"


def _worthwhile(report: Report) -> list[Finding | FixSet]:
    """Return what stands outside of the pressed sets: what saves most, or else brings most."""
    joined = {fingerprint for fix_set in report.fix_sets for fingerprint in fix_set.findings}
    alone: list[Finding | FixSet] = [
        *(f for f in report.findings if f.fingerprint not in joined and f.fix is not None),
        *(s for s in report.fix_sets if not s.is_pressed),
    ]
    ranked = sorted(alone, key=lambda entry: (-_saved(entry), -_gain_gbps(entry), entry.subject))
    return [entry for entry in ranked if _saved(entry) > 0 or _gain_gbps(entry) > 0]


def _single(entry: Finding | FixSet, numbers: dict[str, int]) -> Line:
    gains = [phrases.money(usd)] if (usd := _saved(entry)) else []
    if isinstance(entry, FixSet):
        known = sorted(numbers[f] for f in entry.findings if f in numbers)
        count, what = entry.member_count, line(entry.joint.name)
        used = figures.share(entry.used_ratio, 1.0)
        tail = f", where {used} of the limit is used"
    else:
        known = [numbers[entry.fingerprint]]
        count, what, tail = len(entry.members), line(phrases.name(entry.rule)), ""
        now, then = entry.throughput_now, entry.throughput_fixed
        if now is not None and then is not None and _gain_gbps(entry) > 0:
            gains.insert(0, phrases.step(now, then, Role.STRONG))
    noun = "finding" if len(known) == 1 else "findings"
    where = line(" (", fixed(f"{noun} {phrases.numbers(known)}", Role.DIM), ")") if known else ()
    return line(
        *(part for gain in gains for part in (gain, "  ")),
        phrases.subject(entry.subject, count),
        " · ",
        what,
        tail,
        where,
    )


def _saved(entry: Finding | FixSet) -> Decimal:
    if isinstance(entry, FixSet):
        return entry.joint.saving_usd_per_month or Decimal(0)
    return entry.saving_usd_per_month or Decimal(0)


def _gain_gbps(entry: Finding | FixSet) -> float:
    """Return what a finding brings; of a set that nobody waits for, nothing."""
    if isinstance(entry, FixSet):
        return 0.0
    now, then = entry.throughput_now, entry.throughput_fixed
    if now is None or then is None or now.gbps is None or then.gbps is None:
        return 0.0
    return then.gbps - now.gbps
