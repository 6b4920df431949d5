"""Whole examples of every kind of input that netplan reads, written into an empty folder."""

import gzip
import hashlib
import json
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import zstandard
from msgspec.structs import replace

from netplan_planner.google.logs.pages import LOG_NAMES, Progress, State, open_spool, read_page
from netplan_planner.model import Metric, ProjectId
from netplan_planner.readers import read_inventory
from netplan_planner.verbs.collect.run import write_bundle
from netplan_planner.verbs.flows.run import write_aggregates
from netplan_planner.world.request import InputRequest, TrafficOptions
from netplan_pricing.building.from_files import write_snapshot
from support.calibrations import inputs as calibration_inputs
from support.flows.entries import entries
from support.forecasts.made import daily, hourly, series, table
from support.metrics.series import flow, machine, page, time_series
from support.paths.tables import PLAIN, as_parquet, written
from support.prices import billing_export
from support.prices import inputs as price_inputs
from support.prices.inputs import made_skus
from support.prices.skus import COMPUTE, NETWORKING
from support.probes import iperf2 as probe_iperf2
from support.probes.iperf3 import bidirectional, forward
from support.probes.stores import write_store
from support.projects import one_cluster
from support.projects.asset_table import write_assets
from support.projects.one_project import FOLDER
from support.projects.shared_data import SHARED

GCLOUD = FOLDER / "gcloud"
CATALOG_URL = "http://127.0.0.1:9"
"""Nobody answers there: a page that is not whole cannot be had again, which must be said."""
_LOGGED = "2026-11-02T08:30:00Z"
_TYPE = {"name": "n2-standard-4", "guestCpus": 4, "memoryMb": 16384}
_TYPES = {
    "kind": "compute#machineTypeAggregatedList",
    "items": {
        **{
            f"zones/{zone}": {"machineTypes": [_TYPE | {"zone": zone}]}
            for zone in ("aa-one1-a", "bb-two2-a", "cc-three3-a")
        },
        "zones/bb-two2-b": {"warning": {"code": "NO_RESULTS_ON_PAGE"}},
    },
}


def copied(source: Path) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for path in sorted(source.glob("*.json")):
            (folder / path.name).write_bytes(path.read_bytes())

    return write


def save_assets(folder: Path) -> None:
    text = (FOLDER / "cloud-asset" / "assets.json").read_text()
    (folder / "assets.jsonl").write_text(text)
    assets = [json.loads(line) for line in text.splitlines()]
    states = [
        {"window": {"startTime": f"2026-11-{day:02}T00:00:00Z"}, "asset": one, "deleted": day > 1}
        for one in assets[:6]
        for day in (1, 2)[: 1 + len(one["name"]) % 2]
    ]
    (folder / "history.json").write_text(json.dumps({"assets": states}))
    write_assets(folder / "assets.parquet", assets)


def save_log_pages(folder: Path) -> None:
    """The pages of Cloud Logging that a run keeps, all of them there."""
    since, until = (datetime(2026, 11, 2, hour, tzinfo=UTC) for hour in (8, 9))
    project = ProjectId("one-project")
    # Nobody answers there.
    asked = State(f"{CATALOG_URL}/v2/", since, until, False, {project: Progress()})
    pages = open_spool(folder, asked)
    log = f"projects/{project}/logs/{LOG_NAMES[0]}"
    found = [{**one, "logName": log, "timestamp": _LOGGED} for one in _flows()]
    for first in range(0, len(found), 4):
        held = found[first : first + 4]
        token = "more" if first + 4 < len(found) else ""
        pages.add(
            project, read_page(json.dumps({"entries": held, "nextPageToken": token}).encode())
        )


def save_kubernetes(folder: Path) -> None:
    (folder / "list.json").write_text(json.dumps(one_cluster.as_list(), indent=4))
    for form in ("yaml", "yaml-list"):
        one_cluster.write_kubernetes(form, folder)
    for name, document in one_cluster.gke_files().items():
        (folder / f"gke-{name}.json").write_text(json.dumps(document, indent=1))


