"""What traffic costs: gateways on the way, other regions, and what has no price of its own."""

from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.planning.traffic_bill import traffic_by_class, zone_pairs
from support.rules.facts import NETWORK, facts_of, machine

CENTRAL = "us-central1"


def other(
    kind: model.OwnerKind, name: str, region: str = "", area: str = "", link: str = ""
) -> model.Owner:
    return model.Owner(
        kind=kind,
        key=f"{kind.value}:{name}",
        name=name,
        region=model.Region(region) if region else None,
        area=area or None,
        link=model.SelfLink(link) if link else None,
    )


def with_addresses(facts: model.Facts, address: str | None) -> model.Facts:
    assert facts.traffic is not None
    edges = tuple(replace(edge, dst_address=address) for edge in facts.traffic.edges)
    return replace(facts, traffic=replace(facts.traffic, edges=edges))


def facts_with(
    *talk: tuple[model.PathClass, model.Owner, float],
    back: bool = False,
    address: str | None = None,
) -> model.Facts:
    """Return facts of one machine in us-central1 that sends to each owner, or gets from it."""
    names = tuple(f"peer{n}" for n in range(len(talk)))
    facts = facts_of(
        machine("a"),
        *(machine(name) for name in names),
        talk=tuple(
            ((name, "a") if back else ("a", name)) + (path_class, gbps)
            for name, (path_class, _, gbps) in zip(names, talk, strict=True)
        ),
    )
    assert facts.traffic is not None
    by_name = dict(zip(names, (owner for _, owner, _ in talk), strict=True))
    owners = tuple(by_name.get(owner.name, owner) for owner in facts.traffic.owners)
    return with_addresses(replace(facts, traffic=replace(facts.traffic, owners=owners)), address)


def only(facts: model.Facts) -> model.ClassTotal:
    (total,) = traffic_by_class(facts)
    return total


def priced(facts: model.Facts, gib: Decimal, **route: str) -> Decimal:
    tiers = facts.prices.traffic(model.PathClass.INTERNET, src_region=CENTRAL, **route)
    return model.total_usd(model.bill("t", gib, tiers))


USA = other(model.OwnerKind.INTERNET, "internet (usa)", area="North America/usa")
SOMEWHERE = other(model.OwnerKind.INTERNET, "internet")


def test_what_comes_back_through_nat_is_processed_too() -> None:
    total = only(facts_with((model.PathClass.NAT, USA, 0.1), back=True))
    assert total.direction is model.Direction.RECEIVED
    (line,) = total.line_items
    assert (line.sku_id, line.unit_price_usd) == ("015F-5732-FFF0", Decimal("0.045"))
    assert total.usd_per_month == total.gib_per_month * Decimal("0.045")
    assert "Cloud NAT also charges for received data" in total.price_note
    # Other traffic that comes in is not billed.
    total = only(facts_with((model.PathClass.INTERNET, USA, 0.1), back=True))
    assert (total.usd_per_month, total.unpriced) == (None, ())
    assert total.price_note == "not billed to the receiver"


def test_one_unpriced_peer_does_not_blank_its_class() -> None:
    facts = facts_with(
        (model.PathClass.INTERNET, USA, 0.1), (model.PathClass.INTERNET, SOMEWHERE, 0.02)
    )
    total = only(facts)
    (unknown,) = total.unpriced
    known = total.gib_per_month - unknown.quantity
    assert (
        total.usd_per_month == model.total_usd(total.line_items) == priced(facts, known, area="usa")
    )
    assert unknown.name == "internet, us-central1"
    assert "metadata" in unknown.what_tells
    # All of it to the cheapest area, whose first steps are used up, or the dearest from the first.
    low, high = unknown.lowest_usd_per_month, unknown.highest_usd_per_month
    assert low is not None
    assert high is not None
    cheapest = priced(facts, known + unknown.quantity, area="usa") - priced(
        facts, known, area="usa"
    )
    assert cheapest - 10 < low <= cheapest
    assert priced(facts, unknown.quantity, area="chn") <= high < unknown.quantity * Decimal("0.23")


def test_nat_keeps_the_price_of_its_work_where_the_area_is_unknown() -> None:
    total = only(facts_with((model.PathClass.NAT, SOMEWHERE, 0.1)))
    assert total.usd_per_month == total.gib_per_month * Decimal("0.045")
    (unknown,) = total.unpriced
    assert unknown.quantity == total.gib_per_month
    assert unknown.lowest_usd_per_month


