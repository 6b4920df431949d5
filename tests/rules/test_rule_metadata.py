"""What every rule says of itself: names, sentences, sources, thresholds; none is left out."""

import ast
import json
import re
import string
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlparse

import pytest
from msgspec.structs import replace

import netplan_rules
from netplan_planner.errors import UsageError
from netplan_planner.judging.fixes import answer
from netplan_planner.model import Need
from netplan_planner.renderers.figures import shown
from netplan_rules import registry
from netplan_rules.base import STEPS, Check, Rule, Threshold
from support.commands.run import run_verbs
from support.listed import listed
from support.projects.shared_data import needs_shared, shared
from support.rules.facts import facts_of, machine
from support.rules.hits import hits_of_rule

PACKAGE = Path(netplan_rules.__file__).parent
FIXTURES = PACKAGE.parent / "fixtures"
CHECKS = registry.all_rules()
KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
HOSTS = {"cloud.google.com", "docs.cloud.google.com", "kubernetes.io"}

DUE = (
    "external-ip-intra-zone",
    "external-ip-intra-region",
    "external-ip-between-vpcs",
    "external-ip-inter-region",
    "own-lb-hairpin",
    "external-ipv6-internal-talk",
    "egress-cap-saturated",
    "egress-cap-undersized-for-target",
    "external-cap-saturated",
    "single-flow-limited",
    "shared-core-in-data-path",
    "tier1-missing",
    "tier1-unused",
    "tier1-ineffective",
    "chatty-inter-zone-pair",
    "cheaper-series",
    "chatty-inter-region-pair",
    "gvnic-missing",
    "vpc-mtu-mismatch",
    "idle-external-address",
    "needless-external-address",
    "traffic-price-unknown",
    "flow-logs-thin",
    "unmapped-peers",
    "stale-prices-or-caps",
)
"""The rules that the first release promises."""

each_rule = listed("check", CHECKS, ids=lambda c: str(c.rule.id))


SHARED = "shared"
"""The folder without rules: what rules of several areas ask."""


def test_every_promised_rule_exists() -> None:
    assert set(DUE) <= {check.rule.id for check in CHECKS}
    assert len(DUE) == len(set(DUE)) == 25


def test_the_registry_leaves_no_module_out() -> None:
    modules = {
        (path.parent.name, path.stem)
        for path in PACKAGE.glob("*/*.py")
        if not path.stem.startswith("_") and path.parent.name != SHARED
    }
    assert modules == {(c.area, c.rule.id.replace("-", "_")) for c in CHECKS}
    assert {area for area, _ in modules} == set(registry.AREAS)
    assert len(registry.AREAS) == len(set(registry.AREAS))
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == {*registry.AREAS, SHARED}
    assert not list(PACKAGE.glob("*/*/*.py")), "the registry does not look so deep"


def test_rules_stand_by_area_and_id() -> None:
    order = [(registry.AREAS.index(check.area), check.rule.id) for check in CHECKS]
    assert order == sorted(order)


@each_rule
def test_the_file_is_named_as_the_rule(check: Check) -> None:
    rule = check.rule
    assert KEBAB.fullmatch(rule.id)
    area, name = check.function.__module__.split(".")[-2:]
    assert (area, name) == (check.area, rule.id.replace("-", "_"))
    assert (PACKAGE / area / f"{name}.py").is_file()
    assert check.function.__name__ == "check"
    assert registry.find_rule(rule.id) is check


def test_names_and_aliases_do_not_collide() -> None:
    names = [check.rule.id for check in CHECKS]
    names += [alias for check in CHECKS for alias in check.rule.aliases]
    names += registry.AREAS
    assert [name for name, count in Counter(names).items() if count > 1] == []
    for check in CHECKS:
        for alias in check.rule.aliases:
            assert KEBAB.fullmatch(alias)
            assert registry.find_rule(alias) is check


NO_SEVERITY = {"queue-count-low": {"low"}, "latency-critical-split": {"critical"}}
"""Words of ids that say something else: a count is low, traffic is marked as critical."""


@each_rule
def test_an_id_carries_no_severity(check: Check) -> None:
    words = set(check.rule.id.split("-")) - NO_SEVERITY.get(check.rule.id, set())
    assert not words & {"high", "low", "medium", "info", "critical", "warning", "error"}


