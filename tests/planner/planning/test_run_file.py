"""The file of runs: what goes in comes out, whole or not at all, one after the other."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import duckdb
import pytest
from msgspec.structs import replace

from netplan_planner.errors import InputError, UsageError
from netplan_planner.planning import run_file
from netplan_planner.planning.run_file import add_run, check, record_of, runs_in
from netplan_planner.verbs.audit.run import run_audit
from netplan_planner.world.request import InputRequest
from netplan_planner.writing import sole_user
from support.history import pair, run_of

FORK = multiprocessing.get_context("fork")


def test_runs_come_back_as_they_went_in(tmp_path: Path) -> None:
    runs = [run_of(0, [pair(1.5, src_group="web")]), run_of(1, [])]
    for one in runs:
        add_run(tmp_path / "h.duckdb", one)
    assert list(runs_in(tmp_path / "h.duckdb")) == runs


def test_a_record_of_a_report_keeps_findings_and_machines(tmp_path: Path) -> None:
    report = run_audit(InputRequest(today=date(2026, 11, 1), demo="gecko"))
    record = record_of(report)
    assert [one.fingerprint for one in record.findings] == [
        one.fingerprint for one in report.findings
    ]
    add_run(tmp_path / "h.duckdb", record)
    (found,) = runs_in(tmp_path / "h.duckdb")
    assert found.machines == record.machines
    assert found.findings[0].changes == record.findings[0].changes
    assert found.bill == record.bill


def _each(path: Path, number: int) -> None:
    add_run(path, run_of(number, [pair(1.0)]))


def test_four_at_once_all_get_in(tmp_path: Path) -> None:
    path = tmp_path / "h.duckdb"
    workers = [FORK.Process(target=_each, args=(path, number)) for number in range(4)]
    for one in workers:
        one.start()
    for one in workers:
        one.join(60)
    assert [one.exitcode for one in workers] == [0] * 4
    assert len({one.day for one in runs_in(path)}) == 4


def test_who_waits_too_long_says_so_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "h.duckdb"
    add_run(path, run_of(0, [pair(1.0)]))
    before = path.read_bytes()
    with sole_user(tmp_path) as is_alone:
        assert is_alone
        with pytest.raises(InputError, match="was not recorded"):
            add_run(path, run_of(1, [pair(1.0)]), wait_s=0.2)
    assert path.read_bytes() == before


def _stuck(path: Path, reached: Path) -> None:
    insert = run_file._insert

    def slow(connection: duckdb.DuckDBPyConnection, *more: object) -> None:
        insert(connection, *more)  # type: ignore[arg-type]
        reached.touch()
        time.sleep(60)

    run_file._insert = slow  # type: ignore[assignment]
    add_run(path, run_of(1, [pair(1.0)]))


def test_a_killed_run_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path, reached = tmp_path / "h.duckdb", tmp_path / "reached"
    add_run(path, run_of(0, [pair(1.0)]))
    before = path.read_bytes()
    worker = FORK.Process(target=_stuck, args=(path, reached))
    worker.start()
    _until(reached.exists)
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    worker.join(10)
    assert path.read_bytes() == before
    # DuckDB's own log stands beside its file while it is written.
    next(tmp_path.glob(".h.duckdb.*.new")).with_suffix(".new.wal").touch()
    add_run(path, run_of(2, [pair(1.0)]))
    assert len(runs_in(path)) == 2
    assert {one.name for one in tmp_path.iterdir()} == {path.name, reached.name}


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_other_files_are_refused_and_stay(tmp_path: Path) -> None:
    text, other = tmp_path / "t.duckdb", tmp_path / "o.duckdb"
    text.write_text("no database at all")
    with duckdb.connect(str(other)) as connection:
        connection.execute("CREATE TABLE mine AS SELECT 1 AS n")
    for path in (text, other):
        before = path.read_bytes()
        for tried in (check, runs_in, lambda one: add_run(one, run_of(0, []))):
            with pytest.raises(InputError, match=path.name):
                tried(path)
        assert path.read_bytes() == before
    with pytest.raises(UsageError, match="does not exist"):
        check(tmp_path / "none" / "h.duckdb")


def test_a_view_in_a_file_reads_no_other(tmp_path: Path) -> None:
    path, secret = tmp_path / "h.duckdb", tmp_path / "secret.csv"
    secret.write_text("format\nsecret-word\n")
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE VIEW about AS SELECT * FROM read_csv('{secret}')")
    with pytest.raises(InputError) as caught:
        runs_in(path)
    assert "secret-word" not in str(caught.value)


def test_another_version_is_named(tmp_path: Path) -> None:
    path = tmp_path / "h.duckdb"
    add_run(path, run_of(0, []))
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE about SET format = 'netplan.history-file/9'")
    with pytest.raises(InputError, match="history-file/9"):
        runs_in(path)


def test_the_day_is_the_last_of_the_window() -> None:
    assert run_of(3, [pair(1.0)]).day.isoformat() == "2026-06-04"
    assert replace(run_of(3, []), window=None).day == run_of(3, []).limits_as_of
