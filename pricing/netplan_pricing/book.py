"""The price book over a snapshot: every question that the planner asks, answered or refused."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import TypeVar, Unpack

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_pricing import schema
from netplan_pricing.container import SCHEMA, SnapshotFile
from netplan_pricing.contract.terms import LIST_PRICES, Comparable, Terms
from netplan_pricing.internet_areas import InternetAreas
from netplan_pricing.machines.component_rates import SUSPENDED_SERIES, USAGE_WORDS, ComponentRates
from netplan_pricing.machines.custom_types import parse_custom
from netplan_pricing.machines.machine_parts import GENERIC_SSD_SERIES, GPU_SERIES, LOCAL_SSD
from netplan_pricing.machines.machine_prices import FLEXIBLE_PARTS, ListedMachine, MachinePrices
from netplan_pricing.machines.machine_types import MachineTypes
from netplan_pricing.machines.surcharges import NodePrices, SustainedUse, Tier1Fees
from netplan_pricing.network_prices import NetworkPrices
from netplan_pricing.service_prices import AddressPrices, ServicePrices
from netplan_pricing.skus import Skus
from netplan_pricing.traffic_prices import Route, TrafficPrices

_CENTS_PER_USD = 100
_FLEXIBLE_PLANS = {1: "1 year", 3: "3 years"}
_KEPT_ANSWERS = 2**15
"""Of a kind."""

T = TypeVar("T")


def _kept(ask: Callable[..., T]) -> Callable[..., T]:
    """Return a question whose answers are kept, refusals too: a rule asks the same one often."""

    @lru_cache(_KEPT_ANSWERS)
    def kept(*asked: Hashable) -> T | MissingDatum:
        try:
            return ask(*asked)
        except MissingDatum as error:
            return _bare(error)

    def answer(*asked: Hashable) -> T:
        found = kept(*asked)
        if isinstance(found, MissingDatum):
            raise _bare(found)
        return found

    return answer


def _bare(refusal: MissingDatum) -> MissingDatum:
    """Return a refusal without the places in the code where it arose, which hold what they saw."""
    return type(refusal)(str(refusal))


class SnapshotPriceBook(Comparable):
    """A `PriceBook` whose tables are decoded when they are first needed."""

    def __init__(self, file: SnapshotFile, terms: Terms = LIST_PRICES) -> None:
        self.file = file
        self.terms = terms
        self.flexible: model.FlexibleCommitments | None = None
        """The flexible commitments that a billing export shows."""

    @cached_property
    def info(self) -> model.SnapshotInfo:
        """What the prices rest on."""
        header = self.file.header
        return model.taken(
            model.SnapshotInfo,
            header,
            schema=SCHEMA,
            sha256=self.file.sha256,
            spot_as_of=max(
                header.as_of,
                *(
                    date.fromisoformat(note.as_of)
                    for note in header.sources
                    if note.table == schema.LISTED_PRICES
                ),
                header.as_of,
            ),
            terms=self.terms.in_words,
            unread=self.terms.unread,
        )

    @cached_property
    def types(self) -> MachineTypes:
        """The predefined machine types and where they are offered."""
        return MachineTypes(self.file)

    @cached_property
    def machines(self) -> MachinePrices:
        """The machine prices."""
        return MachinePrices(self.file, self.types, self.rates, self._sustained, self.terms)

    @cached_property
    def skus(self) -> Skus:
        """The SKUs of the catalogue that netplan needs, by id."""
        return Skus(self.file)

    @cached_property
    def rates(self) -> ComponentRates:
        """The rates of cores, memory, GPUs and local SSDs."""
        return ComponentRates(self.file, self.skus, self.terms)

    @cached_property
    def network(self) -> NetworkPrices:
        """The network prices as the catalogue has them, by place."""
        return NetworkPrices(self.file, self.terms)

    @cached_property
    def services(self) -> ServicePrices:
        """Prices of gateways, load balancers, log generation and the like."""
        return ServicePrices(self.file, self.skus, self.terms)

    @cached_property
    def _traffic(self) -> TrafficPrices:
        return TrafficPrices(
            self.network, self.services, InternetAreas(self.file), self.types, self.skus
        )

    @cached_property
    def _addresses(self) -> AddressPrices:
        return AddressPrices(self.network, self.services, self.types)

    @cached_property
    def _priced(self) -> Callable[[str, str, model.Usage], model.Price]:
        return _kept(self.machines.price)

    @cached_property
    def _sent(self) -> Callable[[model.PathClass, Route], tuple[model.PriceTier, ...]]:
        return _kept(self._traffic.tiers)

    @cached_property
    def _tier1(self) -> Tier1Fees:
        return Tier1Fees(self.file, self.terms)

    @cached_property
    def _sustained(self) -> SustainedUse:
        return SustainedUse(self.file)

    def machine(
        self, region: str, machine_type: str, usage: model.Usage = model.Usage.ON_DEMAND
    ) -> model.Price:
        """Return the price of a machine per hour (for `SUSTAINED_USE`, of a full month's hour).

        For a series without sustained-use discounts the full month's hour is the on-demand price,
        and `note` says so.

        Raises:
            MissingDatum: Unknown region or type, offered but not priced, priced but not offered,
                no price for this usage, or a custom type whose parts cannot be known; the text
                says which.

        >>> from netplan_pricing import open_snapshot
        >>> open_snapshot().machine("us-central1", "n1-standard-4").usd
        Decimal('0.189999')
        """
        return self._priced(region, machine_type, usage)

    def flexible_skus(self) -> frozenset[str]:
        """Return the SKUs of cores and memory that flexible commitments are documented to cover."""
        covered = set(self.file.table(schema.FLEXIBLE_SERIES)["series"].values)
        table = self.rates.table
        series, parts, usages = table["series"], table["component"], table["usage"]
        skus = table["sku_id"]
        return frozenset(
            skus[row]
            for row in range(table.row_count)
            if series[row] in covered
            and parts[row] in FLEXIBLE_PARTS
            and usages[row] == USAGE_WORDS[model.Usage.ON_DEMAND]
            and skus[row]
        )

    def flexible_ratios(self) -> dict[str, Decimal]:
        """Return what a flexible commitment leaves of the price on demand, by its term."""
        found = {}
        for years, plan in _FLEXIBLE_PLANS.items():
            try:
                fee = self.services.one("flexible_cud", condition=f"commit_{years}y")
            except MissingDatum:
                continue
            found[plan] = fee.usd * _CENTS_PER_USD
        return found

    def flexible_commitment(self, region: str, machine_type: str, years: int) -> model.Price:
        """Return the price of a machine per hour under a flexible commitment of 1 or 3 years.

        The catalogue prices the commitment for a cent of on-demand spend: 0.0072 is 28 % less.

        Raises:
            MissingDatum: If the machine has no on-demand price, or no source says that such a
                commitment covers its series.
        """
        fee = self.services.one("flexible_cud", condition=f"commit_{years}y")
        ratio = (fee.usd * _CENTS_PER_USD).normalize()
        return self.machines.flexible(region, machine_type, ratio, fee)

    def received(
        self, path_class: model.PathClass, src_region: str, dst_region: str | None
    ) -> model.Price:
        """Return what a GiB costs the side that receives it.

        Raises:
            MissingDatum: If the catalogue has no SKU for it.
        """
        return self._traffic.received(path_class, src_region, dst_region)

    def machine_batch(self, pairs: Iterable[tuple[str, str]]) -> Iterator[ListedMachine]:
        """Yield all prices for pairs of region and machine type, in their order.

        Never raises: `reason` says why a pair has no price.
        """
        return self.machines.batch(pairs)

    def gpu(
        self, region: str, gpu_type: str, usage: model.Usage = model.Usage.ON_DEMAND
    ) -> model.Price:
        """Return the price per hour of one GPU that is attached to a machine.

        Raises:
            MissingDatum: If the catalogue has none for the region and usage.
        """
        return self.rates.price(region, GPU_SERIES, gpu_type, usage)

    def local_ssd(self, region: str, usage: model.Usage = model.Usage.ON_DEMAND) -> model.Price:
        """Return the price of a GiB a month of attached Local SSD, or raise `MissingDatum`."""
        return self.rates.price(region, GENERIC_SSD_SERIES, LOCAL_SSD, usage)

    def sole_tenant_node(
        self, region: str, node_type: str, usage: model.Usage = model.Usage.SUSTAINED_USE
    ) -> model.Price:
        """Return the price of a sole-tenant node an hour, or raise `MissingDatum`."""
        # Few nodes are asked for, so that nothing is kept.
        return NodePrices(self.rates, self._sustained).price(region, node_type, usage)

    def suspended_memory(self, region: str) -> model.Price:
        """Return the price of a GiB an hour of a suspended machine's memory."""
        return self.rates.price(region, SUSPENDED_SERIES, "suspended_ram", model.Usage.ON_DEMAND)

    def tier1_fee(
        self, region: str, machine_type: str, gbps: float, *, is_spot: bool = False
    ) -> model.Price:
        """Return the Tier_1 fee per hour for a total bandwidth of exactly `gbps`.

        Raises:
            MissingDatum: For series without Tier_1 or whose price model is not published, for
                bandwidths without a fee of their own, and for regions without fees.
        """
        return self._tier1.fee(region, machine_type, gbps, is_spot=is_spot)

    def traffic(
        self, path_class: model.PathClass, **route: Unpack[model.TrafficRoute]
    ) -> tuple[model.PriceTier, ...]:
        """Return the price steps of a GiB sent, in rising order; the first begins at 0.

        Args:
            path_class: Pod variants cost what their base class costs.
            route: From where to where.

        Raises:
            MissingDatum: If the price is not known, or depends on what is not given.
        """
        return self._sent(path_class, Route(**route))

    def traffic_line_items(
        self,
        name: str,
        path_class: model.PathClass,
        gib_per_month: Decimal,
        **route: Unpack[model.TrafficRoute],
    ) -> tuple[model.LineItem, ...]:
        """Return a month's volume as one line per price step it reaches; the lines sum exactly.

        Steps count all volume of one SKU in the billing account's month: for several pairs of the
        same price, add up their volumes first.

        Raises:
            MissingDatum: As `traffic`.
            ValueError: If the volume is negative.
        """
        return self._traffic.line_items(name, path_class, gib_per_month, Route(**route))

    def possible_prices(
        self, path_class: model.PathClass, **route: Unpack[model.TrafficRoute]
    ) -> tuple[tuple[model.PriceTier, ...], ...]:
        """Return the steps of every price that a GiB may have whose own one is not known.

        `network_tier` may be neither of the two: then the prices of both. None: nothing is known
        that bounds it.
        """
        return self._traffic.possible(path_class, Route(**route))

    def vpn_traffic(
        self, *, src_region: str, dst_region: str | None = None, area: str | None = None
    ) -> tuple[model.PriceTier, ...]:
        """Return the steps of a GiB sent through Cloud VPN, or raise `MissingDatum`."""
        return self._traffic.vpn(Route(src_region=src_region, dst_region=dst_region, area=area))

    def service_price(
        self, service: str, region: str | None = None, condition: str | None = None
    ) -> tuple[model.PriceTier, ...]:
        """Return the price steps of a gateway, tunnel, rule or log volume.

        Args:
            service: As `services.names` has it, such as `vpn_tunnel`.
            region: Where; prices that hold everywhere answer for any region.
            condition: Which of several prices, as `services.conditions` has it.

        Raises:
            MissingDatum: If there is none, or several without saying which.
        """
        return self.services.tiers(service, region, condition)

    def nat_data(self, region: str) -> model.Price:
        """Return what Cloud NAT charges for a GiB, either way, or raise `MissingDatum`."""
        return self._traffic.nat_data(region)

    def external_address(self, use: model.AddressUse, region: str) -> model.Price:
        """Return the price of an external IPv4 address per hour, beyond any free hours.

        Raises:
            MissingDatum: If the region is unknown or has no such price.
        """
        return self._addresses.price(use, region)

    def external_address_tiers(
        self, use: model.AddressUse, region: str
    ) -> tuple[model.PriceTier, ...]:
        """Return the price steps of an address's hours in a month, free hours included.

        Raises:
            MissingDatum: If the region is unknown or has no such price.
        """
        return self._addresses.tiers(use, region)

    def currency(self, code: str) -> tuple[Decimal, str] | None:
        """Return how many units of a currency a US dollar is, and the date of that rate."""
        table = self.file.table(schema.CURRENCY_RATES)
        for row in range(table.row_count):
            rate = table["per_usd"].decimal(row)
            if table["currency"][row] == code and rate is not None:
                return rate, table["as_of"][row]
        return None

    def currencies(self) -> tuple[str, ...]:
        """Return the currencies with a rate, sorted."""
        return tuple(sorted(self.file.table(schema.CURRENCY_RATES)["currency"].texts()))

    def shape(self, machine_type: str) -> model.MachineShape | None:
        """Return the shape of a predefined or custom type, or None when unknown."""
        custom = parse_custom(machine_type)
        if custom is not None:
            return self.machines.custom_shape(custom)
        return self.types.shapes.get(machine_type)

    def offered(self, region: str) -> Sequence[model.MachineShape]:
        """Return the predefined types that the region offers, by name.

        Raises:
            MissingDatum: If the region is unknown.
        """
        return tuple(self.types.offered(region).values())

    def is_offered(self, region: str, machine_type: str) -> bool:
        """Return whether the region offers the type, or custom types of its series."""
        custom = parse_custom(machine_type)
        if custom is not None:
            return self.machines.can_be_custom(region, custom)
        return self.types.is_offered(region, machine_type)

    def zones(self, machine_type: str) -> tuple[str, ...] | None:
        """Return the zones that offer a predefined type, sorted; None where they are not known."""
        return self.types.zones(machine_type)

    def regions(self) -> Sequence[str]:
        """Return every region with offered machine types, sorted."""
        return self.types.regions()

    def sustained_use_ratio(self, machine_type: str, month_ratio: float) -> Decimal:
        """Return the mean multiplier of the on-demand price for `month_ratio` of a month.

        Raises:
            MissingDatum: If the series is in no schedule.
            ValueError: If `month_ratio` is outside 0 to 1.
        """
        return self._sustained.ratio(machine_type, month_ratio)
