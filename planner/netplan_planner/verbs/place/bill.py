"""What the traffic between machines costs with them in given zones: prices by path, in one place.

The solver counts each GiB at the price of the last step of its path; the bills are exact.
"""

from collections import defaultdict
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from netplan_planner.model import Facts, LineItem, Unpriced, Zone, region_of, total_usd
from netplan_planner.paths.priced_paths import PathPrice, PricedPath, path_prices_of
from netplan_planner.planning.traffic_bill import Meter, bill_paths
from netplan_planner.verbs.place.asked import Asked, Floats, Indices, Kind
from netplan_planner.verbs.place.machines import MachineCosts

_DIGITS = 9
"""Of a volume in GiB: a byte is the ninth."""


class PlacementBill(NamedTuple):
    """A month of the traffic, and of the machines whose types are given."""

    lines: tuple[LineItem, ...]
    unpriced: tuple[Unpriced, ...]

    @property
    def usd(self) -> Decimal:
        """The sum of the lines."""
        return total_usd(self.lines)


class Prices:
    """Prices between the zones of a placement."""

    def __init__(self, facts: Facts, asked: Asked) -> None:
        """Ask for nothing yet."""
        self._facts, self._asked = facts, asked
        self._known: dict[PricedPath, tuple[PathPrice, ...]] = {}
        self.machines = MachineCosts(facts, asked)

    def path(self, kind: Kind, src_zone: str, dst_zone: str) -> PricedPath:
        """Return what the price of traffic between two zones depends on."""
        return PricedPath(
            kind.path_class.between(Zone(src_zone), Zone(dst_zone)),
            region_of(Zone(src_zone)),
            region_of(Zone(dst_zone)),
            "",
            is_ipv6=kind.is_ipv6,
            hub=kind.hub,
        )

    def parts(self, path: PricedPath) -> tuple[PathPrice, ...]:
        """Return the prices of a path, asked for once."""
        if path not in self._known:
            self._known[path] = path_prices_of(self._facts.prices, path)
        return self._known[path]

    def last_usd(self, kind: Kind, src_zone: str, dst_zone: str) -> float:
        """Return dollars of a GiB on the last step of the price; NaN where one is not known."""
        parts = self.parts(self.path(kind, src_zone, dst_zone))
        if any(not part.tiers for part in parts):
            return float("nan")
        return float(sum(part.tiers[-1].price.usd for part in parts))

    def table(self) -> Floats:
        """Return the last steps' dollars of a GiB, kinds × zones × zones."""
        zones = self._asked.zones
        return np.array(
            [
                [[self.last_usd(kind, a, b) for b in zones] for a in zones]
                for kind in self._asked.kinds
            ]
        ).reshape(len(self._asked.kinds), len(zones), len(zones))

    def bill(self, zones: Indices, counted: Indices | None = None) -> PlacementBill:
        """Return the bill of all traffic and of machines, or of some entries of the traffic.

        Args:
            zones: Of each machine, by index.
            counted: Which entries; None: all.
        """
        asked = self._asked
        at = np.arange(len(asked.edges.src)) if counted is None else counted
        count = len(asked.zones)
        volumes = np.zeros((len(asked.kinds), count, count))
        where = asked.edges.kind[at], zones[asked.edges.src[at]], zones[asked.edges.dst[at]]
        np.add.at(volumes, where, asked.edges.gib_per_month[at])
        by_path: dict[PricedPath, Decimal] = defaultdict(Decimal)
        for kind, a, b in zip(*np.nonzero(volumes), strict=True):
            path = self.path(asked.kinds[kind], asked.zones[a], asked.zones[b])
            by_path[path] += round(Decimal(float(volumes[kind, a, b])), _DIGITS)
        meter = Meter()
        found = bill_paths(self._facts.prices, by_path, meter, Decimal)
        machines = self.machines.lines(zones) if counted is None else ()
        return PlacementBill((*found.lines, *machines), found.unpriced(meter))
