"""`netplan job` as a process: the story, two terabytes, what is wrong with a question."""

import csv
import io
import json
from subprocess import CompletedProcess
from typing import Any

import pytest

from support.commands.run import run_verbs

COMMANDS_BY_ANSWER = {
    "JobAnswer": (
        ["job", "--demo", "dobermanifesto"],
        [
            "job",
            "--region",
            "us-central1",
            "--bytes-in",
            "2TB",
            "--cpu-seconds",
            "90000",
            "--series",
            "n1,n2",
            "--deadline",
            "1h",
            "--runs-per-day",
            "4",
            "--baseline",
            "n1-standard-1",
            "--spot",
            "--spot-interruptions-per-day",
            "1",
        ],
        ["job", "--region", "us-central1", "--bytes-in", "2TB", "--deadline", "1s"],
        ["job", "--region", "us-east1", "--bytes-in", "2TB", "--machine-type", "m4n-hypermem-16"],
    )
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""
IOWA = ("--region", "us-central1")
STORY = ("--demo", "dobermanifesto")


def job(*arguments: str) -> CompletedProcess[str]:
    return run_verbs(arguments=["job", *arguments])


def found(*arguments: str, status: int = 0) -> dict[str, Any]:
    done = job(*arguments, "-o", "json")
    assert done.returncode == status, done.stderr
    (plan,) = json.loads(done.stdout)["jobs"]
    assert isinstance(plan, dict)
    return plan


def test_the_story_of_dobermanifesto() -> None:
    done = job(*STORY)
    assert done.returncode == 0, done.stderr
    assert "n1-standard-4 is the cheapest in total and the fastest of 3" in done.stdout
    assert "bigger costs no more up to n1-standard-4; n1-standard-8" in done.stdout
    assert "75 % fewer VM hours" in done.stdout
    told = [line for line in done.stdout.splitlines() if "gcloud" not in line]
    assert max(map(len, told)) <= 100


def test_an_audit_of_the_story_has_the_same_plan() -> None:
    audit = run_verbs(arguments=["audit", *STORY, "--fail-on", "never", "-o", "json"])
    assert json.loads(audit.stdout)["jobs"] == [found(*STORY)]


def test_two_terabytes_by_hand() -> None:
    plan = found(*IOWA, "--bytes-in", "2TB", "--machine-type", "n2-standard-8", "--max-count", "1")
    (option,) = plan["options"]
    # 16,000 Gbit at 16 Gbit/s are 1,000 s, at 0.388472 dollars an hour.
    assert option["duration_s"] == 1000
    assert option["billed_s"] == 1000
    assert option["usd_per_run"] == pytest.approx(0.388472 * 1000 / 3600, abs=1e-6)
    assert option["low_duration_s"] < 1000 < option["high_duration_s"]
    assert plan["traffic_usd_per_run"] == 0


def test_traffic_has_its_price() -> None:
    plan = found(
        *(*IOWA, "--bytes-out", "100GB", "--to", "internet", "--area", "Europe"),
        *("--machine-type", "n2-standard-8", "--max-count", "1"),
    )
    # 93.13 GiB and their headers, the first GiB free, at 0.12 dollars.
    assert plan["traffic_usd_per_run"] == pytest.approx((93.132 * 1500 / 1448 - 1) * 0.12, rel=0.02)


def test_a_price_that_is_not_known_is_not_zero() -> None:
    one_type = ("--machine-type", "n2-standard-8", "--max-count", "1")
    plan = found(*IOWA, "--bytes-out", "100GB", "--to", "internet", *one_type)
    assert plan["traffic_usd_per_run"] is None
    assert "depends on its destination" in str(plan["traffic_note"])


def test_spot_without_a_rate_says_so_and_where_it_breaks_even() -> None:
    done = job(*IOWA, "--bytes-in", "2TB", "--series", "n2")
    assert "Google documents no rate of interruptions of Spot machines" in done.stdout
    assert "interruptions of each a day" in " ".join(done.stdout.split())


def test_a_deadline_that_nothing_meets() -> None:
    done = job(*IOWA, "--bytes-in", "2TB", "--series", "n1", "--deadline", "10s")
    assert done.returncode == 1
    text = " ".join(done.stdout.split())
    assert "Infeasible, because 2,000,000,000,000 bytes in take too long" in text
    assert "change --deadline" in text
    assert "--max-count" in text


def test_a_region_without_the_series() -> None:
    done = job("--region", "africa-south1", "--bytes-in", "2TB", "--series", "c4n")
    assert done.returncode == 1
    text = " ".join(done.stdout.split())
    assert "Infeasible, because africa-south1 offers no type of series c4n" in text
    assert "--region, of those that offer it:" in text


def test_no_price_for_the_only_candidate() -> None:
    done = job(*IOWA, "--bytes-in", "2TB", "--machine-type", "m4n-hypermem-16")
    assert done.returncode == 1
    assert "no price for it is known" in " ".join(done.stdout.split())


def test_csv_has_the_ranking_and_the_front() -> None:
    done = job(*IOWA, "--bytes-in", "2TB", "--series", "n1", "--max-count", "4", "-o", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    ranked = [row for row in rows if row["rank"]]
    assert [int(row["rank"]) for row in ranked] == list(range(1, len(ranked) + 1))
    costs = [float(row["usd_per_run"]) for row in ranked]
    assert costs == sorted(costs)
    assert any(row["is_front"] == "true" for row in rows)


def test_the_page_draws_cost_against_time() -> None:
    done = job(
        *(*IOWA, "--bytes-in", "2TB", "--series", "n1", "--deadline", "10m", "-o", "html"),
        *("--baseline", "n1-standard-1"),
    )
    assert done.stdout.count("<svg") == 1
    assert "No machines lie below the line" in done.stdout
    assert ">deadline<" in done.stdout
    assert "today, n1-standard-1" in done.stdout


def test_a_job_that_takes_no_time_has_one_best_run() -> None:
    work = ("--bytes-between", "10TiB", "--deadline", "2h", "--overlap", "in,compute")
    done = job(*IOWA, *work, "--series", "n2,c3", "--output", "json")
    assert (done.returncode, done.stderr) == (0, "")
    (plan,) = json.loads(done.stdout)["jobs"]
    assert [one["duration_s"] for one in plan["front"]] == [0]