def save_traffic_of_pods(folder: Path) -> None:
    (folder / "cluster.json").write_text(json.dumps(one_cluster.as_list()))
    (folder / "pods.csv").write_text("src,dst,gbps,service\nshop/web,shop/db,1,shop/db\n")
    ends = {
        end: {"namespace": "shop", "pod_name": pod, "workloads": [{"name": pod, "kind": "x"}]}
        for end, pod in (("source", "web-0"), ("destination", "db-0"))
    }
    flow = {"time": "2026-03-02T10:00:00Z", "verdict": "FORWARDED", "l4": {"TCP": {}}, **ends}
    text = ((json.dumps({"flow": flow}) + "\n") * 3).encode()
    (folder / "hubble.jsonl").write_bytes(text)
    (folder / "hubble.jsonl.gz").write_bytes(gzip.compress(text, mtime=0))
    (folder / "hubble.jsonl.zst").write_bytes(zstandard.compress(text))


def save_bundles(folder: Path) -> None:
    """Bundles with every part, and with few."""
    inputs = folder / "inputs"
    inputs.mkdir()
    save_traffic_of_pods(inputs)
    save_metrics(inputs)
    flows = "".join(json.dumps(one) + "\n" for one in _flows())
    (inputs / "flows.jsonl").write_text(flows)
    given = InputRequest(today=date(2026, 11, 20), inventory=(GCLOUD,))
    whole = replace(
        given,
        inventory=(GCLOUD, inputs / "cluster.json"),
        traffic=(inputs / "flows.jsonl", inputs / "hubble.jsonl"),
        metrics=(inputs / "list.json",),
        traffic_options=TrafficOptions(threads=1),
    )
    write_bundle(whole, folder / "whole.tar.zst", is_pseudonymised=False)
    write_bundle(given, folder / "little.tar.zst", is_pseudonymised=True)
    _removed(inputs)


def save_aggregates(folder: Path) -> None:
    """A folder with every table that flow logs fill."""
    flows = "".join(json.dumps(one) + "\n" for one in _flows())
    (folder / "flows.jsonl").write_text(flows)
    given = InputRequest(
        today=date(2026, 11, 20),
        inventory=(GCLOUD,),
        traffic=(folder / "flows.jsonl",),
        traffic_options=TrafficOptions(threads=1, by_hour=True, log_volume_from_gbps=0.0),
    )
    write_aggregates(given, str(folder / "sums"))
    (folder / "flows.jsonl").unlink()
    for path in (folder / "sums").iterdir():
        path.rename(folder / path.name)
    (folder / "sums").rmdir()


def save_terraform(folder: Path) -> None:
    for name in ("plan", "state"):
        path = FOLDER / f"terraform-{name}" / f"{name}.json"
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "stored.json").write_bytes(
        (FOLDER / "terraform-state-file" / "terraform.tfstate").read_bytes()
    )


def _flows() -> list[dict[str, object]]:
    inventory = read_inventory([GCLOUD])
    names = [machine.name for machine in inventory.instances[:4]]
    flows = [
        {"src": names[0], "dst": names[1], "gbps": 0.5, "rtt_ms": 1},
        {"src": names[1], "dst": "8.8.8.8", "gbps": 0.01},
        {"src": "203.0.113.9", "dst": names[2], "gbps": 0.1},
    ]
    return list(entries(inventory, {"minutes": 3, "flows": flows}))


def save_flow_logs(folder: Path) -> None:
    found = _flows()
    (folder / "flows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in found))
    (folder / "flows.json").write_text(json.dumps(found, indent=1))
    text = (folder / "flows.jsonl").read_bytes()
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress(text, mtime=0))
    _write_zstd(folder / "flows.jsonl", folder / "zstd.zst")
    if SHARED is not None:
        for path in sorted((SHARED / "data/recorded/vpc_flow_logs").glob("*.json")):
            (folder / path.name).write_bytes(path.read_bytes())


