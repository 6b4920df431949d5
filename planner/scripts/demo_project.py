"""A made project and its flow logs, as the Compute API and Cloud Logging would write them."""

import gzip
import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

HOST = "https://www.googleapis.com/compute/v1/"
MTU_BYTES = 1460
HEADER_BYTES = 52
"""IP and TCP headers with timestamps, as netplan's default."""

Json = dict[str, Any]


class Project:
    """A project in the making: one network, a subnetwork in each region, and its machines."""

    def __init__(self, name: str, regions: dict[str, str], made: str, log_interval: str) -> None:
        self.name, self.made, self.regions = name, made, regions
        self.instances: list[Json] = []
        self.addresses: list[Json] = []
        self.network = self._link("global/networks/default")
        self.subnetworks = [
            {
                "kind": "compute#subnetwork",
                "id": str(7_000_000_000_000_000_000 + n),
                "creationTimestamp": made,
                "name": "default",
                "network": self.network,
                "region": self._link(f"regions/{region}"),
                "ipCidrRange": cidr,
                "privateIpGoogleAccess": True,
                "purpose": "PRIVATE",
                "stackType": "IPV4_ONLY",
                "enableFlowLogs": True,
                "logConfig": {
                    "enable": True,
                    "aggregationInterval": log_interval,
                    "flowSampling": 1.0,
                    "metadata": "INCLUDE_ALL_METADATA",
                },
                "selfLink": self._link(f"regions/{region}/subnetworks/default"),
            }
            for n, (region, cidr) in enumerate(regions.items())
        ]

    def _link(self, path: str) -> str:
        return f"{HOST}projects/{self.name}/{path}"

    def add_machine(
        self,
        name: str,
        zone: str,
        machine_type: str,
        internal: str,
        external: str | None = None,
        *,
        platform: str = "Intel Broadwell",
        labels: dict[str, str] | None = None,
    ) -> None:
        """Add a running machine; `external` is an ephemeral address."""
        region = zone.rpartition("-")[0]
        nic: Json = {
            "kind": "compute#networkInterface",
            "name": "nic0",
            "network": self.network,
            "subnetwork": self._link(f"regions/{region}/subnetworks/default"),
            "networkIP": internal,
            "stackType": "IPV4_ONLY",
        }
        if external is not None:
            nic["accessConfigs"] = [
                {
                    "kind": "compute#accessConfig",
                    "name": "external-nat",
                    "type": "ONE_TO_ONE_NAT",
                    "natIP": external,
                    "networkTier": "PREMIUM",
                }
            ]
        self.instances.append(
            {
                "kind": "compute#instance",
                "id": str(5_000_000_000_000_000_000 + len(self.instances)),
                "creationTimestamp": self.made,
                "lastStartTimestamp": self.made,
                "name": name,
                "machineType": self._link(f"zones/{zone}/machineTypes/{machine_type}"),
                "status": "RUNNING",
                "zone": self._link(f"zones/{zone}"),
                "cpuPlatform": platform,
                "networkInterfaces": [nic],
                "labels": labels or {},
                "scheduling": {
                    "onHostMaintenance": "MIGRATE",
                    "automaticRestart": True,
                    "preemptible": False,
                },
                "selfLink": self._link(f"zones/{zone}/instances/{name}"),
            }
        )

    def reserve(self, name: str, region: str, address: str, user: str | None) -> None:
        """Add a static external address, in use by a machine or idle."""
        entry: Json = {
            "kind": "compute#address",
            "id": str(6_000_000_000_000_000_000 + len(self.addresses)),
            "creationTimestamp": self.made,
            "name": name,
            "address": address,
            "addressType": "EXTERNAL",
            "networkTier": "PREMIUM",
            "region": self._link(f"regions/{region}"),
            "status": "IN_USE" if user else "RESERVED",
            "selfLink": self._link(f"regions/{region}/addresses/{name}"),
        }
        if user:
            link = next(i["selfLink"] for i in self.instances if i["name"] == user)
            entry["users"] = [link]
        self.addresses.append(entry)

    def write(self, folder: Path) -> None:
        """Write the resources as pages of the API."""
        write_json(folder / "instances.json", self._page("instance", "zones", self.instances))
        pages = self._page("subnetwork", "regions", self.subnetworks)
        write_json(folder / "subnetworks.json", pages)
        if self.addresses:
            write_json(
                folder / "addresses.json", self._page("address", "regions", self.addresses, "es")
            )
        network = {
            "kind": "compute#network",
            "id": "4000000000000000000",
            "creationTimestamp": self.made,
            "name": "default",
            "autoCreateSubnetworks": True,
            "routingConfig": {"routingMode": "REGIONAL"},
            "selfLink": self.network,
        }
        write_json(folder / "network.json", network)

    def _page(self, kind: str, scope: str, resources: list[Json], plural: str = "s") -> Json:
        items: Json = {}
        for resource in resources:
            place = resource["zone" if scope == "zones" else "region"].rpartition("/")[2]
            listed = items.setdefault(f"{scope}/{place}", {kind + plural: []})
            listed[kind + plural].append(resource)
        return {
            "kind": f"compute#{kind}AggregatedList",
            "id": f"projects/{self.name}/aggregated/{kind}{plural}",
            "items": dict(sorted(items.items())),
            "selfLink": self._link(f"aggregated/{kind}{plural}"),
        }

    def machine(self, name: str) -> Json:
        """Return a machine by name."""
        return next(i for i in self.instances if i["name"] == name)


