"""What traffic costs after changes: volumes by price, each with the steps that all of it shares.

A price is of a SKU, not of a path: what goes to the internet through Cloud NAT fills the steps of
what goes there directly, and a change takes the last steps of a month away or adds to them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.ledger.state import Pair, State
from netplan_planner.paths.priced_paths import (
    PREMIUM,
    PathPrice,
    PricedPath,
    billed_path,
    front_of,
    hub_of,
    path_prices_of,
    priced_path_of,
)

_OUTSIDE = frozenset({model.PathClass.INTERNET, model.PathClass.NAT})
_MOST_LINES = 2**16
"""Lines that are kept of volumes already asked for."""


Volumes = Counter[PricedPath]
"""Bytes of the window by path."""
Tiers = tuple[model.PriceTier, ...]


class Price(NamedTuple):
    """A price, told from others by what it is of and its steps."""

    key: str
    steps: tuple[tuple[Decimal, Decimal], ...]
    tiers: Tiers

    @staticmethod
    def of(tiers: Tiers) -> "Price":
        """Return the price of some steps."""
        return Price(
            model.price_key(tiers), tuple((one.start, one.price.usd) for one in tiers), tiers
        )

    def __hash__(self) -> int:
        """Hash by what tells it apart, which the steps' own texts do not."""
        return hash((self.key, self.steps))

    def __eq__(self, other: object) -> bool:
        """Return whether two are sold as one."""
        return isinstance(other, Price) and self[:2] == other[:2]

    def __ne__(self, other: object) -> bool:
        """Return whether two are not sold as one."""
        return not self == other


class _Sold(NamedTuple):
    """Bytes of the window at a price, with the name of their line."""

    name: str
    price: Price
    byte_count: int


def _by_price(sold: Iterable[_Sold]) -> Counter[Price]:
    found: Counter[Price] = Counter()
    for one in sold:
        found[one.price] += one.byte_count
    return found


def _without(sold: Iterable[_Sold], alike: Mapping[Price, int]) -> Iterator[_Sold]:
    """Yield what is sold without so many bytes of each price."""
    left = dict(alike)
    for one in sold:
        less = min(one.byte_count, left.get(one.price, 0))
        if less:
            left[one.price] -= less
        if one.byte_count > less:
            yield one._replace(byte_count=one.byte_count - less)


class Saved(NamedTuple):
    """What traffic costs less after a change: lines, and charges whose price is not known."""

    lines: tuple[model.LineItem, ...]
    unknown: tuple[tuple[PricedPath, str], ...]
    """Charges that differ, with the reason why they have no price."""


class TrafficCost(NamedTuple):
    """What edges cost a month: lines, and why parts have no price; their traffic is in no line."""

    lines: tuple[model.LineItem, ...]
    unpriced: frozenset[str]

    @property
    def usd_per_month(self) -> Decimal:
        """The sum of the lines."""
        return model.total_usd(self.lines)


