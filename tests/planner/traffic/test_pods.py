"""Traffic of pods by workload, zone and Service: flow logs, tables of pods, Hubble."""

import gzip
import json
import random
import tracemalloc
import zlib
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from netplan_planner.model import Inventory, OwnerKind, PathClass
from netplan_planner.model.evidence.pod_traffic import PodFlow, PodSource, PodTraffic
from netplan_planner.readers import read_inventory
from netplan_planner.traffic import TrafficOptions, read_pod_traffic, read_traffic
from netplan_planner.traffic.files.embedded import open_engine
from netplan_planner.traffic.pod_flows.pod_records import queries_of
from netplan_planner.traffic.read import sources_of
from support.flows.records import START, Json, entry, lines
from support.listed import listed
from support.projects import one_cluster

A, B = one_cluster.ZONES
WEB, DB = "web-75b66db9b9-aaaaa", "db-0"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Inventory:
    folder = one_cluster.write_kubernetes("list", tmp_path_factory.mktemp("cluster"))
    (folder / "vms.json").write_text(json.dumps([one_cluster.vm(0), one_cluster.vm(1)]))
    return read_inventory([folder])


def gke(pod: str, workload: str | None = None, service: str | None = None) -> Json:
    """What a record says of a pod of namespace `shop`."""
    named: Json = {"pod_name": pod, "pod_namespace": "shop"}
    if workload is not None:
        named["pod_workload"] = {"workload_name": workload, "workload_type": "DEPLOYMENT"}
    services = [{"service_name": service, "service_namespace": "shop"}] if service else []
    return {"cluster": {"cluster_name": "shop"}, "pod": named, "service": services}


def record(payload: int, *, by: str = "SRC", is_reply: bool = False, **more: Any) -> Json:
    """A record of the web pod and the database, or of its answer."""
    web, database = gke(WEB, "web"), gke(DB, "db", "db")
    src, dst = (database, web) if is_reply else (web, database)
    ends = ("10.8.1.7", "10.8.0.7") if is_reply else ("10.8.0.7", "10.8.1.7")
    zones = (B, A) if is_reply else (A, B)
    return entry(
        *ends,
        payload,
        by=by,
        ports=(3306, 40_000) if is_reply else (40_000, 3306),
        src_gke_details=src,
        dest_gke_details=dst,
        src_instance={"vm_name": f"n-{zones[0]}", "zone": zones[0]},
        dest_instance={"vm_name": f"n-{zones[1]}", "zone": zones[1]},
        **more,
    )


def pods(paths: list[Path], *about: Any, **more: Any) -> PodTraffic:
    found = read_pod_traffic(paths, *about, **more)
    assert found is not None
    return found


def read(folder: Path, entries: Iterable[Json], inventory: Inventory | None = None) -> PodTraffic:
    path = folder / "flows.json"
    path.write_text(lines(entries))
    return pods([path], inventory or Inventory())


def said(flow: PodFlow) -> tuple[object, ...]:
    return (
        flow.src.workload,
        flow.src.zone,
        flow.dst.workload,
        flow.dst.zone,
        flow.service,
        flow.is_reply,
        flow.payload_bytes,
    )


def test_flow_logs_name_workloads_zones_and_services(tmp_path: Path) -> None:
    found = read(tmp_path, [record(100), record(50), record(900, is_reply=True)])
    assert [said(flow) for flow in found.flows] == [
        ("shop/db", B, "shop/web", A, "shop/db", True, 900),
        ("shop/web", A, "shop/db", B, "shop/db", False, 150),
    ]
    assert found.flows[0].path_class is PathClass.INTER_ZONE_INTERNAL_POD
    assert found.flows[0].src.cluster == "shop"
    assert found.sources == (PodSource.FLOW_LOGS,)
    assert found.window_seconds == 59


LESS = record(90, by="DEST", is_reply=True)
LESS["jsonPayload"]["src_gke_details"] = gke(DB)
OUTSIDE = entry("10.8.0.7", "8.8.8.8", 10, src_gke_details=gke(WEB))


