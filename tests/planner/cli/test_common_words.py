"""`--config`, `--quiet` and `--explain`, before a verb and behind it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from netplan_planner.cli.app import app
from netplan_planner.cli.common_words import in_front
from support.commands.run import run_verbs
from support.commands.tree import ROOT
from support.commands.verbs import leaves

LEAVES = tuple(leaves(ROOT))
PLAIN = (("--quiet",), ("-q",), ("-v",), ("--explain",))
WITH_FILE = (("--config", "FILE"), ("--config=FILE",))


@pytest.mark.parametrize(("number", "path"), list(enumerate(LEAVES)), ids=str)
def test_every_verb_takes_them_anywhere(number: int, path: tuple[str, ...], tmp_path: Path) -> None:
    """Two spellings a verb, in turn: one that has a value and one that has none."""
    file = tmp_path / "netplan.toml"
    file.write_text("", "utf-8")
    for spelling in (PLAIN[number % len(PLAIN)], WITH_FILE[number % len(WITH_FILE)]):
        words = [word.replace("FILE", str(file)) for word in spelling]
        for line in ([*words, *path], [*path[:1], *words, *path[1:]], [*path, *words]):
            done = CliRunner().invoke(app, [*line, "--help"], prog_name="netplan")
            assert done.exit_code == 0, (line, done.output)
            assert f"Usage: netplan {' '.join(path)} " in done.output


@pytest.mark.parametrize(
    ("words", "arranged"),
    [
        (["caps", "--quiet", "n2"], ["--quiet", "caps", "n2"]),
        (["config", "show", "--config", "a.toml"], ["--config", "a.toml", "config", "show"]),
        (["config", "--config=a.toml", "show"], ["--config=a.toml", "config", "show"]),
        (["audit", "-v", "--explain", "x"], ["audit", "-v", "--explain", "x"]),
        (["audit", "--explain"], ["audit", "--explain", "all"]),
        (["audit", "--explain", "--demo", "x"], ["audit", "--explain", "all", "--demo", "x"]),
        (["audit", "--explain=nic"], ["audit", "--explain=nic"]),
        (["--explain", "audit"], ["--explain", "audit"]),
        (["caps", "--explain", "n2"], ["--explain", "caps", "n2"]),
        (["-v", "audit", "-q"], ["-v", "-q", "audit"]),
        (["predict", "-v"], ["predict", "-v"]),
        (["caps", "--", "-q"], ["caps", "--", "-q"]),
        (["caps", "--config"], ["--config", "caps"]),
    ],
)
def test_words_go_before_unless_its_own(words: list[str], arranged: list[str]) -> None:
    assert in_front(words, ROOT) == arranged


def test_they_do_the_same_in_both_places(tmp_path: Path) -> None:
    file = tmp_path / "netplan.toml"
    file.write_text('[caps]\nseries = "e2"\n', "utf-8")
    verb, option = ["caps", "--output", "csv"], ["--config", str(file)]
    before, behind = (
        run_verbs(arguments=line).stdout for line in ([*option, *verb], [*verb, *option])
    )
    assert before == behind
    assert before.count("\ne2-") == before.count("\n") - 1
    table = tmp_path / "t.csv"
    table.write_text("path_class,machine_type,odd\nsame-zone-internal,n2-standard-8,x\n")
    batch = ["predict", "--batch", str(table)]
    assert "nothing is read from 1 column" in run_verbs(arguments=batch).stderr
    assert run_verbs(arguments=[*batch, "--quiet"]).stderr == ""
    assert run_verbs(arguments=["--quiet", *batch]).stderr == ""
    path = ["predict", "n2-standard-8", "--as-of", "2026-11-21"]
    explained = run_verbs(arguments=[*path, "--explain"]).stdout
    assert run_verbs(arguments=["--explain", *path]).stdout == explained
    assert len(explained) > len(run_verbs(arguments=path).stdout)
