"""Links between the pages lead somewhere, and the index of `docs` has every page."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt

from support.listed import listed

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted(DOCS.rglob("*.md")),
    *(ROOT / room / "README.md" for room in ("benchmarks", "planner", "pricing")),
    ROOT / "tests/README.md",
)
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


@cache
def links(page: Path) -> tuple[str, ...]:
    """Return where the links and pictures of a page lead; code has none."""
    blocks = MarkdownIt().enable("table").parse(page.read_text("utf-8"))
    inline = [one for block in blocks for one in block.children or ()]
    found = [one.attrGet("href") or one.attrGet("src") for one in inline]
    return tuple(unquote(str(one)) for one in found if one)


def relative(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield the file and the heading of each link to another place of this tree."""
    for link in links(page):
        if not re.match(r"[a-z]+:", link):
            file, _, heading = link.partition("#")
            yield (page.parent / file).resolve() if file else page, heading


@cache
def headings(page: Path) -> frozenset[str]:
    """Return the headings of a page as GitHub names them in addresses."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return frozenset(re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in titles)


def broken(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere."""
    return [
        f"{file.name}#{heading}"
        for file, heading in relative(page)
        if not file.exists() or (heading and heading not in headings(file))
    ]


@listed(("name", "page"), list(zip(NAMES, PAGES, strict=True)), ids=NAMES)
def test_links_lead_somewhere(name: str, page: Path) -> None:
    assert broken(page) == [], name


def test_a_broken_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One `word`, two\n\n[a](#one-word-two) [b](#no) ![c](no.png) `[d](no.md)`\n")
    assert broken(page) == ["page.md#no", "no.png#"]


def test_the_index_has_every_page() -> None:
    index = DOCS / "README.md"
    linked = {file for file, _ in relative(index)}
    pages = {page for page in DOCS.rglob("*.md") if page != index}
    # The decisions are a folder of their own, which lists itself.
    assert pages - linked == set((DOCS / "adr").glob("*.md"))
    assert DOCS / "adr" in linked
    assert index in {file for file, _ in relative(ROOT / "README.md")}
