"""The findings, gravest first: what, how sure, what it brings, what to do."""

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.ledger.compared import is_paid_instead
from netplan_planner.model import Amount, Confidence, Finding, Fix, OrderedFix, Severity, worded
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.content.explain import explanation
from netplan_planner.renderers.content.plans import shown as shown_commands
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.commitments import before_commitments
from netplan_planner.verbs.audit.place_table import table
from netplan_planner.verbs.audit.screen.sums import bounds_of

_LINES_OF_MONEY = 2


def findings(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield the section: as many findings as asked for, and a count of the rest."""
    if not report.findings:
        yield doc.section("No findings")
        yield doc.para(why_none(report))
        return
    yield doc.section("Findings: ", severities(report.findings))
    wanted = options.default_findings if options.max_findings is None else options.max_findings
    shown = report.findings[: wanted or None]
    after = {fix.finding: fix for fix in report.do_first}
    for number, finding in enumerate(report.findings, 1):
        if number <= len(shown) or finding.rule in options.explain:
            yield from entry(finding, number, options, after.get(finding.fingerprint))
    if any(_is_short(finding, options) for finding in shown):
        hint = "Low and info findings are shortened (all steps and resources: --explain RULE)."
        yield doc.para(say(hint, Role.DIM))
    yield from _rest(report.findings[len(shown) :], options)


def severities(found: Sequence[Finding]) -> Line:
    """Return how many findings each severity has: `2 high, 1 low`."""
    counts = Counter(finding.severity for finding in found)
    words = [
        line(say(f"{counts[severity]:,} {severity.value}", doc.severity_role(severity)))
        for severity in Severity
        if counts[severity]
    ]
    return doc.listed(words, len(words))


def why_none(report: Report) -> Line:
    """Return why an empty list is not yet good news, where it is not."""
    if report.window is None:
        return line(
            "Paths, rates and savings were not checked, because traffic is missing (--traffic)."
        )
    gaps = {e.rule: e.kind for e in report.not_evaluated}
    unselected = sum(1 for kind in gaps.values() if kind == "deselected")
    hidden = len(report.suppressed) + len(report.filtered)
    limits = [
        (len(gaps) - unselected, "rule was skipped", "rules were skipped"),
        (unselected, "rule was not selected", "rules were not selected"),
        (
            hidden,
            "finding is suppressed or filtered out",
            "findings are suppressed or filtered out",
        ),
    ]
    said = [figures.counted(count, one, many) for count, one, many in limits if count]
    if not said:
        return line("All rules were checked. No findings.")
    return line(f"Not everything was checked: {'; '.join(said)}. See below.")


def _rest(rest: Sequence[Finding], options: RenderOptions) -> Iterator[Block]:
    hidden = [finding for finding in rest if finding.rule not in options.explain]
    if not hidden:
        return
    saved = sum((f.saving_usd_per_month or Decimal(0) for f in hidden), Decimal(0))
    yield doc.para(
        say(f"and {figures.counted(len(hidden), 'more finding')}", Role.STRONG),
        " (",
        severities(hidden),
        *((", ", phrases.money(saved), " if each is fixed alone") if saved else ()),
        "): all: --max-findings 0, --output json or csv",
    )


def entry(
    finding: Finding, number: int, options: RenderOptions, ranked: OrderedFix | None
) -> Iterator[Block]:
    """Yield a finding: its heading, then what it is, brings and takes.

    Args:
        finding: What was found.
        number: Its place in the report, from 1.
        options: How much of it to write.
        ranked: Its line in the order of fixes, where it has one.
    """
    yield doc.entry(
        fixed(f"{number}. ", Role.DIM),
        say(finding.severity.value.upper(), doc.severity_role(finding.severity)),
        " ",
        phrases.name(finding.rule),
        "  ",
        phrases.finding_subject(finding),
    )
    yield doc.para(finding.message, is_inner=True)
    if _is_short(finding, options):
        yield from _short_form(finding, ranked)
        return
    yield from _gain(finding, ranked)
    yield doc.field("confidence", _confidence(finding))
    yield doc.field("severity", finding.severity_reason)
    yield from _money(finding)
    yield from table(finding, options, ranked)
    if finding.is_held:
        yield from _later(finding)
    elif finding.fix is not None:
        yield from _fix(finding, options, ranked)
    if options.gives_sources(finding.rule):
        yield from explanation(finding, options)


def _is_short(finding: Finding, options: RenderOptions) -> bool:
    """Return whether little is at stake, so that the reader's time is better spent elsewhere."""
    is_asked = options.finding == finding.fingerprint or options.gives_sources(finding.rule)
    return finding.severity.rank > Severity.MEDIUM.rank and not is_asked


def _short_form(finding: Finding, ranked: OrderedFix | None) -> Iterator[Block]:
    """Yield little; of what is to be done all that doing it takes, and how sure it is."""
    usd = finding.saving_usd_per_month
    if usd:
        yield doc.field("saving" if usd > 0 else "cost", _amount(finding, usd))
    elif finding.saving_unknown:
        why = finding.saving_unknown
        yield doc.field("saving", say("unknown", Role.BAD), f", {why}")
    if finding.saving_before_commitments_usd_per_month is not None:
        yield from before_commitments(finding)
    if finding.is_held:
        yield from _later(finding)
        return
    subject, fix = _when_due(finding, ranked)
    if fix is None:
        return
    if ranked is not None and finding.confidence is Confidence.LOW:
        yield doc.field("confidence", _confidence(finding))
    first = f"for {subject}: " if ranked is not None and len(finding.members) > 1 else ""
    text = line(say(first, length=phrases.SUBJECT_LENGTH), fix.text)
    yield doc.field("fix", text)
    if ranked is not None:
        yield from shown_commands(fix.commands)
        if fix.caution:
            yield doc.field("risk", say(fix.caution, Role.COST))


def _gain(finding: Finding, ranked: OrderedFix | None) -> Iterator[Block]:
    pairs = (("now", finding.throughput_now), ("after", finding.throughput_fixed))
    for label, estimate in pairs:
        if estimate is None:
            continue
        role = Role.GOOD if label == "after" else Role.STRONG
        bound = phrases.bound(estimate)
        text = phrases.throughput(estimate, role)
        spread = _spread(finding, label)
        yield doc.field(label, text, *((", ", bound) if bound else ()), spread)
    yield from _after_others(finding, ranked)
    if ranked is None and _lifts_nothing(finding):
        why = "brings nothing alone: the limit stays the same, so fix that limit first"
        yield doc.field("but", say(why, Role.COST))
    if finding.throughput_now is None and finding.limit is not None:
        yield doc.field("limit", phrases.limit(finding.limit))


def _lifts_nothing(finding: Finding) -> bool:
    """Return whether a fix that costs money leaves the limit that binds, for the first place."""
    now, then, usd = finding.throughput_now, finding.throughput_fixed, finding.saving_usd_per_month
    if now is None or then is None or now.gbps is None or then.gbps is None or usd is None:
        return False
    return usd < 0 and figures.rate(now.gbps) == figures.rate(then.gbps)


def _after_others(finding: Finding, ranked: OrderedFix | None) -> Iterator[Block]:
    """Yield what the fix lifts once those before it are made, where that is something else."""
    if ranked is None or ranked.now is None or ranked.fixed is None or ranked.rank < 2:
        return
    # The order shows the place that is lifted most, whichever place is named first.
    alone = [
        (finding.throughput_now, finding.throughput_fixed),
        *((one.throughput_now, one.throughput_fixed) for one in finding.members),
    ]
    rates = [(now and now.gbps, then and then.gbps) for now, then in alone]
    if (ranked.now.gbps, ranked.fixed.gbps) not in rates:
        text = f" after the fixes ranked before it (it is number {ranked.rank})"
        yield doc.field("then", phrases.step(ranked.now, ranked.fixed), text)


def _spread(finding: Finding, label: str) -> str:
    """Return between what the members lie, where the first one does not speak for all."""
    estimates = [
        member.throughput_now if label == "now" else member.throughput_fixed
        for member in finding.members
    ]
    found = {e.gbps for e in estimates if e is not None and e.gbps is not None}
    if len(found) < 2:
        return ""
    return f" (all: {figures.rates(min(found), max(found), joint=' to ')})"


def _confidence(finding: Finding) -> Line:
    reason = f", {finding.confidence_reason}" if finding.confidence_reason else ""
    return line(f"{finding.confidence.value}{reason}")


def _money(finding: Finding) -> Iterator[Block]:
    usd = finding.saving_usd_per_month
    if usd is None:
        if finding.saving_unknown:
            why = finding.saving_unknown
            yield doc.field("saving", say("unknown", Role.BAD), f", {why}")
        elif finding.marginal_usd_per_month and finding.overlap:
            amount = phrases.money(finding.marginal_usd_per_month)
            yield doc.field("later", amount, f" {finding.overlap}")
        elif finding.same_as:
            yield doc.field("done by", "another finding, which asks for the same change")
        yield from before_commitments(finding)
        return
    yield from _stated(finding, usd)
    yield from before_commitments(finding)


def _stated(finding: Finding, usd: Decimal) -> Iterator[Block]:
    if not usd:
        yield doc.field("cost", "none, the price stays the same")
        return
    label = "saving" if usd > 0 else "cost"
    amount = _amount(finding, usd)
    if len(finding.line_items) == 1:
        item = finding.line_items[0]
        text = line(amount, " = ", phrases.product(item), f" ({phrases.origin(item)})")
        yield doc.field(label, text)
        return
    more = phrases.bills(finding.line_items, _LINES_OF_MONEY)
    yield doc.field(label, amount, _balance(finding), more=more)


def _balance(finding: Finding) -> Line:
    """Return what is no longer paid and what is paid instead, where there are lines of both."""
    items = finding.line_items
    gone = sum((i.usd_per_month for i in items if not is_paid_instead(i)), Decimal(0))
    instead = -sum((i.usd_per_month for i in items if is_paid_instead(i)), Decimal(0))
    if not gone or not instead or len(items) <= _LINES_OF_MONEY:
        return ()
    return line(
        ". No longer paid: ",
        fixed(Amount(usd=gone)),
        ", paid instead: ",
        fixed(Amount(usd=instead)),
    )


def _amount(finding: Finding, usd: Decimal) -> Line:
    """Return the sum of a finding, and what is left of it in the order of fixes."""
    amount = line(fixed(worded(Amount(usd=abs(usd)), "/month"), phrases.money_role(usd)))
    left = finding.marginal_usd_per_month
    between = bounds_of(finding)
    if left is None or left == usd or finding.is_held:
        return line(amount, between)
    if finding.same_as:
        return line(amount, "; another finding asks for the same change and includes this saving")
    rest = line(phrases.money(left), between) if left else line("nothing")
    why = f" ({finding.overlap})" if finding.overlap else ""
    return line(amount, " alone. In this order: ", rest, why)


def _later(finding: Finding) -> Iterator[Block]:
    """Yield why nothing is to be done yet, and what then: no commands, for none may be run now."""
    yield doc.field("not yet", finding.overlap)
    if finding.fix is not None:
        first = f"for {finding.subject}: " if len(finding.members) > 1 else ""
        yield doc.field("later", say(first, length=phrases.SUBJECT_LENGTH), finding.fix.text)


def _when_due(finding: Finding, ranked: OrderedFix | None) -> tuple[str, Fix | None]:
    """Return a place and its fix that name no zone or type which earlier fixes have changed."""
    subject, fix = finding.subject, finding.fix
    # What has no commands here, such as a move, names the command that writes its steps.
    if ranked is None or fix is None or not fix.commands:
        return subject, fix
    own = {one.place: (one.subject, one.fix) for one in ranked.changes if one.fix is not None}
    first = [own[one.fingerprint] for one in finding.members[:1] if one.fingerprint in own]
    due = next(iter((*first, *own.values())), (subject, fix))
    return (subject, fix) if due[1].commands == fix.commands else due


def _fix(finding: Finding, options: RenderOptions, ranked: OrderedFix | None) -> Iterator[Block]:
    subject, fix = _when_due(finding, ranked)
    assert fix is not None
    first = f"for {subject}: " if len(finding.members) > 1 else ""
    yield doc.field("fix", say(first, length=phrases.SUBJECT_LENGTH), fix.text)
    yield from shown_commands(fix.commands)
    if fix.caution:
        yield doc.field("risk", say(fix.caution, Role.COST))
    for label, step in (
        ("verify", fix.verify),
        ("afterwards", fix.clean_up),
        ("undo", fix.undo),
    ):
        if step is not None:
            yield doc.field(label, step.text)
            # One command back says more than its sentence; several are read when they are needed.
            is_short = len(step.commands) == 1
            is_asked = bool(options.finding) or options.gives_sources(finding.rule)
            if label != "undo" or is_short or is_asked:
                yield from shown_commands(step.commands)
