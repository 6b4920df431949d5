"""Folders and files of runs that were killed are told from those of runs that live."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from netplan_planner.errors import InputError
from netplan_planner.writing import (
    LOCK_NAME,
    clear_dead_folders,
    name_beside,
    private_folder,
    sole_user,
    written_whole,
)
from support.commands.run import ROOTS
from support.examples import sized

DIE_INSIDE = """
import os, signal, sys
from pathlib import Path
from netplan_planner.writing import private_folder
with private_folder(Path(sys.argv[1])) as folder:
    (folder / "spill").write_text("much")
    os.kill(os.getpid(), signal.SIGKILL)
"""
DIE_WRITING = """
import os, signal, sys
from pathlib import Path
from netplan_planner.writing import written_whole
with written_whole(Path(sys.argv[1])) as new:
    new.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from netplan_planner.cli.interrupts import ended_quietly
from netplan_planner.writing import private_folder
from netplan_planner.writing import folder_written_whole, written_whole
parent, moment = Path(sys.argv[1]), int(sys.argv[2])
count = 0
def traced(frame, event, argument):
    global count
    count += 1
    if count == moment:
        sys.settrace(None)
        os.kill(os.getpid(), signal.SIGINT)
    return traced
with ended_quietly():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.settrace(traced)
    with private_folder(parent) as folder:
        (folder / "spill").write_text("much")
    with written_whole(parent / "file") as new:
        new.write_text("new")
    with folder_written_whole(parent / "folder") as new:
        (new / "inside").write_text("new")
    sys.settrace(None)
    print(count)
"""


def run(script: str, argument: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script, str(argument)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, ROOTS))},
        check=False,
    )
    assert done.returncode == -9


def test_the_next_run_removes_the_folder_of_a_killed_one(tmp_path: Path) -> None:
    run(DIE_INSIDE, tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    with private_folder(tmp_path) as mine:
        assert list(tmp_path.iterdir()) == [mine]
    assert list(tmp_path.iterdir()) == []


def test_what_a_thread_still_writes_while_a_folder_is_removed_goes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, times = shutil.rmtree, iter(range(2))

    def removed(folder: Path, *, ignore_errors: bool) -> None:
        whole(folder, ignore_errors=ignore_errors)
        if next(times, None) is not None:
            folder.mkdir()
            (folder / "spill").write_text("late")

    monkeypatch.setattr(shutil, "rmtree", removed)
    with private_folder(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_run_that_lives_stays(tmp_path: Path) -> None:
    with private_folder(tmp_path) as mine, private_folder(tmp_path) as other:
        clear_dead_folders(tmp_path)
        assert {mine, other} == set(tmp_path.iterdir())


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    (tmp_path / "netplan-notes").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / LOCK_NAME).touch()
    (tmp_path / "netplan-link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / LOCK_NAME).touch()
    clear_dead_folders(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("elsewhere", "netplan-link", "netplan-notes", "other")
    ]


def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    run(DIE_WRITING, target)
    assert not target.exists()
    assert len(list(tmp_path.iterdir())) == 1
    with written_whole(target) as new:
        new.write_text("whole")
    assert list(tmp_path.iterdir()) == [target]


def test_the_file_of_a_writer_that_lives_or_is_elsewhere_stays(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    mine = name_beside(target)
    parent = mine.with_name(mine.name.replace(f"-{os.getpid()}.", f"-{os.getppid()}."))
    elsewhere = mine.with_name(".report.json.00000000-999999.new")
    theirs = mine.with_name(".report.json.new")
    for path in (parent, elsewhere, theirs):
        path.touch()
    name_beside(target)
    assert all(path.exists() for path in (parent, elsewhere, theirs))


def test_a_folder_has_one_user_at_a_time(tmp_path: Path) -> None:
    with sole_user(tmp_path) as first, sole_user(tmp_path) as second:
        assert (first, second) == (True, False)
    with sole_user(tmp_path) as again:
        assert again


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="no folder that root cannot write to")
def test_a_folder_that_takes_no_file_is_named() -> None:
    with (
        pytest.raises(InputError, match=r"/sys/kernel/x\.json: cannot be written"),
        written_whole(Path("/sys/kernel/x.json")) as new,
    ):
        new.write_text("x")


def test_an_interrupt_at_any_line_leaves_nothing(tmp_path: Path) -> None:
    """A signal at every so many lines of making, filling, placing and removing."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, ROOTS))}

    def stopped(moment: int) -> tuple[int, str]:
        parent = tmp_path / str(moment)
        (parent / "folder").mkdir(parents=True)
        (parent / "folder" / "inside").write_text("old")
        (parent / "file").write_text("old")
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED, str(parent), str(moment)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert sorted(one.name for one in parent.iterdir()) == ["file", "folder"], moment
        assert (parent / "file").read_text() in {"old", "new"}
        assert (parent / "folder" / "inside").read_text() in {"old", "new"}
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout

    status, lines = stopped(0)
    assert status == 0
    last = int(lines)
    # A stride without a factor of the lines' rhythm; about so many processes.
    moments = range(1, last, max(1, last // sized(20, 60)) | 1)
    assert len(moments) >= 15
    assert [stopped(moment)[0] for moment in moments] == [130] * len(moments)
