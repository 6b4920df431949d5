"""What to do first: the fixes in their order, and those that only help together."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from netplan_planner.model import (
    LIFT_RATIO,
    Amount,
    CommitmentLever,
    Estimate,
    Finding,
    FixSet,
    FixStep,
    OrderedFix,
    last_part,
)
from netplan_planner.model.plans.plan_answer import LEAST_SAVING_USD
from netplan_planner.planning.show import commitments_to_buy
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Block, Line, Role, Span, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.screen import sums

_NAMED = 3
"""Findings that a remark names."""
_LEAST_LEVER_USD = Decimal(100)
"""A month; commitments that save less are not told here."""
_SAME_USD = Decimal(1)
"""A month, below which commitments are the best there are."""
_MOVES = 6
"""Of an entry that moves machines: who moves from where to where, and to whom, is always told."""
_STEPS = 7
_UNSURE_STEPS = 3
_SETS = 2
"""Entries of the section; a list of what is first is short, or it is no such list."""


def do_first(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield the section; nothing when no fix brings anything."""
    if not report.do_first:
        yield from beside(report, options)
        return
    yield doc.section("Do first")
    numbers = report.numbers
    everything = options.verbosity > 0
    same: dict[str, list[str]] = defaultdict(list)
    for finding in report.findings:
        if finding.same_as:
            same[finding.same_as].append(finding.fingerprint)
    sure, not_sure = ([one for one in report.do_first if one.is_sure is it] for it in (True, False))
    steps = report.do_first if everything else (*sure[:_STEPS], *not_sure[:_UNSURE_STEPS])
    apart = next(iter(not_sure), None)
    for step in steps:
        if step is apart:
            worth = doc.joined(sums.stakes(not_sure, is_told=True), " · ")
            yield doc.para("Low confidence, not in totals", line(": ", worth) if worth else ())
        yield doc.item(_step(step, numbers, same))
        is_move = any(one.moves for one in step.changes)
        if len(step.changes) > 1 and (everything or is_move):
            yield doc.para(at_places(step, None if everything else _MOVES))
    shown = {step.rank for step in steps}
    rest = [one for one in report.do_first if one.rank not in shown]
    if rest:
        yield doc.para(left(rest), " (list them: -v)")
    yield from beside(report, options)
    unranked = not_among(report)
    if unranked:
        yield doc.para(unranked)
    for fix_set in report.fix_sets if everything else report.fix_sets[:_SETS]:
        yield from fixes_together(fix_set, numbers)


def left(fixes: Sequence[OrderedFix]) -> Line:
    """Return how many fixes are not shown, and what they bring: sure, and beyond that."""
    count = figures.counted(len(fixes), "more fix", "more fixes")
    worth = sums.together(fixes)
    is_total = any(one.is_sure and one.saving_usd_per_month for one in fixes)
    return line(f"and {count}", line(", total " if is_total else ", ", worth) if worth else ())


