"""Old prices are the last line of every answer with dollars, with what updates them."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from netplan_planner.model import line_item
from netplan_planner.model.money.price_age import age_of, price_age
from netplan_planner.renderers.content.phrases import origin
from netplan_pricing import open_snapshot
from netplan_pricing.contract.terms import EffectivePrice, Terms
from netplan_pricing.schema import NetworkKind
from netplan_pricing.skus import known_changes
from support.commands.run import run_verbs
from support.prices.billing_export import usage, write_parquet

SAID = "Prices of 2026-04-30 are over 90 days old. Update them: netplan prices refresh"
PEERING = "984A-1F27-2D1F"


@pytest.mark.parametrize(
    ("as_of", "spot_as_of", "today", "said"),
    [
        (date(2026, 4, 30), None, date(2026, 7, 29), ""),
        (date(2026, 4, 30), None, date(2026, 7, 30), "Prices of 2026-04-30 are over 90 days"),
        (None, date(2026, 7, 30), date(2026, 8, 29), ""),
        (None, date(2026, 7, 30), date(2026, 8, 30), "Spot prices of 2026-07-30 are over 30"),
        (date(2026, 8, 1), date(2026, 7, 30), date(2026, 9, 1), "Spot prices of 2026-07-30"),
        (
            date(2026, 4, 30),
            date(2026, 7, 30),
            date(2026, 9, 1),
            "Prices of 2026-04-30 and Spot prices of 2026-07-30 are old. Update them: netplan",
        ),
        (None, None, date(2036, 1, 1), ""),
    ],
)
def test_the_two_ages(as_of: date | None, spot_as_of: date | None, today: date, said: str) -> None:
    found = age_of(as_of, spot_as_of, today)
    assert found.startswith(said)
    assert bool(found) is bool(said)


def test_the_command_names_the_folder_that_is_in_use() -> None:
    info = open_snapshot().info
    assert info.spot_as_of == date(2026, 7, 30)
    told = price_age(info, date(2026, 11, 22), has_spot=True, folder=Path("own"))
    assert told.endswith("netplan prices refresh --out own")
    assert "Spot prices of 2026-07-30" in told


def test_a_bill_and_its_contract_are_told_of_old_list_prices_and_known_changes(
    tmp_path: Path,
) -> None:
    path = write_parquet(tmp_path / "bill.parquet", [usage(PEERING, "peering", 12, 0.96)])
    arguments = ["prices", "reconcile", "--demo", "gecko", "--billing-export", str(path)]
    done = run_verbs(arguments=[*arguments, "--format", "json"])
    found = json.loads(done.stdout)
    assert found["price_age"] == SAID
    (row,) = (one for one in found["skus"] if one["sku_id"] == PEERING)
    assert "older than a known change: 0.08 USD per GiB since 2026-05-01" in row["note"]


def test_each_line_of_a_sku_that_has_changed_since_says_so() -> None:
    book = open_snapshot()
    entries = book.network.entries(NetworkKind.PEERING)
    found = {}
    for entry in entries:
        sku_id = book.network.sku_id(entry)
        if sku_id in known_changes():
            (tier,) = book.network.tiers(entry)
            line = line_item("peering", Decimal(10), tier.price)
            assert "before" in line.caveat
            assert line.caveat in origin(line)
            found[sku_id] = (str(tier.price.usd), line.caveat.split()[5])
    # The catalogue's own price of its day stands; the other source's is told.
    assert found == {
        PEERING: ("0.04", "0.08"),
        "F603-6008-38E5": ("0.05", "0.08"),
        "9428-46F3-3796": ("0.06", "0.085"),
    }
    plain = book.skus.entry("BB77-5FDA-69D9").tiers[0].price
    assert line_item("core", Decimal(1), plain).caveat == ""


def test_a_contract_price_of_after_the_change_says_nothing() -> None:
    own = EffectivePrice(usd=Decimal("0.07"), as_of=date(2026, 11, 1), source="the contract")
    book = open_snapshot(terms=Terms(effective={PEERING: {Decimal(0): own}}))
    for entry in book.network.entries(NetworkKind.PEERING):
        if book.network.sku_id(entry) == PEERING:
            (tier,) = book.network.tiers(entry)
            assert (tier.price.usd, tier.price.source) == (Decimal("0.07"), "the contract")
