"""Verbs are imported when they are called; the help page shows what they say of themselves."""

import pytest
import typer

from netplan_planner.cli.app import app
from netplan_planner.cli.verbs import VERBS
from support.commands.run import MAIN, run_anew

SCRIPT = """
import sys
sys.argv = ["netplan", {words}]
from netplan_planner.cli import main
try:
    main()
finally:
    print(*(name for name in sys.modules if name.startswith("netplan_") or name in {heavy}))
"""
HEAVY = ("csv", "duckdb", "numpy", "requests")


def loaded(*words: str) -> set[str]:
    """Return the modules of netplan, and heavy ones of others, that a command line imports."""
    script = SCRIPT.format(words=", ".join(map(repr, words)), heavy=HEAVY)
    done = run_anew("-c", script)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("name", VERBS)
def test_the_table_says_the_question_of_the_verb(name: str) -> None:
    command = typer.main.get_group(app).commands[name]
    assert VERBS[name].help.endswith("?")
    assert command.name == name
    # The page of a group of commands says it too; a verb's own says what it does.
    assert (command.help == VERBS[name].help) is bool(getattr(command, "commands", {}))


def test_a_price_imports_no_other_verb() -> None:
    found = loaded("price", "sku", "BB77-5FDA-69D9", "--output", "csv")
    assert "netplan_planner.verbs.price.run" in found
    assert not any(one.startswith("netplan_planner.verbs.prices") for one in found)


@pytest.mark.parametrize(
    "words",
    [
        ("machine", "n2-standard-8", "--region", "us-central1"),
        ("address", "--region", "us-central1"),
        ("traffic", "--from", "us-central1", "--to", "europe-west1", "--gib", "1"),
        ("sku", "BB77-5FDA-69D9"),
        ("nat", "--region", "us-central1"),
    ],
    ids=lambda words: words[0],
)
def test_a_look_up_of_a_price_imports_nothing_heavy(words: tuple[str, ...]) -> None:
    found = loaded("price", *words, "--output", "json")
    assert not found & {"duckdb", "numpy", "requests"}


def test_the_help_page_imports_no_verb() -> None:
    found = loaded("--help")
    modules = {module for verb in VERBS.values() for module in verb.modules}
    runs = {run.module for verb in VERBS.values() for run in verb.runs}
    assert not found & (modules | runs)
    assert not found & {"netplan_planner.model", "netplan_planner.world.reading", *HEAVY}


def test_a_verb_imports_no_other() -> None:
    found = loaded("caps", "n2-standard-8", "--output", "csv")
    others = {
        module
        for name, verb in VERBS.items()
        for module in (*verb.modules, *(run.module for run in verb.runs))
        if name != "caps"
    }
    assert "netplan_planner.verbs.caps.run" in found
    assert not found & {*others, "duckdb", "requests"}


def test_an_unknown_verb_is_told_with_the_nearest() -> None:
    done = run_anew("-c", MAIN, "audti")
    assert done.returncode == 2
    assert "'audit'" in done.stderr
