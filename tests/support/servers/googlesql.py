"""GoogleSQL's reference implementation on this machine, in a Java process of its own.

`.ci/googlesql.sh` makes it of `tests/support/googlesql`. `Judged` is the product's `Service` with
its answers, so that the product's own engine runs on it. What it means by a function is what
BigQuery means by it; what a job costs it does not know.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.service import Ran, Service
from netplan_planner.google.bigquery.wire import Column, Row, Table
from netplan_planner.google.refusals import ErrorBody, Refusal

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
            Refusal: With what the implementation says against it.
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
            raise Refusal(answer["error"], 400, ErrorBody(message=answer["error"]))
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


class Judged(Service):
    """The service, answered by GoogleSQL."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._held: dict[str, Table] = {}
        self._datasets = count(1)
        self.has_cancelled = False

    def load(
        self, tables: Mapping[str, tuple[Sequence[Column], Sequence[Mapping[str, Any]]]]
    ) -> str:
        """Return the name of a new dataset with tables, each of a schema and rows."""
        dataset = f"{PROJECT}.logs{next(self._datasets)}"
        for name, (schema, rows) in tables.items():
            assert len(rows) <= MOST_ROWS
            columns = msgspec.to_builtins(schema)
            self._held[f"{dataset}.{name}"] = msgspec.convert(
                {"schema": {"fields": columns}}, Table
            )
            self._judge.ask(
                table=f"{dataset}.{name}",
                columns=columns,
                rows=[[_value(field, row.get(field.name)) for field in schema] for row in rows],
            )
        return dataset.rpartition(".")[2]

    def location(self, place: Place) -> None:
        """Return nothing: it lies nowhere in particular."""
        if not self.tables(place):
            raise Refusal(f"no {place}", 404)

    def tables(self, place: Place) -> list[str]:
        """Return the names of the tables of a dataset."""
        above = f"{place.project}.{place.dataset}."
        return [name.removeprefix(above) for name in self._held if name.startswith(above)]

    def table(self, place: Place, name: str) -> Table:
        """Return a table."""
        return self._held[f"{place.project}.{place.dataset}.{name}"]

    def dry_run(self, configuration: Mapping[str, Any], location: str | None) -> int:
        """Have a query analyzed, which reads nothing."""
        self._judge.ask(analyze=self._named(configuration["query"]["query"]))
        return 0

    def run(self, configuration: Mapping[str, Any], location: str | None) -> Ran:
        """Run a query."""
        asked = configuration["query"]
        query = self._named(asked["query"])
        rows: list[Row] = []
        if query.startswith("CALL BQ.ABORT_SESSION"):
            self._judge.ask(drop=True)
        else:
            # It knows statements, and no scripts of them.
            for statement in query.split(";\n"):
                answer = self._judge.ask(run=statement, parameters=asked.get("queryParameters", []))
            rows = [tuple(row) for row in answer.get("rows", ())]
        return Ran(bytes_billed=0, session_id="one", pages=iter([rows]))

    def close(self) -> None:
        """Nothing is open."""

    def _named(self, query: str) -> str:
        # A table's path is one name there.
        for name in self._held:
            query = query.replace(".".join(f"`{part}`" for part in name.split(".")), f"`{name}`")
        return query


def _value(field: Column, value: Any) -> Any:
    """Return a value as a load takes it in; times are cut to microseconds."""
    if value is None:
        return None
    if field.type == "RECORD":
        return {inner.name: _value(inner, value.get(inner.name)) for inner in field.fields}
    if field.type == "TIMESTAMP":
        found = datetime.fromisoformat(value)
        return round((found - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1e6)
    return value
