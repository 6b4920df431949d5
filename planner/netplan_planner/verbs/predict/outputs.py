"""Where a table of predictions goes, and as what."""

from collections.abc import Sequence
from pathlib import Path

from netplan_planner.errors import UsageError
from netplan_planner.renderers.output import RENDERERS, OutputSpec, check_outputs, parse_output

FORMATS = (CSV, JSON, PARQUET) = ("csv", "json", "parquet")
"""What a table of predictions is written as."""


def table_outputs(outputs: Sequence[str], former: str | None) -> tuple[OutputSpec, ...]:
    """Return where a table goes: `FORMAT[:PATH]`, or a path alone, in the former format or CSV.

    Raises:
        UsageError: If a format is none that a table has, or two outputs have one target.
    """
    form = parse_output(former or CSV, FORMATS).format
    specs = tuple(_spec(text, form) for text in outputs) or (OutputSpec(format=form),)
    check_outputs(specs)
    for spec in specs:
        if spec.format == PARQUET and spec.path is None:
            raise UsageError("--output parquet: it is no text for a terminal: give parquet:PATH")
    return specs


def _spec(text: str, form: str) -> OutputSpec:
    if text.partition(":")[0] not in {*RENDERERS, *FORMATS}:
        return OutputSpec(format=form, path=Path(text))
    return parse_output(text, FORMATS)
