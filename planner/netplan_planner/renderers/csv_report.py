"""The findings as a table, one row for each place of each finding (RFC 4180, UTF-8, CRLF).

Text cells are quoted, on one line, with control characters shown as escapes. One that a
spreadsheet would take for a formula (it begins with `= + - @`, also after blanks or in full
width) gets a leading apostrophe. Numbers are not quoted and stay numbers; what is not known is an
empty cell. `saving_usd_per_month` is the place's own, `finding_saving_usd_per_month` stands in a
finding's first row only: either column can be summed. Columns keep their order; new ones come at
the end. A saving whose basis is `before-commitments` stands in its own column and in no sum.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from netplan_planner.inert import inert_cell
from netplan_planner.model import (
    Estimate,
    Finding,
    Fix,
    Instruction,
    Limit,
    Member,
    Report,
    ResourceRef,
)
from netplan_planner.renderers.content import content_of, phrases
from netplan_planner.renderers.figures import rounded, shown
from netplan_planner.renderers.json_report import SUM_DECIMALS
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.tables.writing import csv_text

COLUMNS = (
    "finding",
    "rule",
    "severity",
    "confidence",
    "confidence_reason",
    "place",
    "place_count",
    "subject",
    "message",
    "resource",
    "resource_source",
    "other_resources",
    "now_gbps",
    "now_low_gbps",
    "now_high_gbps",
    "fixed_gbps",
    "fixed_low_gbps",
    "fixed_high_gbps",
    "limit",
    "limit_gbps",
    "limit_source",
    "limit_as_of",
    "saving_usd_per_month",
    "finding_saving_usd_per_month",
    "saving_unknown",
    "finding_line_items",
    "fix",
    "commands",
    "fingerprint",
    "severity_reason",
    "fix_rank",
    "finding_marginal_usd_per_month",
    "used_ratio",
    "gib_per_month",
    "verify",
    "clean_up",
    "undo",
    "caution",
    "place_fingerprint",
    "saving_basis",
    "saving_before_commitments_usd_per_month",
    "saving_note",
)
"""The header."""

_END = "\r\n"

Cell = str | int | float | None


def render(answer: object, options: RenderOptions) -> str:
    """Return an answer as a table; no option leaves a row out."""
    if not isinstance(answer, Report):
        data = content_of(answer).table(answer)
        return csv_text(data.columns, (map(_joined, row) for row in data.rows))
    findings = enumerate(answer.findings, 1)
    return table(COLUMNS, (row for number, found in findings for row in _rows(found, number)))


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table with its header, as the head of this module describes it."""
    lines = [",".join(map(_cell, columns))]
    lines += [",".join(map(_cell, row)) for row in rows]
    return _END.join(lines) + _END


def _joined(value: object) -> object:
    """Return several texts of one value as one text."""
    return "|".join(value) if isinstance(value, tuple) else value


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return '"' + inert_cell(value).replace('"', '""') + '"'
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number")
    return repr(value)


def _rows(finding: Finding, number: int) -> Iterator[tuple[Cell, ...]]:
    places = finding.members or (_only_place(finding),)
    for index, place in enumerate(places, 1):
        is_first = index == 1
        whole = finding.saving_usd_per_month if is_first else None
        yield (
            number,
            finding.rule,
            finding.severity.value,
            place.confidence.value,
            place.confidence_reason,
            index,
            len(places),
            place.subject,
            shown(place.message),
            *_resources(place.resources),
            *_rates(place.throughput_now),
            *_rates(place.throughput_fixed),
            *_limit(place.throughput_now.binding if place.throughput_now else finding.limit),
            _usd(place.saving_usd_per_month),
            _usd(whole),
            place.saving_unknown,
            _bill(finding) if is_first else "",
            place.fix.text if place.fix else "",
            " && ".join(place.fix.commands if place.fix else ()),
            finding.fingerprint,
            finding.severity_reason,
            finding.rank,
            _usd(finding.marginal_usd_per_month) if is_first else None,
            place.used_ratio,
            None if place.gib_per_month is None else rounded(place.gib_per_month, SUM_DECIMALS),
            *_steps(place.fix),
            place.fingerprint,
            finding.saving_basis.value,
            _usd(place.saving_before_commitments_usd_per_month),
            finding.saving_note,
        )


def _steps(fix: Fix | None) -> tuple[Cell, ...]:
    """Return how to verify, clean up and undo, each in words with its commands, and the caution."""
    if fix is None:
        return "", "", "", ""
    return (*map(_instruction, (fix.verify, fix.clean_up, fix.undo)), fix.caution)


def _instruction(step: Instruction | None) -> str:
    return "" if step is None else " ".join((step.text, " && ".join(step.commands))).strip()


def _bill(finding: Finding) -> str:
    """Return the line items behind a finding's saving."""
    return "; ".join(
        f"{item.quantity:f} {item.unit} × {item.unit_price_usd:f} USD ({phrases.origin(item)})"
        for item in finding.line_items
    )


def _only_place(finding: Finding) -> Member:
    return Member(
        resources=finding.resources,
        subject=finding.subject,
        message=finding.message,
        throughput_now=finding.throughput_now,
        throughput_fixed=finding.throughput_fixed,
        saving_usd_per_month=finding.saving_usd_per_month,
        saving_unknown=finding.saving_unknown,
        fix=finding.fix,
        confidence=finding.confidence,
        confidence_reason=finding.confidence_reason,
        saving_before_commitments_usd_per_month=finding.saving_before_commitments_usd_per_month,
    )


def _resources(refs: tuple[ResourceRef, ...]) -> tuple[Cell, ...]:
    if not refs:
        return "", "", ""
    others = " ".join(ref.self_link for ref in refs[1:])
    return refs[0].self_link, refs[0].source, others


def _rates(estimate: Estimate | None) -> tuple[Cell, ...]:
    if estimate is None:
        return None, None, None
    return estimate.gbps, estimate.low_gbps, estimate.high_gbps


def _limit(limit: Limit | None) -> tuple[Cell, ...]:
    if limit is None:
        return "", None, "", ""
    return limit.name, limit.gbps, limit.source, limit.as_of.isoformat()


def _usd(usd: Decimal | None) -> float | None:
    return None if usd is None else rounded(usd, SUM_DECIMALS)
