"""Reads the traffic of machines and paths by hour, from the wire bytes of edges by minute."""

from collections.abc import Iterable, Sequence

from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.model.rate_bins import MachineHours, PathHours, Rates, TrafficHours
from netplan_planner.paths.path_keys import PricedPathKey, priced_path_key
from netplan_planner.traffic.engine import Engine, Row
from netplan_planner.traffic.routes import Routes
from netplan_planner.traffic.statements.hours import (
    MACHINE_HOURS,
    MINUTES_PER_HOUR,
    PATH_HOURS,
)
from netplan_planner.traffic.window import Window, time_of_minute
from netplan_planner.units import SECONDS_PER_MINUTE, gbps_from_bytes

LEAST_MINUTES = MINUTES_PER_HOUR // 2
"""An hour of which less was observed is unknown."""


class HourReader:
    """Asks the engine for hours; those outside of the observed window are unknown, and not 0."""

    def __init__(self, engine: Engine, routes: Routes, window: Window) -> None:
        self._engine = engine
        self._routes = routes
        self._first = window.first_minute // MINUTES_PER_HOUR
        self._seconds = [
            minutes * SECONDS_PER_MINUTE if minutes >= LEAST_MINUTES else 0
            for minutes in observed_minutes(window)
        ]

    def read(self, matrix: TrafficMatrix, inventory: Inventory) -> TrafficHours:
        """Return the hours of a matrix that was read from the engine's tables."""
        paths = self._fill_paths(matrix, inventory)
        index = {owner.key: number for number, owner in enumerate(matrix.owners)}
        owners = {
            number: index[key] for key, number in self._routes.owner_number.items() if key in index
        }
        sent: dict[int, list[int]] = {}
        outside: dict[int, list[int]] = {}
        for rows in self._engine.stream(MACHINE_HOURS):
            self._add(sent, ((vm, hour, wire) for vm, hour, wire, _ in rows))
            self._add(outside, ((vm, hour, wire) for vm, hour, _, wire in rows))
        carried: dict[int, list[int]] = {}
        for rows in self._engine.stream(PATH_HOURS):
            self._add(carried, rows)
        return TrafficHours(
            start=time_of_minute(self._first * MINUTES_PER_HOUR),
            machines=tuple(
                MachineHours(
                    owner=owners[vm],
                    gbps=self._rates(sent[vm]),
                    outside_gbps=self._rates(outside[vm]),
                )
                for vm in sorted(sent, key=lambda number: owners.get(number, -1))
                if vm in owners
            ),
            paths=tuple(
                PathHours(edge=edge, gbps=self._rates(carried[path]))
                for path, edge in enumerate(paths)
                if path in carried
            ),
        )

    def _fill_paths(self, matrix: TrafficMatrix, inventory: Inventory) -> Sequence[int]:
        """Fill the table `edge_path`, and return an edge of the matrix for each path."""
        numbers = {key: number for number, key in enumerate(self._routes.keys)}
        paths: dict[PricedPathKey, int] = {}
        examples: list[int] = []
        rows: list[Row] = []
        for at, edge in enumerate(matrix.edges):
            key = priced_path_key(matrix, edge, inventory)
            path = paths.setdefault(key, len(paths))
            if path == len(examples):
                examples.append(at)
            src, dst = matrix.owners[edge.src].key, matrix.owners[edge.dst].key
            rows.append((numbers[src, dst, edge.path_class, edge.dst_address], path))
        self._engine.create("edge_path")
        self._engine.insert("edge_path", iter(rows))
        return examples

    def _add(self, found: dict[int, list[int]], rows: Iterable[Row]) -> None:
        for key, hour, wire in rows:
            at = hour - self._first
            if 0 <= at < len(self._seconds):
                found.setdefault(key, [0] * len(self._seconds))[at] += wire

    def _rates(self, wire: Sequence[int]) -> Rates:
        unit = self._routes.unit
        return tuple(
            gbps_from_bytes(count / unit, seconds) if seconds else None
            for count, seconds in zip(wire, self._seconds, strict=True)
        )


def observed_minutes(window: Window) -> list[int]:
    """Return how many minutes of each hour of a window were observed, from its first hour on."""
    first = window.first_minute // MINUTES_PER_HOUR
    found = [MINUTES_PER_HOUR] * (window.last_minute // MINUTES_PER_HOUR - first + 1)
    found[0] -= window.first_minute % MINUTES_PER_HOUR
    found[-1] -= MINUTES_PER_HOUR - 1 - window.last_minute % MINUTES_PER_HOUR
    for gap_first, gap_last in window.gaps:
        for hour in range(gap_first // MINUTES_PER_HOUR, gap_last // MINUTES_PER_HOUR + 1):
            begins = max(gap_first, hour * MINUTES_PER_HOUR)
            ends = min(gap_last, (hour + 1) * MINUTES_PER_HOUR - 1)
            found[hour - first] -= ends - begins + 1
    return found
