"""`netplan caps`: what a machine type may send, with source and date.

An unknown type, or one without a cap at the date, is exit status 3 with the reason on stderr.
"""

import shutil
import sys
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from netplan_planner.cli import options
from netplan_planner.cli.app import app
from netplan_planner.errors import MissingDatum, UsageError

if TYPE_CHECKING:
    from netplan_planner.model import EgressCap
    from netplan_planner.throughput import CapsTable


WIDTH = 100
"""Columns where there is no terminal to ask."""


class Form(StrEnum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


@app.command()
def caps(
    machine_type: Annotated[
        str | None,
        typer.Argument(
            metavar="[TYPE]", help="Such as n2-standard-16, n2-custom-8-16384; none: all types."
        ),
    ] = None,
    as_of: options.AsOf = None,
    cpu_platform: Annotated[
        str | None,
        typer.Option(help='Only the variant of this platform, such as "Intel Skylake".'),
    ] = None,
    series: Annotated[
        list[str] | None,
        typer.Option(help="Without TYPE: only these series; commas or repeated."),
    ] = None,
    format: Annotated[Form, typer.Option("--format", help="How to write the answer.")] = Form.TEXT,
) -> None:
    """Print the bandwidth caps of a machine type: every variant, with source and date.

    Caps are ceilings per machine, of all its NICs and addresses together. A type that is not known
    ends with exit status 3 and the names that come nearest.
    """
    from netplan_planner.cli.caps_answers import listing, one_type
    from netplan_planner.throughput import load_caps

    table = load_caps(options.day(as_of) or date.today())
    if machine_type is None:
        typer.echo(listing(table, _chosen(table, options.names(series)), format.value), nl=False)
        return
    if series:
        raise UsageError("--series is for the list of all types: leave TYPE out")
    variants = _variants(table, machine_type, cpu_platform)
    width = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
    typer.echo(one_type(table, variants, format.value, width), nl=False)


def _variants(
    table: "CapsTable", machine_type: str, cpu_platform: str | None
) -> "tuple[EgressCap, ...]":
    """Return the variants to print.

    Raises:
        MissingDatum: If there are none.
        UsageError: If the platform is not a known name.
    """
    from netplan_planner.throughput.limits.tables import platform_generations

    found = table.variants(machine_type)
    if not found:
        near = table.nearest(machine_type)
        is_known = machine_type in table.machine_types
        hint = f"; the nearest names are {', '.join(near)}" if near and not is_known else ""
        raise MissingDatum(table.unknown_reason(machine_type) + hint)
    if cpu_platform is None:
        return found
    known = platform_generations()
    if cpu_platform not in known:
        raise UsageError(f"--cpu-platform is one of {', '.join(known)}, not {cpu_platform!r}")
    wanted = (
        table.cap(machine_type, tier1=tier1, cpu_platform=cpu_platform) for tier1 in (False, True)
    )
    fitting = tuple(cap for cap in wanted if cap is not None)
    if not fitting:
        raise MissingDatum(table.unknown_reason(machine_type, cpu_platform=cpu_platform))
    return fitting


def _chosen(table: "CapsTable", series: tuple[str, ...]) -> "tuple[EgressCap, ...]":
    from netplan_planner.model import series_of

    known = {series_of(name) for name in table.machine_types}
    for name in series:
        if name not in known:
            raise UsageError(f"--series {name!r}: it is one of {', '.join(sorted(known))}")
    return tuple(
        cap
        for name in sorted(table.machine_types, key=_by_number)
        if not series or series_of(name) in series
        for cap in table.variants(name)
    )


def _by_number(name: str) -> list[tuple[str, int]]:
    """Return a key that sorts n2-standard-8 before n2-standard-16."""
    return [("", int(part)) if part.isdigit() else (part, 0) for part in name.split("-")]
