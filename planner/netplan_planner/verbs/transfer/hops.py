"""The hops that bytes may take between places: by which path, and what all of them would cost."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from netplan_planner.errors import MissingDatum
from netplan_planner.model import LineItem, PathClass, Price, PriceBook, line_item, total_usd
from netplan_planner.optimise.highs import Floats
from netplan_planner.paths.priced_paths import PricedPath, path_prices
from netplan_planner.planning.traffic_bill import Meter
from netplan_planner.throughput.limits.bounds import DEFAULT_MTU_BYTES
from netplan_planner.throughput.transport.transfer import payload_ratio
from netplan_planner.units import BYTES_PER_GIB
from netplan_planner.verbs.transfer.answer import (
    INTERNET,
    STORAGE_PREFIX,
    EdgePrice,
    GridEdge,
    PlaceKind,
)
from netplan_planner.verbs.transfer.ask import AddressKind, NetworkTier, TransferNeed

_GIB_DIGITS = Decimal("0.001")
GIVEN_PRICE = "stated (--edge-prices)"


class Tables(NamedTuple):
    """What somebody knows of a network; None: nothing was given."""

    grid: tuple[GridEdge, ...] | None = None
    prices: tuple[EdgePrice, ...] | None = None

    @property
    def has_own_names(self) -> bool:
        """Whether places are just names: rates and prices are both given."""
        return self.grid is not None and self.prices is not None


class Hop(NamedTuple):
    """A way from one place to another."""

    src: str
    dst: str
    path_class: PathClass | None
    """None: of a given grid, or to Cloud Storage."""
    gbps: float | None
    """Of one machine, as a grid has it."""
    price: Price | None
    """Given; None: the price book's."""
    usd: Decimal
    """If all bytes cross it."""
    network_tier: NetworkTier | None = None
    """Of what leaves for the internet."""


class Hops(NamedTuple):
    """All that there are, in order of their ends' names, and why others are not among them."""

    rows: tuple[Hop, ...]
    """Those that may be of use."""
    every: tuple[Hop, ...]
    unpriced: tuple[str, ...]


def kind_of(place: str, regions: frozenset[str], tables: Tables) -> PlaceKind:
    """Return what a name stands for."""
    if tables.has_own_names:
        return PlaceKind.OTHER
    if place == INTERNET:
        return PlaceKind.INTERNET
    if place.startswith(STORAGE_PREFIX):
        return PlaceKind.STORAGE
    return PlaceKind.REGION if place in regions else PlaceKind.OTHER


def region_of_bucket(place: str) -> str:
    """Return the region of a bucket's place."""
    return place.removeprefix(STORAGE_PREFIX)


def billed_gib(need: TransferNeed, share: float, *, has_headers: bool) -> Decimal:
    """Return what of the bytes is billed on a hop that a share of them crosses."""
    gib = Decimal(need.volume_bytes) * Decimal(str(round(share, 9))) / BYTES_PER_GIB
    if has_headers:
        gib /= Decimal(float(payload_ratio(DEFAULT_MTU_BYTES)))
    return gib.quantize(_GIB_DIGITS)


def hop_bill(
    need: TransferNeed, hop: Hop, share: float, prices: PriceBook, meter: Meter
) -> tuple[LineItem, ...]:
    """Return what a share of the bytes costs on a hop, after what the meter has counted.

    Raises:
        MissingDatum: If its price is not known.
    """
    name = f"traffic {hop.src} to {hop.dst}"
    if hop.price is not None:
        gib = billed_gib(need, share, has_headers=False)
        return (line_item(name, gib, hop.price),)
    if hop.path_class is None:
        return ()
    if hop.network_tier is not None:
        name = f"{name}, {hop.network_tier.value.title()} Tier"
        if need.area is None:
            # Where it depends on the area, the error lists them.
            prices.traffic(hop.path_class, src_region=hop.src, network_tier=hop.network_tier.value)
    gib = billed_gib(need, share, has_headers=True)
    parts = path_prices(prices, hop_path(need, hop, hop.path_class))
    return tuple(line for tiers in parts for line in meter.lines(name, gib, tiers))


def hop_path(need: TransferNeed, hop: Hop, path_class: PathClass) -> PricedPath:
    """Return what the price of a hop depends on."""
    if hop.network_tier is not None:
        tier = hop.network_tier.value
        return PricedPath(path_class, hop.src, "", need.area or "", network_tier=tier)
    there = hop.src if path_class is PathClass.GOOGLE_APIS else hop.dst
    return PricedPath(path_class, hop.src, there, "")


def hops_of(need: TransferNeed, prices: PriceBook, tables: Tables) -> Hops:
    """Return every hop that has a rate and a price."""
    regions = frozenset(prices.regions())
    given = {(one.src, one.dst): one.usd_per_gib for one in tables.prices or ()}
    rows: list[Hop] = []
    unpriced: dict[tuple[str, str], str] = {}
    for src, dst, path_class, gbps in _ways(need, regions, tables):
        price = _given(given.get((src, dst)), prices)
        if price is None and tables.has_own_names:
            unpriced[src, dst] = f"{src} to {dst}: the price table has no such row"
            continue
        if price is None and path_class is None and not src.startswith(STORAGE_PREFIX):
            unpriced[src, dst] = f"{src} to {dst}: no list price for these names (--edge-prices)"
            continue
        found: list[Hop] = []
        for tier in _tiers(need, src, path_class):
            hop = Hop(src, dst, path_class, gbps, price, Decimal(0), tier)
            try:
                usd = total_usd(hop_bill(need, hop, 1.0, prices, Meter()))
            except MissingDatum as missing:
                unpriced.setdefault((src, dst), f"{src} to {dst}: {missing}")
                continue
            found.append(hop._replace(usd=usd))
        if found:
            # Both tiers share one limit of the machines, so that the dearer is never of use.
            rows.append(min(found, key=lambda one: one.usd))
    rows.sort(key=lambda hop: (hop.src, hop.dst))
    told = tuple(unpriced[ends] for ends in sorted(unpriced))
    return Hops(_useful(need, rows, tables), tuple(rows), told)


