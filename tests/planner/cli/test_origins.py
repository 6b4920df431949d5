"""Errors name the verb, the option and where its value came from; unknown variables are named."""

from pathlib import Path

import pytest

from support.commands.run import run_verbs

TRAFFIC = ["price", "traffic", "--from", "us-central1", "--to", "zone", "--gib", "1"]


def refused(*arguments: str, **environment: str) -> str:
    done = run_verbs(arguments=list(arguments), **environment)
    assert (done.returncode, done.stdout) == (2, "")
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "netplan.toml"
    path.write_text('[audit]\nfail-on = "x"\n[price.traffic]\narea = "usa"\n', "utf-8")
    return path


def test_a_wrong_combination_names_the_variable_or_the_file(config: Path) -> None:
    said = "netplan: price traffic: --area is for --to internet and nat, not zone"
    variable = "NETPLAN_PRICE_TRAFFIC_AREA"
    by_variable = refused(*TRAFFIC, **{variable: "usa"})
    assert by_variable == f"{said} (--area comes from the variable {variable})"
    assert refused("--config", str(config), *TRAFFIC) == f"{said} (--area comes from {config})"
    assert refused(*TRAFFIC, "--area", "usa", **{variable: "usa"}) == said


def test_a_value_that_an_option_does_not_take_names_them_too(config: Path) -> None:
    audit = ("audit", "--demo", "gecko")
    by_variable = refused(*audit, NETPLAN_AUDIT_FAIL_ON="x")
    assert "'--fail-on': 'x' is not one of" in by_variable
    assert "(from the variable NETPLAN_AUDIT_FAIL_ON)" in by_variable
    assert "Value error" not in by_variable
    assert str(config) in refused("--config", str(config), *audit).replace(" ", "")
    on_the_line = refused(*audit, "--fail-on", "x")
    assert "variable" not in on_the_line