def save_metrics(folder: Path) -> None:
    """Time series of both methods of Cloud Monitoring, of machines and of flows."""
    vm = machine("4100000000000000001", "us-central1-a")
    sent = time_series(Metric.VM_SENT_BYTES.value, [600, None, 1200], resource=vm)
    used = time_series(
        Metric.VM_CPU.value, [0.5, 0.25], resource=vm, kind="GAUGE", value_type="DOUBLE"
    )
    flows = flow("egress", [600, 1200], resource=vm, zone="us-central1-f")
    (folder / "list.json").write_text(json.dumps(page(sent, used, flows), indent=1))
    (folder / "series.jsonl").write_text(f"{json.dumps(sent)}\n{json.dumps(used)}\n")
    if SHARED is not None:
        for path in sorted((SHARED / "data/recorded/monitoring").glob("*nat*.json")):
            (folder / path.name).write_bytes(path.read_bytes())


def _write_zstd(source: Path, target: Path) -> None:
    """Pack the lines of a file by zstd, which Python has not before 3.14 and DuckDB has."""
    import duckdb

    lines = (
        f"read_csv('{source}', header=false, delim='\x01', quote='', columns={{'a': 'VARCHAR'}})"
    )
    form = "FORMAT csv, COMPRESSION zstd, HEADER false, QUOTE '', DELIM '\x01'"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT a FROM {lines}) TO '{target}' ({form})")


def save_flow_parquet(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(_flows()), folder / "flows.parquet")


def save_tables(folder: Path) -> None:
    machines = [machine.name for machine in read_inventory([GCLOUD]).instances[:3]]
    rows = [
        {
            "src": machines[n % 3],
            "dst": machines[(n + 1) % 3],
            "start": f"2026-11-02T08:0{n}:00Z",
            "end": f"2026-11-02T08:0{n + 1}:00Z",
            "bytes": "1000000",
        }
        for n in range(6)
    ]
    written(folder / "times.csv", *rows)
    steady = [{"src": machines[0], "dst": machines[1], "gbps": "2", "p95_gbps": "3"}]
    written(folder / "steady.csv", *steady, steady[0] | {"src": machines[2]})
    for name in ("times", "steady"):
        as_parquet(folder / f"{name}.csv")


def save_stores(folder: Path) -> None:
    inventory = read_inventory([GCLOUD])
    machines = [machine.name for machine in inventory.instances[:2]]
    found = [{"src": machines[0], "dst": machines[1], "gbps": 3.0}]
    write_store(folder / "store.jsonl", inventory, found)
    calibration_inputs.store(
        folder / "runs.jsonl", [calibration_inputs.record(n, 20 + n) for n in range(4)]
    )


def save_outputs(folder: Path) -> None:
    (folder / "iperf3.json").write_text(json.dumps(forward()))
    (folder / "both.json").write_text(json.dumps(bidirectional()))
    (folder / "iperf2.txt").write_text(probe_iperf2.PLAIN)
    if SHARED is not None:
        recorded = sorted((SHARED / "data/recorded/benchmark_output").iterdir())
        for path in [p for p in recorded if p.stat().st_size < 20_000][:30]:
            (folder / path.name).write_bytes(path.read_bytes())


def save_calibration(folder: Path) -> None:
    from netplan_planner.verbs.calibrate.run import calibrate_files
    from netplan_planner.world.calibration import write_calibration

    store = calibration_inputs.store(
        folder / "store", [calibration_inputs.record(n, 18 + n % 3) for n in range(12)]
    )
    found = calibrate_files([store], as_of=None, today=date(2026, 11, 21))
    write_calibration(folder / "calibration.json", found.calibration)
    store.unlink()


def save_report(folder: Path) -> None:
    from netplan_planner.renderers.json_report import render
    from netplan_planner.renderers.options import RenderOptions
    from netplan_planner.verbs.audit.run import run_audit
    from netplan_planner.world.request import InputRequest

    report = run_audit(InputRequest(today=date(2026, 11, 20), demo="interzone"))
    (folder / "report.json").write_text(render(report, RenderOptions()), "utf-8")


