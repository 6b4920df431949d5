"""`netplan price`: one price with its unit, region, date, SKU and source.

A missing price is exit status 3 with the reason on stderr and nothing on stdout.
"""

import typer

from netplan_planner.cli.app import app
from netplan_planner.cli.lazy import LazyGroup, Verb
from netplan_planner.verbs import panels

_HERE = "netplan_planner.cli.price."

VERBS = {
    "machine": Verb(
        "Print what a machine costs per hour and for a month, or for another number of hours.",
        (f"{_HERE}machine",),
    ),
    "sku": Verb(
        "Print what a SKU is, where it holds, and every step of its price.", (f"{_HERE}lookups",)
    ),
    "traffic": Verb(
        "Print what a month's traffic costs: every price step that it reaches, and the sum.",
        (f"{_HERE}lookups",),
    ),
    "address": Verb(
        "Print what one more external IPv4 address costs per hour and month.",
        (f"{_HERE}lookups",),
    ),
    "nat": Verb(
        "Print what a Cloud NAT gateway costs: its hours, its addresses, the data that it"
        " processes.",
        (f"{_HERE}services",),
    ),
    "vpn": Verb(
        "Print what Cloud VPN costs: the hours of its tunnels, and what is sent through them.",
        (f"{_HERE}services",),
    ),
    "lb": Verb(
        "Print what a load balancer costs: its forwarding rules and the data that it processes.",
        (f"{_HERE}services",),
    ),
    "flow-logs": Verb(
        "Print what VPC Flow Logs cost: generation by its price steps, and storage.",
        (f"{_HERE}services",),
    ),
}
"""By name, in the order of the help page."""


class PriceVerbs(LazyGroup):
    """What has a price."""

    verbs = VERBS


price_app = typer.Typer(cls=PriceVerbs, help="Look up a price.", no_args_is_help=True)
PriceVerbs.registry = price_app
app.add_typer(price_app, name="price", rich_help_panel=panels.PRICES)
