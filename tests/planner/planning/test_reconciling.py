"""The traffic model against a made bill: the residual per SKU, and what explains it."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from netplan_planner.model import PathClass
from netplan_planner.planning.reconciling import volumes
from support.commands.run import run_verbs
from support.prices.billing_export import usage, write_flat_csv, write_parquet
from support.projects.plans import change, plan
from support.rules.facts import facts_to_internet

BETWEEN_ZONES = "DE9E-AFBC-A15A"
IN_ZONE = "14F9-7705-2FD4"


def bill(folder: Path) -> Path:
    return write_parquet(
        folder / "bill.parquet",
        [
            usage(BETWEEN_ZONES, "Network Inter Zone Data Transfer Out", 245_000, 2450.0),
            usage("D0CC-50DF-59D2", "Network Inter Zone Data Transfer In", 245_000, 0.0),
            usage("2222-2222-2222", "A disk", 100, 17.0, unit="gibibyte month", credit=-2.0),
            usage("984A-1F27-2D1F", "Network Data Transfer Out via Carrier Peering Network -"
                  " Americas Based", 12, 0.48),
        ],
    )  # fmt: skip


def run(path: Path, *more: str) -> tuple[int, str, str]:
    done = run_verbs(
        arguments=["prices", "reconcile", "--demo", "gecko", "--billing-export", str(path), *more],
    )
    return done.returncode, done.stdout, done.stderr


def first_said(text: str, basis: str) -> str:
    """Return what stands before the line that says what is compared, as one line."""
    before, found, _ = " ".join(text.split()).partition(basis)
    assert found, text
    return before


def test_the_balance_of_a_sku_is_stated_and_explained(tmp_path: Path) -> None:
    status, said, error = run(bill(tmp_path), "--format", "json")
    assert status == 0, error
    found = json.loads(said, parse_float=Decimal)
    assert found["billed_hours"] == 744
    by_id = {row["sku_id"]: row for row in found["skus"]}
    zones = by_id[BETWEEN_ZONES]
    # 238,175 GiB in 730 hours are 242,743 in the 744 of October.
    assert abs(zones["modelled_gib"] - 242_743) < 2
    assert zones["billed_gib"] == 245_000
    assert abs(zones["residual_gib"] - 2_257) < 2
    assert abs(zones["residual_usd"] - Decimal("22.57")) < Decimal("0.02")
    assert zones["path_classes"][0]["path_class"] == "same-zone-external"
    assert "stay in one zone and are billed as between zones" in zones["note"]
    note = by_id["984A-1F27-2D1F"]["note"]
    assert note.startswith("nothing in the flow records goes this way; older than a known change")
    assert found["other_usd"] == 17
    # What comes in is free: it is on the bill, and no line of the balance.
    assert "D0CC-50DF-59D2" not in by_id


def test_what_of_the_inventory_was_not_read_is_said(tmp_path: Path) -> None:
    planned = tmp_path / "plan.json"
    planned.write_text(json.dumps(plan(change("google_dataproc_cluster.d", {"name": "d"}))))
    told = f"{planned}: google_dataproc_cluster.d: google_dataproc_cluster is not read yet"
    status, out, _ = run(bill(tmp_path), "--inventory", str(planned), "--output", "json")
    assert status == 0
    assert [one for one in json.loads(out)["incomplete"] if one.startswith(told)]
    _, text, _ = run(bill(tmp_path), "--inventory", str(planned))
    assert "google_dataproc_cluster is not read yet" in " ".join(text.split())


def test_as_text_and_csv(tmp_path: Path) -> None:
    path = write_flat_csv(
        tmp_path / "bill.csv",
        [usage(BETWEEN_ZONES, "Network Inter Zone Data Transfer Out", 245_000, 2450.0)],
    )
    status, said, error = run(path)
    assert status == 0, error
    assert "2026-10-01 00:00 to 2026-11-01 00:00, 744 h" in said
    assert "+0.9%" in said
    assert "traffic in all" in said
    status, said, error = run(path, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(said)))
    assert rows[0]["sku_id"] == BETWEEN_ZONES
    assert "same-zone-external 24274" in rows[0]["path_classes"]


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


def test_of_other_projects_nothing_is_compared(tmp_path: Path) -> None:
    rows = [
        usage(BETWEEN_ZONES, "zones", 245_000, 2450.0),
        usage(BETWEEN_ZONES, "zones", 1_000_000, 10_000.0, project="another"),
    ]
    status, said, error = run(write_parquet(tmp_path / "bill.parquet", rows), "--format", "json")
    assert status == 0, error
    found = json.loads(said)
    assert found["projects"] == ["gecko-demo"]
    assert found["other_projects"] == ["another"]
    (zones,) = (row for row in found["skus"] if row["sku_id"] == BETWEEN_ZONES)
    assert (zones["billed_gib"], zones["billed_usd"]) == (245_000, 2450)
    status, said, error = run(write_parquet(tmp_path / "bill.parquet", rows[1:]))
    assert (status, said) == (3, "")
    assert "no usage of gecko-demo in it; it has usage of another" in error


def test_a_row_without_an_amount_makes_the_volume_unknown(tmp_path: Path) -> None:
    bare = usage(BETWEEN_ZONES, "zones", 1, 7.0)
    bare["usage"]["amount_in_pricing_units"] = None
    rows = [usage(BETWEEN_ZONES, "zones", 245_000, 2450.0), bare]
    found = json.loads(run(write_parquet(tmp_path / "b.parquet", rows), "--format", "json")[1])
    (zones,) = (row for row in found["skus"] if row["sku_id"] == BETWEEN_ZONES)
    assert (zones["billed_gib"], zones["billed_usd"]) == (None, 2457)


def test_taxes_and_adjustments_are_counted_apart(tmp_path: Path) -> None:
    rows = [
        usage(BETWEEN_ZONES, "zones", 245_000, 2450.0),
        usage(BETWEEN_ZONES, "zones", 0, -50.0, cost_type="adjustment"),
        usage("3333-3333-3333", "Tax", 0, 12.0, cost_type="tax"),
    ]
    path = write_parquet(tmp_path / "bill.parquet", rows)
    found = json.loads(run(path, "--format", "json")[1])
    assert (found["not_usage_rows"], found["not_usage_usd"]) == (2, -38)
    assert "taxes, adjustments): 2 rows, -38.00 USD" in run(path)[1]


def test_of_skus_that_cost_the_same_the_billed_one_is_meant() -> None:
    western, eastern = "D4B4-719D-EBAB", "AD1C-B789-40C3"
    facts = facts_to_internet(("a", "us-central1-a", "PREMIUM"), area="Europe/deu")
    found, unmodelled = volumes(facts, {western, "F274-1692-F213"}, Decimal(1))
    assert (list(found), unmodelled) == ([western], ())
    found, unmodelled = volumes(facts, {western, eastern}, Decimal(1))
    assert found == {}
    assert "which SKU bills it is not known" in unmodelled[0].reason


def test_a_late_row_adds_its_own_hours_alone(tmp_path: Path) -> None:
    july = datetime(2026, 7, 3, tzinfo=UTC)
    rows = [
        usage(BETWEEN_ZONES, "zones", 245_000, 2450.0),
        usage("2222-2222-2222", "A disk", 1, 1.0, start=july, end=july + timedelta(hours=1)),
    ]
    status, said, error = run(write_parquet(tmp_path / "bill.parquet", rows), "--format", "json")
    assert status == 0, error
    found = json.loads(said)
    assert found["billed_hours"] == 745
    assert found["modelled_window"].startswith("2017-07-20")


def test_the_tables_of_a_month_may_be_several(tmp_path: Path) -> None:
    half = datetime(2026, 10, 16, tzinfo=UTC)
    first = usage(BETWEEN_ZONES, "zones", 120_000, 1200.0, end=half)
    second = usage(BETWEEN_ZONES, "zones", 125_000, 1250.0, start=half)
    one = write_parquet(tmp_path / "one.parquet", [first])
    two = write_flat_csv(tmp_path / "two.csv", [second])
    status, said, error = run(one, "--billing-export", str(two), "--format", "json")
    assert status == 0, error
    found = json.loads(said)
    assert (found["billing_exports"], found["billed_hours"]) == (["one.parquet", "two.csv"], 744)
    assert found["skus"][0]["billed_gib"] == 245_000


def test_what_was_billed_in_an_unknown_unit_is_unknown(tmp_path: Path) -> None:
    rows = [
        usage(BETWEEN_ZONES, "zones", 200_000, 2000.0),
        usage(BETWEEN_ZONES, "zones", 45, 450.0, unit="furlong"),
    ]
    status, said, error = run(write_parquet(tmp_path / "bill.parquet", rows), "--format", "json")
    assert status == 0, error
    (zones,) = (row for row in json.loads(said)["skus"] if row["sku_id"] == BETWEEN_ZONES)
    assert (zones["billed_gib"], zones["residual_gib"], zones["residual_ratio"]) == (None,) * 3
    assert zones["billed_usd"] == 2450
    assert "'furlong, gibibyte': not understood" in zones["note"]


def test_one_sku_in_two_units_is_one_row(tmp_path: Path) -> None:
    rows = [
        usage(BETWEEN_ZONES, "zones", 200_000, 2000.0, credit=-3.0),
        usage(BETWEEN_ZONES, "zones", 1, 10.24, unit="tebibyte"),
    ]
    status, said, error = run(write_parquet(tmp_path / "bill.parquet", rows), "--format", "json")
    assert status == 0, error
    found = json.loads(said)
    (zones,) = (row for row in found["skus"] if row["sku_id"] == BETWEEN_ZONES)
    assert zones["billed_gib"] == 201_024
    assert found["credits_usd"] == -3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"sku.id,cost,currency\nX,1,USD\n", "no usage.amount_in_pricing_units"),
        (b"sku.id,cost,currency,usage.amount_in_pricing_units,usage_start_time,usage_end_time\n",
         "no usage in it"),
        (b"sku.id,cost,currency,usage.amount_in_pricing_units,usage_start_time,usage_end_time\n"
         b"X,much,USD,1,2026-10-01,2026-11-01\n", "of 1 rows is no number"),
        (b"sku.id,cost,currency,usage.amount_in_pricing_units,usage_start_time,usage_end_time\n"
         b"X,1,EUR,1,2026-10-01,2026-11-01\n", "another currency without a conversion rate"),
    ],
)  # fmt: skip
def test_a_bill_that_cannot_be_compared_is_refused(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "bill.csv"
    path.write_bytes(content)
    status, out, error = run(path)
    assert (status, out) == (3, "")
    assert said in error


def test_without_traffic_there_is_nothing_to_compare(tmp_path: Path) -> None:
    done = run_verbs(
        arguments=[
            "prices",
            "reconcile",
            "--inventory",
            str(tmp_path),
            "--billing-export",
            str(bill(tmp_path)),
        ],
    )
    assert done.returncode == 2
    assert "--traffic" in done.stderr


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
        assert f"of its rows stand in {one} too" in error


def test_rows_that_one_file_repeats_are_the_first_thing_said(tmp_path: Path) -> None:
    row = usage(BETWEEN_ZONES, "zones", 120_000, 1200.0)
    path = write_parquet(tmp_path / "bill.parquet", [row, row, row])
    status, said, error = run(path)
    assert status == 0, error
    assert "2 rows of bill.parquet are equal to another" in first_said(said, "bill.parquet: ")
    assert "2 rows" in json.loads(run(path, "--format", "json")[1])["warnings"][-1]


def test_a_bill_of_another_time_than_the_records_is_the_first_thing_said(tmp_path: Path) -> None:
    status, said, error = run(bill(tmp_path))
    assert status == 0, error
    first = first_said(said, "bill.parquet: ")
    assert "not the same time: the flow records are of 2017-07-20" in first
    assert "the bill of 2026-10-01 to 2026-11-01" in first
    assert "not the same time" in run(bill(tmp_path), "--format", "csv")[2]
    july = datetime(2017, 7, 1, tzinfo=UTC)
    rows = [usage(BETWEEN_ZONES, "zones", 1, 1.0, start=july, end=july + timedelta(days=31))]
    status, said, error = run(write_parquet(tmp_path / "july.parquet", rows))
    assert status == 0, error
    assert "not the same time" not in said
    assert "july.parquet: 2017-07-01" in said
