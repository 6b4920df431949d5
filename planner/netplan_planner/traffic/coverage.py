"""What a matrix rests on: records, reporters, owners, and what should be known besides."""

from collections.abc import Iterator, Mapping, Sequence

from netplan_planner import model
from netplan_planner.traffic.engine import Engine
from netplan_planner.traffic.files.faults import UNREMARKABLE
from netplan_planner.traffic.files.inputs import Source
from netplan_planner.traffic.matrix import EdgeTotal, drops_of
from netplan_planner.traffic.nodes import Nodes
from netplan_planner.traffic.record_sums import Routes
from netplan_planner.traffic.window import Window
from netplan_planner.units import counted

_SHOWN_NAMES = 3
_HOUR_MINUTES, _DAY_HOURS = 60, 24


class Inputs(model.Value, frozen=True, kw_only=True):
    """What was read: files, or tables of an engine that holds the records itself."""

    files: int = 0
    tables: int = 0
    incomplete: tuple[str, ...] = ()
    """What says that some of it could not be read."""
    notes: tuple[str, ...] = ()
    """What is said of it besides."""


def inputs_of(sources: Sequence[Source]) -> Inputs:
    """Return what coverage says of files."""
    return Inputs(
        files=len({source.original for source in sources}),
        incomplete=tuple(_file_notes(sources)),
        notes=tuple(_comment_notes(sources)),
    )


def coverage_of(
    matrix: model.TrafficMatrix,
    *,
    totals: Mapping[int, EdgeTotal],
    routes: Routes,
    nodes: Nodes,
    window: Window,
    inputs: Inputs,
    record_count: int,
    excluded: tuple[tuple[str, int], ...],
    examples: tuple[model.BadRecord, ...],
    overlaps: tuple[model.LogOverlap, ...],
    logged: tuple[model.LoggedRecords, ...],
    engine: Engine,
) -> model.TrafficCoverage:
    """Return the coverage of a matrix."""
    edges = matrix.edges
    payload = sum(edge.payload_bytes for edge in edges)
    by_destination = sum(edge.by_destination_bytes for edge in edges)
    unowned = sum(
        edge.payload_bytes
        for edge in edges
        if model.OwnerKind.UNKNOWN in (matrix.owners[edge.src].kind, matrix.owners[edge.dst].kind)
    )
    return model.TrafficCoverage(
        files=inputs.files,
        tables=inputs.tables,
        record_count=record_count,
        used_count=record_count - sum(count for _, count in excluded),
        excluded=excluded,
        examples=examples,
        source_reported_bytes=payload - by_destination,
        destination_reported_bytes=by_destination,
        other_side_bytes=sum(total.other_side_bytes for total in totals.values()),
        payload_bytes=payload,
        header_bytes=sum(edge.header_bytes for edge in edges),
        owned_bytes=payload - unowned,
        unowned_bytes=unowned,
        assumed_bytes=sum(
            edge.payload_bytes for edge in edges if edge.certainty is model.Certainty.ASSUMED
        ),
        dropped_packets=sum(total.dropped_packets for total in totals.values()),
        drops=drops_of(totals.values()),
        has_metadata=routes.has_recorded,
        overlaps=overlaps,
        logged=logged,
        incomplete=(*inputs.incomplete, *_bad_records(excluded)),
        notes=(
            *_window_notes(window),
            *inputs.incomplete,
            *inputs.notes,
            *_report_notes(totals, routes),
            *_packet_notes(engine),
            *_machine_notes(matrix, nodes),
        ),
    )


def _minutes(count: int) -> str:
    """Return a stretch in the unit that suits it: `45 minutes`, `7.5 hours`, `41 days`."""
    if count < _HOUR_MINUTES * 2:
        return counted(count, "minute")
    hours = count / _HOUR_MINUTES
    return f"{hours:.3g} hours" if hours < _DAY_HOURS * 2 else f"{hours / _DAY_HOURS:,.0f} days"


def _window_notes(window: Window) -> Iterator[str]:
    if window.gaps:
        minutes = sum(last - first + 1 for first, last in window.gaps)
        one = len(window.gaps) == 1
        yield (
            f"{'a gap' if one else f'{len(window.gaps)} gaps'} of {_minutes(minutes)} without"
            " records: percentiles skip this time, and monthly volumes count it as idle"
        )


def _file_notes(sources: Sequence[Source]) -> Iterator[str]:
    for source in sources:
        if source.is_cut:
            yield f"{source.shown} ends early: only the text before the cut was read"


def _comment_notes(sources: Sequence[Source]) -> Iterator[str]:
    by_file = {source.original: source.comment_count for source in sources}
    commented = sorted(path for path, count in by_file.items() if count)
    if commented:
        lines = counted(sum(by_file.values()), "leading comment line")
        files = counted(len(commented), "file")
        yield f"{lines} of {files} skipped"


def _bad_records(excluded: Sequence[tuple[str, int]]) -> Iterator[str]:
    """Yield what could not be read; what was left out on purpose is no loss."""
    for reason, count in excluded:
        if reason not in UNREMARKABLE:
            yield f"{counted(count, 'flow record')} {reason}"


def _report_notes(totals: Mapping[int, EdgeTotal], routes: Routes) -> Iterator[str]:
    silent = sorted(routes.silent)
    lost = sum(total.other_side_bytes for total in totals.values() if total.records == 0)
    if silent and lost:
        one = len(silent) == 1
        yield (
            f"by the inventory {_names(silent)} {'keeps' if one else 'keep'} flow logs, but the"
            f" input has no report of {'its' if one else 'their'} own: {lost:,} bytes that only"
            " the other end reports are not counted. Choose that end with --reporter"
        )


def _packet_notes(engine: Engine) -> Iterator[str]:
    count = engine.value(
        "SELECT CAST(COALESCE(SUM(records_without_packets), 0) AS BIGINT) AS records FROM activity"
    )
    if count == 1:
        yield "1 record has no packet count, so its bytes are without headers"
    elif count:
        yield f"{count:,} records have no packet count, so their bytes are without headers"


def _machine_notes(matrix: model.TrafficMatrix, nodes: Nodes) -> Iterator[str]:
    gone = [
        owner.name
        for owner in matrix.owners
        if owner.kind is model.OwnerKind.VM and owner.link and not nodes.has_machine(owner.link)
    ]
    if gone:
        one = len(gone) == 1
        yield (
            f"{len(gone)} {'VM' if one else 'VMs'} of the records"
            f" {'is' if one else 'are'} not in the inventory (deleted since?): {_names(gone)}"
        )


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(name.rpartition("/")[2] for name in names[:_SHOWN_NAMES])
    rest = len(names) - _SHOWN_NAMES
    return f"{shown} and {rest} more" if rest > 0 else shown
