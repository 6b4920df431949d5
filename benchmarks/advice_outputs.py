"""Holds the forms of one report against each other: each names the same members, and as many.

Of an audit's JSON, text, CSV and SARIF (the script is `advice_script.py`'s): an entry of "Do first"
has one count of places, that of the changes that it lists, and a finding that of its members.
"""

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_ENTRY = re.compile(r"(\d+)\. (.*)")
_FINDING = re.compile(r"\d+\. (?:HIGH|MEDIUM|LOW|INFO) \S+  (.*)")
_MORE = re.compile(r", and ([\d,]+) more(?: \(([\d,]+) VMs\))?")
_PART = re.compile(r"\(([\d,]+) of ([\d,]+) (?:places|resources) of finding")
_GROUPED = ("machine-type", "tier-1", "spot")
"""Kinds of changes that a managed group makes whole."""


def differing(report: Mapping[str, Any], folder: Path) -> list[str]:
    """Return where counts are not those of what is listed, or a form names other members.

    Args:
        report: The JSON of an audit.
        folder: Where its `report.txt` (with -v and all findings), `.csv` and `.sarif` are.
    """
    rows: dict[str, list[dict[str, str]]] = defaultdict(list)
    with (folder / "report.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            rows[row["fingerprint"]].append(row)
    (run,) = json.loads((folder / "report.sarif").read_text(encoding="utf-8"))["runs"]
    results = {one["partialFingerprints"]["netplanFinding/v1"]: one for one in run["results"]}
    text = (folder / "report.txt").read_text(encoding="utf-8")
    return [
        *_counts(report),
        *_of_rows(report, rows),
        *_of_results(report, results),
        *_of_text(report, text),
    ]


def _counts(report: Mapping[str, Any]) -> Iterator[str]:
    findings = {one["fingerprint"]: one for one in report["findings"]}
    for entry in report["do_first"]:
        members = [one["fingerprint"] for one in findings[entry["finding"]]["members"]]
        places = [one["place"] for one in entry["changes"]]
        about = f"entry {entry['rank']}"
        if entry["place_count"] != len(places):
            yield f"{about} counts {entry['place_count']} places and lists {len(places)}"
        if entry["finding_place_count"] != len(members):
            yield f"{about} is of {entry['finding_place_count']} places; there are {len(members)}"
        if len(set(places)) < len(places) or set(places) - set(members):
            yield f"{about} lists a place twice, or one that its finding has not"
        if entry["subject"] not in {one["subject"] for one in entry["changes"]}:
            yield f"{about} names {entry['subject']}, which it does not list"


def _of_rows(report: Mapping[str, Any], rows: Mapping[str, list[dict[str, str]]]) -> Iterator[str]:
    planned = {one["finding"]: one["changes"] for one in report["do_first"]}
    for finding in report["findings"]:
        key, members = finding["fingerprint"], finding["members"]
        found, about = rows.get(key, []), f"CSV of {finding['rule']}"
        if [one["place_fingerprint"] for one in found] != [one["fingerprint"] for one in members]:
            yield f"{about}: {len(found)} rows for {len(members)} members, or others"
        if {one["place_count"] for one in found} != {str(len(members))}:
            yield f"{about} counts other places than the {len(members)} of JSON"
        stepped = {one["place_fingerprint"] for one in found if one["plan_number"]}
        if stepped != {one["place"] for one in planned.get(key, ())}:
            yield f"{about}: {len(stepped)} places have a step, not those of JSON"


def _of_results(report: Mapping[str, Any], results: Mapping[str, Any]) -> Iterator[str]:
    planned = {one["finding"]: one["changes"] for one in report["do_first"]}
    for finding in report["findings"]:
        key, count = finding["fingerprint"], len(finding["members"])
        about = f"SARIF of {finding['rule']}"
        if key not in results:
            yield f"{about} is not there"
            continue
        told = results[key]["properties"]
        if told["placeCount"] != count:
            yield f"{about} counts {told['placeCount']} places, JSON {count}"
        steps = [(one["place"], one["subject"]) for one in told["plannedChanges"]]
        if steps != [(one["place"], one["subject"]) for one in planned.get(key, ())]:
            yield f"{about} plans other changes than JSON"
        more = _MORE.search(results[key]["message"]["text"].partition(": ")[0])
        if _number(more) + 1 != count:
            yield f"{about} says {_number(more) + 1} places, JSON {count}"


def _of_text(report: Mapping[str, Any], text: str) -> Iterator[str]:
    """Yield where the text differs: counts of both lists, all places of entries."""
    section, _, rest = text.partition("\nFindings: ")
    entries = dict(_entries(section.partition("\nDo first ")[2]))
    findings = {one["fingerprint"]: one for one in report["findings"]}
    if len(entries) != len(report["do_first"]):
        yield f"text lists {len(entries)} entries, JSON {len(report['do_first'])}"
    for entry in report["do_first"]:
        head, places = entries.get(entry["rank"], ("", ""))
        about = f"text of entry {entry['rank']}"
        _, _, behind = head.partition(entry["subject"])
        yield from _of_head(about, behind, entry["changes"])
        part = _PART.search(head)
        whole = len(findings[entry["finding"]]["members"])
        said = tuple(int(one.replace(",", "")) for one in part.groups()) if part else None
        right = (len(entry["changes"]), whole) if len(entry["changes"]) < whole else None
        if said != right:
            yield f"{about} says {said} places of its finding, not {right}"
        named = "; ".join(one["subject"] for one in entry["changes"])
        if len(entry["changes"]) > 1 and places != f"at {named}":
            yield f"{about} names other places than JSON"
    heads = [found.group(1) for one in _joined(rest) if (found := _FINDING.match(one))]
    for head, finding in zip(heads, report["findings"], strict=False):
        _, _, behind = head.partition(finding["subject"])
        if _number(_MORE.match(behind)) + 1 != len(finding["members"]):
            yield f"text of {finding['rule']} says other places than its {len(finding['members'])}"
    if len(heads) != len(report["findings"]):
        yield f"text has {len(heads)} findings, JSON {len(report['findings'])}"


def _of_head(about: str, behind: str, changes: list[dict[str, Any]]) -> Iterator[str]:
    more = _MORE.match(behind)
    if _number(more) + 1 != len(changes):
        yield f"{about} says {_number(more) + 1} places and lists {len(changes)}"
    told = [one["change"] for one in changes if one["change"] is not None]
    extra = sum(max(len(one["members"]), 1) - 1 for one in told if one["kind"] in _GROUPED)
    machines = more.group(2) if more else None
    if machines and int(machines.replace(",", "")) != len(changes) + extra:
        yield f"{about} says {machines} machines, of {len(changes) + extra}"


def _number(found: re.Match[str] | None) -> int:
    return int(found.group(1).replace(",", "")) if found else 0


def _entries(section: str) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield each entry of the text by number, with the line of its places."""
    number, head = 0, ""
    for one in _joined(section):
        found = _ENTRY.match(one)
        if found is not None:
            if number:
                yield number, (head, "")
            number, head = int(found.group(1)), found.group(2)
        elif number and one.startswith("at "):
            yield number, (head, one)
            number = 0
        elif number:
            yield number, (head, "")
            number = 0
    if number:
        yield number, (head, "")


def _joined(text: str) -> Iterator[str]:
    """Yield paragraphs whole, whose lines are cut to the width of a page."""
    held = ""
    for one in text.splitlines():
        is_more = one.startswith("   ") or (
            held.startswith("at ")
            and bool(one)
            and not one.startswith(_STARTS)
            and one[0].isprintable()
            and not _ENTRY.match(one)
        )
        if is_more and held:
            held = f"{held} {one.strip()}"
            continue
        if held:
            yield held
        held = one
    if held:
        yield held


_STARTS = ("Low confidence", "Also: ", "not in this order", "to buy", "at ")
