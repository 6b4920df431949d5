"""Who moves by a plan, from where, to where and to whom; a store of data stays where it can."""

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.move_steps import moved_subject, with_move
from netplan_planner.ledger.state import State
from netplan_planner.machines.stores import why_store
from netplan_planner.renderers.content.phrases import SUBJECT_LENGTH
from netplan_planner.renderers.document import plain
from netplan_planner.renderers.figures import shown
from netplan_planner.verbs.audit.answer import script_steps
from netplan_planner.verbs.audit.first import at_places
from netplan_rules.placement.chatty_inter_region_pair import check as region_moves
from netplan_rules.placement.chatty_inter_zone_pair import check as zone_moves
from netplan_rules.wording import FAR
from planner.ledger.test_account import router
from support.rules.facts import facts_of, holding, machine
from support.rules.judged import judged

A, B, C = (f"us-central1-{letter}" for letter in "abc")
TALK = model.PathClass.INTER_ZONE_INTERNAL


def on_port(facts: model.Facts, name: str, port: int) -> model.Facts:
    """Return facts in which what a machine receives goes to a port."""
    traffic = facts.traffic
    assert traffic is not None
    owner = next(n for n, one in enumerate(traffic.owners) if one.name == name)
    flow = model.TopFlow(byte_ratio=1.0, p95_gbps=1.0, active_minutes=60, protocol=6, dst_port=port)
    edges = tuple(replace(one, top_flow=flow) if one.dst == owner else one for one in traffic.edges)
    return replace(facts, traffic=replace(traffic, edges=edges))


def with_disks(facts: model.Facts, name: str, count: int) -> model.Facts:
    (link,) = (one.ref.self_link for one in facts.inventory.instances if one.name == name)
    disks = tuple(
        model.Disk(
            ref=model.ResourceRef(self_link=model.SelfLink(f"projects/p/zones/{B}/disks/{n}")),
            project=model.ProjectId("p"),
            name=str(n),
            disk_type="pd-ssd",
            users=(link,),
        )
        for n in range(count)
    )
    return holding(facts, disks=disks)


def pair(**zones: str) -> model.Facts:
    """Return two machines that talk both ways; by name alone the later one is moved."""
    one, other = (machine(name, zone=zone) for name, zone in zones.items())
    return facts_of(
        one, other, talk=((one.name, other.name, TALK, 1.0), (other.name, one.name, TALK, 1.0))
    )


def moves(facts: model.Facts) -> tuple[model.MachineMove, ...]:
    (fix,) = judged(facts, zone_moves).do_first
    return fix.changes[0].moves


def test_an_entry_says_who_moves_from_where_to_where_and_to_whom() -> None:
    (fix,) = judged(pair(ant=A, bee=B), zone_moves).do_first
    (move,) = fix.changes[0].moves
    assert move == model.MachineMove(machine="bee", from_zone=B, to_zone=A, peers=("ant",))
    assert fix.subject == f"bee ({B} → {A}, to ant)"
    (step,) = script_steps([fix])
    assert step.subject == fix.subject


def test_a_heading_has_room_for_all_of_a_move_of_many() -> None:
    """Cut in its middle, its text would name other places than JSON."""
    names = [f"worker-of-orders-{number}" for number in range(17)]
    peers = tuple(f"payments-{number}" for number in range(9))
    moves = [model.MachineMove(machine=name, from_zone=B, to_zone=A, peers=peers) for name in names]
    subject = moved_subject(moves)
    assert len(subject) <= SUBJECT_LENGTH
    assert subject == (
        "worker-of-orders-0, worker-of-orders-1, worker-of-orders-2 and 14 more"
        f" ({B} → {A}, to payments-0, payments-1 and 7 more)"
    )


@pytest.mark.parametrize(("port", "mover"), [(5432, "ant"), (9092, "ant"), (8080, "bee")])
def test_a_client_goes_to_its_store(port: int, mover: str) -> None:
    facts = on_port(pair(ant=A, bee=B), "bee", port)
    (move,) = moves(facts)
    assert (move.machine, move.data) == (mover, "")


