"""The published ranges that ship: every row means something, and no two contradict each other."""

import csv
import ipaddress
from datetime import date
from pathlib import Path

from netplan_planner.model import OwnerKind
from netplan_planner.paths import addresses as module
from netplan_planner.paths import parse_address
from netplan_planner.paths.addresses import GoogleRange, google_ranges, parse_range
from support.listed import listed

FILE = Path(module.__file__).parent / "data" / "google_ranges.csv"


with FILE.open(encoding="utf-8", newline="") as _file:
    ROWS = list(csv.DictReader(_file))


def find(text: str) -> GoogleRange | None:
    address = parse_address(text)
    assert address is not None
    return google_ranges().find(address)


@listed("row", ROWS, ids=lambda row: str(row["range"]))
def test_a_row_says_what_where_from_and_when(row: dict[str, str]) -> None:
    assert set(row) == {"range", "kind", "service", "source", "as_of"}
    network = ipaddress.ip_network(row["range"])  # strict: no host bits
    assert str(network) == row["range"]
    assert parse_range(row["range"]) is not None
    assert OwnerKind(row["kind"]) in {OwnerKind.GOOGLE_API, OwnerKind.LOAD_BALANCER}
    assert "." in row["source"].partition("/")[0]
    assert row["source"].startswith(("cloud.google.com/", "www.gstatic.com/ipranges/"))
    assert date(2020, 1, 1) <= date.fromisoformat(row["as_of"])
    # A front must say whose it is; only Google's whole announcements name no service.
    assert row["service"] or "goog.json" in row["source"]


def test_there_is_one_row_for_a_range() -> None:
    texts = [row["range"] for row in ROWS]
    assert len(texts) == len(set(texts)) > 250


def test_rows_that_overlap_do_not_contradict() -> None:
    """A narrower row may say more; one of another kind inside a wider one must name a service."""
    networks = [(ipaddress.ip_network(row["range"]), row) for row in ROWS]
    for network, row in networks:
        for other, inner in networks:
            if network is other or network.version != other.version:
                continue
            if other.subnet_of(network):  # type: ignore[arg-type]
                assert other.prefixlen > network.prefixlen
                assert inner["service"], f"{inner['range']} in {row['range']} says nothing new"


def test_no_range_is_private_or_a_customers() -> None:
    """The addresses of customers' machines lie in ranges that the default domains leave out."""
    for row in ROWS:
        network = ipaddress.ip_network(row["range"])
        assert not network.is_private
        assert not network.is_multicast
    for machine in ("34.67.1.2", "35.184.0.10", "104.197.1.2", "2600:1900:4000:1::"):
        assert find(machine) is None


API, BALANCER = OwnerKind.GOOGLE_API, OwnerKind.LOAD_BALANCER


@listed(
    "kind, service, addresses",
    [
        (API, "restricted.googleapis.com", "199.36.153.4 199.36.153.7 2600:2d00:2:1000::1"),
        (API, "private.googleapis.com", "199.36.153.8 199.36.153.11 2600:2d00:2:2000::1"),
        (BALANCER, "google-front-end", "35.191.0.0 35.191.255.255 130.211.3.255"),
        (BALANCER, "google-front-end", "2600:2d00:1:b029::5 2600:2d00:1:1::5"),
        (API, "iap", "35.235.240.1 35.235.255.255"),
        (API, "cloud-dns", "35.199.192.7"),
        (BALANCER, "health-checks", "209.85.152.9 209.85.207.255"),
        (API, "", "209.85.208.0 8.8.8.8 142.250.1.1 2607:f8b0:4004::1"),
        (None, None, "199.36.153.3 199.36.153.12 35.192.0.0 130.211.4.0"),
        (None, None, "1.1.1.1 10.0.0.1 2606:4700::1111"),
    ],
)
def test_documented_ranges_are_found_and_end_where_they_end(
    kind: OwnerKind | None, service: str | None, addresses: str
) -> None:
    for address in addresses.split():
        found = find(address)
        said = (found.kind, found.service) if found else (None, None)
        assert said == (kind, service), address
