"""Generates a project and matching flow logs, deterministic by seed, with the answers to expect.

    python benchmarks/generate.py --records 50000000 --vms 10000 --out DIR
    python benchmarks/generate.py --records 5000000 --format json --out DIR

writes

    DIR/inventory/*.json   pages of the Compute API: instances, networks, subnetworks, addresses
    DIR/flows/             Parquet in the layout of a BigQuery export, or JSON lines gz as a Cloud
                           Storage sink writes them; in time order from file to file, not inside
    DIR/expected.json      what a reader that counts every flow once must find

Traffic model
    Places: four regions of three zones, one VPC, two subnetworks a region; all but the last
    subnetwork keep flow logs. 30 % of the VMs have an external address; one in six of those is
    reserved. Edges are directed pairs, popular by rank^-0.8. By kind: 84 % VM to VM over internal
    addresses (70 % of them to a VM nearby in the list); 5 % VM to VM over the receiver's external
    address, half of them inside one zone; 3 % to machines of another project, which the records
    name; 4 % VM to internet and 2 % internet to VM, with places; 2 % to Google APIs, with the
    service's name.
    A flow is one five-tuple in one aggregation interval of 5 seconds, anywhere in the window, so
    that one in 24 crosses a minute. Bytes are lognormal around the edge's median; packets are
    bytes / 1,400 rounded up. 85 % are TCP, with a round-trip time; the rest UDP.
    Every end in a logging subnetwork reports the flow on its own with probability 0.95, and its
    counts differ by up to 10 % either way, as sampled and scaled-up reports do. For a flow over an
    external address the sender sees its own internal and the receiver's external address, the
    receiver the sender's external and its own internal one.
    One record in 20,000 is malformed: a broken line (JSON; in Parquet a record without counts), a
    negative count, an absurd count, an end before the start, or a count that is no number.

What to expect (`expected.json`)
    A flow counts by its sender's report when the sender's subnetwork logs, else by its receiver's.
    `payload_bytes`, `header_bytes` (52 a packet for TCP, 28 for UDP) and `counted_records` are sums
    over those reports; `other_side_bytes` over the rest; `by_class` splits the payload by path
    class; `excluded` counts the malformed by kind.

Between NumPy releases a byte count may differ in its last unit, so compare within one set.
"""

import argparse
import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

PROJECT = "bench-net"
PARTNER = "partner-net"
NETWORK = "bench-vpc"
API = "https://www.googleapis.com/compute/v1"
REGIONS = ("us-central1", "us-east1", "europe-west1", "asia-southeast1")
ZONES = tuple(f"{region}-{letter}" for region in REGIONS for letter in "abc")
SUBNETS = tuple((f"{region}-{kind}", region) for region in REGIONS for kind in ("apps", "data"))
UNLOGGED = len(SUBNETS) - 1
MACHINE_TYPES = (
    "n2-standard-4",
    "n2-standard-16",
    "n1-standard-1",
    "e2-standard-8",
    "c3-standard-22",
)
SERVICES = ("storage.googleapis.com", "logging.googleapis.com", "bigquery.googleapis.com")
PLACES = (("America", "usa"), ("Europe", "deu"), ("Asia", "jpn"), ("Oceania", "aus"))
PORTS = (443, 80, 5432, 6379, 9092, 8080, 2049)

INTERNAL, EXTERNAL, FOREIGN, TO_INTERNET, FROM_INTERNET, TO_GOOGLE = range(6)
SHARES = (0.84, 0.05, 0.03, 0.04, 0.02, 0.02)

CHUNK = 250_000
START = np.datetime64("2026-05-01T00:00:00", "ms")
INTERVAL_MS = 5_000
REPORT_PROBABILITY = 0.95
MALFORMED_EVERY = 20_000
TCP_HEADER, UDP_HEADER = 52, 28
BYTES_PER_PACKET = 1_400
KINDS_OF_FAULT = ("broken", "negative", "absurd", "ends before start", "not a number")
ABSURD_BYTES = 10**17

Array = npt.NDArray[Any]


