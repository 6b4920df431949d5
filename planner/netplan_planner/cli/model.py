"""`netplan model evaluate`: the model against measurements, beside caps and a look-up table."""

from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netplan_planner.cli import options
from netplan_planner.cli.app import app, state
from netplan_planner.cli.options import OUTPUT
from netplan_planner.cli.panels import MEASURE
from netplan_planner.units import counted

if TYPE_CHECKING:
    from netplan_planner.engine.evaluate import GroupScore

SCHEMA = "netplan.evaluation/1"
UNKNOWN = "-"

model_app = typer.Typer(help="How good the throughput model is.", no_args_is_help=True)
app.add_typer(model_app, name="model", rich_help_panel=MEASURE)


class Form(StrEnum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"


@model_app.command()
def evaluate(
    file: Annotated[
        Path,
        typer.Argument(
            help="Measurements, CSV or Parquet, in the columns of docs/predict.md with value."
        ),
    ],
    as_of: options.AsOf = None,
    level: Annotated[
        float,
        typer.Option(
            min=0.5, max=0.99, help="Share of cases in the interval.", rich_help_panel=OUTPUT
        ),
    ] = 0.9,
    leave_out: Annotated[
        bool,
        typer.Option(
            "--leave-out",
            help="Fit the intervals of each source on the other sources of this file.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Predicted against measured, as .svg or .png (needs matplotlib).",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    form: Annotated[
        Form, typer.Option("--format", help="text or json.", rich_help_panel=OUTPUT)
    ] = Form.TEXT,
) -> None:
    """Score the model on measurements: error, interval coverage and score, by group.

    Beside it stand two rivals: the documented caps alone, and what the newest earlier source of the
    same file measured on the same pair. Rows whose limits netplan cannot know are counted, not
    guessed.
    """
    from netplan_planner.engine.evaluate import evaluate as score
    from netplan_planner.engine.evaluate import evaluate_left_out

    options.checked_output("--plot", plot, [file])
    chosen = evaluate_left_out if leave_out else score
    found, rows = chosen(file, as_of=options.day(as_of) or date.today(), level=level)
    if found.refused and not state.quiet:
        typer.echo(f"note: rows that are refused, among them {'; '.join(found.refused)}", err=True)
    if plot is not None:
        from netplan_planner.renderers.scatter import write_scatter

        write_scatter(
            plot,
            measured_gbps=rows.value_gbps,
            predicted_gbps=rows.gbps,
            group=rows.path_class,
            title=f"{file.name}: predicted against measured",
        )
    if form is Form.JSON:
        import msgspec

        from netplan_planner.inert import escaped_json

        document = {"schema": SCHEMA, **msgspec.structs.asdict(found)}
        text = msgspec.json.format(msgspec.json.encode(document)).decode()
        typer.echo(escaped_json(text))
        return
    typer.echo(
        f"{counted(found.row_count, 'row')}, {found.unused_count:,} without a measured value"
    )
    for title, groups in (
        ("source", found.by_source),
        ("path class", found.by_path_class),
        ("machine family of the sender", found.by_machine_family),
    ):
        typer.echo("")
        for line in _table(title, groups, level):
            typer.echo(line)
    typer.echo("")
    typer.echo(
        "err: |predicted / measured - 1|, median and 90th percentile. in: share inside the"
        f" {level:.0%} interval.\nwidth and score in Gbit/s: mean width; width plus what rows"
        " outside miss it by. single: width of the best\ninterval that is alike for all rows, with"
        " the same share inside. caps: the documented caps alone. table: what\nthe newest earlier"
        " source measured on the same pair, for so many rows."
    )


def _table(title: str, groups: "tuple[GroupScore, ...]", level: float) -> list[str]:
    """Return the lines of a table; groups without any prediction stand together in the last."""
    from netplan_planner.inert import inert

    head = ("rows", "known", "err", "P90", "in", "width", "single", "score", "caps", "table", "of")
    known = [one for one in groups if one.known_count]
    rows = [(inert(one.group, 60), *_cells(one)) for one in known]
    wide = max([len(title), *(len(row[0]) for row in rows)])
    lines = [f"{title:<{wide}}" + "".join(f"{name:>8}" for name in head)]
    lines += [f"{row[0]:<{wide}}" + "".join(f"{cell:>8}" for cell in row[1:]) for row in rows]
    others = [one for one in groups if not one.known_count]
    if others:
        count = sum(one.row_count for one in others)
        lines.append(f"unknown: {counted(count, 'row')} of {counted(len(others), 'other group')}")
    return lines


def _cells(one: "GroupScore") -> tuple[str, ...]:
    return (
        f"{one.row_count:,}",
        f"{one.known_count:,}",
        _percent(one.median_error_ratio),
        _percent(one.p90_error_ratio),
        _percent(one.coverage_ratio),
        _gbps(one.mean_width_gbps),
        _gbps(one.single_width_gbps),
        _gbps(one.interval_score_gbps),
        _percent(one.caps_median_error_ratio),
        _percent(one.lookup_median_error_ratio),
        f"{one.lookup_count:,}",
    )


def _percent(ratio: float | None) -> str:
    if ratio is None:
        return UNKNOWN
    return f"{100 * ratio:.1f}%" if ratio < 1 else f"{100 * ratio:,.0f}%"


def _gbps(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.3g}"
