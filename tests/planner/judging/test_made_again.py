"""Changes of a plan that make a machine again, by commands where an image holds all of it."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.fixes import answer
from netplan_planner.verbs.audit.answer import script_steps
from netplan_rules.price.spot_candidate import check as spot
from netplan_rules.registry import find_rule
from support.rules.facts import facts_of, machine
from support.rules.judged import hits_of, paid

WORKER = machine("ant", labels=((model.ROLE_LABEL, "worker"),))
NESTED = replace(machine("bee"), has_nested_virtualization=True)


def verbs(change: model.PlannedChange) -> Sequence[str]:
    assert change.fix is not None
    return [" ".join(one.split()[2:4]) for one in change.fix.commands]


MADE_AGAIN = ["instances stop", "machine-images create", "instances create"]


def planned(facts: model.Facts, *hits: model.Hit, rule: str) -> model.OrderedFix:
    (fix,) = answer(facts, [(find_rule(rule).rule, hits)]).do_first
    return fix


def test_a_spot_machine_is_made_by_commands() -> None:
    facts = facts_of(WORKER)
    fix = planned(facts, *hits_of(spot, facts), rule="spot-candidate")
    (change,) = fix.changes
    assert verbs(change) == MADE_AGAIN
    assert change.fix is not None
    assert change.fix.commands[-1].endswith(
        "--provisioning-model=SPOT --instance-termination-action=STOP"
    )
    assert change.fix.undo is not None
    assert change.fix.undo.commands
    (step,) = script_steps([fix])
    assert not step.is_partial


@pytest.mark.parametrize("field", [{"local_ssd_count": 1}, {"created_by": "projects/p/mig"}])
def test_what_no_image_holds_is_made_by_hand(field: dict[str, object]) -> None:
    facts = facts_of(replace(WORKER, **field))
    (change,) = planned(facts, *hits_of(spot, facts), rule="spot-candidate").changes
    assert verbs(change) == []
    assert change.fix is not None
    assert "--provisioning-model=SPOT" in change.fix.text


def retype(one: model.Instance) -> model.Hit:
    change = model.Change(
        kind=model.ChangeKind.MACHINE_TYPE, target=one.ref.self_link, to="n2d-standard-8"
    )
    fix = model.Fix(text="Take n2d-standard-8.", caution="Look first.")
    return model.Hit(
        resources=(one.ref,),
        subject=one.name,
        message="",
        saving=paid("50"),
        fix=fix,
        change=change,
    )


def test_a_type_that_takes_a_new_machine_is_made_by_commands() -> None:
    (change,) = planned(facts_of(NESTED), retype(NESTED), rule="cheaper-series").changes
    assert verbs(change) == MADE_AGAIN
    assert change.fix is not None
    assert change.fix.commands[-1].endswith("--machine-type=n2d-standard-8")
    # Its least CPU platform is none of the new series: that is for whoever changes it.
    bound = replace(NESTED, min_cpu_platform="Intel Ice Lake")
    (change,) = planned(facts_of(bound), retype(bound), rule="cheaper-series").changes
    assert verbs(change) == []