@listed(
    ("entries", "payloads", "left_out"),
    [
        ([record(100), record(90, by="DEST")], [100], {"also reported by the sender": 1}),
        ([record(90, by="DEST")], [90], {}),
        # Of two configurations.
        ([record(100), record(80, configuration="again")], [100], {}),
        # Where one says less of the sender.
        ([record(100, is_reply=True), LESS], [100], {"also reported by the sender": 1}),
        ([record(1), OUTSIDE], [1], {"an end that is not a Pod": 1}),
    ],
)
def test_what_is_reported_twice_counts_once_and_what_is_no_pod_not_at_all(
    tmp_path: Path, entries: list[Json], payloads: list[int], left_out: dict[str, int]
) -> None:
    found = read(tmp_path, entries)
    assert [flow.payload_bytes for flow in found.flows] == payloads
    assert left_out.items() <= dict(found.left_out).items()


def test_flows_of_no_pod_are_no_traffic_of_pods(tmp_path: Path) -> None:
    path = tmp_path / "only.json"
    path.write_text(lines([OUTSIDE]))
    assert read_pod_traffic([path], Inventory()) is None


@pytest.mark.parametrize("packings", [("plain",), ("plain", "gzip"), ("zstd", "gzip")])
def test_equal_entries_count_once_wherever_they_stand(
    tmp_path: Path, packings: tuple[str, ...]
) -> None:
    entries = [record(100, insert_id="a"), record(100, insert_id="b"), record(7), record(7)]
    text = lines([*entries, entries[0]] if len(packings) == 1 else entries).encode()
    for number, packing in enumerate(packings):
        (tmp_path / f"{number}.json").write_bytes(PACKINGS[packing](text))
    paths = sorted(tmp_path.iterdir())
    # What `entry` gives no id is never equal to another, and stands in each file.
    payload = 200 + 14 * len(packings)
    beside = read_traffic(paths, Inventory())
    assert sum(edge.payload_bytes for edge in beside.edges) == payload
    for found in (pods(paths, Inventory()), pods(paths, Inventory(), beside=beside)):
        assert [flow.payload_bytes for flow in found.flows] == [payload]


def test_a_month_of_pods_is_that_of_all_traffic(tmp_path: Path) -> None:
    """Their records can begin later and end earlier than those of other machines."""
    others = [entry("10.1.0.1", "10.1.0.2", 10, start=at, end=at + 59) for at in (0, 7200)]
    path = tmp_path / "flows.json"
    path.write_text(lines([record(100, start=3600, end=3650), *others]))
    beside = read_traffic([path], Inventory())
    assert pods([path], Inventory()).month_seconds == 50
    found = pods([path], Inventory(), beside=beside)
    assert found.month_seconds == beside.month_seconds == 7260


def test_what_is_outside_the_window_asked_for_is_left_out(tmp_path: Path, known: Inventory) -> None:
    options = TrafficOptions(since=START, until=START + timedelta(hours=1))
    logs, table = tmp_path / "flows.json", tmp_path / "pods.csv"
    logs.write_text(
        lines(
            record(payload, start=at, end=at + 5)
            for payload, at in ((1, -1), (20, 0), (300, 3590), (4000, 3600))
        )
    )
    table.write_text(
        "src,dst,bytes,start,end\n"
        f"shop/{WEB},shop/{DB},20,2026-03-02T10:00:00Z,2026-03-02T10:01:00Z\n"
        f"shop/{WEB},shop/{DB},1,2026-03-02T09:59:59Z,2026-03-02T10:01:00Z\n"
        f"shop/{WEB},shop/{DB},4000,2026-03-02T11:00:00Z,2026-03-02T11:01:00Z\n"
    )
    for path, payload in ((logs, 320), (table, 20)):
        beside = read_traffic([path], known, options)
        found = pods([path], known, options, beside)
        assert [flow.payload_bytes for flow in found.flows] == [payload]
        assert found.month_seconds == beside.month_seconds == 3600


def test_packets_have_headers_and_dropped_ones_count_nothing(tmp_path: Path) -> None:
    found = read(tmp_path, [record(100, packets=2), record(7, is_dropped=True)])
    (flow,) = found.flows
    assert (flow.payload_bytes, flow.header_bytes, flow.wire_bytes) == (100, 104, 204)


def test_records_without_workload_and_service_take_them_of_the_cluster(
    tmp_path: Path, known: Inventory
) -> None:
    bare = entry("10.8.0.7", "10.8.1.7", 5, src_gke_details=gke(WEB), dest_gke_details=gke(DB))
    (flow,) = read(tmp_path, [bare], known).flows
    assert said(flow) == ("shop/web", A, "shop/db", B, "shop/db", False, 5)


