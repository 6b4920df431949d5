"""No output of any verb takes the place of what the verb reads, by whatever name either is given.

Verbs and their parameters are found from the command itself: a new one is held to it as it is.
"""

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.judging.suppressions import IGNORE_FILE
from support.commands.in_process import Done, netplan
from support.commands.lines import VERBS, success
from support.commands.paths import LEAVES, options_of, uses

TEXT = b"name,zone,value\n"
USAGE = 2


INPUTS = [
    pytest.param(verb, option, id=f"{verb} {option}")
    for verb in LEAVES
    # A server writes no answer.
    if any(one.name == "output" for one in LEAVES[verb].params)
    # It reads the folder in which it writes.
    and verb != "init"
    for option in options_of(verb, is_written=False)
]
READING = sorted({str(param.values[0]) for param in INPUTS})


def same(file: Path) -> Path:
    return file


def relative(file: Path) -> Path:
    return Path(os.path.relpath(file))


def around(file: Path) -> Path:
    return file.parent / "sub" / ".." / file.name


def symbolic(file: Path) -> Path:
    link = file.with_name("link")
    link.symlink_to(file.name)
    return link


def hard(file: Path) -> Path:
    link = file.with_name("hard")
    link.hardlink_to(file)
    return link


WAYS = (same, relative, around, symbolic, hard)


def given(folder: Path) -> Path:
    """Return a file to read in a folder of its own."""
    (folder / "data" / "sub").mkdir(parents=True)
    file = folder / "data" / "given.csv"
    file.write_bytes(TEXT)
    return file


def with_input(verb: str, option: str, file: Path) -> list[str]:
    """Return a command line that reads a file by an option, or among its arguments.

    What else the verb needs is made up: nothing of it is read before the outputs are looked at.
    """
    words = verb.split()
    for parameter in LEAVES[verb].params:
        is_option = parameter.opts[0].startswith("-")
        if parameter.opts[0] == option:
            words += [option, str(file)] if is_option else [str(file)]
        elif parameter.required:
            other = made_up(parameter, file)
            words += [parameter.opts[0], other] if is_option else [other]
    return words


def made_up(parameter: Any, file: Path) -> str:
    kind = parameter.type_descriptor
    if kind.is_choice:
        return str(getattr(kind.choices[0], "value", kind.choices[0]))
    return "1" if kind.annotation in (int, float) else str(file.with_name("other"))


def refused(done: Done, file: Path, option: str) -> None:
    assert done.status == USAGE, done.err
    shown = option if option.startswith("-") else ""
    assert f"{shown} reads" in done.err or "would both write" in done.err, done.err
    assert file.read_bytes() == TEXT


