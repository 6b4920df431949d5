"""What GitHub code scanning asks of a SARIF file beyond the SARIF schema.

The rules are those of "SARIF support for code scanning" (docs.github.com) and of the `GH` rules of
Microsoft's validator (github.com/microsoft/sarif-sdk, `Sarif.Multitool.Library/Rules`), whose
numbers stand behind each.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit


def faults(log: Any) -> list[str]:
    """Return why code scanning would refuse a log or not show a result; empty if it would not."""
    found = [] if log.get("version") == "2.1.0" else ["version"]
    for number, run in enumerate(log["runs"]):
        bases = run.get("originalUriBaseIds", {})
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for index, result in enumerate(run["results"]):
            where = f"runs[{number}].results[{index}]"
            found += [f"{where}: {fault}" for fault in _of_result(result, rules, bases)]
    return found


def _of_result(result: Any, rules: list[str], bases: Any) -> Iterator[str]:
    if not result.get("message", {}).get("text"):
        yield "GH1015: no message text"
    if rules[result["ruleIndex"]] != result["ruleId"]:
        yield "ruleIndex is another rule's"
    if not result.get("partialFingerprints"):
        yield "GH1015: no fingerprint"
    if not result.get("locations"):
        yield "GH1001: no location"
    for name in ("locations", "relatedLocations"):
        for index, location in enumerate(result.get(name, ())):
            yield from (f"{name}[{index}]: {fault}" for fault in _of_location(location, bases))
    for location in result.get("relatedLocations", ()):
        if not location.get("message", {}).get("text"):
            yield "a related location without a message"


def _of_location(location: Any, bases: Any) -> Iterator[str]:
    physical = location.get("physicalLocation", {})
    line = physical.get("region", {}).get("startLine")
    if not isinstance(line, int) or line < 1:
        yield "GH1003: no region.startLine from 1 on"
    artifact = physical.get("artifactLocation", {})
    uri = artifact.get("uri")
    if not uri:
        yield "GH1017: no artifactLocation.uri"
        return
    parts = urlsplit(uri)
    if parts.scheme or parts.netloc or uri.startswith("/"):
        yield f"GH1005: {uri} is not relative"
    base = artifact.get("uriBaseId")
    if base is not None and not bases.get(base, {}).get("uri", "").endswith("/"):
        yield f"GH1006: the base {base} is not said"
