"""Client CPU for reading a large project from the Compute API: netplan and google-cloud-compute.

netplan reads over REST, and by Google's client (`--api-client google`); the rival alone is third.

A local server in a process of its own sends pages of 500 made instances with full bodies (about
4 KB each). Each reader runs in a fresh process; its CPU time is that of the whole process, start-up
and imports included, as the operating system counts it, and so is its peak memory. netplan builds
its `Inventory`; the rival only parses its messages.

    python benchmarks/read_api.py
    python benchmarks/read_api.py --json
    python benchmarks/read_api.py --instances 20000 --rival-instances 2000 --repeat 1

Inputs are pinned: the same arguments make the same bytes.
"""

import argparse
import contextlib
import gzip
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PROJECT = "made-project"
PAGE_SIZE = 500
ZONES = ("us-central1-a", "us-central1-b", "europe-west1-b", "europe-west1-c", "asia-east1-a")
TYPES = ("n2-standard-8", "e2-standard-4", "n1-standard-1", "c3-standard-22", "n2d-highmem-16")
ROOT = f"https://www.googleapis.com/compute/v1/projects/{PROJECT}"
LICENSES = "https://www.googleapis.com/compute/v1/projects"
SCOPES_WITHOUT_RESULTS = 120
"""The real API repeats every empty scope on every page."""


