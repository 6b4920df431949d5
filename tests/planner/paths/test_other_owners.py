"""Addresses that no machine of the inventory has: fronts, gateways, reservations, the world."""

import pytest

from netplan_planner.model import OwnerKind, PathClass
from netplan_planner.paths import AddressKind, FlowEnd, RecordedEnd, classify
from support.listed import listed
from support.projects.addresses import (
    book_of,
    front,
    network,
    network_link,
    nic,
    owner,
    reserved,
    router,
    subnet,
    subnet_link,
    vm,
    who,
)

INTERNAL, EXTERNAL, VIRTUAL = AddressKind.INTERNAL, AddressKind.EXTERNAL, AddressKind.VIRTUAL

Told = tuple[str, str, AddressKind, str | None]
REGIONAL = "projects/p/regions/us-central1/"
ONE = vm("one", nic("10.0.0.1"))


def told(end: FlowEnd) -> Told:
    """Return an end's kind of owner and its name, how it was met, and the literal."""
    return (*owner(end), end.address_kind, end.address)


@pytest.mark.parametrize("scheme", ["EXTERNAL", "EXTERNAL_MANAGED"])
def test_an_external_front_is_met_everywhere(scheme: str) -> None:
    book = book_of(ONE, front("34.9.9.9", scheme, network="default"), network("other"))
    for context in (None, network_link(), network_link("other")):
        end = who(book, "34.9.9.9", context=context)
        assert told(end) == ("load-balancer", "front", VIRTUAL, "34.9.9.9")
    path = classify(who(book, "10.0.0.1"), who(book, "34.9.9.9"))
    assert (path.path_class, path.dst_address) == (PathClass.LOAD_BALANCER, "34.9.9.9")


@pytest.mark.parametrize("scheme", ["INTERNAL", "INTERNAL_MANAGED", "INTERNAL_SELF_MANAGED"])
def test_an_internal_front_is_met_in_its_network(scheme: str) -> None:
    book = book_of(ONE, front("10.0.0.9", scheme, network="default"), network("other"))
    assert owner(who(book, "10.0.0.9")) == ("load-balancer", "front")
    assert owner(who(book, "10.0.0.9", context=network_link())) == ("load-balancer", "front")
    elsewhere = who(book, "10.0.0.9", context=network_link("other"))
    assert elsewhere.owner.kind is OwnerKind.UNKNOWN


def test_rules_that_share_an_address_are_one_front() -> None:
    rules = [front("34.9.9.9", "EXTERNAL", name=name) for name in ("b", "a", "c")]
    for order in (rules, rules[::-1]):
        assert who(book_of(*order), "34.9.9.9").owner.name == "a"


def test_an_ipv6_front_is_a_range_with_one_literal() -> None:
    book = book_of(front("2600:1900:4000:9:8000::/96", "EXTERNAL"))
    for address in ("2600:1900:4000:9:8000::", "2600:1900:4000:9:8000::1"):
        end = who(book, address)
        assert (owner(end), end.address) == (("load-balancer", "front"), "2600:1900:4000:9:8000::")


def test_a_machine_named_behind_a_front_is_met_at_the_front() -> None:
    """A pass-through load balancer keeps the address: the record names machine and front."""
    book = book_of(ONE, front("34.9.9.9", "EXTERNAL"))
    end = who(book, "34.9.9.9", project="p", vm="one", zone="us-central1-a")
    assert told(end) == ("vm", "one", VIRTUAL, "34.9.9.9")
    vanished = who(book, "34.9.9.9", project="p", vm="gone", zone="us-central1-a")
    assert (owner(vanished), vanished.address_kind) == (("vm", "gone"), VIRTUAL)
    other = who(book, "34.9.9.9", project="q", vm="theirs", zone="us-central1-a")
    assert (other.owner.kind, other.address_kind) == (OwnerKind.OTHER_PROJECT, VIRTUAL)
    assert classify(end, who(book, "10.0.0.1")).path_class is PathClass.LOAD_BALANCER


@pytest.mark.parametrize("bundle", ["all-apis", "vpc-sc"])
def test_an_endpoint_of_private_service_connect_leads_to_google(bundle: str) -> None:
    target = f"https://example/{bundle}" if bundle == "vpc-sc" else bundle
    book = book_of(ONE, front("10.3.0.5", None, network="default", target=target))
    end = who(book, "10.3.0.5")
    assert owner(end) == ("google-api", bundle)
    assert classify(who(book, "10.0.0.1"), end).path_class is PathClass.GOOGLE_APIS
    # One to a published service is a front.
    target = REGIONAL + "serviceAttachments/all"
    book = book_of(front("10.3.0.5", None, network="default", target=target))
    assert owner(who(book, "10.3.0.5")) == ("load-balancer", "front")


