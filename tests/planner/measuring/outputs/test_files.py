"""Files and folders of outputs: what they hold decides, and one bad file stops no other."""

import gzip
import json
import os
from pathlib import Path

import pytest

from netplan_planner.errors import InputError
from netplan_planner.measuring import store
from netplan_planner.measuring.outputs import read_outputs, read_text
from netplan_planner.measuring.outputs.files import LARGEST_BYTES
from support.listed import listed
from support.probes import iperf2 as texts
from support.probes import iperf3 as shapes
from support.probes.measurements import measured

DOCUMENT = json.dumps(shapes.forward(), indent=1)
IPERF3_TEXT = f"""\
Connecting to host {shapes.SERVER}, port 5201
[  5] local {shapes.CLIENT} port 40000 connected to {shapes.SERVER} port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  1.10 GBytes  9.42 Gbits/sec    4   3.02 MBytes
[  5]   1.00-2.00   sec  1.10 GBytes  9.38 Gbits/sec    3   3.02 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  11.0 GBytes  9.50 Gbits/sec    7             sender
[  5]   0.00-10.05  sec  11.0 GBytes  9.40 Gbits/sec                  receiver

iperf Done.
"""


def rates(path: Path) -> list[float]:
    found, refused = read_outputs(path)
    assert refused == ()
    return [one.gbps for one in found]


