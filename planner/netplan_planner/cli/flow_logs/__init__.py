"""`netplan flow-logs`: what flow logs cost, and settings that cost less."""

import typer

from netplan_planner.cli.app import app
from netplan_planner.cli.flow_logs.costing import cost
from netplan_planner.cli.flow_logs.planning import plan
from netplan_planner.verbs import panels

flow_logs_app = typer.Typer(
    help="Say what flow logs cost, and which settings cost less.", no_args_is_help=True
)
app.add_typer(flow_logs_app, name="flow-logs", rich_help_panel=panels.PLAN)

for verb in (cost, plan):
    flow_logs_app.command()(verb)
