"""Steps of changes to machines that a managed group made, and of those made again."""

import pytest

from netplan_planner.errors import NetplanError
from netplan_planner.machines.known import Known
from netplan_planner.model import Disk, Facts, InstanceGroup, ProjectId, SelfLink
from netplan_planner.model.plans.plan_answer import PlanChanges
from netplan_planner.renderers.figures import shown
from netplan_planner.verbs.whatif.answer import WhatifChange
from netplan_planner.verbs.whatif.apply import apply, apply_aimed
from netplan_planner.verbs.whatif.scenario import aimed
from netplan_planner.verbs.whatif.steps import changes_of
from support.resources import resource
from support.rules.facts import facts_of as made_of
from support.rules.facts import holding, machine
from support.whatif.projects import change, facts_of


def steps(facts: Facts, *changes: WhatifChange) -> PlanChanges:
    aims = aimed(facts, changes)
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
    # So has one of its machines: the template is that of all.
    found = steps(grouped(), change("transcoder-1", "machine-type", "n1-standard-8"))
    assert found.steps == (step,)
    # A part that moves has none and the reason is said.
    found = steps(grouped(), change("transcoder-1", "zone", "us-central1-b"))
    assert found.steps == ()
    assert "1 VM of 4 in the group g" in found.order
    # The network of a group waits for it.
    (step,) = steps(grouped(), change("transcoder-1", "mtu", "1500")).steps
    assert "(g)" in shown(step.fix.caution)
    assert not any("transcoder-1 " in text for text in step.fix.commands)


@pytest.mark.parametrize(
    ("field", "to"),
    [("machine-type", "n1-standard-8"), ("nic", "gvnic"), ("network-tier", "standard")],
)
def test_what_a_template_decides_is_changed_of_the_whole_group(field: str, to: str) -> None:
    facts = grouped()
    known = Known(facts.prices, facts.caps)
    member, group = (
        apply(facts, (change(vms, field, to),), known) for vms in ("transcoder-1", "group:g")
    )
    assert member.facts.inventory == group.facts.inventory
    changed = [
        new.name
        for old, new in zip(
            facts.inventory.instances, member.facts.inventory.instances, strict=True
        )
        if old != new
    ]
    assert changed == [f"transcoder-{number}" for number in range(1, 5)]
    said = "all 4 VMs of the group g share one template and change together"
    assert any(said in note for note in member.notes)
    assert not any(said in note for note in group.notes)


def test_two_types_for_members_of_one_group_contradict_each_other() -> None:
    facts = grouped()
    both = (
        change("transcoder-1", "machine-type", "n1-standard-8"),
        change("transcoder-2", "machine-type", "n1-standard-16"),
    )
    with pytest.raises(NetplanError, match="transcoder-1 gets machine-type"):
        aimed(facts, both)


def test_a_store_that_moves_says_what_that_means_for_its_data() -> None:
    facts = facts_of("gecko")
    link = next(one.ref.self_link for one in facts.inventory.instances if one.name == "ingest-1")
    disks = tuple(
        resource(Disk, f"{link}/{n}", project=ProjectId("p"), name=n, disk_type=None, users=(link,))
        for n in ("boot", "data")
    )
    cautions = [
        shown(steps(of, change("ingest-1", "zone", "us-central1-b")).steps[0].fix.caution)
        for of in (holding(facts, disks=disks), holding(facts, disks=disks[:1]))
    ]
    assert ["It may be a data store" in text for text in cautions] == [True, False]


@pytest.mark.parametrize(("zone", "is_far"), [("us-central1-b", False), ("europe-west1-b", True)])
def test_a_move_to_another_region_says_what_to_look_at(zone: str, is_far: bool) -> None:
    facts = made_of(machine("ant"), machine("bee"))
    caution = shown(steps(facts, change("ant", "zone", zone)).steps[0].fix.caution)
    for word in ("data residency", "latency to clients", "Cloud NAT", "quotas", "stay behind"):
        assert (word in caution) is is_far


def test_the_tier_of_an_address_comes_before_the_machine_has_another_name() -> None:
    facts = facts_of("gecko")
    found = steps(
        facts,
        change("transcoder-5", "network-tier", "standard"),
        change("transcoder-5", "nic", "virtio"),
    )
    assert [step.fix.label for step in found.steps] == ["STANDARD tier", "VirtIO"]
    assert "network-tier=STANDARD" in found.steps[1].fix.commands[-1]
