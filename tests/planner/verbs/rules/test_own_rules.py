"""Rules of a team: written as files, loaded by folder and entry point, and those that fail."""

import json
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from netplan_rules import own
from netplan_rules.registry import all_rules
from support.commands.in_process import Done, netplan


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rules = tmp_path / "rules"
    done = netplan("rules", "new", "house/no-owner", "--rules-path", str(rules))
    assert done.status == 0, done.err
    return rules


def audit(folder: Path, *words: str) -> Done:
    return netplan("audit", "--rules-path", str(folder), "--output", "json", *words)


def rules_of(done: Done) -> list[str]:
    return [one["rule"] for one in json.loads(done.out)["findings"]]


def case(folder: Path, name: str) -> tuple[str, ...]:
    return ("--select", "no-owner", "--inventory", str(folder / f"fixtures/no-owner/{name}.json"))


def test_a_new_rule_works_as_it_is_written(folder: Path) -> None:
    assert rules_of(audit(folder, *case(folder, "bad"))) == ["no-owner"]
    assert rules_of(audit(folder, *case(folder, "good"))) == []
    page = netplan("rules", "no-owner", "--rules-path", str(folder))
    assert "A VM has no label owner" in page.out
    assert "area house" in page.out


def test_a_run_without_the_folder_has_none_of_its_rules(folder: Path) -> None:
    assert "no-owner" in rules_of(audit(folder, "--demo", "gecko", "--exit-zero"))
    plain = netplan("audit", "--demo", "gecko", "--exit-zero", "--output", "json")
    assert "no-owner" not in rules_of(plain)
    assert netplan("audit", "--demo", "gecko", "--select", "no-owner").status == 2


def test_its_area_selects_and_its_threshold_is_set(folder: Path) -> None:
    done = audit(folder, "--demo", "gecko", "--select", "house")
    assert rules_of(done) == ["no-owner"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import no_such_module\n", "ModuleNotFoundError"),
        ("def check(facts):\n    return ()\n", "decorate it with @RULE"),
        ("raise SystemError('at once')\n", "SystemError: at once"),
        ("syntax error\n", "SyntaxError"),
    ],
)
def test_a_rule_that_fails_is_named_and_the_rest_goes_on(
    folder: Path, text: str, said: str
) -> None:
    (folder / "house/broken.py").write_text(text)
    done = audit(folder, "--demo", "gecko", "--exit-zero")
    found = json.loads(done.out)
    assert "no-owner" in rules_of(done)
    (failed,) = [one for one in found["not_evaluated"] if one["rule"] == "house/broken"]
    assert failed["kind"] == "crashed"
    assert said in failed["reason"]
    assert "the rule house/broken crashed" in found["coverage"]["incomplete"]
    assert audit(folder, "--demo", "gecko", "--exit-zero", "--strict").status == 4


def test_each_verb_and_text_names_a_rule_that_fails(folder: Path) -> None:
    (folder / "house/broken.py").write_text("import no_such_module\n")
    own = ("--rules-path", str(folder))
    for form in ("concise", "github"):
        told = netplan("audit", "--demo", "gecko", "--exit-zero", *own, "--output", form).out
        assert "crashed: house/broken" in told.splitlines()[-1]
    done = netplan("whatif", "--demo", "gecko", "--growth", "2", *own)
    assert "the rule house/broken crashed" in done.out
    assert "house/broken: the rule could not be loaded" in netplan("rules", *own).err
    for words in (("rules", "broken"), ("audit", "--demo", "gecko", "--select", "broken")):
        done = netplan(*words, *own)
        assert done.status == 2
        assert "house/broken: the rule could not be loaded" in done.err
        assert "no rule is named" not in done.err


def test_a_rule_that_fails_when_it_judges_is_named(folder: Path) -> None:
    module = folder / "house/no_owner.py"
    module.write_text(module.read_text().replace("vm.label(", "vm.no_such("))
    done = audit(folder, "--demo", "gecko", "--exit-zero")
    crashed = [one for one in json.loads(done.out)["not_evaluated"] if one["kind"] == "crashed"]
    assert [one["rule"] for one in crashed] == ["no-owner"]
    assert "AttributeError" in crashed[0]["reason"]


def test_the_id_of_a_shipped_rule_is_taken(folder: Path) -> None:
    shipped = all_rules()[0].rule.id.replace("-", "_")
    for ending in (".py", ".toml"):
        text = (folder / f"house/no_owner{ending}").read_text()
        (folder / f"house/{shipped}{ending}").write_text(text)
    done = audit(folder, "--demo", "gecko", "--exit-zero")
    reasons = [one["reason"] for one in json.loads(done.out)["not_evaluated"]]
    assert "the rule has the id of one that ships, or of an earlier one" in reasons


def test_a_package_names_its_rules(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "__init__.py").write_text('"""Rules of a team."""\n')
    monkeypatch.syspath_prepend(str(folder.parent))
    points = (
        EntryPoint("team", "rules", own.GROUP),
        EntryPoint("lost", "no_such_package", own.GROUP),
    )
    monkeypatch.setattr(own, "entry_points", lambda group: points if group == own.GROUP else ())
    own._loaded.cache_clear()
    try:
        done = netplan("audit", "--demo", "gecko", "--exit-zero", "--output", "json")
    finally:
        own._loaded.cache_clear()
    assert "no-owner" in rules_of(done)
    lost = [one for one in json.loads(done.out)["not_evaluated"] if one["rule"] == "lost"]
    assert "ModuleNotFoundError" in lost[0]["reason"]