def test_the_rule_of_a_classic_vpn_gateway_is_no_load_balancer() -> None:
    target = REGIONAL + "targetVpnGateways/gw"
    book = book_of(ONE, front("34.9.9.9", "EXTERNAL", target=target))
    end = who(book, "34.9.9.9")
    assert (end.owner.kind, end.address_kind) == (OwnerKind.HYBRID, EXTERNAL)
    assert classify(who(book, "10.0.0.1"), end).path_class is PathClass.HYBRID


def test_a_nat_address_given_by_hand_is_the_gateways() -> None:
    front_subnet = subnet("10.0.0.0/24", name="front")
    far = subnet("10.5.0.0/24", name="far", network="other")
    gateway = router("34.7.7.7")
    end = who(book_of(ONE, front_subnet, far, gateway), "34.7.7.7")
    assert told(end) == ("nat", "nat", EXTERNAL, "34.7.7.7")
    # What it sends is logged by the subnetworks behind it.
    assert end.reported_by == (front_subnet.ref.self_link,)
    chosen = router("34.7.7.7", subnetworks=(subnet_link("chosen"),))
    assert who(book_of(chosen, front_subnet), "34.7.7.7").reported_by == (subnet_link("chosen"),)


def test_a_reserved_address_that_a_gateway_uses_is_the_gateways() -> None:
    address = reserved("34.7.7.7", REGIONAL + "routers/r", name="nat-ip")
    by_link = book_of(address, router(address.ref.self_link))
    assert owner(who(by_link, "34.7.7.7")) == ("nat", "nat")
    # The router was not read: the address itself names it.
    alone = book_of(address)
    assert owner(who(alone, "34.7.7.7")) == ("nat", "r")
    unread = book_of(router("projects/p/regions/us-central1/addresses/not-read"))
    assert who(unread, "34.7.7.7").owner.kind is OwnerKind.INTERNET


@pytest.mark.parametrize(
    ("user", "kind", "address_kind"),
    [
        (REGIONAL + "routers/r", OwnerKind.NAT, EXTERNAL),
        (REGIONAL + "forwardingRules/f", OwnerKind.LOAD_BALANCER, VIRTUAL),
        ("projects/p/global/forwardingRules/f", OwnerKind.LOAD_BALANCER, VIRTUAL),
        (REGIONAL + "vpnGateways/v", OwnerKind.HYBRID, EXTERNAL),
        (REGIONAL + "targetVpnGateways/v", OwnerKind.HYBRID, EXTERNAL),
        ("projects/p/zones/us-central1-a/instances/gone", OwnerKind.UNKNOWN, INTERNAL),
        (REGIONAL + "somethingNew/x", OwnerKind.UNKNOWN, INTERNAL),
    ],
)
def test_the_user_of_a_reserved_address_says_what_it_is(
    user: str, kind: OwnerKind, address_kind: AddressKind
) -> None:
    end = who(book_of(reserved("34.67.5.5", user)), "34.67.5.5")
    assert (end.owner.kind, end.address_kind) == (kind, address_kind)
    if kind is not OwnerKind.UNKNOWN:
        assert (end.owner.link, end.owner.name) == (user, user.rpartition("/")[2])


def test_a_reserved_address_without_a_user_is_ours_and_nobodys() -> None:
    address = reserved("34.67.5.5")
    end = who(book_of(address), "34.67.5.5")
    assert (end.owner.kind, end.owner.link) == (OwnerKind.UNKNOWN, address.ref.self_link)
    of_block = book_of(reserved("34.67.5.0", prefix=28))
    block = who(of_block, "34.67.5.15")
    assert (block.owner.kind, block.owner.link) == (OwnerKind.UNKNOWN, address.ref.self_link)
    assert who(of_block, "34.67.5.16").owner.kind is OwnerKind.INTERNET
    # An internal one owns nothing.
    assert who(book_of(reserved("10.0.0.8", is_external=False), ONE), "10.0.0.8").owner.link is None


