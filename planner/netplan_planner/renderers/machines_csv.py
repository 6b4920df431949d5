"""All machines as a table (RFC 4180): caps with their sources, NIC, MTU, addresses, dollars.

One row a machine. An empty cell is not known; `cap_unknown` and `price_unknown` say why. Columns
keep their order; new ones come at the end.
"""

from netplan_planner.model import MachineRow, Report
from netplan_planner.renderers.csv_report import table
from netplan_planner.renderers.figures import rounded
from netplan_planner.renderers.json_report import SUM_DECIMALS
from netplan_planner.renderers.options import RenderOptions

COLUMNS = MachineRow.__struct_fields__
"""The header: the fields of a row, in their order; several values of one are joined by blanks."""


def render(report: Report, options: RenderOptions) -> str:
    """Return the table; no option leaves a row out."""
    return table(COLUMNS, (_cells(row) for row in report.machines))


def _cells(row: MachineRow) -> tuple[str | int | float | None, ...]:
    return tuple(_plain(getattr(row, name)) for name in COLUMNS)


def _plain(value: object) -> str | int | float | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return " ".join(value)
    if value is None or isinstance(value, str | int | float):
        return value
    return rounded(value, SUM_DECIMALS)  # type: ignore[arg-type]  # the rest is Decimal
