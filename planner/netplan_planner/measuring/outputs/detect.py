"""Which format a tool's output is in, by its content; those that are not read are named."""

import re
from typing import Any

from netplan_planner.measuring.outputs import cloudharmony, iperf2, iperf3, netperf, perfkit
from netplan_planner.measuring.outputs.base import Read, bounded, refusal
from netplan_planner.measuring.outputs.json_text import Document, documents_in, holds_json

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
        [] if found else [refusal(source=source, place="", reason="no result in it")]
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
            return "a record of a netplan store: use the store itself, it needs no import"
        names = ", ".join(bounded(str(name), 40) for name in list(value)[:5])
        return f"JSON of another kind, with {names or 'no members'}: {_HOW}"
    return f"JSON of another kind: {_HOW}"


def _named(text: str) -> str:
    if not text.strip():
        return "empty"
    name = next((name for pattern, name in _FOREIGN if pattern.search(text)), "")
    return f"{name} is not read: {_HOW}" if name else f"no output of a known tool: {_HOW}"
