"""What flow logs cost, by who writes them, and settings that cost less for promised errors."""

import shlex
from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.model import Amount, Text, worded
from netplan_planner.model.evidence.log_volume import LogSettings, LogVolumeBill
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.document import Block, Line, Role, Span, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.flow_logs import answer as bills
from netplan_planner.verbs.flow_logs.answer import FlowLogBill

SCHEMA = "netplan.flow-logs/1"
_BILL_LINES = 12
_LONG = 600
_NAMED_WRITERS = 8


COLUMNS = (
    *("name", "configuration", "places", "records_per_month", "gib_per_month", "usd_per_month"),
    *("extra_records_per_month", "other_side_ratio", "sampling_ratio", "interval_s"),
    *("has_metadata", "planned_sampling_ratio", "planned_interval_s", "planned_has_metadata"),
    *("planned_records_per_month", "planned_gib_per_month", "planned_usd_per_month"),
    *("planned_filter", "left_out_records_per_month"),
    *("dollar_error_ratio", "command", "why"),
)


def table(answer: FlowLogBill) -> DataTable:
    """Return a row a writer."""
    return DataTable(COLUMNS, map(_cells, answer.writers))


def _cells(row: bills.LogRow) -> tuple[Cell, ...]:
    plan = row.proposed
    return (
        row.name,
        row.configuration,
        row.places,
        *_volume_cells(row.volume),
        row.extra.records_per_month if row.extra is not None else 0,
        row.other_side_ratio,
        *_settings_cells(row.now),
        *_settings_cells(plan.settings if plan is not None else None),
        *_volume_cells(plan.volume if plan is not None else None),
        plan.settings.filter_expr if plan is not None else "",
        sum(part.volume.records_per_month for part in plan.left_out) if plan is not None else None,
        plan.dollar_error_ratio if plan is not None else None,
        shlex.join(plan.command) if plan is not None else "",
        plan.why if plan is not None else row.why_not,
    )


def _volume_cells(volume: LogVolumeBill | None) -> tuple[Cell, ...]:
    if volume is None:
        return None, None, None
    return volume.records_per_month, float(volume.gib_per_month), volume.usd_per_month


def _settings_cells(settings: LogSettings | None) -> tuple[Cell, ...]:
    if settings is None:
        return None, None, None
    return settings.sampling_ratio, settings.interval_s, settings.has_metadata


def blocks(answer: FlowLogBill, options: RenderOptions) -> Iterator[Block]:
    """Yield the age of prices, what is paid, by whom, what would do, and the commands."""
    of = f", by {answer.window}" if answer.window else ""
    yield doc.para("Flow logs cost ", _amount(answer.usd_per_month), f"/month (730 h){of}")
    if answer.goal is not None:
        yield _promise(answer, answer.goal)
    yield _rows(answer, options)
    for row in answer.writers:
        if row.extra is not None:
            yield doc.para(_extra(row, row.extra))
    yield from _left_out(answer)
    for one in answer.unpriced:
        yield doc.para(say(f"no price: {one.name}: {one.reason}", length=_LONG))
    yield from _commands(answer)
    if options.gives_sources():
        yield from _sources(answer)
    for note in answer.notes:
        yield doc.para(say(note, Role.DIM, length=_LONG))
    yield from phrases.blocks(answer.incomplete, options)
    if options.currency is not None:
        yield doc.para(options.currency.assumption)


def _sources(answer: FlowLogBill) -> Iterator[Block]:
    for label, items in (
        ("today", answer.line_items),
        ("planned", answer.planned_line_items),
    ):
        if items:
            lines = phrases.bills(items, _BILL_LINES, are_costs=True)
            yield doc.field(label, lines[0], more=lines[1:], is_source=True)


def _promise(answer: FlowLogBill, goal: bills.LogGoal) -> doc.Para:
    if not any(row.proposed is not None for row in answer.writers):
        return doc.para("No plan, and no error estimate. The notes below say why")
    error = answer.dollar_error_ratio
    told: Text = "Its traffic costs nothing"
    if error is not None and answer.traffic_usd_per_month is not None:
        told = worded(
            f"It measures the cost of the traffic to ±{_percent(error)} (",
            Amount(usd=answer.traffic_usd_per_month),
            f"/month; the goal is ±{_percent(goal.dollar_error_ratio)})",
        )
    return doc.para(
        "Planned logging costs ",
        _amount(answer.planned_usd_per_month),
        "/month. ",
        told,
        f". {_percentiles(answer, goal)}",
    )


def _percentiles(answer: FlowLogBill, goal: bills.LogGoal) -> str:
    rate = figures.rate(goal.p95_from_gbps)
    machines = figures.counted(answer.p95_machine_count, "VM")
    if not answer.p95_machine_count:
        return (
            f"No VM's 95th percentile reaches {rate}, so the percentile goal does not apply. The "
            f"goal holds in {_percent(goal.confidence)} of samples"
        )
    return (
        f"It measures the 95th percentiles of {machines} (from {rate} up) to "
        f"±{_percent(goal.p95_error_ratio)}. Each holds in {_percent(goal.confidence)} of samples"
    )


