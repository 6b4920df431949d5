"""What a hub of Network Connectivity Center charges, in the bill and in savings; and peerings."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.month import tables_of
from netplan_planner.ledger import Ledger
from netplan_planner.ledger.guards import why_refused
from netplan_planner.paths.priced_paths import path_prices_of, priced_path_of
from planner.ledger.test_account import router
from support.known import known
from support.resources import resource
from support.rules.facts import NETWORK, facts_of, holding, machine

OTHER = model.SelfLink("projects/p/global/networks/other")
ROUTING = model.SelfLink("projects/p/global/networks/routing")
HUB = model.SelfLink("projects/p/locations/global/hubs/main")
GBPS = 0.5
CENT = Decimal("0.01")


def spoke(name: str, network: model.SelfLink, group: str = "default") -> model.Spoke:
    return resource(
        model.Spoke,
        f"projects/p/locations/global/spokes/{name}",
        hub=HUB,
        kind=model.SpokeKind.VPC,
        network=network,
        group=group,
        state="ACTIVE",
    )


def other(name: str, zone: str = "us-central1-a") -> model.Instance:
    """Return a machine of the other network, with an external address."""
    made = machine(name, zone=zone)
    (nic,) = made.interfaces
    return replace(
        made,
        interfaces=(
            replace(nic, network=OTHER, internal_ipv4="10.9.0.2", external_ipv4="35.1.2.3"),
        ),
    )


def facts(
    path_class: model.PathClass, *, group: str = "default", zone: str = "us-central1-a"
) -> model.Facts:
    """Return `a`, behind Cloud NAT, that sends to `b` of another network: both are spokes."""
    found = facts_of(
        machine("a"),
        other("b", zone),
        talk=(("a", "b", path_class, GBPS), ("b", "a", path_class, GBPS / 5)),
    )
    topology = "MESH" if group == "default" else "STAR"
    hub = resource(model.Hub, HUB, topology=topology)
    spokes = (spoke("a", NETWORK, group), spoke("b", OTHER, group))
    return holding(found, hubs=(hub,), spokes=spokes, routers=(router("us-central1"),))


def inside(found: model.Facts) -> model.Change:
    links = {one.name: one.ref.self_link for one in found.inventory.instances}
    return model.Change(
        kind=model.ChangeKind.INTERNAL_ADDRESS, target=links["a"], destination=links["b"]
    )


def gib(found: model.Facts, gbps: float) -> Decimal:
    """Return the volume of a steady rate: the matrix counts it as payload."""
    edge = next(one for one in known(found.traffic).edges if one.series.p95_gbps == gbps)
    return found.gib_per_month(edge.wire_bytes)


def volume(found: model.Facts) -> Decimal:
    return gib(found, GBPS) + gib(found, GBPS / 5)


def traffic_usd(found: model.Facts) -> Decimal:
    return sum((one.usd_per_month or Decimal(0) for one in tables_of(found).classes), Decimal(0))


def test_the_data_charge_of_the_hub_is_in_the_saving() -> None:
    """There 0.01 to the external address and 0.045 of Cloud NAT, back 0.01: then 0.02 each way."""
    found = facts(model.PathClass.SAME_ZONE_EXTERNAL)
    there, back = gib(found, GBPS), gib(found, GBPS / 5)
    by_hand = there * Decimal("0.055") + back * CENT - (there + back) * Decimal("0.02")
    saving = Ledger(found).value(inside(found)).saving
    assert saving.unknown == ""
    of_traffic = [line for line in saving.items if line.unit == "GiB"]
    assert sum(line.usd_per_month for line in of_traffic) == pytest.approx(by_hand)
    (charge,) = {line.name for line in of_traffic if "Connectivity Center" in line.name}
    assert charge == "Network Connectivity Center, hub main: data us-central1 → us-central1"
    # The tables of facts that are written anew differ by as much.
    assert found.traffic is not None
    edges = tuple(
        replace(edge, path_class=model.PathClass.SAME_ZONE_INTERNAL, dst_address=None)
        for edge in found.traffic.edges
    )
    after = replace(found, traffic=replace(found.traffic, edges=edges))
    assert traffic_usd(found) - traffic_usd(after) == pytest.approx(by_hand)
    # Between regions the price of the traffic stands beside the charge.
    found = facts(model.PathClass.INTER_REGION_INTERNAL, zone="europe-west1-b")
    prices = [path_prices_of(found.prices, priced_path_of(found, edge)) for edge in edges_of(found)]
    assert [[part.tiers[-1].price.usd for part in parts] for parts in prices] == [
        [Decimal("0.05"), Decimal("0.02")]
    ] * 2
    # The first GiB is free of the price of the traffic, which is of one SKU both ways.
    by_hand = volume(found) * Decimal("0.07") - Decimal("0.05")
    assert traffic_usd(found) == pytest.approx(by_hand)
    # Traffic between spokes costs the charge of the hub now.
    found = facts(model.PathClass.SAME_ZONE_INTERNAL)
    assert traffic_usd(found) == pytest.approx(volume(found) * Decimal("0.02"))
    near = holding(found, spokes=())
    assert traffic_usd(near) == 0
    # A move leaves the charge as it is.
    found = facts(model.PathClass.INTER_ZONE_INTERNAL, zone="us-central1-b")
    ledger = Ledger(found)
    link = next(one.ref.self_link for one in found.inventory.instances if one.name == "b")
    change = model.Change(kind=model.ChangeKind.ZONE, target=link, to="us-central1-a")
    saving = ledger.value(change).saving
    by_hand = volume(found) * CENT
    assert saving.usd_per_month == pytest.approx(by_hand)
    assert not any("Connectivity Center" in line.name for line in saving.items)
    # A snapshot without the price leaves the saving unknown.
    found = facts(model.PathClass.SAME_ZONE_EXTERNAL)

    class Older:
        """A price book of a snapshot that has no such row."""

        def __getattr__(self, name: str) -> object:
            return getattr(found.prices, name)

        def service_price(self, service: str, *rest: str) -> object:
            return found.prices.service_price("none" if service == "ncc_data" else service, *rest)

    saving = Ledger(replace(found, prices=Older())).value(inside(found)).saving
    assert (saving.items, saving.unknown) == ((), "no service 'none' has a price")


def edges_of(found: model.Facts) -> tuple[model.Edge, ...]:
    return known(found.traffic).edges


def test_two_spokes_that_no_hub_joins_are_not_peered() -> None:
    found = facts(model.PathClass.SAME_ZONE_EXTERNAL, group="edge")
    why = why_refused(Ledger(found).state, inside(found))
    assert why == (
        "default and other are Network Connectivity Center VPC spokes, which cannot be peered"
    )
    apart = holding(found, spokes=())
    assert why_refused(Ledger(apart).state, inside(apart)) == ""


def test_an_internal_load_balancer_of_another_spoke_is_reached_over_the_hub() -> None:
    found = facts(model.PathClass.LOAD_BALANCER)
    rule = resource(
        model.ForwardingRule,
        "projects/p/regions/us-central1/forwardingRules/front",
        ip_address="10.9.0.9",
        scheme="INTERNAL",
        network=OTHER,
        backend_service=model.SelfLink("projects/p/regions/us-central1/backendServices/b"),
    )
    edge = replace(edges_of(found)[0], dst_address="10.9.0.9")
    with_front = holding(found, forwarding_rules=(rule,))
    assert priced_path_of(with_front, edge).hub == "main"
    own = replace(rule, network=NETWORK)
    beside = holding(found, forwarding_rules=(own,))
    assert priced_path_of(beside, edge).hub == ""


def test_what_a_spoke_sends_through_a_hybrid_spoke_is_charged_too() -> None:
    found = facts(model.PathClass.HYBRID)
    tunnel = resource(
        model.VpnTunnel,
        "projects/p/regions/us-central1/vpnTunnels/t",
        router=model.SelfLink("projects/p/regions/us-central1/routers/vpn"),
    )
    assert found.traffic is not None
    owners = tuple(
        replace(o, kind=model.OwnerKind.UNKNOWN, key="hybrid:p/us-central1/t", link=None)
        if o.name == "b"
        else o
        for o in found.traffic.owners
    )

    def hub(network: model.SelfLink) -> str:
        routes = resource(
            model.Router,
            str(tunnel.router),
            project=model.ProjectId("p"),
            name="vpn",
            region=model.Region("us-central1"),
            network=network,
        )
        inventory = replace(found.inventory, vpn_tunnels=(tunnel,), routers=(routes,))
        traffic = replace(known(found.traffic), owners=owners)
        held = replace(found, inventory=inventory, traffic=traffic)
        return priced_path_of(held, next(e for e in traffic.edges if e.series.p95_gbps == GBPS)).hub

    assert (hub(ROUTING), hub(NETWORK)) == ("main", "")
