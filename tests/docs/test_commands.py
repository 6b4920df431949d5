"""Commands that pages show are commands of netplan, with options that they have."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.commands.tree import ROOT
from support.listed import listed

HOME = Path(__file__).resolve().parents[2]
PAGES = (HOME / "README.md", *sorted((HOME / "docs").rglob("*.md")))
NAMES = [str(page.relative_to(HOME)) for page in PAGES]
OF_ALL = frozenset({"--help", "--help-all"}.union(*(one.opts for one in ROOT.params)))
"""Options of the whole command, which stand behind a verb too."""


def shown(text: str) -> Iterator[str]:
    """Yield the words behind `netplan` of each command, in blocks and within sentences."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    yield from (one[1] for line in lines if (one := re.match(r"(?:\$ )?netplan +(.*)", line)))
    yield from re.findall(r"`netplan ([a-z][^`\n]*)`", text)


def unknown(words: str) -> set[str]:
    """Return the verb, or the options, that a command line names and netplan lacks."""
    given = re.sub(r"'[^']*'|\"[^\"]*\"|[#|&].*", "", words).split()
    command: Any = ROOT
    known = OF_ALL
    while given and (inner := getattr(command, "commands", {})):
        # `price machine|traffic`, and a group that its page names alone.
        if given[0] not in inner:
            return set() if given[0].startswith("-") else {given[0]}
        command = inner[given.pop(0)]
        known = known.union(*((*one.opts, *one.secondary_opts) for one in command.params))
    return {one.partition("=")[0] for one in given if re.match(r"--?[a-z]", one)} - known


@listed(("name", "page"), list(zip(NAMES, PAGES, strict=True)), ids=NAMES)
def test_commands_are_known(name: str, page: Path) -> None:
    found = {words: unknown(words) for words in shown(page.read_text("utf-8"))}
    assert {words: lacks for words, lacks in found.items() if lacks} == {}, name


def test_what_is_unknown_is_seen() -> None:
    assert unknown("audit --demo gecko --no-such 'a --b' # --c") == {"--no-such"}
    assert unknown("nosuch --demo gecko") == {"nosuch"}
    assert unknown("price nosuch") == {"nosuch"}
    assert sum(1 for page in PAGES for _ in shown(page.read_text("utf-8"))) > 50
