"""Parameters that several verbs share: what the text format looks like."""

from typing import Annotated

import typer

from netplan_planner.asks import OUTPUT
from netplan_planner.cli.parameters import Parameters
from netplan_planner.cli.state import state
from netplan_planner.renderers import ColourMode


class Look(Parameters, frozen=True, kw_only=True):
    """What the text format looks like."""

    width: Annotated[
        int | None,
        typer.Option(
            metavar="COLUMNS",
            min=20,
            help="Columns of the text format (default: the terminal's).",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    color: Annotated[
        ColourMode, typer.Option(help="Colours of the text format.", rich_help_panel=OUTPUT)
    ] = ColourMode.AUTO


def verbosity(count: int) -> int:
    """Return how much is explained, here or before the verb."""
    return max(count, int(state.explain))
