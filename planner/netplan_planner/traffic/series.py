"""Reads the series of edges and machines from their wire bytes by minute."""

from collections.abc import Mapping, Sequence

from netplan_planner.model import Series, Value
from netplan_planner.traffic.engine import Engine, Row, slices
from netplan_planner.traffic.statements.series import (
    ranks,
    received_minutes,
    sent_minutes,
    volumes,
)
from netplan_planner.units import SECONDS_PER_MINUTE, gbps_from_byte_counts

PERCENTILES = (50, 95, 99)
TOP_MINUTES = 10


class MachineSeries(Value, frozen=True, kw_only=True):
    """The series of the machines by number; one that is missing sent or received nothing."""

    sent: Mapping[int, Series]
    sent_outside: Mapping[int, Series]
    """To outside the VPC."""
    received: Mapping[int, Series]


class SeriesReader:
    """Asks an engine for series; they cover all minutes of the window, idle ones included.

    Args:
        minute_count: Minutes of the window.
        unit: What the bytes of the tables are multiples of, see `Routes.unit`.
    """

    def __init__(self, *, minute_count: int, unit: int) -> None:
        self._unit = unit
        self._top_count = min(TOP_MINUTES, minute_count)
        # A percentile's rank from the greatest minute, by nearest rank.
        self._ranks = [minute_count - -(-p * minute_count // 100) + 1 for p in PERCENTILES]

    def read(self, engine: Engine, table: str, key: str, value: str) -> dict[int, Series]:
        """Return the series of each key of a table that sent anything."""
        whole = {row[0]: row for rows in engine.stream(volumes(table, key, value)) for row in rows}
        statement = ranks(table, key, value, self._ranks, TOP_MINUTES)
        return {
            row[0]: self._series(row, whole[row[0]])
            for rows in engine.stream(statement)
            for row in rows
        }

    def machines(self, engine: Engine) -> MachineSeries:
        """Return what the machines send, send to outside the VPC, and receive."""
        stretches = slices(engine, "edge_minute", "minute")
        engine.create("sent_minute", "received_minute")
        for first, until in stretches:
            engine.run(f"INSERT INTO sent_minute {sent_minutes(first, until)}")
        sent = self.read(engine, "sent_minute", "vm", "wire")
        outside = self.read(engine, "sent_minute", "vm", "outside")
        engine.create("sent_minute")
        for first, until in stretches:
            engine.run(f"INSERT INTO received_minute {received_minutes(first, until)}")
        received = self.read(engine, "received_minute", "vm", "wire")
        engine.create("received_minute")
        return MachineSeries(sent=sent, sent_outside=outside, received=received)

    def gbps(self, wire: Sequence[int]) -> tuple[float, ...]:
        """Return the rates of minutes with so many bytes."""
        return gbps_from_byte_counts(wire, SECONDS_PER_MINUTE * self._unit)

    def _series(self, row: Row, volume: Row) -> Series:
        # A rank beyond the rows is an idle minute.
        gbps = self.gbps([wire or 0 for wire in row[1:]])
        top = gbps[len(PERCENTILES) : len(PERCENTILES) + self._top_count]
        return Series(
            p50_gbps=gbps[0],
            p95_gbps=gbps[1],
            p99_gbps=gbps[2],
            max_gbps=top[0],
            byte_count=volume[1] // self._unit,
            active_minutes=volume[2],
            top_gbps=top,
        )