def _given(usd: Decimal | None, prices: PriceBook) -> Price | None:
    if usd is None:
        return None
    as_of = prices.info.network_as_of
    return Price(usd=usd, unit="GiB", description="given", as_of=as_of, source=GIVEN_PRICE)


_Way = tuple[str, str, PathClass | None, float | None]


def _ways(need: TransferNeed, regions: frozenset[str], tables: Tables) -> Iterator[_Way]:
    """Yield what may be a hop: ends, path and rate."""
    ends = {need.source, *need.targets}
    if tables.grid is not None:
        for row in tables.grid:
            if not _may_pass(need, row.src, row.dst, ends) or row.gbps_per_vm <= 0:
                continue
            path = None if tables.has_own_names else _path(need, row.src, row.dst, regions)
            yield row.src, row.dst, path, row.gbps_per_vm
        return
    buckets = {end for end in ends if kind_of(end, regions, tables) is PlaceKind.STORAGE}
    near = {region_of_bucket(end) for end in buckets}
    ends |= near
    passed = set(regions) if need.relays is None else set(need.relays) & regions
    places = sorted(passed | (ends & regions))
    for src in places:
        for dst in (*places, *sorted(set(need.targets) - regions - buckets)):
            path = _path(need, src, dst, regions)
            if src != dst and _may_pass(need, src, dst, ends) and _tiers(need, src, path):
                yield src, dst, path, None
    for bucket in sorted(buckets):
        region = region_of_bucket(bucket)
        if bucket == need.source:
            yield bucket, region, None, None
        else:
            yield region, bucket, PathClass.GOOGLE_APIS, None


def _may_pass(need: TransferNeed, src: str, dst: str, ends: set[str]) -> bool:
    """Return whether a plan may use a hop: none leads back, and only relays pass bytes on."""
    if dst == need.source or (len(need.targets) == 1 and src == need.targets[0]):
        return False
    if need.relays is None:
        return src != dst
    allowed = {*need.relays, *ends}
    return src != dst and src in allowed and dst in allowed


def _tiers(
    need: TransferNeed, src: str, path_class: PathClass | None
) -> Sequence[NetworkTier | None]:
    """Return the network tiers by which bytes may leave a region for the internet.

    Standard Tier from the source alone: it gives every region free GiB, and a plan over many
    regions would be made of them, and of nothing that lasts.
    """
    if path_class is not PathClass.INTERNET:
        return (None,)
    every = tuple(NetworkTier) if need.network_tier is None else (need.network_tier,)
    is_source = src == region_of_bucket(need.source)
    return tuple(one for one in every if is_source or one is NetworkTier.PREMIUM)


def _path(need: TransferNeed, src: str, dst: str, regions: frozenset[str]) -> PathClass | None:
    if src not in regions:
        return None
    if dst not in regions:
        return PathClass.INTERNET
    if need.address is AddressKind.EXTERNAL:
        return PathClass.INTER_REGION_EXTERNAL
    return PathClass.INTER_REGION_INTERNAL


def is_direct(need: TransferNeed, hop: Hop) -> bool:
    """Return whether a hop is part of the direct way to a target."""
    source = region_of_bucket(need.source)
    hops = {(need.source, source)}
    for target in need.targets:
        hops |= {(source, region_of_bucket(target)), (region_of_bucket(target), target)}
    return (hop.src, hop.dst) in hops


def _useful(need: TransferNeed, rows: Sequence[Hop], tables: Tables) -> tuple[Hop, ...]:
    """Return the hops without relays that cannot pay, where that is sure.

    Inside the VPC every machine sends to any region at its own rate, so that a relay between two
    regions can only pay by the prices of traffic: it has to be on a way that is cheaper.
    """
    is_inside = all(one.path_class is PathClass.INTER_REGION_INTERNAL for one in rows)
    if len(need.targets) > 1 or need.streams is not None or tables.grid is not None:
        return tuple(rows)
    if not is_inside or not any(is_direct(need, one) for one in rows):
        return tuple(rows)
    names = sorted({name for one in rows for name in (one.src, one.dst)})
    at = {name: number for number, name in enumerate(names)}
    usd: Floats = np.full((len(names), len(names)), np.inf)
    np.fill_diagonal(usd, 0.0)
    for one in rows:
        usd[at[one.src], at[one.dst]] = float(one.usd)
    direct = usd[at[need.source], at[need.targets[0]]]
    for middle in range(len(names)):
        usd = np.minimum(usd, usd[:, middle, None] + usd[None, middle, :])
    through = usd[at[need.source]] + usd[:, at[need.targets[0]]]
    ends = {need.source, need.targets[0]}
    kept = {name for name in names if name in ends or through[at[name]] < direct - 1e-9}
    return tuple(one for one in rows if one.src in kept and one.dst in kept)
