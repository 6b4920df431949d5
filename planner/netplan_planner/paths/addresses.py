"""IP addresses as (version, number): parsed, spelt one way, and told public from private."""

import ipaddress
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from netplan_planner.model import OwnerKind, Value
from netplan_planner.shipped import shipped_rows

Address = tuple[int, int]
"""IP version (4 or 6) and the address as a number; compares and hashes fast."""

_V4_BITS = 32
_V6_BITS = 128
_MAPPED_PREFIX = 0xFFFF
"""The upper 96 bits of an IPv4 address written as IPv6, `::ffff:10.0.0.1`."""

_DOCUMENTATION = tuple(
    ipaddress.ip_network(text)
    for text in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
)
"""Ranges for examples (RFC 5737, RFC 3849): in published logs they stand for public addresses."""


def parse_address(text: str) -> Address | None:
    """Return an address as version and number, or None when `text` is not one.

    An IPv4 address written as IPv6 becomes the IPv4 address that it is.

    >>> parse_address("10.0.0.1") == parse_address("::FFFF:10.0.0.1") == (4, 167772161)
    True
    >>> parse_address("2600:1900:0:0:0:0:0:1") == parse_address("2600:1900::1")
    True
    >>> parse_address("10.0.0.256") is None and parse_address("fe80::1%eth0") is None
    True
    """
    if ":" in text:
        return _parse_v6(text)
    parts = text.split(".")
    if len(parts) != 4:
        return None
    number = 0
    for part in parts:
        # A leading zero is octal to some readers: refused, as the standard library does.
        if not (part.isascii() and part.isdigit()) or (part[0] == "0" and len(part) > 1):
            return None
        octet = int(part) if len(part) <= 3 else 256
        if octet > 255:
            return None
        number = number << 8 | octet
    return 4, number


def _parse_v6(text: str) -> Address | None:
    try:
        number = int(ipaddress.IPv6Address(text))
    except ValueError:
        return None
    if "%" in text:
        return None
    if number >> _V4_BITS == _MAPPED_PREFIX:
        return 4, number & (1 << _V4_BITS) - 1
    return 6, number


def address_text(address: Address) -> str:
    """Return the one spelling of an address: dotted, or compressed lower-case IPv6.

    >>> address_text((6, 1))
    '::1'
    """
    version, number = address
    return str(ipaddress.IPv4Address(number) if version == 4 else ipaddress.IPv6Address(number))


def parse_range(text: str) -> tuple[Address, int] | None:
    """Return the first address of a range and its prefix length, or None; host bits are dropped.

    A lone address is a range of one.

    >>> parse_range("10.0.0.7/24") == ((4, 167772160), 24)
    True
    >>> parse_range("10.0.0.7") == ((4, 167772167), 32)
    True
    """
    head, slash, tail = text.partition("/")
    address = parse_address(head)
    if address is None:
        return None
    version, number = address
    bits = _V4_BITS if version == 4 else _V6_BITS
    length = _parse_length(tail) if slash else bits
    if length is not None and slash and version == 4 and ":" in head:
        # IPv4 written as IPv6; a shorter prefix holds more than IPv4 addresses.
        length -= _V6_BITS - _V4_BITS
    if length is None or not 0 <= length <= bits:
        return None
    host_bits = bits - length
    return (version, number >> host_bits << host_bits), length


def _parse_length(text: str) -> int | None:
    """Return a prefix length of at most three digits, None when `text` is none."""
    is_number = text.isascii() and text.isdigit() and len(text) <= 3
    return int(text) if is_number else None


def last_of(first: Address, prefix_length: int) -> int:
    """Return the number of a range's last address."""
    bits = _V4_BITS if first[0] == 4 else _V6_BITS
    return first[1] | (1 << bits - prefix_length) - 1


@lru_cache(maxsize=65536)
def is_public(address: Address) -> bool:
    """Return whether an address can belong to a host on the internet.

    Private, link-local, shared, reserved and multicast ranges cannot
    (IANA special-purpose address registries, as the standard library has them).

    >>> is_public((4, 134744072)), is_public((4, 167772161))
    (True, False)
    """
    version, number = address
    if version == 4:
        literal: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.IPv4Address(number)
    else:
        literal = ipaddress.IPv6Address(number)
    if any(literal in network for network in _DOCUMENTATION if network.version == version):
        return True
    return literal.is_global and not literal.is_multicast


