"""A search that the clock ended is told of, whether it had found something or not."""

from typing import Any

import pytest

from netplan_planner.optimise import highs
from netplan_planner.planning.fleet import plan
from netplan_planner.verbs.transfer.solve import program
from support.commands.run import run_verbs

EARLY = "s on the clock, before its normal end"
FLEET = ["fleet", "--demo", "gecko"]
TRANSFER = [
    *("transfer", "--from", "us-central1", "--to", "us-east1,europe-west4", "--bytes", "10TB"),
    *("--start-up", "40s", "--deadline", "1h", "--series", "n2", "--max-count", "4"),
]


def said(command: list[str]) -> str:
    found = run_verbs(arguments=command)
    assert found.returncode == 0, found.stderr
    return " ".join(found.stdout.split())


def test_a_transfer_tells_of_a_search_that_found_nothing_in_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert EARLY not in said(TRANSFER)
    monkeypatch.setattr(program, "LAST_RESORT_S", 1e-6)
    assert EARLY in said(TRANSFER)


def test_a_fleet_tells_of_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert EARLY not in said(FLEET)
    run = highs.run

    def struck(*words: Any) -> highs.Answer | None:
        if len(words) > 2:
            words[2].clock.has_struck = True
        return run(*words)

    monkeypatch.setattr(plan, "run", struck)
    assert EARLY in said(FLEET)
