"""The `price` verb as a user runs it: a process, its outputs and its exit status."""

import csv
import io
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from netplan_planner.choices import Balancer
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


@pytest.mark.parametrize(
    ("arguments", "path_class", "total"),
    [
        (["--to", "zone"], "inter-zone-internal", "1"),
        (["--to", "zone", "--external"], "inter-zone-external", "1"),
        (["--to", "same-zone"], "same-zone-internal", "0"),
        (["--to", "same-zone", "--external"], "same-zone-external", "1"),
        (["--to", "us-east4", "--external"], "inter-region-external", "2"),
        (["--to", "internet", "--area", "Europe"], "internet", "11.88"),
        (["--to", "internet", "--network-tier", "standard"], "internet", "0"),
        (["--to", "nat", "--area", "usa"], "nat", "16.38"),
        (["--to", "google-apis", "--place", "us-central1"], "google-apis", "0"),
        (["--to", "load-balancer"], "load-balancer", "0.8"),
    ],
)
def test_traffic_to_every_place(arguments: list[str], path_class: str, total: str) -> None:
    ran = run("traffic", "--from", "us-central1", "--gib", "100", "--format", "json", *arguments)
    assert ran.returncode == 0, ran.stderr
    answer = json.loads(ran.stdout, parse_float=Decimal)
    assert answer["total_usd_per_month"] == Decimal(total)
    assert {row["path_class"] for row in answer["prices"]} == {path_class}
    assert sum(row["usd"] for row in answer["prices"]) == Decimal(total)


@pytest.mark.parametrize(
    ("arguments", "total", "unknown"),
    [
        (["nat", "--vms", "12", "--addresses", "2", "--gib", "500"], "42.064", ""),
        (["nat", "--vms", "40", "--addresses", "0"], "32.12", ""),
        (["vpn", "--tunnels", "2"], "73", ""),
        (["vpn", "--gib", "100", "--to", "europe-west1"], "80.92", ""),
        (["vpn", "--gib", "100"], "73", "where the other end is"),
        (["lb", "--kind", "internal-passthrough", "--rules", "7", "--gib", "100"], "33.65", ""),
        (["lb", "--kind", "internal-application", "--proxies", "3"], "54.75", ""),
        (["lb", "--kind", "internal-application", "--gib", "1"], "0.008", "proxy instances"),
        (["lb", "--kind", "global-external-proxy"], "18.25", ""),
        (["flow-logs", "--gib", "20000"], "9024", ""),
        (["flow-logs", "--gib", "20000", "--excluded"], "4024", ""),
    ],
)
def test_services_cost_what_their_skus_say(arguments: list[str], total: str, unknown: str) -> None:
    region = [] if arguments[0] == "flow-logs" else ["--region", "us-central1"]
    ran = run(*arguments, *region, "--format", "json")
    assert ran.returncode == 0, ran.stderr
    answer = json.loads(ran.stdout, parse_float=Decimal)
    assert answer["total_usd_per_month"] == Decimal(total)
    assert sum(row["usd"] for row in answer["prices"]) == Decimal(total)
    assert all(row["as_of"] and row["source"] for row in answer["prices"])
    reasons = [one["reason"] for one in answer.get("unknown", [])]
    assert [unknown in reason for reason in reasons] == ([True] if unknown else [])
    text = run(*arguments, *region).stdout
    assert ("at least " in text and "; not in it: " in text) is bool(unknown)


def test_services_refuse_what_they_do_not_know() -> None:
    for arguments, said in (
        (["nat", "--region", "us-centrall1"], "nearest: us-central1"),
        (["vpn", "--region", "us-central1", "--to", "us-east1", "--area", "usa"], "give one"),
        (["flow-logs"], "--records or --gib"),
        (["flow-logs", "--gib", "1", "--records", "1"], "--records or --gib"),
        (["lb", "--region", "us-central1", "--kind", "external-proxy", "--rules", "0"], "is 0"),
        (["flow-logs", "--gib", "1", "--no-metadata"], "--no-metadata is for --records"),
        (
            ["traffic", "--from", "us-central1", "--to", "zone", "--gib", "1", "--place", "x"],
            "--to",
        ),
        (["traffic", "--from", "us-central1", "--to", "google-apis", "--gib", "1"], "--place"),
    ):
        ran = run(*arguments)
        assert ran.returncode in {2, 3}, arguments
        assert said in ran.stderr, arguments
        assert ran.stdout == ""


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["machine", "n1-standrd-4", "--region", "us-central1"], "nearest: n1-standard-4"),
        (["machine", "a4-highgpu-8g", "--region", "us-central1"], "no price for it is known"),
        (
            ["machine", "n1-standrd-4", "--region", "us-central1", "--usage", "all"],
            "nearest: n1-standard-4",
        ),
        (["traffic", "--from", "southamerica-east1", "--to", "zone", "--gib", "1"], "4B15-30EF"),
        (["traffic", "--from", "us-central1", "--to", "internet", "--gib", "1"], "China 0.23"),
        (["address", "--region", "europe-north2", "--use", "unused-static"], "unused-static"),
        (["machine", "n1-standard-4", "--region", "\x1b[31mred"], "no region"),
        (["machine", "n2-custom-8-16385", "--region", "us-central1"], "steps of 256 MiB"),
    ],
)
def test_a_missing_price_is_an_error_and_nothing_on_stdout(arguments: list[str], said: str) -> None:
    form = ["text", "json", "csv"][len(said) % 3]
    ran = run(*arguments, "--format", form)
    is_wrong_word = said.startswith(("nearest", "no region", "China"))
    assert (ran.returncode, ran.stdout) == (2 if is_wrong_word else 3, "")
    assert said in ran.stderr
    assert ran.stderr.startswith("netplan: ")
    assert "\x1b" not in ran.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["traffic", "--from", "us-central1", "--to", "us-central1", "--gib", "1"],
        ["traffic", "--from", "us-central1", "--to", "internet", "--gib", "1", "--external"],
        ["traffic", "--from", "us-central1", "--to", "zone", "--gib", "-1"],
        ["traffic", "--from", "us-central1", "--to", "zone", "--gib", "1", "--area", "usa"],
        ["traffic", "--from", "us-central1", "--to", "zone", "--gib", "nan"],
        ["traffic", "--from", "us-central1", "--to", "zone", "--gib", "inf"],
        ["machine", "n1-standard-4", "--region", "us-central1", "--usage", "free"],
        ["machine", "n1-standard-4"],
    ],
)
def test_wrong_usage_is_said_so(arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr


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


@pytest.mark.parametrize("kind", Balancer)
def test_what_a_kind_of_load_balancer_does_not_pay_for_is_refused(kind: Balancer) -> None:
    ran = run("lb", "--region=us-central1", f"--kind={kind}", "--rules=7", "--proxies=3", "--gib=5")
    assert (ran.returncode, ran.stdout) == (2, "")
    is_by_proxy = kind in {Balancer.INTERNAL_APPLICATION, Balancer.CROSS_REGION_APPLICATION}
    assert ("its --proxies, not for --rules" if is_by_proxy else f", not {kind}\n") in ran.stderr
