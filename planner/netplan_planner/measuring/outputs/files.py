"""Files of tools' outputs: opened, unpacked, and read by what they hold."""

import codecs
import gzip
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from netplan_planner.inert import NAME_LENGTH, inert
from netplan_planner.input_files import WHOLE_BYTES, reading, unpacked, unreadable
from netplan_planner.measuring.outputs import base, cloudharmony, iperf2, iperf3, netperf, perfkit
from netplan_planner.measuring.outputs.base import Read, bounded, refusal
from netplan_planner.measuring.outputs.json_text import Document, documents_in, holds_json
from netplan_planner.model import Measurement

# Which format a tool's output is in, by its content; those that are not read are named


STORE_SCHEMA = "netplan.measurement/"
_HOW = "give the output of iperf3 -J, of iperf 2 or of netperf"
_TOOLS = (cloudharmony, netperf, iperf3, iperf2)
"""Whose texts are read; each has its `TEXTS`. JSON is iperf3's own, or what PerfKit saves."""
_HEAD_LENGTH = 65_536
"""Characters that are looked at to name a format that is not read."""
_FOREIGN = (
    (re.compile(r"<ntttcp[rs]\b"), "NTttcp's XML report"),
    (re.compile(r"^PING \S+ ", re.MULTILINE), "ping's output"),
    (re.compile(r"^nuttcp-|\bMB / +[\d.]+ sec = ", re.MULTILINE), "nuttcp's output"),
    (re.compile(r"^sockperf:", re.MULTILINE), "sockperf's output"),
    (re.compile(r"^(?:tcp|udp)_bw:", re.MULTILINE), "qperf's output"),
    (
        re.compile(r"\A(?=[^\n]*\bbenchmark_version,)[^\n]*\btest_endpoint,"),
        "CloudHarmony's network report",
    ),
    (re.compile(r"\A\s*<"), "XML"),
)
"""What other formats look like, and their names; the first that fits."""


def read_text(text: str, *, source: str) -> Read:
    """Return the measurements in a tool's output, and what of it cannot be used and why.

    Args:
        text: The whole output.
        source: The file's name, for `Measurement.source` and the places of refusals.
    """
    text = text.removeprefix("\ufeff")
    if _is_json(text):
        return _told_if_nothing(_read_json(text, source), source)
    readers = [one.read for tool in _TOOLS for one in tool.TEXTS if one.fits(text)]
    if not readers:
        return [], [refusal(source=source, place="", reason=_named(text[:_HEAD_LENGTH]))]
    # A log may hold runs of several tools.
    parts = [read(text, source=source) for read in readers]
    found = [one for measurements, _ in parts for one in measurements]
    refused = [one for _, refusals in parts for one in refusals]
    return _told_if_nothing((found, refused), source)


def _told_if_nothing(read: Read, source: str) -> Read:
    found, refused = read
    return found, refused or (
        [] if found else [refusal(source=source, place="", reason="no result in the file")]
    )


def _is_json(text: str) -> bool:
    """Return whether a text is JSON, or warnings and then an iperf3 document."""
    is_first = text.lstrip()[:1] in ("{", "[")
    return holds_json(text) and (is_first or '"start"' in text or '"event"' in text)


def _read_json(text: str, source: str) -> Read:
    tests: list[Document] = []
    others: list[Document] = []
    for document in documents_in(text):
        is_test = document.fault or iperf3.is_iperf3(document.value) or _is_event(document.value)
        (tests if is_test else others).append(document)
    found, refused = iperf3.measurements_of(tests, source=source)
    for document in others:
        if perfkit.holds_netperf(document.value):
            more, not_usable = perfkit.measurements_of(document.value, source=source)
            found += more
            refused += not_usable
        else:
            place, reason = str(document.line), _told(document.value)
            refused.append(refusal(source=source, place=place, reason=reason))
    return found, refused


def _is_event(value: Any) -> bool:
    return isinstance(value, dict) and "event" in value and "data" in value


def _told(value: Any) -> str:
    if isinstance(value, dict):
        if value.get("error"):
            return f"the tool reports: {bounded(str(value['error']))}"
        if str(value.get("schema", "")).startswith(STORE_SCHEMA):
            return "a record of a netplan store: use the store directly, without import"
        names = ", ".join(bounded(str(name), 40) for name in list(value)[:5])
        return f"JSON of an unknown kind, with {names or 'no members'}: {_HOW}"
    return f"JSON of an unknown kind: {_HOW}"


def _named(text: str) -> str:
    if not text.strip():
        return "empty"
    name = next((name for pattern, name in _FOREIGN if pattern.search(text)), "")
    return f"{name} is not read: {_HOW}" if name else f"not the output of a known tool: {_HOW}"


# Files of tools' outputs: opened, unpacked, and read by what they hold


