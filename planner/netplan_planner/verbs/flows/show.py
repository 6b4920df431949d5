"""What aggregates hold, and what to do with them."""

import shlex
from collections.abc import Iterator

from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import DataTable, data_table, phrases
from netplan_planner.renderers.document import Block, fixed, line
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted
from netplan_planner.verbs.flows.answer import Aggregated, AggregatedTable

SCHEMA = "netplan.aggregated/1"


def table(answer: Aggregated) -> DataTable:
    """Return a row a table."""
    return data_table(AggregatedTable, answer.tables)


def blocks(answer: Aggregated, options: RenderOptions) -> Iterator[Block]:
    """Yield the tables, what is not in them, and how to go on."""
    size = figures.byte_volume(answer.byte_count)
    yield doc.Title(
        line=line("Aggregates ", phrases.place(answer.folder), ", ", fixed(size)),
        basis=line(f"format {answer.format}, {_window(answer)}, by {answer.reporter.value}"),
    )
    columns = (
        doc.Column(title="table"),
        doc.Column(title="rows", is_number=True),
        doc.Column(title="bytes", is_number=True),
    )
    rows = tuple(
        (
            line(phrases.name(one.file)),
            line(fixed(f"{one.row_count:,}")),
            line(fixed(figures.byte_volume(one.byte_count))),
        )
        for one in answer.tables
    )
    yield doc.Table(columns=columns, rows=rows)
    yield doc.para(
        f"Sums of {answer.used_count:,} of {answer.record_count:,} records of "
        f"{counted(answer.machine_count, 'VM')}. Their ends come from the inventory of this run. "
        "Use the same inventory when you read them."
    )
    if not answer.has_log_volume:
        yield doc.para(
            "The volume of the records is not included. flow-logs cost and plan need it: "
            "--log-volume"
        )
    yield from phrases.blocks(answer.incomplete, options)
    yield doc.section("Next")
    words = ("netplan", "audit", *answer.inventory_words, "--traffic", answer.folder)
    yield doc.Command(text=shlex.join(words))


def _window(answer: Aggregated) -> str:
    if answer.is_steady:
        return "steady rates"
    return f"{answer.start:%Y-%m-%d %H:%M} to {answer.end:%Y-%m-%d %H:%M} UTC"