def is_in(address: Address, text: str) -> bool:
    """Return whether a range, or an address written as one, holds an address."""
    parsed = parse_range(text)
    if parsed is None or parsed[0][0] != address[0]:
        return False
    first, length = parsed
    return first[1] <= address[1] <= last_of(first, length)


# Longest-prefix lookup over many ranges, by bisection of disjoint intervals


V = TypeVar("V")


class RangeTable(Generic[V]):
    """Values of address ranges; the longest prefix that holds an address wins.

    Built once in O(n log n) and asked in O(log n), so that 100,000 ranges cost a microsecond a
    lookup. Of two entries for one range the first one stays; a text that is no range is left out.
    """

    def __init__(self, entries: Iterable[tuple[str, V]] = ()) -> None:
        ranges: dict[tuple[Address, int], V] = {}
        for text, value in entries:
            parsed = parse_range(text)
            if parsed is not None:
                ranges.setdefault(parsed, value)
        self._starts: dict[int, list[int]] = {4: [], 6: []}
        self._values: dict[int, list[V | None]] = {4: [], 6: []}
        self._is_empty = not ranges
        for version in (4, 6):
            self._flatten(version, [item for item in ranges.items() if item[0][0][0] == version])

    def _flatten(self, version: int, ranges: list[tuple[tuple[Address, int], V]]) -> None:
        """Cut nested ranges into disjoint intervals, each with the value of its innermost range."""
        # By start, the wider first; keys are unique, so the values are never compared.
        ranges.sort(key=lambda item: (item[0][0][1], item[0][1]))
        open_ranges: list[tuple[int, V]] = []

        def close() -> None:
            end, _ = open_ranges.pop()
            self._cut(version, end + 1, open_ranges[-1][1] if open_ranges else None)

        for (first, length), value in ranges:
            while open_ranges and open_ranges[-1][0] < first[1]:
                close()
            self._cut(version, first[1], value)
            open_ranges.append((last_of(first, length), value))
        while open_ranges:
            close()

    def _cut(self, version: int, start: int, value: V | None) -> None:
        starts, values = self._starts[version], self._values[version]
        if starts and starts[-1] == start:
            values[-1] = value
        else:
            starts.append(start)
            values.append(value)

    def find(self, address: Address) -> V | None:
        """Return the value of the narrowest range that holds an address, or None.

        >>> table = RangeTable([("10.0.0.0/8", "wide"), ("10.1.0.0/16", "narrow")])
        >>> [table.find((4, number)) for number in (0x0A010203, 0x0A020000, 0x0B000000)]
        ['narrow', 'wide', None]
        """
        if self._is_empty:
            return None
        version, number = address
        position = bisect_right(self._starts[version], number) - 1
        return self._values[version][position] if position >= 0 else None

    def __bool__(self) -> bool:
        """Return whether the table holds any range."""
        return not self._is_empty


# Ranges that Google publishes as its own: API addresses, and the proxies of load balancers
#
# The list is `data/google_ranges.csv`. `as_of` is the creation time of a published list, and the
# day on which the copy of a documentation page was read. The default-domain ranges are Google's
# rule for them: everything it announces less what customers can get (`goog.json` less
# `cloud.json`). Such a list ages: an address that the inventory owns is looked up before it.


_FILE = Path(__file__).parent / "data" / "google_ranges.csv"


class GoogleRange(Value, frozen=True, kw_only=True):
    """What a range of Google's serves; `service` is empty where the list does not say."""

    kind: OwnerKind
    service: str
    source: str
    as_of: str


@cache
def google_ranges() -> RangeTable[GoogleRange]:
    """Return the table of all published ranges."""
    return RangeTable(
        (
            row["range"],
            GoogleRange(
                kind=OwnerKind(row["kind"]),
                service=row["service"],
                source=row["source"],
                as_of=row["as_of"],
            ),
        )
        for row in shipped_rows(_FILE)
    )
