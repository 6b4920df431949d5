"""Longest prefix wins: the bisection against a search through all ranges."""

import ipaddress
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.paths import parse_address
from netplan_planner.paths.addresses import RangeTable, last_of, parse_range

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Entry = tuple[str, int]


def naive(entries: Sequence[Entry], address: tuple[int, int]) -> int | None:
    """Return the value of the longest prefix that holds an address, the first entry of equals."""
    best: tuple[int, int] | None = None
    for text, value in entries:
        network = ipaddress.ip_network(text, strict=False)
        if network.version != address[0]:
            continue
        holds = int(network.network_address) <= address[1] <= int(network.broadcast_address)
        if holds and (best is None or network.prefixlen > best[0]):
            best = network.prefixlen, value
    return None if best is None else best[1]


@st.composite
def crowded(draw: st.DrawFn) -> list[str]:
    """Return ranges of one version in a small corner, so that they nest, touch and repeat."""
    version = draw(st.sampled_from([4, 6]))
    bits = 32 if version == 4 else 128
    corner = draw(st.sampled_from([0, 1 << bits - 1, (1 << bits) - 256]))
    texts = []
    for _ in range(draw(st.integers(0, 12))):
        number = corner + draw(st.integers(0, 255))
        length = draw(st.one_of(st.integers(bits - 8, bits), st.integers(0, bits)))
        literal = ipaddress.IPv4Address(number) if version == 4 else ipaddress.IPv6Address(number)
        texts.append(f"{literal}/{length}")
    return texts


def edges(texts: Sequence[str]) -> set[tuple[int, int]]:
    """Return the first and last address of each range, and their neighbours outside."""
    found: set[tuple[int, int]] = set()
    for text in texts:
        parsed = parse_range(text)
        assert parsed is not None
        (version, first), length = parsed
        last = last_of((version, first), length)
        top = (1 << (32 if version == 4 else 128)) - 1
        found.update((version, n) for n in (first - 1, first, last, last + 1) if 0 <= n <= top)
    return found


@given(crowded(), crowded(), st.lists(st.ip_addresses(), max_size=5))
def test_the_table_finds_what_a_search_through_all_finds(
    one: list[str], other: list[str], anywhere: list[ipaddress.IPv4Address | ipaddress.IPv6Address]
) -> None:
    entries = [(text, number) for number, text in enumerate([*one, *other])]
    # A mapped range is IPv4's to the table and IPv6's to the oracle; `test_address_parsing` has it.
    entries = [(t, n) for t, n in entries if not t.startswith("::ffff:")]
    table = RangeTable(entries)
    asked = edges([text for text, _ in entries])
    asked |= {(literal.version, int(literal)) for literal in anywhere}
    for address in asked:
        assert table.find(address) == naive(entries, address)
    assert bool(table) is bool(entries)


@given(crowded())
def test_the_order_of_distinct_ranges_does_not_matter(texts: list[str]) -> None:
    entries = [(text, text) for text in {str(parse_range(t)): t for t in texts}.values()]
    forward, backward = RangeTable(entries), RangeTable(reversed(entries))
    for address in edges(texts):
        assert forward.find(address) == backward.find(address)


@given(st.integers(0, 255), st.integers(25, 32))
def test_touching_ranges_do_not_leak_into_each_other(number: int, length: int) -> None:
    size = 1 << 32 - length
    first = number // size * size
    table = RangeTable([(f"10.0.0.{first}/{length}", "here"), ("10.0.1.0/24", "next")])
    base = 10 << 24
    found = [n for n in range(-1, 513) if table.find((4, base + n)) == "here"]
    assert found == list(range(first, first + size))
    assert [table.find((4, base + n)) for n in (255 + 1, 511, 512)] == ["next", "next", None]


def test_versions_do_not_mix() -> None:
    table = RangeTable([("0.0.0.0/0", "four")])
    assert table.find((4, 0)) == table.find((4, 2**32 - 1)) == "four"
    assert table.find((6, 0)) is None
    both = RangeTable([("0.0.0.0/0", "four"), ("::/0", "six")])
    assert both.find((6, 0)) == both.find((6, 2**128 - 1)) == "six"


def test_the_first_of_equals_false_values_and_texts_that_are_no_ranges() -> None:
    table = RangeTable([("10.0.0.0/8", "first"), ("10.9.9.9/8", "second")])
    assert table.find((4, 10 << 24)) == "first"
    values = RangeTable([("10.0.0.0/8", True), ("10.0.0.0/16", False)])
    assert values.find((4, 10 << 24)) is False
    assert values.find((4, (10 << 24) + (1 << 16))) is True
    # What is no range is left out.
    odd = RangeTable([("nonsense", 1), ("10.0.0.0/99", 2), ("10.0.0.0/8", 3)])
    assert odd.find((4, 10 << 24)) == 3
    assert not RangeTable([("nonsense", 1)])
    assert RangeTable([("nonsense", 1)]).find((4, 0)) is None
    assert not RangeTable[str]()


def test_ten_thousand_ranges_are_found_each_at_its_place() -> None:
    table = RangeTable((f"10.{n >> 8}.{n & 255}.0/24", n) for n in range(10_000))
    for n in range(0, 10_000, 97):
        address = parse_address(f"10.{n >> 8}.{n & 255}.200")
        assert address is not None
        assert table.find(address) == n
    assert table.find((4, (10 << 24) + (10_000 << 8))) is None
