"""Every SKU id in the snapshot is one of the catalogue, for the same thing at the same price."""

import gzip
import json
from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from netplan_planner.errors import MissingDatum
from netplan_pricing import open_snapshot
from netplan_pricing.schema import NetworkKind
from support.projects.shared_data import needs_shared, shared

BOOK = open_snapshot()
NANOS = Decimal(10) ** -9
EXPECTED_COUNTS = {
    NetworkKind.INTERREGION: 1_754,
    NetworkKind.INTERNET_PREMIUM: 633,
    NetworkKind.INTERNET_STANDARD: 44,
    NetworkKind.VPN_INTERNET: 504,
    NetworkKind.VPN_INTERREGION: 1_754,
    NetworkKind.PEERING: 83,
    NetworkKind.GOOGLE_SERVICES: 42,
    NetworkKind.EXTERNAL_IP: 41,
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
        found += 1
        sku = skus()[sku_id]
        description = sku["description"]
        assert listed(sku) == [
            (tier.start, tier.price.usd) for tier in BOOK.network.tiers(entry)
        ], description
        if kind in {NetworkKind.EXTERNAL_IP, NetworkKind.PEERING}:
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
            size = fees["size_gbps"][row]
            words = f"up to {size} Gbps" if size else "VM Tier_1 networking performance"
            assert words in sku["description"]
            assert fees["region"][row] in sku["serviceRegions"]
            is_spot = sku["category"]["usageType"] == "Preemptible"
            assert is_spot == (fees["usage"][row] == "spot")
            assert listed(sku) == [(Decimal(0), usd)]
    assert found == fees.row_count == 360


@needs_shared
@pytest.mark.parametrize("table", ["component_prices", "service_prices"])
def test_sku_ids_of_a_table_are_in_the_catalogue_for_the_same_regions(table: str) -> None:
    rows = BOOK.file.table(table)
    found = 0
    for row in range(rows.row_count):
        sku_id = rows["sku_id"][row]
        if not sku_id:
            continue
        if table == "service_prices" and "Catalog" not in rows["source"][row]:
            continue  # a page's own word, of another service
        found += 1
        regions = skus()[sku_id]["serviceRegions"]
        assert rows["region"][row] in {*regions, ""}
        assert rows["region"][row] or regions == ["global"]
    assert found == {"component_prices": 11_450, "service_prices": 1_587}[table]


@needs_shared
def test_every_sku_of_the_snapshot_stands_as_the_catalogue_has_it() -> None:
    assert len(BOOK.skus) == 23_533
    for row in range(0, len(BOOK.skus), 7):
        entry = BOOK.skus.entry_of(row)
        sku = skus()[entry.sku_id]
        assert entry.description == sku["description"]
        assert list(entry.regions) == sku["serviceRegions"]
        if sku["pricingInfo"][0]["pricingExpression"]["usageUnit"] != "GBy.h":
            assert listed(sku) == [(tier.start, tier.price.usd) for tier in entry.tiers]


def test_a_sku_that_the_snapshot_does_not_hold_is_missing() -> None:
    with pytest.raises(MissingDatum, match="no SKU 'FFFF-FFFF-FFFF'"):
        BOOK.skus.entry("FFFF-FFFF-FFFF")