def instance(number: int) -> dict[str, Any]:
    """Return one made instance with the fields that the real API sends."""
    zone = ZONES[number % len(ZONES)]
    region = zone.rpartition("-")[0]
    machine_type = TYPES[number // 7 % len(TYPES)]
    name = f"worker-{number // 100:04d}-{number % 100:02d}"
    group = f"group-{number // 100:04d}"
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    return {
        "kind": "compute#instance",
        "id": str(1_000_000_000_000_000_000 + number * 7919),
        "creationTimestamp": f"2026-0{number % 9 + 1}-1{number % 7}T07:16:37.639-08:00",
        "name": name,
        "description": "",
        "tags": {"items": ["http-server", group], "fingerprint": "oapYuKPqeNg="},
        "machineType": f"{ROOT}/zones/{zone}/machineTypes/{machine_type}",
        "status": "RUNNING" if number % 11 else "TERMINATED",
        "zone": f"{ROOT}/zones/{zone}",
        "canIpForward": False,
        "networkInterfaces": [_interface(number, region, address)],
        "disks": [_disk(zone, name, index) for index in range(2)],
        "metadata": {"kind": "compute#metadata", "fingerprint": "Hx3s=", "items": _metadata(group)},
        "serviceAccounts": [
            {
                "email": "000000000000-compute@developer.gserviceaccount.com",
                "scopes": ["https://www.googleapis.com/auth/cloud-platform"],
            }
        ],
        "selfLink": f"{ROOT}/zones/{zone}/instances/{name}",
        "scheduling": {
            "onHostMaintenance": "MIGRATE",
            "automaticRestart": True,
            "preemptible": False,
            "provisioningModel": "STANDARD",
        },
        "cpuPlatform": "Intel Ice Lake",
        "labels": {"team": f"team-{number % 20}", "environment": "production", "group": group},
        "labelFingerprint": "cLOO6l7pJAo=",
        "startRestricted": False,
        "deletionProtection": False,
        "reservationAffinity": {"consumeReservationType": "ANY_RESERVATION"},
        "shieldedInstanceConfig": {
            "enableSecureBoot": False,
            "enableVtpm": True,
            "enableIntegrityMonitoring": True,
        },
        "shieldedInstanceIntegrityPolicy": {"updateAutoLearnPolicy": True},
        "fingerprint": "W9T2Bn2xXbE=",
        "lastStartTimestamp": "2026-10-05T01:23:46.347-08:00",
        "satisfiesPzi": True,
        "resourceStatus": {"scheduling": {}, "physicalHostTopology": {}},
    }


def _interface(number: int, region: str, address: str) -> dict[str, Any]:
    nic: dict[str, Any] = {
        "kind": "compute#networkInterface",
        "network": f"{ROOT}/global/networks/main",
        "subnetwork": f"{ROOT}/regions/{region}/subnetworks/main-{region}",
        "networkIP": address,
        "name": "nic0",
        "fingerprint": "BR9LA1osAHE=",
        "stackType": "IPV4_ONLY",
        "nicType": "GVNIC",
    }
    if number % 3 == 0:
        nic["accessConfigs"] = [
            {
                "kind": "compute#accessConfig",
                "type": "ONE_TO_ONE_NAT",
                "name": "external-nat",
                "natIP": f"34.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
                "networkTier": "PREMIUM",
            }
        ]
    return nic


def _disk(zone: str, name: str, index: int) -> dict[str, Any]:
    return {
        "kind": "compute#attachedDisk",
        "type": "PERSISTENT",
        "mode": "READ_WRITE",
        "source": f"{ROOT}/zones/{zone}/disks/{name}-{index}",
        "deviceName": f"persistent-disk-{index}",
        "index": index,
        "boot": index == 0,
        "autoDelete": True,
        "licenses": [f"{LICENSES}/debian-cloud/global/licenses/debian-12-bookworm"],
        "interface": "SCSI",
        "guestOsFeatures": [
            {"type": feature}
            for feature in ("UEFI_COMPATIBLE", "VIRTIO_SCSI_MULTIQUEUE", "GVNIC", "SEV_CAPABLE")
        ],
        "diskSizeGb": "100",
        "architecture": "X86_64",
    }


def _metadata(group: str) -> list[dict[str, str]]:
    manager = f"projects/000000000000/zones/us-central1-a/instanceGroupManagers/{group}"
    return [
        {"key": "created-by", "value": manager},
        {"key": "instance-template", "value": "projects/000000000000/global/instanceTemplates/t"},
        {"key": "enable-oslogin", "value": "TRUE"},
        {"key": "startup-script", "value": "#! /bin/sh\n" + "exec /opt/worker/start --now\n" * 20},
    ]


def pages(count: int) -> Iterator[bytes]:
    """Yield the pages of an aggregated list of `count` instances, as compact JSON."""
    total = max(1, -(-count // PAGE_SIZE))
    for page in range(total):
        scopes: dict[str, Any] = {
            f"zones/none{number}-a": {"warning": {"code": "NO_RESULTS_ON_PAGE", "message": "none"}}
            for number in range(SCOPES_WITHOUT_RESULTS)
        }
        for number in range(page * PAGE_SIZE, min(count, (page + 1) * PAGE_SIZE)):
            made = instance(number)
            scope = made["zone"].partition(f"{PROJECT}/")[2]
            scopes.setdefault(scope, {"instances": []})["instances"].append(made)
        body = {"kind": "compute#instanceAggregatedList", "items": scopes}
        if page + 1 < total:
            body["nextPageToken"] = f"page-{page + 1}"
        yield json.dumps(body, separators=(",", ":")).encode()


def serve(count: int, *, packed: bool) -> None:
    """Serve the made project until the process is stopped; print the port when ready."""
    raw_bytes = 0
    bodies = []
    for body in pages(count):
        raw_bytes += len(body)
        bodies.append(gzip.compress(body, 6) if packed else body)
    machine_type = json.dumps({"kind": "compute#machineType", "guestCpus": 8, "memoryMb": 32768})
    empty = b'{"items":{}}'

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            is_packed = False
            if path.endswith("/aggregated/instances"):
                token = query.partition("pageToken=page-")[2].partition("&")[0]
                body, is_packed = bodies[int(token or 0)], packed
            elif "/machineTypes/" in path:
                link = f"{ROOT}/zones/z/machineTypes/{path.rpartition('/')[2]}"
                body = (machine_type[:-1] + f', "selfLink": "{link}"}}').encode()
            else:
                body = empty if "/aggregated/" in path else b"{}"
            self.send_response(200)
            self.send_header("Content-Type", "application/json; charset=UTF-8")
            if is_packed:
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    sent = sum(len(body) for body in bodies)
    print(json.dumps({"port": server.server_port, "raw_bytes": raw_bytes, "sent_bytes": sent}))
    sys.stdout.flush()
    server.serve_forever()


NETPLAN = """
import sys
from netplan_planner.google.options import ApiClient
from netplan_planner.google.compute import read_projects
from netplan_planner.google.options import ApiOptions

options = ApiOptions(endpoint=sys.argv[1], is_anonymous=True, client=ApiClient("CLIENT"))
inventory = read_projects([sys.argv[2]], options)
assert not inventory.unread, inventory.unread[:3]
assert not any(project.errors for project in inventory.projects), inventory.projects
print(len(inventory.instances))
"""
"""Reads the whole project into an `Inventory`."""

GOOGLE = """
import sys
from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import compute_v1

client = compute_v1.InstancesClient(
    credentials=AnonymousCredentials(), client_options=ClientOptions(api_endpoint=sys.argv[1])
)
request = compute_v1.AggregatedListInstancesRequest(project=sys.argv[2], max_results=500)
found = [i for _, scope in client.aggregated_list(request=request) for i in scope.instances]
print(len(found))
"""
"""Reads the instances, and only them, as messages."""

NETPLAN_BY_GOOGLE = "netplan, Google's client"
READERS = {
    "netplan": NETPLAN.replace("CLIENT", "rest"),
    NETPLAN_BY_GOOGLE: NETPLAN.replace("CLIENT", "google"),
    "google-cloud-compute": GOOGLE,
}


@contextlib.contextmanager
def _server(count: int, *, packed: bool) -> Iterator[dict[str, Any]]:
    command = [sys.executable, __file__, "serve", "--instances", str(count)]
    process = subprocess.Popen(
        [*command, "--gzip"] if packed else command, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def _measure(reader: str, port: int, repeat: int) -> dict[str, float]:
    """Return medians of CPU and wall seconds of a client process, its peak and what it read."""
    url = f"http://127.0.0.1:{port}"
    cpu_s, wall_s, peaks_mib, read = [], [], [], 0
    for _ in range(repeat):
        start = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-c", READERS[reader], url, PROJECT],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        read = int(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        wall_s.append(time.monotonic() - start)
        cpu_s.append(usage.ru_utime + usage.ru_stime)
        peaks_mib.append(usage.ru_maxrss / 1024)
    return {
        "instances": read,
        "cpu_s": round(statistics.median(cpu_s), 3),
        "wall_s": round(statistics.median(wall_s), 3),
        "peak_mib": round(statistics.median(peaks_mib)),
    }


def run(count: int, rival_count: int, repeat: int) -> dict[str, Any]:
    """Return all measurements with the machine and the date."""
    rows = []
    for reader in READERS:
        instances = count if reader == "netplan" else rival_count
        for packed in (True, False):
            with _server(instances, packed=packed) as server:
                row = _measure(reader, server["port"], repeat)
                assert row["instances"] == instances
                rows.append(
                    {
                        "reader": reader,
                        "transfer": "gzip" if packed else "plain",
                        **row,
                        "raw_mb": round(server["raw_bytes"] / 1e6, 1),
                        "sent_mb": round(server["sent_bytes"] / 1e6, 1),
                        "cpu_s_per_100000": round(row["cpu_s"] * 100_000 / instances, 2),
                    }
                )
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{_cpu()}, {os.cpu_count()} CPUs, Python {platform.python_version()}",
        "page_size": PAGE_SIZE,
        "repeat": repeat,
        "rows": rows,
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _table(result: dict[str, Any]) -> str:
    columns = tuple(result["rows"][0])
    rows = [columns, *(tuple(str(row[name]) for name in columns) for row in result["rows"])]
    widths = [max(len(row[index]) for row in rows) for index in range(len(columns))]
    lines = [f"{result['date']} · {result['machine']} · median of {result['repeat']}"]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def main() -> None:
    """Run the benchmark, or one of its parts in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", nargs="?", choices=("serve",), help=argparse.SUPPRESS)
    parser.add_argument("--instances", type=int, default=100_000)
    parser.add_argument("--rival-instances", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--gzip", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part == "serve":
        serve(options.instances, packed=options.gzip)
    else:
        result = run(options.instances, options.rival_instances, options.repeat)
        print(json.dumps(result, indent=2) if options.json else _table(result))


if __name__ == "__main__":
    main()