def save_configuration(folder: Path) -> None:
    (folder / "netplan.toml").write_text(
        'quiet = true\n[audit]\nmemory-limit = "2GB"\nthreads = 2\nselect = ["nic", "placement"]\n'
        'as-of = 2026-11-20\nmin-saving = "5"\ndemo = "interzone"\nmax-findings = 3\n'
        "[predict]\nlevel = 0.8\nstreams = 4\n[rules.egress-cap-saturated]\np95_ratio = 0.85\n"
        '[targets]\n"*/instances/none" = "10 Gbps"\n'
    )
    (folder / "pyproject.toml").write_text('[tool.netplan.audit]\nas-of = "2026-11-20"\n')


def save_ignore(folder: Path) -> None:
    (folder / "ignore.toml").write_text(
        '[[ignore]]\nrule = "nic"\nresource = "*/x"\nreason = "known"\nexpires = 2027-01-31\n'
        '[[ignore]]\nrule = "placement"\nreason = "known"\n'
    )


def save_snapshot(folder: Path) -> None:
    write_snapshot(price_inputs.built(folder / "inputs"), folder)
    _removed(folder / "inputs")


def _removed(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def save_catalogue(folder: Path) -> None:
    price_inputs.write_inputs(folder)
    (folder / "api-types.json").write_text(json.dumps(_TYPES))


def save_saved_pages(folder: Path) -> None:
    """The pages of a refresh that broke off, as `SavedPages` leaves them."""
    found = made_skus()
    for name, service in (("compute", COMPUTE), ("networking", NETWORKING)):
        skus = [one for one in found if service in one["name"]]
        page = json.dumps({"skus": skus, "nextPageToken": ""}).encode()
        (folder / f"{name}-0001.json.gz").write_bytes(gzip.compress(page, mtime=0))
    asked = hashlib.sha256(f"{CATALOG_URL}||".encode()).hexdigest()
    state = {"asked": asked, "began_s": time.time()}
    (folder / "asked.json").write_text(json.dumps(state))


def save_catalogue_answers(folder: Path) -> None:
    found = made_skus()
    for service in (COMPUTE, NETWORKING):
        skus = [one for one in found if service in one["name"]]
        (folder / f"{service}.json").write_text(json.dumps({"skus": skus, "nextPageToken": ""}))
    (folder / "machineTypes.json").write_text(json.dumps(_TYPES))
    (folder / "base.snapshot").write_bytes(price_inputs.built(folder / "inputs").content)
    _removed(folder / "inputs")


def served(folder: Path, path: str, token: str) -> bytes:
    """Return what a server answers to a path from the examples of a case."""
    part = path.strip("/").split("/")
    name = part[-2] if part[-1] == "skus" else part[-1]
    number = 2 if token else 1
    for file in (f"{name}-{number}.json", f"{name}.json"):
        if (folder / file).is_file():
            return (folder / file).read_bytes()
    if len(part) > 1 and part[-2] == "machineTypes":
        return json.dumps({"name": name, "guestCpus": 4, "memoryMb": 16384}).encode()
    return b"{}"


def save_exports(folder: Path) -> None:
    usage = [
        billing_export.usage("REG-0-1", "inter region", 100, 1.2, effective=0.012),
        billing_export.usage("N20-CPU-ONDEMAND", "cores", 100, 5.0, unit="hour", effective=0.05),
    ]
    pricing = [billing_export.pricing("REG-0-1", "GiBy", [(0, 0.01), (1024, 0.008)])]
    for name, rows in (("usage", usage), ("pricing", pricing)):
        billing_export.write_parquet(folder / f"{name}.parquet", rows)
        billing_export.write_flat_csv(folder / f"{name}.csv", rows)


def save_paths(folder: Path) -> None:
    row = PLAIN | {"value": "3.1", "source": "made", "src_location": "gcp:us-central1-a"}
    other = row | {"path_class": "same-zone-internal", "dst_location": "gcp:us-central1-a"}
    wall = calibration_inputs.WALL | {"source": "other"}
    names = list(dict.fromkeys([*row, *other, *wall]))
    written(folder / "paths.csv", row, other, wall, columns=names)
    as_parquet(folder / "paths.csv")


def save_batch(folder: Path) -> None:
    rows = [{"region": "us-central1", "machine_type": "n2-standard-4"}]
    written(folder / "batch.csv", *rows, {"region": "aa-one1", "machine_type": "e2-micro"})


def save_changes(folder: Path) -> None:
    """What somebody thinks of: every column once, as a table and as TOML."""
    rows = (
        {"vm": "transcoder-[1-4]", "machine_type": "n1-highcpu-8", "address": "internal"},
        {"vm": "transcoder-5", "zone": "us-central1-b", "network_tier": "standard"},
        {"vm": "transcoder-6", "tier1": "false", "nic": "virtio", "plugin": "calico"},
        {"vm": "*", "mtu": "1500", "growth": "1.5", "by": "2099-01-01"},
    )
    columns = dict.fromkeys(name for row in rows for name in row)
    written(
        folder / "changes.csv", *({name: row.get(name, "") for name in columns} for row in rows)
    )
    as_parquet(folder / "changes.csv")
    tables = ("".join(f'{name} = "{value}"\n' for name, value in row.items()) for row in rows)
    text = "".join(f"[[change]]\n{table}" for table in tables)
    (folder / "changes.toml").write_text(
        f"{text}[[change]]\nvm = 'transcoder-7'\ntier1 = false\nmtu = 1500\n"
    )


def save_series(folder: Path) -> None:
    """Series by day and by hour, of machines and of a path."""
    places = {"src_region": "us-central1", "dst_region": "europe-west1"}
    machine = {"machine_type": "n2-standard-8", "zone": "us-central1-a"}
    days = list(series("ratio", 21, 0, np.random.default_rng(1)))
    by_hour = hourly(3, lambda hour: None if hour % 7 == 3 else 1 + hour % 24)
    tables = {
        "days": table(daily(days), **machine),
        "capped": table(daily(days), cap_gbps="1.2"),
        "paths": table(daily(days), "gib", **places),
        "hours": table(by_hour, **machine, is_tier1="false"),
    }
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text)
    as_parquet(folder / "days.csv")


