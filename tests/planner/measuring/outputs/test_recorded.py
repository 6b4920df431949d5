"""Other people's outputs, read in place: each figure beside the tool's own, read independently."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.measuring.outputs import read_outputs
from netplan_planner.measuring.outputs.base import Refused
from netplan_planner.model import CountedBy, Measurement
from support.listed import listed
from support.projects.shared_data import SHARED, needs_shared, shared

pytestmark = needs_shared
FOLDER = "data/recorded/benchmark_output"
_ALL = sorted(SHARED.joinpath(FOLDER).iterdir()) if SHARED else []
IPERF3_JSON = [path for path in _ALL if re.search(r"iperf3.*\.json$", path.name)]
IPERF3_TEXT = [path for path in _ALL if re.search(r"iperf3.*\.txt$", path.name)]
PKB = "PerfKitBenchmarker__tests__data__"


def named(path: Path) -> str:
    return path.name[-24:]


def recorded(name: str) -> Path:
    return shared(f"{FOLDER}/{PKB}{name}")


def read(path: Path) -> tuple[list[Measurement], list[Refused]]:
    found, refused = read_outputs(path)
    return list(found), list(refused)


@listed("path", IPERF3_JSON, ids=named)
def test_iperf3_json_has_the_figures_of_its_own_sums(path: Path) -> None:
    (one,), refused = read(path)
    document: Any = json.loads(path.read_text())
    start, end = document["start"], document["end"]
    stream = end["streams"][0]["sender"]
    assert refused == []
    assert one.gbps == end["sum_received"]["bits_per_second"] / 1e9
    assert one.sender_gbps == end["sum_sent"]["bits_per_second"] / 1e9
    assert one.counted_by is CountedBy.RECEIVER
    assert one.byte_count == end["sum_received"]["bytes"]
    assert one.duration_s == end["sum_received"]["seconds"]
    assert one.retransmit_count == end["sum_sent"]["retransmits"]
    assert one.max_window_bytes == stream["max_snd_cwnd"]
    assert one.rtt_ms == pytest.approx(stream["mean_rtt"] / 1000)
    assert one.min_rtt_ms == pytest.approx(stream["min_rtt"] / 1000)
    assert (one.mss_bytes, one.mtu_bytes) == (start["tcp_mss_default"], 9001)
    assert one.src.address == start["connected"][0]["local_host"]
    assert one.dst.name == start["connecting_to"]["host"]
    cpu = end["cpu_utilization_percent"]
    assert one.src.cpu_ratio == pytest.approx(cpu["host_total"] / 100)
    assert one.dst.cpu_ratio == pytest.approx(cpu["remote_total"] / 100)
    assert (one.src.congestion_control, one.dst.congestion_control) == ("cubic", "cubic")
    assert one.src.kernel is not None
    assert one.src.kernel in start["system_info"].replace(f"{one.src.name} ", "")
    assert one.started_at.startswith("2022-11-2")
    rates = [interval["sum"]["bits_per_second"] for interval in document["intervals"]]
    mean = sum(rates) / len(rates)
    spread = (sum((rate - mean) ** 2 for rate in rates) / (len(rates) - 1)) ** 0.5
    assert one.coefficient_of_variation == pytest.approx(spread / mean)


@listed("path", IPERF3_TEXT, ids=named)
def test_iperf3_text_has_the_figures_of_its_last_line(path: Path) -> None:
    (one,), refused = read(path)
    last = path.read_text().splitlines()[-1]
    seconds, rate = re.findall(r"-([\d.]+)  sec.*GBytes  ([\d.]+) Gbits/sec +receiver", last)[0]
    assert refused == []
    assert (one.gbps, one.duration_s) == (float(rate), float(seconds))
    assert (one.counted_by, one.is_reverse) == (CountedBy.RECEIVER, False)


def test_every_text_is_known_as_the_run_of_its_json() -> None:
    found, refused = read(shared(FOLDER))
    of_text = [one for one in refused if one.is_repeat]
    assert len(IPERF3_TEXT) == len(IPERF3_JSON) == 20
    assert {Path(one.place.rpartition(":")[0]).name for one in of_text} == {
        path.name for path in IPERF3_TEXT
    }
    assert len({one.run_id for one in found}) == len(found) == 34


def test_netperf_json_has_the_throughput_of_its_stream_tests() -> None:
    path = recorded("netperf_results.json")
    found, refused = read(path)
    expected = {
        f"/{index}": float(values.split(",")[0]) / 1000
        for index, (banner, _, values) in enumerate(json.loads(path.read_text()))
        if "STREAM" in banner
    }
    assert {one.place: one.gbps for one in found} == pytest.approx(expected)
    assert [one.protocol for one in found] == ["tcp", "tcp", "udp", "udp"]
    assert [one.mss_bytes for one in found] == [1408, 1408, None, None]
    assert len(refused) == 6
    assert all("request/response" in one.reason for one in refused)


def test_several_netperf_tests_stay_apart() -> None:
    found, refused = read(recorded("netperf_results_multistreams.json"))
    assert [one.gbps for one in found] == [1.0, 2.0, 3.0, 4.0]
    assert refused == []


def test_netperf_processes_that_ran_at_once_add_up() -> None:
    path = recorded("bidirectional_network_results.json")
    found, refused = read(path)
    entries = json.loads(path.read_text())
    expected = [
        sum(float(re.findall(r"^([\d.]+),10\^6bits/s", text, re.MULTILINE)[0]) for text in texts)
        for texts, *_ in entries
    ]
    assert refused == []
    assert [one.gbps * 1000 for one in found] == pytest.approx(expected)
    assert [one.streams for one in found] == [8] * 4
    assert [one.is_reverse for one in found] == [False, True, True, True]
    assert all(one.is_bidirectional for one in found)
    assert [one.started_at[:10] for one in found] == ["2017-10-16"] * 4


def test_cloudharmonys_report_of_iperf3() -> None:
    path = recorded("cloudharmony_iperf.csv")
    (up, down), refused = read(path)
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert refused == []
    assert [one.gbps * 1000 for one in (up, down)] == pytest.approx(
        [float(row["bandwidth_mean"]) for row in rows]
    )
    # The report gives the moved MiB too, which was counted apart from the rate.
    assert up.duration_s is not None
    moved_mib = up.gbps * 1e9 / 8 * up.duration_s / 2**20
    assert moved_mib == pytest.approx(float(rows[0]["transfer"]), rel=1e-3)
    assert (up.src.machine_type, up.tool, up.tool_version) == ("n1-standard-2", "iperf3", "3.1.3")
    assert (up.is_reverse, down.is_reverse) == (False, True)
    assert up.command == rows[0]["iperf_cmd"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("netperf_results.txt", "request/response"),
        ("cloudharmony_network.csv", "CloudHarmony's network report is not read"),
        ("ntttcp_tcp_sender.xml", "NTttcp's XML report is not read"),
        ("ntttcp_tcp_receiver.xml", "NTttcp's XML report is not read"),
        ("ping.out", "ping's output is not read"),
    ],
)
def test_what_is_no_throughput_of_these_tools_is_named(name: str, told: str) -> None:
    found, (why,) = read(recorded(name))
    assert found == []
    assert told in why.reason
    assert why.place.startswith(str(recorded(name)))
