"""GoogleSQL's reference implementation on this machine, in a Java process of its own.

`.ci/googlesql.sh` makes it of `tests/support/googlesql`. `JudgedClient` answers as a client of
BigQuery does to those who find tables and run statements, so that the product's own engine runs on
it. What it means by a function is what BigQuery means by it; what a job costs it does not know.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from google.api_core.exceptions import BadRequest, NotFound
from google.cloud import bigquery

PROJECT = "demo-project"
_FOLDER = os.environ.get("NETPLAN_TEST_GOOGLESQL")
ABSENT = (
    ""
    if _FOLDER
    else "no GoogleSQL (NETPLAN_TEST_GOOGLESQL); .ci/googlesql.sh makes it where Java and Maven are"
)
"""Why there is none; empty: there is."""
MOST_ROWS = 2_000
"""Of log entries in one query: a message to the implementation holds 4 MB."""


class Judge:
    """The process; one question at a time."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, **question: Any) -> dict[str, Any]:
        """Return the answer to a question, see `Judge.java`.

        Raises:
            BadRequest: With what the implementation says against it.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"GoogleSQL is gone: status {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise BadRequest(answer["error"])  # type: ignore[no-untyped-call]
        return answer


@contextmanager
def judge(folder: Path) -> Iterator[Judge]:
    """Yield a process that is stopped at the end; what it unpacks lies in the folder."""
    command = [
        "java",
        f"-Djava.io.tmpdir={folder}",
        *("-cp", f"{_FOLDER}/classes:{_FOLDER}/jars/*"),
        "Judge",
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, encoding="utf-8"
        )
    try:
        yield Judge(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


class JudgedClient:
    """What `google.bigquery` asks of `bigquery.Client`, answered by GoogleSQL."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._tables: dict[str, bigquery.Table] = {}
        self._datasets = count(1)

    def load(self, tables: Mapping[str, tuple[Sequence[Any], Sequence[Mapping[str, Any]]]]) -> str:
        """Return the name of a new dataset with tables, each of a schema and rows."""
        dataset = f"{PROJECT}.logs{next(self._datasets)}"
        for name, (schema, rows) in tables.items():
            assert len(rows) <= MOST_ROWS
            table = bigquery.Table(f"{dataset}.{name}", schema=schema)
            self._tables[f"{dataset}.{name}"] = table
            self._judge.ask(
                table=f"{dataset}.{name}",
                columns=[field.to_api_repr() for field in schema],
                rows=[[_value(field, row.get(field.name)) for field in schema] for row in rows],
            )
        return dataset.rpartition(".")[2]

    def get_dataset(self, name: str, **_: Any) -> Any:
        """Return the dataset; it lies nowhere in particular."""
        if not any(table.startswith(f"{name}.") for table in self._tables):
            raise NotFound(name)  # type: ignore[no-untyped-call]
        return SimpleNamespace(location=None)

    def list_tables(self, name: str, **_: Any) -> list[bigquery.Table]:
        """Return the tables of a dataset."""
        return [table for full, table in self._tables.items() if full.startswith(f"{name}.")]

    def get_table(self, name: str, **_: Any) -> bigquery.Table:
        """Return a table."""
        return self._tables[name]

    def query(self, query: str, *, job_config: bigquery.QueryJobConfig, **_: Any) -> Any:
        """Return a job that is done."""
        # A table's path is one name there.
        for name in self._tables:
            query = query.replace(".".join(f"`{part}`" for part in name.split(".")), f"`{name}`")
        rows: list[bigquery.Row] = []
        if job_config.dry_run:
            self._judge.ask(analyze=query)
        elif query.startswith("CALL BQ.ABORT_SESSION"):
            self._judge.ask(drop=True)
        else:
            parameters = [one.to_api_repr() for one in job_config.query_parameters]
            # It knows statements, and no scripts of them.
            for statement in query.split(";\n"):
                answer = self._judge.ask(run=statement, parameters=parameters)
            places = {name: place for place, name in enumerate(answer.get("names", ()))}
            rows = [bigquery.Row(row, places) for row in answer.get("rows", ())]
        return SimpleNamespace(
            result=lambda **_: SimpleNamespace(pages=[rows]),
            session_info=SimpleNamespace(session_id="one"),
            total_bytes_processed=0,
            total_bytes_billed=0,
        )


def _value(field: bigquery.SchemaField, value: Any) -> Any:
    """Return a value as a load takes it in; times are cut to microseconds."""
    if value is None:
        return None
    if field.field_type == "RECORD":
        return {inner.name: _value(inner, value.get(inner.name)) for inner in field.fields}
    if field.field_type == "TIMESTAMP":
        found = datetime.fromisoformat(value)
        return round((found - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1e6)
    return value
