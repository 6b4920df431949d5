"""Flexible commitments as tables of the billing export show them."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from netplan_pricing.contract.flexible import flexible_commitments
from support.prices.billing_export import START, Row, usage, write_flat_csv, write_parquet
from support.prices.flexible_bills import RATIO, VCPU, former, newer

SPEND = (2.0, 5.0, 3.0)
"""On demand, an hour each; what is committed would cover 3.00."""
Rows = Callable[[Sequence[float], float], list[Row]]


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
    found = flexible_commitments([write_parquet(tmp_path / "export", rows)])
    assert found is not None
    assert sum(found.uncovered_usd_by_hour) == pytest.approx(Decimal(1))


def test_an_export_without_them_shows_none(tmp_path: Path) -> None:
    rows = [usage(VCPU, "N2 Instance Core", 730, 23.0, unit="hour", effective=0.0316)]
    assert flexible_commitments([write_parquet(tmp_path / "export", rows)]) is None


@pytest.mark.parametrize("what", ["rows of a month", "two accounts", "no price on demand"])
def test_what_cannot_be_counted_by_the_hour_is_a_doubt(what: str, tmp_path: Path) -> None:
    rows = newer(SPEND, 3 * RATIO)
    if what == "rows of a month":
        rows = [{**row, "usage_end_time": START + timedelta(days=31)} for row in rows]
    elif what == "two accounts":
        rows[0] = {**rows[0], "billing_account_id": "000000-OTHER0-000000"}
    else:
        for row in rows:
            row.pop("cost_at_effective_price_default", None)
            row["price"].pop("effective_price_default", None)
    found = flexible_commitments([write_parquet(tmp_path / "export", rows)])
    assert found is not None
    assert found.doubt
