"""IP addresses as (version, number): parsed, spelt one way, and told public from private."""

import ipaddress
from functools import lru_cache

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
