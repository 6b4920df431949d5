"""Exit statuses of every verb, by the table of docs/reference/statuses.md."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from netplan_planner import errors
from support.commands.cases import CASES, cases
from support.commands.in_process import netplan
from support.commands.lines import FILE, OUT, VERBS, success
from support.commands.tree import ROOT
from support.commands.verbs import commands, leaves

ANSWERING = {*leaves(ROOT)}
LEAVES = {" ".join(path): command for path, command in commands(ROOT) if path in ANSWERING}
DOCS = Path(__file__).parents[3] / "docs/reference/statuses.md"
DAMAGED = b'\x00\xff{"kind": "compute#'
_OF_MEASURING = {"probe plan", "probe run"}
"""Whose status 3 for want of a figure needs machines; tests/planner/cli/probe has it."""


def lines_of(kind: str) -> list[Any]:
    """Return the lines of a kind with the verb as their name."""
    return [
        pytest.param(line, id=f"{verb}-{number}")
        for verb, lines in VERBS.items()
        for number, line in enumerate(getattr(lines, kind), 1)
    ]


def documented() -> dict[str, tuple[bool, bool, bool]]:
    """Return by verb whether the table says when it ends with 1, with 3 for want of a figure, 4."""
    rows = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in DOCS.read_text("utf-8").splitlines()
        if line.startswith("| `")
    )
    return {row[0].strip("`"): (bool(row[1]), bool(row[2]), bool(row[3])) for row in rows}


def test_every_verb_has_its_row_and_a_wrong_word() -> None:
    assert set(VERBS) == set(LEAVES), "give it a row in tests/support/commands/lines.toml"
    assert set(documented()) == set(LEAVES), "give it a row in docs/reference/statuses.md"
    lines = [line for line, _ in cases(CASES / "any" / "wrong_words.toml")]
    lacking = {
        verb for verb in VERBS if not any(f"{line} ".startswith(f"{verb} ") for line in lines)
    }
    assert not lacking, "give it a line in tests/cases/any/wrong_words.toml"


@pytest.mark.parametrize("verb", LEAVES)
def test_its_row_says_what_the_tests_show(verb: str) -> None:
    finds_nothing, lacks, is_incomplete = documented()[verb]
    lines = VERBS[verb]
    assert finds_nothing == bool(lines.nothing)
    assert lacks == bool(lines.lacking) or verb in _OF_MEASURING
    is_strict = any("--strict" in option.opts for option in LEAVES[verb].params)
    assert is_incomplete == is_strict == (lines.incomplete is not None)


def test_the_errors_have_the_statuses_of_the_table() -> None:
    statuses = {
        errors.UsageError: 2,
        errors.UnknownName: 2,
        errors.InputError: 3,
        errors.MissingDatum: 3,
        errors.IncompleteError: 4,
    }
    assert {kind: kind.exit_status for kind in statuses} == statuses


@pytest.mark.parametrize("line", lines_of("nothing"))
def test_nothing_found_is_1(line: str | Callable[[Path], list[str]], tmp_path: Path) -> None:
    done = netplan(*(line.split() if isinstance(line, str) else line(tmp_path)))
    assert done.status == 1
    assert done.out


@pytest.mark.parametrize("content", [None, DAMAGED], ids=["missing", "damaged"])
@pytest.mark.parametrize("line", lines_of("unreadable"))
def test_an_unreadable_input_is_3(line: str, content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "given"
    if content is not None:
        file.write_bytes(content)
    done = netplan(*line.replace(FILE, str(file)).replace(OUT, str(tmp_path)).split())
    assert (done.status, done.out) == (3, "")
    assert str(file) in done.err
    assert "unexpected error" not in done.err


@pytest.mark.parametrize("line", lines_of("lacking"))
def test_a_figure_that_is_not_known_is_3(line: str) -> None:
    done = netplan(*line.split())
    assert (done.status, done.out) == (3, "")
    assert "unexpected error" not in done.err


@pytest.mark.parametrize("verb", [verb for verb in VERBS if VERBS[verb].incomplete])
def test_a_part_that_is_missing_is_4_with_strict(verb: str, tmp_path: Path) -> None:
    make = VERBS[verb].incomplete
    assert make is not None
    with ExitStack() as stack:
        done = netplan(*make(tmp_path, stack))
    assert done.status == 4
    assert "--strict" in done.err


class TestOutput:
    """Of a verb that would answer."""

    @pytest.mark.parametrize("verb", VERBS)
    def test_a_full_disk_is_3(self, verb: str, tmp_path: Path) -> None:
        with ExitStack() as stack:
            done = netplan(*success(verb, tmp_path, stack), "-o", "json:/dev/full")
        assert done.status == 3
        assert "/dev/full: cannot be written: No space left on device" in done.err

    @pytest.mark.parametrize("verb", VERBS)
    def test_what_cannot_be_a_target_is_2_before_any_work(self, verb: str, tmp_path: Path) -> None:
        with ExitStack() as stack:
            words = success(verb, tmp_path, stack)
            before = sorted(tmp_path.rglob("*"))
            missing = tmp_path / "none" / "answer.json"
            for output, near in (
                (f"json:{missing}", "does not exist"),
                (f"json:{tmp_path}", "folder"),
                ("jsn", "did you mean json?"),
            ):
                done = netplan(*words, "-o", output)
                assert (done.status, done.out) == (2, "")
                assert near in done.err
            assert sorted(tmp_path.rglob("*")) == before

    @pytest.mark.parametrize(
        ("verb", "option"), [(verb, one) for verb in VERBS for one in VERBS[verb].files]
    )
    def test_of_a_file_beside_the_answer_too(self, verb: str, option: str, tmp_path: Path) -> None:
        with ExitStack() as stack:
            words = success(verb, tmp_path, stack)
        done = netplan(*words, option, str(tmp_path / "none" / "file.svg"))
        assert (done.status, done.out) == (2, "")
        assert "does not exist" in done.err


@pytest.mark.parametrize("words", ["auditt", "price machin", "config sho"])
def test_a_verb_that_is_none_is_2(words: str) -> None:
    done = netplan(*words.split())
    assert done.status == 2
    assert "Did you mean" in done.err
