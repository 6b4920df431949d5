"""What the commands of `netplan price` are asked."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated

from netplan_planner.asks import Ask, Exact, Request
from netplan_planner.choices import Balancer, Paid, Tier, Use
from netplan_planner.model.base import taken
from netplan_planner.planning.inputs import PriceInput, PriceSource
from netplan_planner.units import HOURS_PER_MONTH

MONTH_H = Decimal(HOURS_PER_MONTH)
Region = Annotated[str, Ask("Region, such as us-central1.", "--region", metavar="REGION")]
Hours = Annotated[
    Exact, Ask("Hours of the total; 730 are a full month.", "--hours", metavar="HOURS", least=0)
]


class Prices(PriceInput, frozen=True, kw_only=True):
    """Which prices are asked for, and how they are shown."""

    currency: Annotated[
        str | None,
        Ask(
            "Also show amounts in this currency, at the rate that the API returned.", metavar="CODE"
        ),
    ] = None

    def source(self, today: date) -> PriceSource:
        """Return where prices are taken from."""
        return taken(PriceSource, self, today=today, folder=self.prices)


class MachineAsk(Request, frozen=True, kw_only=True):
    """Which machine, or which table of them."""

    machine_type: Annotated[
        str | None,
        Ask(
            "Machine type, such as n2-standard-16, n2-custom-8-16384.",
            metavar="TYPE",
            is_argument=True,
        ),
    ] = None
    region: Annotated[str | None, Ask("Region, such as us-central1.", metavar="REGION")] = None
    batch: Annotated[
        Path | None,
        Ask(
            "CSV with the columns region and machine_type. Shows all prices of each row, in the "
            "same order. `-` reads stdin.",
            metavar="FILE",
        ),
    ] = None
    usage: Annotated[Paid, Ask("Purchase option.")] = Paid.ON_DEMAND
    hours: Hours = MONTH_H
    prices: Prices = Prices()


class SkuAsk(Request, frozen=True, kw_only=True):
    """Which SKU."""

    sku_id: Annotated[
        str, Ask("Id of a SKU, such as BB77-5FDA-69D9.", metavar="SKU", is_argument=True)
    ]
    prices: Prices = Prices()


class TrafficAsk(Request, frozen=True, kw_only=True):
    """A volume of a month from a region to somewhere."""

    src: Annotated[
        str,
        Ask(
            "Region of the sender.",
            "--from",
            variable="NETPLAN_PRICE_TRAFFIC_FROM",
            metavar="REGION",
        ),
    ]
    to: Annotated[
        str,
        Ask(
            "Region of the receiver, or: zone (another zone of the sender's region), same-zone, "
            "internet, nat, google-apis, load-balancer.",
            metavar="PLACE",
        ),
    ]
    gib: Annotated[float, Ask("GiB sent per month.", metavar="GIB", least=0)]
    area: Annotated[
        str | None,
        Ask(
            "Location of an internet peer: a country (Japan, JP, jpn), a continent, or an area "
            "of the price list (South America, Western Europe, …).",
            metavar="AREA",
        ),
    ] = None
    place: Annotated[
        str | None,
        Ask("Region of the bucket or service, with --to google-apis.", metavar="REGION"),
    ] = None
    network_tier: Annotated[Tier, Ask("Network tier of internet traffic.", is_any_case=True)] = (
        Tier.PREMIUM
    )
    is_external: Annotated[
        bool, Ask("Sent to the external address of your own VM.", "--external")
    ] = False
    prices: Prices = Prices()


class AddressAsk(Request, frozen=True, kw_only=True):
    """External IPv4 addresses in a region, for how long."""

    region: Region
    use: Annotated[Use, Ask("What the address is used for.")] = Use.ALL
    hours: Hours = MONTH_H
    prices: Prices = Prices()


class NatAsk(Request, frozen=True, kw_only=True):
    """A gateway, and what it processes."""

    region: Region
    vms: Annotated[int, Ask("VMs that use the gateway.", metavar="COUNT", least=0)] = 1
    addresses: Annotated[
        int, Ask("External addresses of the gateway.", metavar="COUNT", least=0)
    ] = 1
    gib: Annotated[
        Exact, Ask("GiB processed per month, both directions.", metavar="GIB", least=0)
    ] = Decimal(0)
    hours: Hours = MONTH_H
    prices: Prices = Prices()


class VpnAsk(Request, frozen=True, kw_only=True):
    """Tunnels, and what is sent through them."""

    region: Region
    tunnels: Annotated[
        int, Ask("Number of tunnels. An HA VPN has two.", metavar="COUNT", least=0)
    ] = 2
    gib: Annotated[
        Exact, Ask("GiB sent through the tunnels per month.", metavar="GIB", least=0)
    ] = Decimal(0)
    to: Annotated[
        str | None,
        Ask("Region of the other end, if it is in Google Cloud.", metavar="REGION"),
    ] = None
    area: Annotated[
        str | None,
        Ask(
            "Location of the other end, if it is outside Google Cloud: Europe, Asia/jpn, usa, …",
            metavar="AREA",
        ),
    ] = None
    hours: Hours = MONTH_H
    prices: Prices = Prices()


class BalancerAsk(Request, frozen=True, kw_only=True):
    """A load balancer, and what it processes."""

    region: Region
    kind: Annotated[Balancer, Ask("Kind of load balancer.")]
    rules: Annotated[
        int | None,
        Ask(
            "Number of forwarding rules. The first five have one price together.",
            metavar="COUNT",
            least=0,
            shown_default="1",
        ),
    ] = None
    """None is one; beside proxies, which are paid instead, none."""
    gib_in: Annotated[
        Exact, Ask("GiB per month from clients.", "--gib", metavar="GIB", least=0)
    ] = Decimal(0)
    gib_out: Annotated[Exact, Ask("GiB per month back to clients.", metavar="GIB", least=0)] = (
        Decimal(0)
    )
    proxies: Annotated[
        int, Ask("Proxies of an internal Application Load Balancer.", metavar="COUNT", least=0)
    ] = 0
    hours: Hours = MONTH_H
    prices: Prices = Prices()


class FlowLogsAsk(Request, frozen=True, kw_only=True):
    """How many records, and what becomes of them."""

    records: Annotated[int | None, Ask("Records per month.", metavar="COUNT", least=0)] = None
    gib: Annotated[
        Exact | None,
        Ask("GiB of records per month, instead of --records.", metavar="GIB", least=0),
    ] = None
    has_metadata: Annotated[
        bool, Ask("Whether --records have metadata.", "--metadata/--no-metadata")
    ] = True
    is_stored: Annotated[bool, Ask("Whether Cloud Logging stores them.", "--stored/--excluded")] = (
        True
    )
    prices: Prices = Prices()
