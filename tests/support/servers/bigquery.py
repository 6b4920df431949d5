"""An emulator of BigQuery on this machine, in an environment of its own (.ci/bqemulator.sh)."""

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import requests

from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.service import Service
from netplan_planner.google.bigquery.wire import Column
from netplan_planner.google.options import ApiOptions
from netplan_planner.google.transport import Transport
from netplan_planner.world.remote_traffic import BIGQUERY_VARIABLE, endpoint_of

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


def service_at(address: str, **options: Any) -> Service:
    """Return what asks a service without credentials."""
    return Service(transport_to(address, **options), PROJECT)


def transport_to(address: str, **options: Any) -> Transport:
    """Return what makes requests there without credentials."""
    api = ApiOptions(is_anonymous=True, **options)
    return Transport(endpoint_of(api, {BIGQUERY_VARIABLE: address}), api)


class Emulated(Service):
    """The service as the product asks it; datasets and tables are made as tests want them."""

    def __init__(self, address: str) -> None:
        super().__init__(transport_to(address), PROJECT)
        self.address = address
        self._base = f"/bigquery/v2/projects/{PROJECT}"
        self._session = requests.Session()
        self._session.trust_env = False

    def close(self) -> None:
        super().close()
        self._session.close()

    def _ask(self, method: str, path: str, **more: Any) -> Any:
        answer = self._session.request(method, f"{self.address}{path}", timeout=60, **more)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def create(self, place: Place) -> Place:
        """Make a dataset."""
        reference = {"projectId": PROJECT, "datasetId": place.dataset}
        self._ask("POST", f"{self._base}/datasets", json={"datasetReference": reference})
        return place

    def load(
        self,
        place: Place,
        name: str,
        rows: Sequence[dict[str, Any]],
        schema: Sequence[Column] = (),
        *,
        is_there: bool = False,
        by_day: bool = False,
    ) -> None:
        """Make a table of rows, or append them to one that is there."""
        fields = {"fields": msgspec.to_builtins(schema or schema_of(rows))}
        if is_there:
            fields = msgspec.to_builtins(self.table(place, name).schema)
        to = {"projectId": PROJECT, "datasetId": place.dataset, "tableId": name}
        if not is_there:
            made: dict[str, Any] = {"tableReference": to, "schema": fields}
            if by_day:
                made["timePartitioning"] = {"type": "DAY", "field": "timestamp"}
            self._ask("POST", f"{self._base}/datasets/{place.dataset}/tables", json=made)
        load = {
            "destinationTable": to,
            "schema": fields,
            "sourceFormat": "NEWLINE_DELIMITED_JSON",
        }
        parts = (
            ("application/json", json.dumps({"configuration": {"load": load}})),
            ("application/octet-stream", "\n".join(map(json.dumps, rows))),
        )
        body = "".join(f"--part\r\nContent-Type: {kind}\r\n\r\n{text}\r\n" for kind, text in parts)
        job = self._ask(
            "POST",
            f"/upload{self._base}/jobs?uploadType=multipart",
            data=f"{body}--part--".encode(),
            headers={"Content-Type": "multipart/related; boundary=part"},
        )
        while job["status"]["state"] != "DONE":
            job = self._ask("GET", f"{self._base}/jobs/{job['jobReference']['jobId']}")
        assert "errorResult" not in job["status"], job["status"]

    def drop(self, place: Place, name: str) -> None:
        """Remove a table."""
        self._ask("DELETE", f"{self._base}/datasets/{place.dataset}/tables/{name}")


@contextmanager
def emulator(folder: Path) -> Iterator[Emulated]:
    """Yield an emulator, which is stopped at the end."""
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
        with closing(Emulated(address)) as made:
            yield made
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def schema_of(rows: Sequence[dict[str, Any]]) -> list[Column]:
    """Return the columns that a log sink makes for entries: JSON's numbers are floating.

    A field that never occurred has no column.
    """
    return [_field(name, [row[name] for row in rows if name in row]) for name in _names(rows)]


def linked(
    rows: Sequence[dict[str, Any]],
) -> tuple[list[Column], list[dict[str, Any]]]:
    """Return the columns of a dataset that is linked to a log bucket, and entries as rows there."""
    field = Column
    schema = [
        field("log_name", "STRING"),
        field("insert_id", "STRING"),
        field("timestamp", "TIMESTAMP"),
        field("resource", "RECORD", fields=(field("type", "STRING"), field("labels", "JSON"))),
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


def _field(name: str, values: Sequence[Any]) -> Column:
    inner = [value for value in values if isinstance(value, dict)]
    if inner:
        return Column(name, "RECORD", fields=tuple(schema_of(inner)))
    if name in ("timestamp", "receiveTimestamp"):
        return Column(name, "TIMESTAMP")
    is_number = any(isinstance(value, int | float) for value in values)
    return Column(name, "FLOAT" if is_number else "STRING")


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
