"""`netplan prices`: where prices come from. Reads catalogues; writes snapshots, nothing else."""

import typer

from netplan_planner.cli.app import app
from netplan_planner.cli.prices.building import build, refresh
from netplan_planner.cli.prices.checking import diff, map_skus, verify
from netplan_planner.cli.prices.reconciling import reconcile
from netplan_planner.verbs import panels

prices_app = typer.Typer(help="Build, compare and check price snapshots.", no_args_is_help=True)
app.add_typer(prices_app, name="prices", rich_help_panel=panels.PRICES)

prices_app.command("map")(map_skus)
for verb in (build, refresh, diff, verify, reconcile):
    prices_app.command()(verb)
