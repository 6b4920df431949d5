"""netplan.toml as the command reads it: what it does not know or take, it refuses and names."""

import csv
import io
import json
from pathlib import Path

import pytest

from support.commands.run import run_verbs


def show(folder: Path, text: str, **environment: str) -> tuple[int, str, str]:
    config = folder / "netplan.toml"
    config.write_text(text, encoding="utf-8")
    done = run_verbs(arguments=["--config", str(config), "config", "show"], **environment)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[adit]\nfail-on = "low"', "no section is named 'adit'; near: audit"),
        ("[rule.x]\ny = 1", "no section is named 'rule'; near: rules"),
        ('config = "x"', "no section is named 'config'"),
        ('[audit]\nfail-onn = "low"', "no option of [audit] is named 'fail-onn'; near: fail-on"),
        ("[audit.fail-on]\nx = 1", "no option of [audit] is named 'fail-on'"),
        ('[price.machine]\nregoin = "x"', "no option of [price.machine] is named 'regoin'; near"),
        ('[price]\nregion = "x"', "no section is named 'region'"),
        ('[audit]\nfail-on = "nevr"', "audit.fail-on (netplan.toml) = 'nevr'"),
        ('[recommend]\nvcpus = "x"', "recommend.vcpus (netplan.toml) = 'x'"),
        ("[rules.x]\ny = 1", "no rule is named 'x'"),
        ("[targets]\na = 0", "a rate above 0"),
        ('[links]\n"10.1.0.0/24" = 0', "a rate above 0"),
        ("[links]\neth0 = 1", "does not appear to be an IPv4 or IPv6 network"),
        (
            "[rules.egress-cap-undersized-for-target]\nheadroom_ratio = 1",
            "headroom_ratio = 1: it is a ratio from 0 to below 1",
        ),
    ],
)
def test_what_it_does_not_know_is_refused(tmp_path: Path, text: str, says: str) -> None:
    status, _, errors = show(tmp_path, text)
    assert status == 2
    assert says in errors
    assert "Traceback" not in errors


def test_an_unknown_key_stops_every_verb(tmp_path: Path) -> None:
    config = tmp_path / "netplan.toml"
    config.write_text('[audit]\nmemory = "4GB"\n', encoding="utf-8")
    done = run_verbs(arguments=["--config", str(config), "caps", "n2-standard-8"])
    assert done.returncode == 2
    assert "no option of [audit] is named 'memory'; near: memory-limit" in done.stderr


def test_a_bad_variable_is_named_with_its_origin(tmp_path: Path) -> None:
    status, _, errors = show(tmp_path, "", NETPLAN_AUDIT_FAIL_ON="x")
    assert status == 2
    assert "audit.fail-on (environment) = 'x'" in errors


def test_every_option_that_is_shown_can_be_set(tmp_path: Path) -> None:
    text = (
        'quiet = true\n[audit]\nas-of = 2017-07-01\nselect = "address,price"\n'
        '[price.traffic]\nfrom = "us-central1"\n[config.show]\njson = false\n'
    )
    status, shown, errors = show(tmp_path, text)
    assert status == 0, errors
    settings = {line.split()[0]: line.split(maxsplit=1)[1] for line in shown.splitlines()}
    assert settings["audit.as-of"] == "2017-07-01  (netplan.toml)"
    assert settings["price.traffic.from"] == "us-central1  (netplan.toml)"
    config = str(tmp_path / "netplan.toml")
    to = ["price", "traffic", "--to", "europe-west1", "--gib", "1"]
    assert "from us-central1" in run_verbs(arguments=["--config", config, *to]).stdout
    named = run_verbs(arguments=to, NETPLAN_PRICE_TRAFFIC_FROM="us-east1")
    assert "from us-east1" in named.stdout
    audited = run_verbs(
        arguments=["--config", config, "audit", "--demo", "gecko", "--fail-on", "never"]
    )
    assert "limits of 2017-07-01" in audited.stdout
    assert "egress-cap-undersized" not in audited.stdout.partition("Not evaluated")[0]


def test_keys_may_be_written_as_options_or_as_parameters(tmp_path: Path) -> None:
    for key in ("fail-on", "fail_on"):
        status, shown, _ = show(tmp_path, f'[audit]\n{key} = "low"\n[recommend]\nvcpus = 4\n')
        assert status == 0
        settings = {line.split()[0]: line.split(maxsplit=1)[1] for line in shown.splitlines()}
        assert settings["audit.fail-on"] == "low  (netplan.toml)"
        assert settings["recommend.vcpus"] == "4  (netplan.toml)"


def test_the_settings_are_data_too(tmp_path: Path) -> None:
    config = tmp_path / "netplan.toml"
    config.write_text('[audit]\nselect = ["address", "price"]\n', encoding="utf-8")
    words = ["--config", str(config), "config", "show"]
    done = run_verbs(arguments=[*words, "--output", "json"], NETPLAN_AUDIT_FAIL_ON="low")
    found = json.loads(done.stdout)
    assert found["schema"] == "netplan.settings/1"
    settings = {one["setting"]: (one["value"], one["origin"]) for one in found["settings"]}
    assert settings["audit.select"] == (["address", "price"], "netplan.toml")
    assert settings["audit.fail-on"] == ("low", "environment")
    assert settings["quiet"] == (False, "default")
    assert (
        run_verbs(arguments=[*words, "--json"], NETPLAN_AUDIT_FAIL_ON="low").stdout == done.stdout
    )


def test_each_variable_that_is_read_is_listed_with_what_it_sets() -> None:
    done = run_verbs(
        arguments=["config", "show", "--env", "--output", "csv"],
        NETPLAN_PRICES_REFRESH_API_KEY="secret",
    )
    listed = list(csv.DictReader(io.StringIO(done.stdout)))
    rows = {row["variable"]: row for row in listed}
    assert rows["NETPLAN_PRICE_TRAFFIC_FROM"]["sets"] == "netplan price traffic --from"
    assert rows["NETPLAN_QUIET"]["sets"] == "netplan --quiet"
    assert rows["NETPLAN_PRICES_REFRESH_API_KEY"]["is_given"] == "true"
    assert rows["CLOUDSDK_AUTH_DISABLE_CREDENTIALS"]["is_given"] == "false"
    assert "secret" not in done.stdout
    text = run_verbs(arguments=["config", "show", "--env"]).stdout
    assert [line.split()[0] for line in text.splitlines()] == [
        *("variable", *(row["variable"] for row in listed)),
    ]


def test_a_listed_variable_sets_its_option() -> None:
    text = run_verbs(arguments=["config", "show", "--env"]).stdout
    assert "NETPLAN_CAPS_SERIES " in text
    done = run_verbs(arguments=["caps", "--output", "csv"], NETPLAN_CAPS_SERIES="e2")
    types = {row["machine_type"] for row in csv.DictReader(io.StringIO(done.stdout))}
    assert {name.partition("-")[0] for name in types} == {"e2"}