def beside(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield what commitments would save beside the fixes; nothing where that is little."""
    told, found = lever(report), report.commitment_lever
    if not told:
        return
    if not report.do_first:
        yield doc.section("Commitments that save money")
    yield doc.para(told)
    if options.verbosity > 0 and found is not None:
        if report.do_first:
            yield doc.para("One-year commitments. Buy them after these fixes:")
        yield commitments_to_buy(found.commitments)


def levers(report: Report) -> list[tuple[str, CommitmentLever]]:
    """Return what commitments of which terms would save; nothing where that is little."""
    of_terms = (
        ("one-year", report.commitment_lever),
        ("one- and three-year", report.commitment_lever_any_term),
    )
    return [
        (name, one)
        for name, one in of_terms
        if one is not None and one.usd_per_month >= _LEAST_LEVER_USD
    ]


def lever(report: Report) -> Line:
    """Return what commitments would save, by term, in a sentence; empty where that is little."""
    found = levers(report)
    if not found:
        return ()
    first = found[0][1]
    machines = figures.counted(first.machine_count, "VM")
    if first.managed_machine_count:
        machines += f" ({first.managed_machine_count:,} in groups that may grow and shrink)"
    terms = [
        line(f"{name} commitments save ", _saved(one, has_fixes=bool(report.do_first)))
        for name, one in found
    ]
    return line(
        f"{'Also: ' if report.do_first else ''}{machines} would cost less with commitments (",
        fixed(Amount(usd=first.paid_usd_per_month)),
        "/month now): ",
        doc.joined(terms, ", "),
        '. Details: "without moves" in netplan fleet',
        " (one-year: --years 1)" if len(found) > 1 else "",
    )


def _saved(found: CommitmentLever, *, has_fixes: bool) -> Line:
    """Return what commitments of some terms save, how near that is to the best, and after fixes."""
    most, after = found.most_usd_per_month, found.after_plan_usd_per_month
    is_best = most - found.usd_per_month < _SAME_USD
    return line(
        fixed(Amount(usd=found.usd_per_month)),
        *(() if is_best else (", at most ", fixed(Amount(usd=most)))),
        *((" (", fixed(Amount(usd=after)), "/month after these fixes)") if has_fixes else ()),
    )


def not_among(report: Report) -> Line:
    """Return why fixes that change a figure are in neither the order nor its sum; empty if none."""
    found = {n: one for n, one in enumerate(report.findings, 1) if _is_unranked(one)}
    held = [n for n, one in found.items() if one.is_held]
    little = [n for n, one in found.items() if (one.saving_usd_per_month or 0) > 0]
    little = [n for n in little if n not in held]
    other = [n for n in found if n not in (*little, *held)]
    parts: list[Line] = []
    if other:
        fixes = "its fix" if len(other) == 1 else "their fixes"
        why = f" (no observed traffic needs {fixes}, no known saving)"
        parts.append(line(_numbered(other), why))
    if little:
        saves = " saves less than " if len(little) == 1 else " save less than "
        each = "/month" if len(little) == 1 else "/month each"
        parts.append(line(_numbered(little), saves, fixed(Amount(usd=LEAST_SAVING_USD)), each))
    if held:
        parts.append(
            line(_numbered(held), " wait" if len(held) > 1 else " waits", " (see the finding)")
        )
    return line("not in this order: ", doc.joined(parts, "; ")) if parts else ()


def _numbered(found: Sequence[int]) -> str:
    """Return findings by number, the first few: `findings 3, 4, 6 and 2 more`."""
    shown = found[:_NAMED]
    more = f" and {len(found) - len(shown):,} more" if len(found) > len(shown) else ""
    numbers = (", ".join(map(str, shown)) if more else phrases.numbers(shown)) + more
    return f"{'finding' if len(found) == 1 else 'findings'} {numbers}"


def _is_unranked(finding: Finding) -> bool:
    """Return whether a fix changes a figure, and brings nothing; overlaps are told there."""
    if finding.is_held:
        return True
    if finding.fix is None or finding.rank is not None or finding.overlap:
        return False
    now, fixed = finding.throughput_now, finding.throughput_fixed
    is_faster = (
        now is not None
        and fixed is not None
        and (fixed.gbps or 0) >= LIFT_RATIO * (now.gbps or 0)
        and (fixed.gbps or 0) > (now.gbps or 0)
    )
    return is_faster or bool(finding.saving_usd_per_month)


def at_places(fix: OrderedFix, most: int | None = None) -> Line:
    """Return the places of a fix, in the order to make the changes: all of them, or so many."""
    shown = fix.changes[:most]
    named = [line(say(one.subject, length=phrases.SUBJECT_LENGTH)) for one in shown]
    rest = len(fix.changes) - len(shown)
    more = line(f" and {rest:,} more") if rest else ()
    return line("at ", doc.joined(named, "; "), more)


def _step(fix: OrderedFix, numbers: dict[str, int], same: Mapping[str, Sequence[str]]) -> Line:
    number = numbers.get(fix.finding)
    also = [numbers[key] for key in same.get(fix.finding, ()) if key in numbers]
    told = f" and {phrases.numbers(also)}" if also else ""
    which = (
        f"{_of_places(fix)}finding{'s' if also else ''} {number}{told}" if number else "filtered"
    )
    where = line(" (", fixed(which, Role.DIM), ")")
    return line(
        fixed(f"{fix.rank}. ", Role.DIM),
        _what(fix),
        where,
        _overlap(fix),
        further(fix),
        *together(fix),
    )


def together(fix: OrderedFix) -> Iterator[Span]:
    """Yield which other entries stop the same machines, and which machines these are."""
    named: dict[int, list[str]] = defaultdict(list)
    for one in fix.changes:
        for rank in one.one_stop_with:
            named[rank].append(last_part(one.change.target) if one.change else one.subject)
    for rank, names in sorted(named.items()):
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        told = say(f"{', '.join(names[:_NAMED])}{more}")
        yield from line(f"; do it together with step {rank}, in one stop: ", told)


def further(fix: OrderedFix) -> Line:
    """Return what traffic beyond today's costs, where the fix lets more of it flow."""
    if fix.further is None:
        return ()
    usd = fix.further.usd_per_tib
    every = [one.further.crowded for one in fix.changes if one.further and one.further.crowded]
    others = f" (and {figures.counted(len(every) - 1, 'other flow')})" if len(every) > 1 else ""
    crowded = f"; {every[0]}{others}" if every else ""
    if usd is None:
        return line("; price of more traffic: unknown", say(crowded))
    if not usd:
        return line("; more traffic on that path is free", say(crowded))
    return line("; more traffic costs ", fixed(Amount(usd=usd)), "/TiB", say(crowded))


def _of_places(fix: OrderedFix) -> str:
    """Return how many of the finding's places are changed, where it has others: `2 of 9 of `.

    At the others nothing is worth changing once the fixes above are made.
    """
    whole = fix.finding_place_count
    return f"{fix.place_count:,} of {whole:,} resources of " if fix.place_count < whole else ""


def shown_subject(fix: OrderedFix) -> Line:
    """Return where a fix is made: its places, and of groups of how many machines they are."""
    changes = (one.change for one in fix.changes)
    return phrases.subject(fix.subject, fix.place_count, phrases.added_machines(changes))


def _what(fix: OrderedFix) -> Line:
    """Return what a fix brings, where, and what it is."""
    gains: list[Line] = []
    if fix.now is not None and fix.fixed is not None:
        gains.append(phrases.step(fix.now, fix.fixed, Role.STRONG))
    if brings := phrases.relief(fix):
        gains.append(brings)
    if fix.saving_usd_per_month:
        gains += sums.stakes([fix], is_told=True)
    label = f": {fix.label}" if fix.label else ""
    return line(
        doc.joined(gains),
        "  ",
        shown_subject(fix),
        " · ",
        phrases.name(fix.rule),
        say(label, length=60),
    )


def _overlap(fix: OrderedFix) -> Line:
    """Return what it would save alone, where the fixes above take part of that."""
    alone, now = fix.alone_usd_per_month, fix.saving_usd_per_month
    if fix.overlap and alone is None:
        return line(f"; {fix.overlap}")
    if not fix.overlap or alone is None or now is None or alone == now:
        return ()
    return line("; alone ", phrases.money(alone), f" ({fix.overlap})")


def _headline(fix_set: FixSet) -> Line:
    return line(
        phrases.step(fix_set.now, fix_set.joint.estimate, Role.STRONG),
        "  ",
        phrases.subject(fix_set.subject, fix_set.member_count),
        *((", ", phrases.money(usd)) if (usd := fix_set.joint.saving_usd_per_month) else ()),
    )


def fixes_together(fix_set: FixSet, numbers: dict[str, int]) -> Iterator[Block]:
    """Yield fixes that depend on each other: a heading, each alone, then all of them.

    `numbers` are the places of the findings in the report, by fingerprint.
    """
    yield doc.entry(_headline(fix_set))
    yield doc.para(say(fix_set.worth, Role.STRONG), is_inner=True)
    rows = [_row("now", "", fix_set.now, None, None)]
    rows += [_row("alone", s.name, s.estimate, fix_set.now, s) for s in fix_set.singles]
    label = _joint_label(fix_set)
    if label is not None:
        joint = fix_set.joint
        rows.append(_row(label, joint.name, joint.estimate, fix_set.now, joint))
    columns = (
        doc.Column(title=""),
        doc.Column(title="fix"),
        doc.Column(title="throughput"),
        doc.Column(title="per month", stacked="{}/month"),
        doc.Column(title="limit", is_note=True, stacked="limit: {}"),
    )
    yield doc.Table(columns=columns, rows=tuple(rows), is_inner=True)
    known = sorted(numbers[f] for f in fix_set.findings if f in numbers)
    if known:
        noun = "finding" if len(known) == 1 else "findings"
        yield doc.field("how", f"{noun} {phrases.numbers(known)} below")


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
        return line("unknown amount")
    if not usd:
        return line("the same")
    return phrases.effect(usd)


def _joint_label(fix_set: FixSet) -> str | None:
    """Return the word before the joint step, or None when a single one is as good."""
    if any(single.name == fix_set.joint.name for single in fix_set.singles):
        return None
    return "both" if len(fix_set.singles) == 2 else "together"