def test_parquet_reads_as_json_lines_do(tmp_path: Path) -> None:
    entries = [record(100, packets=1), record(900, packets=3, is_reply=True)]
    path = tmp_path / "flows.parquet"
    pq.write_table(pa.Table.from_pylist(entries), path)
    assert pods([path], Inventory()) == read(tmp_path, entries)


def test_a_table_of_pods_and_workloads(tmp_path: Path, known: Inventory) -> None:
    path = tmp_path / "pods.csv"
    path.write_text(
        "src,dst,bytes,start,end\n"
        f"shop/{WEB},shop/db,1000,2026-03-02T10:00:00Z,2026-03-02T11:00:00Z\n"
        f"shop/db,10.8.0.7,4000,2026-03-02T10:00:00Z,2026-03-02T11:00:00Z\n"
        "other/job,shop/db,10,2026-03-02T10:00:00Z,2026-03-02T11:00:00Z\n"
        "outside,shop/db,10,2026-03-02T10:00:00Z,2026-03-02T11:00:00Z\n"
    )
    found = pods([path], known)
    assert [said(flow) for flow in found.flows] == [
        ("shop/db", B, "shop/web", A, "shop/db", True, 4000),
        ("shop/web", A, "shop/db", B, "shop/db", False, 1000),
        ("other/job", None, "shop/db", B, "shop/db", False, 10),
    ]
    assert found.left_out == (("an end that is not a Pod", 1),)
    assert found.month_seconds == 3600
    assert found.flows[2].path_class is None


def test_a_table_of_rates_is_an_hour(tmp_path: Path, known: Inventory) -> None:
    path = tmp_path / "pods.csv"
    path.write_text(f"src,dst,gbps,service\nshop/{WEB},shop/{DB},1,shop/db\n")
    found = pods([path], known)
    assert found.flows[0].payload_bytes == 450_000_000_000
    assert (found.is_steady, found.window_seconds, found.month_seconds) == (True, None, 3600)


def test_a_table_of_pods_is_traffic_of_their_nodes(tmp_path: Path, known: Inventory) -> None:
    path = tmp_path / "pods.csv"
    path.write_text(f"src,dst,gbps\nshop/{WEB},shop/db,1\n10.8.1.7,10.8.0.7,1\n")
    matrix = read_traffic([path], known)
    names = [(matrix.owners[e.src].name, matrix.owners[e.dst].name) for e in matrix.edges]
    assert names == [
        ("gke-shop-pool-0", "gke-shop-pool-1"),
        ("gke-shop-pool-1", "gke-shop-pool-0"),
    ]
    assert {e.path_class for e in matrix.edges} == {PathClass.INTER_ZONE_INTERNAL_POD}
    assert {matrix.owners[e.src].kind for e in matrix.edges} == {OwnerKind.VM}


ACK = {"ACK": True}


def hubble(
    src: str, dst: str, *, direction: str = "EGRESS", ports: Any = (40_000, 3306), **more: Any
) -> str:
    ends = {
        side: {"namespace": "shop", "pod_name": pod, "labels": [], "ID": 5}
        for side, pod in (("source", src), ("destination", dst))
    }
    flow = {
        "time": "2026-03-02T10:00:00.123456789Z",
        "verdict": "FORWARDED",
        "traffic_direction": direction,
        "l4": {"TCP": {"source_port": ports[0], "destination_port": ports[1], "flags": ACK}},
        "Type": "L3_L4",
        **ends,
        **more,
    }
    return json.dumps({"flow": flow, "node_name": "shop/n"}) + "\n"


def test_hubble_counts_events_and_no_bytes(tmp_path: Path, known: Inventory) -> None:
    path = tmp_path / "hubble.jsonl"
    path.write_text(
        hubble(WEB, DB)
        + hubble(WEB, DB)
        + hubble(WEB, DB, direction="INGRESS")
        + hubble(DB, WEB, ports=(3306, 40_000))
        + hubble(WEB, DB, verdict="DROPPED")
        + hubble(WEB, "")
        + "{}\nnot json\n"
    )
    found = pods([path], known)
    assert [(*said(flow), flow.record_count) for flow in found.flows] == [
        ("shop/web", A, "shop/db", B, "shop/db", False, None, 2),
        ("shop/db", B, "shop/web", A, "shop/db", True, None, 1),
    ]
    assert not found.has_bytes
    assert found.record_count == 8
    assert dict(found.left_out) == {
        "an end that is not a Pod": 1,
        "dropped or refused": 1,
        "not a flow (a lost-events or status line)": 1,
        "not readable": 1,
        "also reported by the sender's node": 1,
    }
    assert "they have no bytes and no price" in found.notes[0]


