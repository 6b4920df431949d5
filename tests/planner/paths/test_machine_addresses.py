"""Whose the addresses of machines are, and since when."""

from datetime import datetime
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import Certainty, OwnerKind
from netplan_planner.paths import AddressKind, RecordedEnd
from support.listed import listed
from support.projects.addresses import (
    Resource,
    at,
    book_of,
    network,
    nic,
    owner,
    reserved,
    router,
    subnet_link,
    vm,
    who,
)

INTERNAL, EXTERNAL = AddressKind.INTERNAL, AddressKind.EXTERNAL

ONE = vm("one", nic("10.0.0.1", external="34.1.1.1"), created=at(5), started=at(5))


def history(address: str, *resources: Resource) -> list[tuple[str, str | None, int | None]]:
    """Return (owner's name, certainty of a machine, day from which on) of an address."""
    ownerships = book_of(*resources).resolve(RecordedEnd(address=address))
    return [
        (
            one.end.owner.name,
            one.end.certainty.value if one.end.owner.kind is OwnerKind.VM else None,
            None if one.since is None else one.since.day,
        )
        for one in ownerships or ()
    ]


def test_an_internal_address_is_the_machines_since_its_creation() -> None:
    assert history("10.0.0.1", ONE) == [("10.0.0.1", None, None), ("one", "held", 5)]
    undated = vm("one", nic("10.0.0.1"))
    assert history("10.0.0.1", undated) == [("one", "held", None)]
    end = who(book_of(undated), "10.0.0.1")
    assert (end.owner.kind, end.address_kind, end.address) == (OwnerKind.VM, INTERNAL, None)
    assert (end.owner.project, end.owner.zone) == ("p", "us-central1-a")
    assert end.owner.region == "us-central1"
    # The earlier holder is unknown and not the internet.
    for address in ("10.0.0.1", "34.1.1.1"):
        ownerships = book_of(ONE).resolve(RecordedEnd(address=address))
        assert ownerships is not None
        first = ownerships[0].end
        assert (first.owner.kind, first.address) == (OwnerKind.UNKNOWN, address)


BEFORE = ("34.1.1.1", None, None)


@listed(
    "created, started, wanted",
    [
        # Never stopped: it has held its address since it was made.
        (at(5), at(5), [BEFORE, ("one", "held", 5)]),
        # The clock of the start may stand before that of the creation.
        (at(5), at(4), [BEFORE, ("one", "held", 5)]),
        # A stop may have changed the address.
        (at(5), at(9), [BEFORE, ("one", "assumed", 5), ("one", "held", 9)]),
        (at(5), None, [BEFORE, ("one", "assumed", 5)]),
        (None, at(9), [("one", "assumed", None), ("one", "held", 9)]),
        (None, None, [("one", "assumed", None)]),
    ],
)
def test_an_ephemeral_address_is_sure_since_the_last_start(
    created: datetime | None, started: datetime | None, wanted: object
) -> None:
    one = vm("one", nic("10.0.0.1", external="34.1.1.1"), created=created, started=started)
    assert history("34.1.1.1", one) == wanted


@listed(
    "created, held, wanted",
    [
        (at(5), at(2), [BEFORE, ("one", "held", 5)]),
        (at(5), at(5), [BEFORE, ("one", "held", 5)]),
        # Used before it was reserved: promoted, it seems; another may have had it.
        (at(5), at(8), [BEFORE, ("one", "assumed", 5), ("one", "held", 8)]),
        (at(5), None, [BEFORE, ("one", "held", 5)]),
        (None, at(8), [("one", "assumed", None), ("one", "held", 8)]),
        (None, None, [("one", "held", None)]),
    ],
)
def test_a_static_address_outlives_a_stop(
    created: datetime | None, held: datetime | None, wanted: object
) -> None:
    one = vm("one", nic("10.0.0.1", external="34.1.1.1"), created=created, started=at(20))
    static = reserved("34.1.1.1", one.ref.self_link, created=held)
    assert history("34.1.1.1", one, static) == wanted
    assert history("34.1.1.1", static, one) == wanted


def test_a_static_internal_address_says_nothing_of_an_external_one() -> None:
    one = vm("one", nic("10.0.0.1", external="34.1.1.1"), created=at(5), started=at(9))
    internal = reserved("34.1.1.1", created=at(1), is_external=False)
    assert history("34.1.1.1", one, internal)[-2:] == [("one", "assumed", 5), ("one", "held", 9)]


