"""The statements in BigQuery: tables of the schema are temporary ones of a session."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any

from netplan_planner.google.bigquery.jobs import Jobs
from netplan_planner.traffic.engine import Engine, Row, T, at_once
from netplan_planner.traffic.files.records import TYPES
from netplan_planner.traffic.schema import TABLES
from netplan_planner.traffic.translation import Dialect, taken_apart, translate

RECORDS = "flow_record"
_INSERTED_ROWS = 10_000
"""Some megabytes of parameters; a request may have ten."""
_TYPES = {"VARCHAR": "STRING", "BOOLEAN": "BOOL", "DOUBLE": "FLOAT64"}
"""Of the schema's types; the others are whole numbers."""


class BigQueryEngine:
    """Runs the statements as jobs of a session; see `engine.Engine`."""

    slice_rows: int | None = None

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def create(self, *tables: str) -> None:
        """Make tables of the schema, empty."""
        statements = []
        for table in tables:
            columns = ", ".join(f"`{name}` {kind}" for name, kind in types(table).items())
            statements.append(f"CREATE OR REPLACE TEMP TABLE `{table}` ({columns})")
        # One job for all of them: a job takes a second, whatever it does. Those of a script stay
        # for the session (docs.cloud.google.com/bigquery/docs/sessions-write-queries).
        self._jobs.run(";\n".join(statements))

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Append rows to a table of the schema."""
        kinds = types(table)
        remaining = iter(rows)
        names = ", ".join(f"`{name}`" for name in kinds)
        given = ", ".join(f"g.`{name}`" for name in kinds)
        statement = f"INSERT INTO `{table}` ({names}) SELECT {given} FROM UNNEST(@given) AS g"
        while chunk := list(islice(remaining, _INSERTED_ROWS)):
            if set(map(len, chunk)) != {len(kinds)}:
                raise ValueError(f"rows for {table} need {len(kinds)} values each")
            self._jobs.run(statement, [_given(kinds, chunk)])

    def run(self, statement: str) -> None:
        """Run a statement whose rows go to a table."""
        query, table, replaces = taken_apart(statement, Dialect.BIGQUERY)
        if table is None:
            raise ValueError("a query whose rows are not wanted")
        if replaces:
            self._jobs.run(f"CREATE OR REPLACE TEMP TABLE `{table}` AS {query}")
        else:
            names = ", ".join(f"`{name}`" for name in types(table))
            self._jobs.run(f"INSERT INTO `{table}` ({names}) {query}")

    def rows(self, statement: str) -> list[Row]:
        """Return all rows of a small result."""
        return [row for rows in self.stream(statement) for row in rows]

    def stream(self, statement: str) -> Iterator[list[Row]]:
        """Yield the rows of a result, as the service pages it."""
        return self._jobs.run(translate(statement, Dialect.BIGQUERY))

    def value(self, statement: str) -> Any:
        """Return the one value of a result."""
        return self.rows(statement)[0][0]

    def in_background(self, work: Callable[[Engine], T]) -> AbstractContextManager[Future[T]]:
        """Do work at once: a session runs one query at a time."""
        return at_once(self, work)


def types(table: str) -> dict[str, str]:
    """Return the columns of a table of the schema with BigQuery's types."""
    columns = TYPES if table == RECORDS else TABLES[table]
    return {name: _TYPES.get(kind, "INT64") for name, kind in columns.items()}


def _given(kinds: Mapping[str, str], rows: Sequence[Row]) -> dict[str, Any]:
    """Return rows as the parameter `given`, as the API takes it: a text for each value."""
    members = [{"name": name, "type": {"type": kind}} for name, kind in kinds.items()]
    values = [
        {name: {"value": _text(value)} for name, value in zip(kinds, row, strict=True)}
        for row in rows
    ]
    return {
        "name": "given",
        "parameterType": {"type": "ARRAY", "arrayType": {"type": "STRUCT", "structTypes": members}},
        "parameterValue": {"arrayValues": [{"structValues": one} for one in values]},
    }


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)