class World:
    """The machines, their addresses, and the edges between them."""

    def __init__(self, vms: int, edges: int, seed: int) -> None:
        random = np.random.default_rng([seed, 1])
        number = np.arange(vms)
        self.vms, self.edges = vms, edges
        self.zone = random.integers(0, len(ZONES), vms)
        self.region = self.zone // 3
        self.subnet = self.region * 2 + random.integers(0, 2, vms)
        self.name = [f"vm-{i:06d}" for i in number]
        self.ip = [
            f"10.{s}.{i >> 8 & 255}.{i & 255}" for s, i in zip(self.subnet, number, strict=True)
        ]
        has_external = random.random(vms) < 0.3
        # Ranges that are neither Google's own nor anybody's whom the audit must know.
        self.external = [
            f"34.{16 + (i >> 16)}.{i >> 8 & 255}.{i & 255}" if has else None
            for i, has in zip(number, has_external, strict=True)
        ]
        self.is_reserved = has_external & (random.random(vms) < 1 / 6)
        self.machine_type = random.integers(0, len(MACHINE_TYPES), vms)
        self._add_edges(random, np.flatnonzero(has_external))

    def _add_edges(self, random: np.random.Generator, with_external: Array) -> None:
        vms, edges = self.vms, self.edges
        self.kind = random.choice(len(SHARES), edges, p=SHARES)
        src = random.integers(0, vms, edges)
        near = (src + random.integers(1, max(2, min(200, vms)), edges)) % vms
        dst = np.where(random.random(edges) < 0.7, near, random.integers(0, vms, edges))
        dst = np.where(dst == src, (dst + 1) % vms, dst)
        # External talk needs addresses at both ends: the receiver sees the sender's.
        pool = with_external if len(with_external) > 1 else np.arange(vms)
        over_external = self.kind == EXTERNAL
        src = np.where(over_external, random.choice(pool, edges), src)
        dst = np.where(over_external, random.choice(pool, edges), dst)
        dst = np.where(
            over_external & (dst == src),
            np.roll(pool, 1)[np.searchsorted(pool, dst) % len(pool)],
            dst,
        )
        by_zone = {z: pool[self.zone[pool] == z] for z in range(len(ZONES))}
        for edge in np.flatnonzero(over_external & (random.random(edges) < 0.5)):
            mates = by_zone[int(self.zone[src[edge]])]
            mates = mates[mates != src[edge]]
            if len(mates):
                dst[edge] = mates[edge % len(mates)]
        self.src, self.dst = src, dst
        self.peer = random.integers(0, 20_000, edges)
        self.dst_port = random.choice(PORTS, edges)
        self.is_tcp = random.random(edges) < 0.85
        self.log_bytes = random.normal(11.0, 1.8, edges)
        self.rtt_ms = np.round(random.gamma(2.0, 1.5, edges) + 0.08, 3)
        weight = (np.arange(1, edges + 1) ** -0.8)[random.permutation(edges)]
        self.cumulated = np.cumsum(weight / weight.sum())
        has_src = self.kind != FROM_INTERNET
        has_dst = np.isin(self.kind, (INTERNAL, EXTERNAL, FROM_INTERNET))
        self.src_logs = has_src & (self.subnet[src] != UNLOGGED)
        self.dst_logs = has_dst & (self.subnet[dst] != UNLOGGED)

    def path_class(self) -> list[str]:
        """Return the path class of every edge, worked out from the model alone."""
        near = np.where(
            self.zone[self.src] == self.zone[self.dst],
            "same-zone",
            np.where(self.region[self.src] == self.region[self.dst], "inter-zone", "inter-region"),
        )
        partner = np.where(
            self.peer % len(ZONES) == self.zone[self.src],
            "same-zone",
            np.where(
                self.peer % len(ZONES) // 3 == self.region[self.src], "inter-zone", "inter-region"
            ),
        )
        names = {
            INTERNAL: [f"{n}-internal" for n in near],
            EXTERNAL: [f"{n}-external" for n in near],
            FOREIGN: [f"{n}-internal" for n in partner],
        }
        fixed = {TO_INTERNET: "internet", FROM_INTERNET: "internet", TO_GOOGLE: "google-apis"}
        return [
            names[kind][i] if kind in names else fixed[kind]
            for i, kind in enumerate(self.kind.tolist())
        ]

    def peer_address(self, peer: int, kind: int) -> str:
        """Return the address of an end that is not one of the machines."""
        if kind == FOREIGN:
            return f"10.200.{peer >> 8 & 255}.{peer & 255}"
        if kind == TO_GOOGLE:
            return f"142.250.{peer % 97}.{peer % 89}"
        return f"45.{peer >> 8 & 127}.{peer & 255}.{peer % 250 + 1}"


