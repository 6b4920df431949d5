"""Inventory files and folders: which are read, by which reader, and what becomes of the others."""

import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.bundle_file import INVENTORY, METRICS, is_bundle, value_of
from netplan_planner.errors import InputError
from netplan_planner.input_files import opened, reading, real_path, unpacked, unreadable
from netplan_planner.model import Inventory, Metrics, ProjectId, Unread
from netplan_planner.readers import (
    asset_table,
    cloud_asset,
    compute_json,
    foreign,
    http_log,
    located,
    recommender,
    terraform,
)
from netplan_planner.readers.collector import REFERENCED_FIELDS, Collector, Origin
from netplan_planner.readers.documents import Damage, Document, NotText, documents_of, text_of
from netplan_planner.readers.kubernetes import gke, lists, objects, yaml_text
from netplan_planner.units import counted

# The inventory and the metrics of a bundle of `netplan collect`: values as they were read


name = "bundle"


def read(path: Path) -> Inventory | None:
    """Return the inventory of a bundle; None where it has none.

    Raises:
        InputError: If the bundle cannot be read, is damaged, or of another version.
    """
    return value_of(path, INVENTORY, Inventory)


def read_metrics(path: Path) -> Metrics | None:
    """Return the metrics of a bundle; None where it has none.

    Raises:
        InputError: If the bundle cannot be read, is damaged, or of another version.
    """
    return value_of(path, METRICS, Metrics)


# Leaves projects out of an inventory: an organisation has some that nobody wants to hear of


OPTION = "--exclude-project"


def without_projects(inventory: Inventory, patterns: Sequence[str]) -> Inventory:
    """Return an inventory without the projects that fit a pattern, which it says.

    What other projects' resources name in them stays named, as in an inventory that was never read.

    Args:
        inventory: Of any inputs.
        patterns: Project ids, or globs over them (`sandbox-*`); case counts.
    """
    if not patterns:
        return inventory
    left_out: dict[ProjectId, int] = {
        project.project: 0
        for project in inventory.projects
        if any(fnmatchcase(project.project, pattern) for pattern in patterns)
    }
    fields: dict[str, tuple[object, ...]] = {}
    for field in REFERENCED_FIELDS:
        kept = []
        for value in getattr(inventory, field):
            if value.project in left_out:
                left_out[value.project] += 1
            else:
                kept.append(value)
        fields[field] = tuple(kept)
    unread = [u for u in inventory.unread if _project_of(u) not in left_out]
    unread += [
        Unread(
            source=OPTION,
            reason=f"project {project}: {counted(count, 'resource')} excluded, as requested",
            is_needless=True,
        )
        for project, count in sorted(left_out.items())
    ]
    unread += [
        Unread(source=OPTION, reason=f"no project matches {pattern!r}", is_needless=True)
        for pattern in dict.fromkeys(patterns)
        if not any(fnmatchcase(project, pattern) for project in left_out)
    ]
    projects = tuple(one for one in inventory.projects if one.project not in left_out)
    return replace(inventory, **fields, unread=tuple(unread), projects=projects)


def _project_of(unread: Unread) -> str:
    parts = (unread.resource or "").split("/")
    return parts[1] if parts[0] == "projects" and len(parts) > 1 else ""


# Inventory files and folders: which are read, by which reader, and what becomes of the others


HEAD_BYTES = 65_536
"""How much of a file is looked at to tell whether it can be an inventory at all."""

_GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"
_BLANK = "\ufeff \t\r\n"
"""White space, and a byte order mark inside a text."""
_JSON = re.compile(rb"\s*[{\[]")
_MARK = b'"apiVersion"'
"""What stands in the first part of every list of Kubernetes objects."""
_HOW = (
    "give files or a folder with one of these: `gcloud compute … list --format=json`, Compute API"
    " pages, a Cloud Asset export (JSON, or Parquet of its BigQuery table), `terraform show"
    " -json`, `kubectl get … --output=json`"
)

DocumentReader = Callable[[object, Origin, Collector], bool]

READERS: dict[str, DocumentReader] = {
    terraform.name: terraform.read,
    cloud_asset.name: cloud_asset.read,
    located.name: located.read,
    recommender.name: recommender.read,
    gke.name: gke.read,
    objects.name: objects.read,
    compute_json.name: compute_json.read,
}
"""By name, in the order in which they are asked whether a JSON document is theirs."""


_NOT_NEEDED = "only resources that the audit does not need"


