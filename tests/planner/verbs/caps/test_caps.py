"""`netplan caps` as a process."""

import csv
import io
import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from support.commands.run import run_verbs

COMMANDS_BY_ANSWER = {
    "CapsAnswer": (["caps", "n2-standard-8"], ["caps", "--series", "c3", "--as-of", "2026-04-01"])
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""


def caps(*arguments: str) -> CompletedProcess[str]:
    return run_verbs(arguments=["caps", *arguments])


def test_it_prints_every_variant_with_source_and_date() -> None:
    found = caps("n1-standard-16")
    assert found.returncode == 0
    assert found.stderr == ""
    assert "default, before Intel Skylake" in found.stdout
    assert "default, on Intel Skylake or later" in found.stdout
    assert "32 Gbit/s [1]" in found.stdout
    assert "general-purpose-machines, 2026-04-15, confidence high" in found.stdout
    assert max(map(len, found.stdout.splitlines())) <= 100


def test_the_date_decides() -> None:
    found = caps("n1-standard-4", "--as-of", "2017-07")
    assert "8 Gbit/s [1]" in found.stdout
    assert "external-path, same-zone-external: 1.6 Gbit/s, 0.884 to 1.7" in found.stdout


def test_json_is_whole() -> None:
    answer = json.loads(caps("n2-standard-32", "--format", "json", "--as-of", "2026-11-21").stdout)
    assert answer["schema"] == "netplan.caps/1"
    assert [(cap["is_tier1"], cap["egress_gbps"]) for cap in answer["caps"]] == [
        (False, 32),
        (True, 50),
    ]


def test_without_a_type_it_lists_all() -> None:
    rows = list(csv.DictReader(io.StringIO(caps("--series", "n2,e2", "--format", "csv").stdout)))
    names = [row["machine_type"] for row in rows]
    assert {name.partition("-")[0] for name in names} == {"n2", "e2"}
    assert names.index("n2-standard-8") < names.index("n2-standard-16")


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["n2-standrd-32"], 2, "n2-standard-32"),
        (["n2-standard-8", "--as-of", "2017-07-20"], 3, "no documented cap for n2-standard-8"),
        (["n4-custom-12-32768"], 3, "no document states the cap"),
        (["\x1b[31mx"], 2, "'\\x1b[31mx'"),
        (["n1-standard-16", "--cpu-platform", "Pentium"], 2, "Intel Skylake"),
        (["--series", "q9"], 2, "it is one of a2, "),
        (["n2-standard-8", "--series", "n2"], 2, "leave TYPE out"),
    ],
)
def test_what_cannot_be_answered(arguments: list[str], status: int, text: str) -> None:
    found = caps(*arguments)
    assert found.returncode == status
    assert found.stdout == ""
    assert text in found.stderr
    assert "\x1b" not in found.stderr


def test_what_no_page_states_is_unknown_and_not_from_memory() -> None:
    text = " ".join(caps("e2-medium").stdout.split())
    assert "NIC types unknown: no page that lists them" in text
    (row,) = json.loads(caps("e2-medium", "--format", "json").stdout)["caps"]
    assert row["nic_types"] == []


def test_a_machine_with_several_physical_nics_has_a_cap_for_each() -> None:
    text = " ".join(caps("a3-ultragpu-8g").stdout.split())
    assert "egress of one NIC 200 Gbit/s each, 10 physical NICs, 2 of them for TCP/IP" in text
    assert "egress of one NIC" not in caps("a3-highgpu-4g").stdout


@pytest.mark.parametrize("verb", [["n2-standard-32"], ["--series", "e2"]])
def test_every_format_at_once_to_files(tmp_path: Path, verb: list[str]) -> None:
    outputs = [f"{name}:{tmp_path / name}" for name in ("json", "csv", "md")]
    found = caps(*verb, "--output", "text", *(word for one in outputs for word in ("-o", one)))
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout == caps(*verb).stdout
    assert json.loads((tmp_path / "json").read_text())["schema"] == "netplan.caps/1"
    assert (tmp_path / "csv").read_text().startswith("machine_type,vcpus,")
    assert (tmp_path / "md").read_text().startswith("## ")


def test_a_format_that_only_an_audit_has_is_refused_by_name() -> None:
    found = caps("n2-standard-32", "--output", "sarif")
    assert found.returncode == 2
    assert "no output format 'sarif': it is one of text, json, csv, md" in found.stderr
