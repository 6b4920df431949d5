"""One class for every flow: all combinations of ends against a table written by hand."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import Owner, OwnerKind, PathClass, ProjectId, Region, Zone, region_of
from netplan_planner.paths import AddressBook, AddressKind, FlowEnd, classify
from support.listed import listed
from support.projects.addresses import book_of, network, nic, vm, who

KINDS = (
    *("vm", "other-project", "place", "load-balancer", "nat", "google-api", "hybrid", "internet"),
    "none",
)
"""The columns of `TABLE`; `none` is an address that nobody owns."""

TABLE = {
    #                 vm  other place load-bal nat   api   hybrid inet  none
    "vm": "           .   .     .     lb       nat   api   hybrid net   ?",
    "other-project": ".   .     .     lb       nat   api   hybrid net   ?",
    "place": "        .   .     .     lb       nat   api   hybrid net   ?",
    "load-balancer": "lb  lb    lb    lb       lb    lb    hybrid lb    lb",
    "nat": "          nat nat   nat   lb       nat   nat   hybrid nat   nat",
    "google-api": "   api api   api   lb       nat   api   hybrid api   ?",
    "hybrid": "       hybrid hybrid hybrid hybrid hybrid hybrid hybrid hybrid hybrid",
    "internet": "     net net   net   lb       nat   api   hybrid net   ?",
    "none": "         ?   ?     ?     lb       nat   ?     hybrid ?     ?",
}
"""The class of two ends, `.` where both are machines: then `BETWEEN` decides."""

NAMES = {
    "lb": "load-balancer",
    "nat": "nat",
    "api": "google-apis",
    "hybrid": "hybrid",
    "net": "internet",
    "?": "unknown",
}

BETWEEN = {
    # (zones, external address, a pod): class
    (zones, *how): f"{distance}-{addresses}" if distance else "unknown"
    for zones, distance in (
        ("same zone", "same-zone"),
        ("inter zone", "inter-zone"),
        ("inter region", "inter-region"),
        ("no zone, same region", ""),
        ("no zone, inter region", "inter-region"),
        ("no place", ""),
    )
    for how, addresses in (
        ((False, False), "internal"),
        ((False, True), "internal-pod"),
        ((True, False), "external"),
        ((True, True), "external"),
    )
}

Place = tuple[str | None, str | None]

PLACES: dict[str, tuple[Place, Place]] = {
    "same zone": (("us-central1-a", "us-central1"), ("us-central1-a", "us-central1")),
    "inter zone": (("us-central1-a", "us-central1"), ("us-central1-b", "us-central1")),
    "inter region": (("us-central1-a", "us-central1"), ("europe-west1-b", "europe-west1")),
    "no zone, same region": (("us-central1-a", "us-central1"), (None, "us-central1")),
    "no zone, inter region": ((None, "us-central1"), ("europe-west1-b", "europe-west1")),
    "no place": (("us-central1-a", "us-central1"), (None, None)),
}

ENDS = list(product(KINDS, AddressKind, (False, True)))


def test_the_tables_are_complete() -> None:
    assert list(TABLE) == list(KINDS)
    assert len(KINDS) == len(OwnerKind)
    rows = {kind: row.split() for kind, row in TABLE.items()}
    for (n, one), (m, other) in product(enumerate(KINDS), repeat=2):
        assert rows[one][m] == rows[other][n]  # the class does not tell who opened the flow
    assert set(BETWEEN) == set(product(PLACES, (False, True), (False, True)))


def end(kind: str, address_kind: AddressKind, pod: bool, place: Place, name: str) -> FlowEnd:
    zone, region = place
    owner = Owner(
        kind=OwnerKind("unknown" if kind == "none" else kind),
        key=f"{kind}:{name}",
        name=name,
        project=ProjectId("p"),
        zone=None if zone is None else Zone(zone),
        region=None if region is None else Region(region),
    )
    return FlowEnd(
        owner=owner,
        address_kind=address_kind,
        is_pod=pod,
        address=f"literal of {name}" if address_kind is not AddressKind.INTERNAL else None,
        external_address=f"external of {name}" if address_kind is AddressKind.INTERNAL else None,
    )


def expected(src: FlowEnd, dst: FlowEnd, places: str) -> str:
    """Return the class that the tables give."""
    one, other = ("none" if e.owner.kind.value == "unknown" else e.owner.kind for e in (src, dst))
    said = TABLE[one].split()[KINDS.index(other)]
    if AddressKind.VIRTUAL in (src.address_kind, dst.address_kind) and said != "hybrid":
        return "load-balancer"
    if said != ".":
        return NAMES[said]
    external = AddressKind.EXTERNAL in (src.address_kind, dst.address_kind)
    return BETWEEN[places, external, src.is_pod or dst.is_pod]


@listed("places", PLACES)
@listed(("kind", "address_kind", "pod"), ENDS)
def test_every_combination_has_the_class_of_the_table(
    kind: str, address_kind: AddressKind, pod: bool, places: str
) -> None:
    here, there = PLACES[places]
    src = end(kind, address_kind, pod, here, "src")
    for other, other_kind, other_pod in ENDS:
        dst = end(other, other_kind, other_pod, there, "dst")
        path, back = classify(src, dst), classify(dst, src)
        ends = (kind, address_kind, other, other_kind)
        assert path.path_class.value == expected(src, dst, places), ends
        assert back.path_class is path.path_class
        if path.path_class.is_external_address:
            is_literal = other_kind is AddressKind.EXTERNAL
            assert path.dst_address == ("literal of dst" if is_literal else "external of dst")
        elif path.path_class is PathClass.LOAD_BALANCER:
            front = next((e for e in (dst, src) if e.address_kind is AddressKind.VIRTUAL), None)
            assert path.dst_address == (front.address if front else None)
        elif path.path_class is PathClass.NAT and other in ("vm", "other-project", "place"):
            is_literal = other_kind is AddressKind.EXTERNAL
            assert path.dst_address == ("literal of dst" if is_literal else "external of dst")
        else:
            assert path.dst_address is None


@pytest.mark.parametrize("kind", ["vm", "other-project", "place"])
def test_two_pods_on_one_machine_are_on_one_node(kind: str) -> None:
    """Another project's machines share an owner: that two of them are one is not known."""
    here = PLACES["same zone"][0]
    node = end(kind, AddressKind.INTERNAL, False, here, "node")
    pod = end(kind, AddressKind.INTERNAL, True, here, "node")
    wanted = PathClass.SAME_NODE_POD if kind == "vm" else PathClass.SAME_ZONE_INTERNAL_POD
    for src, dst in ((pod, pod), (pod, node), (node, pod)):
        assert classify(src, dst).path_class is wanted
    assert classify(node, node).path_class is PathClass.SAME_ZONE_INTERNAL
    outside = end(kind, AddressKind.EXTERNAL, False, here, "node")
    assert classify(pod, outside).path_class is PathClass.SAME_ZONE_EXTERNAL