@pytest.mark.parametrize(("verb", "option"), INPUTS)
def test_the_answer_does_not_replace_an_input(verb: str, option: str, tmp_path: Path) -> None:
    file = given(tmp_path)
    done = netplan(*with_input(verb, option, file), "--output", f"json:{file}")
    if "is a file" in done.err:
        # A folder is wanted, and files in it are found on the way.
        assert done.status == USAGE
        return
    refused(done, file, option)
    assert "--output json:" in done.err


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("verb", READING)
def test_by_no_other_name(
    verb: str, way: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = given(tmp_path)
    monkeypatch.chdir(tmp_path)
    option = options_of(verb, is_written=False)[0]
    refused(netplan(*with_input(verb, option, file), "--output", f"json:{way(file)}"), file, option)
    if way in (symbolic, hard):
        # The other way round: the input is given by the other name.
        words = with_input(verb, option, file.with_name(f"{'link' if way is symbolic else 'hard'}"))
        refused(netplan(*words, "--output", f"json:{file}"), file, option)


BESIDE = [
    pytest.param(verb, output, option, id=f"{verb} {output} {option}")
    for verb in LEAVES
    for output, written in uses(verb)
    if written.is_written
    for option in options_of(verb, is_written=False)
]


@pytest.mark.parametrize(("verb", "output", "option"), BESIDE)
def test_other_files_do_not_either(verb: str, output: str, option: str, tmp_path: Path) -> None:
    file = given(tmp_path)
    use = dict(uses(verb))[output]
    target = file
    if use.is_folder:
        inside = file.with_name(use.file or "edges.parquet")
        file.rename(inside)
        file, target = inside, file.parent
    if use.is_own and dict(uses(verb))[option].is_own:
        # The snapshot that stays is the one in its folder.
        return
    words = with_input(verb, option, file)
    if output in words:
        words[words.index(output) + 1] = str(target)
    else:
        words += [output, str(target)]
    done = netplan(*words)
    refused(done, file, option)
    assert output in done.err


def test_there_are_such_files() -> None:
    """Those of the table of verbs, and no others: a new one is marked as written."""
    written = {verb: set(options_of(verb, is_written=True)) for verb in LEAVES}
    assert any(written.values())
    for verb, lines in VERBS.items():
        assert set(lines.files) <= written[verb] | set(options_of(verb, is_written=False))


WALKED = [
    pytest.param(verb, option, id=f"{verb} {option}")
    for verb in LEAVES
    for option, use in uses(verb)
    if use.is_walked
]


@pytest.mark.parametrize(("verb", "option"), WALKED)
def test_nothing_is_written_where_the_next_run_would_read_it(
    verb: str, option: str, tmp_path: Path
) -> None:
    file = given(tmp_path)
    words = with_input(verb, option, file.parent)
    for name in ("new.json", "sub/new.json"):
        refused(netplan(*words, "--output", f"json:{file.parent / name}"), file, option)
        assert not (file.parent / name).exists()
    link = tmp_path / "elsewhere.json"
    link.symlink_to(file.parent / "new.json")
    refused(netplan(*words, "--output", f"json:{link}"), file, option)
    assert not (file.parent / "new.json").exists()


@pytest.mark.parametrize("verb", VERBS)
def test_two_outputs_are_two_files(verb: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        work = tmp_path / "work"
        work.mkdir()
        words = success(verb, work, stack)
    target = tmp_path / "new"
    other = tmp_path / "link"
    other.symlink_to(target)
    done = netplan(*words, "--output", f"json:{target}", "--output", f"csv:{other}")
    assert done.status == USAGE
    assert "would both write" in done.err
    assert not target.exists()


@pytest.mark.parametrize(
    ("verb", "output"),
    [
        pytest.param(verb, output, id=f"{verb} {output}")
        for verb in LEAVES
        for output, use in uses(verb)
        if use.is_written and not use.is_folder
    ],
)
def test_another_file_is_not_the_answer(verb: str, output: str, tmp_path: Path) -> None:
    words = with_input(verb, "", given(tmp_path))
    target = str(tmp_path / "new.tar.zst")
    if output in words:
        words[words.index(output) + 1] = target
    else:
        words += [output, target]
    done = netplan(*words, "--output", f"json:{target}")
    assert done.status == USAGE
    assert "would both write" in done.err


@pytest.mark.parametrize("verb", VERBS)
def test_settings_are_inputs_too(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = tmp_path / "netplan.toml"
    settings.write_text("quiet = true\n", encoding="utf-8")
    with ExitStack() as stack:
        work = tmp_path / "work"
        work.mkdir()
        words = success(verb, work, stack)
        for given_words in ([], ["--config", str(settings)]):
            done = netplan(*given_words, *words, "--output", "json:netplan.toml")
            assert done.status == USAGE
            assert "--config reads this file" in done.err
    assert settings.read_text(encoding="utf-8") == "quiet = true\n"


def test_the_file_of_suppressions_that_nobody_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(IGNORE_FILE).write_bytes(b"")
    done = netplan("audit", "--demo", "gecko", "--output", f"json:{IGNORE_FILE}")
    assert done.status == USAGE
    assert Path(IGNORE_FILE).read_bytes() == b""


def test_a_file_that_is_found_on_the_way_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No option names a file below a folder; that it was opened is enough, by any name."""
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    inside = Path("data", "flows.csv")
    inside.write_text("src,dst,gbps\n10.0.0.1,10.0.0.2,1\n", encoding="utf-8")
    outside = Path("report.json")
    outside.hardlink_to(inside)
    done = netplan("audit", "--demo", "gecko", "--traffic", "data", "--output", f"json:{outside}")
    assert done.status == USAGE
    assert "this run reads the file" in done.err
    assert outside.read_bytes() == inside.read_bytes()


def test_devices_and_hidden_files_are_no_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["audit", "--demo", "gecko", "--fail-on", "never", "--output"]
    assert netplan(*words, "json:/dev/null").status == 0
    assert netplan(*words, "json:/dev/null", "--ignore-file", "/dev/null").status == 0
