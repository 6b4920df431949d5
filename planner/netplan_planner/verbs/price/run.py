"""`netplan price`: one price with its unit, region, date, SKU and source.

A missing price is exit status 3 with the reason on stderr and nothing on stdout.
"""

from netplan_planner.choices import Paid
from netplan_planner.errors import UsageError
from netplan_planner.verbs import Now, always_well, panels, verb
from netplan_planner.verbs.price.answer import PriceAnswer
from netplan_planner.verbs.price.ask import (
    MONTH_H,
    AddressAsk,
    BalancerAsk,
    FlowLogsAsk,
    MachineAsk,
    NatAsk,
    SkuAsk,
    TrafficAsk,
    VpnAsk,
)
from netplan_planner.verbs.price.machines import machine_prices
from netplan_planner.verbs.price.services import (
    balancer_prices,
    flow_log_prices,
    nat_prices,
    vpn_prices,
)
from netplan_planner.verbs.price.skus import sku_prices
from netplan_planner.verbs.price.table import PriceTable
from netplan_planner.verbs.price.traffic import address_prices, traffic_prices


def form_of(ask: MachineAsk) -> str:
    """Return the format where none is named: what people read has no room for a table of prices."""
    return "text" if ask.batch is None else "csv"


@verb(panel=panels.PRICES, ends=always_well, form=form_of)
def machine(ask: MachineAsk, now: Now) -> PriceAnswer | PriceTable:
    """Print what a machine costs per hour and for a month, or for another number of hours."""
    source = ask.prices.source(now.today)
    if ask.batch is None:
        return machine_prices(ask, source)
    if ask.hours != MONTH_H or ask.usage is not Paid.ON_DEMAND:
        raise UsageError("--batch gives all prices of an hour: no --hours, no --usage with it")
    if ask.machine_type is not None or ask.region is not None:
        raise UsageError("--batch names types and regions in its file: give no others")
    # A single price does not wait for the table engine.
    from netplan_planner.verbs.price.batch import price_table

    return price_table(ask.batch, source)


@verb(panel=panels.PRICES, ends=always_well)
def sku(ask: SkuAsk, now: Now) -> PriceAnswer:
    """Print what a SKU is, where it holds, and every step of its price."""
    return sku_prices(ask.sku_id, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def traffic(ask: TrafficAsk, now: Now) -> PriceAnswer:
    """Print what a month's traffic costs: every price step that it reaches, and the sum."""
    return traffic_prices(ask, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def address(ask: AddressAsk, now: Now) -> PriceAnswer:
    """Print what one more external IPv4 address costs per hour and month.

    Free hours are per account and month, for all addresses of a kind together: a note names them
    and what they take off, once.
    """
    return address_prices(ask, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def nat(ask: NatAsk, now: Now) -> PriceAnswer:
    """Print what a Cloud NAT gateway costs: its hours, its addresses, the data that it processes.

    --gib counts both directions. What leaves for the internet is charged on top: netplan price
    traffic --to nat.
    """
    return nat_prices(ask, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def vpn(ask: VpnAsk, now: Now) -> PriceAnswer:
    """Print what Cloud VPN costs: the hours of its tunnels, and what is sent through them."""
    return vpn_prices(ask, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def lb(ask: BalancerAsk, now: Now) -> PriceAnswer:
    """Print what a load balancer costs: its forwarding rules and the data that it processes."""
    return balancer_prices(ask, ask.prices.source(now.today))


@verb(panel=panels.PRICES, ends=always_well)
def flow_logs(ask: FlowLogsAsk, now: Now) -> PriceAnswer:
    """Print what VPC Flow Logs cost: generation by its price steps, and storage.

    How many records there would be before logs are on: the metric
    networking.googleapis.com/vpc_flow/predicted_max_vpc_flow_logs_count.
    """
    return flow_log_prices(ask, ask.prices.source(now.today))
