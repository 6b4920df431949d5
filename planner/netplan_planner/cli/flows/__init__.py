"""`netplan flows`: sums of flow logs that any verb reads."""

import typer

from netplan_planner.cli.app import app
from netplan_planner.cli.flows.aggregating import aggregate
from netplan_planner.verbs import panels

flows_app = typer.Typer(
    help="Sum flow logs where they lie, for --traffic of other verbs.", no_args_is_help=True
)
app.add_typer(flows_app, name="flows", rich_help_panel=panels.AUDIT)

flows_app.command()(aggregate)
