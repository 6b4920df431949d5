"""Errors that nobody foresaw, and warnings: one line, or none; the rest comes on request."""

import errno
from pathlib import Path

import pytest

from netplan_planner.cli.unforeseen import line_of, trace_of, withheld, without_values
from netplan_planner.errors import InputError
from netplan_planner.input_files import reading
from netplan_planner.readers import files
from support.commands.run import run_anew, run_verbs

SECRET = "sk-live-hunter2hunter2"


def raised(text: str) -> Exception:
    try:
        with reading("inventory/instances.json"):
            float(text)
    except ValueError as exc:
        return exc
    raise AssertionError


def test_the_line_names_what_was_read_memory_and_the_file_system() -> None:
    line = line_of(raised("x"), ["--quiet", "audit", "--inventory", "inventory"])
    assert "while reading inventory/instances.json" in line
    assert "`netplan --debug audit …` shows the stack trace" in line
    assert "\n" not in line
    # Memory and the file system are named.
    assert line_of(MemoryError(), ["audit"]).startswith("not enough memory")
    denied = PermissionError(errno.EACCES, "Permission denied", "/etc/x")
    assert line_of(denied, []).startswith("/etc/x: Permission denied")
    # Errors on purpose keep their own words.
    with pytest.raises(InputError, match=r"^mine$") as caught, reading("a file"):
        raise InputError("mine")
    assert not getattr(caught.value, "__notes__", [])


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["--config", "netplan.toml", "config", "show"], "netplan --debug config …"),
        (["--config", "audit", "caps"], "netplan --debug caps …"),
        (["--config=x", "-q", "price", "machine"], "netplan --debug price …"),
        (["--config", "netplan.toml"], "netplan --debug"),
    ],
)
def test_the_way_to_the_trace_names_the_verb(words: list[str], advice: str) -> None:
    assert f"`{advice}` shows the stack trace" in line_of(raised("x"), words)


def test_the_trace_has_places_causes_and_no_values() -> None:
    trace = trace_of(raised(SECRET))
    assert "test_unforeseen.py" in trace
    assert f"ValueError: could not convert string to float: ({len(SECRET) + 2} characters)" in trace
    assert SECRET not in trace
    # The errors behind one are told too.
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as exc:
            raise RuntimeError("behind it") from exc
    except RuntimeError as exc:
        trace = trace_of(exc)
    assert trace.index("KeyError") < trace.index("which led to") < trace.index("RuntimeError")
    assert SECRET not in trace

    # The trace of a deep recursion is short.
    def deeper() -> None:
        deeper()

    with pytest.raises(RecursionError) as caught:
        deeper()
    assert len(trace_of(caught.value).splitlines()) < 150
    assert "nested too deeply" in line_of(caught.value, [])


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"NETPLAN_PRICES_REFRESH_API_KEY": SECRET}, []),
        ({"GITHUB_TOKEN": SECRET}, []),
        ({}, ["prices", "refresh", "--api-key", SECRET]),
        ({}, ["prices", "refresh", f"--api-key={SECRET}"]),
        ({}, ["--config", f"https://me:{SECRET}@host/x"]),
        ({}, ["predict", f"https://host/x?X-Goog-Signature={SECRET}&b=1"]),
        ({}, ["audit", "--spark-remote", f"sc://host:15002/;token={SECRET}"]),
    ],
)
def test_secrets_around_are_withheld(environment: dict[str, str], words: list[str]) -> None:
    assert withheld(f"no {SECRET} here", environment, words) == "no (not shown) here"


def test_a_url_of_a_file_of_settings_is_told_without_its_password() -> None:
    told = withheld(f"webdav:/me:{SECRET}@host/x: cannot be read", {}, [])
    assert told == "webdav:/me:(not shown)@host/x: cannot be read"


def test_a_file_and_plain_words_are_no_secret(tmp_path: Path) -> None:
    name = str(tmp_path)
    assert withheld(name, {"GOOGLE_APPLICATION_CREDENTIALS": name}, ()) == name
    # Without values keeps the words.
    assert without_values(f'no key "{SECRET}" in {SECRET * 2}') == (
        "no key (24 characters) in (44 characters)"
    )


def test_debug_shows_the_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "documents_of", lambda data: 1 / 0)
    (tmp_path / "a.json").write_text("{}")
    arguments = ["audit", "--inventory", str(tmp_path)]
    plain = run_verbs(arguments=arguments)
    assert (plain.returncode, plain.stdout) == (3, "")
    assert plain.stderr.count("\n") == 1
    assert f"while reading {tmp_path / 'a.json'}" in plain.stderr
    told = run_verbs(arguments=["--debug", *arguments])
    assert told.returncode == 3
    assert "ZeroDivisionError" in told.stderr
    assert "in _early" in told.stderr or "in _read_data" in told.stderr


SCRIPT = """
import warnings
from netplan_planner.cli import commands, main
write = commands.write
def warned(*arguments):
    warnings.simplefilter("always")
    warnings.warn("wears out", FutureWarning)
    write(*arguments)
commands.write = warned
main()
"""


@pytest.mark.parametrize("is_shown", [False, True])
def test_a_warning_is_seen_with_debug_alone(is_shown: bool) -> None:
    words = ["--debug"] * is_shown + ["caps", "n2-standard-4", "--output", "csv"]
    done = run_anew("-c", SCRIPT, *words)
    assert done.returncode == 0, done.stderr
    assert ("FutureWarning: wears out" in done.stderr) is is_shown
    assert "wears out" not in done.stdout
    assert "n2-standard-4" in done.stdout
