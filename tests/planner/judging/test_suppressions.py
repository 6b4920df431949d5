"""What is suppressed by files and labels, and globs that are found without a search."""

from collections.abc import Callable, Sequence
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from netplan_planner.errors import UsageError
from netplan_planner.judging.suppressions import FirstGlob, Suppressions, read_suppressions
from netplan_planner.model import Hit, ResourceRef, SelfLink
from netplan_rules.registry import find_rule
from support.rules.facts import facts_of, machine

CHECK = find_rule("external-ip-intra-zone")


def read(tmp_path: Path, text: str) -> Suppressions:
    path = tmp_path / ".netplan-ignore.toml"
    path.write_text(text, "utf-8")
    return read_suppressions(path, facts_of(machine("a")))


def hit_on(name: str) -> Hit:
    link = SelfLink(f"projects/p/zones/us-central1-a/instances/{name}")
    return Hit(resources=(ResourceRef(self_link=link),), subject=name, message="")


@pytest.mark.parametrize(
    ("entry", "covered"),
    [
        ('rule = "external-ip-intra-zone"', True),
        ('rule = "address"', True),
        ('rule = "capacity"', False),
        ('rule = "address"\nresource = "instances/a"', True),
        ('rule = "address"\nresource = "a"', True),
        ('rule = "address"\nresource = "instances/b*"', False),
        ('rule = "address"\nresource = "projects/p/*"', True),
    ],
)
def test_a_file_suppresses_by_rule_and_glob(tmp_path: Path, entry: str, covered: bool) -> None:
    wishes = read(tmp_path, f'[[ignore]]\n{entry}\nreason = "known"\n')
    found = wishes.find(CHECK, hit_on("a"))
    assert (found is not None) == covered
    if found is not None:
        assert found.reason == "known"
        assert found.source == ".netplan-ignore.toml: [[ignore]] 1"


def test_an_expired_entry_suppresses_nothing_and_is_listed(tmp_path: Path) -> None:
    text = '[[ignore]]\nrule = "address"\nreason = "until the move"\nexpires = {}\n'
    over = read(tmp_path, text.format("2026-11-19"))
    assert over.find(CHECK, hit_on("a")) is None
    assert [(e.rule, e.expires) for e in over.expired] == [("address", date(2026, 11, 19))]
    last_day = read(tmp_path, text.format("2026-11-20"))
    assert last_day.find(CHECK, hit_on("a")) is not None
    assert last_day.expired == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[[ignore]]\nrule = "address"\n', "'reason' is required"),
        ('[[ignore]]\nreason = "x"\n', "'rule' is required"),
        ('[[ignore]]\nrule = "addres"\nreason = "x"\n', "did you mean .*'idle-external-address'"),
        ('[[ignore]]\nrule = "address"\nreason = "x"\nuntil = 3\n', "unknown key 'until'"),
        ('[[ignore]]\nrule = "address"\nreason = "x"\nexpires = "2026-01-01"\n', "must be a date"),
        (
            '[[ignore]]\nrule = "address"\nreason = "x"\nexpires = 2026-01-01T10:00:00\n',
            "must be a date",
        ),
        (
            '[[ignore]]\nrule = "address"\nreason = "x"\nresource = true\n',
            "'resource' must be text",
        ),
        ('[ignore]\nrule = "address"\n', r"\[\[ignore\]\] tables"),
        ("[[ignore]\n", "not valid TOML"),
    ],
)
def test_a_wrong_file_says_where_and_what(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read(tmp_path, text)


def test_labels_suppress_on_their_own_machine_until_their_day() -> None:
    labels = (("netplan-ignore", "external-ip-intra-zone_capacity"),)
    facts = facts_of(machine("a", labels=labels), machine("b"))
    wishes = read_suppressions(None, facts)
    assert wishes.find(CHECK, hit_on("a")) is not None
    assert wishes.find(find_rule("egress-cap-saturated"), hit_on("a")) is not None
    assert wishes.find(CHECK, hit_on("b")) is None
    # A label ends on its date.
    until = (("netplan-ignore", "address"), ("netplan-ignore-until", "2026-11-19"))
    wishes = read_suppressions(None, facts_of(machine("a", labels=until)))
    assert wishes.find(CHECK, hit_on("a")) is None
    assert len(wishes.expired) == 1


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ((("netplan-ignore", "no-such-rule"),), "no rule is named"),
        ((("netplan-ignore", "address"), ("netplan-ignore-until", "soon")), "not a date"),
    ],
)
def test_an_odd_label_suppresses_nothing(labels: tuple[tuple[str, str], ...], says: str) -> None:
    wishes = read_suppressions(None, facts_of(machine("a", labels=labels)))
    assert wishes.find(CHECK, hit_on("a")) is None
    assert any(says in note for note in wishes.notes)


ALPHABET = "ab-A/*?[]!^\\.|&~\n(é 0"
TEXTS = st.text(ALPHABET, max_size=12)
NAMES = st.sampled_from(("instances/", "projects/p/", "vm-0001", "zones/us-central1-a/", "*", "?"))
GLOBS = st.one_of(TEXTS, st.lists(st.one_of(TEXTS, NAMES), max_size=4).map("".join))
PATHS = st.one_of(
    TEXTS,
    st.text("ab-/", max_size=12),
    st.lists(st.one_of(st.text("ab-/0", max_size=3), NAMES), max_size=4).map("".join),
)


def one_by_one(globs: Sequence[str], path: str) -> int | None:
    for number, glob in enumerate(globs):
        if glob == "*" or fnmatchcase(path, glob) or fnmatchcase(path, f"*/{glob}"):
            return number
    return None


@given(st.lists(GLOBS, max_size=8), st.lists(PATHS, max_size=4))
@example(["[!]", "[]", "[]]", "[!]]", "[a", "a]", "[*]", "[b-a]", "[]-a]", ""], ["[!]", "]", "*/"])
@example(["*/a*b", "a[/]b", "A", "a\nb", "**", "?*"], ["x/ab", "a/b", "a", "c/a\nb", "", "/"])
@example(["b*", "b", "*", "b"], ["x/b", "b/x", "y"])
def test_it_finds_the_glob_that_a_search_finds(globs: list[str], paths: list[str]) -> None:
    found = FirstGlob(globs)
    for path in paths:
        assert found.find(path) == one_by_one(globs, path)
        assert found.find(path) == one_by_one(globs, path)


@given(st.data())
def test_globs_made_of_the_path_itself_are_found(data: st.DataObject) -> None:
    path = data.draw(st.text("ab-/0", min_size=1, max_size=24))
    parts = st.tuples(st.integers(0, len(path)), st.sampled_from(("*", "?", "[!x]", "")))

    def cut(one: tuple[int, str]) -> str:
        return path[: one[0]] + one[1] + path[one[0] + (one[1] not in {"", "*"}) :]

    globs = data.draw(st.lists(parts.map(cut), max_size=6))
    assert FirstGlob(globs).find(path) == one_by_one(globs, path)


def test_a_path_is_held_to_globs_that_share_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    matcher = FirstGlob._matcher

    def counting(self: FirstGlob, number: int, glob: str) -> Callable[[str], object]:
        compared.append(glob)
        return matcher(self, number, glob)

    monkeypatch.setattr(FirstGlob, "_matcher", counting)
    globs = [f"projects/a-long-name/zones/*/instances/vm-{n:05}" for n in range(10_000)]
    found = FirstGlob(globs)
    asked = range(0, 10_000, 100)
    for n in asked:
        assert found.find(f"projects/a-long-name/zones/us-east1-b/instances/vm-{n:05}") == n
    assert compared == [globs[n] for n in asked]
