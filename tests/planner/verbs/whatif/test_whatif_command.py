"""`netplan whatif` as a process: formats, tables of changes, and bad input."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from support.commands.run import run_verbs

COMMANDS_BY_ANSWER = {
    "WhatifAnswer": (
        ["whatif", "--demo", "gecko", "--vm", "transcoder-[1-4]", "--address", "internal"],
        ["whatif", "--demo", "gecko", "--growth", "2", "--by", "2099-01-01"],
    )
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""
_GECKO = ["whatif", "--demo", "gecko", "--vm", "transcoder-[1-4]"]
BOTH = [*_GECKO, "--address", "internal", "--machine-type", "n1-highcpu-8"]


def table(folder: Path, *lines: str) -> list[str]:
    path = folder / "changes.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ["whatif", "--demo", "gecko", "--change", str(path)]


def run(arguments: list[str]) -> CompletedProcess[str]:
    return run_verbs(arguments=arguments)


def test_it_says_sums_order_sets_machines_and_findings() -> None:
    found = run(BOTH)
    assert found.returncode == 0, found.stderr
    for text in ("What it comes to", "1. internal", "1 + 2", "12 gone, 4 new", "-$663.52"):
        assert text in found.stdout
    told = [line for line in found.stdout.splitlines() if "gcloud" not in line]
    assert max(map(len, told)) <= 100


def test_a_table_is_what_the_options_say(tmp_path: Path) -> None:
    by_options = run([*BOTH, "--output", "json"])
    rows = "transcoder-[1-4],n1-highcpu-8,Internal"
    by_table = run([*table(tmp_path, "vm,machine_type,address", rows), "--output", "json"])
    assert by_table.returncode == 0, by_table.stderr
    one, other = (json.loads(text.stdout) for text in (by_options, by_table))
    for name in ("before", "after", "machines", "findings", "together"):
        assert one[name] == other[name]


def test_all_formats_can_be_written(tmp_path: Path) -> None:
    formats = ("text", "json", "csv", "md", "html", "commands", "terraform")
    outputs = [word for one in formats for word in ("-o", f"{one}:{tmp_path / one}")]
    found = run([*BOTH, *outputs])
    assert found.returncode == 0, found.stderr
    assert '<svg class="changes"' in (tmp_path / "html").read_text(encoding="utf-8")
    script = (tmp_path / "commands").read_text(encoding="utf-8")
    assert script.count("set-machine-type") >= 4
    assert script.count("In the configuration of") == 4
    rows = (tmp_path / "csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 5
    json.loads((tmp_path / "terraform").read_text(encoding="utf-8"))


def test_all_out_asks_for_more_than_the_busiest_minute() -> None:
    totals = []
    for more in ([], ["--all-out"]):
        found = run([*_GECKO, "--machine-type", "n1-standard-8", "-o", "json", *more])
        totals.append(json.loads(found.stdout)["before"]["gbps"])
    assert totals[0] < totals[1]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "nothing is changed"),
        (["--vm", "transcoder-1"], "what becomes of them"),
        (["--machine-type", "n1-standard-8"], "--vm"),
        (["--growth", "2", "--by", "2020-01-01"], "has passed"),
        (["--growth", "1e-300"], "from 0.001 to 1000"),
        (["--vm", "transcoder-1", "--zone", "us-central1-b", "--by", "2099-01-01"], "--growth"),
    ],
)
def test_options_that_make_no_sense_are_refused(more: list[str], said: str) -> None:
    found = run(["whatif", "--demo", "gecko", *more])
    assert found.returncode == 2
    assert said in " ".join(found.stderr.split())


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("vm,machine_type", ",n1-standard-8"), "row 1: vm is empty"),
        (("vm,machine_type", "transcoder-1,"), "changes nothing"),
        (("vm,machinetype", "transcoder-1,n1-standard-8"), "machinetype: no such column"),
        (("machine_type", "n1-standard-8"), "vm"),
        (("vm,growth,by", "*,2,soon"), "by is a day"),
        (("vm,zone,by", "transcoder-1,us-central1-b,2099-01-01"), "growth is empty"),
        (("vm,growth,by", "*,2,2020-01-01"), "has passed"),
        (("vm,growth", "*,1", "nobody,2"), "row 2, growth: no machine"),
        (("vm,tier1", "transcoder-1,yes"), "true or false"),
        (("vm,mtu", "transcoder-1,90"), "1300 to 8896"),
    ],
)
def test_a_table_that_makes_no_sense_is_named_with_its_row(
    tmp_path: Path, lines: tuple[str, ...], said: str
) -> None:
    found = run(table(tmp_path, *lines))
    assert found.returncode == 3, found.stderr
    assert said in " ".join(found.stderr.split())


def test_a_table_and_options_may_not_contradict(tmp_path: Path) -> None:
    found = run(
        [
            *table(tmp_path, "vm,machine_type", "transcoder-*,n1-standard-4"),
            *("--vm", "transcoder-1", "--machine-type", "n1-standard-8"),
        ]
    )
    assert found.returncode == 3
    assert "leave one of them out" in " ".join(found.stderr.split())


def test_without_traffic_it_still_tells_money_and_caps(tmp_path: Path) -> None:
    demo = Path(__file__).parents[4] / "planner" / "netplan_planner" / "demos" / "gecko"
    found = run(
        [
            *("whatif", "--inventory", str(demo / "inventory")),
            *("--vm", "transcoder-1", "--machine-type", "n1-standard-8", "-o", "json"),
        ]
    )
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    assert answer["has_traffic"] is False
    (pair,) = answer["machines"]
    assert (pair["before"]["egress_gbps"], pair["after"]["egress_gbps"]) == (2, 16)
    assert pair["after"]["gbps"] is None
    assert pair["after"]["machine_usd_per_month"] > pair["before"]["machine_usd_per_month"]


def test_toml_says_what_a_table_says(tmp_path: Path) -> None:
    rows = ("transcoder-[1-4],n1-highcpu-8,internal,,", "*,,,1.5,2099-01-01")
    by_table = run([*table(tmp_path, "vm,machine_type,address,growth,by", *rows), "-o", "json"])
    path = tmp_path / "changes.toml"
    path.write_text(
        "[[change]]\nvm = 'transcoder-[1-4]'\nmachine_type = 'n1-highcpu-8'\n"
        "address = 'internal'\n[[change]]\nvm = '*'\ngrowth = 1.5\nby = 2099-01-01\n"
    )
    by_toml = run(["whatif", "--demo", "gecko", "--change", str(path), "-o", "json"])
    assert by_toml.returncode == 0, by_toml.stderr
    one, other = (json.loads(found.stdout) for found in (by_table, by_toml))
    for name in ("before", "after", "machines", "full", "changes"):
        assert one[name] == other[name]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("growth = 2", "[[change]] tables and nothing else"),
        ("change = [1]", "it is no table"),
        ("[[change]]\nvm = '*'\ngrwth = 2", "did you mean growth"),
        ("[[change]]\nvm = '*'\ngrowth = [2]", "[[change]] 1, growth"),
        ("[[change]]\nvm = '*'\ngrowth = nan", "no factor of growth"),
        ("[[change", "not valid TOML"),
    ],
)
def test_toml_that_makes_no_sense_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "changes.toml"
    path.write_text(text)
    found = run(["whatif", "--demo", "gecko", "--change", str(path)])
    assert found.returncode == 3, found.stderr
    assert said in " ".join(found.stderr.split())


def test_every_change_of_a_machine_has_its_step() -> None:
    asked = ["--vm", "transcoder-1", "--nic", "virtio", "--mtu", "1500", "--plugin", "calico"]
    found = run(["whatif", "--demo", "gecko", *asked, "--address", "internal", "-o", "commands"])
    assert found.returncode == 0, found.stderr
    for text in ("--mtu=1500", "nic-type=VIRTIO_NET", "use calico", "an earlier step made of it"):
        assert text in found.stdout


def test_growth_that_meets_no_limit_is_said_so() -> None:
    found = run(["whatif", "--demo", "gecko", "--growth", "1.01", "--by", "2099-01-01"])
    assert "Growth meets no limit of the 9 machines whose traffic and limits are known" in (
        found.stdout
    )
