"""Reads traffic: finds the files, runs the engine, says what the result rests on."""

import codecs
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from netplan_planner import meter
from netplan_planner.errors import EmptyError, InputError
from netplan_planner.input_files import reading
from netplan_planner.model import Edge, Inventory, Series, TrafficMatrix, VmTraffic
from netplan_planner.tables.files import check_lines
from netplan_planner.traffic import tables
from netplan_planner.traffic.assembly import assembled
from netplan_planner.traffic.coverage import inputs_of
from netplan_planner.traffic.files.batches import row_count
from netplan_planner.traffic.files.embedded import EmbeddedEngine, open_engine
from netplan_planner.traffic.files.entries import Ends, split_entries
from netplan_planner.traffic.files.faults import Faults, is_utf8, raw_chunks, without_lines
from netplan_planner.traffic.files.ingest import Ingest
from netplan_planner.traffic.files.inputs import Layout, Source, find_files, recognise
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.pod_flows.hubble import is_hubble_file


def read(paths: Sequence[Path], inventory: Inventory, options: TrafficOptions) -> TrafficMatrix:
    """Return the traffic matrix; see `netplan_planner.traffic.read_traffic`."""
    given = find_files(paths)
    files = [path for path in given if not is_hubble_file(path)]
    if not files:
        raise InputError(
            f"{given[0]}: Hubble flows count events, not bytes; give flow logs or a table, too"
        )
    more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
    with reading(f"{files[0]}{more}"), open_engine(options) as engine:
        sources, empty = sources_of(files, engine)
        steady = [s for s in sources if s.layout.is_table and tables.is_steady(s, engine)]
        if steady and len(steady) < len(sources):
            raise InputError(
                f"{steady[0].shown}: constant rates cannot be combined with records that have times"
            )
        matrix = _with_notes(
            _matrix(sources, inventory, options, engine, is_steady=bool(steady)),
            [*empty, *_events(given, files)],
        )
        if not steady:
            return matrix
        if not tables.has_p95(sources, engine):
            return replace(matrix, is_steady=True)
        of_p95 = _matrix(sources, inventory, options, engine, is_steady=True, of_p95=True)
        return _with_p95(matrix, of_p95)


def _events(given: Sequence[Path], files: Sequence[Path]) -> list[str]:
    """Return what is said of files that are no part of the matrix."""
    return [f"{path}: flows of Hubble, without bytes" for path in given if path not in files]


def sources_of(files: Sequence[Path], engine: EmbeddedEngine) -> tuple[list[Source], list[str]]:
    """Return the inputs as the engine can read them, and what is said of those that are empty.

    Raises:
        EmptyError: If all of them are.
    """
    found: list[Source] = []
    empty: list[str] = []
    folder = engine.folder / "in"
    folder.mkdir()
    for index, path in enumerate(files):
        try:
            with reading(path):
                recognised = _recognised(path, folder / f"f{index:06d}", engine)
                found.append(_prepared(recognised, engine))
        except EmptyError as exc:
            empty.append(str(exc))
    if not found:
        raise EmptyError("; ".join(empty[:_NAMED]))
    return found, empty


_NAMED = 3


def _with_notes(matrix: TrafficMatrix, empty: Sequence[str]) -> TrafficMatrix:
    """Return a matrix that says which inputs held nothing."""
    if not empty:
        return matrix
    more = f" and {len(empty) - _NAMED} more" if len(empty) > _NAMED else ""
    note = f"{'; '.join(empty[:_NAMED])}{more}"
    coverage = matrix.coverage
    return replace(matrix, coverage=replace(coverage, notes=(*coverage.notes, note)))


def _recognised(path: Path, link: Path, engine: EmbeddedEngine) -> Source:
    """Return an input, behind a link whose name the engine cannot misread.

    A file's own name may hold quotes, glob characters, or folders that look like partitions.
    """
    link.symlink_to(path.resolve())
    return recognise(path, link, engine)


