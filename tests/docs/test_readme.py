"""What the README and the changelog show is what the program says."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from netplan_rules.registry import all_rules
from support.commands.run import run_verbs

ROOT = Path(__file__).resolve().parents[2]
CUT = "…"


class Shown(NamedTuple):
    """A command that the README shows."""

    command: str
    lines: list[str]


def sessions(text: str) -> Iterator[Shown]:
    """Yield the commands in `text` blocks of a page, each with the lines shown below it."""
    for block in re.findall(r"^```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.splitlines()
            yield Shown(command, lines)


SESSIONS = list(sessions((ROOT / "README.md").read_text("utf-8")))


def test_readme_shows_output() -> None:
    assert len(SESSIONS) >= 3


@pytest.mark.parametrize("shown", SESSIONS, ids=[shown.command for shown in SESSIONS])
def test_shown_output_is_real(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run of lines between two cuts stands so in the output, in the same order."""
    monkeypatch.chdir(ROOT)
    name, *arguments = shlex.split(shown.command)
    assert name == "netplan"
    done = run_verbs(arguments=arguments)
    assert done.returncode in {0, 1}, done.stderr
    rest = re.sub(r"[ ]+$", "", done.stdout, flags=re.MULTILINE)
    pieces = re.split(rf"^{CUT}$", "\n".join(shown.lines), flags=re.MULTILINE)
    for wanted in filter(None, (piece.strip("\n") for piece in pieces)):
        assert wanted in rest
        rest = rest.partition(wanted)[2]


def test_changelog_names_every_rule() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    missing = [
        check.rule.id
        for check in all_rules()
        if f"- `{check.rule.id}` ({check.rule.severity})" not in text
    ]
    assert missing == []
