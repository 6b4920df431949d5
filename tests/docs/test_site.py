"""The built site: every link leads somewhere, every page is reached, nothing comes from elsewhere.

`make site` names the folder that it has built (`NETPLAN_TEST_SITE`); without it the tests of the
whole site are skipped, and those of what they look with are not.
"""

import os
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from docs_site import pages
from netplan_planner.cli.verbs import VERBS
from netplan_rules.registry import all_rules

SITE = Path(os.environ.get("NETPLAN_TEST_SITE", "no-site"))
built = pytest.mark.skipif(not SITE.is_dir(), reason="no site was built: make site")
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
"""Elements that a browser loads by themselves, and the attribute that names what."""
LOADED_LINKS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "manifest"}
MADE = ("search.html", "genindex.html")
"""Pages of the generator, without a page of Markdown."""


class Page(HTMLParser):
    """What a page links to, loads and is linked by."""

    def __init__(self, text: str) -> None:
        """Read the page."""
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and LOADED_LINKS & set(given.get("rel", "").split()):
            self.loaded.append(given["href"])
        if given.get(LOADED.get(tag, "")):
            self.loaded.append(given[LOADED[tag]])


@cache
def read(file: Path) -> Page:
    return Page(file.read_text("utf-8"))


def html(site: Path) -> list[Path]:
    """Return the pages, without files that pages offer as they are."""
    return [one for one in sorted(site.rglob("*.html")) if "_downloads" not in one.parts]


def inner(file: Path, links: list[str]) -> Iterator[tuple[Path, str]]:
    """Yield the file and the anchor of each link within the site."""
    for link in links:
        parts = urlsplit(link)
        if not parts.scheme and not parts.netloc:
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            yield target, unquote(parts.fragment)


def broken(site: Path) -> list[str]:
    """Return links and assets that lead nowhere."""
    return [
        f"{file.relative_to(site)}: {to.name}#{anchor}"
        for file in html(site)
        for to, anchor in inner(file, read(file).links + read(file).loaded)
        if not to.is_file()
        or (anchor and to.suffix == ".html" and to in html(site) and anchor not in read(to).ids)
    ]


def foreign(site: Path) -> list[str]:
    """Return what a browser would fetch from another server to show the pages."""
    return [
        link
        for file in html(site)
        for link in read(file).loaded
        if urlsplit(link).netloc or urlsplit(link).scheme not in {"", "data"}
    ] + [
        f"{file.name}: {found}"
        for file in sorted(site.rglob("*.css"))
        for found in ("url(http", "url(//", 'url("http', "url('http", "@import")
        if found in file.read_text("utf-8")
    ]


def orphans(site: Path) -> set[str]:
    """Return pages that nobody reaches from the first one by links."""
    wait, seen = [site / "index.html"], set[Path]()
    while wait:
        file = wait.pop()
        if file not in seen and file.is_file() and file.suffix == ".html":
            seen.add(file)
            wait += [to for to, _ in inner(file, read(file).links) if "_downloads" not in to.parts]
    return {one.relative_to(site).as_posix() for one in {*html(site)} - seen} - {*MADE}


@built
def test_no_link_is_broken() -> None:
    assert broken(SITE.resolve()) == []


@built
def test_every_page_is_reached() -> None:
    assert len(html(SITE)) > 200
    assert orphans(SITE.resolve()) == set()


@built
def test_nothing_comes_from_another_server() -> None:
    assert foreign(SITE.resolve()) == []


@built
def test_markdown_lies_beside_each_page() -> None:
    bare = [one for one in html(SITE) if one.name not in MADE]
    assert [one.name for one in bare if not one.with_suffix(".md").is_file()] == []
    text = (SITE / "tutorials/ten-minutes.html").read_text("utf-8")
    assert '<link rel="alternate" type="text/markdown" href="ten-minutes.md">' in text


@built
def test_every_verb_and_rule_has_its_page() -> None:
    rules = {check.rule.id for check in all_rules()}
    lacking = [one for one in rules if not (SITE / pages.RULES / f"{one}.html").is_file()]
    assert lacking == []
    for rule in rules:
        assert "## Example" in (SITE / pages.RULES / f"{rule}.md").read_text("utf-8"), rule
    assert [one for one in VERBS if not (SITE / pages.OPTIONS / f"{one}.html").is_file()] == []


@built
def test_it_can_be_searched_and_listed() -> None:
    assert "external" in (SITE / "searchindex.js").read_text("utf-8")
    listed = (SITE / "llms.txt").read_text("utf-8")
    assert listed.startswith("# netplan\n\n> netplan finds")
    for kind in ("Tutorials", "How-to guides", "Reference", "Background"):
        assert f"\n## {kind}\n" in listed
    linked = {line.partition("](")[2].partition(")")[0] for line in listed.splitlines()}
    assert all((SITE / one).is_file() for one in linked - {""})
    assert len(linked) > 200


def test_what_is_wrong_is_seen(tmp_path: Path) -> None:
    head = '<link rel="stylesheet" href="https://fonts.example/a.css"><h1 id="top">A</h1>'
    (tmp_path / "index.html").write_text(f'{head}<a href="b.html#no">b</a><a href="c.html">c</a>')
    (tmp_path / "b.html").write_text('<img src="no.png"><a href="index.html#top">a</a>')
    (tmp_path / "d.html").write_text("<p>Nobody comes here.</p>")
    (tmp_path / "d.css").write_text("p { background: url(//cdn.example/p.png) }")
    assert broken(tmp_path) == ["b.html: no.png#", "index.html: b.html#no", "index.html: c.html#"]
    assert foreign(tmp_path) == ["https://fonts.example/a.css", "d.css: url(//"]
    assert orphans(tmp_path) == {"d.html"}


def test_links_follow_their_pages(tmp_path: Path) -> None:
    pages.copy_pages(tmp_path)
    index = (tmp_path / "index.md").read_text("utf-8")
    assert "](background/model.md)" in index
    assert "](reference/rules/index.md)" in index
    assert "](background/decisions/index.md)" in index
    guide = (tmp_path / "how-to/costs/needless-traffic.md").read_text("utf-8")
    assert "](../../reference/rules/external-ip-intra-zone.md)" in guide