@each_rule
def test_the_title_is_a_phrase(check: Check) -> None:
    title = check.rule.title
    assert title == title.strip()
    assert title[0].isupper()
    assert not title.endswith((".", "!", ":"))
    assert "\n" not in title
    assert "|" not in title  # it stands in a table
    assert 10 <= len(title) <= 80


def test_titles_are_told_apart() -> None:
    assert len({check.rule.title for check in CHECKS}) == len(CHECKS)


SPELT_SMALL = ("gVNIC ", "f1-micro")
"""Names that begin a sentence and keep their small letter."""


@listed("field", ["rationale", "remediation", "guards"])
@each_rule
def test_texts_are_whole_sentences(check: Check, field: str) -> None:
    text: str = getattr(check.rule, field)
    assert text[0].isupper() or text.startswith(SPELT_SMALL)
    assert text.endswith(".")
    assert len(text) >= 20
    for broken in ("  ", " .", " ,", "\n", "..", "TODO", "XXX"):
        assert broken not in text


@listed("field", ["effort", "restart", "undo", "window"])
@each_rule
def test_what_it_takes_is_said(check: Check, field: str) -> None:
    text: str = getattr(check.rule.work, field)
    assert text[0].isupper()
    assert text.endswith(".")
    assert not set(text) & set("\n|")
    assert "  " not in text


@each_rule
def test_what_it_takes_agrees_with_the_fixes(check: Check) -> None:
    """A page that says that nothing stops or that nothing is to be undone holds for every fix."""
    work = check.rule.work
    for hit in hits_of_rule(check.rule.id):
        if hit.fix is None:
            continue
        steps = hit.fix, hit.fix.clean_up, hit.fix.undo
        commands = " ".join(text for step in steps if step for text in step.commands)
        if "instances stop" in commands:
            assert "VM" in work.restart
            assert not work.restart.startswith("N")
        if hit.fix.undo is not None:
            assert not work.undo.startswith("Nothing to undo")


@each_rule
def test_references_are_pages_of_google_or_kubernetes(check: Check) -> None:
    assert check.rule.references
    for url in check.rule.references:
        parts = urlparse(url)
        assert (parts.scheme, parts.hostname in HOSTS) == ("https", True), url
        assert len(parts.path) > 1
        assert re.fullmatch(r"https://[\w./#%-]+", url), "a line break or a blank slipped in"
    assert len(check.rule.references) == len(set(check.rule.references))


