"""Writes the Markdown of the site to a new folder: python -m docs_site STAGE [--into SITE].

With `--into` it copies the Markdown beside the HTML that Sphinx has built, and writes `llms.txt`.
"""

import argparse
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from docs_site import pages, reference

_SECTIONS = {
    "tutorials": "Tutorials",
    "how-to": "How-to guides",
    "reference": "Reference",
    "background": "Background",
}
_INNER = {
    "how-to/costs": "Costs",
    "how-to/speed": "Speed",
    "how-to/changes": "Changes",
    "how-to/running": "Running netplan",
    "reference/verbs": "Verbs",
    pages.OPTIONS: "Options",
    pages.RULES: "Rules",
    pages.DECISIONS: "Decisions",
}
_ABOUT = {
    "tutorials": "Lessons to follow from start to end.",
    "how-to": "One question a page: a command, its output and how to read it.",
    "reference": "Verbs, options, rules, inputs, outputs and exit statuses.",
    "background": "How numbers are made, how good they are, and why it is built so.",
    "how-to/costs": "Questions about what a project pays.",
    "how-to/speed": "Questions about throughput and latency.",
    "how-to/changes": "Questions about a change before you make it.",
    "how-to/running": "Questions about inputs, outputs and automation.",
    "reference/verbs": "What each verb reads, answers and assumes.",
    pages.OPTIONS: "Every option of every verb, written by the code.",
    pages.DECISIONS: "Decisions on how netplan is built, each with its reason and its cost.",
}
_TREE = "\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{}\n```\n"


def stage(folder: Path) -> None:
    """Write all pages, and an index for each folder, to a folder that is not there yet."""
    folder.mkdir(parents=True)
    pages.copy_pages(folder)
    reference.write(folder)
    for place, title in (_INNER | _SECTIONS).items():
        _index(folder, place, title)
    with (folder / "index.md").open("a", encoding="utf-8") as file:
        file.write(_TREE.format("\n".join(f"{place}/index" for place in _SECTIONS)))


def _index(folder: Path, place: str, title: str) -> None:
    """Write the list of a folder's pages; one that lists them itself gets the tree alone."""
    file = folder / place / "index.md"
    inner = [one for one in _INNER if one.startswith(f"{place}/")]
    below = [*pages.pages_below(folder, place), *(folder / one / "index.md" for one in inner)]
    names = [one.relative_to(file.parent).as_posix() for one in below]
    if not file.exists():
        rows = "\n".join(f"- {_line(one, name)}" for one, name in zip(below, names, strict=True))
        file.write_text(f"# {title}\n\n{_ABOUT[place]}\n\n{rows}\n", "utf-8")
    tree = _TREE.format("\n".join(name.removesuffix(".md") for name in names))
    with file.open("a", encoding="utf-8") as index:
        index.write(tree)


def _line(file: Path, link: str) -> str:
    """Return a page as a line of a list: a link, and its first sentence."""
    text = file.read_text("utf-8")
    summary = pages.summary_of(text)
    return f"[{pages.title_of(text)}]({link})" + (f": {summary}" if summary else "")


def publish(folder: Path, site: Path) -> None:
    """Copy the Markdown beside the HTML of each page, and write `llms.txt`."""
    for file in folder.rglob("*.md"):
        shutil.copy(file, site / file.relative_to(folder))
    (site / "llms.txt").write_text("\n".join(_llms(folder)), "utf-8")


def _llms(folder: Path) -> Iterator[str]:
    """Yield the lines of the list of pages for language models (llmstxt.org)."""
    index = (folder / "index.md").read_text("utf-8")
    yield "# netplan\n"
    yield f"> {_first(folder / 'tutorials/overview.md')}\n"
    yield f"{pages.summary_of(index)}\n"
    for place, title in _SECTIONS.items():
        yield f"## {title}\n"
        for file in sorted((folder / place).rglob("*.md")):
            yield f"- {_line(file, file.relative_to(folder).as_posix())}"
        yield ""


def _first(file: Path) -> str:
    return re.sub(r"\s+", " ", pages.summary_of(file.read_text("utf-8")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage", type=Path)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    if given.into is None:
        stage(given.stage)
    else:
        publish(given.stage, given.into)
