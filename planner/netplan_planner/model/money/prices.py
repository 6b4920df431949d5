"""Prices as values with their source, and the protocol by which the core asks for them.

Flexible (spend-based) commitments of a billing account, as its bill shows them.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Protocol, Required, TypedDict, Unpack

from msgspec.structs import replace

from netplan_planner.model.base import Region, SkuId, Value
from netplan_planner.model.path_class import PathClass
from netplan_planner.model.project.resources import MachineShape


class FlexibleUse(Value, frozen=True, kw_only=True):
    """What the flexible (spend-based) commitments of a billing account did, as it was billed.

    Amounts are for a month of 730 hours, as the time of the export was.
    """

    plans: tuple[str, ...]
    """`1 year`, `3 years`; empty where the export does not tell."""
    source: str
    start: datetime
    end: datetime
    hour_count: int
    other_hour_count: int = 0
    """Hours of the export that are left out: their fee was another one, of other commitments."""
    usd_per_month: Decimal
    """Their fee."""
    covered_usd_per_month: Decimal
    """Usage that they covered, at prices on demand."""
    unused_usd_per_month: Decimal
    """Usage at prices on demand that they would have covered, and that was not there."""
    uncovered_usd_per_month: Decimal
    """Usage of the same SKUs that was paid on demand, at prices on demand."""
    doubt: str = ""
    """What is not known of them; then the amounts are not to be trusted."""


class FlexibleCommitments(Value, frozen=True, kw_only=True):
    """The flexible commitments of a billing account, hour by hour: Google counts them so."""

    use: FlexibleUse
    uncovered_usd_by_hour: tuple[Decimal, ...]
    """Usage of an hour that they do not cover, at prices on demand; below 0: part of them idle."""
    sku_ids: frozenset[str]
    """SKUs of usage that they were seen, or are documented, to cover."""
    net_ratio: Decimal | None = None
    """What is paid of the price on demand for what they do not cover: sustained-use discounts are
    on that alone. None: all is covered."""

    @property
    def doubt(self) -> str:
        """Why it does not follow what a change brings."""
        return self.use.doubt


OLDER_THAN_A_CHANGE, NOT_IN_BILL = "older than a known change", "not in the bill"
"""In a source: another one knows a later price; a discount of the bill is assumed."""


class Usage(StrEnum):
    """How a machine is paid for."""

    ON_DEMAND = "on-demand"
    SPOT = "spot"
    CUD_1Y = "cud-1y"
    CUD_3Y = "cud-3y"
    SUSTAINED_USE = "sustained-use"
    """On demand, running a whole month, where the series has sustained-use discounts."""


class AddressUse(StrEnum):
    """What an external IPv4 address is used for, which decides its price."""

    STANDARD_VM = "standard-vm"
    SPOT_VM = "spot-vm"
    UNUSED_STATIC = "unused-static"


class PricePart(Value, frozen=True, kw_only=True):
    """What one SKU adds to a unit price: so much of a core, of memory, of a GPU."""

    component: str
    quantity: Decimal
    """How many units of the part one unit of the whole has."""
    unit: str
    """`vcpu-hour`, `gib-hour`, `gpu-hour` or `vm-hour`."""
    unit_price_usd: Decimal
    """Per unit of the part, as its SKU has it."""
    description: str
    """The SKU's own, where the source names one."""
    as_of: date
    sku_id: SkuId | None = None
    ratio: Decimal = Decimal(1)
    """What a sustained-use discount or a flexible commitment leaves of it."""
    ratio_sku_id: SkuId | None = None
    """The SKU of a flexible commitment, which is billed in its place."""

    @property
    def usd(self) -> Decimal:
        """What it adds to the whole."""
        return self.quantity * self.unit_price_usd * self.ratio


class Price(Value, frozen=True, kw_only=True):
    """One unit price. `usd` is exact; 0 only where the source states a free service."""

    usd: Decimal
    unit: str
    """`hour`, `GiB` or `month`."""
    description: str
    as_of: date
    source: str
    sku_id: SkuId | None = None
    region: Region | None = None
    note: str = ""
    sku_candidates: tuple[SkuId, ...] = ()
    """Where `sku_id` is None because several SKUs cost the same: one of them is billed."""
    parts: tuple[PricePart, ...] = ()
    """What it is summed from, where it is a sum; quantity × unit price × ratio add up to `usd`."""


def discounted(
    price: Price, ratio: Decimal, digits: int | None = None, sku_id: SkuId | None = None
) -> Price:
    """Return a price of which `ratio` is left, rounded to `digits` where given.

    `sku_id` is the SKU of what takes the rest off, where it has one.
    """
    usd = price.usd * ratio
    return replace(
        price,
        usd=usd if digits is None else round(usd, digits),
        parts=tuple(
            replace(part, ratio=part.ratio * ratio, ratio_sku_id=sku_id or part.ratio_sku_id)
            for part in price.parts
        ),
    )


