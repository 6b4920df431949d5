"""Settings: a line each, with the value and where it comes from."""

from collections.abc import Iterator

from netplan_planner.model import Setting, Settings
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import Block, Column, Table, line, say
from netplan_planner.renderers.options import RenderOptions

SCHEMA = "netplan.settings/1"
COLUMNS = ("setting", "value", "origin")
_LONG = 4000


def table(answer: Settings) -> DataTable:
    """Return a row a setting."""
    return DataTable(COLUMNS, ((one.setting, one.value, one.origin) for one in answer.settings))


def blocks(answer: Settings, options: RenderOptions) -> Iterator[Block]:
    """Yield a row a setting."""
    columns = (Column(title=""), Column(title="", is_note=True))
    rows = tuple(
        (line(say(one.setting)), line(say(f"{_shown(one)}  ({one.origin})", length=_LONG)))
        for one in answer.settings
    )
    yield Table(columns=columns, rows=rows)


def _shown(one: Setting) -> str:
    if one.value is None or one.value == ():
        return "not set"
    return ", ".join(one.value) if isinstance(one.value, tuple) else str(one.value)