class _Outcome(NamedTuple):
    """What became of one file: of no use, damaged, or read if neither is said."""

    foreign: str = ""
    damage: str = ""


def read_inventory(paths: Sequence[Path]) -> Inventory:
    """Return all Compute resources in files and folders, in any of the formats of `READERS`.

    What is not understood is in `unread` with a reason. Folders are walked; hidden ones are left
    out and named.

    Args:
        paths: Files or folders, in any order.

    Raises:
        InputError: If a path is missing, a named file is empty or damaged, a named folder holds
            no inventory, or nothing at all could be read.
    """
    collector = Collector()
    reasons: list[str] = []
    # Sorted: a file that is named twice, by its own name and by its folder's, is read as the first.
    done: set[Path] = set()
    for path in sorted(set(paths), key=str):
        if path.is_dir():
            collector.merge(_read_folder(path, done))
        elif real_path(path) not in done:
            done.add(real_path(path))
            part, reason = _read_named(path)
            reasons += [reason] if reason else []
            collector.merge(part)
    if not collector.has_inventory:
        found = "; ".join(reasons[:3]) or (_NOT_NEEDED if done else "no files were given")
        raise InputError(f"no Compute resources in the inventory: {found}; {_HOW}")
    return collector.inventory()


def _read_named(path: Path) -> tuple[Collector, str]:
    """Read a file that the user named: damage is an error, another kind of file is noted."""
    shown = _shown(path)
    try:
        path.stat()
    except OSError as exc:
        raise unreadable(shown, exc) from exc
    collector = Collector()
    if is_bundle(path):
        found = read(path)
        if found is None:
            raise InputError(f"{shown}: the bundle holds no inventory")
        collector.take(found)
        return collector, ""
    with reading(shown):
        outcome = _read_file(path, shown, collector)
    if outcome.damage:
        raise InputError(f"{shown}: {outcome.damage}; create the file again, or leave it out")
    if outcome.foreign:
        collector.note(shown, outcome.foreign, is_needless=foreign.is_needless(outcome.foreign))
        return collector, f"{shown}: {outcome.foreign}"
    return collector, ""


def _read_folder(folder: Path, done: set[Path]) -> Collector:
    """Read all files below a folder; one that is damaged is noted and the others are read."""
    collector = Collector()
    seen: dict[str, int] = {}
    found = list(_walk(folder, collector))
    for path in found:
        done.add(real_path(path))
        shown = _shown(path)
        with reading(shown):
            outcome = _read_file(path, shown, collector)
        reason = outcome.damage or outcome.foreign
        if reason:
            collector.note(shown, reason, is_needless=not outcome.damage)
            seen[reason] = seen.get(reason, 0) + 1
    if not collector.has_inventory:
        most = sorted(seen.items(), key=lambda item: (-item[1], item[0]))[:3]
        listed = "; ".join(f"{times} × {reason}" for reason, times in most)
        files = listed or (_NOT_NEEDED if found else "it is empty")
        raise InputError(f"{_shown(folder)}: no Compute resources in this folder ({files}); {_HOW}")
    return collector


def what_is(path: Path) -> str | None:
    """Return what a file is that holds no inventory, in one phrase; None where it holds one."""
    part = Collector()
    outcome = _read_file(path, _shown(path), part)
    return outcome.damage or outcome.foreign or (None if part.has_inventory else _NOT_NEEDED)


def _walk(folder: Path, collector: Collector) -> Iterator[Path]:
    """Yield every file below a folder, in an order that does not depend on the file system."""

    def refused(error: OSError) -> None:
        collector.note(_shown(Path(error.filename)), f"cannot be read: {error.strerror}")

    for parent, folders, files in os.walk(folder, onerror=refused):
        for name in sorted(folders):
            if name.startswith("."):
                collector.note(
                    _shown(Path(parent, name)), "a hidden folder: skipped", is_needless=True
                )
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(files))


def _read_file(path: Path, shown: str, into: Collector) -> _Outcome:
    try:
        told = _told_by_head(path, shown, into)
        if told is not None:
            return told
        data = unpacked(path)
    except NotText as exc:
        return _Outcome(damage=f"not text: {exc}")
    except OSError as exc:
        return _Outcome(damage=f"cannot be read: {exc.strerror or exc}")
    except (EOFError, zlib.error) as exc:
        return _Outcome(damage=f"damaged gzip: {exc}")
    try:
        return _read_data(data, shown, into)
    except NotText as exc:
        return _Outcome(damage=f"not text: {exc}")
    except terraform.Refused as exc:
        return _Outcome(damage=str(exc))


