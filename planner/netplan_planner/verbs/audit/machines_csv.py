"""All machines as a table: caps with their sources, NIC, MTU, addresses, dollars.

One row a machine. An empty cell is not known; `cap_unknown` and `price_unknown` say why. Columns
keep their order; new ones come at the end.
"""

from decimal import Decimal

from netplan_planner.model import MachineRow
from netplan_planner.renderers.content import Cell, DataTable
from netplan_planner.renderers.csv_report import text_of
from netplan_planner.renderers.figures import SUM_DECIMALS, exact
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit.answer import Report

COLUMNS = MachineRow.__struct_fields__
"""The header: the fields of a row, in their order."""


def render(report: Report, options: RenderOptions) -> str:
    """Return the table; no option leaves a row out."""
    return text_of(table(report))


def table(report: Report) -> DataTable:
    """Return a row a machine."""
    return DataTable(COLUMNS, (tuple(map(_cell, _values(row))) for row in report.machines))


def _values(row: MachineRow) -> tuple[Cell, ...]:
    return tuple(getattr(row, name) for name in COLUMNS)


def _cell(value: Cell) -> Cell:
    return exact(value, SUM_DECIMALS) if isinstance(value, Decimal) else value