@pytest.mark.parametrize(
    "purpose", ["REGIONAL_MANAGED_PROXY", "GLOBAL_MANAGED_PROXY", "INTERNAL_HTTPS_LOAD_BALANCER"]
)
def test_proxy_only_subnetworks_are_load_balancers(purpose: str) -> None:
    book = book_of(ONE, subnet("10.129.0.0/23", name="proxies", purpose=purpose))
    end = who(book, "10.129.1.255")
    assert told(end)[:3] == ("load-balancer", "proxies of proxies", INTERNAL)
    assert classify(end, who(book, "10.0.0.1")).path_class is PathClass.LOAD_BALANCER
    other = book_of(ONE, subnet("10.129.0.0/23", purpose="PRIVATE"))
    assert who(other, "10.129.1.255").owner.kind is OwnerKind.UNKNOWN


@listed(
    ("address", "kind", "name", "path_class"),
    [
        ("199.36.153.5", "google-api", "restricted.googleapis.com", PathClass.GOOGLE_APIS),
        ("199.36.153.9", "google-api", "private.googleapis.com", PathClass.GOOGLE_APIS),
        ("2600:2d00:2:2000::1", "google-api", "private.googleapis.com", PathClass.GOOGLE_APIS),
        ("142.250.1.1", "google-api", "Google APIs", PathClass.GOOGLE_APIS),
        ("35.235.240.9", "google-api", "iap", PathClass.GOOGLE_APIS),
        ("35.191.1.1", "load-balancer", "google front end", PathClass.LOAD_BALANCER),
        ("130.211.1.1", "load-balancer", "google front end", PathClass.LOAD_BALANCER),
        ("209.85.152.1", "load-balancer", "health checks", PathClass.LOAD_BALANCER),
        ("1.1.1.1", "internet", "internet", PathClass.INTERNET),
        ("203.0.113.9", "internet", "internet", PathClass.INTERNET),
        ("2606:4700::1111", "internet", "internet", PathClass.INTERNET),
        ("10.250.0.1", "unknown", "10.250.0.1", PathClass.UNKNOWN),
        ("169.254.169.254", "unknown", "169.254.169.254", PathClass.UNKNOWN),
        ("100.64.0.1", "unknown", "100.64.0.1", PathClass.UNKNOWN),
        ("fd00::1", "unknown", "fd00::1", PathClass.UNKNOWN),
    ],
)
def test_addresses_of_nobody_we_read(
    address: str, kind: str, name: str, path_class: PathClass
) -> None:
    book = book_of(ONE)
    end = who(book, address)
    assert owner(end) == (kind, name)
    assert classify(who(book, "10.0.0.1"), end).path_class is path_class
    assert classify(end, who(book, "10.0.0.1")).path_class is path_class


def test_internet_peers_are_one_owner_for_each_area() -> None:
    book = book_of(ONE)
    plain, again = who(book, "1.1.1.1"), who(book, "9.9.9.9")
    there = who(book, "1.1.1.1", area="Europe/deu")
    assert plain.owner == again.owner
    assert (there.owner.key, there.owner.area) == ("internet:Europe/deu", "Europe/deu")
    assert there.owner.name == "internet (Europe/deu)"
    assert plain.owner.area is None


def test_what_the_record_names_comes_first() -> None:
    book = book_of(ONE, front("34.9.9.9", "EXTERNAL"))
    service = who(book, "34.9.9.9", service="storage.googleapis.com")
    assert owner(service) == ("google-api", "storage.googleapis.com")
    gateway = who(book, "10.0.0.1", gateway="p/us-central1/tunnel-1")
    assert owner(gateway) == ("hybrid", "tunnel-1")
    assert gateway.owner.key == "hybrid:p/us-central1/tunnel-1"
    both = who(book, "10.0.0.1", project="p", vm="one", service="x", gateway="y")
    assert owner(both) == ("vm", "one")


@pytest.mark.parametrize("text", ["", "one", "10.0.0.256", "fe80::1%eth0", "10.0.0.1/32", "\x00"])
def test_what_is_no_address_has_no_owner(text: str) -> None:
    assert book_of(ONE).resolve(RecordedEnd(address=text)) is None
    named = RecordedEnd(address=text, project="p", vm="one")
    assert book_of(ONE).resolve(named) is None


def test_an_empty_inventory_knows_the_world_and_nothing_else() -> None:
    kinds = {"10.0.0.1": "unknown", "1.1.1.1": "internet", "199.36.153.8": "google-api"}
    assert {address: owner(who(book_of(), address))[0] for address in kinds} == kinds
    # A published list ages: who uses an address of Google's list owns it.
    book = book_of(vm("one", nic("10.0.0.1", external="8.8.4.4")))
    assert owner(who(book, "8.8.4.4")) == ("vm", "one")