class PriceTier(Value, frozen=True, kw_only=True):
    """One step of a tiered price: from `start` units a month on, each unit costs `price`."""

    start: Decimal
    price: Price


def price_key(tiers: Sequence[PriceTier]) -> str:
    """Return what a price is of: prices of one key share the steps of a month."""
    return tiers[0].price.sku_id or tiers[0].price.description


class LineItem(Value, frozen=True, kw_only=True):
    """One line of a bill or a saving: quantity times unit price."""

    name: str
    quantity: Decimal
    unit: str
    unit_price_usd: Decimal
    usd_per_month: Decimal
    as_of: date
    source: str
    sku_id: SkuId | None = None
    """None: several make the price (`parts`), one of `sku_candidates` does, or none is named."""
    sku_candidates: tuple[SkuId, ...] = ()
    parts: tuple[PricePart, ...] = ()

    @property
    def caveat(self) -> str:
        """That its price is older than a known change, or assumed, and which; else empty."""
        found = (self.source.find(said) for said in (OLDER_THAN_A_CHANGE, NOT_IN_BILL))
        return self.source[min((at for at in found if at >= 0), default=len(self.source)) :]

    @property
    def sku_ids(self) -> tuple[SkuId, ...]:
        """The SKUs that are billed, each once; none where the source names none."""
        of_parts = (one for part in self.parts for one in (part.sku_id, part.ratio_sku_id))
        named = (self.sku_id, *of_parts)
        return tuple(dict.fromkeys(sku_id for sku_id in named if sku_id))


def line_item(name: str, quantity: Decimal, price: Price) -> LineItem:
    """Return the line for `quantity` units a month of `price`."""
    return LineItem(
        name=name,
        quantity=quantity,
        unit=price.unit,
        unit_price_usd=price.usd,
        usd_per_month=quantity * price.usd,
        as_of=price.as_of,
        source=price.source,
        sku_id=price.sku_id,
        sku_candidates=price.sku_candidates,
        parts=price.parts,
    )


def negated(item: LineItem) -> LineItem:
    """Return the same line as a cost that a change brings."""
    return replace(item, quantity=-item.quantity, usd_per_month=-item.usd_per_month)


def bill(
    name: str, quantity: Decimal, tiers: tuple[PriceTier, ...], after: Decimal = Decimal(0)
) -> tuple[LineItem, ...]:
    """Return a month's quantity as one line per price step that it reaches, exactly.

    Steps count what a billing account uses of one SKU in a month: add up what is alike first, or
    say how much comes before this quantity with `after`.

    Raises:
        ValueError: If the quantity is negative.
    """
    if quantity < 0:
        raise ValueError(f"a quantity is at least 0, got {quantity}")
    ends = [tier.start for tier in tiers[1:]] + [None]
    lines = []
    for tier, end in zip(tiers, ends, strict=True):
        begins = max(tier.start, after)
        reached = after + quantity if end is None else min(after + quantity, end)
        if reached > begins:
            step = name if len(tiers) == 1 else f"{name}, {step_text(tier.start, end, tier)}"
            lines.append(line_item(step, reached - begins, tier.price))
    return tuple(lines)


def step_text(start: Decimal, end: Decimal | None, tier: PriceTier) -> str:
    """Return a price step in words, such as `from 1,024 to 10,240 GiB`."""
    unit = tier.price.unit
    return f"above {start:,} {unit}" if end is None else f"from {start:,} to {end:,} {unit}"


def total_usd(items: Sequence[LineItem]) -> Decimal:
    """Return the sum of the lines, per month."""
    return sum((item.usd_per_month for item in items), Decimal(0))


class SnapshotInfo(Value, frozen=True, kw_only=True):
    """What a price snapshot is."""

    schema: str
    as_of: date
    """Of the catalogue that its machine prices are from; each price has its own date too."""
    network_as_of: date
    source: str
    row_count: int
    sha256: str
    spot_as_of: date | None = None
    """Of the newest Spot prices, which may have another source than the others."""
    terms: str = ""
    """What of the customer's own contract stands instead of list prices; empty: nothing."""
    unread: tuple[str, ...] = ()
    """What of the customer's files could not be used, a line each."""

    @property
    def oldest(self) -> date:
        """The oldest date of its list prices, Spot aside."""
        return min(self.as_of, self.network_as_of)


class TrafficRoute(TypedDict, total=False):
    """From where to where traffic goes, as far as its price depends on it."""

    src_region: Required[str]
    dst_region: str | None
    """For traffic between regions."""
    area: str | None
    """Continent, country or both of an internet peer (`Asia`, `jpn`, `Asia/jpn`), or a destination
    area as the catalogue names it."""
    network_tier: str
    """`PREMIUM` (where none is stated) or `STANDARD`, for internet traffic."""


