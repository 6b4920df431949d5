"""netplan.toml: what it may hold, and what it says when it holds something else."""

from pathlib import Path

import pytest

from netplan_planner.config import (
    declared_links,
    declared_targets,
    find_config,
    load_table,
    option_defaults,
    rule_thresholds,
)
from netplan_planner.errors import UsageError


def write(folder: Path, text: str, name: str = "netplan.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_options_are_kept_by_verb(tmp_path: Path) -> None:
    path = write(tmp_path, '[audit]\nmemory-limit = "4GB"\n[price.machine]\nregion = "us-east1"\n')
    assert option_defaults(path) == {
        "audit": {"memory-limit": "4GB"},
        "price": {"machine": {"region": "us-east1"}},
    }


def test_dates_are_texts_as_options_are(tmp_path: Path) -> None:
    path = write(tmp_path, "[audit]\nas_of = 2017-07-01\nsince = 2026-11-02T08:00:00Z\n")
    assert option_defaults(path) == {
        "audit": {"as-of": "2017-07-01", "since": "2026-11-02T08:00:00+00:00"}
    }


def test_rules_and_targets_are_no_options(tmp_path: Path) -> None:
    path = write(tmp_path, '[rules.unmapped-peers]\nmin_ratio = 0.1\n[targets]\n"a" = "1 Gbps"\n')
    assert option_defaults(path) == {}
    assert rule_thresholds(path) == (("unmapped-peers", "min_ratio", 0.1),)


@pytest.mark.parametrize(
    ("value", "gbps"), [('"10 Gbps"', 10.0), ('"500 Mbps"', 0.5), ("2.5", 2.5), ('"1 Gbit/s"', 1.0)]
)
def test_targets_are_rates(tmp_path: Path, value: str, gbps: float) -> None:
    path = write(tmp_path, f'[targets]\n"zones/z/instances/a" = {value}\n')
    assert declared_targets(path) == (("zones/z/instances/a", gbps, "netplan.toml [targets]"),)


def test_links_are_ranges_of_addresses_with_rates(tmp_path: Path) -> None:
    path = write(tmp_path, '[links]\n"10.1.0.0/24" = "1 Gbps"\n"fd00::/64" = 10\n')
    told = "netplan.toml [links]"
    assert declared_links(path) == (("10.1.0.0/24", 1.0, told), ("fd00::/64", 10.0, told))
    assert option_defaults(path) == {}


@pytest.mark.parametrize("text", ['"10.1.0.1/24" = 1', '"eth0" = 1', '"10.1.0.0/24" = "fast"'])
def test_what_is_no_link_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"\[links\]"):
        declared_links(write(tmp_path, f"[links]\n{text}\n"))


@pytest.mark.parametrize("value", ['"10"', '"ten Gbps"', "0", "-1", '"10 GB"', "true", "[1]"])
def test_what_is_no_rate_is_refused(tmp_path: Path, value: str) -> None:
    path = write(tmp_path, f'[targets]\n"a" = {value}\n')
    with pytest.raises(UsageError, match=r"\[targets\] 'a'"):
        declared_targets(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[rules.x]\ny = true\n", "must be a number"),
        ('[rules.x]\ny = "1"\n', "must be a number"),
        ("[rules.x]\ny = nan\n", "a number >= 0"),
        ("[rules.x]\ny = inf\n", "a number >= 0"),
        (f"[rules.x]\ny = 1{'0' * 400}\n", "a number >= 0"),
        ("[rules.x]\ny = -1\n", "a number >= 0"),
        ("[rules]\nx = 3\n", "table of thresholds"),
        ("rules = 3\n", r"\[rules\] must be a table"),
    ],
)
def test_thresholds_are_numbers(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        rule_thresholds(write(tmp_path, text))


def test_broken_toml_and_a_missing_file_name_themselves(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"netplan\.toml: not valid TOML"):
        load_table(write(tmp_path, "[audit\n"))
    with pytest.raises(UsageError, match=r"no\.toml: cannot be read"):
        load_table(tmp_path / "no.toml")


def test_netplan_toml_comes_before_pyproject(tmp_path: Path) -> None:
    assert find_config(tmp_path) is None
    project = write(tmp_path, "[tool.netplan.audit]\nwidth = 90\n", "pyproject.toml")
    assert find_config(tmp_path) == project
    assert option_defaults(project) == {"audit": {"width": 90}}
    own = write(tmp_path, "[audit]\nwidth = 80\n")
    assert find_config(tmp_path) == own


def test_a_pyproject_without_a_section_is_no_configuration(tmp_path: Path) -> None:
    write(tmp_path, "[tool.other]\nx = 1\n", "pyproject.toml")
    assert find_config(tmp_path) is None
