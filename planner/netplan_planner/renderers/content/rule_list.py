"""The rules, a row each: id, severity, area, title."""

from collections.abc import Iterator

from netplan_planner.model import RuleList
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.content.rule_page import as_plain
from netplan_planner.renderers.document import Block, Column, Table, line, say
from netplan_planner.renderers.options import RenderOptions

SCHEMA = "netplan.rules/1"
COLUMNS = ("rule", "severity", "area", "title", "needs", "since")


def table(answer: RuleList) -> DataTable:
    """Return a row a rule."""
    rows = (
        (one.id, one.severity, one.area, as_plain(one.title), one.needs, one.since)
        for one in answer.rules
    )
    return DataTable(COLUMNS, rows)


def blocks(answer: RuleList, options: RenderOptions) -> Iterator[Block]:
    """Yield the table."""
    columns = (
        Column(title=""),
        Column(title=""),
        Column(title=""),
        Column(title="", is_note=True),
    )
    rows = tuple(
        (line(say(one.id)), line(one.severity), line(one.area), line(say(as_plain(one.title))))
        for one in answer.rules
    )
    yield Table(columns=columns, rows=rows)