class PriceBook(Protocol):
    """Every price that the core may ask for. A missing one raises `MissingDatum`, never 0."""

    @property
    def info(self) -> SnapshotInfo:
        """What the prices rest on."""

    @property
    def flexible(self) -> FlexibleCommitments | None:
        """The flexible commitments that the customer's bill shows; None: it shows none."""

    def machine(self, region: str, machine_type: str, usage: Usage = Usage.ON_DEMAND) -> Price:
        """Return the price of a machine per hour (for `SUSTAINED_USE`, of a full month's hour).

        Custom types are computed from their component rates. A type that is priced but not
        offered in the region raises `MissingDatum` and says so.
        """

    def tier1_fee(
        self, region: str, machine_type: str, gbps: float, *, is_spot: bool = False
    ) -> Price:
        """Return the Tier_1 fee per hour for a total bandwidth of exactly `gbps`.

        Raises `MissingDatum` for series whose price model is not published, and for bandwidths
        without a fee of their own.
        """

    def gpu(self, region: str, gpu_type: str, usage: Usage = Usage.ON_DEMAND) -> Price:
        """Return the price per hour of one GPU that is attached to a machine.

        Any usage but `SUSTAINED_USE`; a missing one raises `MissingDatum`.
        """

    def local_ssd(self, region: str, usage: Usage = Usage.ON_DEMAND) -> Price:
        """Return the price of a GiB a month of Local SSD that is attached to a machine.

        Any usage but `SUSTAINED_USE`; a missing one raises `MissingDatum`.
        """

    def suspended_memory(self, region: str) -> Price:
        """Return the price of a GiB an hour of a suspended machine's memory."""

    def sole_tenant_node(
        self, region: str, node_type: str, usage: Usage = Usage.SUSTAINED_USE
    ) -> Price:
        """Return the price of a sole-tenant node an hour, its premium included."""

    def traffic(
        self, path_class: PathClass, **route: Unpack[TrafficRoute]
    ) -> tuple[PriceTier, ...]:
        """Return the price steps of a GiB sent."""

    def traffic_line_items(
        self,
        name: str,
        path_class: PathClass,
        gib_per_month: Decimal,
        **route: Unpack[TrafficRoute],
    ) -> tuple[LineItem, ...]:
        """Return a month's volume as one line per price step it reaches."""

    def nat_data(self, region: str) -> Price:
        """Return what Cloud NAT charges for a GiB that it processes, either way."""

    def vpn_traffic(
        self, *, src_region: str, dst_region: str | None = None, area: str | None = None
    ) -> tuple[PriceTier, ...]:
        """Return the price steps of a GiB sent through Cloud VPN, to a region or an area."""

    def service_price(
        self, service: str, region: str | None = None, condition: str | None = None
    ) -> tuple[PriceTier, ...]:
        """Return the price steps of a gateway, tunnel, rule or log volume, under a condition."""

    def possible_prices(
        self, path_class: PathClass, **route: Unpack[TrafficRoute]
    ) -> tuple[tuple[PriceTier, ...], ...]:
        """Return the steps of every price that a GiB may have whose own one is not known.

        For peers whose area is not in the records, so that a report can say "between".
        """

    def external_address_tiers(self, use: AddressUse, region: str) -> tuple[PriceTier, ...]:
        """Return the price steps of an address's hours in a month, free hours included."""

    def external_address(self, use: AddressUse, region: str) -> Price:
        """Return the price of an external IPv4 address per hour, beyond any free hours."""

    def shape(self, machine_type: str) -> MachineShape | None:
        """Return the shape of a predefined or custom type, or None when unknown."""

    def offered(self, region: str) -> Sequence[MachineShape]:
        """Return the predefined types that the region offers, by name."""

    def is_offered(self, region: str, machine_type: str) -> bool:
        """Return whether the region offers the type."""

    def zones(self, machine_type: str) -> tuple[str, ...] | None:
        """Return the zones that offer a predefined type, sorted; None where they are not known."""

    def flexible_commitment(self, region: str, machine_type: str, years: int) -> Price:
        """Return the price of a machine per hour under a flexible commitment of 1 or 3 years.

        Raises `MissingDatum` where no source says that such a commitment covers its series.
        """

    @property
    def even(self) -> "PriceBook":
        """Prices that can be compared: at list where the bill's discounts of a kind differ.

        Itself where the bill has one discount of each kind, or none.
        """

    def is_mixed(self, sku_ids: Iterable[str]) -> bool:
        """Return whether the bill names some SKUs of such a kind, and others of it not."""

    def regions(self) -> Sequence[str]:
        """Return every region with offered machine types, sorted."""

    def sustained_use_ratio(self, machine_type: str, month_ratio: float) -> Decimal:
        """Return the mean multiplier of the on-demand price for `month_ratio` of a month."""
