"""Writing a calibration: the whole file or none, and nothing beside it, whatever breaks off."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from netplan_planner.errors import InputError
from netplan_planner.world.calibration import (
    calibration_text,
    read_calibration,
    write_calibration,
)
from support.calibrations.made import EMPTY, at_wall, learnt, on_pairs, to_aws
from support.commands.run import ROOTS

TOLD = learnt(on_pairs(at_wall(), [0.8] * 3), on_pairs(to_aws(), [0.6, 0.7]))


class TestWriting:
    def test_it_replaces_an_older_one_and_leaves_nothing_else(self, tmp_path: Path) -> None:
        path = tmp_path / "c.json"
        write_calibration(path, EMPTY)
        write_calibration(path, TOLD)
        assert read_calibration(path) == TOLD
        assert [one.name for one in tmp_path.iterdir()] == ["c.json"]

    def test_others_may_read_it(self, tmp_path: Path) -> None:
        write_calibration(tmp_path / "c.json", TOLD)
        assert stat.S_IMODE((tmp_path / "c.json").stat().st_mode) == 0o644

    @pytest.mark.parametrize("name", ["none/c.json", "file/c.json", "folder", "x" * 300])
    def test_where_it_cannot_be_written_it_says_so(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "folder").mkdir()
        (tmp_path / "file").write_text("kept")
        before = sorted(one.name for one in tmp_path.iterdir())
        with pytest.raises(InputError, match="cannot be written") as caught:
            write_calibration(tmp_path / name, TOLD)
        assert str(tmp_path) in str(caught.value)
        assert sorted(one.name for one in tmp_path.iterdir()) == before
        assert (tmp_path / "file").read_text() == "kept"
        assert list((tmp_path / "folder").iterdir()) == []

    @pytest.mark.parametrize("step", ["fsync", "replace"])
    @pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
    def test_what_breaks_off_leaves_the_older_one_as_it_was(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        step: str,
        error: BaseException,
    ) -> None:
        path = tmp_path / "c.json"
        write_calibration(path, EMPTY)
        before = path.read_bytes()

        def fail(*_: object) -> None:
            raise error

        with monkeypatch.context() as patched:
            # The disk is full, or the user presses Ctrl-C, at that step.
            patched.setattr(os if step == "fsync" else Path, step, fail)
            expected = InputError if isinstance(error, OSError) else KeyboardInterrupt
            with pytest.raises(expected):
                write_calibration(path, TOLD)
        assert path.read_bytes() == before
        assert [one.name for one in tmp_path.iterdir()] == ["c.json"]

    def test_a_file_that_grows_too_big_leaves_the_older_one_as_it_was(self, tmp_path: Path) -> None:
        path = tmp_path / "c.json"
        write_calibration(path, EMPTY)
        before = path.read_bytes()
        made = tmp_path / "made.json"
        write_calibration(made, TOLD)
        script = (
            "import resource, signal, sys\nfrom pathlib import Path\n"
            "from netplan_planner.world.calibration import *\n"
            "found = read_calibration(Path(sys.argv[1]))\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))\n"
            "write_calibration(Path(sys.argv[2]), found)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, made, path],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, ROOTS))},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 1
        assert "InputError" in done.stderr
        assert "File too large" in done.stderr
        assert path.read_bytes() == before
        assert sorted(one.name for one in tmp_path.iterdir()) == ["c.json", "made.json"]

    def test_a_pipe_is_written_to_and_not_replaced(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        held = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        try:
            write_calibration(pipe, EMPTY)
            assert stat.S_ISFIFO(pipe.lstat().st_mode)
            assert os.read(held, 1 << 16).decode() == calibration_text(EMPTY)
        finally:
            os.close(held)

    def test_a_link_stays_one_and_what_it_names_is_written(self, tmp_path: Path) -> None:
        target, link = tmp_path / "c.json", tmp_path / "link.json"
        write_calibration(target, EMPTY)
        link.symlink_to(target)
        write_calibration(link, TOLD)
        assert link.is_symlink()
        assert read_calibration(target) == TOLD
