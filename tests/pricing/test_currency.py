"""Amounts in another currency: at the rate of the snapshot, or refused."""

import csv
import io
import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from netplan_pricing import open_snapshot
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.building.from_files import build_from_files, write_snapshot
from support.commands.run import run_verbs
from support.prices.inputs import MACHINE_FILES, TODAY, made_skus, write_inputs
from support.prices.skus import write_page

RATE = Decimal("0.875")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a made snapshot with a rate for EUR, over what the embedded one holds."""
    place = tmp_path_factory.mktemp("currency")
    inputs = write_inputs(place / "in")
    euros = json.loads(json.dumps(made_skus()))
    for sku in euros:
        for info in sku["pricingInfo"]:
            info["currencyConversionRate"] = float(RATE)
            for rate in info["pricingExpression"]["tieredRates"]:
                rate["unitPrice"]["currencyCode"] = "EUR"
    pages = write_page(inputs / "eur.json", euros)
    one = build_from_files(
        [inputs / "skus.json"],
        [inputs / name for name in MACHINE_FILES],
        today=TODAY,
        base=open_snapshot().file,
        currency_pages=[pages],
    )
    write_snapshot(one, place)
    return place


def test_prices_are_shown_in_both(folder: Path) -> None:
    asked = ["price", "machine", "n2-standard-4", "--region", "aa-one1", "--prices", str(folder)]
    text = run_verbs(arguments=[*asked, "--currency", "eur"])
    assert text.returncode == 0, text.stderr
    assert "EUR per hour" in text.stdout
    assert "1 USD = 0.875 EUR, Cloud Billing Catalog API, 2026-04-29" in text.stdout
    found = run_verbs(arguments=[*asked, "--currency", "EUR", "--format", "json"])
    (row,) = json.loads(found.stdout, parse_float=Decimal)["prices"]
    assert (row["usd_per_hour"], row["eur_per_hour"]) == (Decimal("0.4"), Decimal("0.35"))
    assert (row["currency"], row["units_per_usd"]) == ("EUR", RATE)
    asked = ["price", "traffic", "--from", "aa-one1", "--to", "bb-two2", "--gib", "100"]
    traffic = run_verbs(arguments=[*asked, "--prices", str(folder), "--currency", "EUR"])
    assert "total    12.00 USD = 10.50 EUR per month" in traffic.stdout


def test_a_table_of_machines_has_columns_of_both(folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "machines.csv"
    table.write_text("machine_type,region\nn2-standard-4,aa-one1\nn2-standard-4,nowhere\n")
    done = run_verbs(arguments=["price", "machine", "--batch", str(table), "--format",
                     "csv", "--prices", str(folder), "--currency", "EUR"])  # fmt: skip
    first, second = csv.DictReader(io.StringIO(done.stdout))
    assert (first["on_demand_usd_per_hour"], first["on_demand_eur_per_hour"]) == ("0.4", "0.35")
    assert (second["on_demand_eur_per_hour"], second["reason"]) == ("", "unknown region")


def test_the_cost_of_flow_logs_is_shown_in_it(folder: Path, tmp_path: Path) -> None:
    expected = tmp_path / "expected.csv"
    expected.write_text("place,records\nsubnet-1,10000000000\n")
    for words in (["cost", "--records", str(expected)], ["plan", "--demo", "gecko"]):
        asked = ["flow-logs", *words, "--prices", str(folder), "--currency", "EUR"]
        done = run_verbs(arguments=asked)
        assert done.returncode == 0, done.stderr
        assert "Flow logs cost EUR " in done.stdout
        assert "Amounts in EUR are converted" in " ".join(done.stdout.split())


def test_a_recommendation_is_shown_in_it(folder: Path) -> None:
    asked = ["recommend", "--gbps", "8", "--region", "aa-one1", "--prices", str(folder)]
    done = run_verbs(arguments=[*asked, "--currency", "EUR"])
    assert done.returncode == 0, done.stderr
    # 0.4 USD an hour are 292 USD and 255.50 EUR a month.
    assert "EUR 255.50" in done.stdout
    assert "Amounts in EUR are converted" in done.stdout


DOLLARS = re.compile(r"\$ ?\d|\d USD|USD \d")


@pytest.mark.parametrize(
    "asked",
    [
        "audit --demo gecko -v --fail-on never",
        "audit --demo interzone -v --fail-on never",
        "fleet --demo gecko -v",
        "whatif --demo gecko --vm transcoder-1 --machine-type n1-standard-8 -v",
        "place --demo interzone -v",
        "transfer --from us-central1 --to us-east1 --bytes 1TB --series n2 --max-count 2 -v",
        "job --demo dobermanifesto",
        "recommend --demo gecko --vm transcoder-1",
        "graph --demo gecko",
        "forecast --demo gecko",
    ],
)
def test_no_sentence_keeps_dollars(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rate = RATE, "2026-04-30"
    monkeypatch.setattr(SnapshotPriceBook, "currency", lambda _book, _code: rate)
    done = run_verbs(arguments=[*asked.split(), "--currency", "EUR"])
    assert done.returncode in {0, 1}, done.stderr
    told = " ".join(done.stdout.split())
    assert "EUR " in told
    assert DOLLARS.findall(told.replace("1 USD = 0.875 EUR", "")) == []
