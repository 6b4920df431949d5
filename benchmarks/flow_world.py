"""The made project and its traffic as plain columns; `generate.py` says how they are made."""

from typing import Any

import numpy as np
import numpy.typing as npt

PROJECT = "bench-net"
PARTNER = "partner-net"
NETWORK = "bench-vpc"
API = "https://www.googleapis.com/compute/v1"
REGIONS = ("us-central1", "us-east1", "europe-west1", "asia-southeast1")
LETTERS = {"us-east1": "bcd", "europe-west1": "bcd"}
"""Of the zones of regions that have no zone a."""
ZONES = tuple(f"{one}-{letter}" for one in REGIONS for letter in LETTERS.get(one, "abc"))
SUBNETS = tuple((f"{region}-{kind}", region) for region in REGIONS for kind in ("apps", "data"))
UNLOGGED = len(SUBNETS) - 1
REGION_RTT_MS = ((0, 32, 100, 190), (32, 0, 90, 215), (100, 90, 0, 160), (190, 215, 160, 0))
"""Made, in the size of what such distances take: flows over them must not look local."""
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
        near = np.where(self.zone[src] == self.zone[dst], 0.15, 0.6)
        far = np.array(REGION_RTT_MS)[self.region[src], self.region[dst]]
        distance_ms = np.where(self.region[src] == self.region[dst], near, far)
        outside = np.isin(self.kind, (TO_INTERNET, FROM_INTERNET, TO_GOOGLE))
        distance_ms = np.where(outside, 25.0, distance_ms)
        self.rtt_ms = np.round(distance_ms * random.uniform(1.0, 1.5, edges), 3)
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
