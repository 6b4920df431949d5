"""Plans of probes, their results and imports in every format."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from netplan_planner.model import Estimate
from netplan_planner.renderers import RenderOptions, render
from netplan_planner.verbs.probe.answer import ProbePlan
from netplan_planner.verbs.probe.results import MeasuredRun, MissedRuns, ProbeResults
from netplan_planner.verbs.probe.show_results import event_line
from support.probes import answers as probe_answers

Golden = Callable[[str, str], None]
PLAIN = RenderOptions()
ANSWERS = {
    "probe-plan": probe_answers.plan(),
    "probe-results": probe_answers.results(),
    "probe-import": probe_answers.imported(),
}
HOSTILE = "vm\x1b[31m\n\u202e<b>`x"


def rows(answer: object) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render(answer, "csv", PLAIN))))


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize(("form", "ending"), [("text", "txt"), ("json", "json"), ("md", "md")])
def test_golden(golden: Golden, name: str, form: str, ending: str) -> None:
    golden(f"{name}.{ending}", render(ANSWERS[name], form, PLAIN))


def test_a_plan_says_how_to_go_on_where_there_are_probes() -> None:
    silent = replace(PLAIN, has_hints=False)
    assert "Nothing was run" not in render(probe_answers.plan(), "text", silent)
    assert "netplan calibrate" not in render(probe_answers.imported(), "text", silent)
    assert "1 run of this plan is in" in render(probe_answers.plan(), "text", silent)
    # A plan without probes says so.
    empty = replace(probe_answers.plan(), probes=(), impacts=(), stored=None)
    text = render(empty, "text", PLAIN)
    assert "No probe is planned. The reasons are below." in text
    assert "Nothing was run" not in text
    assert json.loads(render(empty, "json", PLAIN))["store"] is None


def test_results_are_the_plan_s_document_and_stand_alone() -> None:
    planned = json.loads(render(probe_answers.plan(), "json", PLAIN))
    measured = json.loads(render(probe_answers.results(), "json", PLAIN))
    assert planned.pop("results") is None
    assert measured.pop("results")["is_complete"] is False
    assert planned == measured
    # Results stand alone below a plan that was written before.
    both = render(probe_answers.results(), "text", PLAIN)
    alone = render(probe_answers.results(), "text", replace(PLAIN, has_plan=False))
    plan = render(probe_answers.plan(), "text", replace(PLAIN, has_hints=False))
    # Labels of a plan move commands by a column.
    assert [line.strip() for line in both.splitlines()] == [
        line.strip() for line in f"{plan}\n{alone}".splitlines()
    ]


def test_rows_of_a_plan_are_ranked_or_say_why_not() -> None:
    found = rows(probe_answers.plan())
    assert [one["rank"] for one in found] == ["1", "2", "", ""]
    assert [one["left_out"] for one in found] == ["", "", "known", "limit"]
    assert [one["usd"] for one in found] == ["1.2", "", "0", "0"]
    assert [one["most_gib"] for one in found] == ["400", "200", "0", "0"]
    assert found[1]["reason"] == "no price from here to there"


def test_rows_of_results_are_directions() -> None:
    found = rows(probe_answers.results())
    assert [(one["sender"], one["way"]) for one in found] == [
        ("src", "forward"),
        ("dst", "reverse"),
        ("src", "forward"),
    ]
    assert [one["measured_gbps"] for one in found] == ["15.5", "3.5", "9"]
    assert [one["is_inside"] for one in found] == ["true", "false", "false"]
    assert [one["is_capped"] for one in found] == ["false", "false", "true"]
    assert (found[0]["least_gbps"], found[0]["most_gbps"]) == ("15", "16")


def test_rows_of_an_import_are_refusals() -> None:
    found = rows(probe_answers.imported())
    assert len(found) == 7
    assert [one["is_repeat"] for one in found[-2:]] == ["false", "true"]


def test_what_was_not_predicted_is_not_judged() -> None:
    first = probe_answers.results().flows[0]
    unknown = replace(first.flow, estimate=Estimate(gbps=None, unknown=("no machine type",)))
    answer = replace(probe_answers.results(), flows=(replace(first, flow=unknown),))
    assert "no prediction" in render(answer, "text", PLAIN)
    assert rows(answer)[0]["is_inside"] == ""
    assert rows(answer)[0]["reason"] == "no machine type"


def test_events_are_told_in_a_line() -> None:
    assert event_line(MeasuredRun(place="a/1-both/1", gbps=(1.5, 2.0))) == (
        "a/1-both/1: 1.5 Gbit/s and 2 Gbit/s"
    )
    failed = MissedRuns(what="a/1-both/1", reason="it broke off", is_one_run=True)
    assert event_line(failed) == "netplan: a/1-both/1: it broke off"
    left = MissedRuns(what="the rest", reason="no time")
    assert event_line(left) == "netplan: the rest is not used: no time"
    assert "\x1b" not in event_line(MissedRuns(what=HOSTILE, reason=HOSTILE))


def hostile(plan: ProbePlan) -> ProbeResults:
    planned = plan.probes[0]
    machine = replace(planned.probe.path.client, name=HOSTILE)
    probe = replace(planned.probe, path=replace(planned.probe.path, client=machine))
    named = replace(plan, title=HOSTILE, probes=(replace(planned, probe=probe),), notes=(HOSTILE,))
    missed = (MissedRuns(what=HOSTILE, reason=HOSTILE),)
    flows = tuple(replace(one, probe=probe) for one in probe_answers.results().flows)
    made = replace(probe_answers.results(), plan=named, missed=missed, flows=flows)
    return replace(made, store=HOSTILE)


@pytest.mark.parametrize("form", ["text", "json", "csv", "md", "html"])
def test_hostile_names_do_nothing(form: str) -> None:
    made = render(hostile(probe_answers.plan()), form, PLAIN)
    assert not {"\x1b", "\u202e"} & set(made)
    if form in {"md", "html"}:
        assert "<b>" not in made.replace("`` vm\\x1b[31m\\n\\u202e<b>`x ``", "")
    assert "netplan calibrate" not in made, "a command with such a name is not to be copied"
