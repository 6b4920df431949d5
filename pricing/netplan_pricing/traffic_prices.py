"""The price of traffic by path class, region and area, and a month's bill over its steps."""

from collections.abc import Callable, Iterable
from decimal import Decimal

import msgspec

from netplan_planner.errors import MissingDatum, UnknownName, near
from netplan_planner.model import LineItem, PathClass, Price, PriceTier, bill, line_item
from netplan_pricing.internet_areas import CONTINENTS, InternetAreas, country_names
from netplan_pricing.machines.machine_types import MachineTypes
from netplan_pricing.network_prices import NetworkEntry, NetworkPrices, first_paid, unit_prices
from netplan_pricing.schema import NetworkKind
from netplan_pricing.service_prices import ServicePrices
from netplan_pricing.skus import Skus
from netplan_pricing.texts import joined, quoted

_INTERNET_KINDS = {
    "PREMIUM": NetworkKind.INTERNET_PREMIUM,
    "STANDARD": NetworkKind.INTERNET_STANDARD,
}
_SAME_ZONE_EXTERNAL = "same_zone_external_ip"
_RECEIVED = {
    "same-zone": "intrazone_in",
    "inter-zone": "interzone_in",
    "inter-region": "interregion_in",
}
"""The kind of SKU that its receiver pays, by the distance of a path class."""
_SENDER_PAYS = "charged to the sender, per direction"


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """From where to where traffic goes, as far as its price depends on it."""

    src_region: str
    dst_region: str | None = None
    area: str | None = None
    network_tier: str = "PREMIUM"


