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


def test_words_places_and_figures_stay_whole() -> None:
    text = line("now ", fixed("1.6 Gbit/s"), " and then more")
    assert text_of(text, 12) == ["now", "1.6 Gbit/s", "and then", "more"]
    # A place is never broken.
    place = say("a/path/to/some file.json:12", Role.PLACE, glued=True)
    text = line("at ", place, ": not JSON at all")
    assert text_of(text, 12) == ["at", "a/path/to/some file.json:12:", "not JSON at", "all"]
    # A figure wider than the row breaks at its space.
    assert text_of(line(fixed("1,000 Gbit/s")), 8) == ["1,000", "Gbit/s"]
    # Spans without a space between are one word.
    assert text_of(line("aaa (", say("name", Role.NAME), ") b"), 8) == ["aaa", "(name) b"]
    # A long name is folded.
    assert text_of(line("x" * 10), 4) == ["xxxx", "xxxx", "xx"]
    # Wide letters count twice.
    rows = text_of(line("機械" * 5), 7)
    assert all(cell_len(row) <= 7 for row in rows)
    assert "".join(rows) == "機械" * 5
