"""What the README, the pages of `docs` and the changelog show is what the program says.

`make test` runs what README and reference show; `make site` also what tutorials and guides show.
"""

import difflib
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from netplan_planner.cli.verbs import VERBS
from support.commands.run import run_verbs

ROOT = Path(__file__).resolve().parents[2]
README, INDEX = ROOT / "README.md", ROOT / "docs/README.md"
CUT = "…"
MOST_LINES, MOST_WORDS = 150, 1500
"""Of the README: what somebody reads who has never seen the tool."""


class Shown(NamedTuple):
    """A command that a page shows."""

    page: str
    command: str
    lines: list[str]


def sessions(page: Path) -> Iterator[Shown]:
    """Yield the commands in `text` blocks of a page, each with the lines shown below it."""
    text, name = page.read_text("utf-8"), str(page.relative_to(ROOT))
    for block in re.findall(r"^```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.splitlines()
            yield Shown(name, command, lines)


PAGES = (README, *sorted((ROOT / "docs").rglob("*.md")))
SESSIONS = [shown for page in PAGES for shown in sessions(page)]
OF_SITE = ("docs/tutorials/", "docs/how-to/")
CASES = [
    pytest.param(
        shown,
        id=f"{shown.page} {shown.command}",
        marks=[pytest.mark.nightly] if shown.page.startswith(OF_SITE) else [],
    )
    for shown in SESSIONS
]


@cache
def output(command: str) -> str:
    """Return what a command prints, run once however many pages show it."""
    name, *arguments = shlex.split(command)
    assert name == "netplan"
    done = run_verbs(arguments=arguments)
    assert done.returncode in {0, 1}, done.stderr
    return re.sub(r"[ ]+$", "", done.stdout, flags=re.MULTILINE)


def test_pages_show_output() -> None:
    shown = [one.page for one in SESSIONS]
    assert shown.count("README.md") >= 3
    assert len(set(shown)) >= 10


def pieces(shown: list[str]) -> list[list[str]]:
    """Return the runs of lines between cuts, without empty lines at their ends."""
    parts = re.split(rf"^{CUT}$", "\n".join(shown), flags=re.MULTILINE)
    return [part.strip("\n").split("\n") for part in parts if part.strip("\n")]


def renewed(shown: list[str], real: str) -> list[str]:
    """Return what a page shows of a command, with the lines of today that are most like it."""
    lines, at, found = real.splitlines(), 0, list[str]()
    if shown[:1] == [CUT]:
        found.append(CUT)
    for piece in pieces(shown):
        wanted = "\n".join(piece)

        def likeness(start: int, wanted: str = wanted, size: int = len(piece)) -> float:
            window = "\n".join(lines[start : start + size])
            return difflib.SequenceMatcher(None, window, wanted, autojunk=False).ratio()

        best = max(range(at, len(lines) - len(piece) + 1), key=likeness)
        at = best + len(piece)
        found += [*lines[best:at], CUT]
    return found if shown[-1:] == [CUT] else found[:-1]


@pytest.mark.parametrize("shown", CASES)
def test_shown_output_is_real(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Each run of lines between two cuts stands so in the output, in the same order."""
    monkeypatch.chdir(ROOT)
    rest, wanted = output(shown.command), shown.lines
    if request.config.getoption("--update-golden"):
        page, wanted = ROOT / shown.page, renewed(shown.lines, rest)
        old, new = ("\n".join([f"$ {shown.command}", *some]) for some in (shown.lines, wanted))
        page.write_text(page.read_text("utf-8").replace(old, new), "utf-8")
    for piece in pieces(wanted):
        text = "\n".join(piece)
        assert text in rest
        rest = rest.partition(text)[2]


def test_output_that_changed_is_found_again() -> None:
    real = "head\n1. saves $5/month\n   why so\nother\nfoot"
    assert renewed([CUT, "1. saves $4 a month", "   why", CUT], real) == [
        CUT,
        "1. saves $5/month",
        "   why so",
        CUT,
    ]
    assert renewed(["head", CUT, "feet"], real) == ["head", CUT, "foot"]


def test_guides_answer_one_question_each() -> None:
    """At least twenty, each with a command, its output and how to read it, on one screen or two."""
    guides = sorted((ROOT / "docs/how-to").rglob("*.md"))
    assert len(guides) >= 20
    for guide in guides:
        text = guide.read_text("utf-8")
        assert len([*sessions(guide)]) == 1, guide.name
        assert re.match(r"# .+\?\n", text), guide.name
        assert "\n## How to read it\n" in text, guide.name
        assert len(text.splitlines()) <= 50, guide.name


def test_guides_explain_what_they_show() -> None:
    """A point of "How to read it" that begins with a label has it from the output."""
    for guide in sorted((ROOT / "docs/how-to").rglob("*.md")):
        page = guide.read_text("utf-8")
        outputs = "".join(re.findall(r"```.*?```", page, re.DOTALL))
        labels = re.findall(r"^- `(?!netplan )([\w /():]+)`", page, re.MULTILINE)
        assert not {one for one in labels if one not in outputs} - {"csv", "json"}, guide.name


def test_the_readme_is_short() -> None:
    text = README.read_text("utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert len(text.split()) <= MOST_WORDS


def test_verbs_are_listed_with_their_questions() -> None:
    """README and index say of each verb what `netplan --help` says, in its order."""
    asked = [(name, verb.help) for name, verb in VERBS.items()]
    row = re.compile(r"^\| \[`([a-z-]+)`\]\([^)]+\) \| (.*) \|$", re.MULTILINE)
    for page in (README, INDEX):
        assert row.findall(page.read_text("utf-8")) == asked, page.name


def test_the_changelog_is_of_this_version_and_short() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    built = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert f"## [{built}] - " in text
    assert len(text.splitlines()) <= 80
