"""Prices of sole-tenant nodes: by hand, and beside the SKUs of nodes in the catalogue."""

import gzip
import json
import re
from decimal import Decimal
from typing import Any

import pytest

from netplan_planner.errors import MissingDatum
from netplan_planner.model import Usage
from netplan_pricing import open_prices
from support.projects.shared_data import needs_shared, shared

_SERIES = {"": "n1", "compute-optimized": "c2", "memory-optimized": "m1", "n2d amd": "n2d"}
_SERIES |= {"m3 memory-optimized": "m3"}
NODES = {
    "c2": "c2-node-60-240",
    "c3": "c3-node-176-704",
    "c3d": "c3d-node-360-1440",
    "c4": "c4-node-192-720",
    "h3": "h3-node-88-352",
    "m1": "m1-node-96-1433",
    "m3": "m3-node-128-1952",
    "n1": "n1-node-96-624",
    "n2": "n2-node-80-640",
    "n2d": "n2d-node-224-896",
    "n4d": "n4d-node-96-384",
}
"""A size for each series, of its documented form."""


def test_a_node_costs_its_vcpus_and_memory_and_a_tenth_more() -> None:
    book = open_prices()
    price = book.sole_tenant_node("us-central1", "n2-node-80-640", Usage.ON_DEMAND)
    core, ram = Decimal("0.031611"), Decimal("0.004237")
    assert price.usd == (80 * core + 640 * ram) * Decimal("1.1")
    assert "80 × core 0.031611 + 640 × ram 0.004237" in price.description
    # A full month of N2 is 20 % cheaper, its premium too.
    assert book.sole_tenant_node("us-central1", "n2-node-80-640").usd == price.usd * Decimal("0.8")
    # C3 has no such discount.
    prices = [
        book.sole_tenant_node("us-central1", "c3-node-176-704", usage).usd
        for usage in (Usage.ON_DEMAND, Usage.SUSTAINED_USE)
    ]
    assert prices[0] == prices[1]


@pytest.mark.parametrize(
    "node_type",
    [
        *("n1-node", "n1-node-96", "n1-standard-96", "n1-node-96-624-lssd", "n1-node-0-624"),
        *("a2-highgpu-node-96-680", "g2-node-96-384", "m2-node-416-8832", "m4-node-224-2976"),
        *("x9-node-96-624", ""),
    ],
)
def test_what_no_source_prices_has_no_price(node_type: str) -> None:
    with pytest.raises(MissingDatum, match="the price of the node type"):
        open_prices().sole_tenant_node("us-central1", node_type)


def test_no_commitment_has_a_price_of_a_node() -> None:
    with pytest.raises(MissingDatum, match="cud-1y"):
        open_prices().sole_tenant_node("us-central1", "n1-node-96-624", Usage.CUD_1Y)


def _of_catalogue(skus: list[dict[str, Any]]) -> dict[tuple[str, str, str], Decimal]:
    """Dollars an hour by series, part and region, the premium included."""
    found: dict[tuple[str, str, str], dict[bool, Decimal]] = {}
    told = re.compile(
        r"(sole tenancy premium for )?(.*?) ?sole tenancy instance (core|ram)(?: running)? in ",
        re.IGNORECASE,
    )
    for sku in skus:
        said = told.match(sku["description"])
        if said is None or sku["category"]["usageType"] != "OnDemand":
            continue
        series = _SERIES.get(said[2].lower(), said[2].lower())
        rate = sku["pricingInfo"][0]["pricingExpression"]["tieredRates"][-1]["unitPrice"]
        usd = int(rate["units"]) + Decimal(rate["nanos"]).scaleb(-9)
        for region in sku["serviceRegions"]:
            # Some have two SKUs of one price.
            found.setdefault((series, said[3].lower(), region), {})[bool(said[1])] = usd
    return {key: sum(of.values(), Decimal(0)) for key, of in found.items() if len(of) == 2}


@needs_shared
def test_prices_are_those_of_the_skus_of_nodes_but_for_a_few_places() -> None:
    held = gzip.decompress(shared("data/catalog/skus_2026-04-30.json.gz").read_bytes())
    listed, book = _of_catalogue(json.loads(held)["skus"]), open_prices()
    apart: dict[tuple[str, str], Decimal] = {}
    count = 0
    for series, node_type in NODES.items():
        vcpus, gib = map(int, node_type.split("-")[2:])
        for of, part, region in list(listed):
            if of != series or part != "core" or (series, "ram", region) not in listed:
                continue
            try:
                own = book.sole_tenant_node(region, node_type, Usage.ON_DEMAND).usd
            except MissingDatum:
                continue
            usd = vcpus * listed[series, "core", region] + gib * listed[series, "ram", region]
            count += 1
            if abs(own / usd - 1) > Decimal("0.002"):
                apart[series, region] = own / usd
    assert count > 350
    assert all(Decimal("0.95") < ratio < Decimal("1.09") for ratio in apart.values()), apart
    assert len(apart) <= 6, apart
