"""`netplan probe import`: what tools printed, with what the user says of the machines."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from netplan_planner.measuring.outputs import read_outputs
from netplan_planner.measuring.store import read_store
from netplan_planner.model import PathClass, SetUp
from netplan_planner.throughput.limits.ends import measured_end
from netplan_planner.verbs.probe.imported import untold
from support.commands.lines import iperf2
from support.commands.run import run_verbs
from support.probes import iperf3
from support.projects.shared_data import needs_shared, shared

RECORDED = "data/recorded/benchmark_output"


def run(store: Path, *arguments: str) -> tuple[int, str, str]:
    done = run_verbs(arguments=["probe", "import", "--store", str(store), *arguments])
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def flat(text: str) -> str:
    """Return a text as if no line had been broken."""
    return " ".join(text.split())


def test_what_the_output_does_not_say_can_be_said(tmp_path: Path) -> None:
    store = tmp_path / "store.jsonl"
    status, out, errors = run(
        store,
        str(iperf2(tmp_path / "run.txt")),
        *("--src-type", "n2-standard-8", "--dst-type", "n2-standard-4", "--src-tier1"),
        *("--src-place", "us-central1-a", "--dst-place", "europe-west1"),
        *("--src-name", "near", "--path", "inter-region-internal", "--dst-image", "debian-12"),
    )
    assert (status, errors) == (0, "")
    assert flat(out).startswith(
        f"1 measurement in 1 file (iperf2 1) · 1 added to {store}, 0 already there"
    )
    command = f"netplan calibrate {store} --as-of YYYY-MM-DD --out calibration.json"
    assert f"Next\n            {command}\n" in out
    (one,) = read_store(store).measurements
    assert (one.src.machine_type, one.dst.machine_type) == ("n2-standard-8", "n2-standard-4")
    assert (one.src.zone, one.src.region) == ("us-central1-a", "us-central1")
    assert (one.dst.zone, one.dst.region) == (None, "europe-west1")
    assert (one.src.name, one.src.is_tier1, one.dst.is_tier1) == ("near", True, None)
    assert (one.src.image, one.dst.image) == (None, "debian-12")
    assert one.path_class is PathClass.INTER_REGION_INTERNAL
    assert one.gbps == pytest.approx(9.41, rel=0.01)

    status, out, _ = run(store, str(tmp_path / "run.txt"), "--src-type", "n2-standard-8")
    assert status == 0
    (again,) = read_store(store).measurements
    assert again == one, "a poorer record of the same run changes nothing"


def test_the_tool_s_client_receives_in_a_reverse_run(tmp_path: Path) -> None:
    sums = {"sum_sent": iperf3.counted(1.0), "sum_received": iperf3.counted(1.0)}
    start = iperf3.start(reverse=1) | {"tcp_mss_default": 0}
    output = {"start": start, "intervals": [], "end": {"streams": [], **sums}}
    file = tmp_path / "reverse.json"
    file.write_text(json.dumps(output), "utf-8")
    store = tmp_path / "store.jsonl"
    set_up = (
        *("--src-image", "cos-113", "--src-congestion", "cubic"),
        *("--src-rmem-bytes", str(2**26), "--dst-wmem-bytes", str(2**25)),
        *("--dst-image", "debian-12", "--dst-congestion", "bbr"),
    )
    types = ("--src-type", "client-1", "--dst-type", "server-1")
    status, _, errors = run(store, str(file), *types, *set_up)
    assert status == 0, errors
    (one,) = read_store(store).measurements
    assert one.is_reverse
    # The client of the tool received.
    sends, receives = (measured_end(end, None).set_up for end in (one.src, one.dst))
    assert sends == SetUp(image="debian-12", congestion_control="bbr", send_buffer_bytes=2**25)
    assert receives == SetUp(image="cos-113", receive_buffer_bytes=2**26)
    assert (one.src.machine_type, one.dst.machine_type) == ("server-1", "client-1")
    assert one.src.address == iperf3.SERVER


def test_refusals_are_told_by_place_and_reason(tmp_path: Path) -> None:
    iperf2(tmp_path / "good.txt")
    (tmp_path / "bad.xml").write_text("<ntttcps/>", "utf-8")
    store = tmp_path / "out" / "store.jsonl"
    store.parent.mkdir()
    status, out, _ = run(store, str(tmp_path / "good.txt"), str(tmp_path / "bad.xml"))
    assert status == 0
    assert "1 run not imported:" in out
    assert f"   {tmp_path}/bad.xml\n" in out
    status, _, errors = run(
        store, str(tmp_path / "good.txt"), str(tmp_path / "bad.xml"), "--strict"
    )
    assert status == 4
    assert "1 run was not imported" in errors
    status, out, errors = run(store, str(tmp_path / "bad.xml"))
    assert (status, out) == (3, "")
    assert "nothing to import" in errors
    assert f"{tmp_path}/bad.xml" in errors


def calibrate(store: Path, *options: str) -> tuple[int, str]:
    out = store.with_name("calibration.json")
    done = run_verbs(arguments=["calibrate", str(store), "--out", str(out), *options])
    return done.returncode, done.stderr


@needs_shared
def test_what_calibrations_need_is_asked_for_first(tmp_path: Path) -> None:
    store, file = tmp_path / "store.jsonl", "PerfKitBenchmarker__tests__data__netperf_results.json"
    recorded = str(shared(f"{RECORDED}/{file}"))
    asked = "again with --src-type, --path, --src-place, --dst-place: netplan calibrate needs this"
    status, out, _ = run(store, recorded)
    assert status == 0
    assert asked in flat(out)
    assert "Next" not in out
    assert calibrate(store)[0] == 3
    told = (
        *("--src-type", "n1-standard-4", "--path", "inter-region-internal"),
        *("--src-place", "us-central1-a", "--dst-place", "us-east1-b"),
    )
    status, out, _ = run(store, recorded, *told)
    assert status == 0
    assert "Import these outputs again" not in flat(out)
    assert "The runs have no date: state the day with netplan calibrate --as-of" in flat(out)
    assert f"netplan calibrate {store} --as-of YYYY-MM-DD --out calibration.json" in out
    assert calibrate(store, "--as-of", "2021-02-25") == (0, "")


def test_the_sender_s_type_is_asked_for_by_the_end_that_sent(tmp_path: Path) -> None:
    (one,) = read_outputs(iperf2(tmp_path / "run.txt"))[0]
    assert untold(one) == {"--src-type", "--path", "--src-place", "--dst-place"}
    placed = replace(
        one,
        is_reverse=True,
        path_class=PathClass.INTERNET,
        dst=replace(one.dst, zone="us-central1-a"),
    )
    assert untold(placed) == {"--dst-type", "--dst-place"}
    assert untold(replace(placed, rtt_ms=30.0)) == {"--dst-type"}
    sent = replace(placed, rtt_ms=30.0, src=replace(one.src, machine_type="n2-standard-8"))
    assert untold(sent) == set()


@needs_shared
def test_recorded_outputs_are_imported_once(tmp_path: Path) -> None:
    store = tmp_path / "store.jsonl"
    measured, refused = read_outputs(shared(RECORDED))
    status, out, errors = run(store, str(shared(RECORDED)), "--format", "json")
    assert status == 0, errors
    found = json.loads(out)
    assert found["schema"] == "netplan.probe-import/1"
    assert (found["measurements"], found["added"]) == (len(measured), len(measured))
    assert sum(found["by_tool"].values()) == len(measured)
    assert [(one["place"], one["reason"]) for one in found["refused"]] == [
        (one.place, one.reason) for one in refused
    ]
    assert len(read_store(store).measurements) == len({one.run_id for one in measured})
    before = store.read_bytes()
    status, out, _ = run(store, str(shared(RECORDED)))
    assert status == 0
    assert f"0 added to {store}, {len(measured)} already there" in flat(out)
    assert store.read_bytes() == before
