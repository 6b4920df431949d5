"""The traffic model against a made bill: the residual per SKU, and what explains it."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from netplan_planner.model import PathClass
from netplan_planner.planning.reconciling import volumes
from support.commands.run import run_verbs
from support.prices.billing_export import usage, write_flat_csv, write_parquet
from support.rules.facts import facts_to_internet

BETWEEN_ZONES = "DE9E-AFBC-A15A"


def run(path: Path, *more: str) -> tuple[int, str, str]:
    done = run_verbs(
        arguments=["prices", "reconcile", "--demo", "gecko", "--billing-export", str(path), *more],
    )
    return done.returncode, done.stdout, done.stderr


def test_the_model_can_be_priced_as_the_contract_says(tmp_path: Path) -> None:
    path = write_parquet(
        tmp_path / "bill.parquet",
        [usage(BETWEEN_ZONES, "zones", 245_000, 1960.0, effective=0.008)],
    )
    _, list_priced, _ = run(path, "--format", "json")
    _, own, _ = run(path, "--format", "json", "--contract")
    of_list = json.loads(list_priced)["skus"][0]["modelled_usd"]
    of_contract = json.loads(own)["skus"][0]["modelled_usd"]
    assert of_contract == pytest.approx(of_list * 0.8)


def test_a_row_without_an_amount_makes_the_volume_unknown(tmp_path: Path) -> None:
    bare = usage(BETWEEN_ZONES, "zones", 1, 7.0)
    bare["usage"]["amount_in_pricing_units"] = None
    rows = [usage(BETWEEN_ZONES, "zones", 245_000, 2450.0), bare]
    found = json.loads(run(write_parquet(tmp_path / "b.parquet", rows), "--format", "json")[1])
    (zones,) = (row for row in found["skus"] if row["sku_id"] == BETWEEN_ZONES)
    assert (zones["billed_gib"], zones["billed_usd"]) == (None, 2457)


def test_of_skus_that_cost_the_same_the_billed_one_is_meant() -> None:
    western, eastern = "D4B4-719D-EBAB", "AD1C-B789-40C3"
    facts = facts_to_internet(("a", "us-central1-a", "PREMIUM"), area="Europe/deu")
    found, unmodelled = volumes(facts, {western, "F274-1692-F213"}, Decimal(1))
    assert (list(found), unmodelled) == ([western], ())
    found, unmodelled = volumes(facts, {western, eastern}, Decimal(1))
    assert found == {}
    assert "the SKU that bills it is unknown" in unmodelled[0].reason


def test_what_comes_back_through_nat_is_in_the_volume_that_it_processes() -> None:
    facts = facts_to_internet(("a", "us-central1-a", "PREMIUM"))
    assert facts.traffic is not None
    (edge,) = facts.traffic.edges
    there = replace(edge, path_class=PathClass.NAT)
    back = replace(there, src=edge.dst, dst=edge.src, payload_bytes=3 * edge.payload_bytes)
    facts = replace(facts, traffic=replace(facts.traffic, edges=(there, back)))
    found, missing = volumes(facts, (), Decimal(1))
    processed = found["015F-5732-FFF0"].total
    assert processed == facts.gib_per_month(there.wire_bytes + back.wire_bytes)
    assert missing == ()


def test_rows_that_stand_in_two_files_are_refused(tmp_path: Path) -> None:
    first = usage(BETWEEN_ZONES, "zones", 120_000, 1200.0)
    second = usage(BETWEEN_ZONES, "zones", 125_000, 1250.0)
    one = write_parquet(tmp_path / "one.parquet", [first, second])
    for two in (
        write_parquet(tmp_path / "copy.parquet", [first, second]),
        write_flat_csv(tmp_path / "overlapping.csv", [second]),
        write_flat_csv(tmp_path / "joined.csv", [second], "_"),
    ):
        status, said, error = run(one, "--billing-export", str(two))
        assert (status, said) == (3, "")
        assert f"of its rows are also in {one}" in error
