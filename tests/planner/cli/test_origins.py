"""Errors name the verb, the option and where its value came from; unknown variables are named."""

from pathlib import Path

import pytest

from support.commands.in_process import netplan
from support.commands.run import run_verbs

TRAFFIC = ["price", "traffic", "--from", "us-central1", "--to", "zone", "--gib", "1"]


def refused(*arguments: str, **environment: str) -> str:
    done = run_verbs(arguments=list(arguments), **environment)
    assert (done.returncode, done.stdout) == (2, "")
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "netplan.toml"
    path.write_text('[audit]\nfail-on = "x"\n[price.traffic]\narea = "usa"\n', encoding="utf-8")
    return path


@pytest.mark.parametrize("verb", [["audit"], ["recommend", "--vm", "x"], ["probe", "plan"]])
def test_the_verb_in_use_is_named(verb: list[str]) -> None:
    path = " ".join(word for word in verb if word.isalpha() and word != "x")
    assert refused(*verb).startswith(f"netplan: {path}: nothing to read: ")


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


def test_a_mistyped_variable_is_refused_and_a_foreign_one_noted() -> None:
    said = refused("caps", "n2-standard-8", NETPLAN_AUDIT_FAILON="high")
    assert "no variable is named NETPLAN_AUDIT_FAILON; near: NETPLAN_AUDIT_FAIL_ON" in said
    foreign = {"NETPLAN_PATH_OF_OTHERS": "x"}
    done = run_verbs(arguments=["caps", "n2-standard-8"], **foreign)
    assert done.returncode == 0
    assert "NETPLAN_PATH_OF_OTHERS is none of netplan's" in done.stderr
    quiet = run_verbs(arguments=["--quiet", "caps", "n2-standard-8"], **foreign)
    assert (quiet.returncode, quiet.stderr) == (0, "")


@pytest.mark.parametrize(
    "variable", ["NETPLAN_QUIET", "NETPLAN_AUDIT_SELECT", "NETPLAN_PRICE_TRAFFIC_FROM",
                 "NETPLAN_PROBE_STORE", "NETPLAN_TEST_DATA"]
)  # fmt: skip
def test_what_is_read_is_known(variable: str) -> None:
    value = "1" if variable.endswith("QUIET") else "x"
    done = run_verbs(arguments=["caps", "n2-standard-8"], **{variable: value})
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "variable", "value"),
    [
        ("audit --demo gecko", "NETPLAN_AUDIT_MEMORY_LIMIT", "abc"),
        ("audit", "NETPLAN_AUDIT_DEMO", "geko"),
        ("audit --demo gecko", "NETPLAN_AUDIT_PRICES", "/no/such"),
        ("audit", "NETPLAN_AUDIT_INVENTORY", "/no/such:/no/other"),
        ("audit --demo gecko", "NETPLAN_AUDIT_THREADS", "x"),
        ("audit --demo gecko", "NETPLAN_AUDIT_SELECT", "nothing-of-it"),
        ("caps", "NETPLAN_CAPS_SERIES", "n22"),
        ("caps", "NETPLAN_CONFIG", "/no/such"),
        ("caps", "NETPLAN_QUIET", "maybe"),
        ("recommend --gbps 3", "NETPLAN_RECOMMEND_REGION", "us-centrl1"),
        ("recommend", "NETPLAN_RECOMMEND_GBPS", "nan"),
    ],
)
def test_a_value_that_cannot_be_names_its_variable(
    words: str, variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    done = netplan(*words.split())
    assert done.status in {2, 3}
    assert f"from the variable {variable})" in " ".join(done.err.replace("│", " ").split())


@pytest.mark.parametrize("given", ["nan", "inf", "1e400", "-1", "abc"])
@pytest.mark.parametrize(
    "words",
    [
        "recommend --region us-central1 --gbps",
        "recommend --region us-central1 --gbps 1 --memory-gib",
        "price traffic --from us-central1 --to us-east1 --gib",
        "price machine n2-standard-2 --region us-central1 --hours",
        "probe plan --demo gecko --max-usd",
    ],
)
def test_what_is_no_quantity_is_said_alike(words: str, given: str) -> None:
    done = netplan(*words.split(), given)
    assert done.status == 2
    said = " ".join(done.err.replace("│", " ").split())
    shown = "inf" if given == "1e400" and "-usd" not in words else given
    assert f"'{shown}' is not a number from 0 to 1e+15" in said


def test_a_word_to_choose_is_answered_with_the_nearest() -> None:
    for words, near in (
        ("audit --demo geko", "did you mean gecko?"),
        ("audit --demo gecko --fail-on hgh", "did you mean high?"),
        ("caps --series n22", "did you mean n2?"),
        ("caps n2-standard-4 --cpu-platform Skylake", "did you mean Intel Skylake?"),
        ("price traffic --from us-central1 --to internet --area Eurpe --gib 1", "Europe"),
        ("price address --region us-central1 --use spt-vm", "did you mean spot-vm?"),
        ("predict n2-standard-8 --encryption wiregard", "did you mean wireguard?"),
    ):
        done = netplan(*words.split())
        assert done.status == 2, words
        assert near in " ".join(done.err.replace("│", " ").split()), words


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("[rules.egress-cap-saturated]\np95 = 0.8\n", "did you mean p95_ratio?"),
        ("[rules.egress-cap-saturatd]\np95_ratio = 0.8\n", "did you mean 'egress-cap-saturated'?"),
        ("[rules]\na = 1\n", "[rules.a] is a table of thresholds"),
        ("[severity]\nhigh_usd_per_month = -1\n", "is a number from 0 on"),
        ("[targets]\nx = 'fast'\n", "a rate above 0"),
    ],
)
@pytest.mark.parametrize("words", ["caps n2-standard-4", "config show", "audit --demo gecko"])
def test_a_file_is_judged_alike_by_every_verb(
    words: str, text: str, near: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.toml"
    file.write_text(text, encoding="utf-8")
    done = netplan("--config", str(file), *words.split())
    assert (done.status, done.out) == (2, "")
    assert f"{file}: " in done.err
    assert near in done.err
