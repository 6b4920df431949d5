"""Every format of traffic as its reader reads it, of the flows of `one_traffic`."""

import csv
import gzip
import json
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from msgspec.structs import replace

from netplan_planner.google.logs.options import CLOUD_LOGGING
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.model.evidence.log_volume import MACHINES_FROM_GBPS
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.readers import read_inventory
from netplan_planner.traffic import TrafficOptions, read_pod_traffic
from netplan_planner.verbs.collect.run import write_bundle
from netplan_planner.verbs.flows.run import write_aggregates
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import ApiOptions, InputRequest, LogOptions
from support.flows.records import START, lines
from support.projects import one_cluster, one_traffic
from support.projects.one_project import FOLDER, PROJECT
from support.servers.logging import LoggingServer


class Read(NamedTuple):
    """What a format was read to."""

    traffic: TrafficMatrix | None
    pods: PodTraffic | None


def inventory_files(folder: Path) -> tuple[Path, ...]:
    """Write the cluster; return where the inventory is."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cluster.json").write_text(json.dumps(one_cluster.as_list()))
    (folder / "vms.json").write_text(json.dumps([one_cluster.vm(0), one_cluster.vm(1)]))
    return FOLDER / "gcloud", folder


def _request(folder: Path, *traffic: Path, **more: Any) -> InputRequest:
    return InputRequest(
        today=date(2026, 11, 20),
        inventory=inventory_files(folder / "inventory"),
        traffic=traffic,
        traffic_options=TrafficOptions(threads=1, log_volume_from_gbps=MACHINES_FROM_GBPS),
        **more,
    )


def _read(request: InputRequest) -> Read:
    facts = read_facts(request, None, lambda _: None)
    return Read(facts.traffic, facts.pod_traffic)


def _of_file(name: str, content: Callable[[], bytes]) -> Callable[[Path], Read]:
    def read(folder: Path) -> Read:
        path = folder / name
        path.write_bytes(content())
        return _read(_request(folder, path))

    return read


def _log_lines() -> bytes:
    return lines(one_traffic.log_entries()).encode()


def _bigquery(folder: Path) -> Read:
    pq.write_table(pa.Table.from_pylist(one_traffic.log_entries()), folder / "export.parquet")
    return _read(_request(folder, folder / "export.parquet"))


def _live(folder: Path) -> Read:
    with LoggingServer({PROJECT: one_traffic.log_entries()}, page_limit=7) as server:
        given = _request(folder, Path(CLOUD_LOGGING))
        request = replace(
            given,
            traffic_options=replace(given.traffic_options, since=START, until=one_traffic.END),
            api=ApiOptions(is_anonymous=True, max_attempts=1),
            log_options=LogOptions(endpoint=server.url, requests_per_minute=6000.0),
        )
        return _read(request)


def _csv(folder: Path) -> Read:
    rows = one_traffic.table_rows()
    path = folder / "table.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return _read(_request(folder, path))


def _table_parquet(folder: Path) -> Read:
    pq.write_table(pa.Table.from_pylist(one_traffic.table_rows()), folder / "table.parquet")
    return _read(_request(folder, folder / "table.parquet"))


def _hubble(name: str, packed: Callable[[bytes], bytes]) -> Callable[[Path], Read]:
    def read(folder: Path) -> Read:
        path = folder / name
        path.write_bytes(packed(one_traffic.hubble_lines().encode()))
        return Read(None, read_pod_traffic([path], inventory_of(folder)))

    return read


def inventory_of(folder: Path) -> Inventory:
    """Return the project with its cluster."""
    return read_inventory(inventory_files(folder / "inventory"))


def _metrics(folder: Path) -> Read:
    path = folder / "series.json"
    path.write_text(json.dumps(one_traffic.flow_metrics(inventory_of(folder))))
    return _read(_request(folder, metrics=(path,)))


def _bundle(folder: Path) -> Read:
    (folder / "flows.jsonl").write_bytes(_log_lines())
    bundle = folder / "made.tar.zst"
    write_bundle(_request(folder, folder / "flows.jsonl"), bundle, is_pseudonymised=False)
    (folder / "flows.jsonl").unlink()
    return _read(
        InputRequest(
            today=date(2026, 11, 20), inventory=(bundle,), traffic=(bundle,), prices=bundle
        )
    )


def _aggregates(folder: Path) -> Read:
    (folder / "flows.jsonl").write_bytes(_log_lines())
    write_aggregates(_request(folder, folder / "flows.jsonl"), str(folder / "sums"))
    (folder / "flows.jsonl").unlink()
    return _read(_request(folder, folder / "sums"))


READERS: Mapping[str, Callable[[Path], Read]] = {
    "Cloud Storage sink": _of_file("flows.jsonl", _log_lines),
    "Cloud Storage sink, gzip": _of_file(
        "flows.json.gz", lambda: gzip.compress(_log_lines(), mtime=0)
    ),
    "Cloud Storage sink, zstd": _of_file(
        "flows.json.zst", lambda: zstandard.compress(_log_lines())
    ),
    "gcloud logging read": _of_file(
        "entries.json", lambda: json.dumps(one_traffic.log_entries(), indent=2).encode()
    ),
    "BigQuery export": _bigquery,
    "Cloud Logging": _live,
    "bundle": _bundle,
    "aggregates": _aggregates,
    "table, CSV": _csv,
    "table, Parquet": _table_parquet,
    "Hubble": _hubble("hubble.jsonl", lambda text: text),
    "Hubble, gzip": _hubble("hubble.jsonl.gz", lambda text: gzip.compress(text, mtime=0)),
    "Hubble, zstd": _hubble("hubble.jsonl.zst", zstandard.compress),
    "vm_flow metrics": _metrics,
}
"""Every format, and what reads it in an empty folder."""
