"""Money, traffic and findings over runs, and what changed when, for people and as a table."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import chain

from netplan_planner.model import Amount
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.document import Block, Role, Span, fixed, line, say
from netplan_planner.renderers.figures import counted
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.history import answer as history

SCHEMA = "netplan.history/1"
COLUMNS = (
    "day",
    "series",
    "usd_per_month",
    "gib_per_month",
    "mean_gbps",
    "finding_count",
    "high_count",
    "saving_usd_per_month",
)
_TOTAL = "total"
_STEPS = 4
_CAUSES = 3
_ADVICE = 5


def table(answer: history.HistoryAnswer) -> DataTable:
    """Return a row a run for the project (`total`), then a row a run and path class."""
    totals = (
        _row(one.day, _TOTAL, one.usd_per_month, one.sent_gib_per_month, one.sent_gbps,
             one.finding_count, one.high_count, figures.exact_sum(one.saving_usd_per_month))
        for one in answer.runs
    )  # fmt: skip
    classes = (
        _row(one.day, one.path_class.value, one.usd_per_month, one.gib_per_month, one.gbps)
        for one in answer.paths
    )
    return DataTable(COLUMNS, chain(totals, classes))


def _row(
    day: date, series: str, usd: Decimal | None, gib: Decimal | None, *more: Cell
) -> tuple[Cell, ...]:
    sums = (figures.exact_sum(usd), figures.exact_sum(gib))
    return day.isoformat(), series, *sums, *more, *(None,) * (len(COLUMNS) - 4 - len(more))


def blocks(answer: history.HistoryAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield what changed, advice carried out, the newest runs, and what limits the answer."""
    first, last = answer.runs[0], answer.runs[-1]
    yield doc.Title(
        line=line(say(answer.title, length=phrases.SUBJECT_LENGTH)),
        basis=line(f"{counted(len(answer.runs), 'run')}, {first.day} to {last.day}"),
    )
    yield from _steps(answer.steps, options)
    yield from _advice(answer.carried_out, options)
    yield from _runs(answer.runs, options)
    for note in answer.notes:
        yield doc.para(say(note))


def _money(usd: Decimal) -> Span:
    return fixed(Amount(usd=usd))


def _steps(steps: Sequence[history.Step], options: RenderOptions) -> Iterator[Block]:
    if not steps:
        yield doc.section("No lasting change of the traffic's cost")
        return
    yield doc.section("What changed the traffic's cost")
    for step in steps[:_STEPS] if options.row_limit else steps:
        yield doc.entry(
            say(step.day.isoformat(), Role.STRONG),
            "  ",
            doc.change_of(step.difference_usd_per_month),
            "/month",
            line("  (", _money(step.usd_per_month_before), " → "),
            line(_money(step.usd_per_month_after), ")"),
        )
        for number, cause in enumerate(step.causes[:_CAUSES]):
            yield doc.field(
                "or" if number else "likely",
                say(cause.text),
                line(": ", doc.change_of(cause.usd_per_month), "/month"),
                ""
                if cause.kind is history.CauseKind.PATH
                else f", explains {figures.share(max(cause.share_ratio, 0.0), 1)}",
            )
    if options.row_limit and len(steps) > _STEPS:
        yield doc.para(f"{len(steps) - _STEPS:,} older changes: --top 0")


def _advice(found: Sequence[history.CarriedOut], options: RenderOptions) -> Iterator[Block]:
    made = [one for one in found if one.is_seen]
    if made:
        yield doc.section("Advice carried out")
        for one in made[:_ADVICE] if options.row_limit else made:
            worth = one.saving_usd_per_month
            saved = line(": saved ", _money(worth), "/month") if worth and worth > 0 else line("")
            yield doc.item(f"{one.day} {one.rule}, ", phrases.name(one.subject), saved)
        if options.row_limit and len(made) > _ADVICE:
            yield doc.para(f"{len(made) - _ADVICE:,} older ones: --top 0")
    if others := len(found) - len(made):
        yield doc.para(
            f"{counted(others, 'finding')} left without a visible fix: the traffic or the VMs"
            " changed, or the change is of a kind that a record does not show."
        )


def _runs(runs: Sequence[history.HistoryRun], options: RenderOptions) -> Iterator[Block]:
    shown = runs[-options.row_limit :] if options.row_limit else runs
    left_out = len(runs) - len(shown)
    yield doc.section(f"Newest {len(shown)} of {len(runs):,} runs" if left_out else "Runs")
    columns = (
        doc.Column(title="day"),
        doc.Column(title="cost/month", is_number=True, stacked="{} per month"),
        doc.Column(title="traffic/month", is_number=True, stacked="traffic {}"),
        doc.Column(title="sends", is_number=True, stacked="sends {}"),
        doc.Column(title="findings", is_number=True, stacked="{} findings"),
        doc.Column(title="high", is_number=True, stacked="{} high"),
    )
    rows = tuple(
        (
            line(one.day.isoformat()),
            line(_money(one.usd_per_month)),
            line("?" if one.traffic_usd is None else _money(one.traffic_usd)),
            line(fixed("?" if one.sent_gbps is None else figures.rate(one.sent_gbps))),
            line(fixed(f"{one.finding_count:,}")),
            line(fixed(f"{one.high_count:,}")),
        )
        for one in shown
    )
    yield doc.Table(columns=columns, rows=rows)
