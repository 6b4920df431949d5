"""Many globs at once answer as each by itself does, one after the other."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from netplan_planner.judging.suppressions import FirstGlob

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
def test_it_finds_the_glob_that_a_search_one_by_one_finds(
    globs: list[str], paths: list[str]
) -> None:
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


def test_a_path_is_held_against_the_globs_that_share_its_text_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
