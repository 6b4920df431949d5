"""Every SKU id in the snapshot is one of the catalogue, for the same thing at the same price."""

import gzip
import json
from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from netplan_pricing import open_snapshot
from netplan_pricing.schema import NetworkKind
from support.shared_data import needs_shared, shared

BOOK = open_snapshot()
NANOS = Decimal(10) ** -9
EXPECTED_COUNTS = {
    NetworkKind.INTERREGION: 1_084,
    NetworkKind.INTERNET_PREMIUM: 396,
    NetworkKind.VPN_INTERNET: 396,
    NetworkKind.INTERNET_STANDARD: 33,
    NetworkKind.GOOGLE_SERVICES: 33,
    NetworkKind.EXTERNAL_IP: 33,
    NetworkKind.INTERZONE: 2,
    NetworkKind.INTRAZONE: 1,
}


@cache
def skus() -> dict[str, Any]:
    content = gzip.decompress(shared("data/catalog/skus_2026-04-30.json.gz").read_bytes())
    return {sku["skuId"]: sku for sku in json.loads(content)["skus"]}


def listed(sku: dict[str, Any]) -> list[tuple[Decimal, Decimal]]:
    """Return the steps of a catalogue entry."""
    rates = sku["pricingInfo"][0]["pricingExpression"]["tieredRates"]
    return [
        (
            Decimal(str(rate["startUsageAmount"])),
            int(rate["unitPrice"].get("units", 0)) + rate["unitPrice"]["nanos"] * NANOS,
        )
        for rate in rates
    ]


@needs_shared
@pytest.mark.parametrize("kind", list(NetworkKind))
def test_network_sku_ids_are_those_of_the_catalogue(kind: NetworkKind) -> None:
    found = 0
    for entry in BOOK.network.entries(kind):
        sku_id = BOOK.network.sku_id(entry)
        if not sku_id:
            continue
        found += 1
        sku = skus()[sku_id]
        description = sku["description"]
        assert listed(sku) == [
            (tier.start, tier.price.usd) for tier in BOOK.network.tiers(entry)
        ], description
        if kind is NetworkKind.EXTERNAL_IP:
            assert description == entry.source_place
        elif entry.source_place:
            assert f"from {entry.source_place}" in description
            if kind is not NetworkKind.INTERNET_STANDARD:
                assert description.endswith(f" to {entry.destination_place}")
    assert found == EXPECTED_COUNTS.get(kind, 0)


@needs_shared
def test_tier1_sku_ids_are_those_of_the_catalogue() -> None:
    fees = BOOK.file.table("tier1_fees")
    found = 0
    for row in range(fees.row_count):
        sku_id, usd = fees["sku_id"][row], fees["usd"].decimal(row)
        if sku_id:
            found += 1
            sku = skus()[sku_id]
            assert f"up to {fees['size_gbps'][row]} Gbps" in sku["description"]
            assert fees["region"][row] in sku["serviceRegions"]
            is_spot = sku["category"]["usageType"] == "Preemptible"
            assert is_spot == (fees["usage"][row] == "spot")
            assert listed(sku) == [(Decimal(0), usd)]
    assert found > 200


@needs_shared
def test_sku_ids_of_the_price_pages_are_in_the_catalogue_or_another_service() -> None:
    table = BOOK.file.table("service_prices")
    ids = {sku_id for sku_id in table["sku_id"].texts() if sku_id}
    other_service = {"143F-A1B0-E0BE"}  # Cloud Logging
    assert ids - set(skus()) == other_service


def test_machine_prices_carry_no_sku_id_because_their_table_has_none() -> None:
    assert set(BOOK.file.table("component_prices")["sku_id"].texts()) == {""}
    assert BOOK.machine("us-central1", "n2-standard-4").sku_id is None
