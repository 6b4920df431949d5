"""Environment variables: a row each, with the option that it sets and whether it is given."""

from collections.abc import Iterator

from netplan_planner.model import Environment
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import Block, Column, Role, Table, line, say
from netplan_planner.renderers.options import RenderOptions

SCHEMA = "netplan.environment/1"
COLUMNS = ("variable", "sets", "meaning", "is_given")


def table(answer: Environment) -> DataTable:
    """Return a row a variable."""
    rows = ((one.variable, one.sets, one.meaning, one.is_given) for one in answer.variables)
    return DataTable(COLUMNS, rows)


def blocks(answer: Environment, options: RenderOptions) -> Iterator[Block]:
    """Yield a row a variable; what an option means is for its verb's help and for data formats."""
    columns = (Column(title="variable"), Column(title="sets"), Column(title="now"))
    rows = tuple(
        (
            line(say(one.variable, Role.PLACE)),
            line(say(one.sets)),
            line("set" if one.is_given else ""),
        )
        for one in answer.variables
    )
    yield Table(columns=columns, rows=rows)
