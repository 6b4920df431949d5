"""Flow logs that others recorded, read in place; plain JSON tells what they hold."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from netplan_planner.model import Inventory, OwnerKind, PathClass
from netplan_planner.traffic import read_traffic
from support.flows.records import Json, only_edge
from support.projects.shared_data import SHARED, needs_shared, shared

FOLDER = "data/recorded/vpc_flow_logs"
FILES = [] if SHARED is None else sorted((SHARED / FOLDER).glob("*.json"))
HEADERS = {1: 28, 6: 52}


def entries(path: Path) -> list[Json]:
    """Return the objects of a file, which may stand one after the other."""
    decoder, text = json.JSONDecoder(), path.read_text()
    found = []
    while text := text.strip():
        value, end = decoder.raw_decode(text)
        found += value if isinstance(value, list) else [value]
        text = text[end:]
    return found


@needs_shared
def test_there_are_recorded_files_of_both_logs() -> None:
    names = {item["logName"].rpartition("/")[2] for path in FILES for item in entries(path)}
    assert names == {
        "compute.googleapis.com%2Fvpc_flows",
        "networkmanagement.googleapis.com%2Fvpc_flows",
    }


@needs_shared
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem.rpartition("__")[2])
def test_a_recorded_file_reads_to_what_it_says(path: Path) -> None:
    (item,) = entries(path)
    body = item["jsonPayload"]
    payload, packets = int(body["bytes_sent"]), int(body["packets_sent"])
    wire = payload + packets * HEADERS[body["connection"]["protocol"]]
    start, end = (
        datetime.fromisoformat(body[name][:26] + "+00:00") for name in ("start_time", "end_time")
    )
    matrix = read_traffic([path], Inventory())
    edge = only_edge(matrix)
    assert (edge.payload_bytes, edge.packet_count, edge.wire_bytes) == (payload, packets, wire)
    assert edge.record_count == matrix.coverage.used_count == matrix.coverage.record_count == 1
    assert edge.series.byte_count == wire
    assert edge.rtt_ms == (float(body["rtt_msec"]) if "rtt_msec" in body else None)
    assert edge.by_destination_bytes == (payload if body["reporter"] == "DEST" else 0)
    assert matrix.start == start.replace(second=0, microsecond=0)
    assert matrix.end - timedelta(minutes=1) <= max(end, start) < matrix.end
    assert matrix.start.tzinfo is UTC
    assert matrix.coverage.excluded == ()
    assert matrix.coverage.notes == ()


@needs_shared
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem.rpartition("__")[2])
def test_the_ends_of_a_recorded_file_are_those_it_names(path: Path) -> None:
    (item,) = entries(path)
    body = item["jsonPayload"]
    matrix = read_traffic([path], Inventory())
    edge = only_edge(matrix)
    for side, number in (("src", edge.src), ("dest", edge.dst)):
        owner = matrix.owners[number]
        if machine := body.get(f"{side}_instance"):
            # No inventory has its project.
            assert owner.kind is OwnerKind.OTHER_PROJECT
            assert (owner.project, owner.zone) == (machine["project_id"], machine["zone"])
        elif service := body.get(f"{side}_google_service"):
            assert (owner.kind, owner.name) == (OwnerKind.GOOGLE_API, service["service_name"])
            assert edge.path_class is PathClass.GOOGLE_APIS
        elif place := body.get(f"{side}_location"):
            assert owner.kind is OwnerKind.INTERNET
            assert owner.area == f"{place['continent']}/{place['country']}"
            assert edge.path_class is PathClass.INTERNET
        else:
            # Nothing but an address: Google's health checks, or a documentation range.
            health = body["connection"][f"{side}_ip"].startswith("35.191.")
            expected = OwnerKind.LOAD_BALANCER if health else OwnerKind.INTERNET
            assert owner.kind is expected


@needs_shared
def test_the_recorded_files_read_together() -> None:
    everything = [item["jsonPayload"] for path in FILES for item in entries(path)]
    matrix = read_traffic([shared(FOLDER)], Inventory())
    coverage = matrix.coverage
    assert coverage.files == len(FILES)
    assert coverage.record_count == coverage.used_count == len(everything)
    assert coverage.payload_bytes == sum(int(body["bytes_sent"]) for body in everything)
    assert coverage.destination_reported_bytes == sum(
        int(body["bytes_sent"]) for body in everything if body["reporter"] == "DEST"
    )
    assert coverage.header_bytes == sum(
        int(body["packets_sent"]) * HEADERS[body["connection"]["protocol"]] for body in everything
    )
    assert coverage.has_metadata
    # They lie weeks apart: the time between is not counted as idle.
    assert matrix.observed_minutes < 60 * len(FILES)
    assert "without records" in coverage.notes[0]
