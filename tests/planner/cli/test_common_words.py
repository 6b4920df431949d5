"""`--config`, `--quiet` and `--explain`, before a verb and behind it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from netplan_planner.cli.app import app
from netplan_planner.cli.options import in_front
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
