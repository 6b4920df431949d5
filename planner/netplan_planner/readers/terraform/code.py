"""Where a Terraform configuration has a resource: the file and line of its block.

Files of a root module and of the modules that it calls by a path are read, with python-hcl2
(docs/adr/0017); a resource of a module from elsewhere is shown at the call. A file that cannot be
read or is no configuration is passed over: the plan itself says where a resource is then.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import hcl2
import lark

from netplan_planner.input_files import whole
from netplan_planner.readers.documents import NotText, pointer_lines, text_of
from netplan_planner.readers.terraform.addresses import resource_of

MOST_BYTES = 2**20
"""Of a file of a configuration; python-hcl2 reads 8,000 lines a second, and people write fewer."""
MOST_FILES = 500
"""Of one folder."""

_LOCAL = ("./", "../")
_ADDRESS = re.compile(r'"address"\s*:\s*("(?:[^"\\]|\\.)*")')


class Place(NamedTuple):
    """A file and a line, from 1."""

    path: Path
    line: int


class _Call(NamedTuple):
    place: Place
    source: str


class _Folder(NamedTuple):
    """What one module's folder declares."""

    resources: dict[tuple[str, str], Place]
    calls: dict[str, _Call]


class Code:
    """The configuration below a root module's folder; each folder is read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folders: dict[Path, _Folder] = {}

    def place_of(self, address: str) -> Place | None:
        """Return where the block of a resource begins, None where the configuration has none."""
        found = resource_of(address)
        if found is None:
            return None
        modules, kind, name = found
        folder, last = self._root, None
        for module in modules:
            call = self._read(folder).calls.get(module)
            if call is None:
                return last
            last = call.place
            if not call.source.startswith(_LOCAL):
                return last
            folder = folder / call.source
        return self._read(folder).resources.get((kind, name), last)

    def _read(self, folder: Path) -> _Folder:
        own = folder.absolute()
        if own not in self._folders:
            self._folders[own] = _folder(folder)
        return self._folders[own]


def address_lines(text: str) -> dict[str, int]:
    """Return the line on which a plan's text first has each address."""
    found: dict[str, int] = {}
    line, counted = 1, 0
    for match in _ADDRESS.finditer(text):
        line, counted = line + text.count("\n", counted, match.start()), match.start()
        try:
            found.setdefault(json.loads(match[1]), line)
        except ValueError:
            continue
    return found


def _folder(folder: Path) -> _Folder:
    found = _Folder({}, {})
    try:
        files = sorted(path for path in folder.iterdir() if path.name.endswith((".tf", ".tf.json")))
    except OSError:
        return found
    for path in files[:MOST_FILES]:
        try:
            text = text_of(whole(path, MOST_BYTES))
            read = _of_json if path.name.endswith(".json") else _of_hcl
            read(path, text, found)
        except (OSError, NotText, lark.exceptions.LarkError, ValueError, RecursionError):
            continue
    return found


def _of_hcl(path: Path, text: str, into: _Folder) -> None:
    # The grammar wants its last line to end.
    for block in _blocks(hcl2.parses_to_tree(text.rstrip() + "\n")):
        head = _labels(block)
        place = Place(path, block.meta.line)
        if head[:1] == ["resource"] and len(head) == 3:
            into.resources.setdefault((head[1], head[2]), place)
        elif head[:1] == ["module"] and len(head) == 2:
            into.calls.setdefault(head[1], _Call(place, _source(block)))


def _blocks(tree: Any) -> Iterator[Any]:
    """Yield the blocks at the top of a file."""
    for body in tree.children:
        for part in getattr(body, "children", ()):
            if getattr(part, "data", None) == "block":
                yield part


def _labels(block: Any) -> list[str]:
    """Return the words before a block's brace."""
    found = []
    for part in block.children:
        if getattr(part, "data", None) not in {"identifier", "string"}:
            break
        found.append(_text(part))
    return found


def _source(block: Any) -> str:
    """Return `source` of a call, empty if it has none."""
    body = next((part for part in block.children if getattr(part, "data", None) == "body"), None)
    for part in getattr(body, "children", ()):
        if getattr(part, "data", None) == "attribute" and _text(part.children[0]) == "source":
            return _text(part.children[-1])
    return ""


def _text(tree: Any) -> str:
    return "".join(str(token) for token in tree.scan_values(lambda _: True)).strip('"')


def _of_json(path: Path, text: str, into: _Folder) -> None:
    value = json.loads(text)
    resources: dict[str, tuple[str, str]] = {}
    calls: dict[str, tuple[str, str]] = {}
    for kind, names in _objects(value, "resource"):
        for name in names:
            resources[f"/resource/{_escaped(kind)}/{_escaped(name)}"] = (kind, name)
    for name, call in _objects(value, "module"):
        calls[f"/module/{_escaped(name)}"] = (name, str(call.get("source", "")))
    lines = pointer_lines(text, [*resources, *calls])
    for pointer, resource in resources.items():
        into.resources.setdefault(resource, Place(path, lines.get(pointer, 1)))
    for pointer, (name, source) in calls.items():
        into.calls.setdefault(name, _Call(Place(path, lines.get(pointer, 1)), source))


def _objects(value: Any, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    held = value.get(key) if isinstance(value, dict) else None
    for name, content in held.items() if isinstance(held, dict) else ():
        if isinstance(content, dict):
            yield name, content


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
