"""What keeps a machine of an inventory in its zone, and what has to follow it when it moves."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import InputError, UsageError
from netplan_planner.machines.groups import why_it_stays
from netplan_planner.verbs.place.ask import PlaceChoices
from netplan_planner.verbs.place.inventory import Ties, asked_of, offered_in
from support.resources import resource
from support.rules.facts import NETWORK, facts_of, machine

DB = machine("db")
INSIDE = DB.interfaces[0]


def with_inventory(
    change: Callable[[model.Inventory], model.Inventory], one: model.Instance = DB
) -> model.Facts:
    facts = facts_of(one, machine("web"))
    return replace(facts, inventory=change(facts.inventory))


def disk(link: str, *users: str) -> model.Disk:
    names = tuple(
        model.SelfLink(f"projects/p/zones/us-central1-a/instances/{user}") for user in users
    )
    return resource(
        model.Disk, link, project=model.ProjectId("p"), name="data", disk_type="pd-ssd", users=names
    )


ROUTE = resource(
    model.Route,
    "projects/p/global/routes/out",
    network=NETWORK,
    dest_range="0.0.0.0/0",
    next_hop="instance",
    next_hop_target=DB.ref.self_link,
)
SHARED = disk("projects/p/zones/us-central1-a/disks/data", "db", "web")
OWN = disk("projects/p/zones/us-central1-a/disks/data", "db")
REGIONAL = disk("projects/p/regions/us-central1/disks/data", "db")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda held: held, ""),
        (lambda held: replace(held, disks=(OWN,)), ""),
        (lambda held: replace(held, disks=(SHARED,)), "disks that other VMs also use"),
        (lambda held: replace(held, disks=(REGIONAL,)), "regional disks"),
        (lambda held: replace(held, routes=(ROUTE,)), "the next hop of a route"),
        (
            lambda held: replace(held, routes=(replace(ROUTE, next_hop_target="10.0.0.1"),)),
            "the next hop of a route",
        ),
    ],
)
def test_what_others_need_where_it_stands_keeps_it(
    change: Callable[[model.Inventory], model.Inventory], why: str
) -> None:
    found = why_it_stays(with_inventory(change), DB)
    assert found.startswith(why)
    assert bool(found) is bool(why)


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (replace(DB, gpu_count=1, gpu_type="nvidia-tesla-t4"), "attached GPUs"),
        (replace(DB, local_ssd_count=2), "Local SSDs"),
        (replace(DB, is_sole_tenant=True), "sole-tenant"),
        (replace(DB, reservation="r"), "a specific reservation"),
        (replace(DB, labels=(("netplan-pin", "us"),)), "label netplan-pin"),
        (
            replace(
                DB, resource_policies=(model.SelfLink("projects/p/regions/r/resourcePolicies/x"),)
            ),
            "a compact placement policy, or one that was not read",
        ),
        (
            replace(DB, created_by=model.SelfLink("projects/p/zones/z/instanceGroupManagers/g")),
            "members of managed groups",
        ),
    ],
)
def test_what_it_is_keeps_it(one: model.Instance, why: str) -> None:
    assert why_it_stays(facts_of(one), one).startswith(why)


def test_a_store_of_data_says_what_a_move_means_for_it() -> None:
    disks = tuple(disk(f"projects/p/zones/us-central1-a/disks/{n}", "db") for n in range(2))
    facts = with_inventory(lambda held: replace(held, disks=disks))
    (said,) = Ties(facts).what_breaks(DB)
    assert said.startswith("It may be a data store (it has 1 disk and its boot disk).")
    facts = with_inventory(lambda held: replace(held, disks=disks[:1]))
    assert Ties(facts).what_breaks(DB) == ()


def test_what_refers_to_it_has_to_follow() -> None:
    nic = model.NetworkInterface(
        name="nic0", network=NETWORK, internal_ipv4="10.0.0.9", external_ipv4="34.1.2.3"
    )
    one = replace(DB, interfaces=(nic,))
    group = resource(
        model.InstanceGroup,
        "projects/p/zones/us-central1-a/instanceGroups/shop",
        is_managed=False,
        is_regional=False,
        location="us-central1-a",
        members=(DB.ref.self_link,),
    )
    kept = resource(
        model.Address,
        "projects/p/regions/us-central1/addresses/db",
        address="10.0.0.9",
        is_external=False,
    )
    facts = with_inventory(
        lambda held: replace(held, instance_groups=(group,), addresses=(kept,)), one
    )
    said = Ties(facts).what_breaks(one)
    assert [text.split(" ", 3)[:3] for text in said] == [
        ["The", "instance", "group"],
        ["10.0.0.9", "is", "reserved"],
        ["34.1.2.3", "is", "ephemeral"],
    ]
    static = replace(kept, address="34.1.2.3", is_external=True)
    facts = with_inventory(lambda held: replace(held, addresses=(static,)), one)
    assert Ties(facts).what_breaks(one) == (
        "34.1.2.3 is reserved: remove it from the old VM for the new one.",
    )
    assert Ties(facts_of(DB)).what_breaks(DB) == ()


def test_a_type_is_offered_where_the_catalogue_says() -> None:
    facts = facts_of(DB)
    found = offered_in(facts, "n2-standard-8", "us-central1-a")
    assert found is not None
    assert {"us-central1-a", "us-central1-b"} <= found
    assert "us-central1-d" not in found


TALK = (("db", "web", model.PathClass.INTER_ZONE_INTERNAL, 0.1),)


def test_stopped_machines_are_left_out_and_others_keep_their_names() -> None:
    off = replace(machine("off"), status="TERMINATED")
    asked = asked_of(facts_of(DB, machine("web"), off, talk=TALK), "p", PlaceChoices())
    assert [one.name for one in asked.machines] == ["db", "web"]
    assert asked.machines[0].instance == DB


def test_what_no_zone_can_be_chosen_by_is_said() -> None:
    with pytest.raises(UsageError, match="zones are chosen by traffic"):
        asked_of(facts_of(DB), "p", PlaceChoices())
    with pytest.raises(InputError, match="no traffic between two VMs"):
        asked_of(facts_of(DB, talk=()), "p", PlaceChoices())
    with pytest.raises(UsageError, match="--between-regions is for tables"):
        asked_of(facts_of(DB, machine("web"), talk=TALK), "p", PlaceChoices(between_regions=True))