@each_rule
def test_since_is_a_version_that_exists(check: Check) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", check.rule.since)
    text = (PACKAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^version = "([\d.]+)"$', text, re.MULTILINE)
    assert found is not None
    since, now = ([int(n) for n in v.split(".")] for v in (check.rule.since, found[1]))
    assert since <= now


@each_rule
def test_a_rule_that_reads_traffic_or_prices_says_so(check: Check) -> None:
    """What the check does without, it must not need; what it cannot do without, it must."""
    assert check.rule.needs
    assert all(isinstance(need, Need) for need in check.rule.needs)
    source = Path(PACKAGE / check.area / f"{check.rule.id.replace('-', '_')}.py").read_text()
    if Need.FLOW_RECORDS in check.rule.needs:
        assert "facts.traffic" in source
    if Need.EXTERNAL_ADDRESSES in check.rule.needs:
        assert "addresses(facts)" in source
    if Need.SEVERAL_NETWORKS in check.rule.needs:
        assert "networks" in source


@each_rule
def test_a_rule_has_cases_which_say_what_they_show(check: Check) -> None:
    cases = list((FIXTURES / check.rule.id).glob("*.json"))
    assert {"bad", "good"} <= {path.stem.split("-")[0] for path in cases}
    for path in cases:
        assert len(json.loads(path.read_text(encoding="utf-8"))["about"]) >= 5, path.name


# Thresholds


def _thresholds() -> Iterator[tuple[Rule, Threshold]]:
    for check in CHECKS:
        for threshold in check.rule.thresholds:
            yield check.rule, threshold


each_threshold = listed(
    ("rule", "threshold"), list(_thresholds()), ids=lambda v: getattr(v, "id", None) or v.name
)


@each_threshold
def test_a_threshold_has_default_unit_and_meaning(rule: Rule, threshold: Threshold) -> None:
    assert SNAKE.fullmatch(threshold.name)
    assert isinstance(threshold.default, float)
    assert threshold.default >= 0
    assert threshold.unit
    assert len(threshold.about) >= 10
    assert not threshold.about.endswith(".")
    assert "|" not in threshold.about + threshold.unit
    if threshold.name.endswith("_ratio"):
        assert threshold.unit == "ratio"
    for ending, unit in (("_gbps", "Gbit/s"), ("_days", "days"), ("_hours", "hours")):
        if threshold.name.endswith(ending):
            assert threshold.unit == unit
    assert [t.name for t in rule.thresholds].count(threshold.name) == 1


@cache
def _shown() -> dict[str, tuple[str, str]]:
    done = run_verbs(arguments=["config", "show", "--json"])
    assert done.returncode == 0, done.stderr
    return {
        row["setting"]: (row["value"], row["origin"]) for row in json.loads(done.stdout)["settings"]
    }


@each_threshold
def test_a_threshold_is_shown_and_documented(rule: Rule, threshold: Threshold) -> None:
    default = f"{threshold.default:g}"
    assert _shown()[f"rules.{rule.id}.{threshold.name}"] == (
        f"{default} {threshold.unit}",
        "default",
    )
    cells = f"`{threshold.name}`", default, threshold.unit, threshold.allowed, threshold.about
    row = f"| {' | '.join(cells)} |"
    assert row in registry.page(registry.find_rule(rule.id))
    assert row in registry.reference()


def test_nothing_else_is_shown_of_rules() -> None:
    shown = {name for name in _shown() if re.fullmatch(r"rules\.[^.]+\.[^.]+", name)}
    assert shown == {f"rules.{rule.id}.{threshold.name}" for rule, threshold in _thresholds()}


@each_threshold
def test_a_threshold_can_be_changed(rule: Rule, threshold: Threshold) -> None:
    is_at_end = threshold.why_not(threshold.default + 0.125) != ""
    changed = threshold.default + (-0.125 if is_at_end else 0.125)
    given = dict.fromkeys([threshold.name], changed)
    for found_rule, name, value in registry.thresholds({rule.id: given}):
        if (found_rule, name) == (rule.id, threshold.name):
            assert value == changed
        else:
            declared = dict(registry.declared_thresholds())[found_rule]
            assert value == {t.name: t.default for t in declared}[name]


def test_a_threshold_of_another_rule_is_refused() -> None:
    with pytest.raises(UsageError, match="has no threshold 'p95_ratio'"):
        registry.thresholds({"flow-logs-thin": {"p95_ratio": 0.5}})
    with pytest.raises(UsageError, match="no rule is named"):
        registry.thresholds({"flow-logs-thick": {}})


def _asked() -> Iterator[tuple[str, str, str]]:
    """Yield (file, rule, name) of every threshold asked for; the rule is empty when a parameter."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if node.func.attr != "threshold" or len(node.args) != 2:
                continue
            rule, name = node.args
            own = path.stem.replace("_", "-") if ast.unparse(rule) == "RULE.id" else ""
            if isinstance(name, ast.Constant):
                yield path.name, own, str(name.value)
            else:
                # Chosen from a list in the file: its names stand there as texts.
                declared = registry.find_rule(own).rule.thresholds if own else STEPS
                yield from ((path.name, own, t.name) for t in declared if t.name in texts)


def test_checks_ask_for_declared_thresholds_and_for_all_of_them() -> None:
    declared = {(rule.id, threshold.name) for rule, threshold in _thresholds()}
    asked = list(_asked())
    assert len(asked) > 20
    for file, rule, name in asked:
        if rule:
            assert (rule, name) in declared, file
    steps = {step.name for step in STEPS}
    assert {name for _, name in declared} == {name for _, _, name in asked} - steps


# Selection


def test_areas_ids_and_aliases_select() -> None:
    assert registry.select_rules((), ()) == CHECKS
    for area in registry.AREAS:
        chosen = registry.select_rules((area,), ())
        assert chosen
        assert {check.area for check in chosen} == {area}
        assert set(chosen) | set(registry.select_rules((), (area,))) == set(CHECKS)
    for check in CHECKS:
        assert registry.select_rules((check.rule.id,), ()) == (check,)
        assert check not in registry.select_rules((), (check.rule.id,))
    with pytest.raises(UsageError, match="did you mean 'vpc-mtu-mismatch'"):
        registry.select_rules(("vpc-mtu-mismatchs",), ())


# What a group says


@each_rule
def test_the_sentence_of_a_group_has_its_figures(check: Check) -> None:
    """Each hit stands for two alike: the format string must find what it names."""
    rule = check.rule
    hits = hits_of_rule(rule.id)
    assert hits, "no bad case yields a hit"
    fields = {f for _, f, _, _ in string.Formatter().parse(rule.group_message) if f}
    for hit in hits:
        names = {item.name for item in hit.evidence}
        assert set(rule.summed) <= names
        known = names | {f"{n}_{kind}" for n in names for kind in ("rate", "money")} | {"count"}
        assert fields <= known
        twin = replace(hit, subject=f"{hit.subject} and another")
        (finding,) = answer(facts_of(machine("a")), [(rule, (hit, twin))]).findings
        assert len(finding.members) == 2
        assert "{" not in shown(finding.message)
        assert finding.message != hit.message


UNUSED = frozenset(
    {"idle-external-address", "nat-idle", "needless-external-address", "hub-spoke-idle"}
)
"""Rules whose fault is that nothing uses a thing."""


@each_rule
def test_fixes_say_how_to_verify_and_undo_them_and_take_away_nothing_in_use(check: Check) -> None:
    hits = hits_of_rule(check.rule.id)
    # Places are members: a finding for each of them would be a page of repeats.
    assert len({hit.cause for hit in hits}) <= 3
    for fix in (hit.fix for hit in hits if hit.fix is not None):
        assert fix.label, check.rule.id
        assert len(fix.label) <= 60
        changes = check.area in {"address", "capacity", "placement", "nic", "gateway"}
        if changes and fix.label not in {"more machines", "internal addresses first"}:
            assert fix.verify is not None or "legacy" in fix.label, check.rule.id
            assert fix.undo is not None or "legacy" in fix.label, check.rule.id
        # To delete is to clean up, unless the fault is that the thing is not used at all.
        if check.rule.id not in UNUSED:
            # An address of another tier takes the place of the one that goes.
            pairs = pairwise((*fix.commands, ""))
            gone = [
                one for one, then in pairs if "delete" in one and "add-access-config" not in then
            ]
            assert not gone, check.rule.id


# The catalogue


def _catalogue() -> dict[str, tuple[str, str]]:
    """Return area and severity of every rule that the catalogue plans."""
    letters = {"H": "high", "M": "medium", "L": "low", "I": "info"}
    area, found = "", {}
    for line in shared("rules.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            area = line[3:].partition(":")[0]
        row = [cell.strip() for cell in line.split("|")]
        if len(row) > 4 and row[1].startswith("`"):
            found[row[1].strip("`")] = (area, letters[row[4]])
    return found


MOVED = {"probe-not-comparable": "evidence"}
"""It says how good a measurement is, as the rules of that area do of other input; the catalogue has
it beside the rule on what is measured."""


ADDED = {
    "flow-logs-duplicated": ("evidence", "low"),
    "flow-logs-too-dear": ("evidence", "low"),
    "gke-topology-routing-off": ("kubernetes", "medium"),
    "mtu-pod-vpc-mismatch": ("kubernetes", "high"),
    "nat-idle": ("gateway", "low"),
    "hub-spoke-idle": ("gateway", "low"),
    "drops-at-saturation": ("capacity", "medium"),
}
"""What the catalogue has no rule for."""


@needs_shared
@each_rule
def test_area_and_severity_are_the_catalogues(check: Check) -> None:
    catalogue = _catalogue()
    assert len(catalogue) > 40
    names = (check.rule.id, *check.rule.aliases)
    known = {**catalogue, **ADDED}
    area, severity = next(known[name] for name in names if name in known)
    assert (check.area, check.rule.severity.value) == (MOVED.get(check.rule.id, area), severity)


def test_an_earlier_name_still_finds_its_rule_and_sets_its_thresholds() -> None:
    old = "newer-series-cheaper-faster"
    assert registry.find_rule(old).rule.id == "cheaper-series"
    set_by_old_name = registry.thresholds({old: {"min_saving_usd": 99.0}})
    assert ("cheaper-series", "min_saving_usd", 99.0) in set_by_old_name
