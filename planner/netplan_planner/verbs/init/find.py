"""Which files of a folder are inputs: by the readers' own recognition, else by their first bytes.

Bounded in files and bytes: a folder may be a whole home directory, or hold days of flow logs.
"""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from netplan_planner.bundle_file import is_bundle
from netplan_planner.errors import NetplanError
from netplan_planner.input_files import decode_json, opened
from netplan_planner.readers import files, foreign
from netplan_planner.readers.kubernetes import yaml_text
from netplan_planner.tables.compression import DAMAGED, compression_of, head_of
from netplan_planner.traffic.aggregates import MANIFEST
from netplan_planner.traffic.files.inputs import TABLE_COLUMNS, header_of
from netplan_planner.verbs.init.answer import InputKind

MOST_FILES = 2_000
MOST_BYTES = 2**27
"""Of all files that are read whole."""
LARGEST_BYTES = 2**25
"""Of a file that is read whole; a larger one is known by its first bytes, or not at all."""
_HEAD_BYTES = 65_536
_NO_INPUTS = frozenset({"node_modules", "venv", "__pycache__", "site-packages"})
_SUFFIXES = frozenset(
    {".json", ".jsonl", ".ndjson", ".log", ".yaml", ".yml", ".csv", ".tsv", ".txt", ".parquet"}
    | {".gz", ".zst", ".tf", ""}
)
_KUBERNETES = b'"apiVersion"'
_PLAN = (b'"resource_changes"', b'"planned_values"', b'"terraform_version"')
_ASSETS = (b"asset_type", b"assetType", b'"compute#')


class Search(NamedTuple):
    """What a folder holds."""

    kinds: dict[Path, InputKind]
    """By file; of the output of `netplan flows aggregate` by folder."""
    checked: tuple[Path, ...]
    unchecked_count: int
    is_complete: bool


def search(folder: Path) -> Search:
    """Return the inputs below a folder. Hidden folders and those of packages are skipped."""
    kinds: dict[Path, InputKind] = {}
    checked: list[Path] = []
    unchecked = read_bytes = 0
    for path in _walk(folder):
        if len(checked) >= MOST_FILES:
            return Search(kinds, tuple(checked), unchecked + 1, is_complete=False)
        if path.name == MANIFEST:
            kinds[path.parent] = InputKind.FLOW_LOGS
            checked.append(path)
            continue
        try:
            size = path.stat().st_size if path.suffix.lower() in _SUFFIXES else 0
            is_whole = size <= min(LARGEST_BYTES, MOST_BYTES - read_bytes)
            kind = _kind(path, is_whole=is_whole) if size else None
        except (OSError, NetplanError, *DAMAGED):
            kind, is_whole = None, False
        read_bytes += size if is_whole else 0
        checked += [path] if kind or is_whole else []
        unchecked += not (kind or is_whole)
        if kind is not None:
            kinds[path] = kind
    return Search(kinds, tuple(checked), unchecked, is_complete=not unchecked)


def _walk(folder: Path) -> Iterator[Path]:
    """Yield files in an order that does not depend on the file system."""
    for parent, folders, names in os.walk(folder):
        if MANIFEST in names:
            folders[:], names = [], [MANIFEST]
        folders[:] = sorted(n for n in folders if n[0] != "." and n not in _NO_INPUTS)
        for name in sorted(names):
            path = Path(parent, name)
            # A name with control characters has no place in a file that people edit.
            if name[0] != "." and str(path).isprintable() and path.is_file():
                yield path


def _kind(path: Path, *, is_whole: bool) -> InputKind | None:
    """Return what a file is; None: no input, or not known.

    Raises:
        OSError: If it cannot be read.
        NetplanError: If it is damaged.
    """
    if path.name.endswith((".tf", ".tf.json")):
        return InputKind.TERRAFORM_SOURCE
    if is_bundle(path):
        return InputKind.BUNDLE
    with opened(path) as file:
        head = file.read(_HEAD_BYTES)
        if head.startswith(files.PARQUET):
            # Its columns are named at its end.
            file.seek(max(0, path.stat().st_size - _HEAD_BYTES))
            return _parquet_kind(file.read())
    packed = compression_of(head)
    if packed != "none":
        head = head_of(path, packed, _HEAD_BYTES)
    return _text_kind(path, head, is_whole=is_whole and packed != "zstd")


def _parquet_kind(end: bytes) -> InputKind | None:
    if b"jsonPayload" in end:
        return InputKind.FLOW_LOGS
    return InputKind.INVENTORY if b"asset_type" in end else None


def _text_kind(path: Path, head: bytes, *, is_whole: bool) -> InputKind | None:
    text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    first = text.partition("\n")[0]
    if text[:1] not in {"{", "["} and (table := _table_kind(first)):
        return table
    if is_whole:
        what = files.what_is(path)
    else:
        signs = (*_PLAN, _KUBERNETES, *_ASSETS)
        what = None if any(sign in head for sign in signs) else _first_record(first)
    if what is None:
        return _inventory_kind(head, text)
    if what == foreign.FLOW_LOGS:
        return InputKind.FLOW_LOGS
    return InputKind.METRICS if what.startswith("Cloud Monitoring series") else None


def _first_record(line: str) -> str:
    """Return what the first line of a file is, which may be cut; empty: not known."""
    try:
        return foreign.describe(decode_json(line))
    except msgspec.DecodeError:
        return ""


def _table_kind(first: str) -> InputKind | None:
    """Return what a CSV table is, by its header: only those with volumes or rates are traffic."""
    header = header_of(first)
    if not header >= TABLE_COLUMNS:
        return None
    if "gbps" in header:
        return InputKind.RATES
    return InputKind.FLOW_LOGS if "bytes" in header else None


def _inventory_kind(head: bytes, text: str) -> InputKind:
    if any(sign in head for sign in _PLAN):
        return InputKind.TERRAFORM_PLAN
    if _KUBERNETES in head or (text[:1] not in "{[" and yaml_text.is_kubernetes(text)):
        return InputKind.KUBERNETES
    return InputKind.INVENTORY


def gathered(folder: Path, found: Search) -> Iterator[tuple[Path, InputKind, int]]:
    """Yield files, or folders whose files are all of one kind, with their number of files."""
    held = Counter(one for path in found.checked for one in path.parents)
    of_kind = Counter((one, kind) for path, kind in found.kinds.items() for one in path.parents)
    known = Counter(one for path in found.kinds for one in path.parents)
    done: set[Path] = set()
    for path, kind in sorted(found.kinds.items()):
        inside = [one for one in reversed(path.parents) if folder in one.parents]
        # Only where no file was left unchecked is it known what else a folder holds. Of an
        # inventory's folder other files are skipped.
        files_in = known if kind is InputKind.INVENTORY else held
        whole = (one for one in inside if files_in[one] == of_kind[one, kind] > 1)
        place = next(whole, path) if found.is_complete else path
        if place not in done:
            done.add(place)
            yield place, kind, 1 if place == path else of_kind[place, kind]