def test_google_apis_are_unknown_between_free_and_another_region() -> None:
    storage = other(model.OwnerKind.GOOGLE_API, "storage.googleapis.com")
    total = only(facts_with((model.PathClass.GOOGLE_APIS, storage, 0.1)))
    assert total.usd_per_month is None
    (unknown,) = total.unpriced
    assert unknown.lowest_usd_per_month == 0
    assert unknown.highest_usd_per_month
    assert "gcloud storage buckets list" in unknown.what_tells
    # Reading from them is not said to be free.
    total = only(facts_with((model.PathClass.GOOGLE_APIS, storage, 0.1), back=True))
    assert total.usd_per_month is None
    (unknown,) = total.unpriced
    assert (unknown.quantity, unknown.highest_usd_per_month) == (total.gib_per_month, None)
    assert "a bucket elsewhere" in unknown.reason


def test_a_google_service_whose_name_tells_its_region_has_its_price() -> None:
    here = other(model.OwnerKind.GOOGLE_API, "us-central1-aiplatform.googleapis.com")
    total = only(facts_with((model.PathClass.GOOGLE_APIS, here, 0.1)))
    assert (total.usd_per_month, total.unpriced) == (Decimal(0), ())
    there = other(model.OwnerKind.GOOGLE_API, "storage.europe-west1.rep.googleapis.com")
    total = only(facts_with((model.PathClass.GOOGLE_APIS, there, 0.1)))
    assert total.usd_per_month is None
    assert (
        "the catalog frees only Google services of the same region, not from"
        in total.unpriced[0].reason
    )


def rule(region: str, scheme: str = "INTERNAL", target: str = "") -> model.ForwardingRule:
    link = model.SelfLink(f"projects/p/regions/{region}/forwardingRules/front")
    return model.ForwardingRule(
        ref=model.ResourceRef(self_link=link),
        project=model.ProjectId("p"),
        name="front",
        ip_address="10.9.9.9",
        scheme=scheme,
        region=model.Region(region),
        network=NETWORK,
        target=model.SelfLink(target) if target else None,
    )


def balanced(front: model.ForwardingRule, *, back: bool = False) -> model.Facts:
    owner = other(
        model.OwnerKind.LOAD_BALANCER, "front", link=front.ref.self_link, region=front.region or ""
    )
    talk = (model.PathClass.LOAD_BALANCER, owner, 0.1)
    facts = facts_with(talk, back=back, address="10.9.9.9")
    return replace(facts, inventory=replace(facts.inventory, forwarding_rules=(front,)))


def test_a_load_balancer_in_another_region_has_the_way_there_on_top() -> None:
    near = only(balanced(rule(CENTRAL)))
    assert near.usd_per_month == near.gib_per_month * Decimal("0.008")
    far = only(balanced(rule("europe-west1")))
    skus = {line.sku_id for line in far.line_items}
    assert len(skus) == 2
    way = facts_of(machine("a")).prices.traffic(
        model.PathClass.INTER_REGION_INTERNAL, src_region=CENTRAL, dst_region="europe-west1"
    )
    between = model.total_usd(model.bill("t", far.gib_per_month, way))
    assert between > near.usd_per_month
    assert far.usd_per_month == far.gib_per_month * Decimal("0.008") + between


def test_an_endpoint_of_private_service_connect_is_paid_for_both_directions() -> None:
    """$0.01 a GiB (SKU C40A-084F-09B4), and nothing for the endpoint of a GKE control plane."""
    published = f"projects/t/regions/{CENTRAL}/serviceAttachments/"
    for back in (False, True):
        paid = only(balanced(rule(CENTRAL, "", f"{published}shop"), back=back))
        assert paid.usd_per_month == paid.gib_per_month * Decimal("0.01") > 0
        free = only(balanced(rule(CENTRAL, "", f"{published}gke-0a-sa"), back=back))
        assert (free.usd_per_month, free.unpriced) == (Decimal(0), ())
    (line,) = only(balanced(rule(CENTRAL, "", f"{published}shop"))).line_items
    assert line.sku_id == "C40A-084F-09B4"


def test_the_kind_of_a_load_balancer_decides_where_kinds_differ() -> None:
    """In asia-southeast2 an internal application load balancer is dearer than most others."""
    prices = {}
    for kind, target in (
        ("Passthrough Network", ""),
        ("Application", "projects/p/regions/asia-southeast2/targetHttpProxies/x"),
    ):
        scheme = "INTERNAL_MANAGED" if target else "INTERNAL"
        total = only(balanced(rule("asia-southeast2", scheme, target=target)))
        name = f"Regional Internal {kind} Load Balancer"
        (work,) = [one for one in total.line_items if one.unit_price_usd < Decimal("0.02")]
        (tier,) = balanced(rule(CENTRAL)).prices.service_price(
            "lb_data_inbound", "asia-southeast2", name
        )
        assert work.sku_id == tier.price.sku_id
        prices[kind] = work.unit_price_usd
    assert prices == {"Passthrough Network": Decimal("0.00981"), "Application": Decimal("0.008")}


