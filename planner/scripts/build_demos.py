"""Write the embedded samples again: `python planner/scripts/build_demos.py`.

Each sample replays a published story as a small project: machines, networks and addresses in the
shape of the Compute API, and VPC Flow Logs in the Cloud Storage layout. The machines, rates and
places are those of the stories; what a story leaves open is listed in its `demo.toml`. All of it
is made, none of it recorded (VPC Flow Logs did not exist in 2017). Output is the same on every run.

Sources: "Internal IP vs External IP Performance" (2017-07-27) and its video (gecko), "Core count
and the Egress problem" (2017-07-20, dobermanifesto), "Quick test for GCP inter-zone networking"
(2017-12-07, interzone).
"""

import gzip
import json
import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

DEMOS = Path(__file__).resolve().parent.parent / "netplan_planner" / "demos"
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


def gecko() -> None:
    """Write transcoders of one zone that send to each other's external addresses (2017-07-20)."""
    rng = random.Random(20170720)
    project = Project(
        "gecko-demo",
        {"us-central1": "10.128.0.0/20"},
        "2017-06-01T09:00:00.000-07:00",
        "INTERVAL_1_MIN",
    )
    zone = "us-central1-a"
    for n in range(1, 9):
        machine_type = "n1-standard-1" if n <= 4 else "n1-standard-16"
        project.add_machine(
            f"transcoder-{n}",
            zone,
            machine_type,
            f"10.128.0.{10 + n}",
            f"35.184.0.{10 + n}",
            labels={"app": "transcoder", "netplan-target-mbps": "12000"},
        )
    project.add_machine("ingest-1", zone, "n1-standard-4", "10.128.0.10", "35.184.0.10")
    project.reserve("ingest", "us-central1", "35.184.0.10", "ingest-1")
    project.reserve("old-demo", "us-central1", "35.184.0.99", None)
    folder = DEMOS / "gecko"
    project.write(folder / "inventory")

    day = datetime(2017, 7, 20, tzinfo=UTC)
    rings = ((1, 2, 3, 4), (5, 6, 7, 8))
    halves: tuple[list[Json], list[Json]] = ([], [])
    for burst in (2, 8, 14, 20):
        for offset in range(22):
            start = day + timedelta(hours=burst, minutes=10 + offset)
            for ring in rings:
                typical = 1.5 if ring[0] == 1 else 1.62
                for src, dst in zip(ring, ring[1:] + ring[:1], strict=True):
                    flow = Flow(
                        project,
                        f"transcoder-{src}",
                        f"transcoder-{dst}",
                        is_external=True,
                        src_port=40000 + 100 * burst + src,
                        rtt_ms=0.6,
                    )
                    gbps = typical * rng.uniform(0.97, 1.03)
                    halves[burst >= 12].extend(flow.minute(start, gbps))
            for n in range(1, 9):
                halves[burst >= 12].append(
                    from_storage(project, f"transcoder-{n}", start, 600_000_000 + 1000 * n)
                )
    place = {"continent": "America", "country": "usa", "asn": 64500}
    for minute in range(0, 24 * 60, 5):
        start = day + timedelta(minutes=minute)
        half = halves[minute >= 720]
        half.append(from_internet(project, "ingest-1", "198.51.100.7", start, 48_000, place))
        ask = Flow(project, "ingest-1", f"transcoder-{1 + minute // 5 % 8}", port=8080, rtt_ms=0.3)
        half.extend(ask.minute(start, 0.0004))
    write_flows(folder / "flows-00.json.gz", halves[0], broken=(118,))
    write_flows(folder / "flows-12.json.gz", halves[1], broken=(2071,))


