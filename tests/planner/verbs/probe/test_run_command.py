"""`netplan probe run --yes` with a real iperf3: over loopback, and between network namespaces."""

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from netplan_planner.measuring.store import read_store
from netplan_planner.model import PathClass
from support.commands.run import INTERRUPTIBLE, begun, run_verbs
from support.probes.plans import instance, inventory_file
from support.testbed import bed as beds
from support.testbed.bed import Host, bed_of
from support.testbed.processes import assert_none_left, free_ports, marked, wait_for

pytestmark = pytest.mark.skipif(
    shutil.which("iperf3") is None, reason="iperf3 is not installed: apt-get install iperf3"
)
WHY_NO_BED = beds.missing()
SECONDS = 60
SHORT = ("--time-scale", "0.05", "--min-runs", "2", "--max-runs", "2")


@pytest.fixture
def mark() -> Iterator[str]:
    with marked() as mark:
        yield mark
        assert_none_left(mark)


def flat(text: str) -> str:
    """Return a text as if no line had been broken."""
    return " ".join(text.split())


def loopback(tmp_path: Path) -> list[str]:
    """Two machines that are both this one; a small type, whose cap bounds what is sent."""
    file = inventory_file(
        tmp_path / "i.json", instance("a", "127.0.0.1"), instance("b", "127.0.0.1")
    )
    first, last = free_ports(20)
    return [
        *("probe", "run", "--inventory", str(file), "--pair", "a:b", "--streams", "1"),
        *("--transport", "local", "--local-src", "", "--local-dst", "", *SHORT),
        # Wide enough for a rate cap that no machine here misses, and still worth a probe.
        *("--tolerance", "0.01", "--bitrate", "1", "--ports", f"{first}-{last}"),
        *("--store", str(tmp_path / "store.jsonl"), "--yes"),
    ]


def test_what_was_measured_stands_beside_what_was_predicted(mark: str, tmp_path: Path) -> None:
    done = run_verbs(arguments=[*loopback(tmp_path), "--strict"])
    assert done.returncode == 0, done.stderr
    shown = flat(done.stdout)
    assert "4 runs now, 0 before; in " in shown
    for way in ("there", "back"):
        runs = re.search(
            rf" {way}: measured ([\d.]+) Gbit/s, median of 2 \[([\d.]+) to ([\d.]+)\]", shown
        )
        assert runs is not None
        assert float(runs[2]) <= float(runs[1]) <= float(runs[3])
    assert "predicted 1 Gbit/s [" in shown
    assert "a rate cap was set" in shown
    store = tmp_path / "store.jsonl"
    assert f"            netplan calibrate {store} --out calibration.json\n" in done.stdout
    found = read_store(store).measurements
    assert len(found) == 4
    for one in found:
        assert one.path_class is PathClass.SAME_ZONE_INTERNAL
        assert {one.src.name, one.dst.name} == {"a", "b"}
        assert {one.src.machine_type, one.dst.machine_type} == {"e2-micro"}
        assert (one.src.zone, one.src.region) == ("us-central1-a", "us-central1")
        assert one.bitrate_limit_gbps == pytest.approx(1.0)
    before = store.read_bytes()

    again = run_verbs(arguments=[*loopback(tmp_path), "--format", "json"])
    assert again.returncode == 0, again.stderr
    told = json.loads(again.stdout)
    assert told["store"]["run_count"] == 4
    assert told["results"]["resumed_count"] == 4
    assert told["results"]["measured_count"] == 0
    assert told["results"]["is_complete"] is True
    assert {one["sender"] for one in told["results"]["measured"]} == {"src", "dst"}
    assert store.read_bytes() == before


def test_a_broken_plan_goes_on_with_the_same_command(mark: str, tmp_path: Path) -> None:
    arguments = loopback(tmp_path)
    store = tmp_path / "store.jsonl"
    process = begun("-c", INTERRUPTIBLE, *arguments, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: store.exists() and read_store(store).measurements, "the first run")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, errors
    assert "the same command continues from there" in errors
    assert "Traceback" not in errors
    assert_none_left(mark)
    first = store.read_bytes()
    measured = len(read_store(store).measurements)
    assert 1 <= measured < 4

    done = run_verbs(arguments=arguments)
    assert done.returncode == 0, done.stderr
    assert f"{measured} run{'s' * (measured > 1)} of this plan" in flat(done.stdout)
    assert f"{4 - measured} runs now, {measured} before" in flat(done.stdout)
    assert store.read_bytes().startswith(first)
    assert len(read_store(store).measurements) == 4


def test_limits_of_the_run_itself_leave_runs_out_and_say_so(mark: str, tmp_path: Path) -> None:
    arguments = [*loopback(tmp_path), "--iperf3", "no-such-iperf3"]
    done = run_verbs(arguments=arguments)
    assert done.returncode == 3
    assert "nothing was measured" in done.stderr
    assert "no-such-iperf3 is not iperf3" in done.stderr
    assert read_store(tmp_path / "store.jsonl").measurements == ()


@pytest.mark.alone
@pytest.mark.skipif(bool(WHY_NO_BED), reason=WHY_NO_BED or "a test bed can be built")
def test_two_machines_of_a_test_bed(tmp_path: Path) -> None:
    with bed_of(Host(name="small", egress_mbps=100), Host(name="plain", egress_mbps=200)) as bed:
        file = inventory_file(
            tmp_path / "i.json",
            *(instance(name, bed.internal(name)) for name in ("small", "plain")),
        )
        ends = [f"{name}={' '.join(bed.prefix(name))}" for name in ("small", "plain")]
        store = tmp_path / "store.jsonl"
        done = run_verbs(
            arguments=[
                *("probe", "--inventory", str(file), "--pair", "small:plain", "--streams", "1"),
                *("--transport", "local", "--end", ends[0], "--end", ends[1], *SHORT),
                *("--tolerance", "0.01", "--store", str(store), "--yes"),
            ]
        )
        assert bed.processes() == {}
    assert done.returncode == 0, done.stderr
    rates = {one.is_reverse: one.gbps for one in read_store(store).measurements}
    # The bed shapes far below the documented 1 Gbit/s of the type: the answer says so.
    assert rates[False] == pytest.approx(0.095, rel=0.1)
    assert rates[True] == pytest.approx(0.19, rel=0.1)
    assert flat(done.stdout).count(": outside") == 2
