"""Lines of JSON pointers, held against a reading that keeps every line."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.readers.documents import pointer_lines
from support.listed import listed

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
KEYS = st.text(alphabet='ab/~"\\\n{}[]:,', max_size=4)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def printed(value: Any, pointer: str, line: int, lines: dict[str, int]) -> tuple[str, int]:
    """Return a value as text that begins on a line, and the line on which it ends."""
    lines[pointer] = line
    if isinstance(value, dict):
        rows = [(key, f"{json.dumps(key)}: ", inner) for key, inner in value.items()]
        opening, closing = "{}"
    elif isinstance(value, list):
        rows = [(str(index), "", inner) for index, inner in enumerate(value)]
        opening, closing = "[]"
    else:
        return json.dumps(value), line
    if not rows:
        return opening + closing, line
    parts = []
    for key, head, inner in rows:
        token = key.replace("~", "~0").replace("/", "~1")
        text, line = printed(inner, f"{pointer}/{token}", line + 1, lines)
        parts.append(head + text)
    return f"{opening}\n" + ",\n".join(parts) + f"\n{closing}", line + 1


@given(value=VALUES, before=st.integers(0, 3))
def test_every_pointer_has_the_line_of_its_value(value: Any, before: int) -> None:
    lines: dict[str, int] = {}
    text, _ = printed(value, "", before + 1, lines)
    text = "\n" * before + text
    assert pointer_lines(text, lines) == lines
    for pointer, line in lines.items():
        assert pointer_lines(text, [pointer, "/no/such/one"]) == {pointer: line}


def test_documents_one_after_another_are_found_by_their_first_line() -> None:
    text = '{"a":\n 1}\n{"a": 1,\n\n "b": [\n  2]}\n'
    assert pointer_lines(text, ["/b/0", "/a"], 3) == {"/a": 3, "/b/0": 6}
    assert pointer_lines(text, ["/a"]) == {"/a": 2}
    assert pointer_lines(text, ["/a"], 9) == {}


@listed(
    "text",
    ["", "   ", "{", '{"a"', '{"a": 1', '{"a" 1}', "[1,", "[" * 100_000, '{"c": }'],
)
def test_what_is_no_longer_json_has_no_line(text: str) -> None:
    assert pointer_lines(text, ["/b", "/9"]) == {}


def test_what_was_found_before_the_damage_holds() -> None:
    assert pointer_lines('[1,\n{"a": 2},\n{"a"', ["/1", "/2/a"]) == {"/1": 2}


def test_numbers_that_python_does_not_read_are_passed() -> None:
    text = f"[{'9' * 5000}, NaN,\n 1]"
    assert pointer_lines(text, ["/2"]) == {"/2": 2}
