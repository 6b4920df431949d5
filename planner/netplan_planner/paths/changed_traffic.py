"""The traffic of the facts as it would be after changes, and what it would cost.

Machines may stand in another zone, and pairs may use internal addresses instead of external ones.
What two changes bring together is asked here and nowhere else: a move is worth less once a pair
uses internal addresses, and two moves of a triangle do not both bring what each brings alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    Edge,
    Facts,
    LineItem,
    OwnerKind,
    Zone,
    bill,
    region_of,
    total_usd,
)
from netplan_planner.paths.priced_paths import PricedPath, path_prices, priced_path_of

Pair = tuple[int, int]
"""Two owners by index, the smaller first."""


class TrafficCost:
    """What edges cost a month: lines, and the ends of traffic that has no price."""

    def __init__(
        self, lines: Sequence[LineItem], unpriced: frozenset[str], is_stepped: bool
    ) -> None:
        self.lines = tuple(lines)
        self.unpriced = unpriced
        """Why parts have no price; their traffic is in no line."""
        self.is_stepped = is_stepped
        """Whether a price has steps, so that other traffic bears on it."""

    @property
    def usd_per_month(self) -> Decimal:
        """The sum of the lines."""
        return total_usd(self.lines)


class ChangedTraffic:
    """The traffic between a project's machines after a set of changes, each of which can go back.

    Steps of prices are those that edges reach beyond what else the changed traffic has of the same
    price: what moves away leaves the last step, and what comes begins where the others end.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._zones: dict[int, Zone] = {}
        self._internal: set[Pair] = set()
        self._priced: dict[tuple[PricedPath, int, int], tuple[LineItem, ...] | str] = {}
        self._priced_paths: dict[int, PricedPath] = {}
        """Of edges as they are, by the edge's identity."""
        self._stepped: dict[PricedPath, int | None] = {}
        """The number of a price with steps; None: the price has none, or is not known."""
        self._numbers: dict[tuple[object, ...], int] = {}
        self._all_bytes: dict[int, int] | None = None
        """Of all traffic after the changes, by the number of a price with steps."""
        self._counted: dict[int, int] = {}
        """The number under which an edge is in there, by the edge's identity."""
        self._uncounted: dict[int | Pair, None] = {}
        """Owners and pairs that changed since: most changes go back before anybody asks."""
        self._by_pair: dict[Pair, list[Edge]] | None = None

    def move(self, owner: int, zone: Zone | None) -> None:
        """Put a machine into a zone; None: back to where it is."""
        if zone is None:
            self._zones.pop(owner, None)
        else:
            self._zones[owner] = zone
        self._uncounted[owner] = None

    def use_internal(self, pair: Pair, *, is_on: bool = True) -> None:
        """Let a pair use internal addresses, both ways, or undo that."""
        (self._internal.add if is_on else self._internal.discard)(pair)
        self._uncounted[pair] = None

    def uses_internal(self, pair: Pair) -> bool:
        """Return whether a change made a pair use internal addresses."""
        return pair in self._internal

    def zone(self, owner: int) -> Zone | None:
        """Return where an owner stands after the changes."""
        assert self._facts.traffic is not None
        return self._zones.get(owner) or self._facts.traffic.owners[owner].zone

    def is_moved(self, owner: int) -> bool:
        """Return whether a change moved an owner."""
        return owner in self._zones

    def edges_of(self, owner: int) -> tuple[Edge, ...]:
        """Return the edges that an owner sends and receives."""
        traffic = self._facts.traffic
        assert traffic is not None
        return (*traffic.edges_by_src.get(owner, ()), *traffic.edges_by_dst.get(owner, ()))

    def edges_between(self, pair: Pair) -> Sequence[Edge]:
        """Return the edges between two machines, both ways."""
        if self._by_pair is None:
            assert self._facts.traffic is not None
            self._by_pair = defaultdict(list)
            for edge in self._facts.traffic.edges:
                if edge.path_class.distance is not None:
                    self._by_pair[pair_of(edge)].append(edge)
        return self._by_pair.get(pair, ())

    def priced(self, edge: Edge) -> PricedPath:
        """Return what the price of an edge depends on after the changes."""
        priced = self._priced_path_today(edge)
        is_moved = edge.src in self._zones or edge.dst in self._zones
        if not is_moved and (not self._internal or pair_of(edge) not in self._internal):
            return priced
        src, dst = self.zone(edge.src), self.zone(edge.dst)
        path_class = priced.path_class
        if path_class.distance is not None and src and dst:
            if path_class.is_external_address and pair_of(edge) in self._internal:
                path_class = path_class.over_internal_address
            path_class = path_class.between(src, dst)
        return priced._replace(
            path_class=path_class,
            src_region=region_of(src) if edge.src in self._zones and src else priced.src_region,
            dst_region=region_of(dst) if edge.dst in self._zones and dst else priced.dst_region,
        )

    def _priced_path_today(self, edge: Edge) -> PricedPath:
        found = self._priced_paths.get(id(edge))
        if found is None:
            found = self._priced_paths[id(edge)] = priced_path_of(self._facts, edge)
        return found

    def cost(self, edges: Iterable[Edge]) -> TrafficCost:
        """Return what edges cost after the changes; only what own machines send is billed."""
        volumes: dict[PricedPath, int] = defaultdict(int)
        for edge in edges:
            if self._facts.src(edge).kind is OwnerKind.VM:
                volumes[self.priced(edge)] += edge.wire_bytes
        # What comes before a stepped price: all but these edges, then those of them priced so far.
        others: dict[int, int] = {}
        for priced, byte_count in volumes.items():
            number = self._number(priced)
            if number is not None:
                others[number] = others.get(number, self._beside()[number]) - byte_count
        lines: list[LineItem] = []
        unpriced: set[str] = set()
        for priced, byte_count in sorted(volumes.items()):
            number = self._number(priced)
            found = self._lines(priced, byte_count, 0 if number is None else others[number])
            if number is not None:
                others[number] += byte_count
            if isinstance(found, str):
                unpriced.add(found)
            else:
                lines += found
        return TrafficCost(lines, frozenset(unpriced), bool(others))

    def _beside(self) -> dict[int, int]:
        """Return the bytes of all traffic after the changes, by the number of a stepped price."""
        if self._all_bytes is None:
            self._all_bytes = defaultdict(int)
            self._count(self._all_bytes, self._facts.traffic.edges if self._facts.traffic else ())
        else:
            for changed in self._uncounted:
                if isinstance(changed, tuple):
                    self._count(self._all_bytes, self.edges_between(changed))
                else:
                    self._count(self._all_bytes, self.edges_of(changed))
        self._uncounted.clear()
        return self._all_bytes

    def _count(self, all_bytes: dict[int, int], edges: Iterable[Edge]) -> None:
        """Count edges as they are priced now, no longer as before."""
        for edge in edges:
            if self._facts.src(edge).kind is not OwnerKind.VM:
                continue
            last, now = self._counted.get(id(edge)), self._number(self.priced(edge))
            if last == now:
                continue
            if last is not None:
                all_bytes[self._counted.pop(id(edge))] -= edge.wire_bytes
            if now is not None:
                all_bytes[now] += edge.wire_bytes
                self._counted[id(edge)] = now

    def _number(self, priced: PricedPath) -> int | None:
        """Return the number of a path's price, if that has steps: all of the same SKUs share it."""
        if priced not in self._stepped:
            try:
                prices = path_prices(self._facts, priced)
            except MissingDatum:
                prices = ()
            number = None
            if any(len(tiers) > 1 for tiers in prices):
                key = tuple(
                    (tier.start, tier.price.usd, tier.price.sku_id)
                    for tiers in prices
                    for tier in tiers
                )
                number = self._numbers.setdefault(key, len(self._numbers))
            self._stepped[priced] = number
        return self._stepped[priced]

    def _lines(self, priced: PricedPath, byte_count: int, after: int) -> tuple[LineItem, ...] | str:
        key = priced, byte_count, after
        found = self._priced.get(key)
        if found is None:
            found = self._priced[key] = self._ask(priced, byte_count, after)
        return found

    def _ask(self, priced: PricedPath, byte_count: int, after: int) -> tuple[LineItem, ...] | str:
        name = f"traffic {priced.path_class.value} {priced.ends}"
        gib, before = (self._facts.gib_per_month(count) for count in (byte_count, after))
        try:
            prices = path_prices(self._facts, priced)
        except MissingDatum as error:
            return str(error)
        lines = (line for tiers in prices for line in bill(name, gib, tiers, before))
        return tuple(line for line in lines if line.usd_per_month)


def pair_of(edge: Edge) -> Pair:
    """Return the two owners of an edge, whichever sends."""
    return min(edge.src, edge.dst), max(edge.src, edge.dst)
