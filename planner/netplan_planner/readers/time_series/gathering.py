"""Gathers time series from documents: pages of the API, their series alone, answers to queries.

The result depends on what was found, never on the order of files and pages.
"""

import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from netplan_planner.errors import InputError
from netplan_planner.input_files import reading, real_path, unpacked
from netplan_planner.model import Unread
from netplan_planner.readers.collector import Origin
from netplan_planner.readers.documents import NotText, documents_of
from netplan_planner.readers.foreign import broken_answer
from netplan_planner.readers.time_series import raw
from netplan_planner.readers.time_series.known import FLOW_METRICS, is_read, known_as

T = TypeVar("T")

_NOT_NEEDED = "metrics that no rule uses"


class Gathering:
    """Series read so far. Not safe for threads: each fills its own, then `merge`."""

    def __init__(self) -> None:
        self.files = 0
        self.projects: set[str] = set()
        self.series_count = 0
        self.point_count = 0
        self.unread: set[Unread] = set()
        self._points: dict[raw.Identity, list[raw.Points]] = {}
        self._sources: dict[raw.Identity, str] = {}
        self._open: dict[str, str] = {}
        self._ended: set[str] = set()

    def merge(self, other: "Gathering") -> None:
        """Take all that another one has."""
        self.files += other.files
        self.projects |= other.projects
        self.series_count += other.series_count
        self.point_count += other.point_count
        self.unread |= other.unread
        self._open |= other._open
        self._ended |= other._ended
        for identity, points in other._points.items():
            self._points.setdefault(identity, []).extend(points)
            self._sources[identity] = min(
                other._sources[identity], self._sources.get(identity, other._sources[identity])
            )

    def note(
        self, source: str, reason: str, *, resource: str | None = None, is_needless: bool = False
    ) -> None:
        """Note what was not understood."""
        self.unread.add(
            Unread(source=source, reason=reason, resource=resource, is_needless=is_needless)
        )

    def series(self) -> list[tuple[raw.Identity, raw.Points]]:
        """Return each series with all its points, in order of their names.

        Of one series in several alignments (as it is, and as a rate) the best one counts: they are
        the same bytes again. The others are noted.
        """
        gathered: dict[raw.Identity, list[raw.Points]] = {}
        first: dict[tuple[object, ...], raw.Identity] = {}
        for identity, pieces in sorted(self._points.items(), key=lambda item: item[0]):
            own = first.setdefault((identity[:1], identity[4:], _alignment(identity)), identity)
            gathered.setdefault(own, []).extend(pieces)
        best: dict[tuple[object, ...], tuple[raw.Identity, raw.Points]] = {}
        for identity, pieces in gathered.items():
            points = raw.Points(*(np.concatenate(part) for part in zip(*pieces, strict=True)))
            kept, other = (identity, points), best.get((identity[:1], identity[4:]))
            if other is not None:
                kept, other = sorted((kept, other), key=lambda one: _rank(*one))
                reason = f"skipped: the same series is also here as {kept[0].kind or 'GAUGE'}"
                self.note(self._sources[other[0]], reason, resource=identity.type)
            best[identity[:1], identity[4:]] = kept
        return list(best.values())

    @property
    def has_flows(self) -> bool:
        """Whether any series tells of flows."""
        return any(identity.type in FLOW_METRICS for identity in self._points)

    def cut_lists(self) -> list[Unread]:
        """Return the lists of which the last page was not found."""
        return [
            Unread(
                source=source,
                reason="incomplete: the next page (nextPageToken) is missing",
                resource=metric,
            )
            for metric, source in sorted(self._open.items())
            if metric not in self._ended
        ]

    def source_of(self, identity: raw.Identity) -> str:
        """Return where a series was first read."""
        return self._sources[identity]

    def take(self, document: Any, origin: Origin, pointer: str = "") -> bool:
        """Take a document's series; return whether it is one that holds any sort of series.

        A page of a list or of a query, a series alone, or an array of any of these.
        """
        if isinstance(document, list):
            taken = [
                self.take(part, origin, f"{pointer}/{index}")
                for index, part in enumerate(document)
                if isinstance(part, dict)
            ]
            return any(taken)
        if not isinstance(document, dict):
            return False
        self._take_errors(document, origin, pointer)
        self._take_token(document, origin.at(pointer))
        if "timeSeriesDescriptor" in document or "timeSeriesData" in document:
            self._take_query(document, origin, pointer)
            return True
        if "timeSeries" in document:
            for index, part in enumerate(self._listed(document, "timeSeries", origin.at(pointer))):
                place = f"{pointer}/timeSeries/{index}"
                self._take_series(part, origin.at(place), document.get("unit"))
            return True
        if isinstance(document.get("metric"), dict) and "points" in document:
            self._take_series(document, origin.at(pointer), None)
            return True
        # An empty page of the API is an empty object.
        return not document or set(document) <= _OF_A_PAGE

    def _take_errors(self, document: dict[str, Any], origin: Origin, pointer: str) -> None:
        for key in ("executionErrors", "partialErrors"):
            for error in self._listed(document, key, origin.at(pointer)):
                text = error.get("message", "") if isinstance(error, dict) else ""
                self.note(origin.at(pointer), f"incomplete: {str(text)[:300] or key}")
        for region in self._listed(document, "unreachable", origin.at(pointer)):
            self.note(origin.at(pointer), f"incomplete: {str(region)[:80]} unreachable")

    def _listed(self, document: dict[str, Any], key: str, source: str) -> list[Any]:
        """Return a list of a document; what is there and none is noted."""
        value = document.get(key)
        if value is not None and not isinstance(value, list):
            self.note(source, f"incomplete: {key} is not a list")
            return []
        return value or []

    def _take_token(self, document: dict[str, Any], source: str) -> None:
        """Remember whether a list goes on; its pages are told by the metric that they are of."""
        held = document.get("timeSeries")
        parts = (isinstance(held, list) and held) or [document.get("timeSeriesDescriptor")]
        about = parts[0].get("metric", parts[0]) if isinstance(parts[0], dict) else {}
        metric = str(about.get("type", "a query") if isinstance(about, dict) else "")[:120]
        if document.get("nextPageToken"):
            self._open[metric] = min(source, self._open.get(metric, source))
        else:
            self._ended.add(metric)

    def _take_series(self, value: Any, source: str, page_unit: object) -> None:
        wire = self._converted(value, raw.WireSeries, source)
        if wire is None:
            return
        if not is_read(wire.metric.type):
            shown = wire.metric.type[:120] or "no type"
            self.note(source, _NOT_NEEDED, resource=shown, is_needless=True)
            return
        unit = wire.unit or (page_unit if isinstance(page_unit, str) else "")
        identity = raw.Identity(
            type=wire.metric.type,
            kind=wire.metric_kind or "",
            unit=unit,
            resource_type=wire.resource.type,
            resource=tuple(sorted(wire.resource.labels.items())),
            labels=tuple(sorted(wire.metric.labels.items())),
        )
        points, lost = raw.points_of((point.interval, point.value) for point in wire.points)
        self._add(identity, points, lost, source)

    def _take_query(self, document: dict[str, Any], origin: Origin, pointer: str) -> None:
        source = origin.at(pointer)
        told = self._converted(document.get("timeSeriesDescriptor", {}), raw.WireDescriptor, source)
        if told is None:
            return
        parts = self._listed(document, "timeSeriesData", source)
        keys = [label.key for label in told.label_descriptors]
        for number, column in enumerate(told.point_descriptors):
            metric, reason = known_as(column.key, frozenset(keys))
            if metric is None:
                shown = column.key[:120]
                self.note(source, f"a column of a query: {reason}", resource=shown)
                continue
            for index, part in enumerate(parts):
                place = origin.at(f"{pointer}/timeSeriesData/{index}")
                wire = self._converted(part, raw.WireQueried, place)
                if wire is None:
                    continue
                labels = dict(zip(keys, map(_text, wire.label_values), strict=False))
                identity = raw.Identity(
                    type=metric,
                    kind=column.metric_kind or "",
                    unit=column.unit or "",
                    resource_type="",
                    resource=_of(labels, "resource."),
                    labels=_of(labels, "metric."),
                )
                rows = [row for row in wire.point_data if len(row.values) > number]
                points, lost = raw.points_of(
                    (row.time_interval, row.values[number]) for row in rows
                )
                self._add(identity, points, lost + len(wire.point_data) - len(rows), place)

    def _add(self, identity: raw.Identity, points: raw.Points, lost: int, source: str) -> None:
        self.series_count += 1
        self.point_count += len(points.value)
        if lost:
            self.note(source, f"{lost:,} points without a time or a number")
        if len(points.value):
            self._points.setdefault(identity, []).append(points)
            self._sources[identity] = min(source, self._sources.get(identity, source))

    def _converted(self, value: Any, kind: type[T], source: str) -> T | None:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as exc:
            self.note(source, f"not in the format of Cloud Monitoring: {exc}")
            return None