def inventory_pages(world: World) -> dict[str, Any]:
    """Return the project as pages of the Compute API, by file name."""
    base = f"{API}/projects/{PROJECT}"
    network = f"{base}/global/networks/{NETWORK}"
    instances: dict[str, Any] = {f"zones/{zone}": {"instances": []} for zone in ZONES}
    addresses: dict[str, Any] = {f"regions/{region}": {"addresses": []} for region in REGIONS}
    for i, name in enumerate(world.name):
        zone, region = ZONES[world.zone[i]], REGIONS[world.region[i]]
        link = f"{base}/zones/{zone}/instances/{name}"
        nic: dict[str, Any] = {
            "name": "nic0",
            "network": network,
            "subnetwork": f"{base}/regions/{region}/subnetworks/{SUBNETS[world.subnet[i]][0]}",
            "networkIP": world.ip[i],
            "stackType": "IPV4_ONLY",
        }
        if world.external[i]:
            nic["accessConfigs"] = [
                {
                    "type": "ONE_TO_ONE_NAT",
                    "name": "External NAT",
                    "natIP": world.external[i],
                    "networkTier": "PREMIUM",
                }
            ]
        instances[f"zones/{zone}"]["instances"].append(
            {
                "kind": "compute#instance",
                "id": str(7_000_000_000_000_000_000 + i),
                "creationTimestamp": "2026-01-10T08:00:00.000-08:00",
                "lastStartTimestamp": "2026-01-10T08:00:10.000-08:00",
                "name": name,
                "machineType": (
                    f"{base}/zones/{zone}/machineTypes/{MACHINE_TYPES[world.machine_type[i]]}"
                ),
                "status": "RUNNING",
                "zone": f"{base}/zones/{zone}",
                "cpuPlatform": "Intel Cascade Lake",
                "networkInterfaces": [nic],
                "selfLink": link,
            }
        )
        if world.is_reserved[i]:
            addresses[f"regions/{region}"]["addresses"].append(
                {
                    "kind": "compute#address",
                    "id": str(6_000_000_000_000_000_000 + i),
                    "creationTimestamp": "2026-01-09T08:00:00.000-08:00",
                    "name": f"address-{i:06d}",
                    "address": world.external[i],
                    "addressType": "EXTERNAL",
                    "status": "IN_USE",
                    "networkTier": "PREMIUM",
                    "region": f"{base}/regions/{region}",
                    "selfLink": f"{base}/regions/{region}/addresses/address-{i:06d}",
                    "users": [link],
                }
            )
    subnets: dict[str, Any] = {f"regions/{region}": {"subnetworks": []} for region in REGIONS}
    for number, (name, region) in enumerate(SUBNETS):
        subnets[f"regions/{region}"]["subnetworks"].append(
            {
                "kind": "compute#subnetwork",
                "id": str(5_000_000_000_000_000_000 + number),
                "name": name,
                "network": network,
                "ipCidrRange": f"10.{number}.0.0/16",
                "region": f"{base}/regions/{region}",
                "selfLink": f"{base}/regions/{region}/subnetworks/{name}",
                "logConfig": {
                    "enable": number != UNLOGGED,
                    "aggregationInterval": "INTERVAL_5_SEC",
                    "flowSampling": 0.5,
                    "metadata": "INCLUDE_ALL_METADATA",
                },
            }
        )
    return {
        "instances": {"kind": "compute#instanceAggregatedList", "items": instances},
        "addresses": {"kind": "compute#addressAggregatedList", "items": addresses},
        "subnetworks": {"kind": "compute#subnetworkAggregatedList", "items": subnets},
        "networks": {
            "kind": "compute#networkList",
            "items": [
                {
                    "kind": "compute#network",
                    "id": "4000000000000000000",
                    "name": NETWORK,
                    "selfLink": network,
                    "mtu": 1460,
                    "autoCreateSubnetworks": False,
                }
            ],
        },
    }


