"""`netplan caps`: what a machine type may send, with source and date."""

from datetime import date
from typing import Annotated

import typer

from netplan_planner.cli import answers
from netplan_planner.cli.app import EXIT_FINDINGS, app
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.caps import CapsRequest, caps_of
from netplan_planner.planning.inputs import AsOf
from netplan_planner.quantities import names
from netplan_planner.verbs import panels


class Caps(Parameters, frozen=True, kw_only=True):
    """Which machine types, on which day."""

    machine_type: Annotated[
        str | None,
        typer.Argument(
            metavar="TYPE",
            help="Machine type, such as n2-standard-16, n2-custom-8-16384; none: all types.",
        ),
    ] = None
    as_of: AsOf = None
    cpu_platform: Annotated[
        str | None,
        typer.Option(
            metavar="PLATFORM", help='Only the variant of this platform, such as "Intel Skylake".'
        ),
    ] = None
    series: Annotated[
        list[str] | None,
        typer.Option(metavar="SERIES", help="Without TYPE: only these series; commas or repeated."),
    ] = None
    answer: answers.Output = answers.Output()


@app.command(rich_help_panel=panels.PLAN)
@taking
def caps(asked: Caps) -> None:
    """Print the bandwidth caps of a machine type: every variant, with source and date.

    Caps are ceilings per machine, of all its NICs and addresses together. A type that is not known
    ends with exit status 2 and the names that come nearest.
    """
    specs = asked.answer.specs()
    request = CapsRequest(
        as_of=asked.as_of or date.today(),
        machine_type=asked.machine_type,
        cpu_platform=asked.cpu_platform,
        series=names(asked.series),
    )
    found = caps_of(request)
    answers.write(found, specs)
    if not found.caps:
        raise typer.Exit(EXIT_FINDINGS)
