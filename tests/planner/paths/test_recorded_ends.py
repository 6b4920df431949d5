"""What a record says of an end, against what the inventory has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import Certainty, OwnerKind, PathClass
from netplan_planner.paths import AddressKind, RecordedEnd, classify
from support.listed import listed
from support.projects.addresses import (
    at,
    book_of,
    network,
    network_link,
    nic,
    owner,
    placed,
    subnet,
    subnet_link,
    vm,
    who,
)

INTERNAL, EXTERNAL = AddressKind.INTERNAL, AddressKind.EXTERNAL

HERE = "us-central1-a"
SUBNET = subnet_link("default")
ONE = vm(
    "one",
    nic("10.0.0.1", external="34.67.1.1", alias=("10.8.0.0/24",), subnetwork=SUBNET),
    created=at(9),
    started=at(9),
)
BOOK = book_of(ONE, subnet("10.0.0.0/16"), network())


def test_a_named_machine_is_sure_at_any_time() -> None:
    for address in ("10.0.0.1", "34.67.1.1", "10.8.0.7"):
        ownerships = BOOK.resolve(RecordedEnd(address=address, project="p", vm="one", zone=HERE))
        assert ownerships is not None
        assert len(ownerships) == 1
        (ownership,) = ownerships
        assert ownership.since is None
        assert ownership.end.certainty is Certainty.RECORDED
        assert owner(ownership.end) == ("vm", "one")
        assert ownership.end.reported_by == (SUBNET,)


@listed(
    "address, address_kind, literal",
    [
        ("10.0.0.1", INTERNAL, None),
        ("10.8.0.7", INTERNAL, None),
        ("34.67.1.1", EXTERNAL, "34.67.1.1"),
        # An address that it had then: public means external.
        ("34.67.9.9", EXTERNAL, "34.67.9.9"),
        ("10.0.0.77", INTERNAL, None),
        ("172.20.0.1", INTERNAL, None),
        ("::ffff:34.67.9.9", EXTERNAL, "34.67.9.9"),
        ("2600:1900:4000::9", EXTERNAL, "2600:1900:4000::9"),
        ("fd20::9", INTERNAL, None),
    ],
)
def test_the_address_says_how_a_named_machine_was_met(
    address: str, address_kind: AddressKind, literal: str | None
) -> None:
    end = who(BOOK, address, project="p", vm="one", zone=HERE)
    assert (owner(end), end.address_kind, end.address) == (("vm", "one"), address_kind, literal)


def test_a_named_machine_at_its_alias_is_a_pod_on_a_gke_node_only() -> None:
    node = vm("gke-n", nic("10.0.0.2", alias=("10.8.1.0/24",)))
    book = book_of(ONE, node)
    assert who(book, "10.8.1.4", project="p", vm="gke-n").is_pod
    assert not who(book, "10.0.0.2", project="p", vm="gke-n").is_pod
    assert not who(book, "10.8.0.4", project="p", vm="one").is_pod


def test_a_public_address_in_an_own_subnetwork_is_internal() -> None:
    book = book_of(ONE, subnet("34.67.0.0/16"), network())
    end = who(book, "34.67.9.9", project="p", vm="one", network=network_link())
    assert end.address_kind is INTERNAL
    end = who(book, "34.67.9.9", project="p", vm="gone", zone=HERE, network=network_link())
    assert end.address_kind is INTERNAL


@pytest.mark.parametrize(
    ("address", "address_kind"),
    [("10.0.0.8", INTERNAL), ("34.67.8.8", EXTERNAL)],
)
def test_a_machine_of_ours_that_is_gone_keeps_its_name_and_place(
    address: str, address_kind: AddressKind
) -> None:
    end = who(
        BOOK,
        address,
        project="p",
        vm="gone",
        zone="us-central1-b",
        network=network_link(),
        subnetwork=SUBNET,
    )
    assert owner(end) == ("vm", "gone")
    assert end.owner.link == "projects/p/zones/us-central1-b/instances/gone"
    assert placed(end.owner) == ("us-central1-b", "us-central1")
    assert (end.owner.subnetwork, end.reported_by) == (SUBNET, (SUBNET,))
    assert (end.address_kind, end.certainty) == (address_kind, Certainty.RECORDED)
    path = classify(end, who(BOOK, "10.0.0.1"))
    way = "internal" if address_kind is INTERNAL else "external"
    assert path.path_class.value == f"inter-zone-{way}"


def test_a_project_that_was_read_and_has_no_machine_is_ours_all_the_same() -> None:
    book = book_of(ONE, read=("empty",))
    assert owner(who(book, "10.5.0.1", project="empty", vm="gone", zone=HERE)) == ("vm", "gone")
    other = who(book, "10.5.0.1", project="never-read", vm="gone", zone=HERE)
    assert owner(other) == ("other-project", "project never-read")


def test_other_projects_machines_are_one_owner_a_network_and_zone() -> None:
    theirs = [
        who(BOOK, f"10.5.0.{n}", project="q", vm=f"vm-{n}", zone=HERE, network=network_link("n"))
        for n in (1, 2)
    ]
    assert (theirs[0].owner, theirs[0].owner.key) == (theirs[1].owner, f"project:q/n/{HERE}")
    assert placed(theirs[0].owner) == (HERE, "us-central1")
    assert theirs[0].owner.link is None
    elsewhere = who(BOOK, "10.5.0.1", project="q", vm="vm-1", zone="us-east1-b")
    assert elsewhere.owner.key != theirs[0].owner.key
    one = who(BOOK, "10.0.0.1")
    assert classify(one, theirs[0]).path_class is PathClass.SAME_ZONE_INTERNAL
    assert classify(one, elsewhere).path_class is PathClass.INTER_REGION_INTERNAL
    nowhere = who(BOOK, "10.5.0.1", project="q", vm="vm-1")
    assert classify(one, nowhere).path_class is PathClass.UNKNOWN
    outside = who(BOOK, "34.67.5.5", project="q", vm="vm-1", zone=HERE)
    path = classify(one, outside)
    assert (path.path_class, path.dst_address) == (PathClass.SAME_ZONE_EXTERNAL, "34.67.5.5")


def test_one_name_in_two_projects_is_two_machines() -> None:
    theirs = vm("one", nic("10.5.0.1", network="n", host="q"), project="q", zone="us-east1-b")
    book = book_of(ONE, theirs)
    assert who(book, "10.5.0.1", project="q", vm="one").owner.project == "q"
    assert who(book, "10.0.0.1", project="p", vm="one").owner.project == "p"
    # Even at an address that the other one has: the record knows who sent.
    assert who(book, "10.5.0.1", project="p", vm="one", zone=HERE).owner.project == "p"


def test_one_name_in_two_zones_is_told_apart_by_zone_then_by_address() -> None:
    here, there = (
        vm("web", nic("10.0.0.1"), zone=HERE),
        vm("web", nic("10.0.0.2"), zone="us-central1-b"),
    )
    for book in (book_of(here, there), book_of(there, here)):
        for zone in (HERE, "us-central1-b"):
            end = who(book, "10.0.0.2", project="p", vm="web", zone=zone)
            assert end.owner.zone == zone
        assert who(book, "10.0.0.2", project="p", vm="web").owner.zone == "us-central1-b"
        # Neither has the address, and the record has no zone: which one it was is not known.
        end = who(book, "10.0.0.9", project="p", vm="web")
        assert (owner(end), placed(end.owner)) == (("vm", "web"), (None, None))
        assert classify(end, who(book, "10.0.0.1")).path_class is PathClass.UNKNOWN


def test_the_name_in_another_zone_is_another_machine() -> None:
    """It was deleted and made anew elsewhere: the flow went where the machine stood then."""
    book = book_of(vm("web", nic("10.0.0.1"), zone="us-central1-b"), ONE)
    end = who(book, "10.0.0.7", project="p", vm="web", zone="us-east1-c")
    assert end.owner.link == "projects/p/zones/us-east1-c/instances/web"
    assert classify(end, who(book, "10.0.0.1")).path_class is PathClass.INTER_REGION_INTERNAL


def test_a_name_without_a_project_names_nobody() -> None:
    assert who(BOOK, "10.0.0.1", vm="other").owner.name == "one"
    assert who(BOOK, "10.0.0.99", vm="one").owner.kind is OwnerKind.UNKNOWN
    assert who(BOOK, "10.0.0.1", project="q").owner.name == "one"


@listed(
    ("name", "found"),
    [
        ("one", ["p"]),
        ("p/us-central1-a/one", ["p"]),
        ("/p/us-central1-a/one/", ["p"]),
        ("projects/p/zones/us-central1-a/instances/one", ["p"]),
        (f"https://www.googleapis.com/compute/v1/{ONE.ref.self_link}", ["p"]),
        ("web", ["p", "p", "q"]),
        ("p/us-central1-a/web", ["p"]),
        ("q/us-central1-a/web", ["q"]),
        ("projects/p/us-central1-a", []),
        ("p/us-central1-c/one", []),
        ("nobody", []),
        ("", []),
        ("a/b", []),
    ],
)
def test_tables_name_machines_by_name_path_or_link(name: str, found: list[str]) -> None:
    here, there = vm("web", nic("10.1.0.1")), vm("web", nic("10.1.0.2"), zone="us-central1-b")
    book = book_of(ONE, here, there, vm("web", nic("10.1.0.3"), project="q"))
    assert sorted(i.project for i in book.instances_named(name)) == found


def test_a_table_meets_a_machine_at_its_first_address_of_the_kind() -> None:
    book = book_of()
    six = vm("six", nic(ipv6="fd20::6:0:0/96"), nic("10.0.0.6", external="34.67.6.6", name="nic1"))
    inside, outside = (book.end_of(six, is_external=kind) for kind in (False, True))
    assert (inside.address_kind, inside.is_ipv6, inside.address) == (INTERNAL, True, None)
    assert (outside.address_kind, outside.is_ipv6) == (EXTERNAL, False)
    assert outside.address == "34.67.6.6"
    bare = book.end_of(vm("bare"), is_external=True)
    assert (owner(bare), bare.address_kind, bare.address) == (("vm", "bare"), EXTERNAL, None)


def test_the_network_of_a_subnetwork_is_known_or_none() -> None:
    assert BOOK.network_of(SUBNET) == network_link()
    assert BOOK.network_of(subnet_link("never-read")) is None
    assert BOOK.network_of(None) is None


TEXTS = ["../../etc/passwd", "a/b/c", "=1+1", "\x1b[31mred\x1b[0m", "x" * 10_000, "<script>"]
TEXTS += ["projects/p/zones/us-central1-a/instances/one", "\ud800", "10.0.0.0/\u00b2"]
HOSTILE = st.one_of(st.sampled_from(TEXTS), st.text(max_size=20))


@given(st.sampled_from(["10.0.0.1", "34.67.1.1", "1.1.1.1", "10.9.9.9"]), HOSTILE, HOSTILE, HOSTILE)
def test_no_text_of_a_record_makes_it_another_machine(
    address: str, name: str, zone: str, net: str
) -> None:
    end = who(BOOK, address, project="p", vm=name, zone=zone, network=net)
    if name and not (name == "one" and zone in ("", HERE)):
        assert end.owner.key != ONE.ref.self_link
        assert end.owner.name == name
    other = who(BOOK, address, project=name or "q", vm=zone or "v", area=net, service=net)
    assert other.owner.kind in {OwnerKind.OTHER_PROJECT, OwnerKind.VM}


@given(HOSTILE, HOSTILE)
def test_hostile_names_and_ranges_of_an_inventory_are_kept_as_they_are(
    name: str, text: str
) -> None:
    book = book_of(
        vm(name, nic("10.7.0.1", external=text, alias=(text,), ipv6=text, external_ipv6=text)),
        subnet(text, secondary=(text,), ipv6=text, purpose="REGIONAL_MANAGED_PROXY"),
        ONE,
    )
    assert owner(who(book, "10.0.0.1")) == ("vm", "one")
    assert owner(who(book, "10.7.0.1")) == ("vm", name)
