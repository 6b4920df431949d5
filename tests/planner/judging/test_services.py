"""What gateways, tunnels, forwarding rules and flow logs cost, against bills worked by hand."""

from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.services import network_services
from netplan_planner.model.evidence import log_volume
from netplan_planner.planning.service_bill import ServiceBill, flow_logs, forwarding_rules
from netplan_planner.traffic.files import faults
from support.resources import resource
from support.rules.facts import NETWORK, facts_of, holding, machine

CENTRAL = model.Region("us-central1")
ROUTER = model.SelfLink(f"projects/p/regions/{CENTRAL}/routers/r")


def nat(**more: object) -> model.Router:
    gateway = model.NatGateway(name="nat", router=ROUTER, network=NETWORK, region=CENTRAL)
    return resource(model.Router, ROUTER, network=NETWORK, nats=(replace(gateway, **more),))


def facts_with(count: int = 4, **inventory: object) -> model.Facts:
    facts = facts_of(*(machine(f"vm{n:02}") for n in range(count)))
    return holding(facts, **inventory)


def only(facts: model.Facts) -> model.ServiceTotal:
    (total,) = network_services(facts)
    return total


def test_a_nat_gateway_is_paid_by_machine_and_address() -> None:
    total = only(facts_with(routers=(nat(addresses=("34.1.1.1", "34.1.1.2")),)))
    # 4 machines × 0.0014 × 730 h, 2 addresses × 0.005 × 730 h
    assert total.usd_per_month == Decimal("4.088") + Decimal("7.3")
    assert [line.sku_id for line in total.line_items] == ["32E2-4EFC-EF9F", "8515-9425-D2CE"]
    assert (total.count, total.unpriced) == (1, ())
    # Above 32 machines the gateway has one price.
    total = only(facts_with(33, routers=(nat(addresses=("34.1.1.1",)),)))
    assert total.usd_per_month == Decimal("0.044") * 730 + Decimal("3.65")
    # Machines with an address or stopped do not use a gateway.
    facts = facts_with(routers=(nat(addresses=("34.1.1.1",)),))
    first, second, *rest = facts.inventory.instances
    outside = replace(first.interfaces[0], external_ipv4="34.2.2.2")
    machines = (replace(first, interfaces=(outside,)), replace(second, status="TERMINATED"), *rest)
    facts = holding(facts, instances=machines)
    assert only(facts).line_items[0].quantity == 2 * 730
    # Addresses that google picks are at least one.
    total = only(facts_with(routers=(nat(is_auto_allocated=True),)))
    (unknown,) = total.unpriced
    assert unknown.lowest_usd_per_month == Decimal("3.65")
    assert unknown.highest_usd_per_month is None
    assert "get-status r --region=us-central1 --project=p" in unknown.what_tells


def test_vpn_tunnels_cost_by_region() -> None:
    tunnels = tuple(
        resource(
            model.VpnTunnel,
            f"projects/p/regions/{region}/vpnTunnels/{n}",
            region=model.Region(region) if region else None,
        )
        for n, region in enumerate((CENTRAL, CENTRAL, "me-central2", ""))
    )
    total = only(facts_with(vpn_tunnels=tunnels))
    assert total.usd_per_month == 730 * (2 * Decimal("0.05") + Decimal("0.08"))
    assert (total.count, len(total.unpriced)) == (4, 1)


def rules(facts: model.Facts, region: str | None, kind: str, count: int) -> ServiceBill:
    return forwarding_rules(facts.prices, region, kind, count)


def attachment(name: str, kind: str, size: str | None) -> model.VlanAttachment:
    link = model.SelfLink(f"projects/p/regions/{CENTRAL}/interconnectAttachments/{name}")
    return resource(model.VlanAttachment, link, kind=kind, bandwidth=size)


def test_vlan_attachments_cost_by_kind_size_and_state() -> None:
    found = (
        attachment("one", "DEDICATED", "BPS_10G"),
        attachment("two", "DEDICATED", "BPS_2G"),
        attachment("three", "DEDICATED", None),
    )
    total = only(facts_with(vlan_attachments=found))
    # Up to 10 Gbit/s one price: 0.10 an hour.
    assert (total.service, total.count) == ("vlan-attachments", 3)
    assert total.usd_per_month == 2 * 730 * Decimal("0.1")
    assert [one.name for one in total.unpriced] == ["VLAN attachment three"]

    # Vlan attachments are billed by their state.
    def total_of(*states: str | None) -> model.ServiceTotal:
        one = attachment("one", "DEDICATED", "BPS_10G")
        found = (replace(one, name=f"at-{at}", state=state) for at, state in enumerate(states))
        return only(facts_with(vlan_attachments=tuple(found)))

    month = 730 * Decimal("0.1")
    assert total_of("ACTIVE", "PENDING_CUSTOMER", None).usd_per_month == 3 * month
    gone = total_of("ACTIVE", "DEFUNCT")
    assert (gone.count, gone.usd_per_month, gone.unpriced) == (1, month, ())
    (bounds,) = total_of("ACTIVE", "PENDING_PARTNER").unpriced
    assert bounds.lowest_usd_per_month == 0
    assert bounds.highest_usd_per_month == month
    assert bounds.reason == (
        "it is unknown whether an attachment in state PENDING_PARTNER is billed"
    )


