"""`netplan transfer` as a process: what it says, other people's networks, bad input."""

import csv
import io
import json
import re
from decimal import Decimal
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from support.commands.run import run_verbs
from support.nightly import NIGHTLY

MOVE = ("--from", "us-central1", "--to", "europe-west4", "--bytes", "1TB")
FEW = ("--machine-type", "n2-standard-8,n2-standard-4", "--max-count", "3")
COMMANDS_BY_ANSWER = {
    "TransferAnswer": (
        [
            "transfer",
            "--from",
            "us-central1",
            "--to",
            "europe-west4",
            "--bytes",
            "1TB",
            "--series",
            "n2",
            "--deadline",
            "10m",
            "--start-up",
            "40s",
        ],
        [
            "transfer",
            "--from",
            "us-central1",
            "--to",
            "us-east1",
            "--bytes",
            "1TB",
            "--deadline",
            "1s",
        ],
        ["transfer", "--from", "us-central1", "--to", "internet", "--bytes", "1TB"],
    )
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""
GRID = "src,dst,gbps_per_vm\na,b,2\na,c,6\nc,b,5\n"
PRICES = "src,dst,usd_per_gib\na,b,0.1\na,c,0.02\nc,b,0.03\n"
A_TO_B = ("--from", "a", "--to", "b", "--bytes", "1TiB")


def transfer(*arguments: str) -> CompletedProcess[str]:
    return run_verbs(arguments=["transfer", *arguments])


def found(*arguments: str, status: int = 0) -> dict[str, Any]:
    done = transfer(*arguments, "--output", "json")
    assert done.returncode == status, done.stderr
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def words(done: CompletedProcess[str]) -> str:
    return re.sub(r"[\s│]+", " ", done.stdout + done.stderr)


@pytest.fixture
def network(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "grid.csv").write_text(GRID)
    (tmp_path / "prices.csv").write_text(PRICES)
    return (
        *("--grid", str(tmp_path / "grid.csv")),
        *("--edge-prices", str(tmp_path / "prices.csv")),
    )


def test_ten_words_of_advice() -> None:
    done = transfer(*MOVE, *FEW)
    assert done.returncode == 0, done.stderr
    text = words(done)
    for said in (
        "931 GiB from us-central1 to europe-west4: the cheapest",
        "no relay pays",
        "proven",
        "instead external addresses",
        "Inter-region network egress bandwidth",
        "iperf3 -c RECEIVER -P",
        "gcloud compute instances bulk create",
        "gcloud compute instances delete",
    ):
        assert said in text


def test_the_json_is_what_others_can_use(network: tuple[str, ...]) -> None:
    answer = found(*A_TO_B, *network, "--max-count", "1")
    assert answer["schema"] == "netplan.transfer/1"
    # By c a GiB costs 5 cents instead of 10, at the rate of the slower of its two edges.
    assert answer["machines"] == {"a": 1, "b": 1, "c": 1}
    flows = {(one["src"], one["dst"]): one["gbps"] for one in answer["flows"]}
    assert flows == pytest.approx({("a", "c"): 5.0, ("c", "b"): 5.0})
    assert float(answer["usd_total"]) == pytest.approx(1024 * 0.05)
    assert float(answer["bound_usd_total"]) == pytest.approx(1024 * 0.05)
    assert answer["seconds"] == pytest.approx(2**43 / 5e9)
    assert answer["transfer"]["plan"]["machine_usd"] is None


def test_machines_of_a_grid_have_the_price_that_is_told(network: tuple[str, ...]) -> None:
    free = found(*A_TO_B, *network, "--max-count", "1")
    paid = found(*A_TO_B, *network, "--max-count", "1", "--machine-usd-per-hour", "3.6")
    more = float(paid["usd_total"]) - float(free["usd_total"])
    assert more == pytest.approx(3 * 0.001 * 1760, abs=0.01)
    assert "machines are not priced" in words(transfer(*A_TO_B, *network))


def test_more_can_be_sent_than_on_one_edge_where_that_is_told(network: tuple[str, ...]) -> None:
    alone = found(*A_TO_B, *network, "--max-count", "1", "--goal", "time")
    wide = found(
        *(*A_TO_B, *network, "--max-count", "1", "--goal", "time"),
        *("--machine-egress-gbps", "100", "--machine-ingress-gbps", "100"),
    )
    # The receiver takes 5 in all, as on its best edge; with more of both edges 2 and 5.
    assert sum(x["gbps"] for x in alone["flows"] if x["dst"] == "b") == pytest.approx(5.0)
    assert sum(x["gbps"] for x in wide["flows"] if x["dst"] == "b") == pytest.approx(7.0, rel=1e-5)


def test_another_cloud_by_its_prices_alone(tmp_path: Path) -> None:
    table = tmp_path / "prices.csv"
    table.write_text("src,dst,usd_per_gib\nus-central1,aws:us-east-1,0.05\n")
    answer = found(
        *("--from", "us-central1", "--to", "aws:us-east-1", "--bytes", "1TiB", *FEW),
        *("--edge-prices", str(table), "--no-relays"),
    )
    assert list(answer["machines"]) == ["us-central1"]
    assert float(answer["transfer"]["plan"]["traffic_usd"]) == pytest.approx(1024 * 0.05)
    assert answer["transfer"]["plan"]["flows"][0]["bound_by"] == "external-egress"


def test_a_deadline_that_nothing_meets() -> None:
    done = transfer(*MOVE, *FEW, "--deadline", "1m")
    assert done.returncode == 1
    text = words(done)
    assert "Infeasible, because the deadline is too short, held back by" in text
    assert "change --deadline" in text
    assert "--max-count" in text


def test_a_time_that_reads_as_the_deadline_but_is_later_says_by_how_much() -> None:
    """10 TB by four machines of 7 Gbit/s take 2,857.143 s."""
    asked = ("--from", "us-central1", "--to", "internet", "--area", "Japan", "--bytes", "10TB")
    few = ("--machine-type", "n2-standard-4", "--max-count", "4", "--relay", "us-east1")
    text = words(transfer(*asked, *few, "--deadline", "2857s"))
    assert text.count("47.6 min, 0.143 s too late") == 2
    assert "the direct way takes at least 47.6 min, 0.143 s too late" in text
    assert re.search(r"\$1,073.04 47.6 min, 0.143 s too late .*\$1,073.20 47.6 min 4 ×", text)
    assert "too late" not in words(transfer(*asked, *few, "--deadline", "2858s"))


def test_how_likely_it_is_in_time() -> None:
    asked = (*MOVE, *FEW, "--deadline", "1h")
    assert found(*asked)["transfer"]["deadline_probability"] == 0.995
    assert ", over 99 % likely in time, at" in words(transfer(*asked))
    assert "likely in time" not in words(transfer(*MOVE, *FEW))


def test_a_budget_below_the_traffic() -> None:
    done = transfer(*MOVE, *FEW, "--budget", "1")
    assert done.returncode == 1
    assert "costs more than the budget by its traffic alone" in words(done)


def test_csv_has_flows_machines_and_the_front() -> None:
    done = transfer(*MOVE, *FEW, "--output", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    kinds = [row["kind"] for row in rows]
    assert kinds[:4] == ["flow", "machines", "machines", "plan"]
    assert "front" in kinds
    assert "instead" in kinds
    (plan,) = [row for row in rows if row["kind"] == "plan"]
    assert float(plan["total_usd"]) > 40


def test_the_page_draws_cost_against_time() -> None:
    done = transfer(*MOVE, *FEW, "--start-up", "40s", "--deadline", "1h", "--output", "html")
    assert done.stdout.count("<svg") == 1
    assert "No way lies below the line" in done.stdout
    assert ">deadline<" in done.stdout


def test_steps_can_be_written_by_themselves() -> None:
    done = transfer(*MOVE, *FEW, "--output", "commands")
    assert done.stdout.startswith("#!/bin/sh")
    created = re.findall(r"bulk create --zone=(\S+)-\w ", done.stdout)
    assert created == ["europe-west4", "us-central1"]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("src,dst\na,b\n", "gbps_per_vm"),
        ("src,dst,gbps_per_vm\n", "it has no rows"),
        ("src,dst,gbps_per_vm\na,b,-1\n", "gbps_per_vm"),
        ("src,dst,gbps_per_vm\na,b,fast\n", "gbps_per_vm"),
        ("src,dst,gbps_per_vm\na,b,\n", "gbps_per_vm is empty"),
        ("src,dst,gbps_per_vm\na,,1\n", "dst is empty"),
        ("src,dst,gbps_per_vm\na,b,1\na,b,2\n", "rows 1 and 2 are both a to b"),
    ],
)
def test_a_grid_that_makes_no_sense_is_named(tmp_path: Path, rows: str, text: str) -> None:
    table = tmp_path / "grid.csv"
    table.write_text(rows)
    done = transfer(*A_TO_B, "--grid", str(table))
    assert done.returncode == 3
    assert text in words(done)