def _prepared(source: Source, engine: EmbeddedEngine) -> Source:
    """Return a source that the engine can read: arrays and pretty-printed entries become lines."""
    if source.layout is Layout.FLOW_PARQUET and row_count(source, engine) == 0:
        raise EmptyError(f"{source.shown}: the file holds no records")
    if source.layout is Layout.TABLE_CSV:
        check_lines(raw_chunks(source), source.shown)
        return source if is_utf8(source) else _recoded(source, engine)
    is_plain = source.encoding == "utf-8"
    if source.layout is not Layout.JSON_DOCUMENT and (source.layout.is_table or is_plain):
        return source
    target = engine.folder / f"{source.path.name}.lines"
    is_cut = source.is_cut
    count = 0
    # In other encodings a comment is just text outside of braces.
    skipped = source.skipped_lines if is_plain else 0
    chunks = Ends(without_lines(raw_chunks(source), skipped))
    with target.open("w", encoding="utf-8") as out:
        for entry in split_entries(chunks, source.encoding, source.shown):
            out.write(entry.text + "\n")
            is_cut = is_cut or not entry.is_whole
            count += 1
    if count == 0:
        raise EmptyError(f"{source.shown}: the file holds no log entries")
    return replace(
        source,
        path=target,
        layout=Layout.JSON_LINES,
        compression="none",
        packed=source.compression,
        is_split=True,
        is_cut=is_cut or chunks.is_open_array,
        size_bytes=target.stat().st_size,
    )


def _recoded(source: Source, engine: EmbeddedEngine) -> Source:
    """Return a table whose text is UTF-8; what is no text of its encoding becomes U+FFFD."""
    target = engine.folder / f"{source.path.name}.csv"
    decoder = codecs.getincrementaldecoder(source.encoding)(errors="replace")
    with target.open("w", encoding="utf-8", newline="") as out:
        for chunk in raw_chunks(source):
            out.write(decoder.decode(chunk))
    return replace(source, path=target, compression="none", encoding="utf-8")


def _matrix(
    sources: Sequence[Source],
    inventory: Inventory,
    options: TrafficOptions,
    engine: EmbeddedEngine,
    *,
    is_steady: bool,
    of_p95: bool = False,
) -> TrafficMatrix:
    ingest = Ingest(engine, inventory, options, is_steady=is_steady)
    total = float(sum(source.size_bytes for source in sources))
    with meter.work("reading flow logs", total=total, unit="bytes"):
        sources = ingest.read(sources, of_p95=of_p95)
    faults = Faults(engine, ingest, sources)
    names = ", ".join(source.shown for source in sources[:_NAMED])
    more = f" and {len(sources) - _NAMED} more" if len(sources) > _NAMED else ""
    return assembled(
        engine,
        ingest,
        faults,
        inventory,
        options,
        shown=f"{names}{more}",
        inputs=inputs_of(sources),
        is_steady=is_steady,
    )


def _with_p95(matrix: TrafficMatrix, of_p95: TrafficMatrix) -> TrafficMatrix:
    """Return a matrix of steady rates whose upper percentiles are those of the second one."""

    def mixed(steady: Series, upper: Series) -> Series:
        return replace(
            steady,
            p95_gbps=upper.p95_gbps,
            p99_gbps=upper.p99_gbps,
            max_gbps=upper.max_gbps,
            top_gbps=upper.top_gbps,
        )

    def edge(steady: Edge, upper: Edge) -> Edge:
        return replace(steady, series=mixed(steady.series, upper.series))

    def vm(steady: VmTraffic, upper: VmTraffic) -> VmTraffic:
        return replace(
            steady,
            egress=mixed(steady.egress, upper.egress),
            egress_outside_vpc=mixed(steady.egress_outside_vpc, upper.egress_outside_vpc),
            ingress=mixed(steady.ingress, upper.ingress),
        )

    note = (
        "the table has 95th percentiles per pair: a VM's value is their sum, assuming all peak"
        " together"
    )
    return replace(
        matrix,
        is_steady=True,
        edges=tuple(map(edge, matrix.edges, of_p95.edges)),
        vms=tuple(map(vm, matrix.vms, of_p95.vms)),
        coverage=replace(matrix.coverage, notes=(*matrix.coverage.notes, note)),
    )