def test_forwarding_rules_of_a_kind_share_the_first_five() -> None:
    facts = facts_with()
    kind = "Regional Internal Passthrough Network Load Balancer"
    five, seven = rules(facts, "asia-east2", kind, 5), rules(facts, "asia-east2", kind, 7)
    # asia-east2 has prices of its own beside the global rules'.
    assert five.usd_per_month == rules(facts, "asia-east2", kind, 1).usd_per_month
    assert five.usd_per_month == Decimal("0.035") * 730
    assert seven.usd_per_month == (Decimal("0.035") + 2 * Decimal("0.014")) * 730
    everywhere = rules(facts, None, "Global External Application Load Balancer", 1)
    assert everywhere.usd_per_month == Decimal("0.025") * 730
    # Every region has a price of forwarding rules for every kind.
    for region in facts.prices.regions():
        for kind in ("Regional External Proxy Network Load Balancer", "Cloud Load Balancer"):
            found = rules(facts, region, kind, 6)
            assert (len(found.lines), found.unpriced) == (2, ()), region

    # Rules are counted by project region and kind.
    def front(n: int, scheme: str | None, target: str = "") -> model.ForwardingRule:
        link = model.SelfLink(f"projects/p/regions/{CENTRAL}/forwardingRules/{n}")
        return resource(
            model.ForwardingRule,
            link,
            ip_address=f"10.0.1.{n}",
            scheme=scheme,
            target=model.SelfLink(target) if target else None,
        )

    regional = f"projects/p/regions/{CENTRAL}"
    fronts = (
        front(1, "INTERNAL"),
        front(2, "INTERNAL"),
        front(3, "INTERNAL_MANAGED", f"{regional}/targetHttpProxies/x"),
        # Neither an endpoint nor a Classic VPN gateway's rule is a load balancer's.
        front(4, None, "all-apis"),
        front(5, "EXTERNAL", f"{regional}/targetVpnGateways/g"),
    )
    total = only(facts_with(forwarding_rules=fronts))
    assert total.count == 3
    assert total.usd_per_month == Decimal("0.025") * 730
    (unknown,) = total.unpriced
    assert "proxy instances" in unknown.reason
    # Kinds that are sold alike share the first five.
    alike = tuple(
        resource(
            model.ForwardingRule,
            f"projects/p/global/forwardingRules/{target}",
            ip_address="34.9.9.9",
            scheme="EXTERNAL_MANAGED",
            target=model.SelfLink(f"projects/p/global/{target}/x"),
        )
        for target in ("targetHttpProxies", "targetTcpProxies")
    )
    total = only(facts_with(forwarding_rules=alike))
    assert total.usd_per_month == Decimal("0.025") * 730


def test_records_are_paid_once_by_steps_and_storage() -> None:
    facts = facts_with()
    found = flow_logs(facts.prices, Decimal(20_000))
    generation = 10_240 * Decimal("0.25") + 9_760 * Decimal("0.15")
    assert model.total_usd(found.lines[:2]) == generation
    assert found.usd_per_month == generation + 20_000 * Decimal("0.25")
    alone = flow_logs(facts.prices, Decimal(20_000), is_stored=False)
    assert alone.usd_per_month == generation
    # Records that were read twice or lie outside the window are not paid again.
    facts = facts_of(
        machine("a"), machine("b"), talk=(("a", "b", model.PathClass.SAME_ZONE_INTERNAL, 1.0),)
    )
    assert facts.traffic is not None
    coverage = replace(
        facts.traffic.coverage,
        record_count=3_600,
        excluded=(
            (log_volume.REPEATED, 1_000),
            (log_volume.OUTSIDE_WINDOW, 1_500),
            (log_volume.OF_ANOTHER_LOG, 100),
            # A second configuration makes records of its own, which are paid for.
            (faults.OF_ANOTHER_CONFIGURATION, 500),
        ),
    )
    total = only(logged(replace(facts, traffic=replace(facts.traffic, coverage=coverage))))
    assert str(total.note).startswith("730,000 records/month")
    # Records of a month follow from the same hours as its bytes.
    # An hour in each of two nights: 25 hours, in which 1,000 records were made.
    assert facts.traffic is not None
    traffic = replace(facts.traffic, span_minutes=25 * 60)
    assert traffic.observed_minutes == 60
    total = only(logged(replace(facts, traffic=traffic)))
    assert str(total.note).startswith("29,200 records/month")
    # The records that were read are priced where subnetworks log.
    assert network_services(facts) == ()
    total = only(logged(facts))
    # 1,000 records in an hour of 542 bytes without metadata: 730,000 a month.
    gib = Decimal(730_000 * 542) / 2**30
    assert total.usd_per_month == gib * Decimal("0.5")
    assert str(total.note).startswith("730,000 records/month")


