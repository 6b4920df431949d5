"""`netplan job` as a process: the plan that an audit has too, and its table; else `tests/cases`."""

import csv
import io
import json

from support.commands.run import run_verbs

COMMANDS_BY_ANSWER = {
    "JobAnswer": (
        "job --demo dobermanifesto",
        "job --region us-central1 --bytes-in 2TB --cpu-seconds 90000 --series n1,n2"
        " --deadline 1h --runs-per-day 4 --baseline n1-standard-1 --spot"
        " --spot-interruptions-per-day 1",
        "job --region us-central1 --bytes-in 2TB --deadline 1s",
        "job --region us-east1 --bytes-in 2TB --machine-type m4n-hypermem-16",
    )
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""
STORY = ("--demo", "dobermanifesto")


def test_an_audit_of_the_story_has_the_same_plan() -> None:
    asked = ["audit", *STORY, "--fail-on", "never"], ["job", *STORY]
    one, other = (run_verbs(arguments=[*words, "-o", "json"]).stdout for words in asked)
    assert json.loads(one)["jobs"] == json.loads(other)["jobs"] != []


def test_csv_has_the_ranking_and_the_front() -> None:
    asked = ("--region", "us-central1", "--bytes-in", "2TB", "--series", "n1", "--max-count", "4")
    done = run_verbs(arguments=["job", *asked, "-o", "csv"])
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    ranked = [row for row in rows if row["rank"]]
    assert [int(row["rank"]) for row in ranked] == list(range(1, len(ranked) + 1))
    costs = [float(row["usd_per_run"]) for row in ranked]
    assert costs == sorted(costs)
    assert any(row["is_front"] == "true" for row in rows)