def test_a_place_that_no_row_names_and_an_edge_without_a_price(
    tmp_path: Path, network: tuple[str, ...]
) -> None:
    done = transfer("--from", "a", "--to", "d", "--bytes", "1TB", *network)
    assert done.returncode == 2
    assert "is no place of the tables that is known" in words(done)
    table = tmp_path / "less.csv"
    table.write_text("src,dst,usd_per_gib\na,c,0.02\n")
    done = transfer(*A_TO_B, *network[:2], "--edge-prices", str(table))
    assert done.returncode == 1
    assert "no price is known for the only way" in words(done)
    # With no prices at all the names mean nothing to the list prices either.
    assert transfer(*A_TO_B, *network[:2]).returncode == 1


def test_a_grid_of_no_more_than_a_kilobyte_and_of_a_hundred_petabytes(
    network: tuple[str, ...],
) -> None:
    told = (*network, "--machine-usd-per-hour", "0.36", "--max-count", "2")
    few = found("--from", "a", "--to", "b", "--bytes", "1KB", *told)
    # One machine at either end for a minute, next to no traffic.
    assert sum(few["machines"].values()) == 2
    assert few["usd_total"] == pytest.approx(0.012)
    many = found("--from", "a", "--to", "b", "--bytes", "100PB", *told)
    # By c, two machines in each place: 8e8 Gbit at 10 Gbit/s.
    assert many["seconds"] == pytest.approx(8e7, rel=1e-6)
    traffic = Decimal(10**17) / 2**30 * Decimal("0.05")
    machines = 6 * Decimal("0.36") * 80_000_000 / 3600
    assert abs(Decimal(str(many["usd_total"])) - traffic - machines) < 1


