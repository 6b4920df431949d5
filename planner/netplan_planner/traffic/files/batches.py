"""Cuts the input into batches that are staged at a time, and says how each one is read."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_planner.model import Value
from netplan_planner.tables.sql import quoted
from netplan_planner.traffic import tables
from netplan_planner.traffic.files.embedded import EmbeddedEngine
from netplan_planner.traffic.files.entries import ENTRY, Fields, is_entry, struct_type
from netplan_planner.traffic.files.inputs import Layout, Source
from netplan_planner.traffic.files.records import flow_record

_BYTES_PER_LINE = 800
"""A JSON entry without metadata takes 500 bytes, with all of it 1,500."""
_COMPRESSION_RATIO = 8
"""How much smaller entries get by gzip or zstd; they repeat their field names."""


class Batch(Value, frozen=True, kw_only=True):
    """Some files, or a slice of one, of the same layout."""

    sources: tuple[Source, ...]
    layout: Layout
    query: Callable[[bool], str]
    """The query of its flow records, with or without details of the ends."""
    has_details: bool
    """Whether the details cost nothing, so that they are always read."""
    record_count: int | None = None
    """Where the layout tells."""
    share: float = 1.0
    """Of its files, as far as it is a slice of one."""

    @property
    def size_bytes(self) -> float:
        """What of the files it is, packed as they are."""
        return self.share * sum(source.size_bytes for source in self.sources)


def make_batches(
    sources: Sequence[Source], engine: EmbeddedEngine, batch_records: int, *, of_p95: bool = False
) -> Iterator[Batch]:
    """Yield batches of about `batch_records` records each, in the order of the files."""
    lines: list[Source] = []
    parquet: list[Source] = []
    for source in sources:
        if source.layout is Layout.JSON_LINES:
            lines.append(source)
        elif source.layout is Layout.FLOW_PARQUET:
            parquet.append(source)
        else:
            yield table_batch(source, engine, of_p95=of_p95)
    yield from _line_batches(lines, batch_records)
    yield from _parquet_batches(parquet, engine, batch_records)


def _line_batches(sources: Sequence[Source], batch_records: int) -> Iterator[Batch]:
    for compression in ("none", "gzip", "zstd"):
        batch: list[Source] = []
        records = 0.0
        for source in sources:
            if source.compression != compression:
                continue
            batch.append(source)
            ratio = 1 if compression == "none" else _COMPRESSION_RATIO
            records += source.size_bytes * ratio / _BYTES_PER_LINE
            if records >= batch_records:
                yield line_batch(batch)
                batch, records = [], 0.0
        if batch:
            yield line_batch(batch)


def line_batch(sources: Sequence[Source]) -> Batch:
    """Return the batch of files with one JSON entry a line, all compressed in one way."""
    files = ", ".join(quoted(str(source.path)) for source in sources)
    columns = ", ".join(
        f"{quoted(name)}: {quoted(struct_type(fields))}" for name, fields in ENTRY.items()
    )
    reader = (
        f"read_json([{files}], format = 'newline_delimited', ignore_errors = true,"
        f" compression = {quoted(sources[0].compression)}, filename = true,"
        f" columns = {{{columns}}})"
    )
    return Batch(
        sources=tuple(sources),
        layout=Layout.JSON_LINES,
        query=lambda _: _entries(reader, source_name="filename"),
        has_details=True,
    )


NUMBERED = "numbered_line"
"""A table of lines with their numbers."""


def numbered_batch(source: Source) -> Batch:
    """Return the batch of the lines in the table `NUMBERED`; the number stands for the file."""
    parsed = f"json_transform(line, {quoted(json.dumps(_structure(ENTRY)))})"
    relation = (
        f"(SELECT line_number, unnest(CASE WHEN json_valid(line) THEN {parsed} END)"
        f" FROM {NUMBERED})"
    )
    return Batch(
        sources=(source,),
        layout=Layout.JSON_LINES,
        query=lambda _: _entries(relation, source_name="CAST(line_number AS VARCHAR)"),
        has_details=True,
    )


def _structure(fields: Any) -> Any:
    """Return fields as the JSON functions of the engine take a structure."""
    if fields is None:
        return "VARCHAR"
    named = fields if isinstance(fields, Mapping) else dict.fromkeys(fields)
    return {name: _structure(sub) for name, sub in named.items()}


def _entries(source: str, source_name: str) -> str:
    fields = Fields.of_text(ENTRY)
    return flow_record(
        fields,
        source,
        source_name=source_name,
        is_entry=is_entry(fields),
        with_details=True,
    )


def _parquet_batches(
    sources: Sequence[Source], engine: EmbeddedEngine, batch_records: int
) -> Iterator[Batch]:
    """Yield files of one schema together, and files that are too large in slices of rows."""
    groups: dict[str, list[tuple[Source, int]]] = {}
    schemas: dict[str, Fields] = {}
    for source in sources:
        columns = engine.columns(source.path, source.shown)
        schema = repr([(name, str(kind)) for name, kind in columns.items()])
        schemas[schema] = Fields.of_types(columns)
        count = row_count(source, engine)
        if count == 0:
            raise InputError(f"{source.shown}: the file holds no records")
        groups.setdefault(schema, []).append((source, count))
    for schema, members in groups.items():
        fields = schemas[schema]
        batch: list[Source] = []
        records = 0
        for source, count in members:
            if count > batch_records:
                yield from _slices(source, count, fields, batch_records)
                continue
            if records + count > batch_records and batch:
                yield _parquet_batch(batch, fields, records)
                batch, records = [], 0
            batch.append(source)
            records += count
        if batch:
            yield _parquet_batch(batch, fields, records)


def row_count(source: Source, engine: EmbeddedEngine) -> int:
    """Return how many records a Parquet file says that it holds."""
    path = quoted(str(source.path))
    return int(engine.value(f"SELECT num_rows FROM parquet_file_metadata({path})"))


def numbered_rows(source: Source, engine: EmbeddedEngine, batch_records: int) -> Iterator[Batch]:
    """Yield a Parquet file of log entries in slices; the row's number stands for the file."""
    fields = Fields.of_types(engine.columns(source.path, source.shown))
    count = row_count(source, engine)
    number = "CAST(file_row_number + 1 AS VARCHAR)"
    yield from _slices(source, count, fields, batch_records, source_name=number)


