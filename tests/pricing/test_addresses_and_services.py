"""Addresses, Tier_1 fees, sustained use, services, offers and shapes."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.errors import MissingDatum
from netplan_planner.model import AddressUse, PathClass, Usage, bill, total_usd
from netplan_pricing import open_snapshot
from netplan_pricing.network_prices import first_paid
from netplan_pricing.schema import NetworkKind
from support.listed import listed
from support.prices.inputs import read_csv
from support.projects.shared_data import needs_shared, shared

BOOK = open_snapshot()
CENTRAL = "us-central1"
STANDARD, UNUSED = AddressUse.STANDARD_VM, AddressUse.UNUSED_STATIC


def test_an_address_in_use_has_720_free_hours_in_a_month() -> None:
    tiers = BOOK.external_address_tiers(STANDARD, CENTRAL)
    one = bill("address", Decimal(730), tiers)
    assert [(str(line.quantity), str(line.unit_price_usd)) for line in one] == [
        ("720", "0"),
        ("10", "0.005"),
    ]
    three = bill("addresses", Decimal(3 * 730), tiers)
    assert total_usd(three) == (3 * 730 - 720) * Decimal("0.005") == Decimal("7.35")
    price = BOOK.external_address(STANDARD, CENTRAL)
    assert (price.usd, price.unit, price.sku_id) == (Decimal("0.005"), "hour", "C054-7F72-A02E")
    assert "720 hours" in price.note
    # One of Spot has no free hours.
    price = BOOK.external_address(AddressUse.SPOT_VM, CENTRAL)
    assert (price.usd, price.note) == (Decimal("0.0025"), "")


def test_unused_addresses_cost_by_region() -> None:
    assert BOOK.external_address(UNUSED, CENTRAL).usd == Decimal("0.01")
    assert BOOK.external_address(UNUSED, "asia-southeast3").usd == Decimal("0.0105")
    # Montreal and Toronto have no free first hour.
    assert BOOK.external_address(UNUSED, "northamerica-northeast1").note == ""
    with pytest.raises(MissingDatum, match="unused-static"):
        BOOK.external_address(UNUSED, "europe-north2")
    for use in AddressUse:
        with pytest.raises(MissingDatum, match="near: us-central1"):
            BOOK.external_address(use, "us-centrall1")


@needs_shared
def test_unused_addresses_agree_with_the_price_pages() -> None:
    pages = read_csv(shared("data/network/traffic_prices.csv"))
    rows = [row for row in pages if row["class"] == "external_ipv4_static_unused"]
    assert len(rows) == 42
    for row in rows:
        price = BOOK.external_address(UNUSED, row["source_location"])
        assert price.usd == Decimal(row["price_usd"])


@pytest.mark.parametrize(
    ("name", "gbps", "spot", "usd"),
    [
        ("n2-standard-32", 50, False, "0.44895"),
        ("n2d-standard-96", 75.0, False, "0.673425"),
        ("c2-standard-60", 75, True, "0.161625"),
        ("c2d-standard-112", 100, False, "0.8979"),
        ("n2-custom-64-131072", 75, False, "0.673425"),
    ],
)
def test_the_tier1_fee_of_just_that_bandwidth(name: str, gbps: float, spot: bool, usd: str) -> None:
    assert str(BOOK.tier1_fee(CENTRAL, name, gbps, is_spot=spot).usd) == usd


@listed(
    ("region", "name", "gbps", "said"),
    [
        (CENTRAL, "c3-standard-44", 50, "the Tier_1 fee of"),
        (CENTRAL, "c4a-standard-72", 100, "the Tier_1 fee of"),
        (CENTRAL, "m4-megamem-112", 100, "the Tier_1 fee of"),
        (CENTRAL, "e2-standard-32", 50, "has no Tier_1"),
        (CENTRAL, "c4n-standard-192", 400, "has no Tier_1"),
        (CENTRAL, "n2-standard-80", 100.5, "only for 50, 75, 100 Gbit/s in total"),
        (CENTRAL, "n2-standard-32", 1, "the Tier_1 fee for 1 Gbit/s"),
        (CENTRAL, "n2d-standard-96", 50.1, "the Tier_1 fee for 50.1 Gbit/s"),
        ("moon-west1", "n2-standard-80", 50, "the Tier_1 fee in"),
        (CENTRAL, "quantum-1", 50, "the Tier_1 fee of"),
    ],
)
def test_an_unknown_tier1_fee_says_why(region: str, name: str, gbps: float, said: str) -> None:
    with pytest.raises(MissingDatum, match=said):
        BOOK.tier1_fee(region, name, gbps)


@needs_shared
def test_every_tier1_fee_is_answered_as_it_stands() -> None:
    for row in read_csv(shared("data/catalog/tier1_network_prices.csv")):
        for word, is_spot in (("ondemand", False), ("spot", True)):
            for gbps in (50, 75, 100):
                price = BOOK.tier1_fee(row["region"], "n2-standard-80", gbps, is_spot=is_spot)
                cell = f"{word}_total_bandwidth_up_to_{gbps}_gbps_usd_hour"
                assert str(price.usd) == row[cell]


def test_sustained_use_by_quarters_of_the_month() -> None:
    ratio = BOOK.sustained_use_ratio
    assert ratio("n1-standard-4", 0) == 1
    assert ratio("n1-standard-4", 0.25) == 1
    assert ratio("n1-standard-4", 0.5) == Decimal("0.9")
    assert ratio("n1-standard-4", 1) == Decimal("0.7") == ratio("f1-micro", 1)
    assert ratio("custom-4-8192", 1) == Decimal("0.7")
    assert ratio("n2-standard-4", 1) == Decimal("0.8")
    assert ratio("n2-standard-4", 0.5) == (1 + Decimal("0.8678")) / 2
    assert ratio("e2-standard-4", 1) == 1
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="0 to 1"):
            ratio("n1-standard-4", wrong)
    with pytest.raises(MissingDatum, match="no sustained-use schedule"):
        ratio("q7-standard-4", 1)


@given(first=st.floats(0, 1), second=st.floats(0, 1))
def test_a_longer_run_never_costs_less(first: float, second: float) -> None:
    short, long = sorted((first, second))
    for name in ("n1-standard-4", "n2-standard-4", "c2-standard-4", "e2-standard-4"):
        ratios = [BOOK.sustained_use_ratio(name, share) for share in (short, long)]
        cost = [
            Decimal(str(share)) * ratio for share, ratio in zip((short, long), ratios, strict=True)
        ]
        assert cost[0] <= cost[1] + Decimal("1e-20")
        assert Decimal("0.7") <= ratios[1] <= ratios[0] + Decimal("1e-20") <= Decimal("1.1")


def test_the_full_month_ratio_is_that_of_the_listed_price() -> None:
    for shape in BOOK.offered(CENTRAL):
        row = next(BOOK.machine_batch([(CENTRAL, shape.machine_type)]))
        if row.sustained_use_usd_per_hour and row.on_demand_usd_per_hour:
            listed = row.sustained_use_usd_per_hour / row.on_demand_usd_per_hour
            ratio = BOOK.sustained_use_ratio(shape.machine_type, 1)
            assert abs(listed - ratio) < Decimal("0.0001")


def test_services_of_the_price_pages() -> None:
    services = BOOK.services
    assert services.one("vpn_tunnel", "europe-west6").usd == Decimal("0.065")
    assert BOOK.nat_data(CENTRAL).usd == Decimal("0.045")
    steps = services.tiers("vpc_flow_log_generation")
    assert [(str(step.start), str(step.price.usd)) for step in steps] == [
        ("0", "0.25"),
        ("10240", "0.15"),
        ("30720", "0.075"),
        ("51200", "0.05"),
    ]
    assert services.tiers("general_log_storage")[0].start == 50
    gateway = services.conditions("cloud_nat_gateway")
    assert len(gateway) == 2
    with pytest.raises(MissingDatum, match="several prices"):
        services.tiers("cloud_nat_gateway")
    assert services.one("cloud_nat_gateway", condition=gateway[1]).usd == Decimal("0.0014")
    with pytest.raises(MissingDatum, match="the price of VPN tunnel"):
        services.one("vpn_tunnel", "moon-west1")
    with pytest.raises(MissingDatum, match="near: vpn_tunnel"):
        services.one("vpn_tunnle")
    with pytest.raises(MissingDatum, match="4 price steps"):
        services.one("vpc_flow_log_generation")
    # Former and resold prices are not shipped.
    assert not [name for name in services.names if "historical" in name or "resale" in name]
    assert "medium confidence" in services.one("lb_data_both", "asia-south1").note


@needs_shared
def test_pages_answer_only_for_what_the_catalogue_does_not_price() -> None:
    table = BOOK.file.table("service_prices")
    of_pages = {
        (table["service"][row], table["usd"][row])
        for row in range(table.row_count)
        if table["source"][row] != "Cloud Billing Catalog API"
    }
    pages = read_csv(shared("data/network/traffic_prices.csv"))
    own = {
        *(("gke_cluster", "0.10"), ("gke_extended_support", "0.50")),
        *(("gke_service_networking", "0.00006667"), ("ncc_data", "0.02")),
    }
    assert of_pages - own <= {(row["class"], row["price_usd"]) for row in pages}
    assert {service for service, _ in of_pages} == {
        *("cloud_nat_gateway", "gcs_multiregion_to_vm", "general_log_storage", "ingress"),
        *("lb_data_both", "log_retention", "network_log_storage", "same_zone_external_ip"),
        *(service for service, _ in own),
    }


def test_googles_example_of_spokes_and_their_data() -> None:
    """cloud.google.com/network-connectivity/pricing: 30 days, 17 TiB between two VPC spokes."""
    hours = bill("VPC", Decimal(2 * 24 * 30), BOOK.service_price("ncc_spoke", "", "VPC Network"))
    data = bill("data", Decimal(17 * 1024), BOOK.service_price("ncc_data"))
    assert (total_usd(hours), total_usd(data)) == (Decimal("144.0"), Decimal("348.16"))
    # The first spokes of VPN and Interconnect are free: three of 31 days, which are 2,232 h.
    for kind, count, usd in (
        ("VPN", 3, 0),
        ("Interconnect", 4, "51.6"),
        ("Router Appliance", 1, "54.75"),
    ):
        tiers = BOOK.service_price("ncc_spoke", "", kind)
        assert total_usd(bill("spokes", Decimal(count * 730), tiers)) == Decimal(usd)


@needs_shared
def test_the_pages_and_the_catalogue_agree_where_both_know_a_price() -> None:
    """Two readings of one price, months apart: a page's figure is one of the catalogue's."""
    services = set(BOOK.services.names)
    compared = 0
    for row in read_csv(shared("data/network/traffic_prices.csv")):
        known = row["class"] in services and row["price_usd"]
        if not known or "more than 32" in row["usage_tier"]:
            continue
        place = row["source_location"]
        table = BOOK.file.table("service_prices")
        found = {
            Decimal(table["usd"][n])
            for n in range(table.row_count)
            if table["service"][n] == row["class"]
            and (table["region"][n] in {place, ""} or place in {"any", "global"})
        }
        assert Decimal(row["price_usd"]) in found, row
        compared += 1
    assert compared > 60


def test_interconnect_is_found_by_what_the_catalogue_calls_it() -> None:
    prices = {
        entry.source_place: BOOK.network.tiers(entry)
        for entry in BOOK.network.entries(NetworkKind.PEERING)
    }
    local = prices["Cloud Interconnect - Local Data Transfer in Europe"]
    assert [(str(tier.start), str(tier.price.usd)) for tier in local] == [("0", "0.02")]
    assert prices["Cloud Interconnect - Data Transfer Africa"] == ()
    assert first_paid(prices["Cloud Interconnect for MPS - Local Data Transfer in Europe"]) is None


def test_shapes() -> None:
    names = (
        "n1-standard-4 n4a-custom-8-16384 g2-custom-48-196608 e2-custom-micro-2048 g4-standard-6"
    )
    shapes = [shape for name in names.split() if (shape := BOOK.shape(name)) is not None]
    assert [shape.vcpus for shape in shapes] == [4, 8, 48, 2, 6]
    # The last one has a part of a GPU.
    assert [shape.gpu_count for shape in shapes] == [0, 0, 4, 0, 1]
    assert [shape.memory_gib for shape in shapes[:2]] == [15.0, 16.0]
    assert (shapes[1].architecture, shapes[3].is_shared_core) == ("ARM64", True)
    for unknown in ("n2-standard-44", "", "x9-custom-4-8192", "custom-4-8192-ext-ext"):
        assert BOOK.shape(unknown) is None


@needs_shared
def test_offers_are_those_of_the_list() -> None:
    rows = read_csv(shared("data/catalog/machine_type_regions.csv.gz"))
    listed = {(row["region"], row["machine_type"]): row["deprecation"] or None for row in rows}
    found = {
        (region, shape.machine_type): shape.deprecation
        for region in BOOK.regions()
        for shape in BOOK.offered(region)
    }
    assert found.keys() == listed.keys()
    assert all(found[pair] == state for pair, state in listed.items() if state)
    assert len(BOOK.regions()) == 43


def test_offers_and_zones() -> None:
    names = [shape.machine_type for shape in BOOK.offered(CENTRAL)]
    assert names == sorted(names)
    assert BOOK.is_offered(CENTRAL, "n2-standard-4")
    assert BOOK.is_offered(CENTRAL, "n2-custom-4-8192")
    assert not BOOK.is_offered(CENTRAL, "c2-custom-4-8192")
    assert not BOOK.is_offered("africa-south1", "n4a-custom-4-8192")
    for name in ("n2-standard-4", "n2-custom-4-8192"):
        assert not BOOK.is_offered("moon-west1", name)
    with pytest.raises(MissingDatum, match="no region"):
        BOOK.offered("moon-west1")
    # Zones are known or unknown, never empty.
    assert "us-central1-a" in (BOOK.types.zones("n2-standard-4") or ())
    assert BOOK.types.zones("c4n-standard-8") is None


def test_every_source_and_date_is_stated() -> None:
    prices = [
        BOOK.machine(CENTRAL, "n2-standard-4"),
        BOOK.machine(CENTRAL, "n2-custom-4-8192", Usage.SPOT),
        BOOK.external_address(STANDARD, CENTRAL),
        BOOK.tier1_fee(CENTRAL, "n2-standard-32", 50),
        BOOK.nat_data(CENTRAL),
        BOOK.traffic(PathClass.INTER_ZONE_INTERNAL, src_region=CENTRAL)[0].price,
    ]
    for price in prices:
        assert price.source
        assert price.description
        assert price.as_of.year >= 2026
