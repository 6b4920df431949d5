"""An audit's findings as a table: a row for each place of each finding.

What is not known is an empty cell. `saving_usd_per_month` is the place's own,
`finding_saving_usd_per_month` stands in a finding's first row only: either column can be summed.
Columns keep their order; new ones come at the end. A saving whose basis is `before-commitments`
stands in its own column and in no sum. `plan_number` numbers the changes of "Do first" in the order
to make them, `plan_commands` are those of that moment; a place without a step stays as it is.
"""

from collections.abc import Iterator
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.judging.move_steps import moved_subject
from netplan_planner.renderers.columns import Columns
from netplan_planner.renderers.content import DataTable, phrases
from netplan_planner.renderers.figures import exact_sum, shown
from netplan_planner.verbs.audit.answer import Report, planned_changes


class _Place(NamedTuple):
    """One row."""

    number: int
    finding: model.Finding
    at: int
    of: int
    place: model.Member
    step: int | None
    """Of the plan."""
    change: model.PlannedChange | None

    @property
    def limit(self) -> model.Limit | None:
        """What binds here."""
        now = self.place.throughput_now
        return now.binding if now else self.finding.limit

    @property
    def now(self) -> model.RateInterval:
        """What the path carries."""
        return self.place.throughput_now or _UNKNOWN

    @property
    def fixed(self) -> model.RateInterval:
        """What it would carry."""
        return self.place.throughput_fixed or _UNKNOWN

    @property
    def fix(self) -> model.Fix:
        """What to do; of no words where there is nothing."""
        return self.place.fix or _NO_FIX


_UNKNOWN = model.RateInterval(gbps=None)
_NO_FIX = model.Fix(text="")
COLUMNS = Columns[_Place](
    finding_number=lambda row: row.number,
    rule=lambda row: row.finding.rule,
    severity=lambda row: row.finding.severity.value,
    confidence=lambda row: row.place.confidence.value,
    confidence_reason=lambda row: row.place.confidence_reason,
    place_number=lambda row: row.at,
    place_count=lambda row: row.of,
    subject=lambda row: row.place.subject,
    message=lambda row: shown(row.place.message),
    resource=lambda row: row.place.resources[0].self_link if row.place.resources else "",
    resource_source=lambda row: row.place.resources[0].source if row.place.resources else "",
    other_resources=lambda row: tuple(ref.self_link for ref in row.place.resources[1:]),
    now_gbps=lambda row: row.now.gbps,
    now_low_gbps=lambda row: row.now.low_gbps,
    now_high_gbps=lambda row: row.now.high_gbps,
    fixed_gbps=lambda row: row.fixed.gbps,
    fixed_low_gbps=lambda row: row.fixed.low_gbps,
    fixed_high_gbps=lambda row: row.fixed.high_gbps,
    limit=lambda row: row.limit.name if row.limit else None,
    limit_gbps=lambda row: row.limit.gbps if row.limit else None,
    limit_source=lambda row: row.limit.source if row.limit else None,
    limit_as_of=lambda row: row.limit.as_of if row.limit else None,
    saving_usd_per_month=lambda row: exact_sum(row.place.saving_usd_per_month),
    finding_saving_usd_per_month=lambda row: exact_sum(
        row.finding.saving_usd_per_month if row.at == 1 else None
    ),
    saving_unknown=lambda row: row.place.saving_unknown,
    finding_line_items=lambda row: _bill(row.finding) if row.at == 1 else "",
    fix=lambda row: row.fix.text,
    commands=lambda row: " && ".join(row.fix.commands),
    fingerprint=lambda row: row.finding.fingerprint,
    severity_reason=lambda row: shown(row.finding.severity_reason),
    fix_rank=lambda row: row.finding.rank,
    finding_marginal_usd_per_month=lambda row: exact_sum(
        row.finding.marginal_usd_per_month if row.at == 1 else None
    ),
    used_ratio=lambda row: row.place.used_ratio,
    gib_per_month=lambda row: (
        None if row.place.gib_per_month is None else float(row.place.gib_per_month)
    ),
    verify=lambda row: _instruction(row.fix.verify),
    clean_up=lambda row: _instruction(row.fix.clean_up),
    undo=lambda row: _instruction(row.fix.undo),
    caution=lambda row: shown(row.fix.caution),
    place_fingerprint=lambda row: row.place.fingerprint,
    saving_basis=lambda row: row.finding.saving_basis.value,
    saving_before_commitments_usd_per_month=lambda row: exact_sum(
        row.place.saving_before_commitments_usd_per_month
    ),
    saving_note=lambda row: row.finding.saving_note,
    plan_number=lambda row: row.step,
    plan_usd_per_month=lambda row: (
        exact_sum(row.change.saving_usd_per_month) if row.change else None
    ),
    plan_commands=lambda row: (
        " && ".join(row.change.fix.commands) if row.change and row.change.fix else ""
    ),
    plan_one_stop_with=lambda row: (
        ", ".join(map(str, row.change.one_stop_with)) if row.change else ""
    ),
    not_yet=lambda row: row.place.why_held,
    plan_moves=lambda row: (
        "; ".join(moved_subject([one]) for one in row.change.moves) if row.change else ""
    ),
    finding_marginal_low_usd_per_month=lambda row: exact_sum(
        row.finding.marginal_low_usd_per_month if row.at == 1 else None
    ),
    finding_marginal_high_usd_per_month=lambda row: exact_sum(
        row.finding.marginal_high_usd_per_month if row.at == 1 else None
    ),
    # `subject` is where things are today.
    plan_subject=lambda row: row.change.subject if row.change else "",
)


def table(report: Report) -> DataTable:
    """Return every place of every finding; no option leaves a row out."""
    return COLUMNS.table(_places(report))


def _places(report: Report) -> Iterator[_Place]:
    changes = enumerate(planned_changes(report.do_first), 1)
    steps = {change.place: (number, change) for number, change in changes}
    for number, finding in enumerate(report.findings, 1):
        places = finding.members or (model.taken(model.Member, finding),)
        for index, place in enumerate(places, 1):
            step = steps.get(place.fingerprint, (None, None))
            yield _Place(number, finding, index, len(places), place, *step)


def _instruction(step: model.Instruction | None) -> str:
    return "" if step is None else " ".join((step.text, " && ".join(step.commands))).strip()


def _bill(finding: model.Finding) -> str:
    """Return the line items behind a finding's saving."""
    return "; ".join(
        f"{item.quantity:f} {item.unit} × {item.unit_price_usd:f} USD ({phrases.origin(item)})"
        for item in finding.line_items
    )
