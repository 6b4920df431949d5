"""Reads log entries by the two looks of remote engines, in DuckDB, which then has no files."""

from collections.abc import Sequence
from pathlib import Path

from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.tables.sql import quoted
from netplan_planner.traffic import TrafficOptions, remote
from netplan_planner.traffic.coverage import Inputs
from netplan_planner.traffic.embedded import open_engine
from netplan_planner.traffic.entry_fields import ENTRY, Fields, is_entry, struct_type
from netplan_planner.traffic.records import flow_record


def read_by_looks(
    paths: Sequence[Path], known: Inventory, options: TrafficOptions
) -> TrafficMatrix:
    """Return the matrix of files of JSON lines."""
    fields = Fields.of_text(ENTRY)
    columns = ", ".join(f"{quoted(n)}: {quoted(struct_type(f))}" for n, f in ENTRY.items())
    files = ", ".join(quoted(str(path)) for path in paths)
    query = flow_record(
        fields,
        f"read_json([{files}], format = 'newline_delimited', ignore_errors = true,"
        f" columns = {{{columns}}})",
        source_name=fields.text("insertId"),
        is_entry=is_entry(fields),
        with_details=True,
    )
    with open_engine(options) as engine:
        engine.run(f"CREATE OR REPLACE VIEW flow_record AS {query}")
        return remote.read(engine, known, options, shown="records", inputs=Inputs(count=len(paths)))
