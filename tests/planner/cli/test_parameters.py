"""A verb's parameters as one value, and how small each verb is."""

import inspect
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from netplan_planner.asks import Ask, Request, Texts, given_options
from netplan_planner.cli.parameters import Parameters, _fields, taking
from support.commands.run import run_verbs
from support.commands.tree import ROOT
from support.commands.verbs import commands
from support.listed import listed

LEAVES = [(path, one) for path, one in commands(ROOT) if not getattr(one, "commands", {})]
MOST_LINES, MOST_OWN = 40, 12


def own_count(kind: Any) -> int:
    """Return how many parameters are a request's own, without those of its bundles."""
    return sum(not field.is_bundle for field in _fields(kind))


class Place(Parameters, frozen=True, kw_only=True):
    """A part that two verbs could share."""

    region: Annotated[str, typer.Option("--region", "-r")]
    zone: Annotated[str | None, typer.Option()] = None


class Asked(Parameters, frozen=True, kw_only=True):
    """Everything."""

    names: Annotated[list[str] | None, typer.Argument()] = None
    place: Place
    count: Annotated[int, typer.Option(min=1)] = 2


def sample() -> tuple[typer.Typer, list[Asked]]:
    made, seen = typer.Typer(), list[Asked]()

    @made.command()
    @taking
    def verb(asked: Asked, ctx: typer.Context) -> None:
        """Say what it is."""
        assert ctx.info_name
        seen.append(asked)

    return made, seen


def test_a_function_gets_the_value_with_its_bundles() -> None:
    made, seen = sample()
    done = CliRunner().invoke(made, ["a", "b", "--count", "3", "-r", "us-east1"])
    assert done.exit_code == 0, done.output
    place = Place(region="us-east1")
    assert seen == [Asked(names=["a", "b"], place=place, count=3)]
    assert CliRunner().invoke(made, ["--region", "x"]).exit_code == 0
    assert seen[1] == Asked(place=Place(region="x"))


def test_what_is_missing_or_wrong_is_refused_as_ever() -> None:
    made, seen = sample()
    assert "Missing option" in CliRunner().invoke(made, []).output
    assert CliRunner().invoke(made, ["-r", "x", "--count", "0"]).exit_code == 2
    page = CliRunner().invoke(made, ["--help"]).output
    assert "Say what it is." in page
    assert "--zone" in page
    assert seen == []


def test_a_bundle_takes_no_name_twice_and_none_from_the_verb() -> None:
    class Twice(Parameters, frozen=True, kw_only=True):
        place: Place
        region: Annotated[str, typer.Option()] = ""

    def verb(asked: Twice) -> None: ...

    with pytest.raises(TypeError, match="verb: region is given twice"):
        taking(verb)
    # What a bundle brings is not a verb's own.
    assert own_count(Asked) == 2


def test_what_is_given_is_told_as_people_write_it() -> None:
    class Part(Request, frozen=True, kw_only=True):
        names: Annotated[Texts, Ask("What to name.", is_argument=True)] = ()
        count: Annotated[int, Ask("How many.")] = 2

    class Whole(Request, frozen=True, kw_only=True):
        region: Annotated[str | None, Ask("Where.", "--region", also=("-r",))] = None
        part: Part = Part()

    told = list[str]()
    made = typer.Typer()

    @made.command()
    @taking
    def verb(asked: Whole) -> None:
        told.extend(given_options(asked))

    assert CliRunner().invoke(made, ["-r", "x", "--count", "2"]).exit_code == 0
    assert told == ["--region"]
    assert CliRunner().invoke(made, ["a", "-r", "x", "--count", "3"]).exit_code == 0
    assert told[1:] == ["--region", "NAMES", "--count"]


def is_small(command: Any) -> bool:
    """Return whether a verb's function is, and its value has few parameters of its own."""
    # typer wraps what it was given.
    function = inspect.unwrap(command.callback)
    written = getattr(function, "written", None)
    if written is None:
        return False
    lines = inspect.getsource(written).count("\n")
    first = next(iter(inspect.signature(written).parameters.values()))
    return lines <= MOST_LINES and own_count(first.annotation) <= MOST_OWN


@listed(("path", "command"), LEAVES, ids=[" ".join(path) for path, _ in LEAVES])
def test_a_verb_is_small(path: tuple[str, ...], command: Any) -> None:
    assert is_small(command)


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--inventory", "x.json"),
        ("--output", "json:x"),
        ("--record", "x.duckdb"),
        ("--prices", "x"),
    ],
)
def test_a_url_is_no_path_and_is_not_repeated(option: str, name: str) -> None:
    kind, _, file = name.rpartition(":")
    url = f"{kind}{':' if kind else ''}https://me:s3cr3tword@host/{file}"
    done = run_verbs(arguments=["audit", "--demo", "gecko", option, url])
    assert done.stderr == f"netplan: audit: {option} takes a path, not a URL (https://…)\n"
    assert done.returncode == 2
