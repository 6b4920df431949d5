"""Each guard in a small world of its own, and every verb that proposes such a change asked."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import NetplanError
from netplan_planner.ledger import Ledger
from netplan_planner.ledger.guards import why_refused
from netplan_planner.machines import ties_of
from netplan_planner.machines.known import Known
from netplan_planner.planning.fleet.candidates import Candidates, Choices
from netplan_planner.verbs.fleet.inventory import needs_of
from netplan_planner.verbs.place.ask import PlaceChoices
from netplan_planner.verbs.place.inventory import asked_of
from netplan_planner.verbs.whatif.answer import WhatifChange, WhatifField
from netplan_planner.verbs.whatif.apply import apply
from netplan_rules.capacity.cheaper_series import check as cheaper_series
from netplan_rules.placement.chatty_inter_zone_pair import check as zone_moves
from netplan_rules.price.spot_candidate import check as spot
from support.resources import resource
from support.rules.facts import NETWORK, facts_of, holding, machine
from support.rules.judged import judged

HERE, THERE = "us-central1-a", "us-central1-b"
DB = machine("db", zone=HERE)
POLICY = model.SelfLink("projects/p/regions/us-central1/resourcePolicies/close")
Guarded = Callable[[model.Instance, model.Inventory], tuple[model.Instance, model.Inventory]]


def of_machine(**more: Any) -> Guarded:
    return lambda one, inventory: (replace(one, **more), inventory)


def of_inventory(**more: Any) -> Guarded:
    return lambda one, inventory: (one, replace(inventory, **more))


def disk(link: str, *users: str) -> model.Disk:
    links = tuple(model.SelfLink(f"projects/p/zones/{HERE}/instances/{user}") for user in users)
    return resource(
        model.Disk, link, project=model.ProjectId("p"), name="data", disk_type="pd-ssd", users=links
    )


COMPACT = resource(model.ResourcePolicy, POLICY, is_placement=True, is_compact=True)
ROUTE = resource(
    model.Route,
    "projects/p/global/routes/out",
    network=NETWORK,
    dest_range="0.0.0.0/0",
    next_hop="instance",
    next_hop_target=DB.ref.self_link,
)
STAYS: dict[str, Guarded] = {
    "managed": of_machine(
        created_by=model.SelfLink(f"projects/p/zones/{HERE}/instanceGroupManagers/g")
    ),
    "pin": of_machine(labels=(("netplan-pin", "here"),)),
    "role": of_machine(labels=(("netplan-role", "standby"),)),
    "reservation": of_machine(reservation="kept"),
    "sole tenant": of_machine(is_sole_tenant=True, has_known_nodes=True),
    "policy not read": of_machine(resource_policies=(POLICY,)),
    "compact policy": lambda one, inventory: (
        replace(one, resource_policies=(POLICY,)),
        replace(inventory, resource_policies=(COMPACT,)),
    ),
    "Local SSDs": of_machine(local_ssd_count=1),
    "GPUs": of_machine(gpu_count=1, gpu_type="nvidia-tesla-t4"),
    "unknown parts": of_machine(unknown_parts=(model.Part.GPUS,)),
    "regional disk": of_inventory(disks=(disk("projects/p/regions/us-central1/disks/d", "db"),)),
    "shared disk": of_inventory(disks=(disk(f"projects/p/zones/{HERE}/disks/d", "db", "web"),)),
    "next hop": of_inventory(routes=(ROUTE,)),
}
"""What keeps a machine in its zone (`machines.staying`)."""
TALK = (("db", "web", model.PathClass.INTER_ZONE_INTERNAL, 2.0),)


def world(guarded: Guarded | None, **more: Any) -> model.Facts:
    """Return a chatty pair of which one machine is guarded, in zones apart."""
    web = machine("web", zone=THERE, labels=(("netplan-pin", "there"),))
    facts = facts_of(replace(DB, **more), web, talk=TALK)
    if guarded is None:
        return facts
    one, *others = facts.inventory.instances
    changed, inventory = guarded(one, facts.inventory)
    return replace(facts, inventory=replace(inventory, instances=(changed, *others)))


def moves_in_audit(facts: model.Facts) -> set[model.SelfLink]:
    """Return the machines that the order of fixes moves, or a finding proposes to."""
    found = judged(facts, zone_moves)
    planned = [change for fix in found.do_first for change in fix.changes]
    return {link for one in planned if one.change for link in one.change.targets}


def pinned_in_place(facts: model.Facts) -> str:
    asked = asked_of(facts, "p", PlaceChoices())
    return next(one.pinned for one in asked.machines if one.name == "db")


def said_by_whatif(facts: model.Facts, field: str, to: str) -> str:
    """Return what is said of a change of the guarded machine: refused, or beside the answer."""
    change = WhatifChange(vms="db", field=WhatifField(field), to=to, source=f"--{field}")
    try:
        after = apply(facts, (change,), Known(facts.prices, facts.caps))
        return " ".join((*after.notes, *after.against))
    except NetplanError as refused:
        return str(refused)


def move(facts: model.Facts) -> model.Change:
    return model.Change(kind=model.ChangeKind.ZONE, target=DB.ref.self_link, to=THERE)


def test_without_a_guard_every_verb_moves_it() -> None:
    facts = world(None)
    assert moves_in_audit(facts) == {DB.ref.self_link}
    assert why_refused(Ledger(facts).state, move(facts)) == ""
    assert pinned_in_place(facts) == ""
    assert "recommends no move" not in said_by_whatif(facts, "zone", THERE)


@pytest.mark.parametrize("guarded", STAYS.values(), ids=STAYS)
def test_what_stays_is_moved_by_no_verb(guarded: Guarded) -> None:
    facts = world(guarded)
    assert DB.ref.self_link not in moves_in_audit(facts)
    assert why_refused(Ledger(facts).state, move(facts)).startswith("it cannot move: ")
    assert pinned_in_place(facts)
    said = said_by_whatif(facts, "zone", THERE)
    assert "netplan recommends no move of it: " in said or "db uses" in said or "db runs on" in said


ETCD: dict[str, Any] = {"labels": (("app", "etcd"),), "machine_type": "n2-standard-8"}
TEMPLATE = model.SelfLink("projects/p/global/instanceTemplates/etcd")
COPIES: dict[str, tuple[model.Instance, ...]] = {
    "names": (DB, machine("db-2", zone=THERE)),
    "letters in names": (
        machine("cassandra1a", zone=HERE),
        machine("cassandra1b", zone=THERE),
    ),
    "ends drawn by a group": (
        machine("kafka-4b5g", zone=HERE),
        machine("kafka-889d", zone=THERE),
    ),
    "role": (
        replace(DB, labels=(("netplan-role", "replica"),)),
        machine("other", zone=THERE, labels=(("netplan-role", "replica"),)),
    ),
    "template, label and type": (
        replace(DB, template=TEMPLATE, **ETCD),
        machine("omega", zone=THERE, template=TEMPLATE, **ETCD),
    ),
    "label, type and tags": (
        replace(DB, tags=("etcd",), **ETCD),
        machine("omega", zone=THERE, tags=("etcd",), **ETCD),
    ),
    "label, type and quorum": (
        replace(DB, **ETCD),
        machine("omega", zone=THERE, **ETCD),
        machine("sigma", zone="us-central1-c", **ETCD),
    ),
}
"""What makes machines copies (`machines.groups`, `machines.alike`): the first talks to `web`."""


@pytest.mark.parametrize("copies", COPIES.values(), ids=COPIES)
def test_no_verb_draws_copies_together(copies: tuple[model.Instance, ...]) -> None:
    one = copies[0]
    talk = ((one.name, "web", model.PathClass.INTER_ZONE_INTERNAL, 2.0),)
    web = machine("web", zone=THERE, labels=(("netplan-pin", "there"),))
    facts = facts_of(*copies, web, talk=talk)
    link = one.ref.self_link
    assert link not in moves_in_audit(facts)
    change = model.Change(kind=model.ChangeKind.ZONE, target=link, to=THERE)
    why = why_refused(Ledger(facts).state, change)
    assert "another copy" in why or "label netplan-role" in why
    asked = asked_of(facts, "p", PlaceChoices())
    assert {one.name: bool(one.group or one.pinned) for one in asked.machines}[one.name]
    asked_for = WhatifChange(vms=one.name, field=WhatifField.ZONE, to=THERE, source="--zone")
    (said,) = apply(facts, (asked_for,), Known(facts.prices, facts.caps)).against
    assert said == f"{one.name}: netplan recommends no move of it: {why}."


TYPED: dict[str, tuple[Guarded, str]] = {
    "reservation": (of_machine(reservation="kept"), "e2-standard-8"),
    "sole tenant": (of_machine(is_sole_tenant=True, has_known_nodes=True), "e2-standard-8"),
    "compact policy": (STAYS["compact policy"], "e2-standard-8"),
    "GPUs": (STAYS["GPUs"], "e2-standard-8"),
    "Local SSDs": (STAYS["Local SSDs"], "e2-standard-8"),
    "disks": (
        of_inventory(
            disks=(replace(disk(f"projects/p/zones/{HERE}/disks/d", "db"), disk_type="pd-ssd"),)
        ),
        "c4-standard-8",
    ),
}
"""What ties a machine to some types (`machines.become`), and one that it cannot become."""


def types_of(facts: model.Facts) -> set[str]:
    """Return the types that `recommend`, `forecast`, rules and `fleet` may give the machine."""
    one = facts.inventory.instances[0]
    shape = facts.shape(one.machine_type)
    assert shape is not None
    need = model.need_for_vm(one, 1.0, shape, ties=ties_of(facts.inventory, one, shape))
    plan = facts.machines.choose(need)
    return set() if isinstance(plan, model.Infeasible) else {c.machine_type for c in plan.ranked}


@pytest.mark.parametrize(("guarded", "other"), TYPED.values(), ids=TYPED)
def test_no_verb_names_a_type_that_takes_less(guarded: Guarded, other: str) -> None:
    free, facts = (
        world(None, machine_type="n2-standard-8"),
        world(guarded, machine_type="n2-standard-8"),
    )
    if other != "c4-standard-8":
        assert other in types_of(free)
        assert said_by_whatif(free, "machine-type", other) == ""
    assert other not in types_of(facts)
    assert "cannot become" in said_by_whatif(facts, "machine-type", other)
    changes = [c.change for fix in judged(facts, cheaper_series).do_first for c in fix.changes]
    assert not [c for c in changes if c and c.to == other and DB.ref.self_link in c.targets]
    needs, left = needs_of(facts, architecture=None, any_architecture=True, headroom_ratio=0.2)
    finder = Candidates(facts.prices, facts.caps, Choices())
    of_db = [found for one in needs if one.name == "db" for found in [finder.of(one)]]
    given = {
        one.machine.machine_type for found in of_db if isinstance(found, tuple) for one in found
    }
    assert other not in given
    assert of_db or "db" in [one.name for one in left]


@pytest.mark.parametrize(
    "kind", [model.ChangeKind.MACHINE_TYPE, model.ChangeKind.TIER_1, model.ChangeKind.SPOT]
)
def test_machines_of_sole_tenant_nodes_are_changed_by_no_advice(kind: model.ChangeKind) -> None:
    facts = world(STAYS["sole tenant"], machine_type="n2-standard-8")
    change = model.Change(kind=kind, target=DB.ref.self_link, to="n2-standard-32")
    assert "sole-tenant nodes" in why_refused(Ledger(facts).state, change)
    found = judged(facts, cheaper_series, spot)
    changes = [c.change for fix in found.do_first for c in fix.changes]
    assert not [one for one in changes if one and DB.ref.self_link in one.targets]
    needs, left = needs_of(facts, architecture=None, any_architecture=True, headroom_ratio=0.2)
    assert "db" not in [one.name for one in needs]
    assert "db" in [one.name for one in left]


MANAGER = model.SelfLink(f"projects/p/zones/{HERE}/instanceGroupManagers/g")


def of_a_group(*, is_stateful: bool) -> model.Facts:
    group = resource(
        model.InstanceGroup,
        MANAGER,
        is_managed=True,
        is_regional=False,
        location=HERE,
        is_stateful=is_stateful,
    )
    member = replace(DB, machine_type="n2-standard-8", created_by=MANAGER)
    return holding(facts_of(member), instance_groups=(group,))


@pytest.mark.parametrize("is_stateful", [False, True])
def test_machines_of_a_group_that_keeps_state_get_no_other_type(is_stateful: bool) -> None:
    facts = of_a_group(is_stateful=is_stateful)
    for kind in ("MACHINE_TYPE", "TIER_1", "NO_TIER_1", "SPOT"):
        change = model.Change(
            kind=model.ChangeKind[kind], target=DB.ref.self_link, to="n2-standard-32"
        )
        assert ("is stateful" in why_refused(Ledger(facts).state, change)) is is_stateful, kind
    found = judged(facts, cheaper_series)
    changes = [c.change for fix in found.do_first for c in fix.changes]
    assert any(one and DB.ref.self_link in one.targets for one in changes) is not is_stateful
    (finding,) = found.findings
    assert ("is stateful" in finding.overlap) is is_stateful
    needs, _ = needs_of(facts, architecture=None, any_architecture=True, headroom_ratio=0.2)
    (need,) = needs
    found_types = Candidates(facts.prices, facts.caps, Choices()).of(need)
    assert isinstance(found_types, tuple)
    names = {one.machine.machine_type for one in found_types}
    assert names == {"n2-standard-8"} or not is_stateful
    assert ("is stateful" in need.why_pinned) is is_stateful
    said = said_by_whatif(facts, "machine-type", "e2-standard-8")
    assert ("netplan recommends no change of it: its group g is stateful" in said) is is_stateful
