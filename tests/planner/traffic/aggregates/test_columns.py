"""Columns change with the format's number alone; every option is known to shape sums or not to."""

import hashlib

import pytest

from netplan_planner.model import Value
from netplan_planner.traffic import TrafficOptions
from netplan_planner.traffic.aggregates.manifest import VERSION, Manifest, Shape
from netplan_planner.traffic.aggregates.tables import TABLES, columns_of

COLUMNS_BY_VERSION = {1: "9b55857f74f5fc42"}
"""Of each version ever written. A change of the model that shows here needs a new number."""

NO_SHAPE = {
    "memory_limit",
    "threads",
    "temp_directory",
    "batch_records",
    "engine",
    "spark_remote",
    "spark_work",
    # What of the sums is asked for.
    "log_volume_from_gbps",
    "by_hour",
}


def test_the_columns_of_this_version() -> None:
    columns = {name: columns_of(kind) for name, kind in sorted(TABLES.items())}
    told = [*columns.items(), Manifest.__struct_fields__, Shape.__struct_fields__]
    digest = hashlib.sha256(repr(told).encode()).hexdigest()[:16]
    assert COLUMNS_BY_VERSION.get(VERSION) == digest
    assert max(COLUMNS_BY_VERSION) == VERSION


def test_every_option_is_known() -> None:
    shape, known = set(Shape.__struct_fields__), set(TrafficOptions.__struct_fields__)
    assert shape <= known <= shape | NO_SHAPE
    assert not NO_SHAPE & shape


def test_a_field_without_a_column() -> None:
    class Odd(Value, frozen=True):
        either: int | str

    with pytest.raises(TypeError, match="no column holds"):
        columns_of(Odd)
