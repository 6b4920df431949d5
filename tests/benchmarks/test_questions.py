"""The questions that agents may ask: their answers can be derived again, and the tools agree."""

import os
from collections import Counter
from pathlib import Path

import pytest

from support.commands.run import BENCHMARKS, run_anew, surroundings

FACTS = Path(os.environ.get("NETPLAN_TEST_DATA") or BENCHMARKS.parents[1] / "shared") / "data"


def asked(only: str) -> str:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    done = run_anew(BENCHMARKS / "ask_questions.py", "--only", only, timeout=None)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_are_a_hundred_of_which_twenty_are_not_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS / "questions"))
    from derive import questions

    every = [*questions()]
    assert len({one["id"] for one in every}) == len(every) == 100
    assert Counter("unknown" in one for one in every) == {False: 80, True: 20}
    for one in every:
        assert one["text"]
        assert one["derivation"]
        assert one["source"]
        assert one["calls"]
        assert ("answer" in one) != ("unknown" in one)


@pytest.mark.skipif(not FACTS.is_dir(), reason=f"no facts at {FACTS}")
def test_the_answers_are_derived_without_netplan() -> None:
    environment = surroundings(PYTHONPATH="", NETPLAN_TEST_DATA=str(FACTS.parent))
    done = run_anew("-S", BENCHMARKS / "questions" / "derive.py", env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("78 answers derived, 0 differ")


def test_the_tools_answer_some_of_them() -> None:
    assert asked("caps/tier1").startswith("4 questions, 4 answered right")


@pytest.mark.nightly
def test_the_tools_answer_all_of_them() -> None:
    assert asked("").startswith("100 questions, 100 answered right")
