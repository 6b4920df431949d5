"""Addresses replaced so that whatever lay in one range still does.

Each bit is turned or not by what a key makes of the bits before it (Xu, Fan, Ammar and Moon,
"Prefix-preserving IP address anonymization", 2002): two addresses share as many leading bits after
it as before. Bits that lead to a block with a meaning are never turned, so that the block is mapped
onto itself: what was private stays private, and nothing else becomes so.
"""

import hmac
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_BLOCKS = (
    # RFC 1918, with what auto-mode networks take of it (cloud.google.com/vpc/docs/subnets).
    *("10.0.0.0/8", "10.128.0.0/9", "172.16.0.0/12", "192.168.0.0/16"),
    # RFC 6890 and 1112: shared, loopback, link-local, documentation, benchmarks, multicast.
    *("0.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24"),
    *(
        "192.0.2.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    ),
    # Private Google Access and health checks (cloud.google.com/vpc/docs/access-apis-internal and
    # cloud.google.com/load-balancing/docs/health-check-concepts, 2026-04).
    *("199.36.153.4/30", "199.36.153.8/30", "35.191.0.0/16", "130.211.0.0/22"),
    # RFC 4193 and 4291, and where Compute Engine has its own (cloud.google.com/vpc/docs/subnets).
    *("fc00::/7", "fd20::/20", "fe80::/10", "ff00::/8", "2600:1900::/28", "2001:db8::/32"),
)
Address = IPv4Address | IPv6Address


class Addresses:
    """Replaces addresses by a key."""

    def __init__(self, key: bytes) -> None:
        """Keep the key, in memory only."""
        self._key = key
        self._kept = {
            (network.version, length, _leading(network.network_address, length))
            for block in _BLOCKS
            for network in (ip_network(block),)
            for length in range(network.prefixlen)
        }
        self._turned: dict[tuple[int, int, int], int] = {}

    def text(self, text: str) -> str | None:
        """Return an address or range replaced; None: the text is neither."""
        address, slash, length = text.partition("/")
        try:
            found = ip_address(address)
            bits = int(length) if slash else found.max_prefixlen
        except ValueError:
            return None
        if not 0 <= bits <= found.max_prefixlen:
            return None
        return f"{self._replaced(found, bits)}{slash}{length}"

    def _replaced(self, address: Address, bits: int) -> Address:
        """Return an address with its leading bits replaced; those behind them become 0."""
        value = 0
        for length in range(bits):
            bit = _leading(address, length + 1) & 1
            value = value << 1 | bit ^ self._turn(address, length)
        return type(address)(value << address.max_prefixlen - bits)

    def _turn(self, address: Address, length: int) -> int:
        """Return 1 where the bit behind some leading bits is turned."""
        place = address.version, length, _leading(address, length)
        if place in self._kept:
            return 0
        if place not in self._turned:
            told = ",".join(map(str, place)).encode()
            self._turned[place] = hmac.digest(self._key, told, sha256)[0] & 1
        return self._turned[place]


def _leading(address: Address, length: int) -> int:
    return int(address) >> address.max_prefixlen - length
