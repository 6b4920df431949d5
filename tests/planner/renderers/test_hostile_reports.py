import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netplan_planner.renderers import RENDERERS, ColourMode, RenderOptions, render
from support.listed import listed
from support.reports import made as reports

OPTIONS = RenderOptions(width=80, verbosity=1, rules=reports.RULES)
OWN_STYLE = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = (
    "\x1b[2J\x1b[31mred",
    "\x1b]8;;https://evil.example\x07click\x1b]8;;\x07",
    "\x9b31m\x90q\x9c",
    "[bold red]markup[/bold red] [/] [link=https://evil.example]x[/link]",
    "line one\nline two\rover\x08\x7f",
    "\u202egnp.exe\u2066",
    "=HYPERLINK(A1)",
    "<script>alert(1)</script>",
    "x" * 10_000,
    "\ud800",
    "e" + "\u0301" * 500,
    "",
    " ",
    "\x00",
)


@listed("name", RENDERERS)
@listed("text", HOSTILE)
def test_no_control_character_leaves_any_renderer(name: str, text: str) -> None:
    made = render(reports.hostile_report(text), name, OPTIONS)
    assert_harmless(made)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.characters(exclude_categories=()), max_size=50))
def test_any_text_is_harmless_and_data_stays_valid(text: str) -> None:
    report = reports.hostile_report(text)
    assert_harmless(render(report, "text", OPTIONS))
    for name in ("json", "sarif"):
        made = render(report, name, OPTIONS)
        assert_harmless(made)
        assert isinstance(json.loads(made), dict)


@listed("text", HOSTILE)
def test_colours_are_only_our_own(text: str) -> None:
    options = RenderOptions(width=80, colour=ColourMode.ALWAYS)
    assert_harmless(OWN_STYLE.sub("", render(reports.hostile_report(text), "text", options)))


def test_rich_markup_is_shown_as_letters() -> None:
    text = "[bold red]x[/bold red]"
    assert text in render(reports.hostile_report(text), "text", OPTIONS)


@pytest.mark.parametrize("name", ["text", "md"])
def test_long_names_are_shortened_with_their_length(name: str) -> None:
    made = render(reports.hostile_report("y" * 10_000), name, OPTIONS)
    assert "10,000 characters" in "".join(made.split("\n")).replace("  ", "")
    assert "y" * 1000 not in re.sub(r"\s", "", made)


def test_data_formats_keep_long_names() -> None:
    made = json.loads(render(reports.hostile_report("y" * 10_000), "json", OPTIONS))
    assert made["findings"][0]["subject"] == "y" * 10_000


@pytest.mark.parametrize("name", RENDERERS)
def test_the_same_report_gives_the_same_bytes(name: str) -> None:
    one = render(reports.gecko_report(), name, OPTIONS)
    assert one == render(reports.gecko_report(), name, OPTIONS)


def assert_harmless(text: str) -> None:
    assert "\x1b" not in text
    bad = {char for char in text if char != "\n" and not char.isprintable()}
    assert not bad
    assert text.encode().decode() == text
