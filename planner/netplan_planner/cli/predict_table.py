"""`netplan predict --batch`: the predictions of a table of paths, its rows and columns kept."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from netplan_planner.cli.app import state
from netplan_planner.cli.options import checked_output
from netplan_planner.cli.streams import to_stdout
from netplan_planner.errors import UsageError
from netplan_planner.renderers.output import RENDERERS
from netplan_planner.units import counted
from netplan_planner.writing import written_whole

if TYPE_CHECKING:
    from netplan_planner.engine.predict_table import TableAnswer
    from netplan_planner.readers.path_table import PathTable
    from netplan_planner.renderers.output import OutputSpec
    from netplan_planner.tables.extended import AddedColumn

TABLE_FORMATS = ("csv", "json")
MOST_NAMED = 8
"""Columns that a note names."""


def table_output(outputs: "list[str] | None", former: str | None) -> "OutputSpec":
    """Return the one place and format of a table; a path without a format is a CSV file.

    Raises:
        UsageError: If there are several, or the format is none that a table has.
    """
    from netplan_planner.renderers.output import OutputSpec, parse_output

    form = former or TABLE_FORMATS[0]
    if len(outputs or ()) > 1:
        raise UsageError("--output: a table goes to one place")
    for text in outputs or ():
        if text.partition(":")[0] not in RENDERERS:
            return OutputSpec(format=parse_output(form, TABLE_FORMATS).format, path=Path(text))
        return parse_output(text, TABLE_FORMATS)
    return parse_output(form, TABLE_FORMATS)


def write_table(
    batch: Path,
    as_of: date,
    level: float,
    output: Path | None,
    calibration: Path | None,
    *,
    as_json: bool,
    together: bool,
) -> None:
    """Write the table with its predictions to a file or stdout, as CSV or JSON."""
    from netplan_planner.engine.calibration_file import read_calibration
    from netplan_planner.engine.predict_table import (
        predict_table,
        predictions_csv,
        predictions_json,
    )
    from netplan_planner.readers.path_table import PathTable

    checked_output("--output", output, [batch, *([calibration] if calibration else [])])
    learnt = read_calibration(calibration) if calibration is not None else None
    with PathTable(batch) as table:
        _say_unread(table)
        answer = predict_table(table, as_of=as_of, level=level, calibration=learnt)
        say_refused(table)
        more = _shared(table, answer) if together else None
        if as_json:
            text = predictions_json(answer, table, level, more)
            if output is None:
                typer.echo(text, nl=False)
            else:
                with written_whole(output) as new:
                    new.write_text(text, encoding="utf-8")
        elif output is None:
            with to_stdout() as pipe:
                predictions_csv(answer, table, pipe, more)
        else:
            with written_whole(output) as new:
                predictions_csv(answer, table, new, more)


def _say_unread(table: "PathTable") -> None:
    from netplan_planner.inert import inert_line

    unread = table.unread_columns
    if unread and not state.quiet:
        shown = ", ".join(inert_line(name)[:40] for name in unread[:MOST_NAMED])
        rest = f" and {len(unread) - MOST_NAMED} more" if len(unread) > MOST_NAMED else ""
        typer.echo(
            f"note: nothing is read from {counted(len(unread), 'column')}: {shown}{rest}"
            " (docs/predict.md names those that are read)",
            err=True,
        )


def say_refused(table: "PathTable") -> None:
    """Name on stderr the rows that have no answer because of one of their cells."""
    refused = table.refused
    if not refused.count or state.quiet:
        return
    rest = refused.count - len(refused.named)
    more = f"; and {rest:,} more" if rest else ""
    typer.echo(
        f"note: {counted(refused.count, 'row')} of {table.row_count:,} refused, the others are"
        f" answered: {'; '.join(refused.named)}{more}",
        err=True,
    )


def _shared(table: "PathTable", answer: "TableAnswer") -> "dict[str, AddedColumn]":
    from netplan_planner.engine.shared_table import share_table

    found = share_table(table, answer)
    if found.unknown_count and not state.quiet:
        typer.echo(
            f"note: {_unknown(found.unknown_count)} left out of the sharing; in truth"
            f" {'it takes' if found.unknown_count == 1 else 'they take'} bandwidth too",
            err=True,
        )
    return {"shared_gbps": found.gbps, "shared_limit": found.limit}


def _unknown(count: int) -> str:
    one = count == 1
    has, is_ = ("has", "is") if one else ("have", "are")
    return f"{counted(count, 'row')} {has} no prediction and {is_}"