DATES = st.none() | st.integers(1, 28).map(at)


@given(DATES, DATES, st.booleans(), DATES)
def test_a_history_is_in_order_and_gets_no_less_sure(
    created: datetime | None, started: datetime | None, is_static: bool, held: datetime | None
) -> None:
    one = vm("one", nic("10.0.0.1", external="34.1.1.1"), created=created, started=started)
    extra = [reserved("34.1.1.1", created=held)] if is_static else []
    for address in ("10.0.0.1", "34.1.1.1"):
        ownerships = book_of(one, *extra).resolve(RecordedEnd(address=address))
        assert ownerships is not None
        assert ownerships[0].since is None
        dates = [ownership.since for ownership in ownerships[1:] if ownership.since is not None]
        assert len(dates) == len(ownerships) - 1
        assert dates == sorted(set(dates))
        own = [t.end.certainty.rank for t in ownerships if t.end.owner.kind is OwnerKind.VM]
        assert own == sorted(own, reverse=True)
        assert ownerships[-1].end.owner.name == "one"


def test_an_external_end_shows_its_literal_and_an_internal_one_its_translation() -> None:
    book = book_of(ONE)
    outside, inside = who(book, "34.1.1.1"), who(book, "10.0.0.1")
    assert (outside.address_kind, outside.address) == (EXTERNAL, "34.1.1.1")
    assert (inside.address_kind, inside.external_address) == (INTERNAL, "34.1.1.1")
    assert outside.owner == inside.owner


def test_each_interface_has_its_own_external_address_and_subnetwork() -> None:
    back = subnet_link("back")
    book = book_of(
        vm(
            "one",
            nic("10.0.0.1", external="34.1.1.1", subnetwork=subnet_link("front")),
            nic("10.9.0.1", external="34.1.1.9", network="back", subnetwork=back, name="nic1"),
        )
    )
    second = who(book, "10.9.0.1")
    assert (second.external_address, second.reported_by) == ("34.1.1.9", (back,))
    assert second.owner == who(book, "10.0.0.1").owner


@pytest.mark.parametrize(
    ("name", "labels", "is_pod"),
    [
        ("gke-main-pool-1", (), True),
        ("node-1", (("goog-gke-node", ""),), True),
        ("node-1", (("goog-gke-cluster-id-base32", "x"), ("team", "a")), True),
        ("proxy", (("team", "gke"),), False),
    ],
)
def test_alias_ranges_are_the_machines_and_pods_on_a_gke_node(
    name: str, labels: tuple[tuple[str, str], ...], is_pod: bool
) -> None:
    aliases = ("10.8.1.0/24", "10.9.0.7/32")
    book = book_of(vm(name, nic("10.0.0.1", alias=aliases), labels=labels))
    for address in ("10.8.1.0", "10.8.1.255", "10.9.0.7"):
        end = who(book, address)
        assert (owner(end), end.is_pod, end.address_kind) == (("vm", name), is_pod, INTERNAL)
    assert not who(book, "10.0.0.1").is_pod
    for beside in ("10.8.0.255", "10.8.2.0", "10.9.0.8"):
        assert who(book, beside).owner.kind is OwnerKind.UNKNOWN


def test_the_narrowest_alias_range_wins() -> None:
    wide = vm("wide", nic("10.0.0.1", alias=("10.8.0.0/16",)))
    narrow = vm("narrow", nic("10.0.0.2", alias=("10.8.1.0/24",)))
    for resources in permutations((wide, narrow)):
        book = book_of(*resources)
        assert who(book, "10.8.1.9").owner.name == "narrow"
        assert who(book, "10.8.2.9").owner.name == "wide"
    # An own address wins over a range that holds it.
    book = book_of(vm("wide", nic("10.0.0.1", alias=("10.0.0.0/16",))), vm("one", nic("10.0.3.3")))
    assert who(book, "10.0.3.3").owner.name == "one"


def test_a_record_that_says_pod_is_believed() -> None:
    book = book_of(vm("one", nic("10.0.0.1"), created=at(5)))
    end = who(book, "10.0.0.1", has_pod=True)
    assert (end.is_pod, end.owner.name) == (True, "one")
    assert who(book, "10.0.0.1", has_pod=True, project="p", vm="one").is_pod