def _slices(
    source: Source,
    count: int,
    fields: Fields,
    batch_records: int,
    source_name: str = "filename",
) -> Iterator[Batch]:
    parts = -(-count // batch_records)
    size = -(-count // parts)
    for first in range(0, count, size):
        last = min(first + size, count)
        where = f"file_row_number >= {first} AND file_row_number < {last}"
        part = _parquet_batch([source], fields, last - first, where, source_name)
        yield replace(part, share=(last - first) / count)


def _parquet_batch(
    sources: Sequence[Source],
    fields: Fields,
    count: int,
    where: str = "",
    source_name: str = "filename",
) -> Batch:
    reader = parquet_reader([source.path for source in sources], where)

    def query(with_details: bool) -> str:
        return flow_record(
            fields,
            reader,
            source_name=source_name,
            is_entry="true",
            with_details=with_details,
        )

    return Batch(
        sources=tuple(sources),
        layout=Layout.FLOW_PARQUET,
        query=query,
        has_details=False,
        record_count=count,
    )


def parquet_reader(paths: Sequence[Path], where: str = "") -> str:
    """Return the relation of Parquet files with their names and row numbers."""
    files = ", ".join(quoted(str(path)) for path in paths)
    condition = f" WHERE {where}" if where else ""
    return f"read_parquet([{files}], filename = true, file_row_number = true){condition}"


def table_batch(
    source: Source, engine: EmbeddedEngine, *, of_p95: bool = False, is_numbered: bool = False
) -> Batch:
    """Return the batch of a plain table; with `is_numbered` the row stands for the file."""
    query = tables.query_of(source, engine, of_p95=of_p95, is_numbered=is_numbered)
    return Batch(sources=(source,), layout=source.layout, query=lambda _: query, has_details=True)