def _alignment(identity: raw.Identity) -> tuple[str, bool]:
    """Return what decides how points are read; pages of one series can state their unit or not."""
    return identity.kind or "GAUGE", identity.unit.endswith("/s")


def _rank(identity: raw.Identity, points: raw.Points) -> tuple[bool, int, raw.Identity]:
    """Order alignments of one series: what tells rates for sure first, then by points."""
    kind, is_rate = _alignment(identity)
    return kind == "GAUGE" and not is_rate, -len(points.value), identity


_OF_A_PAGE = frozenset({"nextPageToken", "unit", "executionErrors", "unreachable"})


def _text(label: raw.WireLabel) -> str:
    if label.string_value is not None:
        return label.string_value
    if label.bool_value is not None:
        return str(label.bool_value).lower()
    return "" if label.int64_value is None else str(label.int64_value)


def _of(labels: dict[str, str], prefix: str) -> tuple[tuple[str, str], ...]:
    def parts() -> Iterator[tuple[str, str]]:
        for key, value in sorted(labels.items()):
            if key.startswith(prefix):
                yield key.removeprefix(prefix), value

    return tuple(parts())


# Files and folders of stored time series


_HOW = "give JSON of projects.timeSeries.list or timeSeries:query (Cloud Monitoring API v3)"
_FOREIGN = "no Cloud Monitoring time series"


