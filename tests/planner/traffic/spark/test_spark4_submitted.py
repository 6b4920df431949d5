"""`netplan flows aggregate` as a program of spark-submit: the session that is there, no server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.servers.spark import spark_home

ABSENT = "Spark 4 is not installed here; .ci/spark4.sh makes an environment of it"
if spark_home() is None:
    pytest.skip(ABSENT, allow_module_level=True)

from netplan_planner.readers import read_inventory  # noqa: E402
from netplan_planner.traffic.aggregates import MANIFEST  # noqa: E402
from support.commands.in_process import Done, netplan  # noqa: E402
from support.flows.entries import write_entries  # noqa: E402
from support.projects import one_project  # noqa: E402

INVENTORY = one_project.FOLDER / "gcloud"
GIVEN = ("--inventory", str(INVENTORY))
PROGRAM = "from netplan_planner.cli import main\nmain()\n"


@pytest.fixture(scope="module")
def flows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("given") / "flows"
    folder.mkdir()
    known = read_inventory([INVENTORY])
    first, second, third = (machine.name for machine in known.instances[:3])
    pairs = [{"src": first, "dst": second, "gbps": 1.0}, {"src": third, "dst": first, "gbps": 0.3}]
    write_entries(folder / "flows.json", known, {"minutes": 30, "flows": pairs})
    return folder


def submitted(folder: Path, *words: str) -> Done:
    """Return what a program of spark-submit does, in another time zone and without ANSI mode."""
    home = spark_home()
    assert home is not None
    program = folder / "job.py"
    program.write_text(PROGRAM)
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]"]
    for setting in (
        "spark.driver.bindAddress=127.0.0.1",
        "spark.driver.host=127.0.0.1",
        "spark.ui.enabled=false",
        "spark.sql.shuffle.partitions=2",
        "spark.sql.ansi.enabled=false",
        "spark.sql.session.timeZone=Asia/Kolkata",
    ):
        command += ["--conf", setting]
    # A client of Spark Connect, as other tests use in this process, leaves its settings there.
    around = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
    # What the program writes to stderr goes to spark-submit's stdout.
    done = subprocess.run(
        [*command, str(program), *words],
        env={
            **around,
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def aggregate(folder: Path, flows: Path, out: str) -> Done:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    words = ("flows", "aggregate", "--engine", "spark", "--spark-work", work.as_uri())
    done = submitted(folder, *words, *GIVEN, "--traffic", flows.as_uri(), "--out", out)
    assert not list(work.iterdir())
    return done


def report(path: Path) -> str:
    done = netplan(
        *("audit", *GIVEN, "--traffic", str(path), "--today", "2026-11-20"),
        *("--fail-on", "never", "--explain"),
    )
    assert done.status == 0, done.err
    return done.out


def test_the_same_report(flows: Path, tmp_path: Path) -> None:
    """Written to an address of its file systems, in the place of older ones of its own alone."""
    out = tmp_path / "sums"
    words = (*GIVEN, "--traffic", str(flows), "--reporter", "destination", "--out", str(out))
    older = netplan("flows", "aggregate", *words)
    assert older.status == 0, older.err
    done = aggregate(tmp_path, flows, out.as_uri())
    assert done.status == 0, done.out[-3000:]
    assert report(out) == report(flows)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["job.py", "sums", "work"]
    before = (out / MANIFEST).read_bytes()
    (out / "notes.txt").write_text("mine")
    again = aggregate(tmp_path, flows, out.as_uri())
    assert again.status == 2, again.out[-3000:]
    assert "did not write" in again.out
    assert (out / MANIFEST).read_bytes() == before


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    out = tmp_path / "sums"
    done = aggregate(tmp_path, tmp_path / "missing", str(out))
    assert done.status == 3
    assert "the server does not find this file or folder" in done.out
    assert "Traceback" not in done.out
    assert not out.exists()


def test_aggregates_are_not_summed_by_a_server(flows: Path, tmp_path: Path) -> None:
    sums = tmp_path / "held"
    done = netplan("flows", "aggregate", *GIVEN, "--traffic", str(flows), "--out", str(sums))
    assert done.status == 0, done.err
    done = aggregate(tmp_path, sums, str(tmp_path / "sums"))
    assert done.status == 3
    assert "a folder of aggregates, which a server cannot read" in done.out
