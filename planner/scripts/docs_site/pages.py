"""Which files of the checkout become pages, where they stand in the site, and how links follow.

A page of `docs` keeps its place. Pages of other rooms, and decisions, stand in `background`.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[3]
RULES, SCHEMAS, OPTIONS = "reference/rules", "reference/schemas.md", "reference/options"
DECISIONS = "background/decisions"
_ELSEWHERE = {
    "docs/README.md": "index.md",
    "README.md": "tutorials/overview.md",
    "CONTRIBUTING.md": "background/contributing.md",
    "planner/README.md": "background/model.md",
    "pricing/README.md": "background/prices.md",
    "benchmarks/README.md": "background/benchmarks.md",
    "tests/README.md": "background/tests.md",
    "docs/agents.md": "reference/agents.md",
    "docs/atlas/README.md": "background/atlas.md",
}
_MADE = {"rules/README.md": f"{RULES}/index.md", "docs/schemas": SCHEMAS}
_FOLDERS = {"docs/adr": f"{DECISIONS}/index.md", "benchmarks": "background/benchmarks.md"}
_CODE_OR_LINK = re.compile(r"(^```.*?^```|`[^`\n]+`)|\]\(([^)\s]+)\)", re.DOTALL | re.MULTILINE)
_NOT_RULES = frozenset({"", "rules", "severity", "rule-reference"})
"""Headings of the rule reference that are no rule."""


def sources() -> Mapping[str, str]:
    """Return the place in the site of each file that is a page, both relative."""
    found = dict(_ELSEWHERE)
    for file in sorted((ROOT / "docs").rglob("*.md")):
        name = file.relative_to(ROOT).as_posix()
        place = name.removeprefix("docs/")
        if place.startswith("adr/"):
            place = f"{DECISIONS}/{file.name}"
        found.setdefault(name, place)
    return found


def copy_pages(stage: Path) -> None:
    """Write the pages of the checkout to a folder, with links as the site has them."""
    places = sources()
    for source, place in places.items():
        text = (ROOT / source).read_text("utf-8")
        target = stage / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_linked(text, PurePosixPath(source), place, places, stage), "utf-8")


def _linked(
    text: str, source: PurePosixPath, place: str, places: Mapping[str, str], stage: Path
) -> str:
    """Return a page whose links lead to the places of the site; code stays as it is."""

    def changed(found: re.Match[str]) -> str:
        link = found[2]
        if link is None or link.startswith("#") or re.match(r"[a-z]+:", link):
            return found[0]
        file, _, heading = link.partition("#")
        name = os.path.normpath(source.parent / unquote(file))
        to, anchor = _target(name, heading, places, stage)
        return f"]({os.path.relpath(to, PurePosixPath(place).parent)}{anchor})"

    return _CODE_OR_LINK.sub(changed, text)


def _target(name: str, heading: str, places: Mapping[str, str], stage: Path) -> tuple[str, str]:
    """Return the place of a file that a page links to, and what follows it in an address."""
    anchor = f"#{heading}" if heading else ""
    if name == "rules/README.md" and heading not in _NOT_RULES:
        return f"{RULES}/{heading}.md", ""
    page = places.get(name) or _MADE.get(name) or _FOLDERS.get(name)
    if page is None:
        # A table, a picture or a program: carried along as a file, Markdown as plain text.
        page = f"files/{name}".removesuffix(".md")
        (stage / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, stage / page)
    return page, anchor


def title_of(text: str) -> str:
    r"""Return the first heading of a page.

    >>> title_of("# How `it` works\n\nText.")
    'How `it` works'
    """
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"a page without a heading: {text[:80]!r}")
    return found[1]


def summary_of(text: str) -> str:
    r"""Return the first sentence of a page, without links; empty where it begins with a table.

    >>> summary_of("# A\n\nIt [does](x.md) this\nand that. More.")
    'It does this and that.'
    """
    for part in re.split(r"\n\s*\n", text):
        if part.strip() and not re.match(r"\s*(#|\||```|<!--|!\[|:::|- )", part):
            flat = " ".join(re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", part).split())
            return re.split(r"(?<=[.?!:]) (?=[A-Z`])", flat, maxsplit=1)[0]
    return ""


def pages_below(stage: Path, folder: str) -> Iterator[Path]:
    """Yield the pages of a folder of the site that stand in it directly, by name."""
    for file in sorted((stage / folder).glob("*.md")):
        if file.name != "index.md":
            yield file
