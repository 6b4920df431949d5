"""Scores of the model in every format."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from netplan_planner.renderers import RenderOptions, render
from netplan_planner.verbs.model.answer import GroupScore
from support.probes import answers as probe_answers

PLAIN = RenderOptions()


@pytest.mark.parametrize(("form", "ending"), [("text", "txt"), ("json", "json"), ("md", "md")])
def test_golden(golden: Callable[[str, str], None], form: str, ending: str) -> None:
    golden(f"evaluation.{ending}", render(probe_answers.evaluation(), form, PLAIN))


def test_rows_for_pictures_are_in_no_data() -> None:
    found = json.loads(render(probe_answers.evaluation(), "json", PLAIN))
    assert found["schema"] == "netplan.evaluation/1"
    assert not {"name", "rows"} & found.keys()
    assert set(found["by_source"][0]) == set(GroupScore.__struct_fields__)


def test_every_group_is_a_row_by_what_it_is_grouped() -> None:
    text = render(probe_answers.evaluation(), "csv", PLAIN)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [one["grouped_by"] for one in rows] == [
        *("source", "source", "path", "path", "path_class", "machine_family")
    ]
    assert rows[0]["median_error_ratio"] == "0.05"
    assert rows[1]["median_error_ratio"] == "", "what is not known is not a number"


def test_where_no_group_has_a_prediction_there_is_no_table() -> None:
    unknown = replace(probe_answers.evaluation(), by_path_class=())
    only = replace(unknown, by_source=unknown.by_source[1:])
    text = render(only, "text", PLAIN)
    assert "By source\nunknown: 1 row of 1 other group\n" in text


@pytest.mark.parametrize("width", [60, 100, 160])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    found = probe_answers.evaluation()
    long = replace(found.by_source[0], group="a-campaign-with-a-long-name, sender gcp")
    text = render(replace(found, by_source=(long,)), "text", replace(PLAIN, width=width))
    assert max(map(len, text.splitlines())) <= width
    # Where the columns have room, the name gives way before the row is taken apart.
    assert ("rows 4 · known 4" in text) == (width < 100)