@pytest.mark.parametrize("count", ["1B", "1KB", "1MB"])
def test_next_to_nothing_takes_a_machine_at_either_end(count: str) -> None:
    answer = found("--from", "us-central1", "--to", "us-east1", "--bytes", count, *FEW)
    assert answer["machines"] == {"us-central1": 1, "us-east1": 1}
    assert 0 < answer["seconds"] < 1


def test_spot_machines_that_are_never_done_are_no_error() -> None:
    spot = ("--spot", "--spot-interruptions-per-day", "1e9")
    answer = found(*MOVE, *FEW, *spot, status=1)
    assert "interrupted before they are ever done" in answer["transfer"]["infeasible"]["binding"]


def test_too_much_memory_is_what_is_in_the_way() -> None:
    said = words(transfer(*MOVE, "--memory-gib", "1e9"))
    assert "no machine type passes what is asked of them" in said
    assert "less than --memory-gib 1e+09" in said


def test_the_machines_that_commands_make_are_those_that_are_priced() -> None:
    script = transfer(*MOVE, *FEW, "--output", "commands").stdout
    assert script.count("no-address") == 2
    out = ("--from", "us-central1", "--to", "internet", "--area", "Europe", "--bytes", "1TB")
    script = transfer(*out, *FEW, "--network-tier", "standard", "--output", "commands").stdout
    assert "network-tier=STANDARD" in script
    assert "no-address" not in script


@NIGHTLY
def test_a_plan_that_reaches_its_bound_alone_is_said_to() -> None:
    to = ("--to", "asia-southeast3,asia-south1,europe-west4,southamerica-east1")
    asked = ("--from", "us-central1", *to, "--bytes", "10TB", "--max-count", "4")
    answer = found(*asked)
    said = words(transfer(*asked))
    gap = Decimal(str(answer["usd_total"])) - Decimal(str(answer["bound_usd_total"]))
    assert gap > Decimal("0.01")
    assert f"this one at most ${gap:.2f} more" in said