LARGEST_BYTES = WHOLE_BYTES
"""Of one file, unpacked: an hour of 64 streams with an interval a second takes a third of that."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks; PowerShell redirects write UTF-16."""
_ROUNDED_RATIO = 0.006
_ROUNDED_S = 0.01
"""How far the rounded figures of a text lie from those of its JSON: three digits, hundredths."""


def read_outputs(path: Path) -> tuple[tuple[Measurement, ...], tuple[base.Refused, ...]]:
    """Return the measurements in a file or folder, and what of it was refused and why.

    Formats are told by content: iperf3 (JSON, text), iperf 2 (text, CSV), netperf (text, CSV,
    key=value, inside JSON), CloudHarmony's iperf report; each may be gzipped. A file that cannot
    be used does not stop the others. Where a text is the other end's account of a run whose JSON
    is there too, the run counts once.

    Args:
        path: A file, or a folder that is walked in the order of names; hidden entries are not.

    Raises:
        InputError: If there is no such file or folder.
    """
    try:
        path.stat()
    except OSError as exc:
        raise unreadable(path, exc) from exc
    found: list[Measurement] = []
    refused: list[base.Refused] = []
    for file in _files(path, refused):
        source = _source(file)
        try:
            with reading(source):
                measurements, reasons = read_text(_text_of(file), source=source)
        except base.Unusable as exc:
            refused.append(base.refusal(source=source, place="", reason=exc.reason))
            continue
        found += [_with_id(one, file) for one in measurements]
        refused += reasons
    kept, twice = _counted_once(found)
    return kept, (*refused, *twice)


def _source(path: Path | str) -> str:
    return base.bounded(str(path), base.TEXT_LENGTH)


def _files(path: Path, refused: list[base.Refused]) -> Iterator[Path]:
    """Yield the files to read; a folder that cannot be opened is among `refused` then."""

    def note(exc: OSError) -> None:
        reason = f"cannot be read: {exc.strerror or exc}"
        refused.append(base.refusal(source=_source(str(exc.filename)), place="", reason=reason))

    if not path.is_dir():
        yield path
        return
    for folder, names, files in os.walk(path, onerror=note):
        names[:] = sorted(name for name in names if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(files) if not name.startswith("."))


def _text_of(path: Path) -> str:
    """Return a file's text.

    Raises:
        Unusable: If it cannot be opened, is too large, damaged, or no text.
    """
    if not path.is_file():
        raise base.Unusable("not a regular file")
    try:
        data = unpacked(path, LARGEST_BYTES)
    except (EOFError, zlib.error, gzip.BadGzipFile) as exc:
        raise base.Unusable(f"damaged gzip: {exc}") from exc
    except OSError as exc:
        raise base.Unusable(f"cannot be read: {exc.strerror or exc}") from exc
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as exc:
        raise base.Unusable(f"not text: byte {exc.start} is not {exc.encoding}") from exc
    if "\0" in text:
        raise base.Unusable("not text: it contains zero bytes")
    return text


def _with_id(one: Measurement, file: Path) -> Measurement:
    """Return a measurement with an id, also where its tool gave nothing to tell the run by.

    Then it is the file's name, the place in it and all figures: the same when the file is read
    again, or from another folder, or after it has grown.
    """
    if one.run_id:
        return one
    content = msgspec.json.encode(msgspec.structs.replace(one, source=""))
    return msgspec.structs.replace(
        one, run_id=base.run_id_of(one.tool, file.name, content.decode())
    )


def _counted_once(
    found: Sequence[Measurement],
) -> tuple[tuple[Measurement, ...], tuple[base.Refused, ...]]:
    """Return the measurements without texts whose JSON is among them, and these as refusals."""
    exact = [one for one in found if one.tool == "iperf3" and one.started_at]
    kept: list[Measurement] = []
    refused: list[base.Refused] = []
    for one in found:
        twin = None
        if one.tool == "iperf3" and not one.started_at:
            twin = next((other for other in exact if _is_same_run(one, other)), None)
        if twin is None:
            kept.append(one)
        else:
            exact.remove(twin)  # Each stands for one text only.
            reason = f"counted once: its JSON is {inert(twin.source, NAME_LENGTH)}"
            refused.append(
                base.refusal(source=one.source, place=one.place, reason=reason, is_repeat=True)
            )
    return tuple(kept), tuple(refused)


def _is_same_run(text: Measurement, other: Measurement) -> bool:
    """Return whether a text's rounded figures are those of a JSON document.

    One address is enough: behind a service's address the two ends see the other one differently.
    """
    ends = ((text.src.address, other.src.address), (text.dst.address, other.dst.address))
    return (
        any(own is not None and own == theirs for own, theirs in ends)
        and (text.is_reverse, text.counted_by) == (other.is_reverse, other.counted_by)
        and text.streams == other.streams
        and abs(text.gbps / other.gbps - 1) <= _ROUNDED_RATIO
        and abs((text.duration_s or 0.0) - (other.duration_s or 0.0)) <= _ROUNDED_S
    )
