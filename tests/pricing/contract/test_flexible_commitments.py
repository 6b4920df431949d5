"""Flexible commitments as tables of the billing export show them."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import FlexibleCommitments
from netplan_pricing.contract.flexible import flexible_commitments
from support.prices.billing_export import START, Row, usage, write_flat_csv, write_parquet
from support.prices.flexible_bills import DEFAULT, GIB, RATIO, VCPU, former, newer

SPEND = (2.0, 5.0, 3.0)
"""On demand, an hour each; what is committed would cover 3.00."""
Damage = Callable[[list[Row]], list[Row]]
Rows = Callable[[Sequence[float], float], list[Row]]


def found_in(rows: list[Row], folder: Path) -> FlexibleCommitments:
    found = flexible_commitments([write_parquet(folder / "export", rows)])
    assert found is not None
    return found


@pytest.mark.parametrize("write", [write_parquet, write_flat_csv])
@pytest.mark.parametrize(("rows", "committed"), [(newer, 3 * RATIO), (former, 3.0)])
def test_both_models_say_what_is_covered_and_left_in_each_hour(
    rows: Rows, committed: float, write: Callable[[Path, list[Row]], Path], tmp_path: Path
) -> None:
    found = flexible_commitments([write(tmp_path / "export", rows(SPEND, committed))])
    assert found is not None
    assert found.doubt == ""
    assert found.use.plans == ("1 year",)
    by_hour = [float(usd) for usd in found.uncovered_usd_by_hour]
    assert by_hour == pytest.approx([-1.0, 2.0, 0.0], abs=1e-9)
    month = 730 / 3
    assert float(found.use.usd_per_month) == pytest.approx(3 * 3 * RATIO * month)
    assert float(found.use.covered_usd_per_month) == pytest.approx((2 + 3 + 3) * month)
    assert float(found.use.unused_usd_per_month) == pytest.approx(1 * month)
    assert float(found.use.uncovered_usd_per_month) == pytest.approx(2 * month)
    assert VCPU in found.sku_ids


def test_usage_of_other_skus_is_no_spend_that_is_left_uncovered(tmp_path: Path) -> None:
    rows = newer(SPEND, 3 * RATIO)
    end = START + timedelta(hours=1)
    rows.append(usage("FFFF-0000-AAAA", "Egress", 10, 9.0, effective=0.9, start=START, end=end))
    found = found_in(rows, tmp_path)
    assert sum(found.uncovered_usd_by_hour) == pytest.approx(Decimal(1))


def test_rows_of_other_services_do_not_count_whatever_their_span(tmp_path: Path) -> None:
    rows = newer(SPEND, 3 * RATIO)
    alone = found_in(rows, tmp_path)
    month = START + timedelta(days=31)
    rows.append(usage("AAAA-0000-BBBB", "Standard Storage", 9, 5.0, start=START, end=month))
    assert found_in(rows, tmp_path).use == alone.use


def test_hours_of_other_commitments_are_left_out(tmp_path: Path) -> None:
    """The second hour on has twice the fee: the first tells nothing of what is in force."""
    before, after = newer(SPEND[:1], 1.5 * RATIO), newer((0.0, *SPEND[1:]), 3 * RATIO)
    rows = before + [row for row in after if row["usage_start_time"] > START]
    found = found_in(rows, tmp_path)
    assert (found.use.hour_count, found.use.other_hour_count) == (2, 1)
    assert [float(usd) for usd in found.uncovered_usd_by_hour] == pytest.approx([2.0, 0.0])


def test_each_commitment_has_its_own_discount(tmp_path: Path) -> None:
    """Half of a fee of one year is idle beside one of three years, all of which is used."""
    one, three = newer((1.0,), 2 * RATIO), newer((3.0,), 3 * 0.54)[:2]
    for row in one:
        row["subscription"] = {"instance_id": "one"}
    for row in three:
        row["subscription"] = {"instance_id": "three"}
        if row["sku"]["id"] != VCPU:
            row["sku"] = {"id": "B22F-51BE-D599", "description": "Compute Flexible CUD 3 Years"}
            row["credits"] = [{**row["credits"][0], "amount": -3 * 0.54}]
        else:
            row["cost"] = 3 * 0.54
            row["cost_at_effective_price_default"] = 3.0
            row["consumption_model"] = {"id": "70D7-D1AB-12A4", "description": "made"}
    found = found_in(one + three, tmp_path)
    assert found.doubt == ""
    assert found.use.plans == ("1 year", "3 years")
    assert float(found.use.unused_usd_per_month) == pytest.approx(730)


def test_sustained_use_is_off_what_is_not_covered(tmp_path: Path) -> None:
    rows = newer(SPEND, 3 * RATIO)
    for row in rows:
        if row["sku"]["id"] == VCPU and row["consumption_model"]["id"] == DEFAULT[0]:
            row["credits"] = [
                {"name": "made", "amount": -0.2 * row["cost"], "type": "SUSTAINED_USAGE_DISCOUNT"}
            ]
    found = found_in(rows, tmp_path)
    assert found.net_ratio is not None
    assert float(found.net_ratio) == pytest.approx(0.8)
    assert sum(found.uncovered_usd_by_hour) == pytest.approx(Decimal(1))


def test_documented_skus_are_spend_that_they_may_cover(tmp_path: Path) -> None:
    rows = newer(SPEND, 3 * RATIO)
    end = START + timedelta(hours=1)
    rows.append(usage(GIB, "N2 Instance Ram", 1, 4.0, start=START, end=end, model=DEFAULT))
    found = flexible_commitments([write_parquet(tmp_path / "export", rows)], {GIB})
    assert found is not None
    assert sum(found.uncovered_usd_by_hour) == pytest.approx(Decimal(5))


def test_an_export_without_them_shows_none(tmp_path: Path) -> None:
    rows = [usage(VCPU, "N2 Instance Core", 730, 23.0, unit="hour", effective=0.0316)]
    assert flexible_commitments([write_parquet(tmp_path / "export", rows)]) is None


def _with(**more: object) -> Damage:
    return lambda rows: [{**row, **more} for row in rows]


def _kept(keeps: Callable[[Row], bool]) -> Damage:
    return lambda rows: [row for row in rows if keeps(row)]


def _is_of_one_project(row: Row) -> bool:
    return bool(row["sku"]["id"] != VCPU or row["usage_start_time"] == START)


def _of_two_accounts(rows: list[Row]) -> list[Row]:
    return [{**rows[0], "billing_account_id": "000000-OTHER0-000000"}, *rows[1:]]


def _without_default_prices(rows: list[Row]) -> list[Row]:
    kept = [{k: v for k, v in row.items() if not k.startswith("cost_at")} for row in rows]
    for row in kept:
        row["price"] = {k: v for k, v in row["price"].items() if not k.endswith("_default")}
    return kept


def _without_credits(rows: list[Row]) -> list[Row]:
    return [{k: v for k, v in row.items() if k != "credits"} for row in rows]


def _without_costs(rows: list[Row]) -> list[Row]:
    return [{**row, "cost": None if row["sku"]["id"] == VCPU else row["cost"]} for row in rows]


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (_with(usage_end_time=START + timedelta(days=31)), "span more than an hour"),
        (_of_two_accounts, "which of the billing accounts"),
        (_without_default_prices, "costs on demand"),
        (_kept(lambda row: row["sku"]["id"] == VCPU), "fee is not in the billing export"),
        (_kept(_is_of_one_project), "other covered usage than their fee was used for"),
        (_without_credits, "the billing export has no credits column"),
        (_without_costs, "cannot be read"),
        (lambda rows: rows * 2, "are in it more than once"),
    ],
)
def test_what_cannot_be_counted_by_the_hour_is_a_doubt(
    damage: Damage, why: str, tmp_path: Path
) -> None:
    assert why in found_in(damage(newer(SPEND, 3 * RATIO)), tmp_path).doubt


def test_a_table_that_lacks_what_the_hours_need_is_refused(tmp_path: Path) -> None:
    rows = [{k: v for k, v in row.items() if k != "usage"} for row in newer(SPEND, 3 * RATIO)]
    with pytest.raises(InputError, match="amount_in_pricing_units"):
        flexible_commitments([write_parquet(tmp_path / "export", rows)])