def dobermanifesto() -> None:
    """Write encoders of one vCPU that send all they may, and one shared core (2017-07-20)."""
    rng = random.Random(20170721)
    project = Project(
        "dobermanifesto-demo",
        {"us-central1": "10.128.0.0/20"},
        "2017-06-12T09:00:00.000-07:00",
        "INTERVAL_1_MIN",
    )
    zone = "us-central1-b"
    for n in range(1, 7):
        project.add_machine(f"encoder-{n}", zone, "n1-standard-1", f"10.128.0.{20 + n}")
    project.add_machine("probe-micro", zone, "f1-micro", "10.128.0.40")
    for n in (1, 2):
        project.add_machine(f"store-{n}", zone, "n1-standard-16", f"10.128.0.{50 + n}")
    folder = DEMOS / "dobermanifesto"
    project.write(folder / "inventory")

    day = datetime(2017, 7, 20, tzinfo=UTC)
    entries: list[Json] = []
    for hour in (7, 12, 18, 21):
        for offset in range(30):
            start = day + timedelta(hours=hour, minutes=offset)
            for n in range(1, 7):
                flow = Flow(
                    project,
                    f"encoder-{n}",
                    f"store-{1 + n % 2}",
                    src_port=40000 + 100 * hour + n,
                    rtt_ms=0.2,
                )
                entries.extend(flow.minute(start, 1.95 * rng.uniform(0.985, 1.0)))
            shared = Flow(project, "probe-micro", "store-1", src_port=41000 + hour, rtt_ms=0.3)
            entries.extend(shared.minute(start, 0.7 * rng.uniform(0.6, 1.0)))
    for minute in range(0, 24 * 60, 10):
        start = day + timedelta(minutes=minute)
        beat = Flow(project, "store-1", "store-2", port=7000, rtt_ms=0.1)
        entries.extend(beat.minute(start, 0.001))
    write_flows(folder / "flows.json.gz", entries)


def interzone() -> None:
    """Write one machine type in three zones, measured one way and both ways (2017-12-07)."""
    project = Project(
        "interzone-demo",
        {"us-central1": "10.128.0.0/20"},
        "2017-12-01T09:00:00.000-07:00",
        "INTERVAL_1_MIN",
    )
    places = {
        "us-central1-a-1": "us-central1-a",
        "us-central1-a-2": "us-central1-a",
        "us-central1-b": "us-central1-b",
        "us-central1-c": "us-central1-c",
    }
    for n, (name, zone) in enumerate(places.items()):
        project.add_machine(
            name, zone, "n1-highmem-8", f"10.128.0.{2 + n}", platform="Intel Skylake"
        )
    folder = DEMOS / "interzone"
    project.write(folder / "inventory")

    # (one, other, sending, receiving, both at once, round trip): the story's table, one row a pair
    rows = (
        ("us-central1-a-1", "us-central1-a-2", 12.0, 13.9, (8.12, 10.1), 0.072),
        ("us-central1-a-1", "us-central1-b", 7.96, 8.22, (4.57, 6.30), 0.193),
        ("us-central1-a-1", "us-central1-c", 6.87, 8.51, (3.97, 5.98), 0.189),
        ("us-central1-b", "us-central1-c", 5.75, 7.51, (3.05, 3.96), 0.176),
    )
    day = datetime(2017, 12, 7, tzinfo=UTC)
    entries: list[Json] = []
    for row, (one, other, sending, receiving, both, rtt_ms) in enumerate(rows):
        start = day + timedelta(hours=1, minutes=10 * row)
        there = Flow(project, one, other, src_port=45000 + row, rtt_ms=rtt_ms)
        back = Flow(project, other, one, src_port=46000 + row, rtt_ms=rtt_ms)
        entries.extend(there.minute(start, sending))
        entries.extend(back.minute(start + timedelta(minutes=1), receiving))
        entries.extend(there.minute(start + timedelta(minutes=2), both[0]))
        entries.extend(back.minute(start + timedelta(minutes=2), both[1]))
    for minute in range(0, 24 * 60, 2):
        start = day + timedelta(minutes=minute)
        for src, dst, gbps in (
            ("us-central1-a-1", "us-central1-b", 0.05),
            ("us-central1-a-1", "us-central1-c", 0.05),
            ("us-central1-b", "us-central1-a-1", 0.02),
        ):
            rtt_ms = next(r[5] for r in rows if {r[0], r[1]} == {src, dst})
            steady = Flow(project, src, dst, port=3306, src_port=47000, rtt_ms=rtt_ms)
            entries.extend(steady.minute(start, gbps))
    write_flows(folder / "flows.json.gz", entries)


def main() -> None:
    """Write all samples."""
    for build in (gecko, dobermanifesto, interzone):
        build()
    for path in sorted(DEMOS.rglob("*")):
        if path.is_file():
            print(f"{path.stat().st_size:>9,}  {path.relative_to(DEMOS)}")


if __name__ == "__main__":
    main()
