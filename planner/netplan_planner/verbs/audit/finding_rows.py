"""An audit's findings as a table: a row for each place of each finding.

What is not known is an empty cell. `saving_usd_per_month` is the place's own,
`finding_saving_usd_per_month` stands in a finding's first row only: either column can be summed.
Columns keep their order; new ones come at the end. A saving whose basis is `before-commitments`
stands in its own column and in no sum. `plan_number` numbers the changes of "Do first" in the order
to make them, `plan_commands` are those of that moment; a place without a step stays as it is.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from netplan_planner import model
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.figures import SUM_DECIMALS, exact, shown
from netplan_planner.verbs.audit.answer import Report, planned_changes

COLUMNS = (
    "finding_number",
    "rule",
    "severity",
    "confidence",
    "confidence_reason",
    "place_number",
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
    "plan_number",
    "plan_usd_per_month",
    "plan_commands",
)
"""The header."""

Row = tuple[Cell, ...]


def table(report: Report) -> DataTable:
    """Return every place of every finding; no option leaves a row out."""
    found = enumerate(report.findings, 1)
    changes = enumerate(planned_changes(report.do_first), 1)
    steps = {change.place: (number, change) for number, change in changes}
    return DataTable(COLUMNS, (row for number, one in found for row in _rows(one, number, steps)))


Steps = Mapping[str, tuple[int, model.PlannedChange]]
"""Number and change of each place that the order changes, by its fingerprint."""


def _rows(finding: model.Finding, number: int, steps: Steps) -> Iterator[Row]:
    places = finding.members or (model.taken(model.Member, finding),)
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
            None if place.gib_per_month is None else float(place.gib_per_month),
            *_steps(place.fix),
            place.fingerprint,
            finding.saving_basis.value,
            _usd(place.saving_before_commitments_usd_per_month),
            finding.saving_note,
            *_planned(steps.get(place.fingerprint)),
        )


def _planned(step: tuple[int, model.PlannedChange] | None) -> Row:
    if step is None:
        return None, None, ""
    number, change = step
    commands = change.fix.commands if change.fix else ()
    return number, _usd(change.saving_usd_per_month), " && ".join(commands)


def _steps(fix: model.Fix | None) -> Row:
    """Return how to verify, clean up and undo, each in words with its commands, and the caution."""
    if fix is None:
        return "", "", "", ""
    return (*map(_instruction, (fix.verify, fix.clean_up, fix.undo)), fix.caution)


def _instruction(step: model.Instruction | None) -> str:
    return "" if step is None else " ".join((step.text, " && ".join(step.commands))).strip()


def _bill(finding: model.Finding) -> str:
    """Return the line items behind a finding's saving."""
    return "; ".join(
        f"{item.quantity:f} {item.unit} × {item.unit_price_usd:f} USD ({phrases.origin(item)})"
        for item in finding.line_items
    )


def _resources(refs: tuple[model.ResourceRef, ...]) -> Row:
    if not refs:
        return "", "", ""
    return refs[0].self_link, refs[0].source, tuple(ref.self_link for ref in refs[1:])


def _rates(estimate: model.Estimate | None) -> Row:
    if estimate is None:
        return None, None, None
    return estimate.gbps, estimate.low_gbps, estimate.high_gbps


def _limit(limit: model.Limit | None) -> Row:
    if limit is None:
        return None, None, None, None
    return limit.name, limit.gbps, limit.source, limit.as_of


def _usd(usd: Decimal | None) -> Decimal | None:
    return None if usd is None else exact(usd, SUM_DECIMALS)
