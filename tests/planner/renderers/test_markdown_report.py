import re
from collections.abc import Callable

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from netplan_planner.model import Severity
from netplan_planner.renderers import RenderOptions
from netplan_planner.renderers.markdown import code, escaped, render
from support.listed import listed
from support.reports import made as reports

OPTIONS = RenderOptions(rules=reports.RULES)
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "[click](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "@someone and @org/team see #12, GH-7 and https://evil.example or www.evil.example",
    "| a | b |",
    "`code` ``more`` ```",
    "**bold** _em_ ~~gone~~ $x^2$ :tada:",
    "# heading",
    "- item",
    "1. item",
    "> quote",
    "</details><script>",
    "<https://evil.example>",
    "\\",
    "a|b`c\\|d",
    "&lt;script&gt; &#64;me",
)
ACTIVE = {"link_open", "image", "html_inline", "html_block", "em_open", "s_open"}
PARSER = MarkdownIt("commonmark").enable("table").enable("strikethrough")


def token_types(text: str) -> set[str]:
    found = set()
    for token in PARSER.parse(text):
        found.add(token.type)
        found |= {child.type for child in token.children or ()}
    return found


def shown_text(text: str) -> str:
    """What a reader sees of one paragraph."""
    inline = [token for token in PARSER.parse(text) if token.type == "inline"]
    return "".join(child.content for token in inline for child in token.children or ())


def test_golden(golden: Callable[[str, str], None]) -> None:
    golden("gecko.md", render(reports.gecko_report(), OPTIONS))


@listed("text", HOSTILE)
def test_hostile_text_is_inert_everywhere(text: str) -> None:
    made = render(reports.hostile_report(text), OPTIONS)
    assert not token_types(made) & ACTIVE
    outside = re.sub(r"(`+).*?\1", "", re.sub(r"(?ms)^(`{3,})sh$.*?^\1$", "", made))
    assert not re.search(r"@\w|(?<!&)#\w|://|\bwww\.|<|:tada:|GH-\d", outside)


@listed("text", HOSTILE)
def test_rows_keep_their_cells(text: str) -> None:
    made = PARSER.parse(render(reports.hostile_report(text), OPTIONS))
    tables: list[list[int]] = []
    for token in made:
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append(0)
        elif token.type in {"td_open", "th_open"}:
            tables[-1][-1] += 1
    # The bill, which has no titles, is a list.
    assert len(tables) == 8
    assert all(len(set(counts)) == 1 for counts in tables)


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=60))
def test_escaped_text_reads_as_it_was(text: str) -> None:
    made = f"word {escaped(text)} word"
    assert not token_types(made) & ACTIVE
    assert shown_text(made).replace("\u200b", "") == f"word {text} word"


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=60))
def test_a_code_span_reads_as_it_was(text: str) -> None:
    made = PARSER.parse(f"word {code(text)} word")
    children = next(token.children for token in made if token.type == "inline")
    spans = [child.content for child in children or () if child.type == "code_inline"]
    assert spans == [text]


@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_any_text_makes_a_document_of_the_same_shape(text: str) -> None:
    types = token_types(render(reports.hostile_report(f"x{text}"), OPTIONS))
    assert not types & ACTIVE
    assert {"table_open", "heading_open"} <= types


def test_a_command_cannot_end_its_block() -> None:
    found = reports.gecko_report().findings[3]
    assert found.fix is not None
    fix = msgspec.structs.replace(found.fix, commands=("echo a", "```", "echo `b`"))
    finding = msgspec.structs.replace(found, fix=fix, severity=Severity.HIGH)
    made = render(msgspec.structs.replace(reports.gecko_report(), findings=(finding,)), OPTIONS)
    blocks = [token.content for token in PARSER.parse(made) if token.type == "fence"]
    assert blocks == ["echo a\n```\necho `b`\n"]


def test_the_usual_report_fits_into_a_comment() -> None:
    made = render(reports.crowded_report(500, 50), OPTIONS)
    assert len(made) < 65_536
    assert "and 475 more findings" in made
