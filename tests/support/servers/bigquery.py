"""An emulator of BigQuery on this machine, in an environment of its own (.ci/bqemulator.sh)."""

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import bigquery

PROJECT = "demo-project"
_FOLDER = os.environ.get("NETPLAN_TEST_BQEMULATOR")
ABSENT = (
    ""
    if _FOLDER
    else ("no emulator of BigQuery (NETPLAN_TEST_BQEMULATOR); .ci/bqemulator.sh makes one")
)
"""Why there is none; empty: there is."""
_START_S = 60.0
"""It takes eight seconds on a quiet machine."""


@contextmanager
def emulator(folder: Path) -> Iterator[bigquery.Client]:
    """Yield a client of an emulator, which is stopped at the end."""
    ports = [_free_port(), _free_port()]
    command = [
        f"{_FOLDER}/bin/bqemulator",
        "start",
        *("--rest-port", str(ports[0]), "--grpc-port", str(ports[1])),
        *("--project", PROJECT, "--log-level", "error"),
    ]
    log = folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env={**os.environ, "HOME": f"{_FOLDER}/home"},
        )
    try:
        address = f"http://127.0.0.1:{ports[0]}"
        _wait(process, address, log)
        yield client_at(address)
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def client_at(address: str) -> bigquery.Client:
    """Return a client without credentials."""
    return bigquery.Client(
        project=PROJECT,
        credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
        client_options=ClientOptions(api_endpoint=address),
    )


def endpoint(client: bigquery.Client) -> str:
    """Return where a client asks."""
    return str(client._connection.API_BASE_URL)


def load(
    client: bigquery.Client,
    table: bigquery.Table,
    rows: Sequence[dict[str, Any]],
    *,
    is_there: bool = False,
) -> None:
    """Make a table of the rows, or append them to one that is there."""
    if not is_there:
        client.create_table(table)
    lines = b"\n".join(json.dumps(row).encode() for row in rows)
    config = bigquery.LoadJobConfig(
        schema=table.schema, source_format=bigquery.SourceFormat.NEWLINE_DELIMITED_JSON
    )
    client.load_table_from_file(BytesIO(lines), table, job_config=config).result(timeout=60)


def schema_of(rows: Sequence[dict[str, Any]]) -> list[bigquery.SchemaField]:
    """Return the columns that a log sink makes for entries: JSON's numbers are floating.

    A field that never occurred has no column.
    """
    return [_field(name, [row[name] for row in rows if name in row]) for name in _names(rows)]


def linked(
    rows: Sequence[dict[str, Any]],
) -> tuple[list[bigquery.SchemaField], list[dict[str, Any]]]:
    """Return the columns of a dataset that is linked to a log bucket, and entries as rows there."""
    field = bigquery.SchemaField
    schema = [
        field("log_name", "STRING"),
        field("insert_id", "STRING"),
        field("timestamp", "TIMESTAMP"),
        field("resource", "RECORD", fields=[field("type", "STRING"), field("labels", "JSON")]),
        field("json_payload", "JSON"),
    ]
    entries = [
        {
            "log_name": one.get("logName"),
            "insert_id": one.get("insertId"),
            "timestamp": one.get("timestamp"),
            "resource": one.get("resource"),
            "json_payload": one.get("jsonPayload"),
        }
        for one in rows
    ]
    return schema, entries


def _field(name: str, values: Sequence[Any]) -> bigquery.SchemaField:
    inner = [value for value in values if isinstance(value, dict)]
    if inner:
        return bigquery.SchemaField(name, "RECORD", fields=schema_of(inner))
    if name in ("timestamp", "receiveTimestamp"):
        return bigquery.SchemaField(name, "TIMESTAMP")
    is_number = any(isinstance(value, int | float) for value in values)
    return bigquery.SchemaField(name, "FLOAT" if is_number else "STRING")


def _names(rows: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait(process: "subprocess.Popen[bytes]", endpoint: str, log: Path) -> None:
    until = time.monotonic() + _START_S
    address = f"{endpoint}/bigquery/v2/projects/{PROJECT}/datasets"
    while time.monotonic() < until and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=2).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise RuntimeError(f"the emulator does not answer: {log.read_text(errors='replace')[-500:]}")
