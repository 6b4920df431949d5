"""File and line of the resources in findings, for formats that show findings in files.

Nothing is kept of the inventory's text, so the files of the findings' resources are read once
more, one at a time, when such a format is asked for. A file that has gone, changed its form or is
too large has its findings at its first line. What was read of a Terraform plan is shown where its
configuration has it, if that is at hand.
"""

import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from os import path as names
from pathlib import Path

from netplan_planner.input_files import WHOLE_BYTES, unpacked
from netplan_planner.model import Finding
from netplan_planner.readers.documents import NotText, pointer_lines, text_of
from netplan_planner.readers.terraform import code
from netplan_planner.renderers.places import FilePlace, file_place, place_in
from netplan_planner.world.demos import DEMO_FOLDER, DEMO_PREFIX, load_demo
from netplan_planner.world.request import InputRequest

MOST_BYTES = WHOLE_BYTES
"""Unpacked bytes of a file in which lines are looked for: the text and one value of it are in
memory. Code hosts take no file as large as that (GitHub: 100 MB)."""

_SOURCE = re.compile(
    r"(?P<path>.+?)(?::(?P<line>[1-9][0-9]{0,8}))?(?::(?P<pointer>/.*)?|: (?P<address>.+))?",
    re.DOTALL,
)


def sources_of(findings: Iterable[Finding]) -> set[str]:
    """Return where the resources of findings were read."""
    return {
        ref.source
        for finding in findings
        for refs in (finding.resources, *(member.resources for member in finding.members))
        for ref in refs
    }


def code_places(
    sources: Collection[str], terraform_dir: Path | None = None
) -> Mapping[str, FilePlace]:
    """Return file and line of resources, by their sources; of those that are in files.

    Args:
        sources: Of the resources that findings name.
        terraform_dir: Root module of the plans that were read; None: the folder of each plan, if
            it holds a configuration.
    """
    by_document: dict[tuple[str, int], dict[str, str]] = {}
    planned: dict[str, FilePlace] = {}
    for source in sorted(sources):
        place = file_place(source) or _plain_file(source)
        if place is not None and place.address:
            planned[source] = place
        elif place is not None:
            pointers = by_document.setdefault((place.path, place.line or 1), {})
            pointers[source] = place.pointer
    found = _of_terraform(planned, terraform_dir) if planned else {}
    text, read = "", ""
    for (path, line), pointers in sorted(by_document.items()):
        if path != read:
            text, read = _text(_real(path)), path
        lines = pointer_lines(text, pointers.values(), line)
        shown = _from_here(path)
        for source, pointer in pointers.items():
            at = lines.get(pointer, line if text else 1)
            found[source] = FilePlace(path=shown, line=at, pointer=pointer)
    return found


def _of_terraform(
    planned: Mapping[str, FilePlace], terraform_dir: Path | None
) -> dict[str, FilePlace]:
    """Return where the configuration has each resource, else where the plan has it."""
    codes: dict[Path, code.Code] = {}
    lines: dict[str, dict[str, int]] = {}
    found: dict[str, FilePlace] = {}
    for source, place in planned.items():
        root = terraform_dir if terraform_dir is not None else _real(place.path).parent
        if root not in codes:
            codes[root] = code.Code(root)
        at = codes[root].place_of(place.address)
        if at is not None:
            found[source] = FilePlace(
                path=_from_here(str(at.path)), line=at.line, address=place.address
            )
            continue
        if place.path not in lines:
            lines[place.path] = code.address_lines(_text(_real(place.path)))
        found[source] = FilePlace(
            path=_from_here(place.path),
            line=lines[place.path].get(place.address, place.line or 1),
            address=place.address,
        )
    return found


def _plain_file(source: str) -> FilePlace | None:
    """Return the place of a source whose file has no usual ending, if there is such a file."""
    match = _SOURCE.fullmatch(source)
    if match is None or "://" in source or not _is_file(Path(match["path"])):
        return None
    return place_in(match)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _real(path: str) -> Path:
    if path.startswith(DEMO_PREFIX):
        return DEMO_FOLDER / path.removeprefix(DEMO_PREFIX)
    return Path(path)


def _text(path: Path) -> str:
    """Return a file's text; empty if it has gone, is no text or is too large."""
    try:
        return text_of(unpacked(path, MOST_BYTES))
    except (OSError, ValueError, EOFError, zlib.error, NotText):
        return ""


def _from_here(path: str) -> str:
    """Return a path from the folder in which netplan runs if it lies below, else the whole one."""
    if path.startswith(DEMO_PREFIX):
        return path
    here = names.relpath(path)
    return names.normpath(Path(path).absolute()) if here.startswith(names.pardir) else here


def fallback_place(request: InputRequest, config: Path | None) -> FilePlace:
    """Return where to show what has no file: the configuration, else the first inventory file."""
    files = (str(path) for given in _given(request) for path in _files(given))
    first = str(config) if config is not None else next(files, "netplan.toml")
    return FilePlace(path=_from_here(first), line=1)


def _given(request: InputRequest) -> Iterable[Path]:
    if request.demo is None:
        return sorted(request.inventory)
    labelled = DEMO_PREFIX + str(load_demo(request.demo).inventory[0].relative_to(DEMO_FOLDER))
    return (*sorted(request.inventory), Path(labelled))


def _files(given: Path) -> Iterator[Path]:
    if not given.is_dir():
        yield given
        return
    yield from sorted(path for path in given.rglob("*.json*") if path.is_file())
