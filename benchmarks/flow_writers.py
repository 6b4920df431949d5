"""Writes made flow records as log files: Parquet of a BigQuery export, or JSON lines gz."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from flow_world import (
    CHUNK,
    FOREIGN,
    FROM_INTERNET,
    NETWORK,
    PARTNER,
    PLACES,
    PROJECT,
    REGIONS,
    SERVICES,
    START,
    SUBNETS,
    TO_GOOGLE,
    TO_INTERNET,
    ZONES,
    Array,
    Chunk,
    Ends,
    World,
    address_texts,
)

ZONE = "+05:30"
ZONE_SHIFT = np.timedelta64(330, "m")


def times(values_ms: Array) -> pa.Array:
    """Return times as RFC 3339 texts of nine digits, one of sixteen in a zone of its own.

    What is below a millisecond depends on a record's place alone: no start passes its end by it.
    """
    place = np.arange(len(values_ms))
    at = START + (values_ms * 1_000_000 + place * 104_729 % 1_000_000).astype("timedelta64[ns]")
    is_zoned = place % 16 == 5
    local = pa.array(np.where(is_zoned, at + ZONE_SHIFT, at))
    zone = pc.if_else(pa.array(is_zoned), ZONE, "Z")
    return pc.binary_join_element_wise(pc.strftime(local, "%Y-%m-%dT%H:%M:%S"), zone, "")


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