@pytest.mark.parametrize("name", ["run.json", "run.txt", "run.log", "run"])
def test_content_decides_not_the_name(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(DOCUMENT)
    assert rates(file) == [9.4]


@pytest.mark.parametrize(
    "content",
    [
        DOCUMENT.encode(),
        b"\xef\xbb\xbf" + DOCUMENT.encode(),
        DOCUMENT.encode("utf-16"),
        DOCUMENT.replace("\n", "\r\n").encode(),
        gzip.compress(DOCUMENT.encode(), mtime=0),
        gzip.compress(DOCUMENT.encode("utf-16"), mtime=0),
        f"$ iperf3 -c {shapes.SERVER} -J\n{DOCUMENT}\n$ exit\n".encode(),
        shapes.events_of(shapes.forward()).encode(),
    ],
)
def test_encodings_and_packing(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "run"
    file.write_bytes(content)
    assert rates(file) == [9.4]


def test_a_folder_is_walked_and_bad_files_stop_nothing(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.txt").write_text(texts.PLAIN)
    (tmp_path / "a.json").write_text(DOCUMENT)
    (tmp_path / "bad.json").write_text(DOCUMENT[:300])
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / ".hidden").write_text(DOCUMENT)
    found, refused = read_outputs(tmp_path)
    assert [one.gbps for one in found] == [9.4, 9.41]
    assert [one.source for one in found] == [
        str(tmp_path / "a.json"),
        str(tmp_path / "deep" / "b.txt"),
    ]
    assert [(one.place, one.reason[:12]) for one in refused] == [
        (f"{tmp_path / 'bad.json'}:1", "the JSON end"),
        (str(tmp_path / "binary"), "not text: by"),
    ]


def test_good_documents_of_a_file_are_read_beside_bad_ones(tmp_path: Path) -> None:
    failed = {"start": {}, "end": {}, "error": "unable to connect to server"}
    file = tmp_path / "runs.json"
    file.write_text(f"{json.dumps(failed)}\n{DOCUMENT}\n{DOCUMENT[:200]}\n{DOCUMENT}")
    found, refused = read_outputs(file)
    line = DOCUMENT.count("\n") + 3
    assert [one.gbps for one in found] == [9.4, 9.4]
    assert [one.place for one in refused] == [f"{file}:1:/error", f"{file}:{line}"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"hello", "not the output of a known tool"),
        (b"\xff\xfe\xfa", "not text"),
        (b"a\0b", "zero bytes"),
        (gzip.compress(DOCUMENT.encode(), mtime=0)[:100], "damaged gzip"),
        (b"\x1f\x8bxxxx", "damaged gzip"),
        (b"<ntttcps computername='a'></ntttcps>", "NTttcp's XML report is not read"),
        (b"<?xml version='1.0'?><a/>", "XML is not read"),
        (b"PING 10.0.0.3 (10.0.0.3) 56(84) bytes of data.\n", "ping's output is not read"),
        (b"nuttcp-8.1.4: Using beta version\n", "nuttcp's output is not read"),
        (b"tcp_bw:\n    bw  =  1.1 GB/sec\n", "qperf's output is not read"),
        (b'{"a": 1, "b": 2}', "JSON of an unknown kind, with a, b"),
        (b"[[1, 2]]", "JSON of an unknown kind"),
        (b'{"error": "no route"}', "the tool reports: no route"),
        (texts.SERVER_HEADER.encode(), "no result in the file"),
        (b'{"start": {}, "end": {}}', "no test was started"),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    found, (why,) = read_outputs(file)
    assert found == ()
    assert told in why.reason
    assert why.place.startswith(str(file))


def test_a_store_needs_no_import_and_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "probes.jsonl"
    store.append(path, [measured()])
    assert "record of a netplan store" in read_outputs(path)[1][0].reason
    part = gzip.compress(bytes(2**24), compresslevel=1)
    (tmp_path / "bomb.gz").write_bytes(part * (LARGEST_BYTES // 2**24 + 1))
    assert "more than 256 MiB" in read_outputs(tmp_path / "bomb.gz")[1][0].reason


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    found, refused = read_outputs(tmp_path)
    assert found == ()
    assert [one.reason for one in refused] == ["not a regular file"] * 2
    with pytest.raises(InputError, match="No such file or directory"):
        read_outputs(tmp_path / "nothing")


def test_a_run_has_the_same_id_whenever_it_is_read(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
        (folder / "run.txt").write_text(texts.PLAIN)
        (folder / "run.json").write_text(DOCUMENT)
    first, second = (read_outputs(folder)[0] for folder in folders)
    assert [one.run_id for one in first] == [one.run_id for one in second]
    assert len({one.run_id for one in first}) == 2


def test_a_log_that_grew_keeps_the_ids_of_its_first_runs(tmp_path: Path) -> None:
    file = tmp_path / "iperf.log"
    file.write_text(texts.PLAIN)
    before = read_outputs(file)[0]
    file.write_text(texts.PLAIN + texts.PLAIN)
    after = read_outputs(file)[0]
    assert after[:1] == before
    assert after[1].run_id != before[0].run_id


TOTAL = "11.0 GBytes  9.40 Gbits/sec                  receiver"
HOST = f"Reverse mode, remote host {shapes.SERVER} is sending\n"
DATAGRAMS = "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"


@listed(
    "text, fields, src",
    [
        (IPERF3_TEXT, {"gbps": 9.4, "sender_gbps": 9.5, "retransmit_count": 7}, shapes.CLIENT),
        (
            IPERF3_TEXT.replace("[  5] local", f"{HOST}[  5] local"),
            {"is_reverse": True},
            shapes.SERVER,
        ),
        # A server that sent.
        (
            IPERF3_TEXT.replace("Connecting to host", "Accepted connection from").replace(
                TOTAL, "0.00 Bytes  0.00 bits/sec                  receiver"
            ),
            {"gbps": 9.5, "counted_by": "sender", "is_reverse": True},
            shapes.CLIENT,
        ),
        (
            IPERF3_TEXT.replace("- - -\n", f"- - -\n{DATAGRAMS}"),
            {"protocol": "udp", "gbps": 9.4},
            shapes.CLIENT,
        ),
    ],
)
def test_plain_text_of_iperf3(text: str, fields: dict[str, object], src: str) -> None:
    (one,), refused = read_text(text, source="s")
    assert refused == []
    assert {name: getattr(one, name) for name in fields} == fields
    assert one.src.address == src
    if text == IPERF3_TEXT:
        assert one.dst.address == shapes.SERVER
        assert one.coefficient_of_variation == pytest.approx(0.04 / 2**0.5 / 9.4)


def test_plain_text_of_both_directions() -> None:
    rows = [("TX-C", "sender", 9.5), ("TX-C", "receiver", 9.4)]
    rows += [("RX-C", "sender", 6.1), ("RX-C", "receiver", 6.0)]
    head = IPERF3_TEXT.partition("[  5]   0.00-10.00")[0]
    totals = "".join(
        f"[  5][{way}]   0.00-10.00  sec  11.0 GBytes  {rate} Gbits/sec     {name}\n"
        for way, name, rate in rows
    )
    found, _ = read_text(head + totals, source="s")
    assert [(one.gbps, one.is_reverse) for one in found] == [(9.4, False), (6.0, True)]
    assert all(one.is_bidirectional for one in found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (IPERF3_TEXT.partition("- - -")[0], "ends before the total"),
        ("iperf3: error - unable to connect to server: Connection refused\n", "refused"),
        (IPERF3_TEXT.replace("iperf Done.", "iperf3: interrupt - client ended"), "client ended"),
    ],
)
def test_plain_text_of_iperf3_that_ended_early(text: str, told: str) -> None:
    found, (why,) = read_text(text, source="s")
    assert found == []
    assert told in why.reason


def test_a_text_beside_its_json_counts_once(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(DOCUMENT)
    (tmp_path / "run.txt").write_text(IPERF3_TEXT)
    (tmp_path / "other.txt").write_text(IPERF3_TEXT.replace("9.40 Gbits", "9.31 Gbits"))
    found, (why,) = read_outputs(tmp_path)
    assert [(one.gbps, bool(one.started_at)) for one in found] == [(9.31, False), (9.4, True)]
    assert why.is_repeat
    assert why.place == f"{tmp_path / 'run.txt'}:9"


def test_a_log_of_several_tools_is_read_by_all_of_them() -> None:
    netperf = "THROUGHPUT=1000.00\nTHROUGHPUT_UNITS=10^6bits/s\nDIRECTION=Send\n"
    found, refused = read_text(texts.PLAIN + netperf + IPERF3_TEXT, source="s")
    assert refused == []
    assert {one.tool: one.gbps for one in found} == {
        "iperf2": 9.41,
        "netperf": 1.0,
        "iperf3": 9.4,
    }


HEADING = (
    "bandwidth_direction,bandwidth_mean,bandwidth_stdev,benchmark_version,cpu_client,cpu_server,"
    "iperf_cmd,iperf_parallel,iperf_server,iperf_server_instance_id,iperf_server_region,"
    "iperf_time,iperf_udp,iperf_version,iperf_warmup,meta_cpu_cores,meta_hostname,"
    "meta_instance_id,meta_region,test_started\n"
)
ROW = (
    "{way},4000.0,400,1.0,40.0,50.0,iperf3 -c 10.128.0.3 -J,4,10.128.0.3,n2-standard-4,us-east1,"
    "10,,3.1.3,2,8,client-vm,n2-standard-8,us-west1,2020-10-30 00:33:51\n"
)


def test_the_report_of_cloudharmony() -> None:
    text = HEADING + ROW.format(way="up") + ROW.format(way="down") + ROW.format(way="both")
    (up, down), (why,) = read_text(text, source="report.csv")
    assert (up.gbps, up.streams, up.coefficient_of_variation) == (4.0, 4, 0.1)
    assert (up.src.machine_type, up.dst.machine_type) == ("n2-standard-8", "n2-standard-4")
    assert (up.src.region, up.dst.region, up.src.vcpus) == ("us-west1", "us-east1", 8)
    assert (up.counted_by, down.counted_by) == ("sender", "receiver")
    assert (down.src, down.dst, down.is_reverse) == (up.dst, up.src, True)
    assert (up.started_at, up.tool_version) == ("2020-10-30T00:33:51Z", "3.1.3")
    assert (up.src.cpu_ratio, up.dst.cpu_ratio, up.omit_s) == (0.4, 0.5, 2.0)
    assert (why.place, "bandwidth_direction is not up or down" in why.reason) == (
        "report.csv:4",
        True,
    )
