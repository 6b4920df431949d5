from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.inert import escaped_json, inert, is_inert, scalars

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)


@given(ANY_TEXT, st.integers(min_value=30, max_value=200))
def test_result_is_printable_short_and_stays_as_it_is(text: str, length: int) -> None:
    shown = inert(text, length)
    assert shown.isprintable()
    assert len(shown) <= length
    assert inert(shown, length) == shown
    assert shown.encode() is not None


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=100))
def test_plain_text_is_not_touched(text: str) -> None:
    assert inert(text) == text
    assert is_inert(text)


def test_what_steers_a_terminal_is_shown() -> None:
    assert inert("\x1b]0;title\x07") == "\\x1b]0;title\\x07"
    assert inert("a\x9b31mb") == "a\\x9b31mb"
    assert inert("gpj\u202eexe") == "gpj\\u202eexe"
    assert inert("one\r\ntwo\tthree") == "one\\r\\ntwo\\tthree"
    assert inert("a\u200db\ufeff") == "a\\u200db\\ufeff"
    assert inert("\U000e0041") == "\\U000e0041"
    assert not is_inert("a\nb")


def test_ten_thousand_characters_are_told() -> None:
    shown = inert("a" * 5000 + "b" * 5000, 80)
    assert shown.startswith("aaa")
    assert shown.endswith("bbb")
    assert "(10,000 characters)" in shown
    assert len(shown) == 80


def test_escapes_do_not_make_a_text_longer_than_asked() -> None:
    shown = inert("\x1b" * 70, 80)
    assert len(shown) <= 80
    assert "(70 characters)" in shown


def test_stacked_marks_do_not_climb() -> None:
    shown = inert("a" + "\u0301" * 50 + "é")
    assert shown.count("\u0301") == 3
    assert shown.endswith("é")


def test_half_of_a_surrogate_pair_can_be_written() -> None:
    assert scalars("a\ud800b").encode() == "a\ufffdb".encode()


@given(ANY_TEXT)
def test_escaped_json_has_no_unprintable_character(text: str) -> None:
    document = escaped_json(scalars(text).replace("\n", ""))
    assert not [char for char in document if ord(char) >= 127 and not char.isprintable()]
