"""Findings by rule: how many, how grave, and what their fixes bring."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.model import Amount, Confidence, Finding, worded
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Block, Line, fixed, line, say
from netplan_planner.units import counted
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.review.concise import not_judged

_COLUMNS = (
    doc.Column(title="rule"),
    doc.Column(title="severity"),
    doc.Column(title="findings", is_number=True, stacked="findings: {}"),
    doc.Column(title="places", is_number=True, stacked="places: {}"),
    doc.Column(title="fixes per month", is_note=True),
)


def statistics(report: Report) -> Iterator[Block]:
    """Yield a row a rule, in the order of the findings, and what was not judged.

    Money is what each fix still brings after those ranked before it, so that rows add up.
    """
    by_rule: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        by_rule[finding.rule].append(finding)
    rows = tuple(_row(rule, found) for rule, found in by_rule.items())
    if rows:
        yield doc.Table(columns=_COLUMNS, rows=rows)
    else:
        yield doc.para("No findings.")
    if beside := not_judged(report):
        yield doc.para(f"Not in the table: {beside}.")


def _row(rule: str, found: Sequence[Finding]) -> tuple[Line, ...]:
    worst = min((one.severity for one in found), key=lambda one: one.rank)
    places = sum(max(len(one.members), 1) for one in found)
    return (
        line(phrases.name(rule)),
        line(say(worst.value, doc.severity_role(worst))),
        line(f"{len(found):,}"),
        line(f"{places:,}"),
        doc.joined(_money(found), " · ") or line("no saving"),
    )


def _money(found: Sequence[Finding]) -> Iterator[Line]:
    """Yield what fixes save, cost, and may save or cost, and how many savings are unknown."""
    for doubt in ("", "low confidence: "):
        of = [one for one in found if (one.confidence is Confidence.LOW) == bool(doubt)]
        each = [one.marginal_usd_per_month or Decimal(0) for one in of]
        for verb, sign in (("saves", 1), ("costs", -1)):
            usd = sum((one * sign for one in each if one * sign > 0), Decimal(0))
            if usd:
                yield line(doubt, fixed(worded(f"{verb} ", Amount(usd=usd))))
    unknown = sum(one.saving_usd_per_month is None and bool(one.saving_unknown) for one in found)
    if unknown:
        yield line(counted(unknown, "unknown saving"))
