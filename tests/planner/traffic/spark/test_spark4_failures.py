"""What fails on a server of Spark 4, and what is left behind: nothing, or it is named."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.servers.spark import end, spark_home, spark_server

if spark_home() is None:
    pytest.skip(
        "Spark 4 is not installed here; .ci/spark4.sh makes an environment of it",
        allow_module_level=True,
    )

import netplan_planner
from netplan_planner.errors import InputError, NetplanError
from netplan_planner.model import TrafficMatrix
from netplan_planner.traffic import TrafficOptions, remote
from netplan_planner.traffic.spark import read as spark
from netplan_planner.traffic.spark.calls import WorkFolder
from support.commands.run import ROOTS
from support.flows.kinds import KNOWN, of_all_kinds
from support.flows.on_spark import both, flags, place, write_lines

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
_WAIT_S = 300.0
"""For what takes seconds on a quiet machine."""
INVENTORY = Path(netplan_planner.__file__).parent / "demos" / "dobermanifesto" / "inventory"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with spark_server(tmp_path_factory.mktemp("spark")) as (address, _):
        yield address


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let work folders be as if they were on another machine."""
    monkeypatch.setattr(WorkFolder, "_is_removed_here", lambda _: False)


@pytest.mark.usefixtures("elsewhere")
def test_the_server_removes_work_files(server: str, tmp_path: Path) -> None:
    flows = tmp_path / "flows"
    write_lines(flows / "a.json", of_all_kinds())
    by_file, by_spark = both(server, flows, KNOWN)
    assert by_spark == by_file
    write_lines(flows / "b.json", ["broken"])
    (flows / "a.json").unlink()
    with pytest.raises(InputError, match=r"no usable flow record \(1 malformed\)$"):
        spark.read_logs(
            [flows.as_uri()], KNOWN, TrafficOptions(), place=place(server, tmp_path / "work")
        )
    assert [one.name for one in (tmp_path / "work").iterdir()] == ["of another"]


def test_what_cannot_be_read_is_named(server: str, tmp_path: Path) -> None:
    def told(path: Path) -> str:
        with pytest.raises(NetplanError) as raised:
            spark.read_logs([path.as_uri()], KNOWN, TrafficOptions(), place=place(server, tmp_path))
        return str(raised.value)

    assert "the server does not find this file or folder" in told(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "finds no file there" in told(tmp_path / "empty")
    write_lines(tmp_path / "other" / "a.csv", ["src,dst"])
    assert "a.csv: with --engine spark, file names tell the format" in told(tmp_path / "other")
    write_lines(tmp_path / "cut" / "a.json.gz", of_all_kinds())
    whole = (tmp_path / "cut" / "a.json.gz").read_bytes()
    (tmp_path / "cut" / "a.json.gz").write_bytes(whole[: len(whole) // 2])
    assert "cut/a.json.gz" in told(tmp_path / "cut")
    assert not list(tmp_path.glob("netplan-*"))


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing(
    server: str, tmp_path: Path, signal_number: signal.Signals
) -> None:
    process = _started(server, tmp_path)
    process.send_signal(signal_number)
    _, errors = process.communicate(timeout=_WAIT_S)
    assert (process.returncode, errors) == (130, "netplan: interrupted\n")
    time.sleep(2)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["flows"]


def test_a_server_that_is_killed(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    with spark_server(tmp_path_factory.mktemp("spark")) as (address, process):
        run = _started(address, tmp_path)
        end(process)
        out, errors = run.communicate(timeout=_WAIT_S)
    assert run.returncode == 3
    assert "the Spark server no longer answers" in errors
    assert out == ""
    assert sorted(one.name for one in tmp_path.iterdir()) == ["flows"]


@pytest.mark.usefixtures("elsewhere")
def test_files_that_a_killed_server_leaves_are_named(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lines(tmp_path / "flows" / "a.json", of_all_kinds())
    with spark_server(tmp_path_factory.mktemp("spark")) as (address, process):
        read = remote.read

        def killed(*given: Any, **named: Any) -> TrafficMatrix:
            end(process)
            return read(*given, **named)

        monkeypatch.setattr(remote, "read", killed)
        with pytest.raises(NetplanError) as raised:
            spark.read_logs(
                [(tmp_path / "flows").as_uri()],
                KNOWN,
                TrafficOptions(),
                place=place(address, tmp_path),
            )
    (left,) = tmp_path.glob("netplan-*")
    assert f"work files may remain in file://{left}" in str(raised.value)
    assert f"(rm -r {left})" in str(raised.value)


def test_an_executor_that_is_lost(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lines(tmp_path / "flows" / "a.json", of_all_kinds())
    folder = tmp_path_factory.mktemp("spark")
    with spark_server(folder, master="local-cluster[2,1,1024]") as (address, process):
        read = remote.read
        lost: list[int] = []

        def without_one(*given: Any, **named: Any) -> TrafficMatrix:
            lost.append(_executors(process)[0])
            os.kill(lost[0], signal.SIGKILL)
            return read(*given, **named)

        monkeypatch.setattr(remote, "read", without_one)
        by_file, by_spark = both(address, tmp_path / "flows", KNOWN)
    assert lost
    assert by_spark == by_file


def _executors(server: "subprocess.Popen[bytes]") -> list[int]:
    """Return the processes that a server started for its tasks."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "-g", str(server.pid)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = [line.split(maxsplit=1) for line in listed.splitlines()]
    return [int(pid) for pid, args in lines if "CoarseGrainedExecutorBackend" in args]


def _started(server: str, folder: Path) -> "subprocess.Popen[str]":
    """Return an audit that has begun to write work files."""
    rows = [{**one, "insertId": f"{n}-{i}"} for n in range(2000) for i, one in enumerate(ROWS)]
    write_lines(folder / "flows" / "a.json", rows)
    arguments = ["audit", "--inventory", str(INVENTORY), "--fail-on", "never"]
    arguments += ["--output", f"json:{folder / 'report.json'}"]
    arguments += ["--traffic", (folder / "flows").as_uri(), *flags(server, folder)]
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, ROOTS))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + _WAIT_S
    while not list(folder.glob("netplan-*/*")) and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.1)
    return process


ROWS = [one for one in of_all_kinds() if "insertId" in one]
RUN = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    " from netplan_planner.cli import main; main()"
)