class TrafficLedger:
    """Prices the traffic of a state, whatever is changed there meanwhile."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._facts = state.facts
        self._as_read: dict[int, PricedPath] = {}
        """Of edges as they are, by the edge's identity."""
        self._parts: dict[PricedPath, tuple[PathPrice, ...]] = {}
        self._stepped: dict[PricedPath, tuple[str, ...]] = {}
        """The keys of a charge's prices that have steps."""
        self._totals: Counter[str] | None = None
        """Bytes of all traffic now, by the key of a price with steps."""
        self._counted: dict[int, tuple[PricedPath, int]] = {}
        """The charge and bytes with which an edge is in there, by the edge's identity."""
        self._by_pair: dict[Pair, list[model.Edge]] | None = None
        self._asked: dict[tuple[str, int, int], tuple[model.LineItem, ...]] = {}

    def edges_of(self, owner: int) -> tuple[model.Edge, ...]:
        """Return the edges that an owner sends and receives."""
        traffic = self._facts.traffic
        assert traffic is not None
        return (*traffic.edges_by_src.get(owner, ()), *traffic.edges_by_dst.get(owner, ()))

    def edges_between(self, pair: Pair) -> Sequence[model.Edge]:
        """Return the edges between two machines, both ways."""
        if self._by_pair is None:
            self._by_pair = defaultdict(list)
            for edge in self._facts.traffic.edges if self._facts.traffic else ():
                if edge.path_class.distance is not None:
                    self._by_pair[pair_of(edge)].append(edge)
        return self._by_pair.get(pair, ())

    def priced(self, edge: model.Edge) -> PricedPath:
        """Return what the price of an edge depends on now."""
        found = self._as_read.get(id(edge))
        if found is None:
            found = self._as_read[id(edge)] = priced_path_of(self._facts, edge)
        state = self._state
        src, dst = state.changed(edge.src), state.changed(edge.dst)
        is_inside = bool(state.internal) and pair_of(edge) in state.internal
        if src is None and dst is None and not is_inside:
            return found
        return self._after(edge, found, src, dst, is_inside=is_inside)

    def _after(
        self,
        edge: model.Edge,
        priced: PricedPath,
        src: model.Instance | None,
        dst: model.Instance | None,
        *,
        is_inside: bool,
    ) -> PricedPath:
        path_class, tier, hub = priced.path_class, priced.network_tier, priced.hub
        is_through_nat = priced.is_through_nat
        if path_class.distance is not None:
            if is_inside:
                path_class = path_class.over_internal_address
            zones = self._state.zone(edge.src), self._state.zone(edge.dst)
            if zones[0] and zones[1]:
                path_class = path_class.between(model.Zone(zones[0]), model.Zone(zones[1]))
            is_outside = path_class.is_external_address and not priced.is_ipv6
            hub = "" if path_class.is_external_address else hub_of(self._facts, edge)
            is_through_nat = is_outside and (
                is_through_nat if src is None else self._is_behind_nat(edge.src)
            )
        elif path_class is model.PathClass.LOAD_BALANCER and src is not None:
            front = front_of(self._facts, edge)
            is_outside = front is not None and front.is_external
            is_through_nat = is_outside and self._is_behind_nat(edge.src)
        elif edge.dst_address in self._facts.inventory.front_by_ip:
            pass  # What is answered by a front goes by its address and tier.
        elif path_class in _OUTSIDE and src is not None:
            path_class, tier = self._way_out(edge.src, src, path_class, tier)
        elif path_class in _OUTSIDE and dst is not None:
            path_class, _ = self._way_out(edge.dst, dst, path_class, tier)
        # What a tunnel carries is priced by where the tunnel is.
        is_own = src is not None and not priced.carrier
        return priced._replace(
            path_class=path_class,
            network_tier=tier,
            is_through_nat=is_through_nat,
            src_region=model.region_of(src.zone)
            if src is not None and is_own
            else priced.src_region,
            dst_region=model.region_of(dst.zone) if dst is not None else priced.dst_region,
            hub=hub,
        )

    def _is_behind_nat(self, owner: int) -> bool:
        assert self._facts.traffic is not None
        link = self._facts.traffic.owners[owner].link
        return link is not None and bool(self._state.gateways(link))

    def _way_out(
        self, owner: int, now: model.Instance, path_class: model.PathClass, tier: str
    ) -> tuple[model.PathClass, str]:
        """Return how a machine reaches the internet after its addresses have changed."""
        assert self._facts.traffic is not None
        link = self._facts.traffic.owners[owner].link
        was = self._facts.inventory.instance_by_link.get(link) if link is not None else None
        if was is None or was.interfaces == now.interfaces:
            return path_class, tier
        tiers = {
            nic.network_tier or PREMIUM for nic in now.interfaces if nic.external_ipv4 is not None
        }
        if len(tiers) == 1:
            return model.PathClass.INTERNET, tiers.pop()
        if not tiers and self._is_behind_nat(owner):
            return model.PathClass.NAT, PREMIUM
        return path_class, tier

    def charge(self, edge: model.Edge) -> PricedPath | None:
        """Return what an edge is billed as now; None where nobody of ours pays."""
        return billed_path(self._facts, edge, self.priced(edge))

    def volumes(self, edges: Iterable[model.Edge]) -> Volumes:
        """Return the bytes of edges by what they are charged as now."""
        found: Volumes = Counter()
        for edge in edges:
            charge = self.charge(edge)
            if charge is not None:
                found[charge] += self._billed_bytes(edge, charge)
        return found

    def _billed_bytes(self, edge: model.Edge, charge: PricedPath) -> int:
        """Return what is paid of an edge: what near endpoints keep inside a zone costs nothing."""
        is_between_zones = charge.path_class is model.PathClass.INTER_ZONE_INTERNAL_POD
        return edge.wire_bytes - (self._state.kept_bytes(edge) if is_between_zones else 0)

    def parts(self, path: PricedPath) -> tuple[PathPrice, ...]:
        """Return the prices of a path, asked for once."""
        found = self._parts.get(path)
        if found is None:
            found = self._parts[path] = path_prices_of(self._facts.prices, path)
        return found

    def cost(self, edges: Iterable[model.Edge]) -> TrafficCost:
        """Return what edges cost now, as the last of all that shares their prices."""
        volumes = self.volumes(edges)
        lines = tuple(self._lines(self._sold(volumes), self._used_beside(volumes)))
        return TrafficCost(lines, frozenset(self._unpriced(volumes).values()))

    def further_usd_per_gib(self, edge: model.Edge) -> Decimal | None:
        """Return what a further GiB on an edge costs now, at the last volume step of the month.

        0 where nobody of ours pays for it; None where a price is not known.
        """
        charge = self.charge(edge)
        parts = self.parts(charge) if charge is not None else ()
        if not all(part.tiers for part in parts):
            return None
        return sum((self._step(part.tiers).price.usd for part in parts), Decimal(0))

    def _step(self, tiers: Tiers) -> model.PriceTier:
        """Return the step in which the month ends."""
        if len(tiers) == 1:
            return tiers[0]
        used_gib = self._facts.gib_per_month(self._all()[model.price_key(tiers)])
        return max((one for one in tiers if one.start <= used_gib), key=lambda one: one.start)

    def saved(self, before: Volumes, after: Volumes) -> Saved:
        """Return what the same edges cost less; asked for while they are charged as `before`."""
        gone, come = before - after, after - before
        used = self._used_beside(gone)
        sold, bought = list(self._sold(gone)), list(self._sold(come))
        # What costs the same before and after fills the same steps, and is no line.
        alike = _by_price(sold) & _by_price(bought)
        for price, byte_count in alike.items():
            if price.key in used:
                used[price.key] += byte_count
        lines = (
            *self._lines(_without(sold, alike), dict(used)),
            *(model.negated(line) for line in self._lines(_without(bought, alike), dict(used))),
        )
        return Saved(lines, tuple({**self._unpriced(gone), **self._unpriced(come)}.items()))

    def is_stepped(self, volumes: Iterable[PricedPath]) -> bool:
        """Return whether other traffic bears on what some charges cost."""
        return any(self._steps(charge) for charge in volumes)

    def _unpriced(self, volumes: Volumes) -> dict[PricedPath, str]:
        return {
            charge: part.reason
            for charge in sorted(volumes)
            for part in self.parts(charge)
            if not part.tiers
        }

    def _used_beside(self, volumes: Volumes) -> dict[str, int]:
        """Return the bytes of all other traffic, by the stepped prices of some."""
        own: Counter[str] = Counter()
        for charge, byte_count in volumes.items():
            for key in self._steps(charge):
                own[key] += byte_count
        totals = self._all() if own else {}
        return {key: totals[key] - byte_count for key, byte_count in own.items()}

    def _sold(self, volumes: Mapping[PricedPath, int]) -> Iterator[_Sold]:
        """Yield what is sold of each price, by charge."""
        for charge, byte_count in sorted(volumes.items()):
            of_nat = len(self.parts(charge)) - 1 if charge.is_processed else -1
            for at, part in enumerate(self.parts(charge)):
                if part.tiers:
                    name = _name(charge, part.work, is_nat=at == of_nat)
                    yield _Sold(name, Price.of(part.tiers), byte_count)

    def _lines(self, sold: Iterable[_Sold], used: dict[str, int]) -> Iterator[model.LineItem]:
        for name, price, byte_count in sold:
            after = 0
            if len(price.tiers) > 1:
                if price.key not in used:
                    used[price.key] = self._all()[price.key]
                after = used[price.key]
                used[price.key] += byte_count
            yield from self._bill(name, price, byte_count, after)

    def _bill(
        self, name: str, price: Price, byte_count: int, after: int
    ) -> tuple[model.LineItem, ...]:
        asked = f"{name} {price.key}", byte_count, after
        found = self._asked.get(asked)
        if found is None:
            gib, before = (self._facts.gib_per_month(count) for count in (byte_count, after))
            if len(self._asked) > _MOST_LINES:
                self._asked.clear()
            lines = model.bill(name, gib, price.tiers, before)
            found = self._asked[asked] = tuple(line for line in lines if line.usd_per_month)
        return found

    def _steps(self, charge: PricedPath) -> tuple[str, ...]:
        found = self._stepped.get(charge)
        if found is None:
            tiers = (part.tiers for part in self.parts(charge))
            found = tuple(model.price_key(one) for one in tiers if len(one) > 1)
            self._stepped[charge] = found
        return found

    def _all(self) -> Counter[str]:
        """Return the bytes of all traffic now, by the key of a price with steps."""
        if self._totals is None:
            self._totals = Counter()
            self._count(self._totals, self._facts.traffic.edges if self._facts.traffic else ())
        else:
            for changed in self._state.touched:
                is_pair = isinstance(changed, tuple)
                edges = self.edges_between(changed) if is_pair else self.edges_of(changed)  # type: ignore[arg-type]
                self._count(self._totals, edges)
        self._state.touched.clear()
        return self._totals

    def _count(self, totals: Counter[str], edges: Iterable[model.Edge]) -> None:
        """Count edges as they are priced now, no longer as before."""
        for edge in edges:
            charge, last = self.charge(edge), self._counted.get(id(edge))
            now = (charge, self._billed_bytes(edge, charge)) if charge is not None else None
            if now == last:
                continue
            if last is not None:
                for key in self._steps(last[0]):
                    totals[key] -= last[1]
                del self._counted[id(edge)]
            if now is not None and (steps := self._steps(now[0])):
                for key in steps:
                    totals[key] += now[1]
                self._counted[id(edge)] = now


def _name(path: PricedPath, work: str, *, is_nat: bool) -> str:
    """Return the name of a path's line on a bill, or of the line of Cloud NAT or of other work."""
    if is_nat:
        return f"Cloud NAT, data processed in {path.src_region}"
    if work:
        return f"{work}: data {path.ends}"
    return f"traffic {path.path_class.value} {path.ends}"


def pair_of(edge: model.Edge) -> Pair:
    """Return the two owners of an edge, whichever sends."""
    return min(edge.src, edge.dst), max(edge.src, edge.dst)
