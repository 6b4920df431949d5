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
from netplan_planner.paths.lanes import Lane, lane_of, lane_prices

_Key = tuple[object, ...]
Pair = tuple[int, int]
"""Two owners by index, the smaller first."""


class TrafficCost:
    """What edges cost a month: lines, and the ends of traffic that has no price."""

    def __init__(self, lines: Sequence[LineItem], unpriced: frozenset[str]) -> None:
        self.lines = tuple(lines)
        self.unpriced = unpriced
        """Why parts have no price; their traffic is in no line."""

    @property
    def usd_per_month(self) -> Decimal:
        """The sum of the lines."""
        return total_usd(self.lines)


class ChangedTraffic:
    """The traffic between a project's machines after a set of changes, each of which can go back.

    Steps of prices are those that edges reach beyond what else the traffic as it is has of the same
    price: what moves away leaves the last step, and what comes begins where the others end.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._zones: dict[int, Zone] = {}
        self._internal: set[Pair] = set()
        self._priced: dict[tuple[Lane, int, int], tuple[LineItem, ...] | str] = {}
        self._keys: dict[Lane, _Key] = {}
        self._all_bytes: dict[_Key, int] | None = None
        """Of all traffic as it is, by what its price is counted by."""
        self._by_pair: dict[Pair, list[Edge]] | None = None

    def move(self, owner: int, zone: Zone | None) -> None:
        """Put a machine into a zone; None: back to where it is."""
        if zone is None:
            self._zones.pop(owner, None)
        else:
            self._zones[owner] = zone

    def use_internal(self, pair: Pair, *, is_on: bool = True) -> None:
        """Let a pair use internal addresses, both ways, or undo that."""
        (self._internal.add if is_on else self._internal.discard)(pair)

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

    def lane(self, edge: Edge) -> Lane:
        """Return what the price of an edge depends on after the changes."""
        lane = lane_of(self._facts, edge)
        src, dst = self.zone(edge.src), self.zone(edge.dst)
        path_class = lane.path_class
        if path_class.distance is not None and src and dst:
            if path_class.is_external_address and pair_of(edge) in self._internal:
                path_class = path_class.over_internal_address
            path_class = path_class.between(src, dst)
        return lane._replace(
            path_class=path_class,
            src_region=region_of(src) if edge.src in self._zones and src else lane.src_region,
            dst_region=region_of(dst) if edge.dst in self._zones and dst else lane.dst_region,
        )

    def cost(self, edges: Iterable[Edge]) -> TrafficCost:
        """Return what edges cost after the changes; only what own machines send is billed."""
        volumes: dict[Lane, int] = defaultdict(int)
        others = dict(self._beside())
        for edge in edges:
            if self._facts.src(edge).kind is OwnerKind.VM:
                volumes[self.lane(edge)] += edge.wire_bytes
                others[self._key(lane_of(self._facts, edge))] -= edge.wire_bytes
        lines: list[LineItem] = []
        unpriced: set[str] = set()
        for lane, byte_count in sorted(volumes.items()):
            key = self._key(lane)
            found = self._lines(lane, byte_count, others.get(key, 0))
            others[key] = others.get(key, 0) + byte_count
            if isinstance(found, str):
                unpriced.add(found)
            else:
                lines += found
        return TrafficCost(lines, frozenset(unpriced))

    def _beside(self) -> dict[_Key, int]:
        """Return the bytes of all traffic as it is, by what steps of prices count."""
        if self._all_bytes is None:
            found: dict[_Key, int] = defaultdict(int)
            for edge in self._facts.traffic.edges if self._facts.traffic else ():
                if self._facts.src(edge).kind is OwnerKind.VM:
                    found[self._key(lane_of(self._facts, edge))] += edge.wire_bytes
            self._all_bytes = dict(found)
        return self._all_bytes

    def _key(self, lane: Lane) -> _Key:
        """Return what traffic of a lane is counted with: all of the same SKUs."""
        found = self._keys.get(lane)
        if found is None:
            try:
                found = tuple(
                    (tier.start, tier.price.usd, tier.price.sku_id)
                    for tiers in lane_prices(self._facts, lane)
                    for tier in tiers
                )
            except MissingDatum:
                found = (lane,)
            self._keys[lane] = found
        return found

    def _lines(self, lane: Lane, byte_count: int, after: int) -> tuple[LineItem, ...] | str:
        key = lane, byte_count, after
        found = self._priced.get(key)
        if found is None:
            found = self._priced[key] = self._ask(lane, byte_count, after)
        return found

    def _ask(self, lane: Lane, byte_count: int, after: int) -> tuple[LineItem, ...] | str:
        name = f"traffic {lane.path_class.value} {lane.ends}"
        gib, before = (self._facts.gib_per_month(count) for count in (byte_count, after))
        try:
            prices = lane_prices(self._facts, lane)
        except MissingDatum as error:
            return str(error)
        lines = (line for tiers in prices for line in bill(name, gib, tiers, before))
        return tuple(line for line in lines if line.usd_per_month)


def pair_of(edge: Edge) -> Pair:
    """Return the two owners of an edge, whichever sends."""
    return min(edge.src, edge.dst), max(edge.src, edge.dst)
