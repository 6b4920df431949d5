"""Answers of BigQuery's API: the members that are read, and rows by the types of their columns.

A member of a wrong type is no answer. Whole numbers of 64 bits are texts there.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec

from netplan_planner.google.paging import Page, page_of
from netplan_planner.google.refusals import ErrorBody
from netplan_planner.google.transport import NotWhole

T = TypeVar("T")
Row = tuple[Any, ...]
Whole = Annotated[str, msgspec.Meta(pattern=r"^-?[0-9]{1,19}$")]

_OF_KIND: Mapping[str, Callable[[str], Any]] = {
    "STRING": str,
    "INTEGER": int,
    "INT64": int,
    "FLOAT": float,
    "FLOAT64": float,
    "BOOLEAN": "true".__eq__,
    "BOOL": "true".__eq__,
}
"""Types of columns that the statements return; a row holds a text for each, or NULL."""


class Column(msgspec.Struct, frozen=True):
    """A column of a table or result, or a part of one."""

    name: str
    type: str
    mode: str = "NULLABLE"
    fields: tuple["Column", ...] = ()


class _Schema(msgspec.Struct, frozen=True):
    fields: tuple[Column, ...] = ()


class Partitioning(msgspec.Struct, frozen=True):
    """By what a table is partitioned in time."""

    type: str = ""
    field: str | None = None


class _Buffer(msgspec.Struct, rename="camel", frozen=True):
    estimated_rows: Whole = "0"


class Table(msgspec.Struct, rename="camel", frozen=True, kw_only=True):
    """What a table is."""

    schema: _Schema = _Schema()
    description: str | None = None
    time_partitioning: Partitioning | None = None
    streaming_buffer: _Buffer | None = None
    num_rows: Whole | None = None
    last_modified_time: Annotated[str, msgspec.Meta(pattern="^[0-9]{1,14}$")] | None = None
    """Milliseconds since 1970."""


class Dataset(msgspec.Struct, frozen=True):
    """Where a dataset is."""

    location: str | None = None


class _Name(msgspec.Struct, rename="camel"):
    table_id: str


class _Listed(msgspec.Struct, rename="camel"):
    table_reference: _Name


class TablePage(Page):
    """A page of a dataset's tables."""

    tables: list[_Listed] = msgspec.field(default_factory=list)


class JobError(ErrorBody):
    """What ended a job."""

    reason: str = ""

    @property
    def reasons(self) -> set[str]:
        """The word for it."""
        return {self.reason}


class _Status(msgspec.Struct, rename="camel"):
    state: str = ""
    error_result: JobError | None = None


class _OfQuery(msgspec.Struct, rename="camel"):
    total_bytes_processed: Whole | None = None
    total_bytes_billed: Whole | None = None


class _Session(msgspec.Struct, rename="camel"):
    session_id: str


class _Statistics(msgspec.Struct, rename="camel"):
    query: _OfQuery = msgspec.field(default_factory=_OfQuery)
    session_info: _Session | None = None


class _Place(msgspec.Struct):
    location: str | None = None


class Job(msgspec.Struct, rename="camel"):
    """A query under way, or its end."""

    job_reference: _Place = msgspec.field(default_factory=_Place)
    status: _Status = msgspec.field(default_factory=_Status)
    statistics: _Statistics = msgspec.field(default_factory=_Statistics)

    @property
    def is_over(self) -> bool:
        """Whether nothing runs any more."""
        return self.status.state == "DONE"


class _Cell(msgspec.Struct):
    v: str | None = None


class _Row(msgspec.Struct):
    f: list[_Cell]


class _ResultPage(msgspec.Struct, rename="camel"):
    job_complete: bool
    """Always there: without it, it would be waited for what never comes."""
    schema: _Schema = _Schema()
    rows: list[_Row] = []
    page_token: str = ""
    total_rows: Whole = "0"


class ResultPage(NamedTuple):
    """A page of a query's rows."""

    is_complete: bool
    """Whether the query is over; else there is nothing of it yet."""
    rows: list[Row]
    row_count: int
    """Of all pages."""
    next_page_token: str


def reader_of(kind: type[T]) -> Callable[[bytes], T]:
    """Return what decodes an answer; it raises `NotWhole` if the body is none."""
    return lambda body: page_of(body, kind)


def read_results(body: bytes) -> ResultPage:
    """Return a page of rows, their values by the types of their columns.

    Raises:
        NotWhole: If it is none.
    """
    page = page_of(body, _ResultPage)
    try:
        kinds = [_OF_KIND[column.type] for column in page.schema.fields]
        rows = [
            tuple(
                None if cell.v is None else kind(cell.v)
                for kind, cell in zip(kinds, row.f, strict=True)
            )
            for row in page.rows
        ]
    except (KeyError, ValueError) as exc:
        raise NotWhole("a row does not match the types of its columns") from exc
    return ResultPage(page.job_complete, rows, int(page.total_rows), page.page_token)
