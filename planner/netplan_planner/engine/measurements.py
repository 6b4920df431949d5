"""Reads the stores of measurements that an audit was given, each run once."""

from collections.abc import Hashable, Sequence
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_planner.input_files import unreadable
from netplan_planner.measuring.store import read_store
from netplan_planner.model import Measurement, MeasurementCoverage

Measured = tuple[tuple[Measurement, ...], MeasurementCoverage]


def read_measurements(paths: Sequence[Path]) -> Measured:
    """Return the measurements of several stores, and what could not be read of them.

    A run that several stores hold counts once, as the first of them has it.

    Raises:
        InputError: If a file is not there or cannot be opened, or if no line of it is a record.
    """
    kept: dict[Hashable, Measurement] = {}
    faults: list[str] = []
    record_count = 0
    for path in paths:
        try:
            path.stat()
        except OSError as exc:
            raise unreadable(path, exc, "--measurements takes a store") from exc
        store = read_store(path)
        if store.faults and not store.measurements:
            raise InputError(
                f"{store.faults[0]}; no line of it is a measurement. `netplan probe import` makes"
                " a store of what a tool printed."
            )
        record_count += len(store.measurements) + store.repeated_count
        faults += store.faults
        for one in store.measurements:
            kept.setdefault(one.run_id or replace(one, source="", place=""), one)
    return tuple(kept.values()), MeasurementCoverage(
        files=len(paths),
        measurement_count=len(kept),
        repeated_count=record_count - len(kept),
        faults=tuple(faults),
    )