def _percent(ratio: float) -> str:
    shown = f"{ratio * 100:.3g}"
    # What is nearly always is not always.
    return f"{ratio * 100:.12g}%" if shown == "100" and ratio < 1 else f"{shown}%"


def _rows(answer: FlowLogBill, options: RenderOptions) -> doc.Table:
    is_planned = answer.goal is not None
    columns = (
        doc.Column(title="written by"),
        doc.Column(title="records", is_number=True, stacked="{} records"),
        doc.Column(title="volume", is_number=True),
        doc.Column(title="per month", is_number=True, stacked="{}/month"),
        doc.Column(title="today", stacked="today: {}"),
        *((doc.Column(title="planned", stacked="planned: {}"),) if is_planned else ()),
        *((doc.Column(title="then", is_number=True, stacked="then {}"),) if is_planned else ()),
        *((doc.Column(title="note", is_note=True),) if is_planned else ()),
    )
    limit = options.row_limit
    rows = tuple(_row(row, is_planned=is_planned) for row in answer.writers[:limit])
    rest = len(answer.writers) - len(rows)
    if rest > 0:
        more = line(f"and {figures.counted(rest, 'more writer')}")
        rows = (*rows, (more, *((),) * (len(columns) - 1)))
    return doc.Table(columns=columns, rows=rows)


def _row(row: bills.LogRow, *, is_planned: bool) -> tuple[Line, ...]:
    cells = (
        line(say(row.name, Role.NAME)),
        line(fixed(f"{row.volume.records_per_month:,}")),
        line(fixed(figures.volume(row.volume.gib_per_month))),
        _usd(row.volume),
        line(say(phrases.log_settings(row.now))),
    )
    if not is_planned:
        return cells
    plan = row.proposed
    if plan is None:
        return (*cells, (), (), line(say(row.why_not, length=_LONG)))
    error = plan.dollar_error_ratio
    own = "" if error is None else f"; its own cost to ±{_percent(error)}"
    return (
        *cells,
        line(say(phrases.log_settings(plan.settings))),
        _usd(plan.volume),
        line(say(f"{plan.why}{own}", length=_LONG)),
    )


def _usd(volume: LogVolumeBill) -> Line:
    return line(_amount(volume.usd_per_month))


def _amount(usd: Decimal | None) -> Span:
    return fixed("no price" if usd is None else Amount(usd=usd))


def _extra(row: bills.LogRow, extra: LogVolumeBill) -> Line:
    return line(
        say(row.name, Role.NAME),
        f": {extra.records_per_month:,} of its records are also written by another "
        "configuration, for ",
        _amount(extra.usd_per_month),
        "/month",
    )


def _left_out(answer: FlowLogBill) -> Iterator[Block]:
    """Yield what filters leave out, once a kind, with what each writer saves by it."""
    kinds: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, LogVolumeBill]]] = {}
    for row in answer.writers:
        for part in row.proposed.left_out if row.proposed is not None else ():
            kinds.setdefault((part.what, part.hides, part.rules), []).append(
                (row.name, part.volume)
            )
    for (what, hides, rules), saved in kinds.items():
        known = [volume.usd_per_month for _, volume in saved if volume.usd_per_month is not None]
        records = sum(volume.records_per_month for _, volume in saved)
        names = [f"{name} {volume.records_per_month:,}" for name, volume in saved]
        rest = len(names) - _NAMED_WRITERS
        of = ", ".join(names[:_NAMED_WRITERS]) + (f" and {rest} more writers" if rest > 0 else "")
        yield doc.para(
            f"Filters leave out {what}. That is {records:,} fewer records per month (",
            _amount(sum(known, start=Decimal(0)) if known else None),
            ") than with sampling and interval alone (",
            say(of, Role.NAME, length=_LONG),
            f"). Lost: {hides}; too little data for "
            f"{'the rule' if len(rules) == 1 else 'the rules'} {', '.join(rules)}",
        )


def _commands(answer: FlowLogBill) -> Iterator[Block]:
    least = Decimal(str(answer.goal.least_saving_usd if answer.goal is not None else 0))
    saved = [
        (plan.command, row.volume.usd_per_month, plan.volume.usd_per_month)
        for row in answer.writers
        if (plan := row.proposed) and plan.command
    ]
    # What one without a price saves is not known: its command is shown.
    rest = [now - then for _, now, then in saved if now and then is not None and now - then < least]
    if len(rest) < len(saved):
        yield doc.section("Commands")
    for command, now, then in saved:
        if not now or then is None or now - then >= least:
            yield doc.Command(text=shlex.join(command))
    if rest:
        changes = f"/month per change: {figures.counted(len(rest), 'other change')} would save "
        usd = _amount(sum(rest, start=Decimal(0)))
        how = "/month (--least-saving 0 shows the commands)"
        yield doc.para("Minimum saving: ", _amount(least), changes, usd, how)
