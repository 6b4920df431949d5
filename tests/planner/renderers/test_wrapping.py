from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from netplan_planner.renderers.document import Line, Role, fixed, line, plain, say
from netplan_planner.renderers.terminal import row_width, wrapped

SPANS = st.builds(
    say,
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.sampled_from(Role),
    glued=st.booleans(),
)
LINES = st.lists(SPANS, max_size=6).map(tuple)


def text_of(text: Line, width: int) -> list[str]:
    return ["".join(piece for piece, _ in row).rstrip() for row in wrapped(text, width)]


@given(LINES, st.integers(min_value=2, max_value=60))
def test_no_row_is_too_wide_and_no_letter_is_lost(text: Line, width: int) -> None:
    rows = wrapped(text, width)
    breakable = [row for row in rows if not any(role is Role.PLACE for _, role in row)]
    assert all(row_width(row) <= width for row in breakable)
    letters = "".join(piece for row in rows for piece, _ in row)
    assert letters.replace(" ", "") == plain(text).replace(" ", "")


def test_words_stay_whole_and_figures_with_their_unit() -> None:
    text = line("now ", fixed("1.6 Gbit/s"), " and then more")
    assert text_of(text, 12) == ["now", "1.6 Gbit/s", "and then", "more"]


def test_a_place_is_never_broken() -> None:
    place = say("a/path/to/some file.json:12", Role.PLACE, glued=True)
    text = line("at ", place, ": not JSON at all")
    assert text_of(text, 12) == ["at", "a/path/to/some file.json:12:", "not JSON at", "all"]


def test_a_figure_wider_than_the_row_breaks_at_its_space() -> None:
    assert text_of(line(fixed("1,000 Gbit/s")), 8) == ["1,000", "Gbit/s"]


def test_spans_without_a_space_between_are_one_word() -> None:
    assert text_of(line("aaa (", say("name", Role.NAME), ") b"), 8) == ["aaa", "(name) b"]


def test_a_long_name_is_folded() -> None:
    assert text_of(line("x" * 10), 4) == ["xxxx", "xxxx", "xx"]


def test_wide_letters_count_twice() -> None:
    rows = text_of(line("機械" * 5), 7)
    assert all(cell_len(row) <= 7 for row in rows)
    assert "".join(rows) == "機械" * 5