def test_events_outside_the_window_asked_for_are_left_out(tmp_path: Path, known: Inventory) -> None:
    path = tmp_path / "hubble.jsonl"
    path.write_text(hubble(WEB, DB) + hubble(WEB, DB, time="2026-03-02T11:00:00Z"))
    options = TrafficOptions(since=START, until=START + timedelta(hours=1))
    found = pods([path], known, options)
    assert [flow.record_count for flow in found.flows] == [1]
    assert dict(found.left_out) == {"outside the requested window": 1}


def test_events_are_never_added_to_volumes(tmp_path: Path, known: Inventory) -> None:
    (tmp_path / "a.jsonl").write_text(hubble(WEB, DB))
    (tmp_path / "b.json").write_text(lines([record(100)]))
    found = pods([tmp_path], known)
    assert found.sources == (PodSource.FLOW_LOGS,)
    assert [flow.payload_bytes for flow in found.flows] == [100]
    assert found.notes == ("also given, but not added: Hubble flows",)


def test_alike_files_are_read_in_one_query(known: Inventory, tmp_path: Path) -> None:
    """Pages of Cloud Logging are many small files."""
    records = [record(1000 + number) for number in range(6)]
    for number, one in enumerate(records):
        (tmp_path / f"{number}.json").write_text(lines([one]))
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "all.json").write_text(lines(records))
    pages = sorted(tmp_path.glob("*.json"))
    with open_engine(TrafficOptions(threads=1)) as engine:
        sources, _ = sources_of(pages, engine)
        assert len(list(queries_of(sources, engine, TrafficOptions()))) == 1
    assert pods(pages, known) == pods([tmp_path / "whole"], known)


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda text: text,
    "gzip": lambda text: gzip.compress(text, mtime=0),
    "gzip of two members": lambda text: gzip.compress(text[:300]) + gzip.compress(text[300:]),
    "zstd": zstandard.compress,
    "zstd of two frames": lambda text: b"".join(map(zstandard.compress, (text[:300], text[300:]))),
    "no last line end": lambda text: gzip.compress(text.rstrip()),
    "dos lines": lambda text: zstandard.compress(text.replace(b"\n", b"\r\n")),
    "behind lost events": lambda text: b'{"lost_events": {"source": "PERF_EVENT"}}\n' + text,
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_packed_flows_of_hubble_are_read_alike(
    tmp_path: Path, known: Inventory, packing: str
) -> None:
    text = (hubble(WEB, DB) * 3 + hubble(DB, WEB, ports=(3306, 40_000))).encode()
    (tmp_path / "flows").write_bytes(PACKINGS[packing](text))
    found = pods([tmp_path], known)
    assert [flow.record_count for flow in found.flows] == [3, 1]
    assert found.incomplete == ()
    assert all(flow.is_same_node is False for flow in found.flows)


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_flows_of_hubble_that_are_cut_say_so(
    tmp_path: Path, known: Inventory, packing: str
) -> None:
    chance = random.Random(1)
    events = [hubble(WEB, DB, uuid=f"{chance.getrandbits(256):x}") for _ in range(20_000)]
    whole = PACKINGS[packing]("".join(events).encode())
    path = tmp_path / "flows"
    path.write_bytes(whole[: len(whole) // 2])
    found = pods([path], known)
    assert 0 < found.flows[0].record_count < 20_000
    assert found.incomplete == (f"{path} ends early: only the text before the cut was read",)


def test_a_line_without_end_takes_no_memory(tmp_path: Path, known: Inventory) -> None:
    """One line of 300 MiB, which packs to little more than one."""
    path = tmp_path / "flows.gz"
    packer = zlib.compressobj(1, wbits=31)
    with path.open("wb") as out:
        out.write(packer.compress(hubble(WEB, DB).encode() + b'{"flow": "'))
        for _ in range(300):
            out.write(packer.compress(b"x" * 2**20))
        out.write(packer.compress(b'"}\n' + hubble(WEB, DB).encode()) + packer.flush())
    tracemalloc.start()
    found = read_pod_traffic([path], known)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    assert found.flows[0].record_count == 2
    assert dict(found.left_out) == {"not readable": 1}
    # A chunk of a hostile file is up to a thousand times the 64 KiB that are read of it at once.
    assert most < 250 * 2**20