def save_networks(folder: Path) -> None:
    edges = [("a", "b", "1.5", "0.08"), ("a", "c", "6", "0.02"), ("c", "b", "5", "0.03")]
    ends = [{"src": src, "dst": dst} for src, dst, *_ in edges]
    rates = [end | {"gbps_per_vm": rate} for end, (*_, rate, _) in zip(ends, edges, strict=True)]
    prices = [end | {"usd_per_gib": usd} for end, (*_, usd) in zip(ends, edges, strict=True)]
    for name, rows in (("grid", rates), ("prices", prices)):
        written(folder / f"{name}.csv", *rows)
        as_parquet(folder / f"{name}.csv")


def save_placement(folder: Path) -> None:
    """The tables of a placement: a group that stays spread, a pin, a round trip, a full zone."""
    zones = [f"us-central1-{one}" for one in "abc"]
    vms = [
        {"name": f"vm-{n}", "zone": zones[n % 3], "vcpus": "4", "region": "us-central1"}
        | {"group": "web" if n < 2 else "", "is_spread": "true" if n < 2 else ""}
        | {"is_pinned": "true" if n == 4 else "", "machine_type": "n2-standard-4" if n else ""}
        for n in range(5)
    ]
    edges = [
        {"src": f"vm-{n}", "dst": f"vm-{(n + step) % 5}", "gib_per_month": f"{700 * (n + step)}"}
        | {"max_rtt_ms": "2.5" if n == 3 else ""}
        for n in range(5)
        for step in (1, 2)
    ]
    rooms = [{"zone": zone, "capacity_vcpus": "12" if zone[-1] == "a" else ""} for zone in zones]
    for name, rows in (("vms", vms), ("edges", edges), ("zones", rooms)):
        written(folder / f"{name}.csv", *rows)


def save_needs(folder: Path) -> None:
    row = {"name": "web", "zone": "us-central1-a", "count": "3", "gbps": "2", "vcpus": "4"}
    row |= {"memory_gib": "16", "machine_type": "n2-standard-8", "active_hours": "8-20"}
    row |= {"hours_per_month": "300", "outside_gbps": "0.5", "pinned": "false"}
    other = row | {"name": "db", "machine_type": "", "active_hours": "", "hours_per_month": ""}
    written(folder / "needs.csv", row, other)
    as_parquet(folder / "needs.csv")