def test_a_load_balancer_of_unknown_kind_is_bounded_by_all_kinds() -> None:
    owner = other(model.OwnerKind.LOAD_BALANCER, "proxies", region="asia-southeast2")
    total = only(facts_with((model.PathClass.LOAD_BALANCER, owner, 0.1)))
    (unknown,) = total.unpriced
    gib = total.gib_per_month
    assert unknown.lowest_usd_per_month == gib * Decimal("0.008")
    assert unknown.highest_usd_per_month == gib * Decimal("0.00981")
    # The way to the other region has its own price all the same.
    assert total.usd_per_month


def test_what_a_passthrough_load_balancer_answers_is_internet_traffic_of_the_machine() -> None:
    """`classify` makes it that, addressed by the front, whose network tier has the price."""
    facts = facts_with((model.PathClass.INTERNET, USA, 0.1), address="10.9.9.9")
    totals = {}
    for tier in ("PREMIUM", "STANDARD"):
        front = replace(rule(CENTRAL, "EXTERNAL"), network_tier=tier)
        fronted = replace(facts, inventory=replace(facts.inventory, forwarding_rules=(front,)))
        totals[tier] = only(fronted)
    premium, standard = (total.usd_per_month for total in totals.values())
    assert premium == priced(facts, totals["PREMIUM"].gib_per_month, area="usa")
    assert standard is not None
    assert premium > standard > 0


def test_what_comes_in_through_an_own_passthrough_load_balancer_is_processed() -> None:
    front = rule(CENTRAL, "EXTERNAL")
    clients = facts_with((model.PathClass.LOAD_BALANCER, USA, 0.1), back=True, address="10.9.9.9")
    inventory = replace(clients.inventory, forwarding_rules=(front,))
    total = only(replace(clients, inventory=inventory))
    assert total.direction is model.Direction.RECEIVED
    assert total.usd_per_month == total.gib_per_month * Decimal("0.008")
    # Proxies and health checks are no front of which the address is known.
    proxies = other(model.OwnerKind.LOAD_BALANCER, "proxies")
    unknown = only(facts_with((model.PathClass.LOAD_BALANCER, proxies, 0.1), back=True))
    assert (unknown.usd_per_month, unknown.line_items) == (None, ())
    assert "data processed by proxies" in unknown.price_note


def tunnel(peer: str | None = None) -> model.VpnTunnel:
    return model.VpnTunnel(
        ref=model.ResourceRef(
            self_link=model.SelfLink(f"projects/p/regions/{CENTRAL}/vpnTunnels/t")
        ),
        project=model.ProjectId("p"),
        name="t",
        region=model.Region(CENTRAL),
        peer_gateway=model.SelfLink(peer) if peer else None,
    )


def through(one: model.VpnTunnel | None) -> model.ClassTotal:
    owner = model.Owner(kind=model.OwnerKind.HYBRID, key=f"hybrid:p/{CENTRAL}/t", name="t")
    facts = facts_with((model.PathClass.HYBRID, owner, 0.1))
    tunnels = (one,) if one else ()
    return only(replace(facts, inventory=replace(facts.inventory, vpn_tunnels=tunnels)))


def test_what_a_vpn_tunnel_carries_has_a_price_or_bounds() -> None:
    own = through(tunnel("projects/p/regions/europe-west1/vpnGateways/g"))
    assert {line.sku_id for line in own.line_items}
    assert own.usd_per_month is not None
    assert own.usd_per_month > own.gib_per_month * Decimal("0.04")
    away = through(tunnel())
    (unknown,) = away.unpriced
    assert unknown.lowest_usd_per_month
    assert unknown.highest_usd_per_month
    unnamed = through(None)
    assert unnamed.unpriced[0].lowest_usd_per_month is None
    assert (
        "whether Cloud VPN, Interconnect or an appliance carries the traffic is unknown"
        in unnamed.price_note
    )


def test_the_external_ipv6_address_of_a_neighbour_has_no_known_price() -> None:
    facts = facts_of(
        machine("a"), machine("b"), talk=(("a", "b", model.PathClass.SAME_ZONE_EXTERNAL, 1.0),)
    )
    assert only(with_addresses(facts, "34.1.2.3")).usd_per_month
    total = only(with_addresses(facts, "2600:1900::1"))
    assert total.usd_per_month is None
    (unknown,) = total.unpriced
    assert unknown.lowest_usd_per_month == 0
    assert unknown.highest_usd_per_month == total.gib_per_month * Decimal("0.01")
    (pair,) = zone_pairs(with_addresses(facts, "2600:1900::1"))
    assert (pair.usd_per_month, len(pair.unpriced)) == (None, 1)
