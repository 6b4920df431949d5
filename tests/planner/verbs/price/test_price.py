"""The `price` verb as a user runs it: a process, its outputs and its exit status."""

import csv
import io
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from netplan_pricing.container import FILE_NAME
from support.commands.run import run_verbs
from support.prices.inputs import built


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_verbs(arguments=["price", *arguments], COLUMNS="200")


def test_sustained_use_of_half_a_month_has_half_of_the_steps() -> None:
    ran = run("machine", "n1-standard-4", "--region=us-central1", "--usage=sustained-use",
              "--hours=365", "--format=json")  # fmt: skip
    (row,) = json.loads(ran.stdout)["prices"]
    # The first two quarters of a month cost 1.0 and 0.8 of 0.189999 USD an hour.
    assert float(row["usd"]) == pytest.approx(365 * 0.189999 * 0.9, rel=1e-6)


def test_machine_as_text() -> None:
    ran = run("machine", "n2-standard-16", "--region", "us-central1")
    assert (ran.returncode, ran.stderr) == (0, "")
    age, _, *lines = ran.stdout.splitlines()
    assert age.startswith("Prices of 2026-04-30, over 90 days old")
    assert lines[0] == "n2-standard-16 in us-central1: 16 vCPUs, 64 GiB"
    assert " ".join(lines[2].split()) == "usage USD per hour USD for 730 h date SKU"
    row = "on-demand 0.776944 567.17 2026-04-30 BB77-5FDA-69D9 + 5B01-D157-A097"
    assert " ".join(lines[3].split()) == row
    assert lines[4] == "   parts    16 × core 0.031611 + 64 × ram 0.004237"
    assert lines[5].startswith("   source   ")


def test_machine_as_json_and_csv_keep_every_digit() -> None:
    arguments = ("machine", "n1-standard-4", "--region", "us-central1", "--usage", "all")
    ran = run(*arguments, "--hours", "100", "--format", "json")
    assert ran.returncode == 0, ran.stderr
    answer = json.loads(ran.stdout, parse_float=Decimal)
    assert answer["schema"] == "netplan.price/1"
    by_usage = {row["usage"]: row for row in answer["prices"]}
    assert by_usage["on-demand"]["usd_per_hour"] == Decimal("0.189999")
    assert by_usage["on-demand"]["usd"] == Decimal("18.9999")
    # Within the first quarter of a month nothing is discounted yet.
    assert by_usage["sustained-use"]["usd_per_hour"] == Decimal("0.189999")
    assert by_usage["spot"]["sku_id"] is None
    assert len(by_usage) == 7
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "--format", "csv").stdout)))
    assert [row["usage"] for row in rows] == list(by_usage)
    assert rows[0]["usd_per_hour"] == "0.189999"


def test_what_has_no_price_is_shown_beside_what_has_one() -> None:
    name = "n2-custom-8-131072-ext"
    arguments = ("machine", name, "--region", "us-central1", "--usage", "all")
    text = run(*arguments)
    assert text.returncode == 0
    assert f"unknown  cud-1y: no cud-1y price for {name}" in text.stdout
    assert "parts    on-demand: 8 × custom_core 0.03319155" in text.stdout
    answer = json.loads(run(*arguments, "--format", "json").stdout)
    assert [entry["what"] for entry in answer["unknown"]] == ["cud-1y", "cud-3y"]


def test_traffic_as_text_sums_its_steps() -> None:
    ran = run("traffic", "--from", "us-central1", "--to", "europe-west1", "--gib", "500")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "inter-region-internal from us-central1" in ran.stdout
    assert "D011-1819-740D" in ran.stdout
    assert "total    24.95 USD a month" in ran.stdout
    assert "source   Cloud Billing Catalog API, 2026-04-30" in ran.stdout


def test_the_hours_of_a_nat_gateway_are_said_to_come_on_top() -> None:
    to = ["traffic", "--from", "us-central1", "--area", "usa", "--gib", "1", "--to"]
    said = "the hours of the gateway come on top and are not in the sum: 0.044 USD"
    assert said in " ".join(run(*to, "nat").stdout.split())
    assert "the hours of the gateway" not in run(*to, "internet").stdout


