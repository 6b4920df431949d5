"""An emulator of BigQuery on this machine, from the environment that runs the tests."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import duckdb_extension_spatial
from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import bigquery

PROJECT = "demo-project"
_START_S = 60.0
"""It takes eight seconds on a quiet machine."""


@contextmanager
def emulator(folder: Path) -> Iterator[bigquery.Client]:
    """Yield a client of an emulator, which is stopped at the end."""
    ports = [_free_port(), _free_port()]
    command = [
        str(Path(sys.executable).with_name("bqemulator")),
        "start",
        *("--rest-port", str(ports[0]), "--grpc-port", str(ports[1])),
        *("--project", PROJECT, "--log-level", "error"),
    ]
    log = folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=_surroundings(folder)
        )
    try:
        endpoint = f"http://127.0.0.1:{ports[0]}"
        _wait(process, endpoint, log)
        yield bigquery.Client(
            project=PROJECT,
            credentials=AnonymousCredentials(),
            client_options=ClientOptions(api_endpoint=endpoint),
        )
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def load(client: bigquery.Client, table: bigquery.Table, rows: Sequence[dict[str, Any]]) -> None:
    """Make a table of the rows."""
    client.create_table(table)
    lines = b"\n".join(json.dumps(row).encode() for row in rows)
    config = bigquery.LoadJobConfig(
        schema=table.schema, source_format=bigquery.SourceFormat.NEWLINE_DELIMITED_JSON
    )
    client.load_table_from_file(BytesIO(lines), table, job_config=config).result(timeout=60)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _surroundings(folder: Path) -> dict[str, str]:
    """Return variables by which the emulator finds its engine's extension without a network."""
    name = f".duckdb/extensions/v{duckdb.__version__}"
    (package,) = duckdb_extension_spatial.__path__
    (source,) = Path(package).rglob("*.duckdb_extension")
    target = folder / name / duckdb.sql("PRAGMA platform").fetchall()[0][0] / source.name
    target.parent.mkdir(parents=True)
    target.symlink_to(source)
    return {**os.environ, "HOME": str(folder)}


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
