"""Addresses and ranges against the standard library's own reading of them."""

import ipaddress

from hypothesis import example, given
from hypothesis import strategies as st

from netplan_planner.paths import address_text, is_public, parse_address
from netplan_planner.paths.addresses import last_of, parse_range
from support.listed import listed

Literal = ipaddress.IPv4Address | ipaddress.IPv6Address

NEARLY = st.text(alphabet="0123456789abcdefABCDEF:.%/ -+_x\u0661\u00b2", max_size=40)
"""Texts that look like addresses, with digits that are none of ASCII's."""


def read(text: str) -> tuple[int, int] | None:
    """Return what the standard library makes of an address; mapped IPv4 is IPv4, scopes are out."""
    try:
        literal: Literal = ipaddress.ip_address(text)
    except ValueError:
        return None
    if "%" in text:
        return None
    if isinstance(literal, ipaddress.IPv6Address) and literal.ipv4_mapped is not None:
        literal = literal.ipv4_mapped
    return literal.version, int(literal)


@given(st.ip_addresses())
def test_every_address_is_read(literal: Literal) -> None:
    assert parse_address(str(literal)) == read(str(literal))
    assert parse_address(literal.exploded.upper()) == read(str(literal))


@given(st.one_of(NEARLY, st.text(max_size=60)))
@example("1.2.3.4\n")
@example("01.2.3.4")
@example("1.2.3")
@example("1.2.3.4.5")
@example("1..3.4")
@example("-1.2.3.4")
@example("1.2.3.\u0664")
@example("1.2.3.\u00b2")
@example("1.2.3." + "9" * 5000)
@example("fe80::1%eth0")
@example("::ffff:1.2.3.4")
@example("::ffff:01.2.3.4")
@example("0:0:0:0:0:FFFF:10.0.0.1")
@example("::1.2.3.4")
@example(":" * 10000)
@example("")
def test_what_is_no_address_is_none(text: str) -> None:
    assert parse_address(text) == read(text)


@given(st.ip_addresses(v=4))
def test_a_mapped_address_is_the_address(literal: Literal) -> None:
    number = int(literal)
    for text in (
        f"::ffff:{literal}",
        f"::FFFF:{number >> 16:x}:{number & 0xFFFF:x}",
        f"0:0:0:0:0:ffff:{literal}",
    ):
        assert parse_address(text) == (4, number)


@given(st.ip_addresses())
def test_the_text_of_an_address_reads_back(literal: Literal) -> None:
    address = parse_address(str(literal))
    assert address is not None
    text = address_text(address)
    assert parse_address(text) == address
    if address[0] == literal.version:
        assert text == literal.compressed


@given(st.ip_addresses(), st.integers(0, 128))
def test_every_range_is_read_without_its_host_bits(literal: Literal, length: int) -> None:
    length = min(length, literal.max_prefixlen)
    address = parse_address(str(literal))
    if address is None or address[0] != literal.version:
        return
    wanted = ipaddress.ip_network(f"{literal}/{length}", strict=False)
    found = parse_range(f"{literal}/{length}")
    assert found == ((literal.version, int(wanted.network_address)), length)
    assert last_of(*found) == int(wanted.broadcast_address)


@given(st.ip_addresses())
def test_a_lone_address_is_a_range_of_one(literal: Literal) -> None:
    found = parse_range(str(literal))
    assert found is not None
    first, length = found
    assert first == parse_address(str(literal))
    assert length == (32 if first[0] == 4 else 128)
    assert last_of(first, length) == first[1]


NO_RANGES = ["", "/", "/8", *(f"10.0.0.0/{end}" for end in ("", "33", "-1", "+8", " 8", "8 "))]
NO_RANGES += [f"10.0.0.0/{end}" for end in ("8/8", "255.0.0.0", "\u00b2", "\u0668", "9" * 5000)]
NO_RANGES += ["2001:db8::/129", "default", "projects/p/regions/r/addresses/a"]


@listed("text", NO_RANGES)
def test_what_is_no_range_is_none(text: str) -> None:
    assert parse_range(text) is None


@given(NEARLY)
def test_no_text_breaks_the_reading_of_ranges(text: str) -> None:
    found = parse_range(text)
    head, slash, _ = text.partition("/")
    if found is None:
        assert slash or read(head) is None
    else:
        assert read(head) is not None


def test_a_mapped_range_is_the_range() -> None:
    assert parse_range("::ffff:10.1.2.3/104") == ((4, 10 << 24), 8)
    assert parse_range("::ffff:10.1.2.3/128") == parse_range("10.1.2.3/32")
    # A wider one holds more than IPv4 addresses: it is no range of IPv4, and none of IPv6 here.
    assert parse_range("::ffff:10.1.2.3/64") is None


PUBLIC = """
    8.8.8.8 34.123.4.5 172.32.0.0 192.0.2.7 198.51.100.7 203.0.113.7 2600:1900:4000::1 2001:db8::1
    ::ffff:8.8.8.8
"""
NOT_PUBLIC = """
    10.0.0.1 172.31.255.255 192.168.0.1 100.64.0.1 169.254.169.254 127.0.0.1 0.0.0.0 224.0.0.251
    240.0.0.1 255.255.255.255 198.18.0.1 fd20::1 fe80::1 ff02::1 ::1 :: ::ffff:10.0.0.1
"""


@listed("text", [*PUBLIC.split(), *NOT_PUBLIC.split()])
def test_public_means_that_a_host_of_the_internet_can_have_it(text: str) -> None:
    address = parse_address(text)
    assert address is not None
    assert is_public(address) is (text in PUBLIC.split())
