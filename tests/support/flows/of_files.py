"""What was read of BigQuery's tables, to be compared with what was read of files."""

from msgspec.structs import replace

from netplan_planner.model.evidence.traffic import TrafficMatrix


def as_of_files(found: TrafficMatrix, by_file: TrafficMatrix) -> TrafficMatrix:
    """Return a matrix of tables that says of its inputs what another one says of its files."""
    coverage = found.coverage
    assert coverage.files == 0
    assert coverage.tables > 0
    of = by_file.coverage
    return replace(
        found, coverage=replace(coverage, files=of.files, tables=of.tables, notes=of.notes)
    )
