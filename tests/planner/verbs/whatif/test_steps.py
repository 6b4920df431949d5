"""Steps of changes to machines that a managed group made, and of those made again."""

from netplan_planner.machines.known import Known
from netplan_planner.model import Facts, InstanceGroup, SelfLink
from netplan_planner.model.plans.plan_answer import PlanChanges
from netplan_planner.renderers.figures import shown
from netplan_planner.verbs.whatif.answer import WhatifChange
from netplan_planner.verbs.whatif.apply import apply_aimed
from netplan_planner.verbs.whatif.scenario import aimed
from netplan_planner.verbs.whatif.steps import changes_of
from support.resources import resource
from support.rules.facts import holding
from support.whatif.projects import change, facts_of


def steps(facts: Facts, *changes: WhatifChange) -> PlanChanges:
    aims = aimed(facts.inventory, changes)
    after = apply_aimed(facts, aims, Known(facts.prices, facts.caps))
    return changes_of(facts, after.facts, aims)


def grouped() -> Facts:
    """Return the sample whose transcoders 1 to 4 are of one managed group."""
    facts = facts_of("gecko")
    named = {f"transcoder-{number}" for number in range(1, 5)}
    members = tuple(one.ref.self_link for one in facts.inventory.instances if one.name in named)
    link = SelfLink("projects/gecko-demo/zones/us-central1-a/instanceGroupManagers/g")
    group = resource(
        InstanceGroup,
        link,
        is_managed=True,
        is_regional=False,
        location="us-central1-a",
        members=members,
    )
    return holding(facts, instance_groups=(group,))


def test_a_group_that_changes_alike_has_one_step() -> None:
    found = steps(grouped(), change("group:g", "machine-type", "n1-standard-8"))
    (step,) = found.steps
    assert step.subject == "g"
    assert any("rolling-action" in text for text in step.fix.commands)
    # A part of a group has none and the reason is said.
    found = steps(grouped(), change("transcoder-1", "machine-type", "n1-standard-8"))
    assert found.steps == ()
    assert "1 machine of the 4 of the group g" in found.order
    # The network of a group waits for it.
    (step,) = steps(grouped(), change("transcoder-1", "mtu", "1500")).steps
    assert "(g)" in shown(step.fix.caution)
    assert not any("transcoder-1 " in text for text in step.fix.commands)


def test_the_tier_of_an_address_comes_before_the_machine_has_another_name() -> None:
    facts = facts_of("gecko")
    found = steps(
        facts,
        change("transcoder-5", "network-tier", "standard"),
        change("transcoder-5", "nic", "virtio"),
    )
    assert [step.fix.label for step in found.steps] == ["STANDARD tier", "VirtIO"]
    assert "network-tier=STANDARD" in found.steps[1].fix.commands[-1]