class Flow:
    """One five-tuple and the rates of its minutes; the answering acknowledgements come with it."""

    def __init__(
        self,
        project: Project,
        src: str,
        dst: str,
        *,
        is_external: bool = False,
        port: int = 5001,
        src_port: int = 40000,
        rtt_ms: float | None = None,
    ) -> None:
        self.project, self.src, self.dst = project, src, dst
        self.is_external, self.port, self.src_port = is_external, port, src_port
        self.rtt_ms = rtt_ms

    def minute(self, start: datetime, gbps: float, seconds: int = 60) -> Iterator[Json]:
        """Yield both ends' records of data and acknowledgements of one interval.

        `gbps` counts headers, as caps and bills do.
        """
        wire = gbps * 1e9 / 8 * seconds
        packets = max(1, round(wire / MTU_BYTES))
        payload = max(0, round(wire) - packets * HEADER_BYTES)
        end = start + timedelta(seconds=seconds, microseconds=-1000)
        yield from self._both(start, end, payload, packets, is_answer=False)
        yield from self._both(start, end, 0, packets // 2, is_answer=True)

    def _both(
        self, start: datetime, end: datetime, payload: int, packets: int, *, is_answer: bool
    ) -> Iterator[Json]:
        src, dst, ports = self.src, self.dst, (self.src_port, self.port)
        if is_answer:
            src, dst, ports = dst, src, ports[::-1]
        for reporter in ("SRC", "DEST"):
            # Only the far end's address is seen as external: each end sees its own as internal.
            src_ip = _address(self.project, src, self.is_external and reporter == "DEST")
            dst_ip = _address(self.project, dst, self.is_external and reporter == "SRC")
            body: Json = {
                "connection": {
                    "protocol": 6,
                    "src_ip": src_ip,
                    "src_port": ports[0],
                    "dest_ip": dst_ip,
                    "dest_port": ports[1],
                },
                "reporter": reporter,
                "bytes_sent": str(payload),
                "packets_sent": str(packets),
                "start_time": stamp(start),
                "end_time": stamp(end),
                **_annotations(self.project, "src", src),
                **_annotations(self.project, "dest", dst),
            }
            if self.rtt_ms is not None:
                body["round_trip_time"] = {"median_msec": self.rtt_ms}
            yield entry(self.project, body, end, src if reporter == "SRC" else dst)


def from_internet(
    project: Project, dst: str, address: str, start: datetime, payload: int, location: Json
) -> Json:
    """Return the record of a client's request to a machine; only the machine's side reports."""
    end = start + timedelta(seconds=59)
    body = {
        "connection": {
            "protocol": 6,
            "src_ip": address,
            "src_port": 51000 + start.minute,
            "dest_ip": _address(project, dst, False),
            "dest_port": 443,
        },
        "reporter": "DEST",
        "bytes_sent": str(payload),
        "packets_sent": str(payload // 1400 + 1),
        "start_time": stamp(start),
        "end_time": stamp(end),
        "src_location": location,
        **_annotations(project, "dest", dst),
    }
    return entry(project, body, end, dst)


def from_storage(project: Project, dst: str, start: datetime, payload: int) -> Json:
    """Return the record of objects that a machine reads from Cloud Storage."""
    end = start + timedelta(seconds=59)
    body = {
        "connection": {
            "protocol": 6,
            "src_ip": "199.36.153.8",
            "src_port": 443,
            "dest_ip": _address(project, dst, False),
            "dest_port": 42000 + start.minute,
        },
        "reporter": "DEST",
        "bytes_sent": str(payload),
        "packets_sent": str(payload // 1400 + 1),
        "start_time": stamp(start),
        "end_time": stamp(end),
        "src_google_service": {
            "type": "GOOGLE_API",
            "service_name": "storage.googleapis.com",
            "connectivity": "PRIVATE_GOOGLE_ACCESS",
        },
        **_annotations(project, "dest", dst),
    }
    return entry(project, body, end, dst)


def entry(project: Project, body: Json, end: datetime, reporter: str) -> Json:
    """Return a log entry as a Cloud Storage sink writes it."""
    region = project.machine(reporter)["zone"].rpartition("/")[2].rpartition("-")[0]
    return {
        "insertId": "",
        "jsonPayload": body,
        "logName": f"projects/{project.name}/logs/compute.googleapis.com%2Fvpc_flows",
        "receiveTimestamp": stamp(end + timedelta(seconds=8)),
        "resource": {
            "labels": {
                "location": region,
                "project_id": project.name,
                "subnetwork_id": project.subnetworks[0]["id"],
                "subnetwork_name": "default",
            },
            "type": "gce_subnetwork",
        },
        "timestamp": stamp(end + timedelta(seconds=7)),
    }


def _address(project: Project, name: str, is_external: bool) -> str:
    nic = project.machine(name)["networkInterfaces"][0]
    return str(nic["accessConfigs"][0]["natIP"] if is_external else nic["networkIP"])


def _annotations(project: Project, end: str, name: str) -> Json:
    zone = project.machine(name)["zone"].rpartition("/")[2]
    region = zone.rpartition("-")[0]
    return {
        f"{end}_instance": {
            "project_id": project.name,
            "region": region,
            "vm_name": name,
            "zone": zone,
        },
        f"{end}_vpc": {
            "project_id": project.name,
            "subnetwork_name": "default",
            "subnetwork_region": region,
            "vpc_name": "default",
        },
    }


def stamp(moment: datetime) -> str:
    """Return a time as the logs spell it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def write_json(path: Path, value: Json) -> None:
    """Write one JSON document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def write_flows(path: Path, entries: Iterable[Json], broken: Iterable[int] = ()) -> None:
    """Write entries in order of time, one a line; the lines `broken` are cut in the middle."""
    ordered = sorted(entries, key=lambda e: (e["timestamp"], json.dumps(e, sort_keys=True)))
    cut = set(broken)
    lines = []
    for number, one in enumerate(ordered, 1):
        one["insertId"] = f"{number:012x}"
        text = json.dumps(one, sort_keys=True, separators=(",", ":"))
        lines.append(text[: len(text) // 2] if number in cut else text)
    with path.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as out:
        out.write(("\n".join(lines) + "\n").encode())