def test_disks_beside_the_boot_disk_make_a_store() -> None:
    facts = pair(ant=A, bee=B)
    assert [one.machine for one in moves(with_disks(facts, "bee", 2))] == ["ant"]
    assert [one.machine for one in moves(with_disks(facts, "bee", 1))] == ["bee"]
    bee = facts.inventory.instances[-1]
    assert why_store(with_disks(facts, "bee", 3), bee) == "it has 2 disks and its boot disk"
    assert why_store(replace(facts, traffic=None), bee) == ""


def test_a_store_that_alone_can_move_says_what_its_data_means() -> None:
    facts = on_port(pair(ant=A, bee=B), "bee", 5432)
    pinned = replace(facts.inventory.instances[0], labels=((model.PIN_LABEL, "yes"),))
    facts = holding(facts, instances=(pinned, *facts.inventory.instances[1:]))
    (fix,) = judged(facts, zone_moves).do_first
    (change,) = fix.changes
    assert [(one.machine, one.data) for one in change.moves] == [
        ("bee", "it serves PostgreSQL (port 5432)")
    ]
    assert change.fix is not None
    assert "It may be a data store (it serves PostgreSQL" in shown(change.fix.caution)
    assert "not in the copy" in shown(change.fix.caution)


def test_every_move_of_an_entry_is_named() -> None:
    """A store in the middle: it stays, and whoever goes to it is named."""
    names = ("ant", "bee", "cow")
    talk = [
        (one, other, TALK, 0.5 if "cow" in (one, other) else 0.1)
        for one in names
        for other in names
        if one != other
    ]
    facts = facts_of(
        *(machine(name, zone=zone) for name, zone in zip(names, (A, B, C), strict=True)),
        talk=tuple(talk),
    )
    found = judged(on_port(facts, "cow", 3306), zone_moves)
    moved = [one for fix in found.do_first for change in fix.changes for one in change.moves]
    assert moved
    assert "cow" not in {one.machine for one in moved}
    assert {one.to_zone for one in moved} == {C}
    for fix in found.do_first:
        text = plain(at_places(fix))
        assert all(one.machine in text for change in fix.changes for one in change.moves)
        assert plain(at_places(fix, 0)).endswith(f" and {len(fix.changes)} more")


@pytest.mark.parametrize(("zone", "is_far"), [(B, False), ("europe-west1-b", True)])
def test_a_move_to_another_region_says_what_stays_and_the_gateway_there(
    zone: str, is_far: bool
) -> None:
    """Whichever rule proposes it: the caution is of the change."""
    gateways = (router("us-central1"), router("europe-west1"))
    facts = holding(facts_of(machine("ant", zone=A)), routers=gateways)
    (ant,) = facts.inventory.instances
    change = model.Change(kind=model.ChangeKind.ZONE, target=ant.ref.self_link, to=zone)
    said = str(with_move(model.Fix(text="Move it."), change, State(facts)).caution)
    assert ("Another region: check data residency" in said) is is_far
    assert (
        "In europe-west1 it reaches the internet through the Cloud NAT gateway nat" in said
    ) is is_far
    again = with_move(model.Fix(text="Move it.", caution=FAR), change, State(facts))
    assert str(again.caution).count("Another region:") == 1


def far_pair(*regions: str) -> model.Facts:
    """Return a VM without an external address beside one that stays, with gateways in regions."""
    ant = machine("ant", zone="us-east1-b")
    bee = machine("bee", zone=A, reservation="held")
    between = model.PathClass.INTER_REGION_INTERNAL
    facts = facts_of(ant, bee, talk=(("ant", "bee", between, 1.0), ("bee", "ant", between, 1.0)))
    return holding(facts, routers=tuple(map(router, regions)))


def test_a_finding_names_the_gateway_of_the_region_that_it_moves_to() -> None:
    (hit,) = region_moves(far_pair("us-east1", "us-central1"))
    assert isinstance(hit, model.Hit)
    assert hit.fix is not None
    assert "In us-central1 it reaches the internet through the Cloud NAT gateway" in str(
        hit.fix.caution
    )


def test_a_move_that_would_cut_off_is_told_with_its_reason() -> None:
    (gap,) = region_moves(far_pair("us-east1"))
    assert isinstance(gap, model.Gap)
    assert gap.reason == (
        "it is not moved to us-central1-a: its network has no Cloud NAT gateway in us-central1"
        " for its internet traffic"
    )
