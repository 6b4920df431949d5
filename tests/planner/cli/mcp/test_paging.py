"""Pages of answers: nothing is lost, none is longer than a context has room for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from netplan_planner.cli.mcp.paging import MOST_CHARACTERS, Pages, _size
from netplan_planner.errors import UsageError

VALUES = some.recursive(
    some.none() | some.integers() | some.text(max_size=60),
    lambda inner: (
        some.lists(inner, max_size=40)
        | some.dictionaries(some.text(min_size=1, max_size=8), inner, max_size=6)
    ),
    max_leaves=120,
)


def at(value: Any, path: str) -> Any:
    for step in path.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def completed(pages: Pages, made: dict[str, Any]) -> Any:
    """Return an answer with what every cursor leads to."""
    assert made["more_count"] == len(made["more"])
    whole = made["answer"]
    left = [*made["more"]]
    while left:
        cut = left.pop(0)
        cursor, values = cut["cursor"], at(whole, cut["path"])
        while cursor is not None:
            page = pages.page(cursor)
            assert (page["path"], page["first"], page["count"]) == (
                cut["path"],
                len(values),
                cut["count"],
            )
            assert page["items"]
            values += page["items"]
            left += page["more"]
            cursor = page["next_cursor"]
        assert len(values) == cut["count"]
    return whole


@given(some.dictionaries(some.sampled_from(["a/b", "c~d", "schema", "e"]), VALUES, max_size=4))
def test_cursors_lead_to_all_that_was_cut(answer: dict[str, Any]) -> None:
    pages = Pages()
    made = pages.first({"summary": "s"}, answer)
    if made["more_count"] == len(made["more"]):
        assert completed(pages, made) == answer


def test_a_long_answer_comes_in_pages_of_one_size() -> None:
    items = [
        {"name": f"vm-{one}", "parts": [[f"p{two}", two] for two in range(30)]}
        for one in range(500)
    ]
    answer = {"schema": "x/1", "totals": {"usd": 1.5}, "items": items, "names": ["a", "b"]}
    pages = Pages()
    made = pages.first({"summary": "s" * 5000}, answer)
    assert _size(made["answer"]) <= MOST_CHARACTERS
    assert (made["answer"]["totals"], made["answer"]["names"]) == ({"usd": 1.5}, ["a", "b"])
    first = made["more"][0]
    assert (first["path"], first["count"]) == ("/items", 500)
    page = pages.page(first["cursor"])
    assert _size(page) <= MOST_CHARACTERS + 500
    assert len(page["items"]) > 5
    assert completed(pages, made) == answer


def test_the_same_answer_has_the_same_cursor_and_old_ones_go() -> None:
    pages = Pages()
    answer = {"schema": "x/1", "items": ["word " * 20] * 1000}
    cursor = pages.first({}, answer)["more"][0]["cursor"]
    assert pages.first({}, answer)["more"][0]["cursor"] == cursor
    for one in range(40):
        pages.first({}, {"schema": "x/1", "n": one})
    with pytest.raises(UsageError, match="no such cursor"):
        pages.page(cursor)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "{}:0:",
        "{}:-1:/items",
        "{}:9:/items",
        "{}:0:/none",
        "{}:0:/items/0",
        "{}:0:/items/x/y",
    ],
)
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    pages = Pages()
    own = pages.first({}, {"schema": "x/1", "items": ["a" * 9000, "b" * 9000]})["more"][0][
        "cursor"
    ].partition(":")[0]
    with pytest.raises(UsageError, match="no such cursor"):
        pages.page(cursor.format(own))