@pytest.mark.parametrize(
    ("words", "at"),
    [
        (("diff", "{good}", "{bad}"), "findings"),
        (
            ("whatif", "--inventory", "{bad}", "--vm", "vm-1", "--machine-type", "e2-small"),
            "findings",
        ),
        (("baseline", "--inventory", "{bad}", "--out", "{out}"), "findings"),
    ],
)
def test_every_verb_that_judges_knows_them(
    folder: Path, tmp_path: Path, words: tuple[str, ...], at: str
) -> None:
    cases = {name: str(folder / f"fixtures/no-owner/{name}.json") for name in ("good", "bad")}

    def said(out: str) -> list[str]:
        return [one.format(**cases, out=tmp_path / out) for one in words]

    config = tmp_path / "netplan.toml"
    config.write_text("[rules.no-owner]\n")
    own = ("--config", str(config), "--rules-path", str(folder), "-o", "json")
    done = netplan(*own[:2], *said("own.json"), *own[2:])
    assert done.status in {0, 1}, done.err
    assert "no-owner" in {one["rule"] for one in json.loads(done.out)[at]}
    plain = netplan(*said("plain.json"), "-o", "json")
    assert "no-owner" not in {one["rule"] for one in json.loads(plain.out)[at]}


def test_a_baseline_keeps_what_a_rule_that_is_not_loaded_found(
    folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "accepted.json"
    words = ("baseline", *case(folder, "bad")[2:], "--out", str(out), "-o", "json")
    assert netplan(*words, "--rules-path", str(folder)).status == 0
    done = json.loads(netplan(*words).out)
    assert [one["rule"] for one in done["findings"]] == ["no-owner"]
    assert (done["unjudged_count"], done["gone_count"]) == (1, 0)


def test_a_file_may_set_them_where_a_verb_does_not_load_them(folder: Path, tmp_path: Path) -> None:
    module = folder / "house/no_owner.py"
    threshold = "Threshold(name='least', default=1, unit='', about='Least.')"
    text = module.read_text().replace("work=Work(", f"thresholds=({threshold},), work=Work(")
    module.write_text(text.replace("import rule_of", "import Threshold, rule_of"))
    config = tmp_path / "netplan.toml"
    config.write_text("[rules.no-owner]\nleast = 2\n")
    given = ("--config", str(config))
    loaded = netplan(*given, "audit", *case(folder, "bad"), "--rules-path", str(folder))
    assert loaded.status == 0, loaded.err
    assert netplan(*given, "audit", "--demo", "gecko").status == 2
    other = netplan(*given, "caps", "n2-standard-8")
    assert other.status == 0, other.err
    assert "[rules.no-owner] not used: no rule that ships has this name" in other.err


def test_no_configuration_runs_code(folder: Path, tmp_path: Path) -> None:
    config = tmp_path / "netplan.toml"
    config.write_text(f"[audit]\nrules-path = [{str(folder)!r}]\n")
    done = netplan("--config", str(config), "audit", "--demo", "gecko")
    assert done.status == 2
    assert "rules-path runs code" in done.err


@pytest.mark.parametrize("name", ["house", "house/", "../x", "House/x", "house/a_b", "house/a/b"])
def test_another_name_is_refused(tmp_path: Path, name: str) -> None:
    done = netplan("rules", "new", name, "--rules-path", str(tmp_path / "rules"))
    assert done.status == 2
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over(folder: Path) -> None:
    module = folder / "house/no_owner.py"
    module.write_text("mine\n")
    done = netplan("rules", "new", "house/no-owner", "--rules-path", str(folder))
    assert done.status == 3
    assert module.read_text() == "mine\n"


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert audit(tmp_path / "none", "--demo", "gecko").status == 2


def test_the_example_of_the_guide_is_what_is_written(tmp_path: Path) -> None:
    example = Path(__file__).parents[4] / "docs/examples/team-rules"
    done = netplan("rules", "new", "house/no-owner", "--rules-path", str(tmp_path))
    assert done.status == 0, done.err
    written = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*.*")}
    kept = {p.relative_to(example): p.read_bytes() for p in example.rglob("*.*")}
    assert written
    assert {name: text for name, text in kept.items() if name.suffix != ".pyc"} == written


def test_of_two_own_rules_with_one_id_the_first_is_taken(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
        netplan("rules", "new", "house/no-owner", "--rules-path", str(folder))
    bad = folders[0] / "fixtures/no-owner/bad.json"
    paths = [word for folder in folders for word in ("--rules-path", str(folder))]
    told = netplan("audit", "--inventory", str(bad), *paths, "--select", "no-owner", "-o", "json")
    report = json.loads(told.out)
    assert [one["rule"] for one in report["findings"]] == ["no-owner"]
    assert "of an earlier one" in told.out
