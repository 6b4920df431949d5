"""The steps of a plan by themselves: a script for a shell, and a list for Terraform."""

import inspect
import json
import subprocess
from pathlib import Path
from typing import get_type_hints

from jsonschema import Draft202012Validator
from msgspec.structs import replace

from netplan_planner.model import Value, Zone
from netplan_planner.model.plans.plan_answer import PlanChanges
from netplan_planner.planning.steps import in_order
from netplan_planner.planning.steps.by_image import move_to_zone
from netplan_planner.planning.steps.machine_changes import change_type
from netplan_planner.renderers import commands, terraform_changes
from netplan_planner.renderers.content import modules_by_kind
from netplan_planner.renderers.content.plans import changes as shown
from netplan_planner.renderers.document import Block, Command, Para
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.output import PLAN_FORMATS, PLANS, renderers_of
from support.rules.facts import machine

SCHEMA = Path(__file__).parents[3] / "docs/schemas/netplan.terraform-changes/1.json"


class Plan(Value, frozen=True, kw_only=True):
    """An answer that is a plan."""

    changes: PlanChanges


WEB = machine("web")
PLAN = Plan(
    changes=in_order(
        (
            change_type(WEB, "n2-standard-4"),
            move_to_zone(machine("db; rm -rf x"), Zone("us-central1-b")),
        ),
        "The cheapest first.\nReally.",
    )
)
NONE = Plan(changes=PlanChanges())
HOSTILE = Plan(
    changes=in_order(
        (
            change_type(machine("db\n; rm -rf x"), "n2-standard-4"),
            change_type(machine("red\x1b[31m"), "n2-standard-4"),
            change_type(machine("x" * 5000), "n2-standard-4"),
        ),
        "",
    )
)


def test_the_script_is_one_that_a_shell_reads(tmp_path: Path) -> None:
    path = tmp_path / "plan.sh"
    path.write_text(commands.render(PLAN, RenderOptions()), "utf-8")
    done = subprocess.run(["sh", "-n", str(path)], capture_output=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (0, b"")
    # It runs changes alone in their order.
    # What verifies, cleans up and undoes is for people to look at; a name starts no line.
    lines = commands.render(PLAN, RenderOptions()).splitlines()
    run = [line for line in lines if line and not line.startswith("#")]
    assert run[0] == "set -eu"
    assert [line.split()[2:4] for line in run[1:]] == [
        ["instances", "stop"],
        ["instances", "set-machine-type"],
        ["instances", "start"],
        ["instances", "stop"],
        ["machine-images", "create"],
        ["instances", "create"],
    ]
    assert sum(line.startswith("# undo: ") for line in lines) == 2
    assert not any(line.startswith("; rm") for line in lines)
    # A script waits where its commands make a part of a step.
    step = change_type(WEB, "n2-standard-4")
    whole, part = (
        commands.render(
            Plan(changes=in_order((replace(step, is_partial=is_partial),), "")), RenderOptions()
        )
        for is_partial in (False, True)
    )
    assert "by_hand" not in whole
    assert part.index("gcloud") < part.index("by_hand 1\n")


def test_a_plan_without_changes_says_so() -> None:
    assert "# No changes are needed.\n" in commands.render(NONE, RenderOptions())
    assert json.loads(terraform_changes.render(NONE, RenderOptions()))["changes"] == []


def test_the_list_for_terraform_follows_its_schema() -> None:
    document = json.loads(terraform_changes.render(PLAN, RenderOptions()))
    Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(document)
    assert [(c["step"], c["attribute"], c["after"]) for c in document["changes"]] == [
        (1, "machine_type", "n2-standard-4"),
        (2, "zone", "us-central1-b"),
    ]
    assert [c["replaces"] for c in document["changes"]] == [False, True]


def texts(blocks: list[Block]) -> list[str]:
    """Return the commands among blocks."""
    return [block.text for block in blocks if isinstance(block, Command)]


def test_a_text_shows_the_first_step_and_says_where_the_others_are() -> None:
    some = list(shown(PLAN.changes, RenderOptions()))
    every = list(shown(PLAN.changes, RenderOptions(verbosity=1)))
    assert 0 < len(texts(some)) < len(texts(every))
    assert any("commands:FILE" in repr(one) for one in some if isinstance(one, Para))
    assert not any("commands:FILE" in repr(one) for one in every)
    assert list(shown(NONE.changes, RenderOptions())) == []


def test_every_answer_with_steps_can_be_written_as_them() -> None:
    with_steps = {kind for kind in modules_by_kind() if has_steps(kind)}
    assert with_steps == set(PLANS)
    for kind in PLANS:
        assert set(PLAN_FORMATS) <= set(renderers_of(kind))


def has_steps(kind: str) -> bool:
    """Return whether the answers of a kind have steps."""
    (answer,) = inspect.signature(modules_by_kind()[kind].table).parameters.values()
    return get_type_hints(answer.annotation).get("changes") is PlanChanges


def test_a_command_that_cannot_be_written_letter_by_letter_is_not_written() -> None:
    """Half a command is dangerous, and an escape sequence does something to a terminal."""
    script = commands.render(HOSTILE, RenderOptions())
    assert not any(line.startswith(("gcloud", "; rm")) for line in script.splitlines())
    assert script.count("so this step does nothing") == 3
    found = list(shown(HOSTILE.changes, RenderOptions(verbosity=1)))
    assert not any(isinstance(block, Command) for block in found)
    paras = [block for block in found if isinstance(block, Para) and block.is_inner]
    assert len(paras) == 9