def _told_by_head(path: Path, shown: str, into: Collector) -> _Outcome | None:
    """Return what came of a file that its first bytes decide about; None: it is to be read whole.

    Raises:
        OSError: If it cannot be read.
        NotText: If it is no text.
    """
    if not path.is_file():
        return _Outcome(foreign="not a regular file")
    head = _head(path)
    if head.startswith(PARQUET):
        return _read_table(path, shown, into)
    refused = foreign.describe_bytes(head)
    if refused is not None:
        return _Outcome(foreign=refused)
    early = _early(head)
    if early is None and _MARK in head and path.stat().st_size > lists.LARGE_BYTES:
        part = Collector()
        if lists.read_large(path, Origin(shown, f"{shown}:"), part):
            into.merge(part)
            return _Outcome()
    return early


def _read_table(path: Path, shown: str, into: Collector) -> _Outcome:
    """Read a table of assets, by a library that takes a twentieth of a second to import."""
    try:
        asset_table.read(path, shown, into)
    except asset_table.NotAssets as exc:
        return _Outcome(foreign=str(exc))
    except asset_table.Unreadable as exc:
        return _Outcome(damage=f"a damaged Parquet file: {exc}")
    return _Outcome()


def _early(head: bytes) -> _Outcome | None:
    """Return what the first bytes decide already: gigabytes of flow logs need not be read."""
    is_cut = len(head) == HEAD_BYTES
    start = text_of(head, is_cut=is_cut).lstrip(_BLANK)
    if not start:
        return None if is_cut else _Outcome(damage="empty")
    if start[0] not in "{[" and not (http_log.is_log(start) or yaml_text.is_kubernetes(start)):
        return _Outcome(foreign=foreign.describe_text(start))
    first, newline, _ = start.partition("\n")
    if newline and start[0] == "{":
        documents, damaged = documents_of(first.encode("utf-8", "replace"))
        if not damaged and documents and foreign.is_flow_record(documents[0].value):
            return _Outcome(foreign=foreign.describe(documents[0].value))
    return None


def _read_data(data: bytes, shown: str, into: Collector) -> _Outcome:
    if data[:1] not in (b"{", b"[") and http_log.read(text_of(data), shown, into):
        return _Outcome()
    if terraform.read_whole(data, Origin(shown, f"{shown}:"), into):
        return _Outcome()
    if _MARK in data[:HEAD_BYTES] and lists.read_list(data, Origin(shown, f"{shown}:"), into):
        return _Outcome()
    documents, damaged = _documents(data)
    if not documents:
        return _Outcome(damage=str(damaged[0]) if damaged else "empty")
    for damage in damaged:
        into.note(shown, str(damage))
    return _read_documents(documents, shown, into)


def _documents(data: bytes) -> tuple[list[Document], list[Damage]]:
    """Return the documents of a JSON or YAML file.

    Raises:
        NotText: If the bytes are no text.
    """
    if _JSON.match(data[:HEAD_BYTES]) is None:
        text = text_of(data)
        start = text[:HEAD_BYTES].lstrip(_BLANK)
        if start[:1] not in {"{", "["} and yaml_text.is_kubernetes(start):
            return yaml_text.documents(text)
    return documents_of(data)


def _read_documents(documents: list[Document], shown: str, into: Collector) -> _Outcome:
    """Give each document to its reader. A file none of whose documents has one is foreign."""
    others: dict[str, int] = {}
    is_read = False
    broken: set[str] = set()
    for document in documents:
        origin = Origin(shown, f"{shown}:{document.place}")
        if text := foreign.broken_answer(document.value):
            broken.add(text)
        elif any(read(document.value, origin, into) for read in READERS.values()):
            is_read = True
        else:
            reason = foreign.describe(document.value)
            others[reason] = others.get(reason, 0) + 1
    if not is_read:
        return _Outcome(damage=min(broken)) if broken else _Outcome(foreign=min(others))
    for text in broken:
        into.note(shown, text)
    for reason, count in others.items():
        into.note(shown, f"{count} × {reason}", is_needless=True)
    return _Outcome()


def _head(path: Path) -> bytes:
    with opened(path) as file:
        head = file.read(HEAD_BYTES)
        if not head.startswith(_GZIP):
            return head
        file.seek(0)
        with gzip.GzipFile(fileobj=file) as plain:
            return plain.read(HEAD_BYTES)


def _shown(path: Path) -> str:
    """Return a path as text that every output can hold, whatever bytes the file system has."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
