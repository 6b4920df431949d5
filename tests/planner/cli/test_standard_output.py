"""Nothing but the answer reaches the standard output, whatever a library or a program prints."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.commands import answers
from support.commands.in_process import netplan
from support.commands.lines import VERBS, success
from support.commands.loud import SAID
from support.commands.run import MAIN, SECONDS, begun, run_anew, surroundings
from support.nightly import every

CAPS = ("caps", "n2-standard-8")
STEERING = re.compile(r"\x1b\[[0-9;]*m")


def loud(note: Path, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
    """Return what a command line writes in which a library prints."""
    return run_anew("-m", "support.commands.loud", note, *words, env=surroundings(**more))


def in_shell(line: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Return what a shell does with `"$@"`, the command."""
    return subprocess.run(
        ["sh", "-c", line, "sh", sys.executable, "-c", MAIN, *words],
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


class TestLibraries:
    @pytest.mark.parametrize("verbs", every(2, [[*VERBS][::13], [*VERBS]]), ids=len)
    def test_print_beside_the_answer_of_every_verb(self, tmp_path: Path, verbs: list[str]) -> None:
        with ExitStack() as stack:
            asked = []
            for verb in verbs:
                folder = tmp_path / verb.replace(" ", "-")
                folder.mkdir()
                words = [*success(verb, folder, stack), "--quiet", "--output", "json"]
                asked.append((words, str(folder / "answer")))
            module, lines = "support.commands.loud", json.dumps(asked)
            done = run_anew("-m", module, input=lines, timeout=SECONDS * 3)
        assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(done.stdout) == [0] * len(verbs)
        for verb, (_, answer) in zip(verbs, asked, strict=True):
            assert Path(f"{answer}.loud").exists(), verb
            text = Path(answer).read_text("utf-8")
            assert SAID not in text, verb
            assert json.loads(text)["schema"].startswith("netplan."), verb

    @pytest.mark.parametrize(
        "words",
        [
            (*CAPS, "-o", "csv"),
            ("fleet", "--demo", "gecko", "-o", "commands"),
            ("rules", "--markdown"),
            ("doctor", "--role"),
        ],
        ids=lambda words: words[0],
    )
    def test_print_nothing_while_loading(self, words: tuple[str, ...], tmp_path: Path) -> None:
        done = loud(tmp_path / "note", *words)
        assert (tmp_path / "note").exists()
        alone = netplan(*words)
        assert (done.returncode, done.stdout, done.stderr) == (0, alone.out, alone.err)

    def test_print_nothing_into_a_table_that_duckdb_writes(self, tmp_path: Path) -> None:
        words = answers.path_table(tmp_path)
        done = loud(tmp_path / "note", *words)
        assert (tmp_path / "note").exists()
        assert (done.returncode, done.stdout) == (0, netplan(*words).out)

    @pytest.mark.parametrize("word", ["--help", "--version"])
    def test_print_nothing_into_a_page(self, word: str, tmp_path: Path) -> None:
        done = loud(tmp_path / "note", word)
        assert (tmp_path / "note").exists()
        assert (done.returncode, done.stdout) == (0, in_shell('"$@"', word).stdout)

    def test_print_nothing_into_completions(self, tmp_path: Path) -> None:
        asked = {"_NETPLAN_COMPLETE": "complete_bash", "COMP_WORDS": "netplan caps --series c4"}
        done = loud(tmp_path / "note", **asked, COMP_CWORD="3")
        assert (tmp_path / "note").exists()
        assert (done.returncode, done.stdout.split()) == (0, ["c4", "c4a", "c4d", "c4n"])

    def test_debug_shows_what_they_print(self, tmp_path: Path) -> None:
        done = loud(tmp_path / "note", "--debug", *CAPS, "-o", "json")
        assert json.loads(done.stdout)["schema"] == "netplan.caps/1"
        for way in ("write", "puts", "print", "bytes", "echo"):
            assert f"{SAID}: {way}\n" in done.stderr


class TestClosedStreams:
    @pytest.mark.parametrize("words", [CAPS, (*CAPS, "-o", "json"), ("--help",), ("--version",)])
    def test_an_answer_that_nobody_can_take_is_told(self, words: tuple[str, ...]) -> None:
        done = in_shell('exec "$@" >&-', *words)
        told = "netplan: the answer cannot be written: Bad file descriptor\n"
        assert (done.returncode, done.stderr) == (3, told)

    def test_a_file_takes_no_stream_of_a_closed_one(self, tmp_path: Path) -> None:
        file = tmp_path / "answer.json"
        line = f'exec "$1" -m support.commands.loud {tmp_path}/note {" ".join(CAPS)} -o json:{file}'
        done = in_shell(f"{line} <&- >&- 2>&-")
        assert done.returncode == 0
        assert (tmp_path / "note").exists()
        assert file.read_text("utf-8") == netplan(*CAPS, "-o", "json").out

    def test_without_stderr_there_is_an_answer(self) -> None:
        done = in_shell('exec "$@" 2>&-', *CAPS)
        assert (done.returncode, done.stdout) == (0, netplan(*CAPS).out)

    @pytest.mark.parametrize(
        "words", [CAPS, ("rules", "--markdown"), ("--help",), ("caps", "--help")]
    )
    def test_a_reader_that_has_gone_has_what_it_wanted(self, words: tuple[str, ...]) -> None:
        source, sink = os.pipe()
        os.close(source)
        streams = {"capture_output": False, "stdout": sink, "stderr": subprocess.PIPE}
        done = run_anew("-c", MAIN, *words, **streams)
        os.close(sink)
        assert (done.returncode, done.stderr) == (0, "")

    def test_a_full_disk_is_told(self) -> None:
        done = in_shell('exec "$@" >/dev/full', *CAPS)
        told = "netplan: the answer cannot be written: No space left on device\n"
        assert (done.returncode, done.stderr) == (3, told)


class TestNames:
    """Of the standard output, where a path is wanted."""

    @pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
    def test_a_pipe_and_a_file_get_the_answer(self, name: str, tmp_path: Path) -> None:
        file = tmp_path / "file"
        file.write_text("before\n", "utf-8")
        done = in_shell(f'"$@" | cat >>{file}; exec "$@" >>{file}', *CAPS, "-o", f"json:{name}")
        alone = netplan(*CAPS, "-o", "json").out
        assert (done.returncode, done.stderr) == (0, "")
        assert file.read_text("utf-8") == f"before\n{alone}{alone}"

    def test_another_file_of_a_verb_goes_there_too(self, tmp_path: Path) -> None:
        *words, file = answers.calibration(tmp_path)
        assert netplan(*words, file).status == 0
        done = in_shell('"$@" | cat', *words, "/dev/stdout", "-o", f"text:{tmp_path / 'text'}")
        assert done.stdout == Path(file).read_text("utf-8")

    def test_another_pipe_gets_its_answer(self) -> None:
        done = in_shell('"$@" 3>&1 >/dev/null | cat', *CAPS, "-o", "json:/dev/fd/3")
        assert (done.stderr, done.stdout) == ("", netplan(*CAPS, "-o", "json").out)

    def test_two_answers_do_not(self) -> None:
        done = netplan(*CAPS, "-o", "json:/dev/stdout", "-o", "csv")
        assert (done.status, done.out) == (2, "")
        assert "json and csv would both go to standard output" in done.err


@pytest.mark.parametrize("words", [CAPS, ("--help",)])
def test_a_terminal_gets_lines_of_its_width(words: tuple[str, ...]) -> None:
    """Also where it is the standard output alone that is one."""
    screen, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    nothing = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with begun("-c", MAIN, *words, stdout=end, **nothing) as process:
        os.close(end)
        written = b""
        # A terminal that nobody writes to any more ends with an error.
        while piece := _read(screen):
            written += piece
    os.close(screen)
    assert process.returncode == 0
    lines = STEERING.sub("", written.decode()).splitlines()
    assert 50 < max(map(len, lines)) <= 60


def _read(screen: int) -> bytes:
    try:
        return os.read(screen, 65536)
    except OSError:
        return b""
