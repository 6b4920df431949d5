"""`netplan price`: one price with its unit, region, date, SKU and source.

A missing price is exit status 3 with the reason on stderr and nothing on stdout.
"""

import typer

from netplan_planner.cli import panels
from netplan_planner.cli.app import app
from netplan_planner.cli.price import lookups, machine, services

price_app = typer.Typer(help="Look up a price.", no_args_is_help=True)
app.add_typer(price_app, name="price", rich_help_panel=panels.PRICES)

for verb in (
    machine.machine,
    lookups.sku,
    lookups.traffic,
    lookups.address,
    services.nat,
    services.vpn,
    services.lb,
    services.flow_logs,
):
    price_app.command()(verb)