def test_address_as_text() -> None:
    ran = run("address", "--region", "us-central1")
    assert ran.returncode == 0
    assert "standard-vm" in ran.stdout
    rows = [" ".join(line.split()) for line in ran.stdout.splitlines()]
    assert "standard-vm 730 0.005 3.65 2026-04-30 C054-7F72-A02E" in rows
    # As an audit counts it, to the cent: half a cent goes up, a free hour is once an account's.
    assert any(row.startswith("unused-static 730 0.01 7.30") for row in rows)
    assert any(row.startswith("spot-vm 730 0.0025 1.83") for row in rows)
    assert "unused-static: the first 1 hour of a month, all such" in ran.stdout
    assert "C054-7F72-A02E" in ran.stdout


def test_another_snapshot_can_be_asked(tmp_path: Path) -> None:
    content = built(tmp_path / "inputs").content
    (tmp_path / FILE_NAME).write_bytes(content)
    arguments = ("machine", "n2-standard-4", "--region", "aa-one1", "--prices", str(tmp_path))
    assert "0.4 " in run(*arguments).stdout
    (tmp_path / FILE_NAME).write_bytes(content[:-1])
    cut = run(*arguments)
    assert (cut.returncode, cut.stdout) == (3, "")
    assert "cut or altered" in cut.stderr


def test_two_runs_give_the_same_bytes() -> None:
    arguments = ("machine", "z3-highmem-88-standardlssd", "--region", "us-central1")
    assert run(*arguments, "--usage", "all").stdout == run(*arguments, "--usage", "all").stdout


def test_the_internet_asks_for_an_area_and_takes_a_country() -> None:
    to = ["traffic", "--from", "us-central1", "--to", "internet", "--gib", "10"]
    ran = run(*to)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "Western Europe 0.12" in ran.stderr
    assert "give --area with one of these, or with a country by name or code" in ran.stderr
    assert run(*to, "--area", "Japan").stdout == run(*to, "--area", "jpn").stdout


def test_a_sum_is_headed_with_the_hours_that_it_is_for() -> None:
    machine = ("machine", "n2-standard-16", "--region", "us-central1", "--hours", "100")
    assert "USD for 100 h" in run(*machine).stdout
    # A commitment is paid all month.
    assert "USD for 730 h" in run(*machine, "--usage", "cud-1y").stdout
    said = run(*machine, "--usage", "all").stdout.splitlines()
    lines = said[said.index("") + 1 :]
    assert lines[2].split()[:2] == ["usage", "hours"]
    assert "USD for these hours" in lines[2]
    hours = {line.split()[0]: line.split()[1] for line in lines[3:10]}
    assert (hours["on-demand"], hours["cud-1y"], hours["flex-3y"]) == ("100", "730", "730")


def test_hours_of_a_batch_are_refused_not_ignored(tmp_path: Path) -> None:
    table = tmp_path / "fleet.csv"
    table.write_text("region,machine_type\nus-central1,n2-standard-2\n")
    ran = run("machine", "--batch", str(table), "--hours", "100")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "no --hours" in ran.stderr


def test_too_little_memory_is_one_line() -> None:
    limited = (
        "import sys, netplan_planner.cli.app\n"
        "frame = sys.modules['netplan_planner.cli.app']\n"
        "def fail(*_, **__): raise MemoryError\n"
        "frame.app = fail\n"
        "frame.run()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", limited],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={"PATH": "", "PYTHONPATH": ":".join(sys.path)},
    )
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr == "netplan: not enough memory for this; nothing was changed\n"


def test_the_price_of_some_hours_of_a_service_is_called_so() -> None:
    ran = run("nat", "--region", "us-central1", "--hours", "100")
    assert "USD for 100 h" in ran.stdout
    assert "total    0.64 USD for 100 h" in ran.stdout
    whole = run("nat", "--region", "us-central1")
    assert "USD a month" in whole.stdout
    assert "total    4.67 USD a month" in whole.stdout