def gather_files(paths: Sequence[Path]) -> Gathering:
    """Return the time series in files and folders; the order does not matter.

    Folders are walked; hidden ones are left out. What is no time series there is noted.

    Raises:
        InputError: If a path is missing, a named file cannot be read, or there is no time series.
    """
    gathering = Gathering()
    done: set[Path] = set()
    found = False
    for path in sorted(set(paths), key=str):
        if not path.exists():
            raise InputError(f"{_shown(path)}: file or folder not found")
        is_folder = path.is_dir()
        for file in _walk(path) if is_folder else [path]:
            if real_path(file) in done:
                continue
            done.add(real_path(file))
            with reading(_shown(file)):
                why = _read(file, gathering)
            found = found or not why
            if why and not is_folder:
                raise InputError(f"{_shown(file)}: {why}; {_HOW}")
            if why:
                gathering.note(_shown(file), why, is_needless=why == _FOREIGN)
    if not found:
        raise InputError(f"no time series in {', '.join(_shown(p) for p in paths[:3])}; {_HOW}")
    return gathering


def _read(path: Path, into: Gathering) -> str:
    """Take a file's series; return why there are none, or nothing."""
    shown = _shown(path)
    try:
        if not path.is_file():
            return "not a regular file"
        data = unpacked(path)
        if not data.strip():
            return "empty"
        documents, damaged = documents_of(data)
    except NotText as exc:
        return f"not text: {exc}"
    except OSError as exc:
        return f"cannot be read: {exc.strerror or exc}"
    except (EOFError, zlib.error) as exc:
        return f"damaged gzip: {exc}"
    if not documents:
        return str(damaged[0]) if damaged else "empty"
    broken = {text for one in documents if (text := broken_answer(one.value))}
    taken = [into.take(d.value, Origin(shown, f"{shown}:{d.place}")) for d in documents]
    if not any(taken):
        return str(damaged[0]) if damaged else min(broken, default=_FOREIGN)
    for reason in (*map(str, damaged), *broken):
        into.note(shown, reason)
    into.files += 1
    return ""


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(files))


def _shown(path: Path) -> str:
    """Return a path as text that every output can hold, whatever bytes the file system has."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