def logged(facts: model.Facts) -> model.Facts:
    """Return the facts with a subnetwork that keeps flow logs."""
    subnetwork = resource(
        model.Subnetwork,
        f"projects/p/regions/{CENTRAL}/subnetworks/s",
        network=NETWORK,
        flow_logs=model.FlowLogConfig(enabled=True),
    )
    return holding(facts, subnetworks=(subnetwork,))


def test_a_note_names_rows_of_the_traffic_only_where_there_is_traffic() -> None:
    facts = facts_with(routers=(nat(addresses=("34.1.1.1",)),))
    assert facts.traffic is None
    assert only(facts).note == "without the data that they process (no traffic given)"


def test_endpoints_are_no_load_balancers_and_those_of_gke_are_bounds() -> None:
    def endpoint(name: str, attachment: str) -> model.ForwardingRule:
        return resource(
            model.ForwardingRule,
            f"projects/p/regions/{CENTRAL}/forwardingRules/{name}",
            ip_address="10.0.1.9",
            scheme="" if name == "own" else None,
            target=model.SelfLink(f"projects/t/regions/{CENTRAL}/serviceAttachments/{attachment}"),
        )

    total = only(
        facts_with(forwarding_rules=(endpoint("own", "shop"), endpoint("gk3", "gke-0a-sa")))
    )
    assert (total.service, total.count) == ("psc-endpoints", 2)
    assert total.usd_per_month == Decimal("0.01") * 730
    (bounds,) = total.unpriced
    assert bounds.lowest_usd_per_month == 0
    assert bounds.highest_usd_per_month == Decimal("7.30")


def spoke(name: str, kind: model.SpokeKind, state: str | None = "ACTIVE") -> model.Spoke:
    link = model.SelfLink(f"projects/p/locations/global/spokes/{name}")
    hub = model.SelfLink("projects/p/locations/global/hubs/main")
    ref = model.ResourceRef(self_link=link)
    return model.Spoke(
        ref=ref, project=model.ProjectId("p"), name=name, hub=hub, kind=kind, state=state
    )


def test_spokes_are_paid_while_active_and_bounded_where_that_is_open() -> None:
    kinds = {
        "a": model.SpokeKind.VPC,
        "b": model.SpokeKind.VPC,
        "producer": model.SpokeKind.PRODUCER,
        "vpn": model.SpokeKind.VPN,
        "appliance": model.SpokeKind.APPLIANCE,
    }
    spokes = [spoke(name, kind) for name, kind in kinds.items()]
    idle = spoke("idle", model.SpokeKind.VPC, "INACTIVE")
    total = only(facts_with(spokes=(*spokes, idle)))
    assert (total.service, total.count) == ("hub-spokes", 5)
    # (2 + 1) × 0.10 × 730 h, the appliance 0.075 × 730 h; the first spokes of VPN are free.
    assert total.usd_per_month == Decimal("219") + Decimal("54.75")
    assert total.unpriced == ()
    assert total.note == "without the data that they send through their hub (no traffic given)"
    # Spokes that may be active have bounds and odd ones no price.
    found = (spoke("planned", model.SpokeKind.VPC, None), spoke("gateway", model.SpokeKind.OTHER))
    total = only(facts_with(spokes=found))
    assert total.usd_per_month is None
    planned, of_gateway = sorted(total.unpriced, key=lambda one: one.reason)
    assert of_gateway.reason == "the price of Network Connectivity Center spoke is unknown"
    bounds = planned.lowest_usd_per_month, planned.highest_usd_per_month
    assert bounds == (Decimal(0), Decimal(73))