def test_internal_ipv6_is_a_range_of_96_bits() -> None:
    """Google gives an interface a /96 and the machine its first address; pods have the others."""
    six = nic(ipv6="fd20:a:b:0:0:1:0:0")
    plain, node = vm("six", six), vm("gke-six", nic(ipv6="fd20:a:b:0:0:2:0:0/96"))
    book = book_of(plain, node)
    first, other = who(book, "fd20:a:b::1:0:0"), who(book, "fd20:a:b::1:0:77")
    assert owner(first) == owner(other) == ("vm", "six")
    assert (first.is_pod, other.is_pod) == (False, False)
    assert (first.is_ipv6, first.address_kind) == (True, INTERNAL)
    assert [who(book, a).is_pod for a in ("fd20:a:b::2:0:0", "fd20:a:b::2:0:77")] == [False, True]
    assert who(book, "fd20:a:b::3:0:0").owner.kind is OwnerKind.UNKNOWN
    named = who(book, "fd20:a:b::2:0:77", project="p", vm="gke-six")
    assert (named.is_pod, named.certainty) == (True, Certainty.RECORDED)


@pytest.mark.parametrize("spelt", ["2600:1900:4000:1:0:1::", "2600:1900:4000:1:0:1:0:0"])
def test_external_ipv6_is_a_range_with_one_literal(spelt: str) -> None:
    six = vm("six", nic(external_ipv6=spelt, prefix=96), created=at(5), started=at(9))
    book = book_of(six)
    for address in ("2600:1900:4000:1:0:1::", "2600:1900:4000:1:0:1:dead:beef"):
        for end in (who(book, address), who(book, address, project="p", vm="six")):
            assert owner(end) == ("vm", "six")
            assert (end.address_kind, end.address) == (EXTERNAL, "2600:1900:4000:1:0:1::")
            assert end.external_address is None
    assert who(book, "2600:1900:4000:1:0:2::").owner.kind is OwnerKind.INTERNET
    ephemeral = history("2600:1900:4000:1:0:1::5", six)
    assert ephemeral[1:] == [("six", "assumed", 5), ("six", "held", 9)]
    static = reserved("2600:1900:4000:1:0:1:0:0", six.ref.self_link, prefix=96, created=at(1))
    assert history("2600:1900:4000:1:0:1::5", six, static)[1:] == [("six", "held", 5)]


def test_an_external_ipv6_address_without_a_length_is_one_address() -> None:
    book = book_of(vm("six", nic(external_ipv6="2600:1900:4000:1::")))
    assert who(book, "2600:1900:4000:1::").owner.name == "six"
    assert who(book, "2600:1900:4000:1::1").owner.kind is OwnerKind.INTERNET


def test_ipv4_written_as_ipv6_is_the_ipv4_address() -> None:
    book = book_of(ONE)
    for spelt in ("::ffff:10.0.0.1", "::FFFF:a00:1", "0:0:0:0:0:ffff:10.0.0.1"):
        end = who(book, spelt)
        assert (owner(end), end.is_ipv6) == (("vm", "one"), False)
    assert who(book, "::ffff:34.1.1.1").address == "34.1.1.1"


BEHIND = nic("10.0.0.1", subnetwork=subnet_link("front"))
BACK = nic("10.0.0.1", subnetwork=subnet_link("back"))
OF_FRONT = router(subnetworks=(subnet_link("front"),))


@listed(
    "interface, gateway, behind",
    [
        (nic("10.0.0.1"), router(), True),
        (nic("10.0.0.1"), router(region="europe-west1"), False),
        (nic("10.0.0.1"), router(network="back"), False),
        (nic("10.0.0.1"), None, False),
        # An external address, or a config for one that the stopped machine does not hold now.
        (nic("10.0.0.1", external="34.1.1.1"), router(), False),
        (nic("10.0.0.1", has_access_config=True), router(), False),
        (BEHIND, OF_FRONT, True),
        (BACK, OF_FRONT, False),
    ],
)
def test_who_reaches_the_internet_through_nat_only(
    interface: Any, gateway: Any, behind: bool
) -> None:
    book = book_of(vm("one", interface), network(), *([gateway] if gateway is not None else []))
    assert who(book, "10.0.0.1").is_behind_nat is behind
    assert who(book, "10.0.0.1", project="p", vm="one").is_behind_nat is behind


def test_nat_does_not_translate_ipv6() -> None:
    book = book_of(vm("six", nic("10.0.0.6", ipv6="fd20::6:0:0")), router())
    assert who(book, "10.0.0.6").is_behind_nat
    assert not who(book, "fd20::6:0:0").is_behind_nat
