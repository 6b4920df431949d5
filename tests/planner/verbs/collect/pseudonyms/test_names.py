"""Names and addresses under other ones: what they tell of each other stays, and nothing else."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from netplan_planner.machines.groups import name_stem
from netplan_planner.verbs.collect.pseudonyms.names import Addresses, Names

NAMES = Names(b"key")


def test_a_word_or_number_is_replaced_and_a_place_stays() -> None:
    link = NAMES.text("projects/acme-prod/zones/us-central1-a/instances/shop-7")
    project, name = NAMES.text("acme-prod"), NAMES.text("shop-7")
    assert link == f"projects/{project}/zones/us-central1-a/instances/{name}"
    assert not re.search("acme|prod|shop", link)
    assert re.fullmatch("[a-z][-a-z0-9]{0,62}", name)
    assert NAMES.text("acme.com:prod") != NAMES.text("acme.com:test")
    # Types of google and places stay in links.
    link = NAMES.text("projects/p9x/zones/europe-west1-b/machineTypes/n2-standard-8")
    assert link.endswith("/zones/europe-west1-b/machineTypes/n2-standard-8")
    assert "p9x" not in link
    assert NAMES.text("default") == "default"
    # Long numbers and other scripts are replaced.
    assert "8123456789" not in NAMES.text("8123456789")
    assert "größe" not in NAMES.text("größe-1")
    assert NAMES.text("10.1.2.3").count(".") == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [("web-1", "web-2"), ("db-primary", "db-replica-2"), ("zk1", "zk2"), ("q-us-east1-b", "q-a")],
)
def test_copies_of_one_thing_stay_copies(one: str, other: str) -> None:
    assert name_stem(NAMES.text(one)) == name_stem(NAMES.text(other))
    assert NAMES.text(one) != NAMES.text(other)
    assert name_stem(NAMES.text(one)) != name_stem(NAMES.text("other-1"))


@pytest.mark.parametrize(
    "text", ["", "/24", "projects/windows-cloud/global/licenses/windows-server-2019-dc"]
)
def test_what_is_not_the_owners_stays(text: str) -> None:
    assert NAMES.text(text) == text


def test_the_end_that_a_group_drew_is_another_such_end() -> None:
    """Copies stay copies, no two become one, and what was drawn is not told."""
    names = Names(b"key")
    drawn = [
        f"kafka-{a}{b}{c}{d}" for a in "abcd" for b in "0123456789" for c in "xyz" for d in "12"
    ]
    made = [names.text(name) for name in drawn]
    assert len(set(made)) == len(drawn)
    assert {name_stem(name) for name in made} == {name_stem(names.text("kafka-889d"))}
    kept = [one for one, name in zip(drawn, made, strict=True) if one.split("-")[1] in name]
    assert not kept


KEY = bytes(range(32))
FOUR = st.integers(0, 2**32 - 1).map(IPv4Address)
SIX = st.integers(0, 2**128 - 1).map(IPv6Address)
PRIVATE = ("10.0.0.0/8", "10.128.0.0/9", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16")
ADDRESSES = Addresses(KEY)


def replaced(text: str) -> str:
    found = ADDRESSES.text(text)
    assert found is not None
    return found


def shared(one: str, other: str) -> int:
    """Return how many leading bits two addresses share."""
    left, right = ip_address(one), ip_address(other)
    return left.max_prefixlen - (int(left) ^ int(right)).bit_length()


@given(st.one_of(st.tuples(FOUR, FOUR), st.tuples(SIX, SIX)))
def test_two_addresses_share_as_many_bits(pair: tuple[IPv4Address, IPv4Address]) -> None:
    one, other = map(str, pair)
    assert shared(replaced(one), replaced(other)) == shared(one, other)


@given(FOUR)
def test_what_is_private_stays_so_and_nothing_becomes_it(address: IPv4Address) -> None:
    # Two single addresses of this block are global.
    assume(address not in ip_network("192.0.0.0/24"))
    made = ip_address(replaced(str(address)))
    for block in PRIVATE:
        assert (address in ip_network(block)) == (made in ip_network(block))
    assert address.is_global == made.is_global
    assert address.is_multicast == made.is_multicast


@given(FOUR, st.integers(8, 32))
def test_an_address_stays_in_its_range(address: IPv4Address, length: int) -> None:
    network = ip_network(f"{address}/{length}", strict=False)
    made = ip_network(replaced(str(network)))
    assert made.prefixlen == length
    assert ip_address(replaced(str(address))) in made


def test_another_key_gives_others() -> None:
    texts = [f"10.1.{n}.7" for n in range(50)]
    other = Addresses(b"another")
    assert sum(other.text(text) != replaced(text) for text in texts) > 40
    assert sum(text != replaced(text) for text in texts) > 40


def test_what_every_network_has_stays() -> None:
    assert replaced("0.0.0.0/0") == "0.0.0.0/0"
    assert replaced("::/0") == "::/0"
    assert replaced("199.36.153.8/30") == "199.36.153.8/30"


@pytest.mark.parametrize("text", ["", "vm-1", "10.0.0", "10.0.0.0/33", "/24", "10.0.0.0/x", "1"])
def test_other_texts_are_none(text: str) -> None:
    assert ADDRESSES.text(text) is None
