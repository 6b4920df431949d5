"""Addresses keep what ranges they are in, and whether they are private; nothing else of them."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from netplan_planner.verbs.collect.pseudonyms.names import Addresses

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
def test_two_addresses_share_as_many_leading_bits_as_before(
    pair: tuple[IPv4Address, IPv4Address],
) -> None:
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
def test_an_address_of_a_range_is_one_of_the_replaced_range(
    address: IPv4Address, length: int
) -> None:
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