class Chunk:
    """Some records as plain columns; `side` is 0 for the sender's report, 1 for the receiver's."""

    def __init__(
        self, world: World, seed: int, number: int, of: int, count: int, minutes: int
    ) -> None:
        random = np.random.default_rng([seed, 2, number])
        edge = np.searchsorted(world.cumulated, random.random(CHUNK)).clip(0, world.edges - 1)
        window_ms = minutes * 60_000
        start = ((number + random.random(CHUNK)) * window_ms / of).astype(np.int64)
        length = random.integers(1, INTERVAL_MS, CHUNK)
        src_port = random.integers(32_768, 60_999, CHUNK)
        size = np.exp(world.log_bytes[edge] + random.normal(0, 1.0, CHUNK))
        noise = random.uniform(0.9, 1.1, (2, CHUNK))
        seen = random.random((2, CHUNK)) < REPORT_PROBABILITY
        rtt = np.maximum(1, np.round(world.rtt_ms[edge] * random.uniform(0.8, 1.2, CHUNK) * 1000))
        by_src = np.flatnonzero(world.src_logs[edge] & seen[0])
        by_dst = np.flatnonzero(world.dst_logs[edge] & seen[1])
        row = np.concatenate([by_src, by_dst])
        side = np.concatenate([np.zeros(len(by_src), np.int64), np.ones(len(by_dst), np.int64)])
        order = random.permutation(np.argsort(row, kind="stable")[:count])
        row, side = row[order], side[order]
        self.edge, self.side = edge[row], side
        self.bytes = np.maximum(0, size[row] * noise[side, row]).astype(np.int64)
        self.packets = -(-self.bytes // BYTES_PER_PACKET)
        self.start_ms, self.end_ms = start[row], start[row] + length[row]
        self.src_port, self.rtt_us = src_port[row], rtt[row]
        self.number = number
        self._spoil(random)

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.edge)

    def _spoil(self, random: np.random.Generator) -> None:
        """Choose the malformed records: -1 is none, else the kind of fault."""
        self.fault = np.full(len(self), -1)
        positions = np.arange(7, len(self), MALFORMED_EVERY)
        self.fault[positions] = random.integers(0, len(KINDS_OF_FAULT), len(positions))

    def byte_texts(self) -> Array:
        """Return the byte counts as the records have them, faults included."""
        texts: Array = self.bytes.astype(str).astype(object)
        for fault, text in ((1, "-1500"), (2, str(ABSURD_BYTES)), (4, "many")):
            texts[self.fault == fault] = text
        return texts

    def ends(self) -> Array:
        """Return the end times as the records have them."""
        ends: Array = np.where(self.fault == 3, self.start_ms - 1_000, self.end_ms)
        return ends


def times(values_ms: Array) -> pa.Array:
    """Return times as RFC 3339 texts."""
    stamps = pa.array(START + values_ms.astype("timedelta64[ms]"))
    return pc.binary_join_element_wise(pc.strftime(stamps, "%Y-%m-%dT%H:%M:%S"), pa.scalar("Z"), "")


class Ends:
    """Addresses and names of both ends of some records, as indexes into lists of texts."""

    def __init__(self, world: World, chunk: Chunk) -> None:
        edge, kind = chunk.edge, world.kind[chunk.edge]
        vms = world.vms
        src, dst, peer = world.src[edge], world.dst[edge], world.peer[edge]
        by_receiver = chunk.side == 1
        over_external = kind == EXTERNAL
        # Texts: internal addresses, external ones, then peers by kind.
        offset = {
            FOREIGN: 2 * vms,
            TO_INTERNET: 2 * vms + 20_000,
            FROM_INTERNET: 2 * vms + 20_000,
            TO_GOOGLE: 2 * vms + 40_000,
        }
        outside = np.select([kind == k for k in offset], [peer + o for o in offset.values()], 0)
        self.src_ip = np.where(
            kind == FROM_INTERNET, outside, np.where(over_external & by_receiver, vms + src, src)
        )
        self.dst_ip = np.where(
            np.isin(kind, (FOREIGN, TO_INTERNET, TO_GOOGLE)),
            outside,
            np.where(over_external & ~by_receiver, vms + dst, dst),
        )
        self.src, self.dst, self.peer, self.kind = src, dst, peer, kind
        self.no_src = kind == FROM_INTERNET
        self.no_dst = np.isin(kind, (TO_INTERNET, TO_GOOGLE))


def address_texts(world: World) -> list[str]:
    """Return every address that occurs, in the order that `Ends` counts."""
    peers = range(20_000)
    return [
        *world.ip,
        *(text or "" for text in world.external),
        *(world.peer_address(p, FOREIGN) for p in peers),
        *(world.peer_address(p, TO_INTERNET) for p in peers),
        *(world.peer_address(p, TO_GOOGLE) for p in peers),
    ]