def test_a_machine_behind_nat_meets_the_internet_through_it_and_nothing_else() -> None:
    here = PLACES["same zone"][0]
    plain = end("vm", AddressKind.INTERNAL, False, here, "vm")
    behind = FlowEnd(owner=plain.owner, is_behind_nat=True)
    wanted = {
        kind: classify(plain, end(kind, AddressKind.INTERNAL, False, here, "x")) for kind in KINDS
    }
    for kind in KINDS:
        other = end(kind, AddressKind.INTERNAL, False, here, "x")
        for path in (classify(behind, other), classify(other, behind)):
            if kind == "internet":
                assert path.path_class is PathClass.NAT
            else:
                assert path.path_class is wanted[kind].path_class


ANY_END = st.builds(
    FlowEnd,
    owner=st.builds(
        Owner,
        kind=st.sampled_from(OwnerKind),
        key=st.sampled_from(["a", "b"]),
        name=st.just("x"),
        zone=st.sampled_from([None, Zone("r-1-a"), Zone("r-1-b"), Zone("r-2-a")]),
        region=st.sampled_from([None, Region("r-1"), Region("r-2")]),
    ),
    address_kind=st.sampled_from(AddressKind),
    is_pod=st.booleans(),
    is_behind_nat=st.booleans(),
)


@given(ANY_END, ANY_END)
def test_exactly_one_class_comes_out_whatever_the_ends(src: FlowEnd, dst: FlowEnd) -> None:
    path_class = classify(src, dst).path_class
    assert classify(dst, src).path_class is path_class
    machines = {OwnerKind.VM, OwnerKind.OTHER_PROJECT, OwnerKind.PLACE}
    if path_class.is_between_own_vms:
        assert {src.owner.kind, dst.owner.kind} <= machines
    if path_class.value.endswith("-pod"):
        assert src.is_pod or dst.is_pod
    if path_class is PathClass.SAME_NODE_POD:
        assert src.owner.kind is OwnerKind.VM
        assert src.owner.key == dst.owner.key


ZONES = ["us-central1-a", "us-central1-b", "europe-west1-b", "us-east1-c"]


def pair(one_zone: str, other_zone: str, *, ipv6: bool) -> AddressBook:
    """Return the book of two machines with an internal and an external address each."""
    if ipv6:
        a = nic(external_ipv6="2600:1900:4000:1:0:1::", prefix=96)
        b = nic(external_ipv6="2600:1900:4000:1:0:2::", prefix=96)
    else:
        a, b = nic("10.0.0.1", external="34.1.1.1"), nic("10.0.0.2", external="34.1.1.2")
    return book_of(vm("a", a, zone=one_zone), vm("b", b, zone=other_zone), network())


@listed("named", [False, True])
@listed("ipv6", [False, True])
@listed(("one", "other"), list(product(ZONES, ZONES)))
def test_both_reports_of_a_flow_to_an_external_address_agree(
    one: str, other: str, ipv6: bool, named: bool
) -> None:
    """The sender's names the receiver's external address, the receiver's its own internal one."""
    book = pair(one, other, ipv6=ipv6)
    if ipv6:
        by_src = by_dest = ("2600:1900:4000:1:0:1::", "2600:1900:4000:1:0:2::7")
        literal = "2600:1900:4000:1:0:2::"
    else:
        by_src, by_dest = ("10.0.0.1", "34.1.1.2"), ("34.1.1.1", "10.0.0.2")
        literal = "34.1.1.2"
    a = {"vm": "a", "project": "p", "zone": one} if named else {}
    b = {"vm": "b", "project": "p", "zone": other} if named else {}
    paths = [classify(who(book, s, **a), who(book, d, **b)) for s, d in (by_src, by_dest)]
    assert paths[0] == paths[1]
    distance = (
        "same-zone"
        if one == other
        else ("inter-zone" if region_of(one) == region_of(other) else "inter-region")
    )
    assert (paths[0].path_class.value, paths[0].dst_address) == (f"{distance}-external", literal)


def test_both_reports_of_a_flow_to_an_internal_address_agree() -> None:
    book = pair("us-central1-a", "us-central1-b", ipv6=False)
    path = classify(who(book, "10.0.0.1"), who(book, "10.0.0.2"))
    assert (path.path_class, path.dst_address) == (PathClass.INTER_ZONE_INTERNAL, None)