class TrafficPrices:
    """Traffic prices by path class."""

    def __init__(
        self,
        network: NetworkPrices,
        services: ServicePrices,
        areas: InternetAreas,
        types: MachineTypes,
        skus: Skus,
    ) -> None:
        self._skus = skus
        self._network = network
        self._services = services
        self._areas = areas
        self._types = types
        inter_zone, inter_region = self._inter_zone, self._inter_region
        self._answers: dict[PathClass, Callable[[Route], tuple[PriceTier, ...]]] = {
            PathClass.SAME_NODE_POD: self._same_node,
            PathClass.SAME_ZONE_INTERNAL: self._intra_zone,
            PathClass.SAME_ZONE_INTERNAL_POD: self._intra_zone,
            PathClass.SAME_ZONE_EXTERNAL: self._same_zone_external,
            PathClass.INTER_ZONE_INTERNAL: inter_zone,
            PathClass.INTER_ZONE_INTERNAL_POD: inter_zone,
            PathClass.INTER_ZONE_EXTERNAL: inter_zone,
            PathClass.INTER_REGION_INTERNAL: inter_region,
            PathClass.INTER_REGION_INTERNAL_POD: inter_region,
            PathClass.INTER_REGION_EXTERNAL: inter_region,
            PathClass.INTERNET: self._internet,
            PathClass.GOOGLE_APIS: self._google,
            PathClass.NAT: self._nat,
            PathClass.LOAD_BALANCER: self._load_balancer,
            PathClass.HYBRID: self._hybrid,
            PathClass.UNKNOWN: self._unknown,
        }

    def tiers(self, path_class: PathClass, route: Route) -> tuple[PriceTier, ...]:
        """Return the price steps of a GiB sent, in rising order; the first begins at 0.

        Raises:
            MissingDatum: If the price is not known, or depends on what the route does not say.
        """
        self._require_region(route.src_region)
        return self._answers[path_class](route)

    def _require_region(self, region: str) -> None:
        """Accept closed regions too, as long as the catalogue prices traffic from them."""
        if not self._network.by_area(NetworkKind.INTERNET_PREMIUM, region):
            self._types.require_region(region)

    def _priced(self, entry: NetworkEntry, region: str, note: str) -> tuple[PriceTier, ...]:
        """Return the steps of a catalogue row with a note, refusing a row without steps."""
        found = self._network.tiers(entry, region)
        if not found:
            sku_id = self._network.sku_id(entry)
            raise MissingDatum(
                f"the catalog has a separate SKU for {entry.kind.value.replace('_', ' ')} from"
                f" {entry.route or region}{f' ({sku_id})' if sku_id else ''} in {region} without"
                " a price, and no other rate may replace it"
            )
        return tuple(_noted(tier, note) for tier in found)

    def _by_source(self, kind: NetworkKind, route: Route, note: str) -> tuple[PriceTier, ...]:
        entry = self._network.by_source(kind, route.src_region)
        if entry is None:
            what = kind.value.replace("_", " ")
            raise MissingDatum(f"the price of {what} in {route.src_region} is unknown")
        return self._priced(entry, route.src_region, note)

    def _one_region(self, route: Route) -> None:
        if route.dst_region not in {None, route.src_region}:
            raise MissingDatum(
                f"traffic from {route.src_region} to {quoted(route.dst_region or '')} crosses"
                " regions, but its path class is inside one region"
            )

    def _intra_zone(
        self, route: Route, note: str = "free between internal addresses of one zone"
    ) -> tuple[PriceTier, ...]:
        self._one_region(route)
        return self._by_source(NetworkKind.INTRAZONE, route, note)

    def _same_node(self, route: Route) -> tuple[PriceTier, ...]:
        return self._intra_zone(route, "traffic inside the VM: the price inside a zone applies")

    def _inter_zone(self, route: Route, note: str = _SENDER_PAYS) -> tuple[PriceTier, ...]:
        self._one_region(route)
        return self._by_source(NetworkKind.INTERZONE, route, note)

    def _same_zone_external(self, route: Route) -> tuple[PriceTier, ...]:
        note = f"{_SENDER_PAYS}; {self._services.note(_SAME_ZONE_EXTERNAL)}"
        return self._inter_zone(route, note)

    def _inter_region(self, route: Route) -> tuple[PriceTier, ...]:
        src, dst = route.src_region, route.dst_region
        if dst is None:
            raise MissingDatum(f"the price of traffic from {src} depends on the other region")
        if dst == src:
            raise MissingDatum(f"{src} to {src} is one region: the price between zones applies")
        return self._between(NetworkKind.INTERREGION, src, dst, "traffic")

    def _between(self, kind: NetworkKind, src: str, dst: str, what: str) -> tuple[PriceTier, ...]:
        entry = self._network.by_pair(kind, src, dst)
        if entry is None:
            self._types.require_region(dst)
            raise MissingDatum(f"the price of {what} from {src} to {dst} is unknown")
        return self._priced(entry, src, _SENDER_PAYS)

    def _google(self, route: Route) -> tuple[PriceTier, ...]:
        if route.dst_region is None:
            raise MissingDatum(
                f"the price of traffic from {route.src_region} to Google APIs depends on the"
                " region of the bucket or service: free only in the same region (price traffic"
                " --place)"
            )
        if route.dst_region != route.src_region:
            raise MissingDatum(
                "the catalog frees only Google services of the same region, not from"
                f" {route.src_region} to {quoted(route.dst_region or '')}"
            )
        note = "to Google services of the same region"
        return self._by_source(NetworkKind.GOOGLE_SERVICES, route, note)

    def _internet(self, route: Route) -> tuple[PriceTier, ...]:
        kind = _internet_kind(route.network_tier)
        if kind is NetworkKind.INTERNET_STANDARD:
            return self._by_source(kind, route, "for any destination")
        return self.to_area(kind, route)

    def to_area(self, kind: NetworkKind, route: Route) -> tuple[PriceTier, ...]:
        """Return the price steps to the area of a route.

        Raises:
            MissingDatum: If the area is not given, or may be two with two prices; `UnknownName` if
                it is no place.
        """
        src, area = route.src_region, route.area
        priced = self._network.by_area(kind, src)
        if not priced:
            raise MissingDatum(f"the internet price from {src} is unknown")
        if not area:
            raise MissingDatum(
                f"the price of internet traffic from {src} depends on its destination; first step"
                f" in USD per GiB: {self._listed(priced.values(), src)}"
            )
        names = self._areas.candidates(area, set(priced))
        entries = [priced[name] for name in names if name in priced]
        if not names or len(entries) != len(names):
            raise UnknownName(
                f"no destination area {quoted(area)} from {src}: give a country by name or code,"
                " a continent, or one of"
                f" {', '.join(sorted(entry.destination_place for entry in priced.values()))}"
                f"{near(area, self._places(priced.values()))}"
            )
        return self._one_of(entries, src, area)

    def _one_of(self, entries: list[NetworkEntry], src: str, area: str) -> tuple[PriceTier, ...]:
        """Return the one price of all possible areas, or refuse."""
        billed = [entry for entry in entries if self._network.is_billed(entry)]
        if billed:
            # The SKU that the bill uses is the one of this place; the other is not paid at all.
            entries = billed
        answers = [self._priced(entry, src, _SENDER_PAYS) for entry in entries]
        if len({unit_prices(answer) for answer in answers}) > 1:
            raise MissingDatum(
                f"{quoted(area)} may be in several destination areas with different"
                f" prices from {src}, in USD per GiB at first: {self._listed(entries, src)}"
            )
        if len(answers) == 1:
            return answers[0]
        places = " or ".join(entry.destination_place for entry in entries)
        note = f"{places}, which cost the same; the bill has the SKU of one of them"
        ids = tuple(dict.fromkeys(steps[0].price.sku_id for steps in answers if steps))
        known = tuple(one for one in ids if one is not None)
        first = entries[0].destination_place
        return tuple(
            PriceTier(
                start=tier.start,
                price=msgspec.structs.replace(
                    _noted(tier, note).price,
                    description=tier.price.description.removesuffix(first) + places,
                    sku_id=None,
                    sku_candidates=known,
                ),
            )
            for tier in answers[0]
        )

    @staticmethod
    def _places(entries: Iterable[NetworkEntry]) -> tuple[str, ...]:
        """Return all names of destinations that a mistyped one is compared with."""
        return (*(entry.destination_place for entry in entries), *CONTINENTS, *country_names())

    def _listed(self, entries: Iterable[NetworkEntry], src: str) -> str:
        """Return the areas with a price, and the first step that costs anything."""
        firsts = (
            (entry.destination_place, first_paid(self._network.tiers(entry, src)))
            for entry in entries
        )
        return ", ".join(sorted(f"{area} {tier.price.usd}" for area, tier in firsts if tier))

    def nat_data(self, region: str) -> Price:
        """Return what Cloud NAT charges for a GiB that it processes, either way.

        Raises:
            MissingDatum: If no such price is known.
        """
        return self._services.one("cloud_nat_data", region)

    def _nat(self, route: Route) -> tuple[PriceTier, ...]:
        """Return internet and NAT data processing in one price per step."""
        nat = self.nat_data(route.src_region)
        return tuple(
            PriceTier(
                start=tier.start,
                price=msgspec.structs.replace(
                    tier.price,
                    usd=tier.price.usd + nat.usd,
                    description=f"{tier.price.description}, and Cloud NAT data processing",
                    as_of=min(tier.price.as_of, nat.as_of),
                    source=f"{tier.price.source}; {nat.source}",
                    sku_id=None,
                    sku_candidates=(),
                    note=joined(
                        f"{nat.usd} of it is for Cloud NAT, which also charges for what comes back",
                        tier.price.note,
                    ),
                ),
            )
            for tier in self._internet(route)
        )

    def _load_balancer(self, route: Route) -> tuple[PriceTier, ...]:
        region = route.dst_region or route.src_region
        try:
            steps = self._services.tiers("lb_data_inbound", region)
        except MissingDatum as error:
            raise MissingDatum(f"{error} (price lb --kind shows it)") from error
        note = "data that the load balancer processes; transfer to its backends is separate"
        return tuple(_noted(tier, note) for tier in steps)

    def _hybrid(self, route: Route) -> tuple[PriceTier, ...]:
        raise MissingDatum(
            f"the price of hybrid traffic from {route.src_region} depends on its carrier: Cloud"
            " VPN, Cloud Interconnect or a router appliance"
        )

    def _unknown(self, route: Route) -> tuple[PriceTier, ...]:
        raise MissingDatum(f"traffic from {route.src_region} with an unknown end has no price")

    def received(self, path_class: PathClass, src: str, dst: str | None) -> Price:
        """Return what a GiB costs the side that receives it, which the catalogue prices apart.

        Raises:
            MissingDatum: If the catalogue has no SKU for it.
        """
        # Billed as between zones, on both sides.
        is_between = path_class is PathClass.SAME_ZONE_EXTERNAL
        kind = _RECEIVED.get("inter-zone" if is_between else path_class.distance or "", "")
        ending = ""
        if kind == _RECEIVED["inter-region"] and dst is not None:
            entry = self._network.by_pair(NetworkKind.INTERREGION, src, dst)
            ending = f" from {entry.source_place} to {entry.destination_place}" if entry else "?"
        row = self._skus.find(kind, ending) if kind else None
        tiers = self._skus.entry_of(row).tiers if row is not None else ()
        if len(tiers) != 1:
            raise MissingDatum(
                f"the price of {path_class.value} for its receiver is not in the catalog"
            )
        return tiers[0].price

    def vpn(self, route: Route) -> tuple[PriceTier, ...]:
        """Return the price steps of a GiB sent through a Cloud VPN tunnel.

        With a `dst_region` to that region, else to the internet area.

        Raises:
            MissingDatum: If the price is not known.
        """
        self._require_region(route.src_region)
        if route.dst_region is None:
            return self.to_area(NetworkKind.VPN_INTERNET, route)
        src, dst = route.src_region, route.dst_region
        return self._between(NetworkKind.VPN_INTERREGION, src, dst, "VPN traffic")

    def possible(self, path_class: PathClass, route: Route) -> tuple[tuple[PriceTier, ...], ...]:
        """Return every price that traffic may have whose own one is not known; none: no bound.

        Internet: of every area that `route.area` may be. Google APIs: what the same place costs, or
        another region. Load balancers: of each kind. Hybrid: through VPN, to each area. A machine's
        own external IPv6 address in the zone: what the zone costs, or between zones.
        """
        src = route.src_region
        match path_class:
            case PathClass.INTERNET | PathClass.NAT:
                return self._to_any_area(route)
            case PathClass.HYBRID:
                entries = [*self._network.by_area(NetworkKind.VPN_INTERNET, src).values()]
            case PathClass.GOOGLE_APIS:
                own = self._network.by_source(NetworkKind.GOOGLE_SERVICES, src)
                others = self._network.from_region(NetworkKind.INTERREGION, src)
                entries = [*([own] if own else []), *others]
            case PathClass.SAME_ZONE_EXTERNAL:
                kinds = (NetworkKind.INTRAZONE, NetworkKind.INTERZONE)
                entries = [entry for kind in kinds if (entry := self._network.by_source(kind, src))]
            case PathClass.LOAD_BALANCER:
                return self._services.every("lb_data_inbound", route.dst_region or src)
            case _:
                return ()
        return self._priced_ones(entries, src)

    def _to_any_area(self, route: Route) -> tuple[tuple[PriceTier, ...], ...]:
        kind = _INTERNET_KINDS.get(route.network_tier.upper())
        if kind is None:
            both = (msgspec.structs.replace(route, network_tier=tier) for tier in _INTERNET_KINDS)
            return tuple(choice for one in both for choice in self._to_any_area(one))
        priced = self._network.by_area(kind, route.src_region)
        names = self._areas.candidates(route.area, set(priced)) if route.area else ()
        known = [priced[name] for name in names if name in priced]
        chosen = known if names and len(known) == len(names) else priced.values()
        return self._priced_ones(chosen, route.src_region)

    def _priced_ones(
        self, entries: Iterable[NetworkEntry], src: str
    ) -> tuple[tuple[PriceTier, ...], ...]:
        """Return the steps of each entry that has any."""
        return tuple(steps for entry in entries if (steps := self._network.tiers(entry, src)))

    def line_items(
        self, name: str, path_class: PathClass, gib_per_month: Decimal, route: Route
    ) -> tuple[LineItem, ...]:
        """Return a month's volume as one line per price step that it reaches.

        Raises:
            MissingDatum: As `tiers`.
            ValueError: If the volume is negative.
        """
        if path_class is not PathClass.NAT:
            return bill(name, gib_per_month, self.tiers(path_class, route))
        self._require_region(route.src_region)
        internet = bill(name, gib_per_month, self._internet(route))
        nat = line_item(
            f"{name}: Cloud NAT data processing", gib_per_month, self.nat_data(route.src_region)
        )
        return (*internet, nat) if gib_per_month else ()


def _internet_kind(network_tier: str) -> NetworkKind:
    kind = _INTERNET_KINDS.get(network_tier.upper())
    if kind is None:
        raise MissingDatum(f"unknown network tier {quoted(network_tier)}: use PREMIUM or STANDARD")
    return kind


def _noted(tier: PriceTier, note: str) -> PriceTier:
    return PriceTier(
        start=tier.start,
        price=msgspec.structs.replace(tier.price, note=joined(tier.price.note, note)),
    )