class ParquetWriter:
    """Writes records as a BigQuery export: nested, counts and times as text, numbers as FLOAT64."""

    suffix = "parquet"

    def __init__(self, world: World) -> None:
        self._world = world
        self._addresses = pa.array(address_texts(world), pa.string())

    def write(self, path: Path, chunks: list[Chunk]) -> None:
        """Write one file."""
        tables = [self._table(chunk) for chunk in chunks]
        with pq.ParquetWriter(
            path, tables[0].schema, compression="snappy", store_schema=False
        ) as out:
            for table in tables:
                out.write_table(table, row_group_size=CHUNK)

    def _table(self, chunk: Chunk) -> pa.Table:
        world, ends = self._world, Ends(self._world, chunk)
        count = len(chunk)
        is_tcp = world.is_tcp[chunk.edge]
        no_count = chunk.fault == 0
        connection = pa.StructArray.from_arrays(
            [
                self._address(ends.dst_ip),
                pa.array(world.dst_port[chunk.edge].astype(float)),
                pa.array(np.where(is_tcp, 6.0, 17.0)),
                self._address(ends.src_ip),
                pa.array(chunk.src_port.astype(float)),
            ],
            ["dest_ip", "dest_port", "protocol", "src_ip", "src_port"],
        )
        columns = {
            "connection": connection,
            "reporter": _take(("SRC", "DEST"), chunk.side),
            "bytes_sent": pa.array(chunk.byte_texts(), pa.string(), mask=no_count),
            "packets_sent": pa.array(chunk.packets).cast(pa.string()),
            "round_trip_time": _struct(
                {"median_msec": pa.array(chunk.rtt_us / 1000, mask=~is_tcp)}, ~is_tcp
            ),
            "start_time": times(chunk.start_ms),
            "end_time": times(chunk.ends()),
            **self._machine("src", ends.src, ends.no_src, ends),
            **self._machine("dest", ends.dst, ends.no_dst, ends),
            **_place("src", ends.peer, ends.kind != FROM_INTERNET),
            **_place("dest", ends.peer, ends.kind != TO_INTERNET),
            "dest_google_service": _struct(
                {
                    "type": _take(("GOOGLE_API",), ends.peer * 0, ends.kind != TO_GOOGLE),
                    "service_name": _take(
                        SERVICES, ends.peer % len(SERVICES), ends.kind != TO_GOOGLE
                    ),
                },
                ends.kind != TO_GOOGLE,
            ),
        }
        payload = pa.StructArray.from_arrays(list(columns.values()), list(columns))
        log = f"projects/{PROJECT}/logs/compute.googleapis.com%2Fvpc_flows"
        one = np.zeros(count, np.int64)
        return pa.table(
            {
                "logName": _take((log,), one),
                "resource": pa.StructArray.from_arrays([_take(("gce_subnetwork",), one)], ["type"]),
                "jsonPayload": payload,
                "insertId": pc.binary_join_element_wise(
                    pa.scalar(f"{chunk.number:08x}"),
                    pa.array(np.arange(count)).cast(pa.string()),
                    "-",
                ),
            }
        )

    def _address(self, index: Array) -> pa.Array:
        return pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), self._addresses)

    def _machine(self, end: str, vm: Array, missing: Array, ends: Ends) -> dict[str, pa.Array]:
        world = self._world
        foreign = (ends.kind == FOREIGN) if end == "dest" else np.zeros(len(vm), bool)
        zone = np.where(foreign, ends.peer % len(ZONES), world.zone[vm])
        names = [*world.name, *(f"partner-{i:05d}" for i in range(20_000))]
        name = np.where(foreign, world.vms + ends.peer, vm)
        project = _take((PROJECT, PARTNER), foreign.astype(np.int64), missing)
        subnets = (*(name for name, _ in SUBNETS), "partner-subnet")
        subnet = np.where(foreign, len(SUBNETS), world.subnet[vm])
        return {
            f"{end}_instance": _struct(
                {
                    "project_id": project,
                    "region": _take(REGIONS, zone // 3, missing),
                    "vm_name": _take(names, name, missing),
                    "zone": _take(ZONES, zone, missing),
                },
                missing,
            ),
            f"{end}_vpc": _struct(
                {
                    "project_id": project,
                    "subnetwork_name": _take(subnets, subnet, missing),
                    "subnetwork_region": _take(REGIONS, zone // 3, missing),
                    "vpc_name": _take((NETWORK, "partner-vpc"), foreign.astype(np.int64), missing),
                },
                missing,
            ),
        }


def _take(values: Any, index: Array, missing: Array | None = None) -> pa.Array:
    return pa.DictionaryArray.from_arrays(
        pa.array(index.astype(np.int32), mask=missing), pa.array(list(values), pa.string())
    )


def _struct(fields: dict[str, pa.Array], missing: Array) -> pa.StructArray:
    # The children are masked as well: a reader that trusts their null counts would go wrong.
    return pa.StructArray.from_arrays(list(fields.values()), list(fields), mask=pa.array(missing))


def _place(end: str, peer: Array, missing: Array) -> dict[str, pa.Array]:
    place = peer % len(PLACES)
    fields = {
        "continent": _take([p[0] for p in PLACES], place, missing),
        "country": _take([p[1] for p in PLACES], place, missing),
    }
    return {f"{end}_location": _struct(fields, missing)}


class JsonWriter:
    """Writes records as JSON lines gz; what an entry lacks is absent, not null."""

    suffix = "json.gz"

    def __init__(self, world: World) -> None:
        self._world = world
        self._addresses = address_texts(world)
        self._known: dict[tuple[int, int], str] = {}

    def write(self, path: Path, chunks: list[Chunk]) -> None:
        """Write one file."""
        with gzip.GzipFile(path, "wb", compresslevel=1, mtime=0) as out:
            for chunk in chunks:
                out.write(self._lines(chunk).encode())

    def _lines(self, chunk: Chunk) -> str:
        world, ends = self._world, Ends(self._world, chunk)
        starts, finishes = times(chunk.start_ms).to_pylist(), times(chunk.ends()).to_pylist()
        texts = chunk.byte_texts()
        lines = []
        for i, edge in enumerate(chunk.edge.tolist()):
            side = int(chunk.side[i])
            head = self._known.get((edge, side))
            if head is None:
                head = self._known[edge, side] = self._head(ends, i, edge, side)
            rtt = (
                f'"round_trip_time":{{"median_msec":{chunk.rtt_us[i] / 1000:g}}},'
                if world.is_tcp[edge]
                else ""
            )
            line = (
                f'{{"insertId":"{chunk.number:08x}-{i}","jsonPayload":{{{head}{chunk.src_port[i]}}},'
                f'"bytes_sent":"{texts[i]}","packets_sent":"{chunk.packets[i]}",{rtt}'
                f'"start_time":"{starts[i]}","end_time":"{finishes[i]}"}},'
                f'"logName":"projects/{PROJECT}/logs/compute.googleapis.com%2Fvpc_flows",'
                f'"resource":{{"type":"gce_subnetwork","labels":{{"project_id":"{PROJECT}"}}}},'
                f'"timestamp":"{finishes[i]}"}}\n'
            )
            lines.append(line[: len(line) // 2] + "\n" if chunk.fault[i] == 0 else line)
        return "".join(lines)

    def _head(self, ends: Ends, i: int, edge: int, side: int) -> str:
        world, kind, peer = self._world, int(ends.kind[i]), int(ends.peer[i])
        parts = []
        if not ends.no_src[i]:
            parts.append(self._machine("src", int(ends.src[i])))
        if kind == FOREIGN:
            parts.append(_partner(peer))
        elif not ends.no_dst[i]:
            parts.append(self._machine("dest", int(ends.dst[i])))
        if kind in (TO_INTERNET, FROM_INTERNET):
            continent, country = PLACES[peer % len(PLACES)]
            end = "dest" if kind == TO_INTERNET else "src"
            parts.append(f'"{end}_location":{{"continent":"{continent}","country":"{country}"}},')
        if kind == TO_GOOGLE:
            service = SERVICES[peer % len(SERVICES)]
            parts.append(
                f'"dest_google_service":{{"type":"GOOGLE_API","service_name":"{service}"}},'
            )
        return (
            f'"reporter":"{"DEST" if side else "SRC"}",{"".join(parts)}"connection":{{'
            f'"dest_ip":"{self._addresses[ends.dst_ip[i]]}","dest_port":{world.dst_port[edge]},'
            f'"protocol":{6 if world.is_tcp[edge] else 17},'
            f'"src_ip":"{self._addresses[ends.src_ip[i]]}","src_port":'
        )

    def _machine(self, end: str, vm: int) -> str:
        world = self._world
        zone, region = ZONES[world.zone[vm]], REGIONS[world.region[vm]]
        return _machine_text(
            end, PROJECT, world.name[vm], zone, region, NETWORK, SUBNETS[world.subnet[vm]][0]
        )


def _partner(peer: int) -> str:
    zone = ZONES[peer % len(ZONES)]
    region = zone.rpartition("-")[0]
    return _machine_text(
        "dest", PARTNER, f"partner-{peer:05d}", zone, region, "partner-vpc", "partner-subnet"
    )


def _machine_text(
    end: str, project: str, name: str, zone: str, region: str, network: str, subnet: str
) -> str:
    return (
        f'"{end}_instance":{{"project_id":"{project}","region":"{region}","vm_name":"{name}","zone":"{zone}"}},'
        f'"{end}_vpc":{{"project_id":"{project}","subnetwork_name":"{subnet}",'
        f'"subnetwork_region":"{region}","vpc_name":"{network}"}},'
    )


class Expected:
    """Adds up what a reader must find."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._classes = np.array(world.path_class())
        self.sums: Counter[str] = Counter()
        self.by_class: Counter[str] = Counter()
        self.excluded: Counter[str] = Counter()

    def add(self, chunk: Chunk) -> None:
        """Add the records of a chunk."""
        world = self._world
        good = chunk.fault < 0
        counts = good & (np.where(world.src_logs[chunk.edge], 0, 1) == chunk.side)
        header = np.where(world.is_tcp[chunk.edge], TCP_HEADER, UDP_HEADER)
        self.sums["records"] += len(chunk)
        self.sums["counted_records"] += int(counts.sum())
        self.sums["payload_bytes"] += int(chunk.bytes[counts].sum())
        self.sums["packet_count"] += int(chunk.packets[counts].sum())
        self.sums["header_bytes"] += int((chunk.packets * header)[counts].sum())
        self.sums["other_side_bytes"] += int(chunk.bytes[good & ~counts].sum())
        for fault, count in zip(*np.unique(chunk.fault[~good], return_counts=True), strict=True):
            self.excluded[KINDS_OF_FAULT[fault]] += int(count)
        classes = self._classes[chunk.edge[counts]]
        for name in np.unique(classes):
            self.by_class[str(name)] += int(chunk.bytes[counts][classes == name].sum())

    def as_dict(self) -> dict[str, Any]:
        """Return the sums as they are written."""
        return {
            **dict(sorted(self.sums.items())),
            "by_class": dict(sorted(self.by_class.items())),
            "excluded": dict(sorted(self.excluded.items())),
        }


def generate(
    out: Path,
    *,
    records: int,
    vms: int,
    edges: int,
    minutes: int,
    layout: str = "parquet",
    records_per_file: int = 2_000_000,
    seed: int = 1,
) -> dict[str, Any]:
    """Write a project and its flow logs; return what to expect of them."""
    world = World(vms, edges, seed)
    (out / "inventory").mkdir(parents=True, exist_ok=True)
    (out / "flows").mkdir(exist_ok=True)
    for name, page in inventory_pages(world).items():
        (out / "inventory" / f"{name}.json").write_text(json.dumps(page), encoding="utf-8")
    writer = ParquetWriter(world) if layout == "parquet" else JsonWriter(world)
    expected = Expected(world)
    done = number = part = 0
    waiting: list[Chunk] = []
    while done < records:
        chunk = Chunk(
            world, seed, number, -(-records // CHUNK), min(CHUNK, records - done), minutes
        )
        expected.add(chunk)
        waiting.append(chunk)
        done, number = done + len(chunk), number + 1
        if sum(map(len, waiting)) >= records_per_file or done >= records:
            writer.write(out / "flows" / f"flows-{part:05d}.{writer.suffix}", waiting)
            waiting, part = [], part + 1
    answer = expected.as_dict()
    (out / "expected.json").write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    return answer


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--vms", type=int, default=10_000)
    parser.add_argument("--edges", type=int, help="directed pairs (20 a VM)")
    parser.add_argument("--minutes", type=int, default=1_440)
    parser.add_argument("--format", choices=("parquet", "json"), default="parquet")
    parser.add_argument("--records-per-file", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    answer = generate(
        options.out,
        records=options.records,
        vms=options.vms,
        edges=options.edges or 20 * options.vms,
        minutes=options.minutes,
        layout=options.format,
        records_per_file=options.records_per_file,
        seed=options.seed,
    )
    print(f"{answer['records']:,} records under {options.out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
